"""Print the results of commands or write them to files, and show progress."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from xcg.answer import Answer, open_plot
from xcg.cli.main import print_status
from xcg.documents.writing import whole_file
from xcg.errors import InputError, nearest
from xcg.tables import CSV_WITHOUT_FORMULAS
from xcg.terminal_tables import PIPE, Terminal

if TYPE_CHECKING:
    from xcg.campaign import Campaign

FILE = click.Path(path_type=Path, dir_okay=False)
STANDARD_OUTPUT = Path("-")
"""The name of standard output; a file with this name needs its absolute path."""

_PROGRESS_DELAY = 1.0
"""Seconds before the progress bar appears."""


@contextmanager
def answering(
    campaign: Campaign, formats: Sequence[str], has_plot: bool = False
) -> Iterator[Callable[[Answer[Any]], None]]:
    """Yield a function that prints an answer in the format and to the file of the settings.

    The files are opened before, so no work is lost if they cannot be written.

    Args:
        campaign: The campaign.
        formats: The formats of the command; the first is the default.
        has_plot: Whether the command draws a plot.
    """
    settings, place = campaign.settings, campaign.stated.place
    wanted = settings.format or formats[0]
    if wanted not in formats:
        message = f"this command does not print {wanted!r}: {nearest(wanted, formats)}"
        raise InputError(place(("format",)).name, message)
    key = "plot", "path"
    if not has_plot and key in campaign.stated.overrides:
        raise InputError(place(key).name, "this command draws no plot: remove it")
    path, status = settings.plot.path if has_plot else None, 0
    notes: list[str] = []
    opened = nullcontext() if path is None else open_plot(Path(path))
    with open_output(settings.output) as write, opened as draw:

        def show(answer: Answer[Any]) -> None:
            nonlocal status
            is_stdout = settings.output is None or settings.output == STANDARD_OUTPUT
            terminal = Terminal.of(sys.stdout) if is_stdout else PIPE
            is_escaped = wanted == "csv" and not settings.formulas
            written = CSV_WITHOUT_FORMULAS if is_escaped else wanted
            text = answer.to_text(written, terminal, settings.all_rows)
            if draw is not None:
                width = settings.plot.width
                caption = draw(answer, width)  # before the text, so that an error leaves no output
                if caption and width is not None:
                    answer.notes.append(f"caption of the plot: {caption}")
            write(text)
            if wanted != "table":
                notes.extend([*answer.layout.heading, *answer.layout.footer])
            notes.extend(answer.notes)
            status = answer.status

        yield show
    for note in notes:
        print_status(note)
    if status:
        sys.exit(status)


def print_text(text: str, notes: Sequence[str] = (), output: Path | None = None) -> None:
    """Print a text, or write it to a file, and its notes to standard error."""
    with open_output(output) as write:
        write(text)
    for note in notes:
        print_status(note)


output_option = click.option(
    "--output", type=FILE, help="Write to this file instead of standard output, which is -."
)


@contextmanager
def open_page(path: Path) -> Iterator[BinaryIO]:
    """Open a file, or collect what standard output receives when the block ends without an error."""
    if path != STANDARD_OUTPUT:
        with whole_file(path) as file:
            yield file
        return
    page = io.BytesIO()
    yield page
    click.echo(page.getvalue(), nl=False)


@contextmanager
def open_output(path: Path | None) -> Iterator[Callable[[str], object]]:
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
        yield lambda text: file.write(text.encode())


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
