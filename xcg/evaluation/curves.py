"""Compute curves: measures as functions of rank, gain-recall, recall or amount of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xcg.errors import InputError, XcgError
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Runs, UserModels
from xcg.evaluation.results import NotedList
from xcg.gains.topic import GainCalculator, IdealRecallBase
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np
from xcg.measures import MEASURES, Measure, TopicGains, split_measures
from xcg.runs.run import Order, Ties

IDEAL = "ideal ranking"
"""The name of the ideal ranking among the runs."""


class CurveOf(NamedTuple):
    """A curve of one run for one topic, or its mean over topics (``all``).

    Attributes:
        x: Ranks, recall points or amounts of text.
        y: The values at these points.
    """

    run: str
    topic: str
    measure: str
    user_model: str
    x: Sequence[float]
    y: Sequence[float]


def curve_measure(text: str) -> Measure:
    """Return the measure of a name; the cutoff may be left out: ``nxCG``, ``ep(interpolation=linear)``.

    Raises:
        XcgError: If the measure is unknown or has no curve.

    >>> str(curve_measure("nxCG"))
    'nxCG@10'
    """
    name = text.partition("@")[0].partition("(")[0].strip()
    definition = MEASURES.definition(name)
    if definition.curve is None:
        having = ", ".join(sorted(d.name for d in MEASURES.values() if d.curve is not None))
        raise XcgError(f"{name} has no curve: expected one of {having}")
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
    order: Order = "score",
    ties: Ties = "document",
    lenient: bool = False,
) -> NotedList[CurveOf]:
    """Compute the curves of runs for every topic, and their means over topics.

    Means are over the topics with an ideal gain above 0; a topic without results counts 0.

    Args:
        assessments: As :func:`xcg.evaluate` takes them, like all arguments not named here.
        runs: The runs.
        corpus: The documents.
        user_model: The user models.
        measure: One measure or several, separated by spaces, with or without a cutoff.
        depth: The last rank of a curve over ranks.
        with_ideal: Add the curve of the ideal ranking as a run of that name.
        order: The order of TREC results: ``score``, ``rank`` or ``file``.
        ties: The order of TREC results with equal scores or ranks.
        lenient: Count wrong data as warnings instead of raising.

    Returns:
        The curves, with ``notes``.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if a measure has no curve.

    >>> found = curves({"1": {"d": 2, "e": 1}}, {"r": {"1": ["e", "d"]}}, measure="nxCG", depth=3)
    >>> [(curve.topic, list(curve.y)) for curve in found]
    [('1', [0.5, 1.0, 1.0]), ('all', [0.5, 1.0, 1.0])]
    """
    inputs = Inputs(assessments, runs, corpus, user_model, order=order, ties=ties, lenient=lenient)
    return curves_of_inputs(inputs, measure, depth, with_ideal)


def curves_of_inputs(
    inputs: Inputs, measure: str = "nxCG", depth: int = 100, with_ideal: bool = False
) -> NotedList[CurveOf]:
    """Compute the curves of runs, as :func:`curves` does."""
    measures = [curve_measure(name) for name in split_measures(measure)]
    inputs.check()
    needs_gains = any(one.definition.needs != "text" for one in measures)
    campaign, models = Campaign.of(inputs, needs_elements=needs_gains), inputs.user_models
    notes = inputs.new_notes()
    names = [*campaign.runs, *([IDEAL] if with_ideal else [])]
    found: dict[tuple[Measure, str, str], list[CurveOf]] = {
        (one, model.name, name): [] for one in measures for model in models for name in names
    }
    for topic in campaign.topics(notes):
        calculator = GainCalculator(topic, campaign)
        for model in models:
            ideal = calculator.ideal(model) if needs_gains else IdealRecallBase({}, [])
            if needs_gains and not ideal.gains:
                continue
            gains = {run: calculator.gains(run, ideal, model) for run in campaign.runs}
            if with_ideal:
                gains = {IDEAL: _ideal_ranking(ideal, next(iter(gains.values()))), **gains}
            for name, of_run in gains.items():
                for one in measures:
                    try:
                        if one.definition.needs == "text" and one.compute(of_run) is None:
                            continue
                        x, y = one.curve(of_run, depth, model.effort.parameters())
                    except XcgError as error:
                        raise InputError(f"run {name}, topic {topic.topic}", str(error)) from None
                    label = str(one).partition("@")[0]
                    curve = CurveOf(name, topic.topic, label, model.name, list(x), list(y))
                    found[one, model.name, name].append(curve)
    if not any(found.values()):
        raise XcgError("no curves: no topic has an ideal element under these user models")
    lines = (curve for of_run in found.values() if of_run for curve in (*of_run, _mean(of_run)))
    return NotedList(lines, notes.lines())


def _ideal_ranking(ideal: IdealRecallBase, of_run: TopicGains) -> TopicGains:
    """Return the gains of the ideal ranking; all details but its text are those of a run."""
    details = of_run.required_details(IDEAL)
    best = details._replace(readings=lambda unit: (details.readings(unit)[1],) * 2)
    return TopicGains(ideal.gains, ideal.gains, 0, best)


def _mean(curves: Sequence[CurveOf]) -> CurveOf:
    heights = np.mean([curve.y for curve in curves], axis=0)
    return curves[0]._replace(topic=MEAN, y=heights.tolist())
