"""Studies of measures: non-relevant results are inserted, or the number of relevance levels varies.

Inserted results are the experiment of Kazai and Lalmas 2006, section 6.1.2. Levels are that of Scheel,
Lommatzsch and Albayrak 2011, section 2.1, Figures 4 and 5: lists of 100 items in ideal order, rated on
2, 10, 20 or 50 levels, in which 0 to 99 random pairs are swapped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Literal, NamedTuple

from xcg.answer import Answer
from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import ONE_PROCESS, Executor, Progress
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.topic import Topic
from xcg.lazy_modules import np
from xcg.measures import Measure, RankingGains
from xcg.measures.topic_gains import vector
from xcg.statistics.topic_scores import Floats
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
) -> Answer[PerturbedMean]:
    """Compute means after non-relevant results are inserted into runs.

    The inserted results are from documents without relevant text, so they gain nothing and overlap with
    no other result. They have no text, so effort counts ranks. They are inserted into the ranking of
    each topic that the run answers, after or before its first result. Means are over the answered
    topics with an ideal gain above 0.

    Args:
        inputs: Assessments, runs, and measures that depend on gains.
        counts: Numbers of results to insert, at least 0; changes are relative to the first number.
        progress: Called with the number of finished combinations of run and user model, and of all.

    Returns:
        Rows in the order of runs, user models, measures, positions and counts, with notes.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if a measure depends on something else or has its effort
            in text, or no run answers a topic.

    >>> base = {"1": {"d": 2, "e": 1}}
    >>> found = perturb(Inputs(base, {"r": {"1": ["d", "e"]}}, measures="MAep"), counts=[0, 1])
    >>> [(line.position, round(line.value, 4)) for line in found if line.inserted]
    [('after first', 0.8333), ('before first', 0.5833)]
    """
    measures, models = inputs.measure_list, inputs.user_models
    for measure, model in product(measures, models):
        _check_measure(measure, model)
    inputs.check()
    runs = [run.name for run in inputs.loaded_runs]
    notes = inputs.new_notes()
    gains: dict[tuple[str, str], list[RankingGains]] = {}

    def add_gains(topic: Topic) -> None:
        for model in models:
            ideal = topic.ideal(model)
            for run in topic.rankings if ideal.gains else ():
                gains.setdefault((run, model.name), []).append(topic.gains(run, ideal, model))

    map_topics(TopicSource.of(inputs), add_gains, notes)
    lines: list[PerturbedMean] = []
    for done, (run, model) in enumerate(product(runs, models)):
        if progress is not None:
            progress(done, len(runs) * len(models))
        means = _means(gains.get((run, model.name), []), measures, counts, model)
        for measure, position in product(measures, POSITIONS):
            values = [(count, means[measure, position, count]) for count in counts]
            known = [(count, mean) for count, mean in values if mean is not None]
            for count, mean in known:
                change = mean / known[0][1] - 1 if known[0][1] else None
                lines.append(
                    PerturbedMean(run, str(measure), model.name, position, count, mean, change)
                )
    if not lines:
        raise XcgError("nothing to perturb: no run answers a topic with an ideal element")
    return Answer(lines, notes.lines())


def _check_measure(measure: Measure, model: UserModel) -> None:
    """Raise XcgError for a measure that depends on more than the gains of the results."""
    if measure.definition.needs != "gains":
        raise XcgError(f"{measure} does not depend on gains alone: expected measures like MAep")
    unit = measure.unit(model.effort.parameters())
    if unit != "ranks":
        key = "budget" if "budget" in measure.definition.parameters else "effort"
        wanted = f"{measure.definition.name}({key}=ranks)"
        raise XcgError(
            f"{measure}: effort is in {unit} under the user model {model.name}, but the inserted "
            f"results have no text: expected effort in ranks, such as {wanted}"
        )


def _means(
    topics: Sequence[RankingGains], measures: Sequence[Measure], counts: Sequence[int], model: UserModel
) -> Means:
    """Return the means after each insertion, which is done once for all measures."""
    effort = model.effort.parameters()
    means: Means = {}
    for position, count in product(POSITIONS, counts):
        perturbed, index = [], POSITIONS[position]
        for topic in topics:
            found = np.insert(vector(topic.gains), [index] * count, 0.0)
            perturbed.append(RankingGains(found, vector(topic.ideal), topic.not_retrieved))
        for measure in measures:
            values = [measure.compute(topic, effort) for topic in perturbed]
            defined = [value for value in values if value is not None]
            mean = math.fsum(defined) / len(defined) if defined else None
            means[measure, position, count] = mean
    return means


ITEMS = 100
LEVELS = (2, 10, 20, 50)
STUDIED_MEASURES = ("muMAP", "avgNDCG", "avgNDCNG")
"""The measures that Figures 4 and 5 show: μMAP, and means over all ranks."""
SWAPS = 100
"""Numbers of swapped pairs are 0 to 99."""


class LevelCurve(NamedTuple):
    """The mean of a measure by number of swapped pairs.

    Attributes:
        measure: One of :data:`STUDIED_MEASURES`.
        levels: Number of relevance levels.
        values: Mean over the repetitions for 0, 1, 2, … swapped pairs.
    """

    measure: str
    levels: int
    values: list[float]


def levels_experiment(
    uniform: bool = True, repetitions: int = 100, seed: int = 0, executor: Executor = ONE_PROCESS
) -> list[LevelCurve]:
    """Compute a curve for each measure and number of levels.

    The levels are 0 (irrelevant) to L − 1, as NDCNG requires. NDCG is that of equation 3 of the paper;
    avgNDCG and avgNDCNG are the means over the ranks 1 to 100.

    Args:
        uniform: Whether all levels are equally frequent (Figure 4). Otherwise, their probabilities are
            random, and some levels may not occur (Figure 5).
        repetitions: Number of lists for each number of swapped pairs.
        seed: At least 0.
        executor: Where the numbers of levels are computed.

    Returns:
        The curves in the order of the measures and numbers of levels.
    """
    tasks = [(uniform, levels, repetitions, seed) for levels in LEVELS]
    found = dict(zip(LEVELS, executor.run(_means_by_swaps, tasks), strict=True))
    return [
        LevelCurve(measure, levels, [means[index] for means in found[levels]])
        for index, measure in enumerate(STUDIED_MEASURES)
        for levels in LEVELS
    ]


def _means_by_swaps(uniform: bool, levels: int, repetitions: int, seed: int) -> list[list[float]]:
    """Return the means of all measures for each number of swapped pairs, for one number of levels."""
    rng = np.random.default_rng([seed, levels, int(uniform)])
    totals = np.zeros((SWAPS, len(STUDIED_MEASURES)))
    for number, _ in product(range(SWAPS), range(repetitions)):
        ideal = _draw_ideal(rng, levels, uniform)
        ranking = ideal.copy()
        for first, second in rng.integers(ITEMS, size=(number, 2)):
            ranking[[first, second]] = ranking[[second, first]]
        totals[number] += list_scores(ranking, ideal)
    means: list[list[float]] = (totals / repetitions).tolist()
    return means


def largest_distance(curves: Sequence[LevelCurve], measure: str) -> float:
    """Return the largest distance between a measure's curves for different numbers of levels."""
    values = np.array([curve.values for curve in curves if curve.measure == measure])
    return float((values.max(axis=0) - values.min(axis=0)).max())


