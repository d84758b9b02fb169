"""Read INEX submissions and assessments with a regular layout, much faster than with an XML parser.

A program writes all results, or all assessed elements, with the same fields in the same order. Regular
expressions and string splitting find these fields, and the text between them must be what the layout
predicts. This proves that the file is well-formed and that the general reader would read the same. Any
other file, and any file with an error, is left to the general reader. So this module has no messages.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeVar, cast

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
from xcg.formats.stored_topics import clear_large
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase
from xcg.lazy_modules import etree, np
from xcg.runs.run import AnySpan, FunctionCache, Ranking, Run, Ties, Topics, check_span
from xcg.runs.stored_rankings import StoredRankings
from xcg.runs.ties import in_document_order, note_contradiction, note_equal_scores

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
_VALUE_CHARACTER = '[^<&"\t\n]'
_ATTRIBUTE = re.compile(f' ({_NAME})="({_VALUE_CHARACTER}*)"')
_ATTRIBUTES = f'(?: {_NAME}="{_VALUE_CHARACTER}*")+'
_FILE = f"{_SPACE}<file({_ATTRIBUTES}) ?>{_SPACE}"
_POINT = f"<({'|'.join(POINT_TAGS)})({_ATTRIBUTES}) ?/>{_SPACE}"
_ELEMENT = f"<({'|'.join(ASSESSMENT_TAGS)})({_ATTRIBUTES}) ?/>"


class IrregularFileError(ValueError):
    """The file does not have a regular layout."""


def _checked(text: str) -> str:
    """Return text that can occur between tags; IrregularFileError if it has the end of CDATA."""
    if "]]>" in text:
        raise IrregularFileError("entities or CDATA sections")
    return text


_FILES: FunctionCache[str, str] = FunctionCache(lambda text: canonical_file(_checked(text)))
_PATHS: FunctionCache[str, str] = FunctionCache(lambda text: canonical_path(_checked(text)))
"""Canonical names and paths. Runs share them, so that equal texts are one object, and later steps are
faster."""


def read_regular_submission(
    file: BufferedReader,
    path: Path,
    notes: Notes,
    ties: Ties | None = None,
    topics: Topics = None,
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
        elif len(rest) > _LONGEST_PART:
            raise IrregularFileError("a part of more than 4 MB")
    yield _decode(rest)


def _decode(data: bytes) -> str:
    """Return bytes as text, whose characters must all be legal in XML."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    codes = np.frombuffer(data, np.uint8)
    text = data.decode()
    if ((codes < 32) & (codes != 9) & (codes != 10)).any() or "\ufffe" in text or "\uffff" in text:
        raise IrregularFileError("characters that XML does not allow")
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
    text = next(blocks)
    first_part = re.search(f"<{part_tag}[ \t\n]", text)
    if first_part is None:
        raise IrregularFileError("no topics or documents")
    head, rest = text[: first_part.start()], text[first_part.start() :]
    if "<!DOCTYPE" in head and "[" in head:  # an internal DTD can declare default attributes
        raise IrregularFileError("an internal DTD")
    root = etree.fromstring(f"{head}</{root_tag}>".encode(), etree.XMLParser(**SAFE_PARSING))
    encoding = root.getroottree().docinfo.encoding or "UTF-8"
    tags = {local_name(element) for element in root.iterdescendants()}
    if (
        root.tag != root_tag
        or encoding.upper() != "UTF-8"
        or not tags.isdisjoint({root_tag, part_tag, block_tag, *more_tags})
    ):
        raise IrregularFileError("another root element, encoding or nesting")
    return root, chain([rest], blocks)


def _read_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None, topics: Topics
) -> Run:
    rankings = StoredRankings()
    skipped: set[str] = set()
    root, blocks = _read_head(file, "inex-submission", "topic", "result")
    name = (root.get("run-id") or "").strip()
    if not name:
        raise IrregularFileError("no run-id")
    clear_large(_FILES, _PATHS)
    results = _Results()
    layout: _ResultLayout | None = None
    for topic, text, is_end in _topics(blocks):
        if layout is None and text.strip(" \t\n"):
            layout = _ResultLayout(text)
        fields = layout.split(text) if layout is not None else {}
        if topics is not None and topic not in topics:
            _checked(text)
            skipped.add(topic)
            continue
        if fields:
            results.add(fields)
        if is_end:
            if topic in rankings:
                raise IrregularFileError("a topic that occurs twice")
            ranking = results.ranking(f"{path}, topic {topic}", notes)
            rankings.add(topic, in_document_order(ranking) if ties == "document" else ranking)
            clear_large(_FILES, _PATHS)
            results = _Results()
    return Run(name, rankings.as_mapping(), str(path), skipped)


