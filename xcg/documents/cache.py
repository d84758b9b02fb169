"""What was found in documents, kept on disk, so that nothing is parsed twice.

Files of numpy arrays (npz, never pickle) lie in one folder. *Shards* hold many documents each, under
the digests of their octets: ``trees`` whole trees, ``paths`` only which elements there are, ``some``
only which of those that were asked for. An *index*
for each corpus says which digest the document of a name has, as long as its file's size, times and
number stay what they were. Files are written whole and then renamed; whatever cannot be read is as if
it were not there, and a cache that cannot be written is none. See ``docs/cache.md``.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import sys
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xcg.documents.parsing import hash_paths
from xcg.documents.sources import Stamp
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.lazy_modules import etree, hashlib, np

if TYPE_CHECKING:
    import numpy.typing as npt

    from xcg.documents.parsing import Hashes

    Arrays = dict[str, npt.NDArray[Any]]

FORMAT = 2
"""To be raised whenever the files, or what parsing makes of a document, change."""
_MEGABYTES = 2048
_DIGEST = 16
_RACY = 2_000_000_000  # nanoseconds; no file system's times are coarser
_SMALL = 1 << 22  # octets; smaller shards are joined with what is written next
_LOADED = 6  # shards of each kind in memory
_ABANDONED = 3600  # seconds after which a temporary file is nobody's
_COLUMNS = ("tag_codes", "parent", "end", "depth", "start", "characters", "words", "positions")

_switched_off: ContextVar[bool] = ContextVar("switched_off", default=False)


@contextlib.contextmanager
def without_cache() -> Iterator[None]:
    """Open no cache inside a ``with``."""
    token = _switched_off.set(True)
    try:
        yield
    finally:
        _switched_off.reset(token)


def digest(data: bytes) -> bytes:
    """Return what a document is kept under."""
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def version() -> str:
    """Return what the names of files begin with, so that what another version wrote is not read."""
    libxml2 = ".".join(map(str, etree.LIBXML_VERSION))
    return f"{FORMAT}-{libxml2}-{unicodedata.unidata_version}"


_unwritten: set[DocumentCache] = set()


@atexit.register
def write_caches() -> None:
    """Write what was added to any cache.

    Nothing is written when a corpus is garbage, for garbage is collected in the midst of anything.
    """
    for cache in list(_unwritten):
        cache.flush()


def open_cache(corpus: str) -> DocumentCache | None:
    """Return the cache for a corpus, None where it is switched off or there is no place for it.

    What other corpora found so far is written, so that this one knows it.

    The environment says where: ``XCG_CACHE`` is a folder or ``off``, ``XCG_CACHE_SIZE`` how many
    megabytes it may hold. Raises XcgError for a size that is no number.
    """
    place = os.environ.get("XCG_CACHE", "")
    if place == "off" or _switched_off.get():
        return None
    size = os.environ.get("XCG_CACHE_SIZE", "") or str(_MEGABYTES)
    if not size.isdecimal():
        raise XcgError(f"XCG_CACHE_SIZE is {size!r}: expected a number of megabytes")
    try:
        folder = Path(place) if place else _usual_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Who owns the folder decides what is in it.
        if hasattr(os, "geteuid") and folder.stat().st_uid != os.geteuid():
            return None
    except (OSError, RuntimeError, ValueError):  # no home, no right, a file in its place
        return None
    write_caches()
    return DocumentCache(folder, corpus, int(size) << 20)


def _usual_folder() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "xcg" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "xcg"
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "xcg"


class DocumentCache:
    """The cache as one corpus sees it. What is added is written by :meth:`flush`."""

    def __init__(self, folder: Path, corpus: str, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        self._index = _Index(folder / f"{version()}-index-{digest(os.fsencode(corpus)).hex()}.npz")
        self._trees = _Shards(folder, "trees", _pack_trees, 2_000_000)
        self._paths = _Shards(folder, "paths", _pack_paths, 8_000_000)
        self._some = _Shards(folder, "some", _pack_paths, 8_000_000)
        self._hashes: dict[str, int] = {}

    def digest(self, name: str, stamp: Stamp) -> bytes | None:
        """Return the digest of a document whose file is as it was, None where that is not known."""
        known = self._index.entries.get(name)
        return known[1] if known is not None and known[0] == stamp else None

    def note(self, name: str, stamp: Stamp, found: bytes, began: int) -> None:
        """Keep a document's digest.

        began: when reading began, in nanoseconds. A file that changed just before may change again
        without its times showing it, so its digest is not relied on.
        """
        if max(stamp.modified, stamp.changed) < began - _RACY:
            self._index.changes[name] = self._index.entries[name] = (stamp, found)
            _unwritten.add(self)

    def has_tree(self, found: bytes) -> bool:
        """Say whether a tree is kept."""
        return found in self._trees

    def has_paths(self, found: bytes) -> bool:
        """Say whether all paths of a document are kept."""
        return found in self._paths

    def has_some_paths(self, found: bytes) -> bool:
        """Say whether some paths of a document are kept, because they were asked for."""
        return found in self._some

    def tree(self, found: bytes, read_text: Callable[[], str]) -> ElementTree | None:
        """Return the tree of a document, None where it is not kept."""
        place = self._trees.place(found)
        if place is None:
            return None
        shard, number = place
        first, last = shard["offsets"][number : number + 2].tolist()
        columns = shard["columns"][:, first:last].astype(np.int64)
        return ElementTree(
            **dict(zip(_COLUMNS, columns, strict=True)),
            tag_names=str(shard["tags"][number]).split(" "),
            read_text=read_text,
        )

    def add_tree(self, found: bytes, tree: ElementTree) -> None:
        """Keep a tree."""
        _unwritten.add(self)
        self._trees.add(found, tree, len(tree))

    def add_paths(self, found: bytes, hashes: Hashes) -> None:
        """Keep which paths a document has."""
        _unwritten.add(self)
        self._paths.add(found, hashes, len(hashes))

    def add_some_paths(self, found: bytes, hashes: Hashes) -> None:
        """Keep some paths that a document has, in increasing order."""
        _unwritten.add(self)
        self._some.add(found, hashes, len(hashes))

    def hashed(self, paths: Iterable[str]) -> Hashes:
        """Return the hashes of canonical paths, as in :func:`xcg.documents.parsing.path_hashes`."""
        return np.array(hash_paths(paths, self._hashes), dtype=np.uint64)

    def missing(self, asked: Mapping[str, tuple[bytes, Collection[str]]]) -> dict[str, list[str]]:
        """Return which paths documents lack; where what is kept does not tell, they are left out.

        asked: name → digest and canonical paths.
        """
        answers = self._missing(self._paths, asked)
        rest = {name: one for name, one in asked.items() if name not in answers}
        for name, missing in self._missing(self._some, rest).items():
            if not missing:
                answers[name] = missing
        return answers

    def _missing(
        self, shards: _Shards, asked: Mapping[str, tuple[bytes, Collection[str]]]
    ) -> dict[str, list[str]]:
        by_shard: dict[int, tuple[Arrays, list[tuple[str, int]]]] = {}
        for name, (found, _) in asked.items():
            place = shards.place(found)
            if place is not None:
                by_shard.setdefault(id(place[0]), (place[0], []))[1].append((name, place[1]))
        answers: dict[str, list[str]] = {}
        for shard, names in by_shard.values():
            numbers = np.array([number for _, number in names])
            counts = np.array([len(asked[name][1]) for name, _ in names])
            paths = [path for name, _ in names for path in asked[name][1]]
            wanted = self.hashed(paths)
            offsets = shard["offsets"]
            first = np.repeat(offsets[numbers], counts)
            last = np.repeat(offsets[numbers + 1], counts)
            answers.update((name, []) for name, _ in names)
            owner = np.repeat(np.arange(len(names)), counts)
            for place_ in np.flatnonzero(~_among(shard["hashes"], wanted, first, last)).tolist():
                answers[names[owner[place_]][0]].append(paths[place_])
        return answers

    def flush(self) -> None:
        """Write what was added, and delete what was not used for longest where it is too much."""
        _unwritten.discard(self)
        # Nobody may suffer from a cache: the disk may be full, the folder gone or not writable.
        with contextlib.suppress(OSError, MemoryError):
            shards = self._trees, self._paths, self._some
            written = [part.write() for part in (*shards, self._index)]
            if any(written):
                _shrink(self._folder, self._limit)


def _among(hashes: Hashes, wanted: Hashes, first: npt.NDArray[Any], last: npt.NDArray[Any]) -> Any:
    """Say which wanted hashes are in their part of the hashes, ``first`` to ``last`` - 1, sorted."""
    low, high = first, last
    while np.any(low < high):
        middle = (low + high) // 2
        smaller = (low < high) & (hashes[np.minimum(middle, len(hashes) - 1)] < wanted)
        low, high = np.where(smaller, middle + 1, low), np.where(smaller, high, np.maximum(low, middle))
    return (low < last) & (hashes[np.minimum(low, len(hashes) - 1)] == wanted)


class _Index:
    """The stamps and digests of a corpus's documents."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.entries = self._read()
        self.changes: dict[str, tuple[Stamp, bytes]] = {}

    def _read(self) -> dict[str, tuple[Stamp, bytes]]:
        arrays = _load(self._path)
        if arrays is None:
            return {}
        try:
            names = _lines(arrays["names"])
            stamps = itertools.starmap(Stamp, arrays["stamps"].tolist())
            digests = _digests(arrays)
            return dict(zip(names, zip(stamps, digests, strict=True), strict=True))
        except (KeyError, TypeError, ValueError):
            return {}

    def write(self) -> bool:
        if not self.changes:
            return False
        entries = {**self._read(), **self.changes}  # another process may have written meanwhile
        self.changes = {}
        arrays: Arrays = {
            "names": _octets("\n".join(entries)),
            "stamps": np.array([stamp for stamp, _ in entries.values()], dtype=np.int64),
            "digests": _digest_array([found for _, found in entries.values()]),
        }
        _save(self._path, arrays)
        return True


