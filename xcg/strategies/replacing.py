"""Strategies that replace several results by one: ``promote_parent`` and ``merge_adjacent``."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.tree import UNKNOWN, ElementTree
from xcg.errors import InputError, MissingSizeError, XcgError
from xcg.registry import Between
from xcg.runs.run import AnySpan, Ranking
from xcg.strategies.extents import (
    NOTHING,
    Extent,
    character_spans,
    document_tree,
    overlapping_groups,
    positions_by_document,
)
from xcg.strategies.registry import STRATEGIES

MAX_PAIRS = 1_000_000
"""Maximum number of pairs of a promoted passage with a passage that starts in it and ends after it."""

Score = Literal["max", "sum", "mean"]


class _Replacement(NamedTuple):
    """A result that replaces others: its path, span, key, and the span of its parent."""

    path: str
    span: AnySpan | None
    key: float | None
    parent: Extent | None


def _with_replacements(
    ranking: Ranking, found: Mapping[int, _Replacement], dropped: Container[int]
) -> Ranking:
    """Return a ranking with other results at some positions, and without those that are dropped."""
    paths, spans, parents = list(ranking.paths), dict(ranking.spans), dict(ranking.parents or {})
    keys = None if ranking.keys is None else list(ranking.keys)
    for position, (path, span, key, parent) in found.items():
        paths[position] = path
        spans.pop(position, None)
        parents.pop(position, None)
        if span is not None:
            spans[position] = span
        if parent is not None:
            parents[position] = parent
        if keys is not None and key is not None:
            keys[position] = key
    stated = None if ranking.parents is None else parents
    changed = replace(ranking, paths=paths, spans=spans, keys=keys, parents=stated)
    return changed.select([n for n in range(len(ranking)) if n in found or n not in dropped])


@STRATEGIES.register("merge_adjacent")
def merge_adjacent(
    ranking: Ranking, corpus: Corpus | None = None, *, gap: Annotated[int, Between(0)] = 0
) -> Ranking:
    """Merge the spans of a document that overlap or are close to each other.

    Spans that overlap or are at most ``gap`` characters apart become one span, at their best rank and
    with their best score. Elements become spans, even those that are not merged. A result that does not
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
    found: dict[int, _Replacement] = {}
    dropped: set[int] = set()
    stated, keys = ranking.parents or {}, ranking.keys
    best = max if ranking.has_scores else min
    for positions in positions_by_document(ranking).values():
        known = character_spans(ranking, positions, corpus)
        for group in overlapping_groups([span or NOTHING for span in known], gap):
            spans = [span for index in group if (span := known[index]) is not None]
            if spans:
                merged = [positions[index] for index in group]
                span = min(start for start, _ in spans), max(end for _, end in spans)
                key = None if keys is None else best(keys[position] for position in merged)
                parents = {stated.get(position) for position in merged}
                dropped.update(merged)
                found[min(merged)] = _Replacement(
                    "", span, key, parents.pop() if len(parents) == 1 else None
                )
    return _with_replacements(ranking, found, dropped)


