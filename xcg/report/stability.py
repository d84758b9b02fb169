"""Arrange stability studies as rows for tables and records, in the form of the paper's tables.

KL is Kazai & Lalmas 2006.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics import assessors, topic_sets
from xcg.statistics.assessors import AssessorScores
from xcg.statistics.intervals import interval_columns
from xcg.statistics.topic_scores import ROUNDING, Floats
from xcg.statistics.topic_sets import MIN_COMPARISONS, RELIABLE, RunSummary, Smoothing, SwapRates

Row = dict[str, Any]
TopicSet = Literal["both", "all", "double-judged"]

MEAN_OF_RUNS = "mean of runs"
"""The name in the row that holds the mean of the runs."""

_SMALLEST_DIFFERENCES = 3
"""Ranges of differences below 0.01."""
SMALL = "swaps below 0.01, %"
"""Swaps per 100 comparisons with a difference below 0.01 (weighted mean over three bins)."""
SMALL_BY_BIN = "mean of 3 bins, %"
"""Unweighted mean of the swap rates of the three bins below 0.01."""


def assessor_rows(
    scores_by_measure: Mapping[str, AssessorScores],
    sample: int | None,
    seed: int,
    topic_set: TopicSet = "both",
    resamples: int = 0,
) -> list[Row]:
    """Return one row per measure and set of topics (KL, Tables III and IV).

    Args:
        scores_by_measure: Measure → scores under the assessments of several assessors.
        sample: The largest number of random combinations; None for all combinations.
        seed: The seed of the sample.
        topic_set: Whether all topics, those that several assessors judged, or both are studied.
        resamples: Number of bootstrap resamples for the intervals of mean τ-b and error rate; 0 for no
            intervals.

    Raises:
        XcgError: If no topic is judged by several assessors, or a run has no score in a combination.
    """
    rows = []
    for measure, topics, scores, means in _means_by_topics(scores_by_measure, sample, seed, topic_set):
        low, mean, high = assessors.order_correlations(means)
        rate = assessors.error_rate(means)
        row: Row = {
            "measure": measure,
            "topics": topics,
            "combinations": len(means),
            "comparisons": len(means) * math.comb(means.shape[1], 2),
            "tau_b min": low,
            "tau_b mean": mean,
            "tau_b max": high,
        }
        error: Row = {"error rate %": 100 * rate.error}
        if resamples:
            of_tau, of_error = assessors.stability_intervals(scores, sample, seed, resamples)
            row |= interval_columns("tau_b", of_tau)
            error |= interval_columns("error", of_error, 100)
        rows.append({**row, **error, "ties %": 100 * rate.ties})
    return rows


def range_rows(
    scores_by_measure: Mapping[str, AssessorScores],
    sample: int | None,
    seed: int,
    topic_set: TopicSet = "both",
) -> list[Row]:
    """Return the lowest, mean and highest score of each run over the combinations, best run first.

    The last row of each measure and set of topics is the mean of the runs (KL 6.2.1.1 and Figure 7).
    The arguments and errors are those of :func:`assessor_rows`.
    """
    rows = []
    for measure, topics, _, means in _means_by_topics(scores_by_measure, sample, seed, topic_set):
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
    scores_by_measure: Mapping[str, AssessorScores], sample: int | None, seed: int, topic_set: TopicSet
) -> Iterator[tuple[str, str, AssessorScores, Floats]]:
    """Yield measure, topics, scores by assessor and the means for combinations of assessors."""
    for measure, scores in scores_by_measure.items():
        double_judged = scores.double_judged
        if not double_judged.topics:
            raise XcgError("no topic is judged by several assessors: expected at least one")
        chosen = [("all topics", scores)] if topic_set != "double-judged" else []
        if topic_set == "double-judged" or (
            topic_set == "both" and double_judged.topics != scores.topics
        ):
            chosen.append(("double-judged topics", double_judged))
        for name, topic_scores in chosen:
            means = assessors.combinations(topic_scores, sample, seed)
            if np.isnan(means).any():
                raise XcgError(
                    f"{measure}, {name}: a run has no score under a combination of assessors"
                    + ("; use study.assessors.topics=all" if topic_scores is double_judged else "")
                )
            yield measure, f"{len(topic_scores.topics)} ({name})", topic_scores, means


def swap_rows(
    rates_by_measure: Mapping[str, SwapRates], sizes: Sequence[int], smoothing: Smoothing
) -> list[Row]:
    """Return one row per measure, topic-set size and range of differences (KL, Figure 9).

    Args:
        rates_by_measure: Measure → swap rates.
        sizes: Numbers of topics to which the rates are extrapolated; measured sizes have rows anyway.
        smoothing: How rates are smoothed before they are extrapolated.
    """
    rows: list[Row] = []
    for measure, rates in rates_by_measure.items():
        shares = 100 * rates.cumulated_shares
        for size in sorted({*rates.sizes, *sizes}):
            expected = topic_sets.expected_rates(rates, size, smoothing).tolist()
            intervals = topic_sets.rate_intervals(rates, size, smoothing)
            for bin_, (start, rate) in enumerate(zip(topic_sets.BIN_STARTS, expected, strict=True)):
                row: Row = {"measure": measure, "topics": size, "source": _source(rates, size)}
                row |= {"difference from": start, **dict.fromkeys(("comparisons", "ties", "swaps"))}
                row["rate"] = None if math.isnan(rate) else rate
                if rates.resamples:
                    interval = None if math.isnan(rate) else intervals[bin_]
                    row |= interval_columns("rate", interval)
                row |= {"sparse": None, "cumulated comparisons %": None}
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
    rates_by_measure: Mapping[str, SwapRates],
    summaries: Mapping[str, RunSummary],
    sizes: Sequence[int],
    smoothing: Smoothing,
) -> list[Row]:
    """Return one row per measure and topic-set size: the difference needed for 95 % confidence.

    Args:
        rates_by_measure: Measure → swap rates.
        summaries: Measure → mean, deviation and best score of the compared runs.
        sizes: Numbers of topics besides the largest measured one.
        smoothing: How rates are smoothed before they are extrapolated.
    """
    rows: list[Row] = []
    for measure, rates in rates_by_measure.items():
        for size in sorted({rates.sizes[-1], *sizes}):
            needed = topic_sets.needed_difference(rates, size, smoothing)
            row: Row = {"measure": measure, "topics": size, "source": _source(rates, size)}
            row["difference needed"] = needed.difference
            if rates.resamples:
                row |= interval_columns("needed", needed.interval)
            row["% of best"] = _percent(needed.difference, summaries[measure].best)
            row["% of mean"] = _percent(needed.difference, summaries[measure].mean)
            row |= _small_differences(rates, size, smoothing)
            rows.append(row)
    return rows


def _small_differences(rates: SwapRates, size: int, smoothing: Smoothing) -> Row:
    """Return the swap rate of all differences below 0.01, and the mean rate of their three bins."""
    pooled = rates.pooled(_SMALLEST_DIFFERENCES)
    (rate,) = topic_sets.expected_rates(pooled, size, smoothing).tolist()
    by_bin = topic_sets.expected_rates(rates, size, smoothing)[:_SMALLEST_DIFFERENCES]
    known = by_bin[~np.isnan(by_bin)]
    row: Row = {SMALL: None if math.isnan(rate) else 100 * rate}
    if rates.resamples:
        interval = None if math.isnan(rate) else topic_sets.rate_intervals(pooled, size, smoothing)[0]
        row |= interval_columns("swaps", interval, 100)
    row[SMALL_BY_BIN] = 100 * float(known.mean()) if known.size else None
    return row


def sparse_notes(
    rates_by_measure: Mapping[str, SwapRates], sizes: Sequence[int], smoothing: Smoothing
) -> list[str]:
    """Return notes on differences needed that depend on sparse bins or increase with the topics.

    The arguments are those of :func:`swap_rows`.
    """
    notes = []
    for measure, rates in rates_by_measure.items():
        found: list[tuple[int, float]] = []
        for size in sorted({rates.sizes[-1], *sizes}):
            needed = topic_sets.needed_difference(replace(rates, resamples=()), size, smoothing)
            own, other = needed.difference, needed.with_sparse_bins
            if own != other:
                effect = "no difference would be reliable"
                if other is not None:
                    effect = f"the difference needed would be {other:g}"
                unused = f"bins with {_TOO_FEW} are not used; with them, {effect}"
                notes.append(f"{measure}, {size} topics: {unused}")
            found.append((size, math.inf if own is None else own))
        for (fewer, small), (more, large) in pairwise(found):
            if small < large:
                notes.append(
                    f"{measure}: the difference needed is larger with {more} topics than with {fewer}; "
                    "neither is reliable, because more topics cannot require a larger difference"
                )
    return notes


def score_notes(summaries: Mapping[str, RunSummary]) -> list[str]:
    """Return notes with the scores of the compared runs.

    Args:
        summaries: Measure → mean, deviation and best score of the compared runs.
    """
    return [
        f"{measure}: the best {summary.runs} runs have a mean score of {summary.mean:.4f}, a standard "
        f"deviation of {summary.deviation:.4f} and a best score of {summary.best:.4f}"
        for measure, summary in summaries.items()
    ]


_TOO_FEW = f"fewer than {MIN_COMPARISONS} comparisons"
_EMPTY_CELLS = {
    "rate": f"no comparison has a difference in this range; extrapolated: {_TOO_FEW} with the largest "
    "measured number of topics",
    "comparisons": "extrapolated rates have none of their own",
    "difference needed": f"the largest differences with at least {MIN_COMPARISONS} comparisons have a "
    f"swap rate above {100 * RELIABLE:g} %",
    "needed high": "no difference is reliable in at least 2.5 % of the resamples",
    SMALL: f"no comparison has such a difference; extrapolated: {_TOO_FEW} with the largest measured "
    "number of topics",
    "% of best": "there is no difference needed, or the best score is 0",
    "% of mean": "there is no difference needed, or the mean score is 0",
    "tau_b low": "tau_b is not defined in the resamples",
}
"""Column → why cells are empty."""


def cell_facts(rows: Sequence[Row]) -> list[str]:
    """Return the reasons for empty cells, and the meaning of sparse bins and of limits.

    Args:
        rows: The rows of a table of this module.
    """
    empty = {name for row in rows for name, value in row.items() if value is None}
    empty |= {name.partition(",")[0] for name in empty}
    facts = [f"empty {name}: {reason}" for name, reason in _EMPTY_CELLS.items() if name in empty]
    if any(row.get("sparse") == "yes" for row in rows):
        facts.append(f"sparse: {_TOO_FEW}")
    if any(name.endswith(" low") for row in rows for name in row):
        facts.append("low and high: 95 % bootstrap intervals over topics")
    return facts


def _source(rates: SwapRates, size: int) -> str:
    return "measured" if size in rates.sizes else "extrapolated"


def _percent(difference: float | None, score: float) -> float | None:
    return 100 * difference / score if difference is not None and score > ROUNDING else None
