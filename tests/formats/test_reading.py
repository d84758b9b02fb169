"""Reading any format: detection, files and folders, formats of installed packages, and random input."""

from __future__ import annotations

import gzip
from pathlib import Path
from unittest.mock import patch

import pytest
from conftest import ROOT, load_script
from format_examples import ASSESSMENTS, submission, write
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import InputError, XcgError
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, RecallBase
from xcg.runs.run import RUN_FORMATS, Run

RUN_FILES = {
    "inex": submission("<file>f</file><path>/a</path>"),
    "jsonl": '{"topic": "1", "doc": "f", "path": "/a"}\n',
    "trec": "1 Q0 f#/a 1 2 t\n",
}
ASSESSMENT_FILES = {
    "inex2004": ASSESSMENTS.format('<path path="/a" e="1" s="1"/>'),
    "jsonl": '{"topic": "1", "doc": "f", "level": 1}\n',
    "letor": "2 qid:1 1:0.5 2:1\n",
    "offsets": "1 Q0 f 5 9 1 1:5\n",
    "trec": "1 0 f 1\n",
}
OTHER_FILES = [
    ("", "offsets", "trec"),
    ("a b c\n", "offsets", "trec"),
    ("1 0 f 1 x y z u v w\n", "offsets", "trec"),
    ("<other/>", "inex2004", "inex"),
    ("\ufeff\n <other a='b' c='d' e='f' g='h' i='j'/>", "inex2004", "inex"),
    ("[1]", "jsonl", "jsonl"),
    ('{"doc": "d"}', "jsonl", "jsonl"),
]


def best(certainties: dict[str, float]) -> str:
    return max(certainties, key=certainties.__getitem__)


@pytest.mark.parametrize("name", RUN_FILES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_one_format_is_certain_of_a_run(name: str, encoding: str) -> None:
    if encoding == "utf-16" and name != "inex":
        return  # only XML may be in UTF-16
    head = RUN_FILES[name].encode(encoding)
    certain = [one for one in RUN_FORMATS if RUN_FORMATS.get(one).detect(head) == 1]
    assert certain == [name]


@pytest.mark.parametrize("name", ASSESSMENT_FILES)
def test_one_reader_is_certain_of_assessments(name: str) -> None:
    head = ASSESSMENT_FILES[name].encode()
    formats = {one: ASSESSMENT_FORMATS.get(one) for one in ASSESSMENT_FORMATS}
    certain = {one.read for one in formats.values() if one.detect(head) == 1}
    assert certain == {formats[name].read}


@pytest.mark.parametrize(("text", "assessments", "run"), OTHER_FILES)
def test_the_most_certain_format_reports_what_is_wrong(text: str, assessments: str, run: str) -> None:
    head = text.encode()
    assert assessments == best({n: ASSESSMENT_FORMATS.get(n).detect(head) for n in ASSESSMENT_FORMATS})
    assert run == best({n: RUN_FORMATS.get(n).detect(head) for n in RUN_FORMATS})
    assert all(RUN_FORMATS.get(name).detect(head) < 1 for name in RUN_FORMATS)


def test_every_format_has_a_description_and_a_writer() -> None:
    for registry in (RUN_FORMATS, ASSESSMENT_FORMATS):
        for one in registry.values():
            assert one.description
        without = [name for name in registry if registry.get(name).write is None]
        assert without == ["letor"] * (registry is ASSESSMENT_FORMATS)
    assert set(RUN_FORMATS) == {"inex", "trec", "jsonl"}
    assert set(ASSESSMENT_FORMATS) == {"inex2004", "inex2005", "offsets", "trec", "jsonl", "letor"}


def test_folders_globs_gzip_byte_order_marks_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    text = ASSESSMENTS.format('<path path="/a" e="1" s="1"/>')
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "1.xml.gz").write_bytes(gzip.compress(text.encode()))
    crlf = text.replace("162", "9").replace("\n", "\r\n")
    (tmp_path / "2.xml").write_bytes(b"\xef\xbb\xbf" + crlf.encode())
    (tmp_path / ".hidden").write_text("no")
    (tmp_path / "README.md").write_text("no")
    assert read_assessments(tmp_path).topics == ["9", "162"]
    assert read_assessments(str(tmp_path / "*.xml")).topics == ["9"]
    assert read_assessments([tmp_path / "2.xml", tmp_path / "below"]).topics == ["9", "162"]


