"""How measures react to useless results: the walk-through of Kazai & Lalmas 2006, section 6.1.2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from xcg.errors import Notes, XcgError
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Measures, Runs, UserModels
from xcg.evaluation.results import NotedList
from xcg.gains.topic import Stages
from xcg.measures import TopicGains
from xcg.measures.gain_vectors import vector
from xcg.runs.run import Ties

Place = Literal["after first", "before first"]
PLACES: tuple[Place, ...] = ("after first", "before first")
MEASURES_OF_FIGURE_6 = "R ep@0.1 Q MAep iMAep"
COUNTS = (0, 1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)


class Perturbed(NamedTuple):
    """The mean of a measure over topics after so many useless results were put into a run.

    change: relative to the run as it was, None where that was 0.
    """

    run: str
    measure: str
    user_model: str
    place: Place
    inserted: int
    value: float
    change: float | None


def perturb(
    assessments: Assessments,
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    measures: Measures = MEASURES_OF_FIGURE_6,
    counts: Sequence[int] = COUNTS,
    *,
    ties: Ties = "document",
    lenient: bool = False,
) -> NotedList[Perturbed]:
    """Return how measures react when non-relevant results are inserted into runs.

    They come from documents with nothing relevant, so that they gain nothing and hide nothing. Every
    topic that the run answers gets them, behind its first result or before it. Means are over the
    topics with an ideal gain above 0 that the run answers. Raises XcgError as :func:`xcg.evaluate`, and
    for measures that look at more than gains.

    >>> base = {"1": {"d": 2, "e": 1}}
    >>> found = perturb(base, {"r": {"1": ["d", "e"]}}, measures="MAep", counts=[0, 1])
    >>> [(line.place, round(line.value, 4)) for line in found if line.inserted]
    [('after first', 0.8333), ('before first', 0.5833)]
    """
    inputs = Inputs(assessments, runs, corpus, user_model, measures, ties=ties, lenient=lenient)
    return perturb_inputs(inputs, counts)


def perturb_inputs(inputs: Inputs, counts: Sequence[int] = COUNTS) -> NotedList[Perturbed]:
    """Return how measures react to non-relevant results, as :func:`perturb` does."""
    chosen = inputs.measure_list
    for measure in chosen:
        if measure.definition.needs != "gains":
            raise XcgError(f"{measure} looks at more than gains: expected measures like MAep")
    base, documents, loaded = inputs.recall_base, inputs.documents, inputs.loaded_runs
    models = inputs.user_models
    notes = Notes(inputs.lenient)
    notes.take(inputs.notes)
    campaign = Campaign(base, loaded, documents, notes)
    gains: dict[tuple[str, str], list[TopicGains]] = {}
    for topic in base.topics:
        stages = Stages(campaign.topic(topic), campaign)
        for model in models:
            ideal = stages.ideal(model)
            for run in loaded:
                if ideal.gains and stages.view.rankings.get(run.name):
                    found = stages.gains(run.name, ideal, model)
                    gains.setdefault((run.name, model.name), []).append(found)
    lines = []
    effort = {model.name: model.effort.parameters() for model in models}
    for (run_name, model_name), topics in gains.items():
        for measure in chosen:
            for place in PLACES:
                before: float | None = None
                for count in counts:
                    values = [
                        value
                        for topic_gains in topics
                        if (
                            value := measure.compute(
                                _inserted(topic_gains, place, count), effort[model_name]
                            )
                        )
                        is not None
                    ]
                    if not values:
                        continue
                    mean = math.fsum(values) / len(values)
                    before = mean if before is None else before
                    change = mean / before - 1 if before else None
                    lines.append(
                        Perturbed(run_name, str(measure), model_name, place, count, mean, change)
                    )
    if not lines:
        raise XcgError("nothing to perturb: no run answers a topic with an ideal element")
    return NotedList(lines, notes.lines())


def _inserted(topic: TopicGains, place: Place, count: int) -> TopicGains:
    gains = vector(topic.gains)
    changed = np.insert(gains, 1 if place == "after first" else 0, np.zeros(count))
    return TopicGains(changed, topic.ideal, topic.not_retrieved)
