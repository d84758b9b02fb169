"""Write the report of a campaign as one self-contained HTML page.

The page is assembled from page.html, page.css and the scripts, so that each language has its own files.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, BinaryIO

from xcg import __version__
from xcg.errors import XcgError
from xcg.evaluation.curves import curves_of_inputs
from xcg.evaluation.evaluate import evaluate_inputs
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.evaluation.scoring import Progress
from xcg.judgements.distribution import level_distribution
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.report.html_context import Json, ReportContext, StepCounter
from xcg.report.html_explanations import explanation_data
from xcg.report.html_strategies import strategy_data
from xcg.report.listings import user_model_settings
from xcg.statistics.significance import SIGNIFICANCE_LEVEL, compare_runs
from xcg.user_model.model import UserModel

# Limits on the size of the file: a campaign of 69 runs and 34 topics stays below 20 MB.
MAX_SCORES = 250_000
MAX_CURVE_POINTS = 1_000_000
MAX_CURVE_DEPTH = 100

_SCRIPTS = (
    "page_elements.js",
    "page_scores.js",
    "page_curves.js",
    "page_strategies.js",
    "page_explanations.js",
    "page_start.js",
)
_PLACEHOLDER = re.compile(r"\{\{(style|data|script)\}\}")
_UNSAFE = re.compile("[<>&\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
"""Characters that could end a script element, or that editors and browsers treat specially."""


def write_report(
    inputs: Inputs, stream: BinaryIO, *, explained: int = 10, progress: Progress | None = None
) -> None:
    """Write the report of a campaign as one HTML file.

    Args:
        inputs: The inputs of the evaluation.
        stream: A binary file that receives the page.
        explained: How many topics, the first ones, are explained result by result.
        progress: Called with the number of completed steps and the number of all steps.

    Raises:
        XcgError: As :func:`xcg.evaluate`; nothing is written then.
    """
    data = report_data(inputs, explained=explained, progress=progress)
    parts = {
        "style": _read("page.css").encode(),
        "data": script_json(data),
        "script": "\n".join(map(_read, _SCRIPTS)).encode(),
    }
    # The odd pieces are the names of placeholders.
    for index, piece in enumerate(_PLACEHOLDER.split(_read("page.html"))):
        stream.write(parts[piece] if index % 2 else piece.encode())


def _read(name: str) -> str:
    return files("xcg.report").joinpath(name).read_text(encoding="utf-8")


def script_json(data: object) -> bytes:
    r"""Return JSON that is safe inside a script element, whatever its texts contain.

    >>> script_json({"run": "</script>"})
    b'{"run":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    escaped = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    # A lone surrogate has no UTF-8 form; this error handler writes it as JSON does.
    return escaped.encode("utf-8", "backslashreplace")


def report_data(inputs: Inputs, *, explained: int = 10, progress: Progress | None = None) -> Json:
    """Evaluate a campaign, and return everything that the page shows as plain objects.

    The arguments are those of :func:`write_report`.

    Raises:
        XcgError: As :func:`xcg.evaluate`.
    """
    base = inputs.recall_base
    _ = inputs.loaded_runs  # read once, for all parts of the report
    evaluations = 10 if inputs.strategy_list else 0
    steps = StepCounter(progress, 3 * len(base.topics) + evaluations + max(0, explained))
    results = evaluate_inputs(inputs, lambda done, _: steps.set(done))
    scored_topics = set(results.topics)
    topics = [topic for topic in base.topics if topic in scored_topics]
    context = ReportContext(inputs, results, topics, steps)
    data = {
        "version": __version__,
        "files": {
            "assessments": _paths(inputs.assessments),
            "runs": _paths(inputs.runs),
            "corpus": next(iter(_paths(inputs.corpus)), None),
        },
        "unanswered": inputs.unanswered,
        "runs": results.runs,
        "references": [
            number for number, run in enumerate(results.runs) if run in results.scope.references
        ],
        "topics": topics,
        "assessed": len(base.topics),
        "levels": [level._asdict() for level in level_distribution(base)],
        "models": [_model_data(model) for model in inputs.user_models],
        "measures": results.measures,
        "lower_is_better": [MEASURES.order(measure).lower_is_better for measure in results.measures],
        "titles": {str(measure): measure.definition.title for measure in inputs.measure_list},
        "notes": results.notes,
        "limits": context.limits,
        "scores": _score_data(context),
        "best": _best_runs(context),
        "curves": [_curve_data(context, name) for name in ("nxCG", "ep")],
        "strategies": strategy_data(context),
        "explanations": explanation_data(context, explained),
    }
    steps.set(steps.total)
    return data


def _paths(given: object) -> list[str]:
    """Return the paths among the inputs; objects in memory have none."""
    items = given if isinstance(given, (list, tuple)) else [given]
    return [os.path.normpath(item) for item in items if isinstance(item, (str, os.PathLike))]


def _model_data(model: UserModel) -> Json:
    names = ("quantisation", "ideal elements", "α", "normalisation", "partly seen", "near-misses")
    return {"name": model.name, "settings": dict(zip(names, user_model_settings(model), strict=True))}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _score_data(context: ReportContext) -> list[list[list[list[float | None]]]]:
    """Return user model → measure → run → the mean, followed by the score of each topic."""
    results, topics, models = context.results, context.topics, context.inputs.user_models
    value = {(r.user_model, r.measure, r.run, r.topic): r.value for r in results}
    scores_per_model = len(results.measures) * len(results.runs) * max(1, len(topics))
    complete_models = max(1, MAX_SCORES // scores_per_model)
    if complete_models < len(models):
        context.limits.append(
            "To keep this file small, the scores of single topics are included for the first "
            f"{complete_models} of {len(models)} user models."
        )

    data = []
    for index, model in enumerate(models):
        columns = (MEAN, *topics) if index < complete_models else (MEAN,)
        data.append(
            [
                [
                    [_finite(value.get((model.name, measure, run, topic))) for topic in columns]
                    for run in results.runs
                ]
                for measure in results.measures
            ]
        )
    return data


def _best_runs(context: ReportContext) -> list[Json]:
    """Return the best run for each user model and measure, and its difference from the second."""
    results = context.results
    means: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for row in results.means():
        if math.isfinite(row.value) and row.run not in results.scope.references:
            means.setdefault((row.user_model, row.measure), []).append((row.run, row.value))
    lines = []
    for model in context.inputs.user_models:
        for measure in results.measures:
            order = MEASURES.order(measure)
            # Runs with equal means keep their order.
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
        comparisons = compare_runs(results, measure, model)
    except XcgError as error:
        return {"untested": str(error)}
    line = next((c for c in comparisons if {c.run, c.baseline} == {best, second}), None)
    if line is None:
        return {"untested": "only strategies of the same run are compared, and not reference points"}
    p = line.p_adjusted
    return {"p": p, "significant": p < SIGNIFICANCE_LEVEL, "tested_topics": line.topics}


def _curve_data(context: ReportContext, name: str) -> Json:
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
        context.limits.append(
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
