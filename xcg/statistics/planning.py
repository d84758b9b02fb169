"""Plan a comparison from a pilot campaign: what it finds, and how many topics it needs."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.statistics.intervals import POWER, t_detectable
from xcg.statistics.significance_tests import (
    SIGNIFICANCE_LEVEL,
    equal_signs_probability,
    single_level,
    t_half_widths,
)
from xcg.statistics.topic_scores import (
    ROUNDING,
    Floats,
    common_scores,
    differences,
    scores_to_compare,
    standard_deviation,
)

LEAST_PILOT_TOPICS = 5
MAX_SEARCHED_TOPICS = 100_000
"""The highest number of topics that a plan finds necessary."""
CAMPAIGNS = 4000
MAX_SIMULATED_TOPICS = 60
"""The maximum number of simulated topics.

With more topics, thresholds are extrapolated in proportion to the noncentral t distribution.
"""
_STEPS = 6
_TOLERANCE = 0.01


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
                range(2, MAX_SEARCHED_TOPICS + 2), least, key=lambda n: -self._normal(n, power)
            )
            if guess > MAX_SEARCHED_TOPICS:
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
        rng = np.random.default_rng([self._seed, topics])
        pairs = rng.permutation(np.resize(rng.permutation(len(self._sizes)), CAMPAIGNS))
        drawn = (rng.random((CAMPAIGNS, topics)) * self._sizes[pairs, None]).astype(int)
        samples = self._centred[pairs[:, None], drawn]
        means, half_widths = samples.mean(axis=1), t_half_widths(samples, self._level)
        if equal_signs_probability(topics) >= self._level:  # equal differences are not significant
            half_widths[np.ptp(samples, axis=1) <= ROUNDING] = np.inf
        return np.concatenate([half_widths - means, half_widths + means])


@dataclass(frozen=True)
class Plan:
    """What a comparison finds by one measure under one user model.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        test: ``"t"``.
        correction: Name of the correction.
        runs: Number of runs to compare.
        comparisons: Number of comparisons that are corrected together.
        topics: Number of topics at hand.
        pilot_topics: Number of topics of the pilot; the smallest number that two of its runs share.
        deviation: Standard deviation of the difference between two runs over the topics: the root of
            the mean variance over the pilot's pairs. None if no pair has a variance.
        detectable: The smallest true difference that a comparison finds with the wanted power with the
            topics at hand. None if there is none.
        difference: The difference to find, or None.
        power: The probability to find it with the topics at hand.
        topics_needed: The number of topics with which it is found with the wanted power; None if it
            exceeds 100,000.
        simulation: The simulated campaigns; None without variance.
    """

    measure: str
    user_model: str
    test: str
    correction: str
    runs: int
    comparisons: int
    topics: int
    pilot_topics: int
    deviation: float | None = None
    detectable: float | None = None
    difference: float | None = None
    power: float | None = None
    topics_needed: int | None = None
    simulation: PowerSimulation | None = field(default=None, repr=False, compare=False)


def plan(
    results: Results,
    *,
    power: float = POWER,
    difference: float | None = None,
    runs: int | None = None,
    topics: int | None = None,
    baseline: str | None = None,
    seed: int = 0,
) -> list[Plan]:
    """Predict the power of comparisons by the t test from a pilot campaign.

    Campaigns are simulated: topics are drawn from those of the pilot, and a difference is added to
    every topic (see :class:`PowerSimulation`). Each campaign has the differences
    of one pair of the pilot's runs, all pairs equally often. So the power is the mean over the pairs.
    No other difference of the family is found, which is the worst case for the methods of Holm and
    Shaffer. Pairs whose differences are equal on all topics are left out.

    Args:
        results: Results of the pilot: at least two runs with scores for at least five topics.
        power: The wanted probability to find a difference, above the significance level and below 1.
        difference: The difference between the means of two runs to find, above 0; for counts, the
            difference of the mean per topic.
        runs: Number of runs to compare, two to 1,000; by default those of the pilot.
        topics: Number of topics at hand, at least two; by default those of the pilot.
        baseline: As for ``xcg compare``. With a name, all pairs of the pilot include this run.
        seed: Seed of the simulated campaigns.

    Returns:
        One line per measure and user model.

    Raises:
        XcgError: If the baseline is unknown or the pilot is too small.
    """
    lines = []
    for measure, model in product(results.measures, results.user_models):
        what = f"{measure} under {model}"
        scores, named = scores_to_compare(results, measure, model, baseline)
        samples = [
            common_scores({run: scores[run] for run in pair}, results.topics, what)
            for pair in combinations(scores, 2)
            if named is None or named in pair
        ]
        pilot_topics = min(len(sample.topics) for sample in samples)
        if pilot_topics < LEAST_PILOT_TOPICS:
            raise XcgError(
                f"{pilot_topics} topics with scores of {what} for two runs of the pilot: "
                f"expected at least {LEAST_PILOT_TOPICS}, because they show how scores vary"
            )
        planned, at_hand = runs or len(scores), topics or pilot_topics
        complete = len({frozenset(by_topic) for by_topic in scores.values()}) == 1
        chosen = "shaffer" if named is None and planned > 2 and complete else "holm"
        comparisons = planned - 1 if named is not None else math.comb(planned, 2)
        line = Plan(measure, model, "t", chosen, planned, comparisons, at_hand, pilot_topics)
        every = [differences(*sample.values.values()) for sample in samples]
        if found := [one for one in every if standard_deviation(one)]:
            level = single_level(SIGNIFICANCE_LEVEL, chosen, comparisons)
            simulation = PowerSimulation(found, level, seed)
            line = replace(
                line,
                deviation=simulation.deviation,
                detectable=simulation.detectable(at_hand, power),
                power=simulation.power(at_hand, difference) if difference else None,
                topics_needed=simulation.topics_needed(difference, power) if difference else None,
                simulation=simulation,
            )
        lines.append(replace(line, difference=difference))
    return lines
