"""Wrap, cut and align texts for terminals, where some characters are two columns wide."""

from __future__ import annotations

import re

_PARTS = re.compile(r"\s*(?:[^\s\-_/,=+.;:@]+[\-_/,=+.;:@]*|[\-_/,=+.;:@]+)|\s+$")
"""A part after which a line of a cell can end: a word, or a part of a name with punctuation."""
_WORDS = re.compile(r"\s*\S+")
_INDENTATION = re.compile(r"[\w ]+: {2,}| *\w+\. | +")
"""The start of a line (label, number or spaces) that becomes indentation in wrapped lines."""
_LONGEST_WORD = 20
"""Words with up to this number of characters are only broken if the line is shorter."""


def wrapped(text: str, width: int) -> str:
    """Break a text into lines at spaces, and after punctuation in names that are too long.

    Args:
        text: The text.
        width: Characters in a line. Only a part without spaces and punctuation can be longer.

    >>> print(wrapped("baseline_mean of run", 9))
    baseline_
    mean of
    run
    """
    if cell_length(text) <= width:
        return text
    lines = [""]
    for word in _WORDS.findall(text):
        is_long = cell_length(word.strip()) > width
        for part in _PARTS.findall(word) if is_long else [word]:
            if not lines[-1] and len(lines) == 1:
                lines[-1] = part
            elif cell_length(lines[-1] + part) <= width:
                lines[-1] += part
            else:
                lines.append(part.lstrip())
    return "\n".join(lines)


def wrapped_lines(text: str, width: int) -> str:
    r"""Wrap the long lines of a text at spaces.

    >>> print(wrapped_lines("range:   between 0 and 1\n", 20), end="")
    range:   between 0
             and 1
    """
    lines = []
    for line in text.splitlines():
        indentation = _INDENTATION.match(line)
        indent = min(indentation.end() if indentation else 0, width // 2)
        first, *others = wrapped(line, width).split("\n")
        rest = wrapped(" ".join(others), width - indent) if others else ""
        lines += [first, *(" " * indent + one for one in rest.split("\n") if one)]
    return "".join(f"{line}\n" for line in lines)


def fitted(text: str, width: int, cut: str) -> str:
    """Wrap or cut a text.

    >>> fitted("guides/setup", 9, "start"), fitted("Bees dance", 9, "end")
    ('…es/setup', 'Bees dan…')
    """
    if not cut or cell_length(text) <= width:
        return wrapped(text, width)
    kept = text[-width:] if cut == "start" else text[:width]
    while kept and cell_length(kept) > width - 1:
        kept = kept[1:] if cut == "start" else kept[:-1]
    return f"…{kept}" if cut == "start" else f"{kept}…"


def aligned(text: str, width: int, to_right: bool) -> str:
    """Align lines to the right; unlike rich, keep spaces at the end, which align marks of numbers."""
    if not to_right:
        return text
    return "\n".join(" " * (width - cell_length(line)) + line for line in text.split("\n"))


def longest_part(text: str, keeps_words: bool = True) -> int:
    """Return the length of the longest part of a text that a narrow column should not break.

    Args:
        text: The text.
        keeps_words: Whether words with punctuation are kept, if they are not long.
    """
    if not keeps_words:
        return max(map(cell_length, _PARTS.findall(text)), default=0)
    parts: list[str] = []
    for word in text.split():
        parts += [word] if cell_length(word) <= _LONGEST_WORD else _PARTS.findall(word)
    return max(map(cell_length, parts), default=0)


def cell_length(text: str) -> int:
    """Return the number of columns in which a terminal shows a text."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
