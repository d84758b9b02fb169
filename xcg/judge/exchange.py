"""Write the judgements of a store as assessments, and read passages into a store."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import MAX_LINE_BYTES, PathLike
from xcg.errors import InputError, XcgError, first_names, nearest
from xcg.formats import json_records
from xcg.formats.json_assessments import stated_span
from xcg.judge.agreement import ADJUDICATED, Decisions, disagreements, gold
from xcg.judge.judgement import JudgedDocument
from xcg.judge.settings import INEX_2004, UNGRADED, Grades
from xcg.judge.store import Store
from xcg.judge.workspace import ordered_pool
from xcg.judgements.anchoring import QuoteFinder
from xcg.judgements.assessment import ParsedPassage, quote_of
from xcg.judgements.highlights import Highlight, assess
from xcg.judgements.recall_base import RecallBase, Span, topic_key
from xcg.lazy_modules import hashlib
from xcg.runs.chunk_documents import missing_document
from xcg.tables import json_text

_LONGEST_NAME = 80
_SHOWN_NAMES = 3
_ILLEGAL = re.compile(
    r"[^\w.-]|^[.-]|\.\Z|^(?=(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z))\w", re.IGNORECASE
)
"""What is escaped in the names of files: also the first letter of names that Windows reserves."""
_SOURCE = "judgements"
_OTHER_FIELDS_BYTES = 10_000


class Export(NamedTuple):
    """The files of an export, and what they do not hold.

    Attributes:
        files: Path below the folder, with ``/`` → content.
        notes: What was left out, one sentence each.
    """

    files: Mapping[str, bytes]
    notes: list[str]


def export(
    judged: Iterable[JudgedDocument],
    corpus: Corpus,
    grades: Grades,
    rule: str | None = None,
    decisions: Decisions = MappingProxyType({}),
) -> Export:
    """Return the judgements of finished documents as files.

    Each assessor, or the gold, has a folder with these files:

    - ``passages.jsonl``: one record per highlight with its quote and its grade; no grade is
      exhaustivity 2. A document without relevant text is a passage of level 0.
    - ``inex-2004/TOPIC.xml``, only with the grades of INEX 2004: the elements with highlighted text, as
      by ``xcg convert --as elements``.
    - ``remarks.jsonl``: one record per document with a note, with doubts, that was skipped, or whose
      time is known; also of documents that are not finished. The gold has none.
    - ``decisions.jsonl``: of adjudicated gold, one record per disagreement: what each assessor says,
      what was decided, by whom and when.

    Args:
        judged: The judgements.
        corpus: The documents.
        grades: The grades of the configuration.
        rule: Makes one gold, see :func:`xcg.judge.agreement.gold`; by default, each assessor is
            written.
        decisions: The decisions on disagreements.

    Raises:
        InputError: If a document cannot be read.
        XcgError: If the gold cannot be made.
    """
    by_assessor: dict[str, list[JudgedDocument]] = {}
    for one in judged:
        by_assessor.setdefault(one.assessor, []).append(one)
    complete, notes = {}, []
    for assessor, documents in by_assessor.items():
        complete[assessor], problems = _complete(documents, grades)
        notes += [f"{assessor}: {problem}" for problem in problems]
    further = {assessor: {"remarks.jsonl": _remarks(by_assessor[assessor])} for assessor in complete}
    if rule:
        finished = list(chain(*complete.values()))
        merged, problems = gold(finished, rule, corpus, decisions)
        notes += problems
        complete = {rule: merged}
        decided = _decisions(finished, corpus, decisions) if rule == ADJUDICATED else []
        further = {rule: {"decisions.jsonl": decided}}
    files: dict[str, bytes] = {}
    folders = file_names(complete)
    for name, documents in complete.items():
        texts = {
            file: "".join(f"{json_text(one)}\n" for one in those)
            for file, those in further[name].items()
        }
        if documents:
            texts["passages.jsonl"], problems = _passages(documents, corpus)
            if grades == INEX_2004:
                texts |= _elements(documents, corpus)
                has_nuggets = any(mark.nugget for one in documents for mark in one.judgement.placed)
                problems += ["inex-2004: without nuggets"] * has_nuggets
            notes += [f"{name}/{problem}" for problem in problems]
        files |= {f"{folders[name]}/{file}": text.encode() for file, text in texts.items() if text}
    return Export(files, notes)


def _remarks(documents: Iterable[JudgedDocument]) -> list[dict[str, object]]:
    """Return what assessors say about their judgements, and how they worked."""
    fields = ("unsure", "skipped", "note", "seconds", "words_marked")
    return [
        {"topic": topic, "doc": name, "finished": one.finished}
        | {key: vars(one)[key] for key in fields}
        for _, topic, name, one in documents
        if any(vars(one)[key] for key in fields)
    ]


def _decisions(
    judged: Sequence[JudgedDocument], corpus: Corpus, decisions: Decisions
) -> list[dict[str, object]]:
    """Return the decisions that hold."""
    return [
        {"topic": topic, "doc": different.document, "start": one.start, "end": one.end}
        | {"labels": one.labels, **one.decision._asdict()}
        for topic in dict.fromkeys(one.topic for one in judged)
        for different in disagreements(judged, topic, corpus, decisions)
        for one in different.disagreements
        if one.decision
    ]


def write_export(folder: Path, found: Export) -> None:
    """Write an export to a new folder, completely or not at all.

    Raises:
        InputError: If the folder exists and is not empty, or cannot be written.
        XcgError: If no document is finished.
    """
    import tempfile

    target = Path(os.path.realpath(folder))
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(folder, "the folder is not empty: expected a new folder for the export")
        if not found.files:
            raise XcgError("no assessor has finished a document: nothing to export")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(".tmp", ".xcg-export-", target.parent) as temporary:
            for name, content in found.files.items():
                path = Path(temporary, "export", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            if target.exists():
                target.rmdir()
            Path(temporary, "export").rename(target)
    except OSError as error:
        raise InputError(folder, f"cannot write the export: {error.strerror}") from None


def _complete(
    documents: Iterable[JudgedDocument], grades: Grades
) -> tuple[list[JudgedDocument], list[str]]:
    """Return the documents to export by topic and name, and notes on the others."""
    complete = []
    problems: dict[str, list[str]] = {}
    for one in sorted(documents, key=lambda one: (topic_key(one.topic), one.document)):
        judgement, problem = one.judgement, ""
        if not judgement.finished:
            if judgement.is_started:
                problem = "started documents that are not finished, left out"
        elif any(mark.grade not in (grades or (None,)) for mark in judgement.placed):
            problem = "documents left out because a grade is not among those of the configuration"
        else:
            complete.append(one)
            if judgement.lost:
                problem = (
                    "documents without the highlights whose text was not found in the changed document"
                )
            elif judgement.to_check:
                problem = "documents whose text has changed, which nobody has checked"
        if problem:
            problems.setdefault(problem, []).append(f"{one.document} (topic {one.topic})")
    notes = [f"{problem}: {first_names(names, _SHOWN_NAMES)}" for problem, names in problems.items()]
    return complete, notes if complete else [*notes, "no finished document, so nothing is written"]


def _passages(documents: Iterable[JudgedDocument], corpus: Corpus) -> tuple[str, list[str]]:
    """Return all highlights with their text; documents without any are passages of level 0."""
    base, lost = RecallBase(), []
    for _, topic, name, judgement in documents:
        base.add_topic(topic, _SOURCE)
        if not judgement.placed:
            base.add_spans(topic, name, [Span(0, corpus.length(name), 0.0)], _SOURCE)
        for mark in judgement.placed:
            level = UNGRADED if mark.grade is None else float(mark.grade)
            fits = len(json_text(mark.quote).encode()) < MAX_LINE_BYTES - _OTHER_FIELDS_BYTES
            if not fits:  # no reader accepts the line
                lost = ["passages.jsonl: without the text of passages of 1 MB or more"]
            quote, span = mark.quote if fits else None, (mark.start, mark.end)
            passage = ParsedPassage(quote, span, level, mark.nugget)
            base.add_stated(topic, name, passage, _SOURCE)
    return base.to_text("jsonl")[0], lost


def _elements(documents: Iterable[JudgedDocument], corpus: Corpus) -> dict[str, str]:
    """Return file → the elements with highlighted text of a topic as INEX assessments of 2004."""
    topics = {topic: list(those) for topic, those in groupby(documents, attrgetter("topic"))}
    found = {}
    for topic, name in file_names(topics).items():
        base = assess(
            (
                Highlight(topic, one.document, mark.start, mark.end, int(mark.grade or 0))
                for one in topics[topic]
                for mark in one.judgement.placed
            ),
            corpus,
        )
        base.add_topic(topic, _SOURCE)
        found[f"inex-2004/{name}.xml"] = base.to_text("inex2004")[0]
    return found


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return name → the name of a file or folder that is legal, and different on every file system.

    Characters other than letters, digits, ``.``, ``-`` and ``_`` are written as in URLs.

    >>> file_names(["anna", "../ben", "Anna", "nul"])
    {'anna': 'anna', '../ben': '%2E.%2Fben', 'Anna': 'Anna-bf4fccd616251b67', 'nul': '%6Eul'}
    """
    found: dict[str, str] = {}
    known: set[str] = set()
    for name in names:
        legal = _ILLEGAL.sub(_as_in_url, name)
        key = unicodedata.normalize("NFKC", legal).casefold()
        if key in known or len(legal.encode()) > _LONGEST_NAME:
            digest = hashlib.sha256(name.encode()).hexdigest()[:16]
            short = legal.encode()[: _LONGEST_NAME - len(digest)].decode(errors="ignore")
            legal = f"{short}-{digest}"
            key = unicodedata.normalize("NFKC", legal).casefold()
        known.add(key)
        found[name] = legal
    return found


