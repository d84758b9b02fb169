"""Read and write qrels: INEX 2007–2010, relevant passages with offsets; TREC, levels of documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import lines
from xcg.documents.passage_points import Point
from xcg.documents.paths import WHOLE, canonical_file, split_at_mark, split_element_id
from xcg.errors import InputError, Notes, XcgError
from xcg.formats import writing
from xcg.formats.base import column_count
from xcg.formats.text_columns import TextBlock, are_plain_names, equal_stretches, text_blocks
from xcg.judgements.assessment import Assessment, DocumentSizes, number_text, read_level
from xcg.judgements.recall_base import (
    ASSESSMENT_FORMATS,
    AssessmentFormat,
    DocumentLength,
    RecallBase,
    Span,
)

_NUMBER = "[0-9]{1,15}"
_match = re.compile(
    rf"\s*(?!#)(\S++)\s++\S++\s++(\S++)\s++({_NUMBER})\s++({_NUMBER})"
    rf"(?:\s++({_NUMBER}|-1)(?!\S))?((?:\s++{_NUMBER}:{_NUMBER}(?!\S))*)\s*"
).fullmatch
_passages = re.compile(f"({_NUMBER}):({_NUMBER})").findall
_is_ignored = re.compile(r"\s*(?:#.*)?", re.DOTALL).fullmatch
_LEFT_OUT = "lines left out of the assessments"


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
    found = [
        (n, text, m) for n, text in lines(file, path) if (m := _match(text)) or not _is_ignored(text)
    ]
    if not found:
        raise InputError(path, "an empty file; expected assessments")
    # Few files must be searched: most have an entry point in each line with passages.
    lack_points = cache(lambda: any(m and m[5] is None and m[6].count(":") > 1 for *_, m in found))
    name = str(path)
    for number, line, match in found:
        where = f"{name}:{number}"
        try:
            if match is None:
                raise _illegal(line.split())
            topic, document, relevant, length, sixth, passages = match.groups("-1")
            if sixth == "-1" and passages and match[5] is None and not lack_points():
                sixth, passages = passages.strip(), ""
            document = canonical_file(document)
            spans = []
            for offset, characters in _passages(passages):
                start = int(offset)
                spans.append(Span(start, start + int(characters)))
            if topic not in base.files:
                base.add_topic(topic, name)
            is_repeated = document in base.spans[topic]
            base.add_spans(topic, document, spans, where)
        except ValueError as error:
            notes.tolerate(_LEFT_OUT, error, where)
            continue
        sizes = DocumentSizes(int(relevant), int(length))
        base.add_document_sizes(topic, document, sizes)
        if spans and sixth != "-1":
            base.add_entry_point(topic, document, int(sixth))
        if is_repeated:
            repeated = f"topic {topic}: the document {document!r} occurs again"
            notes.oddity("documents in several lines, which add up", where, repeated)
        for kind, detail in _oddities(sizes, spans, sixth):
            notes.oddity(kind, where, detail)


def _oddities(sizes: DocumentSizes, spans: Sequence[Span], sixth: str) -> Iterator[tuple[str, str]]:
    """Yield kind and description of what is legal but probably wrong in a line."""
    (relevant, length), size, end = sizes, 0, 0
    for first, stop, _ in spans:
        size += stop - first
        end = stop if stop > end else end
    if not spans and sixth != "-1":
        message = f"{sixth!r}; expected an entry point or -1, and then passages"
        yield "sixth fields without passages, which are ignored", message
    if relevant != size and relevant != _union_length(spans):
        message = f"{relevant} relevant characters, but the passages have {size}"
        yield "relevant sizes that differ from the passages; the stated sizes count", message
    if end > length:
        message = f"a passage ends at character {end}, but the document has {length} characters"
        yield "passages that end after the document; they are used as they are", message


def _illegal(fields: list[str]) -> ValueError:
    """Return what is wrong in the fields of an illegal line."""
    if len(fields) < 5:
        return ValueError(
            f"{len(fields)} columns; expected topic Q0 document relevant_characters length "
            "[entry_point [offset:length …]]"
        )
    for name, number in (("relevant characters", fields[3]), ("length", fields[4])):
        if not re.fullmatch(_NUMBER, number):
            return ValueError(f"illegal {name} {number!r}: expected a number of characters")
    if not re.fullmatch(f"-1|{_NUMBER}(:{_NUMBER})?", fields[5]) and ":" not in fields[5]:
        expected = "expected the offset of a character, or -1"
        return ValueError(f"illegal entry point {fields[5]!r}: {expected}")
    passages = fields[5 if ":" in fields[5] else 6 :]
    illegal = next(text for text in passages if not re.fullmatch(f"{_NUMBER}:{_NUMBER}", text))
    return ValueError(f"illegal passage {illegal!r}: expected offset:length, like 1205:3431")


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
    if any(map(base.files.get, base.topics)):
        raise XcgError("the format offsets holds passages, but the assessments are of elements")
    lost = dict.fromkeys(
        [*writing.lost_of_assessments(base, "points"), *["nuggets"] * base.has_nuggets]
    )
    lines = []
    for topic in base.topics:
        if not base.spans[topic]:
            lost["topics without any assessed document"] = None
        entry_points = dict(base.entry_points[topic])
        source = base.sources.get(topic, "assessments")
        if topic.startswith("#"):
            raise InputError(source, f"the topic {topic!r} would begin a comment in the format offsets")
        for document, spans in sorted(base.spans[topic].items()):
            writing.check_names(source, topic, document, "offsets")
            if any(span.exhaustivity != 2 for span in spans):
                lost["exhaustivity"] = None
            sizes = base.document_sizes[topic].get(document)
            if sizes is None:
                length = lengths(document) if lengths else max((s.end for s in spans), default=0)
                sizes = DocumentSizes(_union_length(spans), length)
                if lengths is None:
                    what = "the documents' lengths (the end of the last passage is written instead)"
                    lost[what] = None
            fields = [topic, "Q0", document, str(sizes.relevant), str(sizes.length)]
            if spans:
                point = entry_points.pop(document, None)
                if isinstance(point, Point):
                    lost["best entry points that are not offsets"] = None
                fields.append(str(point) if isinstance(point, int) else "-1")
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


def read_trec_qrels(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Add the assessments in TREC qrels to a recall-base.

    A line has the columns ``topic iteration document level``. The iteration is the nugget if a document
    occurs with several of them, or if a measure needs nuggets; otherwise it is ignored. A document is
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
    topics, iterations, documents, levels = columns
    if len({*iterations}) > 1 or not {*iterations} <= {"0", "Q0"}:
        return False  # perhaps nuggets
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
    for topic, of_topic in judged.items():
        if any(file in known for known in (base.files[topic], base.spans[topic]) for file in of_topic):
            return False
    for topic, of_topic in judged.items():
        base.add_topic(topic, str(block.path))
        base.files[topic].update({file: {WHOLE: one} for file, one in of_topic.items()})
    return True


def _add_lines(block: TextBlock, base: RecallBase, notes: Notes) -> None:
    line_of: dict[tuple[str, str, str, str], int] = {}
    for number, fields in block.lines():
        where = f"{block.path}:{number}"
        try:
            if len(fields) != 4:
                raise ValueError(f"{len(fields)} columns; expected topic iteration document level")
            topic, nugget, document, level = fields
            assessment = read_level(level)
            has_mark = bool(split_at_mark(document)[1])
            name, element = (
                split_element_id(document) if has_mark else (canonical_file(document), WHOLE)
            )
        except ValueError as error:
            notes.problem(_LEFT_OUT, where, str(error))
            continue
        base.add_topic(topic, str(block.path))
        earlier = line_of.setdefault((topic, nugget, name, element), number)
        known = base.nuggets.get(topic, {}).get((name, element), {})
        is_judged = element in base.files[topic].get(name, {})
        if earlier != number or nugget in known or (is_judged and not known and nugget in ("0", "Q0")):
            before = f"line {earlier}" if earlier != number else "an earlier line or file"
            message = (
                f"topic {topic}, {document}: judged before, in {before}; expected one line for a "
                "topic, document and nugget (second column)"
            )
            notes.problem("repeated judgements; the first is used", where, message)
            continue
        try:
            base.add_nugget(topic, nugget, (name, element), assessment.exhaustivity, where)
            if is_judged and not base.has_nuggets:
                base.has_nuggets = True
                notes.note(
                    f"{where}: a document occurs with several values in the second column, which is "
                    "therefore read as the nugget"
                )
        except InputError as error:
            notes.tolerate("contradictory assessments; the first is used", error)


def write_trec_qrels(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of TREC qrels, and what they cannot hold.

    Raises:
        XcgError: If there are passages, assessments that are not levels, or names with white space.
    """
    writing.refuse_passages(base, "trec")
    lost = writing.lost_of_assessments(base, "points", "entries", "documents")
    lines = []
    for topic, document, path, assessment in writing.assessed_elements(base):
        nuggets = base.nuggets.get(topic, {}).get((document, path)) or {"0": assessment.exhaustivity}
        writing.check_scale(document, path, assessment, "trec", ["level"])
        writing.check_names(base.sources.get(topic, "assessments"), topic, document)
        element = document if path == WHOLE else f"{document}#{path}"
        lines += [f"{topic} {name} {element} {number_text(level)}\n" for name, level in nuggets.items()]
    if not all(map(base.files.get, base.topics)):
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
