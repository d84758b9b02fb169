"""The commands assess, convert, place and show on the sample campaign."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Command

CORPUS = ("--corpus", "corpora_samples/handbook")
PASSAGES = "assessments/handbook-passages/offsets.qrels"


def test_assess_names_a_folder_that_cannot_be_created(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    output = tmp_path / "file" / "folder"
    done = xcg_command(
        "assess", "assessments/handbook-highlights/first.jsonl", *CORPUS, "--output", output
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xcg: error: {output}: cannot write: Not a directory\n"


def test_assess_replaces_no_file_unless_asked(xcg_command: Command, tmp_path: Path) -> None:
    highlights = "assessments/handbook-highlights/first.jsonl"
    (tmp_path / "other.xml").write_text("mine")
    arguments = ("assess", highlights, *CORPUS, "--output", tmp_path)
    assert xcg_command(*arguments).returncode == 0
    topic = sorted(set(tmp_path.iterdir()) - {tmp_path / "other.xml"})[-1]
    expected = topic.read_text()
    topic.write_text("mine")
    done = xcg_command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the file exists; replace it with --replace, or name a new folder" in done.stderr
    assert topic.read_text() == "mine"
    assert xcg_command(*arguments, "--replace").returncode == 0
    assert topic.read_text() == expected
    assert (tmp_path / "other.xml").read_text() == "mine"


def test_a_topic_that_cannot_name_a_file_is_refused(xcg_command: Command, tmp_path: Path) -> None:
    for topic in ("a/b", ".hidden"):
        mark = {"topic": topic, "doc": "quantisation", "start": 0, "end": 9, "exhaustivity": 1}
        (tmp_path / "marks.jsonl").write_text(json.dumps(mark))
        done = xcg_command("assess", tmp_path / "marks.jsonl", *CORPUS, "--output", tmp_path / "out")
        assert (done.returncode, "cannot name a file" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "out").exists()


def test_a_plot_that_cannot_be_written_leaves_no_output(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 d#/a 1\n")
    (tmp_path / "run").write_text("1 Q0 d#/a 1 2 t\n")
    options = ("--assessments", "qrels", "--run", "run", "--measures", "nxCG", "--plot", "none/p.svg")
    for output in ((), ("--output", "out")):
        done = xcg_command("curves", *options, *output, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.endswith("none/p.svg: cannot write: No such file or directory\n")
    assert not (tmp_path / "out").exists()


def test_converted_passages_keep_their_topics_and_lengths(xcg_command: Command) -> None:
    done = xcg_command("convert", "--assessments", PASSAGES, *CORPUS, "--to", "jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    with open(PASSAGES) as file:
        expected = {line.split()[0] for line in file}
    assert {row["topic"] for row in rows} == expected
    back = xcg_command("convert", "--assessments", PASSAGES, *CORPUS, "--to", "offsets")
    assert back.returncode == 0, back.stderr
    assert {line.split()[0] for line in back.stdout.splitlines()} == expected


def test_passages_become_elements_with_the_corpus(xcg_command: Command, tmp_path: Path) -> None:
    gold = tmp_path / "one.qrels"
    lines = Path(PASSAGES).read_text().splitlines(keepends=True)
    gold.write_text("".join(line for line in lines if line.split()[0] == "1"))
    done = xcg_command("convert", "--assessments", gold, *CORPUS, "--to", "inex2005")
    assert done.returncode == 0, done.stderr
    assert "<element" in done.stdout
    lacking = xcg_command("convert", "--assessments", gold, "--to", "inex2005")
    assert lacking.returncode == 2
