"""A ranking as text, with the relevant text of its topic; everything is counted in characters."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal

from xcg.documents.intervals import IntervalSet

Spans = Sequence[tuple[int, int]]
Repeated = Literal["official", "once"]
"""How repeated text counts. ``once``: text that an earlier result contains is not read again.
``official``: the same in documents with relevant text; in other documents it is read each time."""

_FEW_PASSAGES = 8
"""The number of passages up to which sorting them takes longer than comparing all of them."""


@dataclass(frozen=True)
class HighlightedRanking:
    """The characters that a ranking returns, and those that are relevant.

    A document is relevant if its relevant size is above 0. The text of passages is relevant in every
    document.

    Attributes:
        results: (document, start, end) in rank order; a result is the characters start to end - 1 of
            the document's text. Results can be empty. A result that begins before the text has an
            unknown offset; no other result is known to repeat it.
        highlighted: Document → relevant passages (start, end). Text in several passages counts for each
            of them.
        entry_points: Document → character offset of the best entry point; None if the assessments
            have no entry points.
        mean_length: Returns the mean length of the corpus's documents; None without a corpus.
        stated_sizes: Document → its relevant size, if the assessments state it. By default the relevant
            size is the sum of the passages' lengths.
        length: Returns the length of a document's text; None if it is unknown.
        unknown: Indices of the results whose text is unknown, because the documents lack them.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> ranking.relevant, ranking.sizes, ranking.relevant_sizes
    (200, [100, 50], [80, 0])
    """

    results: Sequence[tuple[str, int, int]]
    highlighted: Mapping[str, Spans]
    entry_points: Mapping[str, int] | None = None
    mean_length: Callable[[], float] | None = None
    stated_sizes: Mapping[str, int] = field(default_factory=dict)
    length: Callable[[str], int | None] | None = None
    unknown: Sequence[int] = ()

    @cached_property
    def relevant_in(self) -> dict[str, int]:
        """Relevant document → its relevant size."""
        stated = self.stated_sizes
        sizes = {
            document: stated[document] if document in stated else sum(map(_length, spans))
            for document, spans in self.highlighted.items()
        }
        return {document: size for document, size in {**sizes, **stated}.items() if size > 0}

    @cached_property
    def relevant(self) -> int:
        """Trel, the relevant size of the topic."""
        return sum(self.relevant_in.values())

    @cached_property
    def relevant_text(self) -> Mapping[str, RelevantText]:
        """Document → its passages; only for documents with both results and passages."""
        documents = {document for document, _, _ in self.results}
        passages = self.highlighted
        return {file: RelevantText(passages[file]) for file in documents if passages.get(file)}

    @cached_property
    def sizes(self) -> list[int]:
        """Number of characters of each result."""
        return [end - start for _, start, end in self.results]

    @cached_property
    def relevant_sizes(self) -> list[int]:
        """Number of relevant characters of each result (rsize)."""
        return self._relevant_in([[(start, end)] for _, start, end in self.results])

    def new_pieces(self, repeated: Repeated) -> list[list[tuple[int, int]]]:
        """Return for each result the parts of it that are read, see :data:`Repeated`."""
        return self._unseen_pieces if repeated == "once" else self._official_pieces

    @cached_property
    def _unseen_pieces(self) -> list[list[tuple[int, int]]]:
        return self._pieces({document for document, _, _ in self.results})

    @cached_property
    def _official_pieces(self) -> list[list[tuple[int, int]]]:
        return self._pieces(self.relevant_in)

    def _pieces(self, read_once: Container[str]) -> list[list[tuple[int, int]]]:
        """Return what is read of each result; in some documents, text is read once."""
        seen: defaultdict[str, IntervalSet[int]] = defaultdict(IntervalSet)
        return [
            seen[document].add(start, end) if start >= 0 and document in read_once else [(start, end)]
            for document, start, end in self.results
        ]

    @cached_property
    def new_sizes(self) -> list[int]:
        """Number of characters of each result that are read.

        In a relevant document, these are the characters that no earlier result contains; in another
        document all of the result.
        """
        return [sum(map(_length, pieces)) for pieces in self._official_pieces]

    @cached_property
    def new_relevant_sizes(self) -> list[int]:
        """Number of relevant characters among those of :attr:`new_sizes`."""
        return self._relevant_in(self._official_pieces)

    @cached_property
    def unseen_sizes(self) -> list[int]:
        """Number of characters of each result that no earlier result contains."""
        return [sum(map(_length, pieces)) for pieces in self._unseen_pieces]

    @cached_property
    def unseen_relevant_sizes(self) -> list[int]:
        """Number of relevant characters of each result that no earlier result contains."""
        return self._relevant_in(self._unseen_pieces)

    def _relevant_in(self, pieces: Sequence[Spans]) -> list[int]:
        relevant = self.relevant_in
        text = {file: text for file, text in self.relevant_text.items() if file in relevant}
        return [
            sum(text[document].count(*piece) for piece in of_result) if document in text else 0
            for (document, _, _), of_result in zip(self.results, pieces, strict=True)
        ]

    def articles(self) -> dict[str, list[tuple[int, int]]]:
        """Return document → its results, with documents in the order of their first result."""
        grouped: dict[str, list[tuple[int, int]]] = {}
        for document, start, end in self.results:
            grouped.setdefault(document, []).append((start, end))
        return grouped

    def read(self, document: str, pieces: Iterable[tuple[int, int]], limit: float) -> tuple[int, int]:
        """Read pieces of a document's text in order.

        Args:
            document: The document's name.
            pieces: (start, end) of what is read; no character occurs twice.
            limit: Number of characters after which reading stops.

        Returns:
            The number of characters read, and how many of them are relevant.
        """
        text = self.relevant_text.get(document)
        size = relevant = 0
        for start, end in pieces:
            stop = int(min(end, start + limit - size))
            size += stop - start
            relevant += text.count(start, stop) if text is not None else 0
        return size, relevant


class RelevantText:
    """The relevant passages of one document.

    Stored are the offsets where passages start and end, so that neither time nor memory depends on the
    length of the document.

    Args:
        passages: (start, end) in any order; they may be empty and may overlap.

    >>> text = RelevantText([(10, 30), (20, 40)])
    >>> text.count(0, 25), list(text.stretches(0, 25))
    (20, [(10, 0), (10, 1), (5, 2)])
    """

    def __init__(self, passages: Spans) -> None:
        self._passages = passages

    @cached_property
    def _sorted(self) -> tuple[list[int], list[int]]:
        """The starts and the ends of the passages."""
        starts = sorted([start for start, _ in self._passages])
        return starts, sorted([end for _, end in self._passages])

    @cached_property
    def _sums(self) -> tuple[list[int], list[int]]:
        """The sums of the first starts and of the first ends."""
        starts, ends = self._sorted
        return list(accumulate(starts, initial=0)), list(accumulate(ends, initial=0))

    def count(self, start: int, end: int) -> int:
        """Return the number of relevant characters from start to end - 1."""
        if len(self._passages) <= _FEW_PASSAGES:
            return sum(
                [
                    min(end, last) - max(start, first)
                    for first, last in self._passages
                    if first < end and start < last
                ]
            )
        return self._count_before(end) - self._count_before(start)

    def _count_before(self, offset: int) -> int:
        starts, ends = self._sorted
        started, ended = bisect_right(starts, offset), bisect_right(ends, offset)
        sums_of_starts, sums_of_ends = self._sums
        return (started - ended) * offset - sums_of_starts[started] + sums_of_ends[ended]

    def stretches(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the length of each stretch from start to end - 1, and in how many passages it is."""
        starts, ends = self._sorted
        while start < end:
            started, ended = bisect_right(starts, start), bisect_right(ends, start)
            stop = min([end, *starts[started : started + 1], *ends[ended : ended + 1]])
            yield stop - start, started - ended
            start = stop


def _length(span: tuple[int, int]) -> int:
    return span[1] - span[0]