@STRATEGIES.register("promote_parent")
def promote_parent(
    ranking: Ranking,
    corpus: Corpus | None = None,
    *,
    threshold: Annotated[float, Between(0, 1)] = 0.5,
    levels: Annotated[int, Between(1)] = 1,
    score: Score = "max",
) -> Ranking:
    """Replace results by their parent if they hold enough of its text.

    If the results among the children of an element hold at least ``threshold`` of its characters, the
    element replaces them and every other result inside it, at the best of their ranks, with the
    maximum, sum or mean of the scores of these children. The parent of a passage is the span that the
    run states for it: ``"parent": {"start": 10, "end": 90}`` in JSON Lines and in chunks.

    A pass examines the parents of the results from the smallest to the largest. A result that was
    promoted in a pass counts as a child in the next pass. There are at most ``levels`` passes, and the
    last one is the first that changes nothing.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if results are elements.
        threshold: Minimum share of the parent's characters.
        levels: Maximum number of passes.
        score: The score of the parent.

    Raises:
        MissingSizeError: If the size of an element is needed and unknown.
        XcgError: If the results are passages and the run does not state parents, or a sum of scores is
            too large.

    >>> from xcg import Corpus, Run
    >>> corpus = Corpus.of({"d": "<a><s><p>one</p><p>two</p><p>three</p></s><s>four</s></a>"})
    >>> results = ["d#/a/s[2]", "d#/a/s[1]/p[3]", "d#/a/s[1]/p[1]"]
    >>> ranking = Run.of("bm25", {"1": results}).rankings["1"]
    >>> list(promote_parent(ranking, corpus))
    [('d', '/a[1]/s[2]'), ('d', '/a[1]/s[1]')]
    """
    if ranking.spans and ranking.parents is None:
        raise XcgError(
            "the run does not state the parents of its passages; expected a run in JSON Lines with "
            '"parent": {"start": 10, "end": 90} or null in each passage, or chunks with parents'
        )
    stated = ranking.parents or {}
    found: dict[int, _Replacement] = {}
    dropped: set[int] = set()
    for file, positions in positions_by_document(ranking).items():
        if any(n in stated or ranking.paths[n].count("/") > 1 for n in positions):
            document = _Document(ranking, file, positions, corpus)
            for _ in range(levels):
                if not document.promote(threshold, score):
                    break
            found |= document.replacements(ranking.has_scores)
            dropped |= document.dropped()
    return _with_replacements(ranking, found, dropped) if found else ranking


class _Node(NamedTuple):
    """An element or a passage.

    Attributes:
        start: First character; the row of an element if no result of the document is a passage.
        end: First character after it; the first row after the element.
        row: Row of an element; -1 for a passage.
    """

    start: int
    end: int
    row: int = -1


