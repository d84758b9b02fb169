"""False-alarm rates and power, against compare, the gate and direct simulations."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from score_tables import paired_p_value

from xcg.errors import XcgError
from xcg.evaluation.parallel import Executor
from xcg.evaluation.results import Result, Results
from xcg.statistics import calibration
from xcg.statistics.calibration import calibrate, exchange
from xcg.statistics.gate import check_gate
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
    """Return scores with ties and zeros, like those of real measures."""
    rng = np.random.default_rng(seed)
    scores: Floats = np.round(
        rng.beta(0.6, 2, (topics, runs)) * rng.uniform(0, 1, (topics, 1)), decimals
    )
    return scores


@pytest.mark.parametrize("test", PAIRED_TESTS)
@pytest.mark.parametrize("topics", [2, 9, 20])
def test_many_p_values_are_those_of_single_tests(test: str, topics: int) -> None:
    rng = np.random.default_rng(topics)
    first, second = rng.integers(0, 5, (2, 30, topics)) / 10
    second[0] = first[0]  # no difference
    second[1] = first[1] + 0.1  # equal differences
    second[2] = first[2] + rng.normal(1, 0.1, topics)
    single = [paired_p_value(test, a.tolist(), b.tolist()) for a, b in zip(first, second, strict=True)]
    found = np.array([differences(a, b) for a, b in zip(first, second, strict=True)])
    np.testing.assert_allclose(paired_p_values(test, found), single, rtol=1e-9)
    limited = paired_p_values(test, found, 0.05)
    small = np.array(single) <= 0.05
    np.testing.assert_allclose(limited[small], np.array(single)[small], rtol=1e-9)
    assert (limited[~small] > 0.05).all()


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


def test_rows_do_not_depend_on_what_else_is_studied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do they depend on the number of campaigns that are computed at once."""
    results = results_from({("MAep", "m"): skewed(8, 3), ("nxCG@10", "m"): skewed(8, 3, 1)})
    rows = calibrate(results, campaigns=60)
    assert len(rows) == 2 * 2 * 3 + 3
    assert rows == calibrate(results, campaigns=60)
    assert rows != calibrate(results, campaigns=60, seed=1)
    monkeypatch.setattr(calibration, "_MAX_CAMPAIGNS_AT_ONCE", 7)
    steps: list[tuple[int, int]] = []
    more = calibrate(results, tests=["t"], campaigns=60, progress=lambda *done: steps.append(done))
    assert more == [row for row in rows if row.test == "t"]
    blocks = steps[-1][1]
    assert steps == [(done, blocks) for done in range(1, blocks + 1)]


@pytest.mark.slow
def test_rates_do_not_depend_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker continues the random numbers at the first campaign of its part."""
    results = results_from({("MAep", "m"): skewed(8, 3), ("nxCG@10", "m"): skewed(8, 3, 1)})
    study = functools.partial(calibrate, results, tests=["t"], campaigns=60, seed=3)
    rows = study()
    assert study(executor=Executor(2)) == rows
    monkeypatch.setattr(calibration, "_MAX_CAMPAIGNS_AT_ONCE", 7)
    assert study(executor=Executor(2)) == study(executor=Executor(3)) == rows


def test_rates_are_those_of_compare_and_of_the_gate() -> None:
    """Each campaign of the study is compared on its own. Two runs are partial."""
    tables = {("MAep", "m"): skewed(9, 3), ("ASL", "m"): 10 * skewed(9, 3, 1)}
    for table in tables.values():
        table[2, 2] = np.nan
    tables["ASL", "m"][5, 1] = np.nan
    keys = np.random.default_rng(5).random((20, 9, 3))
    rows = calibrate(results_from(tables), "r1", ["wilcoxon"], ["none"], 20, seed=5)
    exchanged = {key: exchange(table, keys) for key, table in tables.items()}
    found = Counter[str]()
    for campaign in range(20):
        results = results_from({key: values[campaign] for key, values in exchanged.items()})
        for measure in results.measures:
            lines = compare_runs(results, measure, "m", "r1", "wilcoxon", "none")
            found[measure] += any(line.p_adjusted < 0.05 for line in lines)
        gate = check_gate(results, {}, "r1", test="wilcoxon", correction="none")
        found["all"] += bool(gate.failures)
    assert {row.measure: row.found for row in rows} == dict(found)
    assert sum(found.values()) > 2


def test_without_power_the_verdict_says_so() -> None:
    rows = calibrate(results_from({("MAep", "m"): skewed(5, 3)}), "r0", campaigns=20)
    verdicts = {(row.procedure, row.test): row.verdict for row in rows}
    for test in ("wilcoxon", "randomisation"):  # 2 / 2⁵ = .0625
        assert verdicts["named baseline", test] == verdicts["gate", test] == "no power"
    assert verdicts["named baseline", "t"] != "no power"


def test_all_pairs_are_not_studied_by_shaffer_with_partial_runs() -> None:
    table = skewed(9, 3)
    assert {
        row.correction for row in calibrate(results_from({("MAep", "m"): table}), "all", ["t"])
    } == {"shaffer"}
    table[0, 0] = np.nan
    (row,) = calibrate(results_from({("MAep", "m"): table}), "all", ["t"], campaigns=5)
    assert (row.procedure, row.baseline, row.correction, row.comparisons) == (
        "all pairs",
        "",
        "holm",
        3,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "r9"}, "no run 'r9'"),
        (
            {"baseline": "r0", "corrections": ["shaffer"]},
            "shaffer cannot be studied: shaffer is only defined for all pairs",
        ),
        ({"tests": ["t", "wilcoxon"], "corrections": ["shaffer"]}, "wilcoxon cannot be studied"),
    ],
)
def test_misuse(options: dict[str, Any], message: str) -> None:
    with pytest.raises(XcgError, match=message):
        calibrate(results_from({("MAep", "m"): skewed(8, 3)}), **options)


def test_one_run_and_one_topic_are_refused() -> None:
    with pytest.raises(XcgError, match="1 run: expected at least two to exchange"):
        calibrate(results_from({("MAep", "m"): skewed(8, 1)}))
    with pytest.raises(XcgError, match="1 topics have scores of MAep under m"):
        calibrate(results_from({("MAep", "m"): skewed(1, 2)}))
    rows = calibrate(results_from({("MAep", "m"): skewed(2, 2)}), campaigns=5)
    assert {row.verdict for row in rows if row.test != "t"} == {"no power"}
