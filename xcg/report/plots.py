"""Draw curves of runs over ranks, recall and text, and studies of measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from xcg.answer import in_style
from xcg.evaluation.curves import IDEAL, CurveOf, curve_measure
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np
from xcg.report import figures, plot_selection
from xcg.report.figures import label_axis, label_text
from xcg.report.plot_selection import LineStyles, grouped, short_names
from xcg.statistics.intervals import curve_limits
from xcg.statistics.perturbation import LevelCurve, PerturbedMean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_BANDS = 3
"""Runs whose intervals can be distinguished."""


@in_style
def levels_plot(curves: Sequence[LevelCurve]) -> Figure:
    """Draw one panel per measure: its mean by number of swaps, one line per number of levels."""
    panels = grouped(curves, attrgetter("measure"))
    count = len(panels)
    figure, axes = figures.new_panels(count, count, 4.0 * count, 3.6, sharey=True)
    for axis, (measure, lines) in zip(axes, panels.items(), strict=True):
        for number, curve in enumerate(lines):
            swaps = range(len(curve.values))
            style = figures.line_style(number) | {"markevery": max(1, len(swaps) // 10)}
            axis.plot(swaps, curve.values, label=f"{curve.levels} levels", **style)
        label_axis(axis, measure, "random swaps")
    figures.label_left(axes, "mean over the repetitions")
    axes[0].legend(loc="upper right")
    return figure


@in_style
def curves_plot(lines: Sequence[CurveOf]) -> Figure:
    """Draw the mean over topics: one panel per measure and user model, with one line per run.

    At most twelve panels are drawn. If there are more than eight runs, the five with the highest mean
    of the first curve have labels, and the others are grey. Up to three runs have the 95 % intervals of
    their means.

    Args:
        lines: Curves of topics, and one mean curve per run, measure and user model. That of the ideal
            ranking is a dotted line.
    """
    curves = [line for line in lines if line.topic == MEAN]
    limits = curve_limits(lines) if len({line.run for line in curves} - {IDEAL}) <= _MOST_BANDS else {}
    every = grouped(curves, attrgetter("measure", "user_model"))
    panels, choice = figures.first_panels(every)
    columns = figures.table_columns(panels)
    width = 4.4 * columns + (2.4 if columns < 3 else 1.0)
    figure, axes = figures.new_panels(len(panels), columns, width, 3.6)
    styles = _styles_of(curves)
    shown = list(dict.fromkeys(model for _, model in panels))
    labels, parameters = plot_selection.model_labels(shown)
    titles = dict(zip(shown, labels, strict=True))
    for axis, ((measure, model), own) in zip(axes, panels.items(), strict=True):
        for curve in own:
            if curve.run == IDEAL:
                axis.plot(curve.x, curve.y, "k:", label=label_text(curve.run), linewidth=1.4)
            else:
                styles.draw(axis, curve.run, curve.x, curve.y)
                if (band := limits.get((measure, model, curve.run))) is not None:
                    colour = styles.styles[curve.run]["color"]
                    axis.fill_between(curve.x, *band, color=colour, alpha=0.15, linewidth=0)
        over = curve_measure(measure).curve_over
        label_axis(axis, titles[model], over, measure)
        axis.set_ylim(bottom=0)
        if over.endswith("recall"):
            axis.set_xlim(0, 1)
        elif over == "rank":
            _start_at_rank_1(axis, own)
    for of_measure in grouped(zip(panels, axes, strict=True), lambda panel: panel[0][0]).values():
        figures.equalise_y_limits([axis for _, axis in of_measure])
    by = "Best runs by the mean of the first curve." if styles.others else ""
    names = f"User models: {parameters}." if parameters else ""
    bands = "Bands: 95 % intervals of the means, Student's t over topics." if limits else ""
    return figures.finish(figure, axes, names, styles.caption, by, choice, bands)


def _start_at_rank_1(axis: Axes, curves: Sequence[CurveOf]) -> None:
    """Begin an axis at rank 1, which has a tick."""
    last = max(2.0, *(curve.x[-1] for curve in curves))
    axis.set_xticks([1, *(tick for tick in axis.get_xticks() if 1 < tick <= last and tick % 1 == 0)])
    axis.set_xlim(1, last)
    for line in axis.get_lines():
        line.set_clip_on(False)  # whole markers at the edges


def _mean(curve: CurveOf) -> float:
    """Return the mean of a curve; NaN without values."""
    known = [y for y in curve.y if not math.isnan(y)]
    return float(np.mean(known)) if known else math.nan


def _styles_of(curves: Sequence[CurveOf]) -> LineStyles:
    """Return the styles of runs; of many runs, only the best by the first curve have labels."""
    runs = list(dict.fromkeys(curve.run for curve in curves if curve.run != IDEAL))
    first = grouped(curves, attrgetter("run"))
    return plot_selection.line_styles(runs, sorted(runs, key=lambda run: -_mean(first[run][0])))


@in_style
def perturbation_plot(lines: Sequence[PerturbedMean]) -> Figure:
    """Draw measures over the number of inserted results, one line per measure.

    There is one panel per run, user model and position; both positions are next to each other. If
    these are more than twelve, the first twelve are drawn.
    """
    positions = len({line.position for line in lines})
    every = grouped(lines, attrgetter("run", "user_model", "position"))
    panels, choice = figures.first_panels(every)
    styles = plot_selection.line_styles(list(dict.fromkeys(line.measure for line in lines)))
    columns = (
        figures.panel_columns(len(panels) // positions, positions) if not choice else figures.fitted(4)
    )
    figure, axes = figures.new_panels(len(panels), columns, 4.2 * columns + 1.4, 3.2)
    short = short_names(list(dict.fromkeys(run for run, _, _ in panels)), 18)
    has_models = len({model for _, model, _ in panels}) > 1
    for axis, ((run, model, position), panel) in zip(axes, panels.items(), strict=True):
        for name, points in grouped(panel, attrgetter("measure")).items():
            inserted = [point.inserted for point in points]
            styles.draw(axis, name, inserted, [point.value for point in points])
        axis.set_xscale("symlog", linthresh=5)
        axis.xaxis.set_major_formatter("{x:g}")
        subject = f"{short[run]}, {model}" if has_models else short[run]
        label_axis(axis, f"{subject}: {position} result", "non-relevant results inserted")
        axis.set_ylim(bottom=0)
    model = "" if has_models else f"User model: {lines[0].user_model}."
    return figures.finish(figure, axes, model, choice, left="mean over topics")
