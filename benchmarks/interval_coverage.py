"""Simulate how often simultaneous intervals contain all true differences (docs/studies/test-levels.md).

Each campaign has topic effects, run effects and noise. In at least 95 % of the campaigns, all intervals
of a family should contain the true differences. The noise is normal or skewed (exponential), with the
same standard deviation for all runs, or with deviations that differ by a factor of 4. In a simulated
INEX campaign, they differ by a factor of 4 for nxCG@10 and of 17 for MAep.

Usage: python benchmarks/interval_coverage.py [--campaigns N] [--seed N] [--topics N] [--runs N]
           [--noise KIND]
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from itertools import product

import numpy as np
from scipy.stats import binom, ttest_1samp

from xcg.statistics import tukey
from xcg.statistics.intervals import randomisation_interval, t_interval
from xcg.statistics.significance_tests import SIGNIFICANCE_LEVEL
from xcg.statistics.topic_scores import TopicScores
from xcg.statistics.tukey import tukey_inferences

TOPICS = 15, 34, 50
RUNS = 2, 10, 69
Interval = tuple[float | None, float | None]
NOISE = {
    "normal": (False, 1),
    "normal, unequal": (False, 4),
    "skewed": (True, 1),
    "skewed, unequal": (True, 4),
}
"""Kind of noise → whether it is skewed, and ratio of the highest to the lowest standard deviation."""
PROCEDURES = (
    "named: t, Bonferroni",
    "randomisation, Bonferroni",
    "all pairs: Tukey",
    "randomised Tukey",
    "t, Bonferroni",
)
"""The first two compare the runs with a named baseline, the others all pairs."""
PERMUTATIONS = 499
"""The package uses 20,000. With the rule (1 + count) / (1 + B), any number is valid."""


def campaign(
    rng: np.random.Generator, topics: int, runs: int, noise: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return scores of shape (topics, runs), and the true mean of each run."""
    skewed, ratio = NOISE[noise]
    means = rng.permutation(np.linspace(0.2, 0.4, runs))
    deviations = rng.permutation(np.geomspace(0.2 / ratio, 0.2, runs))
    shape = topics, runs
    errors = rng.exponential(1, shape) - 1 if skewed else rng.normal(0, 1, shape)
    return means + rng.normal(0, 0.2, (topics, 1)) + deviations * errors, means


def intervals_cover(scores: np.ndarray, means: np.ndarray) -> list[bool | None]:
    """Return, for each procedure, whether all its intervals contain the true differences.

    The named baseline is the first run. Two runs make one comparison, which uses the paired test.
    """
    topics, runs = scores.shape
    first, others = scores[:, 0], scores[:, 1:].T
    found, truth = others - first, means[1:] - means[0]
    cover: list[bool | None] = [
        _bonferroni_cover(found, truth, t_interval),
        _bonferroni_cover(found, truth, randomisation_interval),
    ]
    if runs == 2:
        return [*cover, None, None, None]
    names = [str(run) for run in range(runs)]
    columns = dict(zip(names, scores.T.tolist(), strict=True))
    complete = TopicScores([str(topic) for topic in range(topics)], columns)
    errors = scores.mean(axis=0) - means
    for test in ("t", "randomisation"):
        # All intervals of a family have the same width.
        interval = tukey_inferences(
            complete, [(name, "0") for name in names[1:]], test, SIGNIFICANCE_LEVEL
        )[0]
        assert interval.low is not None
        assert interval.high is not None
        cover.append(bool(np.ptp(errors) <= (interval.high - interval.low) / 2))
    a, b = np.triu_indices(runs, 1)
    cover.append(_bonferroni_cover((scores[:, a] - scores[:, b]).T, means[a] - means[b], t_interval))
    return cover


def _bonferroni_cover(
    found: np.ndarray, truth: np.ndarray, interval: Callable[[np.ndarray, float], Interval]
) -> bool:
    """Return whether all intervals contain the truth, for differences of shape (pairs, topics)."""
    level = SIGNIFICANCE_LEVEL / len(found)
    # An interval contains the truth if its test accepts it. The t test selects the doubtful cases.
    p_values = ttest_1samp(found.T, truth).pvalue
    doubtful = np.flatnonzero(p_values < min(0.2, 10 * level))
    return all(_contains(interval(found[i], level), truth[i]) for i in doubtful)


def _contains(interval: Interval, value: float) -> bool:
    low, high = interval
    return (low is None or low <= value) and (high is None or value <= high)


def cell(topics: int, runs: int, noise: str, campaigns: int, seed: int) -> list[float | None]:
    """Return the share of campaigns in which all intervals contain the truth, for each procedure."""
    rng = np.random.default_rng([seed, topics, runs, list(NOISE).index(noise)])
    covered = [intervals_cover(*campaign(rng, topics, runs, noise)) for _ in range(campaigns)]
    return [
        None if None in results else sum(map(bool, results)) / campaigns
        for results in zip(*covered, strict=True)
    ]


def main(arguments: list[str] | None = None) -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--topics", type=int, action="append", help="only this number of topics")
    parser.add_argument("--runs", type=int, action="append", help="only this number of runs")
    parser.add_argument("--noise", choices=NOISE, action="append", help="only this kind of noise")
    options = parser.parse_args(arguments)
    tukey.RANDOM_PERMUTATIONS = PERMUTATIONS
    gc.freeze()  # statsmodels collects garbage for each family

    lowest = binom.ppf(0.01, options.campaigns, 1 - SIGNIFICANCE_LEVEL) / options.campaigns
    print("Campaigns in which all intervals contain the true differences, in %.")
    print(f"{options.campaigns} campaigns per cell (seed {options.seed}).")
    print(f"below: less than {100 * lowest:.1f} %, the one-sided 1 % limit of 95 %.\n")
    print("| noise | runs | topics |", " | ".join(PROCEDURES), "|")
    print("|---|---:|---:|" + "---:|" * len(PROCEDURES))
    for noise, runs, topics in product(
        options.noise or NOISE, options.runs or RUNS, options.topics or TOPICS
    ):
        shares = cell(topics, runs, noise, options.campaigns, options.seed)
        cells = [_percent(share, lowest) for share in shares]
        print(f"| {noise} | {runs} | {topics} |", " | ".join(cells), "|", flush=True)


def _percent(share: float | None, lowest: float) -> str:
    if share is None:
        return "–"
    return f"{100 * share:.1f}{' below' if share < lowest else ''}"


if __name__ == "__main__":
    main()
