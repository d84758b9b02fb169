"""Stability studies as rows for tables and for programs, in the form of the paper's tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xcg.statistics.stability import (
    BORDERS,
    SwapRates,
    Variation,
    combinations,
    difference_needed,
    error_rate,
    extrapolate,
    order_correlations,
    score_ranges,
)

Row = dict[str, Any]


def assessor_rows(found: Mapping[str, Variation], sample: int | None, seed: int) -> list[Row]:
    """Return a row a measure and set of topics: Tables III and IV of Kazai & Lalmas 2006."""
    rows = []
    for measure, variation in found.items():
        for kind, chosen in (("all topics", variation), ("varying topics", variation.varying)):
            if not chosen.topics or (chosen is not variation and chosen.topics == variation.topics):
                continue
            means = combinations(chosen, sample, seed)
            if len(means) < 2:
                continue
            tau = order_correlations(means, reference=0)
            rate = error_rate(means)
            rows.append(
                {
                    "measure": measure,
                    "topics": f"{len(chosen.topics)} ({kind})",
                    "combinations": len(means),
                    "tau_b min": tau.low,
                    "tau_b mean": tau.mean,
                    "tau_b max": tau.high,
                    "error rate %": 100 * rate.error,
                    "ties %": 100 * rate.ties,
                }
            )
    return rows


def range_rows(found: Mapping[str, Variation], sample: int | None, seed: int) -> list[Row]:
    """Return a row a measure and run: lowest, mean and highest score over the combinations."""
    return [
        {
            "measure": measure,
            "run": variation.runs[line.run],
            "lowest": line.low,
            "mean": line.mean,
            "highest": line.high,
        }
        for measure, variation in found.items()
        for line in score_ranges(combinations(variation, sample, seed))
    ]


def swap_rows(found: Mapping[str, SwapRates]) -> list[Row]:
    """Return a row a measure, topic-set size and bin of differences."""
    rows = []
    for measure, rates in found.items():
        for place, n in enumerate(rates.sizes):
            for bin_, border in enumerate(BORDERS):
                count = int(rates.counts[place, bin_])
                if count:
                    swaps = int(rates.swaps[place, bin_])
                    rows.append(
                        {
                            "measure": measure,
                            "topics": n,
                            "difference from": border,
                            "comparisons": count,
                            "swaps": swaps,
                            "rate": swaps / count,
                        }
                    )
    return rows


def needed_rows(found: Mapping[str, SwapRates], sizes: Sequence[int]) -> list[Row]:
    """Return a row a measure: the difference needed for 95 % confidence, measured and extrapolated."""
    rows: list[Row] = []
    for measure, rates in found.items():
        row: Row = {"measure": measure}
        largest = rates.sizes[-1]
        row[f"{largest} topics"] = difference_needed(rates.at(largest))
        for n in sizes:
            row[f"{n} topics, extrapolated"] = difference_needed(extrapolate(rates, n))
        nearest = rates.at(largest)[:3]
        row["error rate below .01 %"] = 100 * float(np.nanmean(nearest)) if _any(nearest) else None
        rows.append(row)
    return rows


def _any(values: Any) -> bool:
    return not all(math.isnan(value) for value in values)
