"""Plots, by matplotlib (the extra ``xcg[plots]``): readable in grey and for colour-blind readers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xcg.errors import InputError, XcgError, nearest
from xcg.evaluation.curves import CurveOf, curve_measure
from xcg.evaluation.results import Results
from xcg.statistics.levels import LevelCurve
from xcg.statistics.perturbation import Perturbed
from xcg.statistics.rank_correlation import Shift, places
from xcg.statistics.stability import BORDERS, SwapRates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
# Okabe and Ito's colours, which colour-blind readers tell apart; markers and dashes tell lines apart
# in grey.
_COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#999999")
_MARKERS = "os^Dv*PX"
_DASHES = ("-", "--", "-.", ":")


def line_style(index: int) -> dict[str, Any]:
    """Return how the index-th of several lines is drawn."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "linestyle": _DASHES[(index // len(_COLOURS)) % len(_DASHES)],
        "markersize": 5,
        "linewidth": 1.4,
    }


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that belongs to no window.

    Raises XcgError where matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise XcgError("plots need matplotlib: pip install 'xcg[plots]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def _tidy(axis: Axes, lines: Literal["both", "y"] = "both") -> None:
    """Give an axis faint lines, and no frame at the top and the right."""
    axis.grid(visible=True, axis=lines, alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)


def check_format(path: Path) -> None:
    """Raise InputError for a file whose ending is none of a plot's, before anything is computed.

    Raises XcgError where matplotlib is missing.
    """
    new_figure(1.0, 1.0)
    if path.suffix.lower() not in FORMATS:
        raise InputError(path, f"unknown kind of plot: {nearest(path.suffix, FORMATS)}")


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, SVG or PDF by the file's ending, whole or not at all.

    Raises InputError for another ending, and where nothing can be written.
    """
    from xcg.documents.files import whole_file

    check_format(path)
    # Without a date the same figures give the same file.
    dates: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with whole_file(path) as file:
        figure.savefig(
            file,
            format=path.suffix[1:].lower(),
            dpi=150,
            metadata=dates.get(path.suffix.lower(), {}),
        )


def sweep_plot(results: Results, shifts: Sequence[Shift], baseline: str) -> Figure:
    """Draw for each measure the runs' places under every user model, and τ-b against the baseline."""
    from matplotlib.ticker import MaxNLocator

    models, runs, measures = results.user_models, results.runs, results.measures
    figure = new_figure(max(7.0, 0.32 * len(models) + 3.5), 3.0 + 3.6 * len(measures))
    axes = figure.subplots(2 * len(measures), 1, sharex=True, height_ratios=[1, 2.4] * len(measures))
    at = list(range(len(models)))
    for index, measure in enumerate(measures):
        above, below = axes[2 * index], axes[2 * index + 1]
        tau = {shift.user_model: shift.tau_b for shift in shifts if shift.measure == measure}
        line = [math.nan if (value := tau[model]) is None else value for model in models]
        above.plot(at, line, color="black", marker="o", markersize=4)
        above.set_ylabel("τ-b")
        above.set_ylim(min([0.0, *(t for t in line if not math.isnan(t))]) - 0.05, 1.05)
        above.set_title(f"{measure}: order of runs against {baseline}", fontsize=10)
        values = {(r.user_model, r.run): r.value for r in results.means() if r.measure == measure}
        columns = [places([values.get((model, run), 0.0) for run in runs]) for model in models]
        for number, run in enumerate(runs):
            below.plot(at, [column[number] for column in columns], label=run, **line_style(number))
        below.set_ylabel("place")
        below.set_ylim(len(runs) + 0.5, 0.5)
        below.yaxis.set_major_locator(MaxNLocator(integer=True))
        for axis in (above, below):
            _tidy(axis)
        below.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)
    axes[-1].set_xticks(at, _without_common_start(models), rotation=90, fontsize=7)
    return figure


