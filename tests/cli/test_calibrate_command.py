"""``xcg study calibrate`` on the sample campaign."""

from __future__ import annotations

import csv
import json

import pytest
from conftest import Command

CALL = (
    *("study", "calibrate", "configs/quickstart.yaml"),
    *("--set", "user_model=kazai-lalmas-2006", "--set", "measures=MAep"),
)


def of_study(**keys: object) -> list[str]:
    """Return the options that set keys of the section."""
    return [word for key, value in keys.items() for word in ("--set", f"study.calibrate.{key}={value}")]


@pytest.mark.slow
def test_a_table_of_false_alarms(xcg_command: Command) -> None:
    done = xcg_command(*CALL, *of_study(test="t"))
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
    options = of_study(test="wilcoxon", baseline="focused", correction="none", campaigns=40)
    done = xcg_command(*CALL, *options, "--format", "jsonl")
    rows = list(map(json.loads, done.stdout.splitlines()))
    assert [(row["procedure"], row["comparisons"]) for row in rows] == [
        ("named baseline", 7),
        ("gate", 7),
    ]
    assert {row["baseline"] for row in rows} == {"focused"}
    assert all(row["low"] <= row["rate"] == row["found"] / 40 <= row["high"] for row in rows)
    assert rows[0]["rate"] > rows[1]["rate"] > 0  # only losses make the gate fail
    again = xcg_command(*CALL, *options, "--format", "csv")
    assert [int(row["found"]) for row in csv.DictReader(again.stdout.splitlines())] == [
        row["found"] for row in rows
    ]
    assert again.stderr.startswith("xcg: 40 campaigns: ")
    other = xcg_command(*CALL, *options, "--format", "csv", *of_study(seed=1))
    assert other.stdout != again.stdout
