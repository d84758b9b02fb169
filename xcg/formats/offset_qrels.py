"""Read and write INEX 2007–2010 qrels: relevant passages with offsets, one line per document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path

from xcg.documents.paths import canonical_file
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.detection import column_count
from xcg.formats.text_columns import split_lines
from xcg.formats.writing import lost_points
from xcg.judgements.recall_base import (
    ASSESSMENT_FORMATS,
    AssessmentFormat,
    DocumentLength,
    RecallBase,
    Span,
)

_PASSAGE = re.compile(r"([0-9]{1,15}):([0-9]{1,15})")
_NUMBER = re.compile(r"[0-9]{1,15}")


def read_offset_qrels(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Add the relevant passages in offset qrels to a recall-base.

    A line is ``topic Q0 document relevant_characters length [entry_point] [offset:length …]``. Offsets
    count the characters of the document's text without markup. A document without passages is assessed
    as not relevant. The best entry point is kept.

    Args:
        file: The open file.
        path: The file's path, for messages.
        base: The recall-base.
        notes: Counts illegal lines if they are tolerated.

    Raises:
        InputError: If the file is empty, a line is illegal, or its passages do not agree with the
            stated lengths; with file and line.
    """
    is_empty = True
    for number, fields in split_lines(file, path):
        is_empty = False
        where = f"{path}:{number}"
        try:
            topic, document, spans, entry_point = _parse_line(fields)
        except ValueError as error:
            notes.problem("lines left out of the assessments", where, str(error))
            continue
        base.add_topic(topic, str(path))
        if document in base.spans(topic):
            message = f"topic {topic}: the document {document!r} occurs twice"
            notes.problem("duplicate documents; the first is used", where, message)
            continue
        for span in (None, *spans):
            base.add_span(topic, document, span, where)
        if entry_point is not None:
            base.add_entry_point(topic, document, entry_point)
    if is_empty:
        raise InputError(path, "an empty file; expected assessments")


def _parse_line(fields: list[str]) -> tuple[str, str, list[Span], int | None]:
    """Return topic, document, passages and best entry point; raise ValueError for an illegal line."""
    if len(fields) < 5:
        raise ValueError(
            f"{len(fields)} columns; expected topic Q0 document relevant_characters length "
            "[entry_point] [offset:length …]"
        )
    topic, _, document, relevant, length, *rest = fields
    for name, text in (("relevant characters", relevant), ("length", length)):
        if not _NUMBER.fullmatch(text):
            raise ValueError(f"illegal {name} {text!r}: expected a number of characters")
    entry_point = int(rest.pop(0)) if rest and _NUMBER.fullmatch(rest[0]) else None
    spans = [_parse_passage(text, int(length)) for text in rest]
    stated = sum(span.end - span.start for span in spans)
    if int(relevant) not in (stated, _union_length(spans)):
        raise ValueError(f"{relevant} relevant characters, but the passages have {stated}")
    return topic, canonical_file(document), spans, entry_point


def _parse_passage(text: str, document_length: int) -> Span:
    match = _PASSAGE.fullmatch(text)
    if match is None or int(match[2]) == 0:
        raise ValueError(f"illegal passage {text!r}: expected offset:length, like 1205:3431")
    start, end = int(match[1]), int(match[1]) + int(match[2])
    if end > document_length:
        raise ValueError(f"the passage {text} ends after the document's {document_length} characters")
    return Span(start, end)


def _union_length(spans: Iterable[Span]) -> int:
    """Return the number of characters in passages; a character in several passages counts once."""
    length = last_end = 0
    for start, end, _ in sorted(spans):
        length += max(0, end - max(start, last_end))
        last_end = max(last_end, end)
    return length


def write_offset_qrels(
    base: RecallBase, lengths: DocumentLength | None = None
) -> tuple[str, list[str]]:
    """Return the text of offset qrels, and what they cannot hold.

    Args:
        base: Relevant passages with offsets.
        lengths: Returns the number of characters of a document. Without it, the end of the last passage
            is written as the length.

    Raises:
        XcgError: If there are assessed elements.
    """
    if any(map(base.files, base.topics)):
        raise XcgError("the format offsets holds passages, but the assessments are of elements")
    lost = dict.fromkeys(lost_points(base))
    lines = []
    for topic in base.topics:
        if not base.spans(topic):
            lost["topics without any assessed document"] = None
        for document, spans in sorted(base.spans(topic).items()):
            if any(span.exhaustivity != 2 for span in spans):
                lost["exhaustivity"] = None
            length = max((span.end for span in spans), default=0)
            if lengths is not None:
                length = lengths(document)
            elif spans:
                lost["the documents' lengths (the end of the last passage is written instead)"] = None
            passages = [f"{span.start}:{span.end - span.start}" for span in sorted(spans)]
            fields = [topic, "Q0", document, str(_union_length(spans)), str(length), *passages]
            lines.append(" ".join(fields) + "\n")
    return "".join(lines), list(lost)


ASSESSMENT_FORMATS.add(
    "offsets",
    AssessmentFormat(
        "INEX 2007–2010 qrels: topic Q0 document relevant_characters length [entry_point] "
        "[offset:length …]",
        lambda head: 1.0 if column_count(head) > 4 else 0.1,
        read_offset_qrels,
        write_offset_qrels,
    ),
)
