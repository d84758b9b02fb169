"""Run files as programs write them, read by columns rather than by results.

A submission whose results all have the same fields in one order needs no parser: a pattern finds the
results, and what stands between them must be white space. Together with the patterns of this module
that proves that the file is well-formed, and that the reader of single results would read the same.
Whatever else a file holds (entities, comments, further elements, anything wrong) is
:class:`IrregularError`, and left to that reader, so that no message comes from here.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Callable, Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeVar

from xcg.documents.paths import canonical_file, canonical_path
from xcg.documents.points import Passage
from xcg.inputs import HARDENED, local_name
from xcg.later import etree, np
from xcg.runs.run import AnySpan, Memo, Ranking, Run, Topics, check_span

_Read = TypeVar("_Read")

BLOCK = 1 << 17
"""Bytes that are read at once: about a thousand results."""

_LONGEST = 1 << 22  # bytes without the end of a result; libxml2's own limits begin at 10 MB
_SUBMISSION = ("inex-submission", "topic", "result")

_SPACE = "[ \t\n]*"  # \r\n has become \n, as XML has it
_TEXT = "[^<]*"
_VALUE = '[^<"\t\n]*'

_FIELDS = {
    "file": f"<file>(?P<file>{_TEXT})</file>",
    "path": f"<path>(?P<path>{_TEXT})</path>",
    "fol": r'<fol offset="(?P<offset>[0-9]{1,15})" length="(?P<length>[0-9]{1,15})" ?/>',
    "passage": f'<passage start="(?P<start>{_VALUE})" end="(?P<end>{_VALUE})" ?/>',
    "rank": f"<rank>{_SPACE}(?P<rank>[0-9]{{1,15}}){_SPACE}</rank>",
    "rsv": f"<rsv>{_SPACE}(?P<rsv>[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?){_SPACE}</rsv>",
}
_FIRST_RESULT = re.compile(f"{_SPACE}<result>(.*?)</result>", re.DOTALL)
_FIRST_TOPIC = re.compile("<topic[ \t\n]")
_TOPIC = re.compile(
    f'{_SPACE}<topic topic-id="({_VALUE})" ?>{_SPACE}'
    f"(?:<collections>{_SPACE}(?:<collection>{_TEXT}</collection>{_SPACE})*</collections>)?"
)
_END = re.compile(f"{_SPACE}</inex-submission>{_SPACE}")


class IrregularError(ValueError):
    """A file is not of the form that can be read by columns."""


def if_regular(file: BufferedReader, path: Path, read: Callable[[], _Read]) -> _Read | None:
    """Return what reading by columns gives, or None with the file at its start again.

    What cannot be read twice, as a pipe, is not tried.
    """
    if not path.is_file():
        return None
    try:
        return read()
    except (ValueError, OSError, EOFError, zlib.error, etree.XMLSyntaxError):
        file.seek(0)
        return None


def regular_submission(file: BufferedReader, path: Path, topics: Topics = None) -> Run:
    """Read an inex-submission of one layout; IrregularError, or another error, for every other file."""
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    files, paths = Memo(canonical_file), Memo(canonical_path)
    blocks = _blocks(file)
    first = next(blocks)
    name, end_of_head = _head(first)
    numbers = _Numbers()
    results: _Results | None = None
    layout: _Layout | None = None
    for topic, text, is_end in _topics(chain([first[end_of_head:]], blocks)):
        if layout is None and text.strip(" \t\n"):
            layout = _Layout(text)
        columns = layout.columns(text) if layout is not None else {}
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        if results is None:
            results = _Results()
        results.add(columns, files, paths, numbers)
        if is_end:
            if topic in rankings:
                raise IrregularError
            rankings[topic] = results.ranking()
            results = None
    return Run(name, rankings, str(path), skipped)


def _blocks(file: BufferedReader) -> Iterator[str]:
    """Yield the text in blocks that end behind a result, and the rest of it at last."""
    rest = b""
    while octets := file.read(BLOCK):
        whole, mark, rest = (rest + octets).rpartition(b"</result>")
        if mark:
            yield _text(whole + mark)
        elif len(rest) > _LONGEST:
            raise IrregularError
    yield _text(rest)


def _text(octets: bytes) -> str:
    """Return the text of octets that hold the characters of XML and nothing else."""
    if b"\r" in octets:
        octets = octets.replace(b"\r\n", b"\n")
    codes = np.frombuffer(octets, np.uint8)
    controls = (codes < 32) & (codes != 9) & (codes != 10)
    text = octets.decode()
    if controls.any() or "\ufffe" in text or "\uffff" in text:
        raise IrregularError
    return text


def _head(text: str) -> tuple[str, int]:
    """Return the run's name, and where its first topic begins.

    What stands before that goes through the parser, with the root closed behind it: where the parser
    takes that, the root is the only element open.
    """
    first_topic = _FIRST_TOPIC.search(text)
    if first_topic is None:
        raise IrregularError
    head = text[: first_topic.start()]
    if "<!DOCTYPE" in head and "[" in head:  # it may declare attributes that nobody wrote
        raise IrregularError
    root = etree.fromstring(f"{head}</inex-submission>".encode(), etree.XMLParser(**HARDENED))
    encoding = root.getroottree().docinfo.encoding
    name = (root.get("run-id") or "").strip()
    below = {local_name(element) for element in root.iterdescendants()}
    if (
        root.tag != "inex-submission"
        or not name
        or (encoding or "UTF-8").upper() != "UTF-8"
        or not below.isdisjoint(_SUBMISSION)
    ):
        raise IrregularError
    return name, first_topic.start()


def _topics(blocks: Iterator[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield topic, text of some of its results, and whether the topic ends with them."""
    topic = rest = ""
    for text in blocks:
        if rest or "&" in text or "]]>" in text:
            raise IrregularError
        place = 0
        while True:
            if not topic:
                start = _TOPIC.match(text, place)
                if start is None:
                    rest = text[place:]
                    break
                topic, place = start[1].strip(), start.end()
                if not topic:
                    raise IrregularError
            end = text.find("</topic>", place)
            if end < 0:
                yield topic, text[place:], False
                break
            yield topic, text[place:end], True
            topic, place = "", end + len("</topic>")
    if topic or not _END.fullmatch(rest):
        raise IrregularError


