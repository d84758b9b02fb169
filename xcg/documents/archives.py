"""Read documents from zip and tar archives, with limits for hostile archives."""

from __future__ import annotations

import gzip
import os
import re
import stat
import threading
import weakref
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, cast

from xcg.documents.files import unexpanded_hint
from xcg.documents.sources import Folder, Source, Stamp, document_name, ending_of, read_up_to, reason_of
from xcg.errors import FileError, InputError, XcgError, nearest_file

if TYPE_CHECKING:
    import zipfile

LARGEST_ARCHIVE = 1 << 34
"""Maximum size of the temporary file for a decompressed tar archive: 16 GB."""
LARGEST_RATIO = 250
"""Maximum size of a decompressed tar archive, as a multiple of its compressed size.

Decompressed archives of up to 1 GB may have any ratio.
"""
MOST_MEMBERS = 4_000_000
"""Maximum number of members of an archive."""
LARGEST_DIRECTORY = 1 << 28
"""Maximum size of the central directory of a zip archive, or of all names in a tar archive: 256 MB."""
LARGEST_HEADER = 1 << 20
"""Maximum size of the headers of a member of a tar archive, with long names: 1 MB."""
_RATIO_FROM = 1 << 30
_BLOCK = 512  # bytes, of tar headers
_CHUNK = 1 << 20
_PAX_TYPES = (b"x", b"X", b"g")
_EXTENDED_TYPES = (b"L", b"K", *_PAX_TYPES)
_LENGTH = re.compile(rb"([0-9]{1,9}) ")
_DIGITS = re.compile(rb"[0-9]{300}")


def open_source(path: str | os.PathLike[str]) -> Source:
    """Open a folder or an archive.

    Raises:
        InputError: If it does not exist, is neither, or cannot be read.
    """
    location = Path(path)
    try:
        if location.is_dir():
            return Folder(path)
        if not location.exists():
            hint = unexpanded_hint(location) or nearest_file(location)
            message = f"no such folder or archive{hint}; expected a corpus of XML documents"
            raise FileError(location, message)
        if location.is_file():  # reading a pipe could wait
            import zipfile

            unpacked = _unpacked(location)  # before zip: a tar archive can end with a zip archive
            if unpacked is not None:
                return TarArchive(location, unpacked)
            if zipfile.is_zipfile(location):
                return ZipArchive(location, location.open("rb"))
    except XcgError:
        raise
    except Exception as error:  # the libraries raise exceptions of many kinds
        raise InputError(location, f"cannot read the corpus: {reason_of(error)}") from None
    raise FileError(location, "no corpus: expected a folder, a .zip or a .tar.gz of XML documents")


