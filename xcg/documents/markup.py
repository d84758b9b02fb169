"""Documents that are no XML, made XML: HTML pages, Markdown and plain text.

HTML keeps its own element names. Markdown and plain text become ``article`` with ``sec`` nested by
the levels of headings, each with its ``title``, and ``p``, ``list``/``item``, ``quote``, ``table``/
``tr``/``td`` and ``code`` inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xcg.errors import InputError, XcgError
from xcg.later import etree

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

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


_CONTAINERS = {
    "paragraph": "p",
    "bullet_list": "list",
    "ordered_list": "list",
    "list_item": "item",
    "blockquote": "quote",
    "table": "table",
    "tr": "tr",
    "th": "td",
    "td": "td",
}


def markdown_to_xml(data: bytes, where: str) -> bytes:
    r"""Return a Markdown text as XML (needs the extra ``xcg[markdown]``).

    >>> data = markdown_to_xml(b"# A\n\none\n\n## B", "notes.md")
    >>> data.replace(b"\n", b"").decode()
    '<article><sec><title>A</title><p>one</p><sec><title>B</title></sec></sec></article>'
    """
    return _headed_text(data, where, _parser().enable("table"))


def text_to_xml(data: bytes, where: str) -> bytes:
    """Return plain text as XML: paragraphs between blank lines, and headings marked as in Markdown."""
    return _headed_text(data, where, _parser().disable(_ONLY_IN_MARKDOWN))


_ONLY_IN_MARKDOWN = ["code", "fence", "blockquote", "hr", "list", "reference", "html_block"]


def _parser() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise XcgError(
            "Markdown and plain text need markdown-it-py: pip install 'xcg[markdown]'"
        ) from None
    return MarkdownIt("commonmark")


def _headed_text(data: bytes, where: str, parser: MarkdownIt) -> bytes:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(where, "not UTF-8 text") from None
    # XML has no way to write most control characters.
    text = "".join(c if c >= " " or c in "\t\n\r" else " " for c in text)
    root = etree.Element("article")
    _build(root, parser.parse(text))
    return etree.tostring(root, encoding="utf-8")


def _build(root: etree._Element, tokens: Sequence[Token]) -> None:
    """Add what the tokens say below a root; sections are nested by the levels of headings."""
    sections: list[tuple[int, etree._Element]] = [(0, root)]
    open_elements: list[etree._Element] = []
    for token in tokens:
        here = open_elements[-1] if open_elements else sections[-1][1]
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind == "heading" and token.nesting == 1:
            if not open_elements:  # a heading inside a list or quotation makes no section
                level = int(token.tag[1:])
                while sections[-1][0] >= level:
                    sections.pop()
                here = etree.SubElement(sections[-1][1], "sec")
                sections.append((level, here))
            open_elements.append(etree.SubElement(here, "title"))
        elif kind in _CONTAINERS and token.nesting == 1:
            open_elements.append(etree.SubElement(here, _CONTAINERS[kind]))
        elif token.nesting == -1 and (kind in _CONTAINERS or kind == "heading"):
            open_elements.pop()
        elif token.type == "inline":
            here.text = "".join(_plain(child) for child in token.children or ())
        elif token.type in ("fence", "code_block", "html_block"):
            etree.SubElement(here, "code").text = token.content
        # Words must not run together where one block ends and the next begins.
        if token.nesting == -1 and token.block and kind in ("paragraph", "heading", "td", "th"):
            last = (open_elements[-1] if open_elements else sections[-1][1])[-1]
            last.tail = "\n"


def _plain(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    return token.content if token.type in ("text", "code_inline", "html_inline") else ""


CONVERTERS: dict[str, Converter] = {
    ".html": html_to_xml,
    ".htm": html_to_xml,
    ".xhtml": html_to_xml,
    ".md": markdown_to_xml,
    ".markdown": markdown_to_xml,
    ".txt": text_to_xml,
}
"""What files of an ending go through before they are parsed; XML goes through nothing."""
