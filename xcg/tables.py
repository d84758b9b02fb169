"""Write tables as plain text, Markdown, LaTeX and HTML, and records as CSV, JSON and JSON Lines.

Names come from input files, which may be hostile. Here they are escaped, in each format in its own way:
no name can add a row or markup, or reach a terminal as control characters.

This module is below the models, which use it to show themselves in notebooks.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from xcg.errors import XcgError, nearest, printable

Row = Sequence[str]
Record = Mapping[str, object]

_MAX_HTML_ROWS = 200
_LATEX_ESCAPES = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
# In the default encoding, LaTeX prints them as ¡, ¿ and a dash.
_LATEX_ESCAPES.update({"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"})
_LATEX_ESCAPES.update({mark: "\\" + mark for mark in "&%$#_{}"})
_MARKDOWN_ESCAPES = {"&": "&amp;", "<": "&lt;", **{mark: "\\" + mark for mark in "\\|`*_[]~^$"}}
_MARKDOWN_SPECIAL = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|[&<\\|`*\[\]~^$]")
"""Characters with a meaning in Markdown, HTML or TeX. An underscore inside of a word has none."""
_HTML_SPACES = "\n\t\u00a0"
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FORMULA_START = re.compile(r"(^|;)(?=\s*[=+\-@＝＋－＠])")
"""The positions at which spreadsheets detect a formula; some split lines of CSV at semicolons."""

CSV_WITHOUT_FORMULAS = "csv-without-formulas"
"""The format csv with ``'`` before texts that spreadsheets would read as formulas."""


class Html(str):
    """A table cell that is HTML already."""


class Markup(str):
    """A table cell that is Markdown or LaTeX already."""


@dataclass(frozen=True)
class Column:
    """The declaration of a column.

    Attributes:
        name: The field of the records.
        heading: The heading in tables for people; the name by default.
        kind: ``text``; ``score`` (a number with decimals); ``p`` (a p value, with ``<0.0001`` for
            smaller ones); ``count`` (a number as it is). Without a kind, the values decide: floats are
            scores, integers and texts that are numbers are counts.
        decimals: The number of decimals of scores and p values. None for scores that a user model
            states, such as .75: they are written as there.
        priority: On a terminal that is too narrow, the columns with the highest priority number are
            hidden first; of equal ones, the last.
        is_key: Whether the column names the row, and is never hidden. Without a key, the first column
            is the key.
        meaning: What the values are, for the legend; empty if the heading is sufficient.
        is_cut: Whether the end of a long text is cut on a narrow terminal, where others are wrapped.

    >>> Column("p", kind="p").text(0.00002), Column("size", kind="score", decimals=1).text(11.8889)
    ('<0.0001', '11.9')
    """

    name: str
    heading: str = ""
    kind: Literal["", "text", "score", "p", "count"] = ""
    decimals: int | None = 4
    priority: int = 0
    is_key: bool = False
    meaning: str = ""
    is_cut: bool = False

    def text(self, value: object) -> str:
        """Write a value for people; None is empty."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value  # Markup stays Markup
        if self.kind == "text" or isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        if self.decimals is None:
            return str(value)
        if self.kind == "p" and value < 10**-self.decimals:
            return f"<{10**-self.decimals:.{self.decimals}f}"
        if self.kind in ("score", "p") or (not self.kind and isinstance(value, float)):
            return f"{round(value, self.decimals) + 0.0:.{self.decimals}f}"  # not -0.0000
        return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Table:
    """Values in declared columns.

    Attributes:
        columns: The columns.
        rows: The values of each row, in the order of the columns: numbers, texts or None.
        legend: Sentences for a terminal, such as the number of topics.
        is_limited: Whether a terminal shows only the first rows, unless all are wanted.
        title: A line above the heading. Of several limited tables with titles, a terminal shows those
            with 40 rows together.

    >>> table = Table([Column("run"), Column("MAep")], [["bm25", 0.5], ["lm", 0.0]])
    >>> print(table.write("table"), end="")
    run     MAep
    bm25  0.5000
    lm    0.0000
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    legend: Sequence[str] = field(default=())
    is_limited: bool = True
    title: str = ""

    @classmethod
    def of_records(
        cls, records: Sequence[Record], columns: Iterable[Column] = (), legend: Sequence[str] = ()
    ) -> Table:
        """Arrange records that have the same fields as a table.

        Args:
            records: The records. The columns have the order of their fields.
            columns: Declarations of fields. Other fields have default columns; declarations of
                fields that the records do not have are ignored.
            legend: Sentences for a terminal.
        """
        declared = {column.name: column for column in columns}
        names = list(records[0]) if records else []
        return cls(
            [declared.get(name, Column(name)) for name in names],
            [list(record.values()) for record in records],
            legend,
        )

    @property
    def heading(self) -> list[str]:
        """The headings of the columns."""
        return [column.heading or column.name for column in self.columns]

    def cells(self) -> list[list[str]]:
        """Return the rows as texts; the numbers of a column have the same decimals."""
        columns = []
        for column, values in zip(self.columns, zip(*self.rows, strict=True), strict=False):
            has_scores = not column.kind and any(isinstance(value, float) for value in values)
            written = replace(column, kind="score") if has_scores else column
            columns.append([written.text(value) for value in values])
        return [list(row) for row in zip(*columns, strict=True)]

    def numeric(self) -> list[bool]:
        """Return which columns are numbers, and so aligned to the right."""
        cells = self.cells()
        inferred = _numeric_columns([self.heading, *cells])
        return [
            column.kind != "text" if column.kind else is_number
            for column, is_number in zip(self.columns, inferred, strict=True)
        ]

    def write(self, format: str) -> str:
        """Write the table as ``table`` (of any width), ``markdown`` or ``latex``."""
        return TABLE_FORMATS[format](self.heading, self.cells(), self.numeric())


