"""Write a document as HTML that shows its structure and has exactly its text.

Assessors mark characters of the text of a document, and the browser counts the characters of the page.
So the text of the page must be the text of the document, character by character. HTML parsers move,
repair and drop content in ``p``, ``table``, ``pre`` and others. The page therefore has only ``div`` and
``span``, with classes for the style sheet and ARIA roles for screen readers, and MathML for formulas.
All text is escaped. Of the attributes, only alternative texts and the spans of cells reach the page.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xcg.documents import markup
from xcg.documents.corpus import Corpus
from xcg.documents.parsing import ENTITY, document_root, entity_references, parse_document
from xcg.documents.sources import converter_of
from xcg.documents.tree import ElementTree
from xcg.lazy_modules import etree

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    Rule = Callable[[StateInline, bool], bool]


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
_PARTS_OF_LINE = ("title", "subtitle", "metadata", "authors", "list label", "reference", "quote")
ROLES_IN_TEXT = dict.fromkeys(_PARTS_OF_LINE, "inline") | {
    **{"graphic": "image", "code": "monospace", "term": "italic"}
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
_PARENTS = {role for _, parents in ARIA_ROLES_WITHIN.values() for role in parents}
"""Roles that need such children."""

_LONGEST_TITLE = 300
_FIRST_LEVEL = 2
"""Level of the highest heading of a document; the topic is the heading of the page."""
_LOWEST_LEVEL = 6
_MOST_SPANNED = 1000
"""Maximum number of rows or columns of a cell, as in HTML."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ROWS = {"row", "rows", "heading rows"}
_WITH_CAPTIONS = {"caption", "figure", "table", "list", "ordered list", "definitions", "note"}
"""Roles of elements whose titles are captions."""
_MATH = "math"
_WITH_SOURCE: dict[markup.Converter | None, frozenset[str]] = {
    markup.markdown_to_xml: frozenset(("code", "table")),
    markup.text_to_xml: frozenset(("code", "title", "paragraph")),
}
"""markup.Converter of a format whose text is that of the file → roles of elements with its lines."""


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
    where, data = corpus.where(name), corpus.source.read(name)
    tree = parse_document(data, where)
    with_source = _WITH_SOURCE.get(converter_of(where), frozenset())
    marks = _entities(tree.text, entity_references(data, where))
    if converter_of(where) is markup.markdown_to_xml:
        marks = ((start, end, f' class="{style}"') for start, end, style in markdown_styles(tree.text))
    page = _Page(tree, document_root(data, where), marks, with_source)
    html = "".join(page.pieces())
    title = " ".join(page.title.split())
    title = (title.strip("#=- ") if with_source else title) or name
    if len(title) > _LONGEST_TITLE:
        title = f"{title[: _LONGEST_TITLE - 1]}…"
    return Rendering(html, tree.text, title)


_Mark = tuple[int, int, str]
"""Characters start to end - 1 of the text, and their attributes in the page."""


def _entities(text: str, names: list[str]) -> Iterator[_Mark]:
    """Yield the references to entities, which are one character of the text, with their names."""
    places = [place.start() for place in re.finditer(ENTITY, text)]
    if len(names) != len(places):  # the text has this character itself
        names = ["?"] * len(places)
    for at, name in zip(places, names, strict=True):
        yield at, at + 1, f' class="entity" title="&amp;{escape(name)};"'


def _spans_of_cell(node: etree._Element) -> Iterator[tuple[str, int]]:
    """Yield the numbers of columns and rows of a cell that has several, as in HTML or CALS."""
    rows = node.get("rowspan", "")
    more = node.get("morerows", "")
    columns = node.get("colspan", "")
    specs = [spec.get("colname") for spec in node.iterfind("../../../{*}colspec")]
    names = [node.get("namest"), node.get("nameend")]
    if all(name in specs for name in names):
        columns = str(specs.index(names[1]) - specs.index(names[0]) + 1)
    if more.isdecimal():
        rows = str(int(more) + 1)
    for name, number in (("aria-colspan", columns), ("aria-rowspan", rows)):
        if number.isdecimal() and 1 < int(number) <= _MOST_SPANNED:
            yield name, int(number)


