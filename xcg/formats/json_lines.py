"""Read and write runs and assessments as JSON Lines."""

from __future__ import annotations

import json
import math
from array import array
from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes
from xcg.formats.detection import json_certainty
from xcg.formats.json_records import Field, check_record, json_lines
from xcg.formats.writing import (
    assessed_elements,
    check_scale,
    lost_points,
    lost_sizes,
    lost_topics,
    points_error,
    results,
)
from xcg.judgements.recall_base import (
    ASSESSMENT_FORMATS,
    AssessmentFormat,
    DocumentLength,
    RecallBase,
    Span,
    check_pair,
    level_assessment,
)
from xcg.runs.run import (
    RUN_FORMATS,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    check_span,
    order_by,
    ranking_of,
)

_JUDGED = (Field("topic", (str, int), "an id"), Field("doc", (str,), "a document's name"))
_ELEMENT = (
    *_JUDGED,
    Field("path", (str,), "an element's path"),
    Field("exhaustivity", (int,), "0, 1, 2 or 3"),
    Field("specificity", (int,), "0, 1, 2 or 3"),
)
_LEVEL = (
    *_JUDGED,
    Field("path", (str,), "an element's path", required=False),
    Field("level", (int,), "a level of relevance, a whole number"),
)
_PASSAGE = (
    *_JUDGED,
    Field("start", (int,), "a whole number"),
    Field("end", (int,), "a whole number"),
    Field("exhaustivity", (int,), "1 or 2", required=False),
    Field("level", (int,), "a level of relevance, a whole number", required=False),
    Field("text", (str,), "text", required=False),
)


