"""Read large XML files element by element, and INEX submissions with a regular layout much faster.

A program writes all results with the same fields in the same order. Splitting at ``<`` finds these
fields, and the text between them must be what the layout predicts. This proves
that the file is well-formed and that the general reader would read the same. Any other file, and any
file with an error, is left to the general reader. So the fast reader has no messages: a ValueError
means that the file is not regular.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeVar, cast

from xcg.documents.files import CHUNK_BYTES, SAFE_PARSING, local_name
from xcg.documents.passage_points import Passage
from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import InputError, Notes
from xcg.lazy_modules import etree, np
from xcg.runs.columns import FunctionCache
from xcg.runs.ordering import Results
from xcg.runs.run import Ranking, Run, Ties, Topics, span_of

T = TypeVar("T")

_LARGE_LINE = 65_535
"""libxml2 stores a line number in 16 bits, and guesses larger ones from the text after the element."""
MAX_ELEMENTS = 1_000_000
"""Maximum number of XML elements between two results of a run, or in the assessments of a document."""
MAX_BYTES = 1 << 26
"""Maximum number of bytes between two results of a run, or in the assessments of a document."""


class XmlElements:
    r"""The elements with given names in an XML file.

    Each element is cleared after its use, and the content between these elements is limited. So the
    memory is bounded.

    Args:
        file: The open XML file.
        tags: Names in lower case; upper and capitalised spellings match too.
        path: The path of the file, for messages.

    Raises:
        lxml.etree.XMLSyntaxError: If the file is not well-formed, during the iteration.
        InputError: If the file has entities, or more than :data:`MAX_ELEMENTS` elements or
            :data:`MAX_BYTES` bytes without one of the names.

    >>> import io
    >>> elements = XmlElements(io.BufferedReader(io.BytesIO(b"<a>\n<b>1</b><c/><b>2</b></a>")), ["b"])
    >>> [(element.text, elements.line(element)) for element in elements]
    [('1', 2), ('2', 2)]
    """

    def __init__(self, file: BufferedReader, tags: Iterable[str], path: object = "") -> None:
        self._file = file
        self._path = path
        self._elements = self._bytes = 0  # since the last element with one of the names
        self._tags = {spelling for tag in tags for spelling in (tag, tag.upper(), tag.capitalize())}
        self._line = 1  # line in which the last bytes read begin
        self._line_breaks = 0  # in these bytes
        self._large_lines: dict[etree._Element, int] = {}

    def __iter__(self) -> Iterator[etree._Element]:
        """Yield the elements in the order of their end tags."""
        for event, element in etree.iterparse(self, events=("start", "end"), **SAFE_PARSING):
            if event == "start":
                self._elements += 1
                if self._elements > MAX_ELEMENTS:
                    raise self._size_error(f"{MAX_ELEMENTS} elements")
                if element.getparent() is None:
                    declared = element.getroottree().docinfo.internalDTD
                    if declared is not None and list(declared.iterentities()):
                        raise self._entity_error(element)
                if self._line >= _LARGE_LINE:
                    self._large_lines[element] = self._line
            elif element.tag in self._tags:
                self._elements = self._bytes = 0
                # A reference to an entity could expand to any number of results.
                nodes = chain(element, element.itersiblings(preceding=True))
                if any(node.tag is etree.Entity for node in nodes):
                    raise self._entity_error(element)
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
                while element in self._large_lines:  # its descendants were added after it
                    self._large_lines.popitem()

    def _size_error(self, limit: str) -> InputError:
        tags = ", ".join(f"<{tag}>" for tag in sorted(self._tags) if tag.islower())
        message = f"more than {limit} without one of {tags}; expected a run or assessments"
        return InputError(f"{self._path}:{self._line}", message)

    def _entity_error(self, element: etree._Element) -> InputError:
        message = "the file has entities, which are not read: expected XML without <!ENTITY> and &name;"
        return InputError(f"{self._path}:{self.line(element)}", message)

    def line(self, element: etree._Element) -> int:
        """Return the line in which the start tag of an element ends.

        Args:
            element: The element that was yielded last, or a descendant or an ancestor of it.
        """
        return self._large_lines.get(element) or cast(int, element.sourceline)

    def read(self, size: int) -> bytes:
        """Return the next bytes for the parser, or only one line if line numbers may be too large.

        After a single line, the parser has seen exactly the elements whose start tags end in this line
        or before.
        """
        self._line += self._line_breaks
        is_small = self._line + CHUNK_BYTES < _LARGE_LINE
        data = self._file.read(CHUNK_BYTES) if is_small else self._file.readline(CHUNK_BYTES)
        self._line_breaks = data.count(b"\n")
        self._bytes += len(data)
        if self._bytes > MAX_BYTES:
            raise self._size_error(f"{MAX_BYTES >> 20} MB")
        return data


BLOCK_SIZE = 1 << 17
"""Bytes that are read at once; about a thousand results."""
_LONGEST_PART = 1 << 22  # bytes; the limits of libxml2 begin at 10 MB
_KEPT_NAMES = 1 << 18
_SPACE = "[ \t\n]*"  # \r\n is replaced by \n, as in XML
_QUOTED_TEXT = '[^<"\t\n]*'
_WITH_TEXT = ("file", "path", "rank", "rsv")
_EMPTY = {
    "fol": re.compile(rf'fol offset="([0-9]{{1,15}})" length="([0-9]{{1,15}})" ?/>{_SPACE}'),
    "passage": re.compile(f'passage start="({_QUOTED_TEXT})" end="({_QUOTED_TEXT})" ?/>{_SPACE}'),
}
"""The fields of a result: elements with text, and elements with two attributes."""


def _value(pattern: str, read: Callable[[str], T], part: str) -> T:
    """Return what is read from what stands between the ``<`` of an element and the next one."""
    found = re.fullmatch(pattern, part)
    if found is None:
        raise ValueError
    return read(found[1])


_OF_NUMBERS = frozenset("0123456789+-.eE \t\n")
# Runs share the values, so that equal names are one object, and later steps are faster.
_FILES = FunctionCache(partial(_value, "file>([^>]*)", canonical_file))
_PATHS = FunctionCache(partial(_value, "path>([^>]*)", canonical_path))
_RANKS = FunctionCache(partial(_value, f"rank>{_SPACE}([0-9]{{1,15}}){_SPACE}", float))

_TOPIC = (
    f'{_SPACE}<topic topic-id="({_QUOTED_TEXT})" ?>{_SPACE}'
    f"(?:<collections>{_SPACE}(?:<collection>[^<>]*</collection>{_SPACE})*</collections>)?"
)


def _require(is_regular: object) -> None:
    """Raise ValueError if a condition of the regular layout is not met."""
    if not is_regular:
        raise ValueError


def read_regular_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None = None, topics: Topics = None
) -> Run:
    """Return the run in an INEX submission with a regular layout.

    Args:
        file: The open file.
        path: The file's path.
        notes: Counts topics whose scores hardly order the results, or contradict the ranks.
        ties: The order of results with equal ranks or scores.
        topics: The topics whose results are read; all by default.

    Raises:
        ValueError: If the layout is not regular; reading and parsing raise other errors.
    """
    for names in (_FILES, _PATHS, _RANKS):
        if len(names) > _KEPT_NAMES:
            names.clear()
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    blocks = _blocks(file)
    # The head is parsed with the end tag of the root: then only the root is open at the first topic.
    head, start, rest = next(blocks).partition("<topic ")
    _require(start)
    _require("<!DOCTYPE" not in head or "[" not in head)  # a DTD can declare default attributes
    root = etree.fromstring(f"{head}</inex-submission>".encode(), etree.XMLParser(**SAFE_PARSING))
    encoding = root.getroottree().docinfo.encoding or "UTF-8"
    _require(root.tag == "inex-submission" and encoding.upper() == "UTF-8")
    in_head = {local_name(element) for element in root.iterdescendants()}
    _require(in_head.isdisjoint({"inex-submission", "topic", "result"}))
    name = (root.get("run-id") or "").strip()
    _require(name)
    results = Results()
    layout: list[str] = []
    for topic, text, is_end in _topics(chain([start + rest], blocks)):
        is_needed = topics is None or topic in topics
        if text.strip(" \t\n"):
            layout = layout or _layout_of_first(text)
            _add_results(results if is_needed else None, layout, text)
        if not is_needed:
            skipped.add(topic)
        elif is_end:
            _require(topic not in rankings)
            _require(math.isfinite(sum(cast("list[float]", results.ranks + results.scores))))
            rankings[topic] = results.ranking(f"{path}, topic {topic}", notes, ties, "rsv")
            results = Results()
    return Run(name, rankings, str(path), frozenset(skipped))


def _blocks(file: BufferedReader) -> Iterator[str]:
    """Yield the text of a file in blocks that end with a result; the last block is the rest.

    All characters must be legal in XML.
    """
    data, rest = b" ", b""
    while data:
        data = file.read(BLOCK_SIZE)
        block, tag, rest = (rest + data).rpartition(b"</result>") if data else (rest, b"", b"")
        _require(len(rest) <= _LONGEST_PART)
        if data and not tag:
            continue
        block += tag
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n")
        codes = np.frombuffer(block, np.uint8)
        text = block.decode()
        _require(not ((codes < 32) & (codes != 9) & (codes != 10)).any())
        _require("\ufffe" not in text and "\uffff" not in text)
        yield text


def _topics(blocks: Iterator[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield topic, text of results, and whether these are the last results of the topic."""
    start_tag = re.compile(_TOPIC)
    topic = rest = ""
    for block in blocks:
        _require(not rest and "&" not in block)
        parts = block.split("</topic>")
        for number, part in enumerate(parts, 1):
            start, is_end = 0, number < len(parts)
            if not topic:
                tag = start_tag.match(part)
                if tag is None:
                    _require(not is_end)
                    rest = part
                    break
                topic, start = tag[1].strip(), tag.end()
                _require(topic)
            yield topic, part[start:], is_end
            topic = "" if is_end else topic
    _require(not topic and re.fullmatch(f"{_SPACE}</inex-submission>{_SPACE}", rest))


