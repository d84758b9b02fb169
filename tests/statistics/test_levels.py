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
            value("nxDCG(discount=plus_one,gain=exp)", ranking, ideal),
            value("NDCNG", ranking, ideal),
        ]
        assert list_scores(ranking, ideal) == pytest.approx(expected)


@pytest.mark.parametrize("uniform", [True, False])
def test_only_ndcg_depends_on_the_number_of_levels(uniform: bool) -> None:
    curves = levels_experiment(uniform, swaps=40, repetitions=12)
    assert len(curves) == 20
    assert all(curve.values[0] == pytest.approx(1) for curve in curves)
    others = max(largest_distance(curves, name) for name in ("muMAP", "NDCNG", "avgNDCNG"))
    assert largest_distance(curves, "NDCG") > 2 * others
    assert largest_distance(curves, "avgNDCG") > 2 * others


def test_the_command_prints_means_over_ranks_or_values_at_full_depth(xcg_command: Command) -> None:
    curves = levels_experiment(uniform=False, swaps=3, repetitions=2, seed=5)
    keys = {"uniform": "false", "swaps": 3, "repetitions": 2, "seed": 5}
    for extra, measures in (({}, ["avgNDCG", "avgNDCNG"]), ({"full_depth": "true"}, ["NDCG", "NDCNG"])):
        words = [f"study.levels.{key}={value}" for key, value in {**keys, **extra}.items()]
        options = [part for word in words for part in ("--set", word)]
        done = xcg_command("study", "levels", *options, "--format", "csv")
        shown = [curve for curve in curves if curve.measure in ("muMAP", *measures)]
        rows = list(csv.DictReader(done.stdout.splitlines()))
        assert list(rows[0]) == ["swaps", *(f"{curve.measure}/{curve.levels}" for curve in shown)]
        for curve in shown:
            printed = [float(row[f"{curve.measure}/{curve.levels}"]) for row in rows]
            assert printed == pytest.approx(curve.values)
        assert f"xcg: {measures[0]}: the largest distance between the curves is " in done.stderr
