"""Draw studies of overlap strategies with matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xcg.report.figures import add_legend, label_text, line_style, new_panels
from xcg.report.strategy_studies import strategy_label
from xcg.runs.run import ORACLE
from xcg.statistics.strategy_study import StrategyStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_PANELS = 24


def panel_notes(study: StrategyStudy) -> list[str]:
    """Return a note if the plot does not have a panel for every run."""
    if len(study.leaders) <= _MAX_PANELS:
        return []
    return [f"note: the plot has the first {_MAX_PANELS} of {len(study.leaders)} runs and measures"]


def strategies_plot(study: StrategyStudy) -> Figure:
    """Draw one panel per measure, user model and run: the score of each strategy over α.

    Dotted vertical lines mark the values of α at which the best strategy changes. Oracle is dashed.
    At most 24 panels are drawn.
    """
    cases = list(study.leaders)[:_MAX_PANELS]
    columns = min(len({case[1:] for case in cases}), 3)  # one row per measure if there are few
    figure, axes = new_panels(len(cases), columns, 4.0 * columns + 2.5, 3.4)
    strategies = list(dict.fromkeys(score.strategy for score in study.scores))
    has_models = len({model for _, model, _ in cases}) > 1
    for axis, case in zip(axes, cases, strict=True):
        measure, model, run = case
        scores = [score for score in study.scores if score[:3] == case]
        alphas = {score.alpha for score in scores}
        refined = [score for score in study.refined if score[:3] == case and score.score is not None]
        for number, strategy in enumerate(strategies):
            line = [score for score in scores + refined if score.strategy == strategy]
            line.sort(key=lambda score: score.alpha)
            marked = [index for index, score in enumerate(line) if score.alpha in alphas]
            x = [score.alpha for score in line]
            y = [math.nan if score.score is None else score.score for score in line]
            style = line_style(number)
            if strategy == ORACLE:
                style |= {"color": "0.4", "linestyle": "--", "marker": ""}
            label = label_text(strategy_label(strategy))
            axis.plot(x, y, label=label, markevery=marked, **style)
        for crossing in study.crossings:
            if (crossing.measure, crossing.user_model, crossing.run) == case:
                axis.axvline(crossing.alpha, color="black", linewidth=0.8, linestyle=":")
                axis.annotate(
                    f"{crossing.alpha:.2f}",
                    (crossing.alpha, 1),
                    xycoords=("data", "axes fraction"),
                    xytext=(2, -2),
                    textcoords="offset points",
                    fontsize=7,
                    verticalalignment="top",
                )
        title = f"{run}, {model}" if has_models else run
        axis.set_title(label_text(title), fontsize=10)
        axis.set_ylabel(label_text(measure))
        axis.set_xlabel("α, intolerance of repeated text")
    add_legend(figure, axes[0])
    return figure
