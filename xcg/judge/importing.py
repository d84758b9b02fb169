"""Read assessments of passages into a store, all or none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike, expand, open_input
from xcg.documents.text_search import Location, Quote, Span, TextIndex, states_span
from xcg.documents.tree import UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError, XcgError, nearest
from xcg.formats.base import read_assessments
from xcg.formats.json_records import (
    QUOTE_FIELDS,
    TOPIC_AND_DOCUMENT,
    Field,
    check_record,
    document_name,
    json_lines,
    quote_of,
)
from xcg.formats.moved_passages import MovedPassage, compare_with_neighbours
from xcg.judge.grades import TOO_SMALL, UNGRADED, GradeScheme
from xcg.judge.judgement import Judgement
from xcg.judge.pools import ordered_pool
from xcg.judge.store import Store
from xcg.judgements.recall_base import RecallBase
from xcg.runs.chunk_documents import missing_document

_RECORD_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    Field("start", (int,), "a whole number", required=False),
    Field("end", (int,), "a whole number", required=False),
    Field("exhaustivity", (int,), "a whole number", required=False),
    Field("level", (int, float), "a level of relevance", required=False),
    Field("entry_point", (int,), "the offset of a character", required=False),
    *QUOTE_FIELDS,
)
_SHOWN = 60

GradedSpans = tuple[tuple[int, int, str | None], ...]
"""Start, end and grade of highlights, in order."""
Content = tuple[GradedSpans, int | None]
"""The highlights of a document and its best entry point."""


class _Passage(NamedTuple):
    """A highlight to import; it has a span, a quote, or both."""

    where: str
    span: Span | None
    quote: Quote | None
    grade: str | None


@dataclass
class _Document:
    """What the files state about a document for a topic."""

    where: str
    passages: list[_Passage] = field(default_factory=list)
    entry_point: int | None = None


_Documents = dict[tuple[str, str], _Document]
"""Topic and document → what the files state."""


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
    with passages. Passages that state their text are placed by it if the document has another text at
    their position. The documents of the files are then finished, and added to the pools and to the
    topics of the assessor if necessary. Documents that the assessor has judged equally are unchanged.

    Args:
        paths: Files, folders and globs.
        store: The store.
        assessor: The assessor.
        corpus: The documents.
        scheme: The grades of the configuration.
        topics: The legal topics.

    Returns:
        Notes: the numbers of documents and highlights, and passages to check.

    Raises:
        InputError: If a file, a record or a grade is illegal, a topic or document is unknown, a passage
            cannot be placed, passages overlap with different grades, or the assessor has judged a
            document differently.
    """
    found: _Documents = {}
    notes = Notes()
    for path in expand(paths, "assessments"):
        _read(path, found, corpus, scheme, notes)
    contents = _contents(found, corpus, topics, notes)
    known: dict[tuple[str, str], Judgement] = {}
    if assessor in store.assessors():
        known = {(one.topic, one.document): one.judgement for one in store.judgements(assessor)}
    changed = {
        key: content
        for key, content in contents.items()
        if key not in known or _is_change(known[key], content, found[key].where, assessor, *key)
    }
    _save(store, assessor, found, changed)
    count = sum(len(highlights) for highlights, _ in changed.values())
    summary = f"imported {_number(count, 'highlight')} in {_number(len(changed), 'judged document')}"
    unchanged = len(found) - len(changed)
    return [f"{summary}; {unchanged} unchanged" if unchanged else summary, *notes.lines()]


def _contents(
    found: _Documents, corpus: Corpus, topics: Collection[str], notes: Notes
) -> dict[tuple[str, str], Content]:
    """Return the placed highlights of each topic and document, reading each document once."""
    by_document: dict[str, list[str]] = {}
    for (topic, name), document in found.items():
        if topic not in topics:
            raise InputError(document.where, f"unknown topic {topic!r}: {nearest(topic, topics)}")
        if name not in corpus:
            raise UnmappedError(document.where, missing_document(name, corpus, is_result=False))
        by_document.setdefault(name, []).append(topic)
    contents = {}
    problems: list[tuple[str, str]] = []
    for name in corpus.prepared(list(by_document)):
        index = TextIndex(corpus.tree(name).text)
        for topic in by_document[name]:
            contents[topic, name] = _placed(found[topic, name], name, index, notes, problems)
    if problems:
        (where, problem), *others = problems
        more = f"; {len(others)} more passages have no position" if others else ""
        raise UnmappedError(where, f"{problem}{more}")
    return contents


