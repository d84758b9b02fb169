"""Results as text: tables for people, JSON Lines, JSON and CSV at full precision for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xcg.errors import XcgError, nearest
from xcg.judgements.recall_base import MEAN
from xcg.tables import RECORD_FORMATS, TABLE_FORMATS

if TYPE_CHECKING:
    from xcg.evaluation.results import Results

Row = list[str]
_WIDE = 100  # characters; a table that is wider is turned on its side where that is narrower


def render(
    results: Results,
    format: str = "table",
    per_topic: bool = False,
    mark: bool = False,
    against: str | None = None,
) -> str:
    """Return results as text; XcgError for an unknown format.

    ``table``, ``markdown`` and ``latex`` have a row a run and a column a measure, or the other way
    round where that fits better, with four decimals. ``jsonl``, ``json`` and ``csv`` have a line a
    figure at full double precision. Without ``per_topic`` they hold the means over topics. ``mark`` and
    ``against`` are for Markdown and LaTeX, see :meth:`Results.to_text`.
    """
    if format not in FORMATS:
        raise XcgError(f"unknown format {format!r}: {nearest(format, FORMATS)}")
    chosen = results if per_topic else results.means()
    if format in RECORD_FORMATS:
        return RECORD_FORMATS[format]([row._asdict() for row in chosen])
    marks = _marks(results, mark, against) if format in ("markdown", "latex") else {}
    text = TABLE_FORMATS[format](*_pivot(chosen, per_topic, marks))
    bold, end, dagger = ("**", "**", "†") if format == "markdown" else (r"\textbf{", "}", r"$^\dagger$")
    return text.replace(_BOLD, bold).replace(_END, end).replace(_DAGGER, dagger)


_BOLD, _END, _DAGGER = "\ue000", "\ue001", "\ue002"  # stand for marks while cells are escaped
Marks = dict[tuple[str, str, str], str]


def _marks(results: Results, mark: bool, against: str | None) -> Marks:
    """Return (measure, user model, run) → a template for the mean's cell."""
    from xcg.measures import MEASURES

    found: Marks = {}
    every = list(results.means())
    for measure in results.measures:
        for model in results.user_models:
            if mark and not MEASURES.order(measure).lower_is_better:
                means = [r for r in every if (r.measure, r.user_model) == (measure, model)]
                best = max((round(r.value, 4) for r in means), default=0.0)
                found.update(
                    {
                        (measure, model, r.run): f"{_BOLD}{{}}{_END}"
                        for r in means
                        if round(r.value, 4) == best
                    }
                )
            if against is not None:
                from xcg.statistics.significance import compare

                for line in compare(results, measure, model, against):
                    if line.p_adjusted < 0.05:
                        key = measure, model, line.run
                        found[key] = found.get(key, "{}") + _DAGGER
    return found


def _pivot(results: Results, per_topic: bool, marks: Marks) -> tuple[Row, list[Row]]:
    """Return the heading and the rows of a table; names first, then a column a measure."""
    if len(results.user_models) > 1 and not per_topic:
        return _side_by_side(results, marks)
    several = len(results.user_models) > 1
    columns = results.measures
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in results:
        names = [row.run]
        if several:
            names.insert(0, row.user_model)
        if per_topic:
            names.append(row.topic)
        template = marks.get((row.measure, row.user_model, row.run), "{}")
        template = template if row.topic == MEAN else "{}"
        cells.setdefault(tuple(names), {})[row.measure] = template.format(f"{row.value:.4f}")
    heading = ["user model"] * several + ["run"] + ["topic"] * per_topic
    rows = [[*names, *(values.get(c, "") for c in columns)] for names, values in cells.items()]
    if per_topic:
        return [*heading, *columns], rows
    flipped = [list(column) for column in zip([*heading, *columns], *rows, strict=True)]
    flipped[0][0] = "measure"
    upright_width = sum(max(map(len, column)) + 2 for column in flipped)
    if upright_width > _WIDE and _width(flipped) < upright_width:
        return flipped[0], list(flipped[1:])
    return [*heading, *columns], rows


def _side_by_side(results: Results, marks: Marks) -> tuple[Row, list[Row]]:
    """Return a row a measure and run and a column a user model, each value with its place.

    The place is that of the run among all runs under that model, runs of equal value (to the
    printed digits) sharing one: it is what the choice of the model moves.
    """
    cells = {(row.measure, row.user_model, row.run): round(row.value, 4) for row in results}
    rows = []
    for measure in results.measures:
        for run in results.runs:
            row = [measure, run]
            for model in results.user_models:
                value = cells.get((measure, model, run))
                if value is None:
                    row.append("")
                    continue
                others = (cells.get((measure, model, other), value) for other in results.runs)
                place = 1 + sum(1 for other in others if other > value)
                template = marks.get((measure, model, run), "{}")
                row.append(f"{template.format(f'{value:.4f}')} {place:>3}.")
            rows.append(row)
    return ["measure", "run", *results.user_models], rows


def _width(rows: list[list[str]]) -> int:
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True))


FORMATS = ("table", "jsonl", "csv", "json", "markdown", "latex")
