"""INEX 2007–2010 qrels: relevant passages of documents as offsets and lengths, a line a document."""

from __future__ import annotations

import re
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import lines
from xcg.documents.paths import canonical_file
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.detection import column_count
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
    """Read ``topic Q0 document relevant_characters length [entry_point] [offset:length …]``.

    Offsets count the characters of the document's text without markup. A document without relevant
    text is an assessed one. The best entry point is kept.
    Raises InputError with file and line for a line that is none, or whose passages do not fit the
    length it states; where the notes are lenient, such lines are counted and left out.
    """
    empty = True
    for number, line in lines(file, path):
        fields = line.split()
        if not fields:
            continue
        empty = False
        where = f"{path}:{number}"
        try:
            topic, document, spans, entry_point = _read_line(fields)
        except ValueError as error:
            notes.problem("lines left out of the assessments", where, str(error))
            continue
        base.add_topic(topic, str(path))
        if document in base.spans(topic):
            message = f"topic {topic}: the document {document!r} stands twice"
            notes.problem("documents that stand twice, of which the first counts", where, message)
            continue
        base.add_span(topic, document, None, where)
        for span in spans:
            base.add_span(topic, document, span, where)
        if entry_point is not None:
            base.add_entry_point(topic, document, entry_point)
    if empty:
        raise InputError(path, "an empty file; expected assessments")


def _read_line(fields: list[str]) -> tuple[str, str, list[Span], int | None]:
    if len(fields) < 5:
        raise ValueError(
            f"{len(fields)} columns; expected topic Q0 document relevant_characters length "
            "[entry_point] [offset:length …]"
        )
    topic, _, document, relevant, length, *rest = fields
    for name, text in (("relevant characters", relevant), ("length", length)):
        if not _NUMBER.fullmatch(text):
            raise ValueError(f"illegal {name} {text!r}: expected a number of characters")
    entry_point = None
    if rest and _NUMBER.fullmatch(rest[0]):
        entry_point = int(rest[0])
        rest = rest[1:]
    spans = []
    for text in rest:
        match = _PASSAGE.fullmatch(text)
        if match is None or int(match[2]) == 0:
            raise ValueError(f"illegal passage {text!r}: expected offset:length, like 1205:3431")
        start, size = int(match[1]), int(match[2])
        if start + size > int(length):
            raise ValueError(f"the passage {text} ends behind the document's {length} characters")
        spans.append(Span(start, start + size))
    held = sum(span.end - span.start for span in spans)
    if int(relevant) not in (held, _covered(spans)):
        raise ValueError(f"{relevant} relevant characters, but the passages hold {held}")
    return topic, canonical_file(document), spans, entry_point


def _covered(spans: list[Span]) -> int:
    """Return how many characters lie in passages, each counted once."""
    covered = reached = 0
    for start, end, _ in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered


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
            fields = [topic, "Q0", document, str(_covered([*spans])), str(length), *passages]
            lines.append(" ".join(fields) + "\n")
    return "".join(lines), list(lost)


def _certainty(head: bytes) -> float:
    return 1.0 if column_count(head) > 4 else 0.1


ASSESSMENT_FORMATS.add(
    "offsets",
    AssessmentFormat(
        "INEX 2007–2010 qrels: topic Q0 document relevant_characters length [entry_point] "
        "[offset:length …]",
        _certainty,
        read_offset_qrels,
        write_offset_qrels,
    ),
)
