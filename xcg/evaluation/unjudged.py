"""Check results in documents without assessments: they gain nothing, but they must exist."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.temporary_records import TemporaryRecords
from xcg.documents.tree import UnknownPathError
from xcg.errors import Notes, UnmappedError, XcgError

MOST_RESULTS = 1 << 20
"""Number of different results in memory: about 200 MB."""
_PARTS = 64


@dataclass(slots=True)
class UnjudgedDocument:
    """Results in one document.

    Attributes:
        first: Path → number, among all results of the campaign, of its first result.
        repeats: Path → number of further results with this path.
    """

    first: dict[str, int] = field(default_factory=dict)
    repeats: dict[str, int] = field(default_factory=dict)

    def add(self, first: dict[str, int], repeats: dict[str, int]) -> None:
        """Add later results in the same document, see the attributes."""
        for path, number in first.items():
            if path in self.first:
                self.repeats[path] = self.repeats.get(path, 0) + 1
            else:
                self.first[path] = number
        for path, count in repeats.items():
            self.repeats[path] = self.repeats.get(path, 0) + count


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

    So each document is opened once, and not once per topic. If there are many results, they are moved
    to a temporary file, divided into parts by document, and checked part by part.
    """

    def __init__(self) -> None:
        self.documents: dict[str, UnjudgedDocument] = {}
        self._rankings: list[RegisteredRanking] = []
        self._count = 0
        self._counted_again = MOST_RESULTS
        self._records = TemporaryRecords()
        self._stored: list[list[int]] = []
        """The positions of all parts, for each time that results were moved."""

    def add_ranking(self, topic: str, run: str, source: str, length: int) -> int:
        """Register a ranking and return the number of its first result."""
        if self._count >= self._counted_again:
            different = sum(len(document.first) for document in self.documents.values())
            if different >= MOST_RESULTS:
                self._store()
                different = 0
            self._counted_again = self._count + max(MOST_RESULTS - different, MOST_RESULTS // 4)
        first = self._count
        self._rankings.append(RegisteredRanking(first, topic, run, source))
        self._count += length
        return first

    def check(self, corpus: Corpus | None, lenient: bool) -> Iterator[UnjudgedProblems]:
        """Check all results and forget them.

        Yields:
            The problems of each document that has some, in order of name.

        Raises:
            XcgError: A problem that is not tolerated, when its document was yielded.
        """
        if corpus is None:
            self.documents = {}
            return
        problems = [
            problem
            for documents in self._parts()
            for problem in self._check(documents, corpus, lenient)
        ]
        for found, error in sorted(problems, key=lambda problem: problem[0].file):
            yield found
            if error is not None:
                raise error

    def _store(self) -> None:
        """Move the results to the temporary file."""
        # Pickling plain dicts takes much less time than pickling objects.
        parts: list[dict[str, tuple[dict[str, int], dict[str, int]]]] = [{} for _ in range(_PARTS)]
        for file, document in self.documents.items():
            parts[hash(file) % _PARTS][file] = document.first, document.repeats
        self._stored.append([self._records.add(part) for part in parts])
        self.documents.clear()

    def _parts(self) -> Iterator[dict[str, UnjudgedDocument]]:
        """Yield the documents part by part, each with all its results, and forget them."""
        if self._stored:
            self._store()
        else:
            yield self.documents
        self.documents = {}
        stored, self._stored = self._stored, []
        for positions in zip(*stored, strict=True):
            documents: dict[str, UnjudgedDocument] = {}
            for part in map(self._records.get, positions):
                for file, (first, repeats) in part.items():
                    if file in documents:
                        documents[file].add(first, repeats)
                    else:
                        documents[file] = UnjudgedDocument(first, repeats)
            yield documents

    def _check(
        self, documents: Mapping[str, UnjudgedDocument], corpus: Corpus, lenient: bool
    ) -> Iterator[tuple[UnjudgedProblems, XcgError | None]]:
        """Yield the documents with problems in order of name; an error is the last."""
        files = sorted(documents)
        missing_paths = corpus.missing_paths({file: documents[file].first for file in files})
        for file in files:
            notes, error = Notes(lenient), None
            missing: list[str] = []
            ranking, rank = None, 0
            try:
                _, missing = next(missing_paths)  # documents are read ahead, several at once
                if missing:
                    ranking, rank = self._position(documents[file].first[missing[0]])
                for path in missing:
                    self._note_missing(corpus, file, path, documents[file], notes)
            except XcgError as raised:
                error = raised
            if missing or error is not None:
                yield UnjudgedProblems(file, ranking, rank, notes), error
            if error is not None:
                return

    def _note_missing(
        self, corpus: Corpus, file: str, path: str, document: UnjudgedDocument, notes: Notes
    ) -> None:
        try:
            corpus.tree(file).row(path)
        except UnknownPathError as error:
            ranking, rank = self._position(document.first[path])
            unmapped = UnmappedError(f"{ranking.source}, rank {rank}, {file}", str(error))
            for _ in range(1 + document.repeats.get(path, 0)):
                notes.tolerate("results with unknown paths", unmapped)

    def _position(self, number: int) -> tuple[RegisteredRanking, int]:
        """Return the ranking and the rank of a result."""
        index = bisect_right(self._rankings, number, key=attrgetter("first")) - 1
        ranking = self._rankings[index]
        return ranking, number - ranking.first + 1
