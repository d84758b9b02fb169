"""Parse XML documents into element trees.

numpy computes the columns of a tree from the tags of a serialised document, see
:mod:`xcg.documents.serialising`. This is several times faster than one Python callback per tag.

Documents can be as large as :data:`~xcg.documents.serialising.LARGEST_SERIALISED`, so arrays that need
eight bytes for each character are computed block by block.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, AnyStr

from xcg.documents.paths import split_step, walk
from xcg.documents.serialising import document_root, encode, serialise, serialised_root
from xcg.documents.tree import ElementTree, Ints, sibling_positions
from xcg.lazy_modules import etree, np, npt

ENTITY = "\ufffc"
"""The character that replaces an entity reference in a document's text."""

_BLOCK = 1 << 22
"""Number of bytes or characters in a block."""
_SCANNED_BYTES = 10**8
"""Maximum size of a document times the number of paths that are looked up one by one."""

_NAME = re.compile(rb"[^/> \t\n]+")
_ENDS_NAME = bytes(code in b"/> \t\n" for code in range(256))
_WORD = 8
_FIRST_SHORT = 1 << (8 * (_WORD - 1))
_REFERENCE = re.compile(r"&(#?)([^;]*);")
_CHARACTER_REFERENCE = re.compile(rb"&#[^;]*;")
_MAYBE_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)")
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
    tags = _Tags([serialised_root(root, name)])
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
        [tree] = trees_of([serialised_root(root, name)], [str])
        return [path for path in paths if path not in tree]
    known: dict[str, etree._Element | None] = {"": None, f"/{etree.QName(root).localname}[1]": root}
    return [path for path in paths if walk(path, known, _child) is None]


def _child(parent: etree._Element | None, step: str) -> etree._Element | None:
    name, position = split_step(step)
    if parent is None or not name:
        return None
    return next(itertools.islice(parent.iterchildren(f"{{*}}{name}"), position - 1, None), None)


class _Tags:
    """The positions of the tags in concatenated serialised documents."""

    def __init__(self, documents: Sequence[bytes]) -> None:
        self.serialised = serialised = b"".join(documents)
        self.raw_bytes = raw_bytes = np.frombuffer(serialised, dtype=np.uint8)
        self.first, self.last = (np.flatnonzero(raw_bytes == ord(mark)) for mark in "<>")
        self.closing = raw_bytes[self.first + 1] == ord("/")
        self.empty = raw_bytes[self.last - 1] == ord("/")


def _blocks(text: AnyStr, ampersand: AnyStr, semicolon: AnyStr) -> Iterator[slice]:
    """Divide a text into blocks, but not inside references."""
    start = 0
    while start < len(text):
        stop = start + _BLOCK
        last = text.rfind(ampersand, start, stop)
        if last >= start and stop < len(text):  # this reference may be longer than the block
            stop = last if last > start else text.index(semicolon, start) + 1
        yield slice(start, stop)
        start = stop


def _text(tags: _Tags) -> str:
    step = np.zeros(len(tags.raw_bytes) + 1, dtype=np.int8)
    step[tags.first] = 1
    step[tags.last + 1] -= 1  # another tag may follow immediately
    np.cumsum(step, dtype=np.int8, out=step)
    text: str = tags.raw_bytes[step[:-1] == 0].tobytes().decode()
    if "&" not in text:
        return text
    return "".join(_REFERENCE.sub(_character, text[block]) for block in _blocks(text, "&", ";"))


def _character(reference: re.Match[str]) -> str:
    number, name = reference.groups()
    if number:
        return chr(int(name[1:], 16) if name.startswith("x") else int(name))
    return _PREDEFINED.get(name, ENTITY)


