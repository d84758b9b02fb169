"""Write the judgements of a store as assessments.

What a format cannot hold is not written, and the notes of the export say so.
"""

from __future__ import annotations

import io
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import MAX_LINE_BYTES
from xcg.errors import InputError, XcgError, first_names
from xcg.evaluation.conversion import assess_elements_of_passages, convert_assessments
from xcg.judge.agreement import ADJUDICATED, Decisions, disagreements, gold
from xcg.judge.judgement import JudgedDocument, StoredHighlight
from xcg.judge.settings import TOO_SMALL, UNGRADED, GradeScheme
from xcg.judgements.assessment import ParsedPassage
from xcg.judgements.highlights import Highlight, assess
from xcg.judgements.recall_base import RecallBase, Span, topic_key
from xcg.lazy_modules import hashlib
from xcg.tables import json_text

_PASSAGES = "passages.jsonl"
_OFFSETS = "offsets.qrels"
_REMARKS = "remarks.jsonl"
_LONGEST_NAME = 80
_SHOWN_NAMES = 3
_RESERVED_NAME = re.compile(r"\A(con|prn|aux|nul|com\d|lpt\d)(\..*)?\Z", re.IGNORECASE | re.ASCII)
_SOURCE = "judgements"
_OTHER_FIELDS_BYTES = 10_000

