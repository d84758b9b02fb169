"""Sets of intervals, for the parts of a text that have been read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Generic, TypeVar

Position = TypeVar("Position", int, float)
"""Positions are integers in characters, and can be fractions in words or tokens."""


class IntervalSet(Generic[Position]):
    """A growing set of positions, stored as disjoint intervals in increasing order.

    >>> read: IntervalSet[int] = IntervalSet()
    >>> read.add(10, 20), read.add(15, 30)
    ([(10, 20)], [(20, 30)])
    >>> read.split(5, 15)
    [(5, 10, False), (10, 15, True)]
    """

    def __init__(self) -> None:
        self._starts: list[Position] = []
        self._ends: list[Position] = []

    def split(self, start: Position, end: Position) -> list[tuple[Position, Position, bool]]:
        """Split an interval where the set's intervals start and end.

        Returns:
            The pieces in order: start, end, and whether the piece is in the set.
        """
        if not self._ends or start >= self._ends[-1]:  # after all intervals
            return [(start, end, False)] if start < end else []
        pieces = []
        position = start
        index = bisect_right(self._ends, start)
        while position < end and index < len(self._starts) and self._starts[index] < end:
            low, high = max(self._starts[index], start), min(self._ends[index], end)
            if position < low:
                pieces.append((position, low, False))
            pieces.append((low, high, True))
            position = high
            index += 1
        if position < end:
            pieces.append((position, end, False))
        return pieces

    def amount(self, start: Position, end: Position) -> Position | int:
        """Return how much of an interval is in the set."""
        return sum(high - low for low, high, known in self.split(start, end) if known)

    def add(self, start: Position, end: Position) -> list[tuple[Position, Position]]:
        """Add an interval and return the pieces of it that are new."""
        new = [(low, high) for low, high, known in self.split(start, end) if not known]
        if new:
            # Intervals that touch are joined, which keeps their number minimal.
            first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
            if first < last:
                start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
            self._starts[first:last] = [start]
            self._ends[first:last] = [end]
        return new
