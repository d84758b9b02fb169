"""Draw comparisons of runs: differences on topics, orders under user models, strategies over α."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from xcg.answer import in_style
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.report import figures, plot_selection
from xcg.report.comparisons import relative_to_one_run
from xcg.report.figures import label_axis, label_text
from xcg.report.plot_selection import grouped, name_positions, short_names
from xcg.report.strategy_studies import strategy_label, with_gaps
from xcg.runs.run import ORACLE
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.significance import Comparison
from xcg.statistics.strategy_study import StrategyStudy
from xcg.statistics.topic_scores import scores_by_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BETTER, _WORSE = figures.COLOURS[4:6]
_EXTREMES = 3
"""Number of topics that are named at each end of bars that are too narrow for names."""
_TITLE_CHARACTERS = 12.5
"""Characters of a title in an inch."""


@in_style
def differences_plot(results: Results, comparisons: Sequence[Comparison]) -> Figure:
    """Draw the difference of each run from the baseline, or from the best run, on every topic.

    There is one panel per measure, user model and run, with one bar per topic, largest first; of more
    than twelve, the first ones. Bars have different colours where the run is better and worse
    than the baseline. A grey band is the interval of the mean difference.

    Args:
        results: Results with the scores of topics.
        comparisons: What :func:`xcg.statistics.significance.compare` returned for these results.
    """
    lines = [
        line
        for own in grouped(comparisons, attrgetter("measure", "user_model")).values()
        for line in relative_to_one_run(results, own)
    ]
    panels, choice = figures.first_panels(dict(enumerate(lines)))
    count, family = len(panels), attrgetter("measure", "user_model")
    cases = len({*map(family, panels.values())})
    columns = (
        figures.fitted(4) if choice else figures.panel_columns(cases, count // cases, 3 + (count > 9))
    )
    width = min(figures.max_width(), max(6.0, 4.4 * columns))
    figure, axes = figures.new_panels(count, columns, width, 2.8, grid="y")
    has_models = len(results.user_models) > 1
    characters = int((width / columns - 0.4 - 0.3 * has_models) * _TITLE_CHARACTERS / 2) - 2
    short = short_names(results.runs, characters)
    for axis, line in zip(axes, panels.values(), strict=False):
        scores = scores_by_run(results, line.measure, line.user_model)
        own, other = scores[line.run], scores[line.baseline]
        found = {topic: own[topic] - other[topic] for topic in own if topic in other}
        differences = dict(sorted(found.items(), key=lambda item: -item[1]))
        _draw_bars(axis, differences, line.measure, width / columns - 0.7)
        if line.low is not None and line.high is not None:
            divisor = line.topics if MEASURES.is_count(line.measure) else 1
            axis.axhline(line.difference / divisor, color="black", linewidth=1, linestyle="--")
            axis.axhspan(line.low / divisor, line.high / divisor, color="0.85", zorder=0)
        axis.set_title(label_text(f"{short[line.run]} − {short[line.baseline]}"))
        names = [f"difference in {line.measure}", *([line.user_model] if has_models else [])]
        axis.set_ylabel("\n".join(map(label_text, names)))
    of_family = grouped(zip(panels.values(), axes, strict=False), lambda pair: family(pair[0]))
    for pairs in of_family.values():  # panels of one measure and user model have one scale
        figures.equalise_y_limits([axis for _, axis in pairs])
    has_intervals = any(line.low is not None for line in lines)
    figures.add_caption(
        figure,
        "Differences on each topic, largest first. Blue: the run is better; orange: worse.",
        "Dashed: the mean difference; grey: its interval, as in the table." if has_intervals else "",
        "" if has_models else f"User model: {results.user_models[0]}.",
        choice,
    )
    return figure


def _draw_bars(axis: Axes, differences: Mapping[str, float], measure: str, inches: float) -> None:
    """Draw one bar per topic with its name; only the extreme topics are named if there is no room."""
    order = MEASURES.order(measure)
    colours = [_WORSE if order.sort_key(value) > 0 else _BETTER for value in differences.values()]
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


MAX_MODELS = 45
MAX_MEASURES = 6
_ROW_HEIGHT, _TAU_WIDTH, _RANK_WIDTH = 0.18, 1.4, 3.4
_EDGES = 2.3
"""Height of titles, axes and caption in inches."""
_CHARACTER = 0.075
"""Width of a character of the name of a user model in inches."""


@in_style
def sweep_plot(results: Results, shifts: Sequence[OrderShift]) -> Figure:
    """Draw for each measure τ-b against the first user model, and the ranks of runs across all.

    User models are rows, and each run is a line from rank to rank. Of more than eight runs, the five
    best under the first user model have labels, and the others are grey. Drawn are the first 45 user
    models and the first six measures; in a paper, as many as it has room for.

    Args:
        results: Results under several user models.
        shifts: The rows of :func:`xcg.statistics.rank_correlation.order_shifts`.
    """
    measures = results.measures[: min(MAX_MEASURES, figures.fitted(MAX_MEASURES))]
    ranks = {measure: _ranks(results, measure) for measure in measures}
    models = results.user_models[:MAX_MODELS]
    labels, parameters = plot_selection.model_labels(models)
    characters = min(plot_selection.LABEL_CHARACTERS, int(figures.max_width() / 3 / _CHARACTER))
    label_width = _CHARACTER * min(characters, max(map(len, labels))) + 0.5
    wanted = label_width + len(measures) * (_TAU_WIDTH + _RANK_WIDTH)
    width = min(figures.max_width(), wanted + 2.0)
    panel = (width - label_width) / len(measures) - 0.3
    tau_width = min(_TAU_WIDTH, 0.3 * panel)
    figure = figures.new_figure(width, _ROW_HEIGHT * len(models) + _EDGES)
    axes = figure.subplots(
        1, 2 * len(measures), sharey=True, width_ratios=[tau_width, panel - tau_width] * len(measures)
    )
    first = ranks[measures[0]]
    styles = plot_selection.line_styles(
        results.runs, sorted(results.runs, key=lambda run: first.get((models[0], run), math.inf))
    )
    for number, measure in enumerate(measures):
        tau_axis, rank_axis = axes[2 * number], axes[2 * number + 1]
        own = {shift.user_model: shift for shift in shifts if shift.measure == measure}
        _draw_correlations(tau_axis, [own[model] for model in models])
        tau_axis.set_title(label_text(measure), loc="left", fontweight="bold")
        for run in results.runs:
            line = [ranks[measure].get((model, run), math.nan) for model in models]
            styles.draw(rank_axis, run, line, range(len(models)))
        last = max(len(results.runs), 2)
        step = -(-last // figures.most_ticks(8))
        rank_axis.set_xticks(sorted({1, *range(step, last + 1, step)}))
        rank_axis.set_xlim(0.5, last + 0.5)
        rank_axis.tick_params(labelleft=False)
        rank_axis.grid(visible=True)
        rank_axis.set_xlabel("rank of the run")
    name_positions(axes[0], "y", labels, _ROW_HEIGHT * len(models), characters=characters)
    axes[0].set_ylabel(label_text(parameters))
    axes[0].set_ylim(len(models) - 0.5, -0.5)
    caption = [f"τ-b: correlation of the order of runs with that under {models[0]}"]
    caption[0] += ", with 95 % intervals." if any(shift.interval for shift in shifts) else "."
    if styles.others:
        caption.append(f"{styles.caption[:-1]} than the five best under this user model.")
    caption.append(figures.drawn_first(len(models), len(results.user_models), "user models"))
    caption.append(figures.drawn_first(len(measures), len(results.measures), "measures"))
    return figures.finish(figure, axes[1:], *caption)


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
    axis.set_xticks([-1, 0, 1] if low < -0.5 else [0, 1])
    axis.set_xlabel("τ-b")
    axis.grid(visible=True)


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


@in_style
def strategies_plot(study: StrategyStudy) -> Figure:
    """Draw one panel per measure, user model and run: the score of each strategy over α.

    Dotted vertical lines mark the values of α at which the best strategy changes. Oracle is dashed. A
    line has a gap next to α = 0 and 1 if the score jumps there, or no value close to it was tried.
    At most twelve panels are drawn.
    """
    panels, choice = figures.first_panels(dict.fromkeys(study.leaders))
    cases = list(panels)
    columns = figures.table_columns(cases)
    figure, axes = figures.new_panels(len(cases), columns, 4.0 * columns + 2.5, 3.4)
    short = short_names(list(dict.fromkeys(run for *_, run in cases)), 32)
    strategies = list(dict.fromkeys(score.strategy for score in study.scores))
    has_models = len({model for _, model, _ in cases}) > 1
    for axis, case in zip(axes, cases, strict=True):
        measure, model, run = case
        scores = [score for score in study.scores if score[:3] == case]
        alphas = {score.alpha for score in scores}
        for number, strategy in enumerate(strategies):
            line = [score for score in scores if score.strategy == strategy]
            line.sort(key=lambda score: score.alpha)
            x, y = with_gaps(
                (score.alpha, math.nan if score.score is None else score.score) for score in line
            )
            marked = [index for index, alpha in enumerate(x) if alpha in alphas]
            style = figures.line_style(number)
            if strategy == ORACLE:
                style |= {"color": "0.4", "linestyle": "--", "marker": "x"}
            label = label_text(strategy_label(strategy))
            axis.plot(x, y, label=label, markevery=marked, **style)
        for alpha in study.crossings(case):
            axis.axvline(alpha, color="black", linewidth=0.8, linestyle=":")
            axis.annotate(
                *(f"{alpha:.2f}", (alpha, 1), (2, -2)),
                *(("data", "axes fraction"), "offset points"),
                fontsize=7,
                verticalalignment="top",
            )
        title = f"{short[run]}, {model}" if has_models else short[run]
        label_axis(axis, title, "α, intolerance of repeated text", measure)
    caption = "Dotted: α at which the best strategy changes. Gaps: scores can jump at α = 0 and 1."
    return figures.finish(figure, axes, caption, choice)
