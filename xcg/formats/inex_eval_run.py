"""Read runs as inex_eval does: exactly eight columns, in the order of the file.

The reader of TREC runs accepts more: comments, six or seven columns, and text after the sixth.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from io import BytesIO
from operator import add
from pathlib import Path
from typing import NamedTuple

from xcg.documents.files import chunks, lines, open_input
from xcg.documents.paths import canonical_file
from xcg.errors import InputError
from xcg.formats.base import is_xml, json_certainty
from xcg.formats.text_columns import TextBlock, are_numbers, equal_stretches
from xcg.runs.run import UNKNOWN_SPAN, Ranking, Run

_NUMBER = re.compile(r"[0-9]{1,15}")
_UNKNOWN_OFFSETS = {"X", "-1"}
_EXPECTED = "expected eight, topic Q0 document rank score tag offset length"
Span = tuple[int, int]


class InexEvalRun(NamedTuple):
    """A run as inex_eval reads it.

    Attributes:
        run: The run, named by its file.
        tag: The tag of the last result of an assessed topic; empty without such a result.
        line_numbers: Topic → the line number of each result.
    """

    run: Run
    tag: str
    line_numbers: Mapping[str, Sequence[int]]


def read_inex_eval_run(file: str, topics: Container[str]) -> InexEvalRun:
    """Read a run of INEX 2009 or 2010 as inex_eval does.

    A line is ``topic Q0 document rank score tag offset length``. The results keep the order of the
    file; rank and score are not read. The offset ``X`` or ``-1`` is unknown, see
    :data:`xcg.runs.run.UNKNOWN_SPAN`.

    Args:
        file: The file's path; ``-`` is standard input.
        topics: The assessed topics. Results of other topics are skipped.

    Raises:
        InputError: If a line is illegal, with file and line.
    """
    path = Path(file)
    reader = _Reader(file, topics)
    first_line = 1
    with open_input(path) as opened:
        head = opened.peek()
        if is_xml(head) or json_certainty(head):
            raise InputError(file, f"XML or JSON Lines; {_EXPECTED}: xcg convert --to trec")
        for data in chunks(opened):
            block = TextBlock(data, path, first_line)
            if not reader.add_columns(block):
                reader.add_lines(block)
            first_line += data.count(b"\n")
    rankings = {
        topic: Ranking(files, [""] * len(files), dict(enumerate(spans)))
        for topic, (files, spans, _) in reader.results.items()
    }
    line_numbers = {topic: numbers for topic, (_, _, numbers) in reader.results.items()}
    return InexEvalRun(Run(file, rankings, file), reader.tag, line_numbers)


class _Reader:
    """Collects the results of assessed topics from a file.

    Attributes:
        results: Topic → documents, spans and line numbers of its results.
        tag: The tag of the last result.
    """

    def __init__(self, file: str, topics: Container[str]) -> None:
        self.results: dict[str, tuple[list[str], list[Span], list[int]]] = {}
        self.tag = ""
        self._file = file
        self._topics = topics

    def add_columns(self, block: TextBlock) -> bool:
        """Add a block if all its lines are regular; return whether they are."""
        columns = block.columns()
        if columns is None or len(columns) != 8:
            return False
        topics, _, documents, _, _, tags, offsets, lengths = columns
        has_blank_lines = len(topics) < block.data.count(b"\n")  # they are illegal
        if has_blank_lines or not (are_numbers(offsets, 15) and are_numbers(lengths, 15)):
            return False
        try:
            files = list(map(canonical_file, documents))
        except ValueError:
            return False
        starts = list(map(int, offsets))
        spans = list(zip(starts, map(add, starts, map(int, lengths)), strict=True))
        for start, end in equal_stretches(topics):
            if topics[start] in self._topics:
                numbers = range(block.first_line + start, block.first_line + end)
                self._add(topics[start], tags[end - 1], files[start:end], spans[start:end], numbers)
        return True

    def add_lines(self, block: TextBlock) -> None:
        """Add the lines of a block one by one; InputError if one is illegal."""
        for number, line in lines(BytesIO(block.data), block.path, block.first_line):
            where = f"{self._file}:{number}"
            fields = line.split()
            if len(fields) != 8:
                raise InputError(where, f"{len(fields)} columns; {_EXPECTED}")
            topic, _, document, _, _, tag, offset, length = fields
            if topic in self._topics:
                try:
                    self._add(topic, tag, [canonical_file(document)], [_span(offset, length)], [number])
                except ValueError as error:
                    raise InputError(where, str(error)) from None

    def _add(
        self, topic: str, tag: str, files: list[str], spans: list[Span], numbers: Iterable[int]
    ) -> None:
        """Add results of an assessed topic."""
        found = self.results.setdefault(topic, ([], [], []))
        found[0].extend(files)
        found[1].extend(spans)
        found[2].extend(numbers)
        self.tag = tag


def _span(offset: str, length: str) -> Span:
    """Return start and end of a passage; raise ValueError if it is illegal."""
    if offset in _UNKNOWN_OFFSETS:
        return UNKNOWN_SPAN
    if not _NUMBER.fullmatch(offset):
        raise ValueError(f"illegal offset {offset!r}: expected a number of characters, X or -1")
    if not _NUMBER.fullmatch(length):
        raise ValueError(f"illegal length {length!r}: expected a number of characters")
    return int(offset), int(offset) + int(length)
