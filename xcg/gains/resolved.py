"""A ranking whose results are resolved to elements and to text of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from xcg.lazy_modules import np
from xcg.runs.columns import NameColumn, Names
from xcg.runs.run import Ranking

if TYPE_CHECKING:
    import numpy.typing as npt

MISSING = -1
"""The row of a result that is no element of a document with assessed elements."""


@dataclass(frozen=True, eq=False)
class ResolvedRanking:
    """A run's ranking for a topic, with results resolved to elements and to text.

    Attributes:
        ranking: The ranking as it was read.
        row: The row of each result that is an element of a document with assessed elements, for other
            results :data:`MISSING`: they gain nothing and hide nothing. A passage is resolved to the
            smallest element that contains it.
        passages: Position → (start, end) in characters, for the results that are passages.
        source: Where the ranking was read, for messages.
        is_reference: Whether the ranking is the greedy reference of a run, whose results are ordered by
            gain under each user model, see :meth:`xcg.gains.topic.Topic.ranking`.
    """

    ranking: Ranking = field(default_factory=lambda: Ranking((), ()))
    row: npt.NDArray[np.int32] | Sequence[int] = ()
    passages: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    source: str = ""
    is_reference: bool = False

    @property
    def files(self) -> Sequence[str]:
        """The document of each result."""
        return self.ranking.files

    @cached_property
    def rows(self) -> Mapping[int, int]:
        """Position → row, in rank order, for the results with a row."""
        found = np.flatnonzero(np.asarray(self.row, np.int32) != MISSING)
        return dict(zip(found.tolist(), np.asarray(self.row)[found].tolist(), strict=True))

    @cached_property
    def by_document(self) -> Mapping[str, tuple[Sequence[int], tuple[int, ...]]]:
        """Document → positions and rows of its results, in rank order, for the results with a row."""
        files = self.files if isinstance(self.files, NameColumn) else Names().column(self.files)
        row = np.asarray(self.row, np.int32)
        positions = np.flatnonzero(row != MISSING)
        if not len(positions):
            return {}
        documents = np.frombuffer(files.numbers, np.int32)[positions]
        order = np.argsort(documents, kind="stable")
        documents, positions = documents[order], positions[order]
        starts = np.flatnonzero(np.diff(documents, prepend=-1)).tolist()
        rows, names = row[positions].tolist(), files.names.texts
        in_order = positions.tolist()
        return {
            names[number]: (in_order[start:end], tuple(rows[start:end]))
            for number, start, end in zip(
                documents[starts].tolist(), starts, [*starts[1:], len(rows)], strict=True
            )
        }

    def __len__(self) -> int:
        return len(self.ranking)

    def __iter__(self) -> Iterator[tuple[str, int | None]]:
        """Iterate over (document, row); the row is None for a result without one."""
        rows = np.asarray(self.row, np.int32).tolist()
        return zip(self.files, (None if row == MISSING else row for row in rows), strict=True)

    def in_order(self, positions: Sequence[int]) -> ResolvedRanking:
        """Return the ranking with its results in a new order, which breaks all ties."""
        passages = self.passages
        return ResolvedRanking(
            replace(self.ranking.select(positions), keys=None, has_scores=False),
            np.asarray(self.row, np.int32)[np.asarray(positions, np.intp)],
            {new: passages[old] for new, old in enumerate(positions) if old in passages},
            self.source,
        )
