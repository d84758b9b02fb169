"""Measure campaigns relative to lxml and to other programs: python benchmarks/campaign.py [PART…].

Every ratio compares two commands that run alternately, each in a new process. The first ratio is of
processor time (user and system, with all child processes), the second of wall time; both are medians of
the pairs. Ratios of wall time need an idle machine. An evaluation is compared with a process that
parses the same files with lxml.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from inex_eval import write_files

from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape

MEASURES = "nxCG@10 nxCG@100 MAep iMAep Q R"
SMALL_DOCUMENTS = Shape(articles=3000, topics=12, runs=1, elements=300, relevant=308)
GROWTH = Shape(articles=1200, topics=24, runs=6, elements=200)
FACTORS = (1, 4, 16)
PARSE = """
import sys
from pathlib import Path
from lxml import etree
for name in sys.argv[1:]:
    path = Path(name)
    for file in path.rglob("*.xml") if path.is_dir() else [path]:
        etree.parse(file)
"""
SWEEP = """
quantisation: [sog, gen, strict]
ideal: [kazai_lalmas, leaves, roots]
relevance_value:
  alpha: {from: 0, to: 1, step: 0.25}
name: sweep
"""
_TOPICS, _RUNS = 51, 69  # of flat retrieval


class Cost(NamedTuple):
    """What a command costs: seconds of processor time and of wall time, and peak memory in MB."""

    processor: float
    wall: float
    memory: float


def cost(*command: object, cache: Path | None = None) -> Cost:
    """Run a command in a new process, without a document cache or with one in a folder."""
    environment = {**os.environ, "XCG_CACHE": str(cache) if cache is not None else "off"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile at every start
    began = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit status {process.returncode}: {command}")
    wall = time.perf_counter() - began
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def lxml_cost(*files: Path) -> Cost:
    """Parse files and folders with lxml."""
    return cost(sys.executable, "-c", PARSE, *files)


def xcg_cost(*words: object, cache: Path | None = None) -> Cost:
    """Run a command of xcg."""
    return cost(sys.executable, "-m", "xcg", *words, cache=cache)


def report(name: str, bound: float | None, work: Callable[[], Cost], floor: Callable[[], Cost]) -> None:
    """Print the ratios of two commands that run alternately."""
    pairs = [(work(), floor()) for _ in range(options.pairs)]
    processor = statistics.median(one.processor / other.processor for one, other in pairs)
    wall = statistics.median(one.wall / other.wall for one, other in pairs)
    seconds = statistics.median(one.processor for one, _ in pairs)
    goal = f" (goal {bound:g})" if bound is not None else ""
    print(f"{name}: {processor:.2f} × processor time, {wall:.2f} × wall time{goal}; {seconds:.1f} s")


class Campaign:
    """The files of a simulated campaign."""

    def __init__(self, folder: Path) -> None:
        self.documents = folder / "documents"
        self.assessments = folder / "assessments"
        self.runs = folder / "runs"
        self.files = [self.documents, self.assessments, self.runs]

    def evaluate(
        self, *words: object, runs: Path | None = None, corpus: bool = True, cache: Path | None = None
    ) -> Cost:
        """Evaluate all runs or one of them."""
        documents = ["--corpus", self.documents] if corpus else []
        files = ["--assessments", self.assessments, "--run", runs or self.runs, *documents]
        return xcg_cost("evaluate", *files, "--format", "jsonl", *words, cache=cache)


def many_runs(folder: Path) -> Campaign:
    """Return the campaign of many runs."""
    if options.campaign is None:
        shape = dataclasses.replace(Shape(), articles=options.articles, runs=options.runs)
        simulate(folder / "campaign", shape)
    return Campaign(options.campaign or folder / "campaign")


def empty_cache(folder: Path) -> None:
    """Many runs, documents, and an empty cache."""
    campaign, cache = many_runs(folder), folder / "cache"

    def evaluate(workers: int) -> Cost:
        shutil.rmtree(cache, ignore_errors=True)
        return campaign.evaluate("--measures", MEASURES, "--workers", workers, cache=cache)

    for workers, goal in ((1, None), (2, 1.5)):
        name = f"all runs, empty cache, {workers} workers ÷ lxml over all files"
        report(name, goal, partial(evaluate, workers), partial(lxml_cost, *campaign.files))


def filled_cache(folder: Path) -> None:
    """Many runs, documents, and a filled cache."""
    campaign, cache = many_runs(folder), folder / "cache"
    campaign.evaluate(cache=cache)
    for workers, goal in ((1, None), (2, 1.0)):
        evaluate = partial(campaign.evaluate, "--measures", MEASURES, "--workers", workers, cache=cache)
        name = f"all runs, filled cache, {workers} workers ÷ lxml over all files"
        report(name, goal, evaluate, partial(lxml_cost, *campaign.files))


def one_run(folder: Path) -> None:
    """One run, without a cache and with a filled one."""
    campaign, cache = many_runs(folder), folder / "cache"
    run = sorted(campaign.runs.glob("*"))[0]
    evaluate = partial(campaign.evaluate, "--measures", MEASURES, runs=run)
    parse = partial(lxml_cost, campaign.documents)
    report("one run, no cache ÷ lxml over all documents", None, evaluate, parse)
    evaluate(cache=cache)
    report(
        "one run, filled cache ÷ lxml over all documents", None, partial(evaluate, cache=cache), parse
    )


def models(folder: Path) -> None:
    """45 user models relative to one."""
    shape = dataclasses.replace(Shape(), articles=1500, runs=10, relevant=30)
    simulate(folder / "models", shape)
    campaign, cache = Campaign(folder / "models"), folder / "models-cache"
    (folder / "sweep.yaml").write_text(SWEEP)
    campaign.evaluate(cache=cache)
    report(
        "45 user models ÷ one",
        3.0,
        lambda: campaign.evaluate(
            *("--measures", MEASURES, "--user-model", folder / "sweep.yaml"), cache=cache
        ),
        lambda: campaign.evaluate("--measures", MEASURES, cache=cache),
    )


def small_documents(folder: Path) -> None:
    """Many small documents, of which many are assessed."""
    simulate(folder / "small", SMALL_DOCUMENTS)
    campaign = Campaign(folder / "small")
    report(
        "one run over small documents, no cache ÷ lxml over all files",
        3.0,
        lambda: campaign.evaluate("--measures", MEASURES),
        lambda: lxml_cost(*campaign.files),
    )


def growth(folder: Path) -> None:
    """Time and memory at 1, 4 and 16 times the size."""
    campaigns = []
    for factor in FACTORS:
        path = folder / f"growth-{factor}"
        articles, topics = GROWTH.articles * factor, GROWTH.topics * factor
        simulate(path, dataclasses.replace(GROWTH, articles=articles, topics=topics))
        campaigns.append(Campaign(path))
    costs = [
        [campaign.evaluate("--measures", MEASURES) for campaign in campaigns]
        for _ in range(options.pairs)
    ]
    least = [min(of_size) for of_size in zip(*costs, strict=True)]
    for kind, values in (("time", [c.processor for c in least]), ("memory", [c.memory for c in least])):
        per_unit = [v / f / values[0] for v, f in zip(values, FACTORS, strict=True)]
        steps = [(values[i + 1] - values[i]) / (FACTORS[i + 1] - FACTORS[i]) for i in range(2)]
        print(
            f"{kind} per unit at 4 and 16 times the size: {per_unit[1]:.2f}, {per_unit[2]:.2f} ×; "
            f"the second step ÷ the first, without constant costs: {steps[1] / steps[0]:.2f} × "
            f"(goal 1.2); {', '.join(f'{value:.2f}' for value in values)}"
        )


def flat(folder: Path) -> None:
    """Flat TREC runs relative to trec_eval, or to ir_measures without its path."""
    chance = random.Random(1)
    qrels = folder / "flat.qrels"
    with qrels.open("w") as file:
        for topic in range(_TOPICS):
            for number in range(200):
                file.write(f"{topic} 0 d{number * 7} {chance.choice([0, 0, 0, 1, 2])}\n")
    runs = [folder / "flat" / f"run{number}" for number in range(_RUNS)]
    runs[0].parent.mkdir()
    for run in runs:
        with run.open("w") as file:
            for topic in range(_TOPICS):
                for rank, document in enumerate(chance.sample(range(5000), 1000), 1):
                    file.write(f"{topic} Q0 d{document} {rank} {1000 - rank} {run.name}\n")
    names = "nDCG@10 AP P@10"

    def ours(given: Path) -> Cost:
        return xcg_cost("evaluate", "--assessments", qrels, "--run", given, "--measures", names)

    def loop() -> Cost:
        costs = [trec_eval(run) for run in runs]
        return Cost(sum(c.processor for c in costs), sum(c.wall for c in costs), 0)

    def trec_eval(run: Path) -> Cost:
        measures = ["-c", "-m", "ndcg_cut.10", "-m", "map", "-m", "P.10"]
        return cost(options.trec_eval, *measures, qrels, run)

    if options.trec_eval is None:
        other = [sys.executable, "-m", "ir_measures", qrels, runs[0], names]
        report("one flat run ÷ ir_measures", None, lambda: ours(runs[0]), lambda: cost(*other))
        return
    report("one flat run ÷ trec_eval", 3.0, lambda: ours(runs[0]), lambda: trec_eval(runs[0]))
    report(f"{_RUNS} flat runs ÷ trec_eval one by one", 0.8, lambda: ours(runs[0].parent), loop)


def official(folder: Path) -> None:
    """The evaluator of INEX 2009 and 2010 relative to the Java program, if its path is given."""
    if options.inex_eval is None:
        return
    qrels, run = write_files(folder)
    for task in "ftrbi":
        words = [f"-{task}", qrels, run]
        report(
            f"inex-eval -{task}, 120 topics ÷ the Java program",
            1.0,
            lambda given=words: xcg_cost("inex-eval", *given),
            lambda given=words: cost("java", "-jar", options.inex_eval, *given),
        )


PARTS = {
    "empty-cache": empty_cache,
    "filled-cache": filled_cache,
    "one-run": one_run,
    "models": models,
    "small": small_documents,
    "growth": growth,
    "flat": flat,
    "official": official,
}


def parsed_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--articles", type=int, default=600, help="of the campaign of many runs")
    parser.add_argument("--runs", type=int, default=3, help="of the campaign of many runs")
    parser.add_argument("--campaign", type=Path, help="a simulated campaign, instead of a new one")
    parser.add_argument("--pairs", type=int, default=5, help="of commands for each ratio")
    parser.add_argument("--trec-eval", type=Path, help="the program trec_eval")
    parser.add_argument("--inex-eval", type=Path, help="the jar of the Java program")
    found = parser.parse_args()
    if unknown := set(found.parts) - PARTS.keys():
        parser.error(f"unknown parts {', '.join(sorted(unknown))}: expected some of {', '.join(PARTS)}")
    return found


if __name__ == "__main__":
    options = parsed_options()
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as temporary:
            PARTS[name](Path(temporary))
