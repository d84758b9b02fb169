"""Sources of documents: folders, zip and tar archives, and memory.

The name of a document is its path in the source, without ``.xml`` and ``.gz``, as returned by
:func:`~xcg.documents.paths.canonical_file`. A source finds a document under no other name. Sources may
be hostile: members outside an archive are refused, and the size of decompressed data is limited.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from xcg.documents.archives import Archive, open_archive, read_up_to
from xcg.documents.markup import CONVERTERS, text_to_xml
from xcg.documents.paths import canonical_file
from xcg.documents.searching import unexpanded_hint
from xcg.documents.serialising import encode
from xcg.errors import FileError, InputError, XcgError, nearest_file

LARGEST_DOCUMENT = 1 << 28
"""Maximum size of a decompressed document: 256 MB."""

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
            data = _unzipped(self._read(name, where, LARGEST_DOCUMENT + 1))
        except XcgError:
            raise
        except Exception as error:  # zipfile and gzip raise exceptions of many kinds
            raise InputError(where, f"cannot read the document: {_reason(error)}") from None
        if len(data) > LARGEST_DOCUMENT:
            limit = f"{LARGEST_DOCUMENT >> 20} MB"
            raise InputError(where, f"the document is larger than {limit}; divide it")
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
    def _read(self, name: str, where: str, most: int) -> bytes:
        """Return the content of an existing document, or its first ``most`` bytes if it is longer."""


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
            hint = unexpanded_hint(location) or nearest_file(location)
            message = f"no such folder or archive{hint}; expected a corpus of XML documents"
            raise FileError(location, message)
        archive = open_archive(location) if location.is_file() else None  # reading a pipe could wait
        if archive is not None:
            return ArchivedSource(archive)
    except XcgError:
        raise
    except Exception as error:  # zipfile and gzip raise exceptions of many kinds
        raise InputError(location, f"cannot read the corpus: {_reason(error)}") from None
    raise FileError(location, "no corpus: expected a folder, a .zip or a .tar.gz of XML documents")


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def document_name(member: str) -> str | None:
    """Return the name of a document for its file; None if the file is not a document.

    >>> document_name("notes/bees.md"), document_name("bees")
    ('notes/bees', None)
    """
    for ending in _ENDINGS:
        if member.endswith(ending):
            path = member.removesuffix(ending)
            last = path.replace("\\", "/").rpartition("/")[2].strip()
            return None if not last or last.startswith(".") else canonical_file(path)
    return None


def converted(data: bytes, where: str) -> bytes:
    """Convert a document to XML, depending on the ending of its file, or its content without one."""
    if not _is_xml(where):
        return CONVERTERS[PurePosixPath(where.removesuffix(".gz")).suffix](data, where)
    return data if where.endswith(_ENDINGS) or _looks_like_xml(data) else text_to_xml(data, where)


def _is_xml(member: str) -> bool:
    """Return whether a file needs no conversion; other versions of a converter have other results."""
    return not member.removesuffix(".gz").endswith(tuple(CONVERTERS))


def _unzipped(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return read_up_to(LARGEST_DOCUMENT + 1, stream, 10 << 20)


class _Listing:
    """The content of a folder.

    A document is looked up in the listing and not in the file system. So it has only one name, even if
    the file system ignores case.

    Attributes:
        path: The folder's path with a slash at the end; empty for the current folder.
        files: Last part of a document's name → its file.
        doubles: Last part of a document's name → its files, if there are several.
        folders: Canonical name of a folder in this folder → its name.
        links: The folders that are links.
        illegal: The error for a file with an illegal name.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.files: dict[str, str] = {}
        self.doubles: dict[str, list[str]] = {}
        self.folders: dict[str, str] = {}
        self.links: set[str] = set()
        self.illegal: ValueError | None = None
        with os.scandir(path or ".") as entries:
            for entry in entries:
                try:
                    if entry.is_dir():
                        self._add_folder(entry)
                    elif entry.is_file():
                        self._add_file(entry.name)
                except OSError:  # a link that cannot be followed
                    continue
                except InputError:
                    raise
                except ValueError as error:
                    self.illegal = error

    def _add_folder(self, entry: os.DirEntry[str]) -> None:
        name = canonical_file(f"{entry.name}/x").removesuffix("/x")
        if name in self.folders:
            raise InputError(self.path or ".", f"contains the folder {name!r} twice, in two spellings")
        self.folders[name] = entry.name
        if entry.is_symlink():
            self.links.add(name)

    def _add_file(self, file: str) -> None:
        name = document_name(file)
        if name is not None:
            first = self.files.setdefault(name, file)
            if first != file:
                self.doubles.setdefault(name, [first]).append(file)


