"""Find the results of a ranking that overlap with other results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.runs.run import UNKNOWN_SPAN, AnySpan, Ranking


def overlapping_results(ranking: Ranking) -> Sequence[bool]:
    """Return for every result whether it contains, is inside or repeats another one of the ranking.

    Passages without known text overlap with nothing.

    The proportion of such results is the overlap of a run (Kazai and Lalmas 2006, section 6.3).
    Elements are compared with elements, and passages by offset with passages by offset.

    >>> from xcg.runs.run import Run
    >>> ranking = Run.of("r", {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]}).rankings["1"]
    >>> overlapping_results(ranking)
    [True, True, False]
    """
    overlaps = [False] * len(ranking)
    comparable: dict[tuple[str, type], list[tuple[Any, Any, int]]] = {}
    for index, (file, path) in enumerate(ranking):
        start, end = _extent(path, ranking.spans.get(index))
        if start != end:
            comparable.setdefault((file, type(start)), []).append((start, end, index))
    for extents in comparable.values():
        extents.sort(key=lambda extent: extent[1], reverse=True)
        extents.sort(key=lambda extent: extent[0])  # of those with the same start, the longer first
        ends = [end for _, end, _ in extents]
        for (_, end, index), largest in zip(extents[1:], accumulate(ends, max), strict=False):
            overlaps[index] |= end <= largest  # it is inside an earlier one
        for (_, end, index), smallest in zip(
            extents[-2::-1], accumulate(ends[::-1], min), strict=False
        ):
            overlaps[index] |= smallest <= end  # it contains a later one
    return overlaps


def _extent(path: str, span: AnySpan | None) -> tuple[Any, Any]:
    """Return the start and the end of a result, equal if it has no text."""
    if isinstance(span, Passage) or not (span or path):
        return (str(span),), (str(span), "")  # contains only itself
    if span is not None:
        return (0, 0) if span == UNKNOWN_SPAN else span
    # Paths end with a bracket, and those inside go on with a slash, which "0" follows.
    return path, "0" if path == WHOLE else f"{path}0"
