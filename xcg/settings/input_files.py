"""Open input files, without waiting for a FIFO that nobody writes to."""

from __future__ import annotations

import errno
import os
import select
from io import BufferedReader
from pathlib import Path

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
