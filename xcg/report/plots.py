"""Draw the results of commands with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from xcg.errors import XcgError, nearest
from xcg.evaluation.curve_ranks import RankOfValue
from xcg.evaluation.curves import IDEAL, CurveOf, curve_measure
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.report.figures import (
    add_legend,
    draw_curve,
    label_text,
    line_style,
    new_figure,
    new_panels,
    style_axis,
)
from xcg.report.stability import MEAN_OF_RUNS, difference_unit
from xcg.statistics.extrapolation import Smoothing, extrapolate
from xcg.statistics.levels import LevelCurve
from xcg.statistics.needed_differences import RELIABLE
from xcg.statistics.perturbation import PerturbedMean
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.topic_scores import scores_by_run
from xcg.statistics.topic_sets import SwapRates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

_BETTER, _WORSE = "#0072B2", "#D55E00"
_MAX_SWAP_LINES = 12
_EXTRAPOLATED_POINTS = 60
_MAX_NAMED_RUNS = 20
_LABEL_WIDTH = 0.05
"""Width of the label of a rank as a share of the axis."""


def _group(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the items with each key, in the order of their first occurrence."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def sweep_plot(results: Results, shifts: Sequence[OrderShift], baseline: str) -> Figure:
    """Draw for each measure the ranks of runs under every user model, and τ-b against the baseline.

    Args:
        results: Results under several user models.
        shifts: The rows of :func:`xcg.statistics.rank_correlation.order_shifts`.
        baseline: The user model to which they refer.
    """
    from matplotlib.ticker import MaxNLocator

    models, runs, measures = results.user_models, results.runs, results.measures
    figure = new_figure(max(7.0, 0.32 * len(models) + 3.5), 3.0 + 3.6 * len(measures))
    axes = figure.subplots(2 * len(measures), 1, sharex=True, height_ratios=[1, 2.4] * len(measures))
    ticks = list(range(len(models)))
    for index, measure in enumerate(measures):
        tau_axis, rank_axis = axes[2 * index], axes[2 * index + 1]
        tau = {shift.user_model: shift.tau_b for shift in shifts if shift.measure == measure}
        line = [math.nan if (value := tau[model]) is None else value for model in models]
        tau_axis.plot(ticks, line, color="black", marker="o", markersize=4)
        tau_axis.set_ylabel("τ-b")
        tau_axis.set_ylim(min([0.0, *(t for t in line if not math.isnan(t))]) - 0.05, 1.05)
        tau_axis.set_title(label_text(f"{measure}: order of runs against {baseline}"), fontsize=10)
        ranks = _ranks(results, measure)
        for number, run in enumerate(runs):
            line = [ranks.get((model, run), math.nan) for model in models]
            rank_axis.plot(ticks, line, label=label_text(run), **line_style(number))
        rank_axis.set_ylabel("rank")
        rank_axis.set_ylim(len(runs) + 0.5, 0.5)
        rank_axis.yaxis.set_major_locator(MaxNLocator(integer=True))
        for axis in (tau_axis, rank_axis):
            style_axis(axis)
        rank_axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)
    names = list(map(label_text, _without_common_prefix(models)))
    axes[-1].set_xticks(ticks, names, rotation=90, fontsize=7)
    return figure


def _ranks(results: Results, measure: str) -> dict[tuple[str, str], int]:
    """Return the rank of each run under each user model; runs with equal means share a rank."""
    order = MEASURES.order(measure)
    means = [row for row in results.means() if row.measure == measure]
    return {
        (row.user_model, row.run): order.rank(
            row.value, [other.value for other in means if other.user_model == row.user_model]
        )
        for row in means
    }


def _without_common_prefix(names: Sequence[str]) -> list[str]:
    """Shorten ``sweep[alpha=0]``, ``sweep[alpha=1]`` to ``alpha=0``, ``alpha=1``."""
    prefix = names[0].partition("[")[0] + "["
    if len(names) > 1 and all(name.startswith(prefix) and name.endswith("]") for name in names):
        return [name[len(prefix) : -1] for name in names]
    return list(names)


def levels_plot(curves: Sequence[LevelCurve]) -> Figure:
    """Draw one panel per measure: its mean by number of swaps, one line per number of levels."""
    panels = _group(curves, attrgetter("measure"))
    count = len(panels)
    figure, axes = new_panels(count, count, 4.0 * count, 3.6, sharey=True)
    for axis, (measure, lines) in zip(axes, panels.items(), strict=True):
        for number, curve in enumerate(lines):
            swaps = range(len(curve.values))
            draw_curve(axis, number, f"{curve.levels} levels", swaps, curve.values)
        axis.set_title(label_text(measure))
        axis.set_xlabel("random swaps")
    axes[0].set_ylabel("mean over the repetitions")
    axes[0].legend(loc="upper right", frameon=False, fontsize=8)
    return figure


def curves_plot(curves: Sequence[CurveOf], ranks: Sequence[RankOfValue] = ()) -> Figure:
    """Draw one panel per measure and user model, with one line per run.

    Args:
        curves: One curve per run, measure and user model. The ideal ranking is a dotted line.
        ranks: Ranks at which curves reach a value: drawn as lines from the value to the ranks.
    """
    panels = _group(curves, attrgetter("measure", "user_model"))
    columns = min(len(panels), 3)
    figure, axes = new_panels(len(panels), columns, 4.6 * columns + 1.5, 3.6)
    runs = list(dict.fromkeys(curve.run for curve in curves if curve.run != IDEAL))
    for axis, ((measure, model), lines) in zip(axes, panels.items(), strict=True):
        for curve in lines:
            if curve.run == IDEAL:
                _draw_ideal(axis, curve)
            else:
                draw_curve(axis, runs.index(curve.run), curve.run, curve.x, curve.y)
        over = curve_measure(measure).curve_over
        axis.set_title(label_text(model), fontsize=10)
        axis.set_xlabel(over)
        axis.set_ylabel(label_text(measure))
        axis.set_ylim(bottom=0)
        if over.endswith("recall"):
            axis.set_xlim(0, 1)
        _draw_ranks(
            axis, [one for one in ranks if (one.measure, one.user_model) == (measure, model)], runs
        )
    add_legend(figure, axes[0])
    return figure


def _draw_ideal(axis: Axes, curve: CurveOf) -> None:
    """Draw the curve of the ideal ranking or reader as a dotted line."""
    axis.plot(
        curve.x, curve.y, label=label_text(curve.run), color="black", linestyle=":", linewidth=1.4
    )


def _draw_ranks(axis: Axes, ranks: Sequence[RankOfValue], runs: Sequence[str]) -> None:
    """Draw a line at the value that runs reach, and one from there to the rank of each run."""
    reached = sorted((one.rank, one.run, one.value) for one in ranks if one.rank is not None)
    if not reached:
        return
    last, _, value = reached[-1]
    axis.hlines(value, 0, last, color="grey", linewidth=0.9)
    width = _LABEL_WIDTH * (axis.get_xlim()[1] - axis.get_xlim()[0])
    ends: list[float] = []  # of the last label in each row; labels of near ranks are in several rows
    for rank, run, _ in reached:
        colour = "grey" if run == IDEAL else line_style(runs.index(run))["color"]
        axis.vlines(rank, 0, value, color=colour, linewidth=1.1, linestyle=":")
        row = next((row for row, end in enumerate(ends) if end <= rank), len(ends))
        ends[row:] = [rank + width, *ends[row + 1 :]]
        axis.annotate(
            *(str(rank), (rank, 0), (2, 3 + 10 * row)),
            textcoords="offset points",
            fontsize=8,
            color=colour,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85},
        )


def reading_plot(curves: Sequence[CurveOf], unit: str) -> Figure:
    """Draw the share of the gold text's gain over the amount of text read, one line per run.

    Args:
        curves: One curve per run; the last one is the ideal reader, drawn as a dotted line.
        unit: The unit in which text is counted.
    """
    figure, (axis,) = new_panels(1, 1, 7.5, 4.2)
    *runs, ideal = curves
    for number, curve in enumerate(runs):
        draw_curve(axis, number, curve.run, curve.x, curve.y)
    _draw_ideal(axis, ideal)
    axis.set_title(label_text(ideal.user_model), fontsize=10)
    axis.set_xlabel(f"{unit} read")
    axis.set_ylabel("share of the gold's gain (gr)")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    add_legend(figure)
    return figure


def perturbation_plot(lines: Sequence[PerturbedMean]) -> Figure:
    """Draw one panel per run and position: measures over the number of inserted results."""
    panels = _group(lines, attrgetter("run", "user_model", "position"))
    figure, axes = new_panels(len(panels), 2, 10.0, 3.2, sharey=True)
    measures = list(dict.fromkeys(line.measure for line in lines))
    for axis, ((run, model, position), panel) in zip(axes, panels.items(), strict=True):
        for measure, points in _group(panel, attrgetter("measure")).items():
            inserted = [point.inserted for point in points]
            values = [point.value for point in points]
            axis.plot(
                inserted, values, label=label_text(measure), **line_style(measures.index(measure))
            )
        axis.set_xscale("symlog", linthresh=5)
        axis.xaxis.set_major_formatter("{x:g}")
        axis.set_title(label_text(f"{run}, {model}: {position} result"), fontsize=9)
        axis.set_xlabel("non-relevant results inserted")
    for axis in axes[::2]:
        axis.set_ylabel("mean over topics")
    add_legend(figure, axes[0])
    return figure


def _draw_error_bars(
    axis: Axes, rows: Sequence[Mapping[str, Any]], low: str, middle: str, high: str, **style: Any
) -> None:
    """Draw the middle value of each row, with a bar from the low to the high value."""
    middles = [row[middle] for row in rows]
    below = [row[middle] - row[low] for row in rows]
    above = [row[high] - row[middle] for row in rows]
    axis.errorbar(range(len(rows)), middles, [below, above], color="black", **style)


def ranges_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest score of each run (KL, Figure 7).

    One row per measure, one column per set of topics. As in the paper, all panels have the runs in the
    order of the first panel.

    Args:
        rows: The rows of :func:`xcg.report.stability.range_rows`.
    """
    panels = _group(rows, itemgetter("measure", "topics"))
    columns = len(_group(rows, itemgetter("topics")))
    runs = [row["run"] for row in next(iter(panels.values())) if row["run"] != MEAN_OF_RUNS]
    width = columns * max(5.0, 0.16 * len(runs) + 1)
    figure, axes = new_panels(len(panels), columns, width, 3.2, sharey="row", grid="y")
    for axis, ((measure, topics), own) in zip(axes, panels.items(), strict=True):
        by_run = {row["run"]: row for row in own}
        ordered = [by_run[run] for run in runs]
        _draw_error_bars(axis, ordered, "lowest", "mean", "highest", fmt="o", markersize=3, capsize=2)
        if len(runs) <= _MAX_NAMED_RUNS:
            names = list(map(label_text, runs))
            axis.set_xticks(range(len(runs)), names, rotation=45, ha="right", fontsize=8)
        else:
            axis.set_xlabel(label_text(f"runs, best first by {rows[0]['measure']}"))
        axis.set_ylabel(label_text(measure))
        axis.set_title(f"{topics}: {_describe_range(by_run[MEAN_OF_RUNS])}", fontsize=9)
    return figure


