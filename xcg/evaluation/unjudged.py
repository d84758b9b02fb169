"""Check results in documents without assessments: they gain nothing, but they must exist."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter

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

    def add(self, later: UnjudgedDocument) -> None:
        """Add later results in the same document."""
        for path, number in later.first.items():
            repeats = later.repeats.get(path, 0)
            if path in self.first:
                self.repeats[path] = self.repeats.get(path, 0) + 1 + repeats
            else:
                self.first[path] = number
                if repeats:
                    self.repeats[path] = repeats


class UnjudgedResults:
    """Results in documents without assessments, which are checked when all topics are done.

    So each document is opened once, and not once per topic. If there are many results, they are moved
    to a temporary file, divided into parts by document, and checked part by part.
    """

    def __init__(self) -> None:
        self.documents: dict[str, UnjudgedDocument] = {}
        self._rankings: list[tuple[int, str]] = []
        """The number of the first result of each ranking, and where it was read."""
        self._count = 0
        self._counted_again = MOST_RESULTS
        self._records = TemporaryRecords()
        self._stored: list[list[int]] = []
        """The positions of all parts, for each time that results were moved."""

    def add_ranking(self, source: str, length: int) -> int:
        """Register a ranking and return the number of its first result."""
        if self._count >= self._counted_again:
            different = sum(len(document.first) for document in self.documents.values())
            if different >= MOST_RESULTS:
                self._store()
                different = 0
            self._counted_again = self._count + max(MOST_RESULTS - different, MOST_RESULTS // 4)
        first = self._count
        self._rankings.append((first, source))
        self._count += length
        return first

    def check(self, corpus: Corpus | None, lenient: bool) -> Iterator[tuple[str, Notes]]:
        """Check all results and forget them.

        Yields:
            The documents with problems in order of name, and the problems that are tolerated.

        Raises:
            XcgError: A problem that is not tolerated, when its document was yielded.
        """
        if corpus is None:
            self.documents = {}
            return
        problems = [
            found for documents in self._parts() for found in self._check(documents, corpus, lenient)
        ]
        for file, notes, error in sorted(problems, key=itemgetter(0)):
            yield file, notes
            if error is not None:
                raise error

    def _store(self) -> None:
        """Move the results to the temporary file."""
        parts: list[dict[str, UnjudgedDocument]] = [{} for _ in range(_PARTS)]
        for file, document in self.documents.items():
            parts[hash(file) % _PARTS][file] = document
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
                for file, document in part.items():
                    documents.setdefault(file, UnjudgedDocument()).add(document)
            yield documents

    def _check(
        self, documents: Mapping[str, UnjudgedDocument], corpus: Corpus, lenient: bool
    ) -> Iterator[tuple[str, Notes, XcgError | None]]:
        """Yield the documents with problems in order of name; an error is the last."""
        files = sorted(documents)
        missing_paths = corpus.missing_paths({file: documents[file].first for file in files})
        for file in files:
            notes, error = Notes(lenient), None
            missing: list[str] = []
            try:
                _, missing = next(missing_paths)  # documents are read ahead, several at once
                for path in missing:
                    self._note_missing(corpus, file, path, documents[file], notes)
            except XcgError as raised:
                error = raised
            if missing or error is not None:
                yield file, notes, error
            if error is not None:
                return

    def _note_missing(
        self, corpus: Corpus, file: str, path: str, document: UnjudgedDocument, notes: Notes
    ) -> None:
        try:
            corpus.tree(file).row(path)
        except UnknownPathError as error:
            number = document.first[path]
            index = bisect_right(self._rankings, number, key=itemgetter(0)) - 1
            first, source = self._rankings[index]
            unmapped = UnmappedError(f"{source}, rank {number - first + 1}, {file}", str(error))
            for _ in range(1 + document.repeats.get(path, 0)):
                notes.tolerate("results with unknown paths", unmapped)
