"""The ranks at which runs reach a gain: curves read horizontally."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from conftest import Command
from measure_values import IDEAL, G

from xcg.errors import XcgError
from xcg.evaluation.curves import CurveOf, curves, ranks_of_value
from xcg.evaluation.inputs import Inputs

# Järvelin and Kekäläinen 2002, section 2: CG' is 3, 5, 8, 8, 8, 9, 11, 13, 16, 16.
# CGI' is 3, 6, 9, 11, 13, 15, 16, 17, 18, 19.
LEVELS = {f"d{number}": level for number, level in enumerate(IDEAL)}


def ranking(gains: list[int]) -> list[str]:
    """Return documents with these levels; level 0 is an unjudged document."""
    left = dict(LEVELS)
    found = []
    for rank, gain in enumerate(gains):
        document = next((name for name, level in left.items() if level == gain), f"x{rank}")
        left.pop(document, None)
        found.append(document)
    return found


RUNS = {
    "r": {"1": ranking(G)},
    "s": {"1": ranking([0, 3, 3, 3, 2])},
}  # CG of s is 0, 3, 6, 9, 11, 11, …


def by_run(at: int, reference: str = "ideal", depth: int = 10) -> dict[str, tuple[object, ...]]:
    """Return value, rank, and the three comparisons of each run."""
    found = curves(Inputs({"1": LEVELS}, RUNS), "xCG", depth, with_ideal=True)
    rows = ranks_of_value(found, at, reference)
    assert {row.topic for row in rows} == {"1", "all"}
    return {row.run: row[6:] for row in rows if row.topic == "all"}


def test_ranks_at_which_runs_reach_the_gain_of_the_ideal_ranking() -> None:
    assert by_run(3) == {
        "r": (9, 6, 3, 2, 1.5),
        "s": (9, 4, 1, 0, 1.0),
        "ideal ranking": (9, 3, 0, None, None),
    }


def test_a_gain_that_is_never_reached() -> None:
    assert by_run(5) == {
        "r": (13, 8, 3, 0, 1.0),
        "s": (13, None, None, None, None),
        "ideal ranking": (13, 5, 0, None, None),
    }
    assert by_run(10)["r"] == (19, None, None, None, None)
    assert by_run(5, depth=7)["r"] == (13, None, None, None, None)


def test_the_reference_can_be_the_best_run() -> None:
    # r has 8 at rank 4, s has 9; the ideal has 9 at rank 3.
    assert by_run(4, "best")["r"] == (9, 6, 3, 2, 1.5)


def test_the_example_of_jarvelin_and_kekalainen() -> None:
    """Section 3.4: 10 results by the ideal ranking, 30 by the best run and 90 by the worst."""
    ranks = range(1, 101)
    slopes = {"best": 1 / 3, "worst": 1 / 9, "ideal ranking": 1.0}
    lines = [
        CurveOf(run, "all", "xCG", "m", ranks, [slope * rank for rank in ranks])
        for run, slope in slopes.items()
    ]
    rows = {row.run: row for row in ranks_of_value(lines, 10)}
    assert rows["best"][7:] == (30, 20, 0, 1.0)
    assert rows["worst"][7:] == (90, 80, 60, 3.0)


def test_the_mean_curves_are_read_and_not_the_mean_of_the_ranks() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"r": {"1": ["a"], "2": ["x", "y", "z", "a"]}}
    found = curves(Inputs(qrels, runs), "xCG", with_ideal=True)
    rows = {row.topic: row.rank for row in ranks_of_value(found, 1) if row.run == "r"}
    assert rows == {"1": 1, "2": 4, "all": 4}


def test_a_curve_without_ranks_has_no_ranks_of_values() -> None:
    found = curves(Inputs({"1": LEVELS}, RUNS), "ep", with_ideal=True)
    message = "ep is a curve over gain-recall: expected a measure over ranks, like xCG"
    with pytest.raises(XcgError, match=message):
        ranks_of_value(found, 3)


@pytest.fixture
def call(tmp_path: Path) -> tuple[object, ...]:
    """Return ``curves`` with the assessments and runs as files."""
    (tmp_path / "qrels").write_text("".join(f"1 0 {d} {level}\n" for d, level in LEVELS.items()))
    options: list[object] = ["curves", "--assessments", tmp_path / "qrels"]
    for name, topics in RUNS.items():
        lines = [f"1 Q0 {d} {n} {100 - n} {name}\n" for n, d in enumerate(topics["1"], 1)]
        (tmp_path / name).write_text("".join(lines))
        options += ["--run", tmp_path / name]
    return tuple(options)


def test_the_command_prints_the_ranks(xcg_command: Command, call: tuple[object, ...]) -> None:
    done = xcg_command(*call, "--at", "5", "--format", "table")
    assert done.returncode == 0, done.stderr
    table = [line.split() for line in done.stdout.splitlines()]
    assert table[0][-5:] == ["value", "rank", "more_than_ideal", "more_than_best", "times_best"]
    assert table[1][-5:] == ["13.0000", "8", "3", "0", "1.0000"]
    assert table[2][-1:] == ["13.0000"]
    assert "note: empty rank: the value is not reached within 100 ranks; --set" in done.stderr
    done = xcg_command(*call, "--at", "10", "--format", "csv")
    assert [row["rank"] for row in csv.DictReader(io.StringIO(done.stdout))] == ["", "", "10"]
