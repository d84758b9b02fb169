"""Sources of documents on disk: folders, and zip and tar archives."""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from xcg.documents.archives import Archive, open_archive, read_up_to
from xcg.documents.paths import canonical_file
from xcg.documents.searching import unexpanded_hint
from xcg.documents.sources import Source, Stamp, document_name, ending_of, is_xml, reason_of
from xcg.errors import FileError, InputError, XcgError, nearest_file


class LinkedFolder(str):
    """The path of a folder of documents whose links to files and folders outside it are followed."""

    __slots__ = ()


def open_source(path: str | os.PathLike[str]) -> Source:
    """Open a folder or an archive.

    Raises:
        InputError: If it does not exist, is neither, or cannot be read.
    """
    location = Path(path)
    try:
        if location.is_dir():
            return Folder(location, isinstance(path, LinkedFolder))
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
        raise InputError(location, f"cannot read the corpus: {reason_of(error)}") from None
    raise FileError(location, "no corpus: expected a folder, a .zip or a .tar.gz of XML documents")


def _unread(endings: Counter[str]) -> list[str]:
    """Return the note on files that are not documents, given the number of files by ending."""
    if not endings:
        return []
    counts = ", ".join(
        f"{count} {ending or 'without an ending'}" for ending, count in sorted(endings.items())
    )
    what = "file is" if endings.total() == 1 else "files are"
    return [f"{counts} {what} not read; convert those with text to .txt, .md, .html or .xml"]


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
        left_out: The links that are not followed.
        unread: Ending → number of files that are not documents, without hidden ones.
        illegal: The error for a file with an illegal name.

    Args:
        path: See above.
        is_legal: Function that decides whether to follow a link, given its path.
    """

    def __init__(self, path: str, is_legal: Callable[[str], bool]) -> None:
        self.path = path
        self.files: dict[str, str] = {}
        self.doubles: dict[str, list[str]] = {}
        self.folders: dict[str, str] = {}
        self.links: set[str] = set()
        self.left_out: set[str] = set()
        self.unread: Counter[str] = Counter()
        self.illegal: ValueError | None = None
        with os.scandir(path or ".") as entries:
            for entry in entries:
                try:
                    if entry.is_symlink() and not is_legal(entry.path):
                        self.left_out.add(entry.name)
                    elif entry.is_dir():
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
        if name is None:
            if not file.startswith("."):
                self.unread[ending_of(file)] += 1
        else:
            first = self.files.setdefault(name, file)
            if first != file:
                self.doubles.setdefault(name, [first]).append(file)


class Folder(Source):
    """A folder of documents. Each folder in it is listed when one of its documents is needed.

    Args:
        folder: The folder.
        follow_links: Whether to follow links in the folder to files and folders that are not in it.
    """

    def __init__(self, folder: Path, follow_links: bool = False) -> None:
        super().__init__(folder)
        self._follow_links = follow_links
        self._real = os.path.realpath(folder)
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
                self._listings[folder] = _Listing(path, self._is_legal)
            except FileNotFoundError:
                self._listings[folder] = None
            except OSError as error:
                raise InputError(path or ".", f"cannot list the folder: {reason_of(error)}") from None
        return self._listings[folder]

    def _is_legal(self, link: str) -> bool:
        return self._follow_links or Path(os.path.realpath(link)).is_relative_to(self._real)

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
        if found is None or not is_xml(found) or self._doubles(name):
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
        for prefix, listing in self._all_listings():
            if listing.illegal is not None:
                raise InputError(listing.path or ".", str(listing.illegal))
            names.extend(f"{prefix}{name}" for name in listing.files)
        yield from sorted(names)

    def oddities(self) -> list[str]:
        """Return notes on files that are not read."""
        unread: Counter[str] = Counter()
        left_out: list[str] = []
        try:
            listings = list(self._all_listings())
        except InputError as error:  # a folder that cannot be listed, such as lost+found
            return [str(error)]
        for _, listing in listings:
            unread.update(listing.unread)
            left_out.extend(listing.path + link for link in listing.left_out)
        notes = _unread(unread)
        if left_out:
            notes.append(
                f"links out of the folder are not followed: {len(left_out)}, such as {min(left_out)}; "
                "to allow them, write corpus: {path: …, follow_links: true} in the configuration"
            )
        names = (f"{prefix}{name}" for prefix, listing in listings for name in listing.files)
        return [*(f"{self.label}: {note}" for note in notes), *self._like_elements(names)]

    def _all_listings(self) -> Iterator[tuple[str, _Listing]]:
        """Yield the listings of all folders, except those that are links, with prefixes of names."""
        folders = [""]
        while folders:
            folder = folders.pop()
            listing = self._listing(folder)
            if listing is not None:
                prefix = f"{folder}/" if folder else ""
                yield prefix, listing
                folders.extend(f"{prefix}{name}" for name in listing.folders.keys() - listing.links)


class ArchivedSource(Source):
    """The documents in an archive."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive.path)
        weakref.finalize(self, archive.close)
        self._stamp = Stamp.of(archive.path.stat())  # before reading
        self._archive = archive
        self._members: dict[str, tuple[str, Any]] = {}
        self._lock = threading.Lock()
        self._unread: Counter[str] = Counter()
        for member, position in archive.files():
            try:
                name = document_name(member)
            except ValueError as error:
                raise InputError(self.label, f"illegal member: {error}") from None
            if name is None:
                if not PurePosixPath(member).name.startswith("."):
                    self._unread[ending_of(member)] += 1
                continue
            if name in self._members:
                raise InputError(self.label, f"the archive contains the document {name!r} twice")
            self._members[name] = member, position

    def names(self) -> Iterator[str]:
        """Yield the names of all documents in order."""
        yield from sorted(self._members)

    def oddities(self) -> list[str]:
        """Return notes on files that are not read."""
        return [
            *(f"{self.label}: {note}" for note in _unread(self._unread)),
            *self._like_elements(self._members),
        ]

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a document's file; None if changes can only be noticed by reading it."""
        found = self._members.get(name)
        return self._stamp if found is not None and is_xml(found[0]) else None

    def _find(self, name: str) -> str | None:
        found = self._members.get(name)
        return f"{self.label}/{found[0]}" if found is not None else None

    def _read(self, name: str, where: str, most: int) -> bytes:
        with self._lock:
            return self._archive.read(self._members[name][1], most)
