"""Paired tests of two runs on their scores over the same topics, and corrections of p values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from xcg.lazy_modules import np, npt
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Booleans, Floats, matrix_product

EXACT_WILCOXON_TOPICS = 500
EXACT_RANDOMISATION_TOPICS = 16
RANDOM_SIGN_VECTORS = 100_000
_MAX_SIGNS_IN_MEMORY = 2_000_000
_SIGN_VECTORS_AT_ONCE = 2048
_MAX_ROWS_AT_ONCE = 512

PAIRED_TESTS = ("t", "wilcoxon", "randomisation")
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


def paired_p_values(test: str, found: Floats, limit: float = 1.0) -> Floats:
    """Compute the two-sided p values of many pairs of runs by a paired test over topics.

    - ``"t"``: t = mean(d) / (sd(d) / √n) with n − 1 degrees of freedom, where d are the differences by
      topic (Student 1908). If all differences are equal but not 0, t is undefined; then p is that of
      the randomisation test, 2 / 2ⁿ.
    - ``"wilcoxon"``: the share of sign vectors whose sum of signed ranks is at least as far from its
      mean as the observed sum, with the mean of the ranks for tied differences (Wilcoxon 1945). It is
      exact, with ties too, if at most 500 topics have a difference, or if all differences have the
      same size; otherwise it is scipy's normal approximation with the correction for ties. Topics
      without a difference are not ranked.
    - ``"randomisation"``: the share of sign vectors whose absolute mean is at least the observed one
      (Fisher 1935; Smucker, Allan and Carterette 2007). If at most 16 topics have a difference, all 2ⁿ
      vectors are counted. Otherwise B = 100,000 vectors are drawn, and p = (1 + count) / (1 + B).

    The values depend neither on the order of the topics nor on the order of the runs.

    Args:
        test: A name in :data:`PAIRED_TESTS`.
        found: Differences, from :func:`xcg.statistics.topic_scores.differences`; shape (pairs, topics).
        limit: p values above the limit may be inexact, but stay above it. This saves most of the time
            of the randomisation test.

    Returns:
        Array of shape (pairs,): numbers from 0 to 1, 1 if all differences are 0.

    >>> paired_p_values("randomisation", np.array([[0.1, 0.2, 0.3], [0.1, -0.1, 0.0]])).tolist()
    [0.25, 1.0]
    """
    if test == "randomisation":
        return _randomisation_p_values(found, limit)
    if test == "wilcoxon":
        return _wilcoxon_p_values(found)
    from scipy.stats import ttest_1samp

    largest = np.maximum(1, np.abs(found).max(axis=1))
    constant = found.std(axis=1, ddof=1) <= ROUNDING * largest  # as standard_deviation
    p_values = np.where(found.any(axis=1), equal_signs_probability(found.shape[1]), 1.0)
    if not constant.all():
        p_values[~constant] = ttest_1samp(found[~constant], 0, axis=1).pvalue
    return p_values


def t_half_widths(found: Floats, levels: Any) -> Floats:
    """Return the distance from the mean of each row beyond which the t test rejects a true mean."""
    from scipy.stats import t

    topics = found.shape[-1]
    distances: Floats = t.isf(levels / 2, topics - 1) * found.std(axis=-1, ddof=1) / math.sqrt(topics)
    return distances


def family_p_values(found: Sequence[Floats], test: str, limit: float = 1.0) -> Floats:
    """Compute the p values of each comparison by itself.

    Args:
        found: Differences for each comparison; arrays of shape (campaigns, topics).
        test: A name in :data:`PAIRED_TESTS`.
        limit: As for :func:`paired_p_values`.

    Returns:
        Array of shape (campaigns, comparisons).
    """
    p_values = np.ones((len(found[0]), len(found)))
    sizes = np.array([values.shape[1] for values in found])
    for size in np.unique(sizes):
        columns = np.flatnonzero(sizes == size).tolist()
        rows = np.concatenate([found[column] for column in columns])
        p_values[:, columns] = paired_p_values(test, rows, limit).reshape(len(columns), -1).T
    return p_values


def _wilcoxon_p_values(found: Floats) -> Floats:
    """Return the p value of each row of differences by Wilcoxon's test."""
    from scipy.stats import rankdata, wilcoxon

    # 0.3 − 0.2 and 0.2 − 0.1 differ in the last bit, and would get different ranks without rounding.
    found = np.round(found, DIGITS)
    changed = found != 0
    ranks = rankdata(np.abs(found), axis=1) - (~changed).sum(axis=1, keepdims=True)  # zeros are first
    doubled = np.rint(2 * ranks).astype(int) * changed  # tied ranks can end in ½
    positive = (doubled * (found > 0)).sum(axis=1)
    patterns, indices = np.unique(np.sort(doubled, axis=1), axis=0, return_inverse=True)
    indices = indices.reshape(-1)  # NumPy 2.0 returns a column
    order = np.argsort(indices, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(indices))[:-1])
    p_values = np.ones(len(found))
    # The convolution takes n·total / 2 additions. Without ties, total is n·(n + 1).
    additions = EXACT_WILCOXON_TOPICS**2 * (EXACT_WILCOXON_TOPICS + 1)
    for pattern, rows in zip(patterns, groups, strict=True):
        units = pattern[pattern > 0]
        if not len(units):
            continue
        unit = np.gcd.reduce(units)
        units = units // unit
        total = int(units.sum())
        if len(units) > EXACT_WILCOXON_TOPICS and len(units) * total > additions:
            for row in rows:
                p_values[row] = wilcoxon(found[row], method="approx").pvalue
            continue
        distribution = rank_sum_distribution(tuple(units.tolist()))
        sums = positive[rows] // unit
        p_values[rows] = np.minimum(1, 2 * distribution[np.minimum(sums, total - sums)])
    return p_values


