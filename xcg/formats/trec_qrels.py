"""TREC qrels: ``topic iteration document level``, a line a document or element."""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BufferedReader, BytesIO
from pathlib import Path

from xcg.documents.files import LONGEST_LINE, chunks, lines
from xcg.documents.paths import WHOLE, canonical_file, split_element_id
from xcg.errors import InputError, Notes
from xcg.formats.detection import column_count
from xcg.formats.text_columns import are_plain_names, split_columns, stretches
from xcg.formats.writing import (
    assessed_elements,
    check_no_white_space,
    check_scale,
    lost_points,
    refuse_passages,
)
from xcg.judgements.recall_base import (
    ASSESSMENT_FORMATS,
    Assessment,
    AssessmentFormat,
    DocumentLength,
    RecallBase,
    level_assessment,
)

_LEVEL = re.compile(r"[+-]?[0-9]{1,9}")


def read_trec_qrels(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Read ``topic iteration document level`` from an open file; the iteration is passed over.

    A document is a whole one, or an element as ``file#/path``. Levels up to 0 are not relevant.
    Raises InputError with file and line for a line that is none; where the notes are lenient, such
    lines are counted and left out.
    """
    first = 1
    for chunk in chunks(file):
        if not _read_columns(chunk, path, base):
            _read_lines(lines(BytesIO(chunk), path, first), path, base, notes)
        first += chunk.count(b"\n")


def _read_columns(chunk: bytes, path: Path, base: RecallBase) -> bool:
    """Read lines as columns, several times faster than one by one; say whether they are such.

    Where anything is out of the ordinary, these lines are to be read one by one: that knows what is
    legal and what to say, and takes no harm from what was added already.
    """
    if len(chunk) >= LONGEST_LINE and max(map(len, chunk.split(b"\n"))) >= LONGEST_LINE:
        return False
    try:
        text = chunk.decode().removeprefix("\ufeff").rstrip()
        columns = split_columns(text)
        if columns is None or len(columns) != 4 or "\ufeff" in text or "#/" in text:
            return False
        topics, _, files, levels = columns
        assessments = {level: _assessment(level) for level in set(levels)}
        if not are_plain_names(files):
            files = list(map(canonical_file, files))
        judged: dict[str, dict[str, Assessment]] = {}
        for start, end in stretches(topics):
            assessed = map(assessments.__getitem__, levels[start:end])
            judged.setdefault(topics[start], {}).update(zip(files[start:end], assessed, strict=True))
    except ValueError:
        return False
    if sum(map(len, judged.values())) < len(files):
        return False  # a document stands twice
    for topic, found in judged.items():
        base.add_topic(topic, str(path))
        if not base.add_documents(topic, found):
            return False
    return True


def _read_lines(
    numbered: Iterable[tuple[int, str]], path: Path, base: RecallBase, notes: Notes
) -> None:
    for number, line in numbered:
        fields = line.split()
        if not fields:
            continue
        where = f"{path}:{number}"
        try:
            if len(fields) != 4:
                raise ValueError(f"{len(fields)} columns; expected topic iteration document level")
            topic, _, document, level = fields
            assessment = _assessment(level)
            named = "#/" in document
            name, element = split_element_id(document) if named else (canonical_file(document), WHOLE)
        except ValueError as error:
            notes.problem("lines left out of the assessments", where, str(error))
            continue
        base.add_topic(topic, str(path))
        try:
            base.add(topic, name, element, assessment, where)
        except InputError as error:
            notes.tolerate("contradicting assessments, of which the first counts", error)


def _assessment(level: str) -> Assessment:
    if not _LEVEL.fullmatch(level):
        raise ValueError(f"illegal level {level!r}: expected a whole number")
    return level_assessment(int(level))


def write_trec_qrels(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of TREC qrels, and what they cannot hold.

    Raises:
        XcgError: If there are passages, assessments that are not levels, or names with white space.
    """
    refuse_passages(base, "trec")
    lost = lost_points(base)
    lines = []
    for topic, document, path, assessment in assessed_elements(base):
        check_scale(document, path, assessment, "trec", ["level"])
        check_no_white_space(topic, document)
        element = document if path == WHOLE else f"{document}#{path}"
        lines.append(f"{topic} 0 {element} {assessment.exhaustivity:.0f}\n")
    if not all(map(base.files, base.topics)):
        lost.append("topics without any assessed document")
    return "".join(lines), lost


ASSESSMENT_FORMATS.add(
    "trec",
    AssessmentFormat(
        "TREC qrels: topic iteration document level",
        lambda head: column_count(head) == 4,
        read_trec_qrels,
        write_trec_qrels,
    ),
)
