"""TREC runs: ``topic Q0 file#/path rank score tag``, or an element or a passage in further columns."""

from __future__ import annotations

import math
import re
from array import array
from io import BufferedReader
from itertools import chain, islice
from operator import add, gt
from pathlib import Path
from typing import NamedTuple

from xcg.documents.files import LONGEST_LINE, chunks, lines
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path, split_element_id
from xcg.errors import InputError, Notes
from xcg.formats.detection import column_count
from xcg.formats.fast_xml import IrregularError, if_regular
from xcg.formats.text_columns import are_numbers, are_plain_names, split_columns, stretches
from xcg.formats.writing import check_no_white_space, lost_topics, points_error, results
from xcg.runs.run import (
    RUN_FORMATS,
    Memo,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    check_span,
    ranking_of,
)

_OFFSET = re.compile(r"[0-9]{1,15}")
_RANK = re.compile(r"[+-]?[0-9]{1,18}")


class _Columns:
    """The lines of one topic: a column each, for a run may have millions of lines.

    places: what follows in the document id, with its ``#``. plain: whether all are whole documents
    under their canonical names.
    """

    def __init__(self, plain: bool = True) -> None:
        self.scores = array("f")
        self.files: list[str] = []
        self.places: list[str] = []
        self.ranks = array("q")
        self.lines: list[range] = []
        self.plain = plain

    def add_lines(self, first: int, end: int) -> None:
        if self.lines and self.lines[-1].stop == first:
            first = self.lines.pop().start
        self.lines.append(range(first, end))


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
    found = if_regular(file, path, lambda: _by_columns(file, ties, topics))
    tag, read, skipped = found if found is not None else _by_lines(file, path, notes, topics)
    if not tag:
        raise InputError(path, "an empty file; expected a run")
    elements = _Elements()
    rankings = {
        topic: _ranking(path, topic, read.pop(topic), notes, ties, elements) for topic in list(read)
    }
    return Run(tag, rankings, str(path), skipped)


def _by_lines(
    file: BufferedReader, path: Path, notes: Notes, topics: Topics
) -> tuple[str, dict[str, _Columns], set[str]]:
    """Return tag, topic → its lines, and the topics that were passed over."""
    read: dict[str, _Columns] = {}
    same: dict[str, str] = {}  # a name or a path is kept once, however often it comes
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
            columns = read[topic] = _Columns(plain=False)
        columns.scores.append(score)
        name, mark, rest = document.partition("#")
        columns.files.append(same.setdefault(name, name))
        columns.places.append(same.setdefault(mark + rest, mark + rest))
        columns.ranks.append(rank)
        columns.add_lines(number, number + 1)
    return tag, read, skipped


def _by_columns(
    file: BufferedReader, ties: Ties, topics: Topics
) -> tuple[str, dict[str, _Columns], set[str]]:
    """Return the same for lines of one tag and one number of columns; ValueError for all others."""
    read: dict[str, _Columns] = {}
    same: dict[str, str] = {}
    skipped: set[str] = set()
    tag = ""
    line = 1
    for octets in chunks(file):
        text = octets.decode()
        if line == 1:
            text = text.removeprefix("\ufeff")
        if len(octets) > LONGEST_LINE or "\ufeff" in text:
            raise IrregularError
        column = _texts(text.rstrip())
        tag = tag or column.tags[0]
        first_score = float(column.scores[0])  # is checked even where nobody wants its topic
        if column.tags.count(tag) < len(column.tags) or not math.isfinite(first_score):
            raise IrregularError
        plain = not column.places and are_plain_names(column.files)
        for start, end in stretches(column.topics):
            topic = column.topics[start]
            if topics is not None and topic not in topics:
                skipped.add(topic)
                continue
            scores = list(map(float, column.scores[start:end]))
            if not math.isfinite(sum(scores)):  # so one of them is not, or they are huge
                raise IrregularError
            files, places = column.files[start:end], column.places[start:end]
            columns = read.setdefault(topic, _Columns())
            columns.scores.extend(scores)
            columns.files.extend(map(same.setdefault, files, files))
            columns.places.extend(map(same.setdefault, places, places) if places else [""] * len(files))
            columns.plain = columns.plain and plain
            if ties == "rank":
                columns.ranks.extend(map(int, column.ranks[start:end]))
            columns.add_lines(line + start, line + end)
        line += text.count("\n")
    return tag, read, skipped


class _Texts(NamedTuple):
    """The columns of some lines; places are empty where every document is a whole one."""

    topics: list[str]
    files: list[str]
    places: list[str]
    ranks: list[str]
    scores: list[str]
    tags: list[str]


def _texts(text: str) -> _Texts:
    """Return the columns of lines of which all have as many as the first has; else IrregularError."""
    columns = split_columns(text)
    if columns is None:
        raise IrregularError
    if len(columns) == 7 and all(path.startswith("/") for path in columns[6]):
        columns[2] = list(map("{}#{}".format, columns[2], columns.pop()))
    elif len(columns) == 8 and are_numbers(columns[6], 15) and are_numbers(columns[7], 15):
        columns[2] = list(map("{}#{}:{}".format, columns[2], columns.pop(6), columns.pop()))
    if len(columns) != 6 or not are_numbers(columns[3], 18):
        raise IrregularError
    topics, iterations, documents, ranks, scores, tags = columns
    if "#" in text and any("#" in name for name in {*topics, *iterations}):
        raise IrregularError
    return _Texts(topics, *_files_and_places(documents), ranks, scores, tags)


