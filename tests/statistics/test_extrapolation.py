"""Extrapolation and smoothing of swap rates, by hand and by independent implementations."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import swap_rates_of

from xcg.statistics.extrapolation import SMOOTHINGS, expected_rates, extrapolate, smooth
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates


def rates_of(columns: Mapping[int, list[tuple[int, int]]], sizes: tuple[int, ...]) -> SwapRates:
    """Bin → (swaps, counts) per size; the other bins are empty."""
    counts = np.zeros((len(sizes), len(BIN_STARTS)), np.int64)
    swaps = np.zeros_like(counts)
    for index, column in columns.items():
        swaps[:, index], counts[:, index] = zip(*column, strict=True)
    return SwapRates(sizes, 1, counts, swaps, 0 * counts)


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
    found = extrapolate(rates, 5)
    # (¼ · ½ · ¼)^⅓ = 32^(−⅓); ¼ · ½⁴ = 1/64
    assert found[:6].tolist() == pytest.approx([1 / 32, 32 ** (-1 / 3), 1 / 64, 3 / 16, 0, 0.5])
    assert np.isnan(found[6:]).all()
    assert extrapolate(rates, 4)[5] == pytest.approx(0.25)


def test_extrapolated_rates_are_at_most_one_half() -> None:
    rates = rates_of({0: [(40, 64), (48, 64)], 1: [(8, 64), (16, 64)]}, (1, 2))  # 2ⁿ / 16
    assert expected_rates(rates, 2)[0] == 0.75  # measured
    assert extrapolate(rates, 3)[:2].tolist() == pytest.approx([0.5, 0.5])
    assert extrapolate(rates, 50)[:2].tolist() == [0.5, 0.5]


def test_sparse_bins_are_not_extrapolated() -> None:
    rates = rates_of(
        {
            0: [(16, 32), (32, 64), (16, 64)],  # the first is sparse: 1/2 at 2 and 1/4 at 3
            1: [(32, 64), (16, 64), (3, 58)],  # the last is sparse
        },
        (1, 2, 3),
    )
    assert extrapolate(rates, 5)[0] == pytest.approx(1 / 16)
    assert np.isnan(extrapolate(rates, 5)[1])
    # With all bins: ln 1/2, ln 1/2, ln 1/4 have mean −4/3 and slope −1/2 to base 2.
    assert extrapolate(rates, 5, sparse=True)[0] == pytest.approx(2 ** (-4 / 3 - 3 / 2))
    assert extrapolate(rates, 5, sparse=True)[1] > 0
    assert expected_rates(rates, 3)[1] == 3 / 58
    assert np.isnan(expected_rates(rates, 3, sparse=False)[1])


def test_extrapolation_is_least_squares() -> None:
    rates = swap_rates_of(np.random.default_rng(5).random((20, 8)), trials=30)
    column = rates.rates[:, -1]
    slope, start = np.polyfit(rates.sizes, np.log(column), 1)
    assert extrapolate(rates, 34, sparse=True)[-1] == pytest.approx(
        min(0.5, math.exp(start + 34 * slope))
    )


def test_runs_with_constant_ranks_have_no_swaps_with_more_topics() -> None:
    rates = swap_rates_of(np.random.default_rng(0).random((8, 1)) + np.arange(5) / 50)
    for smoothing in SMOOTHINGS:
        assert not np.nan_to_num(extrapolate(rates, 50, smoothing)).any()


def test_measured_sizes_are_not_extrapolated_or_smoothed() -> None:
    rates = rates_of({0: [(8, 16), (0, 16), (4, 16)]}, (1, 2, 3))
    for smoothing in SMOOTHINGS:
        assert [expected_rates(rates, size, smoothing)[0] for size in (1, 2, 3)] == [0.5, 0, 0.25]
        assert np.isnan(expected_rates(rates, 4, smoothing)[0])  # all bins are sparse


def test_smoothing_computed_by_hand() -> None:
    rates = rates_of(
        {
            # 1/2, 1/8, 3/8, 1/8: the second and third are 16 + 16 comparisons with 8 swaps
            0: [(8, 16), (2, 16), (6, 16), (1, 8)],
            # 1/4, no comparison, 1/2, 0: 16 + 48 comparisons with 28 swaps are 7/16
            1: [(4, 16), (0, 0), (24, 48), (0, 16)],
        },
        (1, 2, 3, 4),
    )
    assert np.array_equal(smooth(rates, "none"), rates.rates, equal_nan=True)
    isotonic = smooth(rates, "isotonic")
    assert isotonic[:, 0].tolist() == pytest.approx([1 / 2, 1 / 4, 1 / 4, 1 / 8])
    assert isotonic[:, 1].tolist() == pytest.approx([7 / 16, math.nan, 7 / 16, 0], nan_ok=True)
    assert np.isnan(isotonic[:, 2:]).all()


def test_smoothed_rates_are_extrapolated() -> None:
    # 1/2, 1/8, 3/8, 1/4 become 1/2 and three times 1/4, whose logarithms to base 2 are −1, −2, −2, −2.
    # Slope: Σ (n − 2.5)·y / Σ (n − 2.5)² = (1.5 + 1 − 1 − 3) / 5 = −.3; at 5: −1.75 − .3·2.5 = −2.5.
    rates = rates_of({0: [(32, 64), (8, 64), (24, 64), (16, 64)]}, (1, 2, 3, 4))
    assert extrapolate(rates, 5, "isotonic")[0] == pytest.approx(2**-2.5)


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
