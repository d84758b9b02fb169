"""Compute the smallest difference that a comparison detects with a given power."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xcg.lazy_modules import np
from xcg.statistics.families import Inference
from xcg.statistics.overall_tests import anova
from xcg.statistics.significance_tests import rank_sum_distribution, smallest_p
from xcg.statistics.topic_scores import Floats, TopicScores, standard_deviation

POWER = 0.8
"""The default power: the probability of detecting a difference."""
_BISECTIONS = 30
_MAX_WILCOXON_TOPICS = 200


def single_level(level: float, correction: str, comparisons: int) -> float:
    """Return the level of one comparison if no other comparison of the family is significant.

    This is the strictest level at which the correction tests it: level / m for Holm, Bonferroni, and
    Benjamini and Hochberg.

    Args:
        level: Significance level of the family.
        correction: A paired correction, as for :func:`xcg.compare`.
        comparisons: Number of comparisons in the family, m.

    >>> single_level(0.05, "holm", 10), single_level(0.05, "none", 10)
    (0.005, 0.05)
    """
    return level if correction == "none" else level / comparisons


def detectable_difference(found: Floats, test: str, level: float, power: float = POWER) -> float | None:
    """Return the smallest true mean difference that a paired test detects with a given power.

    - t: the difference δ for which the noncentral t distribution with the noncentrality √n·δ / sd(d)
      exceeds the critical value with the probability ``power``.
    - randomisation: the same, because the test has the power of the t test for many topics (Hoeffding
      1952).
    - Wilcoxon: the normal approximation of the sum of the positive ranks (Lehmann 1975, Nonparametrics,
      section 4.2), if δ is added to the centred differences.

    Args:
        found: Differences by topic, at least two.
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        level: Significance level of this comparison, see :func:`single_level`.
        power: Above ``level`` and below 1.

    Returns:
        A difference above 0. None if all differences are equal, because the variance is then unknown,
        or if there are too few topics for the level.

    >>> found = np.array([0.1, 0.2, 0.0, 0.3, 0.2, 0.1, -0.1, 0.2])
    >>> round(detectable_difference(found, "t", 0.05), 4)
    0.1482
    """
    topics, deviation = len(found), standard_deviation(found)
    if not deviation or smallest_p(test, topics) >= level:
        return None
    if test.startswith("wilcoxon"):
        return _detectable_by_wilcoxon(found, level, power)
    return t_detectable(deviation, topics, level, power)


def t_detectable(deviation: float, topics: int, level: float, power: float) -> float:
    """Return the smallest mean difference that the paired t test detects with a given power.

    >>> round(t_detectable(1, 34, 0.05, 0.8), 4)  # Cohen's d_z
    0.495
    """
    from scipy.stats import t

    critical = float(t.isf(level / 2, topics - 1))
    return noncentrality(critical, topics - 1, power) * deviation / math.sqrt(topics)


def noncentrality(critical: float, df: int, power: float) -> float:
    """Return the noncentrality with which t exceeds a critical value with the probability ``power``."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(df, 1 - power, critical))


def tukey_detectable(scores: TopicScores, inference: Inference, power: float = POWER) -> float | None:
    """Return the smallest difference of two runs that Tukey's HSD detects with a given power.

    The test detects a difference that exceeds half the width of the interval, which is the critical
    value of the studentised range or of its randomised form. The difference divided by its standard
    error √(2·MS_error / n) has the noncentral t distribution with the ANOVA's degrees of freedom.

    Args:
        scores: Scores of all runs, at least three.
        inference: Any conclusion of :func:`xcg.statistics.families.tukey_inferences` on the scores.
        power: As for :func:`detectable_difference`.

    Returns:
        A difference above 0. None if the scores have no error variance, or if no difference is large
        enough for the level.
    """
    table = anova(scores)
    if not table.error_squares or inference.low is None or inference.high is None:
        return None
    half_width = (inference.high - inference.low) / 2
    if not math.isfinite(half_width):
        return None
    error = math.sqrt(2 * table.error_squares / table.error_df / len(scores.topics))
    return noncentrality(half_width / error, table.error_df, power) * error


def wilcoxon_critical_sum(topics: int, level: float) -> int | None:
    """Return the smallest sum of positive ranks, without ties, that is significant at a level.

    Args:
        topics: Number of topics with a difference.
        level: Two-sided significance level.

    Returns:
        The sum; None if no sum is significant.

    >>> wilcoxon_critical_sum(6, 0.05), wilcoxon_critical_sum(5, 0.05)  # 2 / 2⁶ = 0.03125
    (21, None)
    """
    lower_tail = 2 * rank_sum_distribution(tuple(range(1, topics + 1)))
    significant = int(np.searchsorted(lower_tail, level))  # number of sums with p < level
    return topics * (topics + 1) // 2 - significant + 1 if significant else None


def _detectable_by_wilcoxon(found: Floats, level: float, power: float) -> float | None:
    topics = len(found)
    if topics > _MAX_WILCOXON_TOPICS:  # use 200 quantiles; the difference is proportional to √(1 / n)
        chosen = np.linspace(0, topics - 1, _MAX_WILCOXON_TOPICS).round().astype(int)
        fewer = _detectable_by_wilcoxon(np.sort(found)[chosen], level, power)
        return None if fewer is None else fewer * math.sqrt(_MAX_WILCOXON_TOPICS / topics)
    critical = wilcoxon_critical_sum(topics, level)
    if critical is None:
        return None
    centred = found - found.mean()
    sums = centred + centred[:, None]
    both = [(centred, sums), (-centred, -sums)]  # a difference may have either direction
    low, high = 0.0, float(np.abs(centred).max())
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        reached = sum(_wilcoxon_power(*one, middle, critical) for one in both) / 2
        low, high = (low, middle) if reached >= power else (middle, high)
    return high


def _wilcoxon_power(centred: Floats, sums: Floats, shift: float, critical: int) -> float:
    """Return the probability that the sum of positive ranks reaches a critical value.

    Args:
        centred: Differences by topic with the mean 0.
        sums: The sums of every two of them, of shape (topics, topics).
        shift: The true mean difference.
        critical: The critical value.
    """
    from scipy.special import ndtr

    n = len(centred)
    positive = sums > -2 * shift
    single = float((centred > -shift).mean())
    shares = (positive.sum(axis=1) - positive.diagonal()) / (n - 1)
    pair, triple = float(shares.mean()), float((shares**2).mean())
    mean = n * single + n * (n - 1) / 2 * pair
    variance = (
        n * single * (1 - single)
        + n * (n - 1) / 2 * (2 * (single - pair) ** 2 + 3 * pair * (1 - pair))
        + n * (n - 1) * (n - 2) * (triple - pair**2)
    )
    distance = mean - critical + 0.5
    if variance <= 0:
        return float(distance > 0)
    return float(ndtr(distance / math.sqrt(variance)))


def detectable_differences(
    samples: Sequence[Floats], test: str, correction: str, level: float, comparisons: int
) -> list[float | None]:
    """Return the detectable difference of each comparison of a family of paired tests.

    Args:
        samples: Differences by topic of the comparisons.
        test: As for :func:`detectable_difference`.
        correction: As for :func:`single_level`.
        level: Significance level of the family.
        comparisons: Number of comparisons in the family.
    """
    strictest = single_level(level, correction, comparisons)
    return [detectable_difference(found, test, strictest) for found in samples]
