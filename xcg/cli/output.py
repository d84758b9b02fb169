"""Print the results of commands or write them to files, and show progress."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from xcg.cli.messages import print_status
from xcg.cli.unused_options import refuse_unused
from xcg.documents.writing import whole_file
from xcg.report.columns import NAMES
from xcg.report.figures import check_format, save
from xcg.tables import CSV_WITHOUT_FORMULAS, TABLE_FORMATS, Column, Record, Table, records
from xcg.terminal_tables import MAX_ROWS, PIPE, Block, Terminal, sentence, terminal_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

C = TypeVar("C", bound=Callable[..., Any])
RECORDS = ("table", "jsonl", "csv", "json")
"""The formats of records."""
TABLES = (*RECORDS, "markdown", "latex")
"""The formats of records, and of tables for publications."""
FILE = click.Path(path_type=Path, dir_okay=False)
STANDARD_OUTPUT = Path("-")
"""The name of standard output; a file with this name needs its absolute path."""

_PROGRESS_DELAY = 1.0
"""Seconds before the progress bar appears."""


class Printed(NamedTuple):
    """What a command prints.

    Attributes:
        content: Text, or records that --format decides how to write.
        notes: Lines for standard error.
        figure: Draws the result for --plot.
        status: Returns the exit status; called after everything is printed.
        heading: Sentences about the records. They are printed above a table, or to standard error for
            other formats.
        footer: Sentences with details about the records. They are printed below a table, or to standard
            error for other formats.
        table: What --format table prints instead of the records: tables, and texts of complete lines.
        terminal_table: What a terminal shows instead of this, if that is too much.
        publication: The table that --format markdown and latex print instead of the records.
        markdown: What --format markdown prints instead of the records.
        columns: Declarations of the fields of records, for tables for people.
        legend: Sentences that a terminal shows below a table of records, such as the number of topics.
    """

    content: str | Sequence[Record]
    notes: Sequence[str] = ()
    figure: Callable[[], Figure] | None = None
    status: Callable[[], int] = int
    heading: Sequence[str] = ()
    footer: Sequence[str] = ()
    table: Sequence[Block] | None = None
    terminal_table: Sequence[Block] | None = None
    publication: Table | None = None
    markdown: str | None = None
    columns: Sequence[Column] = ()
    legend: Sequence[str] = ()

    def written(self, format: str, terminal: Terminal, all_rows: bool) -> str:
        """Return the content in a format, with the heading if that is a table.

        Args:
            format: A value of --format, or "" for a command that returns text.
            terminal: The properties of the output.
            all_rows: Whether a terminal shows all rows of long tables.
        """
        if format == "markdown" and self.markdown:
            return self.markdown
        if format not in ("", "table"):
            if isinstance(self.content, str):
                return self.content
            if self.publication is not None and format in TABLE_FORMATS:
                return self.publication.write(format)
            return records(self.content, format, self.columns)
        text = terminal_text(self._blocks(terminal), terminal, all_rows)
        if not format:
            return text
        above, below = (
            "".join(sentence(one, terminal) for one in sentences)
            for sentences in (self.heading, self.footer)
        )
        is_divided = self.footer or self.terminal_table is not None
        parts = (above, text, below) if is_divided else (above + text,)
        return "\n".join(part for part in parts if part)

    def _blocks(self, terminal: Terminal) -> Sequence[Block]:
        if self.terminal_table is not None and terminal.width is not None:
            return self.terminal_table
        if self.table is not None:
            return self.table
        if isinstance(self.content, str):
            return [self.content]
        return [Table.of_records(self.content, (*NAMES, *self.columns), self.legend)]


def prints(
    *formats: str, plot: bool = False, has_tables: bool = False
) -> Callable[[Callable[..., Printed]], Callable[..., None]]:
    """Add --output to a command, and print what the command returns.

    The output file is opened before the command runs, so no work is lost if it cannot be written.

    Args:
        formats: The values of --format for a command that returns records. The first is the default.
        plot: Whether the command has --plot.
        has_tables: Whether the command returns tables, although it has its own --format or none.
    """
    options = [output_option]
    has_tables |= "table" in formats
    if has_tables:
        options.append(_all_option)
    if formats:
        options.append(format_option(*formats, name="records_format"))
    if plot:
        options.append(_plot_option)

    def decorate(command: Callable[..., Printed]) -> Callable[..., None]:
        @functools.wraps(command)
        def call(
            *arguments: Any,
            output: Path | None,
            records_format: str = "",
            plot: Path | None = None,
            **values: Any,
        ) -> None:
            all_rows = has_tables and values.pop("all_rows")
            shown_format = records_format or values.get("format_") or "table"
            refuse_unused(has_tables and shown_format != "table", "without --format table", "--all")
            is_stdout = output is None or output == STANDARD_OUTPUT
            terminal = Terminal.of(sys.stdout) if is_stdout else PIPE
            with open_output(output) as write:
                printed = command(*arguments, **values)
                text = printed.written(records_format, terminal, all_rows)
                if plot is not None and printed.figure is not None:
                    save(printed.figure(), plot)  # before the text, so that an error leaves no output
                write(text)
            sentences = (*printed.heading, *printed.footer) if records_format != "table" else ()
            for note in (*sentences, *printed.notes):
                print_status(note)
            if status := printed.status():
                sys.exit(status)

        return functools.reduce(lambda function, option: option(function), options, call)

    return decorate


def format_option(
    *formats: str, name: str = "format_", has_default: bool = True, help: str = "Print this format."
) -> Callable[[C], C]:
    """Add --format, and --escape-formulas if csv is one of the formats.

    The command receives the format, or :data:`xcg.tables.CSV_WITHOUT_FORMULAS` with --escape-formulas.

    Args:
        formats: The values of --format.
        name: The command's parameter.
        has_default: Whether the first format is the default. Otherwise the default is None.
        help: The help of --format.
    """
    default = formats[0] if has_default else None
    option = click.option("--format", name, type=click.Choice(formats), default=default, help=help)
    if "csv" not in formats:
        return option

    def decorate(command: C) -> C:
        @functools.wraps(command)
        def call(*arguments: Any, escape_formulas: bool, **values: Any) -> Any:
            if escape_formulas:
                refuse_unused(values[name] != "csv", "without --format csv", "--escape-formulas")
                values[name] = CSV_WITHOUT_FORMULAS
            return command(*arguments, **values)

        return option(_escape_formulas_option(cast(C, call)))

    return decorate


_all_option = click.option(
    "--all",
    "all_rows",
    is_flag=True,
    help=f"On a terminal, print all rows of long tables, not only {MAX_ROWS}.",
)
_escape_formulas_option = click.option(
    "--escape-formulas",
    is_flag=True,
    help="With --format csv, write ' before names that spreadsheets would read as formulas.",
)


def _check_plot(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse an unknown file format before anything is computed."""
    if path is not None:
        check_format(path)
    return path


