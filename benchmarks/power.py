"""Compare the power that ``xcg plan`` predicts with simulated power (docs/studies/power.md).

Usage: python benchmarks/power.py [--campaigns 4000] [--pilot NAME] [--topics 15] [--seed 1]

For each pilot, test and number of topics, xcg plan predicts the difference that is found with 50 and
80 % power. Then campaigns are drawn from the topics of the pilot, with replacement. All runs have equal
means except one, which differs from another run by this difference. The rate of campaigns in which xcg
finds the difference is the simulated power. The whole family is tested, by Holm's method or by Tukey's
HSD.

scipy and numpy compute the t tests of many campaigns at once. In 50 campaigns of each cell, the
decisions are checked against those of xcg.compare. To save time, Wilcoxon's and the randomisation test
are computed for the different run only, at Bonferroni's level, and randomisation draws 10,000 sign
vectors (2,000 permutations for Tukey's HSD). The randomisation test uses half of the campaigns, and
only 80 % power.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

from xcg.evaluation.config import load_configuration
from xcg.evaluation.evaluate import evaluate_inputs
from xcg.evaluation.results import Result, Results
from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape
from xcg.statistics import families, significance_tests
from xcg.statistics.planning import Plan, plan
from xcg.statistics.significance import compare_runs
from xcg.statistics.significance_tests import paired_p_value
from xcg.statistics.topic_scores import topic_scores

LEVEL, CHECKED = 0.05, 50


def pilots() -> dict[str, np.ndarray]:
    """Return scores of shape (topics, runs) by the name of the pilot."""
    rng = np.random.default_rng(7)
    found = {"normal scores": rng.normal(0, 1, (50, 1)) + rng.normal(0, 1, (50, 8))}
    handbook = load_configuration(Path(__file__).parent.parent / "configs" / "quickstart.yaml")
    results = evaluate_inputs(handbook)
    model = "kazai-lalmas-2006"
    for measure in ("MAep", "nxCG@10"):
        found[f"handbook, {measure}"] = topic_scores(results, measure, model, results.runs).matrix
    with tempfile.TemporaryDirectory() as folder:
        simulate(Path(folder) / "inex", Shape.small(seed=1, topics=34, runs=8, articles=300))
        inputs = load_configuration(Path(folder) / "inex" / "config.yaml")
        results = evaluate_inputs(replace(inputs, measures=["MAep"]))
    scores = topic_scores(results, "MAep", results.user_models[0], results.runs)
    return {**found, "simulated INEX, MAep": scores.matrix}


def holm(p: np.ndarray) -> np.ndarray:
    """Return p values after Holm's correction of each row."""
    order = p.argsort(axis=1)
    steps = np.take_along_axis(p, order, axis=1) * np.arange(p.shape[1], 0, -1)
    adjusted = np.minimum(1, np.maximum.accumulate(steps, axis=1))
    return np.take_along_axis(adjusted, order.argsort(axis=1), axis=1)


class Campaigns:
    """Campaigns drawn from a pilot, in which the first run differs from the second.

    With a baseline, the second run is the first run of the pilot. All other runs are in random order.
    """

    def __init__(self, pilot: np.ndarray, topics: int, count: int, seed: int, baseline: bool) -> None:
        rng = np.random.default_rng([seed, topics])
        size, runs = pilot.shape
        order = rng.random((count, runs))
        if baseline:
            order[:, 0] = np.sort(order[:, 1:], axis=1)[:, :2].mean(axis=1)  # puts run 0 second
        self.order, self.baseline = order.argsort(axis=1), baseline
        centred = (pilot - pilot.mean(axis=0)) * np.sqrt(size / (size - 1))
        drawn = rng.integers(0, size, (count, topics))
        self.scores = centred[drawn[:, :, None], self.order[:, None, :]]
        self.means = pilot.mean(axis=0)[self.order]
        self.direction = np.where(np.arange(count) % 2, 1.0, -1.0)
        self.topics, self.runs = topics, runs

    def with_difference(self, difference: float, keep_means: bool = False) -> np.ndarray:
        """Return scores of shape (campaigns, topics, runs)."""
        means = self.means.copy() if keep_means else np.zeros_like(self.means)
        means[:, 0] = means[:, 1] + self.direction * difference
        return self.scores + means[:, None, :]

    def found(self, test: str, correction: str, difference: float) -> np.ndarray:
        """Return whether each campaign finds the difference."""
        randomised = (test, correction) == ("randomisation", "tukey")
        scores = self.with_difference(difference, keep_means=randomised)
        if test != "t":
            scores = scores[: len(scores) // 2] if test == "randomisation" else scores
            if randomised:
                return np.array([decision(one, test, False) for one in scores])
            level = LEVEL / (self.runs - 1)
            p_value = partial(paired_p_value, test)
            return np.array([p_value(one[:, 0].tolist(), one[:, 1].tolist()) < level for one in scores])
        if self.baseline:
            others = np.delete(scores, 1, axis=2)
            p = stats.ttest_1samp(others - scores[:, :, [1]], 0, axis=1).pvalue
            decisions = holm(p)[:, 0] < LEVEL
        else:
            centred = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=2, keepdims=True)
            centred += scores.mean(axis=(1, 2), keepdims=True)
            df = (self.topics - 1) * (self.runs - 1)
            error = np.sqrt((centred**2).sum(axis=(1, 2)) / df / self.topics)
            q = np.abs(scores[:, :, 0].mean(axis=1) - scores[:, :, 1].mean(axis=1)) / error
            decisions = q > stats.studentized_range.isf(LEVEL, self.runs, df)
        checked = [decision(one, test, self.baseline) for one in scores[:CHECKED]]
        assert checked == decisions[:CHECKED].tolist()
        return decisions