def _save(
    store: Store, assessor: str, found: _Documents, changed: Mapping[tuple[str, str], Content]
) -> None:
    """Add the documents to the pools and assignments, and save what has changed."""
    by_topic: dict[str, dict[str, tuple[()]]] = {}
    for topic, name in found:
        by_topic.setdefault(topic, {})[name] = ()
    with store.transaction():
        store.add_assessors([assessor])
        store.assign(assessor, by_topic)
        for topic, documents in by_topic.items():
            store.extend_pool(topic, ordered_pool(topic, documents, seed=0))
        for (topic, name), (highlights, entry_point) in changed.items():
            try:
                store.replace(assessor, topic, name, highlights, entry_point, finished=True)
            except InputError:
                raise
            except XcgError as error:
                raise InputError(found[topic, name].where, str(error)) from None


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _is_change(
    old: Judgement, content: Content, where: str, assessor: str, topic: str, name: str
) -> bool:
    """Return whether a document is to be changed.

    Raises:
        InputError: If the assessor has judged it differently.
    """
    if old.finished and not old.lost and _content(old) == content:
        return False
    if old.is_started or old.finished:
        raise InputError(
            where,
            f"{assessor} has judged {name} differently for topic {topic}; expected another name with "
            "--assessor, or a store without this judgement",
        )
    return True


def _content(judgement: Judgement) -> Content:
    spans = tuple((one.start, one.end, one.grade) for one in judgement.placed)
    return spans, judgement.entry_point


def _read(path: Path, found: _Documents, corpus: Corpus, scheme: GradeScheme, notes: Notes) -> None:
    """Add what a file states."""
    with open_input(path) as file:
        is_json = file.peek(1).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
        if is_json:
            for where, record in json_lines(file, path):
                _add_record(found, record, where, scheme)
            return
    base = read_assessments([path], notes)
    for topic in base.topics:
        where = f"{path}, topic {topic}"
        try:
            _add_topic(found, base, topic, corpus, scheme, where)
        except UnknownPathError as error:
            raise UnmappedError(where, str(error)) from None


def _add_topic(
    found: _Documents, base: RecallBase, topic: str, corpus: Corpus, scheme: GradeScheme, where: str
) -> None:
    """Add what a file that is not JSON Lines states about a topic."""
    for name, passages in _passages_of(base, topic, corpus, where):
        document = found.setdefault((topic, name), _Document(f"{where}, {name}"))
        document.passages += [
            _Passage(document.where, span, None, _grade(None, scheme, where)) for span in passages
        ]
        point = base.entry_points(topic).get(name)
        if point is not None:
            offset = point if isinstance(point, int) else point.character(corpus.tree(name))
            _set_entry_point(document, offset, document.where)


def _add_record(found: _Documents, record: dict[str, Any], where: str, scheme: GradeScheme) -> None:
    """Add a record in JSON Lines."""
    if "path" in record:
        raise InputError(where, "an assessed element: expected passages, with start and end or a text")
    check_record(record, _RECORD_FIELDS, where)
    quote, name = quote_of(record, where), document_name(record, where)
    has_span = "start" in record or "end" in record
    span = None
    if has_span:
        for key in ("start", "end"):
            if key not in record:
                raise InputError(where, f"the field {key!r} is missing")
        span = record["start"], record["end"]
    document = found.setdefault((str(record["topic"]), name), _Document(where))
    if "level" in record and "exhaustivity" in record:
        raise InputError(where, "the fields 'level' and 'exhaustivity': expected one of them")
    value = record.get("level", record.get("exhaustivity"))
    is_irrelevant = value is not None and value <= 0
    if not (is_irrelevant and (quote is None or TOO_SMALL not in scheme.values)):
        if span is None and quote is None:
            raise InputError(where, "the field 'start' is missing")
        document.passages.append(_Passage(where, span, quote, _grade(value, scheme, where)))
    if "entry_point" in record:
        _set_entry_point(document, record["entry_point"], where)


def _set_entry_point(document: _Document, offset: int, where: str) -> None:
    if document.entry_point not in (None, offset):
        message = f"another best entry point than {document.entry_point}: expected one per document"
        raise InputError(where, message)
    document.entry_point = offset


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


def _passages_of(
    base: RecallBase, topic: str, corpus: Corpus, where: str
) -> Iterator[tuple[str, list[Span]]]:
    """Yield each document with its passages, as character spans."""
    elements, passages = base.files(topic), base.passages(topic)
    for name in elements:
        if name not in passages and any(one.relevant for one in elements[name].values()):
            raise InputError(where, f"{name} has assessed elements without passages: expected passages")
    for name, spans in base.spans(topic).items():
        sizes = base.document_sizes(topic).get(name)
        if not spans and sizes is not None and sizes.relevant:
            message = f"{name} has {sizes.relevant} relevant characters without passages"
            raise InputError(where, f"{message}: expected offset:length")
        yield name, [(span.start, span.end) for span in spans]
    for name in dict.fromkeys([*elements, *passages]):
        if name not in corpus:
            raise UnmappedError(where, missing_document(name, corpus, is_result=False))
        tree = corpus.tree(name)
        yield name, [one.characters(tree) for one in passages.get(name, ())]


