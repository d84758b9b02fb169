"""Plan a comparison from a pilot campaign: what it finds, and how many topics it needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

from xcg.errors import XcgError
from xcg.evaluation.parallel import ONE_PROCESS, Executor
from xcg.evaluation.results import Results
from xcg.statistics.power import POWER, single_level
from xcg.statistics.power_simulation import PairedSimulation, PowerSimulation, TukeySimulation
from xcg.statistics.run_pairs import scores_to_compare
from xcg.statistics.significance import (
    CORRECTIONS,
    SIGNIFICANCE_LEVEL,
    choose_correction,
)
from xcg.statistics.significance_tests import PAIRED_TESTS
from xcg.statistics.topic_scores import (
    TopicScores,
    check_name,
    common_scores,
    differences,
    standard_deviation,
)

LEAST_PILOT_TOPICS = 5
MAX_RUNS = 1000
"""The highest number of runs to plan for; time and memory grow with it."""
MAX_TOPICS = 1_000_000
"""The highest number of topics to plan for."""
_TESTS = ("t", "randomisation", "wilcoxon")


@dataclass(frozen=True)
class Plan:
    """What a comparison finds by one measure under one user model.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        test: Name of the test.
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
    deviation: float | None
    detectable: float | None
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
    test: str | None = None,
    correction: str | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor = ONE_PROCESS,
) -> list[Plan]:
    """Predict the power of comparisons from a pilot campaign.

    Campaigns are simulated: topics are drawn from those of the pilot, and a difference is added to
    every topic (see :mod:`xcg.statistics.power_simulation`). For paired tests, each campaign has the
    differences of one pair of the pilot's runs, all pairs equally often. So the power is the mean over
    the pairs. No other difference of the family is found, which is the worst case for the methods of
    Holm and Shaffer. Pairs whose differences are equal on all topics are left out.

    Args:
        results: Results of the pilot: at least two runs with scores for at least five topics.
        power: The wanted probability to find a difference, above the significance level and below 1.
        difference: The difference between the means of two runs to find, above 0; for counts, the
            difference of the mean per topic.
        runs: Number of runs to compare, two to 1,000; by default those of the pilot.
        topics: Number of topics at hand, at least two; by default those of the pilot.
        baseline: As for :func:`xcg.compare`. With a name, all pairs of the pilot include this run.
        test: A test of :func:`xcg.compare`; by default t, randomisation and wilcoxon.
        correction: A correction of :func:`xcg.compare`, which also decides the default.
        seed: Seed of the simulated campaigns.
        progress: Called with the number of finished and of all lines.
        executor: Where the lines are computed. They do not depend on it.

    Returns:
        One line per measure, user model, test and correction.

    Raises:
        XcgError: If an argument is out of range, a name is unknown, the pilot is too small, or the
            correction is not defined for the test, baseline or topics.
    """
    check_numbers(power, difference, runs, topics)
    if test is not None:
        check_name("test", test, PAIRED_TESTS)
    if correction is not None:
        check_name("correction", correction, CORRECTIONS)
    pilots = [
        _Pilot(results, measure, model, baseline, runs)
        for measure in results.measures
        for model in results.user_models
    ]
    work = [(pilot, *procedure) for pilot in pilots for procedure in pilot.procedures(test, correction)]
    return executor.run(_plan_line, work, common=[power, difference, topics, seed], progress=progress)


def _plan_line(
    power: float,
    difference: float | None,
    topics: int | None,
    seed: int,
    pilot: _Pilot,
    test: str,
    correction: str,
) -> Plan:
    """Return the line of one test and correction."""
    simulation = pilot.simulation(test, correction, seed)
    at_hand = topics or pilot.topics
    return Plan(
        measure=pilot.measure,
        user_model=pilot.user_model,
        test=test,
        correction=correction,
        runs=pilot.runs,
        comparisons=pilot.comparisons,
        topics=at_hand,
        pilot_topics=pilot.topics,
        deviation=simulation.deviation if simulation else None,
        detectable=simulation.detectable(at_hand, power) if simulation else None,
        difference=difference,
        power=simulation.power(at_hand, difference) if simulation and difference else None,
        topics_needed=simulation.topics_needed(difference, power)
        if simulation and difference
        else None,
        simulation=simulation,
    )


