"""What plots of studies of assessors and topic sets show."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from figure_contents import caption_of, legend_of, lines_of, tick_labels

from xcg.report import stability as plots
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates

pytest.importorskip("matplotlib")


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


def test_names_of_many_runs_fit_or_are_not_drawn() -> None:
    def figure(runs: int) -> Any:
        rows = [range_row(f"r{number}", 0, 0.5, 1) for number in range(runs)]
        return plots.ranges_plot([*rows, MEAN_ROW])

    (axis,) = figure(69).axes
    assert tick_labels(axis) == [f"r{number}" for number in range(69)]
    (axis,) = figure(200).axes
    assert tick_labels(axis) == []
    assert axis.get_xlabel() == "200 runs"
    assert len(error_bars(axis)[0]) == 200
    assert "Runs are in the order of MAep, best first." in caption_of(figure(3))


def test_correlations_begin_with_the_smallest_range() -> None:
    rows = [
        {"measure": measure, "topics": topics, "tau_b min": low, "tau_b mean": 0.75, "tau_b max": 1.0}
        for topics in ("3 (all topics)", "2 (double-judged topics)")
        for measure, low in (("MAep", 0.25), ("Q", 0.5))
    ]
    figure = plots.correlations_plot(rows)
    assert [axis.get_title() for axis in figure.axes] == ["3 (all topics)", "2 (double-judged topics)"]
    assert figure.axes[0].get_ylabel() == "τ-b"
    for axis in figure.axes:
        assert tick_labels(axis) == ["Q", "MAep"]
        assert error_bars(axis) == ([0.75, 0.75], [(0.5, 1.0), (0.25, 1.0)])


def test_swaps_have_one_line_per_difference_that_occurs() -> None:
    counts = np.zeros((2, len(BIN_STARTS)), np.int64)
    swaps = np.zeros_like(counts)
    counts[:, 0], counts[:, 3], counts[:, 5] = 100, 200, (100, 58)
    swaps[:, 0], swaps[:, 3] = (50, 40), (20, 10)
    figure = plots.swaps_plot({"MAep": SwapRates((5, 10), counts, swaps, 0 * counts)})
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
    rates = SwapRates((1, 2), counts, swaps, 0 * counts)
    figure = plots.swaps_plot({"MAep": rates}, [1, 4, 3])
    (axis,) = figure.axes
    first, second, _ = [line for line in axis.get_lines() if not np.isnan(line.get_ydata()[0])]
    assert (first.get_label(), list(first.get_xdata())) == (f"from {BIN_STARTS[3]:g}", [1, 2])
    assert list(second.get_xdata()) == [2, 3, 4]
    assert list(second.get_ydata()) == pytest.approx([25, 12.5, 6.25])
    assert second.get_markevery() == [1, 2]
    assert axis.get_title(loc="right") == "extrapolated"
    assert list(axis.get_xticks()) == [1, 2, 3, 4]
    left, middle, last, right = (
        axis.transData.transform((x, 0))[0] for x in (axis.get_xlim()[0], 2, 4, axis.get_xlim()[1])
    )
    assert left < middle < last < right
    assert (right - middle) / (right - left) == pytest.approx(1 / 3)
    assert legend_of(figure) == [f"from {BIN_STARTS[3]:g}"]
    assert plots.swaps_plot({"MAep": rates}, [1, 2]).axes[0].get_title(loc="right") == ""
