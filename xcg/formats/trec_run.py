"""Read and write TREC runs, including the element and passage columns of INEX 2009 and 2010."""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from io import BufferedReader
from itertools import chain, islice
from operator import add, gt
from pathlib import Path

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path, split_element_id
from xcg.errors import InputError, Notes
from xcg.formats import writing
from xcg.formats.detection import column_count
from xcg.formats.text_columns import (
    TextBlock,
    are_numbers,
    are_plain_names,
    equal_stretches,
    text_blocks,
)
from xcg.runs.run import (
    RUN_FORMATS,
    FunctionCache,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    check_span,
)

_OFFSET = re.compile(r"[0-9]{1,15}")
_RANK = re.compile(r"[+-]?[0-9]{1,18}")


def read_trec_run(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties = "document", topics: Topics = None
) -> Run:
    """Read a TREC run.

    A line has the columns ``topic Q0 document rank score tag``. A document is ``file``, ``file#/path``
    for an element, or ``file#offset:length`` for a passage. Column 7 can contain the element's path, or
    columns 7 and 8 the passage's offset and length.

    Results are ordered by score, descending. As in trec_eval, scores are compared in single precision
    and ranks are ignored.

    Args:
        file: The open file.
        path: The file's path, for messages.
        notes: Counts illegal lines if they are tolerated.
        ties: The order of results with equal scores: ``document`` (by document descending, as in
            trec_eval), ``rank`` (by rank) or ``file`` (as in the file).
        topics: The topics whose results are read; all by default.

    Returns:
        The run, whose name is the tag of the first line.

    Raises:
        InputError: If the file is empty or a line is illegal, with file and line.
    """
    reader = _Reader(path, notes, ties, topics)
    for block in text_blocks(file, path):
        if not reader.add_columns(block):
            reader.add_lines(block)
    if not reader.tag:
        raise InputError(path, "an empty file; expected a run")
    elements = _Elements()
    rankings = {
        topic: _ranking(path, topic, reader.topics.pop(topic), notes, ties, elements)
        for topic in list(reader.topics)
    }
    return Run(reader.tag, rankings, str(path), reader.skipped)


class _TopicLines:
    """The lines of one topic. They are kept as columns, because a run may have millions of lines.

    Attributes:
        scores: The scores in single precision.
        documents: The document column up to the first ``#``.
        elements: The rest of the document column, with its ``#``.
        ranks: The ranks, if ties are ordered by them.
        line_numbers: The line numbers in the file.
        plain: Whether all results are whole documents with names in canonical form.
    """

    def __init__(self) -> None:
        self.scores = array("f")
        self.documents: list[str] = []
        self.elements: list[str] = []
        self.ranks = array("q")
        self.line_numbers: list[range] = []
        self.plain = True

    def add(
        self, first_line: int, scores: list[float], documents: Iterable[str], elements: Iterable[str]
    ) -> None:
        """Add consecutive lines."""
        self.scores.extend(scores)
        self.documents.extend(documents)
        self.elements.extend(elements)
        end = first_line + len(scores)
        if self.line_numbers and self.line_numbers[-1].stop == first_line:
            first_line = self.line_numbers.pop().start
        self.line_numbers.append(range(first_line, end))


class _Reader:
    """Collects the lines of a run by topic.

    Attributes:
        tag: The run's tag; empty before the first line.
        topics: Topic → its lines.
        skipped: The topics that are not needed.
    """

    def __init__(self, path: Path, notes: Notes, ties: Ties, needed: Topics) -> None:
        self.tag = ""
        self.topics: defaultdict[str, _TopicLines] = defaultdict(_TopicLines)
        self.skipped: set[str] = set()
        self._path, self._notes, self._needed = path, notes, needed
        self._with_ranks = ties == "rank"
        self._texts: dict[str, str] = {}  # equal texts become one object

    def add_columns(self, block: TextBlock) -> bool:
        """Add the lines of a block, if it has regular columns and one tag; return whether it has."""
        columns = _regular_columns(block)
        if columns is None:
            return False
        topics, documents, elements, ranks, score_texts, tags = columns
        tag = self.tag or tags[0]
        if tags.count(tag) < len(tags):
            return False
        if not self.tag and not _scores(score_texts[:1]):
            return False  # the first line is checked even if its topic is not needed
        stretches = []
        skipped = set()
        for start, end in equal_stretches(topics):
            topic = topics[start]
            if self._needed is None or topic in self._needed:
                scores = _scores(score_texts[start:end])
                if not scores:
                    return False
                stretches.append((topic, start, end, scores))
            else:
                skipped.add(topic)
        self.tag = tag
        self.skipped |= skipped
        plain = not elements and are_plain_names(documents)
        same = self._texts.setdefault
        for topic, start, end, scores in stretches:
            lines = self.topics[topic]
            names, marks = documents[start:end], elements[start:end] or [""] * len(scores)
            lines.add(
                block.first_line + start, scores, map(same, names, names), map(same, marks, marks)
            )
            lines.plain &= plain
            if self._with_ranks:
                lines.ranks.extend(map(int, ranks[start:end]))
        return True

    def add_lines(self, block: TextBlock) -> None:
        """Add the lines of a block one by one."""
        same = self._texts.setdefault
        for number, fields in block.lines():
            if self._needed is not None and self.tag and fields[0] not in self._needed:
                self.skipped.add(fields[0])
                continue
            try:
                topic, document, rank, score, tag = _parse_line(fields)
            except ValueError as error:
                where = f"{self._path}:{number}"
                self._notes.problem("lines left out of a run", where, str(error))
                continue
            self.tag = self.tag or tag
            if tag != self.tag:
                self._notes.note(f"{self._path}: several run tags; the run is called {self.tag}")
            if self._needed is not None and topic not in self._needed:
                self.skipped.add(topic)
                continue
            lines = self.topics[topic]
            name, mark, rest = document.partition("#")
            lines.add(number, [score], [same(name, name)], [same(mark + rest, mark + rest)])
            lines.plain = False
            if self._with_ranks:
                lines.ranks.append(rank)


