"""Compute how much text of elements is in passages, and the highest value of these passages.

Time and memory grow with the numbers of elements and passages, and not with their product: the ends of
the passages divide the text into segments, and every element is a range of segments.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

from xcg.documents.tree import Ints
from xcg.lazy_modules import np, npt

Floats: TypeAlias = "npt.NDArray[np.float64]"


class CoveredText:
    """The text of elements that is in passages; passages may overlap.

    Args:
        elements: First character of each element, and first character after it.
        passages: The same for the passages, which are not empty.

    Attributes:
        characters: Number of characters of each element that are in passages.

    >>> text = CoveredText(([0, 5, 12], [5, 30, 20]), ([0, 4, 20], [10, 6, 22]))
    >>> text.characters.tolist(), text.highest([1, 2, 1]).tolist()
    ([5, 7, 0], [2.0, 2.0, 0.0])
    """

    def __init__(
        self,
        elements: tuple[npt.ArrayLike, npt.ArrayLike],
        passages: tuple[npt.ArrayLike, npt.ArrayLike],
    ) -> None:
        self._starts, self._stops = (np.asarray(offsets, dtype=np.int64) for offsets in elements)
        first, last = (np.asarray(offsets, dtype=np.int64) for offsets in passages)
        self._bounds = np.unique(np.concatenate([first, last]))
        self._first, self._last = self._bounds.searchsorted(first), self._bounds.searchsorted(last)
        self.characters = self._count_before(self._stops) - self._count_before(self._starts)

    def _count_before(self, offsets: Ints) -> Ints:
        """Return how many characters before each offset are in passages."""
        if not len(self._bounds):
            return np.zeros(len(offsets), dtype=np.int64)
        known = np.maximum(offsets, self._bounds[0])
        segments = self._bounds.searchsorted(known, side="right") - 1
        is_covered, before = self._segments
        inside = (known - self._bounds[segments]) * is_covered[segments]
        return np.asarray(before[segments] + inside)

    @cached_property
    def _segments(self) -> tuple[npt.NDArray[np.bool_], Ints]:
        """Whether each segment is in passages, and how many characters before it are."""
        count = len(self._bounds)
        begun = np.bincount(self._first, minlength=count) - np.bincount(self._last, minlength=count)
        is_covered = begun.cumsum() > 0
        sizes = np.zeros(count, dtype=np.int64)
        sizes[1:] = np.diff(self._bounds) * is_covered[:-1]
        return is_covered, sizes.cumsum()

    def highest(self, values: npt.ArrayLike) -> Floats:
        """Return the highest value of the passages that share text with each element.

        Args:
            values: The value of each passage, above 0.

        Returns:
            The highest values; 0 for elements without text in passages.
        """
        grades = np.asarray(values, dtype=np.float64)
        if not len(grades) or (grades == grades[0]).all():
            return np.where(self.characters > 0, grades[0] if len(grades) else 0.0, 0.0)
        segments = _RangeMaxima(len(self._bounds) - 1)
        segments.raise_to(self._first, self._last, grades)
        first = self._bounds.searchsorted(self._starts, side="right") - 1
        last = self._bounds.searchsorted(self._stops, side="left")
        last[self._starts >= self._stops] = 0
        return segments.maxima(np.maximum(first, 0), np.minimum(last, len(self._bounds) - 1))


class _RangeMaxima:
    """Numbers, initially 0, with fast updates and maxima of ranges.

    Both operations use a sparse table, in which a range is the union of two ranges whose length is a
    power of two.
    """

    def __init__(self, count: int) -> None:
        self._levels = [np.zeros(count)]
        while 2 ** len(self._levels) <= count:
            self._levels.append(np.zeros(count - 2 ** len(self._levels) + 1))

    def raise_to(self, first: Ints, last: Ints, values: Floats) -> None:
        """Raise the numbers in each range, from first to last - 1, to at least its value."""
        for level, chosen in self._by_level(first, last):
            table = self._levels[level]
            np.maximum.at(table, first[chosen], values[chosen])
            np.maximum.at(table, last[chosen] - 2**level, values[chosen])
        for level in range(len(self._levels) - 1, 0, -1):
            above, below, half = self._levels[level], self._levels[level - 1], 2 ** (level - 1)
            for part in (below[: len(above)], below[half : half + len(above)]):
                np.maximum(part, above, out=part)
        for level in range(1, len(self._levels)):
            below, half = self._levels[level - 1], 2 ** (level - 1)
            self._levels[level] = np.maximum(below[:-half], below[half:])

    def maxima(self, first: Ints, last: Ints) -> Floats:
        """Return the highest number in each range, from first to last - 1; 0 for an empty range."""
        found = np.zeros(len(first))
        for level, chosen in self._by_level(first, last):
            table = self._levels[level]
            found[chosen] = np.maximum(table[first[chosen]], table[last[chosen] - 2**level])
        return found

    def _by_level(self, first: Ints, last: Ints) -> list[tuple[int, Ints]]:
        """Group the indices of the ranges by the largest power of two up to their length."""
        lengths = last - first
        levels = np.frexp(lengths)[1] - 1  # -1 for empty ranges
        return [
            (level, np.flatnonzero((levels == level) & (lengths > 0)))
            for level in range(len(self._levels))
        ]
