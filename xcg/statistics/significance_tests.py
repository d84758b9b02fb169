"""Paired significance tests of two runs on their scores over the same topics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from xcg.lazy_modules import np, npt
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Floats, check_name, matrix_product

EXACT_WILCOXON_TOPICS = 500
EXACT_RANDOMISATION_TOPICS = 16
RANDOM_SIGN_VECTORS = 100_000
_MAX_SIGNS_IN_MEMORY = 2_000_000
_SIGN_VECTORS_AT_ONCE = 2048
_MAX_ROWS_AT_ONCE = 512

PAIRED_TESTS = ("t", "wilcoxon", "randomisation")


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

    Raises:
        XcgError: If the test is unknown.

    >>> paired_p_values("randomisation", np.array([[0.1, 0.2, 0.3], [0.1, -0.1, 0.0]])).tolist()
    [0.25, 1.0]
    """
    check_name("test", test, PAIRED_TESTS)
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
