"""Create, open, check and lock the SQLite file of a store."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from xcg.documents.writing import lock_file, new_whole_file
from xcg.errors import InputError, XcgError
from xcg.lazy_modules import sqlite3

VERSION = 1
"""Version of the tables."""
_APPLICATION = b"xcgj"
_HEADER = re.compile(rb"SQLite format 3\0..\x01\x01.{48}" + _APPLICATION, re.DOTALL)
"""Beginning of the file: SQLite's signature, no write-ahead log, the application id at byte 68."""
_HEADER_BYTES = 72
_SEVERAL_DATABASES = bytes.fromhex("d9d505f920a163d7")
"""End of the journal of a transaction on several databases."""
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
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
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
    _check_journal(Path(f"{os.path.realpath(path)}-journal"))


def _check_journal(path: Path) -> None:
    """Check that the journal of a store, from which SQLite restores it, is a file that SQLite wrote.

    SQLite waits for a FIFO. At its end, the journal of several databases names a file, which SQLite
    deletes.
    """
    if not os.path.lexists(path):
        return
    state = path.lstat()
    is_own = stat.S_ISREG(state.st_mode) and state.st_nlink == 1
    if is_own:
        with path.open("rb") as file:
            file.seek(max(0, state.st_size - len(_SEVERAL_DATABASES)))
            is_own = file.read() != _SEVERAL_DATABASES
    if not is_own:
        raise StoreError(path, "not a journal of xcg judge; move it away")


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Check that a database has the tables of this version, and is not damaged."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise StoreError(path, "written by a later version of xcg; open it with that version")
    with contextlib.closing(sqlite3.connect(":memory:")) as expected:
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
    is_not_text = isinstance(error, UnicodeDecodeError) or (
        code is None and isinstance(error, sqlite3.OperationalError)
    )
    code = (code or 0) & 0xFF
    if is_not_text or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
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
