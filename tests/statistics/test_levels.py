"""The experiment on the number of levels of relevance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from measure_values import value

from xcg.measures.graded_precision import mu_average_precision
from xcg.statistics.levels import largest_distance, levels_experiment, list_scores


def test_scores_of_a_list_are_those_of_the_measures() -> None:
    generator = np.random.default_rng(1)
    for _ in range(20):
        ideal = np.sort(generator.integers(0, 8, 100))[::-1].astype(float)
        ranking = generator.permutation(ideal)
        expected = [
            mu_average_precision(ranking, ideal),
            value("nxDCG(discount=plus_one,gain=exp)", ranking, ideal),
            value("NDCNG", ranking, ideal),
        ]
        assert list(list_scores(ranking, ideal)) == pytest.approx(expected)


@pytest.mark.parametrize("uniform", [True, False])
def test_only_ndcg_depends_on_the_number_of_levels(uniform: bool) -> None:
    curves = levels_experiment(uniform, swaps=40, repetitions=12)
    assert len(curves) == 12
    assert all(curve.values[0] == pytest.approx(1) for curve in curves)
    others = max(largest_distance(curves, name) for name in ("muMAP", "NDCNG"))
    assert largest_distance(curves, "NDCG") > 2 * others


def test_the_command_prints_curves_and_draws_a_plot(xcg_command: Command, tmp_path: Path) -> None:
    plot = f"{tmp_path}/levels.svg"
    call = ("levels", "--swaps", "6", "--repetitions", "3", "--format", "jsonl", "--plot", plot)
    done = xcg_command(*call)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 6
    assert xcg_command(*call).stdout == done.stdout
