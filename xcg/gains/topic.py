"""From a topic to gains: quantisation, ideal recall-base and relevance values, each made once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from xcg.documents.text_units import TextUnit
from xcg.errors import InputError, XcgError
from xcg.evaluation.campaign import Campaign, RankedRows, TopicView
from xcg.gains.element_reader import JudgedDocument, Reader
from xcg.gains.span_reader import GoldSpan, ReadResult, Result, SpanReader, SpanTopic
from xcg.judgements.recall_base import Assessment, Scale
from xcg.lazy_modules import np
from xcg.measures import RankingDetails, TopicGains
from xcg.measures.gain_vectors import vector
from xcg.measures.highlighted_ranking import HighlightedRanking
from xcg.measures.text_effort import by_density
from xcg.measures.topic_gains import GradedResult, Reading
from xcg.runs.result_overlap import overlapping_results
from xcg.user_model.ideal import select
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import near_scores
from xcg.user_model.quantisation import quantise

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True)
class IdealTopic:
    """A topic under one user model: what is ideal, and its gains in decreasing order."""

    documents: Mapping[str, JudgedDocument]
    gains: Sequence[float]
    gold: Mapping[str, Sequence[GoldSpan]] | None = None
    """Document → gold spans in characters, where results count as text."""

    @cached_property
    def vector(self) -> npt.NDArray[np.float64]:
        """The ideal gains as a vector, made once for all runs."""
        return vector(self.gains)


class Stages:
    """The ideal recall-bases of one topic, each made once for all user models that share it."""

    def __init__(self, view: TopicView, campaign: Campaign) -> None:
        self.view = view
        self._campaign = campaign
        self._ideals: dict[object, IdealTopic] = {}
        self._texts: dict[str, HighlightedRanking] = {}
        self._spans: dict[str, list[Result]] = {}
        self._gold: dict[object, SpanTopic] = {}

    def ideal(self, model: UserModel) -> IdealTopic:
        """Return the topic under a user model."""
        near = model.relevance_value.near_misses
        key = model.quantisation.key, model.ideal.key, near.key, model.spans == "text" and model.size
        if key not in self._ideals:
            view = self.view
            if model.spans == "text":  # no elements are made of what is stated as text
                kept = {f: a for f, a in view.assessed.items() if f not in view.passages_stated}
                view = replace(view, assessed=kept)
            ideal = ideal_topic(view, model)
            if model.spans == "text":
                gold = gold_spans(view, ideal, model)
                spans = SpanTopic(gold, partial(self._campaign.converter, model, model.size)).gold
                scores = sorted((s.score for found in spans.values() for s in found), reverse=True)
                ideal = IdealTopic(ideal.documents, scores, gold)
            self._ideals[key] = ideal
        return self._ideals[key]

    def gains(self, run: str, ideal: IdealTopic, model: UserModel) -> TopicGains:
        """Return what each result of a run gains, and what measures can look at beside it.

        Without an ideal there are no gains.
        """
        if not ideal.gains:
            return TopicGains((), (), 0, self.details(run, ideal, model, ()))
        if ideal.gold is None:
            found = ranking_gains(self.view.ranking(run), ideal, model)
            return replace(found, details=self.details(run, ideal, model, found.gains))
        read, missed = self.read(run, ideal, model, model.size)
        gains = vector([result.gain for result in read])
        return TopicGains(gains, ideal.vector, missed, self.details(run, ideal, model, gains))

    def read(
        self,
        run: str,
        ideal: IdealTopic,
        model: UserModel,
        unit: TextUnit,
        watch: Callable[[int, float, float, SpanReader], None] | None = None,
    ) -> tuple[list[ReadResult], int]:
        """Return a run's results as text in a unit, see :meth:`xcg.gains.span_reader.SpanTopic.read`."""
        return self._span_topic(ideal, model, unit).read(self.spans(run), model.relevance_value, watch)

    def gold(
        self, ideal: IdealTopic, model: UserModel, unit: TextUnit
    ) -> Mapping[str, Sequence[GoldSpan]]:
        """Return document → gold spans that share no text, in units."""
        return self._span_topic(ideal, model, unit).gold

    def gold_in_characters(
        self, ideal: IdealTopic, model: UserModel, unit: TextUnit | None = None
    ) -> list[tuple[str, int, int, float]]:
        """Return (document, start, end, score) of the gold spans, document by document.

        In the order of :meth:`gold` for the unit, by default that of sizes.
        """
        found = []
        unit = unit or model.size
        if ideal.gold is not None:
            for file, spans in sorted(self.gold(ideal, model, unit).items()):
                converter = self._campaign.converter(model, unit, file)
                for start, end, score in spans:
                    first, last = converter.offsets([start, end]).tolist()
                    found.append((file, round(first), round(last), score))
        return found

    def paths(self, run: str) -> Sequence[str]:
        """Return the paths of a run's results, empty for one that is no element."""
        ranking = self._campaign.runs[run].rankings.get(self.view.topic)
        return ranking.paths if ranking is not None else ()

    def _span_topic(self, ideal: IdealTopic, model: UserModel, unit: TextUnit) -> SpanTopic:
        key = id(ideal), unit, model.effort.tokenizer.key
        if key not in self._gold:
            converter = partial(self._campaign.converter, model, unit)
            self._gold[key] = SpanTopic(ideal.gold or {}, converter)
        return self._gold[key]

    def spans(self, run: str) -> list[Result]:
        """Return a run's results as text, see :meth:`xcg.evaluation.campaign.Campaign.spans`."""
        if run not in self._spans:
            self._spans[run] = self._campaign.spans(self.view, run)
        return self._spans[run]

    def _readings(
        self,
        run: str,
        ideal: IdealTopic,
        model: UserModel,
        gains: npt.ArrayLike,
        unit: TextUnit,
    ) -> tuple[Reading, Reading]:
        """Return what the user reads of a run and of the ideal."""
        if ideal.gold is not None:
            topic = self._span_topic(ideal, model, unit)
            results, _ = topic.read(self.spans(run), model.relevance_value)
            read = [stretch for result in results for stretch in result.stretches()]
            best = [(s.end - s.start, s.score) for found in topic.gold.values() for s in found]
        else:
            texts = [self._text_of(span, model, unit) for span in self.spans(run)]
            read = list(zip(texts, vector(gains).tolist(), strict=True))
            best = [
                (self._text_of((file, *document.span(row)), model, unit), score)
                for file, document in ideal.documents.items()
                for row, score in document.ideal_scores.items()
            ]
        return Reading([text for text, _ in read], [gain for _, gain in read]), by_density(best)

    def _text_of(self, span: Result, model: UserModel, unit: TextUnit) -> float:
        file, start, end = span
        if start == end:
            return 1.0  # it has to be looked at
        first, last = self._campaign.converter(model, unit, file).amounts([start, end]).tolist()
        return float(last - first)

    def details(
        self, run: str, ideal: IdealTopic, model: UserModel, gains: npt.ArrayLike
    ) -> RankingDetails:
        """Return what measures can look at beside the gains of a run."""
        ranking = self.view.ranking(run)
        as_read = self._campaign.runs[run].rankings.get(self.view.topic)

        def scores() -> list[float]:
            scores = [0.0] * len(ranking)
            for place, row in ranking.found.items():
                document = ideal.documents.get(ranking.files[place])
                if document is not None:
                    scores[place] = document.own_scores.get(row, 0.0)
            return scores

        def recall_base() -> list[float]:
            return [s for document in ideal.documents.values() for s in document.own_scores.values()]

        def ties() -> list[int]:
            keys = as_read.keys if as_read is not None else None
            if keys is None:
                return list(range(len(ranking)))
            changes = [place > 0 and key != keys[place - 1] for place, key in enumerate(keys)]
            return list(itertools.accumulate(map(int, changes)))

        return RankingDetails(
            scores,
            recall_base,
            ties,
            lambda depth: [] if as_read is None else list(overlapping_results(as_read.top(depth))),
            lambda: self._grades(run),
            lambda: self._text(run),
            lambda: _decreasing(as_read.keys) if as_read is not None else [],
            lambda unit: self._readings(run, ideal, model, gains, unit),
        )

    def _text(self, run: str) -> HighlightedRanking:
        if run not in self._texts:
            self._texts[run] = self._campaign.text(self.view, run)
        return self._texts[run]

    def _grades(self, run: str) -> tuple[list[GradedResult], float]:
        """Return the results of a run as inex-eval-ng sees them, and the recall-base's exhaustivity."""
        assessed = self.view.assessed
        total = math.fsum(
            _mapped(assessment)[0] for rows in assessed.values() for assessment in rows.values()
        )
        spans = self.spans(run)
        new = HighlightedRanking(spans, {}).new_sizes.tolist()
        graded = []
        ranking = self.view.ranking(run)
        for (file, row), (_, start, end), unseen in zip(ranking, spans, new, strict=True):
            assessment = assessed.get(file, {}).get(row) if row is not None else None
            e, s = _mapped(assessment) if assessment is not None else (0.0, 0.0)
            graded.append(GradedResult(e, s, end - start, unseen))
        return graded, total


