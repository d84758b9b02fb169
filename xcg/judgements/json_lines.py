"""Assessments as JSON Lines: ``{"topic", "doc", "path", "exhaustivity", "specificity"}``."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import InputError, Notes
from xcg.inputs import Field, check_record, json_lines
from xcg.judgements.recall_base import RecallBase, check_pair

_FIELDS = (
    Field("topic", (str, int), "an id"),
    Field("doc", (str,), "a document's name"),
    Field("path", (str,), "an element's path"),
    Field("exhaustivity", (int,), "0, 1, 2 or 3"),
    Field("specificity", (int,), "0, 1, 2 or 3"),
)


def read_json_assessments(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Read assessments of elements on the four-point scales from an open file.

    Raises InputError with file and line for a wrong one; where the notes are lenient, illegal pairs
    and paths are counted and left out.
    """
    for where, record in json_lines(file, path):
        check_record(record, _FIELDS, where)
        fields: dict[str, Any] = record
        topic = str(fields["topic"])
        base.add_topic(topic, str(path))
        try:
            name, element = canonical_file(fields["doc"]), canonical_path(fields["path"])
            pair = check_pair((fields["exhaustivity"], fields["specificity"]), where)
        except InputError as error:
            notes.tolerate("assessments left out", error)
        except ValueError as error:
            notes.problem("assessments left out", where, str(error))
        else:
            try:
                base.add(topic, name, element, pair, where)
            except InputError as error:
                notes.tolerate("contradicting assessments, of which the first counts", error)
