"""Compute the gains of the rankings of a topic, with what measures can use besides them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from xcg.documents.text_units import TextUnit
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.gains.element_reader import new_reader
from xcg.gains.judged_topic import IdealRecallBase, ResolvedRanking
from xcg.gains.nugget_reader import SeenNuggets
from xcg.gains.ranked_topic import RankedTopic
from xcg.gains.span_reader import ReadResult, TextSpan
from xcg.judgements.assessment import Assessment
from xcg.lazy_modules import np
from xcg.measures import RankingGains
from xcg.measures.rankings import HighlightedRanking, SpanRanking
from xcg.measures.topic_gains import GradedResult, Reading, vector
from xcg.runs.result_overlap import overlapping_results
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import Charge, EffortUnit

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(eq=False, repr=False)
class EvaluatedRanking(RankingGains):
    """The gains of one run for one topic under a user model.

    Attributes:
        topic: The topic.
        run: The name of the run.
        ideal_base: The ideal recall-base of the topic under the user model.
        model: The user model.
    """

    topic: RankedTopic
    run: str
    ideal_base: IdealRecallBase
    model: UserModel

    @property
    def resolved(self) -> ResolvedRanking:
        """The results in the order of the user model."""
        return self.topic.ranking(self.run, self.model)

    @cached_property
    def scores(self) -> Sequence[float]:
        """The quantised score of each result in rank order, whatever the user has seen before."""
        ranking = self.resolved
        scores = [0.0] * len(ranking)
        for position, row in ranking.rows.items():
            document = self.ideal_base.documents.get(ranking.ranking.files[position])
            if document is not None:
                scores[position] = document.own_scores.get(row, 0.0)
        return scores

    @property
    def recall_base_scores(self) -> Sequence[float]:
        """The quantised scores of all assessed elements."""
        documents = self.ideal_base.documents.values()
        return [score for document in documents for score in document.own_scores.values()]

    @property
    def tie_groups(self) -> Sequence[int]:
        """A group number for each result; tied results have the same number."""
        ranking = self.resolved.ranking
        if ranking.keys is None:
            return list(range(len(ranking)))
        changes = (earlier != later for earlier, later in itertools.pairwise(ranking.keys))
        return list(itertools.accumulate(changes, initial=0))[: len(ranking)]

    def overlaps(self, depth: int | None) -> Sequence[bool]:
        """Return for the first results (None: all) whether each contains or repeats another one."""
        return overlapping_results(self.resolved.ranking.top(depth))

    @property
    def grades(self) -> tuple[Sequence[GradedResult], float]:
        """The results as inex-eval-ng uses them, and Σ exhaustivity over all assessed elements."""
        assessed = self.topic.assessed
        total = math.fsum(
            _unit_grades(assessment)[0] for rows in assessed.values() for assessment in rows.values()
        )
        spans = self.topic.text_spans(self.run, self.model)
        new_sizes = HighlightedRanking(spans, {}).amounts("once")
        graded = []
        ranking = self.resolved
        for (file, row), (_, start, end), (new, _) in zip(ranking, spans, new_sizes, strict=True):
            assessment = assessed.get(file, {}).get(row) if row is not None else None
            e, s = _unit_grades(assessment) if assessment is not None else (0.0, 0.0)
            graded.append((e, s, end - start, new))
        return graded, total

    def seen_nuggets(self, limit: float, unit: EffortUnit) -> Sequence[tuple[float, float]]:
        """Return (level, share that is seen) of each nugget; a budget of text cuts the last result."""
        topic, model, nuggets = self.topic, self.model, self.ideal_base.nuggets
        if not nuggets:
            return []
        spans = topic.text_spans(self.run, model)
        if unit == "ranks":
            spans = spans[: int(min(limit, len(spans)))]
        else:
            other, texts = topic.ranking(self.run, model).ranking.other_text, topic.texts
            converter, amount = partial(texts.converter, model), partial(texts.amount, model)
            spans = SpanRanking(spans, {}, converter, (), other, amount).parts_up_to(limit, unit)
        seen = SeenNuggets(nuggets, 1.0)
        for file, start, end in spans:
            if 0 <= start < end:
                seen.read(file, (start, end))
        return [(one.level, share) for one, share in zip(nuggets, seen.seen, strict=True)]

    @property
    def highlights(self) -> HighlightedRanking:
        """The ranking as text, with the highlighted text of the topic."""
        return self.topic.highlighted_ranking(self.run, self.model)

    @cached_property
    def spans(self) -> SpanRanking:
        """The ranking as text, with the gold spans of the topic."""
        return self.topic.span_ranking(self.run, self.model)

    @property
    def system_scores(self) -> Sequence[float] | None:
        """The scores by which the system ordered its results; None for ranks, which grow."""
        ranking = self.resolved.ranking
        keys = ranking.keys if len(ranking) else []
        return None if keys is None or any(b > a for a, b in itertools.pairwise(keys)) else keys

    def readings(self, unit: TextUnit, charge: Charge) -> tuple[Reading, Reading]:
        """Return the text and gain that the user reads in the run and in the ideal ranking.

        The gain of an element grows evenly over its text, so both charges are the same for elements.
        """
        topic, ideal, model = self.topic, self.ideal_base, self.model
        if ideal.gold is not None:
            results, _ = topic.read_text(self.run, ideal, model, unit)
            return reading_of(results, charge), topic.ideal_reading(ideal, model, unit)
        spans = topic.text_spans(self.run, model)
        texts = [self._amount(span, unit) for span in spans]
        for position, amount in topic.other_amounts(self.run, model, unit).items():
            texts[position] = amount + texts[position] * (spans[position][1] < spans[position][2])
        best = [
            (self._amount((file, *document.span(row)), unit), score)
            for file, document in ideal.documents.items()
            for row, score in document.ideal_scores.items()
        ]
        return Reading(texts, vector(self.gains)), Reading.by_density(best)

    def _amount(self, span: TextSpan, unit: TextUnit) -> float:
        """Return the amount of text in a span, 1 if it is empty because the user looks at it."""
        file, start, end = span
        if start == end:
            return 1.0
        if start < 0:  # unknown text counts like text at the document's start
            start, end = 0, end - start
        converter = self.topic.texts.converter(self.model, unit, file)
        first, last = converter.amounts([start, end]).tolist()
        return float(last - first)


KnownGains = dict[object, tuple[Sequence[float], int]]
"""Document and rows of its results in rank order → their gains (none if all are 0), and the number of
retrieved ideal elements, for one topic and user model. Results in other documents change nothing, so
rankings with the same results in a document share their gains."""


def element_gains(
    ranking: ResolvedRanking, ideal: IdealRecallBase, model: UserModel, known: KnownGains
) -> tuple[npt.NDArray[np.float64], int]:
    """Return the gain of each result of a ranking of elements, and how many ideal elements it lacks."""
    gains, retrieved = np.zeros(len(ranking)), 0
    gaining: list[int] = []
    found: list[float] = []
    for file, (positions, rows) in ranking.by_document.items():
        if (document := ideal.documents.get(file)) is None:
            continue
        if (file, rows) not in known:
            reader = new_reader(document, model)
            read = reader.read_all(rows, document.rows.seen_before[rows])
            known[file, rows] = read if any(read) else (), len(reader.retrieved)
        of_document, count = known[file, rows]
        retrieved += count
        if of_document:
            gaining += positions
            found += of_document
    gains[gaining] = found
    return gains, len(ideal.gains) - retrieved


@dataclass(eq=False, kw_only=True)
class Topic(RankedTopic):
    """A topic whose rankings gain."""

    _overlap: dict[str, bool] = field(default_factory=dict, init=False)
    _known: tuple[UserModel, IdealRecallBase, KnownGains] | None = field(default=None, init=False)

    def depends_on_overlap(self, run: str, model: UserModel) -> bool:
        """Return whether gains depend on how the user model treats overlapping results.

        If not, they are the same under all models with the same ``key_without_overlap``.
        """
        resolved = self.as_read(run)
        if model.spans == "text" or resolved.is_reference or self.nuggets:
            return True
        if run not in self._overlap:
            documents = resolved.by_document.items()
            self._overlap[run] = any(_overlap(self.trees[file], rows) for file, (_, rows) in documents)
        return self._overlap[run]

    def gains(self, run: str, ideal: IdealRecallBase, model: UserModel) -> EvaluatedRanking:
        """Return the gain of each result of a run; none if the ideal recall-base is empty."""
        if not ideal.gains:
            return EvaluatedRanking((), ideal.vector, 0, self, run, ideal, model)
        if ideal.gold is not None:
            read, missed = self.read_text(run, ideal, model, model.size)
            gains = vector([result.gain for result in read])
            return EvaluatedRanking(gains, ideal.vector, missed, self, run, ideal, model)
        known = self._known
        if known is None or known[0] is not model or known[1] is not ideal:
            known = self._known = model, ideal, {}
        gains, missed = element_gains(self.ranking(run, model), ideal, model, known[2])
        return EvaluatedRanking(gains, ideal.vector, missed, self, run, ideal, model)


def reading_of(results: Sequence[ReadResult], charge: Charge) -> Reading:
    """Return what the user reads of a ranking of text."""
    stretches = [stretch for result in results for stretch in result.stretches(charge)]
    return Reading(vector([text for text, _ in stretches]), vector([gain for _, gain in stretches]))


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


def _overlap(tree: ElementTree, rows: Sequence[int]) -> bool:
    """Return whether an element contains another one, or occurs twice."""
    in_order = np.sort(rows)
    return bool((tree.end[in_order[:-1]] > in_order[1:]).any())