def text_table(heading: Row, rows: Iterable[Row], numeric: Sequence[bool] | None = None) -> str:
    """Write a table of any width, without rules; numbers are aligned to the right.

    Columns are separated by two spaces. Cells are never wrapped or interpreted as markup, and
    their characters that are not visible are escaped. :mod:`xcg.terminal_tables` fits tables to
    terminals.

    Args:
        heading: The headings.
        rows: The texts of the cells.
        numeric: Which columns are aligned to the right; by default, those of numbers.

    >>> print(text_table(["run", "MAep"], [["bm25", "0.5"], ["lm", "0.25"]]), end="")
    run   MAep
    bm25   0.5
    lm    0.25
    """
    body = [list(map(printable, row)) for row in (heading, *rows)]
    return "".join("  ".join(row).rstrip() + "\n" for row in _aligned(body, numeric)) or "\n"


def _aligned(body: Sequence[Row], numeric: Sequence[bool] | None) -> list[tuple[str, ...]]:
    """Return rows whose cells fill their columns."""
    columns = []
    for cells, is_number in zip(
        zip(*body, strict=True), numeric or _numeric_columns(body), strict=True
    ):
        lengths = list(map(cell_length, cells))
        blanks = [" " * (max(lengths) - length) for length in lengths]
        pairs = zip(cells, blanks, strict=True)
        columns.append([blank + cell if is_number else cell + blank for cell, blank in pairs])
    return list(zip(*columns, strict=True))


def markdown_table(heading: Row, rows: Iterable[Row], numeric: Sequence[bool] | None = None) -> str:
    r"""Write a Markdown table; characters with a meaning in Markdown or HTML are escaped in cells.

    >>> print(markdown_table(["run", "MAep"], [["a|b", "0.5"]]), end="")
    | run  | MAep |
    | :----|----: |
    | a\|b |  0.5 |
    """
    body = [list(map(markdown_text, row)) for row in (heading, *rows)]
    numeric = numeric or _numeric_columns(body)
    first, *others = [[f" {cell} " for cell in row] for row in _aligned(body, numeric)]
    widths = [cell_length(cell) - 2 for cell in first]
    rule = [
        f"{'-' * width}: " if is_number else f" :{'-' * width}"
        for width, is_number in zip(widths, numeric, strict=True)
    ]
    return "".join(f"|{'|'.join(row)}|\n" for row in (first, rule, *others))


def markdown_text(text: str) -> Markup:
    r"""Return a text as Markdown in one line; :class:`Markup` stays as it is.

    >>> markdown_text("a_b *c* _d")
    'a_b \\*c\\* \\_d'
    """
    if isinstance(text, Markup):
        return text
    return Markup(_MARKDOWN_SPECIAL.sub(lambda found: _MARKDOWN_ESCAPES[found[0]], printable(text)))


