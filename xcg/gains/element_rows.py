"""The rows of a document's tree as lists, and which results of a ranking were seen before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from xcg.documents.tree import ElementTree, SizeUnit
from xcg.gains.reader import Seen
from xcg.runs.run import FunctionCache


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
