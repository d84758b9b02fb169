"""Measure overlap strategies: python benchmarks/strategies.py FOLDER [REPETITIONS].

The folder is a campaign of elements with the subfolders documents, assessments and runs, for example
from ``xcg simulate``. The time to rewrite its runs with each strategy is relative to the time to
evaluate them with the default measures, with and without corpus. Runs, assessments and documents are in
memory. Then the growth of the time per result is measured for results of one document, at three sizes
that differ by a factor of 4.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from campaign import assessments_with_sizes

import xcg
from xcg.documents.parsing import parse_document
from xcg.formats.base import read_assessments, read_runs
from xcg.runs.run import Ranking, Run
from xcg.strategies.registry import BoundStrategy, rewrite, rewrite_runs, strategies_of

STRATEGIES = [
    *("thorough", "unique", "top_ranked", "outermost", "outermost(rank=best)", "innermost"),
    *("max_score", "promote_parent", "controlled", "merge_adjacent"),
    *("by_document(order=rank)", "by_document"),
]
SIZES = (1_000, 4_000, 16_000)


def seconds(repetitions: int, work: Callable[[], object]) -> float:
    """Return the lowest CPU time of a function."""
    times = []
    for _ in range(repetitions):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def all_strategies() -> list[BoundStrategy]:
    """Return all strategies, with their default parameters and with those that take more work."""
    return [strategy for text in STRATEGIES for strategy in strategies_of(text)]


def campaign(folder: Path, repetitions: int) -> None:
    """Print the time to rewrite the runs of a campaign, relative to evaluating them."""
    base, sized = read_assessments(folder / "assessments"), assessments_with_sizes(folder)
    runs = read_runs(folder / "runs", topics=base)
    rankings = [ranking for run in runs for ranking in run.rankings.values()]
    corpus = xcg.Corpus(folder / "documents")
    corpus.prepare(sorted({file for ranking in rankings for file in ranking.files}))
    results = sum(map(len, rankings))
    print(f"{len(runs)} runs, {len(base.topics)} topics, {results:,} results")
    with_corpus = seconds(repetitions, lambda: xcg.evaluate(base, runs, corpus))
    without = seconds(repetitions, lambda: xcg.evaluate(sized, runs))
    print(f"evaluation: {1e6 * with_corpus / results:.2f} µs per result with corpus, ", end="")
    print(f"{1e6 * without / results:.2f} µs without")
    for strategy in all_strategies():
        cost = seconds(repetitions, lambda: rewrite_runs(runs, [strategy], corpus))  # noqa: B023
        print(
            f"{strategy}: {cost / with_corpus:.2f} × evaluation with corpus, {cost / without:.2f} × "
            f"without; {1e6 * cost / results:.2f} µs per result"
        )


def one_document(size: int) -> tuple[xcg.Corpus, dict[str, Run]]:
    """Return runs with all results of a topic in one document, which has three levels of elements.

    The number of topics is such that all sizes have as many results in total.
    """
    sections = -(-size // 25)  # of 1 + 4 + 20 elements
    subsection = f"<ss>{'<p>some words of text</p>' * 5}</ss>"
    tree = parse_document(f"<a>{f'<s>{subsection * 4}</s>' * sections}</a>".encode())
    chance = random.Random(1)
    rankings: dict[str, dict[str, Ranking]] = {"elements": {}, "passages": {}, "windows": {}}
    for topic in map(str, range(SIZES[-1] // size)):
        rows = chance.sample(range(1, len(tree)), size)
        paths = [str(tree.path(row).encode(), "utf-8") for row in rows]  # not shared by topics
        spans = [(int(tree.start[row]), int(tree.stop[row])) for row in rows]
        windows = [(10 * step, 10 * step + 95) for step in chance.sample(range(size), size)]
        keys = sorted((chance.random() for _ in rows), reverse=True)
        rankings["elements"][topic] = Ranking.of([("d", path, None) for path in paths], keys, True)
        rankings["passages"][topic] = Ranking.of([("d", "", span) for span in spans], keys, True)
        rankings["windows"][topic] = Ranking.of([("d", "", span) for span in windows], keys, True)
    runs = {kind: Run(kind, topics) for kind, topics in rankings.items()}
    return xcg.Corpus.of({"d": tree}), runs


def growth(repetitions: int) -> None:
    """Print the time per result in one document at three sizes."""
    cases = [one_document(size) for size in SIZES]
    for kind in cases[0][1]:
        for strategy in all_strategies():
            if strategy.name == "promote_parent" and kind != "elements":
                continue  # these passages have no parents
            costs = [
                seconds(repetitions, lambda: rewrite(runs[kind], strategy, corpus))  # noqa: B023
                for corpus, runs in cases
            ]
            ratios = ", ".join(f"{cost / costs[0]:.2f}" for cost in costs[1:])
            print(
                f"{kind}, {strategy}: {1e6 * costs[0] / SIZES[-1]:.2f} µs per result of {SIZES[0]:,}; "
                f"{ratios} × with {SIZES[1]:,} and {SIZES[2]:,}",
                flush=True,
            )


def main() -> None:
    """Print all ratios."""
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    campaign(Path(sys.argv[1]), repetitions)
    growth(repetitions)


if __name__ == "__main__":
    main()
