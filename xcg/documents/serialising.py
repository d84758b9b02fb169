"""Parse documents safely, and serialise them with only elements, attributes and text.

In the serialised form, every ``<`` and ``>`` belongs to a tag. Many documents already have this form.
For these, libxml2 only checks that they are well-formed, without building a tree, in half of the time.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from xcg.documents.files import SAFE_PARSING, xml_error
from xcg.documents.markup_limits import check_markup
from xcg.documents.tree import Ints
from xcg.errors import InputError
from xcg.lazy_modules import etree, np

LARGEST_SERIALISED = 1 << 28
"""Maximum size of a serialised document: 256 MB. A ``>`` in a text is serialised as four bytes."""

_LONGEST_TEXT = 10_000_000
"""libxml2's limit for a text, in bytes; it is not checked without a tree."""
_MOST_LEVELS = 256
"""libxml2's limit for nested elements; without a tree, it allows one more."""
_REFERENCE = re.compile("&([^#;]+);")
_DECLARATION = re.compile(
    rb"""(?:<\?xml\s+version=["']1\.0["'](?:\s+encoding=["'][Uu][Tt][Ff]-8["'])?\s*\?>)?\s*(?=<[A-Za-z_])"""
)
"""The beginning of a document in UTF-8 without comments and DTD before its root."""


def encode(document: str) -> bytes:
    """Return a document that is text as bytes, whatever encoding its XML declaration names."""
    data = document.removeprefix("\ufeff").encode(errors="surrogatepass")
    # The byte order mark overrides an encoding that the text declares.
    return codecs.BOM_UTF8 + data if data else data


class Serialised(NamedTuple):
    """A document with only elements, attributes and text.

    Attributes:
        content: The document in UTF-8; every ``<`` and ``>`` belongs to a tag.
        first: The position of the ``<`` of each tag.
        last: The position of the ``>`` of each tag.
    """

    content: bytes
    first: Ints
    last: Ints

    @classmethod
    def of(cls, content: bytes) -> Serialised:
        """Find the tags of a document."""
        raw_bytes = np.frombuffer(content, dtype=np.uint8)
        first, last = np.flatnonzero(raw_bytes == ord("<")), np.flatnonzero(raw_bytes == ord(">"))
        return cls(content, first, last)


class _NoTree:
    """A parser target that receives no events, so that libxml2 builds no tree."""

    def close(self) -> None:
        """Return the result of the parser."""


def hardened_parser(target: Any = None, **options: bool) -> etree.XMLParser:
    """Return an lxml parser for input that may be hostile."""
    return etree.XMLParser(target=target, **{**SAFE_PARSING, **options})


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
    check_markup(data, name)
    return _root(data, name, **options)


def serialise(data: bytes, name: object = "document") -> Serialised:
    """Parse a document and return it in UTF-8 with only elements, attributes and text.

    Threads can do this in parallel.

    Raises:
        InputError: If it is too large, or not well-formed XML (then the message states the line).

    >>> serialise(b"<a><!-- no --><b><![CDATA[<y>]]></b></a>").content
    b'<a><b>&lt;y&gt;</b></a>'
    """
    check_markup(data, name)
    return _already_serialised(data) or serialised_root(_root(data, name), name)


def serialised_root(root: etree._Element, name: object) -> Serialised:
    """Return a parsed document in the serialised form.

    Raises:
        InputError: If it is too large.
    """
    content = etree.tostring(root, encoding="utf-8", with_tail=False)
    if len(content) > LARGEST_SERIALISED:
        raise InputError(
            name,
            f"the parsed document has {len(content):,} bytes; the limit is {LARGEST_SERIALISED:,}: "
            "split it into smaller documents",
        )
    return Serialised.of(content)


def _root(data: bytes, name: object, **options: bool) -> etree._Element:
    try:
        root = etree.fromstring(data, hardened_parser(**options))
    except etree.XMLSyntaxError as error:
        raise xml_error(name, error) from None
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None:
        contents = {entity.name: entity.content for entity in declared.iterentities()}
        _refuse_elements_in_entities(root, contents, name)
    return root


def _refuse_elements_in_entities(
    root: etree._Element, contents: dict[str, str | None], where: object
) -> None:
    """Raise InputError if a document uses an entity with elements or of a file: its tree lacks these.

    Args:
        root: The document.
        contents: Declared entity → its text, None if it is in a file.
        where: The document's file, for messages.
    """
    texts = set()  # entities without elements
    references: Iterator[Any] = root.iter(etree.Entity)
    for reference in references:
        used = [reference.name]
        while used:
            entity = used.pop()
            if entity in texts or entity not in contents:
                continue
            content = contents[entity]
            if content is None or "<" in content:
                raise InputError(
                    f"{where}:{reference.sourceline}",
                    f"the entity &{reference.name}; contains elements or a file, which are not read; "
                    "elements after it would have other paths: expand it (xmllint --noent --dropdtd)",
                )
            texts.add(entity)
            used += _REFERENCE.findall(content)


def _already_serialised(data: bytes) -> Serialised | None:
    """Return a document in the serialised form; None if it has another one, or any error."""
    declaration = _DECLARATION.match(data)
    if declaration is None or len(data) > _LONGEST_TEXT:
        return None
    content = data[declaration.end() :].rstrip()
    # Searching for one byte first is much faster than searching for several.
    has_reference = b"&" in content and b"&#" in content
    has_identifiers = b":" in content and b"xml:id" in content  # not checked without a tree
    if b"\r" in content or has_reference or has_identifiers or not content.endswith(b">"):
        return None
    found = Serialised.of(content)
    if len(found.first) != len(found.last):
        return None
    return found if _has_only_tags(found) and _is_well_formed(data) else None


def _has_only_tags(document: Serialised) -> bool:
    """Return whether there are no comments, CDATA sections, etc., and not too many nested elements."""
    raw_bytes = np.frombuffer(document.content, dtype=np.uint8)
    following = raw_bytes[document.first + 1]
    kinds = following.tobytes()
    if b"!" in kinds or b"?" in kinds:
        return False
    if kinds.count(b"/") < _MOST_LEVELS:  # end tags
        return True
    opened = np.ones(len(following), dtype=np.int64)
    opened[following == ord("/")] = -1
    opened[raw_bytes[document.last - 1] == ord("/")] = 0  # elements without content
    return bool(np.cumsum(opened).max() < _MOST_LEVELS)


def _is_well_formed(data: bytes) -> bool:
    """Return whether libxml2 finds neither an error nor a warning."""
    parser = hardened_parser(_NoTree())
    try:
        etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return False
    return not len(parser.error_log)  # errors in namespaces are only logged
