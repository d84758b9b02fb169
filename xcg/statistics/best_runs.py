"""Test whether the best run differs from the second, as ``compare`` does by default."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.corrections import adjust
from xcg.statistics.run_pairs import BEST
from xcg.statistics.significance import choose_correction, compare_runs
from xcg.statistics.significance_tests import paired_p_values
from xcg.statistics.topic_scores import ROUNDING, common_scores, scores_by_run


class BestRun(NamedTuple):
    """The best and the second run by a measure under a user model.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        best: The first of the runs with the best mean.
        second: The next run.
        p: p value of their difference by the paired t test, corrected for all pairs of runs, because
            the scores select the best. None if it cannot be tested.
        correction: Name of the correction.
        comparisons: Number of pairs of runs.
    """

    measure: str
    user_model: str
    best: str
    second: str
    p: float | None
    correction: str
    comparisons: int


def best_runs(results: Results) -> list[BestRun]:
    """Test for each measure and user model whether the best run differs from the second.

    The test is that of :func:`xcg.compare` with its defaults, without greedy references. There is no
    correction for the number of measures and user models.

    Args:
        results: Results with scores per topic. Families with fewer than two runs are left out.

    >>> from xcg.evaluation.results import Result
    >>> scores = {"a": (0.1, 0.2, 0.3), "b": (0.2, 0.4, 0.6)}
    >>> (found,) = best_runs(Results(
    ...     Result(run, str(topic), "MAep", value, "m")
    ...     for run, values in scores.items() for topic, value in enumerate(values)
    ... ))
    >>> found.best, found.second, round(found.p, 4)
    ('b', 'a', 0.0742)
    """
    tested = results.without_references()
    found = []
    for measure, model in product(tested.measures, tested.user_models):
        scores = scores_by_run(tested, measure, model)
        if len(scores) > 1:
            order = MEASURES.order(measure)
            means = {run: math.fsum(values.values()) / len(values) for run, values in scores.items()}
            best, second, *_ = sorted(scores, key=lambda run: order.sort_key(means[run]))
            correction = choose_correction(scores, None, "t", None)
            try:
                p = _p_value(tested, measure, model, (best, second), correction)
            except XcgError:  # too few topics
                p = None
            pairs = math.comb(len(scores), 2)
            found.append(BestRun(measure, model, best, second, p, correction, pairs))
    return found


def _p_value(
    results: Results, measure: str, model: str, pair: tuple[str, str], correction: str
) -> float:
    """Return the corrected p value of a pair of runs."""
    if correction != "shaffer":
        lines = compare_runs(results, measure, model, BEST)
        return next(line.p_adjusted for line in lines if line.run == pair[1])
    # All pairs at once: compare_runs needs some milliseconds for each.
    scores = common_scores(scores_by_run(results, measure, model), results.topics, measure)
    i, j = np.triu_indices(len(scores.values), 1)
    found = (scores.matrix[:, i] - scores.matrix[:, j]).T
    found[np.abs(found) <= ROUNDING] = 0
    low, high = sorted(map(list(scores.values).index, pair))
    position = int(np.flatnonzero((i == low) & (j == high))[0])
    return adjust(paired_p_values("t", found).tolist(), correction)[position]
