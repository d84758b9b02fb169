"""Read and write TREC runs, including the element and passage columns of INEX 2009 and 2010."""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from io import BufferedReader
from itertools import chain, islice
from operator import add, gt
from pathlib import Path
from typing import Any

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path, split_at_mark, split_element_id
from xcg.errors import InputError, Notes
from xcg.formats import writing
from xcg.formats.base import column_count
from xcg.formats.text_columns import (
    TextBlock,
    are_numbers,
    are_plain_names,
    equal_stretches,
    text_blocks,
)
from xcg.runs.columns import FunctionCache
from xcg.runs.ordering import note_contradiction, note_equal_scores, note_whole_documents
from xcg.runs.run import (
    RUN_FORMATS,
    AnySpan,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    offset_and_length,
    span_of,
)
from xcg.settings.schema import decimal

_LIKE_OFFSET = re.compile(r"[+-]?[0-9.]+|X")
_OFFSET_AND_LENGTH = re.compile("[0-9]+:[0-9]+")
_RANK = re.compile(r"([+-]?[0-9]{1,18})(?:\.0*)?")


def read_trec_run(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None = None, topics: Topics = None
) -> Run:
    """Read a TREC run.

    A line has the columns ``topic Q0 document rank score tag``. A document is ``file``, ``file#/path``
    for an element, or ``file#offset:length`` for a passage. Column 7 can contain the element's path, or
    columns 7 and 8 the passage's offset and length. The offset ``X`` or ``-1`` is unknown, see
    :data:`xcg.runs.run.UNKNOWN_SPAN`. Other text after column 6 is ignored, and so are lines that begin
    with ``#``.

    As in trec_eval 10, scores are compared in double precision, and ranks are ignored. But a rank must
    be a whole number, because another one is a sign of exchanged columns.

    Args:
        file: The open file.
        path: The file's path, for messages.
        notes: Counts illegal lines if they are tolerated.
        ties: The order of results with equal scores: ``document`` (by document descending, as
            in trec_eval; the default), ``rank`` (by rank) or ``file`` (as in the file).
        topics: The topics whose results are read; all by default.

    Returns:
        The run, whose name is the tag of the first line.

    Raises:
        InputError: If the file is empty or a line is illegal, with file and line.
    """
    reader = _Reader(path, notes, ties or "document", topics)
    for block in text_blocks(file, path):
        if not reader.add_columns(block):
            reader.add_lines(block)
    if not reader.tag:
        raise reader.problem or InputError(path, "an empty file; expected a run")
    rankings = {topic: reader.ranking(topic, reader.topics.pop(topic)) for topic in list(reader.topics)}
    note_whole_documents(rankings.values(), str(path), notes)
    return Run(reader.tag, rankings, str(path), frozenset(reader.skipped))


class _TopicLines:
    """The lines of one topic. They are kept as columns, because a run may have millions of lines.

    Attributes:
        scores: The scores.
        ranks: The ranks.
        documents: The names of the documents.
        elements: ``#/path`` or ``#offset:length``; empty for a whole document.
        line_numbers: The line numbers in the file.
    """

    def __init__(self) -> None:
        self.scores = array("d")
        self.ranks = array("q")
        self.documents: list[str] = []
        self.elements: list[str] = []
        self.line_numbers: list[range] = []


