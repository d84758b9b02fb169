"""Read and write assessments as JSON Lines, and read highlights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.documents.text_search import Quote
from xcg.errors import InputError, Notes, UnmappedError
from xcg.formats import writing
from xcg.formats.base import json_certainty
from xcg.formats.json_records import (
    QUOTE,
    check_record,
    document_name,
    json_lines,
    legal_fields,
    records_in,
)
from xcg.judgements.anchoring import QuoteFinder
from xcg.judgements.assessment import ParsedPassage, check_pair, level_assessment, quote_of
from xcg.judgements.highlights import Highlight
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, AssessmentFormat, DocumentLength, RecallBase
from xcg.tables import json_text

_ELEMENT_FIELDS = ("topic doc path exhaustivity specificity",)
_LEVEL_FIELDS = "topic doc level", "path nugget"
_PASSAGE_FIELDS = "topic doc", f"start end exhaustivity level lost nugget {QUOTE}"
_HIGHLIGHT_FIELDS = "topic doc exhaustivity", f"start end {QUOTE}"
_OF_PASSAGES = frozenset({"start", "end", *QUOTE.split()})


def read_json_assessments(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Add the assessments in a JSON Lines file to a recall-base.

    An element has ``path``, ``exhaustivity`` and ``specificity`` (0 to 3), or ``path`` and ``level``. A
    whole document has a ``level``. A passage has ``start`` and ``end``, a quote (``exact`` or ``text``,
    optionally ``prefix`` and ``suffix``), or both, and optionally an ``exhaustivity`` (1 or 2) or a
    ``level``. Passages, and what has a level, can name a ``nugget`` that they state; they can be
    repeated with several nuggets. A level is a number from -1000 to 1000. A passage with a level of 0
    or less is not relevant, but its document is assessed. A passage with ``lost`` is an error, and left
    out if errors are lenient.

    Args:
        file: The open file.
        path: The file's path, for messages.
        base: The recall-base.
        notes: Counts illegal paths and values if they are tolerated.

    Raises:
        InputError: If a record is illegal, with file and line.
    """
    graded = set()  # whether a passage has a grade
    for where, record in json_lines(file, path):
        is_passage = not _OF_PASSAGES.isdisjoint(record)
        has_level = "level" in record
        expected = _PASSAGE_FIELDS if is_passage else _LEVEL_FIELDS if has_level else _ELEMENT_FIELDS
        check_record(record, legal_fields(*expected), where)
        if is_passage:
            graded.add(has_level or "exhaustivity" in record)
        topic = str(record["topic"])
        base.add_topic(topic, str(path))
        try:
            document = canonical_file(record["doc"])
            if record.get("lost"):
                message = "the passage is lost: correct its text and place it again, or delete the line"
                notes.tolerate("lost passages", UnmappedError(where, message))
            elif is_passage:
                quote, grade = quote_of(record, where), _grade(record)
                span = stated_span(record, quote, where)
                nugget = str(record["nugget"]) if "nugget" in record else None
                base.add_stated(topic, document, ParsedPassage(quote, span, grade, nugget), where)
            else:
                element = canonical_path(record["path"]) if "path" in record else WHOLE
                pair = record.get("exhaustivity"), record.get("specificity")
                assessment = check_pair(record["level"] if has_level else pair)
                if "nugget" in record:
                    base.has_nuggets = True
                    nugget, level = str(record["nugget"]), assessment.exhaustivity
                    base.add_nugget(topic, nugget, (document, element), level, where)
                else:
                    base.add(topic, document, element, assessment, where)
        except ValueError as error:
            notes.tolerate("assessments left out", error, where)
    if len(graded) > 1:
        notes.oddity("files with a grade of some passages only", path, "the others have exhaustivity 2")


def _grade(fields: dict[str, Any]) -> float:
    """Return the grade of a passage. A passage with a grade of 0 or less is not relevant."""
    if "level" in fields and "exhaustivity" in fields:
        raise ValueError("a passage with level and exhaustivity: expected one of them")
    if "level" in fields:
        return level_assessment(fields["level"]).exhaustivity
    exhaustivity = fields.get("exhaustivity", 2)
    if exhaustivity not in (1, 2):
        raise ValueError(f"exhaustivity is {exhaustivity}: expected 1 or 2 for a passage")
    return float(exhaustivity)


