"""Runs as JSON Lines: ``{"topic", "doc", "path" or "start"/"end", "rank" or "score"}``."""

from __future__ import annotations

import math
from array import array
from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes
from xcg.formats.json_records import Field, check_record, json_lines
from xcg.runs.run import Ranking, Run, Topics, check_span, order_by, ranking_of

_FIELDS = (
    Field("topic", (str, int), "an id"),
    Field("doc", (str,), "a document's name"),
    Field("path", (str,), "an element's path", required=False),
    Field("start", (int,), "a whole number", required=False),
    Field("end", (int,), "a whole number", required=False),
    Field("rank", (int,), "a whole number from 0", required=False),
    Field("score", (int, float), "a number", required=False),
)


def read_json_run(file: BufferedReader, path: Path, notes: Notes, topics: Topics = None) -> Run:
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
        check_record(record, _FIELDS, where)
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
            element = _element(fields)
        except ValueError as error:
            notes.problem("results that name no element", where, str(error))
            element = fields["doc"], "", None
        result: dict[str, Any] = {key: fields[key] for key in ("rank", "score") if key in fields}
        read.setdefault(topic, []).append({**result, "element": element})
    rankings = {topic: _ranking(results) for topic, results in read.items()}
    return Run(path.name.split(".")[0], rankings, str(path), skipped)


def _ranking(results: list[dict[str, Any]]) -> Ranking:
    for field, descending in (("rank", False), ("score", True)):
        if all(field in result for result in results):
            keys = [float(result[field]) for result in results]
            order = order_by(keys, descending)
            in_order = array("d", (keys[place] for place in order))
            return ranking_of((results[place]["element"] for place in order), in_order)
    return ranking_of(result["element"] for result in results)


def _element(fields: dict[str, Any]) -> tuple[str, str, tuple[int, int] | None]:
    """Return file, path and span of a result: an element, a passage or a whole document."""
    file = canonical_file(fields["doc"])
    if not {"path", "start", "end"} & set(fields):
        return file, WHOLE, None
    if "path" in fields and "start" not in fields and "end" not in fields:
        return file, canonical_path(fields["path"]), None
    if "path" not in fields and "start" in fields and "end" in fields:
        return file, "", check_span(fields["start"], fields["end"])
    raise ValueError("expected either the field 'path', or 'start' and 'end', or none of them")
