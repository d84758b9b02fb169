"""Extrapolated swap rates, the differences needed and their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from xcg.statistics.topic_sets import (
    BIN_STARTS,
    Smoothing,
    SwapRates,
    difference_needed,
    expected_rates,
    needed_difference,
    rate_intervals,
    rate_samples,
    smooth,
)


def rates_of(columns: Mapping[int, list[tuple[int, int]]], sizes: tuple[int, ...]) -> SwapRates:
    """Bin → (swaps, counts) per size; the other bins are empty."""
    counts = np.zeros((len(sizes), len(BIN_STARTS)), np.int64)
    swaps = np.zeros_like(counts)
    for index, column in columns.items():
        swaps[:, index], counts[:, index] = zip(*column, strict=True)
    return SwapRates(sizes, 1, counts, swaps, 0 * counts)


def one_size(counts: list[int], swaps: list[int], resamples: tuple[SwapRates, ...] = ()) -> SwapRates:
    """Return swap rates for one topic, of the first bins."""
    columns = {index: [pair] for index, pair in enumerate(zip(swaps, counts, strict=True))}
    return replace(rates_of(columns, (1,)), resamples=resamples)


def test_extrapolation_computed_by_hand() -> None:
    rates = rates_of(
        {
            0: [(32, 64), (16, 64), (8, 64)],  # 2⁻ⁿ
            1: [(16, 64), (32, 64), (16, 64)],  # ln: slope 0 through the mean of ln ¼, ln ½, ln ¼
            2: [(16, 64), (0, 64), (4, 64)],  # without the 0: from 1/4 at 1 to 1/16 at 3
            3: [(0, 64), (12, 64), (0, 64)],  # one rate
            4: [(0, 64), (0, 64), (0, 64)],
            5: [(2, 64), (4, 64), (8, 64)],  # doubles: 2ⁿ / 64
        },
        (1, 2, 3),
    )
    found = expected_rates(rates, 5)
    # (¼ · ½ · ¼)^⅓ = 32^(−⅓); ¼ · ½⁴ = 1/64
    assert found[:6].tolist() == pytest.approx([1 / 32, 32 ** (-1 / 3), 1 / 64, 3 / 16, 0, 0.5])
    assert np.isnan(found[6:]).all()
    assert expected_rates(rates, 4)[5] == pytest.approx(0.25)


def test_extrapolated_rates_are_at_most_one_half() -> None:
    rates = rates_of({0: [(40, 64), (48, 64)], 1: [(8, 64), (16, 64)]}, (1, 2))  # 2ⁿ / 16
    assert expected_rates(rates, 2)[0] == 0.75  # measured
    assert expected_rates(rates, 3)[:2].tolist() == pytest.approx([0.5, 0.5])
    assert expected_rates(rates, 50)[:2].tolist() == [0.5, 0.5]


def test_sparse_bins_are_not_extrapolated() -> None:
    rates = rates_of(
        {
            0: [(16, 32), (32, 64), (16, 64)],  # the first is sparse: 1/2 at 2 and 1/4 at 3
            1: [(32, 64), (16, 64), (3, 58)],  # the last is sparse
        },
        (1, 2, 3),
    )
    assert expected_rates(rates, 5)[0] == pytest.approx(1 / 16)
    assert np.isnan(expected_rates(rates, 5)[1])
    # With all bins: ln 1/2, ln 1/2, ln 1/4 have mean −4/3 and slope −1/2 to base 2.
    assert expected_rates(rates, 5, sparse=True)[0] == pytest.approx(2 ** (-4 / 3 - 3 / 2))
    assert expected_rates(rates, 5, sparse=True)[1] > 0
    assert expected_rates(rates, 3)[1] == 3 / 58
    assert np.isnan(expected_rates(rates, 3, sparse=False)[1])


def test_measured_sizes_are_not_extrapolated_or_smoothed() -> None:
    rates = rates_of({0: [(8, 16), (0, 16), (4, 16)]}, (1, 2, 3))
    for smoothing in get_args(Smoothing):
        assert [expected_rates(rates, size, smoothing)[0] for size in (1, 2, 3)] == [0.5, 0, 0.25]
        assert np.isnan(expected_rates(rates, 4, smoothing)[0])  # all bins are sparse


def test_smoothed_rates_are_extrapolated() -> None:
    # 1/2, 1/8, 3/8, 1/4 become 1/2 and three times 1/4, whose logarithms to base 2 are −1, −2, −2, −2.
    # Slope: Σ (n − 2.5)·y / Σ (n − 2.5)² = (1.5 + 1 − 1 − 3) / 5 = −.3; at 5: −1.75 − .3·2.5 = −2.5.
    rates = rates_of({0: [(32, 64), (8, 64), (24, 64), (16, 64)]}, (1, 2, 3, 4))
    assert expected_rates(rates, 5, "isotonic")[0] == pytest.approx(2**-2.5)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 30)), min_size=1, max_size=8))
def test_isotonic_rates_are_those_of_the_min_max_formula(pairs: list[tuple[int, int]]) -> None:
    column = [(min(swaps, count), count) for swaps, count in pairs]
    found = smooth(rates_of({0: column}, tuple(range(1, len(column) + 1))), "isotonic")[:, 0]

    def rate(first: int, last: int) -> float:
        swaps, counts = zip(*column[first : last + 1], strict=True)
        return sum(swaps) / sum(counts)

    for index, value in enumerate(found):  # decreasing: min over first of max over last
        highest = [
            max(rate(first, last) for last in range(index, len(column))) for first in range(index + 1)
        ]
        assert value == pytest.approx(min(highest))


def test_the_difference_needed_computed_by_hand() -> None:
    nan = math.nan
    cases: list[tuple[list[float], float | None]] = [
        ([0.2, 0.1, 0.04, 0.06, 0.05] + [0.0] * 18, 0.02),  # the fourth is above: from the fifth on
        ([0.05] * 23, 0.0),
        ([0.0] * 22 + [0.051], None),
        ([0.3] * 22 + [0.01], 0.2),
        ([nan] * 23, None),
        ([0.3] * 5 + [nan] * 18, None),  # no comparison has a larger difference
        ([0.3, nan, 0.01] + [nan] * 20, 0.005),  # and none is between
        ([0.3, 0.01, nan, 0.02] + [nan] * 19, 0.0025),
        ([nan, 0.01] + [nan] * 21, 0.0025),
    ]
    for rates, wanted in cases:
        assert difference_needed(rates) == wanted


def test_sparse_bins_neither_prevent_nor_support_a_difference() -> None:
    # The bins begin at 0, .0025, .005, .01, .02.
    one_of_three = needed_difference(one_size([100, 100, 100, 3], [20, 10, 4, 1]), 1)
    assert one_of_three == (0.005, None, None)
    none_of_58 = needed_difference(one_size([100, 100, 58, 20], [20, 10, 0, 0]), 1)
    assert none_of_58 == (None, 0.005, None)
    none_of_59 = needed_difference(one_size([100, 100, 59, 20], [20, 10, 0, 0]), 1)
    assert none_of_59 == (0.005, 0.005, None)


def test_intervals_are_percentiles_of_samples_that_are_centred_on_the_estimate() -> None:
    # The rates of 41 resamples are 0, 1, …, 40 %, with mean 20 %; the estimate is 30 %. Deviations are
    # widened by 1.2: the samples are 30 + 1.2 · (−20, …, 20) %. 2.5 % of 41 samples are 1.025: the
    # second of each side is the limit.
    resamples = tuple(one_size([100], [swaps]) for swaps in range(41))
    rates = one_size([100], [30], resamples)
    assert np.sort(rate_samples(rates, 1)[:, 0]) == pytest.approx(0.3 + 0.012 * np.arange(-20, 21))
    interval, *others = rate_intervals(rates, 1)
    assert interval == pytest.approx((0.3 - 0.228, 0.3 + 0.228))
    assert others == [None] * 22


def test_no_swap_among_few_comparisons_is_not_certainty() -> None:
    resamples = tuple(one_size([59, 4], [0, 0]) for _ in range(5))
    first, second, *_ = rate_intervals(one_size([59, 4], [0, 0], resamples), 1)
    # Clopper and Pearson: at the upper limit, n comparisons have no swap with probability .025.
    for interval, count in ((first, 59), (second, 4)):
        assert interval is not None
        assert interval.low == 0
        assert interval.high == pytest.approx(scipy.stats.binomtest(0, count).proportion_ci().high)


def test_the_interval_of_a_difference_is_infinite_if_resamples_have_none() -> None:
    # Two bins with 4 % and 2 %: the samples of the second are 2 % ± 1.2 · 2 % or ± 1.2 · 8 %.
    def rates(spread: int) -> SwapRates:
        resamples = tuple(one_size([100, 100], [4, 10 + sign * spread]) for sign in (-1, 1))
        return one_size([100, 100], [4, 2], resamples)

    assert needed_difference(rates(2), 1) == (0, 0, (0, 0))
    assert needed_difference(rates(8), 1) == (0, 0, (0, math.inf))