def latex_table(heading: Row, rows: Iterable[Row], numeric: Sequence[bool] | None = None) -> str:
    r"""Write a LaTeX ``tabular`` with the rules of booktabs; special characters in cells are escaped.

    >>> print(latex_table(["run", "MAep"], [["a_b", "0.5"]]), end="")
    % \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    run & MAep \\
    \midrule
    a\_b & 0.5 \\
    \bottomrule
    \end{tabular}
    """
    body = [list(map(_latex_cell, row)) for row in (heading, *rows)]
    alignment = "".join("r" if is_numeric else "l" for is_numeric in numeric or _numeric_columns(body))
    # LaTeX would read [ or * at the start of a row as an argument of the \\ before it.
    first, *others = ("{}" * row[0].startswith(("[", "*")) + " & ".join(row) + r" \\" for row in body)
    begin = [r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    lines = [*begin, first, r"\midrule", *others, r"\bottomrule", r"\end{tabular}", ""]
    return "\n".join(lines)


def _latex_cell(cell: str) -> str:
    if isinstance(cell, Markup):
        return cell
    return "".join(_LATEX_ESCAPES.get(character, character) for character in printable(cell))


def cell_length(text: str) -> int:
    """Return the number of columns in which a terminal shows a text."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def html_table(
    heading: Row,
    rows: Iterable[Sequence[object]],
    caption: str = "",
    numeric: Sequence[bool] | None = None,
) -> str:
    """Write an HTML table of at most 200 rows.

    Args:
        heading: Names of the columns.
        rows: Cells: text, numbers (aligned to the right, floats with four decimals), None for an
            empty cell, or :class:`Html`. Everything except Html is escaped.
        caption: Caption of the table.
        numeric: Whether each column has texts that are numbers.

    >>> html_table(["run"], [["<b>"]])
    '<table><thead><tr><th>run</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{html_text(name)}</th>" for name in heading)
    all_rows = list(rows)
    numbers = numeric or [False] * len(heading)
    body = "".join(
        f"<tr>{''.join(map(_html_cell, row, numbers))}</tr>" for row in all_rows[:_MAX_HTML_ROWS]
    )
    if len(all_rows) > _MAX_HTML_ROWS:
        body += f"<tr><td colspan={len(heading)}>and {len(all_rows) - _MAX_HTML_ROWS} more</td></tr>"
    title = f"<caption>{html_text(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: object, is_number: bool) -> str:
    if isinstance(value, Html):
        return f'<td style="text-align:left">{value}</td>'
    text = f"{value:.4f}" if isinstance(value, float) else "" if value is None else html_text(value)
    style = ' style="text-align:right"' if is_number or isinstance(value, (int, float)) else ""
    return f"<td{style}>{text}</td>"


def html_text(text: object) -> str:
    r"""Return a text as HTML; line breaks and spaces of all kinds remain, as HTML ignores them.

    >>> html_text("<b>\x1b")
    '&lt;b&gt;\\x1b'
    """
    return html.escape(printable(text, keep=_HTML_SPACES))


def with_references(markup: str) -> str:
    r"""Return XML or HTML in which characters that are not visible are character references.

    >>> with_references("<a>zero\u200bwidth</a>")
    '<a>zero&#8203;width</a>'
    """
    if markup.replace("\n", "").isprintable():
        return markup
    return "".join(c if c.isprintable() or c == "\n" else f"&#{ord(c)};" for c in markup)


def records(rows: Sequence[Record], format: str, columns: Iterable[Column] = ()) -> str:
    """Write records that have the same fields.

    Args:
        rows: The records.
        format: ``table``, ``markdown`` or ``latex`` (for people); ``jsonl``, ``csv`` or ``json`` (at
            full double precision); :data:`CSV_WITHOUT_FORMULAS` for spreadsheets.
        columns: Declarations of fields, for tables for people.

    Raises:
        XcgError: If the format is unknown.
    """
    if not rows and format != "json":
        return ""
    if format in RECORD_FORMATS:
        return RECORD_FORMATS[format](rows)
    if format not in TABLE_FORMATS:
        raise XcgError(
            f"unknown format {format!r}: {nearest(format, [*TABLE_FORMATS, *RECORD_FORMATS])}"
        )
    return Table.of_records(rows, columns).write(format)


def _json_lines(rows: Iterable[Record]) -> str:
    return "".join(json_text(row) + "\n" for row in rows)


def _json(rows: Iterable[Record]) -> str:
    return json_text(list(rows), indent=1) + "\n"


def json_text(value: object, indent: int | None = None) -> str:
    r"""Return JSON in which characters that are not visible are escaped; programs read the same texts.

    >>> print(json_text({"run": "zero\u200bwidth é"}))
    {"run": "zero\u200bwidth é"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _csv(rows: Sequence[Record], cell: Callable[[str], str] = printable) -> str:
    """Write records as CSV, with a function that escapes texts."""

    def written(value: object) -> object:
        return cell(value) if isinstance(value, str) else value

    text = io.StringIO()
    names = list(rows[0]) if rows else []
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writerow({name: written(name) for name in names})
    writer.writerows({name: written(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _csv_without_formulas(rows: Sequence[Record]) -> str:
    return _csv(rows, _cell_without_formulas)


def _cell_without_formulas(text: str) -> str:
    r"""Escape a text for a spreadsheet.

    >>> _cell_without_formulas("=1+1"), _cell_without_formulas("a;=b"), _cell_without_formulas("-1.5")
    ("'=1+1", "a;'=b", '-1.5')
    """
    text = printable(text)
    return text if _PLAIN_NUMBER.fullmatch(text) else _FORMULA_START.sub(r"\1'", text)


def _numeric_columns(body: Sequence[Row]) -> list[bool]:
    """Return which columns hold numbers; the first row is the heading, the first column has names."""
    columns = zip(*body, strict=True)
    return [index > 0 and _is_numeric(column[1:]) for index, column in enumerate(columns)]


def _is_numeric(cells: Sequence[str]) -> bool:
    """Return whether every non-empty cell begins with a number, and at least one is not empty."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_is_number((cell.rstrip(".").split() or [""])[0]) for cell in filled)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


TABLE_FORMATS: dict[str, Callable[..., str]] = {
    "table": text_table,
    "markdown": markdown_table,
    "latex": latex_table,
}
"""Name → function that writes a table of text cells."""

RECORD_FORMATS: dict[str, Callable[[Sequence[Record]], str]] = {
    "jsonl": _json_lines,
    "csv": _csv,
    CSV_WITHOUT_FORMULAS: _csv_without_formulas,
    "json": _json,
}
"""Name → function that writes records at full precision."""
