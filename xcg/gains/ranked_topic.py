"""What follows from the assessments and rankings of a topic: ideal recall-bases and texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.documents.text_units import TextUnit
from xcg.errors import InputError, XcgError
from xcg.gains.element_reader import element_readers
from xcg.gains.judged_topic import (
    IdealRecallBase,
    JudgedTopic,
    ResolvedRanking,
    gold_spans,
    ideal_elements_of,
    span_score,
)
from xcg.gains.nugget_reader import Nugget, NuggetTopic
from xcg.gains.oracle import order_by_gain
from xcg.gains.span_reader import GoldSpan, ReadResult, SpanTopic, TextSpan, UnitSpan
from xcg.measures.rankings import HighlightedRanking, SpanRanking
from xcg.measures.topic_gains import Reading
from xcg.user_model.model import UserModel

T = TypeVar("T")


@dataclass(eq=False, kw_only=True)
class RankedTopic(JudgedTopic):
    """A topic with its ideal recall-bases, and its rankings as text.

    What user models and runs share is computed once.
    """

    _ideals: dict[object, IdealRecallBase] = field(default_factory=dict, init=False)
    _span_topics: dict[object, SpanTopic] = field(default_factory=dict, init=False)
    # Caches without bound methods: reference cycles would keep topics in memory.
    _stated_spans: dict[str, list[TextSpan | None]] = field(default_factory=dict, init=False)
    _text_spans: dict[str, list[TextSpan]] = field(default_factory=dict, init=False)
    _highlighted: dict[str, HighlightedRanking] = field(default_factory=dict, init=False)
    _references: dict[str, tuple[list[int], ResolvedRanking]] = field(default_factory=dict, init=False)
    _model_of_references: UserModel | None = field(default=None, init=False)

    def ideal(self, model: UserModel) -> IdealRecallBase:
        """Return the ideal recall-base of the topic under a user model."""
        near = model.relevance_value.near_misses
        as_text = model.spans == "text" or bool(self.nuggets)
        key: tuple[object, ...] = (model.quantisation.key, model.ideal.key, near.key)
        key += (as_text and model.size, bool(self.nuggets) and model.relevance_value.alpha)
        if key not in self._ideals:
            self._ideals[key] = self._ideal_text(model) if as_text else ideal_elements_of(self, model)
        return self._ideals[key]

    def _ideal_text(self, model: UserModel) -> IdealRecallBase:
        kept = {file: dict(rows) for file, rows in self.assessed.items() if file not in self.gold}
        for file, part in self.nuggets:
            if file in kept and (row := self.trees[file].find(str(part))) is not None:
                kept[file].pop(row, None)
        ideal = ideal_elements_of(self, model, kept)
        gold = gold_spans(self, ideal, model)
        if self.names_documents:
            gold |= {
                file: [GoldSpan(0, 1, document.ideal_scores[0])]
                for file, document in ideal.documents.items()
                if 0 in document.ideal_scores
            }
        found = IdealRecallBase(ideal.documents, [], gold, self._scored_nuggets(model))
        topic = self._new_span_topic(found, model, model.size)
        gains = [span.score for spans in topic.gold.values() for span in spans]
        if isinstance(topic, NuggetTopic):
            gains = [gain for *_, gain in topic.ideal(model.relevance_value, False)]
        return replace(found, gains=sorted(gains, reverse=True))

    @cached_property
    def names_documents(self) -> bool:
        """Whether judgements with nuggets are of whole documents, whose text is not known."""
        return self.texts.corpus is None and {part for _, part in self.nuggets} == {WHOLE}

    def _scored_nuggets(self, model: UserModel) -> list[Nugget]:
        """Return the nuggets with their scores and the text of their alternatives.

        Raises:
            XcgError: If they are in passages or elements, and the model does not score text.
        """
        levels: dict[str, float] = {}
        alternatives: dict[str, list[TextSpan]] = {}
        for (file, part), nuggets in self.nuggets.items():
            if model.spans != "text" and part != WHOLE:
                raise InputError(
                    f"topic {self.name}, {file}",
                    f"the user model {model.name} scores elements, but judgements of passages or "
                    "elements name nuggets: expected the user model spans or spans-levels",
                )
            span = self._span_of(file, part)
            for nugget, level in nuggets.items():
                if level > 0 and span is not None and span[1] < span[2]:
                    levels[nugget] = max(level, levels.get(nugget, 0))
                    alternatives.setdefault(nugget, []).append(span)
        return [
            Nugget(name, score, levels[name], spans)
            for name, spans in sorted(alternatives.items())
            if (score := span_score(self, model, spans[0][0], f"nugget {name}", levels[name])) > 0
        ]

    def _span_of(self, file: str, part: str | tuple[int, int]) -> TextSpan | None:
        """Return the text of an element or passage that states a nugget; None if it does not exist."""
        if isinstance(part, tuple):
            return (file, *part)
        if self.names_documents:
            return file, 0, 1
        self.texts.required_corpus()
        return self._element_span(file, part) if file in self.trees else None

    def _new_span_topic(
        self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit
    ) -> SpanTopic | NuggetTopic:
        in_units = self.texts.in_units(model, unit)
        if self.names_documents:
            if unit != model.size:
                self.texts.required_corpus()
            in_units = lambda _, start, end: (start, end)  # noqa: E731
        if self.nuggets:
            return NuggetTopic(ideal.gold or {}, in_units, ideal.nuggets)
        return SpanTopic(ideal.gold or {}, in_units)

    def ranking(self, run: str, model: UserModel) -> ResolvedRanking:
        """Return a run's ranking under a user model, which orders the results of a greedy reference."""
        resolved = self.as_read(run)
        return self._reference(run, model)[1] if resolved.is_reference else resolved

    def _reference(self, run: str, model: UserModel) -> tuple[list[int], ResolvedRanking]:
        """Return the order of a greedy reference's results by gain, and the ranking in this order.

        Those of one user model are kept: a sweep over many user models must not need more memory.
        """
        if model is not self._model_of_references:
            for name in self._references:
                self._highlighted.pop(name, None)
            self._references, self._model_of_references = {}, model
            for rows in self.elements.values():
                rows.seen_before.clear()
        if run not in self._references:
            resolved = self.as_read(run)
            try:
                order = self._order_by_gain(run, resolved, model)
            except XcgError as error:
                where = f"{resolved.source}, user model {model.name}"
                raise InputError(where, str(error)) from None
            self._references[run] = order, resolved.in_order(order)
        return self._references[run]

    def _order_by_gain(self, run: str, resolved: ResolvedRanking, model: UserModel) -> list[int]:
        ideal = self.ideal(model)
        parts: list[Any] = [row for _, row in resolved]
        gaining: Collection[str] = ideal.documents
        readers: Mapping[str, Any] = element_readers(ideal.documents, model)
        if ideal.gold is not None:
            topic = self.span_topic(ideal, model)
            parts, gaining = topic.in_units(self.text_spans(run)), topic.files
            readers = topic.readers(model.relevance_value)
        named = zip(resolved.ranking.files, parts, strict=True)
        results = [(f, part) if part is not None and f in gaining else None for f, part in named]
        return order_by_gain(results, readers)

    def _in_order(self, values: list[T], run: str, model: UserModel | None) -> list[T]:
        """Return what belongs to each result of a run in the order of :meth:`ranking`."""
        if model is None or not self.as_read(run).is_reference:
            return values
        return [values[position] for position in self._reference(run, model)[0]]

    def stated_spans(self, run: str) -> list[TextSpan | None]:
        """Return the results of a run as text, with the stated offsets of passages that do not exist.

        The span is None if the text of a result is unknown, because its element does not exist.

        Raises:
            XcgError: If documents are needed and missing.
        """
        if run not in self._stated_spans:
            if self.needs_text:
                self.texts.required_corpus()
            resolved = self.as_read(run)
            spans = {**resolved.ranking.spans, **resolved.passages}
            named = zip(resolved.ranking.files, resolved.ranking.paths, strict=True)
            self._stated_spans[run] = [
                (file, *span)
                if (span := spans.get(position)) is not None and not isinstance(span, Passage)
                else (file, 0, 0)  # its text has no place
                if position in resolved.ranking.other_text
                else self._element_span(file, path)
                for position, (file, path) in enumerate(named)
            ]
        return self._stated_spans[run]

    def _element_span(self, file: str, path: str) -> TextSpan | None:
        """Return an element as text; None if it does not exist or its document is unknown."""
        tree, corpus = self.trees.get(file), self.texts.corpus
        if tree is None and corpus is not None and file in corpus:
            tree = corpus.tree(file)
        if tree is None or (row := tree.find(path)) is None:
            return None
        return file, int(tree.start[row]), int(tree.stop[row])

    def text_spans(self, run: str, model: UserModel | None = None) -> list[TextSpan]:
        """Return the results of a run as text, in the order of :meth:`ranking`.

        A result that does not exist is an empty span.

        Raises:
            XcgError: If documents are needed and missing.
        """
        resolved = self.as_read(run)
        if run not in self._text_spans and self.names_documents:
            named = zip(resolved.ranking.files, resolved.ranking.paths, strict=True)
            for position, (file, path) in enumerate(named):
                if path != WHOLE and resolved.row[position] != 0:
                    raise InputError(
                        f"{resolved.source}, rank {position + 1}",
                        f"the result is a part of {file}, but judgements of whole documents name "
                        "nuggets: expected a corpus, and the user model spans or spans-levels",
                    )
            self._text_spans[run] = [(file, 0, 1) for file in resolved.ranking.files]
        if run not in self._text_spans:
            missing = resolved.ranking.spans.keys() - resolved.passages.keys()
            stated = zip(resolved.ranking.files, self.stated_spans(run), strict=True)
            self._text_spans[run] = [
                (file, 0, 0) if span is None or position in missing else span
                for position, (file, span) in enumerate(stated)
            ]
        return self._in_order(self._text_spans[run], run, model)

    def read_text(
        self, run: str, ideal: IdealRecallBase, model: UserModel, unit: TextUnit
    ) -> tuple[list[ReadResult], int]:
        """Read a run's results as text in a unit, see :meth:`SpanTopic.read`."""
        spans, other = self.text_spans(run, model), self.other_amounts(run, model, unit)
        return self.span_topic(ideal, model, unit).read(spans, model.relevance_value, other)

    def other_amounts(self, run: str, model: UserModel, unit: TextUnit) -> dict[int, float]:
        """Return position → amount of the text of a result that its document does not have."""
        other = self.ranking(run, model).ranking.other_text
        return {position: self.texts.amount(model, unit, text) for position, text in other.items()}

    def span_topic(
        self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit | None = None
    ) -> SpanTopic:
        """Return the gold spans in a unit, by default the unit of the user model's sizes."""
        unit = unit or model.size
        key = id(ideal), unit, model.effort.tokenizer.key
        if key not in self._span_topics:
            self._span_topics[key] = self._new_span_topic(ideal, model, unit)
        return self._span_topics[key]

    def gold_in_characters(
        self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit | None = None
    ) -> dict[str, list[tuple[int, int, float]]]:
        """Return document → (start, end, score) of its disjoint gold spans, sorted by document.

        The spans are the same as in :meth:`span_topic`. Elements have no gold spans.
        """
        gold = sorted(self.span_topic(ideal, model, unit).gold.items())
        return {
            file: [(*self._offsets(file, one[:2], model, unit), one.score) for one in spans]
            for file, spans in gold
        }

    def name_of(self, start: float, end: float) -> str:
        """Return what answers call a gold span: its characters, or a whole document."""
        return WHOLE if self.names_documents else f"{start}–{end}"

    def _offsets(
        self, file: str, span: UnitSpan, model: UserModel, unit: TextUnit | None = None
    ) -> tuple[int, int]:
        """Return a span of units in characters; that of a whole document without a corpus is 0–1."""
        if self.names_documents:
            return 0, 1
        start, end = self.texts.converter(model, unit or model.size, file).offsets(span).tolist()
        return round(start), round(end)

    def ideal_nuggets(
        self, ideal: IdealRecallBase, model: UserModel
    ) -> list[tuple[str, tuple[int, int]]]:
        """Return the documents and characters of the greedy ideal ranking."""
        topic = self.span_topic(ideal, model)
        assert isinstance(topic, NuggetTopic)
        order = topic.ideal(model.relevance_value, model.effort.unit != "ranks")
        return [(file, self._offsets(file, span, model)) for file, span, _ in order]

    def highlighted_ranking(self, run: str, model: UserModel | None = None) -> HighlightedRanking:
        """Return a run's ranking as text, with the highlighted text of the topic.

        Args:
            run: The run.
            model: The user model; only the order of a greedy reference depends on it. Without it, a
                greedy reference has the order of its run.

        Raises:
            XcgError: If the assessments have no highlighted passages, or documents are missing.
        """
        if self.lacks_highlights:
            raise XcgError(
                "needs highlighted passages: offset qrels, JSON Lines with start and end, or INEX "
                "assessments with <passage>"
            )
        ranking = (self.as_read(run) if model is None else self.ranking(run, model)).ranking
        if run not in self._highlighted:
            texts, sizes, other = self.texts, self.document_sizes, ranking.other_text
            spans = self._in_order(self.stated_spans(run), run, model)
            self._highlighted[run] = HighlightedRanking(
                [span or (file, 0, 0) for file, span in zip(ranking.files, spans, strict=True)],
                self.highlighted,
                self.entry_points,
                lambda: texts.mean_length,
                stated_sizes={file: size.relevant for file, size in sizes.items()},
                length=lambda file: sizes[file].length if file in sizes else texts.length(file),
                unknown=[index for index, span in enumerate(spans) if span is None],
                other=[len(other.get(index, "")) for index in range(len(spans))] if other else (),
            )
        return self._highlighted[run]

    def span_ranking(self, run: str, model: UserModel | None = None) -> SpanRanking:
        """Return a run's ranking as text, with the gold spans of the topic.

        Gold spans are passages with a grade above 0, and highlighted passages, which have grade 2.

        Args:
            run: The run.
            model: The user model, which defines tokens and the order of a greedy reference. Without it,
                a greedy reference has the order of its run.

        Raises:
            XcgError: If the assessments have no passages, or documents are missing.
        """
        if self.lacks_highlights:
            raise XcgError(
                "needs gold spans: offset qrels, JSON Lines with start and end, or INEX assessments "
                "with <passage>"
            )
        results = self.text_spans(run, model)
        stated = enumerate(self._in_order(self.stated_spans(run), run, model))
        unknown = [index for index, span in stated if span is None]
        resolved, converter, amount = self.as_read(run), None, None
        if model is not None:
            converter, amount = partial(self.texts.converter, model), partial(self.texts.amount, model)
            resolved = self.ranking(run, model)
        gold = {
            file: [(start, end, 2.0) for start, end in spans]
            for file, spans in self.highlighted.items()
        }
        for file, graded in self.gold.items():
            gold[file] = [(s.start, s.end, s.exhaustivity) for s in graded if s.exhaustivity > 0]
        other = resolved.ranking.other_text
        return SpanRanking(results, gold, converter, unknown, other, amount, self.nuggets_of_spans)

    @cached_property
    def nuggets_of_spans(self) -> dict[TextSpan, Mapping[str, float]]:
        """Gold span → nugget → level, for the gold spans that state nuggets."""
        return {
            (file, *part): found
            for (file, part), found in self.nuggets.items()
            if isinstance(part, tuple)
        }

    def ideal_reading(self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit) -> Reading:
        """Return what the ideal reader of gold spans reads: only gold, densest first."""
        topic = self.span_topic(ideal, model, unit)
        read = [(span.end - span.start, span.score) for gold in topic.gold.values() for span in gold]
        if isinstance(topic, NuggetTopic):
            found = topic.ideal(model.relevance_value, True)
            read = [(end - start, gain) for _, (start, end), gain in found]
        return Reading.by_density(read)