class _Element:
    """An element of a page; its parent is classified first."""

    def __init__(self, name: str = "", parent: _Element | None = None) -> None:
        self.name = name
        self.parent = parent or self
        self.children: list[_Element] = []
        self.has_text = self.has_words = False
        self.role = ""
        self.is_text = False  # unknown elements in it are parts of a line
        self.level = 0
        if parent is not None:
            parent.children.append(self)

    def classify(self) -> None:
        """Set the role of the element."""
        name, parent = self.name, self.parent
        if parent.role.startswith(_MATH):
            self.role = f"{_MATH} {name if name in MATH_NAMES else 'mrow'}"
            if self.has_words and name not in MATH_TOKENS:
                self.role = f"{_MATH} mtext"
        else:
            role = ROLES.get(name, "")
            if name == "head" and parent.role == "group" and parent.name == "html":
                role = "group"
            if parent.is_text or (role in ROLES_IN_TEXT and role != "title" and parent.has_words):
                role = ROLES_IN_TEXT.get(role, role)
            if not role:
                role = "inline" if parent.is_text or parent.has_words else "block"
            if role == "table" and not any(ROLES.get(child.name) in _ROWS for child in self.children):
                role = "figure"
            self.role = "block" if parent.name == "" and role in INLINE_ROLES else role
        self.is_text = self.role in TEXT_ROLES or self.role.startswith(_MATH)
        self.level = parent.level + (self.role == "section")

    @cached_property
    def has_parts(self) -> bool:
        """Whether it has the children that its ARIA role needs, and no other child with a role."""
        if self.role not in _PARENTS:
            return True
        parts = [child for child in self.children if self.role in _parents_of(child)]
        others = any(child.role in ARIA_ROLES for child in self.children)
        return any(part.has_parts for part in parts) and not others

    @cached_property
    def aria(self) -> str:
        """The ARIA role; empty without one."""
        if not self.has_parts:
            return ""
        if self.parent.role in _parents_of(self):
            return ARIA_ROLES_WITHIN[self.role][0] if self.parent.aria else ""
        return ARIA_ROLES.get(self.role, "")

    @property
    def tag(self) -> str:
        """The element of the page."""
        if self.role.startswith(_MATH):
            return self.role.split()[-1]
        return "span" if self.role in INLINE_ROLES else "div"


def _parents_of(element: _Element) -> tuple[str, ...]:
    return ARIA_ROLES_WITHIN.get(element.role, ("", ()))[1]


class _Page:
    """Writes the elements of a document in order.

    Attributes:
        title: The text of the first title, empty if there is none.
    """

    def __init__(
        self, tree: ElementTree, root: etree._Element, marks: Iterable[_Mark], sources: frozenset[str]
    ) -> None:
        self.title = ""
        self._level = _FIRST_LEVEL - 1  # of the last heading; levels are not skipped
        self._text = tree.text
        self._nodes = list(root.iter("*"))
        self._marks = deque(marks)
        self._with_source = sources
        self._starts, self._stops = tree.start.tolist(), tree.stop.tolist()
        self._ends = tree.end.tolist()
        outside = _Element()
        self._elements: list[_Element] = []
        for row, parent in enumerate(tree.parent.tolist()):
            above = self._elements[parent] if parent >= 0 else outside
            self._elements.append(_Element(tree.tag(row).lower(), above))
        position = 0
        for row, _, at in self._tags():
            if at > position:
                self._elements[row].has_text = True
                self._elements[row].has_words |= not self._text[position:at].isspace()
                position = at
        for element in self._elements:
            element.classify()
        self._has_title = any(one.role == "title" and not one.level for one in self._elements)

    def _tags(self) -> Iterator[tuple[int, int, int]]:
        """Yield every tag as the row around it, the opened row or -1, and its position."""
        open_rows: list[int] = []
        for row, start in enumerate(self._starts):
            yield open_rows[-1] if open_rows else row, row, start
            open_rows.append(row)
            while open_rows and self._ends[open_rows[-1]] == row + 1:
                closed = open_rows.pop()
                yield closed, -1, self._stops[closed]

    def pieces(self) -> Iterator[str]:
        """Yield the HTML of the document in pieces."""
        position = 0
        for row, opened, at in self._tags():
            yield from self._marked(position, at)
            position = at
            if opened < 0:
                yield f"</{self._elements[row].tag}>"
            else:
                element = self._elements[opened]
                yield f"<{element.tag}{self._attributes(element, opened)}>"
                yield "<br>" if element.role == "break" else ""

    def _marked(self, start: int, stop: int) -> Iterator[str]:
        """Yield the HTML of a text between two tags."""
        while self._marks and self._marks[0][0] < stop:
            first, end, attributes = self._marks.popleft()
            if end > stop:
                self._marks.appendleft((stop, end, attributes))
            yield _escaped(self._text[start : max(first, start)])
            start = max(first, start)
            yield f"<span{attributes}>{_escaped(self._text[start : min(end, stop)])}</span>"
            start = min(end, stop)
        yield _escaped(self._text[start:stop])

    def _attributes(self, element: _Element, row: int) -> str:
        role, above = element.role, element.parent.role
        if role.startswith(_MATH):
            return ""
        classes = [role.replace(" ", "-")]
        aria, more = element.aria, ""
        if role == "title" and above in _WITH_CAPTIONS:
            classes = ["caption-title"]
        elif role == "title":
            number = max(element.level + self._has_title, 1)
            number = int(element.name[1]) if element.name in _HEADINGS else number
            classes.append(f"level-{min(number, _LOWEST_LEVEL)}")
            text = self._text[self._starts[row] : self._stops[row]].strip()
            self.title = self.title or text
            if text:
                aria = "heading"
                self._level = min(number + _FIRST_LEVEL - 1, self._level + 1, _LOWEST_LEVEL)
                more = f' aria-level="{self._level}"'
        elif role in ("cell", "heading cell"):
            spans = _spans_of_cell(self._nodes[row]) if aria else ()
            more = "".join(f' {key}="{number}"' for key, number in spans)
        elif role in ("graphic", "image") and self._starts[row] == self._stops[row]:
            description = self._nodes[row].get("alt")
            if description != "":  # decoration
                aria = "img"
                label = f"Image: {description}" if description else "Image without description"
                more = f' aria-label="{escape(label)}"'
        classes += ["source"] * (role in self._with_source)
        return f' class="{" ".join(classes)}"' + (f' role="{aria}"' if aria else "") + more


