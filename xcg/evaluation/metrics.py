"""The functions ``iter_calc`` and ``calc_aggregate``, as users know them from ir_measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xcg.errors import NothingToAverageError, XcgError
from xcg.evaluation.evaluate import evaluate_inputs
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Measures, Runs
from xcg.evaluation.results import Result
from xcg.judgements.recall_base import MEAN
from xcg.measures import Measure
from xcg.user_model.model import UserModel


class Metric(NamedTuple):
    """The value of a measure for one topic."""

    query_id: str
    measure: Measure
    value: float


def iter_calc(
    measures: Measures,
    assessments: Assessments,
    run: Runs,
    corpus: Documents = None,
    user_model: str | UserModel | None = None,
) -> Iterator[Metric]:
    """Yield the value of each measure for each topic of one run.

    The values are those of :func:`xcg.evaluate`. Topics without a value, such as topics without an
    ideal element, are left out.

    Args:
        measures: Measures or their names.
        assessments: As :func:`xcg.evaluate` takes them.
        run: One run, as :func:`xcg.evaluate` takes it.
        corpus: As :func:`xcg.evaluate` takes it.
        user_model: One user model; the assessments decide by default.

    Raises:
        XcgError: If there are several runs or user models, and as :func:`xcg.evaluate`.

    >>> [metric] = iter_calc("nxCG@1", {"1": {"d": 2, "e": 1}}, {"r": {"1": ["e", "d"]}})
    >>> metric.query_id, str(metric.measure), metric.value
    ('1', 'nxCG@1', 0.5)
    """
    inputs = Inputs(assessments, run, corpus, user_model, measures)
    by_name = {str(measure): measure for measure in inputs.measure_list}
    for row in _rows(inputs):
        if row.topic != MEAN:
            yield Metric(row.topic, by_name[row.measure], row.value)


def calc_aggregate(
    measures: Measures,
    assessments: Assessments,
    run: Runs,
    corpus: Documents = None,
    user_model: str | UserModel | None = None,
) -> dict[Measure, float]:
    """Return the mean of each measure over the topics of one run.

    Args and exceptions are those of :func:`iter_calc`. A measure without any value is left out.

    >>> means = calc_aggregate("nxCG@1 MAep", {"1": {"d": 2, "e": 1}}, {"r": {"1": ["d"]}})
    >>> {str(measure): value for measure, value in means.items()}
    {'nxCG@1': 1.0, 'MAep': 0.5}
    """
    inputs = Inputs(assessments, run, corpus, user_model, measures)
    by_name = {str(measure): measure for measure in inputs.measure_list}
    return {by_name[row.measure]: row.value for row in _rows(inputs) if row.topic == MEAN}


def _rows(inputs: Inputs) -> list[Result]:
    """Evaluate one run under one user model."""
    inputs.check()
    if len(inputs.run_sources) != 1:
        raise XcgError(f"{len(inputs.run_sources)} runs: expected one; xcg.evaluate takes several")
    if len(inputs.user_models) != 1:
        raise XcgError(f"{len(inputs.user_models)} user models: expected one")
    try:
        return list(evaluate_inputs(inputs))
    except NothingToAverageError:
        return []
