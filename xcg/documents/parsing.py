"""From the bytes of an XML document to an :class:`ElementTree`.

lxml parses, without expanding entities, loading DTDs or using the network. What it parsed is
serialised once more, and the columns are read off that form with numpy: there comments, processing
instructions and CDATA sections are gone and every ``<`` or ``>`` that is no markup is escaped, so
that the positions of these two bytes are the positions of the tags. This costs about a serialisation
and a few array operations beyond the parsing itself, where a Python callback an element would
cost several times the parsing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TypeAlias

from xcg.documents.files import SAFE_PARSING, xml_error
from xcg.documents.paths import split_step, walk
from xcg.documents.tree import ElementTree, Ints, sibling_positions
from xcg.lazy_modules import etree, hashlib, np, npt

Hashes: TypeAlias = "npt.NDArray[np.uint64]"

ENTITY = "\ufffc"
"""What stands in a document's text for an entity reference, which is never expanded."""

_NAME = re.compile(rb"[^/> ]+")
_WORD = 8
_FIRST_SHORT = 1 << (8 * (_WORD - 1))
_NAME_MASKS = [~((1 << 8 * (_WORD - n)) - 1) & (2**64 - 1) for n in range(_WORD + 1)]
_ENDS_NAME = [code in b" />" for code in range(256)]
_REFERENCE = re.compile(r"&(#?)([^;]*);")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

_IS_SOLID = bytes(not chr(code).isspace() for code in range(256))


def hardened_parser() -> etree.XMLParser:
    """Return a parser for hostile input."""
    return etree.XMLParser(**SAFE_PARSING)


def parse_document(data: bytes, name: object = "document") -> ElementTree:
    """Parse an XML document.

    data: the document's bytes, in any encoding that its XML declaration names.
    name: what messages call it.

    The size of an element is the length of its string value in characters (Unicode code points), an
    entity reference counting as one; its words are the maximal runs of non-white-space in it, as
    ``str.split`` finds them. Raises InputError with the line for what is not well-formed XML.

    >>> parse_document(b"<a>x &amp; <!-- no --><b><![CDATA[<y>]]></b></a>").text
    'x & <y>'
    """
    return trees_of([serialise(data, name)], [lambda: text_of(data, name)])[0]


def text_of(data: bytes, name: object) -> str:
    """Return the text of a document; most trees are never asked for theirs, and do not keep it."""
    return _text(_Tags([serialise(data, name)]))


def serialise(data: bytes, name: object = "document") -> bytes:
    """Parse a document and return it as UTF-8 with nothing but elements, attributes and text.

    Works outside Python's lock, so that threads do it in parallel. Raises InputError with the line
    for what is not well-formed XML.
    """
    return etree.tostring(_root(data, name), encoding="utf-8", with_tail=False)


def absent_paths(data: bytes, paths: Iterable[str], name: object = "document") -> list[str]:
    """Parse a document and return which canonical paths it lacks.

    For a few paths this costs little more than the parsing, outside Python's lock like
    :func:`serialise`. Raises InputError with the line for what is not well-formed XML.

    >>> absent_paths(b"<a><b/><c/><b/></a>", ["/a[1]/b[2]", "/a[1]/b[3]", "/b[1]"])
    ['/a[1]/b[3]', '/b[1]']
    """
    root = _root(data, name)
    known: dict[str, etree._Element | None] = {"": None, f"/{etree.QName(root).localname}[1]": root}
    return [path for path in paths if walk(path, known, _child) is None]


def _child(parent: etree._Element, step: str) -> etree._Element | None:
    name, position = split_step(step)
    if not name:
        return None
    return next(itertools.islice(parent.iterchildren(f"{{*}}{name}"), position - 1, None), None)


def _root(data: bytes, name: object) -> etree._Element:
    try:
        return etree.fromstring(data, hardened_parser())
    except etree.XMLSyntaxError as error:
        raise xml_error(name, error) from None


class _Tags:
    """Where the tags of serialised documents are, one document behind the other."""

    def __init__(self, documents: Sequence[bytes]) -> None:
        self.serialised = serialised = b"".join(documents)
        self.octets = octets = np.frombuffer(serialised, dtype=np.uint8)
        self.first = np.flatnonzero(octets == ord("<"))
        self.last = np.flatnonzero(octets == ord(">"))
        self.closing = octets[self.first + 1] == ord("/")
        self.empty = octets[self.last - 1] == ord("/")

    def text_mask(self) -> npt.NDArray[np.bool_]:
        """Say of every octet whether it is text."""
        step = np.zeros(len(self.octets) + 1, dtype=np.int8)
        step[self.first] = 1
        step[self.last + 1] -= 1  # a tag may follow at once
        return np.asarray(np.cumsum(step[:-1], dtype=np.int8) == 0)


