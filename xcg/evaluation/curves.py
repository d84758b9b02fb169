"""Compute measures as functions of rank, gain-recall, recall or text, and read such curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import NamedTuple

from xcg.answer import Answer
from xcg.documents.text_units import TextUnit
from xcg.errors import InputError, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.scoring import note_topics
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.judged_topic import IdealRecallBase
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES, Measure, RankingGains, split_measures
from xcg.measures.definition import Curve
from xcg.measures.rankings import SpanRanking
from xcg.measures.topic_gains import TOLERANCE, Reading
from xcg.user_model.relevance_value import Charge

IDEAL = "ideal ranking"
"""The name of the ideal ranking among the runs."""

MAX_DEPTH = 100_000
"""The highest rank of a curve. Curves over text need no limit, because they have few points."""
MAX_POINTS = 5_000_000
"""The maximum number of points of all curves, over all runs, topics, measures and user models."""


class CurveOf(NamedTuple):
    """A curve of a run for a topic, or its mean (``all``): values at ranks, recall points or text."""

    run: str
    topic: str
    measure: str
    user_model: str
    x: Sequence[float]
    y: list[float]


def curve_measure(text: str) -> Measure:
    """Return the measure of a name; the cutoff may be left out: ``nxCG``, ``ep(interpolation=linear)``.

    Raises:
        XcgError: If the measure is unknown or has no curve.

    >>> str(curve_measure("nxCG"))
    'nxCG@10'
    """
    name = text.partition("@")[0].partition("(")[0].strip()
    definition = MEASURES.definition(name)
    if not definition.has_curve:
        having = ", ".join(sorted(d.name for d in MEASURES.values() if d.has_curve))
        raise XcgError(f"{name} has no curve: expected one of {having}")
    if "@" not in text and definition.cutoff is not None and definition.cutoff.required:
        text = f"{text}@{definition.cutoff.example}"
    return MEASURES.parse(text)


def curves(
    inputs: Inputs, measure: str = "nxCG", depth: int = 100, with_ideal: bool = False
) -> Answer[CurveOf]:
    """Compute measures as curves, for each topic and as means over topics.

    Args:
        inputs: The inputs; their own measures are not used.
        measure: Names of measures, separated by spaces; the cutoff may be left out.
        depth: The last rank or amount of text of curves over ranks or text.
        with_ideal: Whether to add the curve of the ideal ranking.

    Returns:
        The curves by measure, user model, run and topic, with ``notes``.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if a measure has no curve, or there are too many points.
    """
    measures = [curve_measure(name) for name in split_measures(measure)]
    of_levels = [one for one in measures if one.definition.curve_points]
    if of_levels and with_ideal:
        raise XcgError(f"{of_levels[0]}: {_IdealRanking.lacking}")
    of_gains = [one for one in measures if one not in of_levels]
    found = [_curves_of_levels(inputs, one) for one in of_levels]
    found += [_curves_of_gains(inputs, of_gains, depth, with_ideal)] if of_gains else []
    order = list(map(_without_cutoff, measures))
    lines = sorted(chain(*found), key=lambda curve: order.index(curve.measure))
    return Answer(lines, list(dict.fromkeys(note for one in found for note in one.notes)))


def _curves_of_levels(inputs: Inputs, measure: Measure) -> Answer[CurveOf]:
    """Return the values of a measure at several cutoffs as curves."""
    points = measure.definition.curve_points
    curves: dict[tuple[str, str, str], CurveOf] = {}
    results = evaluate(replace(inputs, measures=[f"{_without_cutoff(measure)}@{x:g}" for x in points]))
    for row in results:
        empty = CurveOf(row.run, row.topic, _without_cutoff(measure), row.user_model, points, [])
        curves.setdefault((row.user_model, row.run, row.topic), empty).y.append(row.value)
    return Answer(list(curves.values()), results.notes)


def _curves_of_gains(
    inputs: Inputs, measures: Sequence[Measure], depth: int, with_ideal: bool
) -> Answer[CurveOf]:
    """Return the curves of measures of gains or text, topic by topic."""
    if depth > MAX_DEPTH and any(one.curve_over == "rank" for one in measures):
        raise XcgError(f"a curve over {depth:,} ranks: the highest rank is {MAX_DEPTH:,}")
    inputs.check()
    needs_gains = any(one.definition.needs != "text" for one in measures)
    models, runs = inputs.user_models, [run.name for run in inputs.loaded_runs]
    source, notes = TopicSource.of(inputs, needs_elements=needs_gains), inputs.new_notes()
    names = [*runs, *([IDEAL] if with_ideal else [])]
    found: dict[tuple[Measure, str, str], dict[str, tuple[Curve, object]]] = {
        (one, model.name, name): {} for one in measures for model in models for name in names
    }
    efforts = {model.name: model.effort.parameters() for model in models}
    points = 0

    def add(topic: Topic) -> bool:
        nonlocal points
        is_defined = False
        for model in models:
            ideal = topic.ideal(model) if needs_gains else IdealRecallBase({}, [])
            if needs_gains and not ideal.gains:
                continue
            is_defined = True
            gains: dict[str, RankingGains] = {run: topic.gains(run, ideal, model) for run in runs}
            if with_ideal:
                gains = {IDEAL: _IdealRanking(ideal, next(iter(gains.values()))), **gains}
            for (name, of_run), one in product(gains.items(), measures):
                try:
                    curve = _curve(one, of_run, depth, efforts[model.name])
                except XcgError as error:
                    raise InputError(f"run {name}, topic {topic.name}", str(error)) from None
                if curve is not None:
                    found[one, model.name, name][topic.name] = curve
                    points += len(curve[0][0])
                if points > MAX_POINTS:
                    raise XcgError(
                        f"the curves have more than {MAX_POINTS:,} points: expected a lower depth, or "
                        "fewer runs, measures or topics"
                    )
        return is_defined

    if not any(map_topics(source, add, notes)):
        raise XcgError("no curves: no topic has an ideal element under these user models")
    note_topics(inputs.recall_base, inputs.loaded_runs, inputs.unanswered, notes)
    if not any(found.values()):
        undefined = " ".join(map(_without_cutoff, measures))
        raise XcgError(f"no curves: {undefined} is undefined for every topic")
    lines: list[CurveOf] = []
    for (one, model_name, run), of_topics in found.items():
        if not of_topics:
            notes.note(f"{one}: no curve under {model_name}, because it is undefined for every topic")
            continue
        known, given = zip(*of_topics.values(), strict=True)
        mean = one.aggregate_curve([y for _, y in known], given, efforts[model_name])
        every = zip([*of_topics, MEAN], [*known, (known[0][0], mean)], strict=True)
        for name, (x, y) in every:
            lines.append(CurveOf(run, name, _without_cutoff(one), model_name, list(x), list(y)))
    return Answer(lines, notes.lines())


def _without_cutoff(measure: Measure) -> str:
    return str(measure).partition("@")[0]


def _curve(
    measure: Measure, gains: RankingGains, depth: int, effort: Mapping[str, str]
) -> tuple[Curve, object] | None:
    """Return the curve of a run for a topic, and what its mean needs; None if it is undefined."""
    if measure.definition.needs == "text" and measure.compute(gains) is None:
        return None
    curve = measure.curve(gains, depth, effort)
    return None if curve is None else (curve, measure.curve_input(gains, depth, effort))


class _IdealRanking(RankingGains):
    """The ideal ranking, whose text is known from a run."""

    lacking = (
        "this measure is not defined for the ideal ranking, of which only gains are known: leave out "
        "the ideal ranking (--ideal)"
    )

    def __init__(self, ideal: IdealRecallBase, of_run: RankingGains) -> None:
        super().__init__(ideal.gains, ideal.gains, 0)
        self._of_run = of_run

    @property
    def spans(self) -> SpanRanking:
        return self._of_run.spans.ideal()

    def readings(self, unit: TextUnit, charge: Charge) -> tuple[Reading, Reading]:
        _, best = self._of_run.readings(unit, charge)
        return best, best


class RankOfValue(NamedTuple):
    """The rank at which a run reaches a value of a curve.

    Attributes:
        run: The run, or the ideal ranking.
        topic: The topic, or ``all`` for the mean curves.
        measure: The measure.
        user_model: The user model.
        reference: The run or ideal ranking that has the value.
        at: The rank at which it has the value.
        value: The value.
        rank: The first rank at which the curve of ``run`` has at least this value; 0 for the value 0;
            None if the curve ends before.
        more_than_ideal: The number of results that ``run`` needs more than the ideal ranking.
        more_than_best: The number that it needs more than the run that reaches the value first.
        times_best: Its rank divided by the rank of that run.
    """

    run: str
    topic: str
    measure: str
    user_model: str
    reference: str
    at: int
    value: float
    rank: int | None
    more_than_ideal: int | None
    more_than_best: int | None
    times_best: float | None


def ranks_of_value(curves: Sequence[CurveOf], at: int, reference: str = "ideal") -> list[RankOfValue]:
    """Find the ranks at which runs reach the value that a reference has at a rank.

    Järvelin and Kekäläinen (2002, section 3.4) read their Figure 1(a) in this way: the best run
    reaches at rank 30, and the worst at rank 90, what the ideal ranking gains at rank 10.

    Args:
        curves: Curves over ranks of :func:`curves` with ``with_ideal=True``.
        at: The rank of the reference, at most the last rank of the curves.
        reference: ``ideal``, or ``best``: the run with the highest value at the rank.

    Raises:
        XcgError: If a curve is not over ranks.

    >>> inputs = Inputs({"1": {"d": 2, "e": 1}}, {"r": {"1": ["x", "d"]}})
    >>> found = curves(inputs, "xCG", with_ideal=True)
    >>> [(one.run, one.rank) for one in ranks_of_value(found, at=1) if one.topic == "all"]
    [('r', 2), ('ideal ranking', 1)]
    """
    groups: dict[tuple[str, str, str], dict[str, CurveOf]] = {}
    for curve in curves:
        key = (curve.measure, curve.user_model, curve.topic)
        groups.setdefault(key, {})[curve.run] = curve
    return [row for runs in groups.values() for row in _ranks_of_runs(runs, at, reference)]


def _ranks_of_runs(curves: Mapping[str, CurveOf], at: int, reference: str) -> list[RankOfValue]:
    """Return the ranks of all runs for one measure, user model and topic."""
    measure = next(iter(curves.values())).measure
    if (over := curve_measure(measure).curve_over) != "rank":
        raise XcgError(f"{measure} is a curve over {over}: expected a measure over ranks, like xCG")
    systems = [run for run in curves if run != IDEAL]
    name = IDEAL if reference == "ideal" else max(systems, key=lambda run: curves[run].y[at - 1])
    value = curves[name].y[at - 1]
    ranks = {run: _first_rank(curve.y, value) for run, curve in curves.items()}
    best = min((rank for run in systems if (rank := ranks[run]) is not None), default=None)
    rows = []
    for run, curve in curves.items():
        rank, from_best = ranks[run], best if run != IDEAL else None
        rows.append(
            RankOfValue(
                *(run, curve.topic, curve.measure, curve.user_model),
                *(name, at, value, rank),
                _difference(rank, ranks[IDEAL]),
                _difference(rank, from_best),
                times_best=rank / from_best if rank is not None and from_best else None,
            )
        )
    return rows


def _difference(rank: int | None, other: int | None) -> int | None:
    return None if rank is None or other is None else rank - other


def _first_rank(values: Sequence[float], wanted: float) -> int | None:
    """Return the first rank with at least a value, within the tolerance; 0 for the value 0."""
    if wanted <= 0:
        return 0
    least = wanted * (1 - TOLERANCE)
    return next((rank for rank, value in enumerate(values, 1) if value >= least), None)
