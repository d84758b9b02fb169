"""Refuse options that have no effect together with others."""

from __future__ import annotations

import click
from click.core import ParameterSource

from xcg.errors import XcgError


def given_options(*names: str) -> list[str]:
    """Return which of these options, such as "--baseline", are on the command line."""
    context = click.get_current_context()
    return [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.opts[0] in names
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]


def refuse_unused(condition: bool, reason: str, *names: str) -> None:
    """Refuse options that have no effect together with others.

    Args:
        condition: Whether the options have no effect.
        reason: The end of "has no effect …", such as "with --orders".
        names: The options, such as "--baseline"; an error names those on the command line.

    Raises:
        XcgError: If the condition holds and one of the options is given.
    """
    given = given_options(*names)
    if condition and given:
        *others, last = given
        options = f"{', '.join(others)} and {last}" if others else last
        verb, pronoun = ("have", "them") if others else ("has", "it")
        raise XcgError(f"{options} {verb} no effect {reason}: remove {pronoun}")
