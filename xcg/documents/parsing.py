"""Parse XML documents safely into element trees.

A document is serialised with only elements, attributes and text, so that every ``<`` and ``>`` belongs
to a tag. numpy computes the columns of a tree from the tags. This is several times faster than one
Python callback per tag.

Documents can be as large as :data:`LARGEST_SERIALISED`, so arrays that need eight bytes for each
character are computed block by block.
"""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from xcg.documents.files import SAFE_PARSING, xml_error
from xcg.documents.markup import SMALL, check_markup
from xcg.documents.paths import walk
from xcg.documents.tree import ElementTree, Ints, sibling_positions
from xcg.errors import InputError, Notes
from xcg.lazy_modules import etree, np, npt

ENTITY = "\ufffc"
"""The character that replaces an entity reference in a document's text."""

_BLOCK = 1 << 22
"""Number of bytes or characters in a block."""
_SCANNED_BYTES = 10**8
"""Maximum size of a document times the number of paths that are looked up one by one."""

_NAME = re.compile(rb"<([^/> \t\n]+)")
_REFERENCE = re.compile(r"&(#?)([^;]*);")
_CHARACTER_REFERENCE = re.compile(rb"&#[^;]*;")
_MAYBE_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)([^;]*)")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def parse_document(data: bytes | str, name: object = "document") -> ElementTree:
    """Parse an XML document.

    The size of an element is the length of its string value in characters (Unicode code points), where
    an entity reference counts as one. Its words are the maximal runs of non-white-space, as in
    ``str.split``.

    Args:
        data: The document: text, or bytes in any encoding that its XML declaration names.
        name: The document's file, for messages.

    Returns:
        The tree of its elements.

    Raises:
        InputError: If it is not well-formed XML, with the line.

    >>> parse_document(b"<a>x &amp; <!-- no --><b><![CDATA[<y>]]></b></a>").text
    'x & <y>'
    >>> parse_document("<a>café</a>").text
    'café'
    """
    encoded = data if isinstance(data, bytes) else encode(data)
    [tree] = trees_of([serialise(encoded, name)], [lambda: text_of(encoded, name)])
    tree.read_breaks = lambda: text_breaks(encoded, name)
    return tree


def text_of(data: bytes, name: object) -> str:
    """Return the text of a document, which trees do not store."""
    return _text(_Tags([serialise(data, name)]))


def text_breaks(data: bytes, name: object) -> list[int]:
    """Return the offsets of comments and processing instructions in a document's text.

    They divide text nodes, but a tree does not contain them.

    >>> text_breaks(b"<a>one<!-- two -->three<b>four<?five?></b></a>", "document")
    [3, 12]
    """
    root = document_root(data, name, remove_comments=False, remove_pis=False)
    # No element has a name that is longer than the longest one.
    mark = max((etree.QName(element).localname for element in root.iter("*")), key=len) + "_"
    for node in list(root.iter(etree.Comment, etree.ProcessingInstruction)):
        element = etree.Element(mark)
        element.tail = node.tail
        parent = node.getparent()
        assert parent is not None
        parent.replace(node, element)
    tags = _Tags([serialise(root, name)])
    names, codes = _local_names(tags)
    offsets = _text_offsets(tags)[~tags.closing]
    return offsets[codes == names.index(mark)].tolist() if mark in names else []


def entity_references(data: bytes, name: object) -> list[str]:
    """Return the names of the entities that a document's text contains as :data:`ENTITY`, in order.

    >>> entity_references(b"<!DOCTYPE a SYSTEM 'a'><a>x&nbsp;y &amp;<![CDATA[&no;]]></a>", "document")
    ['nbsp']
    """
    if _MAYBE_ENTITY.search(data) is None:
        return []
    references: Iterator[Any] = document_root(data, name).iter(etree.Entity)
    return [reference.name for reference in references]


def note_entity(tree: ElementTree, where: str, notes: Notes) -> None:
    """Count a document with entities that are not expanded: other programs may read another text."""
    kind = "documents with entities that are not expanded"
    message = f"each reference, such as &{tree.entity};, is one character without elements"
    notes.oddity(kind, where, f"{message}: expand them (xmllint --loaddtd --noent --dropdtd)")


def absent_paths(data: bytes, paths: Iterable[str], name: object = "document") -> list[str]:
    """Parse a document and return the canonical paths that it lacks.

    For a few paths, this takes little more time than parsing. Threads can do it in parallel.

    Raises:
        InputError: If it is too large, or not well-formed XML (then the message states the line).

    >>> absent_paths(b"<a><b/><c/><b/></a>", ["/a[1]/b[2]", "/a[1]/b[3]", "/b[1]"])
    ['/a[1]/b[3]', '/b[1]']
    """
    root = document_root(data, name)
    paths = list(paths)
    if len(data) * len(paths) > _SCANNED_BYTES:
        [tree] = trees_of([serialise(root, name)], [str])
        return [path for path in paths if path not in tree]
    known: dict[str, etree._Element | None] = {"": None, f"/{etree.QName(root).localname}[1]": root}
    return [path for path in paths if walk(path, known, _child) is None]


