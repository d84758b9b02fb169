"""Draw the order of runs under several user models with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.report.figures import (
    MAX_HEIGHT,
    MAX_WIDTH,
    add_caption,
    drawn_first,
    in_style,
    label_text,
    new_figure,
)
from xcg.report.heatmaps import draw_cells, name_positions
from xcg.report.plot_selection import LABEL_CHARACTERS, model_labels, most_different
from xcg.statistics.rank_correlation import OrderShift

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_MODELS = 45
MAX_MEASURES = 6
_ROW_HEIGHT, _RUN_WIDTH, _TAU_WIDTH = 0.18, 0.28, 1.4
_EDGES = 2.3
"""Height of titles, names of runs and caption in inches."""


@in_style
def sweep_plot(results: Results, shifts: Sequence[OrderShift], baseline: str) -> Figure:
    """Draw for each measure τ-b against the baseline, and the rank of each run under every user model.

    User models are rows and runs are columns; the columns have the order of the runs under the
    baseline. If there are more than 45 user models, the baseline and the ones that rank the runs most
    differently are drawn. If there are more than six measures, the first six are drawn.

    Args:
        results: Results under several user models.
        shifts: The rows of :func:`xcg.statistics.rank_correlation.order_shifts`.
        baseline: The user model to which they refer.
    """
    measures = results.measures[:MAX_MEASURES]
    ranks = {measure: _ranks(results, measure) for measure in measures}
    models = _drawn_models(results, ranks, baseline)
    labels, parameters = model_labels(models)
    label_width = 0.075 * max(map(len, labels)) + 0.5
    wanted = _TAU_WIDTH + max(_RUN_WIDTH * len(results.runs), 1.5) + 0.3
    width = min(MAX_WIDTH, max(6.0, label_width + len(measures) * wanted))
    height = min(MAX_HEIGHT, _ROW_HEIGHT * len(models) + _EDGES)
    panel = (width - label_width) / len(measures) - 0.3
    tau_width = min(_TAU_WIDTH, 0.3 * panel)
    figure = new_figure(width, height)
    axes = figure.subplots(
        1, 2 * len(measures), sharey=True, width_ratios=[tau_width, panel - tau_width] * len(measures)
    )
    has_names = True
    for number, measure in enumerate(measures):
        tau_axis, rank_axis = axes[2 * number], axes[2 * number + 1]
        own = {shift.user_model: shift for shift in shifts if shift.measure == measure}
        _draw_correlations(tau_axis, [own[model] for model in models])
        tau_axis.set_title(label_text(measure), loc="left", fontweight="bold")
        runs = sorted(results.runs, key=lambda run: ranks[measure].get((baseline, run), math.inf))
        table = [[ranks[measure].get((model, run), math.nan) for run in runs] for model in models]
        rank_axis.tick_params(labelleft=False)
        draw_cells(rank_axis, table, "cividis", 1, max(len(runs), 2), numbers=len(runs) <= 12)
        rank_axis.set_title("ranks of runs", loc="left")
        if not name_positions(rank_axis, "x", runs, panel - tau_width):
            has_names = False
            rank_axis.set_xlabel(f"{len(runs)} runs")
    name_positions(axes[0], "y", labels, _ROW_HEIGHT * len(models), characters=LABEL_CHARACTERS)
    axes[0].set_ylabel(label_text(parameters))
    add_caption(
        figure,
        f"τ-b: correlation of the order of runs with that under {baseline}"
        + (", with 95 % intervals." if any(shift.interval for shift in shifts) else "."),
        "Runs: in the order of the ranks under this user model, best first; dark: rank 1.",
        "" if has_names else "Names of runs that do not fit are not drawn.",
        f"Drawn are {len(models)} of {len(results.user_models)} user models, those with the most "
        "different ranks."
        if len(models) < len(results.user_models)
        else "",
        drawn_first(len(measures), len(results.measures), "measures"),
    )
    return figure


def _draw_correlations(axis: Axes, shifts: Sequence[OrderShift]) -> None:
    """Draw τ-b of each user model as a dot, with its interval."""
    values = [math.nan if shift.tau_b is None else shift.tau_b for shift in shifts]
    for row, shift in enumerate(shifts):
        if shift.interval is not None:
            axis.plot([shift.interval.low, shift.interval.high], [row, row], color="0.6", linewidth=1.2)
    axis.plot(values, range(len(values)), "o", color="black", markersize=4, label="τ-b")
    known = [value for value in values if not math.isnan(value)]
    lows = [shift.interval.low for shift in shifts if shift.interval is not None]
    low = min([0.0, *known, *(one for one in lows if not math.isnan(one))])
    axis.set_xlim(low - 0.08, 1.08)
    axis.set_xticks([-1, 0, 1] if low < -0.5 else [0, 0.5, 1])
    axis.set_xlabel("τ-b")
    axis.grid(visible=True)


def _drawn_models(
    results: Results, ranks: dict[str, dict[tuple[str, str], int]], baseline: str
) -> list[str]:
    """Return the user models to draw, in their order."""
    models = list(results.user_models)
    if len(models) <= MAX_MODELS:
        return models
    ordered = [baseline, *(model for model in models if model != baseline)]
    rows = [
        [own.get((model, run), math.nan) for own in ranks.values() for run in results.runs]
        for model in ordered
    ]
    chosen = {ordered[index] for index in most_different(rows, MAX_MODELS)}
    return [model for model in models if model in chosen]


def _ranks(results: Results, measure: str) -> dict[tuple[str, str], int]:
    """Return the rank of each run under each user model; runs with equal means share a rank."""
    order = MEASURES.order(measure)
    values: dict[str, dict[str, float]] = {}
    for row in results.means():
        if row.measure == measure:
            values.setdefault(row.user_model, {})[row.run] = row.value
    return {
        (model, run): order.rank(value, list(own.values()))
        for model, own in values.items()
        for run, value in own.items()
    }
