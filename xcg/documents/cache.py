"""Keep what is known about parsed documents in a SQLite file, so that no document is parsed twice.

The tree of a document, or those of its paths that were looked up, are stored under the name and the
stamp of its file. The cache never causes an error: a database that is locked, damaged or not writable
counts as empty. A file that xcg did not write is never changed. See ``docs/howto/scaling.md``.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import stat
import threading
import time
import unicodedata
import weakref
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from xcg.documents.sources import Stamp
from xcg.documents.tree import COLUMNS, ElementTree
from xcg.lazy_modules import etree, hashlib, json, np, sqlite3

T = TypeVar("T")

FORMAT = 9
"""Version of the table and of the results of parsing. Increase it when either changes."""
FILE_NAME = "xcg-documents.sqlite"
TREE, PATHS = b"T", b"P"
"""Kinds of entries: a tree, or the paths of a document that were looked up."""

_APPLICATION = int.from_bytes(b"xcgd")
_MAX_SIZE = 1 << 31  # bytes
_MAX_UNWRITTEN = 1 << 26  # bytes
_RECENT = 2_000_000_000  # nanoseconds; the times of all file systems are finer
_MOST_KEYS = 500  # of a query; SQLite has a limit
_LOCK_TIMEOUT = 5.0  # seconds
_SETTINGS = ("synchronous = NORMAL", "trusted_schema = OFF")
_NEW_FILE = ("page_size = 16384", "auto_vacuum = FULL")
_SCHEMA = (
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
    "DROP TABLE IF EXISTS entries",
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, key BLOB UNIQUE, content BLOB)",
)
_REMOVE_OLDEST = """
    DELETE FROM entries WHERE id <= (SELECT min(id) FROM
        (SELECT id, sum(length(content)) OVER (ORDER BY id) AS total FROM entries) WHERE total >= ?)
