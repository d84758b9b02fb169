"""Answer ``compare``: the differences between runs, tests over all runs, and orders of runs."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.evaluation.results import Results
from xcg.evaluation.run_names import with_named_run
from xcg.report.columns import AGREEMENTS, OVERALL_TESTS
from xcg.report.comparison_plots import differences_plot
from xcg.report.comparison_sentences import comparison_statement, zero_notes
from xcg.report.comparison_tables import comparison_tables, has_one_baseline, publication_tables
from xcg.report.comparisons import (
    comparison_rows,
    means_rows,
    overall_rows,
    with_letters,
)
from xcg.report.orders import order_rows
from xcg.statistics.corrections import CORRECTION_NAMES
from xcg.statistics.margins import parse_margins
from xcg.statistics.significance import Comparison
from xcg.statistics.significance import compare as compare_results
from xcg.statistics.topic_scores import ALL_PAIRS, BEST, compares_within_runs


def compare(asked: Asked) -> Answer[Any]:
    """Return the comparisons of runs, or a table about all runs."""
    chosen = asked.settings.compare
    if chosen.table != "pairs":
        asked.refuse("plot.path", f"with the table {chosen.table}")
    inputs = asked.inputs_with("assessments", "runs")
    inputs, baseline = with_named_run(inputs, chosen.baseline, (ALL_PAIRS, BEST))
    results = asked.evaluate(inputs).without_references()
    if chosen.table == "pairs":
        return compared(asked, results, baseline)
    notes = list(results.notes)
    if chosen.table == "orders":
        rows = order_rows(results, chosen.resamples, chosen.seed)
        legend = [
            f"Orders of {len(results.runs)} runs by their means over {len(results.topics)} topics."
        ]
        return Answer(rows, notes, layout=lambda: Layout(columns=AGREEMENTS, legend=legend))
    shown, names = with_letters(results) if chosen.letters else (results, "")
    notes += [names] if names else []
    if len(results.runs) == 2:
        notes.append("note: Friedman's test needs at least three runs; there are two")
    correction = chosen.correction or "holm"
    over = f"over the topics that all runs have, of {len(results.topics)}"
    corrected = f"corrected for the number of pairs ({CORRECTION_NAMES[correction]})"
    if correction == "none":
        corrected = "without a correction for the number of pairs"
    if chosen.table == "overall":
        rows = overall_rows(shown, correction)
        legend = [f"Tests {over}; Conover's, {corrected}."]
        return Answer(rows, notes, layout=lambda: Layout(columns=OVERALL_TESTS, legend=legend))
    rows = means_rows(shown, correction)
    legend = [
        f"Means {over}.",
        f"A > B: A is better than B by Conover's test after Friedman's, {corrected}; * p < 0.05, ** "
        "p < 0.01.",
    ]
    return Answer(rows, notes, layout=lambda: Layout(legend=legend))


def margins_of(asked: Asked, measures: Sequence[str]) -> Mapping[str, float] | None:
    """Return the margins by measure."""
    margin = asked.settings.compare.margin
    return parse_margins(margin, measures) if margin is not None else None


def compared(asked: Asked, results: Results, baseline: str | None) -> Answer[Comparison]:
    """Return the comparisons of evaluated runs."""
    chosen = asked.settings.compare
    comparisons = compare_results(
        results,
        baseline=baseline,
        test=chosen.test,
        correction=chosen.correction,
        margin=margins_of(asked, results.measures),
    )

    def layout() -> Layout:
        within_runs = compares_within_runs(results)
        statement = comparison_statement(comparisons, baseline, chosen.correction, within_runs)
        by_pair = (within_runs or baseline == ALL_PAIRS) and not has_one_baseline(comparisons)
        return Layout(
            statement.lead,
            statement.facts,
            comparison_tables(results, comparisons, chosen.topics, by_pair),
            lambda: publication_tables(results, comparisons, baseline or ALL_PAIRS, by_pair),
        )

    return Answer(
        comparisons,
        [*results.notes, *zero_notes(results, comparisons)],
        to_records=lambda: comparison_rows(results, comparisons, chosen.topics),
        layout=layout,
        figure=functools.partial(differences_plot, results, baseline, comparisons),
    )
