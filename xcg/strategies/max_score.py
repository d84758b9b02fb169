"""The strategy ``max_score``: the results without overlap that have the greatest sum of scores."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext

from xcg.documents.corpus import Corpus
from xcg.runs.run import Ranking
from xcg.strategies.extents import Extent, extents, positions_by_document
from xcg.strategies.registry import STRATEGIES

_EXACT = Context(prec=1000)  # a sum of 10^300 floats, as they are written, has at most 1,000 digits


@STRATEGIES.register("max_score")
def max_score(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Keep the results of each document that have the greatest sum of scores without overlap.

    Of several such sets, the one with the most results is kept; of these, the one with the earliest
    ranks: of two sets, that with the best rank that only one of them has. Scores are added as the
    decimals that users see, so 0.1 + 0.2 equals 0.3. A result with a negative score is always dropped,
    because its set has a lower sum than the set without it. Results without scores have the scores
    n, n − 1, … 1. Passages without text overlap with nothing.

    The set is found by dynamic programming over the results by their ends (weighted interval
    scheduling), in O(n log n) for n results.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if the results of a document are elements and passages.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.

    >>> from xcg.runs.run import Run
    >>> elements = {"d#/a": 0.6, "d#/a/s[1]": 0.4, "d#/a/s[2]/p[1]": 0.1, "d#/a/s[2]/p[2]": 0.1}
    >>> ranking = Run.of("bm25", {"1": elements | {"e#0:9": 0.7, "e#5:9": 0.9}}).rankings["1"]
    >>> list(zip(max_score(ranking), max_score(ranking).keys))[:2]
    [(('e', ''), 0.9), (('d', '/a[1]/s[1]'), 0.4)]
    >>> max_score(ranking).paths[2:]
    ['/a[1]/s[2]/p[1]', '/a[1]/s[2]/p[2]']
    """
    scores = ranking.scores
    kept: list[int] = []
    with localcontext(_EXACT):
        for positions in positions_by_document(ranking).values():
            spans = extents(ranking, positions, corpus)
            for group in _overlapping_groups(spans):
                if len(group) > 1:
                    kept += _best_set(group, spans, positions, scores)
                elif scores[positions[group[0]]] >= 0:
                    kept.append(positions[group[0]])
    return ranking if len(kept) == len(ranking) else ranking.select(sorted(kept))


def _overlapping_groups(spans: Sequence[Extent]) -> list[list[int]]:
    """Return the numbers of the spans in groups, so that spans of different groups do not overlap."""
    starts = [start for start, _ in spans]
    groups: list[list[int]] = []
    without_text = []
    last = -1
    for number in sorted(range(len(spans)), key=starts.__getitem__):
        start, end = spans[number]
        if start == end:
            without_text.append([number])
        elif start < last:
            groups[-1].append(number)
            last = max(last, end)
        else:
            groups.append([number])
            last = end
    return groups + without_text


def _best_set(
    group: list[int], spans: Sequence[Extent], positions: Sequence[int], scores: Sequence[float]
) -> Iterator[int]:
    """Yield the positions of the best set of a group."""
    group.sort(key=lambda number: spans[number][1])
    ends = [spans[number][1] for number in group]
    sets = _Sets()
    best = [0]  # the best set of the first n results
    for count, number in enumerate(group):
        before = bisect_right(ends, spans[number][0], 0, count)
        added = sets.add(best[before], positions[number], scores[positions[number]])
        best.append(sets.better(best[count], added))
    yield from sets.ranks(best[-1])


class _Sets:
    """Sets of results, each of which adds one result to an earlier set. Set 0 is empty.

    The sets are a tree, and each has a jump to a smaller set above it. The length of the jump depends
    only on the size of the set, so two sets of equal size are compared in O(log n) steps (Myers 1983,
    "An applicative random-access stack").
    """

    def __init__(self) -> None:
        self._sums: list[Decimal | int] = [0]
        self._sizes = [0]
        self._smaller = [0]  # the set without the last result
        self._ranks = [-1]  # the rank of the last result
        self._jumps = [0]
        self._best_ranks = [-1]  # the best rank among the results that the jump removes

    def add(self, smaller: int, rank: int, score: float) -> int:
        """Return a new set, which adds a result to a smaller set."""
        jump = self._jumps[smaller]
        sizes, jumps = self._sizes, self._jumps
        if sizes[smaller] - sizes[jump] == sizes[jump] - sizes[jumps[jump]] and jump != smaller:
            self._best_ranks.append(min(rank, self._best_ranks[smaller], self._best_ranks[jump]))
            jumps.append(jumps[jump])
        else:
            self._best_ranks.append(rank)
            jumps.append(smaller)
        exact = score if isinstance(score, int) else Decimal(repr(float(score)))
        self._sums.append(self._sums[smaller] + exact)
        sizes.append(sizes[smaller] + 1)
        self._smaller.append(smaller)
        self._ranks.append(rank)
        return len(sizes) - 1

    def better(self, one: int, other: int) -> int:
        """Return the set with the greater sum, then with more results, then with earlier ranks."""
        sums = self._sums[one], self._sums[other]
        if sums[0] != sums[1]:
            return one if sums[0] > sums[1] else other
        if self._sizes[one] != self._sizes[other]:
            return one if self._sizes[one] > self._sizes[other] else other
        a, b, best_a, best_b = one, other, math.inf, math.inf
        while a != b:  # two sets of equal size have jumps of equal length
            if self._jumps[a] != self._jumps[b]:
                best_a, best_b = min(best_a, self._best_ranks[a]), min(best_b, self._best_ranks[b])
                a, b = self._jumps[a], self._jumps[b]
            else:
                best_a, best_b = min(best_a, self._ranks[a]), min(best_b, self._ranks[b])
                a, b = self._smaller[a], self._smaller[b]
        return one if best_a < best_b else other

    def ranks(self, number: int) -> Iterator[int]:
        """Yield the ranks of the results of a set."""
        while number:
            yield self._ranks[number]
            number = self._smaller[number]