def _regular_columns(block: TextBlock) -> tuple[list[str], ...] | None:
    """Return the columns of a block, or None if its lines must be read one by one.

    These are topics, documents, elements (empty if all results are whole documents), ranks, scores and
    tags.
    """
    columns = block.columns()
    if columns is None:
        return None
    if len(columns) == 7 and all(path.startswith("/") for path in columns[6]):
        columns[2] = list(map("{}#{}".format, columns[2], columns.pop()))
    elif len(columns) == 8 and are_numbers(columns[6], 15) and are_numbers(columns[7], 15):
        columns[2] = list(map("{}#{}:{}".format, columns[2], columns.pop(6), columns.pop()))
    if len(columns) != 6 or not are_numbers(columns[3], 18):
        return None
    topics, iterations, documents, *others = columns
    if any("#" in text for text in {*topics, *iterations}):
        return None
    return topics, *_split_documents(documents), *others


def _split_documents(documents: list[str]) -> tuple[list[str], list[str]]:
    """Split a document column before the first ``#``; without any ``#`` the second part is empty."""
    joined = " ".join(documents)
    mark_count = joined.count("#")
    if not mark_count:
        return documents, []
    parts = joined.replace("#", " #").split()
    names, elements = parts[::2], parts[1::2]
    # One mark per document, and one in every second part: each document has a name and one mark.
    if mark_count == len(documents) == len(names) == len(elements) and "#" not in "".join(names):
        return names, elements
    split = [document.partition("#") for document in documents]
    return [name for name, _, _ in split], [mark + rest for _, mark, rest in split]


def _scores(texts: Sequence[str]) -> list[float]:
    """Return scores, or nothing if one of them may be illegal."""
    try:
        scores = list(map(float, texts))
    except ValueError:
        return []
    return scores if math.isfinite(sum(scores)) else []


def _parse_line(fields: list[str]) -> tuple[str, str, int, float, str]:
    """Return topic, document, rank, score and tag of a line; raise ValueError if it is illegal."""
    if len(fields) == 7 and fields[6].startswith("/"):  # INEX 2009 and 2010
        fields = [*fields[:2], f"{fields[2]}#{fields[6]}", *fields[3:6]]
    if len(fields) == 8:  # INEX 2010
        if not all(_OFFSET.fullmatch(text) for text in fields[6:]):
            raise ValueError(
                f"illegal passage {fields[6]} {fields[7]}: expected an offset and a length"
            )
        fields = [*fields[:2], f"{fields[2]}#{fields[6]}:{fields[7]}", *fields[3:6]]
    if len(fields) != 6:
        raise ValueError(
            f"{len(fields)} columns; expected six, topic Q0 file#/path rank score tag, "
            "or seven with an element's path, or eight with a passage's offset and length"
        )
    topic, iteration, document, rank, score, tag = fields
    if "#" in topic + iteration:
        raise ValueError(
            f"the columns begin with {topic} {iteration}; expected topic Q0 file#/path rank score tag"
        )
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"illegal score {score!r}: expected a finite number")
    if not _RANK.fullmatch(rank):
        raise ValueError(f"illegal rank {rank!r}: expected a whole number")
    return topic, document, int(rank), number, tag


