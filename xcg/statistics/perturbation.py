"""The effect of non-relevant results on measures: the experiment of Kazai and Lalmas 2006, 6.1.2."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

from xcg.documents.paths import WHOLE
from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import NotedList
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.topic import Topic
from xcg.lazy_modules import np
from xcg.measures import Measure, RankingGains
from xcg.measures.span_ranking import SpanRanking
from xcg.measures.topic_gains import vector
from xcg.measures.trec import (
    check_span_measures,
    levels_of,
    ordered_by_level,
    span_topics,
    span_values,
    standard_values,
)
from xcg.runs.run import Ranking, Run
from xcg.user_model.model import UserModel

Position = Literal["after first", "before first"]
POSITIONS: tuple[Position, ...] = ("after first", "before first")
MEASURES_OF_FIGURE_6 = "ep@0.1 ep@1 R Q MAep iMAep MAnxCG@1500"
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


def perturb(
    inputs: Inputs, counts: Sequence[int] = COUNTS, progress: Progress | None = None
) -> NotedList[PerturbedMean]:
    """Compute means after non-relevant results are inserted into runs.

    The inserted results are from documents without relevant text, so they gain nothing and overlap with
    no other result; for standard measures, they are not assessed. They have no text, so effort counts
    ranks. They are inserted into the ranking of each topic that the run answers, after or before its
    first result. Means are over the answered topics with an ideal gain above 0, and for standard
    measures over the answered topics with assessments.

    Args:
        inputs: Assessments, runs, and measures that depend on gains or on levels of relevance.
        counts: Numbers of results to insert, at least 0; changes are relative to the first number.
        progress: Called with the number of finished combinations of run and user model, and of all.

    Returns:
        Rows in the order of runs, user models, measures, positions and counts, with notes.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if a measure depends on something else or has its effort
            in text, or no run answers such a topic.

    >>> base = {"1": {"d": 2, "e": 1}}
    >>> found = perturb(Inputs(base, {"r": {"1": ["d", "e"]}}, measures="MAep"), counts=[0, 1])
    >>> [(line.position, round(line.value, 4)) for line in found if line.inserted]
    [('after first', 0.8333), ('before first', 0.5833)]
    """
    measures, models = inputs.measure_list, inputs.user_models
    _check_measures(measures, models)
    inputs.check()
    _ = inputs.loaded_runs
    notes = inputs.new_notes()
    standard = _StandardMeans(inputs)
    gains: dict[tuple[str, str], list[RankingGains]] = {}
    needs_gains = len(standard.measures) < len(measures)
    if needs_gains or standard.span_topics:

        def add(topic: Topic) -> None:
            standard.add(topic)
            if needs_gains:
                _add_gains(gains, topic, models)

        source = TopicSource.of(inputs, needs_elements=needs_gains)
        map_topics(source, add, notes, None if needs_gains else standard.span_topics)
    measures_of_gains = [measure for measure in measures if measure not in standard.measures]
    lines: list[PerturbedMean] = []
    for done, (run, model) in enumerate(product(inputs.loaded_runs, models)):
        if progress is not None:
            progress(done, len(inputs.loaded_runs) * len(models))
        means = _means(gains.get((run.name, model.name), []), measures_of_gains, counts, model)
        for measure, position in product(measures, POSITIONS):
            first: float | None = None
            for count in counts:
                if measure in standard.measures:
                    mean = standard.mean(run, measure, position, count)
                else:
                    mean = means[measure, position, count]
                if mean is not None:
                    first = mean if first is None else first
                    change = mean / first - 1 if first else None
                    lines.append(
                        PerturbedMean(run.name, str(measure), model.name, position, count, mean, change)
                    )
    if not lines:
        raise XcgError("nothing to perturb: no run answers a topic with an ideal element")
    return NotedList(lines, notes.lines())


def _check_measures(measures: Sequence[Measure], models: Sequence[UserModel]) -> None:
    """Raise XcgError for measures that depend on more than the gains or levels of the results."""
    for measure in measures:
        if measure.definition.needs not in ("gains", "levels"):
            raise XcgError(
                f"{measure} depends on more than gains: expected measures like MAep, or standard "
                "measures like AP"
            )
        for model in models if measure.definition.needs == "gains" else ():
            unit = measure.unit(model.effort.parameters())
            if unit != "ranks":
                key = "budget" if "budget" in measure.definition.parameters else "effort"
                raise XcgError(
                    f"{measure}: effort is in {unit} under the user model {model.name}, but the "
                    "inserted results have no text: expected effort in ranks, such as "
                    f"{measure.definition.name}({key}=ranks)"
                )


def _add_gains(
    gains: dict[tuple[str, str], list[RankingGains]],
    topic: Topic,
    models: Sequence[UserModel],
) -> None:
    """Add the gains of an answered topic under each user model with an ideal gain above 0."""
    for model in models:
        ideal = topic.ideal(model)
        for run in topic.rankings if ideal.gains else ():
            gains.setdefault((run, model.name), []).append(topic.gains(run, ideal, model))


def _means(
    topics: Sequence[RankingGains], measures: Sequence[Measure], counts: Sequence[int], model: UserModel
) -> dict[tuple[Measure, Position, int], float | None]:
    """Return the means after each insertion, which is done once for all measures."""
    effort = model.effort.parameters()
    means = {}
    for position, count in product(POSITIONS, counts):
        perturbed = [_insert(topic, position, count) for topic in topics]
        for measure in measures:
            means[measure, position, count] = _mean(measure, perturbed, effort)
    return means


def _mean(measure: Measure, topics: Sequence[RankingGains], effort: Mapping[str, str]) -> float | None:
    values = [measure.compute(topic, effort) for topic in topics]
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def _insert(topic: RankingGains, position: Position, count: int) -> RankingGains:
    gains, index = vector(topic.gains), _index(position)
    perturbed = np.concatenate([gains[:index], np.zeros(count), gains[index:]])
    return RankingGains(perturbed, vector(topic.ideal), topic.not_retrieved)


def _index(position: Position) -> int:
    return 1 if position == "after first" else 0


class _StandardMeans:
    """The means of the standard measures over the answered and assessed topics of perturbed runs.

    Attributes:
        measures: The standard measures of the inputs.
        span_topics: The topics for which they are computed on gold spans; :meth:`add` adds each.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.measures = [m for m in inputs.measure_list if m.definition.needs == "levels"]
        base = inputs.recall_base
        check_span_measures(base, self.measures)
        self.span_topics = span_topics(base) if self.measures else []
        self._levels = levels_of(base, but_of=self.span_topics) if self.measures else {}
        self._spans: dict[tuple[str, str], SpanRanking] = {}
        self._means: dict[tuple[str, Position, int], dict[Measure, float]] = {}

    def add(self, topic: Topic) -> None:
        """Add the rankings of a topic if its relevance is given by passages alone."""
        for run in topic.rankings if topic.name in self.span_topics else ():
            self._spans[run, topic.name] = topic.span_ranking(run)

    def mean(self, run: Run, measure: Measure, position: Position, count: int) -> float | None:
        key = run.name, position, count
        if key not in self._means:
            self._means[key] = self._compute(run, position, count)
        return self._means[key].get(measure)

    def _compute(self, run: Run, position: Position, count: int) -> dict[Measure, float]:
        ordered = ordered_by_level(self._levels, run) if run.is_reference else run
        perturbed = _insert_documents(ordered, position, count)
        values = standard_values(self._levels, perturbed, self.measures)
        for (name, topic), ranking in self._spans.items():
            if name == run.name:
                found = span_values(
                    ranking, self.measures, run.is_reference, inserted=count, after=_index(position)
                )
                values.update({(topic, measure): value for measure, value in found.items()})
        topics = [t for t in [*self._levels, *self.span_topics] if t in run.answered]
        return {
            measure: measure.aggregate([values.get((topic, str(measure)), 0.0) for topic in topics])
            for measure in (self.measures if topics else ())
        }


def _insert_documents(run: Run, position: Position, count: int) -> Run:
    """Insert documents that are not assessed into all rankings with results."""
    inserted = [(f"inserted-by-xcg-perturb-{number}", WHOLE, None) for number in range(count)]
    index = _index(position)
    rankings = {}
    for topic, ranking in run.rankings.items():
        results = [(*result, ranking.spans.get(n)) for n, result in enumerate(ranking)]
        rankings[topic] = Ranking.of([*results[:index], *inserted, *results[index:]] if results else [])
    return Run(run.name, rankings, run.source, strategy=run.strategy)
