"""The strategy ``merge_adjacent``: join neighbouring passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from xcg.documents.corpus import Corpus
from xcg.registry import Between
from xcg.runs.run import AnySpan, Ranking
from xcg.strategies.extents import Extent, character_spans, positions_by_document
from xcg.strategies.registry import STRATEGIES


@STRATEGIES.register("merge_adjacent")
def merge_adjacent(
    ranking: Ranking, corpus: Corpus | None = None, *, gap: Annotated[int, Between(0)] = 0
) -> Ranking:
    """Merge the spans of a document that overlap or are close to each other.

    Spans that overlap or are at most ``gap`` characters apart become one span, at their best rank and
    with their best score. Elements become spans, also those that are not merged. A result that does not
    exist or whose text is unknown stays as it is.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if results are elements.
        gap: Maximum number of characters between the spans.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.

    >>> from xcg import Run
    >>> results = {"d#20:10": 0.9, "e#0:5": 0.8, "d#0:12": 0.7, "d#35:5": 0.6}
    >>> merged = merge_adjacent(Run.of("bm25", {"1": results}).rankings["1"], gap=5)
    >>> list(merged), merged.spans
    ([('d', ''), ('e', ''), ('d', '')], {0: (20, 40), 1: (0, 5), 2: (0, 12)})
    """
    spans: dict[int, AnySpan] = dict(ranking.spans)
    paths = list(ranking.paths)
    keys = None if ranking.keys is None else list(ranking.keys)
    parents = None if ranking.parents is None else dict(ranking.parents)
    best = max if ranking.has_scores else min
    dropped: set[int] = set()
    for positions in positions_by_document(ranking).values():
        known = zip(positions, character_spans(ranking, positions, corpus), strict=True)
        text = [(span, position) for position, span in known if span is not None]
        for (start, end), merged in _groups(text, gap):
            position = min(merged)
            spans[position], paths[position] = (start, end), ""
            dropped.update(merged)
            dropped.remove(position)
            if keys is not None:
                keys[position] = best(keys[other] for other in merged)
            if parents is not None and len({parents.get(other) for other in merged}) > 1:
                parents.pop(position, None)
    rewritten = replace(ranking, paths=paths, spans=spans, keys=keys, parents=parents)
    if not dropped:
        return rewritten
    return rewritten.select([position for position in range(len(ranking)) if position not in dropped])


def _groups(text: Sequence[tuple[Extent, int]], gap: int) -> list[tuple[Extent, list[int]]]:
    """Return the merged spans, each with the positions of its results."""
    # An empty span has no characters that could overlap with others or be close to them.
    groups = [(span, [position]) for span, position in text if span[0] == span[1]]
    first = last = -1
    merged: list[int] = []
    for (start, end), position in sorted(text):
        if start == end:
            continue
        if merged and start - last <= gap:
            merged.append(position)
            last = max(last, end)
            continue
        if merged:
            groups.append(((first, last), merged))
        first, last, merged = start, end, [position]
    return [*groups, ((first, last), merged)] if merged else groups
