"""What readers of one document share: their protocol, and the judged document that they read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Literal, NamedTuple, Protocol, TypeVar

from xcg.documents.tree import UNKNOWN, ElementTree, SizeUnit
from xcg.errors import MissingSizeError
from xcg.runs.columns import FunctionCache

Seen = Literal["no", "partly", "fully"]
R = TypeVar("R")

RELATIVE_THRESHOLD = 1e-9
"""A gain below this share of the document's highest score is 0: a rounding error is not a hit."""


class EarlierView(NamedTuple):
    """What a reader saw of a result before it is read.

    Attributes:
        seen: How much of the result earlier results had shown.
        earlier: The numbers of these earlier results, from 0 in reading order.
    """

    seen: Seen
    earlier: list[int]


class Reader(Protocol[R]):
    """A user who reads results from one document in rank order.

    Results and ideal parts are identified by what the document has: rows of elements, or positions
    in its text and numbers of gold spans.
    """

    @property
    def steps(self) -> int:
        """Number of elements or pieces of text that gains were computed of so far.

        It grows with the time that the reader took.
        """

    def read(self, result: R) -> float:
        """Read the next result and return its gain, xG[i]."""

    def gain_of(self, result: R) -> float:
        """Return what a result would gain if it were read next, without reading it."""

    def raised_by(self, result: R) -> Iterable[R]:
        """Return the results that may gain more since a result was read, the last one that was read.

        All other results gain at most what they would have gained before.
        """

    def score(self, result: R) -> float:
        """Return what a result would gain if the user had seen nothing."""

    def value(self, result: R) -> float | None:
        """Return the relevance value of a result now; None if it plays no role or needs a size."""

    def related(self, result: R) -> list[int]:
        """Return the ideal elements or gold spans that a result can gain from."""

    def remaining(self, ideal: int) -> float:
        """Return what can still be gained from an ideal element or gold span."""

    def seen(self, result: R) -> EarlierView:
        """Return how much of a result earlier results had shown, and which."""


class ElementRows:
    """The rows of a tree, which all topics, runs and user models share.

    The columns are lists: looking up single numbers is faster than in arrays.

    Args:
        tree: The elements of a document.

    Attributes:
        ancestors: The rows above each row, the parent first. Runs share many elements.
        end: The first row after each element's subtree.
        seen_before: How much of each result of a ranking the results before it have shown. The key has
            the rows of the results in this document in rank order.

    >>> rows = ElementRows(ElementTree.from_paths(["/a/s[1]/p[1]", "/a/s[2]"]))
    >>> rows.seen_before[1, 0, 2, 3]  # /a/s[1], /a, /a/s[1]/p[1], /a/s[2]
    ['no', 'partly', 'fully', 'fully']
    """

    def __init__(self, tree: ElementTree) -> None:
        self.tree = tree
        # Without self: a reference cycle would keep the tree until the next garbage collection.
        self.ancestors: Mapping[int, tuple[int, ...]]
        self.ancestors = FunctionCache(lambda row: tuple(tree.ancestors(row)))
        self.seen_before = FunctionCache(partial(_seen_before, self.ancestors))
        self.end: list[int] = tree.end.tolist()
        self._sizes: dict[SizeUnit, list[int]] = {}

    def sizes(self, unit: SizeUnit) -> list[int]:
        """Return the sizes of all rows, -1 for an unknown size."""
        if unit not in self._sizes:
            self._sizes[unit] = self.tree.sizes(unit).tolist()
        return self._sizes[unit]


def _seen_before(ancestors: Mapping[int, tuple[int, ...]], results: Sequence[int]) -> list[Seen]:
    """Return how much of each result the results before it have shown."""
    fully: set[int] = set()
    partly: set[int] = set()
    seen: list[Seen] = []
    for row in results:
        above = ancestors[row]
        if row in fully or not fully.isdisjoint(above):
            seen.append("fully")
            continue  # what it shows was seen before
        seen.append("partly" if row in partly else "no")
        fully.add(row)
        partly.update(above)
    return seen


class JudgedDocument:
    """The elements of a document with their scores under one user model and topic.

    Elements are identified by their rows in the tree.

    Args:
        tree: The elements.
        scores: Row → quantised score, for the elements with a score above 0.
        ideal: The rows of the ideal elements.
        name: The name of the document in messages.
        near: Row → (score as a near-miss, row of the ideal element), see
            :func:`xcg.user_model.near_misses.near_scores`.
        rows: The rows of the tree, if they are shared.

    Attributes:
        rows: The rows of the tree, with ``end``, ``ancestors`` and ``sizes``.
        own_scores: The argument ``scores``.
        scores: Row → the higher of quantised score and score as a near-miss.
        ideal_scores: Row → score, for the ideal elements.
        threshold: Gains below this are 0.
    """

    def __init__(
        self,
        tree: ElementTree,
        scores: Mapping[int, float],
        ideal: Sequence[int],
        name: str = "",
        near: Mapping[int, tuple[float, int]] | None = None,
        rows: ElementRows | None = None,
    ) -> None:
        self.tree = tree
        self.rows = rows or ElementRows(tree)
        self.own_scores = scores
        self.scores = dict(scores)
        self.near = near or {}
        self.ideal_scores = {row: self.scores[row] for row in ideal}
        for row, (score, _) in self.near.items():
            if row not in self.ideal_scores and score > self.scores.get(row, 0.0):
                self.scores[row] = score
        self.ideal = sorted(ideal)
        self.name = name
        self.threshold = RELATIVE_THRESHOLD * max(scores.values(), default=0.0)

    def span(self, row: int) -> tuple[int, int]:
        """Return the start and end of an element's text in characters.

        Raises:
            MissingSizeError: If only the path of the element is known.
        """
        if self.tree.start[row] == UNKNOWN:
            raise MissingSizeError(
                f"{self.name}, {self.tree.path(row)}", "its text is not known; give the corpus"
            )
        return int(self.tree.start[row]), int(self.tree.stop[row])

    def ideals_around(self, row: int) -> list[int]:
        """Return the ideal elements that a row is or lies in: a gain of the row retrieves them."""
        end = self.rows.end
        return [ideal for ideal in self.related_ideals[row][0] if ideal <= row < end[ideal]]

    @cached_property
    def related_ideals(self) -> Mapping[int, tuple[list[int], list[int]]]:
        """Row → the ideal elements around it, and those inside it.

        The first are the ideal elements at or above the row, or the ideal element that it is a
        near-miss of. The second are the ideal elements below the row.
        """
        ancestors, end = self.rows.ancestors, self.rows.end

        def related(row: int) -> tuple[list[int], list[int]]:
            at_or_above = [up for up in (row, *ancestors[row]) if up in self.ideal_scores]
            first = bisect_left(self.ideal, row + 1)
            below = self.ideal[first : bisect_left(self.ideal, end[row], first)]
            if not at_or_above and not below and row in self.near:
                at_or_above = [self.near[row][1]]
            return at_or_above, below

        return FunctionCache(related)

    @cached_property
    def scored_children(self) -> dict[int, list[int]]:
        """The child elements of each row that have a score, or a descendant with a score."""
        parent = self.tree.parent.tolist()
        children: dict[int, list[int]] = {}
        visited: set[int] = set()
        for scored in self.scores:
            row = scored
            while row >= 0 and row not in visited:
                visited.add(row)
                children.setdefault(parent[row], []).append(row)
                row = parent[row]
        # Sums of floats depend on their order, which must not depend on the order of assessments.
        return {row: sorted(below) for row, below in children.items()}
