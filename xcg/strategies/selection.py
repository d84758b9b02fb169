"""Strategies that keep some of the results of a ranking, such as ``unique`` and ``top_ranked``."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from decimal import Context, Decimal, localcontext
from itertools import compress
from typing import Literal

from xcg.documents.corpus import Corpus
from xcg.documents.paths import WHOLE
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.extents import Extent, extents, limited_groups, positions_by_document
from xcg.strategies.registry import STRATEGIES

_EXACT = Context(prec=1000)  # a sum of 10^300 floats, as they are written, has at most 1,000 digits


@STRATEGIES.register("thorough")
def thorough(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Return every result at its rank, overlapping or not."""
    return ranking


@STRATEGIES.register("unique")
def unique(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Drop each result that names the same element or span as an earlier one.

    The root element and the whole document are the same. A result with an unknown span or an illegal
    path names nothing and is kept.

    Args:
        ranking: The results of one topic.
        corpus: The documents; not used.

    >>> from xcg.runs.run import Run
    >>> results = ["d#/a/s[2]", "d", "d#0:9", "d#/a/s[2]", "d#/a", "e#0:9", "d#0:9"]
    >>> kept = unique(Run.of("bm25", {"1": results}).rankings["1"])
    >>> list(kept), kept.spans
    ([('d', '/a[1]/s[2]'), ('d', '/'), ('d', ''), ('e', '')], {2: (0, 9), 3: (0, 9)})
    """
    kept = bytearray(b"\1" * len(ranking))
    seen: set[tuple[str, object]] = set()
    roots: dict[str, str] = {}
    for position, (file, path) in enumerate(ranking):
        name: object = path
        if not path:
            name = ranking.spans.get(position, UNKNOWN_SPAN)
            if name == UNKNOWN_SPAN:
                continue
        elif path.count("/") == 1 and path != WHOLE and roots.setdefault(file, path) == path:
            name = WHOLE
        if (file, name) in seen:
            kept[position] = False
        seen.add((file, name))
    return _kept(ranking, kept)


@STRATEGIES.register("top_ranked")
def top_ranked(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Keep each result, from rank 1 downward, that overlaps no kept result.

    This is the usual filter of INEX's Focused task. Of overlapping results, only the first is kept.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if the results of a document are elements and passages.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.

    >>> from xcg.runs.run import Run
    >>> results = ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]", "e#0:9", "d#/a", "e#5:9", "e#9:5"]
    >>> kept = top_ranked(Run.of("bm25", {"1": results}).rankings["1"])
    >>> list(kept), kept.spans
    ([('d', '/a[1]/s[1]/p[1]'), ('d', '/a[1]/s[2]'), ('e', ''), ('e', '')], {2: (0, 9), 3: (9, 14)})
    """
    kept = bytearray(b"\1" * len(ranking))
    for positions in positions_by_document(ranking).values():
        starts: list[int] = []  # of the kept results, which do not overlap
        ends: list[int] = []
        for position, (start, end) in zip(positions, extents(ranking, positions, corpus), strict=True):
            index = bisect_left(starts, end)
            if start == end:
                continue
            if index and ends[index - 1] > start:
                kept[position] = False
            else:
                starts.insert(index, start)
                ends.insert(index, end)
    return _kept(ranking, kept)


@STRATEGIES.register("outermost")
def outermost(
    ranking: Ranking, corpus: Corpus | None = None, *, rank: Literal["own", "best"] = "own"
) -> Ranking:
    """Keep each result that no other result contains.

    Repeated results are dropped first, as by :func:`unique`. Of different results with the same extent,
    the earlier one contains the other. Passages without text are contained in nothing.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if the results of a document are elements and passages.
        rank: ``own`` keeps the order; ``best`` moves each kept result to the best rank among the
            results that it contains. Kept results with the same best rank keep their order.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.

    >>> from xcg.runs.run import Run
    >>> results = ["d#/a/s[1]/p[1]", "d#/a/s[2]", "d#/a/s[1]", "e#4:6", "e#0:9", "e#3:9"]
    >>> ranking = Run.of("bm25", {"1": results}).rankings["1"]
    >>> outermost(ranking).paths, dict(outermost(ranking).spans)
    (['/a[1]/s[2]', '/a[1]/s[1]', '', ''], {2: (0, 9), 3: (3, 12)})
    >>> outermost(ranking, rank="best").paths
    ['/a[1]/s[1]', '/a[1]/s[2]', '', '']
    """
    ranking = unique(ranking)
    kept = bytearray(b"\1" * len(ranking))
    best_ranks: dict[int, int] = {}
    for positions in positions_by_document(ranking).values():
        first = _first_with_extent(ranking, positions, corpus, kept)
        outer: list[Extent] = []
        for extent in _by_start(first):
            if outer and extent[1] <= outer[-1][1]:
                kept[first[extent]] = False
            else:
                outer.append(extent)
        if rank == "best":
            # None contains another, so they are in the order of their ends too, and those around a
            # result are neighbours.
            starts, ends = [start for start, _ in outer], [end for _, end in outer]
            for (start, end), position in first.items():
                for extent in outer[bisect_left(ends, end) : bisect_right(starts, start)]:
                    best_ranks.setdefault(first[extent], position)
    if rank == "own":
        return _kept(ranking, kept)
    order = [position for position in range(len(ranking)) if kept[position]]
    order.sort(key=lambda position: best_ranks.get(position, position))
    return ranking.select(order)


@STRATEGIES.register("innermost")
def innermost(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Keep each result that contains no other result.

    Repeated results are dropped first, as by :func:`unique`. Of different results with the same extent,
    only the first is kept. Passages without text are contained in nothing.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if the results of a document are elements and passages.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.

    >>> from xcg.runs.run import Run
    >>> results = ["d#/a/s[1]", "d#/a/s[1]/p[1]", "d#/a/s[2]", "e#0:9", "e#3:9", "e#4:5"]
    >>> kept = innermost(Run.of("bm25", {"1": results}).rankings["1"])
    >>> kept.paths, dict(kept.spans)
    (['/a[1]/s[1]/p[1]', '/a[1]/s[2]', ''], {2: (4, 9)})
    """
    ranking = unique(ranking)
    kept = bytearray(b"\1" * len(ranking))
    for positions in positions_by_document(ranking).values():
        first = _first_with_extent(ranking, positions, corpus, kept)
        earliest_end = math.inf
        for extent in reversed(_by_start(first)):
            if earliest_end <= extent[1]:
                kept[first[extent]] = False
            else:
                earliest_end = extent[1]
    return _kept(ranking, kept)


@STRATEGIES.register("max_score")
def max_score(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Keep the results of each document that have the greatest sum of scores without overlap.

    Of several such sets, the one with the most results is kept; of these, the one with the earliest
    ranks: of two sets, that with the best rank that only one of them has. Scores are added as the
    decimals that users see, so 0.1 + 0.2 equals 0.3. A result with a negative score is always dropped,
    because its set has a lower sum than the set without it. Results without scores have the scores
    n, n − 1, … 1. Passages without text overlap with nothing.

    The set is found by dynamic programming over the results by their ends (weighted interval
    scheduling).

    Args:
        ranking: The results of one topic.
        corpus: The documents, if the results of a document are elements and passages.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.
        InputError: If more than 20,000 results of a document overlap.

    >>> from xcg.runs.run import Run
    >>> elements = {"d#/a": 0.6, "d#/a/s[1]": 0.4, "d#/a/s[2]/p[1]": 0.1, "d#/a/s[2]/p[2]": 0.1}
    >>> ranking = Run.of("bm25", {"1": elements | {"e#0:9": 0.7, "e#5:9": 0.9}}).rankings["1"]
    >>> list(zip(max_score(ranking), max_score(ranking).keys))[:2]
    [(('e', ''), 0.9), (('d', '/a[1]/s[1]'), 0.4)]
    >>> max_score(ranking).paths[2:]
    ['/a[1]/s[2]/p[1]', '/a[1]/s[2]/p[2]']
    """
    scores = ranking.scores
    kept = bytearray(score >= 0 for score in scores)
    with localcontext(_EXACT):
        for file, positions in positions_by_document(ranking).items():
            spans = extents(ranking, positions, corpus)
            for group in limited_groups(file, spans):
                best = _best_set({number: scores[positions[number]] for number in sorted(group)}, spans)
                for number in group:
                    kept[positions[number]] = number in best
    return _kept(ranking, kept)


def _best_set(scores: Mapping[int, float], spans: Sequence[Extent]) -> set[int]:
    """Return the best set of results of a document.

    Args:
        scores: Result → score, in rank order.
        spans: The extent of each result.
    """
    # A set is a number with a bit for each result, the highest for the first. So of two sets of equal
    # size, the greater number has the earlier ranks.
    bits = {result: bit for bit, result in enumerate(reversed(scores))}
    by_end = sorted(scores, key=lambda result: spans[result][1])
    ends = [spans[result][1] for result in by_end]
    best: list[tuple[Decimal, int, int]] = [(Decimal(0), 0, 0)]  # score, size and set of the first n
    for count, result in enumerate(by_end):
        score, size, others = best[bisect_right(ends, spans[result][0], 0, count)]
        added = score + Decimal(repr(float(scores[result]))), size + 1, others | 1 << bits[result]
        best.append(max(best[-1], added))
    return {result for result in scores if best[-1][2] >> bits[result] & 1}


def _first_with_extent(
    ranking: Ranking, positions: Sequence[int], corpus: Corpus | None, kept: bytearray
) -> dict[Extent, int]:
    """Return extent → position of its first result, without empty extents; drop its other results."""
    first: dict[Extent, int] = {}
    for position, extent in zip(positions, extents(ranking, positions, corpus), strict=True):
        if extent[0] < extent[1] and first.setdefault(extent, position) != position:
            kept[position] = False
    return first


def _by_start(spans: Collection[Extent]) -> list[Extent]:
    """Order extents by their start, those that contain others first."""
    return sorted(spans, key=lambda span: (span[0], -span[1]))


def _kept(ranking: Ranking, kept: bytearray) -> Ranking:
    """Return the results whose byte is not 0; the ranking itself if these are all."""
    return ranking if all(kept) else ranking.select(list(compress(range(len(ranking)), kept)))