def read_highlights(
    paths: PathLike | Iterable[PathLike], corpus: Corpus | None = None
) -> list[Highlight]:
    """Read highlights from JSON Lines files.

    A record has the fields ``topic``, ``doc`` and ``exhaustivity`` (1, 2 or 3), and ``start`` and
    ``end`` (characters of the document's text), a quote, or both. A quote is ``exact`` or ``text``,
    with optional ``prefix`` and ``suffix``.

    Args:
        paths: Files, folders and globs.
        corpus: The documents, which quotes without offsets need.

    Raises:
        InputError: If a file cannot be read, a record is illegal, or a quote has no position in its
            document, with file and line.
    """
    finder, found = QuoteFinder(corpus), []
    for where, record in records_in(paths, "highlights in JSON Lines"):
        check_record(record, legal_fields(*_HIGHLIGHT_FIELDS), where)
        exhaustivity, quote = record["exhaustivity"], quote_of(record, where)
        if exhaustivity not in (1, 2, 3):
            raise InputError(where, f"exhaustivity is {exhaustivity}: expected 1, 2 or 3")
        name, text = document_name(record, where), quote and quote.exact
        span = stated_span(record, quote, where)
        if span is None:
            assert quote is not None
            span, text = finder.span(name, quote, where), None
        if not 0 <= span[0] < span[1]:
            raise InputError(where, f"start {span[0]} and end {span[1]}: expected 0 <= start < end")
        found.append(Highlight(str(record["topic"]), name, *span, exhaustivity, text))
    return found


def stated_span(record: dict[str, Any], quote: Quote | None, where: str) -> tuple[int, int] | None:
    """Return the offsets of a passage; None for a quote without them.

    Raises:
        InputError: If one is missing.
    """
    if quote is not None and "start" not in record and "end" not in record:
        return None
    for name in ("start", "end"):
        if name not in record:
            raise InputError(where, f"the field {name!r} is missing")
    return record["start"], record["end"]


def write_json_assessments(
    base: RecallBase, lengths: DocumentLength | None = None
) -> tuple[str, list[str]]:
    """Return assessments as JSON Lines, and what these cannot hold.

    Raises:
        XcgError: If an assessment is on the scale of INEX 2002, or of 2005 and later.
    """
    kinds = "points", "entries", "documents", "elements"
    lost = dict.fromkeys(writing.lost_of_assessments(base, *kinds))
    names = {n for of_topic in base.nuggets.values() for stated in of_topic.values() for n in stated}
    if not base.has_nuggets and not names <= {"0", "Q0"}:
        lost["the second column, which nuggets: true reads as the nugget"] = None
    records: list[dict[str, object]] = []
    for topic, document, path, assessment in writing.assessed_elements(base):
        writing.check_scale(document, path, assessment, "jsonl", ["four-point", "level"])
        record: dict[str, object] = {"topic": topic, "doc": document}
        if path != WHOLE:
            record["path"] = path
        if base.has_nuggets and (nuggets := base.nuggets.get(topic, {}).get((document, path))):
            records += [{**record, "nugget": n, "level": _shortest(nuggets[n])} for n in nuggets]
            continue
        if assessment.scale == "level":
            record["level"] = _shortest(assessment.exhaustivity)
        else:
            record["exhaustivity"] = int(assessment.exhaustivity)
            record["specificity"] = int(float(assessment.specificity))
        records.append(record)
    spans = [one for topic in base.topics for of_file in base.spans[topic].values() for one in of_file]
    grade = "exhaustivity" if {one.exhaustivity for one in spans} <= {0, 1, 2} else "level"
    for topic in base.topics:
        records += _passage_records(base, topic, grade, lost)
        if not base.files[topic] and not base.spans[topic]:
            lost["topics without any assessed document"] = None
    return "".join(f"{json_text(record)}\n" for record in records), list(lost)


def _passage_records(
    base: RecallBase, topic: str, grade: str, lost: dict[str, None]
) -> Iterator[dict[str, object]]:
    """Yield the passages of a topic."""
    for document, spans in sorted(base.spans[topic].items()):
        if not spans:
            lost["assessed documents without relevant text"] = None
        for span in sorted(spans):
            start, end, exhaustivity = span
            if start == end:
                lost["passages without characters"] = None
                continue
            name = grade if exhaustivity else "level"
            passage: dict[str, object] = {"topic": topic, "doc": document, "start": start, "end": end}
            passage[name] = _shortest(exhaustivity)
            if (quote := base.texts.get((topic, document, span))) is not None:
                passage |= {part: text for part, text in quote._asdict().items() if text}
            nuggets = base.nuggets.get(topic, {}).get((document, (start, end)), {})
            for nugget, level in nuggets.items():
                yield {**passage, name: _shortest(level), "nugget": nugget}
            if not nuggets:
                yield passage


def _shortest(level: float) -> float:
    """Return a level as JSON should show it: 2 instead of 2.0."""
    return int(level) if level.is_integer() else level


ASSESSMENT_FORMATS.add(
    "jsonl",
    AssessmentFormat(
        "JSON Lines: topic, doc, and path or start and end, with exhaustivity and specificity or level",
        json_certainty,
        read_json_assessments,
        write_json_assessments,
        holds_texts=True,
    ),
)
