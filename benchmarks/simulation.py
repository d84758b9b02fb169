"""Measure the effect of --agreement and --hardness: python benchmarks/simulation.py.

The output is two tables for docs/studies/simulation.md.
"""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import replace
from pathlib import Path

import xcg
from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape
from xcg.statistics.assessors import agreement

AGREEMENTS = (1, 0.8, 0.6, 0.4, 0.2, 0, -0.2, -0.4, -0.5, -0.6, -0.7, -0.8, -1)
HARDNESSES = (0, 0.2, 0.4, 0.5, 0.6, 0.65, 0.7, 0.8, 0.85, 0.9, 1)

ASSESSORS = Shape(articles=600, runs=1, results=100, assessors=2)
"""The number of runs and results has no effect on assessments."""
RUNS = Shape(articles=1600, topics=10)
"""Each topic has as many candidates for results as with all articles of the default shape."""

SMALL = Shape.small(runs=69)


def agreements(shape: Shape) -> dict[str, float]:
    """Return the agreement of the two assessors of a simulated campaign, by kind of element."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(f"{folder}/campaign", shape)
        first, second = (
            xcg.read_assessments(f"{folder}/campaign/assessments/assessor{number}") for number in (1, 2)
        )
        return agreement(first, second)


def scores(shape: Shape) -> dict[str, list[float]]:
    """Return the scores of all runs of a simulated campaign, by measure."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(f"{folder}/campaign", shape)
        measures = ["MAep", "Q"]
        corpus = xcg.Corpus(f"{folder}/campaign/documents", cache=False)
        file = Path(folder, "campaign", "config.yaml")
        results = xcg.load(file, corpus=corpus, measures=measures).evaluate()
        return {
            measure: [results.value(run, measure) or 0.0 for run in results.runs]
            for measure in measures
        }


def main() -> None:
    """Print the tables as Markdown."""
    print("| `--agreement` | article | section | paragraph | exact |\n|---:|---:|---:|---:|---:|")
    for value in AGREEMENTS:
        found = agreements(replace(ASSESSORS, agreement=value))
        print(f"| {value:g} |", *(f"{share:.3f} |" for share in found.values()), flush=True)
    print()
    print(
        "| `--hardness` | MAep: mean | SD | highest | Q: mean | SD | highest | `--small`: mean MAep |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for value in HARDNESSES:
        found_scores = scores(replace(RUNS, hardness=value))
        cells = [
            f"{number:.3f} |"
            for values in found_scores.values()
            for number in (statistics.mean(values), statistics.stdev(values), max(values))
        ]
        small = scores(replace(SMALL, hardness=value))["MAep"]
        print(f"| {value:g} |", *cells, f"{statistics.mean(small):.3f} |", flush=True)


if __name__ == "__main__":
    main()
