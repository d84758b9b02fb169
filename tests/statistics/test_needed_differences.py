"""The difference needed and intervals of swap rates, by hand and as laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from xcg.statistics.extrapolation import (
    difference_needed,
    needed_difference,
    rate_intervals,
    rate_samples,
)
from xcg.statistics.topic_sets import (
    BIN_STARTS,
    RELATIVE_BIN_STARTS,
    SwapRates,
    swap_rates,
)


def rates_of(counts: list[int], swaps: list[int], resamples: tuple[SwapRates, ...] = ()) -> SwapRates:
    """Return swap rates for one topic; the bins that are not given have no comparisons."""
    arrays = np.zeros((2, 1, len(BIN_STARTS)), np.int64)
    arrays[0, 0, : len(counts)], arrays[1, 0, : len(swaps)] = counts, swaps
    return SwapRates((1,), 1, arrays[0], arrays[1], 0 * arrays[0], None, resamples)


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
    assert difference_needed([0.3, 0.04] + [0.0] * 21, bin_starts=RELATIVE_BIN_STARTS) == 0.025


@given(st.lists(st.sampled_from([0.0, 0.05, 0.06, 0.5, math.nan]), min_size=23, max_size=23))
def test_all_bins_from_the_difference_needed_are_reliable(rates: list[float]) -> None:
    needed = difference_needed(rates)
    seen = [
        (border, rate) for border, rate in zip(BIN_STARTS, rates, strict=True) if not math.isnan(rate)
    ]
    if needed is None:
        assert not seen or seen[-1][1] > 0.05
        return
    assert all(rate <= 0.05 for border, rate in seen if border >= needed)
    below = [rate for border, rate in seen if border < needed]
    assert not below or below[-1] > 0.05  # it is the smallest such difference


def test_sparse_bins_neither_prevent_nor_support_a_difference() -> None:
    # The bins begin at 0, .0025, .005, .01, .02.
    one_of_three = needed_difference(rates_of([100, 100, 100, 3], [20, 10, 4, 1]), 1)
    assert one_of_three == (0.005, None, None)
    none_of_58 = needed_difference(rates_of([100, 100, 58, 20], [20, 10, 0, 0]), 1)
    assert none_of_58 == (None, 0.005, None)
    none_of_59 = needed_difference(rates_of([100, 100, 59, 20], [20, 10, 0, 0]), 1)
    assert none_of_59 == (0.005, 0.005, None)


def test_intervals_are_percentiles_of_samples_that_are_centred_on_the_estimate() -> None:
    # The rates of 41 resamples are 0, 1, …, 40 %, with mean 20 %; the estimate is 30 %. Deviations are
    # widened by 1.2: the samples are 30 + 1.2 · (−20, …, 20) %. 2.5 % of 41 samples are 1.025: the
    # second of each side is the limit.
    resamples = tuple(rates_of([100], [swaps]) for swaps in range(41))
    rates = rates_of([100], [30], resamples)
    assert np.sort(rate_samples(rates, 1)[:, 0]) == pytest.approx(0.3 + 0.012 * np.arange(-20, 21))
    interval, *others = rate_intervals(rates, 1)
    assert interval == pytest.approx((0.3 - 0.228, 0.3 + 0.228))
    assert others == [None] * 22


def test_no_swap_among_few_comparisons_is_not_certainty() -> None:
    resamples = tuple(rates_of([59, 4], [0, 0]) for _ in range(5))
    first, second, *_ = rate_intervals(rates_of([59, 4], [0, 0], resamples), 1)
    # Clopper and Pearson: at the upper limit, n comparisons have no swap with probability .025.
    for interval, count in ((first, 59), (second, 4)):
        assert interval is not None
        assert interval.low == 0
        assert interval.high == pytest.approx(scipy.stats.binomtest(0, count).proportion_ci().high)


def test_the_interval_of_a_difference_is_infinite_if_resamples_have_none() -> None:
    # Two bins with 4 % and 2 %: the samples of the second are 2 % ± 1.2 · 2 % or ± 1.2 · 8 %.
    def rates(spread: int) -> SwapRates:
        resamples = tuple(rates_of([100, 100], [4, 10 + sign * spread]) for sign in (-1, 1))
        return rates_of([100, 100], [4, 2], resamples)

    assert needed_difference(rates(2), 1) == (0, 0, (0, 0))
    assert needed_difference(rates(8), 1) == (0, 0, (0, math.inf))


def test_intervals_contain_the_estimates() -> None:
    scores = np.random.default_rng(2).random((12, 8))
    (rates,) = swap_rates({"MAep": scores}, 30, 0, resamples=40).values()
    for size in (3, 6, 40):
        for interval, samples in zip(
            rate_intervals(rates, size), rate_samples(rates, size).T, strict=True
        ):
            if interval is not None:
                assert 0 <= interval.low <= np.nanmean(samples) <= interval.high <= 1
    assert max(interval.high for interval in rate_intervals(rates, 40) if interval) <= 0.5
