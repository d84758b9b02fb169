"""Commands that study measures: ``xcg stability``, ``xcg perturb`` and ``xcg levels``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import click

from xcg.cli.messages import print_notes, print_status
from xcg.cli.options import (
    CampaignOptions,
    campaign_options,
    count_option,
    evaluate_with_progress,
    output_option,
    records_format_option,
    seed_option,
)
from xcg.cli.output import open_output, progress_bar
from xcg.cli.plots import plot_option
from xcg.errors import XcgError
from xcg.evaluation.element_assessments import assess_elements_of_passages
from xcg.evaluation.parallel import Backend
from xcg.formats.base import read_assessments
from xcg.report.plots import (
    correlations_plot,
    levels_plot,
    perturbation_plot,
    ranges_plot,
    save,
    swaps_plot,
)
from xcg.report.stability import assessor_rows, needed_rows, range_rows, swap_rows
from xcg.statistics.assessors import agreement as agreement_of
from xcg.statistics.assessors import scores_by_assessor
from xcg.statistics.levels import STUDIED_MEASURES, largest_distance, levels_experiment
from xcg.statistics.perturbation import COUNTS, MEASURES_OF_FIGURE_6
from xcg.statistics.perturbation import perturb as perturb_inputs
from xcg.statistics.topic_scores import topic_scores
from xcg.statistics.topic_sets import parallel_swap_rates
from xcg.tables import records


@click.group()
def stability() -> None:
    """Study how scores depend on assessors and on the number of topics (KL 6.2)."""


@stability.command("assessors")
@campaign_options("runs", "ties", "measures")
@click.option(
    "--assessor",
    "assessors",
    multiple=True,
    metavar="PATH",
    help="Read the assessments of one more assessor. --assessments or CONFIG has those of the first.",
)
@click.option("--ranges", is_flag=True, help="Print and draw the range of scores of each run.")
@click.option("--agreement", is_flag=True, help="Print the agreement of the assessors (6.2.1).")
@count_option("--sample", "Use at most this number of random combinations.", least=2)
@seed_option
@plot_option
@records_format_option
@output_option
def stability_assessors(
    campaign: CampaignOptions,
    assessors: Sequence[str],
    ranges: bool,
    agreement: bool,
    sample: int | None,
    seed: int,
    plot: Path | None,
    format_: str,
    output: Path | None,
) -> None:
    """Evaluate all combinations of alternative assessments, and compare scores and orders of runs.

    The table holds Kendall's τ-b against the order by the first assessor, the error rate and ties, as
    Tables III and IV; the plot has the form of Figure 8. With --ranges, the table holds scores, and the
    plot has the form of Figure 7.
    """
    if not assessors:
        raise XcgError("one assessor: expected a further one, --assessor PATH")
    inputs = campaign.inputs()
    bases = [inputs.recall_base, *map(read_assessments, assessors)]
    with open_output(output) as write:
        if agreement:
            if inputs.documents is not None:  # highlighted passages become elements
                bases = [assess_elements_of_passages(base, inputs.documents) for base in bases]
            rows = [
                {"assessors": f"{a + 1} and {b + 1}", **agreement_of(bases[a], bases[b])}
                for a, b in combinations(range(len(bases)), 2)
            ]
            write(records(rows, format_))
            return
        found = scores_by_assessor(bases, inputs)
        rows = (range_rows if ranges else assessor_rows)(found, sample, seed)
        write(records(rows, format_))
    if plot is not None:
        save(ranges_plot(rows) if ranges else correlations_plot(rows), plot)
    print_notes(next(iter(found.values())).notes)


@stability.command("topics")
@campaign_options("runs", "ties", "measures", "unanswered")
@count_option("--trials", "Draw this number of pairs of topic sets for each size.", default=100)
@seed_option
@click.option("--rates", is_flag=True, help="Print the swap rate of each size and difference.")
@click.option(
    "--sizes", default="25 50", metavar="LIST", help="Extrapolate to these numbers of topics."
)
@click.option("--workers", type=int, default=1, help="Use this number of processes; -1 uses all cores.")
@click.option(
    "--backend",
    type=click.Choice(["loky", "dask"]),
    default="loky",
    help="Run the processes with this library.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Use the Dask cluster at this address.  [default: a local cluster]",
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Store progress in this file, and continue an interrupted study from it.",
)
@plot_option
@records_format_option
@output_option
def stability_topics(
    campaign: CampaignOptions,
    trials: int,
    seed: int,
    rates: bool,
    sizes: str,
    workers: int,
    backend: Backend,
    scheduler: str | None,
    checkpoint: Path | None,
    plot: Path | None,
    format_: str,
    output: Path | None,
) -> None:
    """Compare runs on disjoint topic sets, and count how often their order is reversed (KL 6.2.2).

    Prints the difference that 95 % confidence needs with half of the topics, and extrapolated.
    """
    set_sizes = _whole_numbers("sizes", sizes, "25 50", 1, 99_999) if sizes.strip() else []
    if workers == 0:
        raise XcgError("0 workers: expected 1 or more, or -1 for all cores")
    with open_output(output) as write:
        results = evaluate_with_progress(campaign.inputs())
        if len(results.user_models) != 1:
            raise XcgError("several user models: expected one for this study")
        (model,) = results.user_models
        scores = {
            measure: topic_scores(results, measure, model, results.runs).matrix
            for measure in results.measures
        }
        with progress_bar("tasks") as progress:
            found = parallel_swap_rates(
                scores, trials, seed, workers, backend, scheduler, checkpoint, progress=progress
            )
        write(records(swap_rows(found) if rates else needed_rows(found, set_sizes), format_))
    if plot is not None:
        save(swaps_plot(found), plot)
    print_notes(results.notes)


def _whole_numbers(option: str, text: str, example: str, least: int, most: int) -> list[int]:
    """Parse a list of whole numbers separated by spaces or commas."""
    words = text.replace(",", " ").split()
    legal = all(word.isascii() and word.isdecimal() and len(word) < 10 for word in words)
    if not words or not legal or not all(least <= int(word) <= most for word in words):
        raise XcgError(f"illegal {option} {text!r}: expected whole numbers, like {example!r}")
    return [int(word) for word in words]


@click.command()
@campaign_options("runs", "ties", "measures")
@click.option(
    "--counts", metavar="LIST", help="Insert these numbers of results.  [default: 0 1 2 … 1000]"
)
@plot_option
@records_format_option
@output_option
def perturb(
    campaign: CampaignOptions, counts: str | None, plot: Path | None, format_: str, output: Path | None
) -> None:
    """Insert non-relevant results after or before the first result, and print the effect on measures.

    The experiment of Kazai & Lalmas 2006, section 6.1.2 and Figure 6.
    """
    numbers = list(COUNTS)
    if counts is not None:
        numbers = sorted({0, *_whole_numbers("counts", counts, "0 1 10", 0, 999_999)})
    inputs = campaign.inputs()
    if campaign.measures is None:
        inputs = replace(inputs, measures=MEASURES_OF_FIGURE_6)
    with open_output(output) as write:
        lines = perturb_inputs(inputs, numbers)
        write(records([line._asdict() for line in lines], format_))
    if plot is not None:
        save(perturbation_plot(lines), plot)
    print_notes(lines.notes)


@click.command()
@click.option(
    "--non-uniform", is_flag=True, help="Draw levels with random frequencies, as in Figure 5."
)
@count_option("--swaps", "Swap up to this number of random pairs.", default=100)
@count_option("--repetitions", "Average over this number of lists.", default=100)
@seed_option
@plot_option
@records_format_option
@output_option
def levels(
    non_uniform: bool,
    swaps: int,
    repetitions: int,
    seed: int,
    plot: Path | None,
    format_: str,
    output: Path | None,
) -> None:
    """Test whether graded measures depend on the number of relevance levels.

    The experiment of Scheel, Lommatzsch & Albayrak 2011, Figures 4 and 5: random pairs are swapped in
    lists of 100 items on 2, 10, 20 and 50 levels. The table has one row per number of swaps, and one
    column per measure and number of levels. Standard error holds the largest distance between the
    curves of each measure.
    """
    with open_output(output) as write:
        curves = levels_experiment(not non_uniform, swaps=swaps, repetitions=repetitions, seed=seed)
        names = [f"{curve.measure}/{curve.levels}" for curve in curves]
        rows = [
            {"swaps": number, **dict(zip(names, values, strict=True))}
            for number, values in enumerate(zip(*(curve.values for curve in curves), strict=True))
        ]
        write(records(rows, format_))
    if plot is not None:
        save(levels_plot(curves), plot)
    for measure in STUDIED_MEASURES:
        distance = largest_distance(curves, measure)
        print_status(f"{measure}: the largest distance between the curves is {distance:.4f}")
