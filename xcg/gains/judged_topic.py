"""One topic of an evaluation: its texts, its resolved rankings, and its ideal results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import CharacterConverter, TextUnit, UnitConverter
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError
from xcg.gains.nugget_reader import Nugget
from xcg.gains.reader import ElementRows, JudgedDocument
from xcg.gains.span_reader import GoldSpan, UnitSpan
from xcg.judgements.assessment import Assessment, DocumentSizes, Scale
from xcg.judgements.recall_base import Span, Stated
from xcg.lazy_modules import np
from xcg.measures.topic_gains import GainVector
from xcg.runs.columns import NameColumn, Names
from xcg.runs.run import Ranking
from xcg.user_model.ideal import select
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import exact, judged, near_scores
from xcg.user_model.quantisation import quantise

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

    @cached_property
    def rows(self) -> Mapping[int, int]:
        """Position → row, in rank order, for the results with a row."""
        found = np.flatnonzero(np.asarray(self.row, np.int32) != MISSING)
        return dict(zip(found.tolist(), np.asarray(self.row)[found].tolist(), strict=True))

    @cached_property
    def by_document(self) -> Mapping[str, tuple[Sequence[int], tuple[int, ...]]]:
        """Document → positions and rows of its results, in rank order, for the results with a row."""
        files = self.ranking.files
        if not isinstance(files, NameColumn):
            files = Names().column(files)
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
        return zip(self.ranking.files, (None if row == MISSING else row for row in rows), strict=True)

    def in_order(self, positions: Sequence[int]) -> ResolvedRanking:
        """Return the ranking with its results in a new order, which breaks all ties."""
        passages = self.passages
        return ResolvedRanking(
            replace(self.ranking.select(positions), keys=None, has_scores=False),
            np.asarray(self.row, np.int32)[np.asarray(positions, np.intp)],
            {new: passages[old] for new, old in enumerate(positions) if old in passages},
            self.source,
        )


_KEPT_CONVERTERS = 2000
_KEPT_SPANS = 1 << 16  # in units: about 20 MB


@dataclass(eq=False)
class Texts:
    """The texts of the documents of an evaluation, which all topics share.

    Args:
        corpus: The documents, None without any.
    """

    corpus: Corpus | None
    _converters: dict[object, UnitConverter] = field(default_factory=dict, init=False)
    _amounts: dict[object, float] = field(default_factory=dict, init=False)
    _in_units: dict[object, Callable[[str, float, float], UnitSpan]] = field(
        default_factory=dict, init=False
    )

    def required_corpus(self) -> Corpus:
        """Return the documents; XcgError without any."""
        if self.corpus is None:
            raise XcgError("needs the documents: expected a corpus")
        return self.corpus

    def length(self, file: str) -> int | None:
        """Return the length of a document in characters; None if the corpus lacks it."""
        if self.corpus is None or file not in self.corpus:
            return None
        return int(self.corpus.tree(file).characters[0])

    @cached_property
    def mean_length(self) -> float:
        """The mean length of all documents in characters, 0 without documents."""
        if self.corpus is None:
            return 0.0
        lengths = [int(self.corpus.tree(file).characters[0]) for file in self.corpus]
        return sum(lengths) / len(lengths)

    def converter(self, model: UserModel, unit: TextUnit, file: str) -> UnitConverter:
        """Return how the text of a document is measured in a unit.

        Raises:
            XcgError: If documents are missing, or the tokenizer of the user model fails.
        """
        if unit == "characters":
            return CharacterConverter()
        tokenizer = model.effort.tokenizer
        key = file, unit, unit == "tokens" and tokenizer.key
        if key not in self._converters:
            while len(self._converters) >= _KEPT_CONVERTERS:
                del self._converters[next(iter(self._converters))]
            corpus = self.required_corpus()
            try:
                self._converters[key] = UnitConverter.of(corpus.tree(file).text, unit, tokenizer)
            except XcgError as error:
                raise InputError(f"{corpus.label}, {file}", str(error)) from None
        return self._converters[key]

    def amount(self, model: UserModel, unit: TextUnit, text: str) -> float:
        """Return the amount of a text that is not in a document."""
        if unit == "characters":
            return float(len(text))
        key = unit, model.effort.tokenizer.key, text
        if key not in self._amounts:
            self._amounts[key] = UnitConverter.of(text, unit, model.effort.tokenizer).amount(len(text))
        return self._amounts[key]

    def in_units(self, model: UserModel, unit: TextUnit) -> Callable[[str, float, float], UnitSpan]:
        """Return a function (document, start, end) → start and end of the text in a unit.

        It remembers spans, because runs return the same chunks for many topics.
        """
        key = unit, model.effort.tokenizer.key
        if key not in self._in_units:

            def in_units(file: str, start: float, end: float) -> UnitSpan:
                converter = self.converter(model, unit, file)
                return converter.amount(start), converter.amount(end)

            self._in_units[key] = lru_cache(_KEPT_SPANS)(in_units)
        return self._in_units[key]


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
        elements: Document → the rows of its tree, which all user models share.
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
    elements: Mapping[str, ElementRows]

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
            model_of_near = model.relevance_value.near_misses
            has_near = model_of_near.function not in (judged, exact)
            near = near_scores(model_of_near, tree, ideals) if has_near else {}
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
