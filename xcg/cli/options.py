"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from xcg.cli.completion import (
    complete_paths,
    complete_strategy,
)
from xcg.cli.output import C
from xcg.cli.unused_options import refuse_unused
from xcg.documents.cache import without_cache
from xcg.runs.document_names import document_key
from xcg.runs.run import ORDERS, TIES, Order, Ties, check_order

ANY_PATH = click.Path(path_type=Path)


MAX_COUNT = 1_000_000
"""The maximum of options that set a number of repetitions or files."""
MAX_NUMBER = 999_999_999
"""The maximum of options that set a rank, size or limit. High values cost no memory."""
MAX_SEED = 2**63 - 1
"""The maximum seed of the random number generators."""


def count_option(
    name: str, help: str, default: int | None = None, least: int = 1, most: int = MAX_COUNT
) -> Callable[[C], C]:
    """Add an option for a whole number from ``least`` to ``most``."""
    return click.option(name, type=click.IntRange(least, most), default=default, help=help)


def paths_option(*names: str, help: str) -> Callable[[C], C]:
    """Add an option for a path that may be repeated."""
    return click.option(*names, multiple=True, metavar="PATH", shell_complete=complete_paths, help=help)


def list_option(name: str, help: str, **attributes: Any) -> Callable[[C], C]:
    """Add an option for a list of words in one text; lists of repeated options are joined."""

    def joined(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> str | None:
        return " ".join(texts) if texts else None

    return click.option(name, metavar="LIST", multiple=True, callback=joined, help=help, **attributes)


def corpus_option(
    help: str = "Read documents from this folder or archive.", required: bool = False
) -> Callable[[C], C]:
    """Add --corpus."""
    return click.option(
        "--corpus", required=required, metavar="PATH", shell_complete=complete_paths, help=help
    )


order_option = click.option(
    "--order",
    type=click.Choice(ORDERS),
    help="Order the results of TREC runs by descending score, by ascending rank, or as in the file.  "
    "[default: score]",
)
ties_option = click.option(
    "--ties",
    type=click.Choice(TIES),
    help="Order results of equal score or rank by descending document id, by rank, or as in the file.  "
    "[default: document for TREC runs, otherwise file]",
)
gold_option = paths_option("--gold", help="Read assessments; the same as --assessments.")
topics_option = click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="ID",
    help="Print only this topic, without means over topics. May be repeated.",
)
seed_option = count_option(
    "--seed", "Start the random numbers from this seed.", default=0, least=0, most=MAX_SEED
)


def check_order_options(order: Order | None, ties: Ties | None) -> None:
    """Raise XcgError if --order and --ties contradict each other, or --ties has no effect."""
    refuse_unused(order == "file", "with --order file", "--ties")
    check_order(order or "score", ties)


def _disable_cache(context: click.Context, _: click.Parameter, disable: bool) -> None:
    if disable:
        context.with_resource(without_cache())


no_cache_option = click.option(
    "--no-cache",
    is_flag=True,
    expose_value=False,
    callback=_disable_cache,
    help="Parse all documents again, and do not store them in the cache.",
)
lenient_option = click.option(
    "--lenient", is_flag=True, help="Count wrong data as warnings instead of stopping."
)
document_option = click.option(
    "--document",
    metavar="KEY",
    callback=lambda _, __, value: None if value is None else document_key(value),
    help="Name the document of each result in JSON Lines by this key of its metadata, by the last part "
    'of its path ("file name"), or by a table of names (a .json, .csv or .tsv file).',
)
strategy_option = click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_strategy,
    help="Rewrite each run with this overlap strategy, such as top_ranked or "
    '"promote_parent(threshold=0.4)". xcg strategies lists them.',
)
