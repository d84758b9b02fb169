"""Find the text of a chunk in its document.

A result that states its text is read as that text; its offsets only say where it is. Splitters change
text: they normalise white space, and add headers or context. In the documents of a corpus, spaces
replace form feeds and other control characters. So texts are compared without white space and control
characters, then like quotes, and then by the longest part that the document has.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from xcg.documents.approximate_search import grams
from xcg.documents.text_normalisation import normalise
from xcg.documents.text_search import LONG, Quote, TextIndex
from xcg.errors import Notes, UnmappedError, XcgError
from xcg.lazy_modules import np
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
_LEAST_LETTERS = 20
"""Minimum length of a text that is compared without white space, and of a part of a text that is taken
for the whole; spaces do not count. Shorter texts could match by accident."""

Span = tuple[int, int]


class Placement(NamedTuple):
    """Where a document has the text of a chunk.

    Attributes:
        occurrences: The spans that have it, in order; none if the document does not have the text.
        other: The rest of the stated text, which the document does not have there.
        is_misplaced: Whether the stated offsets are those of another text.
    """

    occurrences: Sequence[Span]
    other: str = ""
    is_misplaced: bool = False

    def best(self, text: str | None, gold: Iterable[tuple[int, int, float]]) -> Span:
        """Return the occurrence that shares most text with gold spans, then the first.

        Short texts have their first occurrence: otherwise "the" and "of" would lie in the gold.
        """
        if len(self.occurrences) == 1 or text is None or len(text) < LONG:
            return self.occurrences[0]
        spans = [(start, end) for start, end, grade in gold if grade > 0]

        def shared(span: Span) -> int:
            return sum(max(min(span[1], end) - max(span[0], start), 0) for start, end in spans)

        return max(self.occurrences, key=shared)


class DocumentText:
    r"""The text of a document, prepared for finding chunks on first use.

    >>> document = DocumentText("Bees dance \n\n very well in the dark.")
    >>> document.find("dance very well in the dark")
    [(5, 35)]
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the occurrences of a text, as it is or else normalised; they do not overlap.

        White space and control characters are ignored first, which keeps the marks at the start of a
        list. Then the text is searched like a quote.
        """
        for wanted in (text, text.strip()):
            found = _occurrences(self.text, wanted) if wanted.strip() else []
            if found:
                return found
        wanted = compact(text)
        if len(wanted) < _LEAST_LETTERS:
            pattern = re.compile(f"{_GAP}+".join(map(re.escape, _WORD.findall(text))))
            return [match.span() for match in pattern.finditer(self.text)] if wanted else []
        found = _occurrences(self._compact, wanted)
        if found:
            return [self._span(*span) for span in found]
        try:
            location = self._index.locate(Quote(text))
        except XcgError:  # it occurs too often to be compared
            return []
        if location.is_found:
            return [(location.start, location.end)]
        return list(location.occurrences)

    def longest_part(self, text: str, around: Span | None = None) -> Placement:
        """Return where the document has the longest part of a text that it has.

        Args:
            text: The text.
            around: Start and end of text that the part must contain some of; none by default.
        """
        start, end = around or (0, len(self.text))
        least = min(_LEAST_LETTERS, max(len(compact(self.text[start:end])), 1))
        stated = normalise(text)
        offsets = self._index.normalised.offsets
        reach = [max(start - len(text), 0), start, end, end + len(text)]
        first, start, end, last = offsets.searchsorted(reach).tolist()
        body = self._index.normalised.text[first:last]
        at, place, length = _longest_part(stated.text, body, least, (start - first, end - first))
        if not length:
            return Placement([], text)
        spans = [(place, place + length)] if around else _occurrences(body, stated.text[at:][:length])
        found = [(int(offsets[first + low]), int(offsets[first + high - 1]) + 1) for low, high in spans]
        low, high = found[0]
        before, after = int(stated.offsets[at]), int(stated.offsets[at + length - 1]) + 1
        # Normalisation ignores some dashes, which can be at the ends.
        while low > 0 < before and text[before - 1] == self.text[low - 1] and text[before - 1].strip():
            low, before = low - 1, before - 1
        while after < len(text) and text[after] == self.text[high : high + 1] and text[after].strip():
            high, after = high + 1, after + 1
        found[0], other = (low, high), text[:before] + text[after:]
        return Placement(found, other if other.strip() else "")

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


def place(
    document: DocumentText | None, start: int | None, end: int | None, text: str | None, name: str
) -> Placement:
    """Return where the text of a chunk is.

    Args:
        document: The document; None if its text is not known.
        start: The offset of the chunk, if stated.
        end: The offset of the first character after the chunk, if stated.
        text: The text of the chunk, if stated; without it, both offsets are.
        name: The document, for messages.

    Raises:
        ValueError: If the chunk is empty.
        UnmappedError: If the document ends before a chunk that does not state its text.
    """
    stop = end if end is not None else (start or 0) + len(text or "")
    if document is None or text is None:
        span = checked_span(start or 0, stop)
        if document is not None and stop > len(document.text):
            length = len(document.text)
            raise UnmappedError("", f"the chunk ends at {stop}, but {name} has {length} characters")
        return Placement([span], text[stop - span[0] :] if text is not None else "")
    body, wanted = document.text, text.strip()
    if start is None:
        if not wanted:
            raise ValueError("the chunk is empty: it has no text")
        found = document.find(text)
        return Placement(found) if found else document.longest_part(text)
    checked_span(start, stop)
    if start < len(body) and body[start:stop].strip() == wanted:
        return Placement([(start, min(stop, len(body)))])
    first = len(body) - len(body[start:].lstrip())
    if wanted and body.startswith(wanted, first):
        return Placement([(first, first + len(wanted))])
    if (span_there := document.span_at(start, text)) is not None:
        return Placement([span_there])
    found = document.find(text)
    there = [span for span in found if span[0] < stop and start < span[1]]
    there = sorted(there, key=lambda span: abs(span[0] - start))[:1]
    if found:
        return Placement(there or found, "", not (there and there[0][0] <= start < there[0][1]))
    near = document.longest_part(text, (start, stop))
    if near.occurrences:
        return near._replace(occurrences=near.occurrences[:1])
    elsewhere = document.longest_part(text)
    return elsewhere._replace(is_misplaced=bool(elsewhere.occurrences))


def no_place(text: str, start: int | None, name: str) -> str:
    """Return the message for a chunk that has no place in its document."""
    offset = "no offsets" if start is None else f"the start {start}"
    return f"the chunk has {offset}, and its text {shortened(repr(text))} does not occur in {name}"


def note_placement(found: Placement, text: str | None, where: str, name: str, notes: Notes) -> None:
    """Note that a chunk was found elsewhere than stated, or at several places."""
    shown = f"{shortened(repr(text))} is at {found.occurrences[0][0]} of {name}"
    if found.is_misplaced:
        kind = "chunks whose offsets belong to another text, found by their own"
        notes.oddity(kind, where, shown)
    if len(found.occurrences) > 1 and text is not None and len(text) >= LONG:
        times = f"{len(found.occurrences)} times in {name}"
        kind = "chunks whose text occurs several times; the place in the gold counts, or the first"
        notes.oddity(kind, where, f"{shortened(repr(text))} occurs {times}")


def note_unplaced(run: str, problems: Sequence[UnmappedError], results: int, notes: Notes) -> None:
    """Note the chunks of a run that have no place in their document.

    Raises:
        UnmappedError: If these are more than half of its results, unless the notes are lenient.
    """
    for problem in problems:
        notes.oddity("chunks without a place in a document, which gain nothing", "", str(problem))
    if 2 * len(problems) > results:
        examples = "; ".join(map(str, problems[:3]))
        message = f"{len(problems)} of {results} results have no place in their documents: {examples}"
        hint = "expected the corpus whose text was indexed"
        notes.tolerate("runs of another corpus", UnmappedError(run, f"{message}; {hint}"))


def _longest_part(text: str, body: str, least: int, around: Span) -> tuple[int, int, int]:
    """Return the longest part of a text that another has: its start in both, and its length.

    The part in the other text must overlap a span of it. A part shorter than ``least`` counts as none,
    with length 0. About log n lengths are tried, each in O(n log n), for n characters.
    """
    found = 0, 0, 0
    low, high, length = least - 1, len(text), least
    while low < high:
        start, place, most = _shared_part(text, body, around, length)
        if most:
            found = start, place, length
            low, high = length, min(high, most)
            length = high  # the other windows mostly belong to one part
        else:
            high = length - 1
            length = (low + high + 1) // 2
    return found


def _shared_part(text: str, body: str, around: Span, length: int) -> tuple[int, int, int]:
    """Return the start of the first shared part of a length in both, and how long a longer one can be.

    The latter is 0 if there is no shared part.
    """
    whole = len(body) - length + 1
    first, last = max(around[0] - length + 1, 0), min(around[1], whole)
    if first >= last or len(text) < length:
        return 0, 0, 0
    values, number = np.unique(grams(text, length), return_inverse=True)
    there = grams(body, length)
    table = np.zeros(1 << 16, bool)
    table[values >> 48] = True
    places = np.flatnonzero(table[there >> 48])  # a few: searching all takes time
    found = np.searchsorted(values, there[places]).clip(max=len(values) - 1)
    is_same = values[found] == there[places]
    is_near = is_same & (first <= places) & (places < last)
    edges = np.flatnonzero(np.diff(np.isin(number, found[is_same]), prepend=False, append=False))
    start = int(np.isin(number, found[is_near]).argmax())
    place = body.find(text[start : start + length], first)
    if not first <= place < last:  # also if only hashes are equal
        return 0, 0, 0
    return start, place, int(np.diff(edges)[::2].max()) + length - 1


def _occurrences(text: str, wanted: str) -> list[Span]:
    return [match.span() for match in re.finditer(re.escape(wanted), text)]
