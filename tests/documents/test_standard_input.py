"""Standard input as an input file, kept once."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from xcg.documents import files
from xcg.documents.files import open_input
from xcg.errors import InputError
from xcg.formats.base import read_run

RUN = b"1 Q0 d 1 2 t\n1 Q0 e 2 1 t\n"


def provide(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Make a content the standard input of this process."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_short_beginning_is_enough_to_detect_the_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe may deliver its first bytes alone."""

    class Pipe(io.RawIOBase):
        parts = iter([b'{"to', b'pic": "1", "doc": "d"}\n'])

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            part = next(self.parts, b"")
            buffer[: len(part)] = part
            return len(part)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pipe())))
    assert list(read_run("-").rankings["1"]) == [("d", "/")]


def test_missing_and_huge_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    provide(monkeypatch, RUN)
    monkeypatch.setattr(files, "MAX_STANDARD_INPUT", 5)
    with pytest.raises(InputError, match="-: standard input of more than 1 GB; expected a file"):
        read_run("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="there is no standard input"), open_input(Path("-")):
        pass
