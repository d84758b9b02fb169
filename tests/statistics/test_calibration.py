"""False-alarm rates and power, against compare, the gate and direct simulations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from xcg.evaluation.results import Result, Results
from xcg.statistics.calibration import calibrate
from xcg.statistics.decisions import (
    corrected,
    exchange,
    gate_fails,
    pair_p_values,
    tukey_significant,
)
from xcg.statistics.families import adjust
from xcg.statistics.gate import gate_comparisons
from xcg.statistics.significance import compare_runs
from xcg.statistics.significance_tests import PAIRED_TESTS, paired_p_values
from xcg.statistics.topic_scores import Floats, differences


def results_from(scores: dict[tuple[str, str], Floats]) -> Results:
    """Return results with the scores of each measure and user model: (topics, runs), NaN for none."""
    rows = []
    for (measure, model), table in scores.items():
        for run, column in enumerate(table.T):
            rows += [
                Result(f"r{run}", str(topic), measure, float(value), model)
                for topic, value in enumerate(column)
                if not np.isnan(value)
            ]
            rows.append(Result(f"r{run}", "all", measure, float(np.nanmean(column)), model))
    return Results(rows)


def skewed(topics: int, runs: int, seed: int = 0, decimals: int = 2) -> Floats:
    """Return scores with ties and zeros, as those of real measures."""
    rng = np.random.default_rng(seed)
    scores: Floats = np.round(
        rng.beta(0.6, 2, (topics, runs)) * rng.uniform(0, 1, (topics, 1)), decimals
    )
    return scores


def some_campaigns(table: Floats, number: int, shift: float = 0.0) -> Floats:
    found = exchange(table, np.random.default_rng(1).random((number, *table.shape)))
    found[:, :, 1] += shift
    return found


@pytest.mark.parametrize("test", PAIRED_TESTS)
@pytest.mark.parametrize("topics", [2, 9, 20])
def test_many_p_values_are_those_of_single_tests(test: str, topics: int) -> None:
    rng = np.random.default_rng(topics)
    first, second = rng.integers(0, 5, (2, 30, topics)) / 10
    second[0] = first[0]  # no difference
    second[1] = first[1] + 0.1  # equal differences
    second[2] = first[2] + rng.normal(1, 0.1, topics)
    single = [PAIRED_TESTS[test](a.tolist(), b.tolist()) for a, b in zip(first, second, strict=True)]
    found = np.array([differences(a, b) for a, b in zip(first, second, strict=True)])
    np.testing.assert_allclose(paired_p_values(test, found), single, rtol=1e-9)
    limited = paired_p_values(test, found, 0.05)
    small = np.array(single) <= 0.05
    np.testing.assert_allclose(limited[small], np.array(single)[small], rtol=1e-9)
    assert (limited[~small] > 0.05).all()


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh", "none"])
def test_corrections_are_those_of_compare(correction: str) -> None:
    p_values = np.round(np.random.default_rng(3).beta(0.2, 4, (60, 7)), 3)
    expected = [[p < 0.05 for p in adjust(row.tolist(), correction)] for row in p_values]
    assert corrected(p_values, correction).tolist() == expected


@pytest.mark.parametrize(("partial", "shift"), [(False, 0.0), (True, 0.15)])
@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_decisions_are_those_of_compare(test: str, partial: bool, shift: float) -> None:
    table = skewed(11, 4)
    if partial:
        table[[0, 3, 3], [0, 2, 3]] = np.nan
    for scores in some_campaigns(table, 3, shift):
        results = results_from({("MAep", "m"): scores})
        for base in (None, "r2"):
            pairs = list(combinations(range(4), 2)) if base is None else [(0, 2), (1, 2), (3, 2)]
            p_values, _ = pair_p_values(scores[None], pairs, test)
            for correction in ("holm", "bonferroni", "fdr_bh", "none"):
                lines = compare_runs(results, "MAep", None, base, test, correction)
                expected = [line.p_adjusted < 0.05 for line in lines]
                if base is None and correction == "none" and test in ("t", "randomisation"):
                    continue  # see the next test
                assert corrected(p_values, correction).tolist() == [expected]


@pytest.mark.parametrize("runs", [3, 4, 6])
@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_tukeys_decisions_are_those_of_compare(test: str, runs: int) -> None:
    pairs = list(combinations(range(runs), 2))
    some = some_campaigns(skewed(9, runs, runs), 6, 0.1)
    some[0] = some[0][:, :1] + np.arange(runs) / 10  # no error variance
    expected = [
        [
            line.p_adjusted < 0.05
            for line in compare_runs(results_from({("MAep", "m"): s}), "MAep", test=test)
        ]
        for s in some
    ]
    assert tukey_significant(some, pairs, test).tolist() == expected


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_gates_fail_as_the_gate_of_compare(test: str) -> None:
    """Two measures, one of which is lower-is-better, under two user models."""
    keys = [("MAep", "m"), ("MAep", "n"), ("ASL", "m"), ("ASL", "n")]
    tables = [skewed(10, 4, seed) * (10 if key[0] == "ASL" else 1) for seed, key in enumerate(keys)]
    scores = [some_campaigns(table, 5, -0.3) for table in tables]
    for correction in ("holm", "none"):
        found = gate_fails(scores, [measure for measure, _ in keys], 2, test, [correction])[correction]
        for campaign in range(5):
            results = results_from({k: s[campaign] for k, s in zip(keys, scores, strict=True)})
            lines = gate_comparisons(results, "r2", test, correction)
            assert found[campaign].tolist() == [line.fails for line in lines]


def test_an_exchange_keeps_topics_and_the_dependence_of_measures() -> None:
    table = skewed(6, 5)
    keys = np.random.default_rng(0).random((40, 6, 5))
    found, doubled = exchange(table, keys), exchange(2 * table, keys)
    np.testing.assert_array_equal(np.sort(found, axis=2), np.broadcast_to(np.sort(table), found.shape))
    np.testing.assert_array_equal(doubled, 2 * found)


def test_an_exchange_of_a_topic_has_all_orders_with_equal_probability() -> None:
    keys = np.random.default_rng(0).random((6000, 1, 4))
    found = exchange(np.array([[1.0, np.nan, 2.0, 3.0]]), keys)[:, 0]
    assert np.isnan(found[:, 1]).all()
    orders, counts = np.unique(found[:, [0, 2, 3]], axis=0, return_counts=True)
    assert len(orders) == 6
    assert abs(counts - 1000).max() < 4 * np.sqrt(6000 * 1 / 6 * 5 / 6)


def test_rates_of_calibrate() -> None:
    results = results_from({("MAep", "m"): skewed(8, 3), ("nxCG@10", "m"): skewed(8, 3, 1)})
    rows = calibrate(results, campaigns=50)
    assert len(rows) == 2 * 2 * 4 + 4
