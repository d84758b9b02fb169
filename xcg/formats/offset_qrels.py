"""Read and write INEX 2007–2010 qrels: relevant passages with offsets, one line per document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from itertools import accumulate, count, pairwise, repeat
from operator import add
from pathlib import Path

from xcg.documents.passage_points import Point
from xcg.documents.paths import canonical_file
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.detection import column_count
from xcg.formats.text_columns import TextBlock, text_blocks
from xcg.formats.writing import check_names, lost_points
from xcg.judgements.recall_base import (
    ASSESSMENT_FORMATS,
    AssessmentFormat,
    DocumentLength,
    DocumentSizes,
    RecallBase,
    Span,
)

_REGULAR = re.compile(
    r"^(?!#)(\S+)[ \t]+\S+[ \t]+(\S+)[ \t]+([0-9]{1,15})[ \t]+([0-9]{1,15})"
    r"(?:[ \t]+(?:(-1|[0-9]{1,15})((?:[ \t]+[0-9]{1,15}:[0-9]{1,15})+)|-1))?[ \t\r]*$",
    re.MULTILINE,
)
"""A line with legal numbers, whose sixth field is -1, or an entry point before passages."""
_PASSAGE = re.compile(r"([0-9]{1,15}):([0-9]{1,15})")
_is_number = re.compile(r"[0-9]{1,15}").fullmatch
_is_entry_point = re.compile(r"[0-9]{1,15}|-1").fullmatch
_NO_ENTRY_POINT = "-1"
_LEFT_OUT = "lines left out of the assessments"


_Line = tuple[int, str, str, DocumentSizes, list[Span], int | None, str | None]
"""Number, topic, document, sizes, passages, entry point, and a sixth field that inex_eval ignores."""


def read_offset_qrels(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Add the relevant passages in offset qrels to a recall-base.

    A line is ``topic Q0 document relevant_characters length [entry_point [offset:length …]]``. Offsets
    count the characters of the document's text without markup. A file has the same meaning as for
    inex_eval 3.1: a sixth field without passages is ignored, the entry point -1 means none, passages
    may be empty or overlap, and the stated relevant size may differ from theirs. Lines that begin with
    ``#`` are comments.

    inex_eval needs entry points. If the passages of any line begin in the sixth of at least seven
    fields, the file is read as one without: in all its lines, the sixth field may be a passage.

    If a document occurs in several lines of a topic, its passages and relevant sizes add up, and the
    last entry point counts.

    Args:
        file: The open file.
        path: The file's path, for messages.
        base: The recall-base.
        notes: Counts lines that are legal but probably wrong, and illegal lines if they are tolerated.

    Raises:
        InputError: If the file is empty or a line is illegal; with file and line.
    """
    blocks = list(text_blocks(file, path))
    lines: Iterable[_Line] | None = _regular_lines(blocks)
    if lines is None:
        lines = _checked_lines(blocks, path, notes)
    name = str(path)
    topics: set[str] = set()
    for number, topic, stated_name, sizes, spans, entry_point, ignored in lines:
        try:
            document = canonical_file(stated_name)
            if topic not in topics:
                base.add_topic(topic, name)
                topics.add(topic)
            is_repeated = document in base.spans(topic)
            base.add_spans(topic, document, spans, f"{name}:{number}")
        except InputError as error:
            notes.tolerate(_LEFT_OUT, error)
            continue
        except ValueError as error:
            notes.problem(_LEFT_OUT, f"{name}:{number}", str(error))
            continue
        base.add_document_sizes(topic, document, sizes)
        if entry_point is not None:
            base.add_entry_point(topic, document, entry_point)
        if is_repeated:
            repeated = f"topic {topic}: the document {document!r} occurs again"
            notes.oddity("documents in several lines, which add up", f"{name}:{number}", repeated)
        if spans or sizes.relevant or ignored is not None:
            for kind, detail in _oddities(sizes, spans, ignored):
                notes.oddity(kind, f"{name}:{number}", detail)


def _regular_lines(blocks: Iterable[TextBlock]) -> list[_Line] | None:
    """Return the lines of a file that has no irregular lines, else None."""
    lines: list[_Line] = []
    for block in blocks:
        text = block.text()
        found = _REGULAR.findall(text) if text is not None else []
        if text is None or len(found) < text.count("\n") + (not text.endswith("\n")):
            return None
        topics, documents, relevant, lengths, points, passages = zip(*found, strict=True)
        sizes = map(DocumentSizes, map(int, relevant), map(int, lengths))
        numbers = list(map(int, " ".join(passages).replace(":", " ").split()))
        starts = numbers[::2]
        spans = list(map(Span, starts, map(add, starts, numbers[1::2])))
        ends = accumulate((of_line.count(":") for of_line in passages), initial=0)
        lines += zip(
            count(block.first_line),
            topics,
            documents,
            sizes,
            [spans[start:end] for start, end in pairwise(ends)],
            [int(point) if point not in ("", _NO_ENTRY_POINT) else None for point in points],
            repeat(None),
            strict=False,  # two of them are endless
        )
    return lines or None