def _mapped(assessment: Assessment) -> tuple[float, float]:
    """Map exhaustivity and specificity to 0 … 1; XcgError for a scale that has no such pair."""
    e, s = assessment.exhaustivity, assessment.specificity
    if assessment.scale == "four-point":
        return e / 3, float(s) / 3
    if assessment.scale == "share":
        return e / 2, float(s)
    raise XcgError(
        f"needs exhaustivity and specificity, and here is {assessment.label} on the "
        f"{assessment.scale} scale"
    )


def _decreasing(keys: Sequence[float] | None) -> Sequence[float] | None:
    """Return keys that are scores; ranks, which grow, are none."""
    if keys is None or any(b > a for a, b in itertools.pairwise(keys)):
        return None
    return keys


def ideal_topic(view: TopicView, model: UserModel) -> IdealTopic:
    """Quantise a topic's assessments and select its ideal recall-base.

    Raises XcgError where a part of the user model fails, with topic and document.
    """
    # Documents share most assessments: each → its score, None for what belongs to no recall-base.
    score_of: dict[Assessment, float | None] = {}
    documents = {}
    gains = []
    for file, assessments in view.assessed.items():
        tree = view.trees[file]
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
            raise InputError(
                f"user model {model.name}, topic {view.topic}, {file}", str(error)
            ) from None
        positive = {row: score for row, score in scores.items() if score > 0}
        name = f"topic {view.topic}, {file}"
        documents[file] = JudgedDocument(tree, positive, ideal, name, near)
        gains += [scores[row] for row in ideal]
    return IdealTopic(documents, sorted(gains, reverse=True))


