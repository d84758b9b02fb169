"""The effect of non-relevant results on measures: the experiment of Kazai and Lalmas 2006, 6.1.2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Literal, NamedTuple

from xcg.documents.paths import WHOLE
from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import NotedList
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import RecallBase
from xcg.lazy_modules import np
from xcg.measures import Measure, RankingGains
from xcg.measures.topic_gains import vector
from xcg.measures.trec import Levels, levels_of, ordered_by_level, span_topics, standard_values
from xcg.runs.run import Ranking, Run
from xcg.user_model.model import UserModel

Position = Literal["after first", "before first"]
POSITIONS: dict[Position, int] = {"after first": 1, "before first": 0}
"""Position → the index of the first inserted result."""
MEASURES_OF_FIGURE_6 = "ep@0.1 ep@1 R Q MAep iMAep MAnxCG@1500"
COUNTS = (0, 1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
Means = dict[tuple[Measure, Position, int], float | None]


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
            in text, a standard measure finds topics with passages alone, or no run answers a topic.

    >>> base = {"1": {"d": 2, "e": 1}}
    >>> found = perturb(Inputs(base, {"r": {"1": ["d", "e"]}}, measures="MAep"), counts=[0, 1])
    >>> [(line.position, round(line.value, 4)) for line in found if line.inserted]
    [('after first', 0.8333), ('before first', 0.5833)]
    """
    measures, models = inputs.measure_list, inputs.user_models
    _check_measures(measures, models)
    inputs.check()
    runs = inputs.loaded_runs
    notes = inputs.new_notes()
    standard = [measure for measure in measures if measure.definition.needs == "levels"]
    of_gains = [measure for measure in measures if measure not in standard]
    levels = _levels(inputs.recall_base, standard)
    gains: dict[tuple[str, str], list[RankingGains]] = {}
    if of_gains:
        source = TopicSource.of(inputs)
        map_topics(source, lambda topic: _add_gains(gains, topic, models), notes)
    lines: list[PerturbedMean] = []
    for done, (run, model) in enumerate(product(runs, models)):
        if progress is not None:
            progress(done, len(runs) * len(models))
        if model is models[0]:
            means_of_levels = _means_of_levels(levels, run, standard, counts)
        means = means_of_levels | _means(gains.get((run.name, model.name), []), of_gains, counts, model)
        for measure, position in product(measures, POSITIONS):
            first: float | None = None
            for count in counts:
                mean = means.get((measure, position, count))
                if mean is not None:
                    first = mean if first is None else first
                    change = mean / first - 1 if first else None
                    lines.append(
                        PerturbedMean(run.name, str(measure), model.name, position, count, mean, change)
                    )
    if not lines:
        raise XcgError("nothing to perturb: no run answers a topic with an ideal element")
    return NotedList(lines, notes.lines())


def _levels(base: RecallBase, standard: Sequence[Measure]) -> Levels:
    """Return the levels for standard measures; XcgError for topics without."""
    if not standard:
        return {}
    if spans := span_topics(base):
        raise XcgError(
            f"{standard[0]}: the relevance of topic {spans[0]} is given by passages alone: expected a "
            "measure of gains, such as MAep"
        )
    return levels_of(base)


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
    gains: dict[tuple[str, str], list[RankingGains]], topic: Topic, models: Sequence[UserModel]
) -> None:
    """Add the gains of an answered topic under each user model with an ideal gain above 0."""
    for model in models:
        ideal = topic.ideal(model)
        for run in topic.rankings if ideal.gains else ():
            gains.setdefault((run, model.name), []).append(topic.gains(run, ideal, model))


def _means(
    topics: Sequence[RankingGains], measures: Sequence[Measure], counts: Sequence[int], model: UserModel
) -> Means:
    """Return the means after each insertion, which is done once for all measures."""
    effort = model.effort.parameters()
    means: Means = {}
    for position, count in product(POSITIONS, counts):
        perturbed = [_insert(topic, position, count) for topic in topics]
        for measure in measures:
            values = [measure.compute(topic, effort) for topic in perturbed]
            defined = [value for value in values if value is not None]
            mean = math.fsum(defined) / len(defined) if defined else None
            means[measure, position, count] = mean
    return means


def _insert(topic: RankingGains, position: Position, count: int) -> RankingGains:
    gains, index = vector(topic.gains), POSITIONS[position]
    perturbed = np.concatenate([gains[:index], np.zeros(count), gains[index:]])
    return RankingGains(perturbed, vector(topic.ideal), topic.not_retrieved)


def _means_of_levels(
    levels: Levels, run: Run, measures: Sequence[Measure], counts: Sequence[int]
) -> Means:
    """Return the means of standard measures over the answered and assessed topics."""
    topics = [topic for topic in levels if topic in run.answered]
    ordered = ordered_by_level(levels, run) if run.is_reference else run
    means: Means = {}
    for position, count in product(POSITIONS, counts) if topics else ():
        values = standard_values(levels, _insert_documents(ordered, position, count), measures)
        for measure in measures:
            by_topic = [values.get((topic, str(measure)), 0.0) for topic in topics]
            means[measure, position, count] = measure.aggregate(by_topic)
    return means


def _insert_documents(run: Run, position: Position, count: int) -> Run:
    """Insert documents that are not assessed into all rankings with results."""
    inserted = [(f"inserted-by-xcg-perturb-{number}", WHOLE, None) for number in range(count)]
    index = POSITIONS[position]
    rankings = {}
    for topic, ranking in run.rankings.items():
        results = [(*result, ranking.spans.get(n)) for n, result in enumerate(ranking)]
        rankings[topic] = Ranking.of([*results[:index], *inserted, *results[index:]] if results else [])
    return run.with_rankings(rankings)