def _child(parent: etree._Element | None, step: str) -> etree._Element | None:
    name, _, position = step[:-1].partition("[")
    if parent is None or not position.isdecimal():
        return None
    return next(itertools.islice(parent.iterchildren(f"{{*}}{name}"), int(position) - 1, None), None)


class _Tags:
    """The tags in concatenated serialised documents, and the bytes of text between them."""

    def __init__(self, documents: Sequence[bytes]) -> None:
        self.serialised = serialised = b"".join(documents)
        self.raw_bytes = raw_bytes = np.frombuffer(serialised, dtype=np.uint8)
        self.first, self.last = (np.flatnonzero(raw_bytes == ord(mark)) for mark in "<>")
        self.closing = raw_bytes[self.first + 1] == ord("/")
        self.empty = raw_bytes[self.last - 1] == ord("/")
        step = np.zeros(len(raw_bytes) + 1, dtype=np.int8)
        step[self.first] = 1
        step[self.last + 1] -= 1  # another tag may follow immediately
        np.cumsum(step, dtype=np.int8, out=step)
        self.text = raw_bytes[step[:-1] == 0]
        lengths = self.last + 1 - self.first
        self.before = self.first - np.cumsum(lengths) + lengths  # bytes of text before each tag


def _count_before(is_counted: npt.NDArray[np.bool_], positions: Ints) -> Ints:
    """Return how many bytes before positions in a text, which increase, are counted."""
    counts = np.empty(len(positions), dtype=np.int64)
    total = 0
    for start in range(0, len(is_counted) + 1, _BLOCK):
        block = is_counted[start : start + _BLOCK]
        before = np.zeros(len(block) + 1, dtype=np.int32)
        np.cumsum(block, dtype=np.int32, out=before[1:])
        own = slice(*np.searchsorted(positions, [start, start + _BLOCK]))
        counts[own] = total + before[positions[own] - start]
        total += int(before[-1])
    return counts


def _text(tags: _Tags) -> str:
    text = tags.text.tobytes().decode()
    pieces = []
    start = 0
    while start < len(text):  # block by block, because each reference needs memory
        stop = text.find("&", start + _BLOCK)
        stop = stop if stop >= 0 else len(text)
        pieces.append(_REFERENCE.sub(_character, text[start:stop]))
        start = stop
    return "".join(pieces)


def _character(reference: re.Match[str]) -> str:
    number, name = reference.groups()
    if number:
        return chr(int(name[1:], 16) if name.startswith("x") else int(name))
    return _PREDEFINED.get(name, ENTITY)


def _text_offsets(tags: _Tags) -> Ints:
    """Return for every tag the number of characters of text before it."""
    text = tags.text
    is_counted = (text & 0xC0) != 0x80  # a character can have several bytes in UTF-8
    references = np.flatnonzero(text == ord("&"))
    if len(references):  # a reference is one character
        semicolons = np.flatnonzero(text == ord(";"))
        ends = semicolons[np.searchsorted(semicolons, references)]
        step = np.zeros(len(text) + 1, dtype=np.int8)
        step[references + 1] = 1
        step[ends + 1] -= 1
        is_counted &= np.cumsum(step[:-1], dtype=np.int8) == 0
    return _count_before(is_counted, tags.before)


def _local_names(tags: _Tags) -> tuple[list[str], Ints]:
    """Return the sorted local names, and the index of the name of every opening tag."""
    raw = _NAME.findall(tags.serialised)
    local = {name: name.rpartition(b":")[2].decode() for name in set(raw)}
    names = sorted(set(local.values()))
    code_of = {name: code for code, name in enumerate(names)}
    codes = {name: code_of[local[name]] for name in local}
    return names, np.fromiter(map(codes.__getitem__, raw), dtype=np.int64, count=len(raw))


