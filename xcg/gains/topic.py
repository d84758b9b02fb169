"""Compute gains: a user model, a topic and a ranking give the gain of each result."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from xcg.documents.text_units import TextUnit
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError
from xcg.gains.element_gains import KnownGains, element_readers, ranking_gains
from xcg.gains.ideal import IdealRecallBase, gold_spans, ideal_elements_of
from xcg.gains.judged_topic import JudgedTopic, ResolvedRanking, TextAccess
from xcg.gains.oracle import order_by_gain
from xcg.gains.span_reader import ReadResult, SpanTopic, TextSpan
from xcg.judgements.assessment import Assessment
from xcg.lazy_modules import np
from xcg.measures import RankingDetails, TopicGains
from xcg.measures.highlighted_ranking import HighlightedRanking
from xcg.measures.span_ranking import SpanRanking
from xcg.measures.text_effort import by_density
from xcg.measures.topic_gains import GradedResult, Reading, RelevantUnit, vector
from xcg.runs.result_overlap import overlapping_results
from xcg.runs.run import FunctionCache
from xcg.user_model.effort import Charge
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import near_elements

if TYPE_CHECKING:
    import numpy.typing as npt


class GainCalculator:
    """Computes the gains of rankings for one topic.

    What user models and runs share, such as ideal recall-bases, is computed once.

    Args:
        topic: The topic.
        text: Access to the text of documents.
    """

    def __init__(self, topic: JudgedTopic, text: TextAccess) -> None:
        self.topic = topic
        self._text = text
        self._ideals: dict[object, IdealRecallBase] = {}
        self._span_topics: dict[object, SpanTopic] = {}
        self._text_spans = FunctionCache(partial(text.text_spans, topic))
        self._overlap = FunctionCache(self._has_overlap)
        self._highlighted: dict[str, HighlightedRanking] = {}
        self._references: dict[str, tuple[list[int], ResolvedRanking]] = {}
        self._model_of_references: UserModel | None = None
        self._known_gains: KnownGains | None = None  # under one user model

    def ideal(self, model: UserModel) -> IdealRecallBase:
        """Return the ideal recall-base of the topic under a user model."""
        near = model.relevance_value.near_misses
        as_text = model.spans == "text"
        key = model.quantisation.key, model.ideal.key, near.key, as_text and model.size
        if key not in self._ideals:
            if as_text:
                self._ideals[key] = self._ideal_text(model)
            else:
                self._ideals[key] = ideal_elements_of(self.topic, model)
        return self._ideals[key]

    def _ideal_text(self, model: UserModel) -> IdealRecallBase:
        topic = self.topic
        kept = {file: a for file, a in topic.assessed.items() if file not in topic.gold}
        ideal = ideal_elements_of(replace(topic, assessed=kept), model)
        gold = gold_spans(topic, ideal, model)
        spans = SpanTopic(gold, self._text.in_units(model, model.size)).gold
        scores = sorted((span.score for found in spans.values() for span in found), reverse=True)
        return IdealRecallBase(ideal.documents, scores, gold)

    def ranking(self, run: str, model: UserModel) -> ResolvedRanking:
        """Return a run's ranking under a user model, which orders the results of a greedy reference."""
        resolved = self.topic.ranking(run)
        return self._reference(run, model)[1] if resolved.is_reference else resolved

    def text_spans(self, run: str, model: UserModel) -> list[TextSpan]:
        """Return the results of a run as text, in the order of :meth:`ranking`."""
        spans = self._text_spans[run]
        if not self.topic.ranking(run).is_reference:
            return spans
        return [spans[position] for position in self._reference(run, model)[0]]

    def _reference(self, run: str, model: UserModel) -> tuple[list[int], ResolvedRanking]:
        """Return the order of a greedy reference's results by gain, and the ranking in this order.

        Those of one user model are kept: a sweep over many user models must not need more memory.
        """
        if model is not self._model_of_references:
            for name in self._references:
                self._highlighted.pop(name, None)
            self._references, self._model_of_references = {}, model
            for rows in self.topic.elements.values():
                rows.seen_before.clear()
        if run not in self._references:
            resolved = self.topic.ranking(run)
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
            spans = topic.in_units(self._text_spans[run])
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

    def depends_on_overlap(self, run: str, model: UserModel) -> bool:
        """Return whether gains depend on how the user model treats overlapping results.

        If not, they are the same under all models with the same ``key_without_overlap``.
        """
        return model.spans == "text" or self.topic.ranking(run).is_reference or self._overlap[run]

    def _has_overlap(self, run: str) -> bool:
        """Return whether results of a run contain or repeat each other in an assessed document."""
        return any(
            _overlap(self.topic.trees[file], rows)
            for file, (_, rows) in self.topic.ranking(run).by_document.items()
        )

    def gains(self, run: str, ideal: IdealRecallBase, model: UserModel) -> TopicGains:
        """Return the gain of each result of a run, with the details that measures can use.

        The gains are empty if the ideal recall-base is.
        """
        if not ideal.gains:
            return TopicGains((), (), 0, self.details(run, ideal, model, ()))
        if ideal.gold is None:
            known = self._known_gains
            if known is None or known.model is not model or known.ideal is not ideal:
                known = self._known_gains = KnownGains(ideal, model)
            found = ranking_gains(self.ranking(run, model), known)
            return replace(found, details=self.details(run, ideal, model, found.gains))
        read, missed = self.read_text(run, ideal, model, model.size)
        gains = vector([result.gain for result in read])
        details = self.details(run, ideal, model, gains)
        return TopicGains(gains, ideal.vector.values, missed, details, ideal.vector)

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
            self._span_topics[key] = SpanTopic(ideal.gold or {}, self._text.in_units(model, unit))
        return self._span_topics[key]

    def gold_in_characters(
        self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit | None = None
    ) -> dict[str, list[tuple[int, int, float]]]:
        """Return document → (start, end, score) of its disjoint gold spans, sorted by document.

        The spans are the same as in :meth:`span_topic`. Elements have no gold spans.
        """
        found: dict[str, list[tuple[int, int, float]]] = {}
        for file, spans in sorted(self.span_topic(ideal, model, unit).gold.items()):
            offsets = self._text.converter(model, unit or model.size, file).offsets
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
        topic = self.topic
        if topic.lacks_highlights:
            raise XcgError(
                "needs highlighted passages: offset qrels, JSON Lines with start and end, or INEX "
                "assessments with <passage>"
            )
        resolved = topic.ranking(run)
        order: Sequence[int] = range(len(resolved))
        if resolved.is_reference:
            if model is None:
                raise XcgError(f"the order of {run} depends on a user model, but there is none")
            order, _ = self._reference(run, model)
        if run not in self._highlighted:
            stated = self._text.stated_spans(topic, run)
            spans, files = [stated[old] for old in order], [resolved.files[old] for old in order]
            self._highlighted[run] = HighlightedRanking(
                [span or (file, 0, 0) for file, span in zip(files, spans, strict=True)],
                topic.highlighted,
                topic.entry_points,
                self._text.mean_document_length,
                stated_sizes={file: size.relevant for file, size in topic.document_sizes.items()},
                length=self._document_length,
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
        topic = self.topic
        if topic.lacks_highlights:
            raise XcgError(
                "needs gold spans: offset qrels, JSON Lines with start and end, or INEX assessments "
                "with <passage>"
            )
        stated = self._text.stated_spans(topic, run)
        if model is None:
            results, converter = self._text_spans[run], None
        else:
            results, converter = self.text_spans(run, model), partial(self._text.converter, model)
            if topic.ranking(run).is_reference:
                stated = [stated[position] for position in self._reference(run, model)[0]]
        gold = {
            file: [(start, end, 2.0) for start, end in spans]
            for file, spans in topic.highlighted.items()
        }
        for file, graded in topic.gold.items():
            gold[file] = [(s.start, s.end, s.exhaustivity) for s in graded if s.exhaustivity > 0]
        unknown = [position for position, span in enumerate(stated) if span is None]
        return SpanRanking(results, gold, converter, unknown)

    def _document_length(self, file: str) -> int | None:
        stated = self.topic.document_sizes.get(file)
        return stated.length if stated is not None else self._text.document_length(file)

    def details(
        self, run: str, ideal: IdealRecallBase, model: UserModel, gains: npt.ArrayLike
    ) -> RankingDetails:
        """Return what measures can use besides the gains of a run."""
        resolved = self.ranking(run, model)
        ranking = resolved.ranking
        return RankingDetails(
            scores=lambda: _element_scores(resolved, ideal),
            recall_base_scores=lambda: [
                score for document in ideal.documents.values() for score in document.own_scores.values()
            ],
            tie_groups=lambda: _tie_groups(ranking.keys, len(ranking)),
            overlaps=lambda depth: list(overlapping_results(ranking.top(depth))),
            grades=lambda: self._grades(run, model),
            highlights=lambda: self.highlighted_ranking(run, model),
            spans=cache(lambda: self.span_ranking(run, model)),  # for all measures
            system_scores=lambda: _decreasing(ranking.keys) if len(ranking) else [],
            readings=lambda unit, charge: self._readings(run, ideal, model, gains, unit, charge),
            relevant_units=lambda: self._relevant_units(run, ideal, model),
        )

    def _relevant_units(self, run: str, ideal: IdealRecallBase, model: UserModel) -> list[RelevantUnit]:
        """Return the relevant elements, with the results from which the user reaches them."""
        if ideal.gold is not None:
            raise XcgError(f"needs elements, but the user model {model.name} scores results as text")
        ranking = self.ranking(run, model)
        ranks: dict[tuple[str, int], list[int]] = {}
        for position, row in ranking.rows.items():
            ranks.setdefault((ranking.files[position], row), []).append(position + 1)
        retrieved = {file for file, _ in ranks}
        units = []
        for file, document in ideal.documents.items():
            for row, score in document.own_scores.items():
                near = {row: 1.0}
                if file in retrieved:
                    tree, part = document.tree, model.relevance_value.near_misses
                    near |= near_elements(part, tree, tree.path(row), {tree.path(row): score})
                reached_from = [(rank, p) for c, p in near.items() for rank in ranks.get((file, c), ())]
                units.append(RelevantUnit(score, reached_from))
        return units

    def _readings(
        self,
        run: str,
        ideal: IdealRecallBase,
        model: UserModel,
        gains: npt.ArrayLike,
        unit: TextUnit,
        charge: Charge,
    ) -> tuple[Reading, Reading]:
        """Return what the user reads of a run and of the ideal ranking.

        The gain of an element grows evenly over its text, so both charges are the same for elements.
        """
        if ideal.gold is not None:
            results, _ = self.read_text(run, ideal, model, unit)
            return reading_of(results, charge), self.ideal_reading(ideal, model, unit)
        texts = [self._amount(span, model, unit) for span in self.text_spans(run, model)]
        best = [
            (self._amount((file, *document.span(row)), model, unit), score)
            for file, document in ideal.documents.items()
            for row, score in document.ideal_scores.items()
        ]
        return Reading(texts, vector(gains)), by_density(best)

    def ideal_reading(self, ideal: IdealRecallBase, model: UserModel, unit: TextUnit) -> Reading:
        """Return what the ideal reader of gold spans reads: only gold, densest first."""
        gold = self.span_topic(ideal, model, unit).gold
        return by_density(
            [(span.end - span.start, span.score) for spans in gold.values() for span in spans]
        )

    def _amount(self, span: TextSpan, model: UserModel, unit: TextUnit) -> float:
        """Return the amount of text in a span, 1 if it is empty because the user looks at it."""
        file, start, end = span
        if start == end:
            return 1.0
        if start < 0:  # unknown text counts like text at the document's start
            start, end = 0, end - start
        first, last = self._text.converter(model, unit, file).amounts([start, end]).tolist()
        return float(last - first)

    def _grades(self, run: str, model: UserModel) -> tuple[list[GradedResult], float]:
        """Return the results as inex-eval-ng uses them, and the exhaustivity of the recall-base."""
        assessed = self.topic.assessed
        total = math.fsum(
            _unit_grades(assessment)[0] for rows in assessed.values() for assessment in rows.values()
        )
        spans = self.text_spans(run, model)
        new_sizes = HighlightedRanking(spans, {}).unseen_sizes
        graded = []
        ranking = self.ranking(run, model)
        for (file, row), (_, start, end), new in zip(ranking, spans, new_sizes, strict=True):
            assessment = assessed.get(file, {}).get(row) if row is not None else None
            e, s = _unit_grades(assessment) if assessment is not None else (0.0, 0.0)
            graded.append(GradedResult(e, s, end - start, new))
        return graded, total


def _overlap(tree: ElementTree, rows: Sequence[int]) -> bool:
    """Return whether an element contains another one, or occurs twice."""
    in_order = np.sort(rows)
    return bool((tree.end[in_order[:-1]] > in_order[1:]).any())


def reading_of(results: Sequence[ReadResult], charge: Charge) -> Reading:
    """Return what the user reads of a ranking of text."""
    stretches = [stretch for result in results for stretch in result.stretches(charge)]
    return Reading(vector([text for text, _ in stretches]), vector([gain for _, gain in stretches]))


def _element_scores(ranking: ResolvedRanking, ideal: IdealRecallBase) -> list[float]:
    scores = [0.0] * len(ranking)
    for position, row in ranking.rows.items():
        document = ideal.documents.get(ranking.files[position])
        if document is not None:
            scores[position] = document.own_scores.get(row, 0.0)
    return scores


def _tie_groups(keys: Sequence[float] | None, length: int) -> list[int]:
    if keys is None:
        return list(range(length))
    changes = (earlier != later for earlier, later in itertools.pairwise(keys))
    return list(itertools.accumulate(changes, initial=0))[:length]


def _decreasing(keys: Sequence[float] | None) -> Sequence[float] | None:
    """Return keys that are scores; None for ranks, which grow."""
    if keys is None or any(b > a for a, b in itertools.pairwise(keys)):
        return None
    return keys


def _unit_grades(assessment: Assessment) -> tuple[float, float]:
    """Return exhaustivity and specificity scaled to 0 … 1; XcgError for a scale without both."""
    e, s = assessment.exhaustivity, assessment.specificity
    if assessment.scale == "four-point":
        return e / 3, float(s) / 3
    if assessment.scale == "share":
        return e / 2, float(s)
    raise XcgError(
        f"needs exhaustivity and specificity, but the assessment {assessment.label} is on the "
        f"{assessment.scale} scale"
    )
