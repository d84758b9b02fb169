"""Print the results of commands or write them to files, and show progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xcg.cli.main import print_status
from xcg.documents.files import whole_file

if TYPE_CHECKING:
    pass

FILE = click.Path(path_type=Path, dir_okay=False)
STANDARD_OUTPUT = Path("-")
"""The name of standard output; a file with this name needs its absolute path."""

_PROGRESS_DELAY = 1.0
"""Seconds before the progress bar appears."""


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
def open_output(path: Path | None) -> Iterator[Callable[[str | bytes], object]]:
    """Yield a function that writes text or bytes to standard output, or to a file.

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
        yield lambda text: file.write(text if isinstance(text, bytes) else text.encode())


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
