"""Read and write assessments as JSON Lines, and read highlights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    NUGGET,
    QUOTE_FIELDS,
    START_AND_END,
    TOPIC_AND_DOCUMENT,
    Field,
    check_record,
    document_name,
    json_lines,
    quote_of,
    records_in,
)
from xcg.judgements.anchoring import QuoteFinder
from xcg.judgements.assessment import ParsedPassage, check_pair, level_assessment
from xcg.judgements.highlights import Highlight
from xcg.judgements.recall_base import (
    ASSESSMENT_FORMATS,
    AssessmentFormat,
    DocumentLength,
    RecallBase,
    Span,
)
from xcg.tables import json_text

_ELEMENT_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    Field("path", (str,), "an element's path"),
    Field("exhaustivity", (int,), "0, 1, 2 or 3"),
    Field("specificity", (int,), "0, 1, 2 or 3"),
)
_LEVEL_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    Field("path", (str,), "an element's path", required=False),
    Field("level", (int, float), "a level of relevance, a number from -1000 to 1000"),
    NUGGET,
)
_PASSAGE_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    *START_AND_END,
    Field("exhaustivity", (int,), "1 or 2", required=False),
    Field("level", (int, float), "a level of relevance, a number from -1000 to 1000", required=False),
    Field("lost", (bool,), "true for a passage that xcg place --update did not find", required=False),
    NUGGET,
    *QUOTE_FIELDS,
)
_HIGHLIGHT_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    *START_AND_END,
    Field("exhaustivity", (int,), "a whole number"),
    *QUOTE_FIELDS,
)
_OF_PASSAGES = frozenset({"start", "end", "exact", "text", "prefix", "suffix"})


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
        check_record(record, expected, where)
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
                _add_passage(base, topic, document, record, where)
            elif has_level:
                element = canonical_path(record["path"]) if "path" in record else WHOLE
                assessment = level_assessment(record["level"])
                if "nugget" in record:
                    base.has_nuggets = True
                    nugget, level = str(record["nugget"]), assessment.exhaustivity
                    base.add_nugget(topic, nugget, (document, element), level, where)
                else:
                    base.add(topic, document, element, assessment, where)
            else:
                pair = check_pair((record["exhaustivity"], record["specificity"]), where)
                base.add(topic, document, canonical_path(record["path"]), pair, where)
        except InputError as error:
            notes.tolerate("assessments left out", error)
        except ValueError as error:
            notes.problem("assessments left out", where, str(error))
    if len(graded) > 1:
        message = "the others have exhaustivity 2"
        notes.oddity("files in which only some passages have a grade", path, message)


def _add_passage(
    base: RecallBase, topic: str, document: str, fields: dict[str, Any], where: str
) -> None:
    """Add a passage, or only its document if it is not relevant."""
    quote, grade = quote_of(fields, where), _grade(fields)
    span = stated_span(fields, quote, where)
    nugget = str(fields["nugget"]) if "nugget" in fields else None
    base.add_stated(topic, document, ParsedPassage(quote, span, grade, nugget), where)


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
    finder = QuoteFinder(corpus)
    found = records_in(paths, "highlights in JSON Lines")
    return [_highlight(record, where, finder) for where, record in found]


def _highlight(record: dict[str, Any], where: str, finder: QuoteFinder) -> Highlight:
    check_record(record, _HIGHLIGHT_FIELDS, where)
    topic, exhaustivity, quote = str(record["topic"]), record["exhaustivity"], quote_of(record, where)
    if exhaustivity not in (1, 2, 3):
        raise InputError(where, f"exhaustivity is {exhaustivity}: expected 1, 2 or 3")
    name = document_name(record, where)
    span = stated_span(record, quote, where)
    if span is None:
        assert quote is not None
        return Highlight(topic, name, *finder.span(name, quote, where), exhaustivity)
    start, end = span
    if not 0 <= start < end:
        raise InputError(where, f"start {start} and end {end}: expected 0 <= start < end")
    return Highlight(topic, name, start, end, exhaustivity, quote.exact if quote is not None else None)


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
    texts = base.texts
    spans = [one for topic in base.topics for of_file in base.spans[topic].values() for one in of_file]
    grade = "exhaustivity" if {one.exhaustivity for one in spans} <= {0, 1, 2} else "level"
    for topic in base.topics:
        records += _passage_records(base, topic, texts, grade, lost)
        if not base.files[topic] and not base.spans[topic]:
            lost["topics without any assessed document"] = None
    return "".join(f"{json_text(record)}\n" for record in records), list(lost)


def _passage_records(
    base: RecallBase,
    topic: str,
    texts: Mapping[tuple[str, str, Span], Quote],
    grade: str,
    lost: dict[str, None],
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
            passage: dict[str, object] = {"start": start, "end": end, name: _shortest(exhaustivity)}
            if (quote := texts.get((topic, document, span))) is not None:
                passage |= {name: text for name, text in quote._asdict().items() if text}
            nuggets = base.nuggets.get(topic, {}).get((document, (start, end)), {})
            for nugget, level in nuggets.items():
                named = {**passage, name: _shortest(level), "nugget": nugget}
                yield {"topic": topic, "doc": document, **named}
            if not nuggets:
                yield {"topic": topic, "doc": document, **passage}


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
