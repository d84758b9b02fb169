"""Write output files so that each is either replaced as a whole or left unchanged."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, cast

from xcg.errors import InputError
from xcg.lazy_modules import shutil

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})|/dev/std(?:out|(err))")
_LOCKED_BYTE = 1 << 30


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that appears only when the block ends without an exception.

    An existing file keeps its permissions; a symbolic link remains, and its target is replaced. A FIFO,
    a terminal or another character device, and a file descriptor such as ``/dev/stdout`` are not
    replaced: they receive the content when the block ends.

    The content is written to a temporary file ``.xcg-*.tmp`` in the same folder.

    Raises:
        InputError: If the file cannot be written.
    """
    try:
        found = _DESCRIPTOR.fullmatch(os.path.abspath(path))
        descriptor = found and int(found[1] or (2 if found[2] else 1))
        try:
            state = path.stat()
        except FileNotFoundError:
            state = None
        except ValueError as error:  # a NUL character in the name
            raise InputError(path, f"cannot write: {error}") from None
        if state is None or (stat.S_ISREG(state.st_mode) and descriptor is None):
            with _replacement(Path(os.path.realpath(path)), state) as file:
                yield cast(BinaryIO, file)
            return
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if descriptor is None and not (stat.S_ISFIFO(state.st_mode) or stat.S_ISCHR(state.st_mode)):
            raise InputError(path, "cannot write: neither a file nor a FIFO nor a character device")
        import tempfile

        # An open descriptor has a position, which opening its name again would lose.
        target = path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb")
        with target, tempfile.TemporaryFile() as complete:
            yield cast(BinaryIO, complete)
            complete.seek(0)
            shutil.copyfileobj(complete, target)
    except OSError as error:
        raise InputError(path, f"cannot write: {error.strerror or error}") from None


@contextmanager
def new_whole_file(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Open a new file for writing that appears only when the block ends without an exception.

    Args:
        path: The file.
        mode: Its permissions, from which the user's mask is removed.

    Raises:
        OSError: If the file cannot be written, or already exists at the end of the block.
    """
    with _temporary(path.parent, mode) as (temporary, file):
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)


@contextmanager
def _replacement(path: Path, state: os.stat_result | None) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces a file; ``state`` is None if that file does not exist."""
    if state is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with _temporary(path.parent) as (temporary, file):
        with file:
            if state is not None:
                temporary.chmod(stat.S_IMODE(state.st_mode) & 0o777)
            yield file
        temporary.replace(path)


@contextmanager
def _temporary(folder: Path, mode: int = 0o666) -> Iterator[tuple[Path, IO[bytes]]]:
    """Create a temporary file that is removed at the end if it still exists."""
    path = folder / f".xcg-{os.urandom(8).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        try:
            yield path, file
        finally:
            file.close()
            with suppress(OSError):
                path.unlink()


def lock_file(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; return False if another process has locked it.

    On file systems without locks, nothing is locked.
    """
    try:
        if sys.platform == "win32":
            file.seek(_LOCKED_BYTE)  # others can read the content
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass
    return True
