"""Check results in documents without assessments: they gain nothing, but they must exist."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from operator import attrgetter
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.tree import UnknownPathError
from xcg.errors import Notes, UnmappedError, XcgError
from xcg.evaluation.different_results import DifferentResults, DocumentResults
from xcg.runs.run import Run


class RegisteredRanking(NamedTuple):
    """A ranking with results in documents without assessments.

    Attributes:
        first: The number of its first result among all results.
        topic: The topic.
        run: The name of the run.
        source: Where it was read.
    """

    first: int
    topic: str
    run: str
    source: str


class UnjudgedProblems(NamedTuple):
    """The problems of the results in one document.

    Attributes:
        file: The document.
        ranking: The first ranking with a problem; None if the document cannot be read.
        rank: The rank of the first result with a problem; 0 without a ranking.
        notes: The problems that are tolerated.
    """

    file: str
    ranking: RegisteredRanking | None
    rank: int
    notes: Notes


class UnjudgedResults:
    """Results in documents without assessments, which are checked when all topics are done.

    So each document is opened once, and not once per topic.
    """

    def __init__(self) -> None:
        self._results = DifferentResults()
        self._rankings: list[RegisteredRanking] = []
        self._count = 0

    def add(self, run: Run, topic: str, judged: Collection[str], corpus: Corpus) -> list[int]:
        """Add the elements that a run returns for a topic from documents without assessments.

        Args:
            run: The run.
            topic: The topic.
            judged: The documents with assessments.
            corpus: The documents.

        Returns:
            The positions of the results that were not added: passages, whole documents, and results in
            documents that are judged or missing.
        """
        ranking = run.rankings[topic]
        self._rankings.append(RegisteredRanking(self._count, topic, run.name, run.where(topic)))
        others = self._results.add(ranking, self._count, judged, corpus.__contains__)
        self._count += len(ranking)
        return others

    def check(self, corpus: Corpus | None, lenient: bool) -> Iterator[UnjudgedProblems]:
        """Check all results and forget them.

        Yields:
            The problems of each document that has some, in order of name.

        Raises:
            XcgError: A problem that is not tolerated, when its document was yielded.
        """
        if corpus is None:
            return
        problems = [
            problem
            for documents in self._results.pop_parts()
            for problem in self._check(documents, corpus, lenient)
        ]
        for found, error in sorted(problems, key=lambda problem: problem[0].file):
            yield found
            if error is not None:
                raise error

    def _check(
        self, documents: Mapping[str, DocumentResults], corpus: Corpus, lenient: bool
    ) -> Iterator[tuple[UnjudgedProblems, XcgError | None]]:
        """Yield the documents with problems in order of name; an error is the last."""
        files = sorted(documents)
        missing_paths = corpus.missing_paths({file: documents[file].paths for file in files})
        for file in files:
            notes, error = Notes(lenient), None
            missing: list[str] = []
            ranking, rank = None, 0
            try:
                _, missing = next(missing_paths)  # documents are read ahead, several at once
                for path in missing:
                    first, count = documents[file].first_and_count(path)
                    if ranking is None:
                        ranking, rank = self._position(first)
                    self._note_missing(corpus, file, path, first, count, notes)
            except XcgError as raised:
                error = raised
            if missing or error is not None:
                yield UnjudgedProblems(file, ranking, rank, notes), error
            if error is not None:
                return

    def _note_missing(
        self, corpus: Corpus, file: str, path: str, first: int, count: int, notes: Notes
    ) -> None:
        try:
            corpus.tree(file).row(path)
        except UnknownPathError as error:
            ranking, rank = self._position(first)
            unmapped = UnmappedError(f"{ranking.source}, rank {rank}, {file}", str(error))
            for _ in range(count):
                notes.tolerate("results with unknown paths", unmapped)

    def _position(self, number: int) -> tuple[RegisteredRanking, int]:
        """Return the ranking and the rank of a result."""
        index = bisect_right(self._rankings, number, key=attrgetter("first")) - 1
        ranking = self._rankings[index]
        return ranking, number - ranking.first + 1