def _escaped(text: str) -> str:
    """Escape text; parsers of HTML would replace a carriage return by a line feed."""
    return escape(text, quote=False).replace("\r", "&#13;")


_STYLES = ("bold", "italic", "link", "markup", "monospace")
_MAYBE_MARKUP = re.compile(r"[*_`\[]")


class Style(NamedTuple):
    """Characters start to end - 1 of a source, and their classes in the style sheet."""

    start: int
    end: int
    classes: str


def markdown_styles(text: str) -> Iterator[Style]:
    """Yield the styles of a Markdown source in order, without overlap; markup is a style too.

    >>> for start, end, classes in markdown_styles("- a **b *c***"):
    ...     print(start, end, classes)
    0 2 markup
    4 6 markup
    6 8 bold
    8 9 markup
    9 10 bold italic
    10 11 markup
    11 13 markup
    """
    shown = bytearray(len(text))  # the styles of each character

    def add(start: int, end: int, style: str) -> None:
        for at in range(start, end):
            shown[at] |= 1 << _STYLES.index(style)

    lines, parser = list(markup.line_spans(text)), _parser()
    references: dict[str, Any] = {}
    for above, token in pairwise(parser.parse(markup.LINE_BREAK.sub("\n", text), references)):
        if token.type != "inline" or not token.map or above.type in ("th_open", "td_open"):
            continue
        block, content = lines[slice(*token.map)], token.content.split("\n")
        starts = [text.rfind(line, *span) for line, span in zip(content, block, strict=False)]
        if min(starts) < 0:  # tabs may have been expanded
            continue
        positions: list[int] = []  # of the characters of the content and its line breaks
        for (first, _), start, line in zip(block, starts, content, strict=False):
            if text[first:start].strip():
                add(first, start, "markup")
            positions += range(start, start + len(line) + 1)
        tokens: list[Token] = []
        if _MAYBE_MARKUP.search(token.content):
            parser.inline.parse(token.content, parser, references, tokens)
        for start, end, style in _of_tokens(tokens):
            if start < end:
                add(positions[start], positions[end - 1] + 1, style)
    for run in re.finditer(rb"([^\0])\1*", shown):
        names = [name for bit, name in enumerate(_STYLES) if run[1][0] >> bit & 1]
        yield Style(*run.span(), "markup" if "markup" in names else " ".join(names))


def _of_tokens(tokens: list[Token]) -> Iterator[Style]:
    """Yield the styles of inline tokens; positions are those of the content."""
    opened: list[int] = []
    for token in tokens:
        yield from token.meta.get("styles", ())
        size = len(token.markup)
        if token.type in ("em_open", "strong_open"):  # the last marker of the opening ones
            opened.append(token.meta["at"] + 1)
            yield Style(opened[-1] - size, opened[-1], "markup")
        elif token.type in ("em_close", "strong_close"):  # the first marker of the closing ones
            at = token.meta["at"]
            yield Style(opened.pop(), at, "italic" if size == 1 else "bold")
            yield Style(at, at + size, "markup")


def _parser() -> MarkdownIt:
    parser = markup.markdown_parser()
    ruler = parser.inline.ruler
    for name, rule in zip(ruler.get_active_rules(), ruler.getRules(""), strict=True):
        if name in ("emphasis", "backticks", "link", "image"):
            ruler.at(name, _recording(rule))
    return parser


def _recording(rule: Rule) -> Rule:
    """Return a rule that also writes the positions of what it finds into its tokens."""

    def record(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        is_match = rule(state, silent)
        if not is_match or silent or len(state.tokens) == count:
            return is_match
        end, last, first = state.pos, state.tokens[-1], state.src[start]
        if first in "*_":
            for at, token in enumerate(state.tokens[start - end :], start):
                token.meta["at"] = at
            return True
        if first == "`":
            size, kind = len(last.markup), "monospace"
            inner, inner_end = start + size, end - size
        else:
            inner, kind = start + 1 + (first == "!"), "link"
            inner_end = state.md.helpers.parseLinkLabel(state, inner - 1, first == "[")
        last.meta["styles"] = (
            Style(start, inner, "markup"),
            Style(inner, inner_end, kind),
            Style(inner_end, end, "markup"),
        )
        return True

    return record
