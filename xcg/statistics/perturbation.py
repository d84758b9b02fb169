"""The effect of non-relevant results on measures: the experiment of Kazai and Lalmas 2006, 6.1.2."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import NotedList
from xcg.gains.topic import GainCalculator
from xcg.lazy_modules import np
from xcg.measures import Measure, TopicGains
from xcg.measures.topic_gains import vector

Position = Literal["after first", "before first"]
POSITIONS: tuple[Position, ...] = ("after first", "before first")
MEASURES_OF_FIGURE_6 = "R ep@0.1 Q MAep iMAep"
COUNTS = (0, 1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)


class PerturbedMean(NamedTuple):
    """The mean of a measure after non-relevant results were inserted into a run.

    Attributes:
        run: Name of the run.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        position: Where the results were inserted, relative to the run's first result.
        inserted: Number of inserted results.
        value: Mean over topics.
        change: Relative change of the mean since the first number of inserted results; None if that
            mean was 0.
    """

    run: str
    measure: str
    user_model: str
    position: Position
    inserted: int
    value: float
    change: float | None


def perturb(inputs: Inputs, counts: Sequence[int] = COUNTS) -> NotedList[PerturbedMean]:
    """Compute means after non-relevant results are inserted into runs.

    The inserted results are from documents without relevant text, so they gain nothing and overlap with
    no other result. They are inserted into the ranking of each topic that the run answers, after or
    before its first result. Means are over the answered topics with an ideal gain above 0.

    Args:
        inputs: Assessments, runs, and measures that depend only on gains.
        counts: Numbers of results to insert, at least 0; changes are relative to the first number.

    Returns:
        Rows in the order of runs, user models, measures, positions and counts, with notes.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if a measure depends on more than gains, or no run
            answers a topic with an ideal element.

    >>> base = {"1": {"d": 2, "e": 1}}
    >>> found = perturb(Inputs(base, {"r": {"1": ["d", "e"]}}, measures="MAep"), counts=[0, 1])
    >>> [(line.position, round(line.value, 4)) for line in found if line.inserted]
    [('after first', 0.8333), ('before first', 0.5833)]
    """
    for measure in inputs.measure_list:
        if measure.definition.needs != "gains":
            raise XcgError(f"{measure} depends on more than gains: expected measures like MAep")
    inputs.check()
    campaign, models = Campaign.of(inputs), inputs.user_models
    notes = inputs.new_notes()
    gains: dict[tuple[str, str], list[TopicGains]] = {}
    for topic in campaign.topics(notes):
        calculator = GainCalculator(topic, campaign)
        for model in models:
            ideal = calculator.ideal(model)
            for run in topic.rankings if ideal.gains else ():
                topic_gains = calculator.gains(run, ideal, model)
                gains.setdefault((run, model.name), []).append(topic_gains)
    effort = {model.name: model.effort.parameters() for model in models}
    lines: list[PerturbedMean] = []
    for (run, model_name), all_gains in gains.items():
        for measure, position in product(inputs.measure_list, POSITIONS):
            first: float | None = None
            for count in counts:
                topics = [_insert(topic_gains, position, count) for topic_gains in all_gains]
                mean = _mean(measure, topics, effort[model_name])
                if mean is not None:
                    first = mean if first is None else first
                    change = mean / first - 1 if first else None
                    lines.append(
                        PerturbedMean(run, str(measure), model_name, position, count, mean, change)
                    )
    if not lines:
        raise XcgError("nothing to perturb: no run answers a topic with an ideal element")
    return NotedList(lines, notes.lines())


def _mean(measure: Measure, topics: Sequence[TopicGains], effort: Mapping[str, str]) -> float | None:
    values = [measure.compute(topic, effort) for topic in topics]
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def _insert(topic: TopicGains, position: Position, count: int) -> TopicGains:
    index = 1 if position == "after first" else 0
    gains = np.insert(vector(topic.gains), index, np.zeros(count))
    return TopicGains(gains, topic.ideal, topic.not_retrieved)
