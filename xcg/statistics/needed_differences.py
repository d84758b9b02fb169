"""The difference between two runs that is reliable, and bootstrap intervals of swap rates.

Section 6.2.2 of Kazai and Lalmas 2006 (KL).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.statistics.bootstrap import Interval, centre, percentile_interval
from xcg.statistics.extrapolation import HIGHEST_RATE, Smoothing, expected_rates
from xcg.statistics.topic_scores import ROUNDING, Floats
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates

_WIDENING = 1.2
"""Factor of deviations. In simulations, the standard deviation of resamples is up to 15 % too small."""

RELIABLE = 0.05
"""Swap rate up to which a difference is reliable: the confidence is 95 %."""


def difference_needed(
    rates: npt.ArrayLike, level: float = RELIABLE, bin_starts: Sequence[float] = BIN_STARTS
) -> float | None:
    """Return the smallest difference between two runs that is reliable.

    It is the start of the first bin from which all bins have a swap rate of at most ``level``
    (KL 6.2.2, where MAep needs 0.05 with 17 topics; Voorhees and Buckley 2002).

    Args:
        rates: Swap rates by bin, from :meth:`SwapRates.at` or
            :func:`~xcg.statistics.extrapolation.extrapolate`. NaN marks bins without comparisons,
            or with too few; the difference never starts with such a bin.
        level: From 0 to 1; 0.05 for a confidence of 95 %.
        bin_starts: Lower limits of the bins; see :attr:`SwapRates.bin_starts`.

    Returns:
        The difference; None if there is none.

    Raises:
        XcgError: If there is another number of bins, or the level is out of range.

    >>> difference_needed([0.24, 0.18, 0.06] + [0.05] * 5 + [0.0] * 15)
    0.01
    """
    array = np.asarray(rates, np.float64)
    if array.shape != (len(bin_starts),):
        raise XcgError(
            f"swap rates of shape {array.shape}: expected one for each of {len(bin_starts)} bins"
        )
    if not 0 <= level <= 1:
        raise XcgError(f"level is {level}: expected a number from 0 to 1")
    needed = None
    for start, rate in reversed(list(zip(bin_starts, array.tolist(), strict=True))):
        if rate > level + ROUNDING:
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
        smoothing: As for :func:`~xcg.statistics.extrapolation.extrapolate`.

    >>> counts = np.array([[100] * 4 + [3] + [0] * 18])
    >>> swaps = np.array([[20, 10, 4, 3, 1] + [0] * 18])
    >>> needed_difference(SwapRates((1,), 1, counts, swaps, 0 * counts), 1)
    NeededDifference(difference=0.005, with_sparse_bins=None, interval=None)
    """
    starts = rates.bin_starts
    every = expected_rates(rates, topics, smoothing, sparse=True)
    known = expected_rates(rates, topics, smoothing, sparse=False)
    samples = np.where(np.isnan(known), np.nan, rate_samples(rates, topics, smoothing))
    found = [difference_needed(sample, bin_starts=starts) for sample in samples]
    values = [math.inf if difference is None else difference for difference in found]
    return NeededDifference(
        difference_needed(known, bin_starts=starts),
        difference_needed(every, bin_starts=starts),
        percentile_interval(values),
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
    topics on one side make them more frequent; see :func:`xcg.statistics.bootstrap.centre`. The
    variation of resamples is too small, above all with half of the topics, and is widened.

    Returns:
        Array of shape (resamples, bins).
    """
    estimate = expected_rates(rates, topics, smoothing)
    samples = [expected_rates(resample, topics, smoothing) for resample in rates.resamples]
    array = np.array(samples, np.float64).reshape(len(samples), len(estimate))
    highest = 1.0 if topics in rates.sizes else HIGHEST_RATE
    return np.maximum(centre(estimate, array, highest, _WIDENING), 0.0)