class _Layout:
    """The fields of every result, in their order."""

    def __init__(self, text: str) -> None:
        """Take the layout from the first result of a text."""
        first = _FIRST_RESULT.match(text)
        if first is None:
            raise IrregularError
        fields = re.findall("<([a-z]+)", first[1])
        named = {"file", "path", "fol", "passage"} & set(fields)
        if (
            len(fields) > len(set(fields))
            or not set(fields) <= set(_FIELDS)
            or "file" not in named
            or len(named) != 2
        ):
            raise IrregularError
        content = _SPACE.join(_FIELDS[field] for field in fields)
        self._result = re.compile(f"<result>{_SPACE}{content}{_SPACE}</result>")

    def columns(self, text: str) -> dict[str, list[str]]:
        """Return the columns of a text that holds results and nothing else."""
        parts = self._result.split(text)
        width = self._result.groups + 1
        if "".join(parts[::width]).strip(" \t\n"):
            raise IrregularError
        return {name: parts[place::width] for name, place in self._result.groupindex.items()}


class _Results:
    """The results of one topic, as they were written."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._paths: list[str] = []
        self._spans: list[AnySpan] = []
        self._keys = array("d")
        self._by_rank = False

    def add(self, columns: dict[str, list[str]], files: Memo, paths: Memo, numbers: _Numbers) -> None:
        """Add results; ValueError for one that names no element or passage, or has no proper number."""
        if not columns:
            return
        self._files.extend(map(files.__getitem__, columns["file"]))
        if "path" in columns:
            self._paths.extend(map(paths.__getitem__, columns["path"]))
        elif "start" in columns:
            self._spans.extend(map(Passage.of, columns["start"], columns["end"]))
        else:
            starts, lengths = map(int, columns["offset"]), map(int, columns["length"])
            self._spans += [
                check_span(start, start + length) for start, length in zip(starts, lengths, strict=True)
            ]
        self._by_rank = "rank" in columns
        self._keys.extend(map(numbers.__getitem__, columns.get("rank") or columns.get("rsv") or ()))

    def ranking(self) -> Ranking:
        """Return the results by rank, else by rsv, else as written."""
        files, spans, keys = self._files, self._spans, self._keys
        paths = self._paths or [""] * len(files)
        column = np.array(keys) if self._by_rank else -np.array(keys)
        if not np.isfinite(column).all():
            raise IrregularError
        if (column[1:] < column[:-1]).any():
            order = np.argsort(column, kind="stable").tolist()
            files, paths = [files[place] for place in order], [paths[place] for place in order]
            spans = [spans[place] for place in order] if spans else []
            keys = array("d", [keys[place] for place in order])
        return Ranking(files, paths, dict(enumerate(spans)), keys if keys else None)


class _Numbers(dict[str, float]):
    """The numbers that texts name; so many are remembered as topics commonly have ranks."""

    def __missing__(self, text: str) -> float:
        number = float(text)
        if len(self) < 1 << 13:
            self[text] = number
        return number
