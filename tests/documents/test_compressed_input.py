"""Decompression of gzipped files is limited, but ordinary files are read completely."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from xcg.documents import files
from xcg.errors import InputError
from xcg.formats.base import read_run

JSON, TREC = '{"topic": "1", "doc": "d"}\n', "1 Q0 d 1 1 r\n"


@pytest.mark.parametrize(
    "text", [JSON + "\n" * 1_000_000, TREC + " \n" * 500_000, TREC + "#\n" * 500_000, TREC * 100_000]
)
def test_bombs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(files, "RATIO_FROM_BYTES", 1 << 16)
    with pytest.raises(
        InputError, match=r"run.gz: the file has more than 250 times its size when deco"
    ):
        read_run(path)
