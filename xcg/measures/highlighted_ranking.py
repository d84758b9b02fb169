"""A ranking as text, with the highlighted text of its topic; everything is counted in characters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from xcg.documents.intervals import IntervalSet
from xcg.lazy_modules import np, npt

Spans = Sequence[tuple[int, int]]
Ints: TypeAlias = "npt.NDArray[np.int64]"


@dataclass(frozen=True)
class HighlightedRanking:
    """The characters that a ranking returns, and those that the assessors highlighted.

    Attributes:
        results: (document, start, end) in rank order; a result is the characters start to end - 1 of
            the document's text.
        highlighted: Document → highlighted spans (start, end); only documents that have any.
        entry_points: Document → character offset of the best entry point; None if the assessments
            have no entry points.
        mean_length: Returns the mean length of the corpus's documents; None without a corpus.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> ranking.relevant, ranking.sizes.tolist(), ranking.relevant_sizes.tolist()
    (200, [100, 50], [80, 0])
    """

    results: Sequence[tuple[str, int, int]]
    highlighted: Mapping[str, Spans]
    entry_points: Mapping[str, int] | None = None
    mean_length: Callable[[], float] | None = None

    @cached_property
    def _highlighted_before(self) -> dict[str, Ints]:
        """Document → number of highlighted characters before each offset."""
        return {document: _counts(spans) for document, spans in self.highlighted.items() if spans}

    @cached_property
    def relevant_in(self) -> dict[str, int]:
        """Document → number of highlighted characters."""
        return {document: int(before[-1]) for document, before in self._highlighted_before.items()}

    @property
    def relevant(self) -> int:
        """Trel, the number of highlighted characters of the topic."""
        return sum(self.relevant_in.values())

    @cached_property
    def sizes(self) -> Ints:
        """Number of characters of each result."""
        return np.array([end - start for _, start, end in self.results], dtype=np.int64)

    @cached_property
    def relevant_sizes(self) -> Ints:
        """Number of highlighted characters of each result (rsize)."""
        return np.array([self._highlighted_in(*result) for result in self.results], dtype=np.int64)

    @cached_property
    def _new(self) -> tuple[Ints, Ints]:
        covered: dict[str, IntervalSet[int]] = {}
        new, relevant = [], []
        for document, start, end in self.results:
            pieces = covered.setdefault(document, IntervalSet[int]()).add(start, end)
            new.append(sum(stop - begin for begin, stop in pieces))
            relevant.append(sum(self._highlighted_in(document, *piece) for piece in pieces))
        return np.array(new, dtype=np.int64), np.array(relevant, dtype=np.int64)

    @property
    def new_sizes(self) -> Ints:
        """Number of characters of each result that no earlier result contains."""
        return self._new[0]

    @property
    def new_relevant_sizes(self) -> Ints:
        """Number of highlighted characters of each result that no earlier result contains."""
        return self._new[1]

    def _highlighted_in(self, document: str, start: int, end: int) -> int:
        before = self._highlighted_before.get(document)
        if before is None:
            return 0
        last = len(before) - 1
        return int(before[min(end, last)] - before[min(start, last)])

    def articles(self) -> dict[str, list[tuple[int, int]]]:
        """Return document → its results, with documents in the order of their first result."""
        grouped: dict[str, list[tuple[int, int]]] = {}
        for document, start, end in self.results:
            grouped.setdefault(document, []).append((start, end))
        return grouped

    def read(
        self, document: str, spans: Iterable[tuple[int, int]], limit: float, tolerance: float
    ) -> tuple[int, int]:
        """Read spans of a document in order, each character once.

        Args:
            document: The document's name.
            spans: (start, end) of what is read.
            limit: Number of characters after which reading stops.
            tolerance: Number of irrelevant characters after which reading stops.

        Returns:
            The number of characters read, and how many of them are highlighted.
        """
        covered: IntervalSet[int] = IntervalSet()
        pieces = [piece for span in spans for piece in covered.add(*span)]
        if math.isinf(limit) and math.isinf(tolerance):
            size = sum(end - start for start, end in pieces)
            return size, sum(self._highlighted_in(document, *piece) for piece in pieces)
        offsets = np.concatenate([np.arange(*piece) for piece in pieces] or [np.arange(0)])
        offsets = offsets[: int(min(limit, len(offsets)))]
        before = self._highlighted_before.get(document, np.zeros(1, dtype=np.int64))
        last = len(before) - 1
        relevant = before[np.minimum(offsets + 1, last)] - before[np.minimum(offsets, last)]
        if not math.isinf(tolerance):
            irrelevant = np.cumsum(1 - relevant)
            relevant = relevant[: int(np.searchsorted(irrelevant, tolerance)) + 1]
        return len(relevant), int(relevant.sum())


def _counts(spans: Spans) -> Ints:
    inside = np.zeros(max(end for _, end in spans) + 1, dtype=np.int64)
    for start, end in spans:
        inside[start + 1 : end + 1] = 1
    return np.cumsum(inside)
