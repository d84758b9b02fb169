"""What each plot draws: axes, labels, lines, markers and values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from xcg.errors import XcgError
from xcg.evaluation.curve_ranks import RankOfValue
from xcg.evaluation.curves import CurveOf
from xcg.evaluation.results import Result, Results
from xcg.report import plots
from xcg.statistics.levels import LevelCurve
from xcg.statistics.perturbation import PerturbedMean
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates

pytest.importorskip("matplotlib")


def results_of(measure: str, scores: dict[str, dict[str, dict[str, float]]]) -> Results:
    """Return results from user model → run → topic → score."""
    return Results(
        Result(run, topic, measure, score, model)
        for model, runs in scores.items()
        for run, topics in runs.items()
        for topic, score in topics.items()
    )


def means_of(measure: str, scores: dict[str, dict[str, float]]) -> Results:
    """Return means from user model → run → score."""
    return results_of(
        measure,
        {m: {run: {"all": score} for run, score in runs.items()} for m, runs in scores.items()},
    )


def lines_of(axis: Any) -> dict[str, tuple[list[float], list[float]]]:
    """Return label → x and y of the lines of an axis."""
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axis.get_lines()
    }


def legend_of(owner: Any) -> list[str]:
    legends = owner.legends if hasattr(owner, "legends") else [owner.get_legend()]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def tick_labels(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_xticklabels()]


SWEEP = {
    "sweep[alpha=0]": {"a": 3.0, "b": 1.0, "c": 2.0},
    "sweep[alpha=1]": {"a": 1.0, "b": 1.0, "c": 2.0},
}


@pytest.mark.parametrize(
    ("measure", "ranks"),
    [
        ("MAep", {"a": [1, 2], "b": [3, 2], "c": [2, 1]}),
        ("ASL", {"a": [3, 1], "b": [1, 1], "c": [2, 3]}),  # lower is better
    ],
)
def test_a_sweep_shows_correlations_and_ranks(measure: str, ranks: dict[str, list[int]]) -> None:
    models = list(SWEEP)
    shifts = [
        OrderShift(measure, models[0], 1.0, 1.0, 0, "a"),
        OrderShift(measure, models[1], None, None, 3, "c"),
    ]
    figure = plots.sweep_plot(means_of(measure, SWEEP), shifts, models[0])
    tau_axis, rank_axis = figure.axes
    assert tau_axis.get_title() == f"{measure}: order of runs against sweep[alpha=0]"
    assert (tau_axis.get_ylabel(), rank_axis.get_ylabel()) == ("τ-b", "rank")
    (tau,) = lines_of(tau_axis).values()
    assert tau[0] == [0, 1]
    assert tau[1] == pytest.approx([1.0, float("nan")], nan_ok=True)
    assert {run: y for run, (_, y) in lines_of(rank_axis).items()} == ranks
    assert legend_of(rank_axis) == ["a", "b", "c"]
    assert rank_axis.get_ylim() == (3.5, 0.5)  # rank 1 is at the top
    assert tick_labels(rank_axis) == ["alpha=0", "alpha=1"]


def test_a_sweep_has_a_gap_for_a_missing_mean() -> None:
    scores = {"one": {"a": 1.0, "b": 2.0}, "two": {"a": 1.0}}
    shifts = [OrderShift("MAep", model, 1.0, 1.0, 0, "a") for model in scores]
    _, axis = plots.sweep_plot(means_of("MAep", scores), shifts, "one").axes
    assert lines_of(axis)["b"][1] == pytest.approx([1, float("nan")], nan_ok=True)
    assert tick_labels(axis) == ["one", "two"]


def test_levels_have_one_panel_per_measure() -> None:
    curves = [
        LevelCurve(measure, levels, [1.0, 0.5 / levels])
        for measure in ("muMAP", "NDCG")
        for levels in (2, 10)
    ]
    figure = plots.levels_plot(curves)
    assert [axis.get_title() for axis in figure.axes] == ["muMAP", "NDCG"]
    assert [axis.get_xlabel() for axis in figure.axes] == ["random swaps"] * 2
    assert figure.axes[0].get_ylabel() == "mean over the repetitions"
    assert lines_of(figure.axes[1]) == {
        "2 levels": ([0, 1], [1.0, 0.25]),
        "10 levels": ([0, 1], [1.0, 0.05]),
    }
    assert legend_of(figure.axes[0]) == ["2 levels", "10 levels"]


def curve(run: str, measure: str, model: str, y: Sequence[float] = (0.5, 1.0)) -> CurveOf:
    return CurveOf(run, "all", measure, model, [1, 2], list(y))


def test_curves_have_one_panel_per_measure_and_user_model() -> None:
    curves = [
        curve(run, measure, model)
        for measure in ("nxCG", "ep")
        for model in ("m1", "m2")
        for run in ("a", "b")
    ]
    figure = plots.curves_plot([*curves, curve("a", "nxCG(budget=words)", "m1", (0.25, 0.75))])
    panels = [axis for axis in figure.axes if axis.get_visible()]
    assert len(figure.axes) == 6  # two rows of three, the last panel is empty
    assert [(axis.get_ylabel(), axis.get_title(), axis.get_xlabel()) for axis in panels] == [
        ("nxCG", "m1", "rank"),
        ("nxCG", "m2", "rank"),
        ("ep", "m1", "gain-recall"),
        ("ep", "m2", "gain-recall"),
        ("nxCG(budget=words)", "m1", "words read"),
    ]
    assert lines_of(panels[0]) == {"a": ([1, 2], [0.5, 1.0]), "b": ([1, 2], [0.5, 1.0])}
    assert lines_of(panels[4]) == {"a": ([1, 2], [0.25, 0.75])}
    assert legend_of(figure) == ["a", "b"]
    # A run has the same style in all panels.
    assert {panel.get_lines()[0].get_color() for panel in panels} == {"#000000"}


def test_curves_show_the_ideal_ranking_as_a_dotted_line_and_the_ranks_of_a_value() -> None:
    lines = [curve(run, "xCG", "m", y) for run, y in (("a", (0, 1)), ("ideal ranking", (1, 2)))]
    ranks = [
        RankOfValue(run, "all", "xCG", "m", "ideal ranking", 1, 1.0, rank, None, None, None)
        for run, rank in (("a", 2), ("b", None), ("ideal ranking", 1))
    ]
    (axis,) = plots.curves_plot(lines, ranks).axes
    assert [line.get_linestyle() for line in axis.get_lines()] == ["-", ":"]
    segments = [segment.tolist() for lines in axis.collections for segment in lines.get_segments()]
    assert segments == [[[0, 1], [2, 1]], [[1, 0], [1, 1]], [[2, 0], [2, 1]]]
    assert [text.get_text() for text in axis.texts] == ["1", "2"]


def test_labels_of_near_ranks_do_not_overlap() -> None:
    lines = [CurveOf(run, "all", "xCG", "m", range(1, 101), range(100)) for run in "abcd"]
    ranks = [
        RankOfValue(run, "all", "xCG", "m", "a", 9, 8.0, rank, None, None, None)
        for run, rank in zip("abcd", (9, 10, 40, 40), strict=True)
    ]
    (axis,) = plots.curves_plot(lines, ranks).axes
    assert [(text.get_text(), text.get_position()) for text in axis.texts] == [
        ("9", (2, 3)),
        ("10", (2, 13)),
        ("40", (2, 3)),
        ("40", (2, 13)),
    ]


def test_curves_over_recall_end_at_1() -> None:
    (axis,) = plots.curves_plot([CurveOf("a", "all", "gIPrec", "m", [0, 0.5, 1], [1, 0.5, 0])]).axes
    assert (axis.get_xlim(), axis.get_xlabel()) == ((0, 1), "generalised recall")


def test_reading_shows_the_ideal_reader_as_a_dotted_line() -> None:
    curves = [
        curve("a", "gr", "spans"),
        curve("b", "gr", "spans"),
        curve("ideal reader", "gr", "spans"),
    ]
    figure = plots.reading_plot(curves, "tokens")
    (axis,) = figure.axes
    assert (axis.get_title(), axis.get_xlabel()) == ("spans", "tokens read")
    assert axis.get_ylabel() == "share of the gold's gain (gr)"
    assert list(lines_of(axis)) == legend_of(figure) == ["a", "b", "ideal reader"]
    assert [line.get_linestyle() for line in axis.get_lines()] == ["-", "-", ":"]
    assert (axis.get_xlim()[0], axis.get_ylim()[0]) == (0, 0)


def test_perturbation_has_one_panel_per_run_and_position() -> None:
    lines = [
        PerturbedMean("r", measure, "m", place, inserted, value - inserted / 100, None)  # type: ignore[arg-type]
        for place in ("before the first", "after the first")
        for measure, value in (("MAep", 0.5), ("Q", 0.75))
        for inserted in (0, 10)
    ]
    figure = plots.perturbation_plot(lines)
    assert [axis.get_title() for axis in figure.axes] == [
        "r, m: before the first result",
        "r, m: after the first result",
    ]
    for axis in figure.axes:
        assert lines_of(axis) == {"MAep": ([0, 10], [0.5, 0.4]), "Q": ([0, 10], [0.75, 0.65])}
        assert axis.get_xscale() == "symlog"
        assert axis.get_xlabel() == "non-relevant results inserted"
    assert legend_of(figure) == ["MAep", "Q"]


def range_row(run: str, low: float, mean: float, high: float) -> dict[str, Any]:
    return {
        "measure": "MAep",
        "topics": "5 (all topics)",
        "run": run,
        "lowest": low,
        "mean": mean,
        "highest": high,
        "range": high - low,
        "% of mean": 100 * (high - low) / mean,
    }


MEAN_ROW = range_row("mean of runs", 0.25, 0.5, 0.75)


def error_bars(axis: Any) -> tuple[list[float], list[tuple[float, float]]]:
    """Return middles, and (low, high) of each bar."""
    (container,) = axis.containers
    middle, _, (bars,) = container.lines
    return list(middle.get_ydata()), [(s[0][1], s[1][1]) for s in bars.get_segments()]


def test_ranges_show_lowest_mean_and_highest_scores() -> None:
    rows = [range_row("b", 0.25, 0.5, 1.0), range_row("a", 0.125, 0.25, 0.25), MEAN_ROW]
    (axis,) = plots.ranges_plot(rows).axes
    assert error_bars(axis) == ([0.5, 0.25], [(0.25, 1.0), (0.125, 0.25)])
    assert tick_labels(axis) == ["b", "a"]
    assert axis.get_ylabel() == "MAep"
    assert axis.get_title() == "5 (all topics): mean range 0.5, 100 % of the mean score"


def test_all_ranges_have_the_order_of_the_first_measure() -> None:
    rows = [range_row("b", 0.25, 0.5, 1.0), range_row("a", 0.125, 0.25, 0.25), MEAN_ROW]
    others = [rows[1] | {"mean": 0.25}, rows[0] | {"mean": 0.375}, MEAN_ROW]
    rows += [row | {"topics": "2 (double-judged topics)", "% of mean": None} for row in others]
    axes = plots.ranges_plot(rows).axes
    assert [tick_labels(axis) for axis in axes] == [["b", "a"]] * 2
    assert [error_bars(axis)[0] for axis in axes] == [[0.5, 0.25], [0.375, 0.25]]
    assert axes[1].get_title() == "2 (double-judged topics): mean range 0.5"


def test_ranges_of_many_runs_have_no_names() -> None:
    rows = [*(range_row(f"r{number}", 0, 0.5, 1) for number in range(21)), MEAN_ROW]
    (axis,) = plots.ranges_plot(rows).axes
    assert axis.get_xlabel() == "runs, best first by MAep"
    assert len(error_bars(axis)[0]) == 21


def test_correlations_begin_with_the_smallest_range() -> None:
    rows = [
        {"measure": measure, "topics": topics, "tau_b min": low, "tau_b mean": 0.75, "tau_b max": 1.0}
        for topics in ("3 (all topics)", "2 (double-judged topics)")
        for measure, low in (("MAep", 0.25), ("Q", 0.5))
    ]
    figure = plots.correlations_plot(rows)
    assert [axis.get_title() for axis in figure.axes] == ["3 (all topics)", "2 (double-judged topics)"]
    for axis in figure.axes:
        assert tick_labels(axis) == ["Q", "MAep"]
        assert error_bars(axis) == ([0.75, 0.75], [(0.5, 1.0), (0.25, 1.0)])
        assert axis.get_ylabel() == "τ-b"


def test_swaps_have_one_line_per_difference_that_occurs() -> None:
    counts = np.zeros((2, len(BIN_STARTS)), np.int64)
    swaps = np.zeros_like(counts)
    counts[:, 0], counts[:, 3], counts[:, 5] = 100, 200, (100, 58)
    swaps[:, 0], swaps[:, 3] = (50, 40), (20, 10)
    figure = plots.swaps_plot({"MAep": SwapRates((5, 10), 100, counts, swaps, 0 * counts)})
    (axis,) = figure.axes
    lines = lines_of(axis)
    assert lines["from 0"][0] == [5, 10]
    assert lines["from 0"][1] == pytest.approx([50, 40])
    assert lines[f"from {BIN_STARTS[3]:g}"][1] == pytest.approx([10, 5])
    assert lines["from 0.03"][1] == pytest.approx([0, math.nan], nan_ok=True)  # 58 are too few
    assert len(lines) == 4  # the fourth is at 5 %
    assert legend_of(figure) == ["from 0", f"from {BIN_STARTS[3]:g}", "from 0.03"]
    assert (axis.get_title(), axis.get_xlabel()) == ("MAep", "topics in each set")
    assert axis.get_ylabel() == "swaps, %"


def test_extrapolated_swaps_are_marked() -> None:
    counts = np.zeros((2, len(BIN_STARTS)), np.int64)
    swaps = np.zeros_like(counts)
    counts[:, 3], swaps[:, 3] = 64, (32, 16)  # 1/2, 1/4
    rates = SwapRates((1, 2), 100, counts, swaps, 0 * counts, "pair")
    figure = plots.swaps_plot({"MAep": rates}, [1, 4, 3])
    (axis,) = figure.axes
    first, second, _ = [line for line in axis.get_lines() if not np.isnan(line.get_ydata()[0])]
    assert (first.get_label(), list(first.get_xdata())) == ("from 10", [1, 2])
    assert list(second.get_xdata()) == [2, 3, 4]
    assert list(second.get_ydata()) == pytest.approx([25, 12.5, 6.25])
    assert second.get_markevery() == [1, 2]
    assert axis.get_title(loc="right") == "extrapolated"
    assert legend_of(figure) == ["from 10"]
    assert figure.legends[0].get_title().get_text() == "difference\n% of the mean of both runs"
    assert plots.swaps_plot({"MAep": rates}, [1, 2]).axes[0].get_title(loc="right") == ""


DIFFERENCES = {
    "m": {
        "a": {"1": 3.0, "2": 1.0, "all": 2.0},
        "b": {"1": 1.0, "2": 2.0, "all": 1.5},
    }
}
BLUE, VERMILION = (0.0, 0x72 / 255, 0xB2 / 255), (0xD5 / 255, 0x5E / 255, 0.0)


@pytest.mark.parametrize(
    ("measure", "baseline", "title", "bars", "colours"),
    [
        ("MAep", None, "b − a", [1, -2], [BLUE, VERMILION]),
        ("MAep", "all", "b − a", [1, -2], [BLUE, VERMILION]),
        ("MAep", "b", "a − b", [2, -1], [BLUE, VERMILION]),
        ("ASL", None, "a − b", [2, -1], [VERMILION, BLUE]),  # lower is better
    ],
)
def test_differences_from_the_best_run(
    measure: str,
    baseline: str | None,
    title: str,
    bars: list[float],
    colours: list[tuple[float, float, float]],
) -> None:
    (axis,) = plots.differences_plot(results_of(measure, DIFFERENCES), baseline).axes
    assert axis.get_title() == title
    assert axis.get_ylabel() == f"{measure}\nm"
    assert [patch.get_height() for patch in axis.patches] == bars
    assert [patch.get_facecolor()[:3] for patch in axis.patches] == colours


def test_an_unknown_baseline_is_named() -> None:
    with pytest.raises(XcgError, match="no run 'c' among the results: expected one of a, b"):
        plots.differences_plot(results_of("MAep", DIFFERENCES), "c")
