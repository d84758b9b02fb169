"""The dependence of graded measures on the number of relevance levels.

The experiment of Scheel, Lommatzsch and Albayrak 2011, section 2.1, Figures 4 and 5: lists of 100 items
in ideal order, rated on 2, 10, 20 or 50 levels, in which 0 to 99 random pairs are swapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xcg.evaluation.parallel import ONE_PROCESS, Executor, Progress
from xcg.lazy_modules import np
from xcg.statistics.topic_scores import Floats

ITEMS = 100
LEVELS = (2, 10, 20, 50)
STUDIED_MEASURES = ("muMAP", "avgNDCG", "avgNDCNG", "NDCG", "NDCNG")
MEASURES_OF_FIGURES = ("muMAP", "avgNDCG", "avgNDCNG")
"""The measures that Figures 4 and 5 show: μMAP, and means over all ranks."""
FULL_DEPTH_MEASURES = ("muMAP", "NDCG", "NDCNG")
"""The same measures, with NDCG and NDCNG at the last rank."""


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
    uniform: bool = True,
    swaps: int = 100,
    repetitions: int = 100,
    seed: int = 0,
    executor: Executor = ONE_PROCESS,
    progress: Progress | None = None,
) -> list[LevelCurve]:
    """Compute a curve for each measure and number of levels.

    The levels are 0 (irrelevant) to L − 1, as NDCNG requires. NDCG is that of equation 3 of the paper,
    at rank 100; avgNDCG and avgNDCNG are the means over the ranks 1 to 100.

    Args:
        uniform: Whether all levels are equally frequent (Figure 4). Otherwise, their probabilities are
            random, and some levels may not occur (Figure 5).
        swaps: Numbers of swapped pairs are 0 to ``swaps`` − 1.
        repetitions: Number of lists for each number of swapped pairs.
        seed: At least 0.
        executor: Where the numbers of levels are computed.
        progress: Called with the number of finished numbers of levels, and of all.

    Returns:
        The curves in the order of the measures and numbers of levels.
    """
    tasks = [(uniform, count, swaps, repetitions, seed) for count in LEVELS]
    curves = [curve for found in executor.run(_curves, tasks, progress=progress) for curve in found]
    return sorted(curves, key=lambda curve: STUDIED_MEASURES.index(curve.measure))


def _curves(uniform: bool, levels: int, swaps: int, repetitions: int, seed: int) -> list[LevelCurve]:
    """Return the curves of all measures for one number of levels."""
    rng = np.random.default_rng([seed, levels, int(uniform)])
    totals = np.zeros((len(STUDIED_MEASURES), swaps))
    for number in range(swaps):
        for _ in range(repetitions):
            ideal = _draw_ideal(rng, levels, uniform)
            totals[:, number] += list_scores(_swap_pairs(rng, ideal, number), ideal)
    return [
        LevelCurve(measure, levels, (total / repetitions).tolist())
        for measure, total in zip(STUDIED_MEASURES, totals, strict=True)
    ]


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


def _swap_pairs(rng: np.random.Generator, ideal: Floats, pairs: int) -> Floats:
    ranking = ideal.copy()
    for first, second in rng.integers(ITEMS, size=(pairs, 2)):
        ranking[[first, second]] = ranking[[second, first]]
    return ranking


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
    return [
        float((average * distances).sum() / distances.sum()),
        *(float(values.mean()) for values in by_rank),
        *(float(values[-1]) for values in by_rank),
    ]
