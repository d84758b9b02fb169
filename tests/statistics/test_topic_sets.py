"""Topic sets: swap rates, extrapolation and differences by hand and as laws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import score_arrays, swap_rates_of

from xcg.errors import XcgError
from xcg.measures import Order
from xcg.statistics.intervals import random_generator
from xcg.statistics.topic_sets import (
    BIN_STARTS,
    MIN_COMPARISONS,
    RunSummary,
    SwapRates,
    summarise_runs,
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
            filled = [int(i == wanted) for i in range(BINS)]
            found = swap_rates_of([topic, topic], trials=1, fraction=1)
            counts, ties = found.counts[0], found.ties[0]
            assert (ties if difference == 0 else counts).tolist() == filled
            assert counts.sum() + ties.sum() == 1
            assert not found.swaps.any()


def test_the_number_of_comparisons_per_size_is_that_of_the_paper() -> None:
    table = np.random.default_rng(0).random((34, 69)) / 10
    rates = swap_rates_of(table, trials=2)
    assert rates.sizes == tuple(range(1, 18))
    assert rates.counts.sum(axis=1).tolist() == [2 * 51 * 50 / 2] * 17  # 6.2.2, with 100 trials


def test_only_the_best_runs_are_compared() -> None:
    # Means .5, .1, .4, .3: of 4 runs, 3 are left. Run 1 would be .2 or more from each of the others.
    table = np.tile([0.5, 0.1, 0.4, 0.3], (2, 1))
    rates = swap_rates_of(table, trials=10)
    # .1, .1 (bin 12) and .2 (bin 22)
    assert rates.counts[0, [12, 22]].tolist() == [20, 10]
    assert rates.counts.sum() == 30
    assert np.isnan(rates.rates[0, 0])
    assert rates.rates[0, [12, 22]].tolist() == [0, 0]


def test_the_summary_of_runs_computed_by_hand() -> None:
    # Means .5, .1, .4, .3; the best three of four have mean .4, deviations .1, 0, −.1: √(.02 / 2) = .1.
    table = [[0.6, 0.0, 0.4, 0.5], [0.4, 0.2, 0.4, 0.1]]
    assert summarise_runs(table) == pytest.approx(RunSummary(3, 0.4, 0.1, 0.5))
    # The lowest three: mean .8 / 3
    found = summarise_runs(table, Order(lower_is_better=True))
    assert (found.runs, found.mean, found.best) == pytest.approx((3, 0.8 / 3, 0.1))


def test_cumulated_shares_computed_by_hand() -> None:
    table = np.tile([0.5, 0.4, 0.3], (2, 1))  # .1, .1 and .2: bins 12, 12 and 22
    shares = swap_rates_of(table, fraction=1).cumulated_shares[0]
    assert shares.tolist() == [0] * 12 + [pytest.approx(2 / 3)] * 10 + [1]


@given(score_arrays(least_rows=2, most_rows=7), st.integers(0, 5), st.integers(1, 5), st.data())
def test_swap_rates_do_not_depend_on_the_order_of_runs(
    table: Floats, seed: int, trials: int, data: st.DataObject
) -> None:
    whole = swap_rates_of(table, trials=trials + 2, fraction=1, seed=seed)
    assert (whole.swaps <= whole.counts).all()
    known = whole.rates[~np.isnan(whole.rates)]
    assert ((known >= 0) & (known <= 1)).all()
    comparisons = (whole.counts + whole.ties).sum(axis=1)
    assert (comparisons == (trials + 2) * math.comb(table.shape[1], 2)).all()
    # The values depend neither on the order of the runs nor on the direction of the scores.
    order = data.draw(st.permutations(range(table.shape[1])))
    others = [
        swap_rates_of(table[:, order], trials=trials + 2, fraction=1, seed=seed),
        swap_rates_of(1 - table, trials=trials + 2, fraction=1, seed=seed),
    ]
    for other in others:
        assert np.array_equal(other.counts, whole.counts)
        assert np.array_equal(other.swaps, whole.swaps)
        assert np.array_equal(other.ties, whole.ties)


def test_illegal_arguments_of_topic_sets_are_errors() -> None:
    table = np.zeros((4, 4))
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: swap_rates_of(table, fraction=0.25), "0.25 of 4 runs are 1"),
        (lambda: swap_rates_of(table, seed=-1), "seed of -1"),
        (lambda: summarise_runs(np.zeros((2, 2))), "0.75 of 2 runs are 1"),
    ]
    for call, message in cases:
        with pytest.raises(XcgError, match=message):
            call()


def test_counts_swaps_and_ties_agree_with_a_loop() -> None:
    table = np.random.default_rng(8).integers(0, 3, (9, 5)) / 20
    found = swap_rates_of(table, trials=30, fraction=1, seed=4)
    wanted = np.zeros((3, BINS), np.int64)
    for trial in range(30):
        drawn = random_generator(4, 2, trial).permutation(9)
        for a, b in itertools.combinations(range(5), 2):
            first, second = (
                round(sum(table[t, a] - table[t, b] for t in topics) / 2, 9)
                for topics in (drawn[:2], drawn[2:4])
            )
            bin_ = max(i for i, start in enumerate(BIN_STARTS) if start <= abs(first))
            if first * second == 0:
                wanted[2, bin_] += 1
            else:
                wanted[:2, bin_] += 1, first * second < 0
    assert np.array_equal([found.counts[1], found.swaps[1], found.ties[1]], wanted)


def test_bins_with_less_than_59_comparisons_are_sparse() -> None:
    assert 0.95**MIN_COMPARISONS < 0.05 < 0.95 ** (MIN_COMPARISONS - 1)
    counts = np.array([[58, 59]])
    assert SwapRates((1,), counts, counts, counts).sparse.tolist() == [[True, False]]
