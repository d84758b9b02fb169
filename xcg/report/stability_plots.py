"""Draw studies of assessors and of numbers of topics with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from xcg.answer import in_style
from xcg.lazy_modules import np
from xcg.report import figures
from xcg.report.figures import label_axis, label_text
from xcg.report.plot_selection import grouped, name_positions
from xcg.report.stability import MEAN_OF_RUNS
from xcg.statistics.topic_sets import BIN_STARTS, RELIABLE, Smoothing, SwapRates, expected_rates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_SWAP_LINES = 12
_EXTRAPOLATED_POINTS = 60
_MOST_TICKS = 8
"""Ticks of the measured numbers of topics, next to the extrapolated ones."""


def _draw_error_bars(
    axis: Axes, rows: Sequence[Mapping[str, Any]], low: str, middle: str, high: str, **style: Any
) -> None:
    """Draw the middle value of each row, with a bar from the low to the high value."""
    middles = [row[middle] for row in rows]
    below = [row[middle] - row[low] for row in rows]
    above = [row[high] - row[middle] for row in rows]
    axis.errorbar(range(len(rows)), middles, [below, above], color="black", **style)


@in_style
def ranges_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest score of each run (KL, Figure 7).

    One row per measure, one column per set of topics. As in the paper, all panels have the runs in the
    order of the first panel.

    Args:
        rows: The rows of :func:`xcg.report.stability.range_rows`.
    """
    every = grouped(rows, itemgetter("measure", "topics"))
    columns = len(grouped(rows, itemgetter("topics")))
    panels = dict(list(every.items())[: figures.max_panels() // columns * columns])
    runs = [row["run"] for row in next(iter(panels.values())) if row["run"] != MEAN_OF_RUNS]
    across = figures.panel_columns(len(panels) // columns, columns)
    width = min(figures.max_width(), across * max(5.0, 0.16 * len(runs) + 1))
    figure, axes = figures.new_panels(len(panels), across, width, 3.2, grid="y")
    for number, (axis, ((measure, topics), own)) in enumerate(zip(axes, panels.items(), strict=True)):
        by_run = {row["run"]: row for row in own}
        ordered = [by_run[run] for run in runs]
        _draw_error_bars(axis, ordered, "lowest", "mean", "highest", fmt="o", markersize=3, capsize=2)
        axis.margins(x=0.01)
        is_last = number + across >= len(panels)
        if not is_last:
            axis.set_xticks([])
        elif not name_positions(axis, "x", runs, width / across - 0.8):
            axis.set_xlabel(f"{len(runs)} runs")
        axis.set_ylabel(label_text(measure))
        axis.set_title(f"{topics}: {_describe_range(by_run[MEAN_OF_RUNS])}")
    for start in range(0, len(axes), columns):  # panels of one measure have one scale
        figures.equalise_y_limits(axes[start:][:columns])
    figures.add_caption(
        figure,
        "Dots: mean scores over the combinations of assessments; bars: the lowest and highest scores.",
        label_text(f"Runs are in the order of {rows[0]['measure']}, best first."),
        figures.drawn_first(len(panels), len(every), "panels"),
    )
    return figure


def _describe_range(row: Mapping[str, Any]) -> str:
    """Return the mean range and its share of the mean score."""
    share = "" if row["% of mean"] is None else f", {row['% of mean']:.3g} % of the mean score"
    return f"mean range {row['range']:.3g}{share}"


@in_style
def correlations_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest τ-b of each measure, smallest range first (KL, Figure 8).

    Args:
        rows: The rows of :func:`xcg.report.stability.assessor_rows`.
    """
    panels = grouped(rows, itemgetter("topics"))
    count = len(panels)
    width = min(figures.max_width() / figures.fitted(count), max(5.0, 0.6 * len(rows) / count + 2))
    figure, axes = figures.new_panels(count, count, width * count, 3.8, sharey=True, grid="y")
    for axis, (topics, own) in zip(axes, panels.items(), strict=True):
        own.sort(key=lambda row: row["tau_b max"] - row["tau_b min"])
        _draw_error_bars(axis, own, "tau_b min", "tau_b mean", "tau_b max", fmt="s", capsize=4)
        if not name_positions(axis, "x", [row["measure"] for row in own], width - 0.8):
            axis.set_xlabel(f"{len(own)} measures, the smallest range first")
        axis.set_title(topics)
    figures.label_left(axes, "τ-b")
    figures.add_caption(figure, "Squares: mean τ-b; bars: the lowest and highest τ-b.")
    return figure


@in_style
def swaps_plot(
    rates_by_measure: Mapping[str, SwapRates], sizes: Sequence[int] = (), smoothing: Smoothing = "none"
) -> Figure:
    """Draw swap rates over the number of topics, one line per range of differences (KL, Figure 9).

    Rates of sparse bins are not drawn.
    Extrapolated rates are thin lines on a grey background, with markers at the given sizes; the axis is
    then logarithmic.

    Args:
        rates_by_measure: Measure → swap rates.
        sizes: Numbers of topics to which the rates are extrapolated.
        smoothing: How rates are smoothed before they are extrapolated.
    """
    shown = dict(list(rates_by_measure.items())[: figures.max_panels()])
    count = len(shown)
    columns = figures.panel_columns(1, count)
    figure, axes = figures.new_panels(count, columns, 4.6 * columns + 1.5, 4.4, sharey=True)
    for axis, (measure, rates) in zip(axes, shown.items(), strict=True):
        largest, bins = rates.sizes[-1], range(_MAX_SWAP_LINES)
        for index in bins:
            line = np.where(rates.sparse[:, index], np.nan, rates.rates[:, index])
            if not np.isnan(line).all():
                label = f"from {BIN_STARTS[index]:g}"
                axis.plot(rates.sizes, 100 * line, label=label, **_swap_style(index))
        further = sorted({size for size in sizes if size > largest})
        if further:
            curve = np.unique(np.linspace(largest, further[-1], _EXTRAPOLATED_POINTS, dtype=int))
            curve = np.union1d(curve, further)
            expected = np.array([expected_rates(rates, int(size), smoothing) for size in curve])
            at_sizes = np.flatnonzero(np.isin(curve, further)).tolist()
            for index in bins:
                style = _swap_style(index) | {"linewidth": 0.8, "markerfacecolor": "white"}
                axis.plot(curve, 100 * expected[:, index], markevery=at_sizes, **style)
            figures.mark_extrapolated(axis, largest, further[-1])
            axis.set_xscale("log")
            ticks = [
                *range(rates.sizes[0], largest + 1, -(-largest // figures.most_ticks(_MOST_TICKS))),
                *further,
            ]
            axis.set_xticks(ticks, list(map(str, ticks)))
            axis.minorticks_off()
        axis.axhline(100 * RELIABLE, color="black", linewidth=0.8, linestyle=":")
        label_axis(axis, measure, "topics in each set")
        axis.set_ylim(bottom=0)
    choice = figures.drawn_first(count, len(rates_by_measure), "measures")
    return figures.finish(figure, axes, choice, left="swaps, %", title="difference")


def _swap_style(index: int) -> dict[str, Any]:
    """Return the style of the line of a bin: the smaller the difference, the darker."""
    from matplotlib import colormaps

    colour = colormaps["viridis"](0.95 * index / (_MAX_SWAP_LINES - 1))
    return figures.line_style(index) | {"color": colour, "linestyle": "-"}
