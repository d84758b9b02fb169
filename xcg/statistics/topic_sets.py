"""Topic-set size: how often other topics reverse the order of two runs, and reliable differences.

Section 6.2.2 of Kazai and Lalmas 2006 (KL). Rates are extrapolated to more topics.
Swap rates are the same for lower-is-better measures; only the best runs depend on the order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.parallel import ONE_PROCESS, Executor, Progress
from xcg.lazy_modules import np, npt
from xcg.measures import MEASURES
from xcg.measures.definition import HIGHER_IS_BETTER, Order
from xcg.statistics.intervals import (
    Interval,
    centre,
    percentile_interval,
    random_generator,
    resampled_topics,
)
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Floats, matrix_product, standard_deviation

Counts = npt.NDArray[np.int64]

TRIALS = 100
BEST_FRACTION = 0.75
"""Fraction of the runs to compare; those with the best means, rounded down."""
_TRIALS_AT_ONCE = 25
_RESAMPLES_PER_TASK = 20

MIN_COMPARISONS = 59
"""Comparisons that a bin needs; a bin with fewer is sparse.

If 5 % of all comparisons were swaps, 59 independent comparisons without a swap would have a probability
of 0.95⁵⁹ < 5 %. With fewer comparisons, not even a swap rate of 0 is evidence for a rate below 5 %.
"""

BIN_STARTS = (0.0, 0.0025, 0.005, *(i / 100 for i in range(1, 21)))
"""Lower limits of the 23 bins of differences; the last bin has no upper limit."""


@dataclass(frozen=True, eq=False)
class SwapRates:
    """How often the order of two runs is reversed, by topic-set size and difference.

    Args:
        sizes: Numbers of topics.
        trials: Number of trials for each size.
        counts: Number of comparisons in which the two runs differ on both topic sets, with shape
            (sizes, bins); see :data:`BIN_STARTS`.
        swaps: Number of comparisons that the second topic set reverses; same shape.
        ties: Number of comparisons in which the two runs are equal on one or both topic sets; same
            shape. They are neither swaps nor agreements, and are not in ``counts``.
        resamples: The same for topics drawn with replacement, for intervals.
    """

    sizes: tuple[int, ...]
    trials: int
    counts: Counts
    swaps: Counts
    ties: Counts
    resamples: tuple[SwapRates, ...] = ()

    @property
    def sparse(self) -> npt.NDArray[np.bool_]:
        """Whether bins have fewer than :data:`MIN_COMPARISONS` comparisons; shape (sizes, bins)."""
        found: npt.NDArray[np.bool_] = self.counts < MIN_COMPARISONS
        return found

    def pooled(self, bins: int) -> SwapRates:
        """Return the rates of the first bins as one bin, so that all comparisons have equal weight."""
        counts, swaps, ties = (
            array[:, :bins].sum(axis=1, keepdims=True) for array in (self.counts, self.swaps, self.ties)
        )
        resamples = tuple(resample.pooled(bins) for resample in self.resamples)
        return replace(self, counts=counts, swaps=swaps, ties=ties, resamples=resamples)

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

    def at(self, size: int) -> Floats:
        """Return the rates for one topic-set size by bin."""
        rates: Floats = self.rates[self.sizes.index(size)]
        return rates


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
        XcgError: If the array has another shape or a value that is not finite, or fewer than two runs
            are left.

    >>> summarise_runs([[0.25, 0.5, 0.0], [0.25, 1.0, 0.0]])
    RunSummary(runs=2, mean=0.5, deviation=0.3535533905932738, best=0.75)
    """
    means = best_runs(np.asarray(scores, np.float64), order).mean(axis=0)
    best = float(means.min() if order.lower_is_better else means.max())
    return RunSummary(len(means), math.fsum(means) / len(means), standard_deviation(means), best)


