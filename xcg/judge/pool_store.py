"""The part of a store that does not depend on judgements: its file, assessors, topics and pools."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import InputError
from xcg.judge import store_file
from xcg.judge.judgement import DamagedError, PoolDocument
from xcg.lazy_modules import hashlib, sqlite3
from xcg.runs.chunk_documents import missing_document


class PoolStore:
    """Assessors, topics, assignments and pools; :class:`xcg.judge.store.Store` adds the judgements."""

    def __init__(self, path: Path, corpus: Corpus, copied: sqlite3.Connection | None = None) -> None:
        self.path = path
        self.missing: dict[str, str] = {}  # document that the corpus no longer has → why
        self._corpus = corpus
        self._lock = threading.RLock()
        self._depth = 0
        with ExitStack() as resources:
            if copied is None:
                if os.path.lexists(path):
                    store_file.check_header(path)
                with suppress(OSError):  # the lock raises an error with the reason
                    path.parent.mkdir(mode=0o700, exist_ok=True)
                resources.enter_context(store_file.lock(path))
                store_file.create(path)
                copied = store_file.connect(path)
            self._connection = resources.enter_context(closing(copied))
            with self.transaction():
                self._check_documents()
            self._resources = resources.pop_all()

    @classmethod
    def snapshot(cls, path: Path, corpus: Corpus) -> Self:
        """Return a copy in memory of an existing store, which another process may have opened.

        Raises:
            InputError: If the file is not a store, or the corpus has none of its documents.
        """
        with store_file.errors_of(path), closing(store_file.connect(path)) as original:
            copied = store_file.copy_in_memory(original)
        return cls(path, corpus, copied)

    def copy(self, corpus: Corpus) -> Self:
        """Return a copy in memory with a corpus of its own, which another thread can use.

        Raises:
            InputError: If the file cannot be read, or the corpus has none of its documents.
        """
        # Not by the path: a second open file of this process would end the lock of the first.
        with self._lock, store_file.errors_of(self.path):
            copied = store_file.copy_in_memory(self._connection)
        return type(self)(self.path, corpus, copied)

    def close(self) -> None:
        """Close the file, so that another process can open it."""
        with self._lock:
            self._resources.close()

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
        with self._lock, store_file.errors_of(self.path):
            if self._depth:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:  # SQLite ends it after some errors
                    self._connection.execute("ROLLBACK")
                if isinstance(error, DamagedError):
                    raise store_file.damaged(self.path) from None
                raise
            finally:
                self._depth -= 1

    def _rows(self, query: str, *parameters: object) -> list[Any]:
        with self.transaction():
            return self._connection.execute(query, parameters).fetchall()

    def _write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self.transaction():
            self._connection.executemany(statement, rows)

    def tree(self, document: str) -> ElementTree:
        """Return the tree of a document; threads that share the corpus should read it here.

        Raises:
            InputError: If the store does not have the document, or its text has changed since the store
                was opened.
        """
        with self.transaction():
            rows = self._rows("SELECT digest FROM documents WHERE name = ?", document)
            if not rows:
                raise InputError(self.path, f"no pool has the document {document!r}")
            tree = self._corpus.tree(document)
            if rows[0][0] != digest_of(tree.text):
                raise InputError(
                    document, "the document has changed since xcg judge was started; start it again"
                )
            return tree

    def assessors(self) -> list[str]:
        """Return the names of all assessors, in the order of their addition."""
        return [name for (name,) in self._rows("SELECT name FROM assessors ORDER BY id")]

    def add_assessors(self, names: Iterable[str]) -> None:
        """Add assessors that the store does not have yet."""
        self._write("INSERT OR IGNORE INTO assessors (name) VALUES (?)", [(name,) for name in names])

    def secret(self, *, keep: bool) -> bytes:
        """Return a new random secret, or the one that is kept in the store.

        Without ``keep``, the store has none afterwards.
        """
        new = secrets.token_bytes(32)
        with self.transaction():
            if not keep:
                self._write("DELETE FROM secrets WHERE id = ?", [(1,)])
                return new
            self._write("INSERT OR IGNORE INTO secrets VALUES (1, ?)", [(new,)])
            [(kept,)] = self._rows("SELECT secret FROM secrets")
            return bytes(kept)

    def assignments(self) -> dict[str, list[str]]:
        """Return assessor → the topics that are assigned to them, in the order of assignment."""
        with self.transaction():
            found: dict[str, list[str]] = {name: [] for name in self.assessors()}
            for assessor, topic in self._rows("SELECT assessor, topic FROM assignments ORDER BY id"):
                found[assessor].append(topic)
            return found

    def assign(self, assessor: str, topics: Iterable[str]) -> None:
        """Assign topics to an assessor, after those that they already have."""
        pairs = [(assessor, topic) for topic in topics]
        self._write("INSERT OR IGNORE INTO assignments VALUES (NULL, ?, ?)", pairs)

    def unassign(self, assessor: str, topics: Iterable[str]) -> None:
        """Take topics from an assessor; judgements on them stay."""
        pairs = [(assessor, topic) for topic in topics]
        self._write("DELETE FROM assignments WHERE assessor = ? AND topic = ?", pairs)

    def topics(self) -> list[str]:
        """Return the topics that have a pool, in the order of their addition."""
        rows = self._rows("SELECT topic FROM pools GROUP BY topic ORDER BY min(id)")
        return [topic for (topic,) in rows]

    def pool(self, topic: str) -> tuple[PoolDocument, ...]:
        """Return the documents of a topic in the order in which assessors see them; may be empty."""
        results: dict[str, list[tuple[int, int]]] = {}
        for name, start, end in self._rows(
            """SELECT document, start, "end" FROM pools LEFT JOIN results USING (topic, document)
               WHERE topic = ? ORDER BY id, start, "end\"""",
            topic,
        ):
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
            InputError: If the corpus does not have a document, or it cannot be read.
        """
        with self.transaction():
            known = {name for (name,) in self._rows("SELECT name FROM documents")}
            for name in self._corpus.prepared([one.name for one in documents if one.name not in known]):
                digest = digest_of(self._corpus.tree(name).text)
                self._write("INSERT INTO documents VALUES (?, ?)", [(name, digest)])
            pairs = [(topic, one.name) for one in documents]
            self._write("INSERT OR IGNORE INTO pools VALUES (NULL, ?, ?)", pairs)
            rows = [(topic, one.name, *span) for one in documents for span in one.results]
            self._write("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?)", rows)

    def _check_documents(self) -> None:
        """Find missing documents, and place the judgements of changed documents again."""
        known = dict(self._rows("SELECT name, digest FROM documents ORDER BY rowid"))
        for name in self._corpus.prepared(list(known)):
            try:
                if name not in self._corpus:
                    raise InputError(name, missing_document(name, self._corpus, is_result=False))
                text = self._corpus.tree(name).text
            except InputError as error:
                self.missing[name] = str(error)
                continue
            self._check_document(name, known[name] == digest_of(text), text)
        if known and len(self.missing) == len(known):
            raise store_file.StoreError(
                self.path,
                f"{self._corpus.label} has none of the {len(known)} documents of this store, such as "
                f"{next(iter(known))!r}; expected the corpus that was judged",
            )

    def _check_document(self, document: str, is_same: bool, text: str) -> None:
        """Check the judgements of a document, and place them again if its text has changed."""


def digest_of(text: str) -> bytes:
    """Return the digest of the text of a document."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
