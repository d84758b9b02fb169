"""Commands that inspect a campaign: ``xcg ideal``, ``xcg explain`` and ``xcg curves``."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

import click

from xcg.cli.campaign_options import CampaignOptions, campaign_options
from xcg.cli.command import command
from xcg.cli.messages import lost_data_notes
from xcg.cli.options import (
    MAX_NUMBER,
    count_option,
    topics_option,
)
from xcg.cli.output import RECORDS, Printed, format_option, prints
from xcg.cli.run_names import with_named_run
from xcg.cli.unused_options import refuse_unused
from xcg.documents.tree import SizeUnit
from xcg.errors import XcgError, nearest
from xcg.evaluation.curve_ranks import RankOfValue, ranks_of_value
from xcg.evaluation.curves import IDEAL, CurveOf, curve_measure, curves_of_inputs
from xcg.evaluation.explain import explain_inputs
from xcg.evaluation.ideal_runs import RANKING_KINDS, RankingKind, ideal_run
from xcg.evaluation.ideals import ideal_elements_of_inputs, ideal_statistics, judged_trees
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import NotedList
from xcg.evaluation.threshold_curves import DEFAULT_MEASURES, MOST_THRESHOLDS, threshold_curves
from xcg.judgements.recall_base import MEAN
from xcg.measures.parser import split_measures
from xcg.report.columns import CURVES, IDEAL_ELEMENTS, NAMES, RANKS_OF_VALUE
from xcg.report.explanations import (
    document_tree,
    ideal_tree,
    ideal_tree_records,
    ranking_tables,
    topic_heading,
)
from xcg.report.plots import curves_plot, thresholds_plot
from xcg.runs.run import RUN_FORMATS
from xcg.statistics.run_pairs import BEST
from xcg.tables import Column, Record, Table, records
from xcg.terminal_tables import separated

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_size_option = click.option(
    "--size",
    type=click.Choice(get_args(SizeUnit)),
    help="Count the sizes in a tree in this unit.  [default: that of the user model]",
)


@command(example="xcg ideal configs/kazai-lalmas-2006.yaml --tree")
@campaign_options()
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="ID",
    help="Print only this topic.",
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Print for each topic how many relevant elements the ideal recall-base keeps and loses.",
)
@click.option(
    "--tree",
    is_flag=True,
    help="Print the trees of documents with assessments, ideal elements and sizes, as in Figure 3 of "
    "Kazai & Lalmas 2006.",
)
@_size_option
@click.option(
    "--to",
    "run_format",
    metavar="FORMAT",
    help="Print a run in this format: inex, trec or jsonl.",
)
@click.option(
    "--ranking",
    type=click.Choice(RANKING_KINDS),
    help="With --to, print this run of Table I: the ideal elements, these in reverse order, all "
    "relevant elements (frb), or the relevant leaves.  [default: ideal]",
)
@prints(*RECORDS)
def ideal(
    campaign: CampaignOptions,
    topics: Sequence[str],
    statistics: bool,
    tree: bool,
    size: SizeUnit | None,
    run_format: str | None,
    ranking: RankingKind | None,
) -> Printed:
    """Print the ideal recall-base: the elements that a system should return.

    --to prints it as a run, or one of the other simulated runs of Kazai & Lalmas 2006, Table I:
    elements with equal scores have the order of their documents and paths. The JSON Lines of this
    command can be evaluated as a run too.
    """
    context = click.get_current_context()
    refuse_unused(statistics, "with --statistics, which is for all topics", "--tree", "--to", "--topic")
    refuse_unused(tree, "with --tree", "--to")
    refuse_unused(not tree, "without --tree", "--size")
    refuse_unused(run_format is None, "without --to", "--ranking")
    refuse_unused(run_format is not None, "with --to, which is the format of the run", "--format")
    inputs = campaign.inputs(runs=())
    if run_format is not None:
        return _ideal_run(inputs, ranking or "ideal", topics or None, run_format)
    if tree:
        trees = judged_trees(inputs, topics or None)
        if context.params["records_format"] == "table":
            drawn = [functools.partial(ideal_tree, one, size) for one in trees]
            return Printed("", trees.notes, table=separated(drawn))
        return Printed(
            [record for one in trees for record in ideal_tree_records(one, size)], trees.notes
        )
    rows: NotedList[Any] = (
        ideal_statistics(inputs) if statistics else ideal_elements_of_inputs(inputs, topics or None)
    )
    return Printed([row._asdict() for row in rows], rows.notes, columns=IDEAL_ELEMENTS)


def _ideal_run(
    inputs: Inputs, kind: RankingKind, topics: Sequence[str] | None, format_: str
) -> Printed:
    RUN_FORMATS.get(format_)  # before anything is computed
    run, notes = ideal_run(inputs, kind, topics)
    text, lost = run.to_text(format_)
    return Printed(text, [*notes.lines(), *lost_data_notes(format_, lost)])


@command(example="xcg explain configs/quickstart.yaml --run focused --topic 1 --user-model overlap-off")
@campaign_options("runs", "order", "ties")
@click.option("--topic", required=True, metavar="ID", help="Explain the results for this topic.")
@click.option(
    "--tree-of",
    metavar="NAME",
    help="Print the tree of this document instead of the ranking, with the sizes of elements.",
)
@_size_option
@format_option(*RECORDS)
@prints(has_tables=True)
def explain(
    campaign: CampaignOptions,
    topic: str,
    tree_of: str | None,
    size: SizeUnit | None,
    format_: str,
) -> Printed:
    """Explain rank by rank what the results of a run gained, and what the run missed.

    --run selects the run, by a path or by its name in CONFIG; it may be repeated. With strategies, the
    rewritten rankings are explained; RUN+STRATEGY is the name of one of them.
    """
    refuse_unused(tree_of is None, "without --tree-of NAME", "--size")
    refuse_unused(format_ != "table", "without --format table", "--tree-of", "--size")
    if not campaign.runs:
        raise XcgError("no run: expected --run RUN, a path or the name of a run in CONFIG")
    inputs = campaign.inputs(topics=[topic])
    explanations = explain_inputs(inputs, topic)
    if format_ != "table":
        rows = [
            {"run": one.run, "topic": one.topic, "user_model": one.user_model, **record}
            for one in explanations
            for record in one.to_records()
        ]
        text = records(rows, format_)
    elif tree_of is not None:
        drawn = [functools.partial(document_tree, one, tree_of, size) for one in explanations]
        return Printed("", explanations.notes, table=separated(drawn))
    else:
        blocks = [block for one in explanations for block in ("\n", *ranking_tables(one))]
        heading = topic_heading(topic, inputs.topic_titles)
        return Printed("", explanations.notes, table=[*heading, *blocks[1:]])
    return Printed(text, explanations.notes)


@command(
    example="xcg curves configs/quickstart.yaml --run focused --plot curves.svg --output curves.jsonl"
)
@campaign_options("runs", "order", "ties", "measures")
@count_option(
    "--depth",
    "Compute curves over ranks or text up to this rank or amount.",
    default=100,
    most=MAX_NUMBER,
)
@click.option("--ideal", is_flag=True, help="Add the curve of the ideal ranking.")
@click.option("--per-topic", is_flag=True, help="Print the curve of each topic too.")
@topics_option
@click.option(
    "--over",
    type=click.Choice(["threshold"]),
    help="Draw measures with a threshold, such as xAP, over all thresholds from which gains are "
    "relevant, and print other measures once for each run. The default of --measures is "
    f'"{DEFAULT_MEASURES}".',
)
@count_option(
    "--points",
    f"With --over, use at most this number of thresholds.  [default: {MOST_THRESHOLDS}]",
    most=MAX_NUMBER,
)
@count_option(
    "--at",
    "Instead of curves, print the rank at which each run reaches the gain that the ideal ranking has "
    "at this rank, and how many more results that is than for the ideal ranking and the best run.",
    most=MAX_NUMBER,
)
@click.option(
    "--reference",
    metavar="NAME",
    help="With --at, take the gain of this run, a name or a path, instead; best is the run with "
    "the highest gain there.",
)
@format_option(
    *RECORDS, has_default=False, help="Print this format.  [default: jsonl; with --at table]"
)
@prints(plot=True, has_tables=True)
def curves(
    campaign: CampaignOptions,
    depth: int,
    ideal: bool,
    per_topic: bool,
    topics: Sequence[str],
    over: str | None,
    points: int | None,
    at: int | None,
    reference: str | None,
    format_: str | None,
) -> Printed:
    """Print measures as curves over ranks, gain-recall or recall, one line per point.

    --measures names them without a cutoff; the default is "nxCG ep", and xCG with --at.

    With --over threshold, the curves are those of Scheel, Lommatzsch & Albayrak 2011, Figures 6 to 8.
    """
    refuse_unused(bool(topics), "with --topic", "--per-topic", "--plot")
    if over is not None:
        unused = ("--depth", "--ideal", "--at", "--reference", "--topic")
        refuse_unused(True, "with --over threshold", *unused)
        return _over_thresholds(campaign, per_topic, points or MOST_THRESHOLDS, format_ or "jsonl")
    refuse_unused(True, "without --over threshold", "--points")
    refuse_unused(at is None, "without --at RANK", "--reference")
    refuse_unused(at is not None, "with --at, which includes the ideal ranking", "--ideal")
    if at is not None and at > depth:
        raise XcgError(f"--at {at} is after the last rank of the curves: expected --depth {at}")
    inputs = campaign.inputs(parse_measures=False)
    inputs, reference = with_named_run(inputs, reference, ("ideal", BEST))
    measures = campaign.measures or ("nxCG ep" if at is None else "xCG")
    abscissae = {curve_measure(name).curve_over for name in split_measures(measures)}
    of_recall = abscissae <= {"recall", "gain-recall"}
    refuse_unused(of_recall, f"on {measures}, which has no curve over ranks or text", "--depth")
    lines = curves_of_inputs(inputs, measures, depth, ideal or at is not None)
    means = [curve for curve in lines if curve.topic == MEAN]
    printed = _of_topics(lines, topics) if topics else lines if per_topic else means
    if at is None:
        rows = [
            {**curve._asdict(), "x": x, "y": y}
            for curve in printed
            for x, y in zip(curve.x, curve.y, strict=True)
        ]
        return _records(rows, format_ or "jsonl", CURVES, lines.notes, lambda: curves_plot(means))
    ranks = ranks_of_value(printed, at, reference or "ideal")
    return _records(
        _rank_rows(ranks, depth, format_ or "table"),
        format_ or "table",
        RANKS_OF_VALUE,
        [*lines.notes, *_unreached_notes(ranks, depth)],
        lambda: curves_plot(means, [one for one in ranks if one.topic == MEAN]),
    )


def _of_topics(lines: Sequence[CurveOf], topics: Sequence[str]) -> list[CurveOf]:
    """Return the curves of some topics; XcgError for a topic without curves."""
    known = dict.fromkeys(line.topic for line in lines if line.topic != MEAN)
    for topic in topics:
        if topic not in known:
            raise XcgError(f"no curves for topic {topic!r}: {nearest(topic, known)}")
    return [line for line in lines if line.topic in topics]


def _over_thresholds(campaign: CampaignOptions, per_topic: bool, most: int, format_: str) -> Printed:
    """Print measures at all thresholds; the x of measures without a threshold is None."""
    inputs = campaign.inputs(parse_measures=False)
    found = threshold_curves(inputs, campaign.measures or DEFAULT_MEASURES, most)
    rows: list[tuple[CurveOf, float | None, float | None]] = [
        (curve, x, None if math.isnan(y) else y)
        for curve in found.curves
        for x, y in zip(curve.x, curve.y, strict=True)
    ]
    rows += [
        (CurveOf(row.run, row.topic, row.measure, row.user_model, (), ()), None, row.value)
        for row in found.results or ()
    ]
    printed = [
        {**curve._asdict(), "x": x, "y": y} for curve, x, y in rows if per_topic or curve.topic == MEAN
    ]
    # Unlike ranks, thresholds have decimals, so the columns of curves are not declared.
    return _records(printed, format_, (), found.notes, lambda: thresholds_plot(found))


def _records(
    rows: Sequence[Record],
    format_: str,
    columns: Sequence[Column],
    notes: Sequence[str],
    figure: Callable[[], Figure],
) -> Printed:
    """Print records in a format that is jsonl by default."""
    if format_ != "table":
        return Printed(records(rows, format_), notes, figure)
    return Printed("", notes, figure, table=[Table.of_records(rows, (*NAMES, *columns))])


def _rank_rows(ranks: Sequence[RankOfValue], depth: int, format_: str) -> list[dict[str, Any]]:
    """Return ranks as records; a table has a text for values that are not reached."""
    rows = [one._asdict() for one in ranks]
    if format_ == "table":
        rows = [{**row, "rank": f"> {depth}" if row["rank"] is None else row["rank"]} for row in rows]
    return rows


def _unreached_notes(ranks: Sequence[RankOfValue], depth: int) -> list[str]:
    """Return a line for each value of the mean curves that runs do not reach."""
    unreached: dict[str, list[str]] = {}
    for one in ranks:
        if one.rank is None and one.topic == MEAN:
            reference = f"the {IDEAL}" if one.reference == IDEAL else one.reference
            value = f"{one.value:.4g} ({one.measure} of {reference} at rank {one.at}, {one.user_model})"
            unreached.setdefault(value, []).append(one.run)
    return [
        f"note: {value} is not reached within {depth} ranks by {', '.join(runs)}; "
        "--depth N looks further"
        for value, runs in unreached.items()
    ]
