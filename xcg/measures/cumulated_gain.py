"""Cumulated gain by rank: xCG, nxCG, MAnxCG and gain-recall (Kazai & Lalmas 2006, sections 5.1, 5.4).

All functions take the gains of a ranking, and where they normalise the ideal gains in decreasing
order, as one-dimensional arrays or sequences of finite numbers ≥ 0. Past the end of a list its sum
stays. Ranks count from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from xcg.lazy_modules import np

if TYPE_CHECKING:
    import numpy.typing as npt


Gains: TypeAlias = "npt.NDArray[np.float64]"


def cumulate(gains: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Return the cumulated gain vector xCG[1 … depth] (equation 4).

    xCG[i] = xG[1] + … + xG[i]; depth is the number of gains unless given. Range [0, ∞).

    >>> cumulate([3, 1, 0, 0, 1, 3, 2, 2, 0, 0]).tolist()
    [3.0, 4.0, 4.0, 4.0, 5.0, 8.0, 10.0, 12.0, 12.0, 12.0]
    >>> cumulate([0.5], depth=3).tolist()
    [0.5, 0.5, 0.5]

    Raises ValueError for gains that are negative, not finite or not one-dimensional.
    """
    column = check_gains(gains)
    running = np.cumsum(column)
    if depth is None or depth == len(running):
        return running
    if depth < len(running):
        return running[:depth]
    last = running[-1] if len(running) else 0.0
    return np.concatenate([running, np.full(depth - len(running), last)])


def nxcg(gains: npt.ArrayLike, ideal: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Return the normalised cumulated gain nxCG[1 … depth] = xCG[i] / xCI[i] (equation 5).

    depth is the number of gains unless given. At least 0; at most 1 where the gains cannot exceed
    the ideal's. Raises ValueError where the ideal gains do not sum to more than 0.

    >>> xg, xi = [3, 1, 0, 0, 1, 3, 2, 2, 0, 0], [3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    >>> nxcg(xg, xi).round(2).tolist()
    [1.0, 0.67, 0.44, 0.33, 0.36, 0.5, 0.56, 0.63, 0.6, 0.6]
    """
    actual = cumulate(gains, depth)
    best = cumulate(check_ideal(ideal), len(actual))
    return actual / best


def manxcg(gains: npt.ArrayLike, ideal: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Return MAnxCG[1 … depth], the mean of nxCG[1 … i] (equation 6).

    >>> xg, xi = [3, 1, 0, 0, 1, 3, 2, 2, 0, 0], [3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    >>> manxcg(xg, xi)[5].round(2).item()
    0.55
    """
    normalised = nxcg(gains, ideal, depth)
    return np.cumsum(normalised) / np.arange(1, len(normalised) + 1)


def gain_recall(gains: npt.ArrayLike, ideal: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Return gain-recall gr[1 … depth] = xCG[i] / xCI[n], n the number of ideal gains (equation 14).

    >>> gain_recall([0.9, 0.1, 0, 0.5], [1, 0.5]).round(4).tolist()
    [0.6, 0.6667, 0.6667, 1.0]
    """
    return cumulate(gains, depth) / float(np.sum(check_ideal(ideal)))


def check_gains(gains: npt.ArrayLike) -> Gains:
    """Return gains as a float vector; ValueError for what is no vector of finite numbers ≥ 0."""
    column = np.asarray(gains, dtype=np.float64)
    if column.ndim != 1 or not (
        not len(column) or (column.min() >= 0 and column.max() < np.inf)  # NaN is neither
    ):
        raise ValueError("gains must be a vector of finite numbers, none below 0")
    return column


def check_ideal(ideal: npt.ArrayLike) -> Gains:
    """Return ideal gains as a float vector; ValueError unless they decrease and sum to more than 0."""
    column = check_gains(ideal)
    if not len(column) or column[0] <= 0:
        raise ValueError("the ideal gains must sum to more than 0")
    if (column[1:] > column[:-1]).any():
        raise ValueError("the ideal gains must stand in decreasing order")
    return column
