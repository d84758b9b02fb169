"""Corrections of p values for the number of comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from xcg.lazy_modules import np
from xcg.statistics.topic_scores import DIGITS, Booleans, Floats

CORRECTION_NAMES = {
    "shaffer": "Holm with Shaffer's steps",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "fdr_bh": "Benjamini-Hochberg",
    "none": "no correction",
}
SIGNIFICANCE_LEVEL = 0.05
"""A difference is significant if the corrected p value is below this."""
P_VALUE_CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "none")


def adjust(p_values: Sequence[float], correction: str) -> list[float]:
    """Correct the p values of one family, see :func:`adjusted`.

    >>> adjust([0.01, 0.02, 0.25], "holm"), adjust([0.01, 0.02, 0.25], "shaffer")
    ([0.03, 0.04, 0.25], [0.03, 0.03, 0.25])
    >>> adjust([0.5, 0.125], "fdr_bh")
    [0.5, 0.25]
    """
    found: list[float] = adjusted(np.array([p_values], float), correction)[0].tolist()
    return found


def adjusted(p_values: Floats, correction: str) -> Floats:
    """Correct p values for the number of comparisons m of their family.

    With the p values of a family in increasing order, Holm (1979) multiplies the i-th by m − i + 1, the
    number of hypotheses that can still be true, and each result is at least the one before. Shaffer
    (1986) multiplies by the number that can still be true together, see :func:`possibly_true`.
    Benjamini and Hochberg (1995) divide the i-th by i / m, and each result is at most the one after.
    Bonferroni multiplies all by m. Results are at most 1.

    Args:
        p_values: Array of shape (campaigns, comparisons); each row is a family.
        correction: ``"holm"``, ``"bonferroni"``, ``"fdr_bh"``, ``"none"``; or ``"shaffer"``, if the
            comparisons are all pairs of runs by one measure, and equality is transitive.

    Returns:
        The corrected p values in the same order.
    """
    m = p_values.shape[1]
    if correction == "none" or not m:
        return p_values
    if correction == "bonferroni":
        bounded: Floats = np.minimum(1, p_values * m)
        return bounded
    order = np.argsort(p_values, axis=1, kind="stable")
    increasing = np.take_along_axis(p_values, order, axis=1)
    if correction == "fdr_bh":
        steps = increasing / (np.arange(1, m + 1) / m)
        steps = np.minimum.accumulate(steps[:, ::-1], axis=1)[:, ::-1]
    else:
        factors = possibly_true(m) if correction == "shaffer" else range(m, 0, -1)
        steps = np.maximum.accumulate(increasing * np.array(factors), axis=1)
    found = np.empty(p_values.shape)
    np.put_along_axis(found, order, np.minimum(1, steps), axis=1)
    return found


def single_level(level: float, correction: str, comparisons: int, rejected: int = 1) -> float:
    """Return the level of one comparison before others of its family are rejected.

    This is the strictest level at which the correction tests it, and that of intervals:
    level / m for Holm, Bonferroni, and Benjamini and Hochberg. If these reject r, they test all at
    r · level / m (the false coverage rate of Benjamini and Yekutieli 2005).

    Args:
        level: Significance level of the family.
        correction: As for :func:`adjusted`.
        comparisons: Number of comparisons in the family, m.
        rejected: Number of rejected comparisons, r, of Benjamini and Hochberg.

    >>> single_level(0.05, "holm", 10), single_level(0.05, "none", 10)
    (0.005, 0.05)
    """
    return level if correction == "none" else max(1, rejected) * level / comparisons


def critical_levels(p_values: Floats, correction: str, level: float) -> Floats:
    """Return the level below which each p value would be significant, given the others of its family.

    Args:
        p_values: As for :func:`adjusted`.
        correction: ``"holm"``, ``"bonferroni"``, ``"fdr_bh"`` or ``"none"``.
        level: Significance level of the corrected p values.

    Returns:
        Array of shape (campaigns, comparisons).

    >>> critical_levels(np.array([[0.01, 0.5, 0.6]]), "holm", 0.06).round(3).tolist()
    [[0.02, 0.03, 0.03]]
    """
    m = p_values.shape[1]
    hypotheses = np.full(p_values.shape, 1.0 if correction == "none" else float(m))
    if correction in ("holm", "fdr_bh"):
        for column in range(m):
            others = np.sort(np.delete(p_values, column, axis=1), axis=1)
            if correction == "holm":  # those that are significant are not counted any more
                rejected = others * np.arange(m, 1, -1) < level
                hypotheses[:, column] -= np.logical_and.accumulate(rejected, axis=1).sum(axis=1)
            else:  # the last step at which enough others are significant counts
                enough = others * m < level * np.arange(2, m + 1)
                hypotheses[:, column] /= 1 + np.where(enough, np.arange(1, m), 0).max(axis=1, initial=0)
    levels: Floats = level / hypotheses
    return levels


@cache
def possibly_true(comparisons: int) -> tuple[int, ...]:
    """Return how many hypotheses of equality can be true after 0, 1, … of them were rejected.

    If one pair of k runs differs, others must differ too: of three runs, not exactly one pair. The
    numbers of equal pairs that are possible are those of the divisions of the runs into groups of equal
    runs: S(k) = ⋃ over j of {j·(j − 1)/2 + s : s ∈ S(k − j)} (Shaffer 1986, section 3, method S1).
    After i rejections, at most the largest number in S(k) that is not above m − i is true.

    Args:
        comparisons: The number of all pairs of runs, m = k·(k − 1)/2.

    >>> possibly_true(6)  # of 4 runs: 6, 3, 2, 1 or 0 pairs can be equal
    (6, 3, 3, 3, 2, 1)
    """
    runs = (1 + math.isqrt(1 + 8 * comparisons)) // 2
    assert math.comb(runs, 2) == comparisons
    possible = [1]  # bit s of possible[k]: s is in S(k)
    for k in range(1, runs + 1):
        possible.append(0)
        for j in range(1, k + 1):
            possible[k] |= possible[k - j] << math.comb(j, 2)
    bits = f"{possible[runs]:b}"[::-1]
    found, most = [], 0
    for number in range(1, comparisons + 1):
        most = number if bits[number] == "1" else most
        found.append(most)
    return tuple(reversed(found))


def are_losses(found: Sequence[Floats], test: str) -> Booleans:
    """Return whether the mean is below 0 and the test rejects in this direction, if it rejects.

    Args:
        found: Differences for each comparison, negative if the first run is worse; arrays of shape
            (campaigns, topics).
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.

    Returns:
        Array of shape (campaigns, comparisons).
    """
    columns = [(values.mean(axis=1) < 0) & (evidence(test, values) < 0) for values in found]
    return np.stack(columns, axis=1)


def evidence(test: str, found: Floats) -> Floats:
    """Return a statistic with the sign of the direction in which a paired test rejects.

    It is the sum of the signed ranks for Wilcoxon's test, and the mean for other tests.

    Args:
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        found: Differences by topic; shape (pairs, topics).

    Returns:
        Array of shape (pairs,).

    >>> found = np.array([[0.01, 0.02, 0.03, -0.9]])
    >>> evidence("wilcoxon", found).tolist(), evidence("t", found).round(2).tolist()  # 1 + 2 + 3 − 4
    ([2.0], [-0.21])
    """
    if test != "wilcoxon":
        means: Floats = found.mean(axis=1)
        return means
    from scipy.stats import rankdata

    found = np.round(found, DIGITS)
    ranks = rankdata(np.abs(found), axis=1)
    # Topics without a difference, which are first, have no rank.
    ranks -= (found == 0).sum(axis=1, keepdims=True)
    sums: Floats = (np.sign(found) * ranks).sum(axis=1)
    return sums
