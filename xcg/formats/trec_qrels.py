"""Read and write TREC qrels: topic iteration document level."""

from __future__ import annotations

from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path

from xcg.documents.paths import WHOLE, canonical_file, split_at_mark, split_element_id
from xcg.errors import InputError, Notes
from xcg.formats import writing
from xcg.formats.detection import column_count
from xcg.formats.text_columns import TextBlock, are_plain_names, equal_stretches, text_blocks
from xcg.judgements.assessment import Assessment, number_text, read_level
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, AssessmentFormat, DocumentLength, RecallBase


def read_trec_qrels(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Add the assessments in TREC qrels to a recall-base.

    A line has the columns ``topic iteration document level``. The iteration is ignored. A document is
    ``file``, or ``file#/path`` for an element. A level is a number from -1000 to 1000,
    such as 2 or 1.5. Levels of 0 and less are not relevant. Lines that
    begin with ``#`` are comments.

    Args:
        file: The open file.
        path: The file's path, for messages.
        base: The recall-base.
        notes: Counts illegal lines if they are tolerated.

    Raises:
        InputError: If a line is illegal or judges a document or element again, with file and line.
    """
    for block in text_blocks(file, path):
        if not _add_columns(block, base):
            _add_lines(block, base, notes)


def _add_columns(block: TextBlock, base: RecallBase) -> bool:
    """Add the lines of a block if they are regular and no document occurs twice; return whether."""
    columns = block.columns()
    if columns is None or len(columns) != 4:
        return False
    if b"#/" in block.data or (b"#" in block.data and b":" in block.data):
        return False  # there may be elements and passages
    topics, _, documents, levels = columns
    try:
        assessments = {level: read_level(level) for level in set(levels)}
        if not are_plain_names(documents):
            documents = list(map(canonical_file, documents))
    except ValueError:
        return False
    judged: dict[str, dict[str, Assessment]] = {}
    for start, end in equal_stretches(topics):
        of_stretch = map(assessments.__getitem__, levels[start:end])
        of_topic = judged.setdefault(topics[start], {})
        of_topic.update(zip(documents[start:end], of_stretch, strict=True))
    if sum(map(len, judged.values())) < len(documents):
        return False
    if any(_are_known(base, topic, of_topic) for topic, of_topic in judged.items()):
        return False
    for topic, of_topic in judged.items():
        base.add_topic(topic, str(block.path))
        base.add_elements(topic, {file: {WHOLE: one} for file, one in of_topic.items()})
    return True


def _are_known(base: RecallBase, topic: str, files: Iterable[str]) -> bool:
    """Return whether a topic has assessed elements or passages in one of these files."""
    known, spans = base.files(topic), base.spans(topic)
    return any(file in known or file in spans for file in files)


def _add_lines(block: TextBlock, base: RecallBase, notes: Notes) -> None:
    line_of: dict[tuple[str, str, str], int] = {}
    for number, fields in block.lines():
        where = f"{block.path}:{number}"
        try:
            if len(fields) != 4:
                raise ValueError(f"{len(fields)} columns; expected topic iteration document level")
            topic, _, document, level = fields
            assessment = read_level(level)
            if split_at_mark(document)[1]:
                name, element = split_element_id(document)
            else:
                name, element = canonical_file(document), WHOLE
        except ValueError as error:
            notes.problem("lines left out of the assessments", where, str(error))
            continue
        base.add_topic(topic, str(block.path))
        earlier = line_of.setdefault((topic, name, element), number)
        if earlier != number or element in base.files(topic).get(name, {}):
            before = f"line {earlier}" if earlier != number else "an earlier line or file"
            message = (
                f"topic {topic}, {document}: judged before, in {before}; expected one line for a topic "
                "and document. The second column is ignored, so subtopics cannot be told apart"
            )
            notes.problem("repeated judgements; the first is used", where, message)
            continue
        try:
            base.add(topic, name, element, assessment, where)
        except InputError as error:
            notes.tolerate("contradictory assessments; the first is used", error)


def write_trec_qrels(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of TREC qrels, and what they cannot hold.

    Raises:
        XcgError: If there are passages, assessments that are not levels, or names with white space.
    """
    writing.refuse_passages(base, "trec")
    lost = writing.lost_points(base) + writing.lost_text_details(base)
    lines = []
    for topic, document, path, assessment in writing.assessed_elements(base):
        writing.check_scale(document, path, assessment, "trec", ["level"])
        writing.check_names(base.sources.get(topic, "assessments"), topic, document)
        element = document if path == WHOLE else f"{document}#{path}"
        lines.append(f"{topic} 0 {element} {number_text(assessment.exhaustivity)}\n")
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
        passages_become="level",
    ),
)
