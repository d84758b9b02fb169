"""Read documents from zip and tar archives, with limits for hostile archives."""

from __future__ import annotations

import os
import re
import stat
import threading
import weakref
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, cast

from xcg.documents.files import open_input
from xcg.documents.sources import (
    Source,
    Stamp,
    document_name,
    read_up_to,
    reason_of,
    split_ending,
    stamp_of,
)
from xcg.errors import FileError, InputError, XcgError, nearest_file
from xcg.lazy_modules import shutil

if TYPE_CHECKING:
    import zipfile

MOST_MEMBERS = 4_000_000
"""Maximum number of members of an archive."""
LARGEST_DIRECTORY = 1 << 28
"""Maximum size of all names in an archive: 256 MB."""
LARGEST_HEADER = 1 << 20
"""Maximum size of the headers of a member of a tar archive, with long names: 1 MB."""
_BLOCK = 512  # bytes, of tar headers
_PAX_TYPES = (b"x", b"X", b"g")
_LENGTH = re.compile(rb"([0-9]{1,9}) ")
_DIGITS = re.compile(rb"[0-9]{300}")


def open_archive(path: str | os.PathLike[str]) -> Source:
    """Open an archive.

    Raises:
        InputError: If it does not exist, is no archive, or cannot be read.
    """
    location = Path(path)
    try:
        if not location.exists():
            what = f"no such folder or archive{nearest_file(location)}"
            raise FileError(location, f"{what}; expected a corpus of XML documents")
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
                raise InputError(
                    path, f"its members' names are larger than {LARGEST_DIRECTORY >> 20} MB; divide it"
                )
            if position is not None:
                self._add(member, position)
            elif not member.endswith("/"):
                self._unread["linked or special"] += 1

    @abstractmethod
    def _members(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the position of each member.

        The position is None if it is not a regular file; the names of folders end with a slash.
        """

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
            self._unread[split_ending(member)[1]] += 1

    def names(self) -> Iterable[str]:
        """Return the names of all documents."""
        return self._found

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if there is no such document."""
        return stamp_of(self._state, self._found[name][0]) if name in self._found else None

    def files(self, name: str) -> Sequence[str]:
        """Return the file of a document; none without it."""
        return [f"{self.label}/{self._found[name][0]}"] if name in self._found else []

    def _read(self, name: str, where: str, most: int) -> bytes:
        with self._lock:
            return self._content(self._found[name][1], most)


class ZipArchive(Archive):
    """The documents in a zip archive; the position of a file is its entry in the central directory."""

    def _members(self) -> Iterator[tuple[str, zipfile.ZipInfo | None]]:
        import zipfile

        self._archive = zipfile.ZipFile(self._file)
        end, last = 0, ""
        for info in sorted(self._archive.infolist(), key=lambda member: member.header_offset):
            # Members that share their data could make a small archive a huge corpus.
            if info.header_offset < end:
                raise InputError(self.label, f"its members {last!r} and {info.filename!r} overlap")
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


class _Headers:
    """The headers of a member of a tar archive, of which a limited number of bytes can be read."""

    def __init__(self, file: IO[bytes], where: Path) -> None:
        self.seek, self.tell, self._read, self._where = file.seek, file.tell, file.read, where
        self.left = LARGEST_HEADER
        self._extended = b""  # type of the extended header that is read next

    def read(self, size: int) -> bytes:
        self.left -= size
        if size < 0 or self.left < 0:
            message = f"damaged archive: a member has headers of more than {LARGEST_HEADER} bytes"
            raise InputError(self._where, message)
        data = self._read(size)
        if self._extended in _PAX_TYPES and not _has_records(data):
            raise InputError(self._where, "damaged archive: illegal extended header")
        kind = data[156:157]
        self._extended = b"" if self._extended or kind not in (b"L", b"K", *_PAX_TYPES) else kind
        return data


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
        headers = _Headers(self._file, self.label)
        archive = tarfile.open(fileobj=cast(IO[bytes], headers), mode="r:", encoding="utf-8")  # noqa: SIM115
        while (info := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]
            headers.left = LARGEST_HEADER
            if info.size < 0 or info.issparse():
                message = f"the member {info.name!r} is damaged, or a sparse file"
                raise InputError(self.label, f"{message}; create the archive without --sparse")
            position = info.offset_data, info.size
            yield info.name + "/" * info.isdir(), position if info.isreg() else None
        self._file.seek(archive.offset)  # tarfile ends silently at damage
        if self._file.read(_BLOCK).strip(b"\0"):
            raise InputError(self.label, f"damaged archive: no tar header at byte {archive.offset}")

    def _content(self, position: tuple[int, int], most: int) -> bytes:
        offset, size = position
        self._file.seek(offset)
        return self._file.read(min(size, most))


def _unpacked(path: Path) -> IO[bytes] | None:
    """Return a tar archive as a decompressed file; None if the file is not a tar archive.

    A compressed archive is decompressed once, because its members are read in any order.
    """
    import tarfile
    import tempfile

    with open_input(path) as file, path.open("rb") as raw, ExitStack() as stack:
        start = file.read(_BLOCK)
        try:
            tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
        except tarfile.TarError:
            return None
        if raw.read(_BLOCK) == start:
            return path.open("rb")
        unpacked = stack.enter_context(tempfile.TemporaryFile(buffering=0))
        unpacked.write(start)
        shutil.copyfileobj(file, unpacked)
        stack.pop_all()
    return cast(IO[bytes], unpacked)
