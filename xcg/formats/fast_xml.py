"""Read INEX submissions and assessments with a regular layout, much faster than with an XML parser.

A program writes all results, or all assessed elements, with the same fields in the same order. Regular
expressions and string splitting find these fields, and the text between them must be what the layout
predicts. This proves that the file is well-formed and that the general reader would read the same. Any
other file, and any file with an error, is left to the general reader. So this module has no messages: a
ValueError means that the file is not regular.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeVar

from xcg.documents.files import SAFE_PARSING, local_name
from xcg.documents.passage_points import Passage, Point
from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import Notes
from xcg.formats.inex_attributes import (
    ASSESSMENT_TAGS,
    POINT_TAGS,
    add_point,
    attributes_by_name,
    document_name,
    read_point,
)
from xcg.formats.ordering import Results
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase
from xcg.lazy_modules import etree, np
from xcg.runs.run import FunctionCache, Ranking, Run, Ties, Topics, span_of

_T = TypeVar("_T")

BLOCK_SIZE = 1 << 17
"""Bytes that are read at once; about a thousand results."""
_LONGEST_PART = 1 << 22  # bytes; the limits of libxml2 begin at 10 MB

_SPACE = "[ \t\n]*"  # \r\n is replaced by \n, as in XML
_TEXT = "[^<]*"
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

_NAME = "(?![Xx][Mm][Ll])[A-Za-z_][A-Za-z_-]*"
_VALUE = '[^<&"\t\n]*'
_ATTRIBUTE = re.compile(f' ({_NAME})="({_VALUE})"')
_ATTRIBUTES = f'(?: {_NAME}="{_VALUE}")+'
_FILE = f"{_SPACE}<file({_ATTRIBUTES}) ?>{_SPACE}"
_POINT = f"<({'|'.join(POINT_TAGS)})({_ATTRIBUTES}) ?/>{_SPACE}"
_ELEMENT = f"<({'|'.join(ASSESSMENT_TAGS)})({_ATTRIBUTES}) ?/>"


_KEPT_NAMES = 1 << 18
_FILES: FunctionCache[str, str] = FunctionCache(canonical_file)
_PATHS: FunctionCache[str, str] = FunctionCache(canonical_path)
"""Canonical names and paths. Runs share them, so that equal texts are one object, and later steps are
faster."""


def _require(is_regular: object) -> None:
    if not is_regular:
        raise ValueError


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
    found = Notes()
    run = _read_if_regular(file, path, lambda: _read_submission(file, path, found, ties, topics))
    if run is not None:
        notes.take(found)
    return run


def read_regular_assessments(file: BufferedReader, path: Path, base: RecallBase) -> bool:
    """Add the assessments in an INEX file with a regular layout to a recall-base.

    Returns:
        True, or False if the layout is not regular; then nothing is added, and the file is at its start
        again.
    """
    return bool(_read_if_regular(file, path, lambda: _read_assessments(file, path, base)))


def _read_if_regular(file: BufferedReader, path: Path, read: Callable[[], _T]) -> _T | None:
    if not path.is_file():  # a pipe cannot be read twice
        return None
    for names in (_FILES, _PATHS):
        if len(names) > _KEPT_NAMES:
            names.clear()
    try:
        return read()
    except (ValueError, OSError, EOFError, zlib.error, etree.XMLSyntaxError):
        file.seek(0)
        return None


def _blocks(file: BufferedReader, end_tag: bytes) -> Iterator[str]:
    """Yield the text of a file in blocks that end with an end tag; the last block is the rest."""
    rest = b""
    while data := file.read(BLOCK_SIZE):
        block, tag, rest = (rest + data).rpartition(end_tag)
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
    _require("\ufffe" not in text and "\uffff" not in text and "]]>" not in text)
    return text


def _read_head(
    file: BufferedReader, root_tag: str, part_tag: str, block_tag: str, *more_tags: str
) -> tuple[etree._Element, Iterator[str]]:
    """Parse the text before the first part of a document.

    The head is parsed with the end tag of the root appended. If this succeeds, only the root is open at
    the first part. None of the given tags may occur in the head.

    Returns:
        The root, and the text from the first part on, in blocks that end with an end tag.
    """
    blocks = _blocks(file, f"</{block_tag}>".encode())
    head, start, rest = next(blocks).partition(f"<{part_tag} ")
    _require(start)
    _require("<!DOCTYPE" not in head or "[" not in head)  # a DTD can declare default attributes
    root = etree.fromstring(f"{head}</{root_tag}>".encode(), etree.XMLParser(**SAFE_PARSING))
    encoding = root.getroottree().docinfo.encoding or "UTF-8"
    tags = {local_name(element) for element in root.iterdescendants()}
    _require(root.tag == root_tag and encoding.upper() == "UTF-8")
    _require(tags.isdisjoint({root_tag, part_tag, block_tag, *more_tags}))
    return root, chain([start + rest], blocks)


def _read_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None, topics: Topics
) -> Run:
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    root, blocks = _read_head(file, "inex-submission", "topic", "result")
    name = (root.get("run-id") or "").strip()
    _require(name)
    results = Results()
    patterns: list[re.Pattern[str]] = []
    for topic, text, is_end in _topics(blocks):
        fields = {}
        if text.strip(" \t\n"):
            patterns = patterns or _result_patterns(text)
            columns = _columns(patterns, text)
            fields = dict(zip(patterns[0].groupindex, columns, strict=True))
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        if fields:
            _add_results(results, fields)
        if is_end:
            _require(topic not in rankings)
            _require(math.isfinite(sum(results.ranks or results.scores)))  # type: ignore[arg-type]
            rankings[topic], _ = results.ranking(f"{path}, topic {topic}", notes, ties, "rsv")
            results = Results()
    return Run(name, rankings, str(path), skipped)


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


def _result_patterns(text: str) -> list[re.Pattern[str]]:
    """Return patterns of results with the fields of the first one: with its white space, and with any.

    Most programs write the same white space everywhere, which is matched a fifth faster.
    """
    first = re.match(f"{_SPACE}<result>(.*?)</result>", text, re.DOTALL)
    tags = re.findall("<([a-z]+)", first[1]) if first is not None else []
    _require({"file"} <= set(tags) <= set(_RESULT_FIELDS) and len(tags) == len(set(tags)))
    _require(len({"path", "fol", "passage"}.intersection(tags)) == 1)
    content, fields = first[1] if first is not None else "", [_RESULT_FIELDS[tag] for tag in tags]
    space = content[: len(content) - len(content.lstrip(" \t\n"))]
    last = content[len(content.rstrip(" \t\n")) :]
    return [
        re.compile(f"<result>{space}{space.join(fields)}{last}</result>"),
        re.compile(f"<result>{_SPACE}{_SPACE.join(fields)}{_SPACE}</result>"),
    ]


def _add_results(results: Results, fields: dict[str, list[str]]) -> None:
    """Add results; raise ValueError for an illegal one."""
    first = len(results.files)
    results.files += map(_FILES.__getitem__, fields["file"])
    if "path" in fields:
        results.paths += map(_PATHS.__getitem__, fields["path"])
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


def _read_assessments(file: BufferedReader, path: Path, base: RecallBase) -> bool:
    root, blocks = _read_head(file, "assessments", "file", "file", *ASSESSMENT_TAGS)
    topic = attributes_by_name(root.attrib.items()).get("topic", "")
    _require(topic)
    file_tag, point_tag = re.compile(_FILE), re.compile(_POINT)
    assessed: dict[str, dict[str, Assessment]] = {}
    points: list[tuple[str, Passage | Point]] = []
    read: Callable[[str], dict[str, Assessment]] | None = None
    rest = ""
    for block in blocks:  # all but the last end with an end tag
        *files, rest = block.split("</file>")
        for text in files:
            start = file_tag.match(text)
            if start is None:
                raise ValueError
            document = document_name(_parse_attributes(start[1]))
            position = start.end()
            while point := point_tag.match(text, position):
                points.append((document, read_point(point[1], _parse_attributes(point[2]))))
                position = point.end()
            if position == len(text):
                continue
            read = read or _element_reader(text, position)
            _require(document not in assessed)
            if elements := read(text[position:]):
                assessed[document] = elements
    _require(re.fullmatch(f"{_SPACE}</assessments>{_SPACE}", rest))
    base.add_topic(topic, str(path))
    _require(base.add_elements(topic, assessed))
    for document, stated in points:
        add_point(base, topic, document, stated)
    return True


def _parse_attributes(text: str) -> dict[str, str]:
    return attributes_by_name(_ATTRIBUTE.findall(text))


def _element_reader(text: str, position: int) -> Callable[[str], dict[str, Assessment]]:
    """Return the reader of elements with the tag and attributes of the one at a position of a text.

    It takes a text that contains only such elements, and returns path → assessment.
    """
    first = re.compile(_ELEMENT).match(text, position)
    if first is None:
        raise ValueError
    names = [name for name, _ in _ATTRIBUTE.findall(first[2])]
    _require("path" in names and 1 < len(names) == len({name.lower() for name in names}))
    values = " ".join(f'{name}="({_VALUE})"' for name in names)
    pattern = re.compile(f"<{first[1]} {values} ?/>")
    path_index = names.index("path")
    names.remove("path")

    @cache
    def assessment(*values: str) -> Assessment | None:
        return ASSESSMENT_TAGS[first[1]]("", attributes_by_name(zip(names, values, strict=True)))

    def read(text: str) -> dict[str, Assessment]:
        columns = _columns([pattern], text)
        paths = columns.pop(path_index)
        found = dict(zip(map(_PATHS.__getitem__, paths), map(assessment, *columns), strict=True))
        _require(len(found) == len(paths))
        return {path: one for path, one in found.items() if one is not None}

    return read


def _columns(patterns: list[re.Pattern[str]], text: str) -> list[list[str]]:
    """Return the values of each group of a pattern in a text that contains only its matches.

    Patterns that do not match are removed.
    """
    while True:
        width, parts = patterns[0].groups + 1, patterns[0].split(text)
        if not "".join(parts[::width]).strip(" \t\n"):
            return [parts[index::width] for index in range(1, width)]
        _require(len(patterns) > 1)
        del patterns[0]
