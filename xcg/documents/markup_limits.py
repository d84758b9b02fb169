"""Limit the markup of documents before a parser allocates memory for it.

libxml2 needs 128 bytes for an element, 120 for a text and 230 for an attribute, but a file needs only
four to six bytes for each of them, and far fewer if it is compressed.
"""

from __future__ import annotations

import re

from xcg.errors import InputError

MOST_NODES = 3_000_000
"""Maximum number of elements, attributes and entity references of a document.

Articles have 500 to 20,000 of them, and books up to a million.
"""

_SHORTEST_NODE = 3
"""Number of bytes of the shortest node, the entity reference ``&e;``."""
_PREDEFINED = (b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;")
_DECLARED_ENCODING = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_COUNTABLE_ENCODING = re.compile(
    r"utf-?(8|16|16le|16be)|(us-)?ascii|iso-?8859-?\d+|iso_8859-\d+|latin-?\d+|(windows|cp)-?125\d|"
    r"koi8-[ru]|shift_jis|sjis|euc-(jp|kr)|gbk|gb2312|gb18030|big5"
)
"""Encodings in which ``<``, ``&`` and ``=`` are the same bytes as in ASCII."""


def check_markup(data: bytes, where: object, *, is_html: bool = False) -> None:
    """Check that a document in XML or HTML does not have too many nodes.

    Small documents cannot have too many nodes, so they are not searched. In large documents, the
    characters that begin nodes are counted, including those in comments and CDATA sections.

    Args:
        data: The document.
        where: The document's file, for messages.
        is_html: Whether any ``<meta>`` element can declare the encoding.

    Raises:
        InputError: If the document has more than :data:`MOST_NODES`, or its encoding hides the markup.
    """
    if len(data) <= _SHORTEST_NODE * MOST_NODES:
        return
    if b"\0" in data:  # UTF-16
        data = data.replace(b"\0", b"")
    head = data[: data.find(b">") + 1]
    encodings = _DECLARED_ENCODING.findall(data if is_html else head)
    for encoding in {name.decode("latin-1").lower() for name in encodings}:
        if not _COUNTABLE_ENCODING.fullmatch(encoding):
            raise InputError(
                where,
                f"a document of more than {_SHORTEST_NODE * MOST_NODES:,} bytes in the encoding "
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
