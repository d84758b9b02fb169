"""Write results as text: tables for people, records at full precision for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.statistics.corrections import SIGNIFICANCE_LEVEL
from xcg.statistics.intervals import Intervals
from xcg.statistics.significance import compare_runs
from xcg.tables import CSV_WITHOUT_FORMULAS, RECORD_FORMATS, Column, Markup, Table

FORMATS = ("table", "jsonl", "csv", "json", "markdown", "latex")

_MARKS = {"markdown": ("**", "**", "†"), "latex": (r"\textbf{", "}", r"$^\dagger$")}
"""Format → the beginning and the end of bold text, and the dagger."""

_MAX_DESCRIBED = 8
"""Measures that are described below a table in which they are not the columns."""

_NO_MARKS = "", ""

Row = list[str]
Marks = Mapping[tuple[str, str, str], tuple[str, str]]
"""(measure, user model, run) → the text before and after the mean."""

_UNMARKED: Marks = MappingProxyType({})


def render(
    results: Results,
    format: str = "table",
    per_topic: bool = False,
    mark: bool = False,
    against: str | None = None,
    intervals: Intervals | None = None,
) -> str:
    """Write results as text.

    Args:
        results: The results.
        format: ``table``, ``markdown`` or ``latex``: one row per run and one column per measure, with
            four decimals. With several user models, they are the columns, and the number after each
            score is the rank of the run. ``jsonl``, ``json`` or ``csv``: one record per score, at full
            double precision; :data:`xcg.tables.CSV_WITHOUT_FORMULAS` for spreadsheets.
        per_topic: Whether to include the scores of each topic, not only the means.
        mark: Whether to print the best mean of each measure in bold (markdown and latex). Reference
            points are no runs of a system: they are never the best, and have no rank.
        against: A run; means that differ significantly from its mean (paired t test, Holm, 5 %) get a
            dagger (markdown and latex).
        intervals: Limits of the intervals of means: half their width follows the mean after ±, and
            records have the fields low and high.

    Raises:
        XcgError: If the format or the run is unknown.
    """
    if format not in (*FORMATS, CSV_WITHOUT_FORMULAS):
        raise XcgError(f"unknown format {format!r}: {nearest(format, FORMATS)}")
    if format in RECORD_FORMATS:
        selected = results if per_topic else results.means()
        rows = [row._asdict() for row in selected]
        if intervals is not None:
            for row in rows:
                limits = intervals.get((row["measure"], row["user_model"], row["run"]), (None, None))
                row["low"], row["high"] = limits if row["topic"] == MEAN else (None, None)
        return RECORD_FORMATS[format](rows)
    marks = _marks(results, mark, against, *_MARKS[format]) if format in _MARKS else {}
    plus_minus = r"$\pm$" if format == "latex" else "±"
    marks = marks_with_intervals(intervals or {}, plus_minus, marks)
    return results_table(results, per_topic, marks=marks).write(format)


def marks_with_intervals(
    intervals: Intervals, plus_minus: str = "±", marks: Marks = _UNMARKED
) -> Marks:
    """Return marks with half the width of the interval after each mean."""
    found = dict(marks)
    for key, (low, high) in intervals.items():
        before, after = found.get(key, _NO_MARKS)
        found[key] = before, f"{after} {plus_minus}{(high - low) / 2:.4f}"
    return found


def results_table(results: Results, per_topic: bool = False, marks: Marks = _UNMARKED) -> Table:
    """Arrange results as a table: one row per run.

    Args:
        results: The results.
        per_topic: Whether to include the scores of each topic.
        marks: Texts before and after means.
    """
    selected = results if per_topic else results.means()
    if len(results.user_models) > 1 and not per_topic:
        columns, rows = _columns_of_models(selected, marks)
        return Table(columns, rows, _legend(results, columns, by_model=True), is_limited=False)
    columns, rows = _columns_of_measures(selected, per_topic, marks)
    return Table(columns, rows, _legend(results, columns), is_limited=per_topic)


def _legend(results: Results, columns: Sequence[Column], by_model: bool = False) -> list[str]:
    """Return what the table of results shows, for a terminal."""
    topics = len(results.topics)
    number = f"{topics} topic{'s' * (topics != 1)}"
    sentences = [f"Means over {number}."] if topics else []
    if len(results.user_models) == 1:
        sentences.append(f"User model: {results.user_models[0]}.")
    if by_model:
        sentences.append("The number after each score is the rank of the run under the user model.")
    lower = [name for name in results.measures if MEASURES.order(name).lower_is_better]
    if lower:
        sentences.append(f"Lower is better: {', '.join(lower)}.")
    headings = {column.name for column in columns}
    others = [name for name in results.measures if name not in headings and _title(name)]
    if len(others) <= _MAX_DESCRIBED:
        sentences += [f"{name}: {_title(name)}." for name in others]
    return sentences


def _title(measure: str) -> str:
    """Return what a measure is; empty if it is not known here."""
    try:
        return MEASURES.parse(measure).definition.title
    except XcgError:
        return ""


def _marks(
    results: Results, mark: bool, against: str | None, bold: str, bold_end: str, dagger: str
) -> Marks:
    """Return the bold and dagger marks of the means."""
    marks: dict[tuple[str, str, str], tuple[str, str]] = {}
    means = list(results.means())
    for measure in results.measures:
        for model in results.user_models:
            printed = {
                row.run: round(row.value, 4)
                for row in means
                if (row.measure, row.user_model) == (measure, model)
                and row.run not in results.scope.references
            }
            if mark and printed:
                best = MEASURES.order(measure).best(printed.values())
                for run, value in printed.items():
                    if value == best:
                        marks[measure, model, run] = bold, bold_end
            if against is not None:
                for line in compare_runs(results, measure, model, against):
                    if line.p_adjusted < SIGNIFICANCE_LEVEL:
                        key = measure, model, line.run
                        before, after = marks.get(key, ("", ""))
                        marks[key] = before, after + dagger
    return marks


def _columns_of_measures(
    results: Results, per_topic: bool, marks: Marks
) -> tuple[list[Column], list[Row]]:
    """Return columns and rows: names, then one column per measure."""
    several_models = len(results.user_models) > 1
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in results:
        names = (
            *([row.user_model] if several_models else ()),
            row.run,
            *([row.topic] if per_topic else ()),
        )
        key = row.measure, row.user_model, row.run
        mark = marks.get(key, _NO_MARKS) if row.topic == MEAN else _NO_MARKS
        if per_topic and row.topic == MEAN:
            cells[names] = cells.pop(names, {})  # last, although a measure may lack topics
        cells.setdefault(names, {})[row.measure] = _marked(row.value, mark)
    measures = results.measures
    heading = ["user model"] * several_models + ["run"] + ["topic"] * per_topic + measures
    rows = [[*names, *(values.get(m, "") for m in measures)] for names, values in cells.items()]
    columns = [
        *(Column(name, is_key=True) for name in heading[: len(heading) - len(measures)]),
        *(Column(name, kind="score", meaning=_title(name)) for name in measures),
    ]
    return columns, rows


def _columns_of_models(results: Results, marks: Marks) -> tuple[list[Column], list[Row]]:
    """Return columns and rows: measure and run, then one column per user model.

    Each score is followed by the rank of the run under the model; runs with equal printed scores share
    a rank. Greedy references have a dash instead.
    """
    references = results.scope.references
    scores = {(row.measure, row.user_model, row.run): round(row.value, 4) for row in results}

    def cell(measure: str, model: str, run: str) -> str:
        own = measure, model, run
        if own not in scores:
            return ""
        score = _marked(scores[own], marks.get(own, _NO_MARKS))
        if run in references:
            return Markup(f"{score}    –")
        others = [
            scores[key]
            for other in results.runs
            if other not in references and (key := (measure, model, other)) in scores
        ]
        rank = MEASURES.order(measure).rank(scores[own], others)
        return Markup(f"{score} {rank:>3}.")

    rows = [
        [measure, run, *(cell(measure, model, run) for model in results.user_models)]
        for measure in results.measures
        for run in results.runs
    ]
    names = [Column(name, kind="text", is_key=True) for name in ("measure", "run")]
    return [*names, *(Column(model, kind="score") for model in results.user_models)], rows


def _marked(value: float, mark: tuple[str, str]) -> Markup:
    before, after = mark
    return Markup(f"{before}{value:.4f}{after}")
