"""Sources of documents: folders, zip and tar archives, and memory.

The name of a document is its path in the source, without ``.xml`` and ``.gz``. Sources may be hostile:
members outside an archive are refused, and the size of decompressed data is limited.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import threading
import weakref
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, cast

from xcg.documents.markup import CONVERTERS, text_to_xml
from xcg.documents.paths import canonical_file
from xcg.errors import InputError, XcgError

LARGEST_DOCUMENT = 1 << 28
"""Maximum size of a decompressed document: 256 MB."""
LARGEST_ARCHIVE = 1 << 34
"""Maximum size of a decompressed tar archive, which is a temporary file: 16 GB."""

# Publishers call JATS files .nxml; CONVERTERS has the endings of documents that are converted to XML.
_PLAIN_ENDINGS = (".xml", ".nxml", *CONVERTERS)
_ENDINGS = (*_PLAIN_ENDINGS, *(f"{ending}.gz" for ending in _PLAIN_ENDINGS))


class Stamp(NamedTuple):
    """The size, times and inode of a file; a file with an equal stamp has not changed.

    Attributes:
        size: In bytes.
        modified: Modification time in nanoseconds.
        changed: Change time in nanoseconds.
        number: The inode.
    """

    size: int
    modified: int
    changed: int
    number: int

    @classmethod
    def of(cls, state: os.stat_result) -> Stamp:
        """Return the stamp of a file."""
        number = state.st_ino & (1 << 63) - 1
        return cls(state.st_size, state.st_mtime_ns, state.st_ctime_ns, number)


class Source(ABC):
    """Documents by name."""

    no_document = "no such document"

    def __init__(self, label: Path) -> None:
        self.label = label

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    @abstractmethod
    def names(self) -> Iterator[str]:
        """Yield the names of all documents in order."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a document as XML.

        Raises:
            InputError: If the document does not exist or cannot be read.
        """
        where = self._find(name)
        if where is None:
            raise InputError(self.where(name), self.no_document)
        try:
            with self._open(name, where) as stream:
                data = _read_bounded(stream, where)
        except XcgError:
            raise
        except Exception as error:  # zipfile and tarfile raise exceptions of many kinds
            raise InputError(where, f"cannot read the document: {_reason(error)}") from None
        return converted(data, where)

    def where(self, name: str) -> str:
        """Return the file of a document, for messages."""
        return self._find(name) or str(self.label / f"{name}.xml")

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if changes can only be noticed by reading it."""
        return None

    @abstractmethod
    def _find(self, name: str) -> str | None:
        """Return the file of a document, None if there is no such document."""

    @abstractmethod
    def _open(self, name: str, where: str) -> AbstractContextManager[IO[bytes]]:
        """Open a document that exists."""


def open_source(path: str | os.PathLike[str]) -> Source:
    """Open a folder or an archive.

    Raises:
        InputError: If it does not exist, is neither, or cannot be read.
    """
    location = Path(path)
    try:
        if location.is_dir():
            return Folder(location)
        if not location.exists():
            raise InputError(location, "no such folder or archive; expected a corpus of XML documents")
        import zipfile

        if zipfile.is_zipfile(location):
            return ZipArchive(location)
        if location.is_file() and _is_tar(location):
            return TarArchive(location)
    except XcgError:
        raise
    except Exception as error:  # zipfile and tarfile raise exceptions of many kinds
        raise InputError(location, f"cannot read the corpus: {_reason(error)}") from None
    raise InputError(location, "no corpus: expected a folder, a .zip or a .tar.gz of XML documents")


def _is_tar(path: Path) -> bool:
    import tarfile

    try:
        with tarfile.open(path) as archive:
            archive.next()
    except (tarfile.TarError, EOFError, zlib.error):
        return False
    return True


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def document_name(member: str) -> str | None:
    """Return the name of a document for its file; None if the file is not a document.

    >>> document_name("notes/bees.md"), document_name("bees")
    ('notes/bees', None)
    """
    for ending in _ENDINGS:
        if member.endswith(ending):
            if PurePosixPath(member).name == ending:
                return None
            name = canonical_file(member.removesuffix(ending))
            return None if PurePosixPath(name).name.startswith(".") else name
    return None


def converted(data: bytes, where: str) -> bytes:
    """Convert a document to XML, depending on the ending of its file, or its content without one."""
    if not _is_xml(where):
        return CONVERTERS[PurePosixPath(where.removesuffix(".gz")).suffix](data, where)
    return data if where.endswith(_ENDINGS) or _looks_like_xml(data) else text_to_xml(data, where)


def _is_xml(member: str) -> bool:
    """Return whether a file needs no conversion; other versions of a converter have other results."""
    return not member.removesuffix(".gz").endswith(tuple(CONVERTERS))


