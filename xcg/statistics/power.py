"""Compute the power of tests, and the smallest difference that they detect with a given power."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from xcg.lazy_modules import np
from xcg.statistics.significance_tests import (
    equal_signs_probability,
    smallest_p,
)
from xcg.statistics.topic_scores import ROUNDING, Floats, standard_deviation

POWER = 0.8
"""The default power: the probability of detecting a difference."""
CAMPAIGNS = 4000
MAX_SIMULATED_TOPICS = 60
"""The maximum number of simulated topics.

With more topics, thresholds are extrapolated in proportion to the noncentral t distribution.
"""
MAX_TOPICS = 100_000
_STEPS = 6
_TOLERANCE = 0.01


def detectable_difference(found: Floats, test: str, level: float, power: float = POWER) -> float | None:
    """Return the smallest true mean difference that a paired test detects with a given power.

    - t: the difference δ for which the noncentral t distribution with the noncentrality √n·δ / sd(d)
      exceeds the critical value with the probability ``power``.
    - randomisation: the same, because the test has the power of the t test for many topics (Hoeffding
      1952).

    Args:
        found: Differences by topic, at least two.
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        level: Significance level of this comparison; see
            :func:`xcg.statistics.corrections.single_level`.
        power: Above ``level`` and below 1.

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


class PowerSimulation:
    """Simulated campaigns of two runs, with any number of topics, that are compared by the t test.

    Each campaign draws the differences by topic of one pair of the pilot, centred, in both directions.
    Scores are not normally distributed, and the differences of some pairs vary more than those of
    others; with 15 topics, formulas for normal scores are therefore wrong by several points. A campaign
    yields a threshold: the smallest true difference that would have been significant in it. The
    thresholds of all campaigns give the power for every difference.

    Args:
        samples: Differences by topic of the pilot's pairs of runs; not all equal.
        level: Significance level of one comparison.
        seed: Seed of the random numbers.
    """

    def __init__(self, samples: Sequence[Floats], level: float, seed: int) -> None:
        variances = [float(found.var(ddof=1)) for found in samples]
        self.deviation = math.sqrt(math.fsum(variances) / len(variances))
        self._level, self._seed = level, seed
        self._thresholds: dict[int, Floats] = {}
        self._sizes = np.array([len(found) for found in samples])
        self._centred = np.zeros((len(samples), int(self._sizes.max())))
        for row, found in zip(self._centred, samples, strict=True):
            # Scaled so that draws have the unbiased variance.
            row[: len(found)] = (found - found.mean()) * math.sqrt(len(found) / (len(found) - 1))

    def thresholds(self, topics: int) -> Floats:
        """Return the sorted thresholds of campaigns; infinite if no difference is significant."""
        if topics not in self._thresholds:
            if topics <= MAX_SIMULATED_TOPICS:
                found = np.sort(self._simulate(topics))
            else:
                many, few = (self._normal(n, POWER) for n in (topics, MAX_SIMULATED_TOPICS))
                found = self.thresholds(MAX_SIMULATED_TOPICS) * (many / few)
            self._thresholds[topics] = found
        return self._thresholds[topics]

    def power(self, topics: int, difference: float) -> float:
        """Return the probability that a true difference is significant, in either direction."""
        found = self.thresholds(topics)
        count = np.searchsorted(found, difference) + np.searchsorted(found, -difference)
        return float(count) / len(found)

    def detectable(self, topics: int, power: float) -> float | None:
        """Return the smallest difference that is detected with a given power, or None."""
        found = self.thresholds(topics)
        value = float(found[min(len(found) - 1, math.ceil(power * len(found)))])
        return max(value, 0.0) if math.isfinite(value) else None

    def topics_needed(self, difference: float, power: float) -> int | None:
        """Return the number of topics needed to detect a difference with a given power.

        The first guess is for normal scores. Each further guess corrects the formula by its ratio to
        the simulation at the previous guess.

        Returns:
            At least 2; None if it exceeds 100,000.
        """
        ratio, guess = 1.0, 0
        for _ in range(_STEPS):
            before, least = guess, -difference / ratio
            # The first number of topics whose detectable difference is not larger.
            guess = 2 + bisect_left(
                range(2, MAX_TOPICS + 2), least, key=lambda n: -self._normal(n, power)
            )
            if guess > MAX_TOPICS:
                return None
            found = self.detectable(guess, power)
            if guess == before:
                break
            ratio = found / self._normal(guess, power) if found is not None else 2 * ratio
        while guess < MAX_SIMULATED_TOPICS and self.power(guess, difference) < power - _TOLERANCE:
            guess += 1  # with few topics, the ratio depends strongly on their number
        return guess

    def _normal(self, topics: int, power: float) -> float:
        """Return the detectable difference for normal scores."""
        return t_detectable(self.deviation, topics, self._level, power)

    def _simulate(self, topics: int) -> Floats:
        """Return the thresholds of simulated campaigns."""
        from scipy.stats import t

        rng = np.random.default_rng([self._seed, topics])
        pairs = rng.permutation(np.resize(rng.permutation(len(self._sizes)), CAMPAIGNS))
        drawn = (rng.random((CAMPAIGNS, topics)) * self._sizes[pairs, None]).astype(int)
        samples = self._centred[pairs[:, None], drawn]
        means, deviations = samples.mean(axis=1), samples.std(axis=1, ddof=1)
        half_widths = float(t.isf(self._level / 2, topics - 1)) * deviations / math.sqrt(topics)
        if equal_signs_probability(topics) >= self._level:  # equal differences are not significant
            half_widths[deviations <= ROUNDING] = np.inf
        return np.concatenate([half_widths - means, half_widths + means])
