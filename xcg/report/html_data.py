"""Collect the data of the HTML report: scores, best runs, curves and explanations."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from xcg import __version__
from xcg.errors import XcgError
from xcg.evaluation.curves import curves_of_inputs
from xcg.evaluation.evaluate import evaluate_inputs
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.evaluation.scoring import Progress
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.report.html_context import Json, ReportContext, StepCounter
from xcg.report.html_explanations import explanation_data
from xcg.statistics.significance import compare_runs
from xcg.user_model.model import UserModel

SIGNIFICANCE_LEVEL = 0.05
"""A difference is significant if the corrected p value is below this."""

# Limits on the size of the file: a campaign of 69 runs and 34 topics stays below 20 MB.
MAX_SCORES = 250_000
MAX_CURVE_POINTS = 1_000_000
MAX_CURVE_DEPTH = 100


def report_data(inputs: Inputs, *, explained: int = 10, progress: Progress | None = None) -> Json:
    """Evaluate a campaign, and return everything that the page shows as plain objects.

    The arguments are those of :func:`xcg.report.html_page.write_report`.

    Raises:
        XcgError: As :func:`xcg.evaluate`.
    """
    base = inputs.recall_base
    _ = inputs.loaded_runs  # read once, for all parts of the report
    steps = StepCounter(progress, 3 * len(base.topics) + max(0, explained))
    results = evaluate_inputs(inputs, lambda done, _: steps.set(done))
    scored_topics = set(results.topics)
    topics = [topic for topic in base.topics if topic in scored_topics]
    context = ReportContext(inputs, results, topics, steps)
    limits: list[str] = []
    data = {
        "version": __version__,
        "files": {
            "assessments": _paths(inputs.assessments),
            "runs": _paths(inputs.runs),
            "corpus": next(iter(_paths(inputs.corpus)), None),
        },
        "unanswered": inputs.unanswered,
        "runs": results.runs,
        "topics": topics,
        "assessed": len(base.topics),
        "models": [_model_data(model) for model in inputs.user_models],
        "measures": results.measures,
        "lower_is_better": [MEASURES.order(measure).lower_is_better for measure in results.measures],
        "titles": {str(measure): measure.definition.title for measure in inputs.measure_list},
        "notes": results.notes,
        "limits": limits,
        "scores": _score_data(context, limits),
        "best": _best_runs(context),
        "curves": [_curve_data(context, name, limits) for name in ("nxCG", "ep")],
        "explanations": explanation_data(context, explained, limits),
    }
    steps.set(steps.total)
    return data


def _paths(given: object) -> list[str]:
    """Return the paths among the inputs; objects in memory have none."""
    items = given if isinstance(given, (list, tuple)) else [given]
    return [os.path.normpath(item) for item in items if isinstance(item, (str, os.PathLike))]


def _model_data(model: UserModel) -> Json:
    rule = model.relevance_value
    return {
        "name": model.name,
        "settings": {
            "quantisation": str(model.quantisation),
            "ideal elements": str(model.ideal),
            "α": f"{rule.alpha:g}",
            "normalisation": rule.normalisation,
            "partly seen": str(rule.partially_seen),
            "near-misses": str(rule.near_misses),
        },
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _score_data(context: ReportContext, limits: list[str]) -> list[list[list[list[float | None]]]]:
    """Return user model → measure → run → the mean, followed by the score of each topic."""
    results, topics, models = context.results, context.topics, context.inputs.user_models
    value = {(r.user_model, r.measure, r.run, r.topic): r.value for r in results}
    scores_per_model = len(results.measures) * len(results.runs) * max(1, len(topics))
    complete_models = max(1, MAX_SCORES // scores_per_model)
    if complete_models < len(models):
        limits.append(
            "To keep this file small, the scores of single topics are included for the first "
            f"{complete_models} of {len(models)} user models."
        )

    def scores(model: str, measure: str, run: str, with_topics: bool) -> list[float | None]:
        columns = (MEAN, *topics) if with_topics else (MEAN,)
        return [_finite(value.get((model, measure, run, topic))) for topic in columns]

    return [
        [
            [scores(model.name, measure, run, index < complete_models) for run in results.runs]
            for measure in results.measures
        ]
        for index, model in enumerate(models)
    ]


def _best_runs(context: ReportContext) -> list[Json]:
    """Return the best run for each user model and measure, and its difference from the second."""
    results = context.results
    means: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for row in results.means():
        if math.isfinite(row.value):
            means.setdefault((row.user_model, row.measure), []).append((row.run, row.value))
    lines = []
    for model in context.inputs.user_models:
        for measure in results.measures:
            order = MEASURES.order(measure)
            # Runs with equal means keep their order, as in compare().
            ranking = sorted(
                means.get((model.name, measure), ()), key=lambda pair: order.sort_key(pair[1])
            )
            if not ranking:
                continue
            best, mean = ranking[0]
            line: Json = {"model": model.name, "measure": measure, "run": best, "mean": mean}
            if len(ranking) > 1:
                second, second_mean = ranking[1]
                line |= {"second": second, "difference": mean - second_mean}
                line |= _test_data(results, measure, model.name, best, second)
            lines.append(line)
    return lines


def _test_data(results: Results, measure: str, model: str, best: str, second: str) -> Json:
    """Return the p value of the best run against the second, or the reason if it was not tested."""
    try:
        comparisons = compare_runs(results, measure, model, baseline=best)
    except XcgError as error:
        return {"untested": str(error)}
    (line,) = (line for line in comparisons if line.run == second)
    p = line.p_adjusted
    return {"p": p, "significant": p < SIGNIFICANCE_LEVEL, "tested_topics": line.topics}


def _curve_data(context: ReportContext, name: str, limits: list[str]) -> Json:
    """Return user model → run → curve, for the mean and for each topic."""
    results = context.results
    base, models = context.inputs.recall_base, context.inputs.user_models
    data: Json = {"measure": name, "by": "gain-recall" if name == "ep" else "rank"}
    lengths = (len(ranking) for run in context.inputs.loaded_runs for ranking in run.rankings.values())
    depth = min(MAX_CURVE_DEPTH, max(max(lengths, default=1), 10))
    try:
        lines = curves_of_inputs(context.inputs, name, depth)
    except XcgError as error:
        context.steps.advance(len(base.topics))
        return data | {"missing": str(error)}
    # Effort-precision has a hundred points; the page shows every second one.
    points = slice(1, None, 2) if name == "ep" else slice(None)
    values = {(line.user_model, line.run, line.topic): _rounded(list(line.y)[points]) for line in lines}
    data["x"] = _rounded(list(lines[0].x)[points])
    data["mean"] = [[values.get((model.name, run, MEAN)) for run in results.runs] for model in models]
    points_per_model = len(results.runs) * len(context.topics) * len(data["x"])
    complete_models = MAX_CURVE_POINTS // 2 // max(1, points_per_model)
    if complete_models < len(models):
        included = (
            f"the first {complete_models} of {len(models)} user models"
            if complete_models
            else "no user model"
        )
        limits.append(
            f"To keep this file small, {name} curves of single topics are included for {included}."
        )
    data["topics"] = [
        [[values.get((model.name, run, topic)) for topic in context.topics] for run in results.runs]
        for model in models[:complete_models]
    ]
    context.steps.advance(len(base.topics))
    return data


def _rounded(values: Sequence[Any]) -> list[float | None]:
    return [_finite(round(float(value), 4)) for value in values]
