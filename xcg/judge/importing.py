"""Read assessments of passages into a store, all or none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike, expand, open_input
from xcg.documents.text_search import Span
from xcg.documents.tree import UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError, XcgError, nearest
from xcg.formats import json_records
from xcg.formats.base import read_assessments
from xcg.formats.json_assessments import stated_span
from xcg.judge.judgement import Judgement
from xcg.judge.settings import TOO_SMALL, UNGRADED, GradeScheme
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


class _Passage(NamedTuple):
    """A passage of a file, or only its document if it has no span."""

    where: str
    topic: str
    document: str
    span: Span | None
    grade: str | None
    entry_point: int | None = None
    nugget: str | None = None


def import_assessments(
    paths: PathLike | Iterable[PathLike],
    store: Store,
    assessor: str,
    corpus: Corpus,
    scheme: GradeScheme,
    topics: Collection[str],
) -> list[str]:
    """Add the assessments in files to the judgements of an assessor, all or none.

    The files are passages in JSON Lines, such as those of an export, offset qrels, or INEX assessments
    with passages. The documents of the files are then finished, and added to the pools and to the
    topics of the assessor if necessary. Documents that the assessor has judged equally are unchanged.

    Args:
        paths: Files, folders and globs.
        store: The store.
        assessor: The assessor.
        corpus: The documents.
        scheme: The grades of the configuration.
        topics: The legal topics.

    Returns:
        Notes: the numbers of documents and highlights, and passages without text.

    Raises:
        InputError: If a file, a record or a grade is illegal, a topic or document is unknown, the text
            of a passage is not where it is stated, lost or ambiguous, passages overlap with different
            grades, or the assessor has judged a document differently.
    """
    notes = Notes()
    found: dict[tuple[str, str], list[_Passage]] = {}
    points: dict[tuple[str, str], int] = {}
    for path in expand(paths, "assessments"):
        for one in _passages(path, corpus, scheme, notes):
            where, topic, name, span, _, point, _ = one
            if topic not in topics:
                raise InputError(where, f"unknown topic {topic!r}: {nearest(topic, topics)}")
            if name not in corpus:
                raise UnmappedError(where, missing_document(name, corpus, is_result=False))
            if span is not None and not corpus.tree(name).text[slice(*span)].strip():
                notes.oddity("passages without text, which are left out", where, name)
                span = None
            found.setdefault((topic, name), []).append(one._replace(span=span))
            if point is not None and (earlier := points.setdefault((topic, name), point)) != point:
                problem = f"another best entry point than {earlier}: expected one per document"
                raise InputError(where, problem)
    return [*_save(store, assessor, found, points), *notes.lines()]


def _save(
    store: Store,
    assessor: str,
    found: Mapping[tuple[str, str], list[_Passage]],
    points: Mapping[tuple[str, str], int],
) -> list[str]:
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
        for (topic, name), passages in found.items():
            where, entry_point = passages[0].where, points.get((topic, name))
            highlights = [(*one.span, one.grade, one.nugget) for one in passages if one.span]
            old = store.judgement(assessor, topic, name)
            try:
                new = store.replace(assessor, topic, name, highlights, entry_point, finished=True)
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
    return [f"{summary}; {unchanged} unchanged" if unchanged else summary]


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _content(judgement: Judgement) -> tuple[object, ...]:
    spans = [(*one[1:4], one.nugget) for one in judgement.highlights]
    return spans, judgement.entry_point, judgement.finished


def _passages(path: Path, corpus: Corpus, scheme: GradeScheme, notes: Notes) -> Iterator[_Passage]:
    """Yield what a file states."""
    with open_input(path) as file:
        if file.peek(1).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
            finder = QuoteFinder(corpus)
            for where, record in json_records.json_lines(file, path):
                yield _passage(record, where, finder, scheme)
            return
    base = read_assessments([path], notes)
    for topic in base.topics:
        elements, spans, points = base.files(topic), base.spans(topic), base.passages(topic)
        for name in dict.fromkeys([*elements, *spans, *points]):
            where = f"{path}, topic {topic}, {name}"
            if name not in corpus:
                raise UnmappedError(where, missing_document(name, corpus, is_result=False))
            tree = corpus.tree(name)
            sizes, entry_point = (
                base.document_sizes(topic).get(name),
                base.entry_points(topic).get(name),
            )
            try:
                found = [(one.start, one.end) for one in spans.get(name, ())]
                found += [one.characters(tree) for one in points.get(name, ())]
                if not (isinstance(entry_point, int) or entry_point is None):
                    entry_point = entry_point.character(tree)
            except UnknownPathError as error:
                raise UnmappedError(where, str(error)) from None
            is_relevant = any(one.relevant for one in elements.get(name, {}).values())
            if not found and (is_relevant or (sizes is not None and sizes.relevant)):
                raise InputError(where, "relevant text without passages: expected passages")
            yield _Passage(where, topic, name, None, None, entry_point)
            for span in found:
                yield _Passage(where, topic, name, span, _grade(None, scheme, where))


def _passage(record: dict[str, Any], where: str, finder: QuoteFinder, scheme: GradeScheme) -> _Passage:
    """Return the passage of a record in JSON Lines."""
    if "path" in record:
        raise InputError(where, "an assessed element: expected passages, with start and end or a text")
    json_records.check_record(record, _RECORD_FIELDS, where)
    topic, name = str(record["topic"]), json_records.document_name(record, where)
    quote, entry_point = json_records.quote_of(record, where), record.get("entry_point")
    if "level" in record and "exhaustivity" in record:
        raise InputError(where, "the fields 'level' and 'exhaustivity': expected one of them")
    value = record.get("level", record.get("exhaustivity"))
    if value is not None and value <= 0 and (quote is None or TOO_SMALL not in scheme.values):
        return _Passage(where, topic, name, None, None, entry_point)
    span = stated_span(record, quote, where)
    if span is not None and not 0 <= span[0] <= span[1]:
        raise InputError(where, f"start {span[0]} and end {span[1]}: expected 0 <= start <= end")
    if quote is not None:
        if not quote.exact.strip():
            raise InputError(where, "the text of the passage is empty")
        span = finder.span(name, quote, where, span)
    nugget = str(record["nugget"]) if "nugget" in record else None
    return _Passage(where, topic, name, span, _grade(value, scheme, where), entry_point, nugget)


def _grade(value: float | None, scheme: GradeScheme, where: str) -> str | None:
    """Return the grade of a passage.

    Args:
        value: Its exhaustivity or level; None without one.
        scheme: The grades of the configuration.
        where: File and line, for messages.

    Raises:
        InputError: If the scheme does not have it.
    """
    if scheme.name == "none" and value in (None, UNGRADED):
        return None
    if scheme.name == "inex-2005":
        value = UNGRADED if value is None else value
        if value <= 0:
            return TOO_SMALL
    grade = None if value is None else f"{value:g}"
    if grade is not None and grade in scheme.values:
        return grade
    found = "a passage without grade" if grade is None else f"a passage with the grade {grade}"
    legal = f"the grades {', '.join(scheme.values)}" if scheme.values else "passages without grades"
    raise InputError(where, f"{found}: the configuration has {legal}; change its grades, or the file")
