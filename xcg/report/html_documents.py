"""Shorten documents to the elements that explanations of the HTML report name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xcg.documents.tree import ElementTree
from xcg.report.html_context import Json

# Limits on the size of the file.
MAX_TEXT = 300
"""Characters of text kept for each node."""
MAX_TOTAL_TEXT = 5_000_000
"""Bytes of text kept for all documents."""
MAX_NODES = 150_000
"""Nodes after which documents have no text."""


@dataclass
class ReportDocument:
    """A document of the report.

    Attributes:
        file: Its name.
        tree: Its elements.
        named_rows: The rows of the tree that explanations name; the root is always one.
        number: Its index in the data of the report.
        node_of_row: Row of the tree → index of its node.
    """

    file: str
    tree: ElementTree
    named_rows: set[int] = field(default_factory=lambda: {0})
    number: int = 0
    node_of_row: Mapping[int, int] = field(default_factory=dict)


def document_data(
    documents: Iterable[ReportDocument], has_corpus: bool, limits: list[str]
) -> list[Json]:
    """Return documents as lists of nodes, and set the number and the nodes of each.

    Args:
        documents: The documents.
        has_corpus: Whether the documents have text.
        limits: Receives a sentence if text is left out.
    """
    data: list[Json] = []
    remaining_text, remaining_nodes = MAX_TOTAL_TEXT, MAX_NODES
    text_is_left_out = False
    for number, document in enumerate(documents):
        text = None
        if has_corpus and remaining_text > 0 and remaining_nodes > 0:
            text = document.tree.text
        outline = _Outline(document, text)
        document.number, document.node_of_row = number, outline.node_of_row
        if text is not None:
            remaining_text -= sum(len(node[2].encode("utf-8", "replace")) for node in outline.nodes)
        elif has_corpus:
            text_is_left_out = True
        remaining_nodes -= len(outline.nodes)
        data.append({"file": document.file, "nodes": outline.nodes})
    if text_is_left_out:
        limits.append("To keep this file small, the text of further documents is left out.")
    return data


class _Outline:
    """A document as nodes in document order: (index of the parent, name, text).

    Named elements and their ancestors are nodes of their own. The text between them is a node without
    a name; adjacent elements between them share one node.
    """

    def __init__(self, document: ReportDocument, text: str | None) -> None:
        self._tree = tree = document.tree
        self._text = text
        self._start = tree.start.tolist()
        self._stop = tree.stop.tolist()
        parent = tree.parent.tolist()
        self._shown: set[int] = set()
        for named in document.named_rows:
            row = named
            while row >= 0 and row not in self._shown:
                self._shown.add(row)
                row = parent[row]
        self._with_shown_children = {parent[row] for row in self._shown} - {-1}
        self.nodes: list[tuple[int, str, str]] = []
        self.node_of_row: dict[int, int] = {}
        # A stack instead of recursion, because documents can be deep. Items are (parent's node, row)
        # or (parent's node, (name, text)).
        stack: list[tuple[int, int | tuple[str, str]]] = [(-1, 0)]
        while stack:
            parent_node, item = stack.pop()
            if isinstance(item, tuple):
                self.nodes.append((parent_node, *item))
                continue
            node = self.node_of_row[item] = len(self.nodes)
            has_children = item in self._with_shown_children
            own_text = "" if has_children else self._excerpt(self._start[item], self._stop[item])
            self.nodes.append((parent_node, self._step(item), own_text))
            if has_children:
                stack += [(node, child) for child in reversed(self._children(item))]

    def _children(self, row: int) -> list[int | tuple[str, str]]:
        """Return shown children as rows, and what is between them as (name, text), in order."""
        children = list(self._tree.children(row))
        if self._text is None:
            return [child for child in children if child in self._shown]
        has_own_text = self._has_own_text(row, children)
        items: list[int | tuple[str, str]] = []
        hidden: list[int] = []  # children since the last shown child
        begin = self._start[row]

        def add_hidden(end: int) -> None:
            excerpt = self._excerpt(begin, end)
            if not excerpt:
                return
            name = ""
            if not has_own_text:
                first, last = self._step(hidden[0]), self._step(hidden[-1])
                name = first if first == last else f"{first} … {last}"
            items.append((name, excerpt))

        for child in children:
            if child not in self._shown:
                hidden.append(child)
                continue
            add_hidden(self._start[child])
            items.append(child)
            hidden.clear()
            begin = self._stop[child]
        add_hidden(self._stop[row])
        return items

    def _has_own_text(self, row: int, children: list[int]) -> bool:
        """Return whether an element has text outside its children."""
        assert self._text is not None
        begins = [self._start[row], *(self._stop[child] for child in children)]
        ends = [*(self._start[child] for child in children), self._stop[row]]
        return any(self._text[begin:end].strip() for begin, end in zip(begins, ends, strict=True))

    def _step(self, row: int) -> str:
        return f"{self._tree.tag(row)}[{int(self._tree.positions[row])}]"

    def _excerpt(self, start: int, stop: int) -> str:
        """Return text on one line, shortened if it is long."""
        if self._text is None:
            return ""
        end = min(stop, start + 4 * MAX_TEXT)
        line = " ".join(self._text[start:end].split())
        if len(line) > MAX_TEXT or end < stop:
            return line[:MAX_TEXT].rstrip() + " …"
        return line
