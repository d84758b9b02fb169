"""What follows from the assessments and rankings of a topic: ideal recall-bases and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.documents.text_units import TextUnit
from xcg.errors import InputError, XcgError
from xcg.gains.element_gains import element_readers
from xcg.gains.ideal import IdealRecallBase, JudgedTopic, gold_spans, ideal_elements_of
from xcg.gains.oracle import order_by_gain
from xcg.gains.resolved import MISSING, ResolvedRanking
from xcg.gains.span_reader import ReadResult, SpanTopic, TextSpan
from xcg.measures.rankings import HighlightedRanking, SpanRanking
from xcg.measures.topic_gains import Reading
from xcg.user_model.model import UserModel


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
        as_text = model.spans == "text"
        key = model.quantisation.key, model.ideal.key, near.key, as_text and model.size
        if key not in self._ideals:
            if as_text:
                self._ideals[key] = self._ideal_text(model)
            else:
                self._ideals[key] = ideal_elements_of(self, model)
        return self._ideals[key]

    def _ideal_text(self, model: UserModel) -> IdealRecallBase:
        kept = {file: rows for file, rows in self.assessed.items() if file not in self.gold}
        ideal = ideal_elements_of(self, model, kept)
        gold = gold_spans(self, ideal, model)
        spans = SpanTopic(gold, self.texts.in_units(model, model.size)).gold
        scores = sorted((span.score for found in spans.values() for span in found), reverse=True)
        return IdealRecallBase(ideal.documents, scores, gold)

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
        ideal, files = self.ideal(model), resolved.files
        if ideal.gold is not None:
            topic = self.span_topic(ideal, model)
            spans = topic.in_units(self.text_spans(run))
            return order_by_gain(
                [
                    (file, span) if span is not None and topic.gold.get(file) else None
                    for file, span in zip(files, spans, strict=True)
                ],
                topic.readers(model.relevance_value),
            )
        readers = element_readers(ideal, model)
        return order_by_gain(
            [
                (file, row) if row is not None and file in ideal.documents else None
                for file, row in resolved
            ],
            {file: reader for file in set(files) if (reader := readers[file]) is not None},
        )

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
            self._stated_spans[run] = [
                self._element_span(resolved, position)
                if (span := spans.get(position)) is None or isinstance(span, Passage)
                else (file, *span)
                for position, file in enumerate(resolved.files)
            ]
        return self._stated_spans[run]

    def _element_span(self, resolved: ResolvedRanking, position: int) -> TextSpan | None:
        """Return an element as text; None if its document is unknown."""
        file, path = resolved.files[position], resolved.ranking.paths[position]
        row: int | None = int(resolved.row[position])
        tree, corpus = self.trees.get(file), self.texts.corpus
        if tree is None and corpus is not None and file in corpus:
            tree = corpus.tree(file)
        if tree is None or not path:
            return None
        if row == MISSING:
            row = 0 if path == WHOLE else tree.find(path)
        return None if row is None else (file, int(tree.start[row]), int(tree.stop[row]))

    def text_spans(self, run: str, model: UserModel | None = None) -> list[TextSpan]:
        """Return the results of a run as text, in the order of :meth:`ranking`.

        A result that does not exist is an empty span.

        Raises:
            XcgError: If documents are needed and missing.
        """
        resolved = self.as_read(run)
        if run not in self._text_spans:
            missing = resolved.ranking.spans.keys() - resolved.passages.keys()
            stated = zip(resolved.files, self.stated_spans(run), strict=True)
            self._text_spans[run] = [
                (file, 0, 0) if span is None or position in missing else span
                for position, (file, span) in enumerate(stated)
            ]
        spans = self._text_spans[run]
        if model is None or not resolved.is_reference:
            return spans
        return [spans[position] for position in self._reference(run, model)[0]]

    def read_text(
        self, run: str, ideal: IdealRecallBase, model: UserModel, unit: TextUnit
    ) -> tuple[list[ReadResult], int]:
        """Read a run's results as text in a unit, see :meth:`SpanTopic.read`."""
        spans = self.text_spans(run, model)
        return self.span_topic(ideal, model, unit).read(spans, model.relevance_value)

    def span_topic(
        self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit | None = None
    ) -> SpanTopic:
        """Return the gold spans in a unit, by default the unit of the user model's sizes."""
        unit = unit or model.size
        key = id(ideal), unit, model.effort.tokenizer.key
        if key not in self._span_topics:
            self._span_topics[key] = SpanTopic(ideal.gold or {}, self.texts.in_units(model, unit))
        return self._span_topics[key]

    def gold_in_characters(
        self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit | None = None
    ) -> dict[str, list[tuple[int, int, float]]]:
        """Return document → (start, end, score) of its disjoint gold spans, sorted by document.

        The spans are the same as in :meth:`span_topic`. Elements have no gold spans.
        """
        found: dict[str, list[tuple[int, int, float]]] = {}
        for file, spans in sorted(self.span_topic(ideal, model, unit).gold.items()):
            offsets = self.texts.converter(model, unit or model.size, file).offsets
            found[file] = [
                (*map(round, offsets([start, end]).tolist()), score) for start, end, score in spans
            ]
        return found

    def highlighted_ranking(self, run: str, model: UserModel | None = None) -> HighlightedRanking:
        """Return a run's ranking as text, with the highlighted text of the topic.

        Args:
            run: The run.
            model: The user model; only the order of a greedy reference depends on it.

        Raises:
            XcgError: If the assessments have no highlighted passages, or documents are missing.
        """
        if self.lacks_highlights:
            raise XcgError(
                "needs highlighted passages: offset qrels, JSON Lines with start and end, or INEX "
                "assessments with <passage>"
            )
        resolved = self.as_read(run)
        order: Sequence[int] = range(len(resolved))
        if resolved.is_reference:
            if model is None:
                raise XcgError(f"the order of {run} depends on a user model, but there is none")
            order, _ = self._reference(run, model)
        if run not in self._highlighted:
            texts, sizes = self.texts, self.document_sizes
            stated = self.stated_spans(run)
            as_read = list(resolved.files)
            spans, files = [stated[old] for old in order], [as_read[old] for old in order]
            self._highlighted[run] = HighlightedRanking(
                [span or (file, 0, 0) for file, span in zip(files, spans, strict=True)],
                self.highlighted,
                self.entry_points,
                lambda: texts.mean_length,
                stated_sizes={file: size.relevant for file, size in sizes.items()},
                length=lambda file: sizes[file].length if file in sizes else texts.length(file),
                unknown=[index for index, span in enumerate(spans) if span is None],
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
        stated = self.stated_spans(run)
        if model is None:
            results, converter = self.text_spans(run), None
        else:
            results, converter = self.text_spans(run, model), partial(self.texts.converter, model)
            if self.as_read(run).is_reference:
                stated = [stated[position] for position in self._reference(run, model)[0]]
        gold = {
            file: [(start, end, 2.0) for start, end in spans]
            for file, spans in self.highlighted.items()
        }
        for file, graded in self.gold.items():
            gold[file] = [(s.start, s.end, s.exhaustivity) for s in graded if s.exhaustivity > 0]
        unknown = [position for position, span in enumerate(stated) if span is None]
        return SpanRanking(results, gold, converter, unknown, self.nuggets_of_spans)

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
        gold = self.span_topic(ideal, model, unit).gold
        return Reading.by_density(
            [(span.end - span.start, span.score) for spans in gold.values() for span in spans]
        )
