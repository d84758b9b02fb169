"""Simulate how often bootstrap intervals contain the true swap rate (docs/decisions/comparisons.md).

Usage: python benchmarks/swap_intervals.py [TOPICS [CAMPAIGNS]]
"""

from __future__ import annotations

import sys

import numpy as np

from xcg.statistics.topic_sets import BIN_STARTS, rate_intervals, swap_rates

# Six similar runs, and two that are never among the best three quarters.
EFFECTS = np.r_[np.linspace(0, 0.08, 6), -0.3, -0.3]


def campaign(rng: np.random.Generator, topics: int) -> np.ndarray:
    """Return scores of shape (topics, runs)."""
    difficulty = rng.normal(0, 0.15, (topics, 1))
    return np.clip(0.3 + EFFECTS + difficulty + rng.normal(0, 0.15, (topics, len(EFFECTS))), 0, 1)


def main(topics: int, campaigns: int) -> None:
    """Print the coverage with half and a quarter of the topics."""
    rng = np.random.default_rng(1)
    bins = len(BIN_STARTS)
    sizes = topics // 2, topics // 4
    truth = swap_rates({"MAep": campaign(rng, 20_000)}, 10_000, sizes=sizes)["MAep"].pooled(bins)
    found: dict[int, list[tuple[bool, float]]] = {size: [] for size in sizes}
    for seed in range(campaigns):
        scores = {"MAep": campaign(rng, topics)}
        rates = swap_rates(scores, 50, seed, resamples=100)["MAep"].pooled(bins)
        for size in sizes:
            (interval,) = rate_intervals(rates, size)
            assert interval is not None
            covered = interval.low <= truth.at(size)[0] <= interval.high
            found[size].append((covered, rates.at(size)[0]))
    for size, values in found.items():
        coverage, estimate = np.mean(values, axis=0)
        print(
            f"{size} of {topics} topics: true rate {truth.at(size)[0]:.3f}, "
            f"mean estimate {estimate:.3f}, coverage {100 * coverage:.1f} % of {campaigns}"
        )


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    main(*(arguments + [16, 200][len(arguments) :]))