def _placed(
    document: _Document, name: str, index: TextIndex, notes: Notes, problems: list[tuple[str, str]]
) -> Content:
    """Return the highlights of a document at the positions of their text, and its best entry point.

    Args:
        document: What the files state about the document.
        name: Its name.
        index: Its text.
        notes: Takes notes on passages to check.
        problems: Takes the positions and descriptions of passages that are not found.

    Raises:
        InputError: If passages with different grades overlap, or a position is not in the document.
    """
    passages = document.passages
    located = [_located(passage, name, index) for passage in passages]
    moved = compare_with_neighbours(located, index.text)
    spans: list[tuple[Span, _Passage]] = []
    for passage, place in zip(passages, moved, strict=True):
        location = place.location
        if not location.is_found:
            problems.append((passage.where, _problem(name, place)))
            continue
        if not index.text[location.start : location.end].strip():
            notes.oddity("passages without text, which are left out", passage.where, name)
            continue
        if place.is_doubtful:
            notes.warning(
                f"{passage.where}: placed at {location.start}–{location.end} of {name}, unlike the "
                "passages around it; check it"
            )
        elif place.old_start not in (None, location.start):
            moved_to = f"{name}, from {place.old_start} to {location.start}"
            notes.oddity("passages that moved with their text", passage.where, moved_to)
        spans.append(((location.start, location.end), passage))
    if problems:  # nothing is imported
        return (), None
    entry_point = _entry_point(document, moved, index, notes)
    highlights = _joined(spans, notes)
    return highlights, entry_point if highlights else None


def _located(passage: _Passage, name: str, index: TextIndex) -> MovedPassage:
    """Return where a passage is: at its span if its text is there, or else where its text is found."""
    where, span, quote, _ = passage
    if quote is not None and not quote.exact.strip():
        raise InputError(where, "the text of the passage is empty")
    if span is not None:
        start, end = span
        if not 0 <= start <= end:
            raise InputError(where, f"start {start} and end {end}: expected 0 <= start <= end")
        if quote is None and end > len(index.text):
            message = f"the passage {start}–{end}: {name} has {len(index.text)} characters"
            raise UnmappedError(where, message)
        if quote is None or states_span(index.text, start, end, quote.exact):
            stated = Quote(index.text[start:end]) if quote is None else quote
            return MovedPassage(stated, start, Location("exact", start, end))
    assert quote is not None
    old_start = None if span is None else span[0]
    try:
        return MovedPassage(quote, old_start, index.locate(quote, old_start=old_start))
    except XcgError as error:  # the text occurs too often
        raise UnmappedError(where, f"{name}: {error}") from None


def _problem(name: str, passage: MovedPassage) -> str:
    shown = f"{passage.quote.exact[:_SHOWN]!r}"
    if passage.location.status == "ambiguous":
        return (
            f"{passage.location.occurrence_list} of {shown} in {name}; expected its prefix and suffix"
        )
    return f"{name} does not contain {shown}; xcg place --update --fuzzy 0.9 finds similar text"


def _joined(spans: Sequence[tuple[Span, _Passage]], notes: Notes) -> GradedSpans:
    """Return highlights by position; overlapping passages with the same grade become one."""
    joined: list[tuple[int, int, str | None]] = []
    last: _Passage | None = None
    for (start, end), passage in sorted(spans, key=lambda one: one[0]):
        if last is not None and start < joined[-1][1]:
            first, earlier_end, grade = joined[-1]
            if grade != passage.grade:
                message = f"overlaps the passage {first}–{earlier_end} ({last.where}) of another grade"
                raise InputError(passage.where, f"the passage {start}–{end} {message}")
            kind = "overlapping passages with the same grade, which are joined"
            notes.oddity(kind, passage.where, f"{first}–{max(earlier_end, end)}")
            joined[-1] = first, max(earlier_end, end), grade
        else:
            joined.append((start, end, passage.grade))
        last = passage
    return tuple(joined)


def _entry_point(
    document: _Document, moved: Sequence[MovedPassage], index: TextIndex, notes: Notes
) -> int | None:
    """Return the best entry point; it moves as far as the passage that is nearest to it."""
    position = document.entry_point
    if position is None:
        return None
    shifts = [
        (abs(one.old_start - position), one.location.start - one.old_start)
        for one in moved
        if one.old_start is not None
    ]
    _, shift = min(shifts, default=(0, 0))
    if shift:
        moved_to = f"from {position} to {position + shift}"
        notes.oddity("best entry points that moved with a passage", document.where, moved_to)
    if not 0 <= position + shift < len(index.text):
        message = f"the best entry point is {position}: the document has {len(index.text)} characters"
        raise InputError(document.where, message)
    return position + shift
