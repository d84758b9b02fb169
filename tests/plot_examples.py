"""Figures of all kinds for a number of runs with long names."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from xcg.evaluation.curves import CurveOf
from xcg.evaluation.results import Result, Results
from xcg.report.comparison_plots import differences_plot, strategies_plot, sweep_plot
from xcg.report.plots import curves_plot, levels_plot, perturbation_plot
from xcg.report.stability import correlations_plot, ranges_plot, swaps_plot
from xcg.statistics.intervals import Interval
from xcg.statistics.perturbation import LevelCurve, PerturbedMean
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.significance import compare
from xcg.statistics.strategy_study import Leaders, StrategyScore, StrategyStudy
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates

MEASURES = ["nxCG@10", "MAep", "iMAep", "Q", "R"]
MODELS = [
    f"sweep[quantisation={quantisation},ideal={ideal},alpha={alpha / 4}]"
    for quantisation in ("sog", "gen", "strict")
    for ideal in ("kazai_lalmas", "leaves", "roots")
    for alpha in range(5)
]


def run_names(runs: int) -> list[str]:
    """Return long names that differ in the middle."""
    return [f"university-of-example-task-{number:02d}-focused-elements.xml" for number in range(runs)]


def _score(*key: object) -> float:
    """Return a number from 0 to 1 that depends on the key only."""
    return random.Random(repr(key)).random()


def _results(runs: int, measures: list[str], models: list[str], topics: int) -> Results:
    rows = []
    for model in models:
        for measure in measures:
            for number, run in enumerate(run_names(runs)):
                scores = {
                    str(162 + topic): 0.6 * (1 - number / runs)
                    + 0.4 * _score(run, measure, model, topic)
                    for topic in range(topics)
                }
                rows += [Result(run, topic, measure, y, model) for topic, y in scores.items()]
                mean = sum(scores.values()) / len(scores)
                rows.append(Result(run, "all", measure, mean, model))
    return Results(rows)


def _differences(results: Results) -> Any:
    return differences_plot(results, compare(results, baseline=results.runs[0]))


def _sweep(runs: int, measures: list[str]) -> Any:
    shifts = [
        OrderShift(measure, model, tau, 1, "x", Interval(tau - 0.2, min(1.0, tau + 0.1)))
        for measure in measures
        for model in MODELS
        for tau in [1 - 0.8 * _score(measure, model)]
    ]
    return sweep_plot(_results(runs, measures, MODELS, 2), shifts)


def _curves(runs: int, measures: list[str], models: list[str]) -> list[CurveOf]:
    x = np.arange(1, 101)
    return [
        CurveOf(run, "all", measure, model, x, (1 - number / runs) * (1 - np.exp(-x / 30)) * scale)
        for measure in measures
        for model in models
        for scale in [0.5 + _score(model) / 2]
        for number, run in enumerate(run_names(runs))
    ]


def _perturbation(runs: int) -> Any:
    return perturbation_plot(
        [
            PerturbedMean(run, measure, "kazai-lalmas-2006", position, n, value, None)  # type: ignore[arg-type]
            for run in run_names(runs)
            for position in ("before first", "after first")
            for measure in [*MEASURES, "ep@0.1"]
            for n in (0, 1, 10, 100, 1000)
            for value in [_score(run, measure) / (1 + n / 50)]
        ]
    )


def _range_rows(runs: int) -> list[dict[str, Any]]:
    rows = []
    for measure in MEASURES[:2]:
        for topics in ("34 (all topics)", "12 (double-judged topics)"):
            for run in [*run_names(runs), "mean of runs"]:
                mean = _score(measure, topics, run)
                row = {"measure": measure, "topics": topics, "run": run, "lowest": mean - 0.1}
                row |= {"mean": mean, "highest": mean + 0.2, "range": 0.3, "% of mean": 30.0}
                rows.append(row)
    return rows


def _correlations(_: int) -> Any:
    return correlations_plot(
        [
            {"measure": m, "topics": t, "tau_b min": 0.5, "tau_b mean": 0.75, "tau_b max": 0.9}
            for t in ("34 (all topics)", "12 (double-judged topics)")
            for m in [*MEASURES, "MAnxCG@1500", "gr@10", "ep@0.1", "nxCG(budget=words)@1500"]
        ]
    )


def _swaps(_: int) -> Any:
    counts = np.full((17, len(BIN_STARTS)), 200, np.int64)
    swaps = np.array([[90 // (1 + i) // (1 + j) for j in range(len(BIN_STARTS))] for i in range(17)])
    rates = SwapRates(tuple(range(1, 18)), counts, swaps, 0 * counts)
    return swaps_plot(dict.fromkeys(MEASURES, rates), [25, 50])


def _strategies(runs: int) -> Any:
    cases = [(measure, "kazai-lalmas-2006", run) for measure in MEASURES[:2] for run in run_names(runs)]
    scores = [
        StrategyScore(*case, strategy, alpha, _score(case, strategy, alpha), 0.0, is_best=False)
        for case in cases
        for strategy in ("unique", "focused", "parent", "best-first(depth=3)", "oracle")
        for alpha in (0.0, 0.5, 1.0)
    ]
    leaders = {case: [Leaders(("unique",), 0.0, 1.0)] for case in cases}
    return strategies_plot(StrategyStudy(scores, leaders, {}, ()))


def _levels(_: int) -> Any:
    return levels_plot(
        [
            LevelCurve(measure, levels, [1 - swaps / 300 for swaps in range(100)])
            for measure in ("muMAP", "avgNDCG", "avgNDCNG")
            for levels in (2, 10, 20, 50)
        ]
    )


FIGURES: Mapping[str, Callable[[int], Any]] = {
    "compare one measure": lambda runs: _differences(_results(runs, ["MAep"], ["m"], 34)),
    "compare five measures": lambda runs: _differences(_results(runs, MEASURES, ["m"], 34)),
    "compare user models": lambda runs: _differences(
        _results(runs, MEASURES[:3], ["overlap-off", "kazai-lalmas-2006"], 34)
    ),
    "compare 125 topics": lambda runs: _differences(_results(runs, ["MAep"], ["m"], 125)),
    "sweep one measure": lambda runs: _sweep(runs, ["MAep"]),
    "sweep five measures": lambda runs: _sweep(runs, MEASURES),
    "curves": lambda runs: curves_plot(_curves(runs, ["nxCG", "ep"], ["kazai-lalmas-2006"])),
    "curves of 45 user models": lambda runs: curves_plot(_curves(runs, ["nxCG"], MODELS)),
    "perturb": _perturbation,
    "ranges": lambda runs: ranges_plot(_range_rows(runs)),
    "correlations": _correlations,
    "swaps": _swaps,
    "strategies": _strategies,
    "levels": _levels,
}
"""Name of the figure → function that draws it for a number of runs."""