def check_numbers(
    power: float, difference: float | None = None, runs: int | None = None, topics: int | None = None
) -> None:
    """Check the numbers that :func:`plan` accepts.

    Raises:
        XcgError: If one of them is out of range.
    """
    if not SIGNIFICANCE_LEVEL < power < 1:
        raise XcgError(
            f"illegal power {power:g}: expected a number between {SIGNIFICANCE_LEVEL:g} and 1, like 0.8"
        )
    if difference is not None and not (math.isfinite(difference) and difference > 0):
        raise XcgError(f"illegal difference {difference:g}: expected a number above 0, like 0.02")
    for name, number, most in (("runs to compare", runs, MAX_RUNS), ("topics", topics, MAX_TOPICS)):
        if number is not None and number < 2:
            raise XcgError(f"illegal number of {name} {number}: expected at least 2")
        if number is not None and number > most:
            raise XcgError(f"illegal number of {name} {number}: expected at most {most:,}")


class _Pilot:
    """The scores of a pilot by one measure under one user model, and the family to plan."""

    def __init__(
        self, results: Results, measure: str, model: str, baseline: str | None, runs: int | None
    ) -> None:
        self.measure, self.user_model = measure, model
        what = f"{measure} under {model}"
        self._scores, self._named, base = scores_to_compare(results, measure, model, baseline)
        self.runs = runs or len(self._scores)
        self.comparisons = self.runs - 1 if self._named is not None else math.comb(self.runs, 2)
        samples = [
            common_scores({run: self._scores[run] for run in pair}, results.topics, what)
            for pair in combinations(self._scores, 2)
            if base is None or base in pair
        ]
        self.topics = min(len(sample.topics) for sample in samples)
        if self.topics < LEAST_PILOT_TOPICS:
            raise XcgError(
                f"{self.topics} topics with scores of {what} for two runs of the pilot: "
                f"expected at least {LEAST_PILOT_TOPICS}, because they show how scores vary"
            )
        found = [differences(*sample.values.values()) for sample in samples]
        self._differences = [one for one in found if standard_deviation(one)]
        self._what, self._all_topics = what, results.topics

    def procedures(self, test: str | None, correction: str | None) -> list[tuple[str, str]]:
        """Return tests and corrections; XcgError if a correction is not defined for a given test."""
        found: dict[tuple[str, str], None] = {}
        for one in (test,) if test is not None else _TESTS:
            try:
                found[one, self._correction(one, correction)] = None
            except XcgError:
                if test is not None:
                    raise
        if not found:
            self._correction("t", correction)  # raises
        return list(found)

    def _correction(self, test: str, correction: str | None) -> str:
        """Return the correction of a comparison of the planned number of runs."""
        pilot = list(self._scores.values())
        count = 2 if self.runs == 2 else max(self.runs, len(pilot))
        planned = {str(number): pilot[number % len(pilot)] for number in range(count)}
        return choose_correction(planned, self._named, test, correction)

    def simulation(self, test: str, correction: str, seed: int) -> PowerSimulation | None:
        """Return simulated campaigns; None if no pair of runs has a variance."""
        if not self._differences:
            return None
        if correction == "tukey" and self.runs > 2:
            scores: TopicScores = common_scores(self._scores, self._all_topics, self._what)
            return TukeySimulation(
                scores.matrix, self.runs, test == "randomisation", SIGNIFICANCE_LEVEL, seed
            )
        single = "none" if correction == "tukey" else correction
        level = single_level(SIGNIFICANCE_LEVEL, single, self.comparisons)
        return PairedSimulation(self._differences, test, level, seed)
