"""The command ``xcg gold``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from xcg.cli.campaign_options import CampaignOptions, campaign_options
from xcg.cli.command import command
from xcg.cli.options import gold_option
from xcg.cli.output import RECORDS, Printed, format_option, prints, progress_bar
from xcg.cli.unused_options import refuse_unused
from xcg.evaluation.gold_improvement import MEASURE, OVERLAP, review_gold_of_inputs
from xcg.report.gold_review import review_tables
from xcg.tables import records


@command(example="xcg gold corpora_samples/chunks/retrieval.yaml")
@campaign_options("runs", "order", "ties", "unanswered")
@gold_option
@click.option(
    "--measure",
    metavar="NAME",
    help=f"Compare the runs by this measure, such as SpanRecall@5.  [default: {MEASURE}]",
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 1, min_open=True),
    default=OVERLAP,
    help="A result finds a passage if it contains at least this share of it.",
)
@click.option(
    "--fuzzy",
    type=click.FloatRange(0.5, 1),
    metavar="SIMILARITY",
    help="Also find similar passages of at least this similarity, from 0.5 to 1, for example 0.9.",
)
@format_option(*RECORDS)
@prints(has_tables=True)
def gold(
    campaign: CampaignOptions,
    gold: Sequence[str],
    measure: str | None,
    overlap: float,
    fuzzy: float | None,
    format_: str,
) -> Printed:
    """List what to review in gold: questions, missed spans, and duplicates.

    There are three tables. The first has the questions on which the runs disagree most: the difference
    between the best and the worst value of --measure, by default the share of the gold text that a run
    returns. The second has the gold spans that no run finds, with the largest share that one result
    contains. The third has passages elsewhere in the corpus that repeat a gold span of the question:
    correct answers that count as wrong. Those that runs return are first, with the ranks.

    The first table needs two runs, the second one run, and the third none. Passages that are gold for
    the question already are left out. Gold spans with fewer than 40 characters without white space are
    not searched for. White space, Unicode form, case, quotation marks, dashes, ligatures and
    hyphenation may differ. --fuzzy also finds text that was edited. It needs the extra fuzzy
    (rapidfuzz).

    The other formats print all rows in full. The fields topic, doc, start, end and text of duplicates
    are those of assessments in JSON Lines, so that they can be added to the gold.
    """
    campaign.assessments = (*campaign.assessments, *gold)
    inputs = campaign.inputs(needs_runs=False)
    if inputs.corpus is None:
        raise campaign.missing("corpus")
    of_runs = ("--measure", "--unanswered", "--order", "--ties", "--strategy", "--document")
    refuse_unused(not inputs.has_runs, "without runs", *of_runs)
    if inputs.has_runs:
        is_one = len(inputs.loaded_runs) == 1
        refuse_unused(is_one, "on a single run", "--measure", "--unanswered")
    with progress_bar("documents") as progress:
        review = review_gold_of_inputs(inputs, measure or MEASURE, overlap, fuzzy, progress)
    if format_ == "table":
        return Printed("", review.notes, table=review_tables(review))
    return Printed(records(review.to_records(), format_), review.notes)
