"""The strategy ``promote_parent``: replace results by the element or passage that contains them."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.tree import UNKNOWN, ElementTree
from xcg.errors import InputError, MissingSizeError, XcgError
from xcg.registry import Between
from xcg.runs.run import Ranking
from xcg.strategies.extents import (
    Extent,
    character_spans,
    document_tree,
    element_row,
    positions_by_document,
)
from xcg.strategies.registry import STRATEGIES

MAX_PAIRS = 1_000_000
"""Maximum number of pairs of a promoted passage with a passage that starts in it and ends after it."""

Score = Literal["max", "sum", "mean"]
Node = int | Extent
"""An element, by its row in the tree of its document, or a passage, by its span."""


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
    replaced: set[int] = set()
    promoted: dict[int, tuple[_Document, Node, float]] = {}
    for file, positions in positions_by_document(ranking).items():
        document = _read_document(ranking, file, positions, corpus)
        if document is not None:
            promotion = _Promotion(document, threshold, score, several=levels > 1)
            promotion.run(levels)
            replaced |= promotion.replaced
            promoted |= promotion.promoted()
    return _with_promoted(ranking, replaced, promoted) if promoted else ranking


def _with_promoted(
    ranking: Ranking, replaced: Collection[int], promoted: Mapping[int, tuple[_Document, Node, float]]
) -> Ranking:
    """Return a ranking without the replaced results and with the promoted ones at their positions."""
    kept = [
        position for position in range(len(ranking)) if position not in replaced or position in promoted
    ]
    found = ranking.select(kept)
    paths, spans = list(found.paths), dict(found.spans)
    keys = None if found.keys is None else list(found.keys)
    parents = None if found.parents is None else dict(found.parents)
    for new, old in enumerate(kept):
        if old not in promoted:
            continue
        document, node, score = promoted[old]
        spans.pop(new, None)
        if parents is not None:
            parents.pop(new, None)
        if isinstance(node, int):
            assert document.tree is not None
            paths[new] = document.tree.path(node)
        else:
            paths[new], spans[new] = "", node
            if parents is not None and node in document.parents:
                parents[new] = document.parents[node]
        if keys is not None and found.has_scores:
            keys[new] = score
    return replace(found, paths=paths, spans=spans, keys=keys, parents=parents)


@dataclass(slots=True)
class _Result:
    """An element or passage among the results; it can occur several times.

    Attributes:
        best: Its best position.
        score: Its score there.
        positions: All its positions.
    """

    best: int
    score: float
    positions: list[int]


class _Document(NamedTuple):
    """A document with results that have a parent.

    Attributes:
        file: Its name.
        tree: Its tree, if results are elements.
        parents: Passage → its parent.
        results: The results that exist, and whose text is known and not empty.
        by_characters: Whether elements are compared by characters, because there are passages too.
    """

    file: str
    tree: ElementTree | None
    parents: dict[Extent, Extent]
    results: dict[Node, _Result]
    by_characters: bool

    def parent(self, node: Node) -> Node | None:
        """Return the parent of a node."""
        if not isinstance(node, int):
            return self.parents.get(node)
        assert self.tree is not None
        row = int(self.tree.parent[node])
        return row if row >= 0 else None

    def extent(self, node: Node) -> Extent:
        """Return the extent of a node in characters, or in rows if all results are elements."""
        if not isinstance(node, int):
            return node
        assert self.tree is not None
        if self.by_characters:
            return int(self.tree.start[node]), int(self.tree.stop[node])
        return node, int(self.tree.end[node])

    def size(self, node: Node) -> int:
        """Return the number of characters of a node.

        Raises:
            MissingSizeError: If it is unknown.
        """
        if not isinstance(node, int):
            return node[1] - node[0]
        assert self.tree is not None
        size = int(self.tree.characters[node])
        if size == UNKNOWN:
            where = f"{self.file}#{self.tree.path(node)}"
            raise MissingSizeError(where, "the size is unknown; give the corpus (--corpus)")
        return size

    def characters(self, parent: Node, children: Iterable[Node]) -> int:
        """Return the number of characters of a parent that its children hold."""
        if isinstance(parent, int):
            return sum(map(self.size, children))
        counted, last = parent
        held = 0
        for start, end in sorted(child for child in children if not isinstance(child, int)):
            if max(start, counted) < min(end, last):
                held += min(end, last) - max(start, counted)
                counted = min(end, last)
        return held


def _read_document(
    ranking: Ranking, file: str, positions: Sequence[int], corpus: Corpus | None
) -> _Document | None:
    """Return a document; None if no result has a parent.

    Raises:
        MissingSizeError: If the document is needed and there is no corpus.
    """
    stated = ranking.parents or {}
    elements = [n for n in positions if n not in ranking.spans and ranking.paths[n]]
    below_root = any(ranking.paths[n].count("/") > 1 for n in elements)
    if not below_root and stated.keys().isdisjoint(positions):
        return None
    passages = [n for n in positions if n in ranking.spans]
    texts = dict(zip(passages, character_spans(ranking, passages, corpus), strict=True))
    by_characters = bool(elements) and any(span and span[0] < span[1] for span in texts.values())
    tree = document_tree(file, corpus) if below_root or by_characters else None
    if by_characters:
        character_spans(ranking, elements, corpus)  # raises an error if the document has no text
    parents: dict[Extent, Extent] = {}
    results: dict[Node, _Result] = {}
    for position in positions:
        node: Node | None = None
        if position in texts:
            span = texts[position]
            if span and span[0] < span[1]:
                node = span
                # A passage that is its own parent has none.
                if position in stated and stated[position] != span:
                    parents.setdefault(span, stated[position])
        elif tree is not None and ranking.paths[position]:
            node = element_row(tree, ranking.paths[position])
        if node is None:
            continue
        if node in results:
            results[node].positions.append(position)
        else:
            results[node] = _Result(position, ranking.scores[position], [position])
    return _Document(file, tree, parents, results, by_characters)


class _Promotion:
    """The promotions in one document.

    Attributes:
        replaced: The positions of results that were replaced, including those of the parents.
    """

    def __init__(self, document: _Document, threshold: float, score: Score, several: bool) -> None:
        self._document = document
        self._threshold = threshold
        self._score = score
        # In text order, families are close together in memory.
        in_text_order = sorted(document.results, key=lambda node: document.extent(node)[0])
        self._results = {node: document.results[node] for node in in_text_order}
        self._promoted: set[Node] = set()
        self.replaced: set[int] = set()
        self._children: dict[Node, list[Node]] = {}
        linked: set[Node] = set()
        for result in self._results:
            node: Node | None = result
            while node is not None and node not in linked:
                linked.add(node)
                parent = document.parent(node)
                if parent is not None:
                    self._children.setdefault(parent, []).append(node)
                node = parent if several else None
        extents = {node: document.extent(node) for node in {**self._results, **self._children}}
        self._extents = extents
        self._nodes = [node for node in extents if extents[node][0] < extents[node][1]]
        self._nodes.sort(key=lambda node: extents[node])
        self._starts = [extents[node][0] for node in self._nodes]
        self._index = {node: index for index, node in enumerate(self._nodes)}
        self._present = bytearray(node in self._results for node in self._nodes)
        self._crossing = 0

    def run(self, levels: int) -> None:
        """Promote parents in at most ``levels`` passes."""
        parents = {self._document.parent(node) for node in self._results}
        for _ in range(levels):
            promoted = self._promote_once(parents)
            if not promoted:
                return
            # A parent whose children are the same as before is not examined again.
            parents = {self._document.parent(node) for node in promoted if node in self._results}

    def promoted(self) -> dict[int, tuple[_Document, Node, float]]:
        """Return position → document, promoted parent and its score."""
        results = ((node, self._results[node]) for node in self._promoted if node in self._results)
        return {result.best: (self._document, node, result.score) for node, result in results}

    def _promote_once(self, parents: Iterable[Node | None]) -> set[Node]:
        """Examine parents from the smallest to the largest; return those that were promoted."""
        promoted: set[Node] = set()
        for parent in sorted((node for node in parents if node is not None), key=self._order):
            family = [
                child
                for child in self._children[parent]
                if child in self._results and child not in promoted
            ]
            size = self._document.size(parent) if family else 0
            if not size:
                continue
            if self._document.characters(parent, family) / size >= self._threshold:
                self._promote(parent, family)
                promoted.add(parent)
        self._promoted |= promoted
        return promoted

    def _order(self, node: Node) -> tuple[int, int, int]:
        start, end = self._extents[node]
        return end - start, start, -node if isinstance(node, int) else 0

    def _promote(self, parent: Node, family: Sequence[Node]) -> None:
        """Replace the children, the parent and all results inside the parent by the parent."""
        score = self._combined_score(parent, family)
        replaced = {*family, *self._inside(parent)}
        best = min(self._results[node].best for node in replaced)
        for node in replaced:
            self.replaced.update(self._results.pop(node).positions)
            self._mark(node, False)
        self._results[parent] = _Result(best, score, [best])
        self._mark(parent, True)

    def _combined_score(self, parent: Node, family: Sequence[Node]) -> float:
        scores = [self._results[child].score for child in family]
        if self._score == "max":
            return max(scores)
        count = len(scores)
        try:
            # fsum does not depend on the order of the scores.
            return math.fsum(scores) if self._score == "sum" else math.fsum(scores) / count
        except OverflowError:
            if self._score == "mean":
                return math.fsum(score / count for score in scores)
            raise InputError(
                self._document.file,
                f"the sum of the scores of {count} results is too large; expected score=max",
            ) from None

    def _mark(self, node: Node, is_present: bool) -> None:
        if node in self._index:
            self._present[self._index[node]] = is_present

    def _inside(self, parent: Node) -> list[Node]:
        """Return the results inside a parent, with the parent itself if it is a result."""
        start, end = self._extents[parent]
        index, stop = bisect_left(self._starts, start), bisect_left(self._starts, end)
        found = []
        while (index := self._present.find(1, index, stop)) >= 0:
            node = self._nodes[index]
            if self._extents[node][1] <= end:
                found.append(node)
            else:
                self._crossing += 1
            index += 1
        if self._crossing > MAX_PAIRS:
            raise InputError(
                self._document.file,
                f"more than {MAX_PAIRS:,} passages start in a promoted parent and end after it; return "
                "fewer results",
            )
        return found
