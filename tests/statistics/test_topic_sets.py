"""Topic sets: swap rates, extrapolation and differences by hand and as laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_tables import score_arrays

from xcg.errors import XcgError
from xcg.measures import Order
from xcg.statistics.topic_sets import (
    BIN_STARTS,
    SwapRates,
    best_runs,
    difference_needed,
    extrapolate,
    parallel_swap_rates,
    swap_rates,
    swap_trial,
)

Floats = npt.NDArray[np.float64]


BINS = len(BIN_STARTS)


def test_the_bins_of_the_paper() -> None:
    assert BINS == 23
    assert BIN_STARTS[:5] == (0, 0.0025, 0.005, 0.01, 0.02)
    assert BIN_STARTS[-2:] == (0.19, 0.2)
    # The difference of a trial with two like topics falls into the bin that begins with it.
    for index, start in enumerate(BIN_STARTS):
        for difference, wanted in ((start, index), (start + 0.002, index)):
            topic = [0.3 + difference, 0.3]  # .3 + .01 − .3 is .010000000000000009
            counts, swaps = swap_trial([topic, topic], 1, 0, 0)
            assert counts.tolist() == [int(i == wanted) for i in range(BINS)]
            assert not swaps.any()


def test_a_swap_computed_by_hand() -> None:
    # Two topics of one each, either first. Pairs: 01 is .1 or −.3: a swap; 02 is .1 or 0: none, as 0
    # has no sign; 12 is 0 or .3: none. Bins of .1, .1, 0 (12, 12, 0) or of .3, 0, .3 (22, 0, 22).
    table = np.array([[0.5, 0.4, 0.4], [0.5, 0.8, 0.5]])
    seen = set()
    for trial in range(20):
        counts, swaps = swap_trial(table, 1, seed=7, trial=trial)
        assert counts.dtype.kind == swaps.dtype.kind == "i"
        filled = {int(i): (int(counts[i]), int(swaps[i])) for i in np.flatnonzero(counts)}
        assert filled in ({0: (1, 0), 12: (2, 1)}, {0: (1, 0), 22: (2, 1)})
        seen.add(12 in filled)
    assert seen == {True, False}


def test_the_number_of_comparisons_per_size_is_that_of_the_paper() -> None:
    table = np.random.default_rng(0).random((34, 69)) / 10
    rates = swap_rates(table, sizes=[1, 17])
    assert rates.counts.sum(axis=1).tolist() == [127_500] * 2  # 6.2.2: 51 · 50 · 100 / 2
    assert swap_rates(table, trials=1).sizes == tuple(range(1, 18))


def test_only_the_best_runs_are_compared() -> None:
    # Means .5, .1, .4, .3: of 4 runs, 3 are left. Run 1 would be .2 or more from each of the others.
    table = np.tile([0.5, 0.1, 0.4, 0.3], (2, 1))
    rates = swap_rates(table, trials=10)
    # .1, .1 (bin 12) and .2 (bin 22)
    assert rates.counts[0, [12, 22]].tolist() == [20, 10]
    assert rates.counts.sum() == 30
    assert np.isnan(rates.at(1)[0])
    assert rates.at(1)[[12, 22]].tolist() == [0, 0]


@settings(max_examples=40, deadline=None)
@given(score_arrays(least_rows=2, most_rows=7), st.integers(0, 5), st.integers(1, 5), st.data())
def test_swap_rates_do_not_depend_on_the_order_of_runs(
    table: Floats, seed: int, trials: int, data: st.DataObject
) -> None:
    whole = swap_rates(table, trials=trials + 2, fraction=1, seed=seed)
    assert (whole.swaps <= whole.counts).all()
    known = whole.rates[~np.isnan(whole.rates)]
    assert ((known >= 0) & (known <= 1)).all()
    assert (whole.counts.sum(axis=1) == (trials + 2) * math.comb(table.shape[1], 2)).all()
    # The values depend neither on the order of the runs nor on the direction of the scores.
    order = data.draw(st.permutations(range(table.shape[1])))
    others = [
        swap_rates(table[:, order], trials=trials + 2, fraction=1, seed=seed),
        swap_rates(1 - table, trials=trials + 2, fraction=1, seed=seed),
    ]
    for other in others:
        assert other.trials == whole.trials
        assert np.array_equal(other.counts, whole.counts)
        assert np.array_equal(other.swaps, whole.swaps)
    last = whole.sizes[-1]
    alone = swap_rates(table, sizes=[last], trials=trials + 2, fraction=1, seed=seed)
    assert np.array_equal(alone.counts[0], whole.counts[-1])


def test_runs_with_constant_ranks_have_no_swaps() -> None:
    table = np.random.default_rng(0).random((8, 1)) + np.arange(5) / 50
    rates = swap_rates(table)
    assert not rates.swaps.any()
    assert not np.nan_to_num(extrapolate(rates, 50)).any()


def rates_of(columns: Mapping[int, list[tuple[int, int]]], sizes: tuple[int, ...]) -> SwapRates:
    """Bin → (swaps, counts) per size; the other bins are empty."""
    counts = np.zeros((len(sizes), BINS), np.int64)
    swaps = np.zeros_like(counts)
    for index, column in columns.items():
        swaps[:, index], counts[:, index] = zip(*column, strict=True)
    return SwapRates(sizes, 1, counts, swaps)


def test_extrapolation_computed_by_hand() -> None:
    rates = rates_of(
        {
            0: [(8, 16), (4, 16), (2, 16)],  # 2⁻ⁿ
            1: [(4, 16), (8, 16), (4, 16)],  # ln: slope 0 through the mean of ln ¼, ln ½, ln ¼
            2: [(4, 16), (0, 16), (1, 16)],  # without the 0: from 1/4 at 1 to 1/16 at 3
            3: [(0, 16), (3, 16), (0, 16)],  # one rate
            4: [(0, 16), (0, 16), (0, 16)],
            5: [(1, 16), (2, 16), (4, 16)],  # doubles: 2ⁿ / 32, at most 1
        },
        (1, 2, 3),
    )
    found = extrapolate(rates, 5)
    # (¼ · ½ · ¼)^⅓ = 32^(−⅓); ¼ · ½⁴ = 1/64
    assert found[:6].tolist() == pytest.approx([1 / 32, 32 ** (-1 / 3), 1 / 64, 3 / 16, 0, 1])
    assert np.isnan(found[6:]).all()
    assert extrapolate(rates, 4)[5] == pytest.approx(0.5)


def test_extrapolation_is_least_squares() -> None:
    rates = swap_rates(np.random.default_rng(5).random((20, 8)), trials=30)
    column = rates.rates[:, -1]
    slope, start = np.polyfit(rates.sizes, np.log(column), 1)
    assert extrapolate(rates, 34)[-1] == pytest.approx(min(1, math.exp(start + 34 * slope)))


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
    assert difference_needed([0.3] * 22 + [0.01], level=0.3) == 0


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


def test_illegal_arguments_of_topic_sets_are_errors() -> None:
    table = np.zeros((4, 4))
    rates = swap_rates(table, trials=1)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: swap_rates(np.zeros(4)), "expected topics × runs"),
        (lambda: swap_rates(np.zeros((4, 1))), "at least two runs"),
        (lambda: swap_rates(np.full((4, 4), math.nan)), "not finite"),
        (lambda: swap_rates(np.zeros((1, 4))), "no sizes"),
        (
            lambda: swap_rates(table, sizes=[3]),
            "two disjoint sets of 3 of 4 topics: expected a size from 1 to 2",
        ),
        (lambda: swap_rates(table, sizes=[0]), "two disjoint sets of 0"),
        (lambda: swap_rates(table, trials=0), "0 trials"),
        (lambda: swap_rates(table, fraction=0), "fraction is 0"),
        (lambda: swap_rates(table, fraction=0.25), "0.25 of 4 runs are 1"),
        (lambda: swap_rates(table, seed=-1), "seed of -1"),
        (lambda: rates.at(7), "no swap rates for 7 topics: expected one of 1, 2"),
        (lambda: extrapolate(rates, 0), "0 topics"),
        (lambda: difference_needed([0.1]), "expected one for each of 23 bins"),
        (lambda: difference_needed([0.1] * 23, level=2), "level is 2"),
    ]
    for call, message in cases:
        with pytest.raises(XcgError, match=message):
            call()


def test_the_best_runs_of_a_lower_is_better_measure_have_the_lowest_means() -> None:
    scores = np.array([[5.0, 1.0, 3.0, 2.0], [5.0, 1.0, 3.0, 4.0]])  # means 5, 1, 3 and 3
    higher, lower = (
        best_runs(scores, 0.5, Order(lower_is_better)) for lower_is_better in (False, True)
    )
    assert higher.tolist() == [[5.0, 3.0], [5.0, 3.0]]
    assert lower.tolist() == [[1.0, 3.0], [1.0, 3.0]]


def test_parallel_swap_rates_equal_those_of_each_measure() -> None:
    scores = np.random.default_rng(3).random((8, 6))
    found = parallel_swap_rates({"MAep": scores, "ASL": scores}, trials=30, seed=2)
    for measure, lower_is_better in (("MAep", False), ("ASL", True)):
        alone = swap_rates(scores, trials=30, seed=2, order=Order(lower_is_better))
        assert found[measure].sizes == alone.sizes
        assert np.array_equal(found[measure].counts, alone.counts)
        assert np.array_equal(found[measure].swaps, alone.swaps)
    assert not np.array_equal(found["MAep"].counts, found["ASL"].counts)