def _ranking(
    path: Path, topic: str, lines: _TopicLines, notes: Notes, ties: Ties, known: _Elements
) -> Ranking:
    order = _order(lines, ties)
    scores, documents, elements = lines.scores, lines.documents, lines.elements
    if order is not None:
        scores = array("f", [scores[row] for row in order])
        documents = [documents[row] for row in order]
        elements = [elements[row] for row in order]
    if lines.plain:
        return Ranking(documents, [WHOLE] * len(documents), keys=scores)
    try:
        return Ranking(*known.files_and_paths(documents, elements), keys=scores)
    except ValueError:  # a passage, an illegal path, or an unusual spelling
        found = []
    numbers = list(chain.from_iterable(lines.line_numbers))
    for row, result in enumerate(map(add, documents, elements)):
        try:
            found.append(known[result])
        except ValueError as error:
            where = f"{path}:{numbers[order[row] if order is not None else row]}"
            message = f"topic {topic}, rank {row + 1}: {error}"
            notes.problem("results that name no element", where, message)
            found.append((result.partition("#")[0], "", None))
    return Ranking.of(found, scores)


def _order(lines: _TopicLines, ties: Ties) -> list[int] | None:
    """Return the order of the lines by score; None if they are in this order and have no ties."""
    scores = lines.scores.tolist()
    if all(map(gt, scores, islice(scores, 1, None))):
        return None
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)  # stable
    if ties != "file" and len(set(scores)) < len(scores):
        if ties == "document":
            documents = list(map(add, lines.documents, lines.elements))
            order = sorted(range(len(scores)), key=documents.__getitem__, reverse=True)
        else:
            order = sorted(range(len(scores)), key=lines.ranks.__getitem__)
        order.sort(key=lines.scores.__getitem__, reverse=True)
    return order


class _Elements(dict[str, tuple[str, str, tuple[int, int] | None]]):
    """Document column → file, path and span; each text is interpreted once."""

    def __init__(self) -> None:
        self._files, self._paths = FunctionCache(_plain_file), FunctionCache(_plain_path)

    def __missing__(self, document: str) -> tuple[str, str, tuple[int, int] | None]:
        self[document] = element = _parse_document(document)
        return element

    def files_and_paths(self, documents: list[str], elements: list[str]) -> tuple[list[str], list[str]]:
        """Return files and paths of elements and whole documents in usual spelling.

        Raises:
            ValueError: If there is anything else.
        """
        files = list(map(self._files.__getitem__, documents))
        return files, list(map(self._paths.__getitem__, elements))


def _plain_file(name: str) -> str:
    if ":" in name or "[" in name or "]" in name:
        raise ValueError
    return canonical_file(name)


def _plain_path(element: str) -> str:
    if ":" in element or "#" in element[1:]:
        raise ValueError
    return canonical_path(element[1:]) if element else WHOLE


def _parse_document(document: str) -> tuple[str, str, tuple[int, int] | None]:
    """Return file, path and span of ``file``, ``file#/path`` or ``file#offset:length``."""
    file, _, place = document.rpartition("#")
    offset, colon, length = place.partition(":")
    if colon and _OFFSET.fullmatch(offset) and _OFFSET.fullmatch(length):
        return canonical_file(file), "", check_span(int(offset), int(offset) + int(length))
    return *split_element_id(document), None


def write_trec_run(run: Run) -> tuple[str, list[str]]:
    """Return the text of a TREC run, and what it cannot hold.

    Scores decrease by one per rank, because readers order by score and ignore the rank.

    Raises:
        XcgError: If a result names no element, is a passage by points, or a name has white space.
    """
    lost = writing.lost_topics(run)
    tag = "".join(run.name.split()) or "run"
    if tag != run.name:
        lost.append("white space in the run's name")
    lines = []
    for topic, rank, document, path, span in writing.results(run):
        if isinstance(span, Passage):
            raise writing.points_error(run, topic, rank, "trec")
        writing.check_no_white_space(run.source, topic, document)
        element = f"{document}#{path}" if span is None and path != WHOLE else document
        passage = "" if span is None else f" {span[0]} {span[1] - span[0]}"
        score = len(run.rankings[topic]) - rank + 1
        lines.append(f"{topic} Q0 {element} {rank} {score} {tag}{passage}\n")
    return "".join(lines), lost


RUN_FORMATS.add(
    "trec",
    RunFormat(
        "TREC run: topic Q0 file#/path rank score tag, or the element's path in column 7, "
        "or a passage's offset and length in columns 7 and 8",
        lambda head: 1.0 if 6 <= column_count(head) <= 8 else 0.1,
        read_trec_run,
        write_trec_run,
    ),
)