"""
_unwritten: set[DocumentCache] = set()


@atexit.register
def write_caches() -> None:
    """Write the new entries of all caches.

    Entries are not written when a corpus is deleted, because that can happen at any time.
    """
    for cache in list(_unwritten):
        cache.flush()


class DocumentCache:
    """The entries of one corpus; :meth:`flush` writes new ones.

    Args:
        folder: The folder of the cache.
        corpus: What identifies the corpus, see :func:`xcg.documents.corpus.open_cache`.
    """

    def __init__(self, folder: Path, corpus: str) -> None:
        self.folder = folder
        self._path = folder / FILE_NAME
        # Entries of other versions of what influences parsing are never found.
        versions = FORMAT, etree.LIBXML_VERSION, etree.LXML_VERSION, unicodedata.unidata_version
        self._prefix = hashlib.blake2b(repr((versions, corpus)).encode()).digest()
        self._opened = time.time_ns()
        self._new: dict[bytes, bytes] = {}
        self._new_bytes = 0
        self._fetched: dict[bytes, bytes | None] = {}
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = None
        self._usable = True

    @property
    def is_usable(self) -> bool:
        """Whether the database can be opened, and no earlier use of it failed."""
        return self._try(lambda _: True) is not None

    def fetch(self, stamps: Mapping[str, Stamp | None]) -> None:
        """Read the entries of several documents, about which questions follow, in one query."""
        keys = [
            self._key(kind, name, stamp) for name, stamp in stamps.items() for kind in (PATHS, TREE)
        ]
        asked = [key for key in keys if key is not None and key not in self._new]
        self._fetched = dict.fromkeys(asked) | (self._try(lambda one: _stored(one, asked)) or {})

    def tree(self, name: str, stamp: Stamp | None, read_text: Callable[[], str]) -> ElementTree | None:
        """Return the tree of a document, None if it is not known.

        Args:
            name: The document.
            stamp: Its file's stamp.
            read_text: Function that reads the document's text.
        """
        content = self._entry(self._key(TREE, name, stamp))
        return None if content is None else _unpack_tree(content, read_text)

    def add_tree(self, name: str, stamp: Stamp | None, tree: ElementTree) -> None:
        """Store the tree of a document."""
        self._add(self._key(TREE, name, stamp), _pack_tree(tree))

    def missing(self, name: str, stamp: Stamp | None, paths: Collection[str]) -> list[str] | None:
        """Return the paths that a document lacks, None if this is not known of all paths."""
        content = self._entry(self._key(PATHS, name, stamp))
        if content is None:
            return None
        exists: dict[str, bool] = json.loads(content)
        return [p for p in paths if not exists[p]] if exists.keys() >= set(paths) else None

    def add_missing(
        self, name: str, stamp: Stamp | None, paths: Collection[str], missing: Collection[str]
    ) -> None:
        """Store which of some paths a document lacks."""
        exists = dict.fromkeys(paths, True) | dict.fromkeys(missing, False)
        self._add(self._key(PATHS, name, stamp), json.dumps(exists).encode())

    def _key(self, kind: bytes, name: str, stamp: Stamp | None) -> bytes | None:
        """Return the key of an entry; None if it is not kept, or a change could remain unnoticed.

        A file that changed immediately before the cache was opened, or later, may change again within
        the resolution of its times.
        """
        if not self._usable or stamp is None or max(*stamp[1:3]) >= self._opened - _RECENT:
            return None
        identity = repr((*stamp, name)).encode()
        return kind + hashlib.blake2b(identity, digest_size=16, key=self._prefix).digest()

    def _entry(self, key: bytes | None) -> bytes | None:
        if key is None:
            return None
        for known in (self._new, self._fetched):
            if key in known:
                return known[key]
        return (self._try(lambda connection: _stored(connection, [key])) or {}).get(key)

    def _add(self, key: bytes | None, content: bytes) -> None:
        if key is None:
            return
        with self._lock:
            self._new[key] = _merged(key, self._new.get(key), content)
            self._new_bytes += len(content)
        _unwritten.add(self)
        if self._new_bytes > _MAX_UNWRITTEN:
            self.flush()

    def flush(self) -> None:
        """Write new entries."""
        _unwritten.discard(self)
        with self._lock:
            new, self._new, self._new_bytes = self._new, {}, 0
            self._fetched = {}

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            # Another process may have added other paths.
            old = _stored(connection, [key for key in new if key.startswith(PATHS)])
            for key, added in new.items():
                content = _merged(key, old.get(key), added)
                row = key, _checksum(key, content) + content
                connection.execute("REPLACE INTO entries (key, content) VALUES (?, ?)", row)
            self._shrink(connection)
            connection.execute("COMMIT")

        if new:
            self._try(write)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Remove the oldest entries until the database fits its limit."""
        page_size, pages, free = (
            _pragma(connection, name) for name in ("page_size", "page_count", "freelist_count")
        )
        excess = page_size * (pages - free) - _MAX_SIZE
        if excess > 0:  # with room for the next entries
            connection.execute(_REMOVE_OLDEST, (excess + _MAX_SIZE // 10,))

    def _try(self, operation: Callable[[sqlite3.Connection], T]) -> T | None:
        """Return the result of an operation; None if the database cannot be used."""
        with self._lock:
            # SQLite forbids the use of a connection after a fork.
            if not self._usable or self._process != os.getpid():
                return None
            try:
                if self._connection is None:
                    self._connection = self._connect()
                return operation(self._connection)
            except (sqlite3.Error, MemoryError, OSError) as error:
                self._usable = False
                if self._connection is not None:
                    self._connection.close()  # ends the transaction
                damaged = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in damaged:
                    self._discard()
                return None

    def _connect(self) -> sqlite3.Connection:
        """Open the database, and create its table.

        Raises:
            OSError: If another program wrote the file.
            sqlite3.Error: If it cannot be read or written.
        """
        if os.path.lexists(self._path) and not stat.S_ISREG(self._path.lstat().st_mode):
            raise OSError("not a file")
        connection = sqlite3.connect(
            self._path, _LOCK_TIMEOUT, isolation_level=None, check_same_thread=False
        )
        # At exit, write_caches still needs the connection.
        weakref.finalize(self, connection.close).atexit = False
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        if not _is_current(connection):
            for setting in _NEW_FILE:
                connection.execute(f"PRAGMA {setting}")
            connection.execute("BEGIN IMMEDIATE")
            if not _is_current(connection):  # another process may have been faster
                for statement in _SCHEMA:
                    connection.execute(statement)
            connection.execute("COMMIT")
        return connection

    def _discard(self) -> None:
        """Delete the damaged database, unless it is a foreign file."""
        with contextlib.suppress(OSError):
            with self._path.open("rb") as file:
                head = file.read(72)
            if head.startswith(b"SQLite format 3\0") and head.endswith(_APPLICATION.to_bytes(4)):
                self._path.unlink()


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchall()[0][0])


def _is_current(connection: sqlite3.Connection) -> bool:
    """Return whether the database has the current table.

    Raises:
        OSError: If another program wrote it.
    """
    application = _pragma(connection, "application_id")
    if application != _APPLICATION and connection.execute("SELECT 1 FROM sqlite_master").fetchall():
        raise OSError("another program's database")
    return application == _APPLICATION and _pragma(connection, "user_version") == FORMAT


def _stored(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return key → content of the entries that exist and are not damaged."""
    found: dict[bytes, bytes] = {}
    for first in range(0, len(keys), _MOST_KEYS):
        batch = keys[first : first + _MOST_KEYS]
        marks = ",".join("?" * len(batch))
        query = f"SELECT key, content FROM entries WHERE key IN ({marks})"  # noqa: S608
        for key, content in connection.execute(query, batch):
            if content[:4] == _checksum(key, content[4:]):
                found[key] = content[4:]
    return found


def _checksum(key: bytes, content: bytes) -> bytes:
    return zlib.crc32(content, zlib.crc32(key)).to_bytes(4, "little")


def _merged(key: bytes, old: bytes | None, new: bytes) -> bytes:
    """Return an entry with the paths of an older entry."""
    if old is None or key.startswith(TREE):
        return new
    return json.dumps(json.loads(old) | json.loads(new)).encode()


def _pack_tree(tree: ElementTree) -> bytes:
    """Return the number of removed elements, the entity and tag names, a line break, and the columns.

    The largest documents fit 32 bits.
    """
    columns = np.array([getattr(tree, name) for name in COLUMNS], dtype="<i4")
    names = " ".join([str(tree.removed), tree.entity, *tree.tag_names])
    return names.encode() + b"\n" + columns.tobytes()


def _unpack_tree(content: bytes, read_text: Callable[[], str]) -> ElementTree:
    names, _, columns = content.partition(b"\n")
    rows = np.frombuffer(columns, dtype="<i4").reshape(len(COLUMNS), -1)
    named: dict[str, Any] = dict(zip(COLUMNS, rows, strict=True))
    removed, entity, *tags = names.decode().split(" ")
    return ElementTree(
        **named, tag_names=tags, read_text=read_text, removed=int(removed), entity=entity
    )
