"""Commands that look into a campaign: ``xcg ideal``, ``xcg explain`` and ``xcg curves``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from xcg.cli.options import CampaignOptions, campaign_options, count_option
from xcg.cli.output import RECORDS, Printed, format_option, prints
from xcg.errors import XcgError, nearest
from xcg.evaluation.curves import curves_of_inputs
from xcg.evaluation.explain import explain_inputs
from xcg.evaluation.ideals import ideal_elements_of_inputs, ideal_statistics
from xcg.evaluation.results import NotedList
from xcg.judgements.recall_base import MEAN
from xcg.report.explanations import document_tree, ranking_table
from xcg.report.plots import curves_plot
from xcg.tables import records


@click.command()
@campaign_options()
@click.option("--topic", metavar="ID", help="Print the ideal elements of this topic.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Print for each topic how many relevant elements the ideal recall-base keeps and loses.",
)
@prints(*RECORDS)
def ideal(campaign: CampaignOptions, topic: str | None, statistics: bool) -> Printed:
    """Print the ideal recall-base of a topic: the elements that a system should return."""
    if (topic is None) != statistics:
        raise XcgError("expected either --topic, or --statistics for all topics")
    inputs = campaign.inputs(runs=())
    rows: NotedList[Any] = (
        ideal_elements_of_inputs(inputs, topic) if topic is not None else ideal_statistics(inputs)
    )
    return Printed([row._asdict() for row in rows], rows.notes)


@click.command()
@click.argument("run")
@campaign_options("order", "ties", config_option=True)
@click.option("--topic", required=True, metavar="ID", help="Explain the results for this topic.")
@click.option(
    "--document", metavar="NAME", help="Print the tree of this document instead of the ranking."
)
@format_option("table", "json")
@prints()
def explain(
    campaign: CampaignOptions, run: str, topic: str, document: str | None, format_: str
) -> Printed:
    """Explain rank by rank what the results of RUN gained, and what RUN missed.

    RUN is a file, - for standard input, or the name of a run in the configuration.
    """
    inputs = campaign.inputs(topics=[topic])
    source: Any = run
    if campaign.config is not None and run != "-" and not Path(run).exists():
        by_name = {known.name: known for known in inputs.loaded_runs}
        if run not in by_name:
            raise XcgError(f"no run {run!r} in {campaign.config}: {nearest(run, by_name)}")
        source = by_name[run]
    explanations = explain_inputs(replace(inputs, runs=source), topic)
    if format_ == "json":
        rows = [
            {"run": one.run, "topic": one.topic, "user_model": one.user_model, **record}
            for one in explanations
            for record in one.to_records()
        ]
        text = records(rows, "json")
    elif document is not None:
        text = "\n".join(document_tree(one, document) for one in explanations)
    else:
        text = "\n".join(map(ranking_table, explanations))
    return Printed(text, explanations.notes)


@click.command()
@campaign_options("runs", "order", "ties", "measures")
@count_option("--depth", "Compute curves over ranks down to this rank.", default=100)
@click.option("--ideal", is_flag=True, help="Add the curve of the ideal ranking.")
@click.option("--per-topic", is_flag=True, help="Print the curve of each topic too.")
@prints("jsonl", "csv", plot=True)
def curves(campaign: CampaignOptions, depth: int, ideal: bool, per_topic: bool) -> Printed:
    """Print measures as curves over ranks, gain-recall or recall, one line per point.

    --measures names them without a cutoff, such as "nxCG ep".
    """
    inputs = campaign.inputs(parse_measures=False)
    lines = curves_of_inputs(inputs, campaign.measures or "nxCG ep", depth, ideal)
    means = [curve for curve in lines if curve.topic == MEAN]
    rows = [
        {**curve._asdict(), "x": x, "y": y}
        for curve in (lines if per_topic else means)
        for x, y in zip(curve.x, curve.y, strict=True)
    ]
    return Printed(rows, lines.notes, lambda: curves_plot(means))
