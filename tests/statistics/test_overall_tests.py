"""Tests over all runs: by hand, by other packages and by plain loops."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from score_tables import Column, noise, scores_of, tables

from xcg.errors import XcgError
from xcg.statistics.overall_tests import anova, discriminative_power, friedman, friedman_posthoc
from xcg.statistics.significance_tests import paired_p_value


def test_anova_computed_by_hand() -> None:
    # runs a = 1 2 3, b = 2 3 7, c = 3 4 5: means 2 4 4, of topics 2 3 5, of all 10 / 3.
    # SS runs = 3·(16 + 4 + 4) / 9 = 8, SS topics = 3·(16 + 1 + 25) / 9 = 14,
    # SS total = 126 − 9·100 / 9 = 26, so 4 are left for 4 degrees of freedom
    found = anova(scores_of([[1, 2, 3], [2, 3, 7], [3, 4, 5]]))
    assert found[0][:2] == pytest.approx((2, 4))
    assert found[1][:2] == pytest.approx((2, 7))
    assert found[2] == 4
    # P(F > f) with 2 and 4 degrees of freedom is (1 + f / 2)⁻²
    assert found[0].p == pytest.approx(1 / 9)
    assert found[1].p == pytest.approx(4 / 81)


def test_anova_without_an_effect_and_without_an_error() -> None:
    same = anova(scores_of([[0.1, 0.2, 0.3]] * 3))
    assert (same[0].f, same[0].p, same[1].f) == (0, 1, math.inf)
    assert same[1].p == pytest.approx(6 / 6**3)
    shifted = anova(scores_of([[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]]))
    # 3 topics have one of 2 orders of runs: 2 / 2³. 2 runs have one of 6 orders of topics: 6 / 6².
    assert (shifted[0].f, shifted[1].f) == (math.inf, math.inf)
    assert (shifted[0].p, shifted[1].p) == pytest.approx((1 / 4, 1 / 6))
    # Two of three runs have the same effect: 3 orders.
    tied = anova(scores_of([[0.1, 0.2], [0.3, 0.4], [0.3, 0.4]]))
    assert (tied[0].p, tied[1].p) == pytest.approx((1 / 3, 1 / 4))
    # The number of orders of 200 topics is too large for a number.
    many = [i / 200 for i in range(200)]
    found = anova(scores_of([many, [score + 0.1 for score in many]]))
    assert (found[0].p, found[1].p) == (2.0**-199, 0)


@given(tables(runs=2))
def test_anova_of_two_runs_is_the_t_test(table: list[Column]) -> None:
    first, second = table
    assume(np.subtract(first, second).std() > 1e-6)
    found = anova(scores_of(table))
    assert found[0].p == pytest.approx(paired_p_value("t", first, second), abs=1e-4)


def test_friedman_agrees_with_scipy() -> None:
    from scipy.stats import friedmanchisquare

    table = noise((4, 12))
    assert friedman(scores_of(table)) == tuple(friedmanchisquare(*table))
    assert friedman(scores_of([[0.1, 0.7]] * 3)) == (0, 1)
    # 0.1 + 0.2 ties with 0.3: both runs have the rank 1.5 for both topics.
    nearly = friedman(scores_of([[0.1 + 0.2, 0.5], [0.3, 0.5], [0.6, 0.8]]))
    assert nearly == friedman(scores_of([[0.3, 0.5], [0.3, 0.5], [0.6, 0.8]]))


def test_posthoc_tests_of_constant_ranks() -> None:
    same = scores_of([[0.1, 0.7]] * 3)
    assert set(friedman_posthoc(same).values()) == {1}
    ordered = scores_of([[0.1, 0.2], [0.3, 0.4], [0.3, 0.4]])
    assert list(friedman_posthoc(ordered).values()) == [1, 1, 1]  # 3 pairs · 2 / 2²
    ordered = scores_of([[0.1] * 9, [0.3] * 9, [0.3] * 9])
    assert list(friedman_posthoc(ordered).values()) == [3 * 2 / 2**9, 3 * 2 / 2**9, 1]


@pytest.mark.parametrize(
    ("function", "table"),
    [
        (anova, [[0.1, 0.2]]),
        (anova, [[0.1], [0.2]]),
        (anova, [[0.1, math.nan], [0.2, 0.3]]),
        (friedman, [[0.1, 0.2], [0.2, 0.3]]),
        (friedman_posthoc, [[0.1, 0.2], [0.2, 0.3]]),
        (discriminative_power, [[0.1, 0.2]]),
    ],
)
def test_too_few_runs_or_topics_are_errors(function: object, table: list[Column]) -> None:
    with pytest.raises(XcgError):
        function(scores_of(table))  # type: ignore[operator]


def test_discriminative_power_computed_by_hand() -> None:
    # z = 0.1 0.3, w = −0.1 0.1: half of the resamples draw one topic twice, whose |t*| is infinite
    # and whose mean is ±0.1; the other half has t* = 0. So the level is near 0.5 and 0.1 is required
    scores = scores_of([[0.2, 0.4], [0.1, 0.1]])
    assert discriminative_power(scores) == pytest.approx((0, 0.1))
    assert discriminative_power(scores, level=0.6) == pytest.approx((1, 0))
    assert discriminative_power(scores_of([[0.2, 0.4]] * 2)) == (0, 0)
    # Two pairs have a constant difference, and one pair has none: 2 / 2⁵ > 0.05 > 2 / 2⁶.
    for topics, power in ((5, 0), (6, 2 / 3)):
        constant = scores_of([[0.2] * topics, [0.1] * topics, [0.1] * topics])
        assert discriminative_power(constant) == pytest.approx((power, 0))


def test_discriminative_power_equals_plain_loops() -> None:
    table = [[v + 0.06 * i for v in column] for i, column in enumerate(noise((4, 10), seed=8))]
    drawn = np.random.default_rng(7).integers(0, 10, (200, 10)).tolist()

    def t(values: Sequence[float]) -> float:
        return abs(statistics.fmean(values)) / (statistics.stdev(values) / math.sqrt(len(values)))

    apart, required = 0, []
    for first, second in combinations(table, 2):
        z = [a - b for a, b in zip(first, second, strict=True)]
        w = [value - statistics.fmean(z) for value in z]
        samples = sorted(([w[i] for i in rows] for rows in drawn), key=t, reverse=True)
        apart += sum(t(sample) >= t(z) for sample in samples) / 200 < 0.05
        required.append(abs(statistics.fmean(samples[9])))  # the tenth of 200
    found = discriminative_power(scores_of(table), resamples=200, seed=7)
    assert 0 < apart < 6
    assert found == pytest.approx((apart / 6, max(required)))
    assert found == pytest.approx(discriminative_power(scores_of(table[::-1]), resamples=200, seed=7))


def test_the_number_of_resamples_is_rounded_correctly() -> None:
    assert 100 * 0.29 < 29
    table = noise((2, 10))
    exact = discriminative_power(scores_of(table), 29.5 / 100, 100)
    assert discriminative_power(scores_of(table), 0.29, 100)[1] == exact[1]
