"""What makes the class of element trees a ``networkx.DiGraph`` that cannot be changed.

Importing networkx takes a tenth of a second, and many commands need no tree. So the class that inherits
from ``networkx.DiGraph`` is made with the first tree, see :class:`xcg.documents.tree.ElementTree`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[Any]  # nodes are rows, but ``in`` accepts paths too
else:
    Graph = object


def _refuse(*_: object, **__: object) -> NoReturn:
    import networkx as nx

    raise nx.NetworkXError("element trees are read-only: change a copy, such as tree.copy()")


class ReadOnlyDict(dict[Any, Any]):
    """The attributes or neighbours of a node; a copy is an ordinary dict."""

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class RowMapping(Mapping[int, ReadOnlyDict]):
    """A mapping from the rows of a tree to what a function returns for them."""

    def __init__(self, rows: int, function: Callable[[int], ReadOnlyDict]) -> None:
        self._rows = rows
        self._function = function

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._rows))

    def __contains__(self, node: object) -> bool:
        hash(node)  # networkx relies on the TypeError
        if isinstance(node, str):
            import networkx as nx

            raise nx.NetworkXError(f"the nodes of an element tree are rows: use tree.row({node!r})")
        try:
            return 0 <= operator.index(node) < self._rows  # type: ignore[arg-type]
        except TypeError:
            return False

    def __getitem__(self, node: int) -> ReadOnlyDict:
        if node not in self:
            raise KeyError(node)
        return self._function(int(node))


class ReadOnlyGraph(Graph):
    """A class whose instances with keyword arguments are a ``networkx.DiGraph``.

    Subclasses define the mappings ``_node``, ``_adj``, ``_succ`` and ``_pred``.
    """

    graph = ReadOnlyDict()
    frozen = True  # for networkx.is_frozen

    add_node = add_nodes_from = add_edge = add_edges_from = add_weighted_edges_from = _refuse
    remove_node = remove_nodes_from = remove_edge = remove_edges_from = _refuse
    update = clear = clear_edges = _refuse
