"""The command ``xcg plan``."""

from __future__ import annotations

import click

from xcg.cli.campaign_options import (
    CampaignOptions,
    campaign_options,
    evaluate_with_progress,
)
from xcg.cli.command import command
from xcg.cli.options import seed_option
from xcg.cli.output import TABLES, Printed, prints
from xcg.cli.run_names import with_named_run
from xcg.cli.unused_options import refuse_unused
from xcg.report.columns import PLANS
from xcg.report.plans import plan_facts, plan_lead, plan_plot, plan_rows
from xcg.statistics.families import POWER
from xcg.statistics.planning import PLANNED_CORRECTIONS, check_numbers
from xcg.statistics.planning import plan as plan_comparisons
from xcg.statistics.topic_scores import ALL_PAIRS, BEST


@command(example="xcg plan configs/quickstart.yaml --measures MAep --difference 0.05")
@campaign_options("runs", "order", "ties", "measures", "unanswered", "workers")
@click.option("--power", type=float, default=POWER, help="Find differences with this probability.")
@click.option(
    "--difference",
    type=float,
    metavar="NUMBER",
    help="Print the power for this difference, and the number of topics that it needs.",
)
@click.option(
    "--runs-to-compare",
    type=int,
    metavar="N",
    help="Plan a comparison of this number of runs.  [default: the runs of the pilot]",
)
@click.option(
    "--topics",
    type=int,
    metavar="N",
    help="Plan for this number of topics at hand.  [default: the topics of the pilot]",
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="Compare with this run, a name or a path, or all or best, as xcg compare.  [default: all]",
)
@click.option(
    "--correction",
    type=click.Choice(PLANNED_CORRECTIONS),
    help="Plan for this correction.  [default: as xcg compare]",
)
@seed_option
@prints(*TABLES, plot=True)
def plan(
    campaign: CampaignOptions,
    power: float,
    difference: float | None,
    runs_to_compare: int | None,
    topics: int | None,
    baseline: str | None,
    correction: str | None,
    seed: int,
) -> Printed:
    """Predict from a pilot campaign which differences a comparison finds, and with how many topics.

    For each measure and user model, detectable is the smallest true difference that xcg compare finds
    by the t test with 80 % power with the topics at hand; other tests need similar differences. With
    --difference, the table also has the power for this difference, and the number of topics that it
    needs.

    Campaigns are simulated: topics are drawn from the pilot, and a difference is added to every topic.
    The plot shows the power for the difference over the number of topics; without --difference, the
    detectable difference.
    """
    check_numbers(power, difference, runs_to_compare, topics)
    refuse_unused(
        correction is not None and runs_to_compare == 2,
        "with --runs-to-compare 2, which is one comparison",
        "--correction",
    )
    inputs, baseline = with_named_run(campaign.inputs(), baseline, (ALL_PAIRS, BEST))
    results = evaluate_with_progress(inputs).without_references()
    plans = plan_comparisons(
        results,
        power=power,
        difference=difference,
        runs=runs_to_compare,
        topics=topics,
        baseline=baseline,
        correction=correction,
        seed=seed,
    )
    return Printed(
        plan_rows(plans),
        results.notes,
        lambda: plan_plot(plans, power),
        heading=[plan_lead(plans, baseline)],
        footer=plan_facts(plans, power),
        columns=PLANS,
    )
