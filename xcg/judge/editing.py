"""The operations that change a judgement, as functions of the judgement and the document's text.

Every highlight contains a character other than white space, and highlights do not overlap; they may
touch. The parts of a highlight that is cut have no white space at their ends. A highlight that an
operation changes counts as placed, also if it was moved or lost before.

A finished document stays finished if it is changed, with one exception: if it gets its first highlight
or loses its last one, it is unfinished again. "Nothing relevant" is always stated, never the result of
a deletion.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import NoneType
from typing import Any

from xcg.documents.text_search import Span
from xcg.errors import XcgError, nearest
from xcg.formats.json_records import MAX_NUMBER
from xcg.judge.judgement import Judgement, StoredHighlight, in_order, quote_at

MAX_HIGHLIGHTS = 5000
"""Maximum number of highlights of a document for one topic and assessor."""
MAX_NOTE = 2000
"""Maximum number of characters of a note."""


def add(judgement: Judgement, text: str, start: int, end: int, grade: str | None = None) -> Judgement:
    """Highlight a passage: join it with overlapping highlights of its grade, and cut the others.

    Without a grade, it is joined with all of them, and has the grade of the first. The joined highlight
    has the id and the nugget of the first of them.
    """
    _check_span(text, start, end)
    touched = _touched(judgement, start, end)
    joined = [one for one in touched if grade in (None, one.grade)]
    parts = _cut(judgement, text, [one for one in touched if one not in joined], start, end)
    if joined:
        start, end = min(start, joined[0].start), max(end, joined[-1].end)
        grade = joined[0].grade if grade is None else grade
    kept = {one.id for one in parts}
    replaced = [one.id for one in joined or touched if one.id not in kept]
    number = replaced[0] if replaced else _next_id((*judgement.highlights, *parts))
    nugget = joined[0].nugget if joined else None
    return _changed(judgement, touched, [*parts, highlight(text, number, start, end, grade, nugget)])


def resize(judgement: Judgement, text: str, id: int, start: int, end: int) -> Judgement:
    """Move the start and the end of a highlight; a lost highlight is placed there."""
    old = _find(judgement, id)
    _check_span(text, start, end)
    for other in judgement.placed:
        if other is not old and other.start < end and start < other.end:
            raise XcgError(
                f"{start}–{end} overlaps the highlight {other.start}–{other.end}; highlights of a "
                "document do not overlap"
            )
    return _changed(judgement, [old], [highlight(text, id, start, end, *_labels(old))])


def erase(judgement: Judgement, text: str, start: int, end: int) -> Judgement:
    """Remove a passage from all highlights: they are shortened, split or deleted.

    The first part of a highlight that is split keeps its id. Parts with only white space are removed.
    """
    _check_span(text, start, end, has_text=False)
    touched = _touched(judgement, start, end)
    return _changed(judgement, touched, _cut(judgement, text, touched, start, end))


def delete(judgement: Judgement, text: str, id: int) -> Judgement:
    """Delete a highlight."""
    return _changed(judgement, [_find(judgement, id)], [])


def grade(judgement: Judgement, text: str, id: int, grade: str | None) -> Judgement:
    """Change the grade of a highlight."""
    old = _find(judgement, id)
    new = old._replace(grade=grade, status="lost" if old.is_lost else "placed")
    return _changed(judgement, [old], [new])


def nugget(judgement: Judgement, text: str, id: int, nugget: str | None) -> Judgement:
    """Change the nugget that a highlight states."""
    old = _find(judgement, id)
    return _changed(judgement, [old], [old._replace(nugget=nugget)])


def confirm(judgement: Judgement, text: str, id: int) -> Judgement:
    """State that a moved highlight has the right position."""
    old = _find(judgement, id)
    if old.is_lost:
        raise XcgError(
            f"the highlight {id} has lost its text: expected its deletion, or a new position for it"
        )
    return _changed(judgement, [old], [old._replace(status="placed")])


def finish(judgement: Judgement, text: str, finished: bool) -> Judgement:
    """State whether the document is finished; without highlights, nothing in it is relevant."""
    if finished and judgement.lost:
        raise XcgError(
            "a highlight has lost its text because the document has changed: expected its deletion, or "
            "a new position for it, before the document is finished"
        )
    skipped = judgement.skipped and not finished
    return replace(judgement, finished=finished, skipped=skipped)


def skip(judgement: Judgement, text: str, skipped: bool) -> Judgement:
    """State whether the assessor passes the document over, which is then unfinished."""
    return replace(judgement, skipped=skipped, finished=judgement.finished and not skipped)


def unsure(judgement: Judgement, text: str, unsure: bool) -> Judgement:
    """State whether the assessor doubts the judgement."""
    return replace(judgement, unsure=unsure)


def note(judgement: Judgement, text: str, note: str) -> Judgement:
    """Replace the remark of the assessor."""
    if len(note) > MAX_NOTE:
        raise XcgError(f"the note has {len(note)} characters: expected at most {MAX_NOTE}")
    return replace(judgement, note=note.encode("utf-8", "replace").decode())


OPERATIONS: dict[str, Callable[..., Judgement]] = {
    function.__name__: function
    for function in (
        *(add, resize, erase, delete, grade, nugget, confirm),
        *(finish, skip, unsure, note),
    )
}
"""Name → operation: a function of the judgement, the document's text and its fields."""