def _read_bounded(stream: IO[bytes], where: str, size: int = 1 << 20) -> bytes:
    """Read a document that may be gzipped.

    Reading allocates memory for the requested number of bytes, so ``size`` is the expected number.
    """
    data = _up_to(LARGEST_DOCUMENT + 1, stream, size)
    if data[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
            data = _up_to(LARGEST_DOCUMENT + 1, unpacked, 10 * size)
    if len(data) > LARGEST_DOCUMENT:
        raise InputError(where, f"the document is larger than {LARGEST_DOCUMENT >> 20} MB")
    return data


def _up_to(most: int, stream: IO[bytes] | gzip.GzipFile, size: int) -> bytes:
    first = stream.read(min(size + 1, most))
    return first if len(first) <= size else first + stream.read(most - len(first))


class Folder(Source):
    """A folder of documents."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._start = str(folder / "name").removesuffix("name")

    def _stat(self, name: str) -> tuple[str, os.stat_result] | None:
        start = self._start + canonical_file(name)
        for ending in _ENDINGS:
            path = start + ending
            try:
                state = os.stat(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (OSError, ValueError):  # illegal in file systems
                return None
            if stat.S_ISREG(state.st_mode):
                return path, state
        return None

    def _find(self, name: str) -> str | None:
        found = self._stat(name)
        return found[0] if found is not None else None

    def _open(self, name: str, where: str) -> IO[bytes]:
        return open(where, "rb")

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if changes can only be noticed by reading it."""
        found = self._stat(name)
        return Stamp.of(found[1]) if found is not None and _is_xml(found[0]) else None

    def names(self) -> Iterator[str]:
        """Yield the names of all documents in order."""
        found: set[str | None] = set()
        for parent, _, files in os.walk(self.label):  # does not follow links, so it ends
            below = Path(parent).relative_to(self.label)
            found.update(document_name((below / file).as_posix()) for file in files)
        yield from sorted(name for name in found if name is not None)


class _Archive(Source):
    """An archive: its members by document name."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._stamp = Stamp.of(path.stat())  # before reading
        self._members: dict[str, str] = {}
        self._lock = threading.Lock()

    def _add(self, member: str) -> None:
        try:
            name = document_name(member)
        except ValueError:
            raise InputError(self.label, f"the archive's member {member!r} is outside it") from None
        if name is None:
            return
        if name in self._members:
            raise InputError(self.label, f"the archive contains the document {name!r} twice")
        self._members[name] = member

    def names(self) -> Iterator[str]:
        """Yield the names of all documents in order."""
        yield from sorted(self._members)

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if changes can only be noticed by reading it."""
        member = self._members.get(name)
        return self._stamp if member is not None and _is_xml(member) else None

    def _find(self, name: str) -> str | None:
        return f"{self.label}/{self._members[name]}" if name in self._members else None

    @contextmanager
    def _open(self, name: str, where: str) -> Iterator[IO[bytes]]:
        with self._lock, self._open_member(self._members[name]) as stream:
            yield stream

    @abstractmethod
    def _open_member(self, member: str) -> IO[bytes]: ...


class ZipArchive(_Archive):
    """A zip archive."""

    def __init__(self, path: Path) -> None:
        import zipfile

        super().__init__(path)
        self._archive = zipfile.ZipFile(path)
        weakref.finalize(self, self._archive.close)
        for info in self._archive.infolist():
            if not info.is_dir():
                self._add(info.filename)

    def _open_member(self, member: str) -> IO[bytes]:
        return self._archive.open(member)


class TarArchive(_Archive):
    """A tar archive; a compressed one is decompressed once, because members are read in any order."""

    def __init__(self, path: Path) -> None:
        import tarfile

        super().__init__(path)
        file = _unpacked(path)
        weakref.finalize(self, file.close)
        self._archive = tarfile.open(fileobj=file)  # noqa: SIM115 - open while in use
        for info in self._archive:
            if info.isfile():  # links can point anywhere
                self._add(info.name)

    def _open_member(self, member: str) -> IO[bytes]:
        stream = self._archive.extractfile(member)
        if stream is None:
            raise InputError(self.label, f"the member {member!r} is not a file")
        return stream


def _unpacked(path: Path) -> IO[bytes]:
    """Return an archive as a decompressed file."""
    file = path.open("rb")
    if file.read(2) != b"\x1f\x8b":
        file.seek(0)
        return file
    file.close()
    import tempfile

    temporary = cast(IO[bytes], tempfile.TemporaryFile())  # noqa: SIM115 - gone when closed
    try:
        with gzip.open(path) as packed:
            left = LARGEST_ARCHIVE
            while data := packed.read(1 << 20):
                left -= len(data)
                if left < 0:
                    limit = f"{LARGEST_ARCHIVE >> 30} GB"
                    raise InputError(path, f"the decompressed archive is larger than {limit}")
                temporary.write(data)
    except BaseException:
        temporary.close()
        raise
    temporary.seek(0)
    return temporary


class Memory(Source):
    """Documents in memory, read like files with their names.

    A document whose name has no ending is XML if its first character other than white space is ``<``,
    otherwise plain text.

    Raises:
        InputError: If two documents have the same name, or a document is neither text nor bytes.
    """

    no_document = "no such document in the corpus"

    def __init__(self, documents: Mapping[str, bytes | str]) -> None:
        super().__init__(Path("corpus"))
        self.documents = documents
        self._given: dict[str, str] = {}
        for given, document in documents.items():
            if not isinstance(document, (bytes, str)):
                kind = type(document).__name__
                raise InputError(given, f"the document is a {kind}: expected text, bytes or a tree")
            name = document_name(given) or canonical_file(given)
            if name in self._given:
                raise InputError(self.label, f"contains the document {name!r} twice")
            self._given[name] = given

    def names(self) -> Iterator[str]:
        """Yield the names of all documents in order."""
        yield from sorted(self._given)

    def where(self, name: str) -> str:
        """Return the file of a document, for messages."""
        return self._given.get(name, name)

    def _find(self, name: str) -> str | None:
        return self._given.get(name)

    def _open(self, name: str, where: str) -> IO[bytes]:
        return io.BytesIO(_encoded(self.documents[where]))


def _encoded(document: bytes | str) -> bytes:
    if isinstance(document, bytes):
        return document
    data = document.removeprefix("\ufeff").encode(errors="surrogatepass")
    # The byte order mark overrides an encoding that the text declares.
    return codecs.BOM_UTF8 + data if data else data


def _looks_like_xml(data: bytes) -> bool:
    for mark in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data.removeprefix(mark)
    return data.lstrip(b" \t\r\n\v\f\0")[:1] in (b"<", b"")
