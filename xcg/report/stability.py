"""Present stability studies: rows in the form of the paper's tables, and plots.

KL is Kazai & Lalmas 2006.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from xcg.answer import in_style
from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.report import figures
from xcg.report.figures import label_axis, label_text
from xcg.report.plot_selection import grouped, name_positions
from xcg.statistics import assessors
from xcg.statistics.assessors import AssessorScores
from xcg.statistics.topic_scores import ROUNDING, Floats
from xcg.statistics.topic_sets import (
    BIN_STARTS,
    MIN_COMPARISONS,
    RELIABLE,
    RunSummary,
    SwapRates,
    difference_needed,
    expected_rates,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]

MEAN_OF_RUNS = "mean of runs"
"""The name in the row that holds the mean of the runs."""

_MAX_SWAP_LINES = 12
_EXTRAPOLATED_POINTS = 60
_MOST_TICKS = 8
"""Ticks of the measured numbers of topics, next to the extrapolated ones."""


def assessor_rows(scores_by_measure: Mapping[str, AssessorScores], seed: int) -> list[Row]:
    """Return one row per measure and set of topics (KL, Tables III and IV).

    Args:
        scores_by_measure: Measure → scores under the assessments of several assessors.
        seed: The seed of the combinations, if there are too many.

    Raises:
        XcgError: If no topic is judged by several assessors, or a run has no score in a combination.
    """
    rows = []
    for measure, topics, means in _means_by_topics(scores_by_measure, seed):
        low, mean, high = assessors.order_correlations(means)
        rate = assessors.error_rate(means)
        rows.append(
            {
                "measure": measure,
                "topics": topics,
                "combinations": len(means),
                "comparisons": len(means) * math.comb(means.shape[1], 2),
                "tau_b min": low,
                "tau_b mean": mean,
                "tau_b max": high,
                "error rate %": 100 * rate.error,
                "ties %": 100 * rate.ties,
            }
        )
    return rows


def range_rows(scores_by_measure: Mapping[str, AssessorScores], seed: int) -> list[Row]:
    """Return the lowest, mean and highest score of each run over the combinations, best run first.

    The last row of each measure and set of topics is the mean of the runs (KL 6.2.1.1 and Figure 7).
    The arguments and errors are those of :func:`assessor_rows`.
    """
    rows = []
    for measure, topics, means in _means_by_topics(scores_by_measure, seed):
        ranges = assessors.score_ranges(means, MEASURES.order(measure))
        runs = scores_by_measure[measure].runs
        rows += [
            {
                "measure": measure,
                "topics": topics,
                "run": MEAN_OF_RUNS if line.run is None else runs[line.run],
                "lowest": line.low,
                "mean": line.mean,
                "highest": line.high,
                "range": line.high - line.low,
                "% of mean": line.percent,
            }
            for line in (*ranges, assessors.mean_range(ranges))
        ]
    return rows


def _means_by_topics(
    scores_by_measure: Mapping[str, AssessorScores], seed: int
) -> Iterator[tuple[str, str, Floats]]:
    """Yield measure, topics and the means for combinations of assessors.

    The topics are all, and those that several assessors judged, if these are not all.
    """
    for measure, scores in scores_by_measure.items():
        double_judged = scores.double_judged
        if not double_judged.topics:
            raise XcgError("no topic is judged by several assessors: expected at least one")
        chosen = [("all topics", scores)]
        if double_judged.topics != scores.topics:
            chosen.append(("double-judged topics", double_judged))
        for name, topic_scores in chosen:
            means = assessors.combinations(topic_scores, seed)
            if np.isnan(means).any():
                raise XcgError(
                    f"{measure}, {name}: a run has no score under a combination of assessors"
                )
            yield measure, f"{len(topic_scores.topics)} ({name})", means


def swap_rows(rates_by_measure: Mapping[str, SwapRates], sizes: Sequence[int]) -> list[Row]:
    """Return one row per measure, topic-set size and range of differences (KL, Figure 9).

    Args:
        rates_by_measure: Measure → swap rates.
        sizes: Numbers of topics to which the rates are extrapolated; measured sizes have rows anyway.
    """
    rows: list[Row] = []
    for measure, rates in rates_by_measure.items():
        shares = 100 * rates.cumulated_shares
        for size in sorted({*rates.sizes, *sizes}):
            for bin_, rate in enumerate(expected_rates(rates, size).tolist()):
                row: Row = {"measure": measure, "topics": size, "source": _source(rates, size)}
                row |= dict.fromkeys(("difference from", "comparisons", "ties", "swaps", "rate"))
                row |= {"difference from": BIN_STARTS[bin_], "sparse": None}
                row |= {"rate": None if math.isnan(rate) else rate, "cumulated comparisons %": None}
                if size in rates.sizes:
                    index = rates.sizes.index(size), bin_
                    row["comparisons"], row["ties"], row["swaps"] = (
                        int(found[index]) for found in (rates.counts, rates.ties, rates.swaps)
                    )
                    row["sparse"] = "yes" if rates.sparse[index] else "no"
                    row["cumulated comparisons %"] = float(shares[index])
                rows.append(row)
    return rows


def needed_rows(
    rates_by_measure: Mapping[str, SwapRates], summaries: Mapping[str, RunSummary], sizes: Sequence[int]
) -> list[Row]:
    """Return one row per measure and topic-set size: the difference needed for 95 % confidence.

    Args:
        rates_by_measure: Measure → swap rates.
        summaries: Measure → mean, deviation and best score of the compared runs.
        sizes: Numbers of topics besides the largest measured one.
    """
    rows: list[Row] = []
    for measure, rates in rates_by_measure.items():
        for size in sorted({rates.sizes[-1], *sizes}):
            needed = difference_needed(rates, size)
            row: Row = {"measure": measure, "topics": size, "source": _source(rates, size)}
            row["difference needed"] = needed
            row["% of best"] = _percent(needed, summaries[measure].best)
            row["% of mean"] = _percent(needed, summaries[measure].mean)
            rows.append(row)
    return rows


def topic_notes(rows: Sequence[Row], summaries: Mapping[str, RunSummary]) -> list[str]:
    """Return notes on the scores of the compared runs, and on differences that cannot be reliable.

    Args:
        rows: The rows of :func:`needed_rows` or :func:`swap_rows`.
        summaries: Measure → mean, deviation and best score of the compared runs.
    """
    notes = [
        f"{measure}: the best {summary.runs} runs have a mean score of {summary.mean:.4f}, a standard "
        f"deviation of {summary.deviation:.4f} and a best score of {summary.best:.4f}"
        for measure, summary in summaries.items()
    ]
    for fewer, more in pairwise(row for row in rows if "difference needed" in row):
        small, large = (
            math.inf if row["difference needed"] is None else row["difference needed"]
            for row in (fewer, more)
        )
        if fewer["measure"] == more["measure"] and small < large:
            needed = "no difference was found to suffice with {} topics, but one with {}"
            if large < math.inf:
                needed = "the difference needed is larger with {} topics than with {}"
            notes.append(
                f"{more['measure']}: {needed.format(more['topics'], fewer['topics'])}; "
                "neither is reliable, because more topics cannot require a larger difference"
            )
    return notes


_TOO_FEW = f"fewer than {MIN_COMPARISONS} comparisons"


def cell_facts(rows: Sequence[Row]) -> list[str]:
    """Return why differences needed are empty, and the meaning of sparse bins.

    Args:
        rows: The rows of :func:`needed_rows` or :func:`swap_rows`.
    """
    if any(row.get("sparse") == "yes" for row in rows):
        return [f"sparse: {_TOO_FEW}; such ranges are not extrapolated"]
    facts = []
    if any("difference needed" in row for row in rows):
        facts.append(f"difference needed: ranges of differences with {_TOO_FEW} are not used")
    if any(row.get("difference needed", 0) is None for row in rows):
        facts.append(
            f"empty difference needed: the largest differences with at least {MIN_COMPARISONS} "
            f"comparisons have a swap rate above {100 * RELIABLE:g} %"
        )
    return facts


def _source(rates: SwapRates, size: int) -> str:
    return "measured" if size in rates.sizes else "extrapolated"


def _percent(difference: float | None, score: float) -> float | None:
    return 100 * difference / score if difference is not None and score > ROUNDING else None


def _draw_error_bars(
    axis: Axes, rows: Sequence[Mapping[str, Any]], low: str, middle: str, high: str, **style: Any
) -> None:
    """Draw the middle value of each row, with a bar from the low to the high value."""
    middles = [row[middle] for row in rows]
    below = [row[middle] - row[low] for row in rows]
    above = [row[high] - row[middle] for row in rows]
    axis.errorbar(range(len(rows)), middles, [below, above], color="black", **style)


@in_style
def ranges_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest score of each run (KL, Figure 7).

    One row per measure, one column per set of topics. As in the paper, all panels have the runs in the
    order of the first panel.

    Args:
        rows: The rows of :func:`range_rows`.
    """
    every = grouped(rows, itemgetter("measure", "topics"))
    columns = len(grouped(rows, itemgetter("topics")))
    panels = dict(list(every.items())[: figures.max_panels() // columns * columns])
    runs = [row["run"] for row in next(iter(panels.values())) if row["run"] != MEAN_OF_RUNS]
    across = figures.panel_columns(len(panels) // columns, columns)
    width = min(figures.max_width(), across * max(5.0, 0.16 * len(runs) + 1))
    figure, axes = figures.new_panels(len(panels), across, width, 3.2, grid="y")
    for number, (axis, ((measure, topics), own)) in enumerate(zip(axes, panels.items(), strict=True)):
        by_run = {row["run"]: row for row in own}
        ordered = [by_run[run] for run in runs]
        _draw_error_bars(axis, ordered, "lowest", "mean", "highest", fmt="o", markersize=3, capsize=2)
        axis.margins(x=0.01)
        is_last = number + across >= len(panels)
        if not is_last:
            axis.set_xticks([])
        elif not name_positions(axis, "x", runs, width / across - 0.8):
            axis.set_xlabel(f"{len(runs)} runs")
        axis.set_ylabel(label_text(measure))
        axis.set_title(f"{topics}: {_describe_range(by_run[MEAN_OF_RUNS])}")
    for start in range(0, len(axes), columns):  # panels of one measure have one scale
        figures.equalise_y_limits(axes[start:][:columns])
    figures.add_caption(
        figure,
        "Dots: mean scores over the combinations of assessments; bars: the lowest and highest scores.",
        label_text(f"Runs are in the order of {rows[0]['measure']}, best first."),
        figures.drawn_first(len(panels), len(every), "panels"),
    )
    return figure


def _describe_range(row: Mapping[str, Any]) -> str:
    """Return the mean range and its share of the mean score."""
    share = "" if row["% of mean"] is None else f", {row['% of mean']:.3g} % of the mean score"
    return f"mean range {row['range']:.3g}{share}"


@in_style
def correlations_plot(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the lowest, mean and highest τ-b of each measure, smallest range first (KL, Figure 8).

    Args:
        rows: The rows of :func:`assessor_rows`.
    """
    panels = grouped(rows, itemgetter("topics"))
    count = len(panels)
    width = min(figures.max_width() / figures.fitted(count), max(5.0, 0.6 * len(rows) / count + 2))
    figure, axes = figures.new_panels(count, count, width * count, 3.8, sharey=True, grid="y")
    for axis, (topics, own) in zip(axes, panels.items(), strict=True):
        own.sort(key=lambda row: row["tau_b max"] - row["tau_b min"])
        _draw_error_bars(axis, own, "tau_b min", "tau_b mean", "tau_b max", fmt="s", capsize=4)
        if not name_positions(axis, "x", [row["measure"] for row in own], width - 0.8):
            axis.set_xlabel(f"{len(own)} measures, the smallest range first")
        axis.set_title(topics)
    figures.label_left(axes, "τ-b")
    figures.add_caption(figure, "Squares: mean τ-b; bars: the lowest and highest τ-b.")
    return figure


@in_style
def swaps_plot(rates_by_measure: Mapping[str, SwapRates], sizes: Sequence[int] = ()) -> Figure:
    """Draw swap rates over the number of topics, one line per range of differences (KL, Figure 9).

    Rates of sparse bins are not drawn.
    Extrapolated rates are thin lines on a grey background, with markers at the given sizes. They have a
    third of the width.

    Args:
        rates_by_measure: Measure → swap rates.
        sizes: Numbers of topics to which the rates are extrapolated.
    """
    shown, choice = figures.first_panels(rates_by_measure)
    count = len(shown)
    columns = figures.panel_columns(1, count)
    figure, axes = figures.new_panels(count, columns, 4.6 * columns + 1.5, 4.4, sharey=True)
    for axis, (measure, rates) in zip(axes, shown.items(), strict=True):
        largest, bins = rates.sizes[-1], range(_MAX_SWAP_LINES)
        for index in bins:
            line = np.where(rates.sparse[:, index], np.nan, rates.rates[:, index])
            if not np.isnan(line).all():
                label = f"from {BIN_STARTS[index]:g}"
                axis.plot(rates.sizes, 100 * line, label=label, **_swap_style(index))
        further = sorted({size for size in sizes if size > largest})
        if further:
            curve = np.unique(np.linspace(largest, further[-1], _EXTRAPOLATED_POINTS, dtype=int))
            curve = np.union1d(curve, further)
            expected = np.array([expected_rates(rates, int(size)) for size in curve])
            at_sizes = np.flatnonzero(np.isin(curve, further)).tolist()
            for index in bins:
                style = _swap_style(index) | {"linewidth": 0.8, "markerfacecolor": "white"}
                axis.plot(curve, 100 * expected[:, index], markevery=at_sizes, **style)
            figures.mark_extrapolated(axis, largest, further[-1])
            _compress(axis, [rates.sizes[0] - 1, largest, 1.03 * further[-1]])
            ticks = [
                *range(rates.sizes[0], largest + 1, -(-largest // figures.most_ticks(_MOST_TICKS))),
                *further,
            ]
            axis.set_xticks(ticks)
        axis.axhline(100 * RELIABLE, color="black", linewidth=0.8, linestyle=":")
        label_axis(axis, measure, "topics in each set")
        axis.set_ylim(bottom=0)
    return figures.finish(figure, axes, choice, left="swaps, %", title="difference")


def _compress(axis: Axes, limits: Sequence[float]) -> None:
    """Give the part of the x axis between the last two of three limits a third of the width."""
    parts = 0, 2, 3
    scale = partial(np.interp, xp=limits, fp=parts), partial(np.interp, xp=parts, fp=limits)
    axis.set_xscale("function", functions=scale)
    axis.set_xlim(limits[0], limits[-1])


def _swap_style(index: int) -> dict[str, Any]:
    """Return the style of the line of a bin: the smaller the difference, the darker."""
    from matplotlib import colormaps

    colour = colormaps["viridis"](0.95 * index / (_MAX_SWAP_LINES - 1))
    return figures.line_style(index) | {"color": colour, "linestyle": "-"}
