"""Compare the power that ``study plan`` predicts with simulated power (docs/studies/test-levels.md).

Usage: python benchmarks/power.py [--campaigns 4000] [--pilot NAME] [--topics 15] [--seed 1]

For each pilot and number of topics, it predicts the difference that is found with 50 and 80 %
power. Then campaigns are drawn from the topics of the pilot, with replacement. All runs have equal
means except one, which differs from a baseline by this difference. The rate of campaigns in which xcg
finds the difference is the simulated power. The whole family is tested by the t test and Holm's method.

scipy and numpy compute the t tests of many campaigns at once. In 50 campaigns of each cell, the
decisions are checked against those of xcg compare.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from scipy import stats

from xcg.campaign import load
from xcg.evaluation.results import Result, Results
from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape
from xcg.statistics.planning import Plan, plan
from xcg.statistics.significance import compare_runs
from xcg.statistics.topic_scores import topic_scores

LEVEL, CHECKED = 0.05, 50


def pilots() -> dict[str, np.ndarray]:
    """Return scores of shape (topics, runs) by the name of the pilot."""
    rng = np.random.default_rng(7)
    found = {"normal scores": rng.normal(0, 1, (50, 1)) + rng.normal(0, 1, (50, 8))}
    results = load(Path(__file__).parent.parent / "configs" / "quickstart.yaml").evaluate()
    model = "kazai-lalmas-2006"
    for measure in ("MAep", "nxCG@10"):
        found[f"handbook, {measure}"] = topic_scores(results, measure, model, results.runs).matrix
    with tempfile.TemporaryDirectory() as folder:
        simulate(Path(folder) / "inex", Shape.small(seed=1, topics=34, runs=8, articles=300))
        results = load(Path(folder) / "inex" / "config.yaml", measures=["MAep"]).evaluate()
    scores = topic_scores(results, "MAep", results.user_models[0], results.runs)
    return {**found, "simulated INEX, MAep": scores.matrix}


def holm(p: np.ndarray) -> np.ndarray:
    """Return p values after Holm's correction of each row."""
    order = p.argsort(axis=1)
    steps = np.take_along_axis(p, order, axis=1) * np.arange(p.shape[1], 0, -1)
    adjusted = np.minimum(1, np.maximum.accumulate(steps, axis=1))
    return np.take_along_axis(adjusted, order.argsort(axis=1), axis=1)


class Campaigns:
    """Campaigns drawn from a pilot, in which the first run differs from the second, the baseline.

    The baseline is the first run of the pilot. All other runs are in random order.
    """

    def __init__(self, pilot: np.ndarray, topics: int, count: int, seed: int) -> None:
        rng = np.random.default_rng([seed, topics])
        size, runs = pilot.shape
        order = rng.random((count, runs))
        order[:, 0] = np.sort(order[:, 1:], axis=1)[:, :2].mean(axis=1)  # puts run 0 second
        centred = (pilot - pilot.mean(axis=0)) * np.sqrt(size / (size - 1))
        drawn = rng.integers(0, size, (count, topics))
        self.scores = centred[drawn[:, :, None], order.argsort(axis=1)[:, None, :]]
        self.direction = np.where(np.arange(count) % 2, 1.0, -1.0)

    def found(self, difference: float) -> np.ndarray:
        """Return whether each campaign finds the difference."""
        scores = self.scores.copy()
        scores[:, :, 0] += self.direction[:, None] * difference
        others = np.delete(scores, 1, axis=2)
        p = stats.ttest_1samp(others - scores[:, :, [1]], 0, axis=1).pvalue
        decisions = holm(p)[:, 0] < LEVEL
        checked = [decision(one) for one in scores[:CHECKED]]
        assert checked == decisions[:CHECKED].tolist()
        return decisions


def results_of(matrix: np.ndarray) -> Results:
    """Return results with scores of shape (topics, runs)."""
    return Results(
        Result(f"r{run}", str(topic), "MAep", float(value), "model")
        for run, column in enumerate(matrix.T)
        for topic, value in enumerate(column)
    )


def decision(matrix: np.ndarray) -> bool:
    """Return whether xcg compare finds the difference between the first two runs."""
    lines = compare_runs(results_of(matrix), "MAep", "model", baseline="r1")
    (line,) = (line for line in lines if line.run == "r0")
    return line.p_adjusted < LEVEL


def predicted(pilot: np.ndarray, topics: int) -> Plan:
    """Return the plan that xcg computes."""
    (line,) = plan(results_of(pilot), topics=topics, baseline="r0")
    return line


def main() -> None:
    """Print a table in Markdown, and the largest difference."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--campaigns", type=int, default=4000)
    parser.add_argument("--pilot", action="append")
    parser.add_argument("--topics", type=int, action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| pilot | topics | difference | predicted, % | simulated, % |")
    print("|---|---|---|---|---|")
    largest = 0.0
    for name, pilot in pilots().items():
        if options.pilot and name not in options.pilot:
            continue
        for topics in options.topics or (15, 34, 50):
            drawn = Campaigns(pilot, topics, options.campaigns, options.seed)
            simulation = predicted(pilot, topics).simulation
            for power in (0.5, 0.8):
                difference = simulation.detectable(topics, power)
                expected = 100 * simulation.power(topics, difference)
                found = 100 * drawn.found(difference).mean()
                largest = max(largest, abs(found - expected))
                print(
                    f"| {name} | {topics} | {difference:.4f} | {expected:.1f} | {found:.1f} |",
                    flush=True,
                )
    print(f"\nLargest difference: {largest:.1f} points")


if __name__ == "__main__":
    main()
