"""The command ``xcg rewrite``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from xcg.cli.command import command
from xcg.cli.messages import lost_data_notes
from xcg.cli.options import (
    MAX_NUMBER,
    check_order_options,
    corpus_option,
    count_option,
    document_option,
    no_cache_option,
    order_option,
    paths_option,
    strategy_option,
    ties_option,
)
from xcg.cli.output import Printed, prints
from xcg.documents.corpus import corpus_of
from xcg.errors import Notes, XcgError
from xcg.evaluation.inputs import check_document_is_used, resolve_strategies
from xcg.evaluation.repeated_results import count_repeated, note_repeated
from xcg.formats.base import read_run_and_format
from xcg.runs.chunk_documents import ChunkSource, DocumentKey
from xcg.runs.run import RUN_FORMATS, Order, Ties
from xcg.strategies.rewriting import rewrite as rewrite_run


@command(
    example="xcg rewrite --run corpora_samples/handbook-thorough/bm25.jsonl --strategy top_ranked "
    "--output new.jsonl"
)
@paths_option("--run", "runs", help="Rewrite this run; - is standard input.")
@strategy_option
@corpus_option(
    "Read documents from this folder or archive, if the strategy needs them or chunks state their text."
)
@click.option(
    "--to",
    "target_format",
    metavar="FORMAT",
    help="Write this format: inex, trec or jsonl.  [default: that of the run]",
)
@count_option("--depth", "Write this number of results of each topic.  [default: all]", most=MAX_NUMBER)
@document_option
@order_option
@ties_option
@no_cache_option
@prints()
def rewrite(
    runs: Sequence[str],
    strategies: Sequence[str],
    corpus: str | None,
    target_format: str | None,
    depth: int | None,
    document: DocumentKey,
    order: Order | None,
    ties: Ties | None,
) -> Printed:
    """Rewrite a run with an overlap strategy.

    The new run has the name RUN+STRATEGY. Scores are written if a reader finds the order of the
    results by them; otherwise ranks are written. Notes name the data that the format cannot hold.
    """
    if len(runs) != 1:
        raise XcgError(f"{len(runs)} runs: expected one, --run PATH")
    if not strategies:
        raise XcgError("no strategy: expected --strategy NAME; xcg strategies lists the names")
    bound = resolve_strategies(strategies, Path())
    if len(bound) > 1:
        raise XcgError(f"{len(bound)} strategies, {bound[0]} and others: expected one")
    check_order_options(order, ties)
    if target_format is not None:
        RUN_FORMATS.get(target_format)  # before anything is read
    documents, notes = corpus_of(corpus), Notes()
    check_document_is_used(document, [Path(runs[0])])
    source = ChunkSource(document, documents)
    run, format_ = read_run_and_format(runs[0], notes, order or "score", ties, source=source)
    rewritten = rewrite_run(run, bound[0], documents).top(depth)
    note_repeated({rewritten.name: count_repeated(rewritten)}, notes)
    written_format = target_format or format_
    text, lost = rewritten.to_text(written_format)
    return Printed(text, [*notes.lines(), *lost_data_notes(written_format, lost)])