class _Document:
    """The results of a document that exist and have text."""

    def __init__(
        self, ranking: Ranking, file: str, positions: Sequence[int], corpus: Corpus | None
    ) -> None:
        stated, scores, paths = ranking.parents or {}, ranking.scores, ranking.paths
        elements = [n for n in positions if n not in ranking.spans and paths[n]]
        passages = [n for n in positions if n in ranking.spans]
        spans = {
            position: span
            for position, span in zip(passages, character_spans(ranking, passages, corpus), strict=True)
            if span and span[0] < span[1]
        }
        # Elements are compared with passages by characters, and with each other by rows.
        self._by_characters = bool(elements and spans)
        if self._by_characters:
            character_spans(ranking, elements, corpus)  # raises an error if the document has no text
        self._file = file
        self._tree: ElementTree | None = None
        if self._by_characters or any(paths[n].count("/") > 1 for n in elements):
            self._tree = document_tree(file, corpus)
        # A passage that is its own parent has none.
        self._parents: dict[Extent, Extent] = {}
        self._nodes: dict[int, _Node] = {}
        for position in positions:
            if position in spans:
                span = spans[position]
                self._nodes[position] = _Node(*span)
                if stated.get(position, span) != span:
                    self._parents.setdefault(span, stated[position])
            elif self._tree is not None and position not in ranking.spans and paths[position]:
                row = self._tree.find(paths[position])
                if row is not None:
                    self._nodes[position] = self._element(self._tree, row)
        # A result can occur several times; its best position, and its score there.
        self._results: dict[_Node, tuple[int, float]] = {}
        for position, node in self._nodes.items():
            self._results.setdefault(node, (position, scores[position]))
        self._promoted: set[_Node] = set()
        with_text = (node for node in self._results if node.start < node.end)
        self._by_start = sorted(with_text, key=lambda node: node.start)
        self._crossing = 0

    def _element(self, tree: ElementTree, row: int) -> _Node:
        if self._by_characters:
            return _Node(int(tree.start[row]), int(tree.stop[row]), row)
        return _Node(row, int(tree.end[row]), row)

    def _parent(self, node: _Node) -> _Node | None:
        if node.row < 0 or self._tree is None:
            span = self._parents.get((node.start, node.end))
            return None if span is None else _Node(*span)
        row = int(self._tree.parent[node.row])
        return None if row < 0 else self._element(self._tree, row)

    def promote(self, threshold: float, score: Score) -> bool:
        """Examine the parents of the results once; return whether one was promoted."""
        families: dict[_Node, list[_Node]] = {}
        for node in self._results:
            parent = self._parent(node)
            if parent is not None:
                families.setdefault(parent, []).append(node)
        promoted: set[_Node] = set()
        for parent in sorted(families, key=lambda node: (node.end - node.start, node.start, -node.row)):
            family = [
                child for child in families[parent] if child in self._results and child not in promoted
            ]
            size = self._size(parent) if family else 0
            if size and self._held(parent, family) / size >= threshold:
                combined = self._combined_score(family, score)
                replaced = {*family, *self._take_inside(parent)}
                self._results[parent] = min(self._results.pop(node)[0] for node in replaced), combined
                promoted.add(parent)
        self._promoted |= promoted
        return bool(promoted)

    def _size(self, node: _Node) -> int:
        """Return the number of characters of a node."""
        if node.row < 0 or self._tree is None:
            return node.end - node.start
        size = int(self._tree.characters[node.row])
        if size == UNKNOWN:
            where = f"{self._file}#{self._tree.path(node.row)}"
            raise MissingSizeError(where, "the size is unknown; give the corpus (--corpus)")
        return size

    def _held(self, parent: _Node, children: Iterable[_Node]) -> int:
        """Return the number of characters of a parent that its children hold."""
        if parent.row >= 0:
            return sum(map(self._size, children))
        counted, held = parent.start, 0
        for start, end, _ in sorted(children):
            first, last = max(start, counted), min(end, parent.end)
            if first < last:
                held += last - first
                counted = last
        return held

    def _combined_score(self, family: Collection[_Node], score: Score) -> float:
        scores = [self._results[child][1] for child in family]
        if score == "max":
            return max(scores)
        try:
            total = math.fsum(scores)  # does not depend on their order
        except OverflowError:
            raise InputError(
                self._file,
                f"the sum of the scores of {len(scores)} results is too large; expected score=max",
            ) from None
        return total if score == "sum" else total / len(scores)

    def _take_inside(self, parent: _Node) -> list[_Node]:
        """Return the results inside a parent, which takes their place in the order by start."""
        first, last = (
            bisect_left(self._by_start, end, key=lambda node: node.start) for end in parent[:2]
        )
        started = [node for node in self._by_start[first:last] if node in self._results]
        crossing = [node for node in started if node.end > parent.end]
        self._by_start[first:last] = [parent, *crossing]
        self._crossing += len(crossing)
        if self._crossing > MAX_PAIRS:
            raise InputError(
                self._file,
                f"more than {MAX_PAIRS:,} passages start in a promoted parent and end after it; return "
                "fewer results",
            )
        return [node for node in started if node.end <= parent.end]

    def replacements(self, has_scores: bool) -> dict[int, _Replacement]:
        """Return position → promoted parent."""
        found = {}
        for node in self._promoted & self._results.keys():
            best, score = self._results[node]
            key = score if has_scores else None
            if node.row < 0 or self._tree is None:
                span = node.start, node.end
                found[best] = _Replacement("", span, key, self._parents.get(span))
            else:
                found[best] = _Replacement(self._tree.path(node.row), None, key, None)
        return found

    def dropped(self) -> set[int]:
        """Return the positions of results that were replaced."""
        kept = self._results.keys() - self._promoted
        return {position for position, node in self._nodes.items() if node not in kept}