def results_of(matrix: np.ndarray) -> Results:
    """Return results with scores of shape (topics, runs)."""
    return Results(
        Result(f"r{run}", str(topic), "MAep", float(value), "model")
        for run, column in enumerate(matrix.T)
        for topic, value in enumerate(column)
    )


def decision(matrix: np.ndarray, test: str, baseline: bool) -> bool:
    """Return whether xcg.compare finds the difference between the first two runs."""
    named, correction = ("r1", "holm") if baseline else (None, "tukey")
    lines = compare_runs(results_of(matrix), "MAep", baseline=named, test=test, correction=correction)
    (line,) = (line for line in lines if {line.run, line.baseline} == {"r0", "r1"})
    return line.p_adjusted < LEVEL


def predicted(pilot: np.ndarray, test: str, correction: str, baseline: bool, topics: int) -> Plan:
    """Return the plan that xcg computes."""
    named = "r0" if baseline else None
    (line,) = plan(results_of(pilot), test=test, correction=correction, topics=topics, baseline=named)
    return line


CELLS = [
    ("t", "holm", True),
    ("t", "tukey", False),
    ("randomisation", "holm", True),
    ("randomisation", "tukey", False),
    ("wilcoxon", "holm", True),
]


def main() -> None:
    """Print a table in Markdown, and the largest difference."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--campaigns", type=int, default=4000)
    parser.add_argument("--pilot", action="append")
    parser.add_argument("--test", action="append")
    parser.add_argument("--topics", type=int, action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    significance_tests.RANDOM_SIGN_VECTORS = 10_000
    families.RANDOM_PERMUTATIONS = 2_000
    print("| pilot | test | family | topics | difference | predicted, % | simulated, % |")
    print("|---|---|---|---|---|---|---|")
    largest = 0.0
    for name, pilot in pilots().items():
        if options.pilot and name not in options.pilot:
            continue
        runs = pilot.shape[1]
        for topics in options.topics or (15, 34, 50):
            drawn = {
                baseline: Campaigns(pilot, topics, options.campaigns, options.seed, baseline)
                for baseline in (True, False)
            }
            for test, correction, baseline in CELLS:
                if options.test and test not in options.test:
                    continue
                line = predicted(pilot, test, correction, baseline, topics)
                for power in (0.8,) if test == "randomisation" else (0.5, 0.8):
                    difference = line.simulation.detectable(topics, power)
                    if difference is None:
                        continue
                    expected = 100 * line.simulation.power(topics, difference)
                    found = 100 * drawn[baseline].found(test, correction, difference).mean()
                    largest = max(largest, abs(found - expected))
                    family = f"{runs - 1} with a baseline" if baseline else f"all pairs of {runs}"
                    print(
                        f"| {name} | {test} | {family}, {correction} | {topics} | {difference:.4f} "
                        f"| {expected:.1f} | {found:.1f} |",
                        flush=True,
                    )
    print(f"\nLargest difference: {largest:.1f} points")


if __name__ == "__main__":
    main()
