"""Draw plots with matplotlib (the extra ``xcg[plots]``).

Colours, markers and dashes together distinguish lines in greyscale and for colour-blind readers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xcg.documents.files import whole_file
from xcg.errors import InputError, XcgError, nearest
from xcg.evaluation.curves import CurveOf, curve_measure
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.statistics.levels import LevelCurve
from xcg.statistics.perturbation import PerturbedMean
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")

# The colours of Okabe and Ito, which colour-blind readers can distinguish.
_COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#999999")
_MARKERS = "os^Dv*PX"
_DASHES = ("-", "--", "-.", ":")
_BETTER, _WORSE = "#0072B2", "#D55E00"
_MAX_SWAP_LINES = 12
_MAX_NAMED_RUNS = 20


def line_style(index: int) -> dict[str, Any]:
    """Return the style of one of several lines, as arguments of ``Axes.plot``."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "linestyle": _DASHES[(index // len(_COLOURS)) % len(_DASHES)],
        "markersize": 5,
        "linewidth": 1.4,
    }


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure without a window.

    Args:
        width: In inches.
        height: In inches.

    Raises:
        XcgError: If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise XcgError("plots need matplotlib: pip install 'xcg[plots]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def check_format(path: Path) -> None:
    """Check that a plot can be saved in the format of a file name.

    Raises:
        InputError: If the ending is not .png, .svg or .pdf.
        XcgError: If matplotlib is not installed.
    """
    new_figure(1.0, 1.0)
    if path.suffix.lower() not in FORMATS:
        raise InputError(path, f"unknown kind of plot: {nearest(path.suffix, FORMATS)}")


def save(figure: Figure, path: Path) -> None:
    """Save a figure as PNG, SVG or PDF, depending on the ending of the file name.

    Raises:
        InputError: If the ending is unknown or the file cannot be written.
    """
    check_format(path)
    ending = path.suffix[1:].lower()
    # Without a date, the same data give the same file.
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    with whole_file(path) as file:
        figure.savefig(file, format=ending, dpi=150, metadata=metadata)


def _style_axis(axis: Axes, grid: Literal["both", "y"] | None = "both") -> None:
    """Draw a faint grid, and remove the frame at the top and on the right."""
    if grid is not None:
        axis.grid(visible=True, axis=grid, alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)


def _add_legend(figure: Figure, axis: Axes | None = None, title: str | None = None) -> None:
    """Add a legend to the right of a figure, with the lines of one axis or of all."""
    lines = axis.get_legend_handles_labels() if axis is not None else ()
    figure.legend(*lines, loc="outside right center", frameon=False, fontsize=8, title=title)


def _marker_interval(points: Sequence[float]) -> int:
    """Return the interval at which about ten markers fit on a line."""
    return max(1, len(points) // 10)


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
        tau_axis.set_title(f"{measure}: order of runs against {baseline}", fontsize=10)
        ranks = _ranks(results, measure)
        for number, run in enumerate(runs):
            line = [ranks.get((model, run), math.nan) for model in models]
            rank_axis.plot(ticks, line, label=run, **line_style(number))
        rank_axis.set_ylabel("rank")
        rank_axis.set_ylim(len(runs) + 0.5, 0.5)
        rank_axis.yaxis.set_major_locator(MaxNLocator(integer=True))
        for axis in (tau_axis, rank_axis):
            _style_axis(axis)
        rank_axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)
    axes[-1].set_xticks(ticks, _without_common_prefix(models), rotation=90, fontsize=7)
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
    measures = list(dict.fromkeys(curve.measure for curve in curves))
    figure = new_figure(4.0 * len(measures), 3.6)
    axes = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for axis, measure in zip(axes, measures, strict=True):
        lines = [curve for curve in curves if curve.measure == measure]
        for number, curve in enumerate(lines):
            label = f"{curve.levels} levels"
            markers = _marker_interval(curve.values)
            axis.plot(curve.values, label=label, markevery=markers, **line_style(number))
        axis.set_title(measure)
        axis.set_xlabel("random swaps")
        _style_axis(axis)
    axes[0].set_ylabel("mean over the repetitions")
    axes[-1].legend(frameon=False, fontsize=8)
    return figure


def curves_plot(curves: Sequence[CurveOf]) -> Figure:
    """Draw one panel per measure and user model, with one line per run."""
    panels = list(dict.fromkeys((curve.measure, curve.user_model) for curve in curves))
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    figure = new_figure(4.6 * columns + 1.5, 3.6 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).flatten()
    runs = list(dict.fromkeys(curve.run for curve in curves))
    for axis, (measure, model) in zip(axes, panels, strict=False):
        for curve in curves:
            if (curve.measure, curve.user_model) == (measure, model):
                style = line_style(runs.index(curve.run))
                markers = _marker_interval(curve.x)
                axis.plot(curve.x, curve.y, label=curve.run, markevery=markers, **style)
        axis.set_title(model, fontsize=10)
        axis.set_xlabel(curve_measure(measure).curve_over)
        axis.set_ylabel(measure)
        axis.set_ylim(bottom=0)
        _style_axis(axis)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    _add_legend(figure, axes[0])
    return figure


def reading_plot(curves: Sequence[CurveOf], unit: str) -> Figure:
    """Draw the share of the gold text's gain over the amount of text read, one line per run.

    Args:
        curves: One curve per run; the last one is the ideal reader, drawn as a dotted line.
        unit: The unit in which text is counted.
    """
    figure = new_figure(7.5, 4.2)
    axis = figure.subplots()
    *runs, ideal = curves
    for number, curve in enumerate(runs):
        markers = _marker_interval(curve.x)
        axis.plot(curve.x, curve.y, label=curve.run, markevery=markers, **line_style(number))
    axis.plot(ideal.x, ideal.y, label=ideal.run, color="black", linestyle=":", linewidth=1.4)
    axis.set_title(ideal.user_model, fontsize=10)
    axis.set_xlabel(f"{unit} read")
    axis.set_ylabel("share of the gold's gain (gr)")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    _style_axis(axis)
    _add_legend(figure)
    return figure


def perturbation_plot(lines: Sequence[PerturbedMean]) -> Figure:
    """Draw one panel per run and position: measures over the number of inserted results."""
    panels = list(dict.fromkeys((line.run, line.user_model, line.position) for line in lines))
    rows = -(-len(panels) // 2)
    figure = new_figure(10.0, 3.2 * rows)
    axes = figure.subplots(rows, 2, squeeze=False, sharey=True).flatten()
    measures = list(dict.fromkeys(line.measure for line in lines))
    for axis, (run, model, position) in zip(axes, panels, strict=False):
        panel = [
            line
            for line in lines
            if (line.run, line.user_model, line.position) == (run, model, position)
        ]
        for number, measure in enumerate(measures):
            points = [line for line in panel if line.measure == measure]
            inserted = [line.inserted for line in points]
            values = [line.value for line in points]
            axis.plot(inserted, values, label=measure, **line_style(number))
        axis.set_xscale("symlog", linthresh=5)
        axis.set_title(f"{run}, {model}: {position} result", fontsize=9)
        axis.set_xlabel("non-relevant results inserted")
        _style_axis(axis)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    _add_legend(figure, axes[0])
    return figure


def _error_bars(
    rows: Sequence[Mapping[str, Any]], low: str, middle: str, high: str
) -> tuple[list[float], list[list[float]]]:
    """Return middle values, and the distances below and above them."""
    middles = [row[middle] for row in rows]
    below = [row[middle] - row[low] for row in rows]
    above = [row[high] - row[middle] for row in rows]
    return middles, [below, above]


def ranges_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest score of each run (KL, Figure 7).

    Args:
        rows: The rows of :func:`xcg.report.stability.range_rows`, best run first.
    """
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    runs = sum(row["measure"] == measures[0] for row in rows)
    figure = new_figure(max(6.0, 0.16 * runs + 2), 3.0 * len(measures))
    axes = figure.subplots(len(measures), 1, squeeze=False)[:, 0]
    for axis, measure in zip(axes, measures, strict=True):
        own = [row for row in rows if row["measure"] == measure]
        means, errors = _error_bars(own, "lowest", "mean", "highest")
        axis.errorbar(range(len(own)), means, errors, fmt="o", color="black", markersize=3, capsize=2)
        if len(own) <= _MAX_NAMED_RUNS:
            names = [row["run"] for row in own]
            axis.set_xticks(range(len(own)), names, rotation=45, ha="right", fontsize=8)
        else:
            axis.set_xlabel("runs, best first")
        axis.set_ylabel(measure)
        _style_axis(axis, grid="y")
    return figure


def correlations_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest τ-b of each measure, smallest range first (KL, Figure 8).

    Args:
        rows: The rows of :func:`xcg.report.stability.assessor_rows`.
    """
    topic_sets = list(dict.fromkeys(row["topics"] for row in rows))
    figure = new_figure(max(5.0, 0.6 * len(rows) / len(topic_sets) + 2), 3.2 * len(topic_sets))
    axes = figure.subplots(len(topic_sets), 1, squeeze=False, sharey=True)[:, 0]
    for axis, topics in zip(axes, topic_sets, strict=True):
        own = sorted(
            (row for row in rows if row["topics"] == topics),
            key=lambda row: row["tau_b max"] - row["tau_b min"],
        )
        means, errors = _error_bars(own, "tau_b min", "tau_b mean", "tau_b max")
        axis.errorbar(range(len(own)), means, errors, fmt="s", color="black", capsize=4)
        axis.set_xticks(range(len(own)), [row["measure"] for row in own], rotation=30, ha="right")
        axis.set_ylabel("τ-b")
        axis.set_title(topics, fontsize=9)
        _style_axis(axis, grid="y")
    return figure


def swaps_plot(rates_by_measure: Mapping[str, SwapRates]) -> Figure:
    """Draw swap rates over the number of topics, one line per range of differences (KL, Figure 9)."""
    figure = new_figure(5.2 * len(rates_by_measure) + 1.5, 4.0)
    axes = figure.subplots(1, len(rates_by_measure), squeeze=False, sharey=True)[0]
    for axis, (measure, rates) in zip(axes, rates_by_measure.items(), strict=True):
        for index in range(min(_MAX_SWAP_LINES, rates.counts.shape[1])):
            line = rates.rates[:, index]
            if any(not math.isnan(value) for value in line):
                label = f"from {BIN_STARTS[index]:g}"
                axis.plot(rates.sizes, 100 * line, label=label, **line_style(index))
        axis.axhline(5, color="black", linewidth=0.8, linestyle=":")
        axis.set_title(measure)
        axis.set_xlabel("topics in each set")
        _style_axis(axis)
    axes[0].set_ylabel("swaps, %")
    _add_legend(figure, axes[0], title="difference")
    return figure


def differences_plot(results: Results, baseline: str | None = None) -> Figure:
    """Draw the difference of each run from a baseline on every topic, largest first.

    One row per measure and user model, one column per run. Topics on which the run is better and worse
    than the baseline have different colours.

    Args:
        results: Results with the scores of topics.
        baseline: A run; by default, and for ``all``, the run with the best mean.

    Raises:
        XcgError: If the results do not have the baseline.
    """
    if baseline is not None and baseline not in ("all", *results.runs):
        raise XcgError(f"no run {baseline!r} among the results: {nearest(baseline, results.runs)}")
    panels = [(measure, model) for measure in results.measures for model in results.user_models]
    columns = max(len(results.runs) - 1, 1)
    figure = new_figure(max(3.0, 2.2 * (len(results.runs) - 1)), 2.4 * len(panels))
    axes = figure.subplots(len(panels), columns, squeeze=False, sharey="row")
    for row, (measure, model) in zip(axes, panels, strict=True):
        order = MEASURES.order(measure)
        base = baseline
        if base is None or base == "all":
            base = min(results.runs, key=_key_of_mean(results, measure, model, order.sort_key))
        others = [run for run in results.runs if run != base]
        for axis, run in zip(row, others, strict=True):
            differences = _topic_differences(results, run, base, measure, model)
            colours = [_WORSE if order.better(0.0, value) else _BETTER for value in differences]
            axis.bar(range(len(differences)), differences, color=colours)
            axis.axhline(0, color="black", linewidth=0.8)
            axis.set_title(f"{run} − {base}", fontsize=8)
            axis.set_xticks([])
            _style_axis(axis, grid=None)
        row[0].set_ylabel(f"{measure}\n{model}", fontsize=8)
    return figure


def _key_of_mean(
    results: Results, measure: str, model: str, sort_key: Callable[[float], float]
) -> Callable[[str], float]:
    """Return a function that sorts runs by their means, best first."""
    return lambda run: sort_key(results.value(run, measure, user_model=model))


def _topic_differences(results: Results, run: str, base: str, measure: str, model: str) -> list[float]:
    """Return the differences of a run from a baseline on the topics of the run, largest first."""
    return sorted(
        (
            row.value - results.value(base, measure, row.topic, model)
            for row in results
            if (row.run, row.measure, row.user_model) == (run, measure, model) and row.topic != MEAN
        ),
        reverse=True,
    )