class _Reader:
    """Collects the lines of a run by topic, and makes rankings of them.

    Each name and each path is interpreted once.

    Attributes:
        tag: The run's tag; empty before the first line.
        topics: Topic → its lines.
        skipped: The topics that are not needed.
        problem: The error in the first illegal line.
    """

    def __init__(self, path: Path, notes: Notes, ties: Ties, needed: Topics) -> None:
        self.tag = ""
        self.topics: defaultdict[str, _TopicLines] = defaultdict(_TopicLines)
        self.skipped: set[str] = set()
        self.problem: InputError | None = None
        self._path, self._notes, self._ties, self._needed = path, notes, ties, needed
        self._files, self._paths = FunctionCache(canonical_file), FunctionCache(_path)
        self._texts: dict[str, str] = {}  # equal texts become one object

    def add_columns(self, block: TextBlock) -> bool:
        """Add the lines of a block, if it has regular columns and one tag; return whether it has."""
        found = block.columns()
        if found is None or not 6 <= len(found) <= 8:
            return False
        topics, iterations, documents, ranks, scores, tags, *others = found
        if tags.count(self.tag or tags[0]) < len(tags):
            return False
        if b"#/" in block.data and any("#/" in text for text in {*topics, *iterations}):
            return False
        if not are_numbers(ranks, 18):
            return False
        try:
            documents, elements = _split_elements(documents, others)
            numbers = _scores(scores)
        except ValueError:
            return False
        whole_ranks = list(map(int, ranks))
        self.tag = tags[0]
        for start, end in equal_stretches(topics):
            columns = (column[start:end] for column in (documents, elements, numbers, whole_ranks))
            self._add(topics[start], block.first_line + start, *columns)
        return True

    def add_lines(self, block: TextBlock) -> None:
        """Add the lines of a block one by one."""
        for number, fields in block.lines():
            if self._needed is not None and self.tag and fields[0] not in self._needed:
                self.skipped.add(fields[0])
                continue
            try:
                document, element, tag, score, rank, has_other_text = _parse_line(fields)
            except ValueError as error:
                where = f"{self._path}:{number}"
                self.problem = self.problem or InputError(where, str(error))
                self._notes.problem("lines left out of a run", where, str(error))
                continue
            self.tag = self.tag or tag
            if tag != self.tag:
                self._notes.note(f"{self._path}: several run tags; the run is called {self.tag}")
            if has_other_text:
                self._notes.note(f"{self._path}: text after the sixth column, which is ignored")
            self._add(fields[0], number, [document], [element], [score], [rank])

    def _add(self, topic: str, first_line: int, *columns: Any) -> None:
        """Add documents, elements, scores and ranks of consecutive lines."""
        documents, elements, scores, ranks = columns
        if self._needed is not None and topic not in self._needed:
            self.skipped.add(topic)
            return
        lines, same = self.topics[topic], self._texts.setdefault
        lines.documents.extend(map(same, documents, documents))
        lines.elements.extend(map(same, elements, elements) if any(elements) else elements)
        lines.line_numbers.append(range(first_line, first_line + len(documents)))
        lines.scores.extend(scores)
        lines.ranks.extend(ranks)

    def ranking(self, topic: str, lines: _TopicLines) -> Ranking:
        """Return the ranking of a topic."""
        where = f"{self._path}, topic {topic}"
        note_contradiction(lines.ranks, lines.scores, where, self._notes, "scores")
        keys, documents, elements = lines.scores, lines.documents, lines.elements
        rows = self._order(lines, keys.tolist())
        if rows is not None:
            keys = array("d", [keys[row] for row in rows])
            documents = [documents[row] for row in rows]
            elements = [elements[row] for row in rows]
        try:
            ranking = Ranking(*self._files_and_paths(documents, elements))
        except ValueError:  # a passage, an illegal path, or an unusual spelling
            found = []
            numbers = list(chain.from_iterable(lines.line_numbers))
            for position, (document, element) in enumerate(zip(documents, elements, strict=True)):
                try:
                    found.append(self._result(document, element))
                except ValueError as error:
                    line = numbers[rows[position] if rows is not None else position]
                    message = f"topic {topic}, rank {position + 1}: {error}"
                    self._notes.problem("results that name no element", f"{self._path}:{line}", message)
                    found.append((document, "", None))
            ranking = Ranking.of(found)
        ranking.keys, ranking.has_scores = keys, True
        note_equal_scores(ranking, where, self._notes)
        return ranking

    def _order(self, lines: _TopicLines, keys: list[float]) -> list[int] | None:
        """Return the order of the lines; None if they are in this order and have no ties."""
        if all(map(gt, keys, islice(keys, 1, None))):
            return None
        rows = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)  # stable
        if self._ties != "file" and len(set(keys)) < len(keys):
            if self._ties == "document":
                documents = list(map(add, lines.documents, lines.elements))
                rows = sorted(range(len(keys)), key=documents.__getitem__, reverse=True)
            else:
                rows = sorted(range(len(keys)), key=lines.ranks.__getitem__)
            rows.sort(key=keys.__getitem__, reverse=True)
        return rows

    def _result(self, document: str, element: str) -> tuple[str, str, AnySpan | None]:
        """Return document, path and span of any result; raise ValueError if it is illegal."""
        if not element:
            return *split_element_id(document), None
        if element.startswith("#/"):
            return self._files[document], self._paths[element], None
        return self._files[document], "", span_of(*element[1:].split(":"))

    def _files_and_paths(
        self, documents: list[str], elements: list[str]
    ) -> tuple[list[str], list[str]]:
        """Return files and paths of elements and whole documents.

        Raises:
            ValueError: If there is anything else, or a name that may be a path.
        """
        if not any(elements) and are_plain_names(documents):
            return documents, [WHOLE] * len(documents)
        if "]" in "".join(documents):
            raise ValueError
        paths = list(map(self._paths.__getitem__, elements))
        return list(map(self._files.__getitem__, documents)), paths


def _split_elements(documents: list[str], others: list[list[str]]) -> tuple[list[str], list[str]]:
    """Return names of documents and elements; raise ValueError if lines must be read one by one."""
    elements = [""] * len(documents)
    if "#" in "".join(documents):
        split = [document.partition("#/") for document in documents]
        if all(mark for _, mark, _ in split):
            documents, elements = [name for name, _, _ in split], [f"#/{path}" for *_, path in split]
        else:
            documents, elements = map(list, zip(*map(split_at_mark, documents), strict=True))
        if others and any(elements):
            raise ValueError  # two columns may name an element
    match others:
        case [paths]:
            if not all(path.startswith("/") for path in paths):
                raise ValueError
            elements = [f"#{path}" for path in paths]
        case [offsets, lengths]:
            if not (are_numbers(offsets, 15) and are_numbers(lengths, 15)):
                raise ValueError
            elements = list(map("#{}:{}".format, offsets, lengths))
    return documents, elements


