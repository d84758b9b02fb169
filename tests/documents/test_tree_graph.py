"""Element trees as read-only networkx graphs, compared with graphs that are built edge by edge."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from copy import deepcopy
from xml.etree import ElementTree as Standard

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import markup

from xcg.documents.parsing import parse_document
from xcg.documents.tree import ElementTree

SOURCE = "<a>x <b><c>yy</c><d/></b><b>z</b></a>"
A, B1, C, D, B2 = range(5)


def built_graph(source: str | bytes) -> nx.DiGraph[int]:
    """Build the graph of a document with the standard library's parser, edge by edge."""
    graph: nx.DiGraph[int] = nx.DiGraph()

    def visit(element: Standard.Element, path: str, start: int, parent: int | None = None) -> int:
        node = len(graph)
        text = "".join(element.itertext())
        graph.add_node(
            node,
            tag=element.tag.rpartition("}")[2],
            path=path,
            start=start,
            characters=len(text),
            words=len(text.split()),
        )
        if parent is not None:
            graph.add_edge(parent, node)
        start += len(element.text or "")
        counts: dict[str, int] = {}
        for child in element:
            tag = child.tag.rpartition("}")[2]
            counts[tag] = counts.get(tag, 0) + 1
            start = visit(child, f"{path}/{tag}[{counts[tag]}]", start, node)
            start += len(child.tail or "")
        return start

    root = Standard.fromstring(source)
    visit(root, f"/{root.tag}[1]", 0)
    return graph


def assert_equal_graphs(ours: nx.Graph[int], theirs: nx.Graph[int]) -> None:
    assert list(ours.nodes(data=True)) == list(theirs.nodes(data=True))
    assert sorted(ours.edges(data=True)) == sorted(theirs.edges(data=True))
    assert nx.utils.graphs_equal(ours, theirs)
    assert nx.utils.graphs_equal(theirs, ours)


@given(markup())
def test_a_tree_is_the_graph_that_is_built_edge_by_edge(source: str) -> None:
    tree, graph = parse_document(source), built_graph(source)
    assert isinstance(tree, nx.DiGraph)
    assert isinstance(tree, ElementTree)
    assert_equal_graphs(tree, graph)
    assert [type(node) for node in tree] == [int] * len(graph)
    assert len(tree) == tree.order() == graph.order()
    assert tree.size() == graph.size()
    assert nx.to_dict_of_lists(tree) == nx.to_dict_of_lists(graph)
    for view in ("degree", "in_degree", "out_degree"):
        assert dict(getattr(tree, view)) == dict(getattr(graph, view))
    for node in graph:
        assert list(tree.successors(node)) == list(graph.successors(node)) == list(tree.children(node))
        assert list(tree.predecessors(node)) == list(graph.predecessors(node))
        assert tree.nodes[node] == graph.nodes[node]
        assert tree[node] == graph[node]
    for pair in itertools.product(range(-1, len(graph) + 1), repeat=2):
        assert tree.has_edge(*pair) == graph.has_edge(*pair)


@given(markup(), st.data())
def test_copies_and_views_are_those_of_the_built_graph(source: str, data: st.DataObject) -> None:
    tree, graph = parse_document(source), built_graph(source)
    some = data.draw(st.sets(st.integers(0, len(tree) - 1)))
    assert_equal_graphs(tree.subgraph(some), graph.subgraph(some))
    assert_equal_graphs(tree.reverse(copy=False), graph.reverse(copy=False))
    assert_equal_graphs(tree.copy(as_view=True), graph)
    assert_equal_graphs(tree.to_undirected(as_view=True), graph.to_undirected(as_view=True))
    assert_equal_graphs(tree.to_undirected(), graph.to_undirected())
    names = nx.get_node_attributes(graph, "path")
    assert_equal_graphs(nx.relabel_nodes(tree, names), nx.relabel_nodes(graph, names))
    for copy in (tree.copy(), nx.DiGraph(tree), tree.reverse().reverse(), tree.to_directed()):
        assert type(copy) is nx.DiGraph
        assert_equal_graphs(copy, graph)
        copy.nodes[0]["tag"] = "changed"
        copy.add_edge(0, "new")
        assert_equal_graphs(tree, graph)
    for again in (pickle.loads(pickle.dumps(tree)), deepcopy(tree)):
        assert type(again) is type(tree)
        assert_equal_graphs(again, graph)
        assert again.text == tree.text
        assert again.paths == tree.paths


