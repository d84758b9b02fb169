"""Read runs, let overlap strategies rewrite them, name them differently, and count repeated results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.paths import WHOLE
from xcg.errors import Notes, first_names
from xcg.evaluation.parallel import Executor
from xcg.evaluation.resolution import different, element_codes
from xcg.formats.base import read_run
from xcg.runs.chunk_documents import NO_SOURCE, ChunkSource
from xcg.runs.columns import NameColumn
from xcg.runs.run import UNKNOWN_SPAN, Ranking, Run, Runs, Ties, Topics
from xcg.strategies.registry import BoundStrategy, rewrite_runs

_LISTED_RUNS = 3


def unique_names(runs: Sequence[Run], notes: Notes) -> list[str]:
    """Return a different name for each run.

    >>> runs = [Run("bm25", {}, "a.run"), Run("bm25", {}, "b.run"), Run("lm", {}, "c.run")]
    >>> unique_names(runs, Notes())
    ['bm25 [a.run]', 'bm25 [b.run]', 'lm']
    >>> runs = [Run("bm25+unique", {}, file, strategy="unique") for file in ("a.run", "b.run")]
    >>> unique_names(runs, Notes())
    ['bm25 [a.run]+unique', 'bm25 [b.run]+unique']
    """
    originals = [run.name_as_read for run in runs]
    counts = Counter((original, run.strategy) for original, run in zip(originals, runs, strict=True))
    by_count = sorted((count, original) for (original, _), count in counts.items() if count > 1)
    shared = {original: count for count, original in by_count}  # the highest count
    for original in sorted(shared):
        notes.note(
            f"{shared[original]} runs are named {original!r}; the name of each now ends in its file"
        )
    used: Counter[tuple[str, str]] = Counter()
    unique = []
    for original, run in zip(originals, runs, strict=True):
        full_name = f"{original} [{run.source}]" if original in shared else original
        used[full_name, run.strategy] += 1
        number = used[full_name, run.strategy]
        full_name += f" #{number}" if number > 1 else ""
        unique.append(full_name + run.name.removeprefix(original))
    return unique


def count_repeated(ranking: Ranking) -> int:
    """Return how many results of a ranking repeat an earlier one; unknown spans repeat nothing.

    >>> count_repeated(Run.of("bm25", {"1": ["a#/s[1]", "b", "a#/s[1]"]}).rankings["1"])
    1
    """
    files, paths = ranking.files, ranking.paths
    if isinstance(files, NameColumn) and isinstance(paths, NameColumn) and not ranking.spans:
        return len(ranking) - len(different(element_codes([ranking])))
    if not ranking.spans:
        are_documents = ranking.paths.count(WHOLE) == len(ranking)
        return len(ranking) - len(set(ranking.files if are_documents else ranking))
    results = zip(files, paths, map(ranking.spans.get, range(len(ranking))), strict=True)
    known = [result for result in results if result[2] != UNKNOWN_SPAN]
    return len(known) - len(set(known))


def named_runs(runs: Sequence[Run], repeated: Sequence[int], notes: Notes) -> list[Run]:
    """Return runs under different names, and note which are greedy references or repeat results.

    Args:
        runs: The runs.
        repeated: The number of repeated results of each; those of references do not count.
        notes: The notes.

    >>> notes = Notes()
    >>> runs = named_runs([Run("bm25", {}), Run("lm", {})], [2, 0], notes)
    >>> print(notes.notes[0])
    run bm25 repeats 2 results of the same topic: the strategy unique removes them
    """
    names = unique_names(runs, notes)
    runs = [replace(run, name=name) for name, run in zip(names, runs, strict=True)]
    references = [run.name for run in runs if run.is_reference]
    if references:
        is_one, listed = len(references) == 1, first_names(references, _LISTED_RUNS)
        kind = "is a greedy reference: its" if is_one else "are greedy references: their"
        notes.note(f"{listed} {kind} results are ordered with the assessments")
    counted = zip(runs, repeated, strict=True)
    repeating = [(run.name, count) for run, count in counted if count and not run.is_reference]
    if len(repeating) == 1:
        ((name, count),) = repeating
        results = "a result" if count == 1 else f"{count} results"
        notes.note(f"run {name} repeats {results} of the same topic: the strategy unique removes them")
    elif repeating:
        listed = first_names([f"{name} {count}" for name, count in repeating], _LISTED_RUNS)
        more = " runs" * (len(repeating) > _LISTED_RUNS)
        notes.note(
            f"{len(repeating)} runs repeat results of the same topic ({listed}{more}): the strategy "
            "unique removes them"
        )
    return runs


class Reading(NamedTuple):
    """How run files are read.

    Attributes:
        topics: The topics whose results are needed; None for all.
        ties: The order of results with equal scores or ranks.
        chunks: How chunks name their document, and the documents.
    """

    topics: Topics = None
    ties: Ties | None = None
    chunks: ChunkSource = NO_SOURCE

    def run(self, source: Run | Path, notes: Notes) -> Run:
        """Return the run of a source; it is read if it is in a file."""
        if isinstance(source, Run):
            return source
        return read_run(source, notes, self.ties, self.topics, self.chunks)


def read_file(reading: Reading, lenient: bool, source: Path) -> tuple[Runs, Notes]:
    """Return the run of a file and the notes on it, for another process."""
    notes = Notes(lenient)
    return Runs([reading.run(source, notes)]), notes


def rewrite_all(
    runs: Runs, strategies: Sequence[BoundStrategy], corpus: Corpus | None, executor: Executor
) -> Runs:
    """Return each run under each strategy.

    Raises:
        InputError: If a strategy fails; the first error in the order of the topics.
    """
    topics = list(dict.fromkeys(topic for run in runs for topic in run.rankings))
    count = max(1, min(len(topics), executor.count_workers()))
    bounds = [len(topics) * number // count for number in range(count + 1)]
    tasks = [(runs.of_topics(frozenset(topics[a:b])),) for a, b in pairwise(bounds)]
    parts: list[Runs] = executor.run(_rewrite, tasks, common=[strategies, corpus])
    for part in parts[1:]:
        parts[0].merge(part)
    found, width = parts[0], len(runs) * len(strategies)
    rewritten = (
        replace(
            one,
            rankings={topic: r for part in found[number::width] for topic, r in part.rankings.items()},
        )
        for number, one in enumerate(found[:width])
    )
    return Runs(rewritten, found)


def _rewrite(strategies: Sequence[BoundStrategy], corpus: Corpus | None, runs: Runs) -> Runs:
    return Runs(rewrite_runs(runs, strategies, corpus, runs.stored), runs)