_Written = tuple[str, str, list[str]]
"""The path of a file in the folder of an assessor, its text, and what it does not hold."""


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
    scheme: GradeScheme,
    rule: str | None = None,
    decisions: Decisions = MappingProxyType({}),
) -> Export:
    """Return the judgements of finished documents as files.

    Each assessor, or the gold, has a folder with these files:

    - ``passages.jsonl``: one record per highlight with its quote and its grade; the grade ``?`` is
      level 0, and no grade is exhaustivity 2. A document without relevant text is a passage of level 0.
    - ``inex-2004/TOPIC.xml`` and ``inex-2005/TOPIC.xml``: the elements with highlighted text.
    - ``offsets.qrels``: the highlights without grades, and the best entry points.
    - ``remarks.jsonl``: one record per document with a note, with doubts, that was skipped, or whose
      time is known; also of documents that are not finished. The gold has none.
    - ``decisions.jsonl``: of adjudicated gold, one record per disagreement: what each assessor says,
      what was decided, by whom and when.

    Args:
        judged: The judgements.
        corpus: The documents.
        scheme: The grades of the configuration.
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
    complete = {assessor: _complete(by_assessor[assessor], scheme) for assessor in by_assessor}
    notes = [f"{name}: {problem}" for name, (_, problems) in complete.items() for problem in problems]
    if rule:
        finished = [one for documents, _ in complete.values() for one in documents]
        merged, problems = gold(finished, rule, corpus, decisions)
        found = export(merged, corpus, scheme)
        kept = {name: found.files[name] for name in found.files if not name.endswith(_REMARKS)}
        if rule == ADJUDICATED and (lines := _decisions(finished, corpus, decisions)):
            kept[f"{rule}/decisions.jsonl"] = lines
        return Export(kept, [*notes, *problems, *found.notes])
    files: dict[str, bytes] = {}
    folders = file_names(complete)
    for assessor, (documents, _) in complete.items():
        written = _files(documents, corpus, scheme) if documents else ()
        for name, text, lost in [_remarks(by_assessor[assessor]), *written]:
            if text:
                files[f"{folders[assessor]}/{name}"] = text.encode()
            notes += [f"{assessor}/{name.partition('/')[0]}: {note}" for note in lost]
    return Export(files, list(dict.fromkeys(notes)))


def _remarks(documents: Iterable[JudgedDocument]) -> _Written:
    """Return what assessors say about their judgements, and how they worked."""
    fields = ("unsure", "skipped", "note", "seconds", "words_marked")
    records = [
        {"topic": topic, "doc": name, "finished": one.finished}
        | {key: vars(one)[key] for key in fields}
        for _, topic, name, one in documents
        if any(vars(one)[key] for key in fields)
    ]
    return _REMARKS, "".join(f"{json_text(record)}\n" for record in records), []


def _decisions(judged: Sequence[JudgedDocument], corpus: Corpus, decisions: Decisions) -> bytes:
    """Return the decisions that hold; their spans are empty for best entry points."""
    records = [
        {"topic": topic, "doc": different.document, "start": one.start, "end": one.end}
        | {"labels": one.labels, **one.decision._asdict()}
        for topic in dict.fromkeys(one.topic for one in judged)
        for different in disagreements(judged, topic, corpus, decisions)
        for one in different.disagreements
        if one.decision
    ]
    return "".join(f"{json_text(record)}\n" for record in records).encode()


def export_archive(found: Export) -> bytes:
    """Return an export as a zip archive; its notes are the file ``notes.txt``.

    Equal judgements give equal archives.
    """
    import zipfile

    notes = "".join(f"{note}\n" for note in found.notes).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**found.files, **({"notes.txt": notes} if notes else {})}.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


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
    documents: Iterable[JudgedDocument], scheme: GradeScheme
) -> tuple[list[JudgedDocument], list[str]]:
    """Return the documents to export by topic and name, and notes on the others."""
    complete = []
    problems: dict[str, list[str]] = {}
    for one in sorted(documents, key=lambda one: (topic_key(one.topic), one.document)):
        judgement, problem = one.judgement, ""
        if not judgement.finished:
            if judgement.is_started:
                problem = "started documents that are not finished, left out"
        elif not all(scheme.has(highlight.grade) for highlight in judgement.placed):
            problem = "documents left out because a grade is not among those of the configuration"
        else:
            complete.append(one)
            if judgement.lost:
                problem = (
                    "documents without the highlights whose text was not found in the changed document"
                )
            elif judgement.to_check:
                problem = "documents with highlights that moved and that nobody has checked"
        if problem:
            problems.setdefault(problem, []).append(f"{one.document} (topic {one.topic})")
    notes = [f"{problem}: {first_names(names, _SHOWN_NAMES)}" for problem, names in problems.items()]
    return complete, notes if complete else [*notes, "no finished document, so nothing is written"]


def _files(
    documents: Sequence[JudgedDocument], corpus: Corpus, scheme: GradeScheme
) -> Iterator[_Written]:
    """Yield the files of an assessor; a file that cannot be written has no text."""
    yield _passages(documents, corpus)
    topics = {topic: list(those) for topic, those in groupby(documents, attrgetter("topic"))}
    names = file_names(topics)
    for folder in ("inex-2004", "inex-2005"):
        # The exhaustivity of 2004 has three grades, which that of 2005 cannot hold, and levels are not
        # exhaustivity.
        if not (scheme.name in ("none", "inex-2005") or scheme.name == folder == "inex-2004"):
            yield folder, "", ["not written; the format cannot hold these grades"]
            continue
        for topic, of_topic in topics.items():
            text, lost = _elements(folder, topic, of_topic, corpus, scheme)
            yield f"{folder}/{names[topic]}.xml", text, [f"without {one}" for one in lost]
    try:
        text, lost = _base(documents).to_text("offsets", corpus.length)
    except InputError as error:
        yield _OFFSETS, "", [f"not written; {error}"]
    else:
        yield _OFFSETS, text, [f"without {one}" for one in [*lost, *_lost_too_small(documents)]]


def _base(documents: Iterable[JudgedDocument], *, too_small: bool = False) -> RecallBase:
    """Return the highlights, those of grade ``?`` only if asked for, and the best entry points."""
    base = RecallBase()
    for _, topic, name, judgement in documents:
        base.add_topic(topic, _SOURCE)
        marks = [one for one in judgement.placed if too_small or one.grade != TOO_SMALL]
        base.add_spans(topic, name, (_span(one) for one in marks if not _states_nugget(one)), _SOURCE)
        for one in filter(_states_nugget, marks):
            start, end, level = _span(one)
            passage = ParsedPassage(None, (start, end), level, one.nugget)
            base.add_stated(topic, name, passage, _SOURCE)
        if judgement.entry_point is not None:
            base.add_entry_point(topic, name, judgement.entry_point)
    return base


def _span(highlight: StoredHighlight) -> Span:
    """Return a highlight with its exhaustivity or level; 0 for the grade ``?``."""
    level = UNGRADED if highlight.grade is None else 0.0
    if highlight.grade not in (None, TOO_SMALL):
        level = float(highlight.grade)
    return Span(highlight.start, highlight.end, level)


def _states_nugget(highlight: StoredHighlight) -> bool:
    return highlight.nugget is not None and highlight.grade != TOO_SMALL


def _passages(documents: Sequence[JudgedDocument], corpus: Corpus) -> _Written:
    """Return all highlights with their text; documents without any are passages of level 0."""
    base, lost = _base(documents, too_small=True), []
    for _, topic, name, judgement in documents:
        if not judgement.placed:
            base.add_spans(topic, name, [Span(0, corpus.length(name), 0.0)], _SOURCE)
        for mark in judgement.placed:
            if len(json_text(mark.quote).encode()) < MAX_LINE_BYTES - _OTHER_FIELDS_BYTES:
                base.texts[topic, name, _span(mark)] = mark.quote
            else:  # no reader accepts the line
                lost = ["without the text of passages of 1 MB or more"]
    return _PASSAGES, base.to_text("jsonl")[0], lost


def _elements(
    folder: str, topic: str, documents: Sequence[JudgedDocument], corpus: Corpus, scheme: GradeScheme
) -> tuple[str, list[str]]:
    """Return the elements with highlighted text as INEX assessments of a year.

    Those of 2004 are as by ``xcg convert --as elements`` or, from other grades, ``xcg convert``.
    """
    if folder == "inex-2005":
        base = assess_elements_of_passages(_base(documents, too_small=True), corpus)
        return base.to_text("inex2005")[0], _lost_details(documents)
    if scheme.name != "inex-2004":
        text, lost = convert_assessments(_base(documents), "inex2004", corpus)
        return text, [*lost, *_lost_too_small(documents)]
    marks = (
        Highlight(topic, one.document, mark.start, mark.end, int(mark.grade or 0))
        for one in documents
        for mark in one.judgement.placed
    )
    base = assess(marks, corpus)
    base.add_topic(topic, _SOURCE)
    return base.to_text("inex2004")[0], _lost_details(documents)


def _lost_details(documents: Iterable[JudgedDocument]) -> list[str]:
    """Return descriptions of what assessments of elements do not hold."""
    judgements = [one.judgement for one in documents]
    lost = {
        "the beginnings and ends of passages": any(one.placed for one in judgements),
        "best entry points": any(one.entry_point is not None for one in judgements),
        "nuggets": any(mark.nugget for one in judgements for mark in one.placed),
        "assessed documents without relevant text": not all(one.placed for one in judgements),
    }
    return [name for name, is_lost in lost.items() if is_lost]


def _lost_too_small(documents: Iterable[JudgedDocument]) -> list[str]:
    grades = (highlight.grade for one in documents for highlight in one.judgement.placed)
    return [f"highlights with the grade {TOO_SMALL}"] if TOO_SMALL in grades else []


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return name → the name of a file or folder that is legal, and different on every file system.

    Characters other than letters, digits, ``.``, ``-`` and ``_`` are written as in URLs.

    >>> file_names(["anna", "../ben", "Anna", "nul"])
    {'anna': 'anna', '../ben': '%2E.%2Fben', 'Anna': 'Anna-bf4fccd616251b67', 'nul': '%6Eul'}
    """
    found: dict[str, str] = {}
    known: set[str] = set()
    for name in names:
        legal = re.sub(r"[^\w.-]|^[.-]|\.$", _as_in_url, name)
        legal = _RESERVED_NAME.sub(lambda match: f"%{ord(match[0][0]):02X}{match[0][1:]}", legal)
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
