"""Read runs as inex_eval does: exactly eight columns, in the order of the file.

The reader of TREC runs accepts more: comments, six or seven columns, and text after the sixth.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from xcg.documents.files import chunks, lines, open_input
from xcg.documents.paths import canonical_file
from xcg.errors import InputError
from xcg.formats.base import is_xml, json_certainty
from xcg.formats.text_columns import TextBlock, equal_stretches
from xcg.runs.run import UNKNOWN_SPAN, FunctionCache, Ranking, Run

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
    results: dict[str, tuple[list[str], list[Span], list[int]]] = {}
    documents = FunctionCache(canonical_file)
    tag, first_line = "", 1
    with open_input(path) as opened:
        head = opened.peek()
        if is_xml(head) or json_certainty(head):
            raise InputError(file, f"XML or JSON Lines; {_EXPECTED}: xcg convert --to trec")
        for data in chunks(opened):
            for numbers, columns in _parts(TextBlock(data, path, first_line), file):
                names, _, found, _, _, tags, offsets, lengths = columns
                for start, end in equal_stretches(names):
                    if names[start] not in topics:
                        continue
                    tag = tags[end - 1]
                    files, spans, lines_of = results.setdefault(names[start], ([], [], []))
                    lines_of += numbers[start:end]
                    try:
                        files += map(documents.__getitem__, found[start:end])
                        spans += map(_span, offsets[start:end], lengths[start:end])
                    except ValueError:
                        for number, *result in zip(numbers, found, offsets, lengths, strict=True):
                            _check(f"{file}:{number}", *result)
            first_line += data.count(b"\n")
    rankings = {
        topic: Ranking(files, [""] * len(files), dict(enumerate(spans)))
        for topic, (files, spans, _) in results.items()
    }
    line_numbers = {topic: numbers for topic, (_, _, numbers) in results.items()}
    return InexEvalRun(Run(file, rankings, file), tag, line_numbers)


def _parts(block: TextBlock, file: str) -> Iterator[tuple[Sequence[int], Sequence[Sequence[str]]]]:
    """Yield line numbers and columns: those of all lines if they are regular, else of each line."""
    columns = block.columns()
    if columns is not None and len(columns) == 8 and len(columns[0]) >= block.data.count(b"\n"):
        yield range(block.first_line, block.first_line + len(columns[0])), columns
        return
    for number, line in lines(BytesIO(block.data), block.path, block.first_line):
        fields = line.split()
        if len(fields) != 8:
            raise InputError(f"{file}:{number}", f"{len(fields)} columns; {_EXPECTED}")
        yield [number], [[field] for field in fields]


def _check(where: str, document: str, offset: str, length: str) -> None:
    try:
        canonical_file(document)
        _span(offset, length)
    except ValueError as error:
        raise InputError(where, str(error)) from None


def _span(offset: str, length: str) -> Span:
    """Return start and end of a passage; raise ValueError if it is illegal."""
    if offset in _UNKNOWN_OFFSETS:
        return UNKNOWN_SPAN
    if not _NUMBER.fullmatch(offset):
        raise ValueError(f"illegal offset {offset!r}: expected a number of characters, X or -1")
    if not _NUMBER.fullmatch(length):
        raise ValueError(f"illegal length {length!r}: expected a number of characters")
    return int(offset), int(offset) + int(length)
