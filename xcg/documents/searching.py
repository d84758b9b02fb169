"""Find files in folders and by glob patterns, within a limit and without following links.

The glob function of Python follows links to folders, which may form loops, and cannot be stopped while
it finds nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from xcg.errors import InputError

MAX_ENTRIES = 1_000_000
"""Maximum number of files and folders that are visited for a folder or a glob pattern."""

_GLOB_CHARACTERS = set("*?[")
_NOT_DATA = (".dtd", ".md")
_KINDS = {"p": "a FIFO", "s": "a socket", "c": "a device", "b": "a device"}
"""First letter of a file's mode → kind of file."""


def is_pattern(path: str) -> bool:
    """Return whether a path contains characters of a glob pattern."""
    return not _GLOB_CHARACTERS.isdisjoint(path)


def unexpanded_hint(path: Path) -> str:
    """Return a hint about a part of a path that only a shell expands, or an empty string.

    >>> unexpanded_hint(Path("~/runs"))
    " ('~' is not expanded: write the whole path)"
    """
    for part in path.parts:
        if part.startswith("~") or "$" in part:
            return f" ({part!r} is not expanded: write the whole path)"
    return ""


class Search:
    """The search for the files of one folder or glob pattern.

    Args:
        where: The folder or pattern, for messages.
        what: Description of the expected files, for messages.
    """

    def __init__(self, where: Path, what: str) -> None:
        self._where = where
        self._what = what
        self._visited = 0

    def files_below(self, folder: Path) -> Iterator[Path]:
        """Yield the files in a folder recursively and in order, or the path itself if it is a file.

        Hidden files and folders, ``.dtd`` and ``.md`` files and links to folders are ignored.

        Raises:
            InputError: If a folder cannot be read, contains a FIFO, a socket or a device, or there are
                too many files and folders.
        """
        if not folder.is_dir():
            self._check_regular(folder)
            yield folder
            return
        pending = [str(folder)]
        while pending:
            parent = pending.pop()
            folders, names = [], []
            try:
                for entry in self._visible(parent):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif not entry.name.endswith(_NOT_DATA):
                        if entry.is_symlink() and Path(entry.path).is_dir():
                            continue
                        if not entry.is_file(follow_symlinks=False):
                            self._check_regular(Path(entry.path))
                        names.append(entry.name)
            except OSError as error:
                raise InputError(parent, f"cannot read the folder: {error.strerror}") from None
            yield from (Path(parent, name) for name in sorted(names))
            pending += sorted(folders, reverse=True)

    def matching(self) -> Iterator[Path]:
        """Yield the files that match the pattern, or are in folders that match it, in order.

        ``**`` matches any number of folders, but no links to folders. Folders that cannot be read match
        nothing.

        Raises:
            InputError: As for :meth:`files_below`.
        """
        given = self._where.parts
        parts = [p for p, before in zip(given, ("", *given), strict=False) if not p == before == "**"]
        if parts[-1] == "**":  # the files of a folder are found recursively anyway
            parts.pop()
        found = [""]
        for part in parts:
            if part == "**":
                found = self._folders_below(found)
            elif is_pattern(part):
                found = [
                    os.path.join(base, entry.name)
                    for base in found
                    for entry in self._listed(base, hidden=part.startswith("."))
                    if fnmatch(entry.name, part)
                ]
            else:
                found = [path for base in found if self._exists(path := os.path.join(base, part))]
        for match in sorted(found):
            yield from self.files_below(Path(match))

    def _folders_below(self, bases: Iterable[str]) -> list[str]:
        """Return folders and all folders in them, each once."""
        pending = list(bases)
        found: dict[str, None] = {}
        while pending:
            base = pending.pop()
            if base in found:
                continue
            found[base] = None
            pending += [
                os.path.join(base, entry.name)
                for entry in self._listed(base)
                if entry.is_dir(follow_symlinks=False)
            ]
        return list(found)

    def _exists(self, path: str) -> bool:
        self._count()
        return os.path.lexists(path)

    def _listed(self, folder: str, hidden: bool = False) -> list[os.DirEntry[str]]:
        """Return the entries of a folder; none if it cannot be read."""
        try:
            return list(self._visible(folder or ".", hidden))
        except OSError:
            return []

    def _visible(self, folder: str, hidden: bool = False) -> Iterator[os.DirEntry[str]]:
        """Yield the entries of a folder, without hidden ones by default."""
        with os.scandir(folder) as entries:
            for entry in entries:
                self._count()
                if hidden or not entry.name.startswith("."):
                    yield entry

    def _count(self) -> None:
        self._visited += 1
        if self._visited > MAX_ENTRIES:
            raise InputError(
                self._where,
                f"more than {MAX_ENTRIES:,} files and folders to search for {self._what}; expected a "
                "smaller folder or a more specific pattern",
            )

    def _check_regular(self, path: Path) -> None:
        """Refuse FIFOs, sockets and devices, because reading them could block or never end."""
        try:
            mode = path.stat().st_mode
        except OSError as error:
            raise InputError(path, f"cannot read: {error.strerror}") from None
        if kind := _KINDS.get(stat.filemode(mode)[0]):
            raise InputError(
                path, f"{kind}, not a file; expected {self._what}: remove it, or name the files"
            )
