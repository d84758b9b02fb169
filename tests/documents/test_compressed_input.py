"""Decompression of gzipped files is limited, but ordinary files are read completely."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from xcg.documents import files
from xcg.errors import InputError
from xcg.formats.base import read_assessments, read_run

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


def test_xml_with_much_white_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "1.xml.gz"
    text = f"<assessments topic='1'>{' ' * 1_000_000}</assessments>"
    path.write_bytes(gzip.compress(text.encode()))
    assert read_assessments(path).topics == ["1"]
    monkeypatch.setattr(files, "RATIO_FROM_BYTES", 1 << 16)
    with pytest.raises(
        InputError, match=r"1.xml.gz: the file has more than 250 times its size when de"
    ):
        read_assessments(path)


def test_ordinary_files_that_are_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The comment is only for the general reader, which reads the file again from its start.
    results = "<result><file>d</file><path>/a</path></result>\n" * 1000
    text = (
        f"<inex-submission run-id='r'><topic topic-id='1'>{results}<!-- --></topic></inex-submission>"
    )
    path = tmp_path / "run.xml.gz"
    path.write_bytes(gzip.compress(text.encode()))
    ratio = len(text) / path.stat().st_size
    monkeypatch.setattr(files, "RATIO_FROM_BYTES", 0)
    monkeypatch.setattr(files, "MAX_GZIP_RATIO", math.ceil(ratio))
    assert len(read_run(path).rankings["1"]) == 1000
    monkeypatch.setattr(files, "MAX_GZIP_RATIO", math.floor(ratio))
    with pytest.raises(InputError, match="times its size when decompressed; decompress it first"):
        read_run(path)
