"""Print errors, warnings and notes to standard error.

This module is imported at every start, so it imports little.
"""

from __future__ import annotations

from contextlib import suppress

import click

from xcg.errors import printable

MAX_MESSAGE_LENGTH = 1000
"""The maximum length of a message. Longer messages, which can quote a file, are shortened."""


def print_error(error: object) -> None:
    """Print an error to standard error in one line."""
    print_status(f"error: {error}")


def print_status(message: str) -> None:
    """Print one line to standard error.

    Control characters, which input files may hold, are escaped, and very long messages are shortened.
    """
    message = printable(message)
    if len(message) > MAX_MESSAGE_LENGTH:
        half = MAX_MESSAGE_LENGTH // 2
        message = f"{message[:half]} … {message[-half:]}"
    with suppress(OSError):  # an error of standard error itself cannot be reported
        click.echo(f"xcg: {message}", err=True)