class Archive(Source):
    """The documents in an archive.

    Raises:
        InputError: If a limit is exceeded, or a member has an illegal name.
    """

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        super().__init__(path)
        self._state = path.stat()  # before reading
        self._file = file
        weakref.finalize(self, file.close)
        self._lock = threading.Lock()
        self._found: dict[str, tuple[str, Any]] = {}
        size = 0
        for number, (member, position) in enumerate(self._members(), 1):
            size += len(member)
            if number > MOST_MEMBERS:
                raise InputError(path, f"the archive has more than {MOST_MEMBERS} members; divide it")
            if size > LARGEST_DIRECTORY:
                raise _too_large_directory(path)
            if position is not None:
                self._add(member, position)

    @abstractmethod
    def _members(self) -> Iterator[tuple[str, Any]]:
        """Yield the name of each member, and its position; None if it is not a regular file."""

    @abstractmethod
    def _content(self, position: Any, most: int) -> bytes:
        """Return the content of a file, or its first ``most`` bytes if it is longer."""

    def _add(self, member: str, position: Any) -> None:
        try:
            name = document_name(member)
        except ValueError as error:
            raise InputError(self.label, f"illegal member: {error}") from None
        if name in self._found:
            raise InputError(self.label, f"the archive contains the document {name!r} twice")
        if name is not None:
            self._found[name] = member, position
        elif not PurePosixPath(member).name.startswith("."):
            self._unread[ending_of(member)] += 1

    def _names(self) -> Iterable[str]:
        return self._found

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if there is no such document."""
        return Stamp.of(self._state, self._found[name][0]) if name in self._found else None

    def _find(self, name: str) -> str | None:
        found = self._found.get(name)
        return f"{self.label}/{found[0]}" if found is not None else None

    def _read(self, name: str, where: str, most: int) -> bytes:
        with self._lock:
            return self._content(self._found[name][1], most)


class _Limited:
    """A file of which a limited number of bytes can be read, for the headers of an archive.

    Args:
        file: The file.
        limit: The number of bytes; None for any.
        error: The error if more bytes are read.
    """

    def __init__(self, file: IO[bytes], limit: int | None, error: InputError) -> None:
        self._file, self.left, self._error = file, limit, error
        self._extended = b""  # type of the extended header of a tar archive that is read next

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        if self.left is None:
            return self._file.read(size)
        if not -1 <= size <= self.left:
            raise self._error
        data = self._file.read(size)
        self.left -= len(data)
        if self._extended in _PAX_TYPES and not _has_records(data):
            raise InputError(self._error.where, "damaged archive: illegal extended header")
        kind = data[156:157]
        self._extended = b"" if self._extended or kind not in _EXTENDED_TYPES else kind
        return data


class ZipArchive(Archive):
    """The documents in a zip archive; the position of a file is its entry in the central directory."""

    def _members(self) -> Iterator[tuple[str, zipfile.ZipInfo | None]]:
        import zipfile

        file = _Limited(self._file, LARGEST_DIRECTORY, _too_large_directory(self.label))
        self._archive = zipfile.ZipFile(cast(IO[bytes], file))
        file.left = None
        end, last = 0, ""
        for info in sorted(self._archive.infolist(), key=lambda member: member.header_offset):
            # Members that share their data could make a small archive a huge corpus.
            if info.header_offset < end:
                raise InputError(
                    self.label, f"the archive's members {last!r} and {info.filename!r} overlap"
                )
            end, last = info.header_offset + 30 + info.compress_size, info.filename
            is_file = not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16)
            yield info.filename, info if is_file else None

    def _content(self, position: zipfile.ZipInfo, most: int) -> bytes:
        if position.compress_type not in (0, 8):  # zipfile limits the memory of these methods only
            raise InputError(
                f"{self.label}/{position.filename}",
                f"compressed with method {position.compress_type}: expected deflate or no compression",
            )
        with self._archive.open(position) as stream:
            return read_up_to(most, stream)


def _has_records(data: bytes) -> bool:
    r"""Return whether an extended header has records; others take quadratic time before Python 3.11.10.

    >>> _has_records(b"16 path=a/b.xml\n"), _has_records(b"2 2 2 =")
    (True, False)
    """
    start = 0
    while start < len(data) and data[start]:
        length = _LENGTH.match(data, start)
        end = start + int(length[1]) if length is not None else 0
        if length is None or not start < end <= len(data) or data.find(b"=", length.end(), end) < 0:
            return False
        start = end
    return _DIGITS.search(data) is None


class TarArchive(Archive):
    """The documents in a tar archive; the position of a file is its offset and size."""

    def _members(self) -> Iterator[tuple[str, tuple[int, int] | None]]:
        import tarfile

        self._file.seek(0)
        message = f"damaged archive: a member has headers of more than {LARGEST_HEADER} bytes"
        headers = _Limited(self._file, LARGEST_HEADER, InputError(self.label, message))
        archive = tarfile.open(fileobj=cast(IO[bytes], headers), mode="r:", encoding="utf-8")  # noqa: SIM115
        while (info := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]
            headers.left = LARGEST_HEADER
            if info.size < 0:
                raise InputError(self.label, f"damaged archive: the size of {info.name!r} is negative")
            if info.issparse():
                raise InputError(
                    self.label,
                    f"the member {info.name!r} is a sparse file; create the archive without --sparse",
                )
            yield info.name, (info.offset_data, info.size) if info.isreg() else None
        self._file.seek(archive.offset)  # tarfile ends silently at damage
        if self._file.read(_BLOCK).strip(b"\0"):
            raise InputError(self.label, f"damaged archive: no tar header at byte {archive.offset}")

    def _content(self, position: tuple[int, int], most: int) -> bytes:
        offset, size = position
        self._file.seek(offset)
        return self._file.read(min(size, most))


def _too_large_directory(path: Path) -> InputError:
    limit = f"{LARGEST_DIRECTORY >> 20} MB"
    return InputError(path, f"the archive's list of members is larger than {limit}; divide the archive")


def _unpacked(path: Path) -> IO[bytes] | None:
    """Return a tar archive as a decompressed file; None if the file is not a tar archive.

    A compressed archive is decompressed once, because its members are read in any order.
    """
    with path.open("rb") as file:
        start = file.read(_BLOCK)
    if not start.startswith(b"\x1f\x8b"):
        return path.open("rb") if _begins_tar(start) else None
    with gzip.open(path) as unpacked:
        start = unpacked.read(_BLOCK)
        chunks = chain([start], iter(partial(unpacked.read, _CHUNK), b""))
        return _temporary_file(path, chunks) if _begins_tar(start) else None


def _begins_tar(data: bytes) -> bool:
    import tarfile

    try:
        tarfile.TarInfo.frombuf(data[:_BLOCK], "utf-8", "surrogateescape")
    except tarfile.TarError:
        return len(data) >= _BLOCK and not data[:_BLOCK].strip(b"\0")
    return True


def _temporary_file(path: Path, chunks: Iterable[bytes]) -> IO[bytes]:
    """Return a new temporary file with the content of a compressed archive."""
    import tempfile

    size = 0
    with ExitStack() as stack:
        file = cast(IO[bytes], stack.enter_context(tempfile.TemporaryFile(buffering=0)))
        for chunk in chunks:
            size += len(chunk)
            if size > LARGEST_ARCHIVE:
                limit = f"{LARGEST_ARCHIVE >> 30} GB"
                raise InputError(path, f"the decompressed archive is larger than {limit}; divide it")
            if size > max(LARGEST_RATIO * path.stat().st_size, _RATIO_FROM):
                raise InputError(
                    path,
                    f"the archive has more than {LARGEST_RATIO} times its size when decompressed; "
                    "decompress it first",
                )
            try:
                file.write(chunk)
            except OSError as error:
                raise InputError(
                    path,
                    f"cannot decompress the archive into a temporary file: {error.strerror}; set "
                    "TMPDIR to a folder with enough space",
                ) from None
        stack.pop_all()
    return file
