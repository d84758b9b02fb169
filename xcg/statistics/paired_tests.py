"""Paired significance tests of two runs over the same topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xcg.lazy_modules import np, npt
from xcg.statistics.topic_scores import (
    DIGITS,
    ROUNDING,
    Floats,
    differences,
    required_package,
    standard_deviation,
)

EXACT_WILCOXON_TOPICS = 13
EXACT_RANDOMISATION_TOPICS = 16
RANDOM_SIGN_VECTORS = 100_000
_MAX_SIGNS_IN_MEMORY = 2_000_000

PairedTest = Callable[[Sequence[float], Sequence[float]], float]


def t_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Compute the two-sided p value of Student's paired t test.

    t = mean(d) / (sd(d) / √n) with n − 1 degrees of freedom, where d are the differences per topic
    (Student 1908). Computed by scipy (extra ``xcg[statistics]``).

    Args:
        first: Scores of a run by topic.
        second: Scores of another run for the same topics.

    Returns:
        A number from 0 to 1: 1 if all differences are 0, and 0 if they are equal but not 0.

    Raises:
        XcgError: If the numbers of topics differ, there are fewer than two, a score is not finite, or
            scipy is not installed.

    >>> round(t_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3]), 4)  # t = 0.2 / (0.1 / √3) = 2√3
    0.0742
    """
    with required_package("the t test", "scipy"):
        from scipy.stats import ttest_rel
    found = differences(first, second)
    if not found.any():
        return 1.0
    if not standard_deviation(found):
        return 0.0  # scipy would divide by 0, or by a rounding error
    return float(ttest_rel(first, second).pvalue)


def wilcoxon_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Compute the two-sided p value of Wilcoxon's signed-rank test (Wilcoxon 1945).

    Topics without a difference are left out. The p value is exact for at most 13 topics; for more,
    scipy (extra ``xcg[statistics]``) decides between the exact value and the normal approximation.

    Args:
        first: Scores of a run by topic.
        second: Scores of another run for the same topics.

    Returns:
        A number from 0 to 1: 1 if all differences are 0.

    Raises:
        XcgError: As :func:`t_test`.

    >>> wilcoxon_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3])  # 2 of 8 sign vectors: + + + and − − −
    0.25
    """
    with required_package("Wilcoxon's test", "scipy"):
        from scipy.stats import rankdata, wilcoxon
    found = differences(first, second)
    if not found.any():
        return 1.0
    # 0.3 − 0.2 and 0.2 − 0.1 differ in the last bit, and would get different ranks without rounding.
    found = np.round(found, DIGITS)
    if len(found) <= EXACT_WILCOXON_TOPICS:
        # scipy returns the same value, but takes seconds if ranks are tied.
        signed_ranks = np.zeros_like(found)
        changed = found != 0
        signed_ranks[changed] = np.sign(found[changed]) * rankdata(np.abs(found[changed]))
        return randomisation_test(signed_ranks.tolist(), [0.0] * len(found))
    return float(wilcoxon(found, zero_method="wilcox").pvalue)


def randomisation_test(first: Sequence[float], second: Sequence[float], seed: int = 0) -> float:
    """Compute the two-sided p value of Fisher's paired randomisation test of the mean.

    If the runs are equally good, the sign of each topic's difference is random. p is the fraction of
    sign vectors whose absolute mean is at least the observed one. If at most 16 topics have a
    difference, all 2ⁿ vectors are counted. Otherwise, B = 100,000 vectors are drawn, and
    p = (1 + count) / (1 + B). The value depends neither on the order of the topics nor on the order of
    the runs (Fisher 1935; Smucker, Allan and Carterette 2007).

    Args:
        first: Scores of a run by topic.
        second: Scores of another run for the same topics.
        seed: Seed of the random vectors, at least 0.

    Returns:
        A number from 0 to 1: 1 if all differences are 0.

    Raises:
        XcgError: If the numbers of topics differ, there are fewer than two, or a score is not finite.

    >>> randomisation_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3])  # 2 of 8 vectors: + + + and − − −
    0.25
    """
    found = differences(first, second)
    topics = len(found)
    observed = abs(float(found.mean()))
    # Only magnitudes matter, because signs are drawn; 0 remains 0 with either sign.
    magnitudes = np.sort(np.abs(found[found != 0]))
    changed = len(magnitudes)
    if not changed:
        return 1.0
    minimum = observed - ROUNDING * max(1, float(magnitudes[-1]))
    if changed <= EXACT_RANDOMISATION_TOPICS:
        signs = (np.arange(1 << changed)[:, None] >> np.arange(changed)) & 1
        return _count_extreme(signs, magnitudes, topics, minimum) / (1 << changed)
    rng = np.random.default_rng(seed)
    rows = max(1, _MAX_SIGNS_IN_MEMORY // changed)
    count = 0
    for start in range(0, RANDOM_SIGN_VECTORS, rows):
        size = (min(rows, RANDOM_SIGN_VECTORS - start), changed)
        count += _count_extreme(rng.integers(0, 2, size, np.int8), magnitudes, topics, minimum)
    return (1 + count) / (1 + RANDOM_SIGN_VECTORS)


def _count_extreme(
    signs: npt.NDArray[np.integer], magnitudes: Floats, topics: int, minimum: float
) -> int:
    """Count the rows of signs (1 for plus, 0 for minus) whose absolute mean is at least a minimum."""
    means = np.abs((2 * signs - 1) @ magnitudes) / topics
    return int(np.count_nonzero(means >= minimum))


PAIRED_TESTS: dict[str, PairedTest] = {
    "t": t_test,
    "wilcoxon": wilcoxon_test,
    "randomisation": randomisation_test,
}
