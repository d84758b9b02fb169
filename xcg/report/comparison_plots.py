"""Draw comparisons of runs: differences on topics, orders under user models, strategies over α."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.report.figures import (
    COLOURS,
    MAX_HEIGHT,
    MAX_PANELS,
    MAX_WIDTH,
    add_caption,
    add_legend,
    drawn_first,
    equalise_y_limits,
    in_style,
    label_text,
    line_style,
    new_figure,
    new_panels,
    panel_columns,
    table_columns,
)
from xcg.report.plot_selection import (
    LABEL_CHARACTERS,
    best_first,
    different_panels,
    draw_cells,
    grouped,
    model_labels,
    most_different,
    name_positions,
    short_names,
)
from xcg.report.strategy_studies import strategy_label, with_gaps
from xcg.runs.run import ORACLE
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.run_pairs import ALL_PAIRS, BEST
from xcg.statistics.significance import Comparison
from xcg.statistics.strategy_scores import StrategyStudy
from xcg.statistics.topic_scores import scores_by_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Intervals = dict[tuple[str, str, str, str], tuple[float, float, float]]
"""(measure, user model, run, baseline) → low, mean and high of the difference."""

_BETTER, _WORSE = COLOURS[4:6]
_EXTREMES = 3
"""Number of topics that are named at each end of bars that are too narrow for names."""
_TITLE_CHARACTERS = 12.5
"""Characters of a title in an inch."""


@in_style
def differences_plot(
    results: Results, baseline: str | None = None, comparisons: Sequence[Comparison] = ()
) -> Figure:
    """Draw the difference of each run from a baseline on every topic.

    Up to twelve panels, one per measure, user model and run, show differences as bars, largest first.
    Otherwise there is one table of coloured cells per measure and user model, with topics as rows and
    runs as columns. Topics on which the run is better and worse than the baseline have different
    colours. Behind bars, a grey band is the interval of the mean difference.

    Args:
        results: Results with the scores of topics.
        baseline: A run. With None, ``all`` or ``best``, it is the run with the best mean.
        comparisons: What :func:`xcg.compare` returned for these results, with the intervals of bars.

    Raises:
        XcgError: If the results do not have the baseline.
    """
    named = None if baseline in (None, ALL_PAIRS, BEST) else baseline
    if named is not None and named not in results.runs:
        raise XcgError(f"no run {named!r} among the results: {nearest(named, results.runs)}")
    cases = [(measure, model) for measure in results.measures for model in results.user_models]
    if len(cases) * max(len(results.runs) - 1, 1) <= MAX_PANELS:
        return _bars(results, cases, named, _intervals(comparisons))
    return _cells(results, cases, named)


def _intervals(comparisons: Sequence[Comparison]) -> Intervals:
    """Return the intervals of mean differences per topic, in both directions."""
    found: Intervals = {}
    for line in comparisons:
        if line.low is not None and line.high is not None:
            divisor = line.topics if MEASURES.is_count(line.measure) else 1
            low, mean, high = (one / divisor for one in (line.low, line.difference, line.high))
            found[line.measure, line.user_model, line.run, line.baseline] = low, mean, high
            found[line.measure, line.user_model, line.baseline, line.run] = -high, -mean, -low
    return found


def _bars(
    results: Results, cases: Sequence[tuple[str, str]], baseline: str | None, intervals: Intervals
) -> Figure:
    """Draw one panel per measure, user model and run, with one bar per topic."""
    size = max(len(results.runs) - 1, 1)
    count = len(cases) * size
    columns = panel_columns(len(cases), size, 3 if count <= 9 else 4)
    width = min(MAX_WIDTH, max(6.0, 4.4 * columns))
    figure, axes = new_panels(count, columns, width, 2.8, grid="y")
    has_models = len(results.user_models) > 1
    characters = int((width / columns - 0.4 - 0.3 * has_models) * _TITLE_CHARACTERS / 2) - 2
    short = short_names(results.runs, characters)
    for number, (measure, model) in enumerate(cases):
        base = baseline or best_first(results, measure, model)[0]
        others = [run for run in results.runs if run != base]
        scores = scores_by_run(results, measure, model)
        panels = axes[number * size :][:size]
        for axis, run in zip(panels, others, strict=False):  # a single run has an empty panel
            differences = _topic_differences(scores, run, base)
            _draw_bars(axis, differences, measure, width / columns - 0.7)
            if (measure, model, run, base) in intervals:
                low, mean, high = intervals[measure, model, run, base]
                axis.axhline(mean, color="black", linewidth=1, linestyle="--")
                axis.axhspan(low, high, color="0.85", zorder=0)
            axis.set_title(label_text(f"{short[run]} − {short[base]}"))
            names = [f"difference in {measure}", *([model] if has_models else [])]
            axis.set_ylabel("\n".join(map(label_text, names)))
        equalise_y_limits(panels)  # panels of one measure and user model have one scale
    add_caption(
        figure,
        "Differences on each topic, largest first. Blue: the run is better; orange: worse.",
        "Dashed: the mean difference; grey: its interval, as in the table." if intervals else "",
        "" if has_models else f"User model: {results.user_models[0]}.",
    )
    return figure


def _draw_bars(axis: Axes, differences: Mapping[str, float], measure: str, inches: float) -> None:
    """Draw one bar per topic with its name; only the extreme topics are named if there is no room."""
    order = MEASURES.order(measure)
    colours = [_WORSE if order.better(0.0, value) else _BETTER for value in differences.values()]
    axis.bar(range(len(differences)), list(differences.values()), color=colours)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.margins(x=0.01, y=0.15)
    topics = list(differences)
    if name_positions(axis, "x", topics, inches):
        axis.set_xlabel("topic")
        return
    short = short_names(topics, 16)
    highest, lowest = (
        ", ".join(short[topic] for topic in ends)
        for ends in (topics[:_EXTREMES], topics[: -_EXTREMES - 1 : -1])
    )
    lines = f"{len(topics)} topics; highest: {highest}", f"lowest: {lowest}"
    axis.set_xlabel("\n".join(map(label_text, lines)))


def _cells(results: Results, cases: Sequence[tuple[str, str]], baseline: str | None) -> Figure:
    """Draw one table of cells per measure and user model: topics × runs, the best run first."""
    from matplotlib.colors import LinearSegmentedColormap

    shown = cases[:MAX_PANELS]
    count, topics, runs = len(shown), results.topics, len(results.runs)
    wanted = 0.2 * runs + 1.6
    columns = count if count * wanted <= MAX_WIDTH or count <= 3 else panel_columns(1, count, 4)
    rows = -(-count // columns)
    width = min(MAX_WIDTH, max(7.0, columns * wanted))
    row_height = min(MAX_HEIGHT / rows, max(3.0, 0.16 * len(topics) + 2.4))
    characters = 18 if rows > 1 else 28
    figure, axes = new_panels(count, columns, width, row_height, sharey="row", grid=None)
    has_models = len(results.user_models) > 1
    bases = set()
    for axis, (measure, model) in zip(axes, shown, strict=True):
        ordered = best_first(results, measure, model)
        base = baseline or ordered[0]
        bases.add(base)
        others = [run for run in ordered if run != base]
        scores = scores_by_run(results, measure, model)
        found = {run: _topic_differences(scores, run, base) for run in others}
        table = [[found[run].get(topic, math.nan) for run in others] for topic in topics]
        better = MEASURES.order(measure).better
        known = [abs(value) for row in table for value in row if not math.isnan(value)]
        limit = max(known, default=0.0) or 1.0
        lower_is_better = better(0.0, 1.0)
        colours = [_WORSE, "#FFFFFF", _BETTER][:: -1 if lower_is_better else 1]
        mesh = draw_cells(
            axis, table, LinearSegmentedColormap.from_list("differences", colours), -limit, limit
        )
        dots = [
            (column, row)
            for row, values in enumerate(table)
            for column, value in enumerate(values)
            if better(value, 0.0)
        ]
        if dots:  # dots distinguish the colours in greyscale
            axis.plot(*zip(*dots, strict=True), ".", color="black", markersize=1.6, linestyle="none")
        axis.set_title(label_text(f"{measure}, {model}" if has_models else measure), loc="left")
        room = width / columns - 1.1
        if name_positions(axis, "x", others, room, characters=characters):
            row_room = row_height - 0.8 - 0.07 * characters
        else:
            row_room = row_height - 0.9
            axis.set_xlabel(f"{len(others)} runs, best first")
        if axis in axes[::columns]:
            name_positions(axis, "y", topics, row_room, skip=True)
            axis.set_ylabel("topic")
        else:
            axis.tick_params(labelleft=False)
        bar = figure.colorbar(mesh, ax=axis, fraction=0.04, pad=0.01)
        bar.outline.set_visible(False)
        bar.set_label(label_text(f"difference in {measure}"))
    base_text = f"from {bases.pop()}" if len(bases) == 1 else "from the best run of each measure"
    add_caption(
        figure,
        f"Differences {base_text} on each topic (rows), with the best run first (columns).",
        "Blue with a dot: the run is better; orange: worse; grey: no score.",
        "" if has_models else f"User model: {results.user_models[0]}.",
        drawn_first(count, len(cases), "measures and user models"),
    )
    return figure


def _topic_differences(
    scores: Mapping[str, Mapping[str, float]], run: str, base: str
) -> dict[str, float]:
    """Return topic → difference of a run from a baseline, for topics of both, largest first."""
    values, others = scores.get(run, {}), scores.get(base, {})
    differences = {topic: values[topic] - others[topic] for topic in values if topic in others}
    return dict(sorted(differences.items(), key=lambda item: -item[1]))


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
    short = short_names(list(dict.fromkeys(run for *_, run in cases)), 32)
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