def _as_in_url(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


_RECORD_FIELDS = (
    *json_records.legal_fields(
        "topic doc", f"start end exhaustivity level nugget {json_records.QUOTE}"
    ),
    json_records.Field("entry_point", (int,), "the offset of a character", required=False),
)


_Highlight = tuple[int, int, str | None, str | None]
"""Start, end, grade and nugget."""
_Stated = tuple[str, list[_Highlight]]
"""The first file and line about a document, and its highlights."""


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
    assessor if necessary.

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
            grades, or the assessor has judged a document before.
    """
    found: dict[tuple[str, str], _Stated] = {}
    finder, has_points = QuoteFinder(corpus), False
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
        highlights = _highlights(record, where, name, finder, grades)
        found.setdefault((topic, name), (where, []))[1].extend(highlights)
        has_points |= "entry_point" in record
    return _save(store, assessor, found) + "; best entry points are left out" * has_points


def _save(store: Store, assessor: str, found: Mapping[tuple[str, str], _Stated]) -> str:
    """Add the documents to the pools and assignments, and save the judgements."""
    by_topic: dict[str, dict[str, tuple[()]]] = {}
    for topic, name in found:
        by_topic.setdefault(topic, {})[name] = ()
    count = 0
    with store.transaction():
        store.add_assessors([assessor])
        store.assign(assessor, by_topic)
        for topic, documents in by_topic.items():
            store.extend_pool(topic, ordered_pool(topic, documents, seed=0))
        for (topic, name), (where, highlights) in found.items():
            old = store.judgement(assessor, topic, name)
            if old.is_started or old.finished:
                raise InputError(
                    where,
                    f"{assessor} has judged {name} for topic {topic}; expected another name with "
                    "--assessor, or a store without this judgement",
                )
            try:
                new = store.replace(assessor, topic, name, highlights, finished=True)
            except InputError:
                raise
            except XcgError as error:
                raise InputError(where, str(error)) from None
            count += len(new.highlights)
    return f"imported {_number(count, 'highlight')} in {_number(len(found), 'judged document')}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _highlights(
    record: dict[str, Any], where: str, name: str, finder: QuoteFinder, grades: Grades
) -> list[_Highlight]:
    """Return the highlight of a record; none if it is not relevant."""
    quote = quote_of(record, where)
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
