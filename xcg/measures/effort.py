"""Effort-precision over gain-recall: ep, MAep and iMAep (Kazai & Lalmas 2006, section 5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xcg.lazy_modules import np
from xcg.measures.cumulated_gain import Gains, check_gains, check_ideal, cumulate
from xcg.user_model.effort import Interpolation, Unretrieved

if TYPE_CHECKING:
    import numpy.typing as npt

TOLERANCE = 1e-9
"""A curve reaches a gain level within this part of the ideal's total gain."""

RECALL_POINTS = tuple(point / 10 for point in range(1, 11))


def effort_precision(
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    recall: float,
    interpolation: Interpolation = "segment",
) -> float:
    """Return ep at a gain-recall point: ep[r] = i_ideal(g) / i_run(g), g = r · xCI[n] (equation 13).

    i(g) is the rank at which a cumulated gain curve C reaches g. With k the first rank at which
    C[k] ≥ g it is (k − 1) + g / C[k] for ``segment``, which reproduces the paper's Table II, and
    (k − 1) + (g − C[k−1]) / (C[k] − C[k−1]) for ``linear``. Where the run never reaches g, 0.

    recall: in (0, 1]. Range [0, ∞), at most 1 where the gains cannot exceed the ideal's.
    Raises ValueError for another recall or ideal gains that sum to 0.

    >>> round(effort_precision([0.5, 1.0], [1.0, 0.5], 0.4), 4)
    0.4286
    """
    if not 0 < recall <= 1:
        raise ValueError(f"recall point {recall}: expected one above 0 and at most 1")
    return _effort_precisions(gains, ideal, [recall], interpolation)[0]


def interpolated_mean_effort_precision(
    gains: npt.ArrayLike, ideal: npt.ArrayLike, interpolation: Interpolation = "segment"
) -> float:
    """Return iMAep, the mean of ep at the gain-recall points 0.1, 0.2, …, 1.0.

    >>> round(interpolated_mean_effort_precision([0.5, 1.0], [1.0, 0.5]), 4)
    0.6991
    """
    points = _effort_precisions(gains, ideal, RECALL_POINTS, interpolation)
    return sum(points) / len(points)


def mean_effort_precision(
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    not_retrieved: int = 0,
    interpolation: Interpolation = "segment",
    unretrieved: Unretrieved = "uncredited",
) -> float:
    """Return MAep: the sum over the ranks with gain of ep at that rank's own level, divided by N.

    At a rank of the run i_run is the rank itself; i_ideal is found as for :func:`effort_precision`,
    for at most the ideal's total gain. N is the number of ranks with gain plus ``not_retrieved``,
    the number of ideal elements that are not retrieved (``uncredited``), or the larger of the
    number of ranks with gain and of ideal gains above 0 (``max``). Range as for ep.

    >>> mean_effort_precision([0.5, 1.0], [1.0, 0.5])
    0.75
    """
    best = cumulate(check_ideal(ideal))
    column = check_gains(gains)
    run = np.cumsum(column)
    hits = np.flatnonzero(column > 0)
    levels = np.minimum(run[hits], best[-1])
    total: float = sum((_ranks(best, levels, best, interpolation) / (hits + 1)).tolist())
    return total / divisor(len(hits), ideal, not_retrieved, unretrieved)


def divisor(hits: int, ideal: npt.ArrayLike, not_retrieved: int, unretrieved: Unretrieved) -> int:
    """Return N, what MAep and Q divide by."""
    if unretrieved == "max":
        return max(hits, int(np.count_nonzero(np.asarray(ideal) > 0)))
    return hits + not_retrieved


def _effort_precisions(
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    recall: Sequence[float],
    interpolation: Interpolation,
) -> list[float]:
    """Return ep at gain-recall points."""
    run, best = cumulate(gains), cumulate(check_ideal(ideal))
    levels = np.array(recall) * best[-1]
    reached = np.searchsorted(run, _least(levels, best)) < len(run)
    points = np.zeros(len(levels))
    levels = levels[reached]
    points[reached] = _ranks(best, levels, best, interpolation) / _ranks(
        run, levels, best, interpolation
    )
    found: list[float] = points.tolist()
    return found


def _least(levels: Gains, best: Gains) -> Gains:
    """Return what a curve must cumulate to reach levels of gain, given the ideal's curve."""
    return np.asarray(np.maximum(levels - TOLERANCE * best[-1], np.finfo(float).tiny))


def _ranks(curve: Gains, levels: Gains, best: Gains, interpolation: Interpolation) -> Gains:
    """Return the ranks at which a cumulated gain curve reaches levels that it does reach."""
    places = np.searchsorted(curve, _least(levels, best))
    if interpolation == "segment":
        return np.asarray(places + levels / curve[places])
    before = np.where(places > 0, curve[places - 1], 0.0)
    return np.asarray(places + (levels - before) / (curve[places] - before))
