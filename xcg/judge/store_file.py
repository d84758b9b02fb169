"""Create, open, check and lock the SQLite file of a store."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from xcg.documents.writing import whole_file
from xcg.errors import InputError
from xcg.lazy_modules import sqlite3

VERSION = 1
"""Version of the tables."""
_APPLICATION = b"xcgj"
_HEADER = re.compile(rb"SQLite format 3\0.{52}" + _APPLICATION, re.DOTALL)
"""Beginning of the file, with SQLite's signature and the application id at byte 68."""
_HEADER_BYTES = 72
_TIMEOUT = 30.0
"""Seconds to wait for a process that copies the file."""
_OLDEST_SQLITE = (3, 37)
"""The first version with strict tables."""
_LOCK_ATTEMPTS = 20
_LOCK_TIMEOUT = 0.5  # seconds

_TABLES = """
CREATE TABLE assessors (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL CHECK (length(digest) = 16),
    length INTEGER NOT NULL CHECK (length >= 0)
) STRICT;
CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,
    assessor INTEGER NOT NULL REFERENCES assessors,
    topic INTEGER NOT NULL REFERENCES topics,
    UNIQUE (assessor, topic)
) STRICT;
CREATE TABLE pools (
    id INTEGER PRIMARY KEY,
    topic INTEGER NOT NULL REFERENCES topics,
    document INTEGER NOT NULL REFERENCES documents,
    UNIQUE (topic, document)
) STRICT;
CREATE TABLE results (
    pool INTEGER NOT NULL REFERENCES pools,
    start INTEGER NOT NULL CHECK (start >= 0),
    "end" INTEGER NOT NULL CHECK ("end" >= start),
    PRIMARY KEY (pool, start, "end")
) STRICT, WITHOUT ROWID;
CREATE TABLE judgements (
    id INTEGER PRIMARY KEY,
    assessor INTEGER NOT NULL REFERENCES assessors,
    pool INTEGER NOT NULL REFERENCES pools,
    version INTEGER NOT NULL CHECK (version >= 1),
    entry_point INTEGER CHECK (entry_point >= 0),
    exact TEXT,
    prefix TEXT,
    suffix TEXT,
    finished INTEGER NOT NULL CHECK (finished IN (0, 1)),
    UNIQUE (assessor, pool),
    CHECK ((entry_point IS NULL) = (exact IS NULL)),
    CHECK ((exact IS NULL) = (prefix IS NULL) AND (exact IS NULL) = (suffix IS NULL))
) STRICT;
CREATE TABLE highlights (
    judgement INTEGER NOT NULL REFERENCES judgements,
    id INTEGER NOT NULL CHECK (id >= 1),
    start INTEGER NOT NULL CHECK (start >= 0),
    "end" INTEGER NOT NULL,
    grade TEXT,
    exact TEXT NOT NULL,
    prefix TEXT NOT NULL,
    suffix TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('placed', 'moved', 'lost')),
    PRIMARY KEY (judgement, id),
    CHECK (CASE status WHEN 'lost' THEN start = 0 AND "end" = 0 ELSE start < "end" END)
) STRICT, WITHOUT ROWID;
CREATE TABLE changes (
    judgement INTEGER NOT NULL REFERENCES judgements,
    version INTEGER NOT NULL CHECK (version >= 1),
    time TEXT NOT NULL,
    operation TEXT NOT NULL,
    fields TEXT NOT NULL,
    state TEXT NOT NULL,
    undo INTEGER CHECK (undo >= 0 AND undo < version),
    redo INTEGER CHECK (redo >= 1 AND redo < version),
    PRIMARY KEY (judgement, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE moves (
    id INTEGER PRIMARY KEY,
    judgement INTEGER NOT NULL REFERENCES judgements,
    version INTEGER NOT NULL,
    time TEXT NOT NULL,
    part TEXT NOT NULL CHECK (part IN ('highlight', 'entry point', 'document')),
    outcome TEXT NOT NULL CHECK (outcome IN ('moved', 'doubtful', 'lost', 'changed')),
    highlight INTEGER,
    old_start INTEGER,
    old_end INTEGER,
    new_start INTEGER,
    new_end INTEGER,
    text TEXT NOT NULL
) STRICT;
"""
"""The history is in ``changes``, to which rows are only added. ``state`` is the content after a change.
``undo`` and ``redo`` are the versions whose content undo and redo restore; version 0 is empty."""


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
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        original.backup(copy)
        _prepare(copy)
    except BaseException:
        copy.close()
        raise
    return copy


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
    """Create the file of an empty store, unless it exists.

    Raises:
        InputError: If the file cannot be written.
    """
    if not os.path.lexists(path):
        with whole_file(path) as file:
            file.write(_empty())