def _text_offsets(tags: _Tags) -> Ints:
    """Return for every tag the number of characters of text before it."""
    before = np.zeros(len(tags.first), dtype=np.int64)
    before[1:] = tags.first[1:] - tags.last[:-1] - 1  # bytes of text since the previous tag

    def correct(positions: Ints, raw_bytes: Ints | None = None) -> None:
        """Subtract numbers of bytes, 1 by default, at positions that are in text."""
        following = np.searchsorted(tags.first, positions)
        in_text = positions > tags.last[following - 1]
        amounts = raw_bytes[in_text] if raw_bytes is not None else None
        before[:] -= np.bincount(following[in_text], amounts, len(before)).astype(np.int64)

    # A character can have several bytes in UTF-8, and a reference is one character.
    for block in _blocks(tags.serialised, b"&", b";"):
        raw_bytes = tags.raw_bytes[block]
        further = np.flatnonzero((raw_bytes & 0xC0) == 0x80)
        if len(further):
            correct(further + block.start)
        references = np.flatnonzero(raw_bytes == ord("&"))
        if len(references):
            ends = np.flatnonzero(raw_bytes == ord(";"))
            ends = ends[np.searchsorted(ends, references)]
            counted = np.searchsorted(further, ends) - np.searchsorted(further, references)
            correct(references + block.start, ends - references - counted)
    return np.cumsum(before)


class _Structure:
    """The elements of concatenated documents: all columns except the sizes."""

    def __init__(self, tags: _Tags) -> None:
        self.opening = opening = ~tags.closing
        net = np.where(tags.closing, -1, np.where(tags.empty, 0, 1))
        level = np.cumsum(net) + ~(opening & ~tags.empty)  # depth of the tag's element
        opened = np.cumsum(opening)  # elements opened up to this tag
        row = opened - 1
        elements = int(opened[-1])

        # Opening and closing tags of one level alternate, so a stable sort by level pairs them. numpy
        # sorts 16-bit numbers with radix sort; libxml2 limits levels to 256.
        tagged = np.flatnonzero(~tags.empty)
        paired = tagged[np.argsort(level[tagged].astype(np.uint16), kind="stable")]
        self.opens, self.closes = paired[0::2], paired[1::2]
        self.opened_rows = row[self.opens]
        self.end = np.arange(1, elements + 1)
        self.end[self.opened_rows] = opened[self.closes]

        self.depth = depth = level[opening]
        self.by_depth = by_depth = np.argsort(depth.astype(np.uint16), kind="stable")
        keys = depth[by_depth] * elements + by_depth
        # The parent is the last element of the level above that was opened before.
        self.parent = parent = np.empty_like(by_depth)
        parent[by_depth] = by_depth[np.searchsorted(keys, keys - elements) - 1]
        self.roots = np.flatnonzero(depth == 1)
        parent[self.roots] = -1

        self.tag_names, self.tag_codes = _local_names(tags)
        self.positions = sibling_positions(parent, self.tag_codes, len(self.tag_names))
        self.positions[self.roots] = 1


def _local_names(tags: _Tags) -> tuple[list[str], Ints]:
    """Return the sorted local names, and the index of the name of every opening tag."""
    raw_bytes = np.concatenate((tags.raw_bytes, np.zeros(_WORD, dtype=np.uint8)))
    first = tags.first[~tags.closing] + 1
    words = np.ndarray(len(tags.raw_bytes), ">u8", raw_bytes, strides=(1,))[first]
    # Names of fewer than eight bytes are compared as 64-bit numbers, the few longer ones one by one.
    ends = np.frombuffer(words.tobytes().translate(_ENDS_NAME), ">u8").astype(np.uint64)
    is_long = ends == 0
    for bits in (8, 16, 32):  # 1 for the byte that ends the name and all following ones
        ends |= ends >> np.uint64(bits)
    words = words.astype(np.uint64) & ~(ends * np.uint64(0xFF))
    serialised = tags.serialised
    long_names: dict[bytes, int] = {}
    for tag in np.flatnonzero(is_long).tolist():
        match = _NAME.match(serialised, first[tag])
        assert match is not None
        words[tag] = long_names.setdefault(match[0], len(long_names))  # its first byte is 0
    in_order = np.sort(words)  # much faster than np.unique
    distinct = in_order[np.r_[True, in_order[1:] != in_order[:-1]]]
    by_number = list(long_names)
    raw = [
        by_number[w] if w < _FIRST_SHORT else w.to_bytes(_WORD).rstrip(b"\0") for w in distinct.tolist()
    ]
    local = [name.rpartition(b":")[2].decode() for name in raw]
    names = sorted(set(local))
    code_of = {name: code for code, name in enumerate(names)}
    return names, np.array([code_of[name] for name in local])[np.searchsorted(distinct, words)]


