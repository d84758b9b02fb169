"""Offset qrels of INEX 2007 to 2010."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_examples import write

from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments

QRELS = (
    "2009001 Q0 851 7300 10656 100 1205:3431 4643:720 5521:3149\r\n"
    "2009001 Q0 852 0 99\r\n\r\n"
    "2009002 Q0 851 10 10656 5:10\r\n"
)


def test_relevant_passages_are_read(tmp_path: Path) -> None:
    base = read_assessments(write(tmp_path, QRELS, "inex2009.qrels"))
    assert base.topics == ["2009001", "2009002"]
    assert base.spans("2009001") == {
        "851": [(1205, 4636, 2.0), (4643, 5363, 2.0), (5521, 8670, 2.0)],
        "852": [],
    }
    assert base.spans("2009002") == {"851": [(5, 15, 2.0)]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 d 5", "4 columns"),
        ("1 Q0 d x 9 1:2", "illegal relevant characters 'x'"),
        ("1 Q0 d 5 -9 1:2", "illegal length '-9'"),
        ("1 Q0 d 5 99 1:2:3", "illegal passage '1:2:3'"),
        ("1 Q0 d 5 99 3 4 1:5", "illegal passage '4'"),
        ("1 Q0 d 5 99 1:0", "illegal passage '1:0'"),
        ("1 Q0 d 5 99 95:5", "the passage 95:5 ends after the document's 99 characters"),
        ("1 Q0 d 5 99", "5 relevant characters, but the passages have 0"),
        ("1 Q0 ../d 5 99 1:5", "is not a document name"),
        ("0 Q0 d 0 99", "the document 'd' occurs twice"),
    ],
)
def test_an_illegal_line_gives_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, f"0 Q0 d 0 99\n{line}\n", "q")
    if "95:5" in line:
        path.write_text(f"0 Q0 d 0 99\n{line[:-1]}6\n")
        message = message.replace("95:5", "95:6")
    with pytest.raises(InputError) as raised:
        read_assessments(path)
    assert str(raised.value).startswith(f"{path}:2: ")
    assert message in str(raised.value)
    notes = Notes(lenient=True)
    assert read_assessments(path, notes).topics
    assert len(notes.lines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty file; expected assessments"),
        ("topic Q0 x", "3 columns; expected topic Q0 document relevant_characters length"),
    ],
)
def test_other_text_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_assessments(write(tmp_path, text))
    assert message in str(raised.value)
    assert str(tmp_path / "input.xml") in str(raised.value)
