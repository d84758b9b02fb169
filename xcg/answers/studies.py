"""Answer the studies of measures and designs, ``study plan`` to ``study laws``."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import XcgError
from xcg.evaluation.config import with_named_run
from xcg.evaluation.conversion import assess_elements_of_passages
from xcg.formats.base import read_assessments
from xcg.judgements.anchoring import anchor
from xcg.measures import MEASURES
from xcg.report import stability
from xcg.report.columns import ASSESSORS, FALSE_ALARMS, PERTURBATION, PLANS, TOPIC_SETS
from xcg.report.plans import plan_facts, plan_lead, plan_plot, plan_rows
from xcg.report.plots import levels_plot, perturbation_plot
from xcg.statistics.assessors import agreement as agreement_of
from xcg.statistics.assessors import scores_by_assessor
from xcg.statistics.calibration import calibrate as calibrate_results
from xcg.statistics.perturbation import (
    MEASURES_OF_FIGURE_6,
    STUDIED_MEASURES,
    largest_distance,
    levels_experiment,
)
from xcg.statistics.perturbation import perturb as perturb_inputs
from xcg.statistics.planning import plan as plan_comparisons
from xcg.statistics.significance_tests import SIGNIFICANCE_LEVEL
from xcg.statistics.topic_scores import ALL_PAIRS, topic_scores
from xcg.statistics.topic_sets import summarise_runs, swap_rates


def plan(asked: Asked) -> Answer[Any]:
    """Predict from a pilot campaign which differences a comparison finds, with how many topics."""
    chosen = asked.settings.study.plan
    inputs = asked.inputs_with("assessments", "runs")
    inputs, baseline = with_named_run(inputs, chosen.baseline, (ALL_PAIRS,))
    results = asked.scores_of_systems(inputs)
    plans = plan_comparisons(results, **{**vars(chosen), "baseline": baseline})
    return Answer(
        plans,
        results.notes,
        to_records=lambda: plan_rows(plans),
        layout=lambda: Layout(
            [plan_lead(plans, baseline)], plan_facts(plans, chosen.power), columns=PLANS
        ),
        figure=lambda: plan_plot(plans, chosen.power),
    )


def calibrate(asked: Asked) -> Answer[Any]:
    """Count the false alarms of tests and gates on exchanged runs (A/A study)."""
    chosen = asked.settings.study.calibrate
    inputs = asked.inputs_with("assessments", "runs")
    inputs, baseline = with_named_run(inputs, chosen.baseline, (ALL_PAIRS,))
    results = asked.scores_of_systems(inputs)
    with asked.progress("tasks") as progress:
        names = chosen.test, chosen.correction
        numbers = chosen.campaigns, chosen.seed
        rates = calibrate_results(results, baseline, *names, *numbers, progress, inputs.executor)
    heading = [
        f"{chosen.campaigns} campaigns: the scores of {len(results.topics)} topics exchanged among "
        f"{len(results.runs)} runs; significance level {SIGNIFICANCE_LEVEL}",
        "The exchange gives all runs the same spread, so a rate says nothing about false alarms "
        "between runs whose scores spread differently.",
    ]
    return Answer(rates, results.notes, layout=lambda: Layout(heading, columns=FALSE_ALARMS))


def assessors(asked: Asked) -> Answer[Any]:
    """Evaluate all combinations of alternative assessments, and compare scores and orders of runs."""
    chosen = asked.settings.study.assessors
    if not chosen.others:
        raise XcgError("one assessor: expected further ones, --set study.assessors.others=PATH")
    inputs = asked.inputs_with("assessments", *(() if chosen.agreement else ("runs",)))
    bases = [inputs.recall_base]
    bases += [anchor(read_assessments(one), inputs.documents, inputs.notes) for one in chosen.others]
    if chosen.agreement:
        if inputs.documents is not None:  # highlighted passages become elements
            bases = [assess_elements_of_passages(base, inputs.documents) for base in bases]
        return Answer(
            [
                {"assessors": f"{a} and {b}", **agreement_of(first, second)}
                for (a, first), (b, second) in combinations(enumerate(bases, 1), 2)
            ]
        )
    found = scores_by_assessor(bases, inputs)
    arrange, draw = stability.assessor_rows, stability.correlations_plot
    if chosen.ranges:
        arrange, draw = stability.range_rows, stability.ranges_plot
    rows = arrange(found, chosen.seed)
    return Answer(
        rows,
        next(iter(found.values())).notes,
        layout=lambda: Layout(columns=ASSESSORS),
        figure=lambda: draw(rows),
    )


def topics(asked: Asked) -> Answer[Any]:
    """Compare runs on disjoint topic sets, and count how often their order is reversed."""
    chosen = asked.settings.study.topics
    inputs = asked.inputs_with("assessments", "runs")
    results = asked.scores_of_systems(inputs)
    if len(results.user_models) != 1:
        raise XcgError("several user models: expected one for this study")
    (model,) = results.user_models
    found, runs = {}, {}
    for measure in results.measures:
        scores = topic_scores(results, measure, model, results.runs).matrix
        order = MEASURES.order(measure)
        found[measure] = swap_rates(scores, order, chosen.trials, chosen.seed)
        runs[measure] = summarise_runs(scores, order)
    if chosen.rates:
        rows = stability.swap_rows(found, chosen.sizes)
    else:
        rows = stability.needed_rows(found, runs, chosen.sizes)
    return Answer(
        rows,
        [*results.notes, *stability.topic_notes(rows, runs)],
        layout=lambda: Layout(footer=stability.cell_facts(rows), columns=TOPIC_SETS),
        figure=lambda: stability.swaps_plot(found, chosen.sizes),
    )


def perturb(asked: Asked) -> Answer[Any]:
    """Insert non-relevant results after or before the first result, and compute the effect."""
    inputs = asked.inputs_with("assessments", "runs")
    if not asked.states("measures"):
        inputs = replace(inputs, measures=MEASURES_OF_FIGURE_6)
    counts = sorted({0, *asked.settings.study.perturb.counts})
    with asked.progress("runs and user models") as progress:
        lines = perturb_inputs(inputs, counts, progress)
    return Answer(
        lines,
        lines.notes,
        layout=lambda: Layout(columns=PERTURBATION),
        figure=lambda: perturbation_plot(lines),
    )


def levels(asked: Asked) -> Answer[Any]:
    """Test whether graded measures depend on the number of relevance levels."""
    chosen = asked.settings.study.levels
    curves = levels_experiment(chosen.uniform, chosen.repetitions, chosen.seed, asked.inputs.executor)
    names = [f"{curve.measure}/{curve.levels}" for curve in curves]
    rows = [
        {"swaps": number, **dict(zip(names, values, strict=True))}
        for number, values in enumerate(zip(*(curve.values for curve in curves), strict=True))
    ]
    notes = [
        f"{measure}: the largest distance between the curves is {largest_distance(curves, measure):.4f}"
        for measure in STUDIED_MEASURES
    ]
    return Answer(rows, notes, figure=lambda: levels_plot(curves))
