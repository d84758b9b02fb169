"""Answer ``sweep``: how user models, and overlap strategies over alpha, order the runs."""

from __future__ import annotations

import functools
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.report.columns import CROSSINGS, SHIFTS
from xcg.report.comparison_plots import panel_notes, strategies_plot, sweep_plot
from xcg.report.orders import shift_facts, shift_rows, shift_tables, sweep_sentences
from xcg.report.strategy_studies import (
    crossing_rows,
    study_rows,
    study_sentences,
    study_table,
)
from xcg.statistics.rank_correlation import order_shifts
from xcg.statistics.significance import best_runs
from xcg.statistics.strategy_study import study_strategies


def sweep(asked: Asked) -> Answer[Any]:
    """Compare the orders of runs, or the overlap strategies if there are some."""
    inputs = asked.inputs_with("assessments", "runs")
    chosen = asked.settings.sweep
    if inputs.strategy_list:
        return _strategy_sweep(asked)
    results = asked.evaluate(inputs)
    shifts = order_shifts(results, chosen.reference_model, chosen.resamples, chosen.seed)
    best = best_runs(results)
    named = results, chosen.reference_model, chosen.resamples
    rows = functools.partial(shift_rows, shifts, best, chosen.resamples)
    facts = shift_facts(shifts, best, chosen.resamples)
    return Answer(
        shifts,
        results.notes,
        to_records=rows,
        layout=lambda: Layout(
            sweep_sentences(*named),
            facts,
            publication=lambda: shift_tables(rows(), [*sweep_sentences(*named, hint=False), *facts]),
            columns=SHIFTS,
        ),
        figure=lambda: sweep_plot(results, shifts, chosen.reference_model or results.user_models[0]),
    )


def _strategy_sweep(asked: Asked) -> Answer[Any]:
    """Study the overlap strategies of the inputs."""
    chosen = asked.settings.sweep
    study = study_strategies(asked.inputs, chosen.step, asked.evaluate)
    figure = functools.partial(strategies_plot, study)
    sentences = study_sentences(study)
    if chosen.crossings:
        rows = crossing_rows(study)
        tables = None if rows else ["\n"]
        layout = Layout(sentences, tables=tables, columns=CROSSINGS)
        return Answer(rows, study.notes, layout=lambda: layout, figure=figure)
    notes = [*study.notes, *(panel_notes(study) if asked.settings.plot.path else ())]
    return Answer(
        study_rows(study),
        notes,
        layout=lambda: Layout(
            sentences,
            tables=[study_table(study)],
            publication=lambda: [study_table(study, has_all_names=True)],
        ),
        figure=figure,
    )
