"""Write the report of a campaign as one self-contained HTML page.

The page is assembled from page.html, page.css and the scripts, so that each language has its own files.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import Any, BinaryIO

from xcg import __version__
from xcg.errors import XcgError, printable
from xcg.evaluation.curves import curves
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.judgements.distribution import level_distribution
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.report import html_statistics
from xcg.report.explanations import explanation_data
from xcg.report.figures import COLOURS, svg_style
from xcg.report.html_statistics import Json, ReportContext, StepCounter
from xcg.report.plot_selection import MAX_STYLES, model_labels
from xcg.statistics.intervals import curve_limits
from xcg.tables import Column, Table

# Limits on the size of the file: a campaign of 69 runs and 34 topics stays below 20 MB.
MAX_SCORES = 250_000
MAX_CURVE_POINTS = 1_000_000
MAX_CURVE_DEPTH = 100

DEFAULT_TITLE = "Evaluation report"

_SCRIPTS = ["elements", "scores", "comparisons", "curves", "explanations", "start"]
_PLACEHOLDER = re.compile(r"\{\{(title|style|data|script|static)\}\}")
_UNSAFE = re.compile("[<>&\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
"""Characters that could end a script element, or that editors and browsers treat specially."""


def write_report(
    inputs: Inputs,
    stream: BinaryIO,
    *,
    title: str = DEFAULT_TITLE,
    explained: int = 10,
    settings: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the report of a campaign as one HTML file.

    The page states the date. If the environment variable ``SOURCE_DATE_EPOCH`` has a number of seconds
    since 1970, it is this date, so that the same campaign gives the same file on any day.

    Args:
        inputs: The inputs of the evaluation.
        stream: A binary file that receives the page.
        title: The title of the page.
        explained: How many topics, the first ones, are explained result by result.
        settings: The record of the method, which the page contains.
        progress: Called with the number of completed steps and the number of all steps.

    Raises:
        XcgError: As :func:`xcg.evaluate`; nothing is written then.
    """
    data = report_data(inputs, title=title, explained=explained, progress=progress)
    data["settings"] = dict(settings or {})
    colours = " ".join(f"--curve-{index}: {one};" for index, one in enumerate(COLOURS))
    parts = {
        "title": escape(printable(title)).encode("utf-8", "backslashreplace"),
        "static": static_tables(data).encode("utf-8", "backslashreplace"),
        "style": f":root {{ {colours} }}\n{_read('page.css')}".encode(),
        "data": script_json(data),
        "script": "\n".join(_read(f"page_{name}.js") for name in _SCRIPTS).encode(),
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


def report_data(
    inputs: Inputs, *, title: str = DEFAULT_TITLE, explained: int = 10, progress: Progress | None = None
) -> Json:
    """Evaluate a campaign, and return everything that the page shows as plain objects.

    The arguments are those of :func:`write_report`.

    Raises:
        XcgError: As :func:`xcg.evaluate`.
    """
    base = inputs.recall_base
    _ = inputs.loaded_runs, inputs.topic_titles  # read once, before the evaluation
    steps = StepCounter(progress, 3 * len(base.topics) + max(0, explained))
    results = evaluate(inputs, lambda _: nullcontext(lambda done, _: steps.set(done)))
    scored_topics = set(results.topics)
    topics = [topic for topic in base.topics if topic in scored_topics]
    context = ReportContext(inputs, results, topics, steps, [*results.notes, *_title_notes(inputs)])
    data = {
        "version": __version__,
        "title": title,
        "date": _report_date(),
        "has_documents": inputs.documents is not None,
        "unanswered": inputs.unanswered,
        "runs": results.runs,
        "references": [i for i, run in enumerate(results.runs) if run in results.scope.references],
        "topics": topics,
        "topic_titles": [inputs.topic_titles.get(topic) for topic in topics],
        "assessed": len(base.topics),
        "levels": [level._asdict() for level in level_distribution(base)],
        "models": [{"name": model.name, "settings": model.settings} for model in inputs.user_models],
        "model_labels": model_labels([model.name for model in inputs.user_models])[0],
        "measures": results.measures,
        "lower_is_better": [MEASURES.order(measure).lower_is_better for measure in results.measures],
        "titles": {str(measure): measure.definition.title for measure in inputs.measure_list},
        "notes": context.notes,
        "limits": context.limits,
        "scores": _score_data(context),
        "intervals": html_statistics.interval_data(context),
        "comparisons": html_statistics.comparison_data(context),
        "best": html_statistics.best_run_data(context),
        "curves": [_curve_data(context, name) for name in ("nxCG", "ep")],
        "line_styles": {
            "most": MAX_STYLES,
            "styles": list(map(svg_style, range(len(results.runs)))),
        },
        "explanations": explanation_data(context, explained),
    }
    steps.set(steps.total)
    return data


def _report_date() -> str:
    """Return the date of the report in UTC, or of ``SOURCE_DATE_EPOCH`` if that is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or time.time()
    try:
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise XcgError(
            f"SOURCE_DATE_EPOCH is {epoch!r}: expected a number of seconds since 1970"
        ) from None


def static_tables(data: Json) -> str:
    """Return the means over topics as HTML tables, for browsers without JavaScript."""
    columns = [Column("Run", kind="text"), *(Column(name, kind="score") for name in data["measures"])]
    tables = ""
    for model, measures in zip(data["models"], data["scores"], strict=True):
        rows = [
            [run, *(runs[number][0] for runs in measures)] for number, run in enumerate(data["runs"])
        ]
        table = Table(columns, rows, title=f"Means over topics under {model['name']}")
        tables += f'<div class="scroll">{table.to_html()}</div>\n'
    return tables


def _title_notes(inputs: Inputs) -> list[str]:
    """Return a note if the topic files are about other topics."""
    titles = inputs.topic_titles
    if not titles or any(topic in titles for topic in inputs.recall_base.topics):
        return []
    found, assessed = next(iter(titles)), next(iter(inputs.recall_base.topics), "none")
    return [f"the topic files have no assessed topic: they have {found}, the assessments {assessed}"]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _score_data(context: ReportContext) -> list[list[list[list[float | None]]]]:
    """Return user model → measure → run → the mean, followed by the score of each topic."""
    results, topics, models = context.results, context.topics, context.inputs.user_models
    value = {(r.user_model, r.measure, r.run, r.topic): r.value for r in results}
    per_model = len(results.measures) * len(results.runs) * max(1, len(topics))
    complete = _complete_models(context, "scores", MAX_SCORES // per_model)

    def scores(model: str, measure: str, included: Sequence[str]) -> list[list[float | None]]:
        keys = ([(model, measure, run, topic) for topic in included] for run in results.runs)
        return [[_finite(value.get(key)) for key in own] for own in keys]

    data = []
    for index, model in enumerate(models):
        included = (MEAN, *topics) if index < complete else (MEAN,)
        data.append([scores(model.name, measure, included) for measure in results.measures])
    return data


def _complete_models(context: ReportContext, what: str, room: int) -> int:
    """Return the number of user models whose scores of topics are included."""
    number = len(context.inputs.user_models)
    if room < number:
        context.limits.append(
            f"To keep this file small, {what} of single topics are included for the first {room} of "
            f"{number} user models."
        )
    return min(room, number)


def _curve_data(context: ReportContext, name: str) -> Json:
    """Return user model → run → curve, for the mean and for each topic."""
    results = context.results
    base, models = context.inputs.recall_base, context.inputs.user_models
    data: Json = {"measure": name, "by": "gain-recall" if name == "ep" else "rank"}
    lengths = (len(ranking) for run in context.inputs.loaded_runs for ranking in run.rankings.values())
    depth = min(MAX_CURVE_DEPTH, max(max(lengths, default=1), 10))
    try:
        lines = curves(context.inputs, name, depth)
    except XcgError as error:
        context.steps.advance(len(base.topics))
        return data | {"missing": str(error)}
    # Effort-precision has a hundred points; the page shows every second one.
    points = slice(1, None, 2) if name == "ep" else slice(None)
    values = {(line.user_model, line.run, line.topic): _rounded(list(line.y)[points]) for line in lines}
    data["x"] = _rounded(list(lines[0].x)[points])
    limits = curve_limits(lines)

    def half_widths(model: str, run: str) -> list[float | None] | None:
        found = limits.get((name, model, run))
        return None if found is None else _rounded(((found[1] - found[0]) / 2).tolist()[points])

    data["half"] = [[half_widths(model.name, run) for run in results.runs] for model in models]
    data["mean"] = [[values.get((model.name, run, MEAN)) for run in results.runs] for model in models]
    per_model = len(results.runs) * len(context.topics) * len(data["x"])
    complete = _complete_models(context, f"{name} curves", MAX_CURVE_POINTS // 2 // max(1, per_model))
    data["topics"] = [
        [[values.get((model.name, run, topic)) for topic in context.topics] for run in results.runs]
        for model in models[:complete]
    ]
    context.steps.advance(len(base.topics))
    return data


def _rounded(values: Sequence[Any]) -> list[float | None]:
    return [_finite(round(float(value), 4)) for value in values]
