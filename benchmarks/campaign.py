"""Measure a campaign: python benchmarks/campaign.py [ARTICLES [RUNS [REPETITIONS [TREC_EVAL]]]].

A simulated campaign is evaluated as a whole and step by step. Times are relative to a lower bound in
the same run: parsing the same files with lxml. For flat TREC runs they are relative to the command of
ir_measures, and to trec_eval if the path of its binary is given.
"""

from __future__ import annotations

import dataclasses
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lxml import etree

from xcg.documents.cache import without_cache
from xcg.documents.corpus import Corpus
from xcg.evaluation.evaluate import evaluate
from xcg.formats.base import read_assessments, read_runs
from xcg.judgements.recall_base import RecallBase
from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape

MEASURES = "nxCG@10 nxCG@100 MAep iMAep Q R"
_TOPICS, _FLAT_RUNS = 51, 69  # of flat retrieval


def median(repetitions: int, work: Callable[[], object]) -> float:
    """Return the median time of a function."""
    times = []
    for _ in range(repetitions):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def parse(files: Sequence[Path]) -> None:
    """Parse files with lxml."""
    for file in files:
        etree.parse(file)


def opened_documents(folder: Path, submission: Path) -> list[Path]:
    """Return the documents of the assessments and of a run."""
    base = read_assessments(folder / "assessments")
    [run] = read_runs(submission, topics=base)
    files = {file for topic in base.topics for file in base.files(topic)}
    files.update(file for ranking in run.rankings.values() for file, _ in ranking)
    return [folder / "documents" / f"{file}.xml" for file in sorted(files)]


def elements(folder: Path, articles: int, runs: int, repetitions: int) -> None:
    """Print the times of a campaign of elements, relative to parsing its files."""
    shape = dataclasses.replace(Shape(), articles=articles, runs=runs)
    simulate(folder, shape)
    documents = sorted((folder / "documents").rglob("*.xml"))
    submissions = sorted((folder / "runs").glob("*.xml"))
    judged = sorted((folder / "assessments").rglob("*.xml"))
    print(f"{articles} articles, {shape.topics} topics, {runs} runs of {shape.results} results")
    floor = median(repetitions, lambda: parse(documents))
    runs_floor = median(repetitions, lambda: parse(submissions))
    print(f"floors: lxml over the documents {floor:.2f} s, over the run files {runs_floor:.2f} s")

    def whole(some: Sequence[Path], corpus: Path | None) -> Callable[[], object]:
        return lambda: evaluate(folder / "assessments", some, corpus, measures=MEASURES)

    base = read_assessments(judged)
    reading = median(repetitions, lambda: read_runs(submissions, topics=base))
    print(f"reading the runs: {reading / runs_floor:.2f} × lxml over them")
    with without_cache():
        one = median(repetitions, whole(submissions[:1], folder / "documents"))
    print(f"one run with corpus, no cache: {one / floor:.2f} × lxml over all documents")
    os.environ["XCG_CACHE"] = str(folder / "cache")
    opened = opened_documents(folder, submissions[0])
    floor_opened = median(repetitions, lambda: parse(opened))
    floor_rest = median(repetitions, lambda: parse([*judged, submissions[0]]))
    cold = median(1, whole(submissions[:1], folder / "documents"))
    print(
        f"one run with corpus, empty cache: {cold / floor_opened:.2f} × lxml over the "
        f"{len(opened)} documents it opens"
    )
    warm = median(repetitions, whole(submissions[:1], folder / "documents"))
    print(
        f"one run with corpus, filled cache: {warm / cold:.2f} × with an empty one, "
        f"{warm / floor_rest:.2f} × lxml over run and assessments"
    )
    every = median(1, whole(submissions, folder / "documents"))
    print(f"all runs with corpus: {every / (floor + runs_floor):.2f} × lxml over documents and runs")
    sized = assessments_with_sizes(folder)

    def shared(workers: int) -> Callable[[], object]:
        return lambda: evaluate(sized, submissions, measures=MEASURES, workers=workers)

    for workers in (1, 2):
        without = median(repetitions, shared(workers))
        print(f"runs without corpus, {workers} workers: {without / runs_floor:.2f} × lxml over them")
    results = shape.results * shape.topics * runs
    print(f"that is {1e6 * every / results:.1f} µs a result")


def assessments_with_sizes(folder: Path) -> RecallBase:
    """Return the assessments of a simulated campaign with element sizes, so it needs no corpus."""
    corpus = Corpus(folder / "documents")
    base, sized = read_assessments(folder / "assessments"), RecallBase()
    for topic in base.topics:
        sized.add_topic(topic, "simulated")
        for file, elements in base.files(topic).items():
            tree = corpus.tree(file)
            for path, assessment in elements.items():
                size = int(tree.characters[tree.row(path)])
                sized.add(topic, file, path, assessment._replace(characters=size), "simulated")
    return sized


def flat(folder: Path, repetitions: int, trec_eval: str | None) -> None:
    """Print the time for flat runs, relative to ir_measures and trec_eval."""
    chance = random.Random(1)
    qrels = folder / "flat.qrels"
    with qrels.open("w") as file:
        for topic in range(_TOPICS):
            for number in range(200):
                file.write(f"{topic} 0 d{number * 7} {chance.choice([0, 0, 0, 1, 2])}\n")
    runs = [folder / "flat" / f"run{number}" for number in range(_FLAT_RUNS)]
    runs[0].parent.mkdir()
    for run in runs:
        with run.open("w") as file:
            for topic in range(_TOPICS):
                for rank, document in enumerate(chance.sample(range(5000), 1000), 1):
                    file.write(f"{topic} Q0 d{document} {rank} {1000 - rank} {run.name}\n")
    measures = "nDCG@10 AP P@10"

    def call(*command: object) -> Callable[[], object]:
        return lambda: subprocess.run(list(map(str, command)), check=True, capture_output=True)

    def ours(run: Path) -> Callable[[], object]:
        options = ["--assessments", qrels, "--run", run, "--measures", measures]
        return call(sys.executable, "-m", "xcg", "evaluate", *options)

    one = median(repetitions, ours(runs[0]))
    other = median(repetitions, call(sys.executable, "-m", "ir_measures", qrels, runs[0], measures))
    print(f"51,000 flat results: {one / other:.2f} × ir_measures' command ({other:.2f} s)")
    every = median(repetitions, ours(runs[0].parent))
    print(f"{len(runs)} such runs in one call: {every / one:.1f} × one of them")
    if trec_eval is None:
        return
    official = ["-c", "-m", "ndcg_cut.10", "-m", "map", "-m", "P.10"]
    calls = [call(trec_eval, *official, qrels, run) for run in runs]
    single = median(repetitions, calls[0])
    loop = median(repetitions, lambda: [evaluate_run() for evaluate_run in calls])
    print(f"one: {one / single:.2f} × trec_eval ({single:.3f} s), all: {every / loop:.2f} × one by one")


def main() -> None:
    """Print all ratios."""
    articles, runs, repetitions = (
        int(sys.argv[n]) if len(sys.argv) > n else given for n, given in ((1, 600), (2, 3), (3, 3))
    )
    with tempfile.TemporaryDirectory() as folder:
        elements(Path(folder) / "campaign", articles, runs, repetitions)
        flat(Path(folder), repetitions, sys.argv[4] if len(sys.argv) > 4 else None)


if __name__ == "__main__":
    main()