def _scores(texts: Sequence[str]) -> list[float]:
    """Return scores; raise ValueError if one of them may be illegal."""
    joined = "".join(texts)
    scores = list(map(float, texts))
    if "_" in joined or not joined.isascii() or not math.isfinite(sum(scores)):
        raise ValueError  # float() reads 1_0 and the digits of other scripts
    return scores


def _parse_line(fields: list[str]) -> tuple[str, str, str, float, int, bool]:
    """Return document and element of a line, its tag, score, rank, and whether it has other text.

    Raises:
        ValueError: If it is illegal.
    """
    if len(fields) < 6:
        raise _wrong_columns(fields)
    topic, iteration, document, stated_rank, stated_score, tag, *others = fields
    if "#/" in topic + iteration:
        raise ValueError(
            f"the columns begin with {topic} {iteration}; expected topic Q0 file#/path rank score tag"
        )
    stated = _stated_element(fields)
    has_other_text = bool(others and not stated)
    rank, score = _RANK.fullmatch(stated_rank), decimal(stated_score)
    if has_other_text and (rank is None or tag.startswith("/")):
        raise _wrong_columns(fields)  # white space in a name moves the other columns
    if rank is None:
        raise ValueError(f"illegal rank {stated_rank!r}: expected a whole number")
    if not math.isfinite(score):
        raise ValueError(f"illegal score {stated_score!r}: expected a finite number")
    if any(map(_OFFSET_AND_LENGTH.fullmatch, fields[5:7])):
        raise ValueError("offset:length, as in offset qrels; expected topic Q0 document rank score tag")
    name, element = split_at_mark(document)
    if element and stated:
        raise ValueError(f"{document} and {' '.join(others)}: expected one element or passage")
    return name, element or stated, tag, score, int(rank[1]), has_other_text


def _wrong_columns(fields: list[str]) -> ValueError:
    return ValueError(
        f"{len(fields)} columns; expected six, topic Q0 file#/path rank score tag, "
        "or seven with an element's path, or eight with a passage's offset and length"
    )


def _stated_element(fields: list[str]) -> str:
    """Return the element or passage after column 6 as ``#/path`` or ``#offset:length``, if any.

    Text that begins like a path or a passage must be one; other text is ignored.

    Raises:
        ValueError: If it is not.
    """
    others = fields[6:]
    is_path = bool(others) and others[0].startswith("/")  # INEX 2009 and 2010
    is_passage = any(map(_LIKE_OFFSET.fullmatch, others[:2]))  # INEX 2010
    if (is_path and len(others) > 1) or (is_passage and len(others) != 2):
        raise _wrong_columns(fields)
    if is_passage:
        span_of(*others)
    return "#" + ":".join(others) if is_path or is_passage else ""


def _path(element: str) -> str:
    if element and not element.startswith("#/"):
        raise ValueError
    return canonical_path(element[1:]) if element else WHOLE


def write_trec_run(run: Run) -> tuple[str, list[str]]:
    """Return the text of a TREC run, and what it cannot hold.

    Readers order by score and ignore the rank. So the scores of a topic are written if they decrease
    with every rank, also in single precision, in which trec_eval 9 reads them. Otherwise the last
    result has the score 1, and each result 1 more than the next.

    Raises:
        XcgError: If a result names no element, is a passage by points, or a name has white space
            or control characters.
    """
    scores, lost_scores = writing.written_scores(run, ties_are_ordered=True)
    lost = [*writing.lost_of_run(run, "topics"), *lost_scores]
    lost += writing.lost_of_run(run, "parents", "text")
    tag = "".join(filter(writing.is_column, run.name)) or "run"
    if tag != run.name:
        lost.append("white space and control characters in the run's name")
    lines = []
    for topic, rank, document, path, span in writing.results(run):
        if isinstance(span, Passage):
            raise writing.points_error(run, topic, rank, "trec")
        writing.check_names(run.source, topic, document)
        element = f"{document}#{path}" if span is None and path != WHOLE else document
        passage = "" if span is None else " " + " ".join(offset_and_length(span))
        score = scores[topic][rank - 1] if topic in scores else len(run.rankings[topic]) - rank + 1
        lines.append(f"{topic} Q0 {element} {rank} {score} {tag}{passage}\n")
    return "".join(lines), lost


def _certainty(head: bytes) -> float:
    columns = column_count(head)
    return 1.0 if 6 <= columns <= 8 else 0.5 if columns > 8 else 0.1


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
