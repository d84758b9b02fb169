"""Scores and results of runs by topic, for tests of statistics and plots."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import strategies as st

from xcg.evaluation.results import Result, Results
from xcg.statistics.significance_tests import paired_p_values
from xcg.statistics.topic_scores import TopicScores, differences
from xcg.statistics.topic_sets import SwapRates, swap_rates

Column = list[float]

# Few different scores make ties and equal runs likely; the others are like those of measures.
COARSE = st.integers(0, 4).map(lambda i: i / 4)
FINE = st.floats(0, 1)


@st.composite
def tables(
    draw: st.DrawFn, runs: int | None = None, least_runs: int = 2, most_topics: int = 9
) -> list[Column]:
    number = runs or draw(st.integers(least_runs, 5))
    topics = draw(st.integers(2, most_topics))
    column = st.lists(draw(st.sampled_from([COARSE, FINE])), min_size=topics, max_size=topics)
    return draw(st.lists(column, min_size=number, max_size=number))


def scores_of(table: Sequence[Sequence[float]]) -> TopicScores:
    topics = [str(i) for i in range(len(table[0]))]
    return TopicScores(topics, {f"r{i}": list(column) for i, column in enumerate(table)})


def paired_p_value(test: str, first: Sequence[float], second: Sequence[float]) -> float:
    return float(paired_p_values(test, differences(first, second)[None])[0])


def results_of(table: Sequence[Sequence[float]], measure: str = "MAep") -> Results:
    rows = []
    for i, column in enumerate(table):
        rows += [Result(f"r{i}", str(topic), measure, v, "m") for topic, v in enumerate(column)]
        rows.append(Result(f"r{i}", "all", measure, math.fsum(column) / len(column), "m"))
    return Results(rows)


def results_by_model(measure: str, scores: dict[str, dict[str, dict[str, float]]]) -> Results:
    """Return results from user model → run → topic → score."""
    return Results(
        Result(run, topic, measure, score, model)
        for model, runs in scores.items()
        for run, topics in runs.items()
        for topic, score in topics.items()
    )


def results_by_run(scores: dict[tuple[str, str, str], list[float]]) -> Results:
    """Return the results of scores by run, measure and user model."""
    rows = [
        Result(run, str(topic), measure, score, model)
        for (run, measure, model), values in scores.items()
        for topic, score in [*enumerate(values, 1), ("all", sum(values) / len(values))]
    ]
    return Results(rows)


def noise(shape: tuple[int, ...], seed: int = 1) -> list[Column]:
    found: list[Column] = np.random.default_rng(seed).normal(0.5, 0.1, shape).tolist()
    return found


@st.composite
def score_arrays(
    draw: st.DrawFn, least_rows: int = 1, most_rows: int = 6, least: int = 2, most: int = 5
) -> npt.NDArray[np.float64]:
    """Draw scores k / 16 (rows × columns), so that sums are exact and ties are likely."""
    rows, columns = draw(st.integers(least_rows, most_rows)), draw(st.integers(least, most))
    cells = draw(st.lists(st.integers(0, 16), min_size=rows * columns, max_size=rows * columns))
    return np.array(cells, np.float64).reshape(rows, columns) / 16


def swap_rates_of(
    table: npt.ArrayLike, trials: int = 100, fraction: float = 0.75, seed: int = 0
) -> SwapRates:
    """Return swap rates among a fraction of the runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xcg.statistics.topic_sets.BEST_FRACTION", fraction)
        return swap_rates(np.asarray(table, np.float64), trials=trials, seed=seed)
