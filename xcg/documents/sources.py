"""Sources of documents: folders and documents in memory; archives are in :mod:`xcg.documents.archives`.

The name of a document is its path in the source, without ``.xml`` and ``.gz``, as returned by
:func:`~xcg.documents.paths.canonical_file`. A source finds a document under no other name. Sources may
be hostile: members outside an archive are refused, and the size of decompressed data is limited.
"""

from __future__ import annotations

import gzip
import io
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from xcg.documents import markup
from xcg.documents.files import is_xml
from xcg.documents.parsing import encode, without_elements
from xcg.documents.paths import canonical_file
from xcg.errors import InputError, Notes, XcgError

LARGEST_DOCUMENT = 1 << 28
"""Maximum size of a decompressed document: 256 MB."""

# Publishers call JATS files .nxml; CONVERTERS has the endings of documents that are converted to XML.
_ENDINGS = (".xml", ".nxml", *markup.CONVERTERS)
_GUESSED = "HTML pages that declare no charset and are not UTF-8 are read as windows-1252"


class CorpusPath(str):
    """The path of a folder or an archive, with how its documents are read.

    Attributes:
        follow_links: Whether links to files and folders outside the folder are followed.
        exclude: Local names of elements that are removed from all documents.
    """

    follow_links: bool
    exclude: tuple[str, ...]

    def __new__(cls, path: str, follow_links: bool = False, exclude: Iterable[str] = ()) -> CorpusPath:
        """Return a path with its options."""
        made = super().__new__(cls, path)
        made.follow_links, made.exclude = follow_links, tuple(sorted(set(exclude)))
        return made


Stamp = tuple[int, int, int, int, str]
"""The size, modification time, change time and inode of a file, and the version of the library that
converts it from Markdown. A file with an equal stamp has not changed."""


def is_followed(link: str, folder: str | os.PathLike[str]) -> bool:
    """Return whether a link is followed: to a place in its corpus folder, or with ``follow_links``."""
    if getattr(folder, "follow_links", False):
        return True
    return Path(os.path.realpath(link)).is_relative_to(os.path.realpath(folder))


def stamp_of(state: os.stat_result, document: str) -> Stamp:
    """Return the stamp of a document, given the state of its file or archive."""
    library = ""
    if converter_of(document) is markup.markdown_to_xml:
        import markdown_it

        library = markdown_it.__version__
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, library