def _topics(blocks: Iterator[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield topic, text of results, and whether these are the last results of the topic."""
    start_tag = re.compile(_TOPIC)
    topic = rest = ""
    for block in blocks:
        if rest or "&" in block:
            raise IrregularFileError("entities or CDATA sections")
        parts = block.split("</topic>")
        for number, part in enumerate(parts, 1):
            start, is_end = 0, number < len(parts)
            if not topic:
                tag = start_tag.match(part)
                if tag is None and not is_end:
                    rest = part
                    break
                if tag is None or not tag[1].strip():
                    raise IrregularFileError("other elements between topics")
                _checked(tag[0])
                topic, start = tag[1].strip(), tag.end()
            yield topic, part[start:], is_end
            topic = "" if is_end else topic
    if topic or not re.fullmatch(f"{_SPACE}</inex-submission>{_SPACE}", rest):
        raise IrregularFileError("other elements between topics")


class _ResultLayout:
    """The order of the fields in every result."""

    def __init__(self, text: str) -> None:
        """Take the layout from the first result in a text."""
        first = re.match(f"{_SPACE}<result>(.*?)</result>", text, re.DOTALL)
        content = first[1] if first is not None else ""
        tags = re.findall("<([a-z]+)", content)
        kinds = {"path", "fol", "passage"} & set(tags)
        is_known = {"file"} <= set(tags) <= set(_RESULT_FIELDS)
        if not is_known or len(kinds) != 1 or len(tags) > len(set(tags)):
            raise IrregularFileError("unusual fields in a result")
        fields = [_RESULT_FIELDS[tag] for tag in tags]
        space, last_space = _white_space(content), _white_space(content[::-1])[::-1]
        # Most programs write the same white space everywhere, which is faster to match.
        self._results = [
            re.compile(f"<result>{space}{space.join(fields)}{last_space}</result>"),
            re.compile(f"<result>{_SPACE}{_SPACE.join(fields)}{_SPACE}</result>"),
        ]

    def split(self, text: str) -> dict[str, list[str]]:
        """Return field → values of a text that contains only results."""
        while self._results:
            result = self._results[0]
            parts = result.split(text)
            width = result.groups + 1
            if not "".join(parts[::width]).strip(" \t\n"):
                return {name: parts[index::width] for name, index in result.groupindex.items()}
            del self._results[0]
        raise IrregularFileError("results with different fields")


def _white_space(text: str) -> str:
    """Return the white space at the start of a text."""
    return text[: len(text) - len(text.lstrip(" \t\n"))]


class _Results:
    """The results of one topic in the order of the file."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._paths: list[str] = []
        self._spans: list[AnySpan] = []
        self._ranks = array("d")
        self._scores = array("d")

    def add(self, fields: dict[str, list[str]]) -> None:
        """Add results; raise ValueError for an illegal one."""
        self._files += map(_FILES.__getitem__, fields["file"])
        if "path" in fields:
            self._paths += map(_PATHS.__getitem__, fields["path"])
        elif "start" in fields:
            self._spans += map(Passage.of, fields["start"], fields["end"])
        else:
            spans = zip(map(int, fields["offset"]), map(int, fields["length"]), strict=True)
            self._spans += [check_span(start, start + length) for start, length in spans]
        for keys, field in ((self._ranks, "rank"), (self._scores, "rsv")):
            keys.frombytes(np.array(fields.get(field, []), dtype=np.float64).tobytes())

    def ranking(self, where: str, notes: Notes) -> Ranking:
        """Return the results in the order of their ranks, or of their scores, or of the file."""
        files, spans, keys = self._files, self._spans, self._ranks or self._scores
        paths = self._paths or [""] * len(files)
        ascending_keys = np.array(keys) if self._ranks else -np.array(keys)
        if not np.isfinite(ascending_keys).all():
            raise IrregularFileError("a rank or score that is not finite")
        if self._ranks and self._scores:
            note_contradiction(self._ranks, self._scores, where, notes, "ranks")
        if (ascending_keys[1:] < ascending_keys[:-1]).any():
            order = np.argsort(ascending_keys, kind="stable").tolist()
            files, paths = [files[index] for index in order], [paths[index] for index in order]
            spans = [spans[index] for index in order] if spans else []
            keys = array("d", [keys[index] for index in order])
        has_scores = bool(keys) and not self._ranks
        ranking = Ranking(files, paths, dict(enumerate(spans)), keys if keys else None, has_scores)
        note_equal_scores(ranking, where, notes)
        return ranking


def _read_assessments(file: BufferedReader, path: Path, base: RecallBase) -> bool:
    root, blocks = _read_head(file, "assessments", "file", "file", *ASSESSMENT_TAGS)
    topic = attributes_by_name(root.attrib.items()).get("topic", "")
    if not topic:
        raise IrregularFileError("no topic")
    file_tag, point_tag = re.compile(_FILE), re.compile(_POINT)
    assessed: dict[str, dict[str, Assessment]] = {}
    points: list[tuple[str, Passage | Point]] = []
    layout: _ElementLayout | None = None
    for text in _files(blocks):
        start = file_tag.match(text)
        if start is None:
            raise IrregularFileError("other elements between documents")
        document = document_name(_parse_attributes(start[1]))
        position = start.end()
        while point := point_tag.match(text, position):
            points.append((document, read_point(point[1], _parse_attributes(point[2]))))
            position = point.end()
        if position == len(text):
            continue
        if layout is None:
            layout = _ElementLayout(text, position)
        if document in assessed:
            raise IrregularFileError("a document that occurs twice")
        elements = layout.split(text[position:])
        if elements:
            assessed[document] = elements
    base.add_topic(topic, str(path))
    if not base.add_elements(topic, assessed):
        raise IrregularFileError("contradictory assessments")
    for document, stated in points:
        add_point(base, topic, document, stated)
    return True


def _files(blocks: Iterator[str]) -> Iterator[str]:
    """Yield the text of each <file> element up to its end tag."""
    rest = ""
    for block in blocks:  # all but the last end with an end tag
        *files, rest = block.split("</file>")
        yield from files
    if not re.fullmatch(f"{_SPACE}</assessments>{_SPACE}", rest):
        raise IrregularFileError("other elements between documents")


def _parse_attributes(text: str) -> dict[str, str]:
    return attributes_by_name(_ATTRIBUTE.findall(text))


class _ElementLayout:
    """The tag and the order of the attributes of every assessed element."""

    def __init__(self, text: str, position: int) -> None:
        """Take the layout from the element at a position of a text."""
        first = re.compile(_ELEMENT).match(text, position)
        if first is None:
            raise IrregularFileError("unusual elements in a document")
        tag = first[1]
        names = [name for name, _ in _ATTRIBUTE.findall(first[2])]
        if "path" not in names or not 1 < len(names) == len({name.lower() for name in names}):
            raise IrregularFileError("unusual attributes of an element")
        self._start = f"<{tag} {names[0]}="
        self._separators = [f" {name}=" for name in names[1:]]
        self._is_gap = cache(re.compile(f" ?/>[ \t\n]{{0,99}}{self._start}").fullmatch)
        self._end = re.compile(f" ?/>{_SPACE}")
        self._path_index = names.index("path")
        self._read = ASSESSMENT_TAGS[tag]
        self._names = [name for name in names if name != "path"]
        self._assessment = cache(self._read_assessment)
        self._has_unassessed = False

    def split(self, text: str) -> dict[str, Assessment]:
        """Return path → assessment of a text that contains only elements of this layout."""
        parts = text.split('"')
        width = 2 + 2 * len(self._separators)
        count, rest = divmod(len(parts) - 1, width)
        separators = enumerate(self._separators, 1)
        if (
            rest
            or parts[0] != self._start
            or not self._end.fullmatch(parts[-1])
            or any(parts[2 * index :: width].count(text) != count for index, text in separators)
            or not all(map(self._is_gap, set(parts[width:-1:width])))
        ):
            raise IrregularFileError("elements with different attributes")
        values = [parts[index::width] for index in range(1, width, 2)]
        paths = map(_element_path, values.pop(self._path_index))
        found = dict(zip(paths, map(self._assessment, *values), strict=True))
        if len(found) < count:
            raise IrregularFileError("an element that is assessed twice")
        if self._has_unassessed:
            return {path: assessment for path, assessment in found.items() if assessment is not None}
        return cast("dict[str, Assessment]", found)

    def _read_assessment(self, *values: str) -> Assessment | None:
        _check_values(values, 99)
        assessment = self._read("", attributes_by_name(zip(self._names, values, strict=True)))
        self._has_unassessed |= assessment is None
        return assessment


@lru_cache(1 << 13)
def _element_path(text: str) -> str:
    """Return a canonical path. The cache is shared between files, because topics have common paths."""
    _check_values([text], 999)
    return canonical_path(text.strip())


def _check_values(values: Sequence[str], longest: int) -> None:
    for value in values:
        if not re.fullmatch(f"{_VALUE_CHARACTER}{{0,{longest}}}", value):
            raise IrregularFileError("a long or unusual value")
