"""Strategies that order results anew: ``controlled`` and ``by_document``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Annotated, Any, Literal

from xcg.documents.corpus import Corpus
from xcg.documents.paths import WHOLE, split_step
from xcg.documents.text_units import IntervalSet
from xcg.errors import MissingSizeError, XcgError
from xcg.registry import Between
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.extents import (
    NOTHING,
    Extent,
    character_spans,
    extents,
    limited_groups,
    positions_by_document,
    root_path,
)
from xcg.strategies.registry import STRATEGIES, single_strategy


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


Step = tuple[str, int]
"""Name and position of an element among its siblings with this name."""


@STRATEGIES.register("by_document")
def by_document(
    ranking: Ranking,
    corpus: Corpus | None = None,
    *,
    order: Literal["text", "rank"] = "text",
    first: str = "top_ranked",
) -> Ranking:
    """Order documents by their best result, and list each document's results in text order.

    These are INEX's in-context tasks (Relevant in Context).

    Text order is document order, an element before its descendants. Passages, and elements of documents
    that also have passages as results, are ordered by their start, the longer first. Results that do
    not exist, and those with an unknown span, follow in rank order.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if ``first`` needs them, or the order of elements is not known from their
            paths: the order of /a/p[1] and /a/fig[1] is in the document.
        order: ``text``, or ``rank`` to list each document's results by rank.
        first: The strategy that is applied first, such as ``thorough`` or ``"controlled(ancestor=0)"``.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.

    >>> from xcg.runs.run import Run
    >>> results = ["d#/a/s[10]", "e#/b/p[2]", "e#/b/p[1]", "d#/a/s[9]", "d#/a"]
    >>> ranking = Run.of("bm25", {"1": results}).rankings["1"]
    >>> by_document(ranking).paths
    ['/a[1]/s[9]', '/a[1]/s[10]', '/b[1]/p[1]', '/b[1]/p[2]']
    >>> by_document(ranking, order="rank", first="thorough").paths
    ['/a[1]/s[10]', '/a[1]/s[9]', '/a[1]', '/b[1]/p[2]', '/b[1]/p[1]']
    """
    ranking = single_strategy(first).function(ranking, corpus)
    listed: list[int] = []
    for positions in positions_by_document(ranking).values():
        listed += positions if order == "rank" else _in_text_order(ranking, positions, corpus)
    return ranking if listed == sorted(listed) else ranking.select(listed)


def _in_text_order(ranking: Ranking, positions: Sequence[int], corpus: Corpus | None) -> Sequence[int]:
    """Return the positions of results of one document in text order."""
    if len(positions) == 1:
        return positions
    if all(ranking.spans.get(position, UNKNOWN_SPAN) == UNKNOWN_SPAN for position in positions):
        keys = _keys_of_elements(ranking, positions, corpus)
    else:
        keys = {
            position: (span[0], -span[1], ranking.paths[position].count("/"))
            for position, span in zip(
                positions, character_spans(ranking, positions, corpus), strict=True
            )
            if span is not None
        }
    known = sorted(keys, key=keys.__getitem__)  # results with equal keys stay in rank order
    return [*known, *(position for position in positions if position not in keys)]


def _keys_of_elements(
    ranking: Ranking, positions: Sequence[int], corpus: Corpus | None
) -> dict[int, Any]:
    """Return position → sort key, from the paths; from the document if siblings have other names."""
    paths = {position: ranking.paths[position] for position in positions if ranking.paths[position]}
    root = root_path(paths.values())
    paths = {position: root if path == WHOLE else path for position, path in paths.items()}
    keys = {path: tuple(map(split_step, path.split("/")[1:])) for path in set(paths.values())}
    ordered = sorted(keys, key=keys.__getitem__)
    pairs = (_siblings_with_other_names(keys[one], keys[other]) for one, other in pairwise(ordered))
    siblings = next((pair for pair in pairs if pair is not None), None)
    if siblings is None:
        return {position: keys[path] for position, path in paths.items()}
    file = ranking.files[positions[0]]
    tree = None if corpus is None or file not in corpus else corpus.tree(file)
    if corpus is None or (tree is not None and tree.start[0] < 0):
        one, other = (f"{name[:40]}[{number}]" for name, number in siblings)
        raise MissingSizeError(
            file,
            f"the paths do not tell the order of the siblings {one} and {other}; give the corpus "
            "(--corpus)",
        )
    if tree is None:
        return {}
    return {position: row for position, path in paths.items() if (row := tree.find(path)) is not None}


def _siblings_with_other_names(one: Sequence[Step], other: Sequence[Step]) -> tuple[Step, Step] | None:
    """Return the first different steps of two paths if their names differ."""
    for pair in zip(one, other, strict=False):
        if pair[0] != pair[1]:
            return pair if pair[0][0] != pair[1][0] else None
    return None
