"""Draw measures over all thresholds of relevance, beside measures that need none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xcg.evaluation.threshold_curves import ThresholdCurves
from xcg.judgements.recall_base import MEAN
from xcg.report.figures import add_legend, draw_curve, label_text, line_style, new_figure, style_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_TICKS = 10
_THRESHOLD_WIDTH = 5.2
_MEASURE_WIDTH = 1.3
_ROW_HEIGHT = 3.8


def thresholds_plot(found: ThresholdCurves) -> Figure:
    """Draw the means over topics, as Figures 6 to 8 of Scheel, Lommatzsch and Albayrak 2011.

    There is one row for each measure with a threshold and each user model. On the left, thresholds have
    equal distances, because a few high ratings would otherwise hide the others. On the right are the
    measures without threshold.
    """
    means = [curve for curve in found.curves if curve.topic == MEAN]
    panels = list(dict.fromkeys((curve.measure, curve.user_model) for curve in means))
    runs = list(dict.fromkeys(curve.run for curve in means))
    others = list(found.results.measures) if found.results is not None else []
    widths = [_THRESHOLD_WIDTH, *([max(1.5, _MEASURE_WIDTH * len(others))] if others else [])]
    figure = new_figure(sum(widths) + 1.6, _ROW_HEIGHT * len(panels))
    axes = figure.subplots(len(panels), len(widths), squeeze=False, sharey="row", width_ratios=widths)
    for (measure, model), row in zip(panels, axes, strict=True):
        for axis in row:
            style_axis(axis)
        curves = [curve for curve in means if (curve.measure, curve.user_model) == (measure, model)]
        thresholds = curves[0].x
        for curve in curves:
            draw_curve(row[0], runs.index(curve.run), curve.run, range(len(thresholds)), curve.y)
        step = -(-len(thresholds) // _MOST_TICKS)
        row[0].set_xticks(
            range(0, len(thresholds), step), [f"{threshold:.3g}" for threshold in thresholds[::step]]
        )
        row[0].set_xlabel("threshold")
        row[0].set_ylabel(label_text(measure))
        row[0].set_title(label_text(model), fontsize=10)
        row[0].set_ylim(0, 1.03)
        if found.results is not None:
            for number, run in enumerate(runs):
                values = [found.results.value(run, other, user_model=model) for other in others]
                row[1].plot(range(len(others)), values, **{**line_style(number), "linewidth": 0.6})
            names = [label_text(name).replace("(", "\n(").replace(",", ",\n") for name in others]
            row[1].set_xticks(range(len(others)), names, fontsize=7)
            row[1].set_xlim(-0.4, len(others) - 0.6)
    add_legend(figure, axes[0][0])
    return figure
