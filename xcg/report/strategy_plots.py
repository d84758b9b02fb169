"""Draw studies of overlap strategies with matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xcg.report.figures import (
    MAX_PANELS,
    add_caption,
    add_legend,
    in_style,
    label_text,
    line_style,
    new_panels,
    table_columns,
)
from xcg.report.plot_selection import different_panels, grouped, short_names
from xcg.report.strategy_studies import strategy_label, with_gaps
from xcg.runs.run import ORACLE
from xcg.statistics.strategy_study import StrategyStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLE_CHARACTERS = 32


def panel_notes(study: StrategyStudy) -> list[str]:
    """Return a note if the plot does not have a panel for every run."""
    if len(study.leaders) <= MAX_PANELS:
        return []
    return [
        f"note: the plot has {MAX_PANELS} of {len(study.leaders)} runs and measures, the most "
        "different ones; --run and --measures select others"
    ]


@in_style
def strategies_plot(study: StrategyStudy) -> Figure:
    """Draw one panel per measure, user model and run: the score of each strategy over α.

    Dotted vertical lines mark the values of α at which the best strategy changes. Oracle is dashed. A
    line has a gap next to α = 0 and 1 if the score jumps there, or no value close to it was tried.
    At most twelve panels are drawn: the ones with the most different scores.
    """
    by_case = grouped(study.scores, lambda score: (score.measure, score.user_model, score.run))
    panels, choice = different_panels(
        {case: by_case.get(case, []) for case in study.leaders},
        lambda scores: [math.nan if one.score is None else one.score for one in scores],
    )
    cases = list(panels)
    columns = table_columns(cases)
    figure, axes = new_panels(len(cases), columns, 4.0 * columns + 2.5, 3.4)
    short = short_names(list(dict.fromkeys(run for *_, run in cases)), _TITLE_CHARACTERS)
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
            x, y = with_gaps(
                (score.alpha, math.nan if score.score is None else score.score) for score in line
            )
            marked = [index for index, alpha in enumerate(x) if alpha in alphas]
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
        title = f"{short[run]}, {model}" if has_models else short[run]
        axis.set_title(label_text(title))
        axis.set_ylabel(label_text(measure))
        axis.set_xlabel("α, intolerance of repeated text")
    add_legend(figure, axes[0])
    caption = "Dotted: α at which the best strategy changes. Gaps: scores can jump at α = 0 and 1."
    add_caption(figure, caption, choice)
    return figure
