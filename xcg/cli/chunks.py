"""The command ``xcg chunks``."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

import click

from xcg.cli.campaign_options import CampaignOptions, campaign_options
from xcg.cli.command import command
from xcg.cli.options import (
    MAX_NUMBER,
    gold_option,
    list_option,
)
from xcg.cli.output import RECORDS, Printed, format_option, prints, progress_bar
from xcg.cli.unused_options import refuse_unused
from xcg.evaluation.chunks import compare_chunks_of_inputs
from xcg.report.columns import chunk_columns
from xcg.report.orders import best_run_sentences
from xcg.report.plots import reading_plot
from xcg.statistics.best_runs import best_runs
from xcg.tables import Table, records
from xcg.terminal_tables import separated


@command(example="xcg chunks corpora_samples/chunks/retrieval.yaml --budget 500")
@campaign_options("runs", "order", "ties", "unanswered", "workers")
@gold_option
@click.option(
    "--budget",
    "budgets",
    type=click.IntRange(1, MAX_NUMBER),
    multiple=True,
    default=(500, 2000),
    help="Compute nxCG after this amount of text. May be repeated.",
)
@click.option(
    "--unit",
    type=click.Choice(["characters", "words", "tokens"]),
    default="tokens",
    help="Count text in this unit. The user model defines tokens.",
)
@list_option(
    "--measures",
    help='Add these measures to the table, such as "Success@5 RR SpanIoU". xcg measures lists them.',
)
@click.option(
    "--questions", is_flag=True, help="Print every gold span and result instead of a summary."
)
@format_option(*RECORDS)
@prints(plot=True, has_tables=True)
def chunks(
    campaign: CampaignOptions,
    gold: Sequence[str],
    budgets: Sequence[int],
    unit: Literal["characters", "words", "tokens"],
    measures: str | None,
    questions: bool,
    format_: str,
) -> Printed:
    """Compare chunkers and retrievers on one gold set, with one run for each.

    Runs of chunks, passages and elements are read as text. The table has one row per run: the number of
    questions, of unanswered questions and of questions for which nothing was found; the chunks per
    question, their size, and the text read per question; the share of the gold text that was found; the
    shares of the text read that were useful (relevant and new) and that were read twice; MAep and nxCG
    with effort measured in text. The default user models charge for whole results: the text of a result
    that gains nothing counts before its gains. --measures adds further measures to the table, as xcg
    evaluate computes them; --workers and --scheduler divide only the work for these measures.

    The default user model is spans, or spans-levels if the gold has levels of relevance. --questions
    prints for every question which gold spans were found or missed, and which results were new,
    irrelevant or paid for twice. --plot draws the share found over the text read.

    Sentences say whether the best run differs significantly from the second. With --user-model spans,
    xcg compare tests all differences, and xcg explain explains the gain of each result.
    """
    refuse_unused(questions, "with --questions", "--budget", "--measures")
    campaign.assessments = (*campaign.assessments, *gold)
    inputs = campaign.inputs()
    if inputs.corpus is None:
        raise campaign.missing("corpus")
    with progress_bar() as progress:
        comparison = compare_chunks_of_inputs(
            inputs, budgets, unit, measures or "", questions=questions, progress=progress
        )
    figure = functools.partial(reading_plot, comparison.curves, unit)
    notes = list(comparison.notes)
    if not questions:
        notes += best_run_sentences(best_runs(comparison.scores))
    if format_ != "table":
        rows = comparison.question_records() if questions else comparison.to_records()
        return Printed(records(rows, format_), notes, figure)
    columns = chunk_columns(unit, budgets)
    kinds = (
        (comparison.gold_records(), comparison.result_records())
        if questions
        else (comparison.to_records(),)
    )
    tables = [Table.of_records(rows, columns) for rows in kinds if rows]
    return Printed("", notes, figure, table=separated(tables))
