"""Extrapolated swap rates and the differences needed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from xcg.statistics.topic_sets import BIN_STARTS, SwapRates, difference_needed, expected_rates


def rates_of(columns: Mapping[int, list[tuple[int, int]]], sizes: tuple[int, ...]) -> SwapRates:
    """Bin → (swaps, counts) per size; the other bins are empty."""
    counts = np.zeros((len(sizes), len(BIN_STARTS)), np.int64)
    swaps = np.zeros_like(counts)
    for index, column in columns.items():
        swaps[:, index], counts[:, index] = zip(*column, strict=True)
    return SwapRates(sizes, counts, swaps, 0 * counts)


def one_size(counts: list[int], swaps: list[int]) -> SwapRates:
    """Return swap rates for one topic, of the first bins."""
    return rates_of({index: [pair] for index, pair in enumerate(zip(swaps, counts, strict=True))}, (1,))


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
    assert expected_rates(rates, 3)[1] == 3 / 58


def test_measured_sizes_are_not_extrapolated() -> None:
    rates = rates_of({0: [(8, 16), (0, 16), (4, 16)]}, (1, 2, 3))
    assert [expected_rates(rates, size)[0] for size in (1, 2, 3)] == [0.5, 0, 0.25]
    assert np.isnan(expected_rates(rates, 4)[0])  # all bins are sparse


def test_the_difference_needed_computed_by_hand() -> None:
    cases: list[tuple[list[int], float | None]] = [  # swaps in 1,000 comparisons
        ([200, 100, 40, 60, 50] + [0] * 18, 0.02),  # the fourth is above: from the fifth on
        ([50] * 23, 0.0),
        ([0] * 22 + [51], None),
        ([300] * 22 + [10], 0.2),
        ([], None),
        ([300] * 5, None),  # no comparison has a larger difference
    ]
    for swaps, wanted in cases:
        assert difference_needed(one_size([1000] * len(swaps), swaps), 1) == wanted


def test_sparse_bins_neither_prevent_nor_support_a_difference() -> None:
    # The bins begin at 0, .0025, .005, .01, .02.
    cases = [
        ([100, 100, 100, 3], [20, 10, 4, 1], 0.005),
        ([100, 100, 58, 20], [20, 10, 0, 0], None),
        ([100, 100, 59, 20], [20, 10, 0, 0], 0.005),
        ([100, 3, 100, 3], [20, 1, 4, 1], 0.005),
        ([100, 100, 3, 100, 3], [20, 4, 1, 4, 1], 0.0025),
    ]
    for counts, swaps, wanted in cases:
        assert difference_needed(one_size(counts, swaps), 1) == wanted
