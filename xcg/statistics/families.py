"""Families of comparisons: p values that are corrected together, and intervals that hold together.

Each interval is the inversion of the test, at the level at which the first step of the correction tests
all differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from xcg.lazy_modules import np
from xcg.statistics.corrections import SIGNIFICANCE_LEVEL, adjusted, single_level
from xcg.statistics.intervals import randomisation_interval, t_interval
from xcg.statistics.significance_tests import family_p_values, smallest_p
from xcg.statistics.topic_scores import ROUNDING, Booleans, Floats, standard_deviation

POWER = 0.8
"""The default power: the probability of detecting a difference."""


class Inference(NamedTuple):
    """The conclusion about the mean difference of two runs.

    Attributes:
        p: Two-sided p value of this comparison alone.
        p_adjusted: p value after the correction for all comparisons of the family.
        low: Lower limit of the confidence interval; None without a limit.
        high: Upper limit; None without a limit.
        level: Confidence level of the interval, see :class:`xcg.Comparison`; None without an interval.
        detectable: The smallest true difference that is found with 80 % power if no other of the family
            is found, see :func:`detectable_difference`; None without one.
    """

    p: float
    p_adjusted: float
    low: float | None
    high: float | None
    level: float | None
    detectable: float | None


def paired_inferences(
    samples: Sequence[Floats], test: str, correction: str, level: float
) -> list[Inference]:
    """Test each pair on its own topics, and correct the p values.

    Args:
        samples: The differences by topic of each comparison of the family.
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        correction: As for :func:`xcg.statistics.corrections.adjust`.
        level: Significance level.

    Returns:
        The conclusions in the order of the pairs. Wilcoxon's test has no interval, because it is
        about ranks, not about the mean difference.

    Raises:
        XcgError: As the tests.
    """
    p_values = family_p_values([found[None] for found in samples], test)
    corrected = adjusted(p_values, correction)[0].tolist()
    rejected = sum(p < level for p in corrected) if correction == "fdr_bh" else 1
    single = single_level(level, correction, len(samples), rejected)
    strictest = single_level(level, correction, len(samples))
    intervals = {"t": t_interval, "randomisation": randomisation_interval}
    inferences = []
    for found, p, p_adjusted in zip(samples, p_values[0].tolist(), corrected, strict=True):
        limits = intervals[test](found, single) if test in intervals else (None, None)
        confidence = 1 - single if test in intervals else None
        detectable = detectable_difference(found, test, strictest)
        inferences.append(Inference(p, p_adjusted, *limits, confidence, detectable))
    return inferences


def detectable_difference(found: Floats, test: str, level: float) -> float | None:
    """Return the smallest true mean difference that a paired test detects with 80 % power.

    - t: the difference δ for which the noncentral t distribution with the noncentrality √n·δ / sd(d)
      exceeds the critical value with the power.
    - randomisation: the same, because the test has the power of the t test for many topics (Hoeffding
      1952).

    Args:
        found: Differences by topic, at least two.
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        level: Significance level of this comparison; see
            :func:`xcg.statistics.corrections.single_level`.

    Returns:
        A difference above 0. None for Wilcoxon's test, which is about ranks and not about means; if all
        differences are equal, because the variance is then unknown; or if there are too few topics for
        the level.

    >>> found = np.array([0.1, 0.2, 0.0, 0.3, 0.2, 0.1, -0.1, 0.2])
    >>> round(detectable_difference(found, "t", 0.05), 4)
    0.1482
    """
    topics, deviation = len(found), standard_deviation(found)
    if not deviation or smallest_p(test, topics) >= level or test not in ("t", "randomisation"):
        return None
    return t_detectable(deviation, topics, level, POWER)


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


def paired_significant(
    found: Sequence[Floats], test: str, corrections: Sequence[str]
) -> dict[str, Booleans]:
    """Return which comparisons of a family are significant by a paired test, in each campaign.

    Args:
        found: As for :func:`family_p_values`.
        test: As for :func:`family_p_values`.
        corrections: As for :func:`xcg.statistics.corrections.adjusted`.

    Returns:
        For each correction, an array of shape (campaigns, comparisons).
    """
    level = limit = SIGNIFICANCE_LEVEL
    if test == "randomisation" and not {"none", "fdr_bh"} & set(corrections):
        limit = level / len(found) * (1 + ROUNDING)
    p_values = family_p_values(found, test, limit)
    # Without a p value below the first limit, Holm and Shaffer find nothing; otherwise they need all.
    rows = np.flatnonzero((p_values <= limit).any(axis=1))
    if limit < level and len(rows):
        p_values[rows] = family_p_values([values[rows] for values in found], test, level)
    return {correction: adjusted(p_values, correction) < level for correction in corrections}
