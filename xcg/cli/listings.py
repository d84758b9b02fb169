"""The command ``xcg list``: measures, user models, overlap strategies and file formats."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from xcg.cli.command import command, output_option, print_text
from xcg.errors import XcgError, nearest
from xcg.measures import MEASURES
from xcg.report.citations import bibtex, citable, citations
from xcg.report.listings import (
    describe,
    describe_measure,
    describe_strategy,
    list_formats,
    list_measures,
    list_strategies,
    list_user_models,
)
from xcg.terminal_tables import PIPE, Block, Prose, Terminal, terminal_text

_LISTS: Mapping[str, Callable[[], Sequence[Block]]] = {
    "measures": lambda: [list_measures(MEASURES.values())],
    "user-models": list_user_models,
    "strategies": lambda: [list_strategies()],
    "formats": lambda: [list_formats()],
}


def _measure(name: str) -> Sequence[Block]:
    return [Prose("\n".join(map(describe_measure, MEASURES.definitions(name))))]


_DESCRIBE: Mapping[str, Callable[[str], Sequence[Block]]] = {
    "measures": _measure,
    "user-models": describe,
    "strategies": lambda name: [Prose(describe_strategy(name))],
}


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    names = [*_LISTS, *sorted(citable())]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@command("list", example="xcg list measures ep")
@click.argument("kind", required=False, metavar="[KIND]", shell_complete=_complete)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=_complete)
@click.option("--bibtex", "as_bibtex", is_flag=True, help="Print BibTeX of what NAME is from.")
@output_option
def list_(kind: str | None, names: Sequence[str], as_bibtex: bool, output: Path | None) -> None:
    """List measures, user-models, strategies or formats, or describe one by its NAME.

    xcg list measures ep prints the formula, the parameters and the source of ep. xcg list user-models
    kazai-lalmas-2006 prints the settings of a user model with the legal values; NAME can be a YAML
    file, or a part such as distance. --bibtex without NAME prints the entry of xcg itself.
    """
    if kind is not None and kind not in _LISTS:
        raise XcgError(f"no list {kind!r}: {nearest(kind, _LISTS)}")
    if as_bibtex:
        found = citations(names)
        without = dict.fromkeys(one.subject for one in found if not one.entries)
        notes = [f"{subject} has no published source" for subject in without]
        print_text(bibtex(found), notes, output)
        return
    blocks: list[Block] = []
    if kind is not None and names:
        if kind not in _DESCRIBE:
            raise XcgError(f"{kind} has no descriptions: expected no name")
        for name in names:
            blocks += _DESCRIBE[kind](name)
    else:
        for one in [kind] if kind is not None else _LISTS:
            title = [f"{one}\n"] if kind is None else []
            blocks += [*(["\n"] if blocks else []), *title, *_LISTS[one]()]
    terminal = Terminal.of(sys.stdout) if output is None else PIPE
    print_text(terminal_text(blocks, terminal, all_rows=True), output=output)