_LEGAL: Mapping[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "a whole number"),
    "str | None": ((str, NoneType), "text or null"),
    "str": ((str,), "text"),
    "bool": ((bool,), "true or false"),
}
"""Annotation of a field → the types of its values, and their description for messages."""


def fields_of(operation: str) -> dict[str, inspect.Parameter]:
    """Return the fields of an operation: the parameters of its function after the text.

    >>> list(fields_of("resize"))
    ['id', 'start', 'end']
    """
    return dict(list(inspect.signature(OPERATIONS[operation]).parameters.items())[2:])


UNDO, REDO = "undo", "redo"
"""The operations of the store that have no fields and use the history of a judgement."""


def check_operation(operation: str, values: Mapping[str, object]) -> None:
    """Check the name of an operation, and the names and types of its fields.

    Raises:
        XcgError: If the name is unknown, or a field is unknown, missing or of the wrong type.

    >>> check_operation("delete", {"id": 1})
    >>> check_operation("delete", {"id": "1"})
    Traceback (most recent call last):
    ...
    xcg.errors.XcgError: the field 'id' of 'delete' is '1': expected a whole number
    """
    if operation not in (names := [*OPERATIONS, UNDO, REDO]):
        raise XcgError(f"unknown operation {operation[:40]!r}: {nearest(operation[:40], names)}")
    fields = fields_of(operation) if operation in OPERATIONS else {}
    for name in values:
        if name not in fields:
            expected = nearest(name[:40], fields) if fields else "expected no fields"
            raise XcgError(f"unknown field {name[:40]!r} of {operation!r}: {expected}")
    for name, field in fields.items():
        if name not in values:
            if field.default is field.empty:
                raise XcgError(f"the field {name!r} of {operation!r} is missing")
            continue
        value = values[name]
        types, expected = _LEGAL[field.annotation]
        if type(value) not in types or (isinstance(value, int) and abs(value) > MAX_NUMBER):
            shown = repr(value) if isinstance(value, (str, int, float)) else type(value).__name__
            problem = f"the field {name!r} of {operation!r} is {shown[:40]}"
            raise XcgError(f"{problem}: expected {expected}")


def edit(judgement: Judgement, text: str, operation: str, values: Mapping[str, Any]) -> Judgement:
    """Apply an operation other than undo and redo.

    Args:
        judgement: The judgement.
        text: The text of the document.
        operation: A name in :data:`OPERATIONS`.
        values: Its fields.

    Returns:
        The changed judgement with the same version.

    Raises:
        XcgError: If the operation, a field or its value is illegal.

    >>> text = "Bees dance. Ants walk."
    >>> changed = edit(Judgement(), text, "add", {"start": 0, "end": 11, "grade": "2"})
    >>> changed = edit(changed, text, "erase", {"start": 4, "end": 5})
    >>> [(one.id, one.start, one.end, one.grade) for one in changed.highlights]
    [(1, 0, 4, '2'), (2, 5, 11, '2')]
    """
    check_operation(operation, values)
    return OPERATIONS[operation](judgement, text, **values)