def trees_of(documents: Sequence[bytes], read_texts: Sequence[Callable[[], str]]) -> list[ElementTree]:
    """Return the trees of serialised documents; batches are faster than single documents.

    Args:
        documents: Documents as returned by :func:`~xcg.documents.serialising.serialise`.
        read_texts: For each document, the function that reads its text.
    """
    if not documents:
        return []
    tags = _Tags(documents)
    elements = _Structure(tags)
    offset = _text_offsets(tags)
    start = offset[elements.opening]
    characters, words = np.zeros_like(start), np.zeros_like(start)  # of elements without content
    opens, closes = elements.opens, elements.closes
    characters[elements.opened_rows] = size = offset[closes] - offset[opens]
    words_before, is_inside_word = _words(tags)
    first_word = is_inside_word[opens] & (size > 0)  # starts before the element
    words[elements.opened_rows] = words_before[closes] - words_before[opens] + first_word

    roots, names = elements.roots, elements.tag_names
    sizes = np.diff(roots, append=len(start))
    document, root = np.repeat(np.arange(len(roots)), sizes), np.repeat(roots, sizes)
    # The names of one document after the other, each once.
    is_used = np.zeros((len(roots), len(names)), dtype=np.bool_)
    is_used[document, elements.tag_codes] = True
    first_names = np.r_[0, np.cumsum(is_used.sum(axis=1))]
    used_names = [names[code] for code in np.nonzero(is_used)[1].tolist()]
    code_in_document = np.cumsum(is_used, axis=1) - 1
    columns = {
        "tag_codes": code_in_document[document, elements.tag_codes],
        "parent": np.where(elements.parent < 0, -1, elements.parent - root),
        "end": elements.end - root,
        "depth": elements.depth,
        "start": start - start[root],
        "characters": characters,
        "words": words,
        "positions": elements.positions,
    }
    rows = itertools.starmap(slice, itertools.pairwise([*roots.tolist(), len(start)]))
    named = itertools.starmap(slice, itertools.pairwise(first_names.tolist()))
    return [
        ElementTree(
            **{column: values[own_rows] for column, values in columns.items()},
            tag_names=used_names[own_names],
            read_text=read_text,
        )
        for own_rows, own_names, read_text in zip(rows, named, read_texts, strict=True)
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
    serialised = tags.serialised
    for space in () if serialised.isascii() else _other_spaces():
        serialised = serialised.replace(space, b" " * len(space))
    if b"&" in serialised and b"&#" in serialised:  # searching for one byte is much faster
        serialised = _CHARACTER_REFERENCE.sub(_blanked, serialised)
    # In the text between two tags, a word starts at a solid byte after white space. No word seems to
    # start at the text's ends, because > counts as solid and < as white space.
    solid = np.frombuffer(serialised, dtype=np.uint8) > ord(" ")
    solid[tags.first] = False
    starts_next = (solid[1:] & ~solid[:-1]).view(np.int8)
    is_text = tags.last[:-1] + 1 < tags.first[1:]
    ends = np.stack((tags.last[:-1][is_text], tags.first[1:][is_text]), axis=1)
    words = np.empty(len(ends), dtype=np.int64)
    blocks = np.searchsorted(ends[:, 0], np.arange(0, len(solid), _BLOCK)).tolist()
    for first, stop in itertools.pairwise([*blocks, len(ends)]):
        if first < stop:
            begin, end = ends[first, 0], ends[stop - 1, 1]
            texts = ends[first:stop].ravel() - begin
            counts = np.add.reduceat(starts_next[begin : end + 1], texts, dtype=np.int32)
            words[first:stop] = counts[::2]  # of texts; the others are of tags

    starts_solid, ends_solid = solid[ends[:, 0] + 1], solid[ends[:, 1] - 1]
    is_continued = ends_solid[:-1] & starts_solid[1:]  # a word, by the next text
    words += starts_solid
    words[1:] -= is_continued
    texts_before = np.cumsum(np.r_[0, is_text])
    return np.cumsum(np.r_[0, words])[texts_before], np.r_[False, is_continued, False][texts_before]
