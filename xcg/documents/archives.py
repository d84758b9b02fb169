"""Read files from zip and tar archives, with limits for hostile archives.

Tar headers are read here instead of by tarfile. In the Python versions that xcg supports, tarfile reads
a header of any length into memory, and some headers make it take quadratic time or never end.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from xcg.errors import InputError

if TYPE_CHECKING:
    import tarfile
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
"""Maximum size of an extended header of a tar archive, such as a long name: 1 MB."""
LARGEST_DICTIONARY = 1 << 28
"""Maximum memory of xz decompression: 256 MB; ``xz -9`` needs 65 MB."""

_RATIO_FROM = 1 << 30
_BLOCK = 512  # bytes; tar headers and files are multiples of it
_CHUNK = 1 << 20
# In a tar archive:
_FILES = (b"0", b"\0", b"7")
_LINKS_AND_FOLDERS = (b"1", b"2", b"3", b"4", b"5", b"6")  # no data follow, whatever their size
_SPARSE = b"S"
_LONG_NAME, _LONG_LINK, _PAX_HEADER, _SOLARIS_HEADER, _PAX_HEADER_FOR_ALL = b"L", b"K", b"x", b"X", b"g"
_EXTENDED_HEADERS = (_LONG_NAME, _LONG_LINK, _PAX_HEADER, _SOLARIS_HEADER, _PAX_HEADER_FOR_ALL)
_ZIP_METHODS = {0: "no compression", 8: "deflate", 9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "zstd"}


class Archive(ABC):
    """The files in an archive.

    Attributes:
        path: The archive.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def files(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the position of every regular file.

        Raises:
            InputError: If a limit is exceeded or the archive is damaged.
        """

    @abstractmethod
    def read(self, position: Any, most: int) -> bytes:
        """Return the content of a file, or its first ``most`` bytes if it is longer."""

    @abstractmethod
    def close(self) -> None:
        """Close the archive."""

    def _check_count(self, members: int) -> None:
        if members > MOST_MEMBERS:
            raise InputError(self.path, f"the archive has more than {MOST_MEMBERS} members; divide it")


def open_archive(path: Path) -> Archive | None:
    """Open an archive; return None if the file is neither a zip nor a tar archive.

    Raises:
        InputError: If a limit is exceeded.
        Exception: If the archive is damaged; the libraries raise exceptions of many kinds.
    """
    import zipfile

    unpacked = _unpacked(path)  # before zip: a tar archive can end with a zip archive
    if unpacked is not None:
        return TarArchive(path, unpacked)
    return ZipArchive(path) if zipfile.is_zipfile(path) else None


class _ZipFile(io.FileIO):
    """A file that refuses to read a central directory that is too large."""

    is_open = False  # whether the central directory was read

    def read(self, size: int | None = -1, /) -> bytes:
        if not self.is_open and size is not None and size > LARGEST_DIRECTORY:
            raise _too_large_directory(self.name)
        return super().read(size) or b""


def _too_large_directory(path: object) -> InputError:
    limit = f"{LARGEST_DIRECTORY >> 20} MB"
    return InputError(path, f"the archive's list of members is larger than {limit}; divide the archive")


class ZipArchive(Archive):
    """A zip archive; the position of a file is its entry in the central directory."""

    def __init__(self, path: Path) -> None:
        import zipfile

        super().__init__(path)
        self._file = _ZipFile(path)
        try:
            self._archive = zipfile.ZipFile(cast(IO[bytes], self._file))
        except BaseException:
            self._file.close()
            raise
        self._file.is_open = True

    def files(self) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        """Yield the name and the position of every regular file.

        Raises:
            InputError: If a limit is exceeded or the archive is damaged.
        """
        members = self._archive.infolist()
        self._check_count(len(members))
        self._check_overlap(members)
        for info in members:
            if not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16):
                yield info.filename, info

    def _check_overlap(self, members: list[zipfile.ZipInfo]) -> None:
        """Refuse members that share their data, because a small archive could then be a huge corpus."""
        end, last = 0, ""
        for info in sorted(members, key=lambda member: member.header_offset):
            if info.header_offset < end:
                raise InputError(
                    self.path, f"the archive's members {last!r} and {info.filename!r} overlap"
                )
            end, last = info.header_offset + 30 + info.compress_size, info.filename

    def read(self, position: zipfile.ZipInfo, most: int) -> bytes:
        """Return the content of a file, or its first ``most`` bytes if it is longer."""
        method = position.compress_type
        if method not in (0, 8):  # zipfile limits the memory of these methods only
            raise InputError(
                f"{self.path}/{position.filename}",
                f"compressed with {_ZIP_METHODS.get(method, f'method {method}')}: expected deflate or "
                "no compression",
            )
        with self._archive.open(position) as stream:
            return read_up_to(most, stream)

    def close(self) -> None:
        """Close the archive."""
        self._archive.close()
        self._file.close()


class _Position(NamedTuple):
    """The position of a file in a decompressed tar archive."""

    offset: int
    size: int


class TarArchive(Archive):
    """A tar archive; a compressed one is decompressed once, because members are read in any order."""

    def __init__(self, path: Path, unpacked: IO[bytes]) -> None:
        super().__init__(path)
        self._file = unpacked

    def files(self) -> Iterator[tuple[str, _Position]]:
        """Yield the name and the position of every regular file.

        Raises:
            InputError: If a limit is exceeded or the archive is damaged.
        """
        end = self._file.seek(0, os.SEEK_END)
        offset = names_size = 0
        for_all: dict[str, bytes] = {}
        for_next: dict[str, bytes] = {}
        for number in count(1):
            info = self._header(offset)
            if info is None:
                return
            self._check_count(number)
            offset += _BLOCK
            name, size = info.name, info.size
            if info.type in _EXTENDED_HEADERS:
                records = self._extended_header(info)
                (for_all if info.type == _PAX_HEADER_FOR_ALL else for_next).update(records)
            else:
                name, size = self._name_and_size(info, for_all | for_next)
                for_next = {}
            if not 0 <= size <= end - offset:
                raise InputError(self.path, f"the archive ends before the end of its member {name!r}")
            names_size += len(name)
            if names_size > LARGEST_DIRECTORY:
                raise _too_large_directory(self.path)
            if info.type in _FILES and not name.endswith("/"):
                yield name, _Position(offset, size)
            offset += -(-size // _BLOCK) * _BLOCK

    def _header(self, offset: int) -> tarfile.TarInfo | None:
        self._file.seek(offset)
        try:
            return _tar_header(self._file.read(_BLOCK))
        except ValueError:
            raise InputError(self.path, f"damaged archive: no tar header at byte {offset}") from None

    def _extended_header(self, info: tarfile.TarInfo) -> Mapping[str, bytes]:
        """Return the fields that an extended header sets for other members."""
        if info.size > LARGEST_HEADER:
            raise InputError(
                self.path,
                f"the archive has a name or an extended header of {info.size} bytes: expected at most "
                f"{LARGEST_HEADER}",
            )
        data = self._file.read(max(info.size, 0))
        if info.type == _LONG_NAME:
            return {"path": data.partition(b"\0")[0]}
        if info.type == _LONG_LINK:
            return {}
        try:
            return _pax_records(data)
        except ValueError:
            raise InputError(self.path, "damaged archive: illegal extended header") from None

    def _name_and_size(self, info: tarfile.TarInfo, stated: Mapping[str, bytes]) -> tuple[str, int]:
        name = stated["path"].decode(errors="surrogateescape") if "path" in stated else info.name
        if info.type == _SPARSE or any(key.startswith("GNU.sparse.") for key in stated):
            raise InputError(
                self.path, f"the member {name!r} is a sparse file; create the archive without --sparse"
            )
        if info.type in _LINKS_AND_FOLDERS:
            return name, 0
        if "size" not in stated:
            return name, info.size
        size = stated["size"]
        return name, int(size) if size.isdigit() and len(size) < 20 else -1

    def read(self, position: _Position, most: int) -> bytes:
        """Return the content of a file, or its first ``most`` bytes if it is longer."""
        self._file.seek(position.offset)
        return self._file.read(min(position.size, most))

    def close(self) -> None:
        """Close the archive."""
        self._file.close()


def _tar_header(block: bytes) -> tarfile.TarInfo | None:
    """Return the header in a block; None at the end of an archive.

    Raises:
        ValueError: If the block is not a header.
    """
    import tarfile

    if not block.strip(b"\0"):
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.TarError as error:
        raise ValueError(str(error)) from None


def _pax_records(data: bytes) -> dict[str, bytes]:
    r"""Return the records of an extended header.

    >>> _pax_records(b"16 path=a/b.xml\n" b"10 size=7\n")
    {'path': b'a/b.xml', 'size': b'7'}

    Raises:
        ValueError: If the header is damaged.
    """
    records = {}
    start = 0
    while start < len(data) and data[start]:
        space = data.index(b" ", start, start + 10)
        length = data[start:space]
        end = start + (int(length) if length.isdigit() else 0)
        key, equals, value = data[space + 1 : end - 1].partition(b"=")
        if not equals or not space < end <= len(data):
            raise ValueError("illegal record")
        records[key.decode(errors="replace")] = value
        start = end
    return records


def _unpacked(path: Path) -> IO[bytes] | None:
    """Return a tar archive as a decompressed file; None if the file is not a tar archive."""
    with path.open("rb") as file:
        start = file.read(_BLOCK)
    chunks = _decompressed(path, start)
    if chunks is None:
        return path.open("rb") if _begins_tar(start) else None
    start = b""
    while len(start) < _BLOCK and (chunk := next(chunks, None)) is not None:
        start += chunk
    return _temporary_file(path, chain([start], chunks)) if _begins_tar(start) else None


def _begins_tar(data: bytes) -> bool:
    try:
        _tar_header(data[:_BLOCK])
    except ValueError:
        return False
    return len(data) >= _BLOCK


def _decompressed(path: Path, start: bytes) -> Iterator[bytes] | None:
    """Return the content of a compressed file in pieces; None if the file is not compressed."""
    if start.startswith(b"\x1f\x8b"):
        return _pieces(cast(IO[bytes], gzip.open(path)))
    if start.startswith(b"BZh"):
        import bz2

        return _pieces(bz2.open(path))
    return _xz_pieces(path) if start.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")) else None


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while data := file.read(_CHUNK):
            yield data


def _xz_pieces(path: Path) -> Iterator[bytes]:
    """Yield the content of an xz file in pieces, with a limit for the memory that it requires."""
    import lzma

    with path.open("rb") as file:
        data = file.read(io.DEFAULT_BUFFER_SIZE)
        while data:
            stream = lzma.LZMADecompressor(memlimit=LARGEST_DICTIONARY)
            while not stream.eof:
                try:
                    yield stream.decompress(data, _CHUNK)
                except lzma.LZMAError as error:
                    limit = f" ({LARGEST_DICTIONARY >> 20} MB)" if "limit" in str(error) else ""
                    raise InputError(path, f"cannot decompress the archive: {error}{limit}") from None
                data = file.read(io.DEFAULT_BUFFER_SIZE) if stream.needs_input else b""
                if stream.needs_input and not data:
                    raise InputError(path, "the compressed archive is incomplete")
            # Another stream may follow, after padding with zeros.
            data = stream.unused_data.lstrip(b"\0") or file.read(io.DEFAULT_BUFFER_SIZE).lstrip(b"\0")


def _temporary_file(path: Path, chunks: Iterable[bytes]) -> IO[bytes]:
    """Return a new temporary file with the content of a compressed archive."""
    import tempfile

    ratio_limit = max(LARGEST_RATIO * path.stat().st_size, _RATIO_FROM)
    size = 0
    file: IO[bytes] | None = None
    try:
        for chunk in chunks:
            size += len(chunk)
            if size > LARGEST_ARCHIVE:
                limit = f"{LARGEST_ARCHIVE >> 30} GB"
                raise InputError(path, f"the decompressed archive is larger than {limit}; divide it")
            if size > ratio_limit:
                raise InputError(
                    path,
                    f"the archive has more than {LARGEST_RATIO} times its size when decompressed; "
                    "decompress it first",
                )
            try:
                file = file or cast(IO[bytes], tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
                file.write(chunk)
            except OSError as error:
                raise InputError(
                    path,
                    f"cannot decompress the archive into a temporary file: {error.strerror}; set "
                    "TMPDIR to a folder with enough space",
                ) from None
        assert file is not None
        return file
    except BaseException:
        if file is not None:
            file.close()
        raise


def read_up_to(most: int, stream: IO[bytes] | gzip.GzipFile, size: int = 1 << 20) -> bytes:
    """Read a stream to its end, but at most ``most`` bytes.

    Reading allocates memory for the requested number of bytes, so ``size`` is the expected number.
    """
    first = stream.read(min(size + 1, most))
    return first if len(first) <= size else first + stream.read(most - len(first))