class Folder(Source):
    """A folder of documents. Each folder in it is listed when one of its documents is needed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._start = str(folder / "name").removesuffix("name")
        self._listings: dict[str, _Listing | None] = {}

    def _listing(self, folder: str) -> _Listing | None:
        """Return the listing of a folder by its canonical name; None if it does not exist."""
        if folder in self._listings:
            return self._listings[folder]
        listing = self._list("", self._start)
        path = ""
        for part in folder.split("/") if folder else ():
            if listing is None or part not in listing.folders:
                listing = None
                break
            path = f"{path}/{part}" if path else part
            listing = self._list(path, f"{listing.path}{listing.folders[part]}/")
        self._listings[folder] = listing
        return listing

    def _list(self, folder: str, path: str) -> _Listing | None:
        if folder not in self._listings:
            try:
                self._listings[folder] = _Listing(path)
            except FileNotFoundError:
                self._listings[folder] = None
            except OSError as error:
                raise InputError(path or ".", f"cannot list the folder: {_reason(error)}") from None
        return self._listings[folder]

    def _find(self, name: str) -> str | None:
        folder, _, last = name.rpartition("/")
        listing = self._listings.get(folder) or self._listing(folder)
        if listing is None or last not in listing.files:
            return None
        return listing.path + listing.files[last]

    def _doubles(self, name: str) -> list[str]:
        """Return the files of an existing document if there are several, otherwise an empty list."""
        folder, _, last = name.rpartition("/")
        listing = self._listings[folder]
        return listing.doubles.get(last, []) if listing is not None and listing.doubles else []

    def _read(self, name: str, where: str, most: int) -> bytes:
        if doubles := self._doubles(name):
            files = ", ".join(sorted(doubles))
            raise InputError(self.label, f"the folder contains the document {name!r} twice: {files}")
        with open(where, "rb") as stream:
            return read_up_to(most, stream, os.fstat(stream.fileno()).st_size)

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if changes can only be noticed by reading it."""
        found = self._find(name)
        if found is None or not _is_xml(found) or self._doubles(name):
            return None
        try:
            return Stamp.of(os.stat(found))
        except OSError:  # reading the document raises an error with the reason
            return None

    def names(self) -> Iterator[str]:
        """Yield the names of all documents in order.

        Links to folders are not followed, because they may form loops.

        Raises:
            InputError: If a folder cannot be listed, or a file has an illegal name.
        """
        names: list[str] = []
        folders = [""]
        while folders:
            folder = folders.pop()
            listing = self._listing(folder)
            if listing is None:
                continue
            if listing.illegal is not None:
                raise InputError(listing.path or ".", str(listing.illegal))
            prefix = f"{folder}/" if folder else ""
            names.extend(f"{prefix}{name}" for name in listing.files)
            folders.extend(f"{prefix}{name}" for name in listing.folders.keys() - listing.links)
        yield from sorted(names)


class ArchivedSource(Source):
    """The documents in an archive."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive.path)
        weakref.finalize(self, archive.close)
        self._stamp = Stamp.of(archive.path.stat())  # before reading
        self._archive = archive
        self._members: dict[str, tuple[str, Any]] = {}
        self._lock = threading.Lock()
        for member, position in archive.files():
            try:
                name = document_name(member)
            except ValueError as error:
                raise InputError(self.label, f"illegal member: {error}") from None
            if name is None:
                continue
            if name in self._members:
                raise InputError(self.label, f"the archive contains the document {name!r} twice")
            self._members[name] = member, position

    def names(self) -> Iterator[str]:
        """Yield the names of all documents in order."""
        yield from sorted(self._members)

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if changes can only be noticed by reading it."""
        found = self._members.get(name)
        return self._stamp if found is not None and _is_xml(found[0]) else None

    def _find(self, name: str) -> str | None:
        found = self._members.get(name)
        return f"{self.label}/{found[0]}" if found is not None else None

    def _read(self, name: str, where: str, most: int) -> bytes:
        with self._lock:
            return self._archive.read(self._members[name][1], most)


class Location(NamedTuple):
    """A document's file for messages, looked up when there is a message."""

    source: Source
    name: str

    def __str__(self) -> str:
        return self.source.where(self.name)


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
            try:
                name = document_name(given) or canonical_file(given)
            except ValueError as error:
                raise InputError(self.label, str(error)) from None
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

    def _read(self, name: str, where: str, most: int) -> bytes:
        document = self.documents[where]
        return document if isinstance(document, bytes) else encode(document)


def _looks_like_xml(data: bytes) -> bool:
    for mark in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data.removeprefix(mark)
    return data.lstrip(b" \t\r\n\v\f\0")[:1] in (b"<", b"")
