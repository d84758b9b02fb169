"""Write the files of a campaign to a new folder, which is marked as incomplete until the end.

The marker is a file that lists each file before it is written. If the process is killed, its folder is
not mistaken for a campaign, and can be replaced without touching other files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from xcg.documents.files import INCOMPLETE_CAMPAIGN
from xcg.documents.writing import lock_file
from xcg.errors import InputError

_FIRST_LINE = "This campaign is incomplete: xcg simulate is writing it, or was interrupted. Its files:"


class CampaignFolder:
    """A folder to which a campaign is written; see :func:`new_campaign_folder`.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path, marker: IO[bytes]) -> None:
        self.path = path
        self._marker = marker
        self._named: set[str] = set()

    def write(self, name: str, content: bytes) -> None:
        """Append to a file. The first call for a file creates it and its folder."""
        path = self.path / name
        if name in self._named:
            with path.open("ab") as file:
                file.write(content)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        self._marker.write(f"{name}\n".encode())
        self._marker.flush()
        with path.open("xb") as file:
            file.write(content)
        self._named.add(name)


@contextmanager
def new_campaign_folder(path: Path, replace: bool = False) -> Iterator[CampaignFolder]:
    """Open a folder for a new campaign, and mark it as incomplete until the block succeeds.

    Args:
        path: A folder that is empty or does not exist.
        replace: Whether to remove an incomplete campaign in the folder first.

    Raises:
        InputError: If the folder is not empty, contains files that xcg did not write, is in use by
            another process, or cannot be written.
    """
    marker = path / INCOMPLETE_CAMPAIGN
    try:
        path.mkdir(parents=True, exist_ok=True)
        is_incomplete = _check_content(path, marker, replace)
        with marker.open("r+b" if is_incomplete else "xb") as file:
            if not lock_file(file):
                raise InputError(path, "another process is writing a campaign into this folder")
            if is_incomplete:
                _remove_campaign(path, file)
            file.write(f"{_FIRST_LINE}\n".encode())
            file.flush()
            yield CampaignFolder(path, file)
        marker.unlink()
    except OSError as error:
        raise InputError(error.filename or path, f"cannot write: {error.strerror}") from None


def _check_content(path: Path, marker: Path, replace: bool) -> bool:
    """Return whether a folder contains an incomplete campaign to replace.

    Raises:
        InputError: If the folder is not empty and may not be replaced.
    """
    if not any(path.iterdir()):
        return False
    if marker.is_symlink() or not marker.is_file():
        raise InputError(path, "the folder is not empty; expected a new folder")
    if not replace:
        raise InputError(
            path,
            "the folder contains an incomplete campaign: another process is writing it, or was "
            "interrupted; replace it with --replace, or name a new folder",
        )
    return True


def _remove_campaign(path: Path, marker: IO[bytes]) -> None:
    """Remove the files of an incomplete campaign and empty the marker, if there are no other files."""
    first, *names = marker.read().decode(errors="surrogateescape").split("\n")
    own = {INCOMPLETE_CAMPAIGN, *names[:-1]}
    own_folders = {parent.as_posix() for name in own for parent in Path(name).parents}
    if first not in (_FIRST_LINE, ""):
        raise InputError(path, f"xcg did not write {INCOMPLETE_CAMPAIGN}; expected a new folder")
    files: list[Path] = []
    folders: list[Path] = []
    for parent, below, here in os.walk(path):  # below includes links, which are not followed
        relative = Path(parent).relative_to(path)
        for name in (*below, *here):
            file = Path(parent, name)
            is_folder = file.is_dir() and not file.is_symlink()
            if (relative / name).as_posix() not in (own_folders if is_folder else own):
                raise InputError(file, "xcg did not write this; remove it, or name a new folder")
            (folders if is_folder else files).append(file)
    for file in files:
        if file != path / INCOMPLETE_CAMPAIGN:
            file.unlink()
    for folder in reversed(folders):
        folder.rmdir()
    marker.seek(0)
    marker.truncate()
