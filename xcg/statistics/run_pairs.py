"""Decide which runs are compared with each other: all pairs, the strategies of a run, or a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.statistics.topic_scores import check_name, scores_by_run

ALL_PAIRS = "all"
BEST = "best"


def pairs_of_runs(results: Results, runs: Iterable[str]) -> list[tuple[str, str]]:
    """Return all pairs of runs; with several strategies, the pairs of strategies of the same run.

    Args:
        results: Results that know the strategies of the runs.
        runs: Some of their runs.
    """
    pairs = list(combinations(runs, 2))
    as_read = {run: name for run, (name, _) in results.scope.strategies.items()}
    within = [pair for pair in pairs if as_read.get(pair[0], 0) == as_read.get(pair[1], 1)]
    return within or pairs


def compares_within_runs(results: Results) -> bool:
    """Return whether without a baseline only the strategies of the same run are compared."""
    return len(pairs_of_runs(results, results.runs)) < math.comb(len(results.runs), 2)


def scores_to_compare(
    results: Results, measure: str, user_model: str, baseline: str | None
) -> tuple[dict[str, dict[str, float]], str | None, str | None]:
    """Return the scores of the runs to compare, and the run that they are compared with.

    Returns:
        Scores by run and topic, without greedy references; the named baseline, or None; and the named
        baseline or the best run, None if all pairs are compared.

    Raises:
        XcgError: If there are fewer than two runs, or the baseline is unknown, ambiguous or a reference
            point.
    """
    references = results.scope.references
    if baseline in references:
        raise XcgError(f"the baseline {baseline!r} is a greedy reference: expected a run of a system")
    scores = scores_by_run(results, measure, user_model)
    scores = {run: values for run, values in scores.items() if run not in references}
    if len(scores) < 2:
        found = f"{len(scores)} runs with scores per topic of {measure} under {user_model}"
        raise XcgError(f"{found}: expected at least two")
    if baseline in (ALL_PAIRS, BEST) and baseline in scores:
        message = "is not a run, but a run has this name: rename the run"
        raise XcgError(f"the baseline {baseline!r} {message}")
    if baseline in (None, ALL_PAIRS):
        return scores, None, None
    if baseline == BEST:
        return scores, None, best_run(scores, measure)
    check_name("run", baseline, scores)
    return scores, baseline, baseline


def best_run(scores: Mapping[str, Mapping[str, float]], measure: str) -> str:
    """Return the first of the runs that have the best mean over their own topics."""
    order = MEASURES.order(measure)
    return min(
        scores, key=lambda run: order.sort_key(math.fsum(scores[run].values()) / len(scores[run]))
    )
