"""Print the results of commands or write them to files, and show progress."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from xcg.cli.messages import print_status
from xcg.cli.unused_options import refuse_unused
from xcg.documents.writing import whole_file
from xcg.errors import printable
from xcg.report.figures import check_format, save
from xcg.tables import CSV_WITHOUT_FORMULAS, Record, records

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
        table: What --format table prints instead of the records.
        markdown: What --format markdown prints instead of the records.
    """

    content: str | Sequence[Record]
    notes: Sequence[str] = ()
    figure: Callable[[], Figure] | None = None
    status: Callable[[], int] = int
    heading: Sequence[str] = ()
    table: str | None = None
    markdown: str | None = None


def prints(
    *formats: str, plot: bool = False
) -> Callable[[Callable[..., Printed]], Callable[..., None]]:
    """Add --output to a command, and print what the command returns.

    The output file is opened before the command runs, so no work is lost if it cannot be written.

    Args:
        formats: The values of --format for a command that returns records. The first is the default.
        plot: Whether the command has --plot.
    """
    options = [output_option]
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
            with open_output(output) as write:
                printed = command(*arguments, **values)
                is_table = records_format == "table"
                content = printed.table if is_table and printed.table else printed.content
                heading = list(printed.heading)
                if records_format == "markdown" and printed.markdown:
                    content = printed.markdown
                above = ""
                if is_table:
                    above = "".join(f"{printable(sentence)}\n" for sentence in heading)
                    heading = []
                text = content if isinstance(content, str) else records(content, records_format)
                if plot is not None and printed.figure is not None:
                    save(printed.figure(), plot)  # before the text, so that an error leaves no output
                write(above + text)
            for note in (*heading, *printed.notes):
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
        yield lambda text: click.echo(text, nl=False)
        return
    with whole_file(path) as file:

        def write(text: str) -> None:
            file.write(text.encode())

        yield write


@contextmanager
def progress_bar(label: str = "topics") -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that shows progress on standard error, or None if that is not a terminal.

    The function takes the number of completed steps and the number of all steps. The bar appears after
    one second, so short commands show none.
    """
    if not sys.stderr.isatty():
        yield None
        return
    bar: Any = None
    start = time.monotonic()

    def advance(done: int, total: int) -> None:
        nonlocal bar
        if bar is None and done < total and time.monotonic() - start > _PROGRESS_DELAY:
            bar = click.progressbar(length=total, file=sys.stderr, label=label)
        if bar is not None:
            bar.update(done - bar.pos)

    yield advance
    if bar is not None:
        bar.render_finish()
