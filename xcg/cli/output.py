"""Write results to a file or standard output, and show progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from xcg.documents.files import whole_file

_PROGRESS_DELAY = 1.0
"""Seconds before the progress bar appears."""


@contextmanager
def open_output(path: Path | None) -> Iterator[Callable[[str], None]]:
    """Yield a function that writes text to standard output, or to a file.

    The file is replaced when the block ends; it stays as it was if the block fails.

    Args:
        path: The file, or None for standard output.

    Raises:
        InputError: If the file cannot be written.
    """
    if path is None:
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
