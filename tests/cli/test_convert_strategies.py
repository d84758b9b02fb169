"""``xcg convert --strategy`` rewrites a run with an overlap strategy."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import Command

from xcg.documents.passage_points import Passage, Point
from xcg.formats.base import read_run
from xcg.runs.run import Ranking, Run

RUNS = {
    "r.xml": "<inex-submission run-id='r'><topic topic-id='1'>{}</topic></inex-submission>".format(
        "".join(
            f"<result><file>d</file><path>/a[1]/{path}</path><rsv>{score}</rsv></result>"
            for path, score in (("s[1]/p[1]", "0.75"), ("s[1]", "0.5"), ("s[2]", "1e-3"))
        )
    ),
    "r.trec": "1 Q0 d#/a[1]/s[1]/p[1] 1 0.75 r\n1 Q0 d#/a[1]/s[1] 2 0.5 r\n"
    "1 Q0 d#/a[1]/s[2] 3 1e-3 r\n",
    "r.jsonl": '{"topic": "1", "doc": "d", "path": "/a[1]/s[1]/p[1]", "score": 0.75}\n'
    '{"topic": "1", "doc": "d", "path": "/a[1]/s[1]", "score": 0.5}\n'
    '{"topic": "1", "doc": "d", "path": "/a[1]/s[2]", "score": 0.001}\n',
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("compressed", [False, True])
def test_the_command_writes_the_form_of_its_input(
    tmp_path: Path, name: str, compressed: bool, xcg_command: Command
) -> None:
    data = RUNS[name].encode()
    path = tmp_path / (f"{name}.gz" if compressed else name)
    path.write_bytes(gzip.compress(data) if compressed else data)
    output = tmp_path / "out" / name
    output.parent.mkdir()
    done = xcg_command("convert", "--run", path, "--strategy", "top_ranked", "--output", output)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    again = read_run(output)
    assert again.name == ("r" if name == "r.jsonl" else "r+top_ranked")
    assert again.rankings["1"].paths == ["/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
    assert list(again.rankings["1"].scores) == [0.75, 0.001]
    piped = xcg_command("convert", "--run", "-", "--strategy", "top_ranked", stdin=RUNS[name])
    assert piped.stdout.replace("-+", "r+") == output.read_text()


def test_the_command_writes_other_forms_and_states_what_they_lose(
    tmp_path: Path, xcg_command: Command
) -> None:
    (tmp_path / "r").write_text("1 Q0 d 1 3 r\n1 Q0 d 2 2 r\n1 Q0 e 3 1 r\n")
    done = xcg_command("convert", "--run", tmp_path / "r", "--strategy", "unique", "--to", "jsonl")
    assert done.stdout == (
        '{"topic": "1", "doc": "d", "score": 3}\n{"topic": "1", "doc": "e", "score": 1}\n'
    )
    assert done.stderr == (
        "xcg: note: lost in jsonl: the run's name (the name of the file is used instead)\n"
    )
    done = xcg_command("convert", "--run", tmp_path / "r", "--strategy", "thorough", "--depth", 2)
    assert done.stdout == "1 Q0 d 1 3 r+thorough\n1 Q0 d 2 2 r+thorough\n"


def test_the_output_appears_only_if_the_format_can_hold_the_run(
    tmp_path: Path, xcg_command: Command
) -> None:
    run = Run(
        "r",
        {"1": Ranking.of([("d", "/a[1]", None), ("d", "", Passage(Point("/a[1]"), Point("/a[1]")))])},
    )
    run.write(tmp_path / "r.xml", "inex")
    output = tmp_path / "out"
    done = xcg_command(
        *("convert", "--run", tmp_path / "r.xml", "--strategy", "thorough", "--to", "trec"),
        *("--output", output),
    )
    assert done.returncode == 2
    assert "rank 2: the passage is given by points, but the format trec needs offsets" in done.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--strategy unique", "nothing or too much to convert: expected either --assessments or --run"),
        ("--run r --run r --strategy unique", "2 runs: expected one, --run PATH"),
        ("--run r --strategy unique --strategy thorough", "2 strategies, unique and others"),
    ],
)
def test_the_command_refuses_misuse(
    tmp_path: Path, arguments: str, message: str, xcg_command: Command
) -> None:
    (tmp_path / "r").write_text(RUNS["r.trec"])
    done = xcg_command("convert", *arguments.split(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
    assert done.stderr.count("\n") == 1
