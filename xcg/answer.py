"""The answer to a question about a campaign: rows, and all the ways to show them."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from xcg.documents.files import whole_file
from xcg.errors import InputError, XcgError, missing_extra, nearest, printable
from xcg.lazy_modules import csv
from xcg.settings.schema import PLOT_WIDTHS
from xcg.table_formats import TABLE_FORMATS
from xcg.tables import Column, Record, Table, html_text, json_text
from xcg.terminal_tables import PIPE, Block, Terminal, sentence, terminal_text

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

NAMES = (
    *(
        Column(name, kind="text", is_key=True)
        for name in ("measure", "user_model", "user model", "run")
    ),
    Column("topic", is_key=True),
)
"""The columns that name what a row is about."""
FORMATS = ("table", "jsonl", "csv", "json", "markdown", "latex")
"""The formats of all answers; the last two are for publications."""

_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FORMULA_START = re.compile(r"(^|;)(?=\s*[=+\-@＝＋－＠])")
"""The positions at which spreadsheets detect a formula; some split lines of CSV at semicolons."""

CSV_WITHOUT_FORMULAS = "csv-without-formulas"
"""The format csv with ``'`` before texts that spreadsheets would read as formulas."""

PLOT_FORMATS = (".png", ".svg", ".pdf")
_PLOT_STYLE = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "grid.alpha": 0.3,
    "legend.fontsize": 8,
    "legend.title_fontsize": 8,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text, which readers can search and edit
    "pdf.fonttype": 42,
    "svg.hashsalt": "xcg",  # the same data give the same file
}


_PAPER_STYLE = {
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize"), 8),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 7),
}
FIGURE_WIDTH: ContextVar[float | None] = ContextVar("width of figures in inches", default=None)
"""The width that the user wants; None for a figure that fits its content."""


@dataclass
class Layout:
    """How an answer is shown to people.

    Attributes:
        heading: Sentences above the tables.
        footer: Sentences with details below the tables.
        tables: The tables, and texts of complete lines; by default, one table of the records.
        publication: Makes the tables that markdown and latex print instead of these tables.
        texts: Format → function that writes the whole answer in it.
        columns: Declarations of the fields of the records.
        legend: Sentences that a terminal shows below the table of the records.
    """

    heading: Sequence[str] = ()
    footer: Sequence[str] = ()
    tables: Sequence[Block] | None = None
    publication: Callable[[], Sequence[Table]] | None = None
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    columns: Sequence[Column] = ()
    legend: Sequence[str] = ()


class Answer(Sequence[T], Generic[T]):
    """What a method of :class:`xcg.Campaign` returns: a sequence of rows.

    Args:
        rows: Objects with named values, such as comparisons.
        notes: Warnings, and remarks that are easily overlooked.
        to_records: Makes the records of the rows, by default from the fields of named tuples.
        layout: Makes what people see.
        figure: Draws the answer, if there is a plot.
        status: The exit status of the command.

    Attributes:
        notes: Warnings and remarks.
        status: 0; the exit status of the command if a gate fails or there are errors.
    """

    def __init__(
        self,
        rows: Sequence[T],
        notes: Sequence[str] = (),
        *,
        to_records: Callable[[], Sequence[Record]] | None = None,
        layout: Callable[[], Layout] = Layout,
        figure: Callable[[], Figure] | None = None,
        status: int = 0,
    ) -> None:
        self._items = rows
        self.notes = list(notes)
        self.get_settings: Callable[[], Mapping[str, object]] = dict
        self.status = status
        self._to_records = to_records
        self._make_layout = layout
        self._layout: Layout | None = None
        self._figure = figure

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        """Return a row, or some rows."""
        return self._items[index]

    def __iter__(self) -> Iterator[T]:
        """Yield the rows."""
        return iter(self._items)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._items)

    @property
    def settings(self) -> Mapping[str, object]:
        """The record of the method, with settings, version of xcg and SHA-256 of the input files."""
        return self.get_settings()

    @property
    def layout(self) -> Layout:
        """What people see; made on first use."""
        if self._layout is None:
            self._layout = self._make_layout()
        return self._layout

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts with the same fields, at full precision."""
        if self._to_records is not None:
            return [dict(record) for record in self._to_records()]
        rows: Any = self._items
        return [dict(row if isinstance(row, Mapping) else row._asdict()) for row in rows]

    def tables(self) -> list[Table]:
        """Return the tables that the command prints."""
        return [block for block in self.blocks() if isinstance(block, Table)]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the records as a pandas DataFrame (needs the extra ``xcg[pandas]``)."""
        return data_frame(self.records())

    def plot(self, path: str | Path, width: str | float | None = None) -> None:
        """Draw the answer into a file: .png, .svg or .pdf (needs the extra ``xcg[plots]``).

        Args:
            path: The file.
            width: ``column`` or ``page`` of a paper, or centimetres; by default what the content needs.

        Raises:
            XcgError: If this answer has no plot, or the format of the file is unknown.
        """
        with open_plot(Path(path)) as draw:
            draw(self, width)

    def figure(self, width: str | float | None = None) -> Figure:
        """Return the plot of :meth:`plot` as a figure of matplotlib."""
        centimetres = PLOT_WIDTHS[width] if isinstance(width, str) else width
        if self._figure is None:
            raise XcgError("there is no plot of this answer: print a table")
        token = FIGURE_WIDTH.set(None if centimetres is None else centimetres / 2.54)
        try:
            return self._figure()
        finally:
            FIGURE_WIDTH.reset(token)

    @property
    def has_plot(self) -> bool:
        """Whether :meth:`plot` draws something."""
        return self._figure is not None

    def to_text(self, format: str = "table", terminal: Terminal = PIPE, all_rows: bool = True) -> str:
        """Write the answer as the command prints it.

        Args:
            format: ``table``, ``jsonl``, ``csv``, ``json``; and for some answers ``markdown``,
                ``latex``, ``trec_eval`` or ``bibtex``.
            terminal: The properties of the output, for tables.
            all_rows: Whether a terminal shows all rows of long tables.

        Raises:
            XcgError: If the answer has no such format.
        """
        layout = self.layout
        if format in layout.texts:
            return layout.texts[format]()
        if format == "json":
            content = {"records": self.records(), "settings": self.settings, "notes": self.notes}
            return json_text(content, indent=1) + "\n"
        if format in RECORD_FORMATS:
            return RECORD_FORMATS[format](self.records())
        if format not in TABLE_FORMATS:
            raise XcgError(f"unknown format {format!r}: {nearest(format, FORMATS)}")
        if format != "table":
            if layout.publication is not None:
                tables = layout.publication()
            else:
                every = self.tables() or [self.table()]
                tables = [replace(one, legend=[*layout.heading, *one.legend]) for one in every]
            shown = [table for table in tables if table.columns]
            return "\n".join(table.write(format, number) for number, table in enumerate(shown, 1))
        text = terminal_text(self.blocks(), terminal, all_rows)
        above, below = (
            "".join(sentence(one, terminal) for one in sentences)
            for sentences in (layout.heading, layout.footer)
        )
        parts = (above, text, below) if layout.footer else (above + text,)
        return "\n".join(part for part in parts if part)

    def blocks(self) -> Sequence[Block]:
        """Return the tables, and the texts between them."""
        return [self.table()] if self.layout.tables is None else self.layout.tables

    def table(self) -> Table:
        """Return the rows as one table."""
        layout = self.layout
        return Table.of_records(self.records(), (*NAMES, *layout.columns), layout.legend)

    def _repr_html_(self) -> str:
        """Return tables, texts and notes for a notebook."""
        layout = self.layout
        shown = "".join(f"<p>{html_text(one)}</p>" for one in layout.heading)
        for block in self.blocks():
            if isinstance(block, Table):
                shown += block.to_html()
            elif block.strip():
                shown += f'<p style="white-space: pre-wrap">{html_text(block.strip())}</p>'
        notes = "".join(f"<li>{html_text(note)}</li>" for note in (*layout.footer, *self.notes))
        return shown + (f"<ul>{notes}</ul>" if notes else "")

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")