def trees_of(documents: Sequence[bytes], read_texts: Sequence[Callable[[], str]]) -> list[ElementTree]:
    """Return the trees of serialised documents; batches are faster than single documents.

    Args:
        documents: Documents as returned by :func:`serialise`.
        read_texts: For each document, the function that reads its text.
    """
    if not documents:
        return []
    tags = _Tags(documents)
    opening = ~tags.closing
    net = np.where(tags.closing, -1, np.where(tags.empty, 0, 1))
    level = np.cumsum(net) + ~(opening & ~tags.empty)  # depth of the tag's element
    opened = np.cumsum(opening)  # elements opened up to this tag
    elements = int(opened[-1])

    # Opening and closing tags of one level alternate, so a stable sort by level pairs them. numpy sorts
    # 16-bit numbers with radix sort; libxml2 limits levels to 256.
    tagged = np.flatnonzero(~tags.empty)
    paired = tagged[np.argsort(level[tagged].astype(np.uint16), kind="stable")]
    opens, closes = paired[0::2], paired[1::2]
    with_content = opened[opens] - 1
    end = np.arange(1, elements + 1)
    end[with_content] = opened[closes]

    depth = level[opening]
    by_depth = np.argsort(depth.astype(np.uint16), kind="stable")
    keys = depth[by_depth] * elements + by_depth
    # The parent is the last element of the level above that was opened before.
    parent = np.empty_like(by_depth)
    parent[by_depth] = by_depth[np.searchsorted(keys, keys - elements) - 1]
    roots = np.flatnonzero(depth == 1)
    parent[roots] = -1
    names, tag_codes = _local_names(tags)
    positions = sibling_positions(parent, tag_codes, len(names))
    positions[roots] = 1

    offset = _text_offsets(tags)
    start = offset[opening]
    characters, words = np.zeros_like(start), np.zeros_like(start)
    characters[with_content] = size = offset[closes] - offset[opens]
    words_before, is_inside_word = _words(tags)
    first_word = is_inside_word[opens] & (size > 0)  # starts before the element
    words[with_content] = words_before[closes] - words_before[opens] + first_word

    sizes = np.diff(roots, append=elements)
    document, root = np.repeat(np.arange(len(roots)), sizes), np.repeat(roots, sizes)
    # The names of one document after the other, each once.
    is_used = np.zeros((len(roots), len(names)), dtype=np.bool_)
    is_used[document, tag_codes] = True
    first_names = np.r_[0, np.cumsum(is_used.sum(axis=1))]
    used_names = [names[code] for code in np.nonzero(is_used)[1].tolist()]
    code_in_document = np.cumsum(is_used, axis=1) - 1
    columns = {
        "tag_codes": code_in_document[document, tag_codes],
        "parent": np.where(parent < 0, -1, parent - root),
        "end": end - root,
        "depth": depth,
        "start": start - start[root],
        "characters": characters,
        "words": words,
        "positions": positions,
    }
    rows = itertools.starmap(slice, itertools.pairwise([*roots.tolist(), elements]))
    named = itertools.starmap(slice, itertools.pairwise(first_names.tolist()))
    return [
        ElementTree(
            **{column: values[own_rows] for column, values in columns.items()},
            tag_names=used_names[own_names],
            read_text=read_text,
            entity=b"".join(_MAYBE_ENTITY.findall(data)[:1]).decode(),
        )
        for own_rows, own_names, read_text, data in zip(rows, named, read_texts, documents, strict=True)
    ]


@cache
def _other_spaces() -> list[bytes]:
    """Return the white space characters outside ASCII in UTF-8; the last is U+3000."""
    return [character.encode() for character in map(chr, range(128, 0x3001)) if character.isspace()]


def _blanked(reference: re.Match[bytes]) -> bytes:
    """Return a reference to a character, or as many spaces as it has bytes if this is white space."""
    is_space = _REFERENCE.sub(_character, reference[0].decode()).isspace()
    return b" " * len(reference[0]) if is_space else reference[0]


def _words(tags: _Tags) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return how many words of the text start before each tag, and whether the tag is inside a word."""
    text = tags.text.tobytes()
    for space in () if text.isascii() else _other_spaces():
        text = text.replace(space, b" " * len(space))
    if b"&" in text and b"&#" in text:  # searching for one byte is much faster
        text = _CHARACTER_REFERENCE.sub(_blanked, text)
    is_solid = np.frombuffer(text, dtype=np.uint8) > ord(" ")
    continues = np.zeros(len(text) + 1, dtype=np.bool_)
    np.logical_and(is_solid[1:], is_solid[:-1], out=continues[1:-1])
    is_solid &= ~continues[:-1]
    return _count_before(is_solid, tags.before), continues[tags.before]


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
                where = f"{name}:{reference.sourceline}"
                problem = f"the entity &{reference.name}; contains elements, entities or a file"
                problem += ", which are not read; elements after it would have other paths"
                raise InputError(where, f"{problem}: expand it (xmllint --noent --dropdtd)")
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
        size = f"{len(content):,} bytes; the limit is {LARGEST_SERIALISED:,}"
        raise InputError(name, f"the parsed document has {size}: split it into smaller documents")
    return content


_EXTERNAL_DTD = b"<!DOCTYPE a SYSTEM 'a'>"
"""A DTD that is not read; with it, references to entities need no declaration."""


def without_elements(data: bytes, names: Iterable[str], where: object) -> tuple[bytes, int]:
    """Return a document without the elements of some local names, and how many elements have them.

    Other paths keep their numbers, because all siblings with the same local name are removed.

    Raises:
        InputError: If the root has one of the names; also as :func:`document_root`.

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
