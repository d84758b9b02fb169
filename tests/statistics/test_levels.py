"""The experiment on the number of levels of relevance."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from measure_values import value

from xcg.statistics.levels import (
    STUDIED_MEASURES,
    LevelCurve,
    largest_distance,
    levels_experiment,
    list_scores,
)


def test_scores_of_a_list_are_those_of_the_measures() -> None:
    generator = np.random.default_rng(1)
    for _ in range(20):
        ideal = np.sort(generator.integers(0, 8, 100))[::-1].astype(float)
        ranking = generator.permutation(ideal)
        expected = [
            value("muAP", ranking, ideal),
            value("avgNDCG@100", ranking, ideal),
            value("avgNDCNG@100", ranking, ideal),
            value("nxDCG(discount=plus_one,gain=exp)", ranking, ideal),
            value("NDCNG", ranking, ideal),
        ]
        assert list_scores(ranking, ideal) == pytest.approx(expected)


def test_scores_of_a_list_by_hand() -> None:
    """The only relevant item has level 2 and rank 2: no gain at rank 1, then 1 / log2 3."""
    ideal = np.array([2.0] + [0.0] * 99)
    ranking = np.roll(ideal, 1)
    rest = 1 / math.log2(3)
    expected = {
        "muMAP": 0.5,
        "avgNDCG": 0.99 * rest,
        "avgNDCNG": 0.99 * rest,
        "NDCG": rest,
        "NDCNG": rest,
    }
    found = dict(zip(STUDIED_MEASURES, list_scores(ranking, ideal), strict=True))
    assert found == pytest.approx(expected)


def test_means_over_ranks_agree_with_a_loop_over_the_formulas() -> None:
    generator = np.random.default_rng(2)
    ideal = np.sort(generator.integers(0, 20, 100))[::-1].astype(float)
    ranking = generator.permutation(ideal)
    found = dict(zip(STUDIED_MEASURES, list_scores(ranking, ideal), strict=True))
    for measure, highest in (("NDCG", 1), ("NDCNG", max(ideal))):
        ratios, run, best = [], 0.0, 0.0
        for rank in range(1, 101):
            run += (2 ** (ranking[rank - 1] / highest) - 1) / math.log10(rank + 1)
            best += (2 ** (ideal[rank - 1] / highest) - 1) / math.log10(rank + 1)
            ratios.append(run / best)
        assert found[measure] == pytest.approx(ratios[-1])
        assert found[f"avg{measure}"] == pytest.approx(sum(ratios) / 100)


@pytest.mark.parametrize("uniform", [True, False])
def test_only_ndcg_depends_on_the_number_of_levels(uniform: bool) -> None:
    curves = levels_experiment(uniform, swaps=40, repetitions=12)
    assert len(curves) == 20
    assert all(curve.values[0] == pytest.approx(1) for curve in curves)
    others = max(largest_distance(curves, name) for name in ("muMAP", "NDCNG", "avgNDCNG"))
    assert largest_distance(curves, "NDCG") > 2 * others
    assert largest_distance(curves, "avgNDCG") > 2 * others


@pytest.mark.slow
@pytest.mark.parametrize("uniform", [True, False])
def test_means_over_ranks_end_at_the_end_of_the_axes_of_figures_4_and_5(uniform: bool) -> None:
    """The axes go from 1 to 0.3; the lowest curve ends there only if it is a mean over the ranks."""
    curves = levels_experiment(uniform, swaps=100, repetitions=10)
    lowest = {
        measure: min(_mean_of_last(curve) for curve in curves if curve.measure == measure)
        for measure in STUDIED_MEASURES
    }
    assert lowest["avgNDCG"] == pytest.approx(0.33, abs=0.04)
    assert lowest["NDCG"] == pytest.approx(0.45, abs=0.04)
    assert lowest["muMAP"] == pytest.approx(0.58, abs=0.04)
    assert lowest["avgNDCNG"] == pytest.approx(0.65, abs=0.04)
    assert lowest["NDCNG"] == pytest.approx(0.83, abs=0.04)


def _mean_of_last(curve: LevelCurve) -> float:
    return sum(curve.values[-10:]) / 10


@pytest.mark.slow
def test_the_command_prints_curves_and_draws_a_plot(xcg_command: Command, tmp_path: Path) -> None:
    plot = f"{tmp_path}/levels.svg"
    call = ("levels", "--swaps", "6", "--repetitions", "3", "--format", "jsonl", "--plot", plot)
    done = xcg_command(*call)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 6
    assert xcg_command(*call).stdout == done.stdout
    assert Path(plot).read_text().startswith("<?xml")


def test_the_command_prints_means_over_ranks_or_values_at_full_depth(xcg_command: Command) -> None:
    curves = levels_experiment(uniform=False, swaps=3, repetitions=2, seed=5)
    options = "--swaps", "3", "--repetitions", "2", "--seed", "5", "--format", "csv"
    for extra, measures in (([], ["avgNDCG", "avgNDCNG"]), (["--full-depth"], ["NDCG", "NDCNG"])):
        done = xcg_command("levels", "--non-uniform", *options, *extra)
        shown = [curve for curve in curves if curve.measure in ("muMAP", *measures)]
        rows = list(csv.DictReader(done.stdout.splitlines()))
        assert list(rows[0]) == ["swaps", *(f"{curve.measure}/{curve.levels}" for curve in shown)]
        for curve in shown:
            printed = [float(row[f"{curve.measure}/{curve.levels}"]) for row in rows]
            assert printed == pytest.approx(curve.values)
        assert f"xcg: {measures[0]}: the largest distance between the curves is " in done.stderr


def test_the_command_refuses_less_than_one_ranking(xcg_command: Command) -> None:
    done = xcg_command("levels", "--swaps", "0")
    assert done.returncode == 2
    assert "0 is not in the range 1<=x<=1000000" in done.stderr


def test_progress_counts_the_numbers_of_levels() -> None:
    calls: list[tuple[int, int]] = []
    levels_experiment(
        levels=(2, 3), swaps=2, repetitions=1, progress=lambda done, of: calls.append((done, of))
    )
    assert calls == [(1, 2), (2, 2)]
