"""From the bytes of an XML document to an :class:`ElementTree`.

lxml parses, without expanding entities, loading DTDs or using the network. What it parsed is
serialised once more, and the columns are read off that form with numpy: there comments, processing
instructions and CDATA sections are gone and every ``<`` or ``>`` that is no markup is escaped, so
that the positions of these two bytes are the positions of the tags. This costs about a serialisation
and a few array operations beyond the parsing itself, where a Python callback an element would
cost several times the parsing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from xcg.documents.tree import ElementTree
from xcg.inputs import HARDENED, xml_error
from xcg.later import etree, np

if TYPE_CHECKING:
    import numpy.typing as npt

ENTITY = "\ufffc"
"""What stands in a document's text for an entity reference, which is never expanded."""

_TAG_NAME = re.compile(rb"<([^/>\s][^/>\s]*)")
_REFERENCE = re.compile(r"&(#?)([^;]*);")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


@functools.cache
def _is_space() -> npt.NDArray[np.bool_]:
    # The code points for which str.isspace() holds all lie below U+3001.
    return np.array([chr(code).isspace() for code in range(0x3001)] + [False])


def hardened_parser() -> etree.XMLParser:
    """Return a parser for hostile input."""
    return etree.XMLParser(**HARDENED)


def parse_document(
    data: bytes, name: object = "document", reread: Callable[[], bytes] | None = None
) -> ElementTree:
    """Parse an XML document.

    data: the document's bytes, in any encoding that its XML declaration names.
    name: what messages call it.
    reread: gives the bytes again when somebody asks for the tree's text; without it they are kept.

    The size of an element is the length of its string value in characters (Unicode code points), an
    entity reference counting as one; its words are the maximal runs of non-white-space in it, as
    ``str.split`` finds them. Raises InputError with the line for what is not well-formed XML.

    >>> parse_document(b"<a>x &amp; <!-- no --><b><![CDATA[<y>]]></b></a>").text
    'x & <y>'
    """
    serialised = _serialise(data, name)
    tags = _Tags(serialised)
    text = _text(serialised, tags)
    read = reread if reread is not None else lambda: data

    def read_text() -> str:
        again = _serialise(read(), name)
        return _text(again, _Tags(again))

    # Most trees are never asked for their text, which is larger than all columns together.
    return _tree(serialised, tags, text, read_text)


def missing_paths(data: bytes, paths: Iterable[str], name: object = "document") -> list[str]:
    """Return those of some canonical paths that a document does not have, without making its tree.

    Raises InputError as :func:`parse_document`.

    >>> missing_paths(b"<a><b/><c/><b/></a>", ["/a[1]/b[2]", "/a[1]/b[3]", "/a[1]/c[1]/b[1]"])
    ['/a[1]/b[3]', '/a[1]/c[1]/b[1]']
    """
    root = _parsed(data, name)
    children: dict[str, dict[str, etree._Element]] = {"": {f"/{_local(root)}[1]": root}}
    return [path for path in paths if _element_at(path, children) is None]


def _element_at(path: str, children: dict[str, dict[str, etree._Element]]) -> etree._Element | None:
    above, _, step = path.rpartition("/")
    if above not in children:
        parent = _element_at(above, children) if above else None
        steps: dict[str, etree._Element] = {}
        counts: dict[str, int] = {}
        for child in parent if parent is not None else ():
            if isinstance(child.tag, str):  # no entity reference
                tag = _local(child)
                counts[tag] = counts.get(tag, 0) + 1
                steps[f"/{tag}[{counts[tag]}]"] = child
        children[above] = steps
    return children[above].get(f"/{step}")


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _parsed(data: bytes, name: object) -> etree._Element:
    try:
        return etree.fromstring(data, hardened_parser())
    except etree.XMLSyntaxError as error:
        raise xml_error(name, error) from None


def _serialise(data: bytes, name: object) -> bytes:
    return etree.tostring(_parsed(data, name), encoding="utf-8", with_tail=False)


class _Tags:
    """Where the tags of a serialised document are, and where its text is."""

    def __init__(self, serialised: bytes) -> None:
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


def _text(serialised: bytes, tags: _Tags) -> str:
    text = tags.octets[tags.text_mask()].tobytes().decode()
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    number, name = reference.groups()
    if number:
        return chr(int(name[1:], 16) if name.startswith("x") else int(name))
    return _PREDEFINED.get(name, ENTITY)


def _text_offsets(serialised: bytes, tags: _Tags) -> npt.NDArray[np.int64]:
    """Return for every tag the number of characters of text before it."""
    before = np.zeros(len(tags.first), dtype=np.int64)
    before[1:] = tags.first[1:] - tags.last[:-1] - 1  # octets of text since the previous tag

    def correct(positions: npt.NDArray[np.int64], octets: npt.NDArray[np.int64] | int) -> None:
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
        names = [len(serialised[a:b].decode()) for a, b in zip(references, ends, strict=True)]
        correct(references, np.array(names))
    return np.cumsum(before)


def _tree(serialised: bytes, tags: _Tags, text: str, read_text: Callable[[], str]) -> ElementTree:
    opening = ~tags.closing
    net = np.where(tags.closing, -1, np.where(tags.empty, 0, 1))
    level = np.cumsum(net) + ~(opening & ~tags.empty)  # depth of the element that the tag is of
    opened = np.cumsum(opening)  # elements opened up to and with the tag
    row = opened - 1
    elements = int(opened[-1])

    # On one level opening and closing tags alternate, so that a stable sort by level pairs them.
    # Levels fit 16 bits (libxml2 stops at 256), for which numpy's stable sort is a radix sort.
    tagged = np.flatnonzero(~tags.empty)
    paired = tagged[np.argsort(level[tagged].astype(np.uint16), kind="stable")]
    opens, closes = paired[0::2], paired[1::2]

    offset = _text_offsets(serialised, tags)
    end = np.arange(1, elements + 1)
    end[row[opens]] = opened[closes]
    start = offset[opening]
    stop = start.copy()
    stop[row[opens]] = offset[closes]

    depth = level[opening]
    by_depth = np.argsort(depth.astype(np.uint16), kind="stable")
    keys = depth[by_depth] * elements + by_depth
    # The parent is the last element one level up that opened before.
    parent = by_depth[np.searchsorted(keys, (depth - 1) * elements + np.arange(elements)) - 1]
    parent[0] = -1

    names = _TAG_NAME.findall(serialised)
    local = {name: name.rpartition(b":")[2].decode() for name in set(names)}
    tag_names = sorted(set(local.values()))
    codes = {name: tag_names.index(local[name]) for name in local}
    return ElementTree(
        tag_names=tag_names,
        tag_codes=[codes[name] for name in names],
        parent=parent,
        end=end,
        depth=depth,
        start=start,
        characters=stop - start,
        words=_words(text, start, stop),
        read_text=read_text,
    )


def _words(
    text: str, start: npt.NDArray[np.int64], stop: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the number of words in each span: the words that begin there, and one that goes on."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    solid = np.zeros(len(codes) + 1, dtype=np.bool_)  # one place more, for spans at the end
    solid[:-1] = ~_is_space().take(codes, mode="clip")
    begins = solid.copy()
    begins[1:] &= ~solid[:-1]
    begun: npt.NDArray[np.int64] = np.cumsum(begins) - begins  # words begun before each character
    goes_on = solid[start] & ~begins[start] & (stop > start)
    return begun[stop] - begun[start] + goes_on
