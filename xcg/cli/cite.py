"""The command ``xcg cite``."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem

from xcg.cli.command import command
from xcg.cli.completion import complete_paths
from xcg.cli.output import Printed, prints
from xcg.report.citations import bibtex, citable, citations


def complete_name(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the names that can be cited, and files."""
    names = [CompletionItem(name) for name in sorted(citable()) if name.startswith(incomplete)]
    return [*complete_paths(context, parameter, incomplete), *names]


@command(example="xcg cite MAep nxCG@10 sog")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_name)
@prints()
def cite(names: Sequence[str]) -> Printed:
    """Print BibTeX for what an evaluation uses.

    NAME is a measure, a user model, a part of a user model, a strategy, or a YAML file: a user model or
    the configuration of an evaluation, for everything that it uses. Each entry is printed once. Without
    NAME, the entry of xcg itself is printed.
    """
    found = citations(names)
    without = dict.fromkeys(one.subject for one in found if not one.entries)
    return Printed(bibtex(found), [f"{subject} has no published source" for subject in without])
