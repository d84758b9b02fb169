"""The SQLite file of a store, and what it holds besides judgements: assessors, topics and pools."""

from __future__ import annotations

import os
import re
import secrets
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Self

from xcg.documents.corpus import Corpus
from xcg.documents.files import lock_file, new_whole_file
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError
from xcg.judge.judgement import DamagedError, PoolDocument
from xcg.lazy_modules import hashlib, sqlite3
from xcg.runs.chunk_documents import missing_document

VERSION = 1
"""Version of the tables."""
_APPLICATION = b"xcgj"
_HEADER = re.compile(rb"SQLite format 3\0..\x01\x01.{48}" + _APPLICATION, re.DOTALL)
"""Beginning of the file: SQLite's signature, no write-ahead log, the application id at byte 68."""
_HEADER_BYTES = 72
_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""Beginning of a journal, and end of that of a transaction on several databases."""
_TIMEOUT = 30.0
"""Seconds to wait for a process that copies the file."""
_OLDEST_SQLITE = (3, 37)
"""The first version with strict tables."""
_LOCK_FILE = "expected a file that xcg judge has created: move it away, or name another store"

_TABLES = Path(__file__).with_name("tables.sql")


class StoreError(InputError):
    """A store cannot be opened, read or written."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the file of a store for reading and writing.

    Raises:
        StoreError: If it is missing or is not a store of this version.
    """
    check_header(path)
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            uri, _TIMEOUT, isolation_level=None, check_same_thread=False, uri=True
        )
        try:
            _prepare(connection)
            _check_tables(connection, path)
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _unusable(path, error) from None
    return connection


def copy_in_memory(original: sqlite3.Connection) -> sqlite3.Connection:
    """Return a consistent copy in memory of an open store, which another process may change."""
    copied = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        original.backup(copied)
        _prepare(copied)
    except BaseException:
        copied.close()
        raise
    return copied


def _prepare(connection: sqlite3.Connection) -> None:
    for setting in (
        "trusted_schema = OFF",
        "foreign_keys = ON",
        # After the power fails, FULL may undo the last change if the journal is deleted at the end of a
        # transaction; EXTRA does not. A write-ahead log would be a second file to back up.
        "journal_mode = DELETE",
        "synchronous = EXTRA",
        "cell_size_check = ON",
    ):
        connection.execute(f"PRAGMA {setting}")


def create(path: Path) -> None:
    """Create the file of an empty store that only its user can read, unless it exists.

    Raises:
        InputError: If the file cannot be written.
    """
    if not os.path.lexists(path):
        try:
            with new_whole_file(path, 0o600) as file:
                file.write(_empty())
        except OSError as error:
            raise InputError(path, f"cannot write: {error.strerror or error}") from None


@cache
def _empty() -> bytes:
    """Return the content of the file of an empty store."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(
            "", f"xcg judge needs SQLite 3.37 or later; this Python has {sqlite3.sqlite_version}"
        )
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            f"PRAGMA application_id = {int.from_bytes(_APPLICATION, 'big')};"
            f"PRAGMA user_version = {VERSION}; {_TABLES.read_text()}"
        )
        return bytes(connection.serialize())


def check_header(path: Path) -> None:
    """Check that a file is a regular file with the header of a store, before SQLite opens it."""
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise StoreError(path, "not a regular file; expected a store of xcg judge")
        if state.st_nlink > 1:  # each name would have a lock and a journal of its own
            raise StoreError(path, "has several names (hard links); expected a copy with one name")
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        raise StoreError(path, "no such file; xcg judge without --export creates it") from None
    except (OSError, ValueError) as error:
        raise StoreError(path, f"cannot read: {getattr(error, 'strerror', None) or error}") from None
    if not _HEADER.match(head):
        raise StoreError(path, "not a store of xcg judge; expected a file that xcg judge has written")
    for ending in ("-journal", "-wal"):
        beside = Path(f"{os.path.realpath(path)}{ending}")
        if os.path.lexists(beside) and not (ending == "-journal" and _is_journal(beside)):
            raise StoreError(beside, "not a file of xcg judge; move it away")


