"""False alarms and power of corrections in simulated campaigns (docs/studies/test-levels.md).

Eight laws of scores, with true and false hypotheses. A false alarm is a campaign in which at least one
pair of equally good runs is found to differ; power is the mean share of the differing pairs that are
found. The tests are those of ``xcg compare``: the t test of pairs with Holm's method and with Shaffer's
steps, Tukey's HSD, and Holm's method for the first run against the others. Another test of pairs can
replace the t test.

Usage: python benchmarks/false_alarms.py [--campaigns N] [--seed N] [--topics N] [--runs N] [--law LAW]
[--test TEST]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from xcg.statistics.intervals import paired_significant
from xcg.statistics.significance_tests import PAIRED_TESTS
from xcg.statistics.topic_scores import pair_differences
from xcg.statistics.tukey import studentised_range_limit, tukey_errors

TOPICS = 5, 15, 50
RUNS = 8, 20
PROCEDURES = "Tukey", "Holm", "Shaffer", "named baseline"
_AT_ONCE = 250


class Drawn(NamedTuple):
    """Scores of shape (campaigns, topics, runs), and the true mean of each run."""

    scores: np.ndarray
    means: np.ndarray


Law = Callable[[np.random.Generator, int, int, int], Drawn]


def _noise(
    rng: np.random.Generator, size: tuple[int, int, int], deviations: np.ndarray, means: np.ndarray
) -> Drawn:
    """Add normal noise to a mean of .3, to an effect of each topic, and to the effects of runs."""
    campaigns, topics, _ = size
    effects = rng.normal(0, 0.15, (campaigns, topics, 1))
    return Drawn(0.3 + effects + means + deviations * rng.normal(size=size), means)


def equal(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """All runs are equal: standard deviation .1."""
    return _noise(rng, (campaigns, topics, runs), np.full(runs, 0.1), np.zeros(runs))


def spreads(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """Equal means; standard deviations from .05 to .2 in equal ratios."""
    return _noise(rng, (campaigns, topics, runs), np.geomspace(0.05, 0.2, runs), np.zeros(runs))


def noisy(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """Equal means; a fifth of the runs, at least two, has .2 instead of .05."""
    deviations = np.full(runs, 0.05)
    deviations[-max(2, runs // 5) :] = 0.2
    return _noise(rng, (campaigns, topics, runs), deviations, np.zeros(runs))


def half_noisy(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """Half of the runs: equal, .2; the others: .05, and better in steps of .02."""
    half = runs // 2
    deviations = np.where(np.arange(runs) < half, 0.2, 0.05)
    means = np.concatenate([np.zeros(half), 0.02 * np.arange(1, runs - half + 1)])
    return _noise(rng, (campaigns, topics, runs), deviations, means)


def variants(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """Variants of three systems: correlation .95 within one, .1; each variant is .01 better."""
    systems = np.arange(runs) % 3
    shared = rng.normal(size=(campaigns, topics, 3))[:, :, systems]
    own = rng.normal(size=(campaigns, topics, runs))
    means = 0.01 * (np.arange(runs) // 3)
    errors = 0.1 * (np.sqrt(0.95) * shared + np.sqrt(0.05) * own)
    effects = rng.normal(0, 0.15, (campaigns, topics, 1))
    return Drawn(0.3 + effects + means + errors, means)


def zeros(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """All runs have one law: 60 % zeros, otherwise uniform from 0 to 1."""
    size = campaigns, topics, runs
    return Drawn(rng.random(size) * (rng.random(size) >= 0.6), np.zeros(runs))


def some_zeros(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """Equal means of .1; a fifth of the runs, at least two, has 80 % zeros, the others .1 ± .03."""
    size = campaigns, topics, runs
    sparse = rng.normal(0.5, 0.2, size) * (rng.random(size) >= 0.8)
    smooth = rng.normal(0.1, 0.03, size)
    return Drawn(np.where(np.arange(runs) >= runs - max(2, runs // 5), sparse, smooth), np.zeros(runs))


def half_better(rng: np.random.Generator, campaigns: int, topics: int, runs: int) -> Drawn:
    """Standard deviation .1; half of the runs is .08 better."""
    means = np.where(np.arange(runs) % 2, 0.08, 0.0)
    return _noise(rng, (campaigns, topics, runs), np.full(runs, 0.1), means)


LAWS: dict[str, Law] = {
    "a": equal,
    "b": spreads,
    "c": noisy,
    "d": half_noisy,
    "e": variants,
    "f": zeros,
    "g": some_zeros,
    "h": half_better,
}


def tukey_significant(scores: np.ndarray, pairs: list[tuple[int, int]]) -> np.ndarray:
    """Return which pairs differ by Tukey's HSD, in each campaign."""
    first, second = (list(indices) for indices in zip(*pairs, strict=True))
    means = scores.mean(axis=1)
    errors, df = tukey_errors(scores)
    limit = studentised_range_limit(0.05, scores.shape[2], df)
    return np.abs(means[:, first] - means[:, second]) > limit * errors[:, None]


