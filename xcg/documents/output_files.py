"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from xcg.errors import InputError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes its place when the block ends, and vanishes where the block fails.

    Raises InputError where it cannot be written.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(path, f"cannot write: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp makes private files; the output gets the mode that any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(path, f"cannot write: {error.strerror}") from None
        raise
