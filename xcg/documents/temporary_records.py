"""Keep Python objects in a temporary file instead of in memory."""

from __future__ import annotations

import weakref
from typing import IO, Any, cast

from xcg.errors import XcgError
from xcg.lazy_modules import pickle


class TemporaryRecords:
    """Objects in a temporary file, which has no name and disappears with this object.

    The file is in the folder for temporary files, which the environment variable ``TMPDIR`` names.

    >>> records = TemporaryRecords()
    >>> first, second = records.add(["bees"]), records.add(["ants"])
    >>> records.get(first), records.get(second)
    (['bees'], ['ants'])
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._end = 0

    def add(self, record: object) -> int:
        """Write an object and return its position.

        Raises:
            XcgError: If the file cannot be written.
        """
        import tempfile

        data = pickle.dumps(record, protocol=pickle.HIGHEST_PROTOCOL)
        try:
            if self._file is None:
                self._file = cast(IO[bytes], tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
                weakref.finalize(self, self._file.close)
            self._file.seek(self._end)
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise XcgError(
                f"cannot write a temporary file: {error.strerror or error}; the environment variable "
                "TMPDIR names another folder for temporary files"
            ) from None
        position = self._end
        self._end += len(data)
        return position

    def get(self, position: int) -> Any:
        """Read the object at a position."""
        assert self._file is not None
        self._file.seek(position)
        return pickle.load(self._file)