def test_missing_and_damaged_files_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "x", "assessments.xml")
    with pytest.raises(InputError, match=r"no such file or folder \(did you mean 'assessments\.xml'"):
        read_assessments(tmp_path / "assesments.xml")
    with pytest.raises(InputError, match="not a file name"):
        read_assessments("a" * 5000)
    with pytest.raises(InputError, match="no such file or folder"):
        read_assessments(str(tmp_path / "*.zzz"))
    (tmp_path / "bad.gz").write_bytes(gzip.compress(b"<assessments topic='1'/>" * 99)[:-20])
    with pytest.raises(InputError, match=r"bad\.gz"):
        read_assessments(tmp_path / "bad.gz")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="contains no files"):
        read_assessments(tmp_path / "empty")


@given(data=st.data())
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    """Reading random bytes or changed files gives a result or an InputError with the file's name."""
    legal = [
        ASSESSMENTS.format('<path path="/a" e="1" s="1"/>').encode(),
        submission("<file>f</file><path>/a</path><rank>1</rank>").encode(),
        b"1 Q0 f#/a 1 2.0 tag\n1 Q0 f#/c 2 2.0 tag\n1 Q0 f#/b 3 2.0 tag",
        b'{"topic": "1", "doc": "f.xml", "path": "/a", "score": 1}\n\n'
        b'{"topic": 1, "doc": "f", "path": "/b", "score": 2.5}',
        b'{"topic": 7, "doc": "co/1", "path": "/a", "exhaustivity": 3, "specificity": 1}',
        b'{"topic": 7, "doc": "co/1", "start": 1, "end": 5, "exhaustivity": 2}',
        b"2009001 Q0 851 7300 10656 100 1205:3431 4643:720 5521:3149\r\n2009001 Q0 852 0 99",
    ]
    content = bytearray(data.draw(st.one_of(st.binary(max_size=200), st.sampled_from(legal))))
    for _ in range(data.draw(st.integers(0, 4))):
        position = data.draw(st.integers(0, len(content)))
        piece = data.draw(
            st.one_of(st.binary(max_size=4), st.sampled_from([b"<", b'"', b"9" * 30, b"&x;"]))
        )
        content[position : position + data.draw(st.integers(0, 20))] = piece
    path = tmp_path / "input"
    path.write_bytes(bytes(content))
    for read in (read_run, read_assessments):
        try:
            read(path)
        except XcgError as error:
            assert str(path) in str(error)


@pytest.mark.slow
def test_a_short_run_of_the_fuzzer(monkeypatch: pytest.MonkeyPatch) -> None:
    """For longer runs see benchmarks/fuzz.py."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    module = load_script(ROOT / "benchmarks" / "fuzz.py")
    counts = module.fuzz(3000, seed=20061)
    assert len(counts) == 15
    for name, (tried, kept) in counts.items():
        assert 0 < kept <= tried == 200, name
        # HTML parsers accept everything, and every text can be searched.
        assert kept < tried or name in ("pages", "searches"), name


def test_other_topics_are_left_out_after_a_reader_that_reads_all(tmp_path: Path) -> None:
    def read_all(*_: object) -> Run:
        return Run.of("r", {"1": ["a"], "2": ["b"]})

    of_a_package = RUN_FORMATS.get("trec")._replace(read=read_all)
    with patch.dict(RUN_FORMATS._objects, {"trec": of_a_package}):
        run = read_run(write(tmp_path, "1 Q0 f 1 2 t\n", "r"), topics={"1"})
    assert (list(run.rankings), run.skipped) == (["1"], {"2"})


def test_a_format_without_a_writer_cannot_be_written() -> None:
    with pytest.raises(XcgError, match="cannot write assessments in the format 'letor': it is only"):
        RecallBase.of({"1": {"d": 1}}).to_text("letor")
