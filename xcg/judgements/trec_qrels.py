"""TREC qrels: ``topic iteration document level``, a line a document or element."""

from __future__ import annotations

import re
from io import BufferedReader
from pathlib import Path

from xcg.documents.paths import WHOLE, canonical_file, split_element_id
from xcg.errors import InputError, Notes
from xcg.inputs import lines
from xcg.judgements.recall_base import RecallBase, level_assessment

_LEVEL = re.compile(r"[+-]?[0-9]{1,9}")


def read_trec_qrels(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Read ``topic iteration document level`` from an open file; the iteration is passed over.

    A document is a whole one, or an element as ``file#/path``. Levels up to 0 are not relevant.
    Raises InputError with file and line for a line that is none; where the notes are lenient, such
    lines are counted and left out.
    """
    for number, line in lines(file, path):
        fields = line.split()
        if not fields:
            continue
        where = f"{path}:{number}"
        try:
            if len(fields) != 4:
                raise ValueError(f"{len(fields)} columns; expected topic iteration document level")
            topic, _, document, level = fields
            if not _LEVEL.fullmatch(level):
                raise ValueError(f"illegal level {level!r}: expected a whole number")
            named = "#/" in document
            name, element = split_element_id(document) if named else (canonical_file(document), WHOLE)
            assessment = level_assessment(int(level))
        except ValueError as error:
            notes.problem("lines left out of the assessments", where, str(error))
            continue
        base.add_topic(topic, str(path))
        try:
            base.add(topic, name, element, assessment, where)
        except InputError as error:
            notes.tolerate("contradicting assessments, of which the first counts", error)