def _layout_of_first(text: str) -> list[str]:
    """Return what follows each ``<`` of the first result: the name of a field, or a whole tag.

    All results must have the same layout.
    """
    first = re.match(f"{_SPACE}<result>(.*?)</result>", text, re.DOTALL)
    tags = re.findall("<([a-z]+)", first[1]) if first is not None else []
    _require({"file"} <= set(tags) <= {*_WITH_TEXT, *_EMPTY} and len(tags) == len(set(tags)))
    _require(len({"path", "fol", "passage"}.intersection(tags)) == 1)
    fields = [[tag, f"/{tag}>"] if tag in _WITH_TEXT else [tag] for tag in tags]
    return ["result>", *chain(*fields), "/result>"]


def _add_results(results: Results | None, layout: Sequence[str], text: str) -> None:
    """Add the results in a text with results only; raise ValueError for an illegal one.

    Of results that are not needed (None), only the layout is checked.
    """
    parts, width = text.split("<"), len(layout)
    _require(not parts[0].strip(" \t\n") and len(parts) % width == 1)
    fields = {}
    for position, expected in enumerate(layout, 1):
        found = parts[position::width]
        if expected.endswith(">"):
            _require(all(part.rstrip(" \t\n") == expected for part in set(found)))
        else:
            fields[expected] = found
    if results is None:
        return
    first = len(results.files)
    results.files += map(_FILES.__getitem__, fields["file"])
    if "path" in fields:
        results.paths += map(_PATHS.__getitem__, fields["path"])
    for tag, passage in (("fol", span_of), ("passage", Passage.of)):
        for index, match in enumerate(map(_EMPTY[tag].fullmatch, fields.get(tag, ())), first):
            if match is None:
                raise ValueError
            results.paths.append("")
            results.spans[index] = passage(match[1], match[2])
    results.ranks += map(_RANKS.__getitem__, fields.get("rank", ()))
    scores = [part.removeprefix("rsv>") for part in fields.get("rsv", ())]
    _require(set("".join(scores)) <= _OF_NUMBERS)
    results.scores += map(float, scores)
