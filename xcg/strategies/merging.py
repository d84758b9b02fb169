"""The strategy ``merge_adjacent``: join neighbouring passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import Annotated

from xcg.documents.corpus import Corpus
from xcg.registry import Between
from xcg.runs.run import AnySpan, Ranking
from xcg.strategies.extents import NOTHING, Extent, character_spans, positions_by_document
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
    is_kept = bytearray(b"\1" * len(ranking))
    for positions in positions_by_document(ranking).values():
        known = character_spans(ranking, positions, corpus)
        for index, span in enumerate(known):
            if span is not None:
                spans[positions[index]], paths[positions[index]] = span, ""
        for span, group in _groups(known, gap):
            merged = [positions[index] for index in group]
            position = min(merged)
            spans[position] = span
            for other in merged:
                is_kept[other] = other == position
            if keys is not None:
                keys[position] = best([keys[other] for other in merged])
            if parents is not None and len({parents.get(other) for other in merged}) > 1:
                parents.pop(position, None)
    rewritten = replace(ranking, paths=paths, spans=spans, keys=keys, parents=parents)
    return rewritten.select(list(compress(range(len(ranking)), is_kept)))


def _groups(spans: Sequence[Extent | None], gap: int) -> Iterator[tuple[Extent, list[int]]]:
    """Yield each span that several results become, and the indices of these results."""
    starts, ends = zip(*(span or NOTHING for span in spans), strict=True)
    group: list[int] = []
    last = 0
    for index in sorted(range(len(spans)), key=starts.__getitem__):
        if starts[index] == ends[index]:
            continue  # it has no characters that could overlap with others or be close to them
        if group and starts[index] - last > gap:
            if len(group) > 1:
                yield (starts[group[0]], last), group
            group = []
        last = max(last, ends[index]) if group else ends[index]
        group.append(index)
    if len(group) > 1:
        yield (starts[group[0]], last), group
