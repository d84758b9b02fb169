"""Combinations of assessors: means, orders and error rates by hand and as laws."""

from __future__ import annotations

import math
from itertools import combinations as pairs_of

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from scipy import stats
from score_tables import score_arrays

from xcg.errors import XcgError
from xcg.measures import Order
from xcg.statistics.assessors import (
    AssessorScores,
    ScoreRange,
    combinations,
    error_rate,
    mean_range,
    order_correlations,
    score_ranges,
)

Floats = npt.NDArray[np.float64]


def assessor_scores(values: Floats) -> AssessorScores:
    _, topics, runs = values.shape
    assessed = np.asarray(~np.isnan(values).all(axis=2), np.bool_)
    names = tuple(f"r{i}" for i in range(runs))
    return AssessorScores(names, tuple(map(str, range(topics))), values, assessed)


def test_the_official_combination_takes_the_first_assessor_of_a_topic() -> None:
    nan = math.nan
    # topic 0 by assessors 0 and 2, topic 1 by 1 alone, topic 2 by 1 and 2
    values = np.array([[[1.0], [nan], [nan]], [[nan], [0.5], [0.0]], [[0.25], [nan], [0.75]]])
    scores = assessor_scores(values)
    assert scores.assessors == [[0, 2], [1], [1, 2]]
    # (1 + .5 + 0) / 3, (1 + .5 + .75) / 3, (.25 + .5 + 0) / 3, (.25 + .5 + .75) / 3
    np.testing.assert_allclose(combinations(scores)[:, 0], [0.5, 0.75, 0.25, 0.5])
    # topics 0 and 2 alone
    np.testing.assert_allclose(combinations(scores.double_judged)[:, 0], [0.5, 0.875, 0.125, 0.5])


def test_many_combinations_are_sampled() -> None:
    # 70 topics: 2⁷⁰ combinations. Of the ones that assessor 1 decides, run 0's mean counts the share.
    values = np.zeros((2, 70, 2))
    values[1, :, 0] = 1
    scores = assessor_scores(values)
    means = combinations(scores, 3, 200)
    assert means.shape == (200, 2)
    assert means[0].tolist() == [0, 0]  # the official test set
    assert abs(means[1:, 0].mean() - 0.5) < 0.02  # 199 · 70 coins: 5 standard errors are .021
    assert np.array_equal(means, combinations(scores, 3, 200))
    assert not np.array_equal(means, combinations(scores, 4, 200))
    assert len(combinations(scores)) == 4096
    few = assessor_scores(np.array([1.0, 2, 4, 8, 16, 32]).reshape(2, 3, 1))  # all sums are different
    assert len(np.unique(combinations(few, maximum=7)[:, 0])) == 7  # different ones of 8
    assert len(combinations(few, maximum=8)) == 8


def test_score_ranges_computed_by_hand() -> None:
    # run 0: .1 … .3, mean .2; run 1: .2 … .6, mean .4; run 2 as run 0
    found = score_ranges([[0.1, 0.6, 0.3], [0.3, 0.2, 0.1]])
    assert [(line.run, line.low, line.high) for line in found] == [
        (1, 0.2, 0.6),
        (0, 0.1, 0.3),
        (2, 0.1, 0.3),
    ]
    assert [line.mean for line in found] == pytest.approx([0.4, 0.2, 0.2])


def test_the_mean_range_is_a_share_of_the_mean_score() -> None:
    # Ranges .2, .4 and .2, mean .8/3; means .2, .4 and .1, mean .7/3; the share is 8/7. The mean of the
    # three shares (1, 1 and 2) would be 4/3.
    ranges = score_ranges([[0.1, 0.6, 0.2], [0.3, 0.2, 0.0]])
    assert [line.percent for line in ranges] == pytest.approx([100, 100, 200])
    found = mean_range(ranges)
    assert found.run is None
    assert (found.low, found.mean, found.high) == pytest.approx((0.3 / 3, 0.7 / 3, 1.1 / 3))
    assert found.percent == pytest.approx(800 / 7)


def test_a_range_around_0_has_no_share_and_negative_means_have_one() -> None:
    assert ScoreRange(0, -1.0, 0.0, 1.0).percent is None
    assert ScoreRange(0, -0.6, -0.5, -0.4).percent == pytest.approx(40)


def tau_b_of_scipy(first: list[float], second: list[float]) -> float | None:
    found = float(stats.kendalltau(first, second).statistic)
    return None if math.isnan(found) else found


def test_order_correlations_computed_by_hand() -> None:
    # orders abcd, abdc, dcba: one of six pairs swapped: (5 − 1) / 6 = 2/3; all: −1; five: −2/3
    means = [[0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.1, 0.2], [0.1, 0.2, 0.3, 0.4]]
    assert order_correlations(means) == pytest.approx((-1, -1 / 6, 2 / 3))
    # Rounding errors are ties: (1, 2, 2) against (1, 2, 3) has 2 / √(2 · 3).
    tied = [[1.0, 2.0, 2.0 + 1e-15], [1.0, 2.0, 3.0]]
    assert order_correlations(tied)[1] == pytest.approx(2 / math.sqrt(6))
    # A combination in which all runs are equal is left out.
    assert order_correlations([[1, 2], [1, 1], [1, 2]]) == (1, 1, 1)


@given(score_arrays(least_rows=2, least=2))
def test_order_correlations_are_those_of_scipy(table: Floats) -> None:
    taus = [tau_b_of_scipy(table[0].tolist(), row.tolist()) for row in table[1:]]
    known = [tau for tau in taus if tau is not None]
    if not known:
        with pytest.raises(XcgError, match="no order to correlate"):
            order_correlations(table)
        return
    wanted = (min(known), math.fsum(known) / len(known), max(known))
    assert order_correlations(table) == pytest.approx(wanted)


@given(score_arrays())
def test_the_error_rate_equals_plain_counting(table: Floats) -> None:
    found = error_rate(table)
    assert 0 <= found.error <= 0.5
    assert 0 <= found.ties <= 1
    assert 2 * found.error + found.ties <= 1 + 1e-12
    # The definition in integers: 0.05 · max / 16 is max / 320.
    errors = ties = 0
    for first, second in pairs_of((table.T * 16).astype(int).tolist(), 2):
        both = list(zip(first, second, strict=True))
        better = sum(a > b and 20 * (a - b) >= a for a, b in both)
        worse = sum(b > a and 20 * (b - a) >= b for a, b in both)
        errors += min(better, worse)
        ties += len(both) - better - worse
    comparisons = len(table) * math.comb(table.shape[1], 2)
    assert found == (errors / comparisons, ties / comparisons)
    assert found == error_rate(table[::-1, ::-1])


def test_runs_without_an_order_are_errors() -> None:
    for means in ([[1, 1], [2, 2]], [[1], [2]]):
        with pytest.raises(XcgError, match="no order to correlate: expected at least two runs"):
            order_correlations(means)


def test_score_ranges_of_a_lower_is_better_measure_start_with_the_lowest_mean() -> None:
    means = [[3.0, 1.0, 2.0], [5.0, 1.0, 2.0]]
    assert [found.run for found in score_ranges(means)] == [0, 2, 1]
    assert [found.run for found in score_ranges(means, Order(lower_is_better=True))] == [1, 2, 0]