@cache
def _empty() -> bytes:
    """Return the content of the file of an empty store."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(
            "", f"xcg judge needs SQLite 3.37 or later; this Python has {sqlite3.sqlite_version}"
        )
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            f"PRAGMA application_id = {int.from_bytes(_APPLICATION, 'big')};"
            f"PRAGMA user_version = {VERSION}; {_TABLES}"
        )
        return bytes(connection.serialize())


def check_header(path: Path) -> None:
    """Check that a file is a regular file with the header of a store, before SQLite opens it."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise StoreError(path, "not a regular file; expected a store of xcg judge")
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        raise StoreError(path, "no such file; xcg judge without --export creates it") from None
    except (OSError, ValueError) as error:
        raise StoreError(path, f"cannot read: {getattr(error, 'strerror', None) or error}") from None
    if not _HEADER.match(head):
        raise StoreError(path, "not a store of xcg judge; expected a file that xcg judge has written")


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Check that a database has the tables of this version, and is not damaged."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise StoreError(path, "written by a later version of xcg; open it with that version")
    with contextlib.closing(sqlite3.connect(":memory:")) as expected:
        expected.deserialize(_empty())
        if version != VERSION or _tables(connection) != _tables(expected):
            raise StoreError(path, "its tables are not those of xcg judge; expected one of its files")
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(1)")]
    if problems != ["ok"] or connection.execute("PRAGMA foreign_key_check").fetchone():
        raise damaged(path)


def _tables(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    return connection.execute(query).fetchall()


def damaged(path: Path) -> StoreError:
    """Return the error for a file with values that xcg does not write."""
    return StoreError(path, "the file is damaged; restore it from a copy")


def _unusable(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> StoreError:
    """Return the error for a file that SQLite cannot use."""
    code = getattr(error, "sqlite_errorcode", None)
    is_not_text = isinstance(error, UnicodeDecodeError) or (
        code is None and isinstance(error, sqlite3.OperationalError)
    )
    code = (code or 0) & 0xFF
    if is_not_text or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(path, "another process is writing to the file; try again later")
    return StoreError(path, f"cannot read or write the store: {error}")


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Turn the exceptions of SQLite in a ``with`` block into a :class:`StoreError`."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _unusable(path, error) from None


class Lock:
    """The right of one process to open a store, which ends with the process.

    It is a transaction in a second SQLite file, because SQLite locks files on every system, and because
    a lock of the store itself would keep other processes from copying it.

    Args:
        path: The file of the store; the lock has ``.lock`` after its name.

    Raises:
        StoreError: If another process has the lock; the message names it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        for _ in range(_LOCK_ATTEMPTS):
            try:
                self._path.touch()
                opened = os.stat(self._path)
                self._connection = sqlite3.connect(
                    self._path, _LOCK_TIMEOUT, isolation_level=None, check_same_thread=False
                )
                try:
                    self._lock(path)
                except BaseException:
                    self._connection.close()
                    raise
                if self._is_current(opened):
                    return
                self._connection.close()
            except (sqlite3.Error, OSError, ValueError) as error:
                if isinstance(error, StoreError):
                    raise
                reason = getattr(error, "strerror", None) or error
                raise StoreError(self._path, f"cannot lock the store: {reason}") from None
        raise StoreError(self._path, "cannot lock the store: its lock is deleted again and again")

    def _lock(self, path: Path) -> None:
        connection = self._connection
        try:
            # The owner is committed, so that others can read it; then the lock is taken again.
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("CREATE TABLE IF NOT EXISTS owner (process TEXT)")
            connection.execute("DELETE FROM owner")
            started = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            owner = f"process {os.getpid()} on {socket.gethostname()}, since {started}"
            connection.execute("INSERT INTO owner VALUES (?)", (owner,))
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raise StoreError(path, f"another process serves this store: {self._owner()}") from None

    def _owner(self) -> str:
        """Return the process that has the lock."""
        try:
            (owner,) = self._connection.execute("SELECT process FROM owner").fetchone()
        except (sqlite3.Error, TypeError):
            return "stop it first"
        return f"{owner}; stop it first"

    def _is_current(self, opened: os.stat_result) -> bool:
        """Return whether no other process deleted the file before it was locked."""
        try:
            return os.path.samestat(opened, os.stat(self._path))
        except OSError:
            return False

    def release(self) -> None:
        """Give the lock to other processes, and delete its file."""
        with contextlib.suppress(OSError):  # an open file cannot be deleted on Windows
            self._path.unlink()
        self._connection.close()
        if os.name == "nt":
            with contextlib.suppress(OSError):
                self._path.unlink()
