"""Read LETOR files: level qid:topic feature:value … # docid = document.

The features of a document can have a thousand characters, so lines are not split into features: a
reader looks only for the columns that it needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import PathLike, lines, open_input
from xcg.documents.paths import WHOLE, canonical_file
from xcg.errors import InputError, Notes
from xcg.formats.base import is_letor
from xcg.judgements.assessment import read_level
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, AssessmentFormat, RecallBase
from xcg.runs.ordering import in_document_order
from xcg.runs.run import Run
from xcg.settings.schema import decimal

_HEAD_SIZE = 4096
_DOCID = re.compile(r"\s*docid\s*=\s*(\S+)")


_Line = tuple[str, str, str, str, str]
"""File and line, the level as it is written, topic, document, and features with a blank before each."""


def read_letor_assessments(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Add the levels of relevance in a LETOR file to a recall-base.

    A line has the form ``level qid:topic 1:value 2:value … # docid = document``. A comment of one word
    is the document, too. Without either, the name of a document is its number within the topic, from
    1. The features are not read.

    Args:
        file: The open file.
        path: The file's path, for messages.
        base: The recall-base.
        notes: Counts illegal lines if they are tolerated.

    Raises:
        InputError: If a line is illegal, with file and line.
    """
    for where, level, topic, document, _ in _lines(file, path, notes):
        try:
            assessment = read_level(level)
        except ValueError as error:
            notes.problem("lines left out of the assessments", where, str(error))
            continue
        base.add_topic(topic, str(path))
        try:
            base.add(topic, document, WHOLE, assessment, where)
        except InputError as error:
            notes.tolerate("contradictory assessments; the first is used", error)


def read_letor_feature(path: PathLike, feature: int, notes: Notes | None = None) -> Run:
    """Read one feature of a LETOR file as the run of a system that scores documents by this feature.

    The results are ordered like those of a TREC run: by decreasing score, and equal scores by
    decreasing name of the document. A feature that a line does not state has the value 0, as in
    SVMlight.

    Args:
        path: The file.
        feature: Number of the feature.
        notes: Counts illegal lines if they are tolerated.

    Returns:
        The run, called ``feature-`` and the number.

    Raises:
        InputError: If the file cannot be read, is not LETOR, or has an illegal line; or if no line has
            the feature.
    """
    notes = notes if notes is not None else Notes()
    path = Path(path)
    scores: dict[str, dict[str, float]] = {}
    mark = f" {feature}:"
    has_feature = False
    with open_input(path) as file:
        if not is_letor(file.peek(_HEAD_SIZE)):
            raise InputError(path, "not a LETOR file: expected lines like 2 qid:1 1:0.5 # docid = d7")
        for where, _, topic, document, features in _lines(file, path, notes):
            _, stated, value = features.partition(mark)
            has_feature = has_feature or bool(stated)
            text = value.partition(" ")[0] if stated else "0"
            score = decimal(text)
            if not math.isfinite(score):
                message = f"illegal value {text[:40]!r} of feature {feature}: expected a finite number"
                notes.problem("lines left out of the run", where, message)
                continue
            if scores.setdefault(topic, {}).setdefault(document, score) != score:
                message = f"topic {topic}, {document}: has two values of feature {feature}"
                notes.problem("repeated documents; the first value is used", where, message)
    if not has_feature:
        raise InputError(path, f"no line has the feature {feature}")
    run = Run.of(f"feature-{feature}", scores)
    rankings = {topic: in_document_order(ranking) for topic, ranking in run.rankings.items()}
    return Run(run.name, rankings, str(path))


def _lines(file: BufferedReader, path: Path, notes: Notes) -> Iterator[_Line]:
    """Yield the lines that are not blank and not comments."""
    numbers: dict[str, int] = {}
    for number, text in lines(file, path):
        columns = text.split(None, 2)
        if not columns or columns[0].startswith("#"):
            continue
        where = f"{path}:{number}"
        try:
            if len(columns) < 2 or len(columns[1]) < 5 or not columns[1].startswith("qid:"):
                raise ValueError("expected a line like 2 qid:1 1:0.5 # docid = d7")
            topic = columns[1][4:]
            features, _, comment = columns[2].partition("#") if len(columns) > 2 else ("", "", "")
            numbers[topic] = position = numbers.get(topic, 0) + 1
            document = canonical_file(_document(comment) or str(position))
        except ValueError as error:
            notes.problem("lines that are not LETOR", where, str(error))
            continue
        yield where, columns[0], topic, document, f" {features}".replace("\t", " ")


def _document(comment: str) -> str:
    """Return the document that a comment names; nothing if it names none."""
    stated = _DOCID.match(comment)
    words = [stated[1]] if stated else comment.split()
    return words[0] if len(words) == 1 else ""


_LINE = "LETOR: level qid:topic feature:value … # docid = document"
ASSESSMENT_FORMATS.add("letor", AssessmentFormat(_LINE, is_letor, read_letor_assessments))
