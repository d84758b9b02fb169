"""Store the rankings of many runs as columns, which share the names of documents and of paths."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable
from dataclasses import replace

from xcg.lazy_modules import np
from xcg.runs.columns import NameColumn, Names
from xcg.runs.run import Ranking, Run


class Runs(list[Run]):
    """The runs of an evaluation, whose rankings share the names of documents and of paths.

    The documents and paths of a ranking are a :class:`NameColumn` each: 8 bytes for each result.

    Args:
        runs: The runs.

    Attributes:
        documents: The names of all documents.
        paths: All paths.

    >>> runs = Runs([Run.of("bm25", {"1": ["bees#/a", "ants#/a"], "2": ["bees#/a"]})])
    >>> runs.documents.texts, runs.paths.texts, list(runs[0].rankings["2"])
    (['bees', 'ants'], ['/a[1]'], [('bees', '/a[1]')])
    """

    def __init__(self, runs: Iterable[Run] = ()) -> None:
        super().__init__()
        self.documents = Names()
        self.paths = Names()
        for run in runs:
            rankings = {topic: self.stored(ranking) for topic, ranking in run.rankings.items()}
            self.append(run.with_rankings(rankings))

    def with_runs(self, runs: Iterable[Run]) -> Runs:
        """Return runs whose rankings are stored with these names."""
        found = Runs()
        found.documents, found.paths = self.documents, self.paths
        found += runs
        return found

    def merge(self, others: Runs) -> None:
        """Add the runs of another process, whose names have other numbers."""
        documents = np.array([self.documents[text] for text in others.documents.texts], np.int32)
        paths = np.array([self.paths[text] for text in others.paths.texts], np.int32)
        tables = (others.documents, self.documents, documents), (others.paths, self.paths, paths)
        for run in others:
            for ranking in run.rankings.values():
                for column in (ranking.files, ranking.paths):
                    for old, new, numbers in tables:
                        if isinstance(column, NameColumn) and column.names is old:
                            renumbered = numbers[np.frombuffer(column.numbers, np.int32)]
                            column.numbers = array("i", renumbered.tobytes())
                            column.names = new
        self.extend(others)

    def stored(self, ranking: Ranking) -> Ranking:
        """Return a ranking whose documents and paths are columns with the names of these runs."""
        files, paths = ranking.files, ranking.paths
        if not (isinstance(files, NameColumn) and files.names is self.documents):
            files = self.documents.column(files)
        if not (isinstance(paths, NameColumn) and paths.names is self.paths):
            paths = self.paths.column(paths)
        return replace(ranking, files=files, paths=paths)

    def of_topics(self, topics: Collection[str]) -> Runs:
        """Return the runs with the rankings of some topics."""
        return self.with_runs(
            run.with_rankings({t: found for t, found in run.rankings.items() if t in topics})
            for run in self
        )
