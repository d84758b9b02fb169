"""Keep what is known about parsed documents in a SQLite file, so that no document is parsed twice.

The tree of a document, the hashes of all its paths, or only those of the paths that runs retrieve are
stored under the digest of its bytes. For each corpus, the digests of its files are stored with their
sizes, times and inodes. The cache never causes an error: a database that is locked, damaged or not
writable counts as empty. A file that xcg did not write is never changed. See ``docs/howto/cache.md``.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import struct
import threading
import time
import unicodedata
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any, TypeVar

from xcg.documents.cache_database import FILE_NAME, FORMAT, Database, is_private
from xcg.documents.parsing import Hashes, hash_paths
from xcg.documents.sources import Stamp
from xcg.documents.tree import COLUMNS, ElementTree
from xcg.errors import XcgError
from xcg.lazy_modules import etree, hashlib, np

T = TypeVar("T")

TREE, ALL_PATHS, SOME_PATHS = range(3)
"""Kinds of entries: a tree, the hashes of all paths of a document, or those of the retrieved paths."""

_DEFAULT_MEGABYTES = 2048
_MAX_DIGITS = 9  # of XCG_CACHE_SIZE
_MAX_UNWRITTEN = 1 << 26  # bytes
_RECENT = 2_000_000_000  # nanoseconds; the times of all file systems are finer
_KEPT_FILES = 200_000
"""Maximum number of documents whose stamps are in memory; those of others are read one by one."""
_KEPT_HASHES = 1_000_000
"""Maximum number of paths whose hashes are in memory."""
_USE_INTERVAL = 3600  # seconds; the time of an entry's last use is not stored more often
_switched_off: ContextVar[bool] = ContextVar("switched_off", default=False)
_unwritten: set[DocumentCache] = set()


@contextlib.contextmanager
def without_cache() -> Iterator[None]:
    """Open no cache inside a ``with`` block."""
    token = _switched_off.set(True)
    try:
        yield
    finally:
        _switched_off.reset(token)


def digest(data: bytes) -> bytes:
    """Return the key of a document's entries.

    It depends on the versions of everything that influences parsing, so that entries of other versions
    are never found.
    """
    versions = (FORMAT, *etree.LIBXML_VERSION, *etree.LXML_VERSION, unicodedata.unidata_version)
    return hashlib.blake2b(data, digest_size=16, key=repr(versions).encode()).digest()


@atexit.register
def write_caches() -> None:
    """Write the new entries of all caches.

    Entries are not written when a corpus is deleted, because that can happen at any time.
    """
    for cache in list(_unwritten):
        cache.flush()


def open_cache(corpus: str, folder: Path | None = None) -> DocumentCache | None:
    """Open the cache for a corpus, after writing the new entries of other corpora.

    The environment variable ``XCG_CACHE`` is a folder or ``off``, ``XCG_CACHE_SIZE`` the maximum size
    in megabytes.

    Args:
        corpus: Absolute path of the corpus.
        folder: The folder of a cache that is used even if caches are switched off.

    Returns:
        The cache; None if it is switched off, or if its folder cannot be used or is not private.

    Raises:
        XcgError: If the size is not a whole number.
    """
    setting = os.environ.get("XCG_CACHE", "")
    if folder is None and (setting == "off" or _switched_off.get()):
        return None
    size = os.environ.get("XCG_CACHE_SIZE", "") or str(_DEFAULT_MEGABYTES)
    if not (size.isdecimal() and len(size) <= _MAX_DIGITS):
        raise XcgError(
            f"XCG_CACHE_SIZE is {size[:40]!r}: expected a number of megabytes with at most "
            f"{_MAX_DIGITS} digits"
        )
    if int(size) == 0:
        if folder is None:
            return None
        size = str(_DEFAULT_MEGABYTES)
    try:
        if folder is None:
            folder = Path(setting).expanduser() if setting else _default_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_private(folder):
            return None
    except (OSError, RuntimeError, ValueError):
        return None
    write_caches()
    return DocumentCache(Database(folder / FILE_NAME, int(size) << 20), digest(os.fsencode(corpus)))


def _default_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("xcg", appauthor=False))


class DocumentCache:
    """The entries of one corpus; :meth:`flush` writes new ones."""

    def __init__(self, database: Database, corpus: bytes) -> None:
        self._database = database
        self._corpus = corpus
        self._opened = time.time_ns()
        self._lock = threading.Lock()
        self._new_files: dict[str, tuple[bytes, bytes]] = {}
        self._new_entries: dict[tuple[int, bytes], bytes] = {}
        self._unwritten_bytes = 0
        self._used: set[int] = set()
        self._hashes = {"": 0}

    @property
    def folder(self) -> Path:
        """The folder of the cache."""
        return self._database.folder

    @property
    def is_usable(self) -> bool:
        """Whether the file of the cache can be read and written; otherwise, the cache stays empty."""
        return self._database.is_usable

    @cached_property
    def _files(self) -> dict[str, tuple[bytes, bytes]]:
        """Name → stamp and digest of the documents, at most ``_KEPT_FILES`` of them."""
        query = "SELECT name, stamp, digest FROM files WHERE corpus = ? LIMIT ?"
        rows = self._database.rows(query, [(self._corpus, _KEPT_FILES)])
        return {name: (packed, found) for name, packed, found in rows}

    def digest(self, name: str, stamp: Stamp) -> bytes | None:
        """Return the digest of a document; None if unknown, or if its file has changed."""
        packed, found = self._files.get(name, (b"", None))
        if found is None and len(self._files) >= _KEPT_FILES:
            query = "SELECT stamp, digest FROM files WHERE corpus = ? AND name = ?"
            for row in self._database.rows(query, [(self._corpus, name)]):
                packed, found = row
        return found if packed == _packed(stamp) else None

    def add_file(self, name: str, stamp: Stamp, found: bytes) -> None:
        """Store the digest of a document.

        A file that changed immediately before the cache was opened, or later, may change again within
        the resolution of its times, so its digest is not stored.

        Args:
            name: The document.
            stamp: Its file's stamp.
            found: The digest.
        """
        if max(stamp.modified, stamp.changed) < self._opened - _RECENT:
            with self._lock:
                self._new_files[name] = _packed(stamp), found
                if len(self._files) < _KEPT_FILES or name in self._files:
                    self._files[name] = self._new_files[name]
            _unwritten.add(self)

    def has(self, kind: int, found: bytes) -> bool:
        """Return whether a document has an entry of a kind."""
        query = "SELECT 1 FROM entries WHERE kind = ? AND digest = ?"
        return bool(self._database.rows(query, [(kind, found)]))

    def tree(self, found: bytes, read_text: Callable[[], str]) -> ElementTree | None:
        """Return the tree of a document, None if there is no entry.

        Args:
            found: The document's digest.
            read_text: Function that reads the document's text.
        """
        content = self._contents(TREE, [found]).get(found)
        if content is None:
            return None
        return _unpack_tree(content, read_text)

    def add_tree(self, found: bytes, tree: ElementTree) -> None:
        """Store the tree of a document."""
        self._add(TREE, found, _pack_tree(tree))

    def add_some_paths(self, found: bytes, paths: Collection[str]) -> None:
        """Store the hashes of paths that a document has."""
        if paths:
            self._add(SOME_PATHS, found, np.sort(self._hashed(paths)).astype("<u8").tobytes())

    def add_all_paths(self, found: bytes, hashes: Hashes, paths: Iterable[str]) -> list[str]:
        """Store the hashes of all paths of a document, and return the paths that it lacks.

        Args:
            found: The document's digest.
            hashes: As returned by :func:`xcg.documents.parsing.path_hashes`.
            paths: Canonical paths.
        """
        self._add(ALL_PATHS, found, hashes.astype("<u8").tobytes())
        return self._absent(hashes, paths)

    def missing(self, asked: Mapping[str, tuple[bytes, Collection[str]]]) -> dict[str, list[str]]:
        """Return the paths that documents lack; documents without a sufficient entry are left out.

        Args:
            asked: Name → digest and canonical paths.
        """
        answers: dict[str, list[str]] = {}
        for kind in (ALL_PATHS, SOME_PATHS):
            rest = {name: item for name, item in asked.items() if name not in answers}
            contents = self._contents(kind, [found for found, _ in rest.values()])
            for name, (found, paths) in rest.items():
                if found in contents:
                    absent = self._absent(np.frombuffer(contents[found], dtype="<u8"), paths)
                    if kind == ALL_PATHS or not absent:
                        answers[name] = absent
        return answers

    def _absent(self, hashes: Hashes, paths: Iterable[str]) -> list[str]:
        """Return the paths whose hashes are not among those of a document; these are increasing."""
        wanted = self._hashed(paths)
        return list(compress(paths, hashes[np.searchsorted(hashes[:-1], wanted)] != wanted))

    def _hashed(self, paths: Iterable[str]) -> Hashes:
        if len(self._hashes) > _KEPT_HASHES:
            self._hashes = {"": 0}
        return np.array(hash_paths(paths, self._hashes), dtype=np.uint64)

    def _contents(self, kind: int, digests: Iterable[bytes]) -> dict[bytes, memoryview]:
        """Return digest → content of the entries that exist."""
        contents: dict[bytes, memoryview] = {}
        interval = _current_interval()
        query = "SELECT id, digest, used, content FROM entries WHERE kind = ? AND digest = ?"
        keys = [(kind, found) for found in digests]
        for row, found, used, content in self._database.rows(query, keys):
            view = memoryview(content)  # slices without copying
            if view[:4] != _checksum(kind, found, view[4:]):
                self._database.discard()
                return {}
            contents[found] = view[4:]
            if used != interval:
                with self._lock:
                    self._used.add(row)
                _unwritten.add(self)
        return contents

    def _add(self, kind: int, found: bytes, content: bytes) -> None:
        with self._lock:
            self._new_entries[kind, found] = _checksum(kind, found, content) + content
            self._unwritten_bytes += len(content)
        _unwritten.add(self)
        if self._unwritten_bytes > _MAX_UNWRITTEN:
            self.flush()

    def flush(self) -> None:
        """Write new entries."""
        _unwritten.discard(self)
        with self._lock:
            entries, files, used = self._new_entries, self._new_files, self._used
            self._new_entries, self._new_files, self._used, self._unwritten_bytes = {}, {}, set(), 0
        if not (entries or files or used):
            return
        now = _current_interval()
        self._database.write(
            {
                "UPDATE entries SET used = ? WHERE id = ?": [(now, row) for row in used],
                "REPLACE INTO entries (kind, digest, used, content) VALUES (?, ?, ?, ?)": [
                    (*key, now, content) for key, content in entries.items()
                ],
                "REPLACE INTO files VALUES (?, ?, ?, ?)": [
                    (self._corpus, name, *item) for name, item in files.items()
                ],
            }
        )


def _pack_tree(tree: ElementTree) -> bytes:
    """Return the number of elements, the width of each column in bytes, the columns and the tag names.

    Most columns fit 16 bits, and a document of at most 2^28 bytes always fits 32.
    """
    columns = [getattr(tree, name) for name in COLUMNS]
    widths = [2 if column.max(initial=0) < 1 << 15 else 4 for column in columns]
    packed = [c.astype(f"<i{width}").tobytes() for c, width in zip(columns, widths, strict=True)]
    head = struct.pack("<I", len(tree)) + bytes(widths)
    return b"".join((head, *packed, " ".join(tree.tag_names).encode()))


def _unpack_tree(content: memoryview, read_text: Callable[[], str]) -> ElementTree:
    (count,) = struct.unpack_from("<I", content)
    offset = 4 + len(COLUMNS)
    columns: dict[str, Any] = {}
    for name, width in zip(COLUMNS, content[4:offset], strict=True):
        columns[name] = np.frombuffer(content, f"<i{width}", count, offset)
        offset += width * count
    tag_names = str(content[offset:], "utf-8").split(" ")
    return ElementTree(**columns, tag_names=tag_names, read_text=read_text)


def _packed(stamp: Stamp) -> bytes:
    return struct.pack("<4q", *stamp)


def _checksum(kind: int, found: bytes, content: bytes | memoryview) -> bytes:
    return zlib.crc32(content, zlib.crc32(found, kind)).to_bytes(4, "little")


def _current_interval() -> int:
    return int(time.time()) // _USE_INTERVAL
