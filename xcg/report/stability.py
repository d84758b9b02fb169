"""Arrange stability studies as rows for tables and records, in the form of the paper's tables.

KL is Kazai & Lalmas 2006.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.assessor_combinations import (
    combinations,
    error_rate,
    order_correlations,
    score_ranges,
)
from xcg.statistics.assessors import AssessorScores
from xcg.statistics.topic_sets import BIN_STARTS, SwapRates, difference_needed, extrapolate

Row = dict[str, Any]

_SMALLEST_DIFFERENCES = 3
"""Ranges of differences below 0.01."""


def assessor_rows(
    scores_by_measure: Mapping[str, AssessorScores], sample: int | None, seed: int
) -> list[Row]:
    """Return one row per measure and set of topics (KL, Tables III and IV).

    Args:
        scores_by_measure: Measure → scores under the assessments of several assessors.
        sample: The largest number of random combinations; None for all combinations.
        seed: The seed of the sample.
    """
    rows = []
    for measure, scores in scores_by_measure.items():
        for name, chosen in (("all topics", scores), ("varying topics", scores.varying)):
            if not chosen.topics or (chosen is not scores and chosen.topics == scores.topics):
                continue
            means = combinations(chosen, sample, seed)
            if len(means) < 2:
                continue
            tau = order_correlations(means, reference=0)
            rate = error_rate(means)
            rows.append(
                {
                    "measure": measure,
                    "topics": f"{len(chosen.topics)} ({name})",
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
    scores_by_measure: Mapping[str, AssessorScores], sample: int | None, seed: int
) -> list[Row]:
    """Return the lowest, mean and highest score of each run over the combinations, best run first.

    The arguments are those of :func:`assessor_rows`.
    """
    return [
        {
            "measure": measure,
            "run": scores.runs[line.run],
            "lowest": line.low,
            "mean": line.mean,
            "highest": line.high,
        }
        for measure, scores in scores_by_measure.items()
        for line in score_ranges(combinations(scores, sample, seed), MEASURES.order(measure))
    ]


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