def _is_journal(path: Path) -> bool:
    """Return whether the journal of a store, which SQLite reads and deletes, is a file that it wrote.

    SQLite waits for a FIFO. At its end, the journal of several databases names a file, which SQLite
    deletes. The beginning of an incomplete journal is empty or zero.
    """
    with suppress(FileNotFoundError):  # another process has ended its transaction
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
            return False
        with path.open("rb") as file:
            first = file.read(len(_JOURNAL))
            file.seek(max(0, state.st_size - len(_JOURNAL)))
            return first.strip(b"\0") in (b"", _JOURNAL) and file.read() != _JOURNAL
    return True


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Check that a database has the tables of this version, and is not damaged."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise StoreError(path, "written by a later version of xcg; open it with that version")
    with closing(sqlite3.connect(":memory:")) as expected:
        expected.deserialize(_empty())
        query = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
        found, legal = (one.execute(query).fetchall() for one in (connection, expected))
        if version != VERSION or found != legal:
            raise StoreError(path, "its tables are not those of xcg judge; expected one of its files")
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(1)")]
    if problems != ["ok"] or connection.execute("PRAGMA foreign_key_check").fetchone():
        raise damaged(path)


def damaged(path: Path) -> StoreError:
    """Return the error for a file with values that xcg does not write."""
    return StoreError(path, "the file is damaged; restore it from a copy")


def _unusable(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> StoreError:
    """Return the error for a file that SQLite cannot use."""
    code = getattr(error, "sqlite_errorcode", None)
    is_not_text = code is None and isinstance(error, (UnicodeDecodeError, sqlite3.OperationalError))
    if is_not_text or (code or 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path)
    return StoreError(path, f"cannot read or write the store: {error}")


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Turn the exceptions of SQLite in a ``with`` block into an :class:`XcgError`."""
    try:
        yield
    except UnicodeEncodeError as error:
        message = f"the name {error.object!r} is not valid Unicode; expected another name"
        raise XcgError(message) from None
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _unusable(path, error) from None


def lock(path: Path) -> IO[bytes]:
    """Return an open file whose lock is the right of one process to open a store, until it is closed.

    It is next to the store, whose own locks belong to SQLite, and is neither read, written nor deleted.
    Links to a store have the same lock.

    Args:
        path: The file of the store; the lock has ``.lock`` after its name.

    Raises:
        StoreError: If another process has the lock, or the file of the lock is not a file of its own.
    """
    where = f"{os.path.realpath(path)}.lock"
    options = os.O_RDWR | os.O_CREAT
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # not all exist on all systems
        options |= getattr(os, flag, 0)
    try:
        file = os.fdopen(os.open(where, options, 0o600), "r+b", buffering=0)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoreError(where, f"cannot lock the store: {reason}; {_LOCK_FILE}") from None
    state = os.fstat(file.fileno())
    if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
        problem = StoreError(where, f"cannot lock the store: {_LOCK_FILE}")
    elif not lock_file(file):
        problem = StoreError(path, "another process serves this store; stop it first")
    else:
        return file
    file.close()
    raise problem


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
                    check_header(path)
                with suppress(OSError):  # the lock raises an error with the reason
                    path.parent.mkdir(mode=0o700, exist_ok=True)
                resources.enter_context(lock(path))
                create(path)
                copied = connect(path)
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
        with errors_of(path), closing(connect(path)) as original:
            copied = copy_in_memory(original)
        return cls(path, corpus, copied)

    def copy(self, corpus: Corpus) -> Self:
        """Return a copy in memory with a corpus of its own, which another thread can use.

        Raises:
            InputError: If the file cannot be read, or the corpus has none of its documents.
        """
        # Not by the path: a second open file of this process would end the lock of the first.
        with self._lock, errors_of(self.path):
            copied = copy_in_memory(self._connection)
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
        with self._lock, errors_of(self.path):
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
                    raise damaged(self.path) from None
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
            raise StoreError(
                self.path,
                f"{self._corpus.label} has none of the {len(known)} documents of this store, such as "
                f"{next(iter(known))!r}; expected the corpus that was judged",
            )

    def _check_document(self, document: str, is_same: bool, text: str) -> None:
        """Check the judgements of a document, and place them again if its text has changed."""


def digest_of(text: str) -> bytes:
    """Return the digest of the text of a document."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