def new_judgement(text: str, highlights: Iterable[tuple[Any, ...]], finished: bool) -> Judgement:
    """Return a judgement of a document, as files of assessments state it.

    Overlapping highlights of the same grade and nugget become one.

    Args:
        text: The text of the document.
        highlights: Start, end and grade of each highlight, and optionally its nugget.
        finished: Whether the document is finished.

    Raises:
        XcgError: If highlights of different grades overlap, or one has no text or exceeds the document.
    """
    placed: list[StoredHighlight] = []
    for start, end, *labels in sorted(highlights, key=lambda one: one[:2]):
        _check_span(text, start, end)
        last = placed.pop() if placed and start < placed[-1].end else None
        if last is not None and _labels(last) != (*labels, None)[:2]:
            other = f"the highlight {last.start}–{last.end} of another grade or nugget"
            raise XcgError(f"the highlight {start}–{end} overlaps {other}")
        span = (start, end) if last is None else (last.start, max(last.end, end))
        placed.append(highlight(text, len(placed) + 1, *span, *labels))
    return finish(_changed(Judgement(), [], placed), text, finished)


def highlight(
    text: str, id: int, start: int, end: int, grade: str | None, nugget: str | None = None
) -> StoredHighlight:
    """Return a highlight of a passage, with its quote."""
    quote = quote_at(text, start, end)
    return StoredHighlight(id, start, end, grade, quote, nugget=nugget)


def _labels(one: StoredHighlight) -> tuple[str | None, str | None]:
    return one.grade, one.nugget


def _changed(
    judgement: Judgement, old: Iterable[StoredHighlight], new: Iterable[StoredHighlight]
) -> Judgement:
    """Replace highlights."""
    removed = {one.id for one in old}
    changed = [one for one in judgement.highlights if one.id not in removed] + list(new)
    if len(changed) > MAX_HIGHLIGHTS:
        raise XcgError(f"the document has {MAX_HIGHLIGHTS} highlights, which is the maximum")
    finished = judgement.finished and bool(judgement.highlights) == bool(changed)
    return replace(judgement, highlights=in_order(changed), finished=finished)


def _touched(judgement: Judgement, start: int, end: int) -> list[StoredHighlight]:
    return [one for one in judgement.placed if one.start < end and start < one.end]


def _cut(
    judgement: Judgement, text: str, highlights: Iterable[StoredHighlight], start: int, end: int
) -> list[StoredHighlight]:
    """Return what is left of highlights without a passage; the first part of each keeps its id."""
    parts: list[StoredHighlight] = []
    for one in highlights:
        before = _trimmed(text, one.start, min(one.end, start))
        after = _trimmed(text, max(one.start, end), one.end)
        for index, span in enumerate(filter(None, (before, after))):
            number = one.id if index == 0 else _next_id(judgement.highlights)
            parts.append(highlight(text, number, *span, *_labels(one)))
    return parts


def _find(judgement: Judgement, id: int) -> StoredHighlight:
    for one in judgement.highlights:
        if one.id == id:
            return one
    raise XcgError(f"there is no highlight {id}; expected one of the document's highlights")


def _next_id(highlights: Iterable[StoredHighlight]) -> int:
    return max((one.id for one in highlights), default=0) + 1


def _check_span(text: str, start: int, end: int, *, has_text: bool = True) -> None:
    if not 0 <= start < end <= len(text):
        length = f"the document's text has {len(text)} characters"
        raise XcgError(f"the passage {start}–{end} is empty or not in the document: {length}")
    if has_text and text[start:end].isspace():
        raise XcgError(f"the passage {start}–{end} has only white space")


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """Return a passage without the white space at its ends; None if it has nothing else."""
    passage = text[start:end] if start < end else ""
    if not passage.strip():
        return None
    return end - len(passage.lstrip()), start + len(passage.rstrip())