class _Shards:
    """The documents of one kind, many to a file."""

    def __init__(
        self,
        folder: Path,
        kind: str,
        pack: Callable[[Sequence[Any]], Arrays],
        most: int,
    ) -> None:
        self._folder = folder
        self._prefix = f"{version()}-{kind}-"
        self._pack = pack
        self._most = most
        self._where: dict[bytes, tuple[Path, int]] = {}
        self._loaded: OrderedDict[Path, Arrays | None] = OrderedDict()
        self._new: dict[bytes, Any] = {}
        self._elements = 0
        try:
            paths = sorted(folder.glob(f"{self._prefix}*.npz"))
        except OSError:
            paths = []
        for path in paths:
            arrays = _load(path, ["digests"])
            if arrays is not None:
                self._enter(path, _digests(arrays))

    def _enter(self, path: Path, digests: Sequence[bytes]) -> None:
        self._where.update((found, (path, number)) for number, found in enumerate(digests))

    def __contains__(self, found: bytes) -> bool:
        return found in self._where

    def place(self, found: bytes) -> tuple[Arrays, int] | None:
        """Return the shard of a document and its number there."""
        place = self._where.get(found)
        if place is None:
            return None
        path, number = place
        if path in self._loaded:
            shard = self._loaded[path]
            self._loaded.move_to_end(path)
        else:
            shard = self._checked(path)
            if shard is not None and "columns" in shard:
                shard["tags"] = np.array(_lines(shard["tags"]), dtype=object)
            self._loaded[path] = shard
            if len(self._loaded) > _LOADED:
                self._loaded.popitem(last=False)
        if shard is None:
            self._where.pop(found)
            return None
        return shard, number

    def _checked(self, path: Path) -> Arrays | None:
        """Load a shard; None where it is damaged or gone."""
        arrays = _load(path)
        if arrays is None:
            return None
        try:
            _check(arrays)
        except (KeyError, TypeError, ValueError, IndexError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # it was used
        return arrays

    def add(self, found: bytes, content: Any, elements: int) -> None:
        if found not in self._where:
            self._new[found] = content
            self._elements += elements
        if self._elements > self._most:
            with contextlib.suppress(OSError):
                self.write()

    def write(self) -> bool:
        if not self._new:
            return False
        new, self._new, self._elements = self._new, {}, 0
        path = self._folder / f"{self._prefix}{os.urandom(16).hex()}.npz"
        arrays = self._pack(list(new.values()))
        arrays["digests"] = _digest_array(list(new))
        joined = []
        for other in self._folder.glob(f"{self._prefix}*.npz"):
            with contextlib.suppress(OSError):  # gone meanwhile
                if other.stat().st_size < _SMALL and (shard := self._checked(other)) is not None:
                    arrays = _joined(arrays, shard)
                    joined.append(other)
        _save(path, arrays)
        self._enter(path, _digests(arrays))
        for other in joined:
            other.unlink(missing_ok=True)
        return True


def _pack_paths(contents: Sequence[Hashes]) -> Arrays:
    return {"offsets": _offsets(map(len, contents)), "hashes": np.concatenate(contents)}


def _pack_trees(contents: Sequence[ElementTree]) -> Arrays:
    columns = [np.concatenate([getattr(tree, name) for tree in contents]) for name in _COLUMNS]
    return {
        "offsets": _offsets(map(len, contents)),
        "columns": np.array(columns, dtype=np.int32),  # a document has at most 2^28 octets
        "tags": _octets("\n".join(" ".join(tree.tag_names) for tree in contents)),
    }


def _check(arrays: Arrays) -> None:
    """Raise ValueError for a shard whose parts do not fit each other."""
    offsets, digests = arrays["offsets"], _digests(arrays)
    is_trees = "columns" in arrays
    rows = arrays["columns" if is_trees else "hashes"]
    fits = (
        offsets.dtype == np.int64
        and offsets.shape == (len(digests) + 1,)
        and offsets[0] == 0
        and offsets[-1] == rows.shape[-1]
        and bool(np.all(np.diff(offsets) > 0))
        and rows.shape[:-1] == ((len(_COLUMNS),) if is_trees else ())
        and rows.dtype == (np.int32 if is_trees else np.uint64)
    )
    if fits and is_trees:
        fits = len(_lines(arrays["tags"])) == len(digests)
    if not fits:
        raise ValueError("a shard of another form")


def _joined(one: Arrays, other: Arrays) -> Arrays:
    """Return two shards as one."""
    joined = {
        "digests": np.concatenate((one["digests"], other["digests"])),
        "offsets": np.concatenate((one["offsets"], other["offsets"][1:] + one["offsets"][-1])),
    }
    if "hashes" in one:
        return {**joined, "hashes": np.concatenate((one["hashes"], other["hashes"]))}
    return {
        **joined,
        "columns": np.concatenate((one["columns"], other["columns"]), axis=1),
        "tags": _octets("\n".join(_lines(one["tags"]) + _lines(other["tags"]))),
    }


def _offsets(lengths: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.array([0, *itertools.accumulate(lengths)], dtype=np.int64)


def _octets(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _lines(octets: npt.NDArray[Any]) -> list[str]:
    return octets.tobytes().decode().split("\n")


def _digest_array(digests: Sequence[bytes]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, _DIGEST)


def _digests(arrays: Arrays) -> list[bytes]:
    octets = arrays["digests"].tobytes()
    return [octets[place : place + _DIGEST] for place in range(0, len(octets), _DIGEST)]


def _load(path: Path, members: Sequence[str] | None = None) -> Arrays | None:
    """Return the arrays of a file, all or some; None where it is gone or damaged.

    The zip format has a checksum of every member, which is compared as the member is read.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            size = os.fstat(file.fileno()).st_size
            for member in arrays.zip.infolist():
                if member.compress_type or member.file_size > size:
                    raise ValueError("a member that is packed")
            return {name: arrays[name] for name in members or arrays.files}
    except (OSError, MemoryError):
        return None
    except Exception:  # damage shows as exceptions of many kinds
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def _save(path: Path, arrays: Arrays) -> None:
    """Write a file whole or not at all."""
    import tempfile  # slow to import, and most of the time nothing is saved

    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _shrink(folder: Path, limit: int) -> None:
    """Delete the files not used for longest until the rest holds at most so many octets."""
    files = []
    total = 0
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):  # another process deletes as well
            state = entry.stat()
            if entry.name.endswith(".npz"):
                files.append((state.st_mtime_ns, state.st_size, entry.path))
                total += state.st_size
            elif entry.name.endswith(".tmp") and state.st_mtime < time.time() - _ABANDONED:
                os.unlink(entry.path)
    for _, size, path in sorted(files):
        if total <= limit:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
