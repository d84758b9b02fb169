"""Measure the false-alarm rates of tests, corrections and gates, for docs/studies/test-levels.md.

In each campaign, the runs of each topic are exchanged at random, in the same way for all measures and
user models. Then all runs are equally good, and every significant difference is a false alarm. The
scores are those of a larger campaign:

    xcg simulate inex --topics 50 --hardness 0.65
    xcg evaluate inex/config.yaml --measures "MAep nxCG@10 AP" --user-model kazai-lalmas-2006 \
        --user-model kazai-lalmas-2006-gen --per-topic --format csv > inex.csv
    python benchmarks/calibration.py inex.csv

The tests come from the package. The exchange of runs and the choice of comparisons are implemented here
again, so this script also checks xcg.statistics.calibration.
"""

from __future__ import annotations

import argparse
import csv
import gc
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import binom, norm, rankdata

from xcg.statistics.significance_tests import (
    PAIRED_TESTS,
    SIGNIFICANCE_LEVEL,
    adjust,
    evidence,
    paired_p_values,
    smallest_p,
)
from xcg.statistics.topic_scores import DIGITS, ROUNDING, TopicScores
from xcg.statistics.tukey import tukey_inferences

TOPICS = 15, 34, 50
RUNS = 2, 10, 69
CAMPAIGNS_PER_SAMPLE = 50
"""Campaigns with the same sample of topics and runs share random permutations, which saves time."""
NAMED, PAIRS, GATE = "named baseline", "all pairs", "gate"

Pilot = dict[tuple[str, str], np.ndarray]
"""For each measure and user model, scores of shape (topics, runs)."""


def read_scores(path: Path) -> Pilot:
    """Read the output of xcg evaluate --per-topic --format csv."""
    values: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["topic"] != "all":
                by_topic = values.setdefault((row["measure"], row["user_model"]), {})
                by_topic.setdefault(row["topic"], {})[row["run"]] = float(row["value"])
    runs = sorted({run for by_topic in values.values() for row in by_topic.values() for run in row})
    return {
        key: np.array([[row[run] for run in runs] for row in by_topic.values()])
        for key, by_topic in values.items()
    }


def exchanged(pilot: Pilot, topics: int, runs: int, rng: np.random.Generator) -> Iterator[Pilot]:
    """Yield random campaigns without end, with the runs of each topic exchanged."""
    shape = next(iter(pilot.values())).shape
    while True:
        rows = rng.choice(shape[0], topics, replace=False)
        columns = rng.choice(shape[1], runs, replace=False)
        for _ in range(CAMPAIGNS_PER_SAMPLE):
            order = rng.permuted(np.tile(columns, (topics, 1)), axis=1)
            yield {key: scores[rows[:, None], order] for key, scores in pilot.items()}


def p_values(test: str, found: np.ndarray, comparisons: int) -> np.ndarray:
    """Return a p value for each row of differences. Values that may be significant are exact."""
    limit = SIGNIFICANCE_LEVEL / comparisons
    if not test.startswith("wilcoxon"):
        return paired_p_values(test, found, limit)
    # Exact p values take long if ties are very different. The normal approximation selects low ones.
    rounded = np.round(found, DIGITS)
    ranks = rankdata(np.abs(rounded), axis=1)
    if test == "wilcoxon":
        ranks -= (rounded == 0).sum(axis=1, keepdims=True)
    signed = np.sign(rounded) * ranks
    deviations = np.sqrt((signed**2).sum(axis=1))
    z = np.divide(signed.sum(axis=1), deviations, out=np.zeros(len(found)), where=deviations > 0)
    approximate = 2 * norm.sf(np.abs(z))
    low = approximate < 100 * limit
    if low.any():
        approximate[low] = paired_p_values(test, found[low], limit)
    return approximate


