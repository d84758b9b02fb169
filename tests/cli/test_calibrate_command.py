"""``xcg calibrate`` on the sample campaign."""

from __future__ import annotations

import csv
import json
import re

import pytest
from conftest import ROOT, Command

CALL = "calibrate configs/quickstart.yaml --measures MAep --user-model kazai-lalmas-2006"


@pytest.mark.slow
def test_a_table_of_false_alarms(xcg_command: Command) -> None:
    done = xcg_command(*CALL.split(), "--test", "t")
    assert done.returncode == 0, done.stderr
    first, limit, heading, *lines = done.stdout.splitlines()
    assert first == (
        "1000 campaigns: the scores of 15 topics exchanged among 8 runs; significance level 0.05"
    )
    assert limit == (
        "The exchange gives all runs the same spread, so a rate says nothing about false alarms "
        "between runs whose scores spread differently."
    )
    assert heading == (
        "measure  user_model         procedure       baseline  test  correction  comparisons  "
        "campaigns  found    rate     low    high  verdict"
    )
    assert [line.split("  ")[0] for line in lines] == ["MAep", "MAep", "all"]
    assert all(
        line.endswith("5 %, if spreads are equal")
        or line.endswith("5 % is possible, if spreads are equal")
        for line in lines
    )


def test_records(xcg_command: Command) -> None:
    options = "--test wilcoxon --baseline focused --correction none --campaigns 40"
    done = xcg_command(*CALL.split(), *options.split(), "--format", "json")
    rows = json.loads(done.stdout)
    assert [(row["procedure"], row["comparisons"]) for row in rows] == [
        ("named baseline", 7),
        ("gate", 7),
    ]
    assert {row["baseline"] for row in rows} == {"focused"}
    assert all(row["low"] <= row["rate"] == row["found"] / 40 <= row["high"] for row in rows)
    assert rows[0]["rate"] > rows[1]["rate"] > 0  # only losses make the gate fail
    again = xcg_command(*CALL.split(), *options.split(), "--format", "csv")
    assert [int(row["found"]) for row in csv.DictReader(again.stdout.splitlines())] == [
        row["found"] for row in rows
    ]
    assert again.stderr.startswith("xcg: 40 campaigns: ")
    other = xcg_command(*CALL.split(), *options.split(), "--format", "csv", "--seed", "1")
    assert other.stdout != again.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--campaigns 0", "Invalid value for '--campaigns': 0 is not in the range 1<=x<=1000000."),
        ("--workers 0", "xcg: error: 0 workers: expected 1 to 1,000, or -1 for one per core\n"),
        ("--measures MAepp", "xcg: error: unknown measure 'MAepp': did you mean 'MAep'?\n"),
        ("--baseline focussed", "xcg: error: no run 'focussed': did you mean 'focused'?\n"),
        (
            "--run corpora_samples/handbook-runs/focused.xml",
            "xcg: error: 1 run: expected at least two to exchange\n",
        ),
        ("--test wilcoxon --correction shaffer", "error: wilcoxon cannot be studied: shaffer is"),
        ("--correction tukey", "Invalid value for '--correction': 'tukey' is not one of"),
    ],
)
def test_misuse(xcg_command: Command, options: str, message: str) -> None:
    done = xcg_command(*CALL.split(), *options.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_manual_shows_the_output(xcg_command: Command) -> None:
    page = (ROOT / "docs" / "studies" / "test-levels.md").read_text(encoding="utf-8")
    ((call, output),) = re.findall(r"```sh\nxcg ([^\n]*)\n```\n\n```text\n(.*?)```", page, re.DOTALL)
    done = xcg_command(*call.split())
    assert (done.returncode, done.stdout) == (0, output), done.stderr
