"""Collect the different results of a campaign by document; their number may exceed the memory.

There can be millions of results. So they are columns of numbers, and equal ones are found by sorting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count, pairwise, repeat
from typing import NamedTuple

from xcg.documents.paths import WHOLE
from xcg.documents.temporary_records import TemporaryRecords
from xcg.documents.tree import Ints
from xcg.lazy_modules import np
from xcg.runs.run import Ranking

MOST_RESULTS = 1 << 19
"""Number of different results in memory: about 50 MB while they are sorted."""
_PARTS = 64
_PATH_BITS = 32
_PATH_MASK = (1 << _PATH_BITS) - 1
_NO_ELEMENTS = {"": 0, WHOLE: 1}
"""Path of a passage and of a whole document → its number."""


class DocumentResults(NamedTuple):
    """The different results in one document, ordered by number.

    Attributes:
        paths: Their paths.
        first: The number of the first result with each path.
        counts: The number of results with each path.
    """

    paths: list[str]
    first: Ints
    counts: Ints

    def first_and_count(self, path: str) -> tuple[int, int]:
        """Return the number of the first result with a path, and the number of such results."""
        position = self.paths.index(path)
        return int(self.first[position]), int(self.counts[position])


class _Columns(NamedTuple):
    """Columns of results.

    Attributes:
        keys: The number of the document, then 32 bits with the number of the path.
        first: The number of the first result with this document and path.
        counts: The number of results with this document and path.
    """

    keys: Ints
    first: Ints
    counts: Ints


class DifferentResults:
    """The different elements that rankings return, by document.

    If there are many, they are moved to a temporary file, divided by document.

    >>> results = DifferentResults()
    >>> ranking = Ranking(["bees", "ants", "bees"], ["/a[1]"] * 3)
    >>> results.add(ranking, 10, skipped=(), exists=lambda file: file != "ants")
    [1]
    >>> [found] = results.pop_parts()
    >>> found["bees"].paths, found["bees"].first.tolist(), found["bees"].counts.tolist()
    (['/a[1]'], [10], [2])
    """

    def __init__(self) -> None:
        self._forget()
        self._records = TemporaryRecords()
        self._stored: list[list[int]] = []
        """The positions of all parts in the file, for each time that results were moved there."""

    def _forget(self) -> None:
        """Forget all results in memory."""
        self._documents: defaultdict[str, int] = defaultdict(count().__next__)
        self._paths = defaultdict(count(len(_NO_ELEMENTS)).__next__, _NO_ELEMENTS)
        self._columns: list[_Columns] = []
        self._added = 0

    def add(
        self, ranking: Ranking, number: int, skipped: Collection[str], exists: Callable[[str], bool]
    ) -> list[int]:
        """Add the elements of a ranking.

        Args:
            ranking: The ranking.
            number: The number of its first result, which is larger than those of earlier rankings.
            skipped: Documents whose results are not added.
            exists: Returns whether there is a document. Results in other documents are not added.

        Returns:
            The positions of the results that were not added. These are also passages and whole
            documents.
        """
        files, known = ranking.files, self._documents
        documents = np.fromiter(map(known.get, files, repeat(-1)), np.int64, len(files))
        for position in np.flatnonzero(documents < 0).tolist():
            file = files[position]
            if file in known or (file not in skipped and exists(file)):
                documents[position] = known[file]
        paths = np.fromiter(map(self._paths.__getitem__, ranking.paths), np.int64, len(files))
        added = (documents >= 0) & (paths >= len(_NO_ELEMENTS))
        # Documents that are skipped for this ranking may be known from another one.
        added &= ~np.isin(documents, [known[file] for file in skipped if file in known])
        rows = np.flatnonzero(added)
        if len(rows):
            keys = (documents[rows] << _PATH_BITS) | paths[rows]
            self._append(keys, rows + number, np.ones_like(rows))
        if self._added >= MOST_RESULTS and len(self._merged().keys) >= MOST_RESULTS:
            self._store()
        return np.flatnonzero(~added).tolist()

    def pop_parts(self) -> Iterator[dict[str, DocumentResults]]:
        """Yield document → its results, for some of the documents at a time; forget them."""
        if self._columns:
            if not self._stored:
                yield self._by_document()
            else:
                self._store()
        stored, self._stored = self._stored, []
        for positions in zip(*stored, strict=True):
            self._forget()
            for position in positions:
                self._append_part(*self._records.get(position))
            yield self._by_document()
        self._forget()

    def _append(self, keys: Ints, first: Ints, counts: Ints) -> None:
        self._columns.append(_Columns(keys, first, counts))
        self._added += len(keys)

    def _merged(self) -> _Columns:
        """Return all results in memory, ordered by key, after merging equal ones."""
        keys, first, counts = map(np.concatenate, zip(*self._columns, strict=True))
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        found = _Columns(keys[starts], first[order[starts]], np.add.reduceat(counts[order], starts))
        self._columns, self._added = [found], 0
        return found

    def _by_document(self) -> dict[str, DocumentResults]:
        """Return document → its results, for all results in memory."""
        keys, first, counts = self._merged()
        order = np.lexsort((first, keys >> _PATH_BITS))
        keys, first, counts = keys[order], first[order], counts[order]
        documents, paths = keys >> _PATH_BITS, (keys & _PATH_MASK).tolist()
        files, all_paths = list(self._documents), list(self._paths)
        starts = np.flatnonzero(np.diff(documents, prepend=-1))
        found = {}
        for start, end in pairwise([*starts.tolist(), len(keys)]):
            names = [all_paths[path] for path in paths[start:end]]
            found[files[documents[start]]] = DocumentResults(names, first[start:end], counts[start:end])
        return found

    def _store(self) -> None:
        """Move the results in memory to the temporary file, divided by document."""
        keys, first, counts = self._merged()
        files, paths = list(self._documents), list(self._paths)
        parts = np.array([hash(file) % _PARTS for file in files])[keys >> _PATH_BITS]
        order = np.argsort(parts, kind="stable")
        rows_of_parts = np.split(order, np.searchsorted(parts[order], range(1, _PARTS)))
        self._stored.append(
            [
                self._records.add(
                    (
                        _texts(files, keys[rows] >> _PATH_BITS),
                        _texts(paths, keys[rows] & _PATH_MASK),
                        first[rows],
                        counts[rows],
                    )
                )
                for rows in rows_of_parts
            ]
        )
        self._forget()

    def _append_part(
        self, files: tuple[list[str], Ints], paths: tuple[list[str], Ints], first: Ints, counts: Ints
    ) -> None:
        """Append results from the file, whose documents and paths get new numbers."""
        numbers = []
        for known, (texts, positions) in ((self._documents, files), (self._paths, paths)):
            numbers.append(np.array([known[text] for text in texts], np.int64)[positions])
        self._append((numbers[0] << _PATH_BITS) | numbers[1], first, counts)


def _texts(texts: Sequence[str], numbers: Ints) -> tuple[list[str], Ints]:
    """Return the different texts with these numbers, and the positions of all of them in this list."""
    different, positions = np.unique(numbers, return_inverse=True)
    return [texts[number] for number in different.tolist()], positions
