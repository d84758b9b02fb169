"""One topic of an evaluation: documents, assessments and rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xcg.documents.tree import ElementTree
from xcg.gains.element_rows import ElementRows
from xcg.gains.resolved import ResolvedRanking
from xcg.gains.texts import Texts
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import DocumentSizes, Span
from xcg.runs.run import FunctionCache


@dataclass(eq=False, kw_only=True)
class JudgedTopic:
    """One topic with its documents, assessments and rankings.

    Attributes:
        name: The topic's id.
        texts: The texts of all documents.
        trees: Document → tree, for the documents with assessed elements.
        assessed: Document → row → assessment.
        highlighted: Document → relevant passages as (start, end), if the assessments have them.
        gold: Document → relevant passages with their grades, for the documents whose relevance is
            given by passages alone.
        entry_points: Document → character of the best entry point; None if the assessments have no
            entry points for any topic.
        document_sizes: Document → sizes in characters that the assessments state, if they do.
        lacks_highlights: Whether the topic has assessed elements and no passages.
        needs_text: Whether results are found in the text of documents; not if offsets are enough.
        rankings: Run → its ranking, for the runs with results for the topic.
    """

    name: str
    texts: Texts
    trees: Mapping[str, ElementTree]
    assessed: Mapping[str, Mapping[int, Assessment]]
    highlighted: Mapping[str, Sequence[tuple[int, int]]]
    gold: Mapping[str, Sequence[Span]]
    entry_points: Mapping[str, int] | None
    document_sizes: Mapping[str, DocumentSizes]
    lacks_highlights: bool
    needs_text: bool
    rankings: Mapping[str, ResolvedRanking] = field(default_factory=dict)

    @cached_property
    def elements(self) -> FunctionCache[str, ElementRows]:
        """Document → the rows of its tree, which all user models share."""
        trees = self.trees  # without a reference cycle
        return FunctionCache(lambda file: ElementRows(trees[file]))

    def as_read(self, run: str) -> ResolvedRanking:
        """Return a run's ranking as it was read, empty if it has no results."""
        return self.rankings.get(run) or ResolvedRanking()
