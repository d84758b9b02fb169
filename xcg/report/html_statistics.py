"""Collect the statistics of the HTML report: intervals, comparisons, best runs, overlap strategies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.errors import MissingSizeError, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import Cell, Results
from xcg.measures import MEASURES
from xcg.report import strategy_studies
from xcg.report.comparison_sentences import TEST_NAMES
from xcg.report.plot_selection import best_first
from xcg.runs.run import ORACLE, Run
from xcg.statistics.corrections import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.intervals import mean_intervals
from xcg.statistics.significance import Comparison, compare_runs
from xcg.statistics.strategy_study import Case, StrategyStudy, rewritten_runs, study_strategies
from xcg.strategies.extents import overlapping_positions

Json = dict[str, Any]

MAX_COMPARISONS = 60_000
"""Further comparisons are left out to keep the file small."""
DIGITS = 7
"""Differences and limits are stored with this number of digits, and shown with fewer."""
FIRST_RESULTS = 10
"""The results of each topic whose overlap is counted."""

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

    @cached_property
    def tests(self) -> dict[tuple[str, str], list[Comparison] | str]:
        """The comparisons for each user model and measure, or the reason if there are none."""
        found: dict[tuple[str, str], list[Comparison] | str] = {}
        for model, measure in product(self.inputs.user_models, self.results.measures):
            try:
                found[model.name, measure] = compare_runs(self.results, measure, model.name)
            except XcgError as error:
                found[model.name, measure] = str(error)
        return found


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
    for (model, measure), found in context.tests.items():
        entry: Json = {"model": model, "measure": measure}
        is_tested = not isinstance(found, str)
        if isinstance(found, str) or len(found) > remaining:
            left_out += is_tested
            reason = "the comparisons are left out, to keep the file small" if is_tested else found
            data.append(entry | {"untested": reason})
            continue
        remaining -= len(found)
        number = {run: index for index, run in enumerate(context.results.runs)}
        entry |= {"test": TEST_NAMES[found[0].test, ""]}
        entry |= {"correction": CORRECTION_NAMES[found[0].correction]}
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


def best_runs(context: ReportContext) -> list[Json]:
    """Return the best run for each user model and measure, and its difference from the second."""
    results = context.results.without_references()
    lines = []
    for (model, measure), tested in context.tests.items():
        ranking = best_first(results, measure, model)
        if not ranking:
            continue
        best, *others = ranking
        mean = results.value(best, measure, user_model=model)
        line: Json = {"model": model, "measure": measure, "run": best, "mean": mean}
        if others:
            difference = mean - results.value(others[0], measure, user_model=model)
            line |= {"second": others[0], "difference": difference}
            line |= _test_of(tested, best, others[0])
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
        "overlap": _overlap(context, strategies),
        "first": FIRST_RESULTS,
    }


def _cases(study: StrategyStudy, shown: Sequence[Case], strategies: Sequence[str]) -> Iterator[Json]:
    """Yield the lines of each measure, user model and run, and the changes of the best strategy."""
    lines: dict[Case, dict[str, dict[float, float | None]]] = {}
    for score in study.scores:
        values = lines.setdefault(score[:3], {}).setdefault(score.strategy, {})
        value = score.score
        values[score.alpha] = value if value is not None and math.isfinite(value) else None
    for case in shown:
        gaps: list[Json] = []
        for number, strategy in enumerate(strategies):  # a point without a score makes a gap
            known = lines[case][strategy]
            points = sorted((a, math.nan if s is None else s) for a, s in known.items())
            further = sorted(set(strategy_studies.with_gaps(points)[0]) - known.keys())
            gaps += [{"strategy": number, "alpha": x, "score": None} for x in further]
        yield {
            **dict(zip(("measure", "model", "run"), case, strict=True)),
            "sentence": strategy_studies.case_sentence(study, case),
            "lower_is_better": MEASURES.order(case[0]).lower_is_better,
            "alphas": list(lines[case][ORACLE]),
            "scores": [list(lines[case][strategy].values()) for strategy in strategies],
            "gaps": gaps,
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


def _overlap(context: ReportContext, strategies: Sequence[str]) -> Json:
    """Return run as read → strategy → share of overlapping results among the first ones, or null."""
    inputs = context.inputs
    shares: Json = {}
    for original, strategy, run in rewritten_runs(inputs):
        own = shares.setdefault(original, [None] * len(strategies))
        if not run.is_reference:  # its order depends on the user model
            own[strategies.index(strategy)] = _overlap_of(run, context.topics, inputs.documents)
    return shares


def _overlap_of(run: Run, topics: Sequence[str], corpus: Corpus | None) -> float | None:
    """Return the mean share over topics; None without results or if the corpus is needed."""
    shares = []
    for topic in topics:
        ranking = run.rankings[topic].top(FIRST_RESULTS) if topic in run.rankings else None
        if ranking:
            try:
                shares.append(len(overlapping_positions(ranking, corpus)) / len(ranking))
            except MissingSizeError:
                return None
    return math.fsum(shares) / len(shares) if shares else None
