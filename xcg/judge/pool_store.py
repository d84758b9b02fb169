"""The part of a store that does not depend on judgements: its file, assessors, topics and pools."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError, nearest
from xcg.judge.judgement import PoolDocument
from xcg.judge.store_file import (
    Lock,
    StoreError,
    check_header,
    connect,
    copy_in_memory,
    create,
    damaged,
    errors_of,
)
from xcg.judge.stored_judgements import DamagedError
from xcg.lazy_modules import hashlib, sqlite3
from xcg.runs.chunk_documents import missing_document

_ADD = {
    "assessors": "INSERT OR IGNORE INTO assessors (name) VALUES (?)",
    "topics": "INSERT OR IGNORE INTO topics (name) VALUES (?)",
}
_FIND = {
    "assessors": "SELECT id FROM assessors WHERE name = ?",
    "topics": "SELECT id FROM topics WHERE name = ?",
}


class PoolStore:
    """Assessors, topics, assignments and pools in a SQLite file, created if it does not exist.

    :class:`xcg.judge.store.Store` adds the judgements.

    Args:
        path: The file.
        corpus: The documents.

    Raises:
        InputError: If another process has opened the store, the file is not a store, or the corpus has
            none of its documents.
    """

    def __init__(self, path: Path, corpus: Corpus) -> None:
        if os.path.lexists(path):
            check_header(path)
        with suppress(OSError):  # the lock raises an error with the reason
            path.parent.mkdir(mode=0o700, exist_ok=True)
        lock = Lock(path)
        try:
            create(path)
            self._open(path, corpus, connect(path), lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def snapshot(cls, path: Path, corpus: Corpus) -> Self:
        """Return a copy in memory of an existing store, which another process may have opened.

        Changes of the copy are not saved.

        Raises:
            InputError: If the file is not a store, or the corpus has none of its documents.
        """
        with errors_of(path), closing(connect(path)) as original:
            return cls._of_copy(path, corpus, copy_in_memory(original))

    def copy(self, corpus: Corpus) -> Self:
        """Return a copy in memory with a corpus of its own, which another thread can use.

        Changes of the copy are not saved.

        Raises:
            InputError: If the file cannot be read, or the corpus has none of its documents.
        """
        # Not by the path: a second open file of this process would end the lock of the first.
        with self._lock, errors_of(self.path):
            copied = copy_in_memory(self._connection)
        return self._of_copy(self.path, corpus, copied)

    @classmethod
    def _of_copy(cls, path: Path, corpus: Corpus, connection: sqlite3.Connection) -> Self:
        store = cls.__new__(cls)
        store._open(path, corpus, connection, None)
        return store

    def _open(
        self, path: Path, corpus: Corpus, connection: sqlite3.Connection, lock: Lock | None
    ) -> None:
        self.path = path
        self.missing: dict[str, str] = {}
        """Document that the corpus no longer has, or that cannot be read → why."""
        self._corpus = corpus
        self._connection = connection
        self._file_lock = lock
        self._lock = threading.RLock()
        self._depth = 0
        try:
            with self.transaction():
                self._check_documents()
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close the file, so that another process can open it."""
        with self._lock:
            self._connection.close()
            if self._file_lock is not None:
                self._file_lock.release()
                self._file_lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Save the changes in a ``with`` block together, or none of them if it raises an exception.

        Other threads wait until the block ends.

        Raises:
            StoreError: If the file cannot be read or written, or is damaged.
        """
        with self._lock, errors_of(self.path):
            if self._depth:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                self._connection.execute("COMMIT")
            except DamagedError:
                self._roll_back()
                raise damaged(self.path) from None
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._depth -= 1

    def _roll_back(self) -> None:
        if self._connection.in_transaction:  # SQLite ends it after some errors
            self._connection.execute("ROLLBACK")

    def tree(self, document: str) -> ElementTree:
        """Return the tree of a document; threads that share the corpus should read it here.

        Raises:
            InputError: If the store does not have the document, or its text has changed since the store
                was opened.
        """
        with self.transaction():
            row = self._connection.execute(
                "SELECT digest FROM documents WHERE name = ?", (document,)
            ).fetchone()
            if row is None:
                raise InputError(self.path, f"no pool has the document {document!r}")
            tree = self._corpus.tree(document)
            if row[0] != digest_of(tree.text):
                raise InputError(
                    document, "the document has changed since xcg judge was started; start it again"
                )
            return tree

    def assessors(self) -> list[str]:
        """Return the names of all assessors, in the order of their addition."""
        return self._names("SELECT name FROM assessors ORDER BY id")

    def add_assessors(self, names: Iterable[str]) -> None:
        """Add assessors that the store does not have yet."""
        with self.transaction():
            for name in names:
                self._add_name("assessors", name)

    def assignments(self) -> dict[str, list[str]]:
        """Return assessor → the topics that are assigned to them, in the order of assignment."""
        with self.transaction():
            return {
                name: self._names(
                    """SELECT topics.name FROM assignments JOIN topics ON topics.id = topic
                       JOIN assessors ON assessors.id = assessor
                       WHERE assessors.name = ? ORDER BY assignments.id""",
                    name,
                )
                for name in self.assessors()
            }

    def assign(self, assessor: str, topics: Iterable[str]) -> None:
        """Assign topics to an assessor, after those that they already have.

        Raises:
            XcgError: If there is no such assessor.
        """
        with self.transaction():
            number = self._assessor(assessor)
            self._connection.executemany(
                "INSERT OR IGNORE INTO assignments VALUES (NULL, ?, ?)",
                [(number, self._add_name("topics", topic)) for topic in topics],
            )

    def unassign(self, assessor: str, topics: Iterable[str]) -> None:
        """Take topics from an assessor; judgements on them stay.

        Raises:
            XcgError: If there is no such assessor.
        """
        with self.transaction():
            number = self._assessor(assessor)
            self._connection.executemany(
                """DELETE FROM assignments WHERE assessor = ?
                   AND topic IN (SELECT id FROM topics WHERE name = ?)""",
                [(number, topic) for topic in topics],
            )

    def topics(self) -> list[str]:
        """Return the topics that have a pool, in the order of their addition."""
        return self._names(
            "SELECT name FROM topics WHERE id IN (SELECT topic FROM pools) ORDER BY topics.id"
        )

    def pool(self, topic: str) -> tuple[PoolDocument, ...]:
        """Return the documents of a topic in the order in which assessors see them; may be empty."""
        with self.transaction():
            results: dict[str, list[tuple[int, int]]] = {}
            rows = self._connection.execute(
                """SELECT documents.name, start, "end" FROM pools
                   JOIN topics ON topics.id = topic JOIN documents ON documents.id = document
                   LEFT JOIN results ON pool = pools.id
                   WHERE topics.name = ? ORDER BY pools.id, start, "end\"""",
                (topic,),
            )
            for name, start, end in rows:
                spans = results.setdefault(name, [])
                if start is not None:
                    spans.append((start, end))
        return tuple(
            PoolDocument(name, tuple(spans))
            for name, spans in results.items()
            if name not in self.missing
        )

    def extend_pool(self, topic: str, documents: Sequence[PoolDocument]) -> None:
        """Append documents to the pool of a topic; for those that it has, add the new results.

        Raises:
            InputError: If the corpus does not have a document, it cannot be read, or a result exceeds
                it.
        """
        with self.transaction():
            number = self._add_name("topics", topic)
            for name in self._corpus.prepared([name for name, _ in documents]):
                self._add_document(name)
            for name, results in documents:
                document, length = self._connection.execute(
                    "SELECT id, length FROM documents WHERE name = ?", (name,)
                ).fetchone()
                for start, end in results:
                    if not 0 <= start <= end <= length:
                        problem = f"the document has {length} characters, and no result {start}–{end}"
                        raise InputError(f"pool of topic {topic}, {name}", problem)
                self._connection.execute(
                    "INSERT OR IGNORE INTO pools VALUES (NULL, ?, ?)", (number, document)
                )
                self._connection.executemany(
                    """INSERT OR IGNORE INTO results
                       SELECT id, ?, ? FROM pools WHERE topic = ? AND document = ?""",
                    [(*span, number, document) for span in results],
                )

    def _add_document(self, name: str) -> None:
        known = self._connection.execute("SELECT 1 FROM documents WHERE name = ?", (_legal(name),))
        if known.fetchone() is None:
            text = self._corpus.tree(name).text
            self._connection.execute(
                "INSERT INTO documents VALUES (NULL, ?, ?, ?)", (name, digest_of(text), len(text))
            )

    def _check_documents(self) -> None:
        """Find missing documents, and place the judgements of changed documents again."""
        rows = self._connection.execute("SELECT name, id, digest FROM documents ORDER BY id").fetchall()
        known = {name: (number, digest) for name, number, digest in rows}
        for name in self._corpus.prepared(list(known)):
            try:
                if name not in self._corpus:
                    raise InputError(name, missing_document(name, self._corpus, is_result=False))
                text = self._corpus.tree(name).text
            except InputError as error:
                self.missing[name] = str(error)
                continue
            self._check_document(*known[name], text)
        if known and len(self.missing) == len(known):
            raise StoreError(
                self.path,
                f"{self._corpus.label} has none of the {len(known)} documents of this store, such as "
                f"{next(iter(known))!r}; expected the corpus that was judged",
            )

    def _check_document(self, document: int, digest: bytes, text: str) -> None:
        """Check the judgements of a document, and place them again if its text has changed."""

    def _names(self, query: str, *parameters: str) -> list[str]:
        with self.transaction():
            return [row[0] for row in self._connection.execute(query, parameters)]

    def _add_name(self, table: str, name: str) -> int:
        """Return the number of a name, after adding it if it is new."""
        self._connection.execute(_ADD[table], (_legal(name),))
        row = self._connection.execute(_FIND[table], (name,)).fetchone()
        return int(row[0])

    def _assessor(self, name: str) -> int:
        row = self._connection.execute(_FIND["assessors"], (name,)).fetchone()
        if row is None:
            raise XcgError(f"unknown assessor {name!r}: {nearest(name, self.assessors())}")
        return int(row[0])

    def _pool_entry(self, topic: str, document: str) -> int:
        """Return the number of a document in the pool of a topic."""
        if document in self.missing:
            raise InputError(document, self.missing[document])
        row = self._connection.execute(
            """SELECT pools.id FROM pools JOIN topics ON topics.id = topic
               JOIN documents ON documents.id = document
               WHERE topics.name = ? AND documents.name = ?""",
            (topic, document),
        ).fetchone()
        if row is None:
            raise XcgError(f"the pool of topic {topic!r} does not have the document {document!r}")
        return int(row[0])


def digest_of(text: str) -> bytes:
    """Return the digest of the text of a document."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _legal(name: str) -> str:
    """Return a name; raise an error if it is not valid Unicode, as those of some files."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise XcgError(f"the name {name!r} is not valid Unicode; expected another name") from None
    return name
