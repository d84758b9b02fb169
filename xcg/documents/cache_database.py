"""Store the entries of the document cache in a SQLite file, and leave foreign files unchanged."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from xcg.documents.writing import new_whole_file
from xcg.lazy_modules import sqlite3

T = TypeVar("T")

FORMAT = 4
"""Version of the tables and of the results of parsing. Increase it when either changes."""

FILE_NAME = "xcg-documents.sqlite"
_APPLICATION = b"xcgd"
_HEADER = re.compile(rb"SQLite format 3\0.{52}" + _APPLICATION, re.DOTALL)
"""Beginning of the database, with SQLite's signature and the application id at byte 68."""
_COMPANIONS = {
    "-journal": re.compile(rb"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7|\0{8}"),
    "-shm": re.compile(rb"\x18\xe2\x2d\0|\0\x2d\xe2\x18|\0{3}"),
    "-wal": re.compile(rb"\x37\x7f\x06[\x82\x83]"),
}
"""Suffixes and beginnings of the files that SQLite writes next to the database."""

_LOCK_TIMEOUT = 5.0  # seconds
_SCHEMA = f"""
    PRAGMA user_version = {FORMAT};
    DROP TABLE IF EXISTS entries;
    DROP TABLE IF EXISTS files;
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY, kind INTEGER, digest BLOB, used INTEGER, content BLOB,
        UNIQUE (kind, digest)
    );
    CREATE TABLE files (corpus BLOB, name TEXT, stamp BLOB, digest BLOB, PRIMARY KEY (corpus, name))
        WITHOUT ROWID;
"""

_REMOVE_OLDEST = """
    WITH sizes AS (SELECT id, length(content) AS size, used FROM entries),
    totals AS (SELECT id, sum(size) OVER (ORDER BY used, id) - size AS earlier FROM sizes)
    DELETE FROM entries WHERE id IN (SELECT id FROM totals WHERE earlier < ?)
"""
"""Removes the least recently used entries until a given number of bytes is removed."""
_EMPTY = f"""
    PRAGMA page_size = 16384;
    PRAGMA auto_vacuum = FULL;
    PRAGMA application_id = {int.from_bytes(_APPLICATION, "big")};
    {_SCHEMA}
"""
_SETTINGS = (
    "journal_mode = WAL",
    "journal_size_limit = 0",
    "synchronous = NORMAL",
    "trusted_schema = OFF",
)

_descriptors: dict[Path, int] = {}
_preparing = threading.Lock()


def is_private(folder: Path) -> bool:
    """Return whether only this user controls a folder and the link to it, if it is a link.

    Write access for its group is allowed, because on many systems this is the user's own group.
    """
    if not hasattr(os, "geteuid"):
        return True
    states = (folder.lstat(), folder.stat())
    return all(s.st_uid == os.geteuid() for s in states) and not states[1].st_mode & stat.S_IWOTH


def _prepare(path: Path) -> bool:
    """Create the database if it does not exist, and return whether it is a database of xcg.

    Raises:
        OSError: If a file cannot be read or written.
    """
    with _preparing:
        # SQLite's other files are only read before this process connects, see _has_own_header.
        if path not in _descriptors and any(map(partial(_is_foreign, path), _COMPANIONS)):
            return False
        if not os.path.lexists(path):
            _create_database(path)
        return _has_own_header(path)


def _is_foreign(path: Path, suffix: str) -> bool:
    """Return whether a file next to the database exists but was not written by SQLite."""
    file = Path(f"{path}{suffix}")
    if not os.path.lexists(file):
        return False
    if not stat.S_ISREG(file.lstat().st_mode):
        return True
    with file.open("rb") as opened:
        head = opened.read(8)
    return bool(head) and not _COMPANIONS[suffix].match(head)


def _has_own_header(path: Path) -> bool:
    """Return whether a file is a database of xcg.

    Its descriptor stays open: if a process closes any descriptor of a file, it loses all POSIX locks of
    the file, and SQLite relies on them.

    Raises:
        OSError: If the file cannot be read.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        return False
    if sys.platform == "win32":  # locks differ there, and an open file cannot be deleted
        return bool(_HEADER.match(path.read_bytes()[:72]))
    number = _descriptors.get(path)
    if number is None or not os.path.samestat(os.fstat(number), path.stat()):
        number = _descriptors[path] = os.open(path, os.O_RDONLY)
    return bool(_HEADER.match(os.pread(number, 72, 0)))


def _create_database(path: Path) -> None:
    """Create an empty database atomically, so that no process sees an incomplete one.

    Raises:
        OSError: If the file cannot be written.
        sqlite3.Error: If there is not enough memory.
    """
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_EMPTY)
        content = connection.serialize()
    with contextlib.suppress(FileExistsError), new_whole_file(path) as file:
        file.write(content[:18] + b"\2\2" + content[20:])  # the versions of the write-ahead log


class Database:
    """A SQLite file that counts as empty if it cannot be used."""

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._lock = threading.Lock()
        self._usable = True
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = None

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self._path.parent

    @property
    def is_usable(self) -> bool:
        """Whether the database can be opened, and no earlier use of it failed."""
        return self._try(lambda _: True) is not None

    def rows(self, query: str, keys: Iterable[Sequence[object]]) -> list[Any]:
        """Return the rows of a query for all keys; none if the database cannot be used."""

        def execute(connection: sqlite3.Connection) -> list[Any]:
            return [row for key in keys for row in connection.execute(query, key)]

        return self._try(execute) or []

    def write(self, statements: Mapping[str, Iterable[Sequence[object]]]) -> None:
        """Execute each statement with all its parameters, then remove old entries.

        If the database cannot be used, nothing happens.
        """

        def execute(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            for statement, parameters in statements.items():
                connection.executemany(statement, parameters)
            self._shrink(connection)
            connection.execute("COMMIT")

        self._try(execute)

    def discard(self) -> None:
        """Stop using the damaged database, and delete it unless it is a foreign file."""
        self._usable = False
        with contextlib.suppress(OSError):
            if _has_own_header(self._path):
                for suffix in ("", "-wal", "-shm"):
                    with contextlib.suppress(OSError):
                        os.unlink(f"{self._path}{suffix}")

    def _try(self, operation: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            # SQLite forbids the use of a connection after a fork.
            if not self._usable or self._process != os.getpid():
                return None
            try:
                if self._connection is None:
                    self._usable = _prepare(self._path)
                    if not self._usable:
                        return None
                    self._connection = self._connect()
                return operation(self._connection)
            except (sqlite3.Error, MemoryError, OSError) as error:
                self._usable = False
                if self._connection is not None:
                    self._connection.close()  # ends the transaction
                damaged = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in damaged:
                    self.discard()
                return None

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, _LOCK_TIMEOUT, isolation_level=None, check_same_thread=False
        )
        # At exit, write_caches still needs the connection.
        weakref.finalize(self, connection.close).atexit = False
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        if _version(connection) != FORMAT:
            connection.execute("BEGIN IMMEDIATE")
            if _version(connection) != FORMAT:  # another process may have been faster
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
            connection.execute("COMMIT")
        return connection

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Remove the least recently used entries until the database fits its limit."""
        page_size, pages, free = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_size", "page_count", "freelist_count")
        )
        excess = page_size * (pages - free) - self._limit
        if excess <= 0:
            return
        excess += self._limit // 10  # so that the next write does not shrink it again
        connection.execute(_REMOVE_OLDEST, (excess,))
        connection.execute("DELETE FROM files WHERE digest NOT IN (SELECT digest FROM entries)")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
