"""Extrapolation of swap rates to more topics, with smoothing (Kazai and Lalmas 2006, section 6.2.2)."""

from __future__ import annotations

import math
from typing import Literal

from xcg.errors import XcgError, nearest
from xcg.lazy_modules import np
from xcg.statistics.topic_scores import Floats
from xcg.statistics.topic_sets import Counts, SwapRates

Smoothing = Literal["none", "isotonic", "moving-average"]
SMOOTHINGS: tuple[Smoothing, ...] = ("none", "isotonic", "moving-average")


HIGHEST_RATE = 0.5
"""Highest expected swap rate: that of two equal runs."""


def expected_rates(
    rates: SwapRates, topics: int, smoothing: Smoothing = "none", sparse: bool | None = None
) -> Floats:
    """Return the measured swap rates for a number of topics, or extrapolate them.

    The arguments, result and errors are those of :func:`extrapolate`. Measured rates are not smoothed.
    By default, measured rates include those of sparse bins, and extrapolated rates do not use them.
    """
    if topics not in rates.sizes:
        return extrapolate(rates, topics, smoothing, bool(sparse))
    found = rates.at(topics)
    if sparse is False:
        found[rates.sparse[rates.sizes.index(topics)]] = np.nan
    return found


def extrapolate(
    rates: SwapRates, topics: int, smoothing: Smoothing = "none", sparse: bool = False
) -> Floats:
    """Compute the swap rates to be expected with a number of topics.

    For each bin, rate(n) = exp(a + b·n) is the least-squares fit of ln(rate) against the number of
    topics, as GROWTH in Excel computes it (KL 6.2.2, Figures 9b and 9d, footnote 18). Rates of 0 have
    no logarithm and are left out of the fit, as are rates of sparse bins. A bin that is sparse at the
    largest size has no rate, because such differences hardly occur with more topics. The order of two
    equal runs is reversed half of the time, so no expected rate is above 0.5. Measured rates can exceed
    it: disjoint sets of a small collection differ more than independent ones.

    Args:
        rates: Swap rates for at least one size.
        topics: Number of topics, at least 1.
        smoothing: How the rates are smoothed before the fit; see :func:`smooth`. KL smoothed them in a
            way that they do not describe.
        sparse: Whether rates of fewer than :data:`~xcg.statistics.topic_sets.MIN_COMPARISONS`
            comparisons are used too.

    Returns:
        Rates from 0 to 0.5 by bin. A bin with one rate above 0 has that rate for any number of topics;
        a bin with rates of 0 has 0; a bin without usable rates has NaN.

    Raises:
        XcgError: If the number of topics is below 1, or as :func:`smooth`.

    >>> counts, swaps = np.full((2, 23), 80), np.array([[40] * 23, [20] * 23])  # 1/2, 1/4
    >>> rates = SwapRates((1, 2), 1, counts, swaps, 0 * counts)
    >>> round(float(extrapolate(rates, 4)[0]), 4)  # 1/16
    0.0625
    """
    if topics < 1:
        raise XcgError(f"{topics} topics: expected at least 1")
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
            increase with the number of topics; ``moving-average`` for the rate over each size and its
            two neighbours. Both weight sizes by their number of comparisons.

    Returns:
        Array of shape (sizes, bins). NaN marks bins without comparisons, which are never filled.

    Raises:
        XcgError: If the method is unknown.

    >>> swaps = np.array([[4] * 23, [0] * 23, [2] * 23])
    >>> rates = SwapRates((1, 2, 3), 1, np.full((3, 23), 8), swaps, 0 * swaps)  # 1/2, 0, 1/4
    >>> smooth(rates, "isotonic")[:, 0].tolist()
    [0.5, 0.125, 0.125]
    >>> smooth(rates, "moving-average")[:, 0].tolist()  # 4/16, 6/24, 2/16
    [0.25, 0.25, 0.125]
    """
    if smoothing not in SMOOTHINGS:
        raise XcgError(f"unknown smoothing {smoothing!r}: {nearest(smoothing, SMOOTHINGS)}")
    if smoothing == "none":
        return rates.rates
    if smoothing == "moving-average":
        empty: Floats = np.full(rates.counts.shape, np.nan)
        swaps, counts = _sum_of_neighbours(rates.swaps), _sum_of_neighbours(rates.counts)
        return np.divide(swaps, counts, out=empty, where=rates.counts > 0)
    from scipy.optimize import isotonic_regression

    smoothed = rates.rates
    for column, counts in zip(smoothed.T, rates.counts.T, strict=True):
        known = counts > 0
        if known.any():
            column[known] = isotonic_regression(
                column[known], weights=counts[known], increasing=False
            ).x
    return smoothed


def _sum_of_neighbours(counts: Counts) -> Counts:
    """Return the sum of each row, the one above and the one below."""
    padded = np.pad(counts, ((1, 1), (0, 0)))
    return padded[:-2] + padded[1:-1] + padded[2:]
