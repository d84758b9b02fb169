"""Collect the statistics of the HTML report: intervals, comparisons, best runs, overlap strategies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import Cell, Results
from xcg.measures import MEASURES
from xcg.report import strategy_studies
from xcg.report.comparison_sentences import TEST_NAMES
from xcg.runs.run import ORACLE
from xcg.statistics.corrections import CORRECTION_NAMES
from xcg.statistics.intervals import mean_intervals
from xcg.statistics.significance import Comparison, best_runs, compare_runs
from xcg.statistics.strategy_study import Case, StrategyStudy, study_strategies

Json = dict[str, Any]

MAX_COMPARISONS = 60_000
"""Further comparisons are left out to keep the file small."""
DIGITS = 7
"""Differences and limits are stored with this number of digits, and shown with fewer."""

MAX_LINES = 20_000
"""The most lines over α; further runs are left out to keep the file small."""


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
        limits: Receives a sentence about everything that is left out to keep the file small.
    """

    inputs: Inputs
    results: Results
    topics: Sequence[str]
    steps: StepCounter
    limits: list[str] = field(default_factory=list)


def interval_data(context: ReportContext) -> list[list[list[float | None]]]:
    """Return user model → measure → run → half the width of the 95 % interval of the mean."""
    results = context.results
    intervals, _ = mean_intervals(results)

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


def strategy_data(context: ReportContext) -> Json | None:
    """Return what the section on overlap strategies shows; None without strategies."""
    inputs = context.inputs
    if not inputs.strategy_list:
        return None

    def evaluate_step(inputs: Inputs) -> Results:
        results = evaluate(inputs)
        context.steps.advance(1)
        return results

    try:
        study = study_strategies(inputs, evaluate=evaluate_step)
    except XcgError as error:
        return {"missing": str(error)}
    strategies = list(dict.fromkeys(score.strategy for score in study.scores))
    shown = list(study.leaders)[: max(1, MAX_LINES // len(strategies))]
    if len(shown) < len(study.leaders):
        context.limits.append(
            "To keep this file small, overlap strategies are compared for the first "
            f"{len(shown)} of {len(study.leaders)} runs, measures and user models."
        )
    return {
        "names": [strategy_studies.strategy_label(strategy) for strategy in strategies],
        "reference": strategies.index(ORACLE),
        "remarks": [*strategy_studies.general_sentences(study), strategy_studies.ORACLE_SENTENCE],
        "cases": list(_cases(study, shown, strategies)),
    }


def _cases(study: StrategyStudy, shown: Sequence[Case], strategies: Sequence[str]) -> Iterator[Json]:
    """Yield the lines of each measure, user model and run, and the changes of the best strategy."""
    lines: dict[Case, dict[str, dict[float, float | None]]] = {}
    for score in study.scores:
        values = lines.setdefault(score[:3], {}).setdefault(score.strategy, {})
        value = score.score
        values[score.alpha] = value if value is not None and math.isfinite(value) else None
    refined: dict[Case, list[Json]] = {}
    for score in study.refined:
        if score.score is not None and math.isfinite(score.score):
            point = {"strategy": strategies.index(score.strategy), "alpha": score.alpha}
            refined.setdefault(score[:3], []).append(point | {"score": score.score})
    for case in shown:
        for number, strategy in enumerate(strategies):  # a point without a score makes a gap
            own = refined.setdefault(case, [])
            known = dict(lines[case][strategy])
            known |= {point["alpha"]: point["score"] for point in own if point["strategy"] == number}
            points = sorted((a, math.nan if s is None else s) for a, s in known.items())
            gaps = set(strategy_studies.with_gaps(points)[0]) - known.keys()
            own += [{"strategy": number, "alpha": x, "score": None} for x in sorted(gaps)]
        yield {
            **dict(zip(("measure", "model", "run"), case, strict=True)),
            "sentence": strategy_studies.case_sentence(study, case),
            "lower_is_better": MEASURES.order(case[0]).lower_is_better,
            "alphas": list(lines[case][ORACLE]),
            "scores": [list(lines[case][strategy].values()) for strategy in strategies],
            "refined": refined.get(case, []),
            "crossings": [
                {
                    "alpha": crossing.alpha,
                    "before": list(map(strategies.index, crossing.before)),
                    "after": list(map(strategies.index, crossing.after)),
                }
                for crossing in study.crossings
                if crossing[:3] == case
            ],
        }
