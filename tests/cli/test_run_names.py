"""Options and keys that mean a run take a path, or the name of a run in CONFIG."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Command

TOPICS = range(1, 7)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    gold = [f"{topic} 0 a 1\n{topic} 0 {'bc'[topic % 2]} 1\n" for topic in TOPICS]
    (tmp_path / "q").write_text("".join(gold))
    for number, (document, name) in enumerate((("a", "good"), ("b", "bad"), ("c", "other")), 1):
        lines = [
            f"{topic} Q0 x 1 {topic} {name}\n{topic} Q0 {document} 2 3 {name}\n" for topic in TOPICS
        ]
        (tmp_path / f"{number}.run").write_text("".join(lines))
    (tmp_path / "c.yaml").write_text("assessments: q\nruns: [1.run, 2.run]\nmeasures: AP\n")
    return tmp_path


def runs_of(done_stdout: str) -> list[str]:
    return list(dict.fromkeys(json.loads(line)["run"] for line in done_stdout.splitlines()))


@pytest.mark.parametrize("command", ["evaluate", "curves --set curves.depth=2"])
@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("", ["good", "bad"]),
        ("--run bad", ["bad"]),
        ("--run bad --run good", ["bad", "good"]),
        ("--run 3.run", ["other"]),
        ("--run [23].run", ["bad", "other"]),
        ("--run 3.run --run good", ["other", "good"]),
        ("--run good --run 1.run", ["good"]),
    ],
)
def test_runs_are_selected_by_path_or_name(
    campaign: Path, xcg_command: Command, command: str, options: str, names: list[str]
) -> None:
    call = f"{command} c.yaml --format jsonl {options}"
    done = xcg_command(*call.split(), cwd=campaign)
    assert done.returncode == 0, done.stderr
    assert runs_of(done.stdout) == names


def test_a_path_wins_against_a_name(campaign: Path, xcg_command: Command) -> None:
    (campaign / "bad").write_text((campaign / "3.run").read_text())
    done = xcg_command("evaluate", "c.yaml", "--run", "bad", "--format", "jsonl", cwd=campaign)
    assert runs_of(done.stdout) == ["other"]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("--run good+unique", ["good+unique"]),
        ("--run good", ["good+unique", "good+top_ranked"]),
        ("--run bad+unique --run good+unique", ["bad+unique", "good+unique"]),
        ("--run bad+unique --run bad+top_ranked", ["bad+unique", "bad+top_ranked"]),
    ],
)
def test_a_name_can_select_a_strategy(
    campaign: Path, xcg_command: Command, options: str, names: list[str]
) -> None:
    call = f"evaluate c.yaml --format jsonl --strategy unique --strategy top_ranked {options}"
    done = xcg_command(*call.split(), cwd=campaign)
    assert done.returncode == 0, done.stderr
    assert runs_of(done.stdout) == names


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("evaluate c.yaml --run god", "god: no such file, and no run 'god' in c.yaml: did you"),
        ("evaluate --assessments q --run good", "good: no such file or folder"),
        (
            "evaluate c.yaml --strategy unique --strategy thorough --run good+unique --run bad",
            "--run selects different strategies of different runs: expected the same",
        ),
    ],
)
def test_an_unknown_run_is_one_message(
    campaign: Path, xcg_command: Command, command: str, message: str
) -> None:
    done = xcg_command(*command.split(), cwd=campaign)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("baseline", "name"), [("good", "good"), ("1.run", "good"), ("3.run", "other")]
)
def test_a_baseline_is_a_name_or_a_path(
    campaign: Path, xcg_command: Command, baseline: str, name: str
) -> None:
    done = xcg_command(*f"compare c.yaml --baseline {baseline} --format jsonl".split(), cwd=campaign)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["baseline"] for row in rows} == {name}
    others = {"good", "bad"} if name == "other" else {"bad"}
    assert {row["run"] for row in rows} == others
    gate = f"gate c.yaml --baseline {baseline} --max-drop 5% --format jsonl"
    assert xcg_command(*gate.split(), cwd=campaign).stdout == done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "evaluate c.yaml --format markdown --set evaluate.against={}",
        "study calibrate c.yaml --set study.calibrate.campaigns=2 --set study.calibrate.test=t "
        "--set study.calibrate.baseline={}",
        "study plan c.yaml --set study.plan.baseline={}",
        "compare c.yaml --strategy unique --baseline {}",
    ],
)
def test_every_key_that_means_a_run_takes_a_path(
    campaign: Path, xcg_command: Command, command: str
) -> None:
    name = "good+unique" if "--strategy" in command else "good"
    by_name, by_path = (
        xcg_command(*command.format(run).split(), cwd=campaign) for run in (name, "1.run")
    )
    assert by_name.returncode == 0, by_name.stderr
    assert by_path.stdout == by_name.stdout
    assert by_name.stdout


def test_a_run_from_standard_input_can_be_compared_with_a_path(
    campaign: Path, xcg_command: Command
) -> None:
    text = (campaign / "2.run").read_text()
    call = "compare --assessments q --measures AP --run - --baseline 1.run --format jsonl"
    done = xcg_command(*call.split(), cwd=campaign, stdin=text)
    assert done.returncode == 0, done.stderr
    (row,) = map(json.loads, done.stdout.splitlines())
    assert (row["run"], row["baseline"]) == ("bad", "good")


@pytest.mark.parametrize("format_", ["jsonl", "csv", "table"])
def test_one_topic_has_the_scores_of_all_topics(
    campaign: Path, xcg_command: Command, format_: str
) -> None:
    call = f"evaluate c.yaml --run good --format {format_}"
    every = xcg_command(*call.split(), "--per-topic", cwd=campaign).stdout.splitlines()
    some = xcg_command(*call.split(), "--topic", "2", "--topic", "5", cwd=campaign).stdout.splitlines()
    heading = [] if format_ == "jsonl" else every[:1]
    rows = [line for line in every if {"2", "5"} & set(re.split("[^0-9a-z.]+", line)[:5])]
    assert len(rows) >= 2
    assert [line.split() for line in some] == [line.split() for line in [*heading, *rows]]


@pytest.mark.parametrize("command", ["evaluate", "explain", "explain --run 1.run"])
def test_an_unknown_topic_is_one_message_with_the_nearest(
    campaign: Path, xcg_command: Command, command: str
) -> None:
    done = xcg_command(*command.split(), "c.yaml", "--topic", "22", cwd=campaign)
    assert (done.returncode, done.stdout) == (2, "")
    assert "topic '22'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("run", ["bad", "2.run"])
def test_check_selects_runs_by_path_or_name(campaign: Path, xcg_command: Command, run: str) -> None:
    call = ("check", "--assessments", "q", "--format", "jsonl")
    expected = xcg_command(*call, "--run", "2.run", cwd=campaign)
    done = xcg_command(*call, "c.yaml", "--run", run, cwd=campaign)
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
    assert done.stdout != xcg_command(*call, "c.yaml", cwd=campaign).stdout
