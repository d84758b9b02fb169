"""Print tables of overlap strategies: python benchmarks/overlap_strategies.py SCORES.

SCORES is the output of ``xcg evaluate --strategy … --per-topic --format jsonl``. The output is the
tables of docs/studies/overlap-strategies.md in Markdown. The first has the best strategy for each user
model and measure, with its score and, in parentheses, its distance to oracle. Then there is a table for
each measure, with a row for each strategy and a column for each user model. The best score of a column
is bold; + and − mark strategies that are significantly better or worse than top_ranked.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from xcg.evaluation.results import Result, Results
from xcg.statistics.significance import compare_runs

REFERENCE = "oracle"
BASELINE = "top_ranked"
SIGNIFICANT = 0.05


def read_scores(path: Path) -> Results:
    """Return the scores of each topic, with strategies as runs; of several runs, their mean."""
    scores: dict[tuple[str, str, str, str], list[float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        strategy = row["run"].partition("+")[2]
        key = strategy, row["topic"], row["measure"], row["user_model"]
        scores.setdefault(key, []).append(row["value"])
    return Results(
        Result(strategy, topic, measure, statistics.fmean(values), model)
        for (strategy, topic, measure, model), values in scores.items()
    )


def signs(results: Results, measure: str, model: str) -> dict[str, str]:
    """Return + or − for strategies that are significantly better or worse than the baseline."""
    candidates = Results(row for row in results if row.run != REFERENCE)
    found = {}
    for comparison in compare_runs(candidates, measure, model, baseline=BASELINE):
        if comparison.p_adjusted is not None and comparison.p_adjusted < SIGNIFICANT:
            found[comparison.run] = " +" if comparison.difference > 0 else " −"
    return found


def means(results: Results, measure: str, model: str) -> dict[str, float]:
    """Return strategy → mean score, rounded as in the table."""
    return {run: round(results.value(run, measure, user_model=model), 4) for run in results.runs}


def systems(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores without the greedy reference."""
    return {strategy: score for strategy, score in scores.items() if strategy != REFERENCE}


def best_strategies(results: Results) -> str:
    """Return the table of the best strategies."""
    rows = [["", *results.measures]]
    for model in results.user_models:
        row = [model]
        for measure in results.measures:
            scores = means(results, measure, model)
            highest = max(systems(scores).values())
            names = ", ".join(name for name, score in systems(scores).items() if score == highest)
            row.append(f"{names} {number(highest)} ({number(scores[REFERENCE] - highest)})")
        rows.append(row)
    return markdown(rows)


def table(results: Results, measure: str) -> str:
    """Return the table of one measure."""
    columns = []
    for model in results.user_models:
        scores = means(results, measure, model)
        highest = max(systems(scores).values())
        marks = signs(results, measure, model)
        columns.append(
            [
                (f"**{number(score)}**" if score == highest and name != REFERENCE else number(score))
                + marks.get(name, "")
                for name, score in scores.items()
            ]
        )
    names = [f"{name} (greedy reference)" if name == REFERENCE else name for name in results.runs]
    rows = [[measure, *results.user_models], *map(list, zip(names, *columns, strict=True))]
    return markdown(rows)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, whose first row is the heading."""
    heading, *others = rows
    lines = [heading, ["---"] * len(heading), *others]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines)


def number(value: float) -> str:
    """Return a score with four digits after the point."""
    return f"{value:.4f}".replace("0.", ".", 1)


def main(paths: Sequence[str]) -> None:
    """Print the tables of all files."""
    for results in map(read_scores, map(Path, paths)):
        print(best_strategies(results))
        print("\n".join(table(results, measure) for measure in results.measures))


if __name__ == "__main__":
    main(sys.argv[1:])
