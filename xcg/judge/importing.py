"""Read passages in JSON Lines into a store, all or none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike
from xcg.errors import InputError, XcgError, nearest
from xcg.formats import json_records
from xcg.formats.json_assessments import stated_span
from xcg.judge.judgement import Judgement
from xcg.judge.settings import UNGRADED, Grades
from xcg.judge.store import Store
from xcg.judge.workspace import ordered_pool
from xcg.judgements.anchoring import QuoteFinder
from xcg.runs.chunk_documents import missing_document

_RECORD_FIELDS = (
    *json_records.TOPIC_AND_DOCUMENT,
    *json_records.START_AND_END,
    json_records.Field("exhaustivity", (int,), "a whole number", required=False),
    json_records.Field("level", (int, float), "a level of relevance", required=False),
    json_records.Field("entry_point", (int,), "the offset of a character", required=False),
    json_records.NUGGET,
    *json_records.QUOTE_FIELDS,
)


_Highlight = tuple[int, int, str | None, str | None]
"""Start, end, grade and nugget."""
_Stated = tuple[str, list[_Highlight], set[int]]
"""The first file and line about a document, its highlights, and its best entry points."""


def import_assessments(
    paths: PathLike | Iterable[PathLike],
    store: Store,
    assessor: str,
    corpus: Corpus,
    grades: Grades,
    topics: Collection[str],
) -> str:
    """Add the passages in JSON Lines files to the judgements of an assessor, all or none.

    The documents of the files are then finished, and added to the pools and to the topics of the
    assessor if necessary. Documents that the assessor has judged equally are unchanged.

    Args:
        paths: Files, folders and globs, such as those of an export.
        store: The store.
        assessor: The assessor.
        corpus: The documents.
        grades: The grades of the configuration.
        topics: The legal topics.

    Returns:
        The numbers of documents and highlights.

    Raises:
        InputError: If a file, a record or a grade is illegal, a topic or document is unknown, the text
            of a passage is not where it is stated, lost or ambiguous, passages overlap with different
            grades, or the assessor has judged a document differently.
    """
    found: dict[tuple[str, str], _Stated] = {}
    finder = QuoteFinder(corpus)
    for where, record in json_records.records_in(paths, "assessments in JSON Lines"):
        if "path" in record:
            raise InputError(
                where, "an assessed element: expected passages, with start and end or a text"
            )
        json_records.check_record(record, _RECORD_FIELDS, where)
        topic, name = str(record["topic"]), json_records.document_name(record, where)
        if topic not in topics:
            raise InputError(where, f"unknown topic {topic!r}: {nearest(topic, topics)}")
        if name not in corpus:
            raise InputError(where, missing_document(name, corpus, is_result=False))
        _, highlights, points = found.setdefault((topic, name), (where, [], set()))
        highlights += _highlights(record, where, name, finder, grades)
        points |= {record["entry_point"]} if "entry_point" in record else set()
        if len(points) > 1:
            raise InputError(where, "another best entry point: expected one per document")
    return _save(store, assessor, found)


def _save(store: Store, assessor: str, found: Mapping[tuple[str, str], _Stated]) -> str:
    """Add the documents to the pools and assignments, and save what has changed."""
    by_topic: dict[str, dict[str, tuple[()]]] = {}
    for topic, name in found:
        by_topic.setdefault(topic, {})[name] = ()
    count = changed = 0
    with store.transaction():
        store.add_assessors([assessor])
        store.assign(assessor, by_topic)
        for topic, documents in by_topic.items():
            store.extend_pool(topic, ordered_pool(topic, documents, seed=0))
        for (topic, name), (where, highlights, points) in found.items():
            old = store.judgement(assessor, topic, name)
            try:
                new = store.replace(assessor, topic, name, highlights, max(points, default=None), True)
            except InputError:
                raise
            except XcgError as error:
                raise InputError(where, str(error)) from None
            if old.version > 0 and _content(old) == _content(new):
                continue
            if old.is_started or old.finished:
                raise InputError(
                    where,
                    f"{assessor} has judged {name} differently for topic {topic}; expected another "
                    "name with --assessor, or a store without this judgement",
                )
            count, changed = count + len(new.highlights), changed + 1
    summary = f"imported {_number(count, 'highlight')} in {_number(changed, 'judged document')}"
    unchanged = len(found) - changed
    return f"{summary}; {unchanged} unchanged" if unchanged else summary


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _content(judgement: Judgement) -> tuple[object, ...]:
    spans = [(*one[1:4], one.nugget) for one in judgement.highlights]
    return spans, judgement.entry_point, judgement.finished


def _highlights(
    record: dict[str, Any], where: str, name: str, finder: QuoteFinder, grades: Grades
) -> list[_Highlight]:
    """Return the highlight of a record; none if it is not relevant."""
    quote = json_records.quote_of(record, where)
    if "level" in record and "exhaustivity" in record:
        raise InputError(where, "the fields 'level' and 'exhaustivity': expected one of them")
    value = record.get("level", record.get("exhaustivity"))
    if value is not None and value <= 0:
        return []
    span = stated_span(record, quote, where)
    if span is not None and not 0 <= span[0] <= span[1]:
        raise InputError(where, f"start {span[0]} and end {span[1]}: expected 0 <= start <= end")
    if quote is not None:
        if not quote.exact.strip():
            raise InputError(where, "the text of the passage is empty")
        span = finder.span(name, quote, where, span)
    assert span is not None
    nugget = str(record["nugget"]) if "nugget" in record else None
    return [(*span, _grade(value, grades, where), nugget)]


def _grade(value: float | None, grades: Grades, where: str) -> str | None:
    """Return the grade of an exhaustivity or level; raise InputError if there is no such grade."""
    if not grades and value in (None, UNGRADED):
        return None
    grade = "none" if value is None else f"{value:g}"
    if grade in grades:
        return grade
    legal = f"the grades {', '.join(grades)}" if grades else "passages without grades"
    problem = f"a passage with the grade {grade}: the configuration has {legal}"
    raise InputError(where, f"{problem}; change its grades, or the file")
