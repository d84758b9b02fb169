"""Arrange stability studies as rows for tables and records, in the form of the paper's tables.

KL is Kazai & Lalmas 2006.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.assessor_combinations import (
    combinations,
    error_rate,
    mean_range,
    order_correlations,
    score_ranges,
)
from xcg.statistics.assessors import AssessorScores
from xcg.statistics.topic_scores import Floats
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates, difference_needed, extrapolate

Row = dict[str, Any]
TopicSet = Literal["both", "all", "double-judged"]

MEAN_OF_RUNS = "mean of runs"
"""The name in the row that holds the mean of the runs."""

_SMALLEST_DIFFERENCES = 3
"""Ranges of differences below 0.01."""


def assessor_rows(
    scores_by_measure: Mapping[str, AssessorScores],
    sample: int | None,
    seed: int,
    topic_set: TopicSet = "both",
) -> list[Row]:
    """Return one row per measure and set of topics (KL, Tables III and IV).

    Args:
        scores_by_measure: Measure → scores under the assessments of several assessors.
        sample: The largest number of random combinations; None for all combinations.
        seed: The seed of the sample.
        topic_set: Whether all topics, those that several assessors judged, or both are studied.

    Raises:
        XcgError: If no topic is judged by several assessors, or a run has no score in a combination.
    """
    rows = []
    for measure, topics, means in _means_by_topics(scores_by_measure, sample, seed, topic_set):
        tau = order_correlations(means, reference=0)
        rate = error_rate(means)
        rows.append(
            {
                "measure": measure,
                "topics": topics,
                "combinations": len(means),
                "tau_b min": tau.low,
                "tau_b mean": tau.mean,
                "tau_b max": tau.high,
                "error rate %": 100 * rate.error,
                "ties %": 100 * rate.ties,
            }
        )
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
    for measure, topics, means in _means_by_topics(scores_by_measure, sample, seed, topic_set):
        ranges = score_ranges(means, MEASURES.order(measure))
        runs = scores_by_measure[measure].runs
        rows += [
            {
                "measure": measure,
                "topics": topics,
                "run": MEAN_OF_RUNS if line.run is None else runs[line.run],
                "lowest": line.low,
                "mean": line.mean,
                "highest": line.high,
                "range": line.range,
                "% of mean": line.percent,
            }
            for line in (*ranges, mean_range(ranges))
        ]
    return rows


def _means_by_topics(
    scores_by_measure: Mapping[str, AssessorScores], sample: int | None, seed: int, topic_set: TopicSet
) -> Iterator[tuple[str, str, Floats]]:
    """Yield measure, topics and the means for combinations of assessors."""
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
            means = combinations(topic_scores, sample, seed)
            if np.isnan(means).any():
                raise XcgError(
                    f"{measure}, {name}: a run has no score under a combination of assessors"
                    + ("; use --topics all" if topic_scores is double_judged else "")
                )
            yield measure, f"{len(topic_scores.topics)} ({name})", means


def swap_rows(rates_by_measure: Mapping[str, SwapRates]) -> list[Row]:
    """Return one row per measure, topic-set size and range of differences that occurs."""
    return [
        {
            "measure": measure,
            "topics": size,
            "difference from": start,
            "comparisons": int(count),
            "swaps": int(swaps),
            "rate": int(swaps) / int(count),
        }
        for measure, rates in rates_by_measure.items()
        for size, counts, all_swaps in zip(rates.sizes, rates.counts, rates.swaps, strict=True)
        for start, count, swaps in zip(BIN_STARTS, counts, all_swaps, strict=True)
        if count
    ]


def needed_rows(rates_by_measure: Mapping[str, SwapRates], sizes: Sequence[int]) -> list[Row]:
    """Return one row per measure: the differences needed for 95 % confidence.

    Args:
        rates_by_measure: Measure → swap rates.
        sizes: Numbers of topics to which the rates are extrapolated.
    """
    rows: list[Row] = []
    for measure, rates in rates_by_measure.items():
        largest = rates.sizes[-1]
        row: Row = {"measure": measure, f"{largest} topics": difference_needed(rates.at(largest))}
        for size in sizes:
            row[f"{size} topics, extrapolated"] = difference_needed(extrapolate(rates, size))
        smallest = rates.at(largest)[:_SMALLEST_DIFFERENCES]
        known = not all(math.isnan(rate) for rate in smallest)
        row["error rate below .01 %"] = 100 * float(np.nanmean(smallest)) if known else None
        rows.append(row)
    return rows