def _checked_lines(blocks: Sequence[TextBlock], path: Path, notes: Notes) -> Iterator[_Line]:
    """Yield the legal lines of any file; the others are problems."""
    lines = [line for block in blocks for line in block.rows() if not line[1][0].startswith("#")]
    if not lines:
        raise InputError(path, "an empty file; expected assessments")
    without_entry_points = any(len(fields) > 6 and ":" in fields[5] for _, fields in lines)
    for number, fields in lines:
        try:
            line = _parse_line(number, fields, without_entry_points)
        except ValueError as error:
            notes.problem(_LEFT_OUT, f"{path}:{number}", str(error))
            continue
        yield line


def _parse_line(number: int, fields: list[str], without_entry_points: bool) -> _Line:
    """Return the content of a line; raise ValueError if it is illegal."""
    if len(fields) < 5:
        raise ValueError(
            f"{len(fields)} columns; expected topic Q0 document relevant_characters length "
            "[entry_point [offset:length …]]"
        )
    topic, _, document, relevant, length, *rest = fields
    if not _is_number(relevant):
        raise ValueError(f"illegal relevant characters {relevant!r}: expected a number of characters")
    if not _is_number(length):
        raise ValueError(f"illegal length {length!r}: expected a number of characters")
    entry_point, ignored = None, None
    if rest and not (without_entry_points and ":" in rest[0]):
        sixth = rest.pop(0)
        if not (_is_entry_point(sixth) or (not rest and _PASSAGE.fullmatch(sixth))):
            raise ValueError(
                f"illegal entry point {sixth!r}: expected the offset of a character, or -1"
            )
        if not rest:
            ignored = sixth if sixth != _NO_ENTRY_POINT else None
        elif sixth != _NO_ENTRY_POINT:
            entry_point = int(sixth)
    sizes = DocumentSizes(int(relevant), int(length))
    spans = list(map(_parse_passage, rest))
    return number, topic, document, sizes, spans, entry_point, ignored


def _parse_passage(text: str) -> Span:
    if _PASSAGE.fullmatch(text) is None:
        raise ValueError(f"illegal passage {text!r}: expected offset:length, like 1205:3431")
    offset, length = map(int, text.split(":"))
    return Span(offset, offset + length)


def _oddities(
    sizes: DocumentSizes, spans: Sequence[Span], ignored: str | None
) -> list[tuple[str, str]]:
    """Return kind and description of what is legal but probably wrong in a line."""
    size = end = 0
    for first, stop, _ in spans:
        size += stop - first
        end = max(end, stop)
    relevant, length = sizes
    if relevant == size and end <= length and ignored is None:  # most lines
        return []
    found = []
    if ignored is not None:
        message = f"{ignored!r}; expected an entry point or -1, and then passages"
        found.append(("sixth fields without passages, which are ignored", message))
    if relevant not in (size, _union_length(spans)):
        message = f"{relevant} relevant characters, but the passages have {size}"
        found.append(("relevant sizes that differ from the passages; the stated sizes count", message))
    if end > length:
        message = f"a passage ends at character {end}, but the document has {length} characters"
        found.append(("passages that end after the document; they are used as they are", message))
    return found


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

    The sizes of a document are those that the assessments state. Otherwise its relevant size is the
    number of characters in passages, and its length is looked up.

    Args:
        base: Relevant passages with offsets.
        lengths: Returns the number of characters of a document. Without it, the end of the last passage
            is written as an unknown length.

    Raises:
        XcgError: If there are assessed elements, or names with white space.
    """
    if any(map(base.files, base.topics)):
        raise XcgError("the format offsets holds passages, but the assessments are of elements")
    lost = dict.fromkeys(lost_points(base))
    lines = []
    for topic in base.topics:
        if not base.spans(topic):
            lost["topics without any assessed document"] = None
        entry_points = dict(base.entry_points(topic))
        source = base.sources.get(topic, "assessments")
        if topic.startswith("#"):
            raise InputError(source, f"the topic {topic!r} would begin a comment in the format offsets")
        for document, spans in sorted(base.spans(topic).items()):
            check_names(source, topic, document, "offsets")
            if any(span.exhaustivity != 2 for span in spans):
                lost["exhaustivity"] = None
            sizes = base.document_sizes(topic).get(document)
            if sizes is None:
                length = lengths(document) if lengths else max((s.end for s in spans), default=0)
                sizes = DocumentSizes(_union_length(spans), length)
                if lengths is None:
                    lost["the documents' lengths (the end of the last passage is written instead)"] = (
                        None
                    )
            fields = [topic, "Q0", document, str(sizes.relevant), str(sizes.length)]
            if spans:
                point = entry_points.pop(document, None)
                if isinstance(point, Point):
                    lost["best entry points that are not offsets"] = None
                fields.append(str(point) if isinstance(point, int) else _NO_ENTRY_POINT)
                fields += (f"{span.start}:{span.end - span.start}" for span in spans)
            lines.append(" ".join(fields) + "\n")
        if entry_points:
            lost["best entry points of documents without passages"] = None
    return "".join(lines), list(lost)


ASSESSMENT_FORMATS.add(
    "offsets",
    AssessmentFormat(
        "INEX 2007–2010 qrels: topic Q0 document relevant_characters length "
        "[entry_point [offset:length …]]",
        lambda head: 1.0 if column_count(head) > 4 else 0.1,
        read_offset_qrels,
        write_offset_qrels,
    ),
)
