"""Convert HTML, Markdown and plain text to XML.

HTML keeps its element names and its visible text. Markdown and plain text become an ``article`` with
``sec`` elements that are nested by the levels of their headings (``title``) and contain ``p``,
``list``/``item``, ``quote``, ``table``/``tr`` and ``code``. The text of these documents equals the
source, so character offsets of chunks in the file are offsets in the document.

Markup is counted before a parser allocates memory for it: libxml2 needs 128 bytes for an element, 120
for a text, 230 for an attribute, but a file needs only four to six bytes for each of them, and far
fewer if it is compressed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from xcg.errors import InputError
from xcg.lazy_modules import etree

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Converter = Callable[[bytes, str], bytes]

LARGEST_TEXT = 1 << 26
"""Maximum size of a Markdown or plain-text document: 64 MB."""
MOST_LINES = 1_000_000
"""Maximum number of lines of a plain-text document."""
MOST_MARKDOWN_LINES = 500_000
"""Maximum number of lines and table cells of a Markdown document; markdown-it needs 1 kB for a line."""
DEEPEST_HTML = 256
"""Maximum depth of an HTML element; libxml2 has the same limit for XML."""
MOST_HTML_ATTRIBUTES = 1_000
"""Maximum number of attributes of an HTML element, because libxml2 needs quadratic time for them."""

MOST_NODES = 3_000_000
"""Maximum number of elements, attributes and entity references of a document.

Articles have 500 to 20,000 of them, and books up to a million.
"""

SMALL = 3 * MOST_NODES
"""Number of bytes of a document that needs no check; the shortest node is the reference ``&e;``."""
_PREDEFINED = (b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;")
_DECLARED_ENCODING = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_COUNTABLE_ENCODING = re.compile(
    r"utf-?(8|16|16le|16be)|(us-)?ascii|iso-?8859-?\d+|iso_8859-\d+|latin-?\d+|(windows|cp)-?125\d|"
    r"koi8-[ru]|shift_jis|sjis|euc-(jp|kr)|gbk|gb2312|gb18030|big5"
)
"""Encodings in which ``<``, ``&`` and ``=`` are the same bytes as in ASCII."""

_SHOWN = ("alt", "colspan", "rowspan")
"""Attributes that an assessor sees."""
_INVISIBLE = ("script", "style", "template", "noscript")
_is_block = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|center|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hgroup|hr|html|legend|li|main|menu|nav|"
    "ol|optgroup|option|p|pre|section|select|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|ul"
).fullmatch


def html_to_xml(data: bytes, where: str) -> bytes:
    r"""Convert the visible content of an HTML page to XML.

    >>> html_to_xml(b"<p>one<p>two<br>three<script>no</script>", "page.html")
    b'<html><body><p>one</p>\n<p>two\n<br/>three</p></body></html>'
    """
    import lxml.html

    encoding, is_guessed = charset_of(data)
    try:
        data = data.decode(encoding).translate(_BLANKS).encode()  # XML has no control characters
    except UnicodeDecodeError as error:
        charset = "windows-1252, as it declares none" if is_guessed else error.encoding
        message = f"not HTML: byte {error.start} is illegal in its charset {charset}"
        raise InputError(where, f"{message}; expected a page that declares its charset") from None
    if len(data) > SMALL:
        check_markup(data, where, is_html=True)
    options: dict[str, Any] = {"remove_comments": True, "remove_pis": True, "no_network": True}
    options["encoding"] = "utf-8"  # whatever the page declares
    # Without huge_tree, libxml2 silently ignores the rest of a page that exceeds its limits.
    parser = lxml.html.HTMLParser(**options, huge_tree=True)
    try:
        if len(data) > _SMALL_HTML:
            checker: Any = _LimitChecker()
            etree.fromstring(data, etree.HTMLParser(**options, huge_tree=True, target=checker))
        root = lxml.html.document_fromstring(data, parser=parser)
        _keep_visible(root)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError) as error:
        raise InputError(where, f"not HTML: {error}") from None
    return etree.tostring(root, encoding="utf-8")


_BLANKS = {code: " " for code in range(32) if chr(code) not in "\t\n\r"}
# Comments and other tags are matched, too, so that <meta> in them is not found.
_TAG = re.compile(
    rb"""<!--.*?(?:-->|\Z)|<meta(?=[\s/])((?:[^>"']|"[^"]*"|'[^']*')*)|</?[a-z](?:[^>"']|"[^"]*"|'[^']*')*""",
    re.I | re.S,
)
_ATTRIBUTE = re.compile(rb"""([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([^\s"';]+)""", re.I)
_XML_CHARSET = re.compile(rb"""\s*<\?xml[^>]+?encoding\s*=\s*["']([^"']+)""")
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_LARGER = {
    **{"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874"},
    **{"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"},
    **{"big5": "big5hkscs", "tis-620": "cp874", "utf-16": "utf-8", "utf-16-le": "utf-8"},
}
"""Charsets that the HTML standard reads as another one, which is usually larger."""
_NO_CHARSET = b"xn--4ca+AEE-\\u0041~{!"
"""ASCII that codecs for other purposes, such as punycode or unicode_escape, decode as another text."""


