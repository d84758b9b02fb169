"""Draw the differences of runs from a baseline on every topic with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.report.figures import (
    COLOURS,
    MAX_HEIGHT,
    MAX_PANELS,
    MAX_WIDTH,
    add_caption,
    drawn_first,
    equalise_y_limits,
    in_style,
    label_text,
    new_panels,
    panel_columns,
)
from xcg.report.heatmaps import draw_cells, name_positions
from xcg.report.plot_selection import best_first, short_names
from xcg.statistics.significance import Comparison
from xcg.statistics.topic_scores import ALL_PAIRS, BEST, scores_by_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Intervals = dict[tuple[str, str, str, str], tuple[float, float, float]]
"""(measure, user model, run, baseline) → low, mean and high of the difference."""

_BETTER, _WORSE = COLOURS[4:6]
_EXTREMES = 3
"""Number of topics that are named at each end of bars that are too narrow for names."""
_UNKNOWN = (math.nan, math.nan, math.nan)
_STRIP = 0.25
"""Height of the mean differences above cells, as a share of the cells' height."""
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
    colours. Mean differences have intervals, in bars as grey bands and above cells as vertical lines.

    Args:
        results: Results with the scores of topics.
        baseline: A run. With None, ``all`` or ``best``, it is the run with the best mean.
        comparisons: What :func:`xcg.compare` returned for these results, with the intervals.

    Raises:
        XcgError: If the results do not have the baseline.
    """
    named = None if baseline in (None, ALL_PAIRS, BEST) else baseline
    if named is not None and named not in results.runs:
        raise XcgError(f"no run {named!r} among the results: {nearest(named, results.runs)}")
    cases = [(measure, model) for measure in results.measures for model in results.user_models]
    draw = _bars if len(cases) * max(len(results.runs) - 1, 1) <= MAX_PANELS else _cells
    return draw(results, cases, named, _intervals(comparisons))


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


def _cells(
    results: Results, cases: Sequence[tuple[str, str]], baseline: str | None, intervals: Intervals
) -> Figure:
    """Draw one table of cells per measure and user model: topics × runs, the best run first."""
    from matplotlib.colors import LinearSegmentedColormap

    shown = cases[:MAX_PANELS]
    count, topics, runs = len(shown), results.topics, len(results.runs)
    wanted = 0.2 * runs + 1.6
    columns = count if count * wanted <= MAX_WIDTH or count <= 3 else panel_columns(1, count, 4)
    rows = -(-count // columns)
    width = min(MAX_WIDTH, max(7.0, columns * wanted))
    strip = _STRIP if intervals else 0
    row_height = min(MAX_HEIGHT / rows, max(3.0, 0.16 * len(topics) + 2.4) * (1 + strip))
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
        if strip:
            _draw_means(axis, [intervals.get((measure, model, r, base), _UNKNOWN) for r in others])
        title = label_text(f"{measure}, {model}" if has_models else measure)
        axis.set_title(title, loc="left", y=1.05 + strip if strip else None)
        room = width / columns - 1.1
        if name_positions(axis, "x", others, room, characters=characters):
            row_room = row_height - 0.8 - 0.07 * characters
        else:
            row_room = row_height - 0.9
            axis.set_xlabel(f"{len(others)} runs, best first")
        if axis in axes[::columns]:
            name_positions(axis, "y", topics, row_room / (1.05 + strip), skip=True)
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
        "Above: the mean differences and their intervals, as in the table." if intervals else "",
        "" if has_models else f"User model: {results.user_models[0]}.",
        drawn_first(count, len(cases), "measures and user models"),
    )
    return figure


def _draw_means(cells: Axes, intervals: Sequence[tuple[float, float, float]]) -> None:
    """Draw the mean difference of each run, with its interval, above cells."""
    # The layout underestimates the height of titles above strips.
    cast(Any, cells.figure).get_layout_engine().set(h_pad=0.1)
    axis = cells.inset_axes((0, 1.03, 1, _STRIP), sharex=cells)
    lows, means, highs = np.array(intervals).T
    limits = [means - lows, highs - means]
    axis.errorbar(range(len(means)), means, limits, fmt=".", color="black", linewidth=1, markersize=4)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.tick_params(labelbottom=False, length=0)
    axis.set_ylabel("mean")
    axis.grid(visible=True, axis="y")


def _topic_differences(
    scores: Mapping[str, Mapping[str, float]], run: str, base: str
) -> dict[str, float]:
    """Return topic → difference of a run from a baseline, for topics of both, largest first."""
    values, others = scores.get(run, {}), scores.get(base, {})
    differences = {topic: values[topic] - others[topic] for topic in values if topic in others}
    return dict(sorted(differences.items(), key=lambda item: -item[1]))
