"""Find the commands that a page shows, and compare their output, where … is any text or any lines."""

from __future__ import annotations

import re
from collections.abc import Iterator


def written_examples(block: str) -> Iterator[tuple[str, str]]:
    r"""Yield the commands of a block ``console`` as written, with their output.

    A line of a command can end with a ``\\``.
    """
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:.*\\\n)*.*", part)[0]  # type: ignore[index]
        yield command, part[len(command) + 1 :]


def joined(command: str) -> str:
    """Return a command on one line."""
    return re.sub(r"\\\n(?:> ?)?", "", command)


def line_pattern(text: str) -> str:
    """Return a regular expression for a line, in which ``…`` stands for any text."""
    if text == "…":
        return r"(?s:.*)"
    return ".*".join(map(re.escape, re.split(" *… *", text)))


def is_output(shown: str, found: str) -> bool:
    """Return whether an output is the one shown. A line ``…`` stands for any number of lines."""
    pattern = "\n".join(map(line_pattern, _stripped(shown).split("\n")))
    return re.fullmatch(pattern, _stripped(found)) is not None


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