_plot_option = click.option(
    "--plot",
    type=FILE,
    callback=_check_plot,
    help="Draw the result into this file: .png, .svg or .pdf.",
)
output_option = click.option(
    "--output", type=FILE, help="Write to this file instead of standard output, which is -."
)


@contextmanager
def open_output(path: Path | None) -> Iterator[Callable[[str], None]]:
    """Yield a function that writes text to standard output, or to a file.

    The file is replaced when the block ends; it stays as it was if the block fails.

    Args:
        path: The file; None or ``-`` for standard output.

    Raises:
        InputError: If the file cannot be written.
    """
    if path is None or path == STANDARD_OUTPUT:
        color = True if Terminal.of(sys.stdout).has_styles else None
        yield lambda text: click.echo(text, nl=False, color=color)
        return
    with whole_file(path) as file:

        def write(text: str) -> None:
            file.write(text.encode())

        yield write


@contextmanager
def progress_bar(label: str = "topics") -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that shows progress on standard error, or None if that is not a terminal.

    The function takes the number of completed steps and the number of all steps. The bar appears after
    one second, so short commands show none. It states the remaining time, and disappears at the end.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bar: Any = None
        start = time.monotonic()

        def advance(done: int, total: int) -> None:
            nonlocal bar
            if bar is None and done < total and time.monotonic() - start > _PROGRESS_DELAY:
                bar = stack.enter_context(_new_bar())
                bar.add_task(label, total=total)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, total=total)

        yield advance


def _new_bar() -> Any:
    """Return a bar of rich that is removed when it ends."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
