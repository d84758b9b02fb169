"""Gain vectors: checks, sums, and the constants that measures on them share."""

from __future__ import annotations

from typing import TypeAlias

from xcg.lazy_modules import np, npt

Gains: TypeAlias = "npt.NDArray[np.float64]"

TOLERANCE = 1e-9
"""A curve reaches a level of gain if it misses it by at most this part of the ideal's total gain."""

RECALL_POINTS = tuple(point / 10 for point in range(1, 11))
"""The gain-recall points 0.1, 0.2, …, 1.0 of iMAep."""


def vector(values: npt.ArrayLike) -> Gains:
    """Return numbers as a float array."""
    return np.asarray(values, dtype=np.float64)


def check_gains(gains: npt.ArrayLike) -> Gains:
    """Return gains as a float array of one dimension.

    Raises:
        ValueError: If they have another shape, or one is negative or not finite.
    """
    checked = vector(gains)
    if checked.ndim != 1 or not (
        not len(checked) or (checked.min() >= 0 and checked.max() < np.inf)  # false for NaN
    ):
        raise ValueError("gains must be a vector of finite numbers, none below 0")
    return checked


def check_ideal(ideal: npt.ArrayLike) -> Gains:
    """Return the gains of an ideal ranking as a float array of one dimension.

    Raises:
        ValueError: If they are not gains in decreasing order, or sum to 0.
    """
    checked = check_gains(ideal)
    if not len(checked) or checked[0] <= 0:
        raise ValueError("the ideal gains must sum to more than 0")
    if (checked[1:] > checked[:-1]).any():
        raise ValueError("the ideal gains must be in decreasing order")
    return checked


def cumulate(gains: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Compute cumulated gain at ranks 1 to ``depth``.

    xCG[i] = xG[1] + … + xG[i] (Kazai and Lalmas 2006, equation 4).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        depth: Last rank; the number of results by default. Beyond the last result, sums stay constant.

    Returns:
        Array of shape (depth,); values are at least 0 and never decrease.

    Raises:
        ValueError: If the gains have another shape or illegal values.

    >>> cumulate([3, 1, 0, 2]).tolist(), cumulate([0.5], depth=3).tolist()
    ([3.0, 4.0, 4.0, 6.0], [0.5, 0.5, 0.5])
    """
    sums = np.cumsum(check_gains(gains))
    if depth is None or depth == len(sums):
        return sums
    if depth < len(sums):
        return sums[:depth]
    last = sums[-1] if len(sums) else 0.0
    return np.concatenate([sums, np.full(depth - len(sums), last)])