def levels_plot(curves: Sequence[LevelCurve]) -> Figure:
    """Draw a panel a measure: its mean by number of swaps, a line for each number of levels."""
    measures = list(dict.fromkeys(curve.measure for curve in curves))
    figure = new_figure(4.0 * len(measures), 3.6)
    axes = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for axis, measure in zip(axes, measures, strict=True):
        lines = [curve for curve in curves if curve.measure == measure]
        for number, curve in enumerate(lines):
            every = max(1, len(curve.values) // 10)
            axis.plot(
                curve.values, label=f"{curve.levels} levels", markevery=every, **line_style(number)
            )
        axis.set_title(measure)
        axis.set_xlabel("random swaps")
        _tidy(axis)
    axes[0].set_ylabel("mean over the repetitions")
    axes[-1].legend(frameon=False, fontsize=8)
    return figure


_ABSCISSAE = {"ep": "gain-recall", "AiP": "recall", "inexEval": "recall"}


def curves_plot(curves: Sequence[CurveOf]) -> Figure:
    """Draw a panel a measure and user model, a line a run."""
    panels = list(dict.fromkeys((curve.measure, curve.user_model) for curve in curves))
    wide = min(len(panels), 3)
    rows = -(-len(panels) // wide)
    figure = new_figure(4.6 * wide + 1.5, 3.6 * rows)
    axes = figure.subplots(rows, wide, squeeze=False).flatten()
    runs = list(dict.fromkeys(curve.run for curve in curves))
    for axis, (measure, model) in zip(axes, panels, strict=False):
        for curve in curves:
            if (curve.measure, curve.user_model) == (measure, model):
                every = max(1, len(curve.x) // 10)
                style = line_style(runs.index(curve.run))
                axis.plot(curve.x, curve.y, label=curve.run, markevery=every, **style)
        axis.set_title(model, fontsize=10)
        parsed = curve_measure(measure)
        budget = parsed.settings().get("budget", "ranks")
        along = _ABSCISSAE.get(parsed.definition.name, "rank")
        axis.set_xlabel(along if budget == "ranks" else f"{budget} read")
        axis.set_ylabel(measure)
        axis.set_ylim(bottom=0)
        _tidy(axis)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=8)
    return figure


def reading_plot(curves: Sequence[CurveOf], unit: str) -> Figure:
    """Draw how much of the gold was found after how much text, a line a run, the last curve dotted.

    The last curve is that of the ideal reader.
    """
    figure = new_figure(7.5, 4.2)
    axis = figure.subplots()
    *runs, ideal = curves
    for number, curve in enumerate(runs):
        every = max(1, len(curve.x) // 10)
        axis.plot(curve.x, curve.y, label=curve.run, markevery=every, **line_style(number))
    axis.plot(ideal.x, ideal.y, label=ideal.run, color="black", linestyle=":", linewidth=1.4)
    axis.set_title(ideal.user_model, fontsize=10)
    axis.set_xlabel(f"{unit} read")
    axis.set_ylabel("share of the gold's gain (gr)")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    _tidy(axis)
    figure.legend(loc="outside right center", frameon=False, fontsize=8)
    return figure


def perturbation_plot(lines: Sequence[Perturbed]) -> Figure:
    """Draw a panel a run and place, a line a measure, over the number of inserted results."""
    panels = list(dict.fromkeys((line.run, line.user_model, line.place) for line in lines))
    rows = -(-len(panels) // 2)
    figure = new_figure(10.0, 3.2 * rows)
    axes = figure.subplots(rows, 2, squeeze=False, sharey=True).flatten()
    measures = list(dict.fromkeys(line.measure for line in lines))
    for axis, (run, model, place) in zip(axes, panels, strict=False):
        for number, measure in enumerate(measures):
            points = [
                line
                for line in lines
                if (line.run, line.user_model, line.place, line.measure) == (run, model, place, measure)
            ]
            axis.plot(
                [line.inserted for line in points],
                [line.value for line in points],
                label=measure,
                **line_style(number),
            )
        axis.set_xscale("symlog", linthresh=5)
        axis.set_title(f"{run}, {model}: {place} result", fontsize=9)
        axis.set_xlabel("non-relevant results inserted")
        _tidy(axis)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=8)
    return figure


def ranges_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the runs' lowest, mean and highest score, best first: the form of KL Figure 7."""
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    runs = sum(row["measure"] == measures[0] for row in rows)
    figure = new_figure(max(6.0, 0.16 * runs + 2), 3.0 * len(measures))
    axes = figure.subplots(len(measures), 1, squeeze=False)[:, 0]
    for axis, measure in zip(axes, measures, strict=True):
        own = [row for row in rows if row["measure"] == measure]
        means = [row["mean"] for row in own]
        errors = [
            [row["mean"] - row["lowest"] for row in own],
            [row["highest"] - row["mean"] for row in own],
        ]
        axis.errorbar(range(len(own)), means, errors, fmt="o", color="black", markersize=3, capsize=2)
        labels = [row["run"] for row in own] if len(own) <= 20 else None
        if labels:
            axis.set_xticks(range(len(own)), labels, rotation=45, ha="right", fontsize=8)
        else:
            axis.set_xlabel("runs, best first")
        axis.set_ylabel(measure)
        _tidy(axis, lines="y")
    return figure


def correlations_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw least, mean and greatest τ-b of each measure, the steadiest first: KL Figure 8."""
    kinds = list(dict.fromkeys(row["topics"] for row in rows))
    figure = new_figure(max(5.0, 0.6 * len(rows) / len(kinds) + 2), 3.2 * len(kinds))
    axes = figure.subplots(len(kinds), 1, squeeze=False, sharey=True)[:, 0]
    for axis, kind in zip(axes, kinds, strict=True):
        own = sorted(
            (row for row in rows if row["topics"] == kind),
            key=lambda row: row["tau_b max"] - row["tau_b min"],
        )
        means = [row["tau_b mean"] for row in own]
        errors = [
            [row["tau_b mean"] - row["tau_b min"] for row in own],
            [row["tau_b max"] - row["tau_b mean"] for row in own],
        ]
        axis.errorbar(range(len(own)), means, errors, fmt="s", color="black", capsize=4)
        axis.set_xticks(range(len(own)), [row["measure"] for row in own], rotation=30, ha="right")
        axis.set_ylabel("τ-b")
        axis.set_title(f"{kind}", fontsize=9)
        _tidy(axis, lines="y")
    return figure


def swaps_plot(found: Mapping[str, SwapRates]) -> Figure:
    """Draw swap rates over the number of topics, a line a bin of differences: KL Figure 9."""
    figure = new_figure(5.2 * len(found) + 1.5, 4.0)
    axes = figure.subplots(1, len(found), squeeze=False, sharey=True)[0]
    for axis, (measure, rates) in zip(axes, found.items(), strict=True):
        for bin_ in range(min(12, rates.counts.shape[1])):
            line = rates.rates[:, bin_]
            if any(not math.isnan(value) for value in line):
                label = f"from {BORDERS[bin_]:g}"
                axis.plot(rates.sizes, 100 * line, label=label, **line_style(bin_))
        axis.axhline(5, color="black", linewidth=0.8, linestyle=":")
        axis.set_title(measure)
        axis.set_xlabel("topics in each set")
        _tidy(axis)
    axes[0].set_ylabel("swaps, %")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside right center", frameon=False, fontsize=8, title="difference"
    )
    return figure


def differences_plot(results: Results, baseline: str | None = None) -> Figure:
    """Draw for each run its difference from a baseline on every topic, largest first.

    A row a measure and user model, a column a run; the baseline is the run with the highest mean unless
    one is named.
    """
    panels = [(measure, model) for measure in results.measures for model in results.user_models]
    chosen = {}
    for measure, model in panels:
        means = {run: results.value(run, measure, user_model=model) for run in results.runs}
        best = max(means, key=lambda run: means[run])
        chosen[measure, model] = best if baseline in (None, "all") else str(baseline)
    wide = len(results.runs) - 1
    figure = new_figure(max(3.0, 2.2 * wide), 2.4 * len(panels))
    axes = figure.subplots(len(panels), max(wide, 1), squeeze=False, sharey="row")
    for row, (measure, model) in enumerate(panels):
        base = chosen[measure, model]
        others = [run for run in results.runs if run != base]
        for axis, run in zip(axes[row], others, strict=True):
            by_topic = {
                r.topic: r.value
                for r in results
                if (r.run, r.measure, r.user_model) == (run, measure, model) and r.topic != "all"
            }
            figures = sorted(
                (
                    value - results.value(base, measure, topic, model)
                    for topic, value in by_topic.items()
                ),
                reverse=True,
            )
            colours = ["#0072B2" if value >= 0 else "#D55E00" for value in figures]
            axis.bar(range(len(figures)), figures, color=colours)
            axis.axhline(0, color="black", linewidth=0.8)
            axis.set_title(f"{run} − {base}", fontsize=8)
            axis.set_xticks([])
            axis.spines[["top", "right"]].set_visible(False)
        axes[row][0].set_ylabel(f"{measure}\n{model}", fontsize=8)
    return figure


def _without_common_start(names: Sequence[str]) -> list[str]:
    """Shorten ``sweep[alpha=0]``, ``sweep[alpha=1]`` to what differs."""
    start = names[0].partition("[")[0] + "["
    if len(names) > 1 and all(name.startswith(start) and name.endswith("]") for name in names):
        return [name[len(start) : -1] for name in names]
    return list(names)
