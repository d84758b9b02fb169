"""Swap rates with more topics, the differences that are reliable, and their bootstrap intervals.

Section 6.2.2 of Kazai and Lalmas 2006 (KL).
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from xcg.lazy_modules import np, npt
from xcg.statistics.intervals import Interval, centre, percentile_interval
from xcg.statistics.topic_scores import ROUNDING, Floats
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates

Smoothing = Literal["none", "isotonic"]
SMOOTHINGS: tuple[Smoothing, ...] = ("none", "isotonic")

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
        sparse: Whether rates of fewer than :data:`~xcg.statistics.topic_sets.MIN_COMPARISONS`
            comparisons are used too; by default only measured ones.

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
    """Smooth the swap rates of each bin over the topic-set sizes.

    Args:
        rates: Swap rates.
        smoothing: ``none``; ``isotonic`` for the closest rates (weighted least squares) that never
            increase with the number of topics. Sizes are weighted by their number of comparisons.

    Returns:
        Array of shape (sizes, bins). NaN marks bins without comparisons, which are never filled.

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
    """Return the smallest difference between two runs that is reliable.

    It is the start of the first bin from which all bins have a swap rate of at most 5 %
    (KL 6.2.2, where MAep needs 0.05 with 17 topics; Voorhees and Buckley 2002).

    Args:
        rates: Swap rates by bin, from :meth:`SwapRates.at` or
            :func:`expected_rates`. NaN marks bins without comparisons,
            or with too few; the difference never starts with such a bin.

    Returns:
        The difference; None if there is none.

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
    require too large differences, and no swap among few is not evidence.

    Args:
        rates: Swap rates.
        topics: Number of topics, at least 1.
        smoothing: As for :func:`expected_rates`.

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
