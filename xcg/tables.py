"""Declare tables, and write them for terminals, papers and HTML.

Names from input files are escaped in each format, as in :mod:`xcg.table_formats`.

This module is below the models, which use it to show themselves in notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from xcg.errors import printable
from xcg.lazy_modules import html, json
from xcg.table_formats import TABLE_FORMATS, TEXT_WIDTH, cell_length, numeric_columns, text_table

Row = Sequence[str]
Record = Mapping[str, object]

_MAX_HTML_ROWS = 200
_PAGE_WIDTH, _PIPE_WIDTH = 88, 200
"""Characters in a row of a table on paper, and of one that a program or file receives."""
_HTML_SPACES = "\n\t\u00a0"


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
        if self.kind == "p":
            return p_text(value, self.decimals)
        if self.kind == "score" or (not self.kind and isinstance(value, float)):
            return f"{round(value, self.decimals) + 0.0:.{self.decimals}f}"  # not -0.0000
        return f"{value:g}" if isinstance(value, float) else str(value)


def p_text(p: float, decimals: int = 4) -> str:
    """Return a p value; one that would be rounded to 0 or 1 is a limit.

    >>> p_text(0.25), p_text(0.00001), p_text(0.99996), p_text(1.0)
    ('0.2500', '<0.0001', '>0.9999', '1')
    >>> f"p {p_equation(0.25)}, p {p_equation(0.00001)}"
    'p = 0.2500, p < 0.0001'
    """
    least = 10**-decimals
    if p < least:
        return f"<{least:.{decimals}f}"
    text = f"{p:.{decimals}f}"
    return text if float(text) < 1 else "1" if p >= 1 else f">{1 - least:.{decimals}f}"


def p_equation(p: float) -> str:
    """Return ``=``, ``<`` or ``>`` with a p value."""
    text = p_text(p)
    return f"{text[0]} {text[1:]}" if text[0] in "<>" else f"= {text}"


@dataclass(frozen=True)
class Table:
    """Values in declared columns.

    Attributes:
        columns: The columns.
        rows: The values of each row, in the order of the columns: numbers, texts or None.
        legend: Sentences for a terminal, such as the number of topics.
        is_limited: Whether a terminal shows only the first rows, unless all are wanted.
        title: A line above the heading. On paper, it begins the caption.

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
        """Arrange records as a table; one without a field of the first record has an empty cell.

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
            [[record.get(name) for name in names] for record in records],
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
        inferred = numeric_columns([self.heading, *cells])
        return [
            column.kind != "text" if column.kind else is_number
            for column, is_number in zip(self.columns, inferred, strict=True)
        ]

    def write(self, format: str, number: int = 1) -> str:
        """Write the table as ``table``, or as ``markdown`` or ``latex`` with a caption.

        A table that is too wide is divided: the parts have the key columns and some of the others. On
        paper, the caption has the title, the names that are the same in all rows, the legend and the
        meanings of columns.

        Args:
            format: The format.
            number: The number of the table, for its label.
        """
        if format == "table":
            parts = self._divided(_PIPE_WIDTH)
            return "\n".join(text_table(one.heading, one.cells(), one.numeric()) for one in parts)
        table, names = self._without_constants()
        names = [name for name in names if name.partition(": ")[2] not in self.title.split()]
        parts = table._divided(_PAGE_WIDTH)
        written = []
        for index, part in enumerate(parts, 1):
            caption = [*filter(None, [self.title]), *names, *self.legend]
            caption += [f"{c.heading or c.name}: {c.meaning}" for c in part.columns if c.meaning]
            caption += [f"Part {index} of {len(parts)}"] * (len(parts) > 1)
            values = [name.partition(": ")[2] for name in names]
            label = "-".join([self.title, *values, f"{number}", *[f"{index}"] * (len(parts) > 1)])
            text = " ".join(one if one.endswith(".") else f"{one}." for one in caption)
            content = part.heading, part.cells(), part.numeric()
            written.append(TABLE_FORMATS[format](*content, text, label))
        return "\n".join(written)

    def to_html(self) -> str:
        """Write an HTML table of at most 200 rows; all texts are escaped.

        >>> Table([Column("run")], [["<b>"]]).to_html()
        '<table><thead><tr><th>run</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
        """
        head = "".join(f"<th>{html_text(name)}</th>" for name in self.heading)
        styles = [' style="text-align:right"' * is_number for is_number in self.numeric()]
        body = ""
        for row in self.cells()[:_MAX_HTML_ROWS]:
            cells = (
                f"<td{style}>{html_text(cell)}</td>" for cell, style in zip(row, styles, strict=True)
            )
            body += f"<tr>{''.join(cells)}</tr>"
        if (more := len(self.rows) - _MAX_HTML_ROWS) > 0:
            body += f"<tr><td colspan={len(self.columns)}>and {more} more</td></tr>"
        title = f"<caption>{html_text(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _keys(self) -> list[int]:
        """Return the positions of the columns that name the rows."""
        return [i for i, column in enumerate(self.columns) if column.is_key] or [0]

    def _with_columns(self, positions: Sequence[int]) -> Table:
        rows = [[row[position] for position in positions] for row in self.rows]
        return replace(self, columns=[self.columns[position] for position in positions], rows=rows)

    def _without_constants(self) -> tuple[Table, list[str]]:
        """Return the table without the key columns with one value, and these with their values."""
        keys = self._keys()
        constant = [i for i in keys if self.rows and len({row[i] for row in self.rows}) == 1]
        constant = constant[: len(keys) - 1]
        names = [f"{self.heading[i]}: {self.cells()[0][i]}" for i in constant]
        return self._with_columns([i for i in range(len(self.columns)) if i not in constant]), names

    def _divided(self, width: int) -> list[Table]:
        """Return tables of at most this width, each with the key columns."""
        columns = zip(self.heading, *self.cells(), strict=True)
        widths = [2 + min(TEXT_WIDTH, max(map(cell_length, cells))) for cells in columns]
        keys = self._keys()
        room = max(width - sum(widths[key] for key in keys), 1)
        groups: list[list[int]] = [[]]
        for position in range(len(self.columns)):
            if position not in keys:
                if groups[-1] and sum(widths[i] for i in (*groups[-1], position)) > room:
                    groups.append([])
                groups[-1].append(position)
        return [self._with_columns(sorted([*keys, *group])) for group in groups]


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
    return printable(markup, "\n", lambda character: f"&#{ord(character)};")


def json_text(value: object, indent: int | None = None) -> str:
    r"""Return JSON in which characters that are not visible are escaped; programs read the same texts.

    >>> print(json_text({"run": "zero\u200bwidth é"}))
    {"run": "zero\u200bwidth é"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return printable(text, "\n", lambda character: json.dumps(character)[1:-1])
