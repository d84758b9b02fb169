"""Documents that are no XML, made XML: HTML pages, Markdown and plain text.

HTML keeps its own element names, and its text is what a page shows. Markdown and plain text become
``article`` with ``sec`` nested by the levels of headings, each with its ``title``, and ``p``, ``list``/
``item``, ``quote``, ``table``/``tr`` and ``code`` inside. Their text is the source, character for
character, and elements are lines of it; so whatever counts characters in such a file, as chunkers do,
counts as its document does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from xcg.errors import InputError, XcgError
from xcg.lazy_modules import etree

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Converter = Callable[[bytes, str], bytes]

_INVISIBLE = ("script", "style", "template", "noscript")


def html_to_xml(data: bytes, where: str) -> bytes:
    """Return an HTML page as XML, without what a page does not show.

    >>> html_to_xml(b"<p>one<p>two<br>three<script>no</script>", "page.html")
    b'<html><body><p>one</p><p>two<br/>three</p></body></html>'
    """
    import lxml.html

    parser = lxml.html.HTMLParser(
        remove_comments=True, remove_pis=True, no_network=True, huge_tree=False
    )
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.translate(_BLANKS)  # pages hold control characters, which XML cannot
    try:
        root = lxml.html.document_fromstring(data, parser=parser)
        _keep_visible(root)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError) as error:
        raise InputError(where, f"no HTML: {error}") from None
    return etree.tostring(root, encoding="utf-8")


_BLANKS = bytes(32 if code < 32 and code not in b"\t\n\r" else code for code in range(256))


def _keep_visible(root: etree._Element) -> None:
    """Remove what a page does not show, attributes, and what XML cannot have in names."""
    for element in list(root.iter(*_INVISIBLE)):
        before, parent = element.getprevious(), element.getparent()
        if parent is None:
            continue
        # Its text goes, and what follows it stays.
        if before is not None:
            before.tail = (before.tail or "") + (element.tail or "")
        else:
            parent.text = (parent.text or "") + (element.tail or "")
        parent.remove(element)
    for element in root.iter():
        element.attrib.clear()
        if not str(element.tag).isalnum():
            element.tag = "".join(c for c in str(element.tag) if c.isalnum()) or "element"


_ELEMENTS = {
    "heading_open": "title",
    "paragraph_open": "p",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
    "tr_open": "tr",
    "fence": "code",
    "code_block": "code",
    "html_block": "code",
}
"""What markdown-it's tokens are called here. It does not say where in its line a cell stands."""


def markdown_to_xml(data: bytes, where: str) -> bytes:
    r"""Return a Markdown text as XML whose text is the source (needs the extra ``xcg[markdown]``).

    An element is the lines of a block, marks included, without the line break at their end. A section
    goes from its heading's line to the next heading of the same or a higher level. What stands between
    blocks (blank lines, rules, definitions of links) is text of the element around them. A heading
    inside a list or quotation makes no section; deeper than twenty levels nothing makes an element.

    >>> data = markdown_to_xml(b"# A\n\n- *one*\n\n## B", "notes.md")
    >>> print(data.decode())
    <article><sec><title># A</title>
    <BLANKLINE>
    <list><item><p>- *one*</p></item></list>
    <BLANKLINE>
    <sec><title>## B</title></sec></sec></article>
    """
    parser = _markdown_parser()
    text = _source(data, where)
    return _article(text, _markdown_blocks(text, parser))


def text_to_xml(data: bytes, where: str) -> bytes:
    r"""Return a plain text as XML whose text is the source: paragraphs, and headings as in Markdown.

    A line that holds nothing but white space is blank. A heading is

    - a line of up to three blanks, one to six ``#``, which are its level, and then a blank, a tab or
      the line's end; or
    - a line that follows no other line of a paragraph, with a second line below it that holds ``=``
      (level 1) or ``-`` (level 2) only, after up to three blanks and before blanks and tabs; the first
      must not be such a line too.

    All other lines up to the next blank line or heading are a paragraph. Sections and elements cover
    the source as in Markdown.

    >>> text_to_xml(b"A\n=\none\ntwo\n\nthree", "notes.txt").decode()
    '<article><sec><title>A\n=</title>\n<p>one\ntwo</p>\n\n<p>three</p></sec></article>'
    """
    text = _source(data, where)
    return _article(text, _text_blocks(text))