def charset_of(data: bytes) -> tuple[str, bool]:
    r"""Return the charset of a page as the HTML standard says, and whether it is guessed.

    The byte order mark decides, then the declared charset, then whether the bytes are UTF-8; other
    pages are windows-1252.

    >>> charset_of("é".encode()), charset_of(b"\xe9"), charset_of(b"<meta charset=l1>\x80")
    (('utf-8', False), ('cp1252', True), ('cp1252', False))
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding, False
    for label in _declared_charsets(data[:1024]):
        with suppress(LookupError, ValueError):  # an unknown label counts as none
            name = codecs.lookup(label.decode("ascii").strip().lower().removeprefix("x-")).name
            encoding = _LARGER.get(name, name)
            if _NO_CHARSET.decode(encoding) == _NO_CHARSET.decode():
                return encoding, False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252", True
    return "utf-8", False


def _declared_charsets(head: bytes) -> Iterator[bytes]:
    """Yield the charsets that the ``meta`` elements of a page declare, then that of XML.

    Args:
        head: The first bytes of the page; the HTML standard looks at 1,024.
    """
    for attributes in _TAG.findall(head):
        # Of several attributes with one name, the first counts.
        stated = {name.lower(): b"".join(v) for name, *v in reversed(_ATTRIBUTE.findall(attributes))}
        is_type = stated.get(b"http-equiv", b"").lower() == b"content-type"
        content = _CHARSET.search(stated.get(b"content", b"")) if is_type else None
        yield stated.get(b"charset", content[1] if content else b"")
    if xml := _XML_CHARSET.match(head):
        yield xml[1]


_SMALL_HTML = 4 * MOST_HTML_ATTRIBUTES
"""Maximum size of a page that is too small for an element with too many attributes."""


class _LimitChecker:
    """Checks the limits for the elements of a page before libxml2 builds its tree."""

    def __init__(self) -> None:
        self._depth = 0

    def start(self, tag: str | bytes, attributes: dict[str | bytes, str | bytes]) -> None:
        self._depth += 1
        if self._depth > DEEPEST_HTML:
            raise ValueError(f"elements are nested more than {DEEPEST_HTML} levels deep")
        if len(attributes) > MOST_HTML_ATTRIBUTES:
            raise ValueError(f"<{str(tag)[:80]}> has more than {MOST_HTML_ATTRIBUTES:,} attributes")

    def end(self, tag: str | bytes) -> None:
        self._depth -= 1

    def close(self) -> None:
        """Return nothing."""


def _keep_visible(root: etree._Element) -> None:
    """Remove invisible elements, most attributes, and characters that are illegal in XML names.

    A line break divides the words of two blocks, as in a browser.
    """
    etree.strip_elements(root, *_INVISIBLE, with_tail=False)  # the text after the element is visible
    boundary: tuple[etree._Element | None, str] | None = None  # of the first block after the last text
    last = " "
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if boundary is None and _is_block(str(element.tag)):
            before = element if event == "end" else element.getprevious()
            boundary = (element.getparent(), "text") if before is None else (before, "tail")
        name = "text" if event == "start" else "tail"
        if text := getattr(element, name):
            if boundary is not None and not last.isspace() and not text[0].isspace():
                own = getattr(*boundary) or ""
                setattr(*boundary, f"\n{own}" if boundary == (element, name) else f"{own}\n")
            boundary, last = None, text[-1]
    for element in root.iter():
        kept = {key: value for key in _SHOWN if (value := element.get(key)) is not None}
        element.attrib.clear()
        element.attrib.update({key: _NOT_IN_XML.sub(" ", value) for key, value in kept.items()})
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
"""markdown-it's token → element. Table cells have none, because markdown-it has no offsets for them."""


def markdown_to_xml(data: bytes, where: str) -> bytes:
    r"""Convert Markdown to XML.

    An element has the lines of a block, including markup, without the last line break. A section
    extends from its heading to the next heading of the same or a higher level. Text between blocks
    (blank lines, rules, link definitions) belongs to the enclosing element. Headings inside lists and
    quotations start no sections. Blocks below the twentieth level have no elements.

    >>> data = markdown_to_xml(b"# A\n\n- *one*\n\n## B", "notes.md")
    >>> print(data.decode())
    <article><sec><title># A</title>
    <BLANKLINE>
    <list><item><p>- *one*</p></item></list>
    <BLANKLINE>
    <sec><title>## B</title></sec></sec></article>
    """
    parser = markdown_parser()
    _check_lines(data, where, "lines and table cells", MOST_MARKDOWN_LINES, data.count(b"|"))
    text = _source(data, where)
    return _article(text, _markdown_blocks(text, parser))