def _text(tags: _Tags) -> str:
    text = tags.octets[tags.text_mask()].tobytes().decode()
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    number, name = reference.groups()
    if number:
        return chr(int(name[1:], 16) if name.startswith("x") else int(name))
    return _PREDEFINED.get(name, ENTITY)


def _text_offsets(tags: _Tags) -> Ints:
    """Return for every tag the number of characters of text before it."""
    before = np.zeros(len(tags.first), dtype=np.int64)
    before[1:] = tags.first[1:] - tags.last[:-1] - 1  # octets of text since the previous tag

    def correct(positions: Ints, octets: Ints | int) -> None:
        """Take back octets at these positions, where they lie in text."""
        following = np.searchsorted(tags.first, positions)
        in_text = positions > tags.last[following - 1]
        amounts = np.broadcast_to(np.asarray(octets), positions.shape)
        before[:] -= np.bincount(
            following[in_text], weights=amounts[in_text], minlength=len(before)
        ).astype(np.int64)

    # UTF-8 needs more than one octet for a character, a reference stands for one.
    correct(np.flatnonzero((tags.octets & 0xC0) == 0x80), 1)
    references = np.flatnonzero(tags.octets == ord("&"))
    if len(references):
        ends = np.flatnonzero(tags.octets == ord(";"))
        ends = ends[np.searchsorted(ends, references)]
        serialised = tags.serialised
        names = [len(serialised[a:b].decode()) for a, b in zip(references, ends, strict=True)]
        correct(references, np.array(names))
    return np.cumsum(before)


class _Structure:
    """The elements of documents, one document behind the other: all columns but the sizes."""

    def __init__(self, tags: _Tags) -> None:
        self.opening = opening = ~tags.closing
        net = np.where(tags.closing, -1, np.where(tags.empty, 0, 1))
        level = np.cumsum(net) + ~(opening & ~tags.empty)  # depth of the element that the tag is of
        opened = np.cumsum(opening)  # elements opened up to and with the tag
        row = opened - 1
        elements = int(opened[-1])

        # On one level opening and closing tags alternate, so that a stable sort by level pairs them.
        # Levels fit 16 bits (libxml2 stops at 256), for which numpy's stable sort is a radix sort.
        tagged = np.flatnonzero(~tags.empty)
        paired = tagged[np.argsort(level[tagged].astype(np.uint16), kind="stable")]
        self.opens, self.closes = paired[0::2], paired[1::2]
        self.opened_rows = row[self.opens]
        self.end = np.arange(1, elements + 1)
        self.end[self.opened_rows] = opened[self.closes]

        self.depth = depth = level[opening]
        self.by_depth = by_depth = np.argsort(depth.astype(np.uint16), kind="stable")
        keys = depth[by_depth] * elements + by_depth
        # The parent is the last element one level up that opened before.
        parent = by_depth[np.searchsorted(keys, (depth - 1) * elements + np.arange(elements)) - 1]
        parent[depth == 1] = -1
        self.parent = parent
        self.roots = np.flatnonzero(depth == 1)

        self.tag_names, self.tag_codes = _local_names(tags)
        self.positions = sibling_positions(parent, self.tag_codes, len(self.tag_names))
        self.positions[self.roots] = 1


def _local_names(tags: _Tags) -> tuple[list[str], Ints]:
    """Return the local names in order, and of every opening tag which one it has."""
    octets = np.concatenate((tags.octets, np.zeros(_WORD, dtype=np.uint8)))
    first = tags.first[~tags.closing] + 1
    length = np.full(len(first), _WORD)
    ends_name = np.array(_ENDS_NAME)
    for place in range(_WORD - 1, 0, -1):
        length[ends_name[octets[first + place]]] = place
    # Names shorter than a word are compared as numbers; others, which are rare, one by one.
    words = np.ndarray(len(tags.octets), ">u8", octets, strides=(1,))[first].astype(np.uint64)
    words &= np.array(_NAME_MASKS, np.uint64)[length]
    serialised = tags.serialised
    long_names: dict[bytes, int] = {}
    for tag in np.flatnonzero(length == _WORD).tolist():
        match = _NAME.match(serialised, first[tag])
        assert match is not None
        words[tag] = long_names.setdefault(match[0], len(long_names))  # its first octet is 0
    distinct, codes = np.unique(words, return_inverse=True)
    by_number = list(long_names)
    raw = [
        by_number[w] if w < _FIRST_SHORT else w.to_bytes(_WORD).rstrip(b"\0") for w in distinct.tolist()
    ]
    local = [name.rpartition(b":")[2].decode() for name in raw]
    names = sorted(set(local))
    return names, np.array([names.index(name) for name in local])[codes]


