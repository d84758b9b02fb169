"""Draw measures over all thresholds of relevance, next to measures without a threshold."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from xcg.evaluation.threshold_curves import ThresholdCurves
from xcg.judgements.recall_base import MEAN
from xcg.report.figures import (
    MAX_HEIGHT,
    add_caption,
    add_legend,
    drawn_first,
    in_style,
    label_text,
    new_figure,
)
from xcg.report.plot_selection import grouped, run_styles, short_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_TICKS = 10
_MOST_CASES = 6
_THRESHOLD_WIDTH = 5.2
_MEASURE_WIDTH = 1.3
_ROW_HEIGHT = 3.8


@in_style
def thresholds_plot(found: ThresholdCurves) -> Figure:
    """Draw the means over topics, as Figures 6 to 8 of Scheel, Lommatzsch and Albayrak 2011.

    There is one row for each measure with a threshold and each user model. On the left, thresholds have
    equal distances, because a few high ratings would otherwise hide the others. On the right are the
    measures without threshold. At most six rows are drawn, in two columns if there are more than three.
    """
    means = [curve for curve in found.curves if curve.topic == MEAN]
    every = grouped(means, attrgetter("measure", "user_model"))
    cases = list(every)[:_MOST_CASES]
    runs = list(dict.fromkeys(curve.run for curve in means))
    styles = run_styles(means, lambda curve: -sum(curve.y) / max(len(curve.y), 1))
    others = list(found.results.measures) if found.results is not None else []
    widths = [_THRESHOLD_WIDTH, *([max(1.5, _MEASURE_WIDTH * len(others))] if others else [])]
    across = 1 if len(cases) <= 3 else 2
    rows = -(-len(cases) // across)
    height = _ROW_HEIGHT * rows
    figure = new_figure(across * sum(widths) + 1.8, height)
    axes = figure.subplots(rows, across * len(widths), squeeze=False, width_ratios=across * widths)
    for axis in axes.flatten()[len(cases) * len(widths) :]:
        axis.set_visible(False)
    size = min(_ROW_HEIGHT, MAX_HEIGHT / rows) - 0.9
    for (measure, model), row in zip(cases, axes.reshape(-1, len(widths)), strict=False):
        for axis in row:
            axis.grid(visible=True)
            axis.set_ylim(0, 1.03)
        curves = every[measure, model]
        thresholds = curves[0].x
        for curve in curves:
            styles.draw(row[0], curve.run, range(len(thresholds)), curve.y)
        step = -(-len(thresholds) // _MOST_TICKS)
        row[0].set_xticks(
            range(0, len(thresholds), step), [f"{threshold:.3g}" for threshold in thresholds[::step]]
        )
        row[0].set_xlabel("threshold")
        row[0].set_ylabel(label_text(measure))
        row[0].set_title(label_text(short_names([model], 40)[model]))
        if found.results is not None:
            for run in runs:
                values = [found.results.value(run, other, user_model=model) for other in others]
                styles.draw(row[1], run, range(len(others)), values)
            names = [label_text(name).replace("(", "\n(").replace(",", ",\n") for name in others]
            row[1].set_xticks(range(len(others)), names, fontsize=7)
            row[1].set_xlim(-0.4, len(others) - 0.6)
            row[1].tick_params(labelleft=False)
        if styles.others:
            styles.label_ends(row[-1], size)
    if not styles.others:
        add_legend(figure, axes[0][0])
    add_caption(
        figure,
        styles.caption,
        "Best runs by their mean over the thresholds of the first panel." if styles.others else "",
        drawn_first(len(cases), len(every), "measures and user models"),
    )
    return figure
