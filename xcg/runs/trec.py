"""TREC runs: ``topic Q0 file#/path rank score tag``, or an element or a passage in further columns."""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from xcg.documents.paths import canonical_file, split_element_id
from xcg.errors import InputError, Notes
from xcg.inputs import lines
from xcg.runs.run import Ranking, Run, Ties, Topics, check_span, ranking_of

_OFFSET = re.compile(r"[0-9]{1,15}")
_RANK = re.compile(r"[+-]?[0-9]{1,18}")


@dataclass(slots=True)
class _Columns:
    """The lines of one topic: a column each, for a run may have millions of lines."""

    scores: array[float] = field(default_factory=lambda: array("f"))
    documents: list[str] = field(default_factory=list)
    ranks: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))


def read_trec_run(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties = "document", topics: Topics = None
) -> Run:
    """Read a TREC run from an open file; ``path`` is what messages call it.

    Results are ordered by score descending. As in trec_eval, scores are compared in single precision
    and the written rank is ignored; equal scores are ordered by ``ties``: ``document`` (by document
    id descending, as trec_eval does), ``rank`` (by the written rank) or ``file`` (as written).
    The run is named by its tag. Lines of topics that are not among ``topics`` are passed over.
    Raises InputError with file and line for a line that is no result.
    """
    read: dict[str, _Columns] = {}
    same: dict[str, str] = {}  # a document's name is kept once, however often it comes
    skipped: set[str] = set()
    tag = ""
    for number, line in lines(file, path):
        fields = line.split()
        if not fields:
            continue
        if topics is not None and tag and fields[0] not in topics:
            skipped.add(fields[0])
            continue
        try:
            topic, document, rank, score, line_tag = _fields(fields)
        except ValueError as error:
            notes.problem("lines left out of a run", f"{path}:{number}", str(error))
            continue
        tag = tag or line_tag
        if line_tag != tag:
            notes.note(f"{path}: holds several run tags; the run is called {tag}")
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        columns = read.get(topic)
        if columns is None:
            columns = read[topic] = _Columns()
        columns.scores.append(score)
        columns.documents.append(same.setdefault(document, document))
        columns.ranks.append(rank)
        columns.lines.append(number)
    if not tag:
        raise InputError(path, "an empty file; expected a run")
    elements = _Elements()
    rankings = {
        topic: _ranking(path, topic, read.pop(topic), notes, ties, elements) for topic in list(read)
    }
    return Run(tag, rankings, str(path), skipped)


def _fields(fields: list[str]) -> tuple[str, str, int, float, str]:
    """Return topic, document, rank, score and tag of a line; ValueError where it is no result."""
    if len(fields) == 7 and fields[6].startswith("/"):  # INEX 2009 and 2010
        fields = [*fields[:2], f"{fields[2]}#{fields[6]}", *fields[3:6]]
    if len(fields) == 8:  # INEX 2010: a passage by offset and length
        if not all(_OFFSET.fullmatch(text) for text in fields[6:]):
            raise ValueError(
                f"illegal passage {fields[6]} {fields[7]}: expected an offset and a length"
            )
        fields = [*fields[:2], f"{fields[2]}#{fields[6]}:{fields[7]}", *fields[3:6]]
    if len(fields) != 6:
        raise ValueError(
            f"{len(fields)} columns; expected the six of a TREC run, "
            "topic Q0 file#/path rank score tag, or with an element's path as the seventh, "
            "or a passage's offset and length as the seventh and eighth"
        )
    topic, iteration, document, rank, score, tag = fields
    if "#" in topic + iteration:
        raise ValueError(
            f"{topic} {iteration} as topic and Q0; expected topic Q0 file#/path rank score tag"
        )
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"illegal score {score!r}: expected a finite number")
    if not _RANK.fullmatch(rank):
        raise ValueError(f"illegal rank {rank!r}: expected a whole number")
    place = int(rank)
    return topic, document, place, number, tag


def _ranking(
    path: Path, topic: str, columns: _Columns, notes: Notes, ties: Ties, elements: _Elements
) -> Ranking:
    scores, documents, ranks = columns.scores, columns.documents, columns.ranks
    order = list(range(len(documents)))
    if ties == "document":
        order.sort(key=documents.__getitem__, reverse=True)
    elif ties == "rank":
        order.sort(key=ranks.__getitem__)
    order.sort(key=scores.__getitem__, reverse=True)  # keeps the order of equal ones, also reversed
    results = []
    for rank, place in enumerate(order, 1):
        document = documents[place]
        try:
            results.append(elements[document])
        except ValueError as error:
            where = f"{path}:{columns.lines[place]}"
            message = f"topic {topic}, rank {rank}: {error}"
            notes.problem("results that name no element", where, message)
            results.append((document.partition("#")[0], "", None))
    return ranking_of(results, array("f", (scores[place] for place in order)))


class _Elements(dict[str, tuple[str, str, tuple[int, int] | None]]):
    """Document id → what it names, each found once."""

    def __missing__(self, document: str) -> tuple[str, str, tuple[int, int] | None]:
        self[document] = named = _element(document)
        return named


def _element(document: str) -> tuple[str, str, tuple[int, int] | None]:
    """Return file, path and span of ``file#/path`` or ``file#offset:length``."""
    file, _, place = document.rpartition("#")
    offset, colon, length = place.partition(":")
    if colon and _OFFSET.fullmatch(offset) and _OFFSET.fullmatch(length):
        return canonical_file(file), "", check_span(int(offset), int(offset) + int(length))
    return *split_element_id(document), None
