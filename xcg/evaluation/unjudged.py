"""Check results in documents without assessments: they gain nothing, but they must exist."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from xcg.documents.corpus import Corpus
from xcg.documents.tree import UnknownPathError
from xcg.errors import Notes, UnmappedError, XcgError


@dataclass(slots=True)
class UnjudgedDocument:
    """Results in one document.

    Attributes:
        first: Path → number, among all results of the campaign, of its first result.
        repeats: Path → number of further results with this path.
    """

    first: dict[str, int] = field(default_factory=dict)
    repeats: dict[str, int] = field(default_factory=dict)


class UnjudgedResults:
    """Results in documents without assessments, which are checked when all topics are done.

    So each document is opened once, and not once per topic.
    """

    def __init__(self) -> None:
        self.documents: dict[str, UnjudgedDocument] = {}
        self._rankings: list[tuple[int, str]] = []
        """The number of the first result of each ranking, and where it was read."""
        self._count = 0

    def add_ranking(self, source: str, length: int) -> int:
        """Register a ranking and return the number of its first result."""
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
        documents, self.documents = self.documents, {}
        if corpus is None:
            return
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
                yield file, notes
            if error is not None:
                raise error

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
