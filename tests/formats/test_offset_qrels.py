"""Offset qrels of INEX 2007 to 2010."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_examples import write

from xcg.errors import Notes
from xcg.formats.base import read_assessments
from xcg.judgements.recall_base import RecallBase

QRELS = (
    "2009001 Q0 851 7300 10656 100 1205:3431 4643:720 5521:3149\r\n"
    "2009001 Q0 852 0 99\r\n\r\n"
    "# a comment with more than four columns\r\n"
    "2009002 Q0 851 10 10656 -1 5:10\r\n"
)


def read(folder: Path, text: str) -> tuple[RecallBase, list[str]]:
    """Return the recall-base of offset qrels, and the notes on them."""
    notes = Notes()
    base = read_assessments(write(folder, text, "q"), notes)
    return base, [line.replace(f"{folder}/", "") for line in notes.lines()]


def test_relevant_passages_are_read(tmp_path: Path) -> None:
    base, notes = read(tmp_path, QRELS)
    assert base.topics == ["2009001", "2009002"]
    assert base.spans["2009001"] == {
        "851": [(1205, 4636, 2.0), (4643, 5363, 2.0), (5521, 8670, 2.0)],
        "852": [],
    }
    assert base.spans["2009002"] == {"851": [(5, 15, 2.0)]}
    assert base.entry_points["2009001"] == {"851": 100}
    assert "2009002" not in base.entry_points
    assert base.document_sizes["2009001"] == {"851": (7300, 10656), "852": (0, 99)}
    assert notes == []


@pytest.mark.parametrize(
    ("lines", "passages", "note"),
    [
        (
            ["1 Q0 d 7 99 -1 3:5"],
            [(3, 8)],
            "relevant sizes that differ from the passages; the stated sizes count: 1 time; the first: "
            "q:1: 7 relevant characters, but the passages have 5",
        ),
        (
            ["1 Q0 d 6 99 -1 95:6"],
            [(95, 101)],
            "passages that end after the document; they are used as they are: 1 time; the first: "
            "q:1: a passage ends at character 101, but the document has 99 characters",
        ),
        (
            ["1 Q0 d 0 99 12"],
            [],
            "sixth fields without passages, which are ignored: 1 time; the first: "
            "q:1: '12'; expected an entry point or -1, and then passages",
        ),
        (
            ["1 Q0 d 3 99 1 7:3", "1 Q0 e 0 9", "1 Q0 d 2 99 5 0:2"],
            [(7, 10), (0, 2)],
            "documents in several lines, which add up: 1 time; the first: "
            "q:3: topic 1: the document 'd' occurs again",
        ),
    ],
)
def test_legal_lines_that_are_probably_wrong_are_noted(
    tmp_path: Path, lines: list[str], passages: list[tuple[int, int]], note: str
) -> None:
    base, notes = read(tmp_path, "\n".join(lines) + "\n")
    assert [(span.start, span.end) for span in base.spans["1"]["d"]] == passages
    assert notes == [f"note: {note}"]


def test_lines_with_one_document_add_up(tmp_path: Path) -> None:
    base, _ = read(tmp_path, "1 Q0 d 3 90 1 7:3\n1 Q0 d 2 99 5 0:2\n1 Q0 d 0 80 -1 4:0\n")
    assert base.document_sizes["1"] == {"d": (5, 99)}
    assert base.entry_points["1"] == {"d": 5}