def test_in_accepts_rows_and_paths() -> None:
    tree = parse_document(SOURCE)
    for present in (A, B2, np.int64(B2), np.int16(0), "/a[1]", "/a[1]/b[2]"):
        assert present in tree
    for absent in (5, -1, np.int64(5), "/a[1]/b[3]", "", 1.0, None, (0, 1), [0], np.array([0])):
        assert absent not in tree


CHANGES: list[Callable[[nx.DiGraph[int]], object]] = [
    lambda tree: tree.add_node(9),
    lambda tree: tree.add_nodes_from([9]),
    lambda tree: tree.add_edge(C, D),
    lambda tree: tree.add_edges_from([(C, D)]),
    lambda tree: tree.add_weighted_edges_from([(C, D, 1.0)]),
    lambda tree: tree.remove_node(C),
    lambda tree: tree.remove_nodes_from([C]),
    lambda tree: tree.remove_edge(B1, C),
    lambda tree: tree.remove_edges_from([(B1, C)]),
    lambda tree: tree.update([(C, D)]),
    lambda tree: tree.clear(),
    lambda tree: tree.clear_edges(),
    lambda tree: tree.graph.update(name="x"),
    lambda tree: setattr(tree, "name", "x"),
    lambda tree: tree.nodes[A].update(tag="x"),
    lambda tree: tree.nodes[A].__setitem__("tag", "x"),
    lambda tree: tree.edges[A, B1].setdefault("weight", 1),
    lambda tree: nx.set_node_attributes(tree, {A: {"tag": "x"}}),
    lambda tree: nx.set_node_attributes(tree, "x", "tag"),
    lambda tree: nx.set_edge_attributes(tree, 1, "weight"),
    lambda tree: nx.relabel_nodes(tree, {A: 9}, copy=False),
    lambda tree: nx.add_path(tree, [C, D]),
    lambda tree: tree.subgraph([A, B1]).add_node(9),
    lambda tree: tree.reverse(copy=False).remove_node(A),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_tree_cannot_be_changed(change: Callable[[nx.DiGraph[int]], object]) -> None:
    tree = parse_document(SOURCE)
    with pytest.raises(
        nx.NetworkXError, match=r"element trees are read-only: .* tree.copy|Frozen graph"
    ):
        change(tree)
    assert_equal_graphs(tree, built_graph(SOURCE))
    assert nx.is_frozen(tree)


@pytest.mark.parametrize(
    "use",
    [
        lambda tree, path: tree[path],
        lambda tree, path: tree.nodes[path],
        lambda tree, path: tree.has_node(path),
        lambda tree, path: tree.subgraph([path]),
        nx.descendants,
        lambda tree, path: nx.has_path(tree, 0, path),
        lambda tree, path: nx.shortest_path(tree, path, 1),
    ],
)
def test_a_path_as_a_node_is_an_error_that_names_the_row(use: Callable[..., object]) -> None:
    hint = r"the nodes of an element tree are rows: use tree.row\('/a\[1\]/b\[1\]'\)"
    with pytest.raises(nx.NetworkXError, match=hint):
        use(parse_document(SOURCE), "/a[1]/b[1]")


def test_a_row_that_does_not_exist_is_the_error_of_networkx() -> None:
    tree = parse_document(SOURCE)
    with pytest.raises(nx.NetworkXError, match="The node 5 is not in the digraph"):
        nx.descendants(tree, 5)
    with pytest.raises(nx.NetworkXError, match="is not in the digraph"):
        next(tree.predecessors(-1))
    with pytest.raises(KeyError):
        tree.nodes[5]


def test_a_tree_prints_its_root_and_its_number_of_elements() -> None:
    tree = parse_document(SOURCE)
    assert str(tree) == repr(tree) == "<ElementTree /a[1]: 5 elements>"
