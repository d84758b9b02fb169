"""Read and write judgements and their history in the tables of a store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from xcg.documents.text_search import Quote
from xcg.judge.editing import UNDO, in_order, quote_at
from xcg.judge.judgement import Change, Judgement, StoredHighlight
from xcg.judge.reanchoring import AnchoredJudgement, entry_quote
from xcg.lazy_modules import sqlite3


class DamagedError(ValueError):
    """The tables contain values that xcg does not write."""


class Step(NamedTuple):
    """A change of a judgement for the history.

    Attributes:
        operation: The name of the operation.
        fields: Its fields.
        undo: The version whose content undo restores; None if the change cannot be undone.
        redo: The version whose content redo restores; None if there is no undone change.
    """

    operation: str
    fields: Mapping[str, object]
    undo: int | None = None
    redo: int | None = None


_LOAD = """
    SELECT judgements.version, entry_point, finished, undo IS NOT NULL, redo IS NOT NULL,
        exact, prefix, suffix
    FROM judgements JOIN changes
        ON changes.judgement = judgements.id AND changes.version = judgements.version
    WHERE judgements.id = ?
"""


def load(connection: sqlite3.Connection, judgement: int) -> AnchoredJudgement:
    """Return the current version of a judgement, with the quote of its best entry point.

    Raises:
        DamagedError: If the stored judgement is not legal.
    """
    row = connection.execute(_LOAD, (judgement,)).fetchone()
    if row is None:
        raise DamagedError
    version, entry_point, finished, can_undo, can_redo, *quote = row
    highlights = in_order(
        StoredHighlight(number, start, end, grade, Quote(exact, prefix, suffix), status)
        for number, start, end, grade, exact, prefix, suffix, status in connection.execute(
            """SELECT id, start, "end", grade, exact, prefix, suffix, status
               FROM highlights WHERE judgement = ?""",
            (judgement,),
        )
    )
    loaded = Judgement(version, highlights, entry_point, bool(finished), bool(can_undo), bool(can_redo))
    return AnchoredJudgement(_checked(loaded), None if entry_point is None else Quote(*quote))


def check_history(connection: sqlite3.Connection, judgement: int, loaded: Judgement) -> None:
    """Check that the history ends with the current version of a judgement.

    In a copy of the file that was made while a change was saved, some pages may be older than others.

    Raises:
        DamagedError: If the content of the last change is another one.
    """
    last = connection.execute(
        "SELECT version, state FROM changes WHERE judgement = ? ORDER BY version DESC", (judgement,)
    ).fetchone()
    if last != (loaded.version, _state(loaded)):
        raise DamagedError


def save(connection: sqlite3.Connection, judgement: int, new: Judgement, text: str, step: Step) -> None:
    """Write the next version of a judgement and its history; the caller commits the transaction.

    Args:
        connection: The tables.
        judgement: The judgement, which has a row.
        new: The new version.
        text: The text of the document.
        step: The change that led to it.
    """
    connection.execute("DELETE FROM highlights WHERE judgement = ?", (judgement,))
    connection.executemany(
        "INSERT INTO highlights VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(judgement, *one[:4], *one.quote, one.status) for one in new.highlights],
    )
    point = new.entry_point
    quote = (None, None, None) if point is None else entry_quote(text, point)
    connection.execute(
        """UPDATE judgements SET version = ?, entry_point = ?, exact = ?, prefix = ?, suffix = ?,
           finished = ? WHERE id = ?""",
        (new.version, point, *quote, int(new.finished), judgement),
    )
    connection.execute(
        "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            judgement,
            new.version,
            now(),
            step.operation,
            _fields(step),
            _state(new),
            step.undo,
            step.redo,
        ),
    )


def save_moves(
    connection: sqlite3.Connection, judgement: int, version: int, changes: tuple[Change, ...]
) -> None:
    """Write what a change of the document did to a judgement."""
    nothing = (None, None)
    connection.executemany(
        "INSERT INTO moves VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                judgement,
                version,
                now(),
                *one[:3],
                *(one.old or nothing),
                *(one.new or nothing),
                one.text,
            )
            for one in changes
        ],
    )


def history_step(
    connection: sqlite3.Connection, judgement: int, current: Judgement, operation: str, text: str
) -> tuple[Judgement, Step] | None:
    """Return what ``undo`` or ``redo`` makes of a judgement, and the step; None without such a change.

    Raises:
        DamagedError: If the history is not legal.
    """
    undo, redo = _pointers(connection, judgement, current.version)
    target = undo if operation == UNDO else redo
    if target is None:
        return None
    restored = _restored(connection, judgement, target, text)
    undo_of_target, redo_of_target = _pointers(connection, judgement, target)
    next_redo = current.version if operation == UNDO else redo_of_target
    return restored, Step(operation, {}, undo_of_target, next_redo)


def is_last_step(connection: sqlite3.Connection, judgement: int, version: int, step: Step) -> bool:
    """Return whether a step led to the current version; its ``undo`` is the version before it."""
    row = connection.execute(
        "SELECT operation, fields FROM changes WHERE judgement = ? AND version = ?",
        (judgement, version),
    ).fetchone()
    return step.undo == version - 1 and row == (step.operation, _fields(step))


def _fields(step: Step) -> str:
    return json.dumps(dict(step.fields), ensure_ascii=False, sort_keys=True)


def _pointers(
    connection: sqlite3.Connection, judgement: int, version: int
) -> tuple[int | None, int | None]:
    """Return the versions that undo and redo restore."""
    if version == 0:
        return None, None
    row = connection.execute(
        "SELECT undo, redo FROM changes WHERE judgement = ? AND version = ?", (judgement, version)
    ).fetchone()
    if row is None:
        raise DamagedError
    return row[0], row[1]


def _restored(connection: sqlite3.Connection, judgement: int, version: int, text: str) -> Judgement:
    """Return the content of an earlier version, which had the same text."""
    if version == 0:
        return Judgement()
    row = connection.execute(
        "SELECT state FROM changes WHERE judgement = ? AND version = ?", (judgement, version)
    ).fetchone()
    try:
        (state,) = row
        highlights, entry_point, finished = json.loads(state)
        return _checked(
            Judgement(
                highlights=in_order(_highlight(one, text) for one in highlights),
                entry_point=entry_point,
                finished=bool(finished),
            ),
            text,
        )
    except (ValueError, TypeError, RecursionError):
        raise DamagedError from None


def _highlight(values: list[Any], text: str) -> StoredHighlight:
    number, start, end, grade, status, *lost = values
    quote = Quote(*map(str, lost)) if status == "lost" else quote_at(text, start, end)
    return StoredHighlight(int(number), int(start), int(end), grade, quote, status)


def _checked(judgement: Judgement, text: str | None = None) -> Judgement:
    """Return a judgement; raise DamagedError if its highlights overlap or exceed the text."""
    placed = judgement.placed
    if any(one.end > other.start for one, other in pairwise(placed)):
        raise DamagedError
    if text is not None and any(not 0 <= one.start < one.end <= len(text) for one in placed):
        raise DamagedError
    return judgement


def now() -> str:
    """Return the current time in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def same_content(one: Judgement, other: Judgement) -> bool:
    """Return whether two versions have the same content."""
    return replace(one, version=0, can_undo=False, can_redo=False) == replace(
        other, version=0, can_undo=False, can_redo=False
    )


def _state(judgement: Judgement) -> str:
    """Return the content of a version as JSON; only lost highlights need their quotes."""
    highlights = [
        [*one[:4], one.status, *(one.quote if one.is_lost else ())] for one in judgement.highlights
    ]
    state = [highlights, judgement.entry_point, judgement.finished]
    return json.dumps(state, ensure_ascii=False, separators=(",", ":"))
