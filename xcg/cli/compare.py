"""Commands that compare runs: ``xcg compare`` and ``xcg sweep``."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import click

from xcg.cli.campaign_options import (
    CampaignOptions,
    campaign_options,
    evaluate_with_progress,
    resamples_option,
)
from xcg.cli.command import command
from xcg.cli.gate_options import GateOptions, gate_options
from xcg.cli.options import MAX_NUMBER, count_option, seed_option
from xcg.cli.output import RECORDS, TABLES, Printed, prints
from xcg.cli.run_names import with_named_run
from xcg.cli.unused_options import given_options, refuse_unused
from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.report.columns import AGREEMENTS, CROSSINGS, OVERALL_TESTS, SHIFTS
from xcg.report.comparison_plots import differences_plot, panel_notes, strategies_plot, sweep_plot
from xcg.report.comparison_sentences import comparison_statement, zero_notes
from xcg.report.comparison_tables import (
    has_one_baseline,
    pair_tables,
    publication_table,
    run_tables,
)
from xcg.report.comparisons import (
    Row,
    comparison_rows,
    means_rows,
    overall_rows,
    with_letters,
)
from xcg.report.orders import order_rows, shift_facts, shift_rows, sweep_sentences
from xcg.report.strategy_studies import (
    crossing_rows,
    study_rows,
    study_sentences,
    study_table,
)
from xcg.statistics.best_runs import best_runs
from xcg.statistics.margins import parse_margins
from xcg.statistics.rank_correlation import order_shifts
from xcg.statistics.run_pairs import ALL_PAIRS, BEST, compares_within_runs
from xcg.statistics.significance import CORRECTIONS, Comparison
from xcg.statistics.significance import compare as compare_results
from xcg.statistics.significance_tests import PAIRED_TESTS
from xcg.statistics.strategy_study import study_strategies
from xcg.tables import Table


@command(example="xcg sweep configs/sweep.yaml --measures MAep --plot sweep.svg")
@campaign_options("runs", "order", "ties", "measures", "unanswered", "workers")
@click.option(
    "--reference-model",
    metavar="NAME",
    help="Without strategies, compare the other user models with this one.  [default: the first]",
)
@resamples_option
@seed_option
@click.option(
    "--step",
    type=click.FloatRange(0.001, 1),
    metavar="NUMBER",
    help="With strategies, evaluate α from 0 to 1 in these steps, and at 0.001 and 0.999.  "
    "[default: 0.05]",
)
@click.option(
    "--crossings",
    is_flag=True,
    help="With strategies, print the values of α at which the best strategy changes.",
)
@prints(*RECORDS, plot=True)
def sweep(
    campaign: CampaignOptions,
    reference_model: str | None,
    resamples: int,
    seed: int,
    step: float | None,
    crossings: bool,
) -> Printed:
    """Compare the order of runs between user models, or overlap strategies between values of α.

    A user model may have lists of values (alpha: [0, 0.5, 1]) or ranges for its parameters. All
    combinations are evaluated in one pass over the files. tau_b low and high are the limits of a 95 %
    bootstrap interval over topics. p tests the difference between the best and the second run.

    With strategies (--strategy, or strategies in CONFIG), the command prints for each run the score of
    every strategy for α from 0 to 1, the values of α at which the best strategy changes, the largest
    lead of the best strategy over the second, and the distance to oracle, a greedy reference that knows
    the assessments. A user model with several values of α keeps these; --step sets them for others.
    """
    inputs = campaign.inputs()
    if inputs.strategy_list:
        return _strategy_sweep(inputs, step, crossings)
    refuse_unused(True, "without overlap strategies (--strategy NAME)", "--step", "--crossings")
    refuse_unused(resamples == 0, "with --resamples 0", "--seed")
    results = evaluate_with_progress(inputs)
    shifts = order_shifts(results, reference_model, resamples, seed)
    best = best_runs(results)
    return Printed(
        shift_rows(shifts, best, resamples),
        results.notes,
        lambda: sweep_plot(results, shifts, reference_model or results.user_models[0]),
        columns=SHIFTS,
        heading=sweep_sentences(results, reference_model, resamples),
        footer=shift_facts(shifts, best, resamples),
    )


def _strategy_sweep(inputs: Inputs, step: float | None, crossings: bool) -> Printed:
    """Study the overlap strategies of the inputs."""
    refuse_unused(True, "with overlap strategies", "--reference-model", "--resamples", "--seed")
    study = study_strategies(inputs, step, evaluate_with_progress)
    figure = functools.partial(strategies_plot, study)
    sentences = study_sentences(study)
    if crossings:
        rows = crossing_rows(study)
        table = None if rows else ["\n"]
        return Printed(rows, study.notes, figure, heading=sentences, table=table, columns=CROSSINGS)
    notes = [*study.notes, *(panel_notes(study) if given_options("--plot") else ())]
    return Printed(study_rows(study), notes, figure, heading=sentences, table=[study_table(study)])


_COLUMNS = {"--orders": AGREEMENTS, "--overall": OVERALL_TESTS}
"""Option of a table → its declared columns, if it has any."""

_OF_BASELINE = ("--margin", "--max-drop", "--max-regressed", "--per-topic")
"""The options that need one baseline for all runs."""


@command(
    example="xcg compare configs/quickstart.yaml --measures MAep --baseline focused",
    statuses={
        1: "As a gate: a run misses its target.",
        3: "As a gate: a result or relevant text does not exist in the corpus.",
    },
)
@campaign_options("runs", "order", "ties", "measures", "unanswered", "workers")
@click.option(
    "--baseline",
    metavar="RUN",
    help="Compare with this run, a name or a path, chosen before seeing the results; all compares "
    "every pair of runs, and best prints those with the best run. A named run is the baseline of "
    "--max-drop and --max-regressed.  [default: all]",
)
@click.option(
    "--test",
    type=click.Choice(PAIRED_TESTS),
    default="t",
    help="Use this paired test over topics. wilcoxon-pratt also ranks the topics without a difference.",
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    help="Correct p values for the number of comparisons with this method.  [default: shaffer for all "
    "pairs by t, otherwise holm]",
)
@click.option(
    "--overall",
    is_flag=True,
    help="Print tests over all runs: ANOVA, and Friedman with its pairwise tests (Conover).",
)
@click.option(
    "--means",
    is_flag=True,
    help='Print the mean of each run, and the runs that differ significantly, such as "D, E > A**".',
)
@click.option(
    "--letters",
    is_flag=True,
    help="With --overall and --means, call the runs A, B, C and so on.",
)
@click.option(
    "--orders",
    is_flag=True,
    help="Print τ-b with a 95 % bootstrap interval over topics, Pearson's correlation and τ_AP between "
    "the orders of runs by all measures and user models.",
)
@resamples_option
@seed_option
@count_option("--topics", "Print this number of deciding topics.", default=3, least=0, most=MAX_NUMBER)
@click.option(
    "--margin",
    multiple=True,
    metavar="[MEASURE=]VALUE",
    help="Test if runs are at most this much worse than a named baseline, and if they differ by at "
    "most this much. With --fail-if-worse-than, exit with status 1 unless every run is shown to be at "
    "most this much worse (5 %).",
)
@gate_options
@prints(*TABLES, plot=True)
def compare(
    campaign: CampaignOptions,
    baseline: str | None,
    test: str,
    correction: str | None,
    overall: bool,
    means: bool,
    letters: bool,
    orders: bool,
    resamples: int,
    seed: int,
    topics: int,
    margin: Sequence[str],
    gate: GateOptions,
) -> Printed:
    """Test the differences between runs over topics.

    All pairs of runs are compared, with a correction for their number, or all runs with a named
    baseline. With several overlap strategies, the pairs are the strategies of the same run; oracle is a
    greedy reference and is not compared.

    A sentence above the table states baseline, test, correction, level and topics. The table has the
    baseline's mean, and for each run the difference, its confidence interval that matches the test, the
    p value and Cohen's d_z. Without a baseline, runs are shown relative to the best one, and those that
    share a letter do not differ significantly; --baseline all prints all pairs. --format markdown and
    latex print a short table for papers. A relative difference is marginal below 5 %, noticeable from 5
    to 10 %, and material above 10 % (Spärck Jones).

    With --means, the table has the form of Table 2 of Järvelin & Kekäläinen 2002. "D, E > A**" means
    that D and E are better than A: p < 0.01 with **, p < 0.05 with *, both in Friedman's test and in
    Conover's pairwise test. The paper does not correct for the number of pairs: --correction none. In
    --overall, the row of Friedman's test has the same form, and the difference of a pair is relative to
    the worse run.

    With --fail-under, --fail-if-worse-than, --max-drop or --max-regressed, the command is a gate: the
    exit status is 1 if a run misses its target, 3 if a result or relevant text does not exist in the
    corpus, and 2 if the input is wrong, or no topic is answered. --format markdown then prints a
    comment for a pull request: the verdict and its reasons, the worst topics, and the table. Each
    verdict states how often an unchanged run fails, and which loss is found with 80 % power.
    --max-drop and --max-regressed need a baseline, from --baseline or --fail-if-worse-than.
    """
    if overall + means + orders > 1:
        raise XcgError("expected one of --overall, --means and --orders")
    table = "--orders" if orders else "--overall" if overall else "--means" if means else ""
    _refuse_unused_options(table, gate)
    refuse_unused(resamples == 0, "with --resamples 0", "--seed")
    chosen = gate.fail_if_worse_than if gate.fail_if_worse_than is not None else baseline
    named = chosen not in (None, ALL_PAIRS, BEST)
    refuse_unused(not named, "without --fail-if-worse-than or a named --baseline", *_OF_BASELINE)
    campaign.lenient |= gate.allow_unmapped is not None
    if campaign.measures is None and gate.measures and campaign.config is None:
        campaign.measures = " ".join(gate.measures)
    inputs = campaign.inputs(check_corpus=gate.is_given)
    inputs, chosen = with_named_run(inputs, chosen, (ALL_PAIRS, BEST))
    inputs = replace(inputs, measures=[*inputs.measure_list, *gate.measures])
    results = evaluate_with_progress(inputs)
    margins = parse_margins(margin, results.measures) if margin else None
    tested = results.without_references()
    notes = list(tested.notes)
    rows: list[Row] = []
    comparisons: list[Comparison] = []
    printed = Printed("")
    if orders:
        rows = order_rows(tested, resamples, seed)
    elif overall or means:
        shown, legend = with_letters(tested) if letters else (tested, "")
        rows = (overall_rows if overall else means_rows)(shown, correction or "holm")
        notes += [legend] if legend else []
        if len(tested.runs) == 2:
            notes.append("note: Friedman's test needs at least three runs; there are two")
    elif len(tested.runs) > 1 or not gate.minimums:
        comparisons = compare_results(
            tested, baseline=chosen, test=test, correction=correction, margin=margins
        )
        rows = comparison_rows(tested, comparisons, topics)
        printed = _printed_comparisons(tested, comparisons, topics, chosen, correction)
        notes += zero_notes(tested, comparisons)
    else:
        unused = ("--test", "--correction", "--margin", "--baseline", "--topics")
        refuse_unused(not gate.compares, "on a single run", *unused)
    printed = printed._replace(
        content=rows or "",
        notes=notes,
        figure=functools.partial(differences_plot, tested, chosen, comparisons),
        columns=_COLUMNS.get(table, ()),
    )
    if not gate.is_given:
        return printed
    return gate.checked(campaign, inputs, results, chosen, printed, test, correction, margins)


def _printed_comparisons(
    results: Results,
    comparisons: Sequence[Comparison],
    topics: int,
    baseline: str | None,
    correction: str | None,
) -> Printed:
    """Arrange comparisons as tables; a terminal shows all pairs of runs only if they are wanted."""
    within_runs = compares_within_runs(results)
    statement = comparison_statement(comparisons, baseline, correction, within_runs)
    by_pair = (within_runs or baseline == ALL_PAIRS) and not has_one_baseline(comparisons)
    shown = pair_tables if by_pair else run_tables
    tables: list[Table | str] = [*shown(results, comparisons, topics)]
    complete = list(tables)
    if not (by_pair or has_one_baseline(comparisons)):
        complete += ["\n", *pair_tables(results, comparisons, topics)]
    return Printed(
        "",
        heading=statement.lead,
        footer=statement.facts,
        table=complete,
        terminal_table=tables,
        publication=publication_table(results, comparisons, by_pair),
    )


def _refuse_unused_options(table: str, gate: GateOptions) -> None:
    """Refuse options without effect on a table ("" for pairs of runs) and on a gate."""
    refuse_unused(table != "--orders", "without --orders", "--resamples", "--seed")
    if table:
        unused = ("--topics", "--plot") if gate.limits else ("--baseline", "--topics", "--plot")
        refuse_unused(True, f"with {table}", *unused)
        unused = ("--test", "--margin", *(("--correction",) if table == "--orders" else ()))
        refuse_unused(not gate.has_test, f"with {table}, without --fail-if-worse-than", *unused)
        if table == "--orders" and given_options("--margin"):
            refuse_unused(True, "with --margin", "--correction")
    refuse_unused(table not in ("--overall", "--means"), "without --overall or --means", "--letters")
    gate.refuse_unused()
