"""The strategy ``controlled``: lower the scores of results that overlap earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heapreplace
from typing import Annotated, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.intervals import IntervalSet
from xcg.documents.tree import UNKNOWN
from xcg.errors import InputError, MissingSizeError, XcgError
from xcg.registry import Between
from xcg.runs.run import FunctionCache, Ranking
from xcg.strategies.extents import (
    NOTHING,
    Extent,
    character_spans,
    document_tree,
    element_row,
    extents,
    positions_by_document,
)
from xcg.strategies.registry import STRATEGIES

MAX_PAIRS = 2_000_000
"""Maximum number of pairs of results of a topic that overlap each other."""


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
        MissingSizeError: If a size is needed and there is no corpus.
        InputError: If there are more than :data:`MAX_PAIRS` pairs of overlapping results.
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
    pairs = 0
    for file, positions in positions_by_document(ranking).items() if ancestor or descendant else ():
        if len(positions) == 1:
            continue
        for group, spans, in_text_order in _groups(extents(ranking, positions, corpus)):
            overlaps = _Overlaps.of(spans, in_text_order, MAX_PAIRS - pairs)
            if overlaps is None:
                raise InputError(
                    file,
                    f"the topic has more than {MAX_PAIRS:,} pairs of overlapping results; rewrite the "
                    "run with unique before, or return fewer results",
                )
            pairs += overlaps.pairs
            results = [positions[number] for number in group]
            adjusted = [scores[position] for position in results]
            find_text = partial(_find_text, ranking, results, corpus, overlaps)
            _adjust(adjusted, overlaps, ancestor, descendant, find_text)
            for position, score in zip(results, adjusted, strict=True):
                scores[position] = score
    # In a document, adjusted scores never increase from one output result to the next, and equal ones
    # are output by rank. So sorting merges the documents.
    kept = [position for position, score in enumerate(scores) if score]
    order = sorted(kept, key=scores.__getitem__, reverse=True)
    keys = [scores[position] for position in order]
    return replace(ranking.select(order), keys=keys, has_scores=True)


def _groups(spans: Sequence[Extent]) -> Iterator[tuple[list[int], list[Extent], list[int]]]:
    """Divide results into groups that do not overlap with each other.

    Groups are small, so the time per result hardly grows with the number of results of a document.

    Args:
        spans: The extents of the results in rank order.

    Yields:
        The results of each group in which one contains another: their numbers in rank order, their
        extents, and their indices in text order. In text order, a result precedes those that it
        contains. Of equal extents, the earlier rank contains the later.
    """
    starts, ends = zip(*spans, strict=True)
    ordered = sorted(range(len(spans)), key=ends.__getitem__, reverse=True)
    ordered.sort(key=starts.__getitem__)
    nested: list[list[int]] = []
    group: list[int] = []
    last = -1
    for result in ordered:
        start, end = spans[result]
        if start == end:
            continue
        if start >= last:
            group = []
        group.append(result)
        if end > last:
            last = end
        elif not nested or nested[-1] is not group:
            nested.append(group)
    for group in nested:
        members = sorted(group)
        index_of = {member: index for index, member in enumerate(members)}
        yield members, [spans[member] for member in members], [index_of[member] for member in group]


class _Overlaps(NamedTuple):
    """The pairs of results of a group that overlap; results are numbers in rank order.

    Attributes:
        inside: Result → the results that it contains.
        around: Result → the results that contain it.
        crossing: Result → the results that share only some of its characters, if there are any.
        pairs: Number of pairs.
    """

    inside: list[list[int]]
    around: list[list[int]]
    crossing: dict[int, list[int]]
    pairs: int

    @classmethod
    def of(cls, spans: Sequence[Extent], ordered: Sequence[int], limit: int) -> _Overlaps | None:
        """Return the pairs of results in text order; None if there are more than ``limit``."""
        inside: list[list[int]] = [[] for _ in spans]
        around: list[list[int]] = [[] for _ in spans]
        crossing: dict[int, list[int]] = {}
        pairs = 0
        before: list[int] = []
        for result in ordered:
            start, end = spans[result]
            before = [other for other in before if spans[other][1] > start]
            pairs += len(before)
            if pairs > limit:
                return None
            for other in before:
                if spans[other][1] >= end:
                    inside[other].append(result)
                    around[result].append(other)
                else:
                    crossing.setdefault(other, []).append(result)
                    crossing.setdefault(result, []).append(other)
            before.append(result)
        return cls(inside, around, crossing, pairs)


class _OutputText:
    """How many characters of each result of a group were output.

    Args:
        overlaps: The pairs of results that overlap.
        size: Returns the number of characters of a result; None if it does not exist.
        spans: The characters of each result. They are needed if results cross each other.
    """

    def __init__(
        self, overlaps: _Overlaps, size: Callable[[int], int | None], spans: Sequence[Extent] = ()
    ) -> None:
        self._overlaps = overlaps
        self._size = FunctionCache(size)
        self._spans = spans if overlaps.crossing else ()
        self._characters = [0] * len(overlaps.inside)
        self._complete = bytearray(len(overlaps.inside))
        self._read: IntervalSet[int] = IntervalSet()

    def add(self, result: int) -> None:
        """Add the text of a result."""
        inside, around, crossing, _ = self._overlaps
        characters = self._characters
        if self._complete[result]:
            return
        if self._spans:
            pieces = self._read.add(*self._spans[result])
            new = sum(end - start for start, end in pieces)
            for other in crossing.get(result, ()):
                if inside[other]:
                    first, last = self._spans[other]
                    common = (min(end, last) - max(start, first) for start, end in pieces)
                    characters[other] += sum(length for length in common if length > 0)
        else:
            new = (self._size[result] or 0) - characters[result]
        for other in around[result]:
            characters[other] += new
        for other in [result, *inside[result]]:
            self._complete[other] = True

    def share(self, result: int) -> float:
        """Return the share of a result that was output.

        It is 1 for a result without characters, and 0 for one that does not exist.
        """
        size = self._size[result]
        if size is None:
            return 0.0
        return self._characters[result] / size if size and not self._complete[result] else 1.0


def _adjust(
    scores: list[float],
    overlaps: _Overlaps,
    ancestor: float,
    descendant: float,
    find_text: Callable[[], _OutputText],
) -> None:
    """Replace the scores of the results of a group by those with which they are output."""
    inside, around, *_ = overlaps
    remains = [True] * len(scores)
    uncounted: list[int] = []
    text: _OutputText | None = None
    heap = [(-score, result) for result, score in enumerate(scores)]
    heapify(heap)
    while heap:
        negative, result = heap[0]
        if negative != -scores[result]:  # it has fallen since it was pushed
            heapreplace(heap, (-scores[result], result))
            continue
        heappop(heap)
        if not scores[result]:
            return
        remains[result] = False
        uncounted.append(result)
        for other in inside[result]:
            if remains[other]:
                scores[other] *= 1 - descendant
        containers = [other for other in around[result] if remains[other] and scores[other]]
        if ancestor and containers:
            text = text or find_text()
            for output in uncounted:
                text.add(output)
            uncounted = []
            for other in containers:
                scores[other] *= 1 - ancestor * text.share(other)


def _find_text(
    ranking: Ranking, positions: Sequence[int], corpus: Corpus | None, overlaps: _Overlaps
) -> _OutputText:
    """Find the text of results of one document.

    Raises:
        MissingSizeError: If the document is needed and there is no corpus.
    """
    if any(position in ranking.spans for position in positions):
        spans = [span or NOTHING for span in character_spans(ranking, positions, corpus)]
        return _OutputText(overlaps, lambda result: spans[result][1] - spans[result][0], spans)
    file = ranking.files[positions[0]]
    tree = document_tree(file, corpus)

    def size(result: int) -> int | None:
        path = ranking.paths[positions[result]]
        row = None if tree is None else element_row(tree, path)
        if tree is None or row is None:
            return None
        characters = int(tree.characters[row])
        if characters == UNKNOWN:
            raise MissingSizeError(f"{file}#{path}", "the size is unknown; give the corpus (--corpus)")
        return characters

    return _OutputText(overlaps, size)
