"""The command convert on the sample campaign, and plots that cannot be written."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Command

CORPUS = ("--corpus", "corpora_samples/handbook")
HIGHLIGHTS = "assessments/handbook-highlights/first.jsonl"
PASSAGES = "assessments/handbook-passages/offsets.qrels"


def derive(command: Command, highlights: Path | str, output: Path) -> tuple[int, str, str]:
    """Derive element assessments from highlights."""
    options = ("--assessments", highlights, *CORPUS, "--as", "elements", "--output", output)
    done = command("convert", *options)
    return done.returncode, done.stdout, done.stderr


def test_derived_elements_are_one_file_for_each_topic_in_a_new_folder(
    xcg_command: Command, tmp_path: Path
) -> None:
    status, stdout, stderr = derive(xcg_command, HIGHLIGHTS, tmp_path / "out")
    assert (status, stdout) == (0, "")
    names = {path.stem for path in (tmp_path / "out").iterdir()}
    assert names == {json.loads(line)["topic"] for line in Path(HIGHLIGHTS).read_text().splitlines()}
    assert f"{len(names)} topics, " in stderr
    (tmp_path / "out" / "1.xml").write_text("mine")
    status, stdout, stderr = derive(xcg_command, HIGHLIGHTS, tmp_path / "out")
    assert (status, "the file exists: name a new folder" in stderr) == (2, True)
    assert (tmp_path / "out" / "1.xml").read_text() == "mine"
    output = tmp_path / "out" / "1.xml" / "folder"
    assert derive(xcg_command, HIGHLIGHTS, output) == (
        2,
        "",
        f"xcg: error: {output}: cannot write: Not a directory\n",
    )


def test_a_topic_that_cannot_name_a_file_is_refused(xcg_command: Command, tmp_path: Path) -> None:
    for topic in ("a/b", ".hidden"):
        mark = {"topic": topic, "doc": "quantisation", "start": 0, "end": 9, "exhaustivity": 1}
        (tmp_path / "marks.jsonl").write_text(json.dumps(mark))
        status, _, stderr = derive(xcg_command, tmp_path / "marks.jsonl", tmp_path / "out")
        assert (status, "cannot name a file" in stderr) == (2, True), stderr
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