@lru_cache(maxsize=8)
def rank_sum_distribution(ranks: tuple[int, ...]) -> Floats:
    """Return the probability of each sum up to 0, 1, … if each rank is counted with probability ½."""
    probabilities = np.zeros(sum(ranks) // 2 + 1)  # the other half is symmetric
    probabilities[0] = 1
    end = 1
    for rank in ranks:
        end = min(end + rank, len(probabilities))
        probabilities[rank:end] += probabilities[: max(0, end - rank)]
        probabilities[:end] /= 2
    found: Floats = np.cumsum(probabilities)
    return found


def _randomisation_p_values(found: Floats, limit: float) -> Floats:
    """Return the p value of each row of differences by the randomisation test.

    The vectors of a row are counted until its p value is certainly above the limit.
    """
    topics = found.shape[1]
    # Only magnitudes matter, because signs are drawn; 0 remains 0 with either sign.
    magnitudes = np.sort(np.abs(found), axis=1)
    minimums = np.abs(found.mean(axis=1)) - ROUNDING * np.maximum(1, magnitudes[:, -1])
    changed = np.count_nonzero(magnitudes, axis=1)
    p_values = np.ones(len(found))
    for number in np.unique(changed[changed > 0]).tolist():
        rows = np.flatnonzero(changed == number)
        for chosen in np.array_split(rows, math.ceil(len(rows) / _MAX_ROWS_AT_ONCE)):
            p_values[chosen] = _share_of_extreme_signs(
                magnitudes[chosen, topics - number :], topics * minimums[chosen], limit
            )
    return p_values


def _share_of_extreme_signs(magnitudes: Floats, minimums: Floats, limit: float) -> Floats:
    """Return the proportion of sign vectors whose absolute sum is at least the minimum of each row."""
    number = magnitudes.shape[1]
    exact = number <= EXACT_RANDOMISATION_TOPICS
    total = 2**number if exact else 1 + RANDOM_SIGN_VECTORS
    counts = np.full(len(magnitudes), 0 if exact else 1)  # the observed signs are among all vectors
    patterns, of_row = np.unique(magnitudes, axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)  # NumPy 2.0 returns a column
    undecided = np.arange(len(magnitudes))
    for drawn in sign_vectors(number):
        for start in range(0, len(drawn), _SIGN_VECTORS_AT_ONCE):
            signs = 2 * drawn[start : start + _SIGN_VECTORS_AT_ONCE].astype(np.float64) - 1
            needed, columns = np.unique(of_row[undecided], return_inverse=True)
            sums = np.abs(matrix_product(signs, patterns[needed].T))[:, columns]
            counts[undecided] += np.count_nonzero(sums >= minimums[undecided], axis=0)
            undecided = undecided[counts[undecided] <= limit * total]
            if not len(undecided):
                return counts / total
    return counts / total


def sign_vectors(changed: int) -> Iterator[npt.NDArray[np.integer]]:
    """Yield arrays whose rows are vectors of signs: 1 for plus, 0 for minus.

    Args:
        changed: Number of topics with a difference. For at most 16, all vectors are
            generated. For more, 100,000 are drawn at random.
    """
    if changed <= EXACT_RANDOMISATION_TOPICS:
        yield (np.arange(1 << changed)[:, None] >> np.arange(changed)) & 1
        return
    rng = np.random.default_rng(0)
    rows = max(1, _MAX_SIGNS_IN_MEMORY // changed)
    for start in range(0, RANDOM_SIGN_VECTORS, rows):
        size = (min(rows, RANDOM_SIGN_VECTORS - start), changed)
        yield rng.integers(0, 2, size, np.int8)


def smallest_p(test: str, topics: int, changed: int | None = None) -> float:
    """Return the smallest p value that a paired test can return, whatever the sizes of the differences.

    A comparison whose smallest p value is not below the significance level has no power.

    - Wilcoxon and randomisation: 2 / 2ⁿ for n topics with a difference, if all have the same sign. If
      more than 16 topics have a difference, randomisation returns at least 1 / (1 + 100,000).
    - t: 0, the limit of differences that are almost equal. If only n of N topics have a difference, |t|
      is at most √(n·(N − 1) / (N − n)), by the inequality of Cauchy and Schwarz.

    Args:
        test: A name in :data:`PAIRED_TESTS`.
        topics: Number of topics, N.
        changed: Number of topics with a difference, n; by default ``topics``.

    Returns:
        A number from 0 to 1: 1 if no topic has a difference.

    >>> smallest_p("wilcoxon", 34, changed=5), smallest_p("t", 34), round(smallest_p("t", 34, 5), 4)
    (0.0625, 0.0, 0.023)
    """
    n = topics if changed is None else changed
    if n == 0:
        return 1.0
    if test == "t":
        if n == topics:
            return 0.0
        from scipy.stats import t as t_distribution

        return float(2 * t_distribution.sf(math.sqrt(n * (topics - 1) / (topics - n)), topics - 1))
    if test == "randomisation" and n > EXACT_RANDOMISATION_TOPICS:
        return 1 / (1 + RANDOM_SIGN_VECTORS)
    return equal_signs_probability(n)


def equal_signs_probability(topics: int) -> float:
    """Return 2 / 2ⁿ, the probability that n random signs are all equal."""
    return 2.0 ** (1 - topics)


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
        test: A name in :data:`PAIRED_TESTS`.

    Returns:
        Array of shape (campaigns, comparisons).
    """
    columns = [(values.mean(axis=1) < 0) & (evidence(test, values) < 0) for values in found]
    return np.stack(columns, axis=1)


def evidence(test: str, found: Floats) -> Floats:
    """Return a statistic with the sign of the direction in which a paired test rejects.

    It is the sum of the signed ranks for Wilcoxon's test, and the mean for other tests.

    Args:
        test: A name in :data:`PAIRED_TESTS`.
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
