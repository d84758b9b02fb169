"""One topic of an evaluation, and its ideal results: ideal elements and gold spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError
from xcg.gains.element_reader import JudgedDocument
from xcg.gains.element_rows import ElementRows
from xcg.gains.nugget_reader import Nugget
from xcg.gains.resolved import ResolvedRanking
from xcg.gains.span_reader import GoldSpan
from xcg.gains.texts import Texts
from xcg.judgements.assessment import Assessment, Scale
from xcg.judgements.recall_base import DocumentSizes, Span, Stated
from xcg.measures.topic_gains import GainVector
from xcg.runs.run import FunctionCache
from xcg.user_model.ideal import select
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import near_scores
from xcg.user_model.quantisation import quantise


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
        nuggets: Element or passage → nugget → its level there.
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
    nuggets: Mapping[Stated, Mapping[str, float]] = field(default_factory=dict)

    @cached_property
    def elements(self) -> FunctionCache[str, ElementRows]:
        """Document → the rows of its tree, which all user models share."""
        trees = self.trees  # without a reference cycle
        return FunctionCache(lambda file: ElementRows(trees[file]))

    def as_read(self, run: str) -> ResolvedRanking:
        """Return a run's ranking as it was read, empty if it has no results."""
        return self.rankings.get(run) or ResolvedRanking()


@dataclass(frozen=True)
class IdealRecallBase:
    """The ideal results of a topic under one user model.

    Attributes:
        documents: Document → its scored and ideal elements.
        gains: xI, the gains of the ideal ranking in decreasing order.
        gold: Document → gold spans in characters, if results are scored as text; else None.
        nuggets: The nuggets with their alternatives in characters.
    """

    documents: Mapping[str, JudgedDocument]
    gains: Sequence[float]
    gold: Mapping[str, Sequence[GoldSpan]] | None = None
    nuggets: Sequence[Nugget] = ()

    @cached_property
    def vector(self) -> GainVector:
        """The ideal gains as a vector, which all runs share."""
        return GainVector(self.gains)


def ideal_elements_of(
    topic: JudgedTopic, model: UserModel, assessed: Mapping[str, Mapping[int, Assessment]] | None = None
) -> IdealRecallBase:
    """Quantise a topic's assessments and select the ideal elements.

    Args:
        topic: The topic.
        model: The user model.
        assessed: Document → row → assessment; by default those of the topic.

    Raises:
        InputError: If a part of the user model fails, with topic and document.
    """
    # Documents share most assessments. None: not in the recall-base.
    score_of: dict[Assessment, float | None] = {}
    documents = {}
    gains = []
    for file, assessments in (topic.assessed if assessed is None else assessed).items():
        tree = topic.trees[file]
        try:
            scores: dict[int, float] = {}
            for row, assessment in assessments.items():
                if assessment not in score_of:
                    score = _quantised(model, assessment, tree.path(row))
                    score_of[assessment] = score if assessment.relevant or score > 0 else None
                found = score_of[assessment]
                if found is not None:
                    scores[row] = found
            if not scores:
                continue
            by_path = {tree.path(row): scores[row] for row in sorted(scores)}
            ideal = [tree.row(path) for path in select(model.ideal, tree, by_path)]
            ideals = {tree.path(row): scores[row] for row in ideal}
            near = near_scores(model.relevance_value.near_misses, tree, ideals)
        except XcgError as error:
            where = f"user model {model.name}, topic {topic.name}, {file}"
            raise InputError(where, str(error)) from None
        positive = {row: score for row, score in scores.items() if score > 0}
        name = f"topic {topic.name}, {file}"
        documents[file] = JudgedDocument(tree, positive, ideal, name, near, topic.elements[file])
        gains += [scores[row] for row in ideal]
    return IdealRecallBase(documents, sorted(gains, reverse=True))


def gold_spans(
    topic: JudgedTopic, ideal: IdealRecallBase, model: UserModel
) -> dict[str, list[GoldSpan]]:
    """Return document → gold spans: the relevant passages, or else the text of the ideal elements.

    Raises:
        InputError: If the quantisation cannot score a passage.
    """
    gold = {
        file: [
            GoldSpan(start, end, span_score(topic, model, file, f"{start}–{end}", grade))
            for start, end, grade in spans
            if (file, (start, end)) not in topic.nuggets
        ]
        for file, spans in topic.gold.items()
    }
    for file, document in ideal.documents.items():
        if file not in gold:
            gold[file] = [
                GoldSpan(*document.span(row), score)
                for row, score in document.ideal_scores.items()
                if document.tree.characters[row]
            ]
    return gold


def span_score(topic: JudgedTopic, model: UserModel, file: str, part: str, grade: float) -> float:
    """Return the score of a passage's grade; InputError if the quantisation has none."""
    scale: Scale = "level" if getattr(model.quantisation.function, "scale", "") == "level" else "share"
    try:
        return _quantised(model, Assessment(grade, 1.0, None, scale), part)
    except XcgError as error:
        where = f"user model {model.name}, topic {topic.name}, {file}"
        raise InputError(where, str(error)) from None


def _quantised(model: UserModel, assessment: Assessment, where: str) -> float:
    try:
        return quantise(model.quantisation, assessment)
    except XcgError as error:
        raise XcgError(f"{where}: {error}") from None
