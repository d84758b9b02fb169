"""Passages between two points, as in X-Rai assessments and submissions since INEX 2005.

A point is an element's path, or an offset in a text node: ``/article[1]/p[2]/text()[1].17``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from xcg.documents.paths import canonical_path
from xcg.documents.tree import ElementTree, UnknownPathError

_TEXT = re.compile(r"(.*)/text\(\)(?:\[([1-9][0-9]{0,8})\])?\.([0-9]{1,12})\Z", re.DOTALL)


class Point(NamedTuple):
    """A point in a document.

    Attributes:
        path: Canonical path of an element.
        node: Number of the element's text node, from 1; 0 for the element itself.
        offset: Number of characters of the text node before the point.
    """

    path: str
    node: int = 0
    offset: int = 0

    @classmethod
    def of(cls, text: str) -> Point:
        """Parse a point.

        >>> Point.of("/article/p[2]/text()[1].17")
        Point(path='/article[1]/p[2]', node=1, offset=17)

        Raises:
            ValueError: If it is neither an element path nor an offset in a text node.
        """
        match = _TEXT.match(text.strip())
        if match is None:
            return cls(canonical_path(text))
        return cls(canonical_path(match[1]), int(match[2] or 1), int(match[3]))

    def character(self, tree: ElementTree, last: bool = False) -> int:
        """Return the offset of the point in the document's text.

        Args:
            tree: The document.
            last: Whether an element means its end instead of its start.

        Raises:
            UnknownPathError: If the document does not have the element, text node or offset.
        """
        row = tree.row(self.path)
        if not self.node:
            return int(tree.stop[row] if last else tree.start[row])
        nodes = tree.text_nodes(row)
        if self.node > len(nodes):
            raise UnknownPathError(f"no {self}: {self.path} has {len(nodes)} text nodes")
        start, stop = nodes[self.node - 1]
        if self.offset > stop - start:
            raise UnknownPathError(f"no {self}: that text node has {stop - start} characters")
        return start + self.offset

    def __str__(self) -> str:
        return f"{self.path}/text()[{self.node}].{self.offset}" if self.node else self.path


class Passage(NamedTuple):
    """The text between two points; an element means its start in the first, its end in the second."""

    start: Point
    end: Point

    @classmethod
    def of(cls, start: str, end: str) -> Passage:
        """Parse the two points of a passage.

        Raises:
            ValueError: If a point is illegal or empty.
        """
        if not start or not end:
            raise ValueError("the passage has no start or no end")
        return cls(Point.of(start), Point.of(end))

    def characters(self, tree: ElementTree) -> tuple[int, int]:
        """Return the start and end of the passage in the document's text.

        A point in a text node is between two characters: ``text()[1].0`` to ``text()[1].17`` are 17
        characters.

        Raises:
            UnknownPathError: If the document does not have a point, or the passage has no text.

        >>> from xcg.documents.parsing import parse_document
        >>> tree = parse_document(b"<a>one <b>two</b> three</a>")
        >>> Passage.of("/a/b", "/a/text()[2].3").characters(tree)
        (4, 10)
        """
        start, end = self.start.character(tree), self.end.character(tree, last=True)
        if start >= end:
            raise UnknownPathError(f"the passage {self.start} – {self.end} contains no text")
        return start, end
