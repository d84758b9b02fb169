"""Assessments as JSON Lines: elements (``path``), passages (``start``, ``end``), whole documents."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes
from xcg.formats.json_records import Field, check_record, json_lines
from xcg.judgements.recall_base import RecallBase, Span, check_pair, level_assessment

_WHAT = (Field("topic", (str, int), "an id"), Field("doc", (str,), "a document's name"))
_ELEMENT = (
    *_WHAT,
    Field("path", (str,), "an element's path"),
    Field("exhaustivity", (int,), "0, 1, 2 or 3"),
    Field("specificity", (int,), "0, 1, 2 or 3"),
)
_LEVEL = (
    *_WHAT,
    Field("path", (str,), "an element's path", required=False),
    Field("level", (int,), "a level of relevance, a whole number"),
)
_PASSAGE = (
    *_WHAT,
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
