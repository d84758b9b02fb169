"""Write an article of the sample corpus as text or HTML, from either of its two markups."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

from lxml import etree

from xcg.documents.files import local_name, open_input
from xcg.documents.serialising import document_root
from xcg.documents.sources import LARGEST_DOCUMENT
from xcg.errors import InputError, XcgError, nearest, printable
from xcg.tables import text_table, with_references

# The names of elements in both markups, by their role.
_TITLES = {"ti", "article-title", "st", "title"}
_PARAGRAPHS = {"p", "ip1", "bb", "mixed-citation"}
_SECTIONS = {"sec", "ss1", "ss2", "ss3", "abs", "abstract"}
_PRE = {"code"}
_FORMULAS = {"fd", "disp-formula"}
_LISTS = {"list"}
_ITEMS = {"item", "list-item"}
_TABLES = {"tbl", "table-wrap"}
_ROWS = {"row", "tr"}
_CELLS = {"cell", "td", "th"}
_AUTHORS = {"au", "contrib-group"}
_NOTES = {"fn"}
_REFERENCES = {"bib", "ref-list"}
_EMPHASIS = {"it", "italic"}
_STRONG = {"b", "bold"}
_BLOCKS = _NOTES | _PRE | _LISTS | _TABLES | _FORMULAS
"""Elements that interrupt running text."""
_INLINE_TEXT = _TITLES | _PARAGRAPHS | _PRE | _FORMULAS | _NOTES | _EMPHASIS | _STRONG | _ITEMS
"""Elements whose own text is displayed."""
_HTML_TAGS = {
    **dict.fromkeys(_SECTIONS | _REFERENCES, ("section", "")),
    **dict.fromkeys(_PARAGRAPHS, ("p", "")),
    **dict.fromkeys(_PRE, ("pre", "")),
    **dict.fromkeys(_FORMULAS, ("p", "formula")),
    **dict.fromkeys(_LISTS, ("ul", "")),
    **dict.fromkeys(_ITEMS, ("li", "")),
    **dict.fromkeys(_NOTES, ("small", "note")),
    **dict.fromkeys(_EMPHASIS, ("em", "")),
    **dict.fromkeys(_STRONG, ("strong", "")),
}
"""Name of an element → HTML tag and class."""
_LINE_WIDTH = 88
_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page, which loads nothing and runs no script."""


def show(path: Path, format: str = "text") -> str:
    """Return an article as text or as an HTML page.

    Args:
        path: The XML file.
        format: ``text``, or ``html`` for a self-contained page.

    Raises:
        InputError: If the file is missing, is not XML or is not an article.
        XcgError: If the format is unknown.
    """
    if format not in FORMATS:
        raise XcgError(f"unknown format {format!r}: {nearest(format, FORMATS)}")
    with open_input(path) as file:
        data = file.read(LARGEST_DOCUMENT + 1)
    if len(data) > LARGEST_DOCUMENT:
        raise InputError(path, f"the document is larger than {LARGEST_DOCUMENT >> 20} MB")
    root = document_root(data, path)
    if local_name(root) != "article":
        raise InputError(path, f"the root is <{local_name(root)}>; expected an <article>")
    return FORMATS[format](root)