class Source(ABC):
    """Documents by name."""

    def __init__(self, label: Path) -> None:
        self.label = label
        self.guessed: set[str] = set()
        """The documents that have been read with a guessed charset."""
        self._unread: Counter[str] = Counter()  # files that are not documents, by ending
        self._left_out: list[str] = []  # links out of a folder
        self.exclude: tuple[str, ...] = ()
        """The local names of elements that are removed."""
        self.removed: dict[str, int] = {}
        """Document → number of removed elements, of the documents that have been read."""

    @abstractmethod
    def names(self) -> Iterable[str]:
        """Return the names of all documents in any order.

        Links to folders are not followed, because they may form loops.

        Raises:
            InputError: If a folder cannot be listed.
        """

    def oddities(self) -> list[str]:
        """Return notes on files that are not read, and on names that TREC files cannot contain."""
        notes = []
        try:
            likely = min((name for name in self.names() if "#/" in name), default=None)
        except InputError as error:  # a folder that cannot be listed, such as lost+found
            return [str(error)]
        if self._unread:
            counts = ", ".join(
                f"{count} {ending or 'without an extension'}"
                for ending, count in sorted(self._unread.items())
            )
            what = "file is" if self._unread.total() == 1 else "files are"
            convert = "convert those with text to .txt, .md, .html or .xml"
            notes.append(f"{self.label}: {counts} {what} not read; {convert}")
        if likely is not None:
            notes.append(
                f"{self.label}: TREC files cannot name documents such as {likely!r}, because there "
                "this is an element of another document; JSON Lines can"
            )
        if self._left_out:
            notes.append(
                f"{self.label}: links out of the folder are not followed: {len(self._left_out)}, such "
                f"as {min(self._left_out)}; to allow them, write corpus: {{path: …, follow_links: "
                "true} in the configuration"
            )
        return notes

    def note_oddities(self, notes: Notes) -> None:
        """Note files that are not read, and pages that were read with a guessed charset so far."""
        for text in self.oddities():
            notes.note(text)
        self.note_guessed(self.guessed, notes)

    def note_guessed(self, names: Iterable[str], notes: Notes) -> None:
        """Count those of some documents that were read with a guessed charset."""
        for name in sorted(self.guessed.intersection(names)):
            notes.oddity(_GUESSED, self.where(name), "declare its charset if it is another one")

    def read(self, name: str) -> bytes:
        """Return the bytes of a document as XML.

        Raises:
            InputError: If the document does not exist or cannot be read.
        """
        found = self.files(name)
        if not found:
            raise InputError(self.where(name), "no such document in the corpus")
        if len(found) > 1:
            files = ", ".join(sorted(map(os.path.basename, found)))
            raise InputError(self.label, f"the folder contains the document {name!r} twice: {files}")
        where = found[0]
        try:
            data = self._read(name, where, LARGEST_DOCUMENT + 1)
            if data[:2] == b"\x1f\x8b":
                data = _unzipped(data)
        except XcgError:
            raise
        except Exception as error:  # zipfile and gzip raise exceptions of many kinds
            raise InputError(where, f"cannot read the document: {reason_of(error)}") from None
        if len(data) > LARGEST_DOCUMENT:
            limit = f"{LARGEST_DOCUMENT >> 20} MB"
            raise InputError(where, f"the document is larger than {limit}; divide it")
        converter = converter_of(where)
        if converter is None and split_ending(where)[1] not in _ENDINGS and not is_xml(data):
            converter = markup.text_to_xml
        if converter is markup.html_to_xml and markup.charset_of(data)[1]:
            self.guessed.add(name)
        has_mark = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        if converter is not None and not has_mark and 4 * data.count(b"\0") > len(data):
            raise InputError(where, "UTF-16 without a byte order mark, or no text: convert it to UTF-8")
        document = converter(data, where) if converter is not None else data
        if self.exclude:
            document, self.removed[name] = without_elements(document, self.exclude, where)
        return document

    def where(self, name: str) -> str:
        """Return the file of a document, for messages."""
        return next(iter(self.files(name)), str(self.label / f"{name}.xml"))

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if changes can only be noticed by reading it."""
        return None

    @abstractmethod
    def files(self, name: str) -> Sequence[str]:
        """Return the file of a document; none without it, and several are an error."""

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
    path, ending = split_ending(member)
    if ending not in _ENDINGS:
        return None
    last = path.replace("\\", "/").rpartition("/")[2].strip()
    return None if not last or last.startswith(".") else canonical_file(path)


def split_ending(file: str) -> tuple[str, str]:
    """Divide a file's name without ``.gz`` before its ending, which has its dot and is in lower case.

    >>> split_ending("a.b/Bees.XML.gz"), split_ending("a.b/bees")
    (('a.b/Bees', '.xml'), ('a.b/bees', ''))
    """
    name = file[:-3] if file[-3:].lower() == ".gz" else file
    stem, dot, ending = name.rpartition(".")
    return (stem, f".{ending}".lower()) if dot and "/" not in ending else (name, "")


def converter_of(file: str) -> markup.Converter | None:
    """Return the function that converts a file to XML, None for XML and unknown endings."""
    return markup.CONVERTERS.get(split_ending(file)[1])


def read_up_to(most: int, stream: IO[bytes] | gzip.GzipFile, size: int = 1 << 20) -> bytes:
    """Read a stream to its end, but at most ``most`` bytes.

    Reading allocates memory for the requested number of bytes, so ``size`` is the expected number.
    """
    first = stream.read(min(size + 1, most))
    return first if len(first) <= size else first + stream.read(most - len(first))


def _unzipped(data: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return read_up_to(LARGEST_DOCUMENT + 1, stream, 10 << 20)


class Folder(Source):
    """A folder of documents. Each folder in it is listed when one of its documents is needed.

    A document is looked up in these lists and not in the file system. So it has only one name, even if
    the file system ignores case.

    Args:
        folder: The folder; links to files and folders that are not in it are followed if a
            :class:`CorpusPath` says so.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__(Path(folder))
        self._folder = folder
        # Canonical name of a folder → its path with a slash at the end; empty for the current folder.
        self._paths = {"": str(self.label / "name").removesuffix("name")}
        self._linked: set[str] = set()  # links to folders, and all folders in them
        self._listed: dict[str, dict[str, list[str]]] = {}  # folder → last part of a name → files

    def _list(self, folder: str) -> None:
        path = self._paths[folder]
        files: dict[str, list[str]] = {}
        entries: list[os.DirEntry[str]] = []
        try:
            with suppress(FileNotFoundError):
                entries += os.scandir(path or ".")
        except OSError as error:
            raise InputError(path or ".", f"cannot list the folder: {reason_of(error)}") from None
        for entry in entries:
            try:
                if entry.is_symlink() and not is_followed(entry.path, self._folder):
                    self._left_out.append(path + entry.name)
                elif entry.is_dir():
                    inside = f"{folder}/{entry.name}/x" if folder else f"{entry.name}/x"
                    name = canonical_file(inside)[:-2]
                    if name in self._paths:
                        last = name.rpartition("/")[2]
                        message = f"contains the folder {last!r} twice, in two spellings"
                        raise InputError(path or ".", message)
                    self._paths[name] = f"{path}{entry.name}/"
                    if entry.is_symlink() or folder in self._linked:
                        self._linked.add(name)
                elif entry.is_file():
                    document = document_name(entry.name)
                    if document is not None:
                        files.setdefault(document, []).append(entry.name)
                    elif not entry.name.startswith(".") and folder not in self._linked:
                        self._unread[split_ending(entry.name)[1]] += 1
            except OSError:  # a link that cannot be followed
                continue
            except InputError:
                raise
            except ValueError:
                self._unread["with an illegal name"] += 1
        self._listed[folder] = files

    def files(self, name: str) -> list[str]:
        """Return the paths of the files of a document; several are an error."""
        folder, _, last = name.rpartition("/")
        if folder not in self._listed:
            path = ""
            for part in ("", *folder.split("/")):
                path = f"{path}/{part}" if path else part
                if path not in self._paths:
                    return []
                if path not in self._listed:
                    self._list(path)
        return [self._paths[folder] + file for file in self._listed[folder].get(last, ())]

    def _read(self, name: str, where: str, most: int) -> bytes:
        with open(where, "rb") as stream:
            return read_up_to(most, stream, os.fstat(stream.fileno()).st_size)

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if there is none, or several."""
        found = self.files(name)
        try:
            return stamp_of(os.stat(found[0]), found[0]) if len(found) == 1 else None
        except OSError:  # reading the document raises an error with the reason
            return None

    def names(self) -> Iterator[str]:
        """Yield the names of all documents."""
        while unlisted := self._paths.keys() - self._linked - self._listed.keys():
            for folder in unlisted:
                self._list(folder)
        for folder in self._listed.keys() - self._linked:
            yield from (f"{folder}/{name}" if folder else name for name in self._listed[folder])


class Memory(Source):
    """Documents in memory, read like files with their names.

    A document whose name has no ending is XML if its first character other than white space is ``<``,
    otherwise plain text.

    Raises:
        InputError: If two documents have the same name, or a document is neither text nor bytes.
    """

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

    def names(self) -> Iterable[str]:
        """Return the names of all documents."""
        return self._given

    def where(self, name: str) -> str:
        """Return the file of a document, for messages."""
        return self._given.get(name, name)

    def files(self, name: str) -> Sequence[str]:
        """Return the name under which a document was given."""
        return [self._given[name]] if name in self._given else []

    def _read(self, name: str, where: str, most: int) -> bytes:
        document = self.documents[where]
        return document if isinstance(document, bytes) else encode(document)
