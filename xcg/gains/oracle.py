"""Order results by gain with the assessments known: the greedy reference of overlap strategies.

At every rank, the result with the greatest gain is taken. A result changes only the gains of results
from the same document, and mostly lowers them. So gains are kept as upper bounds in a heap, and only
the gain of the first result in the heap is computed again. If it is still the first, it is taken.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

from xcg.errors import XcgError
from xcg.gains.reader import Reader

Result = TypeVar("Result", bound=Hashable)

MAX_STEPS = 2_000_000
"""The maximum number of elements or pieces of text that are compared to order one ranking by gain."""

_BITS = 40
"""Gains that are equal in this many binary digits are ties: their difference is a rounding error."""


def order_by_gain(
    results: Sequence[tuple[str, Result] | None], readers: Mapping[str, Reader[Result]]
) -> list[int]:
    """Return the positions of results in the order of an oracle.

    Each rank takes the result with the greatest gain at that moment; ties are broken by position. So
    results without gain follow in their order.

    Args:
        results: The document of each result, and the result as the document's reader names it; None for
            a result that neither gains nor changes the gain of another one.
        readers: Document → its reader, which has read nothing. The readers read all results.

    Raises:
        XcgError: If more than :data:`MAX_STEPS` elements or pieces of text are compared.

    >>> from xcg.gains.span_reader import GoldSpan, SpanReader
    >>> from xcg.user_model.relevance_value import RelevanceValue
    >>> reader = SpanReader([GoldSpan(0, 10, 1.0)], RelevanceValue(alpha=1.0))
    >>> order_by_gain([("d", (0, 4)), None, ("d", (0, 9)), ("d", (4, 10))], {"d": reader})
    [2, 3, 0, 1]
    """
    waiting = _WaitingResults(results, readers)
    return [waiting.take_best() for _ in results]


class _WaitingResults(Generic[Result]):
    """The results of a ranking that have no rank yet."""

    def __init__(
        self, results: Sequence[tuple[str, Result] | None], readers: Mapping[str, Reader[Result]]
    ) -> None:
        self._results = results
        self._readers = readers
        self._steps = 0
        # Of equal results, the first is always taken first, so that only one is in the heap.
        self._positions: dict[tuple[str, Result], list[int]] = {}
        for position in range(len(results) - 1, -1, -1):
            result = results[position]
            if result is not None:
                self._positions.setdefault(result, []).append(position)
        self._bounds = {result: self._gain(*result) for result in self._positions}
        self._heap = [(-bound, self._positions[result][-1]) for result, bound in self._bounds.items()]
        self._heap += [(0.0, position) for position, result in enumerate(results) if result is None]
        heapq.heapify(self._heap)

    def take_best(self) -> int:
        """Read the result with the greatest gain and return its position."""
        while True:
            negative, position = heapq.heappop(self._heap)
            result = self._results[position]
            if result is None:
                return position
            positions = self._positions.get(result)
            if not positions or positions[-1] != position or self._bounds[result] != -negative:
                continue  # it was taken, or has another bound by now
            if negative:
                gain = self._gain(*result)
                if gain < -negative:
                    self._add(result, gain)
                    continue
            self._take(result)
            return position

    def _take(self, result: tuple[str, Result]) -> None:
        file, part = result
        reader, positions = self._readers[file], self._positions[result]
        before = reader.steps
        reader.read(part)
        raised = [(file, other) for other in reader.raised_by(part)]
        self._count(reader.steps - before)
        positions.pop()
        if positions:
            self._add(result, self._gain(file, part))
        else:
            del self._positions[result]
        for other in raised:
            if other in self._positions and other != result:
                gain = self._gain(*other)
                if gain > self._bounds[other]:
                    self._add(other, gain)

    def _add(self, result: tuple[str, Result], bound: float) -> None:
        self._bounds[result] = bound
        heapq.heappush(self._heap, (-bound, self._positions[result][-1]))

    def _gain(self, file: str, part: Result) -> float:
        reader = self._readers[file]
        before = reader.steps
        gain = _without_rounding_error(reader.gain_of(part))
        self._count(reader.steps - before)
        return gain

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise XcgError(
                f"needs more than {MAX_STEPS:,} comparisons of elements or pieces of text: expected "
                "fewer results from one document"
            )


def _without_rounding_error(gain: float) -> float:
    mantissa, exponent = math.frexp(gain)
    return math.ldexp(round(math.ldexp(mantissa, _BITS)), exponent - _BITS)
