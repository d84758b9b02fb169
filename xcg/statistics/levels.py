"""Do measures depend on the number of relevance levels? The experiment of SL, section 2.1.

Scheel, Lommatzsch & Albayrak 2011, Figures 4 and 5: lists of 100 items in ideal order, rated on 2, 10,
20 or 50 levels, in which 0 to 99 randomly chosen pairs are swapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
ITEMS = 100
LEVELS = (2, 10, 20, 50)
MEASURES = ("muMAP", "NDCG", "NDCNG")


class LevelCurve(NamedTuple):
    """A measure on lists of so many levels: its mean over the repetitions by number of swaps."""

    measure: str
    levels: int
    values: list[float]


def levels_experiment(
    uniform: bool = True,
    levels: Sequence[int] = LEVELS,
    swaps: int = 100,
    repetitions: int = 100,
    seed: int = 0,
) -> list[LevelCurve]:
    """Return a curve for each measure and number of levels.

    uniform: every level is used equally often; else the levels' probabilities are random, and some may
    not be used. swaps: numbers of swapped pairs, 0 … swaps − 1. The levels are 0 … L − 1, 0 being
    irrelevant, as SL demand of NDCNG. NDCG is that of their equation 3.
    """
    curves = []
    for count in levels:
        generator = np.random.default_rng([seed, count, int(uniform)])
        found = np.zeros((len(MEASURES), swaps))
        for number in range(swaps):
            for _ in range(repetitions):
                ideal = _reference(generator, count, uniform)
                found[:, number] += _figures(_swapped(generator, ideal, number), ideal)
        curves += [
            LevelCurve(measure, count, (column / repetitions).tolist())
            for measure, column in zip(MEASURES, found, strict=True)
        ]
    return sorted(curves, key=lambda curve: MEASURES.index(curve.measure))


def spread(curves: Sequence[LevelCurve], measure: str) -> float:
    """Return how far a measure's curves for different numbers of levels are apart, at the worst."""
    values = np.array([curve.values for curve in curves if curve.measure == measure])
    return float((values.max(axis=0) - values.min(axis=0)).max())


def _reference(generator: np.random.Generator, count: int, uniform: bool) -> Floats:
    if uniform:
        ratings = np.arange(ITEMS) * count // ITEMS
    else:
        chances = generator.random(count)
        ratings = generator.choice(count, ITEMS, p=chances / chances.sum())
        ratings[0] = max(ratings[0], 1)  # a list without anything relevant has no ideal
    return np.sort(ratings)[::-1].astype(np.float64)


def _swapped(generator: np.random.Generator, ideal: Floats, pairs: int) -> Floats:
    ranking = ideal.copy()
    for first, second in generator.integers(ITEMS, size=(pairs, 2)):
        ranking[[first, second]] = ranking[[second, first]]
    return ranking


def _figures(ranking: Floats, ideal: Floats) -> tuple[float, float, float]:
    """Return μAP, NDCG and NDCNG of one list; the same as the registered measures, on full lists."""
    ranks = np.arange(1, ITEMS + 1)
    discount = np.log2(ranks + 1)
    thresholds = np.unique(ideal)
    thresholds = thresholds[thresholds > 0]
    relevant = ranking >= thresholds[:, None]
    precision = np.cumsum(relevant, axis=1) / ranks
    average = (precision * relevant).sum(axis=1) / relevant.sum(axis=1)
    distances = np.diff(thresholds, prepend=0.0)
    pairs = [(ranking, ideal), (ranking / ideal[0], ideal / ideal[0])]
    plain, normalised = (
        float(
            (np.expm1(run * np.log(2)) / discount).sum() / (np.expm1(best * np.log(2)) / discount).sum()
        )
        for run, best in pairs
    )
    return float(average @ distances / distances.sum()), plain, normalised