def trees_of(documents: Sequence[bytes], read_texts: Sequence[Callable[[], str]]) -> list[ElementTree]:
    """Return the trees of serialised documents; several at once cost less than one by one.

    read_texts: what reads each document's text again.
    """
    if not documents:
        return []
    tags = _Tags(documents)
    elements = _Structure(tags)
    offset = _text_offsets(tags)
    start = offset[elements.opening]
    stop = start.copy()
    stop[elements.opened_rows] = offset[elements.closes]
    words = _words(_text(tags), start, stop)
    trees = []
    roots = elements.roots.tolist()
    for first, last, read_text in zip(roots, [*roots[1:], len(start)], read_texts, strict=True):
        rows = slice(first, last)
        parent = elements.parent[rows] - first
        parent[0] = -1
        used, tag_codes = np.unique(elements.tag_codes[rows], return_inverse=True)
        trees.append(
            ElementTree(
                tag_names=[elements.tag_names[code] for code in used],
                tag_codes=tag_codes,
                parent=parent,
                end=elements.end[rows] - first,
                depth=elements.depth[rows],
                start=start[rows] - start[first],
                characters=stop[rows] - start[rows],
                words=words[rows],
                positions=elements.positions[rows],
                read_text=read_text,
            )
        )
    return trees


_ODD = 0x9E3779B97F4A7C15
_64_BITS = (1 << 64) - 1


def _name_hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest())


def _mix(number: int) -> int:
    """Mix the bits of a number modulo 2^64, one to one: the last part of the generator SplitMix64."""
    number &= _64_BITS
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _64_BITS
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _64_BITS
    return number ^ (number >> 31)


def _mix_all(numbers: Hashes) -> Hashes:
    """Return :func:`_mix` of every number."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def hash_paths(paths: Iterable[str], known: dict[str, int]) -> list[int]:
    """Return the hashes of canonical paths, as in :func:`path_hashes`.

    known: path → hash; the paths that it lacks are added, each after those above it.
    """
    return [known[path] if path in known else _hash_path(path, known) for path in paths]


def _hash_path(path: str, known: dict[str, int]) -> int:
    above, _, step = path.rpartition("/")
    if step in known:
        step_hash = known[step]
    else:
        name, position = split_step(step)
        step_hash = known[step] = _mix(_name_hash(name) + position)
    if above:
        step_hash += (known[above] if above in known else _hash_path(above, known)) * _ODD
    result = known[path] = _mix(step_hash)
    return result


def path_hashes(documents: Sequence[bytes]) -> list[Hashes]:
    """Return for each serialised document the hashes of its paths in increasing order.

    Made for many documents at once, level by level, without a path as a string. Two different paths
    have one hash with a chance of 2^-64.

    >>> _, hashes = path_hashes([b"<c/>", b"<a><b/><b/></a>"])
    >>> hashes.tolist() == sorted(hash_paths(["/a[1]", "/a[1]/b[1]", "/a[1]/b[2]"], {}))
    True
    """
    if not documents:
        return []
    elements = _Structure(_Tags(documents))
    parent, by_depth = elements.parent, elements.by_depth
    names = np.array([_name_hash(name) for name in elements.tag_names], dtype=np.uint64)
    step = _mix_all(names[elements.tag_codes] + elements.positions.astype(np.uint64))
    hashes = np.empty(len(parent), dtype=np.uint64)
    levels = np.split(by_depth, np.cumsum(np.bincount(elements.depth)[1:-1]))
    hashes[levels[0]] = _mix_all(step[levels[0]])
    for rows in levels[1:]:
        hashes[rows] = _mix_all(hashes[parent[rows]] * np.uint64(_ODD) + step[rows])
    return [np.sort(part) for part in np.split(hashes, elements.roots[1:])]


@cache
def _other_spaces() -> list[str]:
    """Return what is white space and not in Latin-1; the last is U+3000."""
    return [character for character in map(chr, range(256, 0x3001)) if character.isspace()]


def _words(text: str, start: Ints, stop: Ints) -> Ints:
    """Return the number of words in each span: the words that begin there, and one that goes on."""
    for space in () if text.isascii() else _other_spaces():
        text = text.replace(space, " ")
    octets = text.encode("latin-1", "replace").translate(_IS_SOLID)
    solid = np.zeros(len(text) + 1, dtype=np.bool_)  # one place more, for spans at the end
    solid[:-1] = np.frombuffer(octets, dtype=np.bool_)
    begins = solid.copy()
    begins[1:] &= ~solid[:-1]
    begun = np.zeros(len(solid) + 1, dtype=np.int64)  # words begun before each character
    np.cumsum(begins, out=begun[1:])
    goes_on = solid[start] & ~begins[start] & (stop > start)
    return np.asarray(begun[stop] - begun[start] + goes_on)
