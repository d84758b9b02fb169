"""Families of comparisons, against other implementations, enumeration and simulation."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import Column, noise, paired_p_value, results_by_model, results_of, tables
from statsmodels.stats.power import TTestPower

from xcg.statistics.intervals import (
    mean_intervals,
    randomisation_interval,
    t_detectable,
)
from xcg.statistics.significance import compare_runs
from xcg.statistics.tukey import _tukey_p_values


def test_tukey_with_the_anova_of_statsmodels() -> None:
    import statsmodels.formula.api as smf
    from pandas import DataFrame
    from statsmodels.stats.libqsturng import psturng, qsturng

    table = np.array(noise((4, 12), seed=5)) + np.array([[0.0], [0.02], [0.1], [0.12]])
    rows = [(i, j, table[i, j]) for i, j in product(range(4), range(12))]
    frame = DataFrame(rows, columns=["run", "topic", "score"])
    model = smf.ols("score ~ C(run) + C(topic)", frame).fit()
    error = math.sqrt(model.mse_resid / 12)
    lines = compare_runs(results_of(table.tolist()), "MAep", "m", correction="tukey")
    assert {(line.correction, line.comparisons, line.level) for line in lines} == {("tukey", 6, 0.95)}
    for line, (i, j) in zip(lines, combinations(range(4), 2), strict=True):
        difference = table[i].mean() - table[j].mean()
        q = abs(difference) / error
        # psturng returns at most 0.9.
        assert min(line.p_adjusted, 0.9) == pytest.approx(
            float(np.squeeze(psturng(q, 4, 33))), abs=2e-3
        )
        half = float(qsturng(0.95, 4, 33)) * error
        assert (line.low, line.high) == pytest.approx((difference - half, difference + half), abs=1e-4)
        contrast = f"C(run)[T.{j}] = 0" if i == 0 else f"C(run)[T.{i}] - C(run)[T.{j}] = 0"
        assert line.p == pytest.approx(float(model.t_test(contrast).pvalue))


def test_two_runs_need_no_correction() -> None:
    table = noise((2, 12), seed=7)
    for test in ("t", "randomisation"):
        (line,) = compare_runs(results_of(table), "MAep", "m", test=test)
        assert line.p == line.p_adjusted == paired_p_value(test, table[0], table[1])
        assert (
            compare_runs(results_of(table), "MAep", "m", test=test, correction="tukey")[0].p == line.p
        )
        assert (line.comparisons, line.level) == (1, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "df"), [(5, 4), (20, 3000), (21, 400), (69, 3332), (150, 7301)])
def test_interpolated_p_values_are_those_of_scipy(runs: int, df: int) -> None:
    from scipy.stats import studentized_range

    q = np.linspace(0.1, 12, 25)
    expected = studentized_range.sf(q, runs, df)
    assert _tukey_p_values(q, runs, df)[1] == pytest.approx(expected, abs=1e-8)


def test_the_randomised_tukey_test_with_all_permutations() -> None:
    table = np.array([[0.9, 0.7, 0.8, 0.5], [0.3, 0.4, 0.35, 0.6], [0.5, 0.2, 0.1, 0.15]])
    ranges, single = [], []
    for orders in product(permutations(range(3)), repeat=4):
        means = np.array([table[list(order), topic] for topic, order in enumerate(orders)]).mean(0)
        ranges.append(np.ptp(means))
        single.append(abs(means[0] - means[1]))
    limit = np.sort(ranges)[-math.ceil(0.05 * len(ranges))]
    lines = compare_runs(
        results_of(table.tolist()), "MAep", "m", test="randomisation", correction="tukey"
    )
    for line in lines:
        distance = abs(line.difference) - 1e-12
        assert line.p_adjusted == pytest.approx(np.mean(np.array(ranges) >= distance), abs=0.01)
        assert line.p == pytest.approx(np.mean(np.array(single) >= distance), abs=0.01)
        assert line.low == pytest.approx(line.difference - limit, abs=0.011)


def test_without_error_variance_tukey_is_randomised() -> None:
    results = results_of([[0.1] * 3, [0.2] * 3, [0.3] * 3])
    lines, expected = (
        compare_runs(results, "MAep", "m", test=test, correction="tukey")
        for test in ("t", "randomisation")
    )
    assert [line.p_adjusted for line in lines] == [line.p_adjusted for line in expected]
    assert lines[1].p_adjusted > 0.02  # 6 of 6³ permutations have this range
    equal = compare_runs(results_of([[0.1, 0.3]] * 3), "MAep", "m", correction="tukey")
    assert [line.p_adjusted for line in equal] == [1, 1, 1]


@given(st.lists(st.integers(-4, 8).map(lambda i: i / 8), min_size=2, max_size=8))
def test_the_randomisation_interval_holds_what_the_test_does_not_reject(found: list[float]) -> None:
    array = np.array(found)
    for level in (0.05, 0.2):
        low, high = randomisation_interval(array, level)
        for value in (-1, -0.5, -0.26, -0.125, 0, 0.01, 0.125, 0.3, 0.5, 1):
            p = paired_p_value("randomisation", (array - value).tolist(), [0.0] * len(found))
            inside = (low is None or low <= value + 1e-9) and (high is None or value <= high + 1e-9)
            assert (p >= level) == inside, (value, p, low, high)


def test_bonferroni_intervals_have_the_level_of_their_test() -> None:
    from scipy.stats import ttest_rel

    table = noise((5, 9), seed=3)
    lines = compare_runs(results_of(table), "MAep", "m", baseline="r0", correction="bonferroni")
    for line, column in zip(lines, table[1:], strict=True):
        expected = ttest_rel(column, table[0]).confidence_interval(1 - 0.05 / 4)
        assert (line.low, line.high) == pytest.approx((expected.low, expected.high))
        assert line.level == pytest.approx(0.9875)


def test_wilcoxon_has_no_interval_of_the_mean() -> None:
    lines = compare_runs(results_of(noise((3, 8))), "MAep", "m", test="wilcoxon")
    assert {(line.low, line.high, line.level, line.correction) for line in lines} == {
        (None, None, None, "holm")
    }
    raw = [line.p for line in lines]
    assert min(line.p_adjusted for line in lines) == pytest.approx(min(1, 3 * min(raw)))


@pytest.mark.parametrize("topics", [5, 15, 34, 50])
@pytest.mark.parametrize("level", [0.05, 0.05 / 9])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_t_test_agrees_with_statsmodels(topics: int, level: float, power: float) -> None:
    """statsmodels also counts rejections in the wrong direction, which are very rare."""
    detectable = t_detectable(0.3, topics, level, power)
    found = TTestPower().power(detectable / 0.3, topics, level)
    assert found == pytest.approx(power, abs=1e-4)


scipy_stats = pytest.importorskip("scipy.stats")


@given(tables(), st.sampled_from([80, 95, 99.5]))
def test_intervals_are_those_of_scipy(table: list[Column], confidence: float) -> None:
    """scipy inverts the test of one sample."""
    found, notes = mean_intervals(results_of(table), confidence)
    for number, column in enumerate(table):
        if ("MAep", "m", f"r{number}") in found:
            low, high = found["MAep", "m", f"r{number}"]
            expected = scipy_stats.ttest_1samp(column, 0).confidence_interval(confidence / 100)
            assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-6, abs=1e-9)
        else:
            assert max(column) - min(column) < 1e-9
            assert notes


def test_the_interval_of_a_count_is_that_of_the_sum() -> None:
    scores = {"m": {"r": {"1": 1.0, "2": 2.0, "3": 6.0, "all": 9.0}}}
    found, notes = mean_intervals(results_by_model("NumRet", scores))
    (limits,) = found.values()
    half_width = (
        4.302653 * math.sqrt(7) / math.sqrt(3)
    )  # of the mean 3; the variance is (4 + 1 + 9) / 2
    assert limits == pytest.approx((9 - 3 * half_width, 9 + 3 * half_width), rel=1e-6)
    assert notes == []


@pytest.mark.parametrize(
    "scores",
    [
        {"1": 0.5, "all": 0.5},
        {"1": 0.5, "2": 0.5, "all": 0.5},
        {"1": 0.25, "2": 1.0, "all": 0.5},  # geometric
    ],
)
def test_a_note_says_why_there_is_no_interval(scores: dict[str, float]) -> None:
    results = results_by_model("MAep", {"m": {f"r{number}": scores for number in range(4)}})
    found, (note,) = mean_intervals(results)
    assert found == {}
    assert note.startswith(
        "note: no interval of 4 means, such as that of r0 by MAep under m: there are"
    )
