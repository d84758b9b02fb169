"""The strategy ``controlled``: lower the scores of results that overlap earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Annotated

from xcg.documents.corpus import Corpus
from xcg.documents.intervals import IntervalSet
from xcg.errors import XcgError
from xcg.registry import Between
from xcg.runs.run import Ranking
from xcg.strategies.extents import (
    NOTHING,
    Extent,
    character_spans,
    extents,
    limited_groups,
    positions_by_document,
)
from xcg.strategies.registry import STRATEGIES


@STRATEGIES.register("controlled", references=("clarke-2005",))
def controlled(
    ranking: Ranking,
    corpus: Corpus | None = None,
    *,
    ancestor: Annotated[float, Between(0, 1)] = 1,
    descendant: Annotated[float, Between(0, 1)] = 1,
) -> Ranking:
    """Order results by scores that fall when overlapping results come first.

    Repeatedly output the result with the greatest adjusted score (ties: the earlier rank). Then
    multiply the adjusted score of each remaining result that contains it by
    1 − ancestor · (characters of that result already output / all its characters), and of each
    remaining result inside it by 1 − descendant. Results whose adjusted score is 0 are dropped.
    A result without characters counts as already output.

    Source: Clarke 2005, Controlling overlap in content-oriented XML retrieval.

    Args:
        ranking: The results of one topic. Their scores must not be negative.
        corpus: The documents, if ``ancestor`` is not 0 and elements contain others.
        ancestor: Weight of the part of a result that was already output.
        descendant: Weight of an output result for the results inside it.

    Returns:
        The ranking with the adjusted scores.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.
        InputError: If more than 20,000 results of a document overlap.
        XcgError: If a score is negative.

    >>> from xcg import Run
    >>> scored = {"d#0:10": 0.8, "d#0:40": 0.6, "d#40:9": 0.5}
    >>> reranked = controlled(Run.of("bm25", {"1": scored}).rankings["1"], ancestor=0.5)
    >>> [(reranked.spans[n], round(reranked.scores[n], 3)) for n in range(3)]
    [((0, 10), 0.8), ((0, 40), 0.525), ((40, 49), 0.5)]
    """
    scores = [float(score) for score in ranking.scores]
    if scores and min(scores) < 0:
        raise XcgError(
            f"a score is {min(scores)}: expected scores from 0, because the strategy multiplies them; "
            "add a constant to all scores, or leave them out to use ranks"
        )
    for file, positions in positions_by_document(ranking).items() if ancestor or descendant else ():
        spans = extents(ranking, positions, corpus)
        find_text = cache(partial(character_spans, ranking, positions, corpus))
        for group in limited_groups(file, spans):
            adjusted = {number: scores[positions[number]] for number in sorted(group)}
            _adjust(adjusted, spans, find_text, ancestor, descendant)
            for number, score in adjusted.items():
                scores[positions[number]] = score
    # In a document, adjusted scores never increase from one output result to the next, and equal ones
    # are output by rank. So sorting merges the documents.
    kept = [position for position, score in enumerate(scores) if score]
    order = sorted(kept, key=scores.__getitem__, reverse=True)
    keys = [scores[position] for position in order]
    return replace(ranking.select(order), keys=keys, has_scores=True)


def _adjust(
    scores: dict[int, float],
    spans: Sequence[Extent],
    find_text: Callable[[], Sequence[Extent | None]],
    ancestor: float,
    descendant: float,
) -> None:
    """Replace the scores of results of a document by those with which they are output.

    Args:
        scores: Result → score, in rank order.
        spans: The extent of each result. Of equal ones, the earlier rank contains the later.
        find_text: Returns the characters of each result. It is called only if they are needed, because
            it may need the document.
        ancestor: As in :func:`controlled`.
        descendant: As in :func:`controlled`.
    """
    remaining = list(scores)
    output: list[int] = []
    read: IntervalSet[int] = IntervalSet()
    while remaining:
        best = max(remaining, key=scores.__getitem__)
        if not scores[best]:
            return
        remaining.remove(best)
        output.append(best)
        start, end = spans[best]
        for other in remaining:
            first, last = spans[other]
            if start <= first and last <= end and (spans[other] != spans[best] or best < other):
                scores[other] *= 1 - descendant
            elif first <= start and end <= last and ancestor and scores[other]:
                text = find_text()
                while output:
                    read.add(*(text[output.pop()] or NOTHING))
                scores[other] *= 1 - ancestor * _share(read, text[other])


def _share(read: IntervalSet[int], span: Extent | None) -> float:
    """Return the share of a result that was output: 1 without characters, 0 if it does not exist."""
    if span is None:
        return 0.0
    start, end = span
    return read.amount(start, end) / (end - start) if start < end else 1.0
