"""LETOR files as assessments, and their features as runs and as virtual users."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from format_examples import write

from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments, read_run
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


def test_documents_without_docid_have_the_word_of_the_comment_or_their_number(tmp_path: Path) -> None:
    text = "3 qid:1 1:1 # 1A\n2 qid:1 1:0\n1 qid:2 1:0.2 # one of two\n0 qid:2 1:1 #\n1 qid:3\n"
    assert qrels(write(tmp_path, text)) == "1 0 1A 3\n1 0 2 2\n2 0 1 1\n2 0 2 0\n3 0 1 1\n"


def test_two_features_without_a_docid_are_not_taken_for_trec_qrels(tmp_path: Path) -> None:
    assert qrels(write(tmp_path, "2 qid:1 1:0.5 2:1\n")) == "1 0 1 2\n"


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
        ("2 qid: 1:0.5 # docid = b", "expected a line like 2 qid:1"),
        ("2", "expected a line like 2 qid:1"),
        ("high qid:1 1:0.5 # docid = b", "illegal level 'high': expected a number from -1000 to 1000"),
        ("2000 qid:1 1:0.5 # docid = b", "illegal level 2000"),
        ("2 qid:all 1:0.5 # docid = b", "a topic is called 'all'"),
        ("2 qid:1 1:0.5 # docid = a", "/ is assessed level 2 but was level 1 before"),
        ("2 qid:1 1:0.5 # docid = ..", "illegal"),
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
        (GOOD + "1 qid:1 1:nan # docid = b\n", 1, "q:2: illegal value 'nan' of feature 1"),
        (GOOD + "1 qid:1 1: # docid = b\n", 1, "q:2: illegal value '' of feature 1"),
        (GOOD + "1 qid:1 1:2 # docid = a\n", 1, "q:2: topic 1, a: has two values of feature 1"),
        ("1 Q0 a 1 2 r\n", 1, "q: not a LETOR file: expected lines like 2 qid:1 1:0.5 # docid = d7"),
    ],
)
def test_illegal_features_are_errors(tmp_path: Path, text: str, feature: int, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_letor_feature(write(tmp_path, text, "q"), feature)
    assert message in str(raised.value)


def test_a_letor_file_as_a_run_names_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a run: expected a run, which xcg convert --run FILE"):
        read_run(write(tmp_path, LETOR))


def test_the_virtual_user_experiment_on_a_letor_file(xcg_command: Command, tmp_path: Path) -> None:
    """The strategy whose scores are the assessments scores 1, as in the paper.

    Feature 2 rates d1 2.5, d2 0 and d3 1 in topic 10, and d1 1.25 and d4 1.75 in topic 11. Feature 3
    ranks d2, d3, d1 and d4, d1. Topic 10: AP is (1/2 + 2/3) / 2 from level 1 on and 1/3 from 2.5 on, so
    μAP = (1 · 7/12 + 1.5 · 1/3) / 2.5 = 13/30. Topic 11 is in the ideal order.
    """
    path = write(tmp_path, LETOR, "letor.txt")
    user = tmp_path / "user.qrels"
    made = xcg_command(
        *("convert", "--run", path, "--feature", 2, "--as", "assessments", "--to", "trec"),
        *("--output", user),
    )
    assert made.stderr == "xcg: note: relevant results: 4, with 4 different levels above 0\n"
    assert user.read_text() == "10 0 d1 2.5\n10 0 d2 0\n10 0 d3 1\n11 0 d1 1.25\n11 0 d4 1.75\n"
    runs = []
    for feature in (2, 3):
        runs += ["--run", tmp_path / f"{feature}.run"]
        done = xcg_command(
            "convert", "--run", path, "--feature", feature, "--to", "trec", "--output", runs[-1]
        )
        assert done.returncode == 0
        # The values of feature 3 are equal for two documents of a topic.
        assert ("lost in trec: scores that do not decrease" in done.stderr) == (feature == 3)
    assert (tmp_path / "2.run").read_text().startswith("10 Q0 d1 1 2.5 feature-2\n")
    found = xcg_command(
        *("evaluate", "--assessments", user, *runs, "--measures", "muAP NDCNG", "--format", "csv")
    )
    lines = [line.split(",") for line in found.stdout.splitlines()]
    assert found.returncode == 0
    assert ["feature-2", "all", "muAP", "1.0", "levels"] in lines
    assert ["feature-2", "all", "NDCNG", "1.0", "levels"] in lines
    (value,) = (line[3] for line in lines if line[:3] == ["feature-3", "all", "muAP"])
    assert float(value) == pytest.approx((13 / 30 + 1) / 2)
