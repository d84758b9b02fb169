"""Simulate the power of tests with topics that are drawn from a pilot campaign.

Scores are not normally distributed, and the differences of some pairs of runs vary more than those of
others. With 15 topics, formulas for normal scores are therefore wrong by several points. A simulated
campaign yields a threshold: the smallest true difference that would have been significant in it. The
thresholds of all campaigns give the power for every difference.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache

from xcg.lazy_modules import np, npt
from xcg.statistics.power import noncentrality, t_detectable, wilcoxon_critical_sum
from xcg.statistics.significance_tests import equal_signs_probability, smallest_p
from xcg.statistics.topic_scores import ROUNDING, Floats, matrix_product

CAMPAIGNS = 4000
MAX_SIMULATED_TOPICS = 60
"""The maximum number of simulated topics.

With more topics, thresholds approach their limits in proportion to the noncentral t distribution.
"""
MAX_TOPICS = 100_000
_SIGN_VECTORS = (4000, 16_000)
_MAX_NUMBERS_IN_MEMORY = 4_000_000
_STEPS = 6
_TOLERANCE = 0.01
_MANY_DF = 200


class PowerSimulation(ABC):
    """Simulated campaigns with any number of topics.

    Args:
        deviation: Standard deviation of the difference of two runs, for the first guess.
        level: Significance level of one comparison, or of the family for Tukey's HSD.
        seed: Seed of the random numbers.
    """

    def __init__(self, deviation: float, level: float, seed: int) -> None:
        self.deviation = deviation
        self.level = level
        self._seed = seed
        self._thresholds: dict[int, Floats] = {}
        self._simulated: dict[int, tuple[Floats, Floats]] = {}

    @abstractmethod
    def simulate(self, topics: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the thresholds of campaigns, and their limits for infinitely many topics.

        A threshold is infinite if no difference is significant. A limit is 0 for a test of the mean.
        """

    @abstractmethod
    def normal_detectable(self, topics: int, power: float) -> float | None:
        """Return the detectable difference for normal scores; None if there are too few topics."""

    def thresholds(self, topics: int) -> Floats:
        """Return the sorted thresholds of simulated campaigns with a number of topics."""
        if topics not in self._thresholds:
            simulated = min(topics, MAX_SIMULATED_TOPICS)
            if simulated not in self._simulated:
                rng = np.random.default_rng([self._seed, simulated])
                self._simulated[simulated] = self.simulate(simulated, rng)
            found, limits = self._simulated[simulated]
            if topics > simulated:
                few, many = (self.normal_detectable(n, 0.8) for n in (simulated, topics))
                found = limits + (found - limits) * (many / few if few and many else math.nan)
            self._thresholds[topics] = np.sort(found)
        return self._thresholds[topics]

    def power(self, topics: int, difference: float) -> float:
        """Return the probability that a true difference is significant, in either direction."""
        if self.normal_detectable(topics, 0.8) is None:
            return 0.0
        found = self.thresholds(topics)
        count = np.searchsorted(found, difference) + np.searchsorted(found, -difference)
        return float(count) / len(found)

    def detectable(self, topics: int, power: float) -> float | None:
        """Return the smallest difference that is detected with a given power, or None."""
        if self.normal_detectable(topics, 0.8) is None:
            return None
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
            before, guess = guess, self._topics_by_formula(difference / ratio, power)
            if guess > MAX_TOPICS:
                return None
            found = self.detectable(guess, power)
            if guess == before:
                break
            formula = self.normal_detectable(guess, power) or math.nan
            ratio = found / formula if found is not None else 2 * ratio
        while guess < MAX_SIMULATED_TOPICS and self.power(guess, difference) < power - _TOLERANCE:
            guess += 1  # with few topics, the ratio depends strongly on their number
        return guess

    def _topics_by_formula(self, difference: float, power: float) -> int:
        """Return the smallest number of topics whose detectable difference is not larger."""

        def enough(topics: int) -> bool:
            found = self.normal_detectable(topics, power)
            return found is not None and found <= difference

        low, high = 1, 2
        while not enough(high):
            if high > MAX_TOPICS:
                return high
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


