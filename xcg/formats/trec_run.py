"""Read and write TREC runs, including the element and passage columns of INEX 2009 and 2010."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterable, Sequence
from io import BufferedReader
from itertools import chain, islice
from operator import add, gt, lt
from pathlib import Path
from typing import Any

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path, split_at_mark, split_element_id
from xcg.errors import InputError, Notes
from xcg.formats import writing
from xcg.formats.detection import column_count
from xcg.formats.stored_topics import LINES_IN_MEMORY, StoredTopics, clear_large
from xcg.formats.text_columns import (
    TextBlock,
    are_numbers,
    are_plain_names,
    equal_stretches,
    text_blocks,
)
from xcg.formats.trec_run_line import parse_line
from xcg.runs.run import (
    RUN_FORMATS,
    AnySpan,
    FunctionCache,
    Order,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    offset_and_length,
    span_of,
)
from xcg.runs.stored_rankings import StoredRankings
from xcg.runs.ties import note_contradiction, note_equal_scores


def read_trec_run(
    file: BufferedReader,
    path: Path,
    notes: Notes,
    order: Order = "score",
    ties: Ties | None = None,
    topics: Topics = None,
) -> Run:
    """Read a TREC run.

    A line has the columns ``topic Q0 document rank score tag``. A document is ``file``, ``file#/path``
    for an element, or ``file#offset:length`` for a passage. Column 7 can contain the element's path, or
    columns 7 and 8 the passage's offset and length. The offset ``X`` or ``-1`` is unknown, see
    :data:`xcg.runs.run.UNKNOWN_SPAN`. Other text after column 6 is ignored, and so are lines that begin
    with ``#``.

    As in trec_eval 10, scores are compared in double precision, and ranks are ignored. But a rank must
    be a whole number, because another one is a sign of exchanged columns. Scores are not read if ranks
    order the results, and neither of them if the file does.

    Args:
        file: The open file.
        path: The file's path, for messages.
        notes: Counts illegal lines if they are tolerated.
        order: The order of results: ``score`` (descending), ``rank`` (ascending) or ``file``.
        ties: The order of results with equal scores or ranks: ``document`` (by document descending, as
            in trec_eval; the default), ``rank`` (by rank) or ``file`` (as in the file).
        topics: The topics whose results are read; all by default.

    Returns:
        The run, whose name is the tag of the first line.

    Raises:
        InputError: If the file is empty or a line is illegal, with file and line.
    """
    reader = _Reader(path, notes, order, topics)
    for block in text_blocks(file, path):
        reader.add(block)
    if not reader.tag:
        raise reader.problem or InputError(path, "an empty file; expected a run")
    elements = _Elements()
    rankings = StoredRankings()
    for topic, lines in reader.topics.pop_all():
        ranking = _ranking(path, topic, lines, notes, order, ties or "document", elements)
        note_equal_scores(ranking, f"{path}, topic {topic}", notes)
        rankings.add(topic, ranking)
        clear_large(*elements.caches)
    return Run(reader.tag, rankings.as_mapping(), str(path), reader.skipped)


class _TopicLines:
    """The lines of one topic. They are kept as columns, because a run may have millions of lines.

    Attributes:
        scores: The scores; none if they do not order the results.
        ranks: The ranks; none if the order is that of the file.
        documents: The names of the documents.
        elements: ``#/path`` or ``#offset:length``; empty for a whole document.
        line_numbers: The line numbers in the file.
        plain: Whether all results are whole documents with names in canonical form.
    """

    def __init__(self) -> None:
        self.scores = array("d")
        self.ranks = array("q")
        self.documents: list[str] = []
        self.elements: list[str] = []
        self.line_numbers: list[range] = []
        self.plain = True

    def add(self, first_line: int, documents: Iterable[str], elements: Iterable[str]) -> None:
        """Add the results of consecutive lines."""
        before = len(self.documents)
        self.documents.extend(documents)
        self.elements.extend(elements)
        end = first_line + len(self.documents) - before
        if self.line_numbers and self.line_numbers[-1].stop == first_line:
            first_line = self.line_numbers.pop().start
        self.line_numbers.append(range(first_line, end))

    def extend(self, others: _TopicLines) -> None:
        """Add lines that follow these in the file."""
        self.scores.extend(others.scores)
        self.ranks.extend(others.ranks)
        self.documents.extend(others.documents)
        self.elements.extend(others.elements)
        self.line_numbers.extend(others.line_numbers)
        self.plain &= others.plain


class _Reader:
    """Collects the lines of a run by topic.

    Attributes:
        tag: The run's tag; empty before the first line.
        topics: Topic → its lines.
        skipped: The topics that are not needed.
        problem: The error in the first illegal line.
    """

    def __init__(self, path: Path, notes: Notes, order: Order, needed: Topics) -> None:
        self.tag = ""
        self.topics = StoredTopics(_TopicLines)
        self.skipped: set[str] = set()
        self.problem: InputError | None = None
        self._path, self._notes, self._needed = path, notes, needed
        self._with_scores = order == "score"
        self._check_ranks = order != "file"
        self._texts: dict[str, str] = {}  # equal texts become one object
        self._plain = True  # whether all these texts are document names in canonical form
        self._lines_in_memory = 0

    def add(self, block: TextBlock) -> None:
        """Add the lines of a block."""
        if not self.add_columns(block):
            self.add_lines(block)
        self._lines_in_memory += block.data.count(b"\n")
        if self._lines_in_memory > LINES_IN_MEMORY:
            self.topics.store()
            self._texts.clear()
            self._lines_in_memory = 0

    def add_columns(self, block: TextBlock) -> bool:
        """Add the lines of a block, if it has regular columns and one tag; return whether it has."""
        columns = _regular_columns(block, self._check_ranks)
        if columns is None:
            return False
        topics, documents, elements, ranks, score_texts, tags = columns
        tag = self.tag or tags[0]
        if tags.count(tag) < len(tags):
            return False
        if not self.tag and self._with_scores and not _scores(score_texts[:1]):
            return False  # the first line is checked even if its topic is not needed
        stretches = []
        skipped = set()
        for start, end in equal_stretches(topics):
            topic = topics[start]
            if self._needed is None or topic in self._needed:
                scores = _scores(score_texts[start:end]) if self._with_scores else []
                if self._with_scores and not scores:
                    return False
                stretches.append((topic, start, end, scores))
            else:
                skipped.add(topic)
        self.tag = tag
        self.skipped |= skipped
        same = self._texts.setdefault
        for topic, start, end, scores in stretches:
            lines = self.topics[topic]
            names, marked = documents[start:end], elements[start:end]
            if elements:
                lines.add(block.first_line + start, map(same, names, names), map(same, marked, marked))
                self._plain = False
            else:
                known = len(self._texts)
                lines.add(block.first_line + start, map(same, names, names), [""] * len(names))
                new = islice(reversed(self._texts), len(self._texts) - known)
                self._plain = self._plain and are_plain_names(list(new))
            lines.plain &= self._plain
            # array.extend takes ten times as long.
            lines.scores.frombytes(struct.pack(f"{len(scores)}d", *scores))
            if self._check_ranks:
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
                line = parse_line(fields, self._with_scores, self._check_ranks)
            except ValueError as error:
                where = f"{self._path}:{number}"
                self.problem = self.problem or InputError(where, str(error))
                self._notes.problem("lines left out of a run", where, str(error))
                continue
            self.tag = self.tag or line.tag
            if line.tag != self.tag:
                self._notes.note(f"{self._path}: several run tags; the run is called {self.tag}")
            if line.has_other_text:
                self._notes.note(f"{self._path}: text after the sixth column, which is ignored")
            if self._needed is not None and line.topic not in self._needed:
                self.skipped.add(line.topic)
                continue
            lines = self.topics[line.topic]
            lines.add(number, [same(line.document, line.document)], [same(line.element, line.element)])
            lines.plain = self._plain = False
            if self._with_scores:
                lines.scores.append(line.score)
            if self._check_ranks:
                lines.ranks.append(line.rank)


def _regular_columns(block: TextBlock, check_ranks: bool) -> tuple[list[str], ...] | None:
    """Return the columns of a block, or None if its lines must be read one by one.

    These are topics, documents, elements (empty if all results are whole documents), ranks, scores and
    tags.
    """
    columns = block.columns()
    if columns is None or not 6 <= len(columns) <= 8:
        return None
    topics, iterations, documents, ranks, scores, tags, *others = columns
    has_marks = b"#" in block.data
    documents, elements = _split_documents(documents) if has_marks else (documents, [])
    if others and elements:
        return None  # two columns may name an element
    match others:
        case [paths]:
            if not all(path.startswith("/") for path in paths):
                return None
            elements = list(map("#{}".format, paths))
        case [offsets, lengths]:
            if not (are_numbers(offsets, 15) and are_numbers(lengths, 15)):
                return None
            elements = list(map("#{}:{}".format, offsets, lengths))
    if check_ranks and not are_numbers(ranks, 18):
        return None
    if has_marks and any("#/" in text for text in {*topics, *iterations}):
        return None
    return topics, documents, elements, ranks, scores, tags


def _split_documents(documents: list[str]) -> tuple[list[str], list[str]]:
    """Split a document column into names and elements; no elements if all are whole documents."""
    joined = " ".join(documents)
    mark_count = joined.count("#")
    if not mark_count or ("#/" not in joined and ":" not in joined):
        return documents, []
    if mark_count == joined.count("#/") == len(documents):
        parts = joined.replace("#", " #").split()
        names, elements = parts[::2], parts[1::2]
        # One mark per document, and one in every second part: each document has a name and one mark.
        if len(documents) == len(names) == len(elements) and "#" not in "".join(names):
            return names, elements
    split = list(map(split_at_mark, documents))
    elements = [element for _, element in split]
    return [name for name, _ in split], elements if any(elements) else []


def _scores(texts: Sequence[str]) -> list[float]:
    """Return scores, or nothing if one of them may be illegal."""
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():  # float() reads 1_0 and the digits of other scripts
        return []
    try:
        scores = list(map(float, texts))
    except ValueError:
        return []
    return scores if math.isfinite(sum(scores)) else []


def _ranking(
    path: Path,
    topic: str,
    lines: _TopicLines,
    notes: Notes,
    order: Order,
    ties: Ties,
    known: _Elements,
) -> Ranking:
    rows = _order(lines, order, ties)
    if order == "score":
        note_contradiction(lines.ranks, lines.scores, f"{path}, topic {topic}", notes, "scores")
    documents, elements = lines.documents, lines.elements
    keys: array[Any] = lines.scores if order == "score" else lines.ranks
    if rows is not None:
        keys = array(keys.typecode, [keys[row] for row in rows])
        documents = [documents[row] for row in rows]
        elements = [elements[row] for row in rows]
    stated_keys = None if order == "file" else keys
    has_scores = order == "score"
    if lines.plain:
        return Ranking(documents, [WHOLE] * len(documents), {}, stated_keys, has_scores)
    try:
        return Ranking(*known.files_and_paths(documents, elements), {}, stated_keys, has_scores)
    except ValueError:  # a passage, an illegal path, or an unusual spelling
        found = []
    numbers = list(chain.from_iterable(lines.line_numbers))
    for position, (document, element) in enumerate(zip(documents, elements, strict=True)):
        try:
            found.append(known.result(document, element))
        except ValueError as error:
            where = f"{path}:{numbers[rows[position] if rows is not None else position]}"
            message = f"topic {topic}, rank {position + 1}: {error}"
            notes.problem("results that name no element", where, message)
            found.append((document, "", None))
    return Ranking.of(found, stated_keys, has_scores)


def _order(lines: _TopicLines, order: Order, ties: Ties) -> list[int] | None:
    """Return the order of the lines; None if they are in this order and have no ties."""
    if order == "file":
        return None
    descending = order == "score"
    keys = (lines.scores if descending else lines.ranks).tolist()
    if all(map(gt if descending else lt, keys, islice(keys, 1, None))):
        return None
    rows = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)  # stable
    if ties != "file" and len(set(keys)) < len(keys):
        if ties == "document":
            documents = list(map(add, lines.documents, lines.elements))
            rows = sorted(range(len(keys)), key=documents.__getitem__, reverse=True)
        else:
            rows = sorted(range(len(keys)), key=lines.ranks.__getitem__)
        rows.sort(key=keys.__getitem__, reverse=descending)
    return rows


class _Elements:
    """Returns document, path and span of results; each name and each path is interpreted once."""

    def __init__(self) -> None:
        self._plain_files, self._plain_paths = FunctionCache(_plain_file), FunctionCache(_plain_path)
        self._files, self._paths = FunctionCache(canonical_file), FunctionCache(canonical_path)
        self.caches = (self._plain_files, self._plain_paths, self._files, self._paths)

    def result(self, document: str, element: str) -> tuple[str, str, AnySpan | None]:
        """Return document, path and span of any result; raise ValueError if it is illegal."""
        if not element:
            return *split_element_id(document), None
        if element.startswith("#/"):
            return self._files[document], self._paths[element[1:]], None
        offset, _, length = element[1:].partition(":")
        return self._files[document], "", span_of(offset, length)

    def files_and_paths(self, documents: list[str], elements: list[str]) -> tuple[list[str], list[str]]:
        """Return files and paths of elements and whole documents in usual spelling.

        Raises:
            ValueError: If there is anything else.
        """
        files = list(map(self._plain_files.__getitem__, documents))
        return files, list(map(self._plain_paths.__getitem__, elements))


def _plain_file(name: str) -> str:
    if ":" in name or "[" in name or "]" in name:
        raise ValueError
    return canonical_file(name)


def _plain_path(element: str) -> str:
    if ":" in element:
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
    scores = writing.WrittenScores(run, ties_are_ordered=True)
    lost = [*writing.lost_topics(run), *scores.lost, *writing.lost_parents(run)]
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
        score = scores.score(topic, rank)
        if score is None:
            score = len(run.rankings[topic]) - rank + 1
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
