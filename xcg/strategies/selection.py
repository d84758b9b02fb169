"""Strategies that keep some of the results of a ranking, such as ``unique`` and ``top_ranked``."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress
from typing import Literal

from xcg.documents.corpus import Corpus
from xcg.documents.paths import WHOLE
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.extents import Extent, extents, has_passages, positions_by_document
from xcg.strategies.registry import STRATEGIES

_LONG_PATH = 200
"""The number of characters from which a path is so long that its ancestors are not kept in memory."""


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
        if len(positions) == 1:
            continue
        longest = max(len(ranking.paths[position]) for position in positions)
        if longest > _LONG_PATH or has_passages(ranking, positions):
            _drop_overlapping_spans(positions, extents(ranking, positions, corpus), kept)
        else:
            _drop_overlapping_elements(positions, ranking.paths, kept)
    return _kept(ranking, kept)


def _drop_overlapping_spans(positions: Sequence[int], spans: Sequence[Extent], kept: bytearray) -> None:
    # Characters between neighbouring starts and ends are one cell, so long passages cost no more.
    cells = {end: cell for cell, end in enumerate(sorted({end for span in spans for end in span}))}
    occupied = bytearray(len(cells))
    for position, (start, end) in zip(positions, spans, strict=True):
        first, last = cells[start], cells[end]
        if occupied.find(1, first, last) < 0:
            occupied[first:last] = b"\1" * (last - first)
        else:
            kept[position] = False


def _drop_overlapping_elements(positions: Sequence[int], paths: Sequence[str], kept: bytearray) -> None:
    """Drop results that overlap; faster than by extents, because nothing is sorted.

    All ancestors of the results are kept in memory, which is too much if paths are long.
    """
    inside = {"": False}  # element → whether it is in a kept result; else it contains kept results
    for position in positions:
        path = paths[position]
        if path in inside:
            kept[position] = not path  # an illegal path overlaps with nothing
            continue
        above = path[: path.rfind("/")]
        overlaps = inside.get(above)
        if path == WHOLE:
            overlaps = overlaps or len(inside) > 1
            inside[""] = not overlaps
        elif overlaps is None:
            unknown = []
            while overlaps is None:
                unknown.append(above)
                above = above[: above.rfind("/")]
                overlaps = inside.get(above)
            for element in unknown:
                inside[element] = overlaps
        inside[path] = True
        if overlaps:
            kept[position] = False


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
        if len(positions) == 1:
            continue
        first = _first_with_extent(ranking, positions, corpus, kept)
        outer: list[Extent] = []
        for extent in _by_start(first):
            if outer and extent[1] <= outer[-1][1]:
                kept[first[extent]] = False
            else:
                outer.append(extent)
        if rank == "best":
            best_ranks.update(_best_ranks(outer, first))
    if not best_ranks:
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
        if len(positions) == 1:
            continue
        first = _first_with_extent(ranking, positions, corpus, kept)
        earliest_end = math.inf
        for extent in reversed(_by_start(first)):
            if earliest_end <= extent[1]:
                kept[first[extent]] = False
            else:
                earliest_end = extent[1]
    return _kept(ranking, kept)


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
    width = max((end for _, end in spans), default=0) + 1
    return sorted(spans, key=lambda span: span[0] * width - span[1])


def _best_ranks(outer: Sequence[Extent], first: Mapping[Extent, int]) -> Iterator[tuple[int, int]]:
    """Yield the position of each outer extent and the first position of an extent inside it.

    Args:
        outer: Extents of which none contains another, by start, and so also by end.
        first: Extent → its position, in rank order.
    """
    starts, ends = [start for start, _ in outer], [end for _, end in outer]
    # The outer extents around an extent are neighbours. Each is decided by the first extent inside it;
    # following undecided[i] leads from i to the next outer extent that is not decided yet.
    undecided = list(range(len(outer) + 1))
    for extent, position in first.items():
        index = bisect_left(ends, extent[1])
        last = bisect_right(starts, extent[0])
        while True:
            while undecided[index] != index:
                undecided[index] = index = undecided[undecided[index]]
            if index >= last:
                break
            yield first[outer[index]], position
            undecided[index] = index + 1


def _kept(ranking: Ranking, kept: bytearray) -> Ranking:
    """Return the results whose byte is not 0; the ranking itself if these are all."""
    return ranking if all(kept) else ranking.select(list(compress(range(len(ranking)), kept)))
