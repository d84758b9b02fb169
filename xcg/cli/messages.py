"""Print errors, warnings and notes to standard error.

This module is imported at every start, so it imports little.
"""

from __future__ import annotations

from contextlib import suppress

import click

from xcg.errors import printable


def print_error(error: object) -> None:
    """Print an error to standard error in one line."""
    print_status(f"error: {error}")


def print_status(message: str) -> None:
    """Print one line to standard error; control characters, which input files may hold, are escaped."""
    with suppress(OSError):  # there is no way to report that standard error cannot be written
        click.echo(f"xcg: {printable(message)}", err=True)
