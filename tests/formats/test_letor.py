"""LETOR files as assessments, and their features as runs and as virtual users."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_examples import write

from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments
from xcg.formats.letor import read_letor_feature

LETOR = (
    "# three documents, then two\n"
    "2 qid:10 1:3 2:2.5 3:0.1 #docid = d1 inc = 1 prob = 0.1\n"
    "0 qid:10 1:0 2:0.0 3:0.7 #docid = d2\n"
    "\n"
    "1.5\tqid:10\t1:1\t2:1\t3:0.2 # docid = d3\r\n"
    "0 qid:11 1:0 2:1.25 #docid = d1\n"
    "1 qid:11 1:2 2:1.75 13:9 #docid = d4\n"
)


def qrels(path: Path, notes: Notes | None = None) -> str:
    """Read assessments and write them as TREC qrels."""
    return read_assessments(path, notes).to_text("trec")[0]


def test_levels_are_read_by_topic_and_document(tmp_path: Path) -> None:
    path = write(tmp_path, LETOR, "letor.txt")
    assert qrels(path) == "10 0 d1 2\n10 0 d2 0\n10 0 d3 1.5\n11 0 d1 0\n11 0 d4 1\n"


def test_a_feature_is_a_run(tmp_path: Path) -> None:
    """Feature 3 is not feature 13, and is 0 for documents without it; d4 precedes d1 in the tie."""
    path = write(tmp_path, LETOR, "letor.txt")
    run = read_letor_feature(path, 3)
    assert (run.name, run.source) == ("feature-3", str(path))
    assert {topic: list(ranking.files) for topic, ranking in run.rankings.items()} == {
        "10": ["d2", "d3", "d1"],
        "11": ["d4", "d1"],
    }
    assert list(run.rankings["10"].keys or ()) == [0.7, 0.2, 0.1]
    assert list(run.rankings["11"].keys or ()) == [0, 0]
    assert list(read_letor_feature(path, 1).rankings["11"].files) == ["d4", "d1"]
    assert list(read_letor_feature(path, 13).rankings["11"].keys or ()) == [9, 0]


GOOD = "1 qid:1 1:1 # docid = a\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2 1:0.5 # docid = b", "expected a line like 2 qid:1 1:0.5 # docid = d7"),
        ("2", "expected a line like 2 qid:1"),
        ("high qid:1 1:0.5 # docid = b", "illegal level 'high': expected a number from -1000 to 1000"),
        ("2 qid:all 1:0.5 # docid = b", "a topic is called 'all'"),
        ("2 qid:1 1:0.5 # docid = ..", "illegal"),
        ("2 qid:1 1:0.5 # docid = a", "/ is assessed level 2 but was level 1 before"),
    ],
)
def test_illegal_lines_give_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, GOOD + line + "\n", "q")
    with pytest.raises(InputError) as raised:
        read_assessments(path)
    assert message in str(raised.value)
    assert str(path) in str(raised.value)
    if "all" not in line:
        assert f"{path}:2: " in str(raised.value)
        notes = Notes(lenient=True)
        assert qrels(path, notes) == "1 0 a 1\n"
        assert notes.tolerated == 1


@pytest.mark.parametrize(
    ("text", "feature", "message"),
    [
        (GOOD, 2, "q: no line has the feature 2"),
        (
            GOOD + "1 qid:1 1:x # docid = b\n",
            1,
            "q:2: illegal value 'x' of feature 1: expected a finite",
        ),
        (GOOD + "1 qid:1 1:2 # docid = a\n", 1, "q:2: topic 1, a: has two values of feature 1"),
        ("1 Q0 a 1 2 r\n", 1, "q: not a LETOR file: expected lines like 2 qid:1 1:0.5 # docid = d7"),
    ],
)
def test_illegal_features_are_errors(tmp_path: Path, text: str, feature: int, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_letor_feature(write(tmp_path, text, "q"), feature)
    assert message in str(raised.value)
