"""Sources of documents; those on disk are in :mod:`xcg.documents.stored_sources`.

The name of a document is its path in the source, without ``.xml`` and ``.gz``, as returned by
:func:`~xcg.documents.paths.canonical_file`. A source finds a document under no other name. Sources may
be hostile: members outside an archive are refused, and the size of decompressed data is limited.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from xcg.documents.archives import read_up_to
from xcg.documents.markup import CONVERTERS, Converter, guesses_charset, html_to_xml, text_to_xml
from xcg.documents.paths import canonical_file
from xcg.documents.serialising import encode
from xcg.errors import InputError, Notes, XcgError

LARGEST_DOCUMENT = 1 << 28
"""Maximum size of a decompressed document: 256 MB."""

# Publishers call JATS files .nxml; CONVERTERS has the endings of documents that are converted to XML.
_ENDINGS = (".xml", ".nxml", *CONVERTERS)
_GUESSED = (
    "HTML pages that declare no charset and are not UTF-8 are read as windows-1252: declare their "
    "charset if it is another one"
)


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
        self.guesses: dict[str, None] = {}
        """Notes on the content of documents that have been read, each once."""

    def oddities(self) -> list[str]:
        """Return notes on files that are not read."""
        return []

    def note_oddities(self, notes: Notes) -> None:
        """Note files that are not read, and how documents were read so far."""
        for text in (*self.oddities(), *self.guesses):
            notes.note(text)

    def _like_elements(self, names: Iterable[str]) -> list[str]:
        """Return the note on documents whose names mean elements of others in TREC files."""
        likely = min((name for name in names if "#/" in name), default=None)
        if likely is None:
            return []
        return [
            f"{self.label}: TREC files cannot name documents such as {likely!r}, because there this "
            "is an element of another document; JSON Lines can"
        ]

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
            raise InputError(where, f"cannot read the document: {reason_of(error)}") from None
        if len(data) > LARGEST_DOCUMENT:
            limit = f"{LARGEST_DOCUMENT >> 20} MB"
            raise InputError(where, f"the document is larger than {limit}; divide it")
        if converter_of(where) is html_to_xml and guesses_charset(data):
            self.guesses[_GUESSED] = None
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


def reason_of(error: BaseException) -> str:
    """Return what went wrong, for messages."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def document_name(member: str) -> str | None:
    """Return the name of a document for its file; None if the file is not a document.

    >>> document_name("notes/bees.md"), document_name("Bees.HTML"), document_name("bees")
    ('notes/bees', 'Bees', None)
    """
    ending = ending_of(member)
    if ending not in _ENDINGS:
        return None
    path = _unzipped_name(member)[: -len(ending)]
    last = path.replace("\\", "/").rpartition("/")[2].strip()
    return None if not last or last.startswith(".") else canonical_file(path)


def _unzipped_name(file: str) -> str:
    return file[:-3] if file[-3:].lower() == ".gz" else file


def ending_of(file: str) -> str:
    """Return the ending of a file's name without ``.gz`` in lower case, with its dot."""
    _, dot, ending = _unzipped_name(file).rpartition("/")[2].rpartition(".")
    return f"{dot}{ending}".lower() if dot else ""


def converter_of(file: str) -> Converter | None:
    """Return the function that converts a file to XML, None for XML and unknown endings."""
    return CONVERTERS.get(ending_of(file))


def converted(data: bytes, where: str) -> bytes:
    """Convert a document to XML, depending on the ending of its file, or its content without one."""
    if (converter := converter_of(where)) is not None:
        return converter(data, where)
    return data if ending_of(where) in _ENDINGS or _looks_like_xml(data) else text_to_xml(data, where)


def is_xml(member: str) -> bool:
    """Return whether a file needs no conversion; other versions of a converter have other results."""
    return converter_of(member) is None


def _unzipped(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return read_up_to(LARGEST_DOCUMENT + 1, stream, 10 << 20)


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

    def oddities(self) -> list[str]:
        """Return notes on names that TREC files cannot contain."""
        return self._like_elements(self._given)

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
