"""Effort-precision over gain-recall: ep, MAep and iMAep (Kazai & Lalmas 2006, section 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from xcg.later import np
from xcg.measures.cumulated_gain import Gains, check_gains, check_ideal, cumulate

if TYPE_CHECKING:
    import numpy.typing as npt

Interpolation = Literal["segment", "linear"]
Unretrieved = Literal["uncredited", "max"]

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
    run, best = cumulate(gains), cumulate(check_ideal(ideal))
    level = recall * float(best[-1])
    reached = _rank_at(run, level, float(best[-1]), interpolation)
    if reached is None:
        return 0.0
    return _ideal_rank(best, level, interpolation) / reached


def interpolated_mean_effort_precision(
    gains: npt.ArrayLike, ideal: npt.ArrayLike, interpolation: Interpolation = "segment"
) -> float:
    """Return iMAep, the mean of ep at the gain-recall points 0.1, 0.2, …, 1.0.

    >>> round(interpolated_mean_effort_precision([0.5, 1.0], [1.0, 0.5]), 4)
    0.6991
    """
    points = [effort_precision(gains, ideal, recall, interpolation) for recall in RECALL_POINTS]
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
    total: float = sum((_ideal_ranks(best, levels, interpolation) / (hits + 1)).tolist())
    return total / divisor(len(hits), ideal, not_retrieved, unretrieved)


def divisor(hits: int, ideal: npt.ArrayLike, not_retrieved: int, unretrieved: Unretrieved) -> int:
    """Return N, what MAep and Q divide by."""
    if unretrieved == "max":
        return max(hits, int(np.count_nonzero(np.asarray(ideal) > 0)))
    return hits + not_retrieved


def _ideal_rank(best: Gains, level: float, interpolation: Interpolation) -> float:
    return float(_ideal_ranks(best, np.array([level]), interpolation)[0])


def _ideal_ranks(best: Gains, levels: Gains, interpolation: Interpolation) -> Gains:
    """Return the ranks at which a curve reaches levels that are at most its last value."""
    least = np.maximum(levels - TOLERANCE * best[-1], np.finfo(float).tiny)
    places = np.searchsorted(best, least)
    if interpolation == "segment":
        return np.asarray(places + levels / best[places])
    before = np.where(places > 0, best[places - 1], 0.0)
    return np.asarray(places + (levels - before) / (best[places] - before))


def _rank_at(curve: Gains, level: float, total: float, interpolation: Interpolation) -> float | None:
    """Return the rank at which a cumulated gain curve reaches a level, None where it never does."""
    place = int(np.searchsorted(curve, max(level - TOLERANCE * total, np.finfo(float).tiny)))
    if place == len(curve):
        return None
    before = float(curve[place - 1]) if place else 0.0
    if interpolation == "segment":
        return place + level / float(curve[place])
    return place + (level - before) / (float(curve[place]) - before)