def differences(scores: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the differences of pairs of runs, with shape (pairs, topics)."""
    found = (scores[:, first] - scores[:, second]).T
    found[np.abs(found) <= ROUNDING] = 0
    return found


def tukey_alarm(scores: np.ndarray, test: str) -> bool:
    """Return whether any pair differs by Tukey's HSD or its randomised form."""
    topics, runs = scores.shape
    order = np.argsort(scores.mean(axis=0))
    names = [str(run) for run in range(runs)]
    table = TopicScores(
        [str(topic) for topic in range(topics)],
        dict(zip(names, scores[:, order].T.tolist(), strict=True)),
    )
    # The largest difference decides. Several pairs let the package interpolate p, which is faster.
    pairs = [(names[-1], name) for name in names[:-1]]
    return any(
        line.p_adjusted < SIGNIFICANCE_LEVEL
        for line in tukey_inferences(table, pairs, test, SIGNIFICANCE_LEVEL)
    )


def gate_alarm(p: np.ndarray, found: np.ndarray, test: str) -> bool:
    """Return whether a run is significantly worse than the baseline."""
    if p.min() * len(p) >= SIGNIFICANCE_LEVEL:
        return False
    adjusted = np.array(adjust(p.tolist(), "holm"))
    rejected = found[adjusted < SIGNIFICANCE_LEVEL]
    return bool(((rejected.mean(axis=1) < 0) & (evidence(test, rejected) < 0)).any())


Cell = tuple[str, str, str]
"""Procedure, measure and test."""


def count_alarms(pilot: Pilot, topics: int, runs: int, campaigns: int, seed: int) -> Counter[Cell]:
    """Count the campaigns with a false alarm.

    Each measure is tested under the first user model. The gate tests all measures and user models.
    """
    rng = np.random.default_rng([seed, topics, runs])
    sample = exchanged(pilot, topics, runs, rng)
    others, baseline = np.arange(1, runs), np.zeros(runs - 1, int)
    first, second = np.triu_indices(runs, 1)
    model = next(iter(pilot))[1]
    alarms: Counter[Cell] = Counter()
    for start in range(0, campaigns, CAMPAIGNS_PER_SAMPLE):
        block = [next(sample) for _ in range(min(CAMPAIGNS_PER_SAMPLE, campaigns - start))]
        for test in PAIRED_TESTS:
            gate_p, gate_found = [], []
            for key in pilot:
                found = np.concatenate([differences(c[key], others, baseline) for c in block])
                p = p_values(test, found, runs - 1).reshape(len(block), -1)
                gate_p.append(p)
                gate_found.append(found.reshape(len(block), runs - 1, topics))
                if key[1] == model:
                    alarms[NAMED, key[0], test] += int(
                        (p.min(axis=1) * (runs - 1) < SIGNIFICANCE_LEVEL).sum()
                    )
            columns = np.hstack(gate_p), np.concatenate(gate_found, axis=1)
            alarms[GATE, "all", test] += sum(gate_alarm(*c, test) for c in zip(*columns, strict=True))
            for measure, _ in (key for key in pilot if key[1] == model and runs > 2):
                cell = PAIRS, measure, test
                for scores in (campaign[measure, model] for campaign in block):
                    if test in ("t", "randomisation"):
                        alarms[cell] += tukey_alarm(scores, test)
                    elif smallest_p(test, topics) * len(first) < SIGNIFICANCE_LEVEL:
                        p = p_values(test, differences(scores, first, second), len(first))
                        alarms[cell] += bool(p.min() * len(first) < SIGNIFICANCE_LEVEL)
    return alarms


def main(arguments: list[str] | None = None) -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scores", type=Path, help="output of xcg evaluate --per-topic --format csv")
    parser.add_argument("--campaigns", type=int, default=1000, help="per cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cell", action="append", help="only these topics and runs, like 15x10")
    options = parser.parse_args(arguments)
    pilot = read_scores(options.scores)
    gc.freeze()  # statsmodels collects garbage for each family
    sizes = [tuple(map(int, cell.split("x"))) for cell in options.cell or ()]
    names = list(PAIRED_TESTS)
    models = len({model for _, model in pilot})
    measures = list(dict.fromkeys(measure for measure, _ in pilot))
    # The probability that any rate of the table is above the second limit by chance is at most 1 %.
    cells = len(sizes or list(product(TOPICS, RUNS))) * (2 * len(measures) + 1) * len(names)
    limits = [
        binom.isf(share, options.campaigns, SIGNIFICANCE_LEVEL) / options.campaigns
        for share in (0.01, 0.01 / cells)
    ]
    single, together = (f"{100 * limit:.1f} %" for limit in limits)
    print(f"False alarms in {options.campaigns} campaigns per cell (seed {options.seed}), in %.")
    print(f"above: more than {single}, the one-sided 1 % limit of one rate of 5 %.")
    print(f"The limit for all rates together is {together}.\n")
    print(f"| topics | runs | family | comparisons | measure | {' | '.join(names)} |")
    print("|---:|---:|---|---:|---|" + "---:|" * len(names))
    highest = 0.0
    for topics, runs in sizes or product(TOPICS, RUNS):
        alarms = count_alarms(pilot, topics, runs, options.campaigns, options.seed)
        for procedure, measure in dict.fromkeys(cell[:2] for cell in sorted(alarms, key=_position)):
            comparisons = {
                NAMED: runs - 1,
                PAIRS: runs * (runs - 1) // 2,
                GATE: (runs - 1) * len(measures) * models,
            }[procedure]
            texts = []
            for test in names:
                rate = alarms[procedure, measure, test] / options.campaigns
                highest = max(highest, rate)
                power = smallest_p(test, topics) * comparisons < SIGNIFICANCE_LEVEL
                tukey = procedure == PAIRS and test in ("t", "randomisation")
                above = " above" if rate > limits[0] else ""
                texts.append(f"{100 * rate:.1f}{above}" if power or tukey else "no power")
            row = [topics, runs, procedure, comparisons, measure, *texts]
            print(f"| {' | '.join(map(str, row))} |", flush=True)
        print(f"{topics} topics, {runs} runs", file=sys.stderr)
    print(f"\nThe highest rate is {100 * highest:.1f} %.")


def _position(cell: Cell) -> int:
    return (NAMED, PAIRS, GATE).index(cell[0])


if __name__ == "__main__":
    main()
