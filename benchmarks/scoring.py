"""Measure whether scoring grows linearly: python benchmarks/scoring.py [REPETITIONS].

Time and memory at three sizes, which differ by a factor of 4, for: results of one document with much
overlap, results of a run, judged elements and runs. Values are per unit, relative to the first size.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import xcg
from xcg.documents.tree import ElementTree

PAIRS = [(1, 1), (2, 2), (3, 1), (2, 3), (3, 3)]
SIZES = (1, 4, 16)
Campaign = tuple[Any, Any, Any]


def one_document(size: int) -> Campaign:
    """Return a campaign with 4,000 × size results in one document."""
    results = 4_000 * size
    paths = [
        f"/article[1]/sec[{i // 20 + 1}]/ss1[{i // 5 % 4 + 1}]/p[{i % 5 + 1}]" for i in range(results)
    ]
    tree = ElementTree.from_paths(paths)
    tree.characters[:] = 100
    chosen = random.Random(1)
    elements = list(tree.paths)
    chosen.shuffle(elements)
    assessments = {"1": {"d": {path: chosen.choice(PAIRS) for path in elements}}}
    return assessments, {"r": {"1": [("d", path) for path in elements]}}, xcg.Corpus.of({"d": tree})


def many(results: int = 250, judged: int = 50, runs: int = 4) -> Campaign:
    """Return a campaign with ten topics. Each judged document has 31 elements."""
    chosen = random.Random(1)
    sections = [f"/article[1]/sec[{s}]" for s in range(1, 6)]
    paths = ["/article[1]", *sections, *(f"{s}/p[{p}]" for s in sections for p in range(1, 6))]
    tree = ElementTree.from_paths(paths)
    tree.characters[:] = 100
    documents = [f"d{number}" for number in range(max(judged, 8_000))]
    assessments = {
        str(topic): {
            document: {path: chosen.choice(PAIRS) for path in paths} for document in documents[:judged]
        }
        for topic in range(10)
    }
    # A quarter of the results lies in judged documents, however many there are.
    ranked = {
        f"r{run}": {
            str(topic): [
                (
                    chosen.choice(documents[:judged] if chosen.random() < 0.25 else documents[judged:])
                    if judged < len(documents)
                    else chosen.choice(documents),
                    chosen.choice(paths),
                )
                for _ in range(results)
            ]
            for topic in range(10)
        }
        for run in range(runs)
    }
    return assessments, ranked, xcg.Corpus.of(dict.fromkeys(documents, tree))


def cost(campaign: Campaign, repetitions: int) -> tuple[float, int]:
    """Return the processor time in seconds and the peak memory in bytes of an evaluation."""
    assessments, runs, corpus = campaign
    read = [xcg.Run.of(name, topics) for name, topics in runs.items()]

    def work() -> None:
        xcg.evaluate(assessments, read, corpus, measures=["MAep", "nxCG@10", "Q"])

    times = []
    for _ in range(repetitions):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return statistics.median(times), peak


def growth(what: str, campaign: Callable[[int], Campaign], repetitions: int) -> None:
    """Print time and memory of a campaign at all sizes."""
    costs = [cost(campaign(size), repetitions) for size in SIZES]
    for number, name in enumerate(("time", "memory")):
        found = [by_kind[number] / size for by_kind, size in zip(costs, SIZES, strict=True)]
        ratios = ", ".join(f"{value / found[0]:.2f}" for value in found)
        print(f"{what}: {name} by unit at 1, 4 and 16 units: {ratios} × the first")


def main() -> None:
    """Print the growth of every quantity."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    growth("results in one document", one_document, repetitions)
    growth("results of a run", lambda size: many(results=250 * size), repetitions)
    growth("judged elements", lambda size: many(judged=50 * size), repetitions)
    growth("runs", lambda size: many(runs=2 * size), repetitions)


if __name__ == "__main__":
    main()
