"""The store of pools, assignments and judgements: one SQLite file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from xcg.errors import InputError, Notes, XcgError, first_names, nearest
from xcg.judge.editing import REDO, UNDO, check_operation, edit, new_judgement
from xcg.judge.judgement import (
    DamagedError,
    Decision,
    JudgedDocument,
    Judgement,
    Progress,
    from_json,
    place_again,
    quote_at,
    to_json,
)
from xcg.judge.pool_store import PoolStore, digest_of

Owner = tuple[str, str, str]
"""The assessor, topic and document of a judgement."""
_CHANGE = """SELECT undo, redo, content, operation, fields FROM changes
    WHERE assessor = ? AND topic = ? AND document = ? AND version = ?"""
_DOCUMENT_CHANGED = "document changed"


class ConflictError(XcgError):
    """A change was made to an old version of a judgement.

    Args:
        current: The current version.
    """

    def __init__(self, current: Judgement) -> None:
        super().__init__(f"the judgement has changed: its version is now {current.version}")
        self.current = current


class Store(PoolStore):
    """Pools, assignments and judgements in a SQLite file, created if it does not exist.

    One process at a time opens a store; its threads share the object. Judgements of documents whose
    text has changed since are placed again, see :func:`xcg.judge.judgement.place_again`. Documents that
    the corpus no longer has are left out of pools, progress and judgements until it has them again.

    Args:
        path: The file.
        corpus: The documents.
        copied: A copy of the file in memory, which is used instead.

    Raises:
        InputError: If another process has opened the store, the file is not a store, or the corpus has
            none of its documents.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from xcg.documents.corpus import Corpus
    >>> from xcg.judge.judgement import PoolDocument
    >>> with TemporaryDirectory() as folder:
    ...     with Store(Path(folder, "j.sqlite"), Corpus.of({"bees": "Bees dance."})) as store:
    ...         store.add_assessors(["anna"])
    ...         store.extend_pool("1", [PoolDocument("bees")])
    ...         fields = {"start": 0, "end": 4, "grade": "2"}
    ...         judgement = store.apply("anna", "1", "bees", 0, "add", fields)
    >>> judgement.version, judgement.highlights[0].quote.exact
    (1, 'Bees')
    """

    def _check_document(self, document: str, is_same: bool, text: str) -> None:
        """Place the judgements of a document again if its text has changed."""
        query = "SELECT assessor, topic, document FROM judgements WHERE document = ?"
        owners: list[Owner] = self._rows(query, document)
        judgements = [self._load(*owner) for owner in owners]
        if is_same:
            marks = [mark for one in judgements for mark in one.placed]
            if any(mark.quote != quote_at(text, mark.start, mark.end) for mark in marks):
                raise DamagedError
            return
        for owner, new in zip(owners, place_again(text, judgements), strict=True):
            self._saved(owner, new, new, _DOCUMENT_CHANGED, {})
        self._write("UPDATE documents SET digest = ? WHERE name = ?", [(digest_of(text), document)])
        # Runs state the positions of results in the new text, and are read at every start.
        self._write("DELETE FROM results WHERE document = ?", [(document,)])

    def _load(self, *owner: str) -> Judgement:
        """Return the current version of a judgement."""
        rows = self._rows(
            """SELECT judgements.version, judgements.content, changes.version, changes.content,
                   undo IS NOT NULL, redo IS NOT NULL, seconds, words_marked, operation
               FROM judgements LEFT JOIN changes USING (assessor, topic, document)
               WHERE assessor = ? AND topic = ? AND document = ?
               ORDER BY changes.version DESC LIMIT 1""",
            *owner,
        )
        if not rows:
            return Judgement()
        version, content, last, state, *more = rows[0]
        can_undo, can_redo, seconds, words_marked, operation = more
        found = replace(
            from_json(content),
            version=version,
            seconds=seconds,
            words_marked=bool(words_marked),
            text_changed=operation == _DOCUMENT_CHANGED,
            can_undo=bool(can_undo),
            can_redo=bool(can_redo),
        )
        # In a copy of the file that was made while a change was saved, pages may be older than others.
        if (version, to_json(found)) != (last, state):
            raise DamagedError
        return found

    def judgement(self, assessor: str, topic: str, document: str) -> Judgement:
        """Return the current version of a judgement.

        Raises:
            XcgError: If there is no such assessor, or the topic's pool does not have the document.
        """
        with self.transaction():
            if assessor not in (known := self.assessors()):
                raise XcgError(f"unknown assessor {assessor!r}: {nearest(assessor, known)}")
            if document in self.missing:
                raise InputError(document, self.missing[document])
            if not self._rows("SELECT 1 FROM pools WHERE topic = ? AND document = ?", topic, document):
                raise XcgError(f"the pool of topic {topic!r} does not have the document {document!r}")
            return self._load(assessor, topic, document)

    def apply(
        self,
        assessor: str,
        topic: str,
        document: str,
        version: int,
        operation: str,
        values: Mapping[str, object],
        seconds: int = 0,
        words_marked: bool = False,
    ) -> Judgement:
        """Change a judgement, and return its new version after it is saved.

        Args:
            assessor: The assessor.
            topic: The topic.
            document: A document of the topic's pool.
            version: The version to change.
            operation: A name in ``OPERATIONS`` of :mod:`xcg.judge.editing`, ``undo`` or ``redo``.
            values: The fields of the operation.
            seconds: Time that the assessor has spent on the document since the last change.
            words_marked: Whether the page marked the words of the topic.

        Returns:
            The new version; the current one if the operation changes nothing, or if the last change was
            the same change of the same version, whose answer was lost.

        Raises:
            ConflictError: If the version is not the current one.
            StoreError: If the change cannot be saved.
            XcgError: If the operation, a field or its value is illegal.
        """
        check_operation(operation, values)
        owner = assessor, topic, document
        with self.transaction():
            current = self.judgement(*owner)
            if version != current.version:
                last = [row[3:] for row in self._rows(_CHANGE, *owner, version + 1)]
                if version + 1 == current.version and last == [(operation, _fields(values))]:
                    return current
                raise ConflictError(current)
            text = self.tree(document).text
            undo: int | None = version
            redo: int | None = None
            if operation in (UNDO, REDO):
                target = self._version(owner, version)[:2][operation == REDO]
                if target is None:
                    raise XcgError(f"there is nothing to {operation}")
                undo, redo, content = self._version(owner, target)
                redo = version if operation == UNDO else redo
                new = from_json(content, text)
            else:
                new = edit(current, text, operation, values)
            new = replace(new, seconds=current.seconds + seconds)
            marked = current.words_marked or words_marked
            new = replace(new, words_marked=marked, text_changed=False)
            return self._saved(owner, current, new, operation, values, undo, redo)

    def replace(
        self,
        assessor: str,
        topic: str,
        document: str,
        highlights: Iterable[tuple[Any, ...]],
        finished: bool,
    ) -> Judgement:
        """Replace the content of a judgement, for imports; the change can be undone.

        Args:
            assessor: The assessor.
            topic: The topic.
            document: A document of the topic's pool.
            highlights: Start, end and grade of each highlight, and optionally its nugget.
            finished: Whether the assessor is done with the document.

        Raises:
            XcgError: If highlights of different grades overlap, or a position is not in the document.
        """
        with self.transaction():
            current = self.judgement(assessor, topic, document)
            text = self.tree(document).text
            new = new_judgement(text, highlights, finished)
            new = replace(new, seconds=current.seconds, words_marked=current.words_marked)
            owner = assessor, topic, document
            return self._saved(owner, current, new, "replace", {}, current.version)

    def _version(self, owner: Owner, version: int) -> tuple[int | None, int | None, str]:
        """Return the versions that undo and redo restore after a version, and its content."""
        if version == 0:
            return None, None, to_json(Judgement())
        for undo, redo, content, *_ in self._rows(_CHANGE, *owner, version):
            return undo, redo, content
        raise DamagedError

    def _saved(
        self,
        owner: Owner,
        current: Judgement,
        new: Judgement,
        operation: str,
        fields: object,
        undo: int | None = None,
        redo: int | None = None,
    ) -> Judgement:
        """Save the next version of a judgement unless its content is the same, and return it."""
        if to_json(new) == to_json(current) and operation != _DOCUMENT_CHANGED:
            return current
        can_undo, can_redo = undo is not None, redo is not None
        new = replace(new, version=current.version + 1, can_undo=can_undo, can_redo=can_redo)
        self._write(
            """INSERT INTO judgements VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
               SET version = excluded.version, content = excluded.content""",
            [(*owner, new.version, to_json(new, quotes=True))],
        )
        content = to_json(new)
        change = (
            *(*owner, new.version, _now(), operation, _fields(fields)),
            *(content, undo, redo, new.seconds, new.words_marked),
        )
        self._write("INSERT INTO changes VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [change])
        return new

    def progress(self, assessor: str) -> dict[str, Progress]:
        """Return topic → progress of an assessor, for the topics that are assigned."""
        with self.transaction():
            rows = self._rows(  # to_json writes last whether a document is finished
                "SELECT topic, document FROM judgements WHERE assessor = ? AND content LIKE '%,true]'",
                assessor,
            )
            finished = Counter(topic for topic, document in rows if document not in self.missing)
            topics = self.assignments()[assessor]
            return {topic: Progress(finished[topic], len(self.pool(topic))) for topic in topics}

    def judgements(self, document: str | None = None) -> list[JudgedDocument]:
        """Return the judgements that have at least one change, by assessor and pool order.

        Args:
            document: A document; all by default.
        """
        with self.transaction():
            owners: list[Owner] = self._rows(
                """SELECT assessor, topic, document FROM judgements
                   JOIN assessors ON assessor = name JOIN pools USING (topic, document)
                   WHERE document = ?1 OR ?1 IS NULL ORDER BY assessors.id, pools.id""",
                document,
            )
            return [
                JudgedDocument(*owner, self._load(*owner))
                for owner in owners
                if owner[2] not in self.missing
            ]

    def decisions(self) -> dict[tuple[str, str, str], Decision]:
        """Return topic, document and disagreement → the decision."""
        rows = self._rows("SELECT topic, document, disagreement, label, author, time FROM decisions")
        return {row[:3]: Decision(*row[3:]) for row in rows}  # of several, the last one

    def decide(
        self, topic: str, document: str, disagreement: str, label: str | None, author: str
    ) -> None:
        """Save a decision on a disagreement: the right label, and who says so."""
        row = (topic, document, disagreement, label, author, _now())
        self._write("INSERT INTO decisions VALUES (NULL, ?, ?, ?, ?, ?, ?)", [row])

    def to_check(self, assessor: str | None = None) -> list[JudgedDocument]:
        """Return the judgements that nobody has checked since their document changed.

        Args:
            assessor: An assessor; all by default.
        """
        with self.transaction():
            owners: list[Owner] = self._rows(
                """SELECT DISTINCT assessor, topic, document FROM changes
                   WHERE operation = ?1 AND (assessor = ?2 OR ?2 IS NULL)""",
                *(_DOCUMENT_CHANGED, assessor),
            )
            found = [
                JudgedDocument(*one, self._load(*one)) for one in owners if one[2] not in self.missing
            ]
            return [one for one in found if one.judgement.to_check]

    def add_notes(self, notes: Notes) -> None:
        """Add warnings about missing documents, and about judgements that wait for a check."""
        if self.missing:
            first = next(iter(self.missing.values()))
            notes.warning(
                f"documents of the store that cannot be read, and are left out with their judgements: "
                f"{len(self.missing)}; the first: {first}"
            )
        if found := self.to_check():
            names = [f"{one.document} (topic {one.topic}, {one.assessor})" for one in found]
            notes.warning(
                f"judgements to check, because their document has changed: {first_names(names, 3)}"
            )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _fields(fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)
