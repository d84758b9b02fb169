"""Collect the statistics of the HTML report: intervals, comparisons, best runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import Cell, Results
from xcg.report.comparison_sentences import TEST_NAMES, zero_notes
from xcg.statistics.intervals import mean_intervals
from xcg.statistics.significance import Comparison, best_runs, compare_runs
from xcg.statistics.significance_tests import CORRECTION_NAMES

Json = dict[str, Any]

MAX_COMPARISONS = 60_000
"""Further comparisons are left out to keep the file small."""
DIGITS = 7
"""Differences and limits are stored with this number of digits, and shown with fewer."""


class StepCounter:
    """Counts the completed steps of the report and reports them."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self.total = total
        self._done = 0

    def set(self, done: int) -> None:
        """Set the number of completed steps."""
        self._done = done
        if self._progress is not None:
            self._progress(min(done, self.total), self.total)

    def advance(self, steps: int) -> None:
        """Add completed steps."""
        self.set(self._done + steps)


@dataclass(frozen=True)
class ReportContext:
    """An evaluated campaign.

    Attributes:
        topics: The topics that have scores.
        notes: The notes of the evaluation; receives those on the comparisons.
        limits: Receives a sentence about everything that is left out to keep the file small.
    """

    inputs: Inputs
    results: Results
    topics: Sequence[str]
    steps: StepCounter
    notes: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)


def interval_data(context: ReportContext) -> list[list[list[float | None]]]:
    """Return user model → measure → run → half the width of the 95 % interval of the mean."""
    results = context.results
    intervals, _ = mean_intervals(results)

    def half_width(cell: Cell) -> float | None:
        limits = intervals.get(cell)
        return _rounded((limits[1] - limits[0]) / 2) if limits else None

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
    number = {run: index for index, run in enumerate(context.results.runs)}
    for model, measure in product(context.inputs.user_models, context.results.measures):
        entry: Json = {"model": model.name, "measure": measure}
        data.append(entry)
        try:
            found = compare_runs(context.results, measure, model.name)
        except XcgError as error:
            entry["untested"] = str(error)
            continue
        if len(found) > remaining:
            left_out += 1
            entry["untested"] = "the comparisons are left out, to keep the file small"
            continue
        remaining -= len(found)
        context.notes.extend(zero_notes(context.results, found))
        entry |= {"test": TEST_NAMES[found[0].test, ""]}
        entry |= {"correction": CORRECTION_NAMES[found[0].correction]}
        entry["lines"] = [_line(comparison, number) for comparison in found]
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


def best_run_data(context: ReportContext) -> list[Json]:
    """Return the best run by each measure under each user model, and its difference from the second."""
    lines = []
    for one in best_runs(context.results):
        runs = one.best, one.second
        means = [context.results.value(run, one.measure, user_model=one.user_model) for run in runs]
        line = {"model": one.user_model, "measure": one.measure, "run": one.best, "mean": means[0]}
        line |= {"second": one.second, "difference": means[0] - means[1]}
        tested = {"p": one.p, "tested_topics": one.topics}
        line |= {"untested": "runs share fewer than two topics"} if one.p is None else tested
        lines.append(line)
    return lines