def _draw_ideal(rng: np.random.Generator, levels: int, uniform: bool) -> Floats:
    if uniform:
        ratings = np.arange(ITEMS) * levels // ITEMS
    else:
        probabilities = rng.random(levels)
        ratings = rng.choice(levels, ITEMS, p=probabilities / probabilities.sum())
        ratings[0] = max(ratings[0], 1)  # a list without relevant items has no ideal
    return np.sort(ratings)[::-1].astype(np.float64)


def list_scores(ranking: Floats, ideal: Floats) -> list[float]:
    """Return the values of :data:`STUDIED_MEASURES` for a full list.

    The registered measures return the same values. These formulas are faster, because they apply to
    full lists only.

    Args:
        ranking: Ratings in rank order, shape (100,).
        ideal: The same ratings in decreasing order; the first must be above 0.
    """
    ranks = np.arange(1, ITEMS + 1)
    discount = np.log2(ranks + 1)
    thresholds = np.unique(ideal)
    thresholds = thresholds[thresholds > 0]
    relevant = ranking >= thresholds[:, None]
    precision = np.cumsum(relevant, axis=1) / ranks
    average = (precision * relevant).sum(axis=1) / relevant.sum(axis=1)
    distances = np.diff(thresholds, prepend=0.0)

    def dcg(ratings: Floats) -> Floats:
        return np.cumsum(np.expm1(ratings * np.log(2)) / discount)

    highest = ideal[0]
    by_rank = [dcg(ranking) / dcg(ideal), dcg(ranking / highest) / dcg(ideal / highest)]
    mu_map = (average * distances).sum() / distances.sum()
    return [float(mu_map), *(float(values.mean()) for values in by_rank)]
