"""The text of a document that was read so far."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Generic, TypeVar

Place = TypeVar("Place", int, float)
"""Characters are whole numbers; in words or tokens there are places in between."""


class Covered(Generic[Place]):
    """A growing part of a document's text, kept as disjoint intervals in order.

    >>> read: Covered[int] = Covered()
    >>> read.add(10, 20), read.add(15, 30)
    ([(10, 20)], [(20, 30)])
    >>> read.split(5, 15)
    [(5, 10, False), (10, 15, True)]
    """

    def __init__(self) -> None:
        self._starts: list[Place] = []
        self._ends: list[Place] = []

    def split(self, start: Place, end: Place) -> list[tuple[Place, Place, bool]]:
        """Return the pieces of an interval in order, each with whether it was covered."""
        pieces = []
        place = start
        index = bisect_right(self._ends, start)
        while place < end and index < len(self._starts) and self._starts[index] < end:
            low, high = max(self._starts[index], start), min(self._ends[index], end)
            if place < low:
                pieces.append((place, low, False))
            pieces.append((low, high, True))
            place = high
            index += 1
        if place < end:
            pieces.append((place, end, False))
        return pieces

    def add(self, start: Place, end: Place) -> list[tuple[Place, Place]]:
        """Cover an interval and return the pieces of it that are new."""
        new = [(low, high) for low, high, covered in self.split(start, end) if not covered]
        if new:
            # Neighbours that touch grow together, so that there are never more pieces than needed.
            first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
            if first < last:
                start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
            self._starts[first:last] = [start]
            self._ends[first:last] = [end]
        return new