def _csv(rows: Sequence[Record], cell: Callable[[str], str] = printable) -> str:
    """Write records as CSV, with a function that escapes texts."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    for row in ({name: name for name in rows[0]}, *rows):
        writer.writerow({key: cell(one) if isinstance(one, str) else one for key, one in row.items()})
    return text.getvalue()


def _cell_without_formulas(text: str) -> str:
    r"""Escape a text for a spreadsheet.

    >>> _cell_without_formulas("=1+1"), _cell_without_formulas("a;=b"), _cell_without_formulas("-1.5")
    ("'=1+1", "a;'=b", '-1.5')
    """
    text = printable(text)
    return text if _PLAIN_NUMBER.fullmatch(text) else _FORMULA_START.sub(r"\1'", text)


RECORD_FORMATS: dict[str, Callable[[Sequence[Record]], str]] = {
    "jsonl": lambda rows: "".join(json_text(row) + "\n" for row in rows),
    "csv": _csv,
    CSV_WITHOUT_FORMULAS: lambda rows: _csv(rows, _cell_without_formulas),
}
"""Name → function that writes records with the same fields, at full double precision."""


def data_frame(rows: Sequence[Any], columns: Sequence[str] | None = None) -> pandas.DataFrame:
    """Return rows as a pandas DataFrame; XcgError without the extra ``xcg[pandas]``."""
    try:
        import pandas
    except ImportError:
        raise missing_extra("to_pandas", "pandas", "pandas") from None
    return pandas.DataFrame(rows, columns=None if columns is None else list(columns))


def in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that draws, so that every plot has the same style.

    The style does not depend on settings of matplotlib in files of the user.
    """

    @functools.wraps(draw)
    def call(*arguments: P.args, **values: P.kwargs) -> T:
        from matplotlib import style

        paper = {} if FIGURE_WIDTH.get() is None else _PAPER_STYLE
        with style.context(["default", _PLOT_STYLE, paper]):
            return draw(*arguments, **values)

    return call


@contextmanager
def open_plot(path: Path) -> Iterator[Callable[[Answer[Any], str | float | None], str]]:
    """Open a file, and yield a function that draws an answer of a width, and returns the caption.

    Raises:
        InputError: If the ending is not .png, .svg or .pdf, or the file cannot be written.
    """
    ending = path.suffix[1:].lower()
    if f".{ending}" not in PLOT_FORMATS:
        raise InputError(path, f"unknown kind of plot: {nearest(path.suffix, PLOT_FORMATS)}")
    # Without a date, the same data give the same file.
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    with whole_file(path) as file:

        @in_style
        def draw(answer: Answer[Any], width: str | float | None) -> str:
            figure = answer.figure(width)
            figure.savefig(file, format=ending, metadata=metadata)
            return str(figure.get_label())

        yield draw
