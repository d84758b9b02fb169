"""The experiment on the number of levels of relevance."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from conftest import Command
from measure_values import value

from xcg.statistics.perturbation import largest_distance, levels_experiment, list_scores


def test_scores_of_a_list_are_those_of_the_measures() -> None:
    generator = np.random.default_rng(1)
    for _ in range(20):
        ideal = np.sort(generator.integers(0, 8, 100))[::-1].astype(float)
        ranking = generator.permutation(ideal)
        expected = [
            value("muAP", ranking, ideal),
            value("avgNDCG@100", ranking, ideal),
            value("avgNDCNG@100", ranking, ideal),
        ]
        assert list_scores(ranking, ideal) == pytest.approx(expected)


@pytest.mark.parametrize("uniform", [True, False])
def test_only_ndcg_depends_on_the_number_of_levels(uniform: bool) -> None:
    curves = levels_experiment(uniform, repetitions=3)
    assert len(curves) == 12
    assert all(curve.values[0] == pytest.approx(1) for curve in curves)
    others = max(largest_distance(curves, name) for name in ("muMAP", "avgNDCNG"))
    assert largest_distance(curves, "avgNDCG") > 2 * others


def test_the_command_prints_the_means_over_the_repetitions(xcg_command: Command) -> None:
    curves = levels_experiment(uniform=False, repetitions=2, seed=5)
    keys = {"uniform": "false", "repetitions": 2, "seed": 5}
    options = [part for key, value in keys.items() for part in ("--set", f"study.levels.{key}={value}")]
    done = xcg_command("study", "levels", *options, "--format", "csv")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert list(rows[0]) == ["swaps", *(f"{curve.measure}/{curve.levels}" for curve in curves)]
    for curve in curves:
        printed = [float(row[f"{curve.measure}/{curve.levels}"]) for row in rows]
        assert printed == pytest.approx(curve.values)
    assert "xcg: avgNDCG: the largest distance between the curves is " in done.stderr