def gold_spans(view: TopicView, ideal: IdealTopic, model: UserModel) -> dict[str, list[GoldSpan]]:
    """Return document → gold spans: the stated passages, or else the text of the ideal elements.

    Raises XcgError where the quantisation cannot score a passage.
    """
    gold: dict[str, list[GoldSpan]] = {}
    scale: Scale = "level" if getattr(model.quantisation.function, "scale", "") == "level" else "share"
    for file, spans in view.passages_stated.items():
        gold[file] = []
        for span in spans:
            where = f"{span.start}–{span.end}"
            try:
                score = _quantised(model, Assessment(span.exhaustivity, 1.0, None, scale), where)
            except XcgError as error:
                where = f"user model {model.name}, topic {view.topic}, {file}"
                raise InputError(where, str(error)) from None
            gold[file].append(GoldSpan(span.start, span.end, score))
    for file, document in ideal.documents.items():
        if file not in gold:
            gold[file] = [
                GoldSpan(*document.span(row), score)
                for row, score in document.ideal_scores.items()
                if document.tree.characters[row]
            ]
    return gold


def _quantised(model: UserModel, assessment: Assessment, path: str) -> float:
    try:
        return quantise(model.quantisation, assessment)
    except XcgError as error:
        raise XcgError(f"{path}: {error}") from None


def ranking_gains(
    ranking: RankedRows,
    ideal: IdealTopic,
    model: UserModel,
    watch: Callable[[int, int, Reader], None] | None = None,
) -> TopicGains:
    """Return what each result of a ranking gains, and how many ideal elements it leaves out.

    watch: called with place, row and the document's reader before each result is read.
    """
    readers: dict[str, Reader] = {}
    documents = ideal.documents
    gains = np.zeros(len(ranking))
    for place, row in ranking.found.items():
        file = ranking.files[place]
        reader = readers.get(file)
        if reader is None:
            document = documents.get(file)
            if document is None:
                continue
            reader = readers[file] = Reader(document, model.relevance_value, model.size)
        if watch is not None:
            watch(place, row, reader)
        gains[place] = reader.read(row)
    retrieved = sum(len(reader.retrieved) for reader in readers.values())
    return TopicGains(gains, ideal.vector, len(ideal.gains) - retrieved)
