"""Test whether the best run differs from the second, as ``compare`` does by default."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import NamedTuple

from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.statistics.corrections import adjusted
from xcg.statistics.significance import choose_correction
from xcg.statistics.significance_tests import family_p_values
from xcg.statistics.topic_scores import pair_differences, score_matrix, scores_by_run


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
            order, runs = MEASURES.order(measure), list(scores)
            means = [math.fsum(values.values()) / len(values) for values in scores.values()]
            best, second, *_ = sorted(range(len(runs)), key=lambda run: order.sort_key(means[run]))
            pairs = list(combinations(range(len(runs)), 2))
            matrix = score_matrix(scores, tested.topics)
            samples = [pair_differences(matrix[None], pair) for pair in pairs]
            correction, p = choose_correction(scores, None, "t", None), None
            if min(sample.shape[1] for sample in samples) > 1:
                p_values = adjusted(family_p_values(samples, "t"), correction)[0].tolist()
                p = p_values[pairs.index((min(best, second), max(best, second)))]
            found.append(BestRun(measure, model, runs[best], runs[second], p, correction, len(pairs)))
    return found
