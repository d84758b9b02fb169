"""Open input files, and find and copy the files that come with xcg: samples and user models.

An installed package contains these files in ``xcg/shipped``. A checkout has them in its own folders,
with the same layout, so that every command of the manual works in both.
"""

from __future__ import annotations

import errno
import os
import select
from io import BufferedReader
from pathlib import Path

from xcg.errors import InputError, XcgError

FIFO_SECONDS = 10.0
"""Seconds to wait for a process that writes to a FIFO."""


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading.

    Args:
        path: The file; a FIFO needs a process that writes to it within :data:`FIFO_SECONDS`.

    Returns:
        The open file.

    Raises:
        OSError: If the file cannot be opened, or nobody writes to the FIFO.
    """
    if not path.is_fifo():
        return path.open("rb")
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # without this flag, waits for a writer
    file = os.fdopen(descriptor, "rb")
    if not (select.select([file], [], [], FIFO_SECONDS)[0] or _has_writer(descriptor)):
        file.close()
        raise OSError(errno.ENXIO, "a FIFO that no process writes to", str(path))
    os.set_blocking(descriptor, True)
    return file


def _has_writer(descriptor: int) -> bool:
    """Return whether a process has opened an empty FIFO for writing."""
    try:
        return bool(os.read(descriptor, 1))
    except BlockingIOError:
        return True


PARTS = ("assessments", "configs", "corpora_samples")
"""The folders of samples."""


def shipped_folder() -> Path:
    """Return the folder that contains the folders of samples.

    Raises:
        XcgError: If the installation lacks it.

    >>> (shipped_folder() / "configs" / "quickstart.yaml").is_file()
    True
    """
    package = Path(__file__).parent.parent
    for folder in (package / "shipped", package.parent):
        if (folder / "configs" / "user_models").is_dir():
            return folder
    raise XcgError("this installation of xcg lacks its user models and samples: install it again")


def sample_files() -> list[str]:
    """Return the paths of all samples below :func:`shipped_folder`, with ``/`` and in sorted order.

    Caches, hidden files and the scripts of a checkout that make the samples are left out.
    """
    root = shipped_folder()
    found = [path for part in PARTS for path in (root / part).rglob("*") if path.is_file()]
    return sorted(
        path.relative_to(root).as_posix()
        for path in found
        if not any(name.startswith((".", "__")) for name in path.relative_to(root).parts)
        and not (path.suffix == ".py" and path.parent.name in PARTS)
    )


def write_samples(folder: Path) -> int:
    """Copy all samples into a folder that is empty or does not exist, and return their number.

    Raises:
        InputError: If the folder is not empty, is another kind of file, or cannot be written.
    """
    source, files = shipped_folder(), sample_files()
    try:
        if folder.exists() and any(folder.iterdir()):
            raise InputError(folder, "the folder is not empty; name a new folder")
        for file in files:
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((source / file).read_bytes())
    except OSError as error:
        raise InputError(folder, f"cannot write: {error.strerror or error}") from None
    return len(files)
