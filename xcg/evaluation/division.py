"""Divide the work of an evaluation into pieces: some of the runs, for some of the topics."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from heapq import heapify, heapreplace
from itertools import accumulate, pairwise
from math import ceil
from typing import NamedTuple

_REPEATED = 0.3
"""The share of the work for a run that each piece with some of its topics repeats: reading its file."""
_TOLERANCE = 1.1
"""Fewer pieces are preferred if the work takes at most this multiple of the shortest time."""


class Piece(NamedTuple):
    """A part of the work.

    Attributes:
        runs: Positions of the runs.
        topics: Positions of the topics.
    """

    runs: range
    topics: range


def divide(run_sizes: Sequence[float], topic_count: int, workers: int) -> list[Piece]:
    """Divide runs and topics into pieces that keep all workers busy for about the same time.

    Runs are divided if there are enough of them, because each piece with some of the topics reads whole
    run files. Runs of unequal size give more pieces than workers.

    Args:
        run_sizes: The size of each run, in any unit.
        topic_count: Number of topics.
        workers: Number of pieces that are done at the same time.

    Returns:
        Pieces in the order of the runs and then of the topics; together, they are all the work.

    >>> [(list(runs), list(topics)) for runs, topics in divide([5, 5, 5, 5], 2, 2)]
    [([0, 1], [0, 1]), ([2, 3], [0, 1])]
    >>> [(list(runs), list(topics)) for runs, topics in divide([5], 4, 2)]
    [([0], [0, 1]), ([0], [2, 3])]
    """
    sizes = [max(1.0, size) for size in run_sizes]
    run_parts = sorted({min(len(sizes), parts) for parts in (1, workers, 2 * workers, 4 * workers)})
    divisions = []
    for parts in run_parts:
        for pieces in {parts, workers, 2 * workers}:
            topic_parts = min(max(1, topic_count), ceil(pieces / parts))
            divisions.append(_division(sizes, topic_count, parts, topic_parts))
    times = [_time(pieces, sizes, topic_count, workers) for pieces in divisions]
    longest = _TOLERANCE * min(times)
    good = [pieces for pieces, time in zip(divisions, times, strict=True) if time <= longest]
    return min(good, key=len)


def _division(
    sizes: Sequence[float], topic_count: int, run_parts: int, topic_parts: int
) -> list[Piece]:
    topics = [topic_count * number // topic_parts for number in range(topic_parts + 1)]
    return [
        Piece(range(*run_bounds), range(*topic_bounds))
        for run_bounds in pairwise(_balanced(sizes, run_parts))
        for topic_bounds in pairwise(topics)
    ]


def _balanced(sizes: Sequence[float], parts: int) -> list[int]:
    """Return the bounds of consecutive parts, none empty, of about the same total size."""
    sums = list(accumulate(sizes, initial=0.0))
    bounds = [0]
    for number in range(1, parts):
        wanted = sums[-1] * number / parts
        after = bisect(sums, wanted)
        nearest = after if sums[after] - wanted < wanted - sums[after - 1] else after - 1
        bounds.append(min(max(nearest, bounds[-1] + 1), len(sizes) - parts + number))
    return [*bounds, len(sizes)]


def _time(pieces: Sequence[Piece], sizes: Sequence[float], topic_count: int, workers: int) -> float:
    """Return when the last worker has finished, if each takes the next piece as soon as it is free."""
    ends = [0.0] * min(workers, len(pieces))
    heapify(ends)
    for runs, topics in pieces:
        share = len(topics) / topic_count if topic_count else 1.0
        work = sum(sizes[runs.start : runs.stop]) * (_REPEATED + (1 - _REPEATED) * share)
        heapreplace(ends, ends[0] + work)
    return max(ends)
