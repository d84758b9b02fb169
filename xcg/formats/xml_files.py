"""Read large XML files element by element, and INEX submissions with a regular layout much faster.

A program writes all results with the same fields in the same order. Regular expressions and string
splitting find these fields, and the text between them must be what the layout predicts. This proves
that the file is well-formed and that the general reader would read the same. Any other file, and any
file with an error, is left to the general reader. So the fast reader has no messages: a ValueError
means that the file is not regular.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import cast

from xcg.documents.files import CHUNK_BYTES, SAFE_PARSING, local_name
from xcg.documents.passage_points import Passage
from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import InputError, Notes
from xcg.lazy_modules import etree, np
from xcg.runs.ordering import Results
from xcg.runs.run import FunctionCache, Ranking, Run, Ties, Topics, span_of

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
                self._count(element)
                if self._line >= _LARGE_LINE:
                    self._large_lines[element] = self._line
            elif element.tag in self._tags:
                self._elements = self._bytes = 0
                self._check_no_entity(element, element)
                yield element
                element.clear()
                while (earlier := element.getprevious()) is not None:
                    self._check_no_entity([earlier], element)
                    del element.getparent()[0]
                while element in self._large_lines:  # its descendants were added after it
                    self._large_lines.popitem()

    def _count(self, element: etree._Element) -> None:
        """Raise InputError if too many elements are kept in memory, or the file has entities."""
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise self._size_error(f"{MAX_ELEMENTS} elements")
        if element.getparent() is None:
            declared = element.getroottree().docinfo.internalDTD
            if declared is not None and list(declared.iterentities()):  # type: ignore[attr-defined]
                raise self._entity_error(element)

    def _size_error(self, limit: str) -> InputError:
        tags = ", ".join(f"<{tag}>" for tag in sorted(self._tags) if tag.islower())
        message = f"more than {limit} without one of {tags}; expected a run or assessments"
        return InputError(f"{self._path}:{self._line}", message)

    def _check_no_entity(self, nodes: Iterable[etree._Element], element: etree._Element) -> None:
        """Raise InputError for an entity reference, which could expand to any number of results."""
        if any(node.tag is etree.Entity for node in nodes):
            raise self._entity_error(element)

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

_SPACE = "[ \t\n]*"  # \r\n is replaced by \n, as in XML
_TEXT = "[^<>]*"  # without "]]>", which is illegal
_QUOTED_TEXT = '[^<"\t\n]*'
_RESULT_FIELDS = {
    "file": f"<file>(?P<file>{_TEXT})</file>",
    "path": f"<path>(?P<path>{_TEXT})</path>",
    "fol": r'<fol offset="(?P<offset>[0-9]{1,15})" length="(?P<length>[0-9]{1,15})" ?/>',
    "passage": f'<passage start="(?P<start>{_QUOTED_TEXT})" end="(?P<end>{_QUOTED_TEXT})" ?/>',
    "rank": f"<rank>{_SPACE}(?P<rank>[0-9]{{1,15}}){_SPACE}</rank>",
    "rsv": f"<rsv>{_SPACE}(?P<rsv>[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?){_SPACE}</rsv>",
}
_TOPIC = (
    f'{_SPACE}<topic topic-id="({_QUOTED_TEXT})" ?>{_SPACE}'
    f"(?:<collections>{_SPACE}(?:<collection>{_TEXT}</collection>{_SPACE})*</collections>)?"
)


def read_regular_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None = None, topics: Topics = None
) -> Run | None:
    """Return the run in an INEX submission with a regular layout.

    Args:
        file: The open file.
        path: The file's path.
        notes: Counts topics whose scores hardly order the results, or contradict the ranks.
        ties: The order of results with equal ranks or scores.
        topics: The topics whose results are read; all by default.

    Returns:
        The run, or None if the layout is not regular; then the file is at its start again.
    """
    if not path.is_file():  # a pipe cannot be read twice
        return None
    found = Notes()
    try:
        run = _read_submission(file, path, found, ties, topics)
    except (ValueError, OSError, EOFError, zlib.error, etree.XMLSyntaxError):
        file.seek(0)
        return None
    notes.take(found)
    return run


def _require(is_regular: object) -> None:
    """Raise ValueError if a condition of the regular layout is not met."""
    if not is_regular:
        raise ValueError


def _read_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None, topics: Topics
) -> Run:
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
    tags = {local_name(element) for element in root.iterdescendants()}
    _require(tags.isdisjoint({"inex-submission", "topic", "result"}))
    name = (root.get("run-id") or "").strip()
    _require(name)
    results = Results()
    names = FunctionCache(canonical_file), FunctionCache(canonical_path)
    pattern: re.Pattern[str] | None = None
    for topic, text, is_end in _topics(chain([start + rest], blocks)):
        fields = {}
        if text.strip(" \t\n"):
            pattern = pattern or _result_pattern(text)
            width, parts = pattern.groups + 1, pattern.split(text)
            _require(not "".join(parts[::width]).strip(" \t\n"))  # only results
            fields = {name: parts[group::width] for name, group in pattern.groupindex.items()}
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        if fields:
            _add_results(results, fields, *names)
        if is_end:
            _require(topic not in rankings)
            _require(math.isfinite(sum(filter(None, chain(results.ranks, results.scores)))))
            rankings[topic] = results.ranking(f"{path}, topic {topic}", notes, ties, "rsv")
            results = Results()
    return Run(name, rankings, str(path), frozenset(skipped))


def _blocks(file: BufferedReader) -> Iterator[str]:
    """Yield the text of a file in blocks that end with a result; the last block is the rest."""
    rest = b""
    while data := file.read(BLOCK_SIZE):
        block, tag, rest = (rest + data).rpartition(b"</result>")
        if tag:
            yield _decode(block + tag)
        _require(len(rest) <= _LONGEST_PART)
    yield _decode(rest)


def _decode(data: bytes) -> str:
    """Return bytes as text, whose characters must all be legal in XML."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    codes = np.frombuffer(data, np.uint8)
    text = data.decode()
    _require(not ((codes < 32) & (codes != 9) & (codes != 10)).any())
    _require("\ufffe" not in text and "\uffff" not in text)
    return text


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


def _result_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern of results with the fields of the first one."""
    first = re.match(f"{_SPACE}<result>(.*?)</result>", text, re.DOTALL)
    tags = re.findall("<([a-z]+)", first[1]) if first is not None else []
    _require({"file"} <= set(tags) <= set(_RESULT_FIELDS) and len(tags) == len(set(tags)))
    _require(len({"path", "fol", "passage"}.intersection(tags)) == 1)
    fields = _SPACE.join(_RESULT_FIELDS[tag] for tag in tags)
    return re.compile(f"<result>{_SPACE}{fields}{_SPACE}</result>")


def _add_results(
    results: Results,
    fields: dict[str, list[str]],
    files: FunctionCache[str, str],
    paths: FunctionCache[str, str],
) -> None:
    """Add results; raise ValueError for an illegal one."""
    first = len(results.files)
    results.files += map(files.__getitem__, fields["file"])
    if "path" in fields:
        results.paths += map(paths.__getitem__, fields["path"])
    else:
        results.paths += [""] * len(fields["file"])
        spans = (
            map(Passage.of, fields["start"], fields["end"])
            if "start" in fields
            else map(span_of, fields["offset"], fields["length"])
        )
        results.spans.update(enumerate(spans, first))
    results.ranks += map(float, fields.get("rank", ()))
    results.scores += map(float, fields.get("rsv", ()))