def swap_rates(
    scores: Mapping[str, Floats],
    trials: int = TRIALS,
    seed: int = 0,
    executor: Executor = ONE_PROCESS,
    progress: Progress | None = None,
    resamples: int = 0,
    sizes: Sequence[int] | None = None,
) -> dict[str, SwapRates]:
    """Compare the order of each pair of runs on disjoint topic sets of the same size.

    A trial draws two sets of n topics. The difference of two runs' means on the first set selects the
    bin. The comparison is a swap if the order on the second set is strictly reversed, and a tie if the
    runs are equal on one of the sets. KL (6.2.2) used 34 topics, the best 51 of 69 runs, and 100
    trials; the method is by Voorhees and Buckley 2002.

    The result does not depend on the number of workers.

    Args:
        scores: For each measure, an array of shape (topics, runs); the same topics for all measures.
        trials: Number of trials for each size, at least 1.
        seed: At least 0.
        executor: Where the tasks run.
        progress: Called with the number of finished and of all tasks.
        resamples: Number of bootstrap resamples of the topics, at least 0; each repeats all trials. The
            compared runs are those of the collection.
        sizes: Topic-set sizes; by default 1 to ⌊topics / 2⌋.

    Returns:
        Swap rates by measure.

    Raises:
        XcgError: If a size does not fit twice, or fewer than two runs are left; and as
            :meth:`xcg.evaluation.parallel.Executor.run`.

    >>> scores = np.array([[0.5, 0.3, 0.0], [0.2, 0.4, 0.0]])  # differences of 0.2, all reversed
    >>> found = swap_rates({"MAep": scores})["MAep"]  # of the best two
    >>> found.sizes, found.counts[0, -2:].tolist(), found.swaps[0, -2:].tolist()
    ((1,), [0, 100], [0, 100])
    """
    arrays = {
        measure: best_runs(np.asarray(array), MEASURES.order(measure))
        for measure, array in scores.items()
    }
    chosen = tuple(sizes or range(1, len(next(iter(arrays.values()))) // 2 + 1))
    numbers = [None, *range(resamples)]
    blocks = [
        tuple(numbers[start : start + _RESAMPLES_PER_TASK])
        for start in range(0, len(numbers), _RESAMPLES_PER_TASK)
    ]
    results = iter(
        executor.run(
            run_trials,
            [(arrays[m], n, trials, seed, block) for m, n, block in product(arrays, chosen, blocks)],
            progress=progress,
        )
    )
    found = {}
    for measure in arrays:
        by_size = np.array([[total for _ in blocks for total in next(results)] for _ in chosen])
        rates, *resampled = (
            SwapRates(chosen, trials, counts, swaps, ties)
            for counts, swaps, ties in by_size.transpose(1, 2, 0, 3)
        )
        found[measure] = replace(rates, resamples=tuple(resampled))
    return found


def run_trials(
    scores: Floats, size: int, trials: int, seed: int, resamples: tuple[int | None, ...]
) -> list[list[list[int]]]:
    """Return comparisons, swaps and ties by bin for each resample; None for the topics themselves."""
    topics, runs = scores.shape
    if not 1 <= size <= topics // 2:
        raise XcgError(
            f"two disjoint sets of {size} of {topics} topics: expected a size from 1 to {topics // 2}"
        )
    totals = np.zeros((len(resamples), 3, len(BIN_STARTS)), dtype=np.int64)
    i, j = np.triu_indices(runs, 1)
    tables = [
        scores if number is None else scores[resampled_topics(topics, seed, number)]
        for number in resamples
    ]
    for start in range(0, trials, _TRIALS_AT_ONCE):
        numbers = range(start, min(start + _TRIALS_AT_ONCE, trials))
        drawn = np.array([random_generator(seed, size, n).permutation(topics) for n in numbers])
        # Row t of these matrices has 1 / size for the topics of a set of trial t.
        sets = np.zeros((2, len(drawn), topics))
        np.put_along_axis(sets[0], drawn[:, :size], 1 / size, axis=1)
        np.put_along_axis(sets[1], drawn[:, size : 2 * size], 1 / size, axis=1)
        for total, table in zip(totals, tables, strict=True):
            means = np.stack([matrix_product(one, table) for one in sets])
            differences = means[..., i] - means[..., j]
            total += _count(*differences)  # noqa: PLW2901 - adds to totals
    return totals.tolist()


def _count(first: Floats, second: Floats) -> Counts:
    """Return the comparisons without ties, the swaps and the ties by bin."""
    rounding = ROUNDING / 2
    sizes = np.abs(first)
    tied = (sizes <= rounding) | (np.abs(second) <= rounding)
    bins = np.searchsorted(np.subtract(BIN_STARTS, rounding), sizes, side="right") - 1
    kinds = np.where(tied, 2, (first > 0) != (second > 0))
    shape = 3, len(BIN_STARTS)
    same, swaps, ties = np.bincount(
        (kinds * shape[1] + bins).ravel(), minlength=shape[0] * shape[1]
    ).reshape(shape)
    return np.array([same + swaps, swaps, ties])


Smoothing = Literal["none", "isotonic"]

HIGHEST_RATE = 0.5
"""Highest expected swap rate: that of two equal runs."""

_WIDENING = 1.2
"""Factor of deviations. In simulations, the standard deviation of resamples is up to 15 % too small."""

RELIABLE = 0.05
"""Swap rate up to which a difference is reliable: the confidence is 95 %."""


def expected_rates(
    rates: SwapRates, topics: int, smoothing: Smoothing = "none", sparse: bool | None = None
) -> Floats:
    """Return the measured swap rates for a number of topics, or extrapolate them.

    Measured rates are not smoothed. Otherwise, for each bin, rate(n) = exp(a + b·n) is the
    least-squares fit of ln(rate) against the number of topics, as GROWTH in Excel computes it (KL
    6.2.2, Figures 9b and 9d, footnote 18). Rates of 0 have no logarithm and are left out of the fit, as
    are rates of sparse bins. A bin that is sparse at the largest size has no rate, because such
    differences hardly occur with more topics. The order of two equal runs is reversed half of the time,
    so no extrapolated rate is above 0.5. Measured rates can exceed it: disjoint sets of a small
    collection differ more than independent ones.

    Args:
        rates: Swap rates for at least one size.
        topics: Number of topics, at least 1.
        smoothing: How the rates are smoothed before the fit; see :func:`smooth`. KL smoothed them in a
            way that they do not describe.
        sparse: Whether rates of sparse bins are used too; by default only measured ones.

    Returns:
        Rates by bin, extrapolated ones from 0 to 0.5. A bin with one rate above 0 has that rate for any
        number of topics; a bin with rates of 0 has 0; a bin without usable rates has NaN.

    >>> counts, swaps = np.full((2, 23), 80), np.array([[40] * 23, [20] * 23])  # 1/2, 1/4
    >>> rates = SwapRates((1, 2), 1, counts, swaps, 0 * counts)
    >>> round(float(expected_rates(rates, 4)[0]), 4)  # 1/16
    0.0625
    """
    if topics in rates.sizes:
        found = rates.at(topics)
        if sparse is False:
            found[rates.sparse[rates.sizes.index(topics)]] = np.nan
        return found
    sizes = np.array(rates.sizes, np.float64)
    found = np.full(rates.counts.shape[1], np.nan)
    measured = smooth(rates, smoothing)
    if not sparse:
        measured[rates.sparse | rates.sparse[-1]] = np.nan
    for bin_, column in enumerate(measured.T):
        if np.isnan(column).all():
            continue
        positive = np.isfinite(column) & (column > 0)
        found[bin_] = _growth(sizes[positive], column[positive], topics) if positive.any() else 0.0
    return found


def _growth(sizes: Floats, rates: Floats, topics: int) -> float:
    """Return the exponential least-squares fit for a number of topics, at most 0.5."""
    logarithms = np.log(rates)
    centred = sizes - sizes.mean()
    squares = float((centred**2).sum())
    slope = float((centred * logarithms).sum()) / squares if squares else 0.0
    exponent = float(logarithms.mean()) + slope * (topics - float(sizes.mean()))
    return min(HIGHEST_RATE, math.exp(min(0.0, exponent)))


def smooth(rates: SwapRates, smoothing: Smoothing) -> Floats:
    """Smooth the swap rates of each bin over the topic-set sizes, with shape (sizes, bins).

    ``isotonic`` are the closest rates (weighted least squares) that never increase with the number of
    topics. Sizes are weighted by their number of comparisons. Bins without comparisons stay NaN.

    >>> swaps = np.array([[4] * 23, [0] * 23, [2] * 23])
    >>> rates = SwapRates((1, 2, 3), 1, np.full((3, 23), 8), swaps, 0 * swaps)  # 1/2, 0, 1/4
    >>> smooth(rates, "isotonic")[:, 0].tolist()
    [0.5, 0.125, 0.125]
    """
    smoothed = rates.rates
    if smoothing == "none":
        return smoothed
    from scipy.optimize import isotonic_regression

    for column, counts in zip(smoothed.T, rates.counts.T, strict=True):
        known = counts > 0
        if known.any():
            column[known] = isotonic_regression(
                column[known], weights=counts[known], increasing=False
            ).x
    return smoothed


def difference_needed(rates: npt.ArrayLike) -> float | None:
    """Return the smallest difference between two runs that is reliable, or None.

    It is the start of the first bin from which all bins have a swap rate of at most 5 %
    (KL 6.2.2, where MAep needs 0.05 with 17 topics; Voorhees and Buckley 2002). It never starts with a
    bin of NaN, which has too few comparisons.

    >>> difference_needed([0.24, 0.18, 0.06] + [0.05] * 5 + [0.0] * 15)
    0.01
    """
    needed = None
    array = np.asarray(rates, np.float64)
    for start, rate in reversed(list(zip(BIN_STARTS, array.tolist(), strict=True))):
        if rate > RELIABLE + ROUNDING:
            break
        if not math.isnan(rate):
            needed = start
    return needed


class NeededDifference(NamedTuple):
    """The difference that is reliable with a number of topics.

    Attributes:
        difference: Found from the bins that are not sparse; None if there is none.
        with_sparse_bins: The same from all bins.
        interval: 95 % bootstrap interval over topics, with an infinite limit if no difference is
            reliable; None without resamples.
    """

    difference: float | None
    with_sparse_bins: float | None
    interval: Interval | None


def needed_difference(rates: SwapRates, topics: int, smoothing: Smoothing = "none") -> NeededDifference:
    """Return the smallest difference that is reliable with a number of topics, with its interval.

    Sparse bins (:attr:`SwapRates.sparse`) are not used: a single swap among few comparisons would
    require too large differences, and no swap among few is not evidence. The arguments are those of
    :func:`expected_rates`.

    >>> counts = np.array([[100] * 4 + [3] + [0] * 18])
    >>> swaps = np.array([[20, 10, 4, 3, 1] + [0] * 18])
    >>> needed_difference(SwapRates((1,), 1, counts, swaps, 0 * counts), 1)
    NeededDifference(difference=0.005, with_sparse_bins=None, interval=None)
    """
    every = expected_rates(rates, topics, smoothing, sparse=True)
    known = expected_rates(rates, topics, smoothing, sparse=False)
    samples = np.where(np.isnan(known), np.nan, rate_samples(rates, topics, smoothing))
    found = [difference_needed(sample) for sample in samples]
    values = [math.inf if difference is None else difference for difference in found]
    return NeededDifference(
        difference_needed(known), difference_needed(every), percentile_interval(values)
    )


def rate_intervals(
    rates: SwapRates, topics: int, smoothing: Smoothing = "none"
) -> list[Interval | None]:
    """Return the 95 % bootstrap interval over topics of the swap rate of each bin.

    The arguments are those of :func:`needed_difference`. The interval is None without resamples, and
    for bins without a rate. If no comparison is a swap, the same often holds for all resamples; the
    upper limit of a measured rate is then at least that of n independent comparisons, 1 − 0.025^(1/n).
    """
    found = [percentile_interval(samples) for samples in rate_samples(rates, topics, smoothing).T]
    if topics in rates.sizes:
        size = rates.sizes.index(topics)
        for bin_, interval in enumerate(found):
            if interval is not None and rates.swaps[size, bin_] == 0 < rates.counts[size, bin_]:
                highest = 1 - 0.025 ** (1 / int(rates.counts[size, bin_]))
                found[bin_] = Interval(interval.low, max(interval.high, highest))
    return found


def rate_samples(rates: SwapRates, topics: int, smoothing: Smoothing = "none") -> Floats:
    """Return the swap rates for resamples of the topics, centred on the rates of the topics.

    A resample contains topics several times. Equal topics on both sides make swaps rarer, and equal
    topics on one side make them more frequent; see :func:`xcg.statistics.intervals.centre`. The
    variation of resamples is too small, above all with half of the topics, and is widened.

    Returns:
        Array of shape (resamples, bins).
    """
    estimate = expected_rates(rates, topics, smoothing)
    samples = [expected_rates(resample, topics, smoothing) for resample in rates.resamples]
    array = np.array(samples, np.float64).reshape(len(samples), len(estimate))
    highest = 1.0 if topics in rates.sizes else HIGHEST_RATE
    return np.maximum(centre(estimate, array, highest, _WIDENING), 0.0)
