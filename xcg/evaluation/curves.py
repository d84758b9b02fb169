"""Curves: measures as vectors, by rank, over gain-recall or over recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xcg.documents.text_units import TextUnit
from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Runs, UserModels
from xcg.evaluation.results import NotedList
from xcg.gains.topic import IdealTopic, Stages
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES, Measure, TopicGains, split_measures
from xcg.measures.topic_gains import Reading
from xcg.runs.run import Ties

IDEAL = "ideal ranking"


class CurveOf(NamedTuple):
    """A curve of one run for one topic, or in the mean over topics (``all``), point by point."""

    run: str
    topic: str
    measure: str
    user_model: str
    x: Sequence[float]
    y: Sequence[float]


def curve_measure(text: str) -> Measure:
    """Return the measure whose curve a name means; XcgError where it has none.

    The cutoff may be left out: ``nxCG``, ``ep(interpolation=linear)``.

    >>> str(curve_measure("nxCG"))
    'nxCG@10'
    """
    name = text.partition("@")[0].partition("(")[0].strip()
    definition = MEASURES.definition(name)
    if definition.curve is None:
        having = ", ".join(sorted(d.name for d in MEASURES.values() if d.curve is not None))
        raise XcgError(f"{name} has no curve; there are those of {having}")
    if "@" not in text and definition.cutoff is not None and definition.cutoff.required:
        text = f"{text}@{definition.cutoff.example}"
    return MEASURES.parse(text)


def curves(
    assessments: Assessments,
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    measure: str = "nxCG",
    depth: int = 100,
    *,
    with_ideal: bool = False,
    ties: Ties = "document",
    lenient: bool = False,
) -> NotedList[CurveOf]:
    """Return the curves of runs for every topic, and their means over topics, point by point.

    measure: one, or several in one text. depth: the last rank of a curve by rank. with_ideal: add the
    curve of the ideal ranking, as a run that is called so. Means are over the topics with an ideal gain
    above 0, an unanswered topic counting 0. Raises XcgError as :func:`xcg.evaluate`, and where a
    measure has no curve.

    >>> found = curves({"1": {"d": 2, "e": 1}}, {"r": {"1": ["e", "d"]}}, measure="nxCG", depth=3)
    >>> [(curve.topic, list(curve.y)) for curve in found]
    [('1', [0.5, 1.0, 1.0]), ('all', [0.5, 1.0, 1.0])]
    """
    inputs = Inputs(assessments, runs, corpus, user_model, ties=ties, lenient=lenient)
    return curves_of_inputs(inputs, measure, depth, with_ideal)


def curves_of_inputs(
    inputs: Inputs, measure: str = "nxCG", depth: int = 100, with_ideal: bool = False
) -> NotedList[CurveOf]:
    """Return the curves of runs, as :func:`curves` does."""
    wanted = [curve_measure(name) for name in split_measures(measure)]
    base, documents, loaded, models = (
        inputs.recall_base,
        inputs.documents,
        inputs.loaded_runs,
        inputs.user_models,
    )
    notes = Notes(inputs.lenient)
    notes.take(inputs.notes)
    campaign = Campaign(base, loaded, documents, notes)
    names = [run.name for run in loaded] + ([IDEAL] if with_ideal else [])
    found: dict[tuple[Measure, str, str], list[CurveOf]] = {
        (one, model.name, name): [] for one in wanted for model in models for name in names
    }
    for topic in base.topics:
        stages = Stages(campaign.topic(topic), campaign)
        for model in models:
            ideal = stages.ideal(model)
            if not ideal.gains:
                continue
            rankings = {run.name: stages.gains(run.name, ideal, model) for run in loaded}
            if with_ideal:
                rankings = {IDEAL: _ideal_ranking(ideal, rankings[loaded[0].name]), **rankings}
            for name, gains in rankings.items():
                for one in wanted:
                    try:
                        x, y = one.curve(gains, depth, model.effort.parameters())
                    except XcgError as error:
                        raise InputError(f"run {name}, topic {topic}", str(error)) from None
                    measured = str(one).partition("@")[0]
                    curve = CurveOf(name, topic, measured, model.name, list(x), list(y))
                    found[one, model.name, name].append(curve)
    if not any(found.values()):
        raise XcgError("no curves: no topic has an ideal element under these user models")
    lines = (curve for of_run in found.values() if of_run for curve in (*of_run, _mean(of_run)))
    return NotedList(lines, notes.lines())


def _ideal_ranking(ideal: IdealTopic, of_run: TopicGains) -> TopicGains:
    """Return the ranking of the ideal elements, with the details of a run's ranking."""
    details = of_run.required_details("the ideal ranking")

    def readings(unit: TextUnit) -> tuple[Reading, Reading]:
        _, best = details.readings(unit)
        return best, best

    return TopicGains(ideal.gains, ideal.gains, 0, details._replace(readings=readings))


def _mean(curves: Sequence[CurveOf]) -> CurveOf:
    heights = np.mean([curve.y for curve in curves], axis=0)
    return curves[0]._replace(topic=MEAN, y=heights.tolist())
