"""The printed chance and loss of gates, and how often runs fail (docs/decisions/comparisons.md).

The baseline and the run are the same system with another seed: the scores of a topic vary about the
same mean, with a standard deviation that makes that of the differences .15.

Usage: python benchmarks/gate_chances.py [--pairs N] [--seed N]
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

from xcg.evaluation.results import Result, Results
from xcg.statistics.gate import Check, check_gate
from xcg.statistics.gate_rules import parse_limits

TOPICS = 13, 50
GATES: dict[str, dict[str, Any]] = {
    "--max-drop 5%": {"limits": parse_limits("5%"), "is_tested": False},
    "--max-drop 0.02": {"limits": parse_limits(0.02), "is_tested": False},
    "--max-regressed 3": {"limits": parse_limits(None, 3), "is_tested": False},
    "--max-regressed 20%": {"limits": parse_limits(None, "20%"), "is_tested": False},
    "--max-regressed 20%, regressed_by 0": {
        "limits": parse_limits(None, "20%", 0),
        "is_tested": False,
    },
    "--fail-under MAep=0.5 --max-drop 10%": {
        "minimums": {"MAep": 0.5},
        "limits": parse_limits("10%"),
        "is_tested": False,
    },
    "--baseline RUN": {},
}


class Row(NamedTuple):
    """What a gate prints on average for unchanged runs, and what happens; None without a loss."""

    printed: float
    failed: float
    loss: float | None
    found: float | None


def checks(gate: str, topics: int, pairs: int, seed: int, loss: float = 0) -> list[Check]:
    """Check pairs of a baseline and the same system with another seed, which loses a constant."""
    rng = np.random.default_rng([seed, topics])
    found = []
    for _ in range(pairs):
        system = rng.uniform(0.3, 0.7, topics)
        rows = []
        for run in ("base", "new"):
            scores = system + rng.normal(0, 0.15 / np.sqrt(2), topics) - loss * (run == "new")
            values = [*enumerate(scores.tolist(), 1), ("all", scores.mean())]
            rows += [Result(run, str(topic), "MAep", float(score), "m") for topic, score in values]
        arguments = {"minimums": {}, "exempt": ["base"]} | GATES[gate]
        found += check_gate(Results(rows), baseline="base", **arguments).checks
    return found


def row(gate: str, topics: int, pairs: int, seed: int) -> Row:
    """Return a row of the table. The true loss is the median of the printed ones."""
    unchanged = checks(gate, topics, pairs, seed)
    losses = [check.chances.loss for check in unchanged if check.chances.loss is not None]
    loss = float(np.median(losses)) if 2 * len(losses) > pairs else None
    return Row(
        float(np.mean([check.chances.unchanged for check in unchanged])),
        _failed(unchanged),
        loss,
        None if loss is None else _failed(checks(gate, topics, pairs, seed + 1, loss)),
    )


def _failed(found: list[Check]) -> float:
    return float(np.mean([bool(check.failures) for check in found]))


def markdown(gate: str, topics: int, found: Row) -> str:
    """Return a line of the table."""
    texts = [f"{100 * found.printed:.1f} %", f"{100 * found.failed:.1f} %"]
    texts += (
        ["–", "–"] if found.loss is None else [f"{found.loss:.3f}", f"{100 * (found.found or 0):.1f} %"]
    )
    return f"| `{gate}` | {topics} | {' | '.join(texts)} |"


def main(arguments: list[str] | None = None) -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print("| gate | topics | printed chance, mean | failed | printed loss, median | found |")
    print("|---|---:|---:|---:|---:|---:|")
    for gate in GATES:
        for topics in TOPICS:
            print(markdown(gate, topics, row(gate, topics, options.pairs, options.seed)), flush=True)


if __name__ == "__main__":
    main()
