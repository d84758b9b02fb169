"""Passages by points, as X-Rai and the submissions of INEX 2005 and after write them.

A point is an element's path, or a character of a text node: ``/article[1]/p[2]/text()[1].17``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from xcg.documents.paths import canonical_path
from xcg.documents.tree import ElementTree, UnknownPathError

_TEXT = re.compile(r"(.*)/text\(\)(?:\[([1-9][0-9]{0,8})\])?\.([0-9]{1,12})\Z", re.DOTALL)


class Point(NamedTuple):
    """A place in a document.

    path: a canonical element path. node: which of the element's own text nodes, from 1, and ``offset``
    how many of its characters stand before the point; node 0 means the element itself.
    """

    path: str
    node: int = 0
    offset: int = 0

    @classmethod
    def of(cls, text: str) -> Point:
        """Return the point that a text names.

        >>> Point.of("/article/p[2]/text()[1].17")
        Point(path='/article[1]/p[2]', node=1, offset=17)

        Raises ValueError for what is neither an element path nor a place in a text node.
        """
        match = _TEXT.match(text.strip())
        if match is None:
            return cls(canonical_path(text))
        return cls(canonical_path(match[1]), int(match[2] or 1), int(match[3]))

    def character(self, tree: ElementTree, last: bool = False) -> int:
        """Return the character of the document's text at which the point stands.

        last: an element means its end. Raises UnknownPathError for what the document does not have.
        """
        row = tree.row(self.path)
        if not self.node:
            return int(tree.stop[row] if last else tree.start[row])
        place = int(tree.start[row])
        nodes = []
        for child in tree.children(row):
            nodes.append((place, int(tree.start[child])))
            place = int(tree.stop[child])
        nodes.append((place, int(tree.stop[row])))
        nodes = [node for node in nodes if node[0] < node[1]]
        if self.node > len(nodes):
            raise UnknownPathError(f"no {self}: {self.path} has {len(nodes)} text nodes")
        start, stop = nodes[self.node - 1]
        if self.offset > stop - start:
            raise UnknownPathError(f"no {self}: that text node has {stop - start} characters")
        return start + self.offset

    def __str__(self) -> str:
        return f"{self.path}/text()[{self.node}].{self.offset}" if self.node else self.path


class Passage(NamedTuple):
    """The text from one point to another: from the start of an element, to the end of one."""

    start: Point
    end: Point

    @classmethod
    def of(cls, start: str, end: str) -> Passage:
        """Return the passage between two points; ValueError for what is no point."""
        if not start or not end:
            raise ValueError("the passage lacks its start or end")
        return cls(Point.of(start), Point.of(end))

    def characters(self, tree: ElementTree) -> tuple[int, int]:
        """Return the first character of the passage in the document's text, and the one behind it.

        A point in a text node stands between two characters, so that ``text()[1].0`` to
        ``text()[1].17`` are 17 characters. Raises UnknownPathError for a point that the document does
        not have, and for a passage without text.

        >>> from xcg.documents.parsing import parse_document
        >>> tree = parse_document(b"<a>one <b>two</b> three</a>")
        >>> Passage.of("/a/b", "/a/text()[2].3").characters(tree)
        (4, 10)
        """
        start, end = self.start.character(tree), self.end.character(tree, last=True)
        if start >= end:
            raise UnknownPathError(f"the passage {self.start} – {self.end} holds no text")
        return start, end
