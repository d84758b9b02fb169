"""The command ``xcg calibrate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from xcg.cli.campaign_options import (
    CampaignOptions,
    campaign_options,
    evaluate_with_progress,
)
from xcg.cli.command import command
from xcg.cli.options import count_option, seed_option
from xcg.cli.output import TABLES, Printed, prints, progress_bar
from xcg.cli.run_names import with_named_run
from xcg.report.columns import FALSE_ALARMS
from xcg.statistics.calibration import CAMPAIGNS
from xcg.statistics.calibration import calibrate as calibrate_results
from xcg.statistics.corrections import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.significance_tests import PAIRED_TESTS
from xcg.statistics.topic_scores import ALL_PAIRS


@command(example="xcg calibrate configs/quickstart.yaml --measures MAep --test t --campaigns 200")
@campaign_options("runs", "order", "ties", "measures", "unanswered", "workers")
@click.option(
    "--baseline",
    metavar="RUN",
    help="Study comparisons and the gate with this run, a name or a path; or all, to study the "
    "comparisons of all pairs of runs.  [default: both, with the first run]",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    type=click.Choice(PAIRED_TESTS),
    help="Study this test.  [default: every test]",
)
@click.option(
    "--correction",
    "corrections",
    multiple=True,
    type=click.Choice(list(CORRECTION_NAMES)),
    help="Study this correction of p values.  [default: as xcg compare, shaffer for all pairs by t, "
    "otherwise holm]",
)
@count_option("--campaigns", "Exchange the runs this number of times.", default=CAMPAIGNS)
@seed_option
@prints(*TABLES)
def calibrate(
    campaign: CampaignOptions,
    baseline: str | None,
    tests: Sequence[str],
    corrections: Sequence[str],
    campaigns: int,
    seed: int,
) -> Printed:
    """Count the false alarms of tests and gates on exchanged runs (A/A study).

    The scores of each topic are exchanged among the runs at random, with the same exchange for all
    measures and user models. Then no run is better than another, and every significant difference is a
    false alarm. The rate is the share of campaigns with at least one false alarm in the family of
    comparisons, at the level of 5 %; for the gate (--fail-if-worse-than of xcg compare), the share of
    campaigns in which it fails. low and high are the limits of a 95 % interval of the rate (Clopper and
    Pearson). The verdict compares this interval with 5 %.
    """
    inputs, baseline = with_named_run(campaign.inputs(), baseline, (ALL_PAIRS,))
    results = evaluate_with_progress(inputs).without_references()
    with progress_bar("campaigns") as progress:
        rates = calibrate_results(
            results,
            baseline,
            tests,
            corrections,
            campaigns,
            seed,
            progress,
            inputs.executor,
        )
    rows = [asdict(rate) for rate in rates]
    heading = [
        f"{campaigns} campaigns: the scores of {len(results.topics)} topics exchanged among "
        f"{len(results.runs)} runs; significance level {SIGNIFICANCE_LEVEL}",
        "The exchange gives all runs the same spread, so a rate says nothing about false alarms "
        "between runs whose scores spread differently.",
    ]
    return Printed(rows, results.notes, heading=heading, columns=FALSE_ALARMS)
