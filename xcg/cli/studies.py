"""Commands that study measures: ``xcg stability``, ``xcg perturb`` and ``xcg levels``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import get_args

import click

from xcg.cli.campaign_options import (
    CampaignOptions,
    campaign_options,
    evaluate_with_progress,
    executor_options,
    resamples_option,
)
from xcg.cli.command import Command, command
from xcg.cli.options import (
    MAX_NUMBER,
    count_option,
    list_option,
    paths_option,
    seed_option,
)
from xcg.cli.output import FILE, RECORDS, Printed, prints, progress_bar
from xcg.cli.unused_options import refuse_unused
from xcg.errors import XcgError
from xcg.evaluation.conversion import assess_elements_of_passages
from xcg.evaluation.parallel import Executor
from xcg.formats.base import read_assessments
from xcg.judgements.anchoring import anchor
from xcg.measures import MEASURES
from xcg.report.columns import ASSESSORS, PERTURBATION, TOPIC_SETS
from xcg.report.plots import levels_plot, perturbation_plot
from xcg.report.stability import (
    TopicSet,
    assessor_rows,
    cell_facts,
    needed_rows,
    range_rows,
    score_notes,
    sparse_notes,
    swap_rows,
)
from xcg.report.stability_plots import correlations_plot, ranges_plot, swaps_plot
from xcg.statistics.assessors import agreement as agreement_of
from xcg.statistics.assessors import scores_by_assessor
from xcg.statistics.extrapolation import SMOOTHINGS, Smoothing
from xcg.statistics.levels import (
    FULL_DEPTH_MEASURES,
    MEASURES_OF_FIGURES,
    largest_distance,
    levels_experiment,
)
from xcg.statistics.perturbation import COUNTS, MEASURES_OF_FIGURE_6
from xcg.statistics.perturbation import perturb as perturb_inputs
from xcg.statistics.topic_scores import topic_scores
from xcg.statistics.topic_sets import summarise_runs, swap_rates


@click.group()
def stability() -> None:
    """Study how scores depend on assessors and on the number of topics (KL 6.2)."""


@stability.command(
    "assessors",
    cls=Command,
    example="xcg stability assessors configs/quickstart.yaml --assessor assessments/handbook-second "
    "--user-model overlap-off",
)
@campaign_options("runs", "order", "ties", "measures", "workers")
@paths_option(
    "--assessor",
    "assessors",
    help="Read the assessments of one more assessor. --assessments or CONFIG has those of the first.",
)
@click.option("--ranges", is_flag=True, help="Print and draw the range of scores of each run.")
@click.option(
    "--topics",
    "topic_set",
    type=click.Choice(get_args(TopicSet)),
    help="Study all topics, only those that several assessors judged, or both.  [default: both]",
)
@click.option("--agreement", is_flag=True, help="Print the agreement of the assessors (6.2.1).")
@count_option("--sample", "Use at most this number of random combinations.", least=2, most=MAX_NUMBER)
@seed_option
@resamples_option
@prints(*RECORDS, plot=True)
def stability_assessors(
    campaign: CampaignOptions,
    assessors: Sequence[str],
    ranges: bool,
    topic_set: TopicSet | None,
    agreement: bool,
    sample: int | None,
    seed: int,
    resamples: int,
) -> Printed:
    """Evaluate all combinations of alternative assessments, and compare scores and orders of runs.

    The table holds Kendall's τ-b against the order by the first assessor, the error rate and ties, as
    Tables III and IV, with intervals of mean τ-b and error rate; the plot has the form of Figure 8.
    With --ranges, the table holds scores, and the plot has the form of Figure 7. The range of a run is
    its highest minus its lowest score; the row "mean of runs" has the mean range, and its share of the
    mean score (6.2.1.1).
    """
    if not assessors:
        raise XcgError("one assessor: expected a further one, --assessor PATH")
    of_scores = ("--run", "--strategy", "--document", "--order", "--ties", "--measures", "--user-model")
    refuse_unused(
        agreement,
        "with --agreement, which compares assessments",
        *of_scores,
        *("--ranges", "--topics", "--sample", "--resamples", "--seed", "--plot"),
        *("--workers", "--scheduler"),
    )
    refuse_unused(ranges, "with --ranges", "--resamples")
    if agreement:
        campaign.runs = None  # not required
    inputs = campaign.inputs()
    bases = [inputs.recall_base]
    bases += [anchor(read_assessments(one), inputs.documents, inputs.notes) for one in assessors]
    if agreement:
        if inputs.documents is not None:  # highlighted passages become elements
            bases = [assess_elements_of_passages(base, inputs.documents) for base in bases]
        return Printed(
            [
                {"assessors": f"{a} and {b}", **agreement_of(first, second)}
                for (a, first), (b, second) in combinations(enumerate(bases, 1), 2)
            ]
        )
    found = scores_by_assessor(bases, inputs)
    chosen = topic_set or "both"
    if ranges:
        rows = range_rows(found, sample, seed, chosen)
    else:
        rows = assessor_rows(found, sample, seed, chosen, resamples)
    draw = ranges_plot if ranges else correlations_plot
    notes = next(iter(found.values())).notes
    return Printed(rows, notes, lambda: draw(rows), columns=ASSESSORS, footer=cell_facts(rows))


@stability.command(
    "topics",
    cls=Command,
    example="xcg stability topics configs/quickstart.yaml --measures MAep --user-model overlap-off",
)
@campaign_options("runs", "order", "ties", "measures", "unanswered", "workers")
@count_option("--trials", "Draw this number of pairs of topic sets for each size.", default=100)
@seed_option
@resamples_option
@click.option("--rates", is_flag=True, help="Print the swap rate of each size and difference.")
@list_option(
    "--sizes",
    help="Also print these numbers of topics; above half of the topics, rates are extrapolated.",
    default=["25 50"],
    show_default=True,
)
@click.option(
    "--smoothing",
    type=click.Choice(SMOOTHINGS),
    help="Smooth the rates over the numbers of topics before they are extrapolated.  [default: none]",
)
@click.option(
    "--checkpoint",
    type=FILE,
    help="Store progress in this file, and continue an interrupted study from it.",
)
@prints(*RECORDS, plot=True)
def stability_topics(
    campaign: CampaignOptions,
    trials: int,
    seed: int,
    resamples: int,
    rates: bool,
    sizes: str,
    smoothing: Smoothing | None,
    checkpoint: Path | None,
) -> Printed:
    """Compare runs on disjoint topic sets, and count how often their order is reversed (KL 6.2.2).

    Prints the difference that 95 % confidence needs with half of the topics, and extrapolated, and the
    swap rate of differences below 0.01: over all comparisons, and as the mean of three ranges. With
    --rates, prints the swap rates for all numbers of topics, and the share of comparisons with a
    difference in this or a lower range. Ties on one of the sets are counted apart. Ranges with fewer
    than 59 comparisons are sparse: they decide no difference. The plot has the form of Figure 9.
    """
    set_sizes = _whole_numbers("sizes", sizes, "25 50", 1, 99_999) if sizes.strip() else []
    inputs = campaign.inputs()
    results = evaluate_with_progress(inputs).without_references()
    if len(results.user_models) != 1:
        raise XcgError("several user models: expected one for this study")
    (model,) = results.user_models
    scores = {
        measure: topic_scores(results, measure, model, results.runs).matrix
        for measure in results.measures
    }
    largest = len(next(iter(scores.values()))) // 2
    if smoothing is not None and all(size <= largest for size in set_sizes):
        raise XcgError(
            f"--smoothing has no effect: expected a number of topics above {largest} in --sizes"
        )
    with progress_bar("tasks") as progress:
        found = swap_rates(
            scores,
            trials,
            seed,
            inputs.executor,
            checkpoint,
            progress,
            resamples,
        )
    method = smoothing or "none"
    runs = {
        measure: summarise_runs(array, MEASURES.order(measure)) for measure, array in scores.items()
    }
    rows = swap_rows(found, set_sizes, method) if rates else needed_rows(found, runs, set_sizes, method)
    notes = [*results.notes, *score_notes(runs)]
    if not rates:
        notes += sparse_notes(found, set_sizes, method)
    return Printed(
        rows,
        notes,
        lambda: swaps_plot(found, set_sizes, method),
        columns=TOPIC_SETS,
        footer=cell_facts(rows),
    )


def _whole_numbers(option: str, text: str, example: str, least: int, most: int) -> list[int]:
    """Parse a list of whole numbers separated by spaces or commas."""
    words = text.replace(",", " ").split()
    legal = all(word.isascii() and word.isdecimal() and len(word) < 10 for word in words)
    if not words or not legal or not all(least <= int(word) <= most for word in words):
        raise XcgError(
            f"illegal {option} {text[:40]!r}: expected whole numbers up to {most:,}, like {example!r}"
        )
    return [int(word) for word in words]


@command(example='xcg perturb configs/kazai-lalmas-2006.yaml --run frb --counts "0 1 10"')
@campaign_options("runs", "order", "ties", "measures")
@list_option("--counts", help="Insert these numbers of results.  [default: 0 1 2 … 1000]")
@prints(*RECORDS, plot=True)
def perturb(campaign: CampaignOptions, counts: str | None) -> Printed:
    """Insert non-relevant results after or before the first result, and print the effect on measures.

    The experiment of Kazai & Lalmas 2006, section 6.1.2 and Figure 6, whose measures are the default.
    Standard measures such as AP are possible too. Effort is counted in ranks, because the inserted
    results have no text.
    """
    numbers = list(COUNTS)
    if counts is not None:
        numbers = sorted({0, *_whole_numbers("counts", counts, "0 1 10", 0, 999_999)})
    inputs = campaign.inputs()
    if campaign.measures is None:
        inputs = replace(inputs, measures=MEASURES_OF_FIGURE_6)
    with progress_bar("runs and user models") as progress:
        lines = perturb_inputs(inputs, numbers, progress)
    rows = [line._asdict() for line in lines]
    return Printed(rows, lines.notes, lambda: perturbation_plot(lines), columns=PERTURBATION)


@command(example="xcg levels --swaps 10 --repetitions 10 --plot levels.svg")
@click.option(
    "--non-uniform",
    is_flag=True,
    help="Draw levels with random frequencies, as in Figure 5. The default is Figure 4.",
)
@count_option("--swaps", "Use this number of rankings, with 0, 1, 2, … swapped pairs.", default=100)
@count_option("--repetitions", "Average over this number of lists.", default=100)
@click.option(
    "--full-depth",
    is_flag=True,
    help="Print NDCG and NDCNG at rank 100 instead of their means over all ranks.",
)
@seed_option
@executor_options
@prints(*RECORDS, plot=True)
def levels(
    non_uniform: bool, swaps: int, repetitions: int, full_depth: bool, seed: int, executor: Executor
) -> Printed:
    """Test whether graded measures depend on the number of relevance levels.

    The experiment of Scheel, Lommatzsch & Albayrak 2011, Figures 4 and 5: random pairs are swapped in
    lists of 100 items on 2, 10, 20 and 50 levels. The table has one row per number of swaps, and one
    column per measure and number of levels. Standard error holds the largest distance between the
    curves of each measure.

    Both figures show μMAP and the means over the ranks 1 to 100, avgNDCG and avgNDCNG: their axes end
    at 0.3, and after 99 swaps on 50 levels avgNDCG is 0.31, but NDCG at rank 100 is 0.43. All measures
    are 1 without swaps.
    """
    measures = FULL_DEPTH_MEASURES if full_depth else MEASURES_OF_FIGURES
    with progress_bar("numbers of levels") as progress:
        found = levels_experiment(
            not non_uniform,
            swaps=swaps,
            repetitions=repetitions,
            seed=seed,
            executor=executor,
            progress=progress,
        )
    curves = [curve for curve in found if curve.measure in measures]
    names = [f"{curve.measure}/{curve.levels}" for curve in curves]
    rows = [
        {"swaps": number, **dict(zip(names, values, strict=True))}
        for number, values in enumerate(zip(*(curve.values for curve in curves), strict=True))
    ]
    distances = {measure: largest_distance(curves, measure) for measure in measures}
    notes = [
        f"{measure}: the largest distance between the curves is {distance:.4f}"
        for measure, distance in distances.items()
    ]
    return Printed(rows, notes, lambda: levels_plot(curves))
