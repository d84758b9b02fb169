"""Confidence intervals of means over topics."""

from __future__ import annotations

import math

from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.families import t_interval
from xcg.statistics.run_pairs import Cell, scores_by_cell
from xcg.statistics.topic_scores import standard_deviation

Intervals = dict[Cell, tuple[float, float]]
"""(measure, user model, run) → lower and upper limit."""
_NAMED = 3


def mean_intervals(results: Results, confidence: float = 95) -> tuple[Intervals, list[str]]:
    """Compute Student's t interval of each mean over topics.

    mean ± t · s / √n, with the quantile t of n − 1 degrees of freedom and the standard deviation s of
    the n scores. Limits can be outside the range of a measure. For a count, the interval is that of the
    sum. Each interval holds alone; intervals of two runs do not show whether the runs differ, because
    scores of the same topic are correlated.

    Args:
        results: Results with means and scores per topic.
        confidence: Confidence level in percent, above 0 and below 100.

    Returns:
        The intervals, and notes on means without one.

    >>> from xcg.evaluation.results import Result
    >>> scores = {"1": 0.2, "2": 0.4, "3": 0.6, "all": 0.4}
    >>> results = Results(Result("r", topic, "MAep", value, "m") for topic, value in scores.items())
    >>> found, _ = mean_intervals(results)
    >>> [round(limit, 4) for limit in found["MAep", "m", "r"]]  # 0.4 ± 4.303 · 0.2 / √3
    [-0.0968, 0.8968]
    """
    scores = scores_by_cell(results)
    found: Intervals = {}
    without: dict[str, list[str]] = {}
    for row in results.means():
        cell = row.measure, row.user_model, row.run
        values = np.array([*scores.get(cell, {}).values()], np.float64)
        factor = len(values) if MEASURES.is_count(row.measure) else 1
        if len(values) < 2:
            reason = "there are fewer than two topics"
        elif not standard_deviation(values):
            reason = "all topics have the same score"
        elif not math.isclose(factor * values.mean(), row.value, rel_tol=1e-9):
            reason = "the value is not the mean over topics"
        else:
            low, high = t_interval(values, 1 - confidence / 100)
            assert low is not None
            assert high is not None
            found[cell] = factor * low, factor * high
            continue
        without.setdefault(reason, []).append(f"{row.run} by {row.measure} under {row.user_model}")
    notes = [
        f"note: no interval, because {reason}: {', '.join(means[:_NAMED])}"
        + (f" and {len(means) - _NAMED} more" if len(means) > _NAMED else "")
        for reason, means in without.items()
    ]
    return found, notes
