"""Tables of comparisons for people."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict

import pytest

from xcg.evaluation.results import Result, Results
from xcg.report.comparisons import comparison_tables, publication_tables
from xcg.statistics.significance import compare_runs
from xcg.tables import Table

SCORES = {"a": (0.1, 0.4, 0.2, 0.5), "b": (0.2, 0.3, 0.3, 0.4), "c": (0.9, 0.7, 0.8, 0.9)}


def results_of(scores: Mapping[str, tuple[float, ...]], measure: str = "MAep") -> Results:
    return Results(
        Result(run, str(topic), measure, value, "m")
        for run, values in scores.items()
        for topic, value in [*enumerate(values), ("all", sum(values) / len(values))]
    )


def rows_of(table: Table) -> list[dict[str, object]]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_rows_relative_to_the_best_are_the_comparisons_with_it_as_the_baseline() -> None:
    """The best run is the first of one pair and the second of another; in the lines, it is the last."""
    scores = {"a": SCORES["a"], "c": SCORES["c"], "b": SCORES["b"]}
    results = results_of(scores)
    (table,) = comparison_tables(results, compare_runs(results, "MAep", "m"), by_pair=False)
    best, *others = rows_of(table)
    assert (best["run"], best["mean"], best["difference"]) == ("c", 0.825, "best")
    lines = {line.run: line for line in compare_runs(results_of(SCORES), "MAep", "m")}
    assert [row["run"] for row in others] == ["a", "b"]  # equal means: in the order of the results
    for row in others:
        line = lines[str(row["run"])]
        assert row["difference"] == f"{line.difference:+.4f}"
        assert row["95 % interval"] == f"[{line.low:+.4f}, {line.high:+.4f}]"
        assert row["relative"] == f"{100 * (line.relative or 0):+.1f} %"
        assert (row["p"], row["p alone"]) == (line.p_adjusted, line.p)
        assert row["d_z"] == f"{line.effect:+.2f}"
        assert row["better/worse/equal"] == f"{line.wins}/{line.losses}/{line.ties}"
        assert row["criterion"] == line.criterion
    assert [row["group"] for row in (best, *others)] == ["a", "b", "b"]


def test_lower_is_better_measures_have_the_lowest_mean_first() -> None:
    results = results_of(SCORES, "ESL")
    (table,) = comparison_tables(results, compare_runs(results, "ESL", "m"), by_pair=False)
    assert [row["run"] for row in rows_of(table)] == ["a", "b", "c"]
    (named,) = comparison_tables(
        results, compare_runs(results, "ESL", "m", baseline="c"), by_pair=False
    )
    assert [row["run"] for row in rows_of(named)] == ["c", "a", "b"]
    assert rows_of(named)[1]["better/worse/equal"] == "4/0/0"


def test_runs_with_other_topics_state_their_number_and_the_mean_of_the_baseline() -> None:
    results = results_of(
        {"every": (0.2, 0.4, 0.6, 0.8), "half": (0.3, 0.6), "other": (0.1, 0.2, 0.4, 0.3)}
    )
    (table,) = comparison_tables(
        results, compare_runs(results, "MAep", "m", baseline="every"), by_pair=False
    )
    baseline, half, other = rows_of(table)
    assert (baseline["mean"], baseline["baseline mean"]) == (0.5, None)
    assert (half["run"], half["topics"]) == ("half", 2)
    assert half["baseline mean"] == pytest.approx(0.3)
    assert (other["topics"], other["baseline mean"]) == (4, 0.5)


def test_pairs_have_both_runs_and_both_means() -> None:
    results = results_of(SCORES)
    lines = compare_runs(results, "MAep", "m")
    (table,) = comparison_tables(results, lines, by_pair=True)
    for row, line in zip(rows_of(table), lines, strict=True):
        values = asdict(line)
        assert (row["run"], row["baseline"]) == (values["run"], values["baseline"])
        assert (row["mean"], row["baseline mean"]) == (values["mean"], values["baseline_mean"])


def test_very_many_groups_have_no_letters() -> None:
    noise = random.Random(0)
    scores = {str(run): tuple(run + noise.random() / 100 for _ in range(4)) for run in range(54)}
    results = results_of(scores)
    lines = compare_runs(results, "MAep", "m", correction="none")
    (table,) = comparison_tables(results, lines, by_pair=False)
    assert "group" not in {column.name for column in table.columns}


def test_tables_for_papers_have_no_details() -> None:
    results = results_of(SCORES)
    (table,) = publication_tables(results, compare_runs(results, "MAep", "m"), "all", by_pair=False)
    assert [column.name for column in table.columns] == [
        *("run", "mean", "difference", "95 % interval", "relative", "p", "d_z", "group")
    ]