_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def _source(data: bytes, where: str) -> str:
    """Return what a text file holds, with a blank for each character that XML has no way to write."""
    try:
        return _NOT_IN_XML.sub(" ", data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(where, "not UTF-8 text") from None


def _lines(text: str) -> list[tuple[int, int]]:
    """Return where each line starts and stops, its line break left out."""
    breaks = [match.span() for match in _LINE_BREAK.finditer(text)]
    starts = [0, *(stop for _, stop in breaks)]
    stops = [*(start for start, _ in breaks), len(text)]
    return list(zip(starts, stops, strict=True))


class _Block(NamedTuple):
    """The characters start … stop - 1 of a text as an element; one with a level begins a section."""

    tag: str
    start: int
    stop: int
    level: int = 0


def _markdown_parser() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise XcgError("Markdown needs markdown-it-py: pip install 'xcg[markdown]'") from None
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # what a paragraph holds stays as it is
    return parser


def _markdown_blocks(text: str, parser: MarkdownIt) -> Iterator[_Block]:
    lines = _lines(text)
    for token in parser.parse(_LINE_BREAK.sub("\n", text)):
        tag = _ELEMENTS.get(token.type)
        if tag is None or token.map is None:
            continue
        first, last = token.map[0], token.map[1] - 1
        while last > first and not text[slice(*lines[last])].strip(" \t"):
            last -= 1  # lists go on to what follows them
        level = int(token.tag[1:]) if tag == "title" and token.level == 0 else 0
        yield _Block(tag, lines[first][0], lines[last][1], level)


_NUMBERED = re.compile(r" {0,3}(#{1,6})(?:[ \t]|\Z)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")


def _text_blocks(text: str) -> Iterator[_Block]:
    paragraph: list[tuple[int, int]] = []  # its lines so far
    for start, stop in _lines(text):
        line = text[start:stop]
        if len(paragraph) == 1 and _UNDERLINE.fullmatch(line):
            above = text[slice(*paragraph[0])]
            if not _UNDERLINE.fullmatch(above):
                yield _Block("title", paragraph[0][0], stop, 1 if "=" in line else 2)
                paragraph = []
                continue
        numbered = _NUMBERED.match(line)
        if line.strip() and not numbered:
            paragraph.append((start, stop))
            continue
        if paragraph:
            yield _Block("p", paragraph[0][0], paragraph[-1][1])
            paragraph = []
        if numbered:
            yield _Block("title", start, stop, len(numbered[1]))
    if paragraph:
        yield _Block("p", paragraph[0][0], paragraph[-1][1])


def _article(text: str, blocks: Iterable[_Block]) -> bytes:
    """Write a text as XML with elements for its blocks, which come in document order.

    A block that begins before the last one stops lies inside it.
    """
    from xml.sax.saxutils import escape  # brings the whole of urllib

    pieces = ["<article>"]
    written = 0
    open_elements = [_Block("article", 0, len(text))]

    def write(tag: str, place: int) -> None:
        nonlocal written
        pieces.extend((escape(text[written:place], {"\r": "&#13;"}), tag))
        written = place

    def close(start: int, level: int) -> None:
        """Close what stops before a place, and sections of the same or a lower level."""
        while open_elements and (
            open_elements[-1].stop <= start or 0 < level <= open_elements[-1].level
        ):
            last = open_elements.pop()
            write(f"</{last.tag}>", min(last.stop, start))

    for block in blocks:
        close(block.start, block.level)
        if block.level:
            open_elements.append(_Block("sec", block.start, len(text), block.level))
            write("<sec>", block.start)
        open_elements.append(block._replace(level=0))
        write(f"<{block.tag}>", block.start)
    close(len(text), 0)
    return "".join(pieces).encode()


CONVERTERS: dict[str, Converter] = {
    ".html": html_to_xml,
    ".htm": html_to_xml,
    ".xhtml": html_to_xml,
    ".md": markdown_to_xml,
    ".markdown": markdown_to_xml,
    ".txt": text_to_xml,
}
"""What files of an ending go through before they are parsed; XML goes through nothing."""
