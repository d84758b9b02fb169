"""Write the judgements of a store as assessments.

What a format cannot hold is not written, and the notes of the export say so.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import MAX_LINE_BYTES
from xcg.errors import InputError, XcgError, first_names
from xcg.evaluation.conversion import convert_assessments
from xcg.judge.grades import TOO_SMALL, UNGRADED, GradeScheme
from xcg.judge.judgement import JudgedDocument, StoredHighlight
from xcg.judgements.highlights import Highlight, assess, assess_spans
from xcg.judgements.recall_base import RecallBase, Span, topic_key
from xcg.lazy_modules import hashlib
from xcg.tables import json_text

PASSAGES = "passages.jsonl"
OFFSETS = "offsets.qrels"
NOTES = "notes.txt"
_LONGEST_NAME = 80
_SHOWN_NAMES = 3
_RESERVED_NAME = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE | re.ASCII)
_SOURCE = "judgements"


class Export(NamedTuple):
    """The files of an export, and what they do not hold.

    Attributes:
        files: Path below the folder, with ``/`` → content.
        notes: What was left out, one sentence each.
    """

    files: Mapping[str, bytes]
    notes: list[str]


def export(judged: Iterable[JudgedDocument], corpus: Corpus, scheme: GradeScheme) -> Export:
    """Return the judgements of finished documents as files.

    Each assessor has a folder with these files:

    - ``passages.jsonl``: one record per highlight with its quote, and its grade as ``exhaustivity``
      for ``inex-2005`` or else as ``level``; the grade ``?`` is level 0. A document without relevant
      text is a passage of level 0 without quote. The field ``entry_point`` of the passage that is
      nearest to it is the best entry point.
    - ``inex-2004/TOPIC.xml`` and ``inex-2005/TOPIC.xml``: the elements with highlighted text.
    - ``offsets.qrels``: the highlights without grades, and the best entry points.

    Args:
        judged: The judgements.
        corpus: The documents.
        scheme: The grades of the configuration.

    Raises:
        InputError: If a document cannot be read.
    """
    files: dict[str, bytes] = {}
    notes: dict[str, None] = {}
    by_assessor: dict[str, list[JudgedDocument]] = {}
    for one in judged:
        by_assessor.setdefault(one.assessor, []).append(one)
    folders = file_names(by_assessor)
    for assessor, all_documents in by_assessor.items():
        documents = _complete(assessor, all_documents, scheme, notes)
        if not documents:
            notes[f"{assessor}: no finished document, so nothing is written"] = None
            continue
        for name, content in _files(assessor, documents, corpus, scheme, notes).items():
            files[f"{folders[assessor]}/{name}"] = content
    return Export(files, list(notes))


def export_archive(judged: Iterable[JudgedDocument], corpus: Corpus, scheme: GradeScheme) -> bytes:
    """Return an export as a zip archive; its notes are the file ``notes.txt``.

    Equal judgements give equal archives.

    Raises:
        InputError: If a document cannot be read.
    """
    import zipfile

    found = export(judged, corpus, scheme)
    notes = "".join(f"{note}\n" for note in found.notes).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**found.files, **({NOTES: notes} if notes else {})}.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def write_export(
    folder: Path, judged: Iterable[JudgedDocument], corpus: Corpus, scheme: GradeScheme
) -> list[str]:
    """Write an export to a new folder, completely or not at all, and return its notes.

    Raises:
        InputError: If the folder exists and is not empty, or cannot be written; if a document cannot be
            read, or no document is finished.
    """
    target = Path(os.path.realpath(folder))
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(folder, "the folder is not empty: expected a new folder for the export")
        found = export(judged, corpus, scheme)
        if not found.files:
            raise XcgError("no assessor has finished a document: nothing to export")
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f".xcg-export-{secrets.token_hex(8)}.tmp"
        temporary.mkdir()
        try:
            for name, content in found.files.items():
                path = temporary / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            if target.exists():
                target.rmdir()
            temporary.rename(target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except (OSError, ValueError) as error:
        if isinstance(error, XcgError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(folder, f"cannot write the export: {reason}") from None
    return found.notes


def _complete(
    assessor: str,
    documents: Iterable[JudgedDocument],
    scheme: GradeScheme,
    notes: dict[str, None],
) -> list[JudgedDocument]:
    """Return the documents to export by topic and name, and note the others."""
    complete, unfinished, wrong_grade = [], 0, []
    lost, unchecked = [], []
    for one in sorted(documents, key=lambda one: (topic_key(one.topic), one.document)):
        judgement = one.judgement
        name = f"{one.document} (topic {one.topic})"
        if not judgement.finished:
            unfinished += judgement.is_started
            continue
        if not all(scheme.has(highlight.grade) for highlight in judgement.placed):
            wrong_grade.append(name)
            continue
        if judgement.lost:
            lost.append(name)
        if any(highlight.status == "moved" for highlight in judgement.placed):
            unchecked.append(name)
        complete.append(one)
    if unfinished:
        some = "a started document is" if unfinished == 1 else f"{unfinished} started documents are"
        notes[f"{assessor}: {some} not finished and left out"] = None
    for names, problem in (
        (wrong_grade, "documents left out because a grade is not among those of the configuration"),
        (lost, "documents without the highlights whose text was not found in the changed document"),
        (unchecked, "documents with highlights that moved and that nobody has checked"),
    ):
        if names:
            notes[f"{assessor}: {problem}: {first_names(names, _SHOWN_NAMES)}"] = None
    return complete


def _files(
    assessor: str,
    documents: Sequence[JudgedDocument],
    corpus: Corpus,
    scheme: GradeScheme,
    notes: dict[str, None],
) -> dict[str, bytes]:
    """Return the files of an assessor; notes say what they do not hold."""
    files = {PASSAGES: _passages(assessor, documents, corpus, scheme, notes)}
    topics: dict[str, list[JudgedDocument]] = {}
    for one in documents:
        topics.setdefault(one.topic, []).append(one)
    names = file_names(topics)
    for folder, write in (("inex-2004", _inex_2004), ("inex-2005", _inex_2005)):
        if not _holds(folder, scheme):
            notes[f"{assessor}/{folder}: not written; the format cannot hold these grades"] = None
            continue
        for topic, of_topic in topics.items():
            text, lost = write(topic, of_topic, corpus, scheme)
            files[f"{folder}/{names[topic]}.xml"] = text.encode()
            notes.update((f"{assessor}/{folder}: without {one}", None) for one in lost)
    base = _span_base(documents, lambda _: UNGRADED)
    for one in documents:
        if one.judgement.entry_point is not None:
            base.add_entry_point(one.topic, one.document, one.judgement.entry_point)
    try:
        text, lost = base.to_text("offsets", corpus.length)
    except InputError as error:
        notes[f"{assessor}/{OFFSETS}: not written; {error}"] = None
    else:
        files[OFFSETS] = text.encode()
        lost += ["grades"] if scheme.values else []
        lost += _lost_too_small(documents)
        notes.update((f"{assessor}/{OFFSETS}: without {one}", None) for one in lost)
    return files


def _holds(format: str, scheme: GradeScheme) -> bool:
    """Return whether INEX assessments of a year can hold the grades of a scheme.

    The exhaustivity of 2004 has three grades, which that of 2005 cannot hold, and levels are not
    exhaustivity.
    """
    return scheme.name in ("none", "inex-2005") or scheme.name == format == "inex-2004"


def _passages(
    assessor: str,
    documents: Iterable[JudgedDocument],
    corpus: Corpus,
    scheme: GradeScheme,
    notes: dict[str, None],
) -> bytes:
    """Return the judgements as JSON Lines."""
    lines: list[bytes] = []
    for one in documents:
        base = {"topic": one.topic, "doc": one.document}
        judgement = one.judgement
        records: list[dict[str, object]] = [
            base | _span_fields(highlight, scheme) for highlight in judgement.placed
        ]
        if not records:
            records = [base | {"start": 0, "end": corpus.length(one.document), "level": 0}]
        if judgement.entry_point is not None:
            nearest = _nearest(judgement.placed, judgement.entry_point)
            records[nearest]["entry_point"] = judgement.entry_point
        for record in records:
            line = f"{json_text(record)}\n".encode()
            if len(line) > MAX_LINE_BYTES:  # no reader accepts it
                for name in ("exact", "prefix", "suffix"):
                    record.pop(name, None)
                line = f"{json_text(record)}\n".encode()
                notes[f"{assessor}/{PASSAGES}: without the text of passages of 1 MB or more"] = None
            lines.append(line)
    return b"".join(lines)


def _nearest(highlights: Sequence[StoredHighlight], position: int) -> int:
    """Return the index of the highlight that is nearest to a position; 0 without any."""
    distances = [max(one.start - position, position - one.end + 1, 0) for one in highlights]
    return distances.index(min(distances)) if distances else 0


def _span_fields(highlight: StoredHighlight, scheme: GradeScheme) -> dict[str, object]:
    """Return the fields of a record for the position, the grade and the text of a highlight."""
    fields: dict[str, object] = {"start": highlight.start, "end": highlight.end}
    if highlight.grade == TOO_SMALL:
        fields["level"] = 0
    elif highlight.grade is not None:
        fields["exhaustivity" if scheme.name == "inex-2005" else "level"] = int(highlight.grade)
    return fields | {name: text for name, text in highlight.quote._asdict().items() if text}


def _inex_2004(
    topic: str, documents: Sequence[JudgedDocument], corpus: Corpus, scheme: GradeScheme
) -> tuple[str, list[str]]:
    """Return INEX 2004 assessments, as ``xcg convert`` does from highlights or other grades."""
    lost = [*_lost_too_small(documents), *_lost_details(documents)]
    if scheme.name != "inex-2004":
        text, lost_by_format = convert_assessments(
            _span_base(documents, _exhaustivity), "inex2004", corpus
        )
        lost = [one for one in lost if not any(other.startswith(one) for other in lost_by_format)]
        return text, [*lost_by_format, *lost]
    marked = [
        Highlight(topic, one.document, highlight.start, highlight.end, int(highlight.grade or 0))
        for one in documents
        for highlight in one.judgement.placed
    ]
    base = assess(marked, corpus)
    base.add_topic(topic, _SOURCE)
    return base.to_text("inex2004")[0], lost


def _inex_2005(
    topic: str, documents: Sequence[JudgedDocument], corpus: Corpus, scheme: GradeScheme
) -> tuple[str, list[str]]:
    """Return INEX 2005 assessments of the elements with highlighted text."""
    base = RecallBase()
    base.add_topic(topic, _SOURCE)
    for one in documents:
        tree = corpus.tree(one.document)
        spans = [Span(h.start, h.end, _exhaustivity(h)) for h in one.judgement.placed]
        for row, assessment in assess_spans(tree, spans).items():
            base.add(topic, one.document, tree.paths[row], assessment, _SOURCE)
    return base.to_text("inex2005")[0], _lost_details(documents)


def _lost_details(documents: Iterable[JudgedDocument]) -> list[str]:
    """Return descriptions of what assessments of elements do not hold."""
    judgements = [one.judgement for one in documents]
    lost = {
        "the beginnings and ends of passages": any(one.placed for one in judgements),
        "best entry points": any(one.entry_point is not None for one in judgements),
        "assessed documents without relevant text": not all(one.placed for one in judgements),
    }
    return [name for name, is_lost in lost.items() if is_lost]


def _lost_too_small(documents: Iterable[JudgedDocument]) -> list[str]:
    grades = (highlight.grade for one in documents for highlight in one.judgement.placed)
    return [f"highlights with the grade {TOO_SMALL}"] if TOO_SMALL in grades else []


def _exhaustivity(highlight: StoredHighlight) -> float:
    """Return the exhaustivity of INEX 2005; 0 for the grade ``?``."""
    if highlight.grade is None:
        return UNGRADED
    return 0.0 if highlight.grade == TOO_SMALL else float(highlight.grade)


def _span_base(
    documents: Iterable[JudgedDocument], exhaustivity: Callable[[StoredHighlight], float]
) -> RecallBase:
    """Return the highlights with the given exhaustivity, without too small ones."""
    base = RecallBase()
    for one in documents:
        base.add_topic(one.topic, _SOURCE)
        placed = [h for h in one.judgement.placed if h.grade != TOO_SMALL]
        spans = [Span(h.start, h.end, exhaustivity(h)) for h in placed]
        base.add_spans(one.topic, one.document, spans, _SOURCE)
    return base


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
        if _RESERVED_NAME.fullmatch(legal):
            legal = _as_in_url(legal[0]) + legal[1:]
        key = unicodedata.normalize("NFKC", legal).casefold()
        if key in known or len(legal.encode()) > _LONGEST_NAME:
            digest = hashlib.sha256(name.encode()).hexdigest()[:16]
            short = legal.encode()[: _LONGEST_NAME - len(digest)].decode(errors="ignore")
            legal = f"{short}-{digest}"
            key = unicodedata.normalize("NFKC", legal).casefold()
        known.add(key)
        found[name] = legal
    return found


def _as_in_url(match: re.Match[str] | str) -> str:
    text = match if isinstance(match, str) else match[0]
    return "".join(f"%{byte:02X}" for byte in text.encode())
