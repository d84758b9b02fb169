"""Results as text: tables for people, JSON Lines, JSON and CSV at full precision for programs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from unicodedata import category, east_asian_width

from xcg.errors import XcgError, nearest
from xcg.judgements.recall_base import MEAN

if TYPE_CHECKING:
    from prettytable import PrettyTable

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
    if format in RECORDS:
        return RECORDS[format]([row._asdict() for row in chosen])
    marks = _marks(results, mark, against) if format in ("markdown", "latex") else {}
    text = TABLES[format](*_pivot(chosen, per_topic, marks))
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


def records(rows: Sequence[dict[str, object]], format: str) -> str:
    """Return rows of one shape as ``table``, ``jsonl``, ``csv`` or ``json``."""
    if format in RECORDS:
        return RECORDS[format](rows)
    heading = list(rows[0]) if rows else []
    return plain_table(heading, [[_cell(value) for value in row.values()] for row in rows])


def _cell(value: object) -> str:
    """Write a value for people: at most four decimals, and nothing for what there is not."""
    if isinstance(value, float):
        return f"{value:.0e}" if 0 < abs(value) < 5e-5 else str(round(value, 4))
    return "" if value is None else str(value)


def _jsonl(records: Iterable[dict[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _json(records: Iterable[dict[str, object]]) -> str:
    return json.dumps(list(records), ensure_ascii=False, indent=1) + "\n"


def _csv(records: Iterable[dict[str, object]]) -> str:
    import csv

    text = io.StringIO()
    rows = list(records)
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


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


def plain_table(heading: Row, rows: Iterable[Row]) -> str:
    """Return a table for a terminal: no rules, numbers to the right."""
    body = [list(row) for row in rows]
    columns = [list(column) for column in zip(heading, *body, strict=True)]
    widths = [max(map(_columns, column)) for column in columns]
    right = [index > 0 and _are_numbers(column[1:]) for index, column in enumerate(columns)]
    lines = []
    for row in (heading, *body):
        cells = []
        for cell, width, numbers in zip(row, widths, right, strict=True):
            space = " " * (width - _columns(cell))
            cells.append(space + cell if numbers else cell + space)
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1
        for c in text
    )


def markdown_table(heading: Row, rows: Iterable[Row]) -> str:
    """Return a Markdown table."""

    def escape(cell: str) -> str:
        return cell.replace("\\", "\\\\").replace("|", "\\|")

    table = _table([escape(c) for c in heading], ([escape(c) for c in row] for row in rows))
    from prettytable import TableStyle

    table.set_style(TableStyle.MARKDOWN)
    return table.get_string() + "\n"


def latex_table(heading: Row, rows: Iterable[Row]) -> str:
    """Return a LaTeX tabular."""
    marks = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
    marks.update({mark: "\\" + mark for mark in "&%$#_{}"})

    def escape(cell: str) -> str:
        return "".join(marks.get(character, character) for character in cell)

    table = _table([escape(c) for c in heading], ([escape(c) for c in row] for row in rows))
    return table.get_latex_string() + "\n"


def _table(heading: Row, rows: Iterable[Row]) -> PrettyTable:
    from prettytable import PrettyTable  # slow to import, and only some forms need it

    # Field names must differ, and a run may be called like another column.
    table = PrettyTable(header=True)
    body = [list(row) for row in rows]
    unique = [name + "\u200b" * list(heading[:i]).count(name) for i, name in enumerate(heading)]
    table.field_names = unique
    table.add_rows(body)
    for index, name in enumerate(unique):
        table.align[name] = "r" if index and _are_numbers([row[index] for row in body]) else "l"
    return table


def _are_numbers(cells: Sequence[str]) -> bool:
    """Say whether all cells of a column that are not empty begin with a number, and one is there."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_is_number(cell.rstrip(".").split()[0]) for cell in filled)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


TABLES: dict[str, Callable[[Row, list[Row]], str]] = {
    "table": plain_table,
    "markdown": markdown_table,
    "latex": latex_table,
}
RECORDS: dict[str, Callable[[Iterable[dict[str, object]]], str]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "json": _json,
}
FORMATS = ("table", "jsonl", "csv", "json", "markdown", "latex")
