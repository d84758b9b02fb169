"""Compute average precision at all thresholds of relevance, and measures that need no threshold.

Figures 6 to 8 of Scheel, Lommatzsch and Albayrak 2011 show both for each strategy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.curves import CurveOf
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np
from xcg.measures import MEASURES, Measure, Number, RankingGains, split_measures
from xcg.measures.topic_gains import Gains, vector

DEFAULT_MEASURES = "xAP muAP NDCNG"
"""Average precision at all thresholds, and two measures that need none."""
MOST_THRESHOLDS = 200


class ThresholdCurves(NamedTuple):
    """Measures as functions of the threshold from which gains are relevant, and other measures.

    Attributes:
        curves: For each measure with a threshold, run and user model a curve for each topic, followed
            by the mean over topics. The abscissae are thresholds.
        results: The values of the measures without threshold; None if there are none.
        notes: Warnings and notes.
    """

    curves: list[CurveOf]
    results: Results | None
    notes: list[str]


def threshold_curves(
    inputs: Inputs, measures: str = DEFAULT_MEASURES, most: int = MOST_THRESHOLDS
) -> ThresholdCurves:
    """Compute measures at every threshold.

    The thresholds are the levels above 0 of the ideal gains of all topics, the set L of Scheel,
    Lommatzsch and Albayrak 2011, equation 4. They also contain 0 if the measures accept it. Means are
    over the topics with an ideal gain above 0.

    Args:
        inputs: The inputs of an evaluation. Its own measures are not used.
        measures: Measures, separated by spaces. At least one has the parameter ``threshold``, which is
            not set.
        most: The largest number of thresholds. If there are more levels, every n-th one is used.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if no measure has a threshold, or one sets it.

    >>> inputs = Inputs({"1": {"d": 2, "e": 0.5}}, {"r": {"1": ["e", "d"]}})
    >>> [(curve.topic, curve.x[-2:], curve.y[-2:]) for curve in threshold_curves(inputs, "xAP").curves]
    [('1', [0.5, 2.0], [1.0, 0.5]), ('all', [0.5, 2.0], [1.0, 0.5])]
    """
    chosen = [MEASURES.parse(name) for name in split_measures(measures)]
    varying = [one for one in chosen if "threshold" in one.definition.parameters]
    others = [one for one in chosen if one not in varying]
    if not varying:
        having = [d.name for d in MEASURES.values() if "threshold" in d.parameters]
        raise XcgError(
            f"{measures}: no measure with a threshold; expected one of {', '.join(sorted(having))}"
        )
    for one in varying:
        if "threshold" in dict(one.parameters):
            raise XcgError(f"{one}: the curve is over all thresholds; expected no value of threshold")
    inputs.check()
    models, runs = inputs.user_models, [run.name for run in inputs.loaded_runs]
    source, notes = TopicSource.of(inputs), inputs.new_notes()
    gains: dict[tuple[str, str], dict[str, RankingGains]] = defaultdict(dict)

    def add(topic: Topic) -> None:
        for model in models:
            ideal = topic.ideal(model)
            for run in runs if ideal.gains else ():
                found = topic.gains(run, ideal, model)
                # The topic with its text does not stay in memory.
                plain = RankingGains(found.gains, found.ideal, found.not_retrieved)
                gains[model.name, run][topic.name] = plain

    map_topics(source, add, notes)
    curves = []
    for one in varying:
        for model in models:
            of_runs = {run: gains[model.name, run] for run in runs if gains[model.name, run]}
            if not of_runs:
                continue
            levels = _levels([topic.ideal for topics in of_runs.values() for topic in topics.values()])
            thresholds = _every_nth(levels, most)
            if len(thresholds) < len(levels):
                notes.note(
                    f"{len(levels)} levels of gain under {model.name}, {len(thresholds)} of which are "
                    "thresholds; curves.points changes this"
                )
            if _accepts_0(one):
                thresholds = np.concatenate([[0.0], thresholds])
            for run, topics in of_runs.items():
                curves += _curves_of_run(one, run, model.name, topics, thresholds)
    if not curves:
        raise XcgError("no curves: no topic has an ideal element under these user models")
    results = evaluate(replace(inputs, measures=others)) if others else None
    lines = dict.fromkeys([*notes.lines(), *(results.notes if results is not None else ())])
    return ThresholdCurves(curves, results, list(lines))


def _levels(ideals: Sequence[object]) -> Gains:
    """Return the different gains above 0 in ascending order."""
    levels = np.unique(np.concatenate([vector(ideal) for ideal in ideals]))  # type: ignore[arg-type]
    return np.asarray(levels[levels > 0])


def _every_nth(levels: Gains, most: int) -> Gains:
    """Return at most a number of levels at equal distances in their order, with first and last."""
    if len(levels) <= most:
        return levels
    return np.asarray(levels[np.linspace(0, len(levels) - 1, most).round().astype(int)])


def _accepts_0(measure: Measure) -> bool:
    legal = measure.definition.parameters["threshold"]
    return isinstance(legal, Number) and legal.least <= 0 and not legal.above


def _curves_of_run(
    measure: Measure, run: str, model: str, found: dict[str, RankingGains], thresholds: Gains
) -> list[CurveOf]:
    """Return the curves of a run for all topics and, last, their mean."""
    rows = [_values(measure, topic, thresholds) for topic in found.values()]
    mean = np.nanmean(rows, axis=0)
    x = thresholds.tolist()
    return [
        CurveOf(run, topic, str(measure), model, x, values.tolist())
        for topic, values in zip([*found, MEAN], [*rows, mean], strict=True)
    ]


def _values(measure: Measure, topic: RankingGains, thresholds: Gains) -> Gains:
    """Return a measure at all thresholds; NaN if it is undefined.

    The results from a threshold on are those from the next gain of the topic on, so the measure is
    computed for each of these gains once.
    """
    steps = np.unique(np.concatenate([vector(topic.gains), vector(topic.ideal), [np.inf]]))
    reached = steps[np.searchsorted(steps, thresholds)]
    reached[thresholds == 0] = 0
    values = {
        step: measure(threshold=step if step < np.inf else float(thresholds[-1])).compute(topic)
        for step in np.unique(reached).tolist()
    }
    return np.array([np.nan if (value := values[step]) is None else value for step in reached.tolist()])