def _words(element: etree._Element) -> str:
    """Return the text of an element in one line, without the blocks in it."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: etree._Element) -> Iterator[str]:
    """Yield the running text of an element in pieces."""
    yield element.text or ""
    for child in element:
        name = local_name(child)
        if name not in _BLOCKS:
            yield from _pieces(child)
        yield child.tail or ""


def _text(root: etree._Element) -> str:
    """Return an article as text."""
    blocks: list[str] = []

    def visit(element: etree._Element, level: int) -> None:
        name = local_name(element)
        if name in _TITLES:
            blocks.append(_title(_words(element), level))
        elif name in _AUTHORS | _FORMULAS | _NOTES | _PRE | _TABLES:
            blocks.extend(_block(element, name))
        elif name in _PARAGRAPHS | _ITEMS:
            indent = ("  - ", "    ") if name in _ITEMS else ("", "")
            if words := _words(element):
                blocks.append(_fill(words, *indent))
            for child in element.iterdescendants(*_BLOCKS):
                visit(child, level)
        else:
            for child in element:
                visit(child, level + (local_name(child) in _SECTIONS))

    visit(root, 1)
    return printable("\n\n".join(blocks), keep="\n\t") + "\n"


def _title(title: str, level: int) -> str:
    return f"{title}\n{'=-'[level - 1] * len(title)}" if level <= 2 else title


def _block(element: etree._Element, name: str) -> list[str]:
    """Return the paragraphs of a block."""
    if name in _PRE:
        return [textwrap.indent((element.text or "").strip("\n"), "    ")]
    if name in _TABLES:
        caption, rows = _table(element)
        table = text_table(rows[0], rows[1:]).rstrip("\n") if rows else ""
        return [text for text in (_fill(caption), table) if text]
    if name in _NOTES:
        return [_fill(_words(element), "    Note: ", "    ")]
    indent = " " * 8 if name in _FORMULAS else ""
    return [_fill(_words(element), indent, indent)]


def _fill(text: str, first_indent: str = "", indent: str = "") -> str:
    """Wrap a paragraph; the first line may have another indent."""
    return textwrap.fill(text, _LINE_WIDTH, initial_indent=first_indent, subsequent_indent=indent)


def _table(element: etree._Element) -> tuple[str, list[list[str]]]:
    """Return the caption and the rows of a table, all of the same length."""
    caption = next((_words(child) for child in element.iter(*_TITLES)), "")
    rows = [[_words(cell) for cell in row.iter(*_CELLS)] for row in element.iter(*_ROWS)]
    width = max(map(len, rows), default=0)
    return caption, [row + [""] * (width - len(row)) for row in rows]


def _html(root: etree._Element) -> str:
    """Return an article as an HTML page."""
    page = etree.Element("html", {"lang": "en"})
    head = etree.SubElement(page, "head")
    etree.SubElement(head, "meta", {"charset": "utf-8"})
    etree.SubElement(head, "meta", {"name": "viewport", "content": "width=device-width"})
    policy = {"http-equiv": "Content-Security-Policy", "content": _CONTENT_POLICY}
    etree.SubElement(head, "meta", policy)
    title = next((_words(element) for element in root.iter(*_TITLES)), "article")
    etree.SubElement(head, "title").text = title
    style = files("xcg.report").joinpath("article.css").read_text(encoding="utf-8")
    etree.SubElement(head, "style").text = f"\n{style}"
    _to_html(root, etree.SubElement(etree.SubElement(page, "body"), "main"), 1)
    text = etree.tostring(page, method="html", encoding="unicode", doctype="<!DOCTYPE html>")
    return with_references(text) + "\n"


def _to_html(element: etree._Element, parent: etree._Element, level: int) -> None:
    """Add an element and its content to a page."""
    name = local_name(element)
    if name in _TABLES:
        _table_to_html(element, parent)
        return
    if name in _AUTHORS:
        etree.SubElement(parent, "p", {"class": "authors"}).text = _words(element)
        return
    tag, css_class = _HTML_TAGS.get(name, ("", ""))
    if name in _TITLES:
        tag = f"h{min(level, 6)}"
    target = etree.SubElement(parent, tag, {"class": css_class} if css_class else {}) if tag else parent
    if tag and name in _INLINE_TEXT:
        target.text = element.text
    for child in element:
        inner = local_name(child)
        _to_html(child, target, level + (inner in _SECTIONS))
        if name in _INLINE_TEXT and child.tail:
            _append_text(target, child.tail)


def _append_text(target: etree._Element, text: str) -> None:
    if len(target):
        target[-1].tail = (target[-1].tail or "") + text
    else:
        target.text = (target.text or "") + text


def _table_to_html(element: etree._Element, parent: etree._Element) -> None:
    caption, rows = _table(element)
    table = etree.SubElement(parent, "table")
    if caption:
        etree.SubElement(table, "caption").text = caption
    for index, row in enumerate(rows):
        line = etree.SubElement(table, "tr")
        for cell in row:
            etree.SubElement(line, "td" if index else "th").text = cell


FORMATS: dict[str, Callable[[etree._Element], str]] = {"text": _text, "html": _html}
