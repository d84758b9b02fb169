"""The store of pools, assignments and judgements: one SQLite file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from xcg.errors import Notes, XcgError
from xcg.judge.editing import REDO, UNDO, check_operation, edit, new_judgement
from xcg.judge.judgement import Change, JudgedDocument, Judgement, Move, Progress
from xcg.judge.pool_store import PoolStore, digest_of
from xcg.judge.reanchoring import place_again
from xcg.judge.stored_judgements import (
    DamagedError,
    Step,
    check_history,
    history_step,
    is_last_step,
    load,
    same_content,
    save,
    save_moves,
)


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
    text has changed since are placed again, see :mod:`xcg.judge.reanchoring`. Documents that the corpus
    no longer has are left out of pools, progress and judgements until it has them again.

    Args:
        path: The file.
        corpus: The documents.

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

    def judgement(self, assessor: str, topic: str, document: str) -> Judgement:
        """Return the current version of a judgement.

        Raises:
            XcgError: If there is no such assessor, or the topic's pool does not have the document.
        """
        with self.transaction():
            number = self._find(self._assessor(assessor), self._pool_entry(topic, document))
            return Judgement() if number is None else load(self._connection, number).judgement

    def apply(
        self,
        assessor: str,
        topic: str,
        document: str,
        version: int,
        operation: str,
        values: Mapping[str, object],
    ) -> Judgement:
        """Change a judgement, and return its new version after it is saved.

        Args:
            assessor: The assessor.
            topic: The topic.
            document: A document of the topic's pool.
            version: The version to change.
            operation: A name in ``OPERATIONS`` of :mod:`xcg.judge.editing`, ``undo`` or ``redo``.
            values: The fields of the operation.

        Returns:
            The new version; the current one if the operation changes nothing, or if the last change was
            the same change of the same version, whose answer was lost.

        Raises:
            ConflictError: If the version is not the current one.
            StoreError: If the change cannot be saved.
            XcgError: If the operation, a field or its value is illegal.
        """
        check_operation(operation, values)
        with self.transaction():
            owner = self._assessor(assessor), self._pool_entry(topic, document)
            number = self._find(*owner)
            current = Judgement() if number is None else load(self._connection, number).judgement
            step = Step(operation, values, version)
            if version != current.version:
                if number is not None and is_last_step(self._connection, number, current.version, step):
                    return current
                raise ConflictError(current)
            text = self.tree(document).text
            if operation in (UNDO, REDO):
                found = None
                if number is not None:
                    found = history_step(self._connection, number, current, operation, text)
                if found is None:
                    raise XcgError(f"there is nothing to {operation}")
                return self._save(owner, current, *found, text)
            new = edit(current, text, operation, values)
            return self._save(owner, current, new, step, text)

    def replace(
        self,
        assessor: str,
        topic: str,
        document: str,
        highlights: Iterable[tuple[int, int, str | None]],
        entry_point: int | None,
        finished: bool,
    ) -> Judgement:
        """Replace the content of a judgement, for imports; the change can be undone.

        Args:
            assessor: The assessor.
            topic: The topic.
            document: A document of the topic's pool.
            highlights: Start, end and grade of each highlight.
            entry_point: The best entry point; None without one.
            finished: Whether the assessor is done with the document.

        Returns:
            The new version; the current one if it has the same content.

        Raises:
            XcgError: If highlights overlap or a position is not in the document.
        """
        with self.transaction():
            owner = self._assessor(assessor), self._pool_entry(topic, document)
            current = self.judgement(assessor, topic, document)
            text = self.tree(document).text
            new = new_judgement(text, highlights, entry_point, finished)
            if _without_ids(new) == _without_ids(current):
                return current
            return self._save(owner, current, new, Step("replace", {}, current.version), text)

    def _save(
        self, owner: tuple[int, int], current: Judgement, new: Judgement, step: Step, text: str
    ) -> Judgement:
        """Save the next version of a judgement unless its content is the same."""
        if same_content(current, new):
            return current
        new = replace(
            new,
            version=current.version + 1,
            can_undo=step.undo is not None,
            can_redo=step.redo is not None,
        )
        number = self._find(*owner)
        if number is None:
            number = self._connection.execute(
                """INSERT INTO judgements (assessor, pool, version, finished) VALUES (?, ?, 1, 0)
                   RETURNING id""",
                owner,
            ).fetchone()[0]
        save(self._connection, number, new, text, step)
        return new

    def progress(self, assessor: str) -> dict[str, Progress]:
        """Return topic → progress of an assessor, for the topics that are assigned.

        Raises:
            XcgError: If there is no such assessor.
        """
        with self.transaction():
            number = self._assessor(assessor)
            progress = {}
            for topic in self.assignments()[assessor]:
                rows = self._connection.execute(
                    """SELECT documents.name, coalesce(finished, 0) FROM pools
                       JOIN topics ON topics.id = topic JOIN documents ON documents.id = document
                       LEFT JOIN judgements ON pool = pools.id AND assessor = ?
                       WHERE topics.name = ?""",
                    (number, topic),
                ).fetchall()
                states = [finished for name, finished in rows if name not in self.missing]
                progress[topic] = Progress(sum(states), len(states))
            return progress

    def judgements(self, assessor: str | None = None) -> Iterator[JudgedDocument]:
        """Yield the judgements that have at least one change, by assessor, topic and pool order.

        Args:
            assessor: An assessor; all by default.

        Raises:
            XcgError: If there is no such assessor.
        """
        with self.transaction():
            if assessor is not None:
                self._assessor(assessor)
            rows = self._connection.execute(
                """SELECT assessors.name, topics.name, documents.name, judgements.id FROM judgements
                   JOIN assessors ON assessors.id = assessor JOIN pools ON pools.id = pool
                   JOIN topics ON topics.id = topic JOIN documents ON documents.id = document
                   WHERE assessors.name = ?1 OR ?1 IS NULL
                   ORDER BY assessors.id, topics.id, pools.id""",
                (assessor,),
            ).fetchall()
            found = [
                JudgedDocument(owner, topic, name, load(self._connection, number).judgement)
                for owner, topic, name, number in rows
                if name not in self.missing
            ]
        yield from found

    def moved(self) -> list[Move]:
        """Return what changes of documents did to judgements, oldest first."""
        with self.transaction():
            rows = self._connection.execute(
                """SELECT assessors.name, topics.name, documents.name, part, outcome, highlight,
                       old_start, old_end, new_start, new_end, text, time,
                       CASE part WHEN 'highlight' THEN coalesce(status, 'placed') <> 'placed'
                       ELSE judgements.version = moves.version END
                   FROM moves JOIN judgements ON judgements.id = moves.judgement
                   JOIN assessors ON assessors.id = assessor JOIN pools ON pools.id = pool
                   JOIN topics ON topics.id = topic JOIN documents ON documents.id = document
                   LEFT JOIN highlights
                       ON highlights.judgement = moves.judgement AND highlights.id = highlight
                   ORDER BY moves.id"""
            ).fetchall()
        return [
            Move._make([*row[:3], Change._make([*row[3:6], *spans, row[10]]), row[11], row[12] == 1])
            for row in rows
            for spans in [(_span(row[6:8]), _span(row[8:10]))]
            if row[2] not in self.missing
        ]

    def add_notes(self, notes: Notes) -> None:
        """Add warnings about missing documents, and about judgements that wait for a check.

        >>> from xcg.documents.corpus import Corpus
        >>> from tempfile import TemporaryDirectory
        >>> from pathlib import Path
        >>> from xcg.judge.judgement import PoolDocument
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "judge.sqlite")
        ...     with Store(path, Corpus.of({"bees": "Bees dance."})) as store:
        ...         store.add_assessors(["anna"])
        ...         store.extend_pool("1", [PoolDocument("bees")])
        ...         _ = store.replace("anna", "1", "bees", [(0, 4, None)], None, True)
        ...     with Store(path, Corpus.of({"bees": "New. Bees dance."})) as store:
        ...         notes = Notes()
        ...         store.add_notes(notes)
        >>> notes.lines()
        ['warning: documents that have changed since they were judged: 1; to check: 1 moved']
        """
        if self.missing:
            first = next(iter(self.missing.values()))
            notes.warning(
                f"documents of the store that cannot be read, and are left out with their judgements: "
                f"{len(self.missing)}; the first: {first}"
            )
        moves = [move for move in self.moved() if move.is_open]
        if moves:
            count = len({move.document for move in moves})
            outcomes = sorted(Counter(move.change.outcome for move in moves).items())
            parts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes)
            notes.warning(
                f"documents that have changed since they were judged: {count}; to check: {parts}"
            )

    def _check_document(self, document: int, digest: bytes, text: str) -> None:
        """Place the judgements of a document again if its text has changed."""
        numbers = [
            row[0]
            for row in self._connection.execute(
                "SELECT judgements.id FROM judgements JOIN pools ON pools.id = pool WHERE document = ?",
                (document,),
            )
        ]
        judgements = [load(self._connection, number) for number in numbers]
        for number, (judgement, _, _) in zip(numbers, judgements, strict=True):
            check_history(self._connection, number, judgement)
        is_same = digest == digest_of(text)
        for judgement, _, _ in judgements:
            if is_same and any(
                text[one.start : one.end] != one.quote.exact for one in judgement.placed
            ):
                raise DamagedError
        if is_same:
            return
        for number, (new, _, changes) in zip(numbers, place_again(text, judgements), strict=True):
            moved = replace(new, version=new.version + 1)
            save(self._connection, number, moved, text, Step("document changed", {}))
            save_moves(self._connection, number, moved.version, changes)
        self._connection.execute(
            "UPDATE documents SET digest = ?, length = ? WHERE id = ?",
            (digest_of(text), len(text), document),
        )
        # Runs state the positions of results in the new text, and are read at every start.
        self._connection.execute(
            "DELETE FROM results WHERE pool IN (SELECT id FROM pools WHERE document = ?)", (document,)
        )

    def _find(self, assessor: int, pool_entry: int) -> int | None:
        """Return the number of a judgement; None before its first change."""
        row = self._connection.execute(
            "SELECT id FROM judgements WHERE assessor = ? AND pool = ?", (assessor, pool_entry)
        ).fetchone()
        return None if row is None else int(row[0])


def _without_ids(judgement: Judgement) -> tuple[object, ...]:
    """Return the content of a judgement that imports and exports have."""
    highlights = [one._replace(id=0) for one in judgement.highlights]
    return highlights, judgement.entry_point, judgement.finished


def _span(values: Sequence[int | None]) -> tuple[int, int] | None:
    start, end = values
    return None if start is None or end is None else (start, end)
