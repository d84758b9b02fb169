"""The statistics of the HTML report: intervals of means, comparisons of runs, and the best runs."""

from __future__ import annotations

import math

from xcg.errors import XcgError
from xcg.measures import MEASURES
from xcg.report.html_context import Json, ReportContext
from xcg.statistics.corrections import SIGNIFICANCE_LEVEL
from xcg.statistics.intervals import mean_intervals
from xcg.statistics.significance import Comparison, compare_runs
from xcg.statistics.topic_scores import Cell

MAX_COMPARISONS = 60_000
"""Further comparisons are left out to keep the file small."""
DIGITS = 7
"""Differences and limits are stored with this number of digits, and shown with fewer."""


def interval_data(context: ReportContext) -> list[list[list[float | None]]]:
    """Return user model → measure → run → half the width of the 95 % interval of the mean."""
    results = context.results
    try:
        intervals, _ = mean_intervals(results)
    except XcgError as error:  # scipy is missing
        context.limits.append(f"There are no confidence intervals: {error}")
        return []

    def half_width(cell: Cell) -> float | None:
        low, high = intervals.get(cell, (None, None))
        return None if low is None or high is None else _rounded((high - low) / 2)

    return [
        [
            [half_width((measure, model.name, run)) for run in results.runs]
            for measure in results.measures
        ]
        for model in context.inputs.user_models
    ]


def comparison_data(context: ReportContext) -> list[Json]:
    """Return the tests of all pairs of runs, for each user model and measure.

    The lines of a test are lists: run, baseline (indices of runs), difference, lower and upper limit of
    its interval, corrected p value, number of topics.
    """
    data, remaining, left_out = [], MAX_COMPARISONS, 0
    for (model, measure), found in _tests(context).items():
        entry: Json = {"model": model, "measure": measure}
        if isinstance(found, str):
            data.append(entry | {"untested": found})
            continue
        if len(found) > remaining:
            left_out += 1
            reason = "the comparisons are left out, to keep the file small"
            data.append(entry | {"untested": reason})
            continue
        remaining -= len(found)
        number = {run: index for index, run in enumerate(context.results.runs)}
        entry |= {"test": found[0].test, "correction": found[0].correction}
        data.append(entry | {"lines": [_line(comparison, number) for comparison in found]})
    if left_out:
        context.limits.append(
            "To keep this file small, the comparisons of all pairs of runs are left out for "
            f"{left_out} of {len(data)} combinations of measure and user model."
        )
    return data


def _line(found: Comparison, number: dict[str, int]) -> list[int | float | None]:
    limits = map(_rounded, (found.difference, found.low, found.high))
    # With all its digits, p remains on the same side of the significance level.
    return [number[found.run], number[found.baseline], *limits, found.p_adjusted, found.topics]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def _tests(context: ReportContext) -> dict[tuple[str, str], list[Comparison] | str]:
    """Return the comparisons for each user model and measure, or the reason if there are none."""
    if not context.tests:
        results = context.results
        for model in context.inputs.user_models:
            for measure in results.measures:
                try:
                    found: list[Comparison] | str = compare_runs(results, measure, model.name)
                except XcgError as error:
                    found = str(error)
                context.tests[model.name, measure] = found
    return context.tests


def best_runs(context: ReportContext) -> list[Json]:
    """Return the best run for each user model and measure, and its difference from the second."""
    results = context.results
    means: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for row in results.means():
        if math.isfinite(row.value) and row.run not in results.scope.references:
            means.setdefault((row.user_model, row.measure), []).append((row.run, row.value))
    lines = []
    for (model, measure), tested in _tests(context).items():
        order = MEASURES.order(measure)
        # Runs with equal means keep their order.
        ranking = sorted(means.get((model, measure), ()), key=lambda pair: order.sort_key(pair[1]))
        if not ranking:
            continue
        best, mean = ranking[0]
        line: Json = {"model": model, "measure": measure, "run": best, "mean": mean}
        if len(ranking) > 1:
            second, second_mean = ranking[1]
            line |= {"second": second, "difference": mean - second_mean}
            line |= _test_of(tested, best, second)
        lines.append(line)
    return lines


def _test_of(tested: list[Comparison] | str, best: str, second: str) -> Json:
    """Return the p value of the best run against the second, or the reason if it was not tested."""
    if isinstance(tested, str):
        return {"untested": tested}
    line = next((c for c in tested if {c.run, c.baseline} == {best, second}), None)
    if line is None:
        return {"untested": "only strategies of the same run are compared, and not greedy references"}
    p = line.p_adjusted
    return {"p": p, "significant": p < SIGNIFICANCE_LEVEL, "tested_topics": line.topics}
