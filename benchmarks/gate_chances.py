"""The printed chance that an unchanged run fails, and how often it fails (docs/decisions/gate.md).

The baseline and the run are the same system with another seed: the scores of a topic vary about the
same mean, with a standard deviation that makes that of the differences .15.

Usage: python benchmarks/gate_chances.py [--pairs N] [--seed N]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from xcg.evaluation.results import Result, Results
from xcg.statistics.gate import check_gate
from xcg.statistics.gate_limits import parse_limits

TOPICS = 13, 50
GATES: dict[str, dict[str, Any]] = {
    "--max-drop 5%": {"limits": parse_limits("5%"), "is_tested": False},
    "--max-drop 0.02": {"limits": parse_limits(0.02), "is_tested": False},
    "--max-regressed 3": {"limits": parse_limits(None, 3), "is_tested": False},
    "--max-regressed 20%": {"limits": parse_limits(None, "20%"), "is_tested": False},
    "--max-regressed 20% --regressed-by 0": {
        "limits": parse_limits(None, "20%", 0),
        "is_tested": False,
    },
    "--fail-under MAep=0.5 --max-drop 10%": {
        "minimums": {"MAep": 0.5},
        "limits": parse_limits("10%"),
        "is_tested": False,
    },
    "--fail-if-worse-than RUN": {},
    "--fail-if-worse-than RUN --margin 0.05": {"margins": {"MAep": 0.05}},
}


def chances(gate: str, topics: int, pairs: int, seed: int) -> tuple[float, float]:
    """Return the mean printed chance of a failure, and the share of the pairs that fail."""
    rng = np.random.default_rng([seed, topics])
    printed, failed = [], []
    for _ in range(pairs):
        system = rng.uniform(0.3, 0.7, topics)
        rows = []
        for run in ("base", "new"):
            scores = np.clip(system + rng.normal(0, 0.15 / np.sqrt(2), topics), 0, 1)
            values = [*enumerate(scores.tolist(), 1), ("all", scores.mean())]
            rows += [Result(run, str(topic), "MAep", float(score), "m") for topic, score in values]
        arguments = {"minimums": {}, "allow_underpowered": True, "exempt": ["base"]} | GATES[gate]
        (check,) = check_gate(Results(rows), baseline="base", **arguments).checks
        printed.append(check.chances.unchanged)
        failed.append(bool(check.failures))
    return float(np.mean(printed)), float(np.mean(failed))


def main(arguments: list[str] | None = None) -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print("| gate | topics | printed, mean | failed |\n|---|---:|---:|---:|")
    for gate in GATES:
        for topics in TOPICS:
            printed, failed = chances(gate, topics, options.pairs, options.seed)
            print(f"| `{gate}` | {topics} | {100 * printed:.1f} % | {100 * failed:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