def significant(scores: np.ndarray, test: str) -> dict[str, tuple[list[tuple[int, int]], np.ndarray]]:
    """Return the pairs of runs of each procedure, and which of them are found to differ."""
    runs = scores.shape[2]
    pairs = list(combinations(range(runs), 2))
    named = [(run, 0) for run in range(1, runs)]
    every, with_first = (
        [pair_differences(scores, pair) for pair in family] for family in (pairs, named)
    )
    paired = paired_significant(every, test, ["holm", "shaffer"])
    return {
        "Tukey": (pairs, tukey_significant(scores, pairs)),
        "Holm": (pairs, paired["holm"]),
        "Shaffer": (pairs, paired["shaffer"]),
        "named baseline": (named, paired_significant(with_first, test, ["holm"])["holm"]),
    }


def cell(
    law: str, topics: int, runs: int, campaigns: int, seed: int, test: str = "t"
) -> dict[str, tuple[float | None, float | None]]:
    """Return the share of campaigns with a false alarm, and the power, of each procedure.

    They are None if no pair of runs is equal, or none differs.
    """
    rng = np.random.default_rng([seed, list(LAWS).index(law), topics, runs])
    alarms, power = dict.fromkeys(PROCEDURES, 0.0), dict.fromkeys(PROCEDURES, 0.0)
    is_equal: dict[str, np.ndarray] = {}
    for start in range(0, campaigns, _AT_ONCE):
        drawn = LAWS[law](rng, min(_AT_ONCE, campaigns - start), topics, runs)
        for name, (pairs, found) in significant(drawn.scores, test).items():
            first, second = np.array(pairs).T
            is_equal[name] = drawn.means[first] == drawn.means[second]
            alarms[name] += found[:, is_equal[name]].any(axis=1).sum()
            if not is_equal[name].all():
                power[name] += found[:, ~is_equal[name]].mean(axis=1).sum()
    return {
        name: (
            alarms[name] / campaigns if is_equal[name].any() else None,
            None if is_equal[name].all() else power[name] / campaigns,
        )
        for name in PROCEDURES
    }


def main(arguments: list[str] | None = None) -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--topics", type=int, action="append", help="only this number of topics")
    parser.add_argument("--runs", type=int, action="append", help="only this number of runs")
    parser.add_argument("--law", choices=LAWS, action="append", help="only this law")
    parser.add_argument("--test", choices=PAIRED_TESTS, default="t")
    options = parser.parse_args(arguments)
    for law, function in LAWS.items():
        print(f"- {law}: {(function.__doc__ or '').strip()}")
    print("\n| law | topics | runs |", " | ".join(PROCEDURES), "|")
    print("|---|---:|---:|" + "---:|" * len(PROCEDURES))
    chosen = product(options.law or LAWS, options.topics or TOPICS, options.runs or RUNS)
    for law, topics, runs in chosen:
        found = cell(law, topics, runs, options.campaigns, options.seed, options.test)
        texts = [" / ".join(map(_percent, found[name])) for name in PROCEDURES]
        print(f"| {law} | {topics} | {runs} |", " | ".join(texts), "|", flush=True)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


if __name__ == "__main__":
    main()