def read_json_assessments(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Read assessments from an open file: elements, whole documents, or relevant passages.

    An element has exhaustivity and specificity on the four-point scales, or one ``level``; a level
    without a path is that of a whole document. A passage has ``start`` and ``end`` in place of a
    path, and may have an exhaustivity of 1 or 2, or a level, which from 0 down says that the document
    was assessed and the passage is not relevant.
    Raises InputError with file and line for a wrong one; where the notes are lenient, illegal pairs
    and paths are counted and left out.
    """
    for where, record in json_lines(file, path):
        is_passage = "start" in record or "end" in record
        has_level = "level" in record
        check_record(record, _PASSAGE if is_passage else _LEVEL if has_level else _ELEMENT, where)
        fields: dict[str, Any] = record
        topic = str(fields["topic"])
        base.add_topic(topic, str(path))
        try:
            name = canonical_file(fields["doc"])
            if is_passage:
                base.add_span(topic, name, _span(fields), where)
            elif has_level:
                element = canonical_path(fields["path"]) if "path" in fields else WHOLE
                base.add(topic, name, element, level_assessment(fields["level"]), where)
            else:
                pair = check_pair((fields["exhaustivity"], fields["specificity"]), where)
                base.add(topic, name, canonical_path(fields["path"]), pair, where)
        except InputError as error:
            notes.tolerate("assessments left out", error)
        except ValueError as error:
            notes.problem("assessments left out", where, str(error))


def _span(fields: dict[str, Any]) -> Span | None:
    name = "level" if "level" in fields else "exhaustivity"
    if {"level", "exhaustivity"} <= set(fields):
        raise ValueError("level beside exhaustivity: expected one of them")
    grade = fields.get(name, 2)
    if name == "level":
        level_assessment(grade)  # raises where no scale has such a level
    elif grade not in (1, 2):
        raise ValueError(f"exhaustivity is {grade}: a passage has 1 or 2")
    return Span(fields["start"], fields["end"], float(grade)) if grade > 0 else None


_RESULT = (
    Field("topic", (str, int), "an id"),
    Field("doc", (str,), "a document's name"),
    Field("path", (str,), "an element's path", required=False),
    Field("start", (int,), "a whole number", required=False),
    Field("end", (int,), "a whole number", required=False),
    Field("rank", (int,), "a whole number from 0", required=False),
    Field("score", (int, float), "a number", required=False),
)


def read_json_run(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties = "document", topics: Topics = None
) -> Run:
    """Read a run from an open file; it is called like the file, without its ending.

    Results are ordered by rank where every result of the topic has one, else by score descending
    where every one has it, else as written; equal keys stay as written. A result with neither a path
    nor start and end is a whole document. Topics that are not among ``topics`` are passed over. Raises
    InputError with file and line for a wrong line; where the notes are lenient, a result that names no
    element is counted and holds its rank.
    """
    read: dict[str, list[dict[str, Any]]] = {}
    skipped: set[str] = set()
    for where, record in json_lines(file, path):
        check_record(record, _RESULT, where)
        fields: dict[str, Any] = record
        topic = str(fields["topic"])
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        rank, score = fields.get("rank", 0), fields.get("score", 0)
        if not 0 <= rank < 1 << 53:
            raise InputError(where, f"rank is {rank}: expected a whole number from 0")
        if not -math.inf < score < math.inf or abs(score) > 1e300:
            raise InputError(where, f"score is {score}: expected a finite number")
        try:
            element = _named_element(fields)
        except ValueError as error:
            notes.problem("results that name no element", where, str(error))
            element = fields["doc"], "", None
        result: dict[str, Any] = {key: fields[key] for key in ("rank", "score") if key in fields}
        read.setdefault(topic, []).append({**result, "element": element})
    rankings = {topic: _run_ranking(results) for topic, results in read.items()}
    return Run(path.name.split(".")[0], rankings, str(path), skipped)


def _run_ranking(results: list[dict[str, Any]]) -> Ranking:
    for field, descending in (("rank", False), ("score", True)):
        if all(field in result for result in results):
            keys = [float(result[field]) for result in results]
            order = order_by(keys, descending)
            in_order = array("d", (keys[place] for place in order))
            return ranking_of((results[place]["element"] for place in order), in_order)
    return ranking_of(result["element"] for result in results)


def _named_element(fields: dict[str, Any]) -> tuple[str, str, tuple[int, int] | None]:
    """Return file, path and span of a result: an element, a passage or a whole document."""
    file = canonical_file(fields["doc"])
    if not {"path", "start", "end"} & set(fields):
        return file, WHOLE, None
    if "path" in fields and "start" not in fields and "end" not in fields:
        return file, canonical_path(fields["path"]), None
    if "path" not in fields and "start" in fields and "end" in fields:
        return file, "", check_span(fields["start"], fields["end"])
    raise ValueError("expected either the field 'path', or 'start' and 'end', or none of them")


def write_json_assessments(
    base: RecallBase, lengths: DocumentLength | None = None
) -> tuple[str, list[str]]:
    """Return assessments as JSON Lines, and what these cannot hold.

    Raises:
        XcgError: If an assessment is on the scale of INEX 2002, or of 2005 and later.
    """
    lost = dict.fromkeys(lost_points(base) + lost_sizes(base))
    records: list[dict[str, object]] = []
    for topic, document, path, assessment in assessed_elements(base):
        check_scale(document, path, assessment, "jsonl", ["four-point", "level"])
        record: dict[str, object] = {"topic": topic, "doc": document}
        if path != WHOLE:
            record["path"] = path
        if assessment.scale == "level":
            record["level"] = int(assessment.exhaustivity)
        else:
            record["exhaustivity"] = int(assessment.exhaustivity)
            record["specificity"] = int(float(assessment.specificity))
        records.append(record)
    for topic in base.topics:
        for document, spans in sorted(base.spans(topic).items()):
            if not spans:
                lost["assessed documents without relevant text"] = None
            for start, end, exhaustivity in sorted(spans):
                passage = {"start": start, "end": end, "exhaustivity": int(exhaustivity)}
                records.append({"topic": topic, "doc": document, **passage})
        if not base.files(topic) and not base.spans(topic):
            lost["topics without any assessed document"] = None
    return _json_text(records), list(lost)


def write_json_run(run: Run) -> tuple[str, list[str]]:
    """Return a run as JSON Lines, and what these cannot hold.

    Raises:
        XcgError: If a result names no element or is a passage by points.
    """
    records: list[dict[str, object]] = []
    for topic, rank, document, path, span in results(run):
        if isinstance(span, Passage):
            raise points_error(run, topic, rank, "jsonl")
        record: dict[str, object] = {"topic": topic, "doc": document}
        if span is not None:
            record |= {"start": span[0], "end": span[1]}
        elif path != WHOLE:
            record["path"] = path
        records.append({**record, "rank": rank})
    lost = [*lost_topics(run), "the run's name (the name of the file is used instead)"]
    return _json_text(records), lost


def _json_text(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


ASSESSMENT_FORMATS.add(
    "jsonl",
    AssessmentFormat(
        "JSON Lines: topic, doc, and path or start and end, with exhaustivity and specificity or level",
        json_certainty,
        read_json_assessments,
        write_json_assessments,
    ),
)
RUN_FORMATS.add(
    "jsonl",
    RunFormat(
        "JSON Lines: topic, doc, and path or start and end, with rank or score",
        json_certainty,
        read_json_run,
        write_json_run,
    ),
)