def text_to_xml(data: bytes, where: str) -> bytes:
    r"""Convert plain text to XML with paragraphs, and with headings as in Markdown.

    A heading is one of

    - a line with up to three blanks, one to six ``#`` (its level), and a blank, a tab or the end;
    - the first line of a paragraph, followed by a line of ``=`` (level 1) or ``-`` (level 2), with up
      to three blanks before them and any number of blanks and tabs after them. The first line must not
      have this form itself.

    All other lines up to the next blank line or heading are a paragraph. Lines with only white space
    are blank. Sections extend as in Markdown.

    >>> text_to_xml(b"A\n=\none\ntwo\n\nthree", "notes.txt").decode()
    '<article><sec><title>A\n=</title>\n<p>one\ntwo</p>\n\n<p>three</p></sec></article>'
    """
    _check_lines(data, where, "lines", MOST_LINES)
    text = _source(data, where)
    return _article(text, _text_blocks(text))


def _check_lines(data: bytes, where: str, parts: str, limit: int, cells: int = 0) -> None:
    if len(data) > LARGEST_TEXT:
        size = f"larger than {LARGEST_TEXT >> 20} MB"
        raise InputError(where, f"the document is {size}: split it into smaller documents")
    count = cells + data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    if count > limit:
        size = f"{count:,} {parts}; the limit is {limit:,}"
        raise InputError(where, f"the document has {size}: split it into smaller documents")


_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
LINE_BREAK = re.compile(r"\r\n|\r|\n")


def _source(data: bytes, where: str) -> str:
    """Return the text of a file, with blanks for characters that are illegal in XML."""
    try:
        return _NOT_IN_XML.sub(" ", data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(where, "not UTF-8 text") from None


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line without its line break."""
    start = 0
    for line_break in LINE_BREAK.finditer(text):
        yield start, line_break.start()
        start = line_break.end()
    yield start, len(text)


class _Block(NamedTuple):
    """An element of characters start to stop - 1; a block with a level starts a section."""

    tag: str
    start: int
    stop: int
    level: int = 0


def markdown_parser() -> MarkdownIt:
    """Return a parser of the blocks of CommonMark and of tables."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # no inline markup
    return parser


def _markdown_blocks(text: str, parser: MarkdownIt) -> Iterator[_Block]:
    lines = list(line_spans(text))
    for token in parser.parse(LINE_BREAK.sub("\n", text)):
        tag = _ELEMENTS.get(token.type)
        if tag is None or token.map is None:
            continue
        first, last = token.map[0], token.map[1] - 1
        while last > first and not text[slice(*lines[last])].strip(" \t"):
            last -= 1  # lists include the blank lines after them
        level = int(token.tag[1:]) if tag == "title" and token.level == 0 else 0
        yield _Block(tag, lines[first][0], lines[last][1], level)


_NUMBERED = re.compile(r" {0,3}(#{1,6})(?:[ \t]|\Z)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")


def _text_blocks(text: str) -> Iterator[_Block]:
    paragraph: list[tuple[int, int]] = []  # its lines
    for start, stop in line_spans(text):
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
    """Convert a text to XML with elements for its blocks in document order.

    A block that starts before the end of the previous one is inside it.
    """
    from xml.sax.saxutils import escape  # imports urllib

    pieces = ["<article>"]
    written = 0
    open_elements = [_Block("article", 0, len(text))]

    def write(tag: str, position: int) -> None:
        nonlocal written
        pieces.extend((escape(text[written:position], {"\r": "&#13;"}), tag))
        written = position

    def close(start: int, level: int) -> None:
        """Close elements that end before an offset, and sections of the same or a lower level."""
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
    ".rst": text_to_xml,
    ".adoc": text_to_xml,
}
"""File ending → function that converts the file to XML."""


def check_markup(data: bytes, where: object, *, is_html: bool = False) -> None:
    """Check that a document in XML or HTML does not have too many nodes.

    The characters that begin nodes are counted, including those in comments and CDATA sections. Small
    documents, of at most :data:`SMALL` bytes, cannot have too many.

    Args:
        data: The document.
        where: The document's file, for messages.
        is_html: Whether any ``<meta>`` element can declare the encoding.

    Raises:
        InputError: If the document has more than :data:`MOST_NODES`, or its encoding hides the markup.
    """
    if b"\0" in data:  # UTF-16
        data = data.replace(b"\0", b"")
    encodings = _DECLARED_ENCODING.findall(data if is_html else data[: data.find(b">") + 1])
    for encoding in {name.decode("latin-1").lower() for name in encodings}:
        if not _COUNTABLE_ENCODING.fullmatch(encoding):
            problem = f"a document of more than {SMALL:,} bytes in the encoding {encoding}"
            raise InputError(where, f"{problem}; convert it to UTF-8")
    nodes = data.count(b"<") - data.count(b"</") + data.count(b"&")
    nodes -= sum(data.count(reference) for reference in _PREDEFINED)
    if b"<!ENTITY" not in data:  # a declaration can contain elements in character references
        nodes -= data.count(b"&#")
    nodes += min(data.count(b"="), (data.count(b'"') + data.count(b"'")) // 2)
    if nodes > MOST_NODES:
        size = f"{nodes:,} elements, attributes and entity references; the limit is {MOST_NODES:,}"
        raise InputError(where, f"the document has {size}: split it into smaller documents")
