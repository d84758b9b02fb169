"""One topic of a campaign: documents, assessments and rankings, with results resolved to elements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Protocol

from xcg.documents.text_units import TextUnit, UnitConverter
from xcg.documents.tree import ElementTree
from xcg.gains.element_rows import ElementRows
from xcg.gains.span_reader import TextSpan, UnitSpan
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import DocumentSizes, Span
from xcg.runs.run import FunctionCache, Ranking
from xcg.user_model.model import UserModel


@dataclass(frozen=True)
class ResolvedRanking:
    """A run's ranking for a topic, with results resolved to elements and to text.

    Attributes:
        ranking: The ranking as it was read.
        rows: Position → row, in rank order, for the results that are elements of a document with
            assessed elements. All other results gain nothing and hide nothing. A passage is resolved
            to the smallest element that contains it.
        passages: Position → (start, end) in characters, for the results that are passages.
        source: Where the ranking was read, for messages.
        is_reference: Whether the ranking is the greedy reference of a run, whose results are ordered by
            gain under each user model, see :meth:`xcg.gains.topic.GainCalculator.ranking`.
    """

    ranking: Ranking = field(default_factory=lambda: Ranking((), ()))
    rows: Mapping[int, int] = field(default_factory=dict)
    passages: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    source: str = ""
    is_reference: bool = False

    @property
    def files(self) -> Sequence[str]:
        """The document of each result."""
        return self.ranking.files

    @cached_property
    def by_document(self) -> Mapping[str, tuple[Sequence[int], tuple[int, ...]]]:
        """Document → positions and rows of its results, in rank order, for the results with a row."""
        groups: defaultdict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        files = self.files
        for position, row in self.rows.items():
            positions, rows = groups[files[position]]
            positions.append(position)
            rows.append(row)
        return {file: (positions, tuple(rows)) for file, (positions, rows) in groups.items()}

    def __len__(self) -> int:
        return len(self.ranking)

    def __iter__(self) -> Iterator[tuple[str, int | None]]:
        """Iterate over (document, row); the row is None for a result without one."""
        return zip(self.files, map(self.rows.get, count()), strict=False)

    def in_order(self, positions: Sequence[int]) -> ResolvedRanking:
        """Return the ranking with its results in a new order, which breaks all ties."""
        rows, passages = self.rows, self.passages
        return ResolvedRanking(
            replace(self.ranking.select(positions), keys=None, has_scores=False),
            {new: rows[old] for new, old in enumerate(positions) if old in rows},
            {new: passages[old] for new, old in enumerate(positions) if old in passages},
            self.source,
        )


@dataclass(frozen=True)
class JudgedTopic:
    """One topic with its documents, assessments and rankings.

    Attributes:
        topic: The topic's id.
        trees: Document → tree, for the documents with assessed elements.
        assessed: Document → row → assessment.
        highlighted: Document → relevant passages as (start, end), if the assessments have them.
        gold: Document → relevant passages with their grades, for the documents whose relevance is
            given by passages alone.
        entry_points: Document → character of the best entry point; None if the assessments have no
            entry points for any topic.
        document_sizes: Document → sizes in characters that the assessments state, if they do.
        lacks_highlights: Whether the topic has assessed elements and no passages.
        rankings: Run → its ranking, for the runs with results for the topic.
    """

    topic: str
    trees: Mapping[str, ElementTree]
    assessed: Mapping[str, Mapping[int, Assessment]]
    highlighted: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    gold: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    entry_points: Mapping[str, int] | None = None
    document_sizes: Mapping[str, DocumentSizes] = field(default_factory=dict)
    lacks_highlights: bool = False
    rankings: Mapping[str, ResolvedRanking] = field(default_factory=dict)

    @cached_property
    def elements(self) -> Mapping[str, ElementRows]:
        """Document → the rows of its tree, which all user models share."""
        return FunctionCache(lambda file: ElementRows(self.trees[file]))

    def ranking(self, run: str) -> ResolvedRanking:
        """Return a run's ranking, empty if it has no results."""
        return self.rankings.get(run) or ResolvedRanking()


class TextAccess(Protocol):
    """Access to the text of documents; :class:`xcg.evaluation.campaign.Campaign` implements it."""

    def text_spans(self, topic: JudgedTopic, run: str) -> list[TextSpan]:
        """Return the results of a run for a topic as text; XcgError without documents."""

    def stated_spans(self, topic: JudgedTopic, run: str) -> list[TextSpan | None]:
        """Return the same, with the stated offsets of passages that do not exist.

        The span is None if the text of a result is unknown, because its element does not exist.
        """

    def document_length(self, file: str) -> int | None:
        """Return the length of a document in characters; None if the corpus lacks it."""

    def converter(self, model: UserModel, unit: TextUnit, file: str) -> UnitConverter:
        """Return how the text of a document is measured in a unit; XcgError without documents."""

    def in_units(self, model: UserModel, unit: TextUnit) -> Callable[[str, float, float], UnitSpan]:
        """Return a function (document, start, end) → start and end of the text in a unit."""

    def mean_document_length(self) -> float:
        """Return the mean length of all documents in characters; XcgError without documents."""
