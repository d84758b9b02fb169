"""Parse documents safely, and serialise them with only elements, attributes and text.

In the serialised form, every ``<`` and ``>`` belongs to a tag. Markup is counted before a parser
allocates memory for it: libxml2 needs 128 bytes for an element, 120 for a text, 230 for an attribute,
but a file needs only four to six bytes for each of them, and far fewer if it is compressed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Any

from xcg.documents.files import SAFE_PARSING, xml_error
from xcg.errors import InputError
from xcg.lazy_modules import etree

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
    head = data[: data.find(b">") + 1]
    encodings = _DECLARED_ENCODING.findall(data if is_html else head)
    for encoding in {name.decode("latin-1").lower() for name in encodings}:
        if not _COUNTABLE_ENCODING.fullmatch(encoding):
            raise InputError(
                where,
                f"a document of more than {SMALL:,} bytes in the encoding "
                f"{encoding}; convert it to UTF-8",
            )
    nodes = data.count(b"<") - data.count(b"</") + data.count(b"&")
    nodes -= sum(data.count(reference) for reference in _PREDEFINED)
    if b"<!ENTITY" not in data:  # a declaration can contain elements in character references
        nodes -= data.count(b"&#")
    nodes += min(data.count(b"="), (data.count(b'"') + data.count(b"'")) // 2)
    if nodes > MOST_NODES:
        raise InputError(
            where,
            f"the document has {nodes:,} elements, attributes and entity references; the limit is "
            f"{MOST_NODES:,}: split it into smaller documents",
        )


LARGEST_SERIALISED = 1 << 28
"""Maximum size of a serialised document: 256 MB. A ``>`` in a text is serialised as four bytes."""

_ENTITY = re.compile("<|&(?!(?:amp|lt|gt|quot|apos);|#)")  # an element or another entity


def encode(document: str) -> bytes:
    """Return a document that is text as bytes, whatever encoding its XML declaration names."""
    data = document.removeprefix("\ufeff").encode(errors="surrogatepass")
    # The byte order mark overrides an encoding that the text declares.
    return codecs.BOM_UTF8 + data if data else data


def document_root(data: bytes, name: object, **options: bool) -> etree._Element:
    """Parse a document with lxml, within the limits for documents.

    Args:
        data: The document.
        name: Its file, for messages.
        options: Other options of lxml's parser.

    Raises:
        InputError: If it is too large, not well-formed XML, or uses entities with elements; the message
            states the line.
    """
    if len(data) > SMALL:
        check_markup(data, name)
    try:
        root = etree.fromstring(data, etree.XMLParser(**{**SAFE_PARSING, **options}))
    except etree.XMLSyntaxError as error:
        raise xml_error(name, error) from None
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None:
        contents = {entity.name: entity.content for entity in declared.iterentities()}
        references: Iterator[Any] = root.iter(etree.Entity)
        for reference in references:
            content = contents.get(reference.name, "")
            if content is None or _ENTITY.search(content):
                raise InputError(
                    f"{name}:{reference.sourceline}",
                    f"the entity &{reference.name}; contains elements, entities or a file, which are "
                    "not read; elements after it would have other paths: expand it (xmllint --noent "
                    "--dropdtd)",
                )
    return root


def serialise(document: bytes | etree._Element, name: object = "document") -> bytes:
    """Return a document in UTF-8 with only elements, attributes and text, parsed if necessary.

    Threads can do this in parallel.

    Raises:
        InputError: If it is too large, or not well-formed XML (then the message states the line).

    >>> serialise(b"<a><!-- no --><b><![CDATA[<y>]]></b></a>")
    b'<a><b>&lt;y&gt;</b></a>'
    """
    root = document_root(document, name) if isinstance(document, bytes) else document
    content = etree.tostring(root, encoding="utf-8", with_tail=False)
    if len(content) > LARGEST_SERIALISED:
        raise InputError(
            name,
            f"the parsed document has {len(content):,} bytes; the limit is {LARGEST_SERIALISED:,}: "
            "split it into smaller documents",
        )
    return content


_EXTERNAL_DTD = b"<!DOCTYPE a SYSTEM 'a'>"
"""A DTD that is not read; with it, references to entities need no declaration."""


def without_elements(data: bytes, names: Iterable[str], where: object) -> tuple[bytes, int]:
    """Return a document without the elements of some local names, and how many elements have them.

    Other paths keep their numbers, because all siblings with the same local name are removed.

    Raises:
        InputError: If the root has one of the names, or as :func:`document_root`.

    >>> without_elements(b"<a>one <b>two<b/></b>three<c/></a>", ["b"], "document")
    (b"<!DOCTYPE a SYSTEM 'a'><a>one three<c/></a>", 2)
    """
    root = document_root(data, where, remove_comments=False, remove_pis=False)
    tags = [f"{{*}}{name}" for name in names]
    found = list(root.iter(tags))
    if root in found:
        name = etree.QName(root).localname
        raise InputError(where, f"corpus.exclude names the root <{name}>: no text would remain")
    etree.strip_elements(root, *tags, with_tail=False)
    content = etree.tostring(root, encoding="utf-8", with_tail=False)
    return _EXTERNAL_DTD + content, len(found)
