"""Find the text of a chunk in its document.

Splitters change text: they normalise white space, and add headers or context. In the documents of a
corpus, spaces replace form feeds and other control characters. So texts are compared without white
space and control characters.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from xcg.documents.text_search import Quote, TextIndex
from xcg.errors import UnmappedError, XcgError
from xcg.runs.chunk_adapters import shortened


def checked_span(start: int, end: int) -> tuple[int, int]:
    """Return the span of a chunk.

    Raises:
        ValueError: If it is empty, or starts before the text.
    """
    if start == end:
        raise ValueError(f"the chunk is empty: it starts and ends at {start}")
    if not 0 <= start < end:
        raise ValueError(f"start {start} and end {end}: expected 0 <= start < end")
    return start, end


_GAP = "[\\s\x00-\x1f\x7f-\x9f\u200b\ufeff]"
"""White space and control characters."""
_WORD = re.compile(f"[^{_GAP[1:]}+")
_MOST_HEADERS = 20
"""Maximum number of lines before the text of a chunk that can be headers or context."""
_LEAST_LETTERS = 20
"""Minimum length of a text that is compared without white space or headers; spaces do not count.

Shorter texts could match by accident.
"""


class DocumentText:
    r"""The text of a document, prepared for finding chunks on first use.

    >>> document = DocumentText("Bees dance \n\n very well in the dark.")
    >>> document.find("dance very well in the dark")
    [(5, 35)]
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return at most two occurrences of a text, as it is or else normalised.

        White space and control characters are ignored first, which keeps the marks at the start of a
        list. Then the text is searched like a quote.

        Raises:
            UnmappedError: If it occurs too often to be compared.
        """
        for wanted in (text, text.strip()):
            found = _two_occurrences(self.text, wanted)
            if found:
                return found
        wanted = compact(text)
        if len(wanted) < _LEAST_LETTERS:
            return self._find_words(_WORD.findall(text))
        found = _two_occurrences(self._compact, wanted)
        if found:
            return [self._span(*span) for span in found]
        try:
            location = self._index.locate(Quote(text))
        except XcgError as error:
            raise UnmappedError("", str(error)) from None
        if location.is_found:
            return [(location.start, location.end)]
        return list(location.occurrences[:2])

    def _find_words(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """Return at most two occurrences of words with any white space between them."""
        if not words:
            return []
        pattern = re.compile(f"{_GAP}+".join(map(re.escape, words)))
        return [match.span() for match in islice(pattern.finditer(self.text), 2)]

    def span_at(self, start: int, text: str) -> tuple[int, int] | None:
        """Return the span of a text at an offset, or None; white space may differ."""
        wanted = compact(text)
        if not 0 <= start < len(self.text) or not wanted:
            return None
        index = bisect_right(self._words[0], start) - 1
        first = 0
        if index >= 0:
            word, before = self._words[0][index], self._words[1][index]
            following = self._words[1][index + 1] if index + 1 < len(self._words[1]) else None
            first = before + start - word
            first = min(first, following if following is not None else len(self._compact))
        if not self._compact.startswith(wanted, first):
            return None
        return self._span(first, first + len(wanted))

    @cached_property
    def _index(self) -> TextIndex:
        return TextIndex(self.text)

    @cached_property
    def _words(self) -> tuple[array[int], array[int]]:
        """The offset of each word in the text, and in the text without white space."""
        starts, offsets, total = array("q"), array("q"), 0
        for match in _WORD.finditer(self.text):
            starts.append(match.start())
            offsets.append(total)
            total += match.end() - match.start()
        return starts, offsets

    @cached_property
    def _compact(self) -> str:
        return compact(self.text)

    def _span(self, first: int, last: int) -> tuple[int, int]:
        """Map a span of the text without white space to the original text."""
        return self._offset(first), self._offset(last - 1) + 1

    def _offset(self, offset: int) -> int:
        starts, offsets = self._words
        index = bisect_right(offsets, offset) - 1
        return starts[index] + offset - offsets[index]


def compact(text: str) -> str:
    r"""Return a text without white space and control characters.

    >>> compact("one\ftwo \n three")
    'onetwothree'
    """
    return "".join(_WORD.findall(text))


def matched_span(
    document: DocumentText, start: int, end: int | None, text: str | None, name: str
) -> tuple[int, int]:
    """Return the span of a chunk in its document.

    White space and control characters may differ, and the chunk may start with headers or context that
    the document does not have there.

    Args:
        document: The document.
        start: The offset of the chunk.
        end: The offset of the first character after the chunk, if stated.
        text: The text of the chunk, if known; without it, the end is stated.
        name: The document, for messages.

    Raises:
        UnmappedError: If the document has another text there. The message states where the text is if
            it occurs once.
    """
    body = document.text
    if text is None:
        assert end is not None
        if end > len(body):
            raise UnmappedError("", f"the chunk ends at {end}, but {name} has {len(body)} characters")
        return start, end
    stop = end if end is not None else start + len(text)
    wanted = text.strip()
    if start < len(body) and body[start:stop].strip() == wanted:
        return start, min(stop, len(body))
    first = len(body) - len(body[start:].lstrip())
    if wanted and body.startswith(wanted, first):
        return first, first + len(wanted)
    if end is not None and end <= len(body):
        there, stated = compact(body[start:end]), compact(text)
        if there == stated or (len(there) >= _LEAST_LETTERS and there in stated):
            return start, end
    for rest in (text, *_without_headers(text)):
        span = document.span_at(start, rest)
        if span is not None:
            return span
    found = document.find(text) if wanted else []
    where = f" (its text is at {found[0][0]} to {found[0][1]})" if len(found) == 1 else ""
    raise UnmappedError(
        "",
        f"the chunk is {shortened(repr(text))}, but {name} has {shortened(repr(body[start:stop]))} at "
        f"{start} to {stop} of its {len(body)} characters{where}: do its offsets belong to this text?",
    )


def only_occurrence(document: DocumentText, text: str, name: str) -> tuple[int, int]:
    """Return the span of a text that occurs exactly once in a document.

    White space and control characters may differ. If the text does not occur, the first lines may be
    headers or context that a splitter added.

    Raises:
        ValueError: If the text is empty.
        UnmappedError: If it does not occur, or occurs more than once.
    """
    if not text.strip():
        raise ValueError("the chunk is empty: it has no text")
    found: list[tuple[int, int]] = []
    for part in (text, *_without_headers(text)):
        found = document.find(part)
        if found:
            break
    if len(found) == 1:
        return found[0]
    problem = "occurs more than once" if found else "does not occur"
    hint = "; expected its start" if found else ""
    raise UnmappedError(
        "", f"the chunk has no offsets, and its text {shortened(repr(text))} {problem} in {name}{hint}"
    )


def _without_headers(text: str) -> Iterator[str]:
    """Yield the text without its first line, first two lines, and so on, while enough is left."""
    position = -1
    for _ in range(_MOST_HEADERS):
        position = text.find("\n", position + 1)
        following = text[position : position + 50 * _LEAST_LETTERS]
        if position < 0 or len(compact(following)) < _LEAST_LETTERS:
            return
        yield text[position + 1 :]


def _two_occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = text.find(wanted) if wanted.strip() else -1
    while start >= 0 and len(found) < 2:
        found.append((start, start + len(wanted)))
        start = text.find(wanted, start + 1)
    return found