def _files_and_places(documents: list[str]) -> tuple[list[str], list[str]]:
    """Split document ids, which hold no white space, before their first ``#``."""
    together = " ".join(documents)
    marks = together.count("#")
    if not marks:
        return documents, []
    parts = together.replace("#", " #").split()
    files, places = parts[::2], parts[1::2]
    # As many marks as ids, one in every second part: each id has a file, and behind it its only mark.
    if marks == len(documents) == len(files) == len(places) and "#" not in "".join(files):
        return files, places
    split = [document.partition("#") for document in documents]
    return [file for file, _, _ in split], [mark + place for _, mark, place in split]


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
    order = _order(columns, ties)
    scores, files, places = columns.scores, columns.files, columns.places
    if order is not None:
        scores = array("f", [scores[row] for row in order])
        files, places = [files[row] for row in order], [places[row] for row in order]
    if columns.plain:
        return Ranking(files, [WHOLE] * len(files), keys=scores)
    try:
        return Ranking(*elements.columns(files, places), keys=scores)
    except ValueError:  # something that is no element, or not at first sight
        results = []
    numbers = list(chain.from_iterable(columns.lines))
    for row, document in enumerate(map(add, files, places)):
        try:
            results.append(elements[document])
        except ValueError as error:
            where = f"{path}:{numbers[order[row] if order is not None else row]}"
            message = f"topic {topic}, rank {row + 1}: {error}"
            notes.problem("results that name no element", where, message)
            results.append((document.partition("#")[0], "", None))
    return ranking_of(results, scores)


def _order(columns: _Columns, ties: Ties) -> list[int] | None:
    """Return the order by score descending, and by the rule for ties; None for the order as written."""
    scores = columns.scores.tolist()
    if all(map(gt, scores, islice(scores, 1, None))):
        return None
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)  # stable
    if ties != "file" and len(set(scores)) < len(scores):
        if ties == "document":
            documents = list(map(add, columns.files, columns.places))
            order = sorted(range(len(scores)), key=documents.__getitem__, reverse=True)
        else:
            order = sorted(range(len(scores)), key=columns.ranks.__getitem__)
        order.sort(key=columns.scores.__getitem__, reverse=True)  # keeps the order of equal ones
    return order


class _Elements(dict[str, tuple[str, str, tuple[int, int] | None]]):
    """Document id → what it names, each found once."""

    def __init__(self) -> None:
        self._files, self._paths = Memo(_plain_file), Memo(_plain_path)

    def __missing__(self, document: str) -> tuple[str, str, tuple[int, int] | None]:
        self[document] = named = _element(document)
        return named

    def columns(self, files: list[str], places: list[str]) -> tuple[list[str], list[str]]:
        """Return files and paths of ids that plainly name elements or documents; else ValueError."""
        found = map(self._files.__getitem__, files), map(self._paths.__getitem__, places)
        return list(found[0]), list(found[1])


def _plain_file(name: str) -> str:
    if ":" in name or "[" in name or "]" in name:
        raise ValueError
    return canonical_file(name)


def _plain_path(place: str) -> str:
    if ":" in place or "#" in place[1:]:
        raise ValueError
    return canonical_path(place[1:]) if place else WHOLE


def _element(document: str) -> tuple[str, str, tuple[int, int] | None]:
    """Return file, path and span of ``file#/path`` or ``file#offset:length``."""
    file, _, place = document.rpartition("#")
    offset, colon, length = place.partition(":")
    if colon and _OFFSET.fullmatch(offset) and _OFFSET.fullmatch(length):
        return canonical_file(file), "", check_span(int(offset), int(offset) + int(length))
    return *split_element_id(document), None


def write_trec_run(run: Run) -> tuple[str, list[str]]:
    """Return the text of a TREC run, and what it cannot hold.

    Scores fall by one per rank, because readers order by score and ignore the rank.

    Raises:
        XcgError: If a result names no element or is a passage by points, or a name has white space.
    """
    lost = lost_topics(run)
    tag = "".join(run.name.split()) or "run"
    if tag != run.name:
        lost.append("white space in the run's name")
    lines = []
    for topic, rank, document, path, span in results(run):
        if isinstance(span, Passage):
            raise points_error(run, topic, rank, "trec")
        check_no_white_space(topic, document)
        element = f"{document}#{path}" if span is None and path != WHOLE else document
        passage = "" if span is None else f" {span[0]} {span[1] - span[0]}"
        score = len(run.rankings[topic]) - rank + 1
        lines.append(f"{topic} Q0 {element} {rank} {score} {tag}{passage}\n")
    return "".join(lines), lost


def _certainty(head: bytes) -> float:
    return 1.0 if 6 <= column_count(head) <= 8 else 0.1


RUN_FORMATS.add(
    "trec",
    RunFormat(
        "TREC run: topic Q0 file#/path rank score tag, or the element's path in column 7, "
        "or a passage's offset and length in columns 7 and 8",
        _certainty,
        read_trec_run,
        write_trec_run,
    ),
)