class PairedSimulation(PowerSimulation):
    """Campaigns of two runs that are compared by a paired test.

    Each campaign draws the differences by topic of one pair of the pilot, centred, in both directions.

    Args:
        samples: Differences by topic of the pilot's pairs of runs; not all equal.
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        level: As for :class:`PowerSimulation`.
        seed: As for :class:`PowerSimulation`.
    """

    def __init__(self, samples: Sequence[Floats], test: str, level: float, seed: int) -> None:
        variances = [float(found.var(ddof=1)) for found in samples]
        super().__init__(math.sqrt(math.fsum(variances) / len(variances)), level, seed)
        self._test = test
        self._sizes = np.array([len(found) for found in samples])
        self._centred = np.zeros((len(samples), int(self._sizes.max())))
        for row, found in zip(self._centred, samples, strict=True):
            row[: len(found)] = _centred(found)

    def normal_detectable(self, topics: int, power: float) -> float | None:
        """Return the detectable difference of the t test; None if no p value is below the level."""
        if smallest_p(self._test, topics) >= self.level:
            return None
        return t_detectable(self.deviation, topics, self.level, power)

    def simulate(self, topics: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the thresholds of campaigns, and their limits.

        Wilcoxon's test is about the pseudomedian. If it differs from the mean, as for skewed
        differences, the limit is the distance between them.
        """
        count = CAMPAIGNS // 2 if self._test == "randomisation" else CAMPAIGNS
        pairs = rng.permutation(np.resize(rng.permutation(len(self._sizes)), count))
        drawn = (rng.random((count, topics)) * self._sizes[pairs, None]).astype(int)
        samples = self._centred[pairs[:, None], drawn]
        if self._test == "t":
            return _t_thresholds(samples, self.level), np.zeros(2 * count)
        if self._test == "randomisation":
            return _randomisation_thresholds(samples, self.level, rng), np.zeros(2 * count)
        limits = self._pseudomedians[pairs]
        return _wilcoxon_thresholds(samples, self.level), np.concatenate([-limits, limits])

    @cached_property
    def _pseudomedians(self) -> Floats:
        """The medians of the means of every two topics for each pair of the pilot."""
        found = []
        for row, size in zip(self._centred, self._sizes.tolist(), strict=True):
            first, second = np.triu_indices(size)
            found.append(float(np.median((row[first] + row[second]) / 2)))
        return np.array(found)


class TukeySimulation(PowerSimulation):
    """Campaigns of several runs that are compared by Tukey's HSD.

    Each campaign draws topics with the scores of all runs, or of as many as are compared. All runs keep
    their means of the pilot except the first. Its mean is that of the second plus the difference.

    Args:
        matrix: Scores of the pilot, of shape (topics, runs).
        runs: Number of runs to compare, at least three.
        randomised: Whether the test permutes the scores of each topic. Its critical value includes the
            variance between the runs.
        level: As for :class:`PowerSimulation`.
        seed: As for :class:`PowerSimulation`.
    """

    def __init__(self, matrix: Floats, runs: int, randomised: bool, level: float, seed: int) -> None:
        self._means = matrix.mean(axis=0)
        self._scores = _centred(matrix)
        residuals = self._scores - self._scores.mean(axis=1, keepdims=True)
        freedom = len(matrix) * (matrix.shape[1] - 1)  # _centred corrects for the topics
        super().__init__(math.sqrt(2 * float((residuals**2).sum()) / freedom), level, seed)
        self._runs = runs
        self._randomised = randomised

    def normal_detectable(self, topics: int, power: float) -> float | None:
        """Return the value for Tukey's HSD with equal means; None without degrees of freedom."""
        df = (topics - 1) * (self._runs - 1)
        critical = _critical_range(self.level, self._runs, df) / math.sqrt(2)
        return noncentrality(critical, df, power) * self.deviation / math.sqrt(topics)

    def simulate(self, topics: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the thresholds of campaigns, and 0 as their limits."""
        drawn_runs = min(self._runs, len(self._means))
        rows = max(1, _MAX_NUMBERS_IN_MEMORY // (topics * drawn_runs))
        found = []
        for start in range(0, CAMPAIGNS, rows):
            size = min(rows, CAMPAIGNS - start)
            runs = rng.random((size, len(self._means))).argsort(axis=1)[:, :drawn_runs]
            drawn = rng.integers(0, len(self._scores), (size, topics))
            scores = self._scores[drawn[:, :, None], runs[:, None, :]]
            found.append(self._campaign_thresholds(scores, self._means[runs]))
        return np.concatenate(found), np.zeros(2 * CAMPAIGNS)

    def _campaign_thresholds(self, scores: Floats, means: Floats) -> Floats:
        """Return the thresholds of campaigns.

        Args:
            scores: Scores with expectation 0, of shape (campaigns, topics, runs).
            means: Expectations of the runs, of shape (campaigns, runs).
        """
        topics, runs = scores.shape[1:]
        observed = scores.mean(axis=1)
        residuals = scores - scores.mean(axis=2, keepdims=True) - observed[:, None, :]
        residuals += observed.mean(axis=1)[:, None, None]
        error = (residuals**2).sum(axis=(1, 2)) / ((topics - 1) * (runs - 1))
        distance = observed[:, 0] - observed[:, 1]
        df = (topics - 1) * (self._runs - 1)
        half_width = _critical_range(self.level, self._runs, df) * np.sqrt(error / topics)
        found = []
        for direction in (1, -1):
            threshold = half_width - direction * distance
            if self._randomised:
                critical = _critical_range(self.level, self._runs, math.inf)
                for _ in range(_STEPS):  # the first run's own difference is part of the variance
                    values = observed + means
                    values[:, 0] = observed[:, 0] + means[:, 1] + direction * threshold
                    variance = error * (topics - 1) / topics + values.var(axis=1, ddof=1)
                    threshold = critical * np.sqrt(variance / topics) - direction * distance
            found.append(threshold)
        return np.concatenate(found)


def _centred(values: Floats) -> Floats:
    """Return values with the mean 0 over topics, scaled so that draws have the unbiased variance."""
    found: Floats = (values - values.mean(axis=0)) * math.sqrt(len(values) / (len(values) - 1))
    return found


@lru_cache(maxsize=1024)
def _critical_range(level: float, runs: int, df: float) -> float:
    """Return the critical value of the studentised range."""
    from scipy.stats import studentized_range

    if _MANY_DF < df < math.inf:  # almost linear in 1 / df; scipy needs up to 0.1 s for each value
        most, limit = (_critical_range(level, runs, value) for value in (_MANY_DF, math.inf))
        return limit + (most - limit) * _MANY_DF / df
    return float(studentized_range.isf(level, runs, df))


def _t_thresholds(samples: Floats, level: float) -> Floats:
    """Return the thresholds of samples with the mean 0, of shape (campaigns, topics)."""
    from scipy.stats import t

    topics = samples.shape[1]
    means, deviations = samples.mean(axis=1), samples.std(axis=1, ddof=1)
    half_widths = float(t.isf(level / 2, topics - 1)) * deviations / math.sqrt(topics)
    if equal_signs_probability(topics) >= level:  # then equal differences are not significant
        half_widths[deviations <= ROUNDING] = np.inf
    return np.concatenate([half_widths - means, half_widths + means])


def _wilcoxon_thresholds(samples: Floats, level: float) -> Floats:
    """Return the thresholds from the means of every two topics.

    The sum of the positive ranks is the number of these means (with those of a topic and itself) that
    are above 0 (Walsh; Hollander, Wolfe and Chicken 2014, section 3.3).
    """
    campaigns, topics = samples.shape
    critical = wilcoxon_critical_sum(topics, level)
    if critical is None:
        return np.full(2 * campaigns, np.inf)
    first, second = np.triu_indices(topics)
    rows = max(1, _MAX_NUMBERS_IN_MEMORY // len(first))
    below, above = [], []
    for start in range(0, campaigns, rows):
        part = samples[start : start + rows]
        means = (part[:, first] + part[:, second]) / 2
        means.partition((critical - 1, len(first) - critical), axis=1)
        below.append(-means[:, len(first) - critical])
        above.append(means[:, critical - 1])
    return np.concatenate(below + above)


def _randomisation_thresholds(samples: Floats, level: float, rng: np.random.Generator) -> Floats:
    """Return the thresholds: quantiles of the means of random sets of topics (Hartigan 1969).

    With a difference δ, a sign vector is as extreme as the observed signs if the mean of the topics
    whose signs it changes is at most −δ.
    """
    campaigns, topics = samples.shape
    fewest, most = _SIGN_VECTORS
    vectors = min(1 << min(topics, 30), round(min(max(200 / level, fewest), most)))
    index = max(1, math.ceil(level * vectors / 2 - 1e-9)) - 1
    rows = max(1, _MAX_NUMBERS_IN_MEMORY // vectors)
    found = []
    for start in range(0, campaigns, rows):
        part = samples[start : start + rows].astype(np.float32)
        signs = _signs(topics, vectors, rng)
        number = signs.sum(axis=0)
        means = matrix_product(part, signs) / np.maximum(number, 1)
        means[:, number == 0], means[:, number == topics] = -np.inf, np.inf
        means.partition((index, vectors - 1 - index), axis=1)
        found += [-means[:, index], means[:, vectors - 1 - index]]
    return np.concatenate(found).astype(np.float64)


def _signs(topics: int, vectors: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return vectors of 0 and 1 as columns: all of them, or random ones."""
    if vectors == 1 << topics:
        return ((np.arange(vectors) >> np.arange(topics)[:, None]) & 1).astype(np.float32)
    return rng.integers(0, 2, (topics, vectors), np.int8).astype(np.float32)
