"""The command ``xcg evaluate``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from xcg.cli.campaign_options import (
    CampaignOptions,
    campaign_options,
    evaluate_with_progress,
)
from xcg.cli.command import command
from xcg.cli.options import topics_option
from xcg.cli.output import Printed, format_option, prints
from xcg.cli.run_names import with_named_run
from xcg.cli.unused_options import refuse_unused
from xcg.report.tables import FORMATS, marks_with_intervals, render, results_table
from xcg.report.trec_eval import trec_eval_inputs, trec_eval_output
from xcg.statistics.intervals import mean_intervals


@command(example='xcg evaluate configs/quickstart.yaml --measures "nxCG@10 MAep"')
@campaign_options("runs", "order", "ties", "measures", "unanswered", "workers")
@click.option("--per-topic", is_flag=True, help="Print the scores of each topic too.")
@topics_option
@format_option(
    *FORMATS,
    "trec_eval",
    help="Print this format. trec_eval prints standard measures as trec_eval -c does, by default its "
    "official measures; with --unanswered skip as trec_eval without -c.",
)
@click.option("--mark", is_flag=True, help="Print the best means in bold (markdown and latex).")
@click.option(
    "--against",
    metavar="RUN",
    help="Mark means that differ significantly from this run, a name or a path, with a dagger "
    "(markdown and latex).",
)
@click.option(
    "--intervals",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    metavar="PERCENT",
    help="Print confidence intervals of the means at this level, such as 95.",
)
@prints(has_tables=True)
def evaluate(
    campaign: CampaignOptions,
    per_topic: bool,
    topics: Sequence[str],
    format_: str,
    mark: bool,
    against: str | None,
    intervals: float | None,
) -> Printed:
    """Evaluate runs.

    Prints the mean of each measure over the topics, for each run and user model. --intervals, or the
    key intervals in CONFIG, adds half the width of the confidence interval of each mean after ±, or its
    limits as low and high in records. To test whether runs differ, use xcg compare: intervals of means
    do not show it.
    """
    refuse_unused(
        format_ not in ("markdown", "latex"),
        "without --format markdown or latex",
        "--mark",
        "--against",
    )
    refuse_unused(
        format_ == "trec_eval",
        "with --format trec_eval, whose measures are the same for all user models",
        "--user-model",
    )
    refuse_unused(format_ == "trec_eval", "with --format trec_eval", "--topic", "--intervals")
    refuse_unused(bool(topics), "with --topic", "--per-topic", "--mark", "--against", "--intervals")
    inputs = campaign.inputs()
    if format_ == "trec_eval":
        results = evaluate_with_progress(trec_eval_inputs(inputs))
        return Printed(trec_eval_output(results, per_topic), results.notes)
    inputs, against = with_named_run(inputs, against)
    results = evaluate_with_progress(inputs)
    confidence = inputs.intervals if intervals is None else intervals
    limits, notes = None, list(results.notes)
    if topics:
        results, per_topic = results.of_topics(topics), True
    elif confidence is not None:
        limits, without = mean_intervals(results, confidence)
        notes += [
            f"intervals: Student's t over the topics, {confidence:g} %; each holds alone",
            *without,
        ]
    if format_ == "table":
        marks = marks_with_intervals(limits or {})
        return Printed("", notes, table=[results_table(results, per_topic, marks)])
    return Printed(render(results, format_, per_topic, mark, against, limits), notes)
