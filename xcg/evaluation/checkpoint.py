"""Files with the results of an interrupted study, one JSON value per line.

The first line names the study. Each other line contains the number of a task, its result, and a digest
of both and of the study. Numbers and digests reveal lines that are damaged, repeated, missing or from
another study.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from xcg.errors import InputError
from xcg.lazy_modules import hashlib

MAX_LINE_BYTES = 1 << 20
"""The maximum size of one result in a checkpoint."""

_NO_CHECKPOINT = "not a checkpoint: expected the file of an interrupted study, or a new name"
_OTHER_STUDY = (
    "the checkpoint of another study: expected that of the same files and parameters, or a new name"
)
_DAMAGED = (
    "a damaged checkpoint: expected the next result of the study; delete this line and all that "
    "follow, to continue before them, or name another file"
)

Task = tuple[Any, ...]
IsValid = Callable[[Task, Any], bool]
"""A function that returns whether a result is valid for a task."""


class Checkpoint:
    """The results of an interrupted study in a file, in the order of the tasks.

    Args:
        path: The file; it is created if it does not exist.
        study: The parameters of the study.
        tasks: All tasks of the study.
        is_valid: Returns whether a result is valid for a task.

    Raises:
        InputError: If the file is not a checkpoint, belongs to another study, is damaged, or cannot be
            read or written.
    """

    def __init__(self, path: Path, study: object, tasks: Sequence[Task], is_valid: IsValid) -> None:
        self._path = path
        self._key = hashlib.sha256(repr((study, len(tasks))).encode()).hexdigest()
        self.results: list[Any] = []
        with ExitStack() as opened:
            try:
                if path.exists() and not path.is_file():  # reading from a pipe would block
                    raise InputError(path, "not a file: expected a checkpoint, or a new name")
                path.touch()
                self._file = opened.enter_context(path.open("r+b"))
                end = self._read(tasks, is_valid)
                self._file.truncate(end)
                self._file.seek(end)
            except OSError as error:
                raise self._cannot_write(error) from None
            if not end:
                self._write({"study": self._key})
            self._opened = opened.pop_all()

    def append(self, result: Any) -> None:
        """Append the result of the next task."""
        number = len(self.results)
        self._write({"task": number, "result": result, "digest": self._digest(number, result)})
        self.results.append(result)

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    def _write(self, record: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(record).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._cannot_write(error) from None

    def _cannot_write(self, error: OSError) -> InputError:
        return InputError(self._path, f"cannot write: {error.strerror}")

    def _digest(self, number: int, result: Any) -> str:
        content = json.dumps([self._key, number, result])
        return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()

    def _read(self, tasks: Sequence[Task], is_valid: IsValid) -> int:
        """Read the results, and return the position after the last complete line."""
        end = 0
        for number, line in enumerate(iter(lambda: self._file.readline(MAX_LINE_BYTES), b""), 1):
            record = _record(line)
            if number == 1:
                self._check_header(record)
            if not line.endswith(b"\n") and len(line) < MAX_LINE_BYTES:
                break  # the study was killed while it wrote this line
            if number > 1:
                if not self._is_next(record, tasks, is_valid):
                    raise InputError(f"{self._path}:{number}", _DAMAGED)
                self.results.append(record["result"])
            end += len(line)
        return end

    def _check_header(self, record: dict[str, Any]) -> None:
        study = record.get("study")
        if study != self._key:
            raise InputError(f"{self._path}:1", _NO_CHECKPOINT if study is None else _OTHER_STUDY)

    def _is_next(self, record: dict[str, Any], tasks: Sequence[Task], is_valid: IsValid) -> bool:
        """Return whether a record is the result of the next task."""
        number, result = len(self.results), record.get("result")
        return (
            number < len(tasks)
            and record.get("task") == number
            and record.get("digest") == self._digest(number, result)
            and is_valid(tasks[number], result)
        )


def _record(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line, or an empty dict if there is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
