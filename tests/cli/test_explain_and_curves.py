"""``xcg explain`` with and without a run, and ``xcg curves``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

CONFIG = "configs/kazai-lalmas-2006.yaml"
DOCUMENT = "co/2001/r7022"


def records(command: Command, *words: object) -> list[dict[str, Any]]:
    done = command(*words, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_run_is_explained_rank_by_rank(xcg_command: Command) -> None:
    rows = records(xcg_command, "explain", CONFIG, "--run", "rel_leaves", "--topic", "163")
    ranked = [row for row in rows if row["rank"] is not None]
    assert [row["rank"] for row in ranked] == list(range(1, len(ranked) + 1))
    assert sum(row["gain"] for row in ranked) == pytest.approx(1.5)
    assert {row["run"] for row in rows} == {"rel_leaves"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--topic 164", "no assessments for topic '164': did you mean '163'?"),
        ("--run frb", "no topics: expected one, --topic ID"),
    ],
)
def test_misuse_of_explain(xcg_command: Command, options: str, message: str) -> None:
    done = xcg_command("explain", CONFIG, *options.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")


def measures(command: Command, *words: object) -> list[str]:
    return list(dict.fromkeys(row["measure"] for row in records(command, "curves", *words)))


@pytest.mark.parametrize(
    ("stated", "options", "expected"),
    [
        ("", "", ["nxCG", "ep"]),
        ("measures: [nxCG@1, nxCG@2, MAep, gr@10]", "", ["nxCG", "gr"]),
        ("measures: [MAep, Q]", "", ["nxCG", "ep"]),
        ("measures: [nxCG@1]", "--measures ep --measures xCG", ["ep", "xCG"]),
        ("measures: [nxCG@1]", "--measures ep(interpolation=linear)", ["ep(interpolation=linear)"]),
        ("measures: [nxCG@1]", "--at 2", ["xCG"]),
        ("measures: [nxCG@1]", "--at 2 --measures nxCG", ["nxCG"]),
    ],
)
def test_curves_of_the_measures_of_a_file_or_an_option(
    xcg_command: Command, tmp_path: Path, stated: str, options: str, expected: list[str]
) -> None:
    (tmp_path / "q").write_text("1 0 a 2\n1 0 b 1\n")
    (tmp_path / "r").write_text("1 Q0 b 1 9 r\n1 Q0 a 2 8 r\n")
    (tmp_path / "c.yaml").write_text(f"assessments: q\nruns: r\n{stated}\n")
    assert measures(xcg_command, tmp_path / "c.yaml", *options.split()) == expected


def test_points_of_topics_and_means(xcg_command: Command) -> None:
    call = ("curves", CONFIG, "--run", "rel_leaves", "--measures", "xCG", "--set", "curves.depth=3")
    rows = records(xcg_command, *call)
    assert [(row["topic"], row["x"]) for row in rows] == [("all", 1), ("all", 2), ("all", 3)]
    assert [row["topic"] for row in records(xcg_command, *call, "--per-topic")] == ["163"] * 3 + [
        "all"
    ] * 3
    ideal = records(xcg_command, *call, "--set", "curves.ideal=true")
    assert [row["y"] for row in ideal if row["run"] == "ideal ranking"] == [1, 1.5, 1.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--measures MAep", "MAep has no curve: expected one of AiP, "),
    ],
)
def test_misuse_of_curves(xcg_command: Command, options: str, message: str) -> None:
    done = xcg_command("curves", CONFIG, *options.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
