"""The smallest difference that a comparison detects with a given power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from score_tables import results_of, scores_of
from statsmodels.stats.power import TTestPower

from xcg.statistics.families import (
    detectable_difference,
    t_detectable,
    tukey_inferences,
)
from xcg.statistics.significance import compare_runs

RNG = np.random.default_rng(5)
TABLE = RNG.beta(1, 3, (4, 15)).tolist()


@pytest.mark.parametrize("topics", [5, 15, 34, 50])
@pytest.mark.parametrize("level", [0.05, 0.05 / 9])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_t_test_agrees_with_statsmodels(topics: int, level: float, power: float) -> None:
    """statsmodels also counts rejections in the wrong direction, which are very rare."""
    detectable = t_detectable(0.3, topics, level, power)
    found = TTestPower().power(detectable / 0.3, topics, level)
    assert found == pytest.approx(power, abs=1e-4)


def test_tukeys_detectable_difference_is_computed_by_hand() -> None:
    scores = scores_of(TABLE)
    (inference, *_) = tukey_inferences(scores, [("r0", "r1")], "t", 0.05)
    matrix = np.array(TABLE)
    residuals = matrix - matrix.mean(0) - matrix.mean(1)[:, None] + matrix.mean()
    variance, df = (residuals**2).sum() / (3 * 14), 3 * 14
    critical = stats.studentized_range.isf(0.05, 4, df) / math.sqrt(2)
    assert inference.detectable is not None
    noncentrality = inference.detectable / math.sqrt(2 * variance / 15)
    assert stats.nct.sf(critical, df, noncentrality) == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_comparisons_hold_the_detectable_difference(test: str) -> None:
    """The level is the strictest one of the correction; Tukey's HSD has one value for all pairs."""
    lines = compare_runs(results_of(TABLE), "MAep", "m", test=test, correction="tukey")
    assert len({line.detectable for line in lines}) == 1
    named = compare_runs(results_of(TABLE), "MAep", "m", baseline="r0", test=test)
    for number, line in enumerate(named, 1):
        found = np.array(TABLE[number]) - np.array(TABLE[0])
        expected = t_detectable(float(found.std(ddof=1)), 15, 0.05 / 3, 0.8)
        assert line.detectable == pytest.approx(expected)
    alone = compare_runs(results_of(TABLE), "MAep", "m", baseline="r0", test=test, correction="none")
    assert all((a.detectable or 1) < (b.detectable or 0) for a, b in zip(alone, named, strict=True))


def test_a_count_has_the_detectable_sum() -> None:
    (count,) = compare_runs(results_of(TABLE[:2], "NumRet"), "NumRet", "m")
    (mean,) = compare_runs(results_of(TABLE[:2]), "MAep", "m")
    assert mean.detectable is not None
    assert count.detectable == pytest.approx(15 * mean.detectable)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
@pytest.mark.parametrize(
    "table",
    [
        [[0.5, 0.2, 0.1]] * 3,  # equal runs
        [[0.5, 0.2, 0.1], [0.6, 0.3, 0.2], [0.7, 0.4, 0.3]],  # equal differences
    ],
)
def test_without_variance_there_is_no_detectable_difference(
    test: str, table: list[list[float]]
) -> None:
    for baseline in (None, "r1"):
        lines = compare_runs(results_of(table), "MAep", "m", baseline=baseline, test=test)
        assert [line.detectable for line in lines] == [None] * len(lines)


def test_too_few_topics_for_the_level_detect_nothing() -> None:
    found = np.array([0.1, 0.2, 0.3, 0.5, 0.7])
    assert detectable_difference(found, "randomisation", 0.05) is None  # 2 / 2⁵ = 0.0625
    assert detectable_difference(found, "randomisation", 0.07) is not None
    assert detectable_difference(found, "wilcoxon", 0.07) is None  # it is not about means
    assert detectable_difference(found, "t", 0.05) is not None
