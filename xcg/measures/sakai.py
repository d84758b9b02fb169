"""Sakai's Q-measure and R-measure on element gains (Kazai & Lalmas 2006, equations 11 and 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xcg.lazy_modules import np
from xcg.measures.cumulated_gain import check_gains, check_ideal, cumulate
from xcg.measures.effort import divisor
from xcg.user_model.effort import Unretrieved

if TYPE_CHECKING:
    import numpy.typing as npt


def q_measure(
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    not_retrieved: int = 0,
    unretrieved: Unretrieved = "uncredited",
) -> float:
    """Return Q = 1/N · Σ over the ranks j with gain of cbg(j) / (cig(j) + j).

    cbg cumulates the bonus gains, g + 1 where g > 0 and else 0; cig cumulates the ideal gains without
    bonus, as the paper's footnotes 12 and 13 and Sakai have it. N is as for MAep. Range [0, ∞), at
    most 1 where the gains cannot exceed the ideal's.

    >>> q_measure([0.5, 1.0], [1.0, 0.5])
    0.875
    """
    column = check_gains(gains)
    hits = np.flatnonzero(column > 0)
    bonus = np.cumsum(np.where(column > 0, column + 1, 0.0))
    best = cumulate(check_ideal(ideal), len(column))
    ranks = np.arange(1, len(column) + 1)
    total = float(np.sum((bonus / (best + ranks))[hits]))
    return total / divisor(len(hits), ideal, not_retrieved, unretrieved)


def r_measure(gains: npt.ArrayLike, ideal: npt.ArrayLike) -> float:
    """Return R = cbg(R) / (cig(R) + R), R the number of ideal gains above 0.

    The paper prints cbg(R) + R below the line; only cig(R) + R gives its Table II. Range as for Q.

    >>> round(r_measure([0.9, 0.1, 0.0, 0.5], [1.0, 0.5]), 3)
    0.857
    """
    column = check_gains(gains)
    best = check_ideal(ideal)
    rank = int(np.count_nonzero(best > 0))
    bonus = cumulate(np.where(column > 0, column + 1, 0.0), rank)
    return float(bonus[-1] / (np.sum(best) + rank))
