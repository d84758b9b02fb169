"""Whether scoring stays near-linear: python benchmarks/scoring.py."""

from __future__ import annotations

import random
import statistics
import time

import xcg
from xcg.documents import ElementTree

REPEATS = 5


def seconds(results: int) -> float:
    """Return what one topic costs with as many results, all in one document with much overlap."""
    paths = [
        f"/article[1]/sec[{i // 20 + 1}]/ss1[{i // 5 % 4 + 1}]/p[{i % 5 + 1}]" for i in range(results)
    ]
    tree = ElementTree.from_paths(paths)
    tree.characters[:] = 100
    chosen = random.Random(1)
    elements = list(tree.paths)
    chosen.shuffle(elements)
    pairs = [(1, 1), (2, 2), (3, 1), (2, 3), (3, 3)]
    assessments = {"1": {"d": {path: chosen.choice(pairs) for path in elements}}}
    runs = {"r": {"1": [("d", path) for path in elements[:results]]}}
    start = time.perf_counter()
    xcg.evaluate(assessments, runs, xcg.Corpus.of({"d": tree}), measures=["MAep", "nxCG@10", "Q"])
    return time.perf_counter() - start


def main() -> None:
    """Print the time a result at growing sizes, and its ratio to the smallest."""
    sizes = [1_000, 4_000, 16_000, 64_000]
    times = {size: statistics.median(seconds(size) for _ in range(REPEATS)) / size for size in sizes}
    for size, cost in times.items():
        print(
            f"{size:6} results: {cost * 1e6:.2f} µs a result, {cost / times[sizes[0]]:.2f} × the first"
        )


if __name__ == "__main__":
    main()
