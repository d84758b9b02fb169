"""Write a document as HTML that shows its structure and has exactly its text.

Assessors mark characters of the text of a document, and the browser counts the characters of the page.
So the text of the page must be the text of the document, character by character. HTML parsers move,
repair and drop content in ``p``, ``table``, ``pre`` and others. The page therefore has only ``div`` and
``span``, with classes for the style sheet and ARIA roles for screen readers, and MathML for formulas.
All text is escaped, and no attribute of a document reaches the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.markup import Converter, markdown_to_xml, text_to_xml
from xcg.documents.sources import converter_of
from xcg.documents.tree import ElementTree


def _vocabulary() -> Mapping[str, Mapping[str, list[str]]]:
    """Return kind of element → role → names."""
    import tomllib

    text = Path(__file__).with_name("element_roles.toml").read_text(encoding="utf-8")
    return {
        kind: {role.replace("-", " "): names.split() for role, names in roles.items()}
        for kind, roles in tomllib.loads(text).items()
    }


_VOCABULARY = _vocabulary()
MATH_NAMES, MATH_TOKENS = map(frozenset, _VOCABULARY["formulas"].values())
ROLES = {
    name: role
    for kind in ("blocks", "text", "inline")
    for role, names in _VOCABULARY[kind].items()
    for name in names
}
"""Local name in lower case → role."""
INLINE_ROLES = frozenset(_VOCABULARY["inline"])
"""Roles of parts of a line."""
TEXT_ROLES = INLINE_ROLES.union(_VOCABULARY["text"])
"""Roles of elements with running text."""
ROLES_IN_TEXT = {
    **dict.fromkeys(
        ("title", "subtitle", "metadata", "authors", "list label", "graphic", "reference", "quote"),
        "inline",
    ),
    "code": "monospace",
    "term": "italic",
}
"""Role → role of elements with the same names inside running text."""

ARIA_ROLES = {name: name for name in ("figure", "note", "list", "table")} | {"ordered list": "list"}
"""Role → ARIA role of a block that needs no particular parent."""

ARIA_ROLES_WITHIN = {
    "item": ("listitem", ("list", "ordered list")),
    "rows": ("rowgroup", ("table",)),
    "heading rows": ("rowgroup", ("table",)),
    "row": ("row", ("table", "rows", "heading rows")),
    "cell": ("cell", ("row",)),
    "heading cell": ("columnheader", ("row",)),
}
"""Role → ARIA role, and the roles of parents that it needs."""

_LONGEST_TITLE = 300
_FIRST_LEVEL = 2
"""Level of the highest heading of a document; the topic is the heading of the page."""
_LOWEST_LEVEL = 6
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ROWS = {"row", "rows", "heading rows"}
_WITH_CAPTIONS = {"caption", "figure", "table", "list", "ordered list", "definitions", "note"}
"""Roles of elements whose titles are captions."""
_MATH = "math"


_WITH_SOURCE: dict[Converter | None, frozenset[str]] = {
    markdown_to_xml: frozenset(("code", "table")),
    text_to_xml: frozenset(("code", "title", "paragraph")),
}
"""Converter of a format whose text is that of the file → roles of elements with its lines."""


class Rendering(NamedTuple):
    """A document as HTML.

    Attributes:
        html: The content of the element that shows the document.
        text: The document's text, which is also the text of the HTML.
        title: The document's title on one line, or its name.
    """

    html: str
    text: str
    title: str


def render(corpus: Corpus, name: str) -> Rendering:
    """Write a document as HTML.

    Elements with unknown names are parts of a line inside running text and next to text, otherwise
    blocks.

    Args:
        corpus: The corpus.
        name: The name of the document.

    Raises:
        InputError: If the corpus does not have the document, or it is not well-formed XML.

    >>> from xcg.documents.corpus import Corpus
    >>> render(Corpus.of({"d": "<bdy><p>Bees <it>dance</it>.</p></bdy>"}), "d").html
    '<div class="group"><div class="paragraph">Bees <span class="italic">dance</span>.</div></div>'
    """
    tree = corpus.tree(name)
    converter = _converter(corpus.where(name))
    page = _Page(tree, _WITH_SOURCE.get(converter, frozenset()))
    html = "".join(page.pieces())
    title = " ".join(page.title.split())
    title = (title.strip("#=- ") if converter else title) or name
    if len(title) > _LONGEST_TITLE:
        title = f"{title[: _LONGEST_TITLE - 1]}…"
    return Rendering(html, tree.text, title)


def _converter(file: str) -> Converter | None:
    """Return the function that converts a file whose text is the text of the document."""
    converter = converter_of(file)
    return converter if converter in _WITH_SOURCE else None


class _Page:
    """Writes the elements of a document in order.

    Attributes:
        title: The text of the first title, empty if there is none.
    """

    def __init__(self, tree: ElementTree, with_source: frozenset[str]) -> None:
        self.title = ""
        self._text = tree.text
        self._with_source = with_source
        self._names = [tree.tag(row) for row in range(len(tree))]
        self._parents = tree.parent.tolist()
        self._ends = tree.end.tolist()
        self._starts, self._stops = tree.start.tolist(), tree.stop.tolist()
        self._has_words = [False] * len(tree)
        self._has_text = [False] * len(tree)
        for row, start, stop in self._text_nodes():
            self._has_text[row] = True
            self._has_words[row] = self._has_words[row] or not self._text[start:stop].isspace()
        self._children: list[list[int]] = [[] for _ in range(len(tree))]
        for row, parent in enumerate(self._parents):
            if parent >= 0:
                self._children[parent].append(row)
        self._roles = [""] * len(tree)
        self._is_text = [False] * len(tree)
        self._levels = [0] * len(tree)
        for row in range(len(tree)):
            self._classify(row)
        titles = (row for row, role in enumerate(self._roles) if role == "title")
        self._has_title = any(not self._levels[row] for row in titles)

    def _text_nodes(self) -> Iterator[tuple[int, int, int]]:
        """Yield the row, start and end of every text node in order."""
        position = 0
        for row, _, at in self._tags():
            if at > position:
                yield row, position, at
                position = at

    def _tags(self) -> Iterator[tuple[int, int, int]]:
        """Yield every tag as the row around it, the opened row or -1, and its position."""
        open_rows: list[int] = []
        for row, start in enumerate(self._starts):
            yield open_rows[-1] if open_rows else row, row, start
            open_rows.append(row)
            while open_rows and self._ends[open_rows[-1]] == row + 1:
                closed = open_rows.pop()
                yield closed, -1, self._stops[closed]

    def _classify(self, row: int) -> None:
        """Set the role of an element, and whether unknown elements in it are parts of a line."""
        name, parent = self._names[row].lower(), self._parents[row]
        in_text = parent >= 0 and self._is_text[parent]
        above = self._roles[parent] if parent >= 0 else ""
        if above.startswith(_MATH):
            role = f"{_MATH} {name if name in MATH_NAMES else 'mrow'}"
            if self._has_words[row] and name not in MATH_TOKENS:
                role = f"{_MATH} mtext"
        else:
            role = ROLES.get(name, "")
            if name == "head" and above == "group" and self._names[parent].lower() == "html":
                role = "group"
            if in_text or (role in ROLES_IN_TEXT and role != "title" and self._is_beside_words(row)):
                role = ROLES_IN_TEXT.get(role, role)
            if not role:
                role = "inline" if in_text or self._is_beside_words(row) else "block"
            if role == "table" and not self._has_rows(row):
                role = "figure"
            if parent < 0 and role in INLINE_ROLES:
                role = "block"
        self._roles[row] = role
        self._is_text[row] = role in TEXT_ROLES or role.startswith(_MATH)
        self._levels[row] = (self._levels[parent] if parent >= 0 else 0) + (role == "section")

    def _is_beside_words(self, row: int) -> bool:
        parent = self._parents[row]
        return bool(parent >= 0 and self._has_words[parent])

    def _has_rows(self, row: int) -> bool:
        return any(ROLES.get(self._names[child].lower()) in _ROWS for child in self._children[row])

    def pieces(self) -> Iterator[str]:
        """Yield the HTML of the document in pieces."""
        position = 0
        for row, opened, at in self._tags():
            if at > position:
                yield _escaped(self._text[position:at])
                position = at
            if opened < 0:
                yield f"</{self._tag(row)}>"
            else:
                yield f"<{self._tag(opened)}{self._attributes(opened)}>"
                if self._roles[opened] == "break":
                    yield "<br>"

    def _tag(self, row: int) -> str:
        role = self._roles[row]
        if role.startswith(_MATH):
            return role.split()[-1]
        return "span" if role in INLINE_ROLES else "div"

    def _attributes(self, row: int) -> str:
        role, name, parent = self._roles[row], self._names[row].lower(), self._parents[row]
        above = self._roles[parent] if parent >= 0 else ""
        if role.startswith(_MATH):
            return ""
        classes = [role.replace(" ", "-")]
        aria = ARIA_ROLES.get(role, "")
        level = 0
        if role in ARIA_ROLES_WITHIN and above in ARIA_ROLES_WITHIN[role][1]:
            aria = ARIA_ROLES_WITHIN[role][0]
        if role == "title" and above in _WITH_CAPTIONS:
            classes = ["caption-title"]
        elif role == "title":
            aria = "heading"
            level = max(self._levels[row] + self._has_title, 1)
            if name in _HEADINGS:
                level = int(name[1])
            classes.append(f"level-{min(level, _LOWEST_LEVEL)}")
            self.title = self.title or self._text[self._starts[row] : self._stops[row]].strip()
        if role in self._with_source:
            classes.append("source")
        if self._are_fields(row):
            classes.append("fields")
        attributes = f' class="{" ".join(classes)}"'
        if aria:
            attributes += f' role="{aria}"'
        if level:
            attributes += f' aria-level="{min(level + _FIRST_LEVEL - 1, _LOWEST_LEVEL)}"'
        return attributes

    def _are_fields(self, row: int) -> bool:
        """Return whether an element has only parts of a line without even a blank between them."""
        children = self._children[row]
        if len(children) < 2 or self._has_text[row]:
            return False
        return all(self._roles[child] in {"inline", "link"} for child in children)


def _escaped(text: str) -> str:
    """Escape text; parsers of HTML would replace a carriage return by a line feed."""
    return escape(text, quote=False).replace("\r", "&#13;")
