"""Topic-set size: how often other topics reverse the order of two runs, and reliable differences.

Section 6.2.2 of Kazai and Lalmas 2006 (KL). Rates are extrapolated to more topics.
Swap rates are the same for lower-is-better measures; only the best runs depend on the order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import HIGHER_IS_BETTER, Order
from xcg.statistics.intervals import random_generator
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Floats, standard_deviation

Counts = npt.NDArray[np.int64]

TRIALS = 100
BEST_FRACTION = 0.75
"""Fraction of the runs to compare; those with the best means, rounded down."""

MIN_COMPARISONS = 59
"""Comparisons that a bin needs; a bin with fewer is sparse.

If 5 % of all comparisons were swaps, 59 independent comparisons without a swap would have a probability
of 0.95⁵⁹ < 5 %. With fewer comparisons, not even a swap rate of 0 is evidence for a rate below 5 %.
"""

BIN_STARTS = (0.0, 0.0025, 0.005, *(i / 100 for i in range(1, 21)))
"""Lower limits of the 23 bins of differences; the last bin has no upper limit."""

HIGHEST_RATE = 0.5
"""Highest expected swap rate: that of two equal runs."""

RELIABLE = 0.05
"""Swap rate up to which a difference is reliable: the confidence is 95 %."""


@dataclass(frozen=True, eq=False)
class SwapRates:
    """How often the order of two runs is reversed, by topic-set size and difference.

    Args:
        sizes: Numbers of topics.
        counts: Number of comparisons in which the two runs differ on both topic sets, with shape
            (sizes, bins); see :data:`BIN_STARTS`.
        swaps: Number of comparisons that the second topic set reverses; same shape.
        ties: Number of comparisons in which the two runs are equal on one or both topic sets; same
            shape. They are neither swaps nor agreements, and are not in ``counts``.
    """

    sizes: tuple[int, ...]
    counts: Counts
    swaps: Counts
    ties: Counts

    @property
    def sparse(self) -> npt.NDArray[np.bool_]:
        """Whether bins have fewer than :data:`MIN_COMPARISONS` comparisons; shape (sizes, bins)."""
        found: npt.NDArray[np.bool_] = self.counts < MIN_COMPARISONS
        return found

    @property
    def rates(self) -> Floats:
        """Swaps / counts, from 0 to 1; NaN in bins without comparisons."""
        empty: Floats = np.full(self.counts.shape, np.nan)
        return np.divide(self.swaps, self.counts, out=empty, where=self.counts > 0)

    @property
    def cumulated_shares(self) -> Floats:
        """For each size and bin, the share of comparisons in this and all lower bins, 0 to 1.

        KL (6.2.2) report at least 94 % up to the twelfth bin, and over 99 % with 7 or more topics.
        """
        comparisons = self.counts.cumsum(axis=1).astype(np.float64)
        shares: Floats = comparisons / np.maximum(comparisons[:, -1:], 1)
        return shares


def best_runs(scores: Floats, order: Order = HIGHER_IS_BETTER) -> Floats:
    """Return the columns of the runs with the best means, in their order; of equal runs the first."""
    kept = math.floor(BEST_FRACTION * scores.shape[1])
    if kept < 2:
        raise XcgError(
            f"{BEST_FRACTION:g} of {scores.shape[1]} runs are {kept}: expected at least two runs"
        )
    means = np.round(scores.mean(axis=0), DIGITS)
    best_first = np.argsort(means if order.lower_is_better else -means, kind="stable")
    return scores[:, np.sort(best_first[:kept])]


class RunSummary(NamedTuple):
    """Number of the runs that a study compares; mean, deviation and best of their mean scores."""

    runs: int
    mean: float
    deviation: float
    best: float


def summarise_runs(scores: npt.ArrayLike, order: Order = HIGHER_IS_BETTER) -> RunSummary:
    """Summarise the mean scores of the best runs over all topics.

    KL (6.2.2) report a mean of 0.05, a standard deviation of 0.02 and a best score of 0.107 for MAep.

    Args:
        scores: Array of shape (topics, runs), at least 1 × 2.
        order: The order of the measure's values.

    Raises:
        XcgError: If fewer than two runs are left.

    >>> summarise_runs([[0.25, 0.5, 0.0], [0.25, 1.0, 0.0]])
    RunSummary(runs=2, mean=0.5, deviation=0.3535533905932738, best=0.75)
    """
    means = best_runs(np.asarray(scores, np.float64), order).mean(axis=0)
    best = float(means.min() if order.lower_is_better else means.max())
    return RunSummary(len(means), math.fsum(means) / len(means), standard_deviation(means), best)


def swap_rates(
    scores: Floats,
    order: Order = HIGHER_IS_BETTER,
    trials: int = TRIALS,
    seed: int = 0,
) -> SwapRates:
    """Compare the order of each pair of runs on disjoint topic sets of the same size.

    A trial draws two sets of n topics. The difference of two runs' means on the first set selects the
    bin. The comparison is a swap if the order on the second set is strictly reversed, and a tie if the
    runs are equal on one of the sets. KL (6.2.2) used 34 topics, the best 51 of 69 runs, and 100
    trials; the method is by Voorhees and Buckley 2002.

    Args:
        scores: Array of shape (topics, runs), with at least two topics.
        order: The order of the measure's values.
        trials: Number of trials for each size, at least 1.
        seed: At least 0.

    Returns:
        The rates for 1 to ⌊topics / 2⌋ topics.

    Raises:
        XcgError: If fewer than two runs are left.

    >>> scores = np.array([[0.5, 0.3, 0.0], [0.2, 0.4, 0.0]])  # differences of 0.2, all reversed
    >>> found = swap_rates(scores)  # of the best two
    >>> found.sizes, found.counts[0, -2:].tolist(), found.swaps[0, -2:].tolist()
    ((1,), [0, 100], [0, 100])
    """
    compared = best_runs(scores, order)
    topics, runs = compared.shape
    i, j = np.triu_indices(runs, 1)
    sizes = range(1, topics // 2 + 1)
    totals = np.zeros((3, len(sizes), len(BIN_STARTS)), np.int64)
    for size, trial in product(sizes, range(trials)):
        drawn = random_generator(seed, size, trial).permutation(topics)
        means = [compared[half].mean(axis=0) for half in (drawn[:size], drawn[size : 2 * size])]
        totals[:, size - 1] += _count(*(mean[i] - mean[j] for mean in means))
    return SwapRates(tuple(sizes), *totals)


def _count(first: Floats, second: Floats) -> Counts:
    """Return the comparisons without ties, the swaps and the ties by bin."""
    rounding = ROUNDING / 2
    tied = (np.abs(first) <= rounding) | (np.abs(second) <= rounding)
    swapped = ~tied & ((first > 0) != (second > 0))
    bins = np.searchsorted(np.subtract(BIN_STARTS, rounding), np.abs(first), side="right") - 1
    return np.array(
        [np.bincount(bins[kind], minlength=len(BIN_STARTS)) for kind in (~tied, swapped, tied)]
    )


def expected_rates(rates: SwapRates, topics: int) -> Floats:
    """Return the measured swap rates for a number of topics, or extrapolate them.

    For each bin, rate(n) = exp(a + b·n) is the least-squares fit of ln(rate) against the number of
    topics, as GROWTH in Excel computes it (KL 6.2.2, Figures 9b and 9d). Rates of 0 have no logarithm
    and are left out of the fit, as are rates of sparse bins. A bin that is sparse at the largest size
    has no rate, because such differences hardly occur with more topics. The order of two equal runs is
    reversed half of the time, so no extrapolated rate is above 0.5. Measured rates can exceed it:
    disjoint sets of a small collection differ more than independent ones. KL smooth the rates before
    the fit in a way that they do not describe (footnote 18); here they are not smoothed.

    Args:
        rates: Swap rates for at least one size.
        topics: Number of topics, at least 1.

    Returns:
        Rates by bin, extrapolated ones from 0 to 0.5. A bin with one rate above 0 has that rate for any
        number of topics; a bin with rates of 0 has 0; a bin without usable rates has NaN.

    >>> counts, swaps = np.full((2, 23), 80), np.array([[40] * 23, [20] * 23])  # 1/2, 1/4
    >>> rates = SwapRates((1, 2), counts, swaps, 0 * counts)
    >>> round(float(expected_rates(rates, 4)[0]), 4)  # 1/16
    0.0625
    """
    if topics in rates.sizes:
        measured: Floats = rates.rates[rates.sizes.index(topics)]
        return measured
    sizes = np.array(rates.sizes, np.float64)
    found = np.full(rates.counts.shape[1], np.nan)
    usable = np.where(rates.sparse | rates.sparse[-1], np.nan, rates.rates)
    for bin_, column in enumerate(usable.T):
        positive = column > 0
        if positive.any():
            found[bin_] = _growth(sizes[positive], column[positive], topics)
        elif not np.isnan(column).all():
            found[bin_] = 0.0
    return found


def _growth(sizes: Floats, rates: Floats, topics: int) -> float:
    """Return the exponential least-squares fit for a number of topics, at most 0.5."""
    logarithms = np.log(rates)
    centred = sizes - sizes.mean()
    squares = float((centred**2).sum())
    slope = float((centred * logarithms).sum()) / squares if squares else 0.0
    exponent = float(logarithms.mean()) + slope * (topics - float(sizes.mean()))
    return min(HIGHEST_RATE, math.exp(min(0.0, exponent)))


def difference_needed(rates: SwapRates, topics: int) -> float | None:
    """Return the smallest difference that is reliable with a number of topics, or None.

    It is the start of the first bin from which all bins have a swap rate of at most 5 %
    (KL 6.2.2, where MAep needs 0.05 with 17 topics; Voorhees and Buckley 2002). Sparse bins
    (:attr:`SwapRates.sparse`) are not used: a single swap among few comparisons would require too large
    differences, and no swap among few is not evidence.

    >>> counts = np.array([[100] * 4 + [3] + [0] * 18])
    >>> swaps = np.array([[20, 10, 4, 3, 1] + [0] * 18])
    >>> difference_needed(SwapRates((1,), counts, swaps, 0 * counts), 1)
    0.005
    """
    expected = expected_rates(rates, topics)
    if topics in rates.sizes:
        expected[rates.sparse[rates.sizes.index(topics)]] = np.nan
    needed = None
    for start, rate in reversed(list(zip(BIN_STARTS, expected.tolist(), strict=True))):
        if rate > RELIABLE + ROUNDING:
            break
        if not math.isnan(rate):
            needed = start
    return needed
