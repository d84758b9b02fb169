"""The gate for automatic use: which runs miss a threshold or are worse than a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from xcg.errors import UnmappedError, XcgError, nearest
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.statistics.significance import SIGNIFICANCE_LEVEL, compare_runs
from xcg.statistics.topic_scores import ROUNDING

_TOPICS_IN_MESSAGE = 3


def parse_thresholds(thresholds: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """Return the minimum mean of each measure.

    Args:
        thresholds: Texts like ``"MAep=0.30"``, or a mapping of measures to minimums. Of several
            minimums of a measure, the highest counts.

    Returns:
        Minimums by canonical name.

    Raises:
        XcgError: If a measure is unknown or lower-is-better, or a minimum is not a finite number.

    >>> parse_thresholds(["MAep=0.30", "ep(interpolation=linear)@0.1=0.5"])
    {'MAep': 0.3, 'ep(interpolation=linear)@0.1': 0.5}
    >>> parse_thresholds({"nxCG@10": 0.5})
    {'nxCG@10': 0.5}
    """
    if isinstance(thresholds, Mapping):
        pairs: Iterable[Sequence[Any]] = thresholds.items()
    else:
        pairs = [text.rpartition("=")[::2] for text in thresholds]
    minimums: dict[str, float] = {}
    for name, value in pairs:
        try:
            minimum = float(value)
        except (TypeError, ValueError):
            minimum = math.nan
        if not name or not math.isfinite(minimum):
            text = f"{name}={value}" if name else value
            raise XcgError(
                f"illegal threshold {text!r}: expected a measure and its minimum, like MAep=0.30"
            )
        measure = str(MEASURES.parse(name))
        if MEASURES.order(measure).lower_is_better:
            raise XcgError(f"{measure} is lower-is-better: it cannot have a minimum threshold")
        minimums[measure] = max(minimum, minimums.get(measure, minimum))
    return minimums


def gate_failures(
    results: Results,
    minimums: Mapping[str, float],
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    allow_unmapped: int = 0,
    exempt: Sequence[str] = (),
) -> list[str]:
    """Return a sentence for each mean below its minimum, and each run worse than the baseline.

    A run is worse than the baseline if its mean by a measure is worse, and the difference is
    significant at 5 % after the correction. A mean may be lower than its minimum by a rounding error.

    Args:
        results: Results with scores per topic.
        minimums: Minimum mean of each measure, from :func:`parse_thresholds`.
        baseline: Name of the run that no other run may be worse than, by any measure.
        test: As for :func:`xcg.compare`.
        correction: As for :func:`xcg.compare`.
        allow_unmapped: Number of tolerated problems (see ``lenient`` of :func:`xcg.evaluate`) that may
            pass, at least 0.
        exempt: Names of runs to which the minimums do not apply.

    Raises:
        UnmappedError: If more problems were tolerated than allowed.
        XcgError: If a measure with a minimum was not evaluated, a run has no score or answers no
            assessed topic, or the baseline is unknown. Missing scores must not pass.
    """
    _check_complete(results, minimums, baseline, allow_unmapped)
    failures = _below_minimum(results, minimums, exempt)
    if baseline is not None:
        failures += _worse_than_baseline(results, baseline, test, correction)
    return failures


def _below_minimum(results: Results, minimums: Mapping[str, float], exempt: Sequence[str]) -> list[str]:
    failures = []
    for measure, model, run in product(minimums, results.user_models, results.runs):
        mean, minimum = results.value(run, measure, user_model=model), minimums[measure]
        if mean < minimum - ROUNDING and run not in exempt:
            lowest = _lowest(_scores_by_topic(results, run, measure, model), ".4f")
            failures.append(
                f"{run}, {model}: {measure} is {mean:.4f}, below {minimum:g}; lowest on {lowest}"
            )
    return failures


def _worse_than_baseline(results: Results, baseline: str, test: str, correction: str) -> list[str]:
    failures = []
    for measure, model in product(results.measures, results.user_models):
        order = MEASURES.order(measure)
        baseline_scores = _scores_by_topic(results, baseline, measure, model)
        for line in compare_runs(results, measure, model, baseline, test, correction):
            if order.better(0, line.difference) and line.p_adjusted < SIGNIFICANCE_LEVEL:
                scores = _scores_by_topic(results, line.run, measure, model)
                losses = {t: scores[t] - baseline_scores[t] for t in scores if t in baseline_scores}
                sign = -1 if order.lower_is_better else 1
                failures.append(
                    f"{line.run}, {model}: {measure} is {line.mean:.4f}, worse than "
                    f"{line.baseline_mean:.4f} of {baseline} (p = {line.p_adjusted:.4f}); "
                    f"lost most on {_lowest(losses, '+.4f', sign)}"
                )
    return failures


def _check_complete(
    results: Results, minimums: Mapping[str, float], baseline: str | None, allow_unmapped: int
) -> None:
    """Raise an error if scores are missing, or based on less data than were given."""
    scope = results.scope
    if scope.tolerated > allow_unmapped:
        warning = next((note for note in results.notes if note.startswith("warning: ")), "")
        raise UnmappedError(
            "",
            f"{scope.tolerated} results or assessments could not be used, and {allow_unmapped} are "
            f"allowed{warning and '; ' + warning.removeprefix('warning: ')}",
        )
    for measure in minimums:
        if measure not in scope.measures:
            raise XcgError(f"no scores of {measure}: expected it among the measures")
    if baseline is not None and baseline not in scope.runs:
        raise XcgError(f"no run {baseline!r}: {nearest(baseline, scope.runs)}")
    if scope.unanswering:
        raise XcgError(f"run {scope.unanswering[0]} answers no assessed topic: expected its results")
    means = {(row.run, row.measure, row.user_model) for row in results if row.topic == MEAN}
    checked = scope.measures if baseline is not None else minimums
    for model, measure, run in product(scope.user_models, checked, scope.runs):
        if (run, measure, model) not in means:
            raise XcgError(
                f"run {run} has no score of {measure} under {model}: there is no topic to average over"
            )


def _scores_by_topic(results: Results, run: str, measure: str, model: str) -> dict[str, float]:
    return {
        row.topic: row.value
        for row in results
        if (row.run, row.measure, row.user_model) == (run, measure, model) and row.topic != MEAN
    }


def _lowest(values: Mapping[str, float], form: str, sign: int = 1) -> str:
    """Write the topics with the lowest values, or with the highest if sign is negative."""
    topics = sorted(values, key=lambda topic: sign * values[topic])[:_TOPICS_IN_MESSAGE]
    return ", ".join(f"topic {topic} ({values[topic]:{form}})" for topic in topics)
