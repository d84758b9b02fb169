"""Read runs, one task for each file, and let overlap strategies rewrite them topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.errors import Notes
from xcg.evaluation.parallel import ONE_PROCESS, Executor
from xcg.formats.base import read_run
from xcg.runs.chunk_documents import NO_SOURCE, ChunkSource
from xcg.runs.run import Order, Run, Ties, Topics
from xcg.runs.runs import Runs
from xcg.strategies.registry import BoundStrategy
from xcg.strategies.rewriting import rewrite_runs


class Reading(NamedTuple):
    """How run files are read.

    Attributes:
        topics: The topics whose results are needed; None for all.
        order: The order of TREC results.
        ties: The order of results with equal scores or ranks.
        chunks: How chunks name their document, and the documents.
    """

    topics: Topics = None
    order: Order = "score"
    ties: Ties | None = None
    chunks: ChunkSource = NO_SOURCE

    def run(self, source: Run | Path, notes: Notes) -> Run:
        """Return the run of a source; it is read if it is in a file."""
        if isinstance(source, Run):
            return source
        return read_run(source, notes, self.order, self.ties, self.topics, self.chunks)


def read_all(
    sources: Sequence[Run | Path], reading: Reading, notes: Notes, executor: Executor = ONE_PROCESS
) -> Runs:
    """Return the runs of all sources under their own names, and read those that are in files.

    Raises:
        InputError: The first error in the order of the sources.
    """
    # Other processes cannot read standard input and pipes.
    files = [source for source in sources if isinstance(source, Path) and source.is_file()]
    if executor.is_this_process or len(files) < 2 or len(files) < len(sources):
        return Runs(reading.run(source, notes) for source in sources)
    runs = Runs()
    tasks = [(source,) for source in files]
    for found, noted in executor.run(_read, tasks, common=[reading, notes.lenient], files=files):
        runs.extend(found)
        notes.take(noted)
    return runs


def _read(reading: Reading, lenient: bool, source: Path) -> tuple[Runs, Notes]:
    notes = Notes(lenient)
    return Runs([reading.run(source, notes)]), notes


def rewrite_all(
    runs: Runs, strategies: Sequence[BoundStrategy], corpus: Corpus | None, executor: Executor
) -> Runs:
    """Return each run under each strategy; the runs themselves without strategies.

    Raises:
        InputError: If a strategy fails; the first error in the order of the topics.
    """
    if not strategies:
        return runs
    topics = list(dict.fromkeys(topic for run in runs for topic in run.rankings))
    count = min(len(topics), executor.count_workers())
    if executor.is_this_process or not topics:
        return runs.with_runs(rewrite_runs(runs, strategies, corpus, runs.stored))
    bounds = [len(topics) * number // count for number in range(count + 1)]
    tasks = [(runs.of_topics(frozenset(topics[a:b])),) for a, b in pairwise(bounds)]
    parts: list[Runs] = executor.run(_rewrite, tasks, common=[strategies, corpus])
    for part in parts[1:]:
        parts[0].extend(part)
    found, width = parts[0], len(runs) * len(strategies)
    return found.with_runs(
        one.with_rankings(
            {topic: r for part in found[number::width] for topic, r in part.rankings.items()}
        )
        for number, one in enumerate(found[:width])
    )


def _rewrite(strategies: Sequence[BoundStrategy], corpus: Corpus | None, runs: Runs) -> Runs:
    return runs.with_runs(rewrite_runs(runs, strategies, corpus, runs.stored))
