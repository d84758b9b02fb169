"""What readers of one document share: their protocol, and the rows of the document's tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Literal, NamedTuple, Protocol, TypeVar

from xcg.documents.tree import ElementTree, SizeUnit
from xcg.runs.run import FunctionCache

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

    >>> rows = ElementRows(ElementTree.from_paths(["/a/s[1]/p[1]", "/a/s[2]"]))
    >>> rows.seen_before[1, 0, 2, 3]  # /a/s[1], /a, /a/s[1]/p[1], /a/s[2]
    ['no', 'partly', 'fully', 'fully']
    """

    def __init__(self, tree: ElementTree) -> None:
        self.tree = tree
        self._sizes: dict[SizeUnit, list[int]] = {}

    @cached_property
    def parent(self) -> list[int]:
        """The row of each element's parent, -1 for the root."""
        parent: list[int] = self.tree.parent.tolist()
        return parent

    @cached_property
    def end(self) -> list[int]:
        """The first row after each element's subtree."""
        end: list[int] = self.tree.end.tolist()
        return end

    @cached_property
    def ancestors(self) -> Mapping[int, tuple[int, ...]]:
        """The rows above each row, the parent first. Runs share many elements."""
        parent = self.parent

        def ancestors(row: int) -> tuple[int, ...]:
            rows = []
            while (row := parent[row]) >= 0:
                rows.append(row)
            return tuple(rows)

        return FunctionCache(ancestors)

    @cached_property
    def seen_before(self) -> FunctionCache[tuple[int, ...], list[Seen]]:
        """How much of each result of a ranking the results before it have shown.

        The key has the rows of the results in this document in rank order.
        """
        # Without self: a reference cycle would keep the tree until the next garbage collection.
        return FunctionCache(partial(_seen_before, self.ancestors))

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