def _describe_range(row: Mapping[str, Any]) -> str:
    """Return the mean range and its share of the mean score."""
    share = "" if row["% of mean"] is None else f", {row['% of mean']:.3g} % of the mean score"
    return f"mean range {row['range']:.3g}{share}"


def correlations_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest τ-b of each measure, smallest range first (KL, Figure 8).

    Args:
        rows: The rows of :func:`xcg.report.stability.assessor_rows`.
    """
    panels = _group(rows, itemgetter("topics"))
    count = len(panels)
    width = max(5.0, 0.6 * len(rows) / count + 2)
    figure, axes = new_panels(count, 1, width, 3.2, sharey=True, grid="y")
    for axis, (topics, own) in zip(axes, panels.items(), strict=True):
        own.sort(key=lambda row: row["tau_b max"] - row["tau_b min"])
        _draw_error_bars(axis, own, "tau_b min", "tau_b mean", "tau_b max", fmt="s", capsize=4)
        names = [label_text(row["measure"]) for row in own]
        axis.set_xticks(range(len(own)), names, rotation=30, ha="right")
        axis.set_ylabel("τ-b")
        axis.set_title(topics, fontsize=9)
    return figure


def swaps_plot(
    rates_by_measure: Mapping[str, SwapRates],
    sizes: Sequence[int] = (),
    smoothing: Smoothing = "none",
) -> Figure:
    """Draw swap rates over the number of topics, one line per range of differences (KL, Figure 9).

    Rates of sparse bins are not drawn.
    Extrapolated rates are thin lines on a grey background, with markers at the given sizes.

    Args:
        rates_by_measure: Measure → swap rates.
        sizes: Numbers of topics to which the rates are extrapolated.
        smoothing: How rates are smoothed before they are extrapolated.
    """
    count = len(rates_by_measure)
    figure, axes = new_panels(count, count, 5.2 * count + 1.5, 4.6, sharey=True)
    for axis, (measure, rates) in zip(axes, rates_by_measure.items(), strict=True):
        largest, bins = rates.sizes[-1], range(_MAX_SWAP_LINES)
        for index in bins:
            line = np.where(rates.sparse[:, index], np.nan, rates.rates[:, index])
            if not np.isnan(line).all():
                label = f"from {rates.bin_starts[index] * (100 if rates.relative else 1):g}"
                axis.plot(rates.sizes, 100 * line, label=label, **_swap_style(index))
        further = sorted({size for size in sizes if size > largest})
        if further:
            curve = np.unique(np.linspace(largest, further[-1], _EXTRAPOLATED_POINTS, dtype=int))
            curve = np.union1d(curve, further)
            expected = np.array([extrapolate(rates, int(size), smoothing) for size in curve])
            at_sizes = np.flatnonzero(np.isin(curve, further)).tolist()
            for index in bins:
                style = _swap_style(index) | {"linewidth": 0.8, "markerfacecolor": "white"}
                axis.plot(curve, 100 * expected[:, index], markevery=at_sizes, **style)
            axis.axvspan(largest, further[-1], color="0.94", zorder=0)
            axis.set_title("extrapolated", loc="right", fontsize=8, color="0.4")
        axis.axhline(100 * RELIABLE, color="black", linewidth=0.8, linestyle=":")
        axis.set_title(label_text(measure))
        axis.set_xlabel("topics in each set")
        axis.set_ylim(bottom=0)
    axes[0].set_ylabel("swaps, %")
    unit = difference_unit(next(iter(rates_by_measure.values())))
    add_legend(figure, axes[0], title=f"difference\n{unit}".strip())
    return figure


def _swap_style(index: int) -> dict[str, Any]:
    """Return the style of the line of a bin: the smaller the difference, the darker."""
    from matplotlib import colormaps

    colour = colormaps["viridis"](0.95 * index / (_MAX_SWAP_LINES - 1))
    return line_style(index) | {"color": colour, "linestyle": "-"}


def differences_plot(results: Results, baseline: str | None = None) -> Figure:
    """Draw the difference of each run from a baseline on every topic, largest first.

    One row per measure and user model, one column per run. Topics on which the run is better and worse
    than the baseline have different colours.

    Args:
        results: Results with the scores of topics.
        baseline: A run. With None, ``all`` or ``best``, it is the run with the best mean.

    Raises:
        XcgError: If the results do not have the baseline.
    """
    if baseline is not None and baseline not in ("all", "best", *results.runs):
        raise XcgError(f"no run {baseline!r} among the results: {nearest(baseline, results.runs)}")
    panels = [(measure, model) for measure in results.measures for model in results.user_models]
    columns = max(len(results.runs) - 1, 1)
    width = max(3.0, 2.2 * (len(results.runs) - 1))
    figure, axes = new_panels(len(panels) * columns, columns, width, 2.4, sharey="row", grid=None)
    for number, (measure, model) in enumerate(panels):
        row = axes[number * columns :][:columns]
        row[0].set_ylabel(f"{label_text(measure)}\n{label_text(model)}", fontsize=8)
        order = MEASURES.order(measure)
        base = baseline if baseline not in (None, "all", "best") else _best_run(results, measure, model)
        others = [run for run in results.runs if run != base]
        for axis, run in zip(row, others, strict=False):  # a single run has an empty panel
            differences = _topic_differences(results, run, base, measure, model)
            colours = [_WORSE if order.better(0.0, value) else _BETTER for value in differences]
            axis.bar(range(len(differences)), differences, color=colours)
            axis.axhline(0, color="black", linewidth=0.8)
            axis.set_title(label_text(f"{run} − {base}"), fontsize=8)
            axis.set_xticks([])
    return figure


def _best_run(results: Results, measure: str, model: str) -> str:
    """Return the run with the best mean, which is no reference point."""
    order = MEASURES.order(measure)
    systems = [run for run in results.runs if run not in results.scope.references] or results.runs
    means = {run: results.value(run, measure, user_model=model) for run in systems}
    return min(means, key=lambda run: order.sort_key(means[run]))


def _topic_differences(results: Results, run: str, base: str, measure: str, model: str) -> list[float]:
    """Return the differences of a run from a baseline on the topics that both have, largest first."""
    scores = scores_by_run(results, measure, model)
    values, others = scores.get(run, {}), scores.get(base, {})
    return sorted((values[t] - others[t] for t in values if t in others), reverse=True)
