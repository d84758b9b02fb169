"""Plan a comparison from a pilot campaign: what it finds, and how many topics it needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.statistics.corrections import P_VALUE_CORRECTIONS, SIGNIFICANCE_LEVEL, single_level
from xcg.statistics.power import POWER, PowerSimulation
from xcg.statistics.run_pairs import scores_to_compare
from xcg.statistics.significance import choose_correction
from xcg.statistics.topic_scores import (
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
PLANNED_CORRECTIONS = ("shaffer", *P_VALUE_CORRECTIONS)


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
    correction: str | None = None,
    seed: int = 0,
) -> list[Plan]:
    """Predict the power of comparisons by the t test from a pilot campaign.

    Campaigns are simulated: topics are drawn from those of the pilot, and a difference is added to
    every topic (see :class:`xcg.statistics.power.PowerSimulation`). Each campaign has the differences
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
        baseline: As for :func:`xcg.compare`. With a name, all pairs of the pilot include this run.
        correction: A correction of :func:`xcg.compare`, which also decides the default; not
            ``"tukey"``, whose power depends on all runs.
        seed: Seed of the simulated campaigns.

    Returns:
        One line per measure and user model.

    Raises:
        XcgError: If an argument is out of range, a name is unknown, the pilot is too small, or the
            correction is not defined for the baseline or topics.
    """
    check_numbers(power, difference, runs, topics)
    if correction is not None:
        check_name("correction", correction, PLANNED_CORRECTIONS)
    lines = []
    for measure, model in product(results.measures, results.user_models):
        what = f"{measure} under {model}"
        scores, named, base = scores_to_compare(results, measure, model, baseline)
        samples = [
            common_scores({run: scores[run] for run in pair}, results.topics, what)
            for pair in combinations(scores, 2)
            if base is None or base in pair
        ]
        pilot_topics = min(len(sample.topics) for sample in samples)
        if pilot_topics < LEAST_PILOT_TOPICS:
            raise XcgError(
                f"{pilot_topics} topics with scores of {what} for two runs of the pilot: "
                f"expected at least {LEAST_PILOT_TOPICS}, because they show how scores vary"
            )
        planned, at_hand, columns = runs or len(scores), topics or pilot_topics, list(scores.values())
        count = 2 if planned == 2 else max(planned, len(columns))
        family = {str(number): columns[number % len(columns)] for number in range(count)}
        chosen = choose_correction(family, named, "t", correction)
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
