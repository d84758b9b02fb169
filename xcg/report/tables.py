"""Write results as text: tables for people, records at full precision for programs."""

from __future__ import annotations

from collections.abc import Mapping

from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.statistics.significance import SIGNIFICANCE_LEVEL, compare_runs
from xcg.tables import RECORD_FORMATS, TABLE_FORMATS

FORMATS = ("table", "jsonl", "csv", "json", "markdown", "latex")

_MAX_WIDTH = 100
"""Characters; a wider table is transposed if that makes it narrower."""

# Private-use characters that replace marks until the cells are escaped.
_BOLD, _BOLD_END, _DAGGER = "\ue000", "\ue001", "\ue002"
_MARKS = {
    "markdown": {_BOLD: "**", _BOLD_END: "**", _DAGGER: "†"},
    "latex": {_BOLD: r"\textbf{", _BOLD_END: "}", _DAGGER: r"$^\dagger$"},
}

Row = list[str]
Templates = Mapping[tuple[str, str, str], str]
"""(measure, user model, run) → template of the mean's cell."""


def render(
    results: Results,
    format: str = "table",
    per_topic: bool = False,
    mark: bool = False,
    against: str | None = None,
) -> str:
    """Write results as text.

    Args:
        results: The results.
        format: ``table``, ``markdown`` or ``latex``: one row per run and one column per measure, with
            four decimals; transposed if that is narrower. With several user models, they are the
            columns, and the number after each score is the rank of the run. ``jsonl``, ``json`` or
            ``csv``: one record per score, at full double precision.
        per_topic: Whether to include the scores of each topic, not only the means.
        mark: Whether to print the best mean of each measure in bold (markdown and latex).
        against: A run; means that differ significantly from its mean (paired t test, Holm, 5 %) get a
            dagger (markdown and latex).

    Raises:
        XcgError: If the format or the run is unknown.
    """
    if format not in FORMATS:
        raise XcgError(f"unknown format {format!r}: {nearest(format, FORMATS)}")
    selected = results if per_topic else results.means()
    if format in RECORD_FORMATS:
        return RECORD_FORMATS[format]([row._asdict() for row in selected])
    marks = _MARKS.get(format, {})
    templates = _templates(results, mark, against) if marks else {}
    by_model = len(results.user_models) > 1 and not per_topic
    heading, rows = (
        _columns_of_models(selected, templates)
        if by_model
        else _columns_of_measures(selected, per_topic, templates)
    )
    text = TABLE_FORMATS[format](heading, rows)
    for character, markup in marks.items():
        text = text.replace(character, markup)
    return text


def _templates(results: Results, mark: bool, against: str | None) -> Templates:
    """Return the cells that have marks."""
    templates: dict[tuple[str, str, str], str] = {}
    means = list(results.means())
    for measure in results.measures:
        for model in results.user_models:
            printed = {
                row.run: round(row.value, 4)
                for row in means
                if (row.measure, row.user_model) == (measure, model)
            }
            if mark and printed:
                best = MEASURES.order(measure).best(printed.values())
                for run, value in printed.items():
                    if value == best:
                        templates[measure, model, run] = f"{_BOLD}{{}}{_BOLD_END}"
            if against is not None:
                for line in compare_runs(results, measure, model, against):
                    if line.p_adjusted < SIGNIFICANCE_LEVEL:
                        key = measure, model, line.run
                        templates[key] = templates.get(key, "{}") + _DAGGER
    return templates


def _columns_of_measures(
    results: Results, per_topic: bool, templates: Templates
) -> tuple[Row, list[Row]]:
    """Return heading and rows: names, then one column per measure; or transposed."""
    several_models = len(results.user_models) > 1
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in results:
        names = (
            *([row.user_model] if several_models else ()),
            row.run,
            *([row.topic] if per_topic else ()),
        )
        key = row.measure, row.user_model, row.run
        template = templates.get(key, "{}") if row.topic == MEAN else "{}"
        cells.setdefault(names, {})[row.measure] = template.format(f"{row.value:.4f}")
    measures = results.measures
    heading = ["user model"] * several_models + ["run"] + ["topic"] * per_topic + measures
    rows = [[*names, *(values.get(m, "") for m in measures)] for names, values in cells.items()]
    if per_topic:
        return heading, rows
    transposed = [list(column) for column in zip(heading, *rows, strict=True)]
    transposed[0][0] = "measure"
    width = _width([heading, *rows])
    if width > _MAX_WIDTH and _width(transposed) < width:
        return transposed[0], transposed[1:]
    return heading, rows


def _columns_of_models(results: Results, templates: Templates) -> tuple[Row, list[Row]]:
    """Return heading and rows: measure and run, then one column per user model.

    Each score is followed by the rank of the run under the model; runs with equal printed scores share
    a rank.
    """
    scores = {(row.measure, row.user_model, row.run): round(row.value, 4) for row in results}

    def cell(measure: str, model: str, run: str) -> str:
        own = measure, model, run
        if own not in scores:
            return ""
        others = [scores[key] for other in results.runs if (key := (measure, model, other)) in scores]
        rank = MEASURES.order(measure).rank(scores[own], others)
        return f"{templates.get(own, '{}').format(f'{scores[own]:.4f}')} {rank:>3}."

    rows = [
        [measure, run, *(cell(measure, model, run) for model in results.user_models)]
        for measure in results.measures
        for run in results.runs
    ]
    return ["measure", "run", *results.user_models], rows


def _width(rows: list[Row]) -> int:
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True))
