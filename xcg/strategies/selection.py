"""Strategies that keep some of the results of a ranking, such as ``unique`` and ``top_ranked``."""

from __future__ import annotations

from itertools import compress

from xcg.documents.corpus import Corpus
from xcg.documents.paths import WHOLE
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.extents import extents, positions_by_document
from xcg.strategies.registry import STRATEGIES


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
        spans = extents(ranking, positions, corpus)
        # Characters between neighbouring starts and ends are one cell, so long passages cost no more.
        cells = {end: cell for cell, end in enumerate(sorted({end for span in spans for end in span}))}
        occupied = bytearray(len(cells))
        for position, (start, end) in zip(positions, spans, strict=True):
            first, last = cells[start], cells[end]
            if occupied.find(1, first, last) < 0:
                occupied[first:last] = b"\1" * (last - first)
            else:
                kept[position] = False
    return _kept(ranking, kept)


def _kept(ranking: Ranking, kept: bytearray) -> Ranking:
    """Return the results whose byte is not 0; the ranking itself if these are all."""
    return ranking if all(kept) else ranking.select(list(compress(range(len(ranking)), kept)))
