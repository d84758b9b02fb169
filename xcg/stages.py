"""From a topic to gains: quantisation, ideal recall-base and relevance values, each made once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from xcg.campaign import (
    Campaign,
    TopicView,
)
from xcg.errors import InputError, XcgError
from xcg.ideal import select
from xcg.judgements import Assessment
from xcg.measures import Material, TopicGains
from xcg.measures.highlighted import HighlightedRanking
from xcg.measures.measure import Graded, vector
from xcg.near_misses import near_scores
from xcg.quantisation import quantise
from xcg.relevance_value import JudgedDocument, Reader
from xcg.runs.overlap import overlapping_results
from xcg.user_model import UserModel


@dataclass(frozen=True)
class IdealTopic:
    """A topic under one user model: its judged documents, and the ideal gains in decreasing order."""

    documents: Mapping[str, JudgedDocument]
    gains: Sequence[float]

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
        self._spans: dict[str, list[tuple[str, int, int]]] = {}

    def ideal(self, model: UserModel) -> IdealTopic:
        """Return the topic under a user model."""
        near = model.relevance_value.near_misses
        key = model.quantisation.key, model.ideal.key, near.key
        if key not in self._ideals:
            self._ideals[key] = ideal_topic(self.view, model)
        return self._ideals[key]

    def material(self, run: str, ideal: IdealTopic) -> Material:
        """Return what measures can look at beside the gains of a run."""
        ranking = self.view.rankings.get(run, ())
        as_read = self._campaign.runs[run].rankings.get(self.view.topic)

        def scores() -> list[float]:
            return [
                ideal.documents[file].own_scores.get(row, 0.0)
                if row is not None and file in ideal.documents
                else 0.0
                for file, row in ranking
            ]

        def recall_base() -> list[float]:
            return [s for document in ideal.documents.values() for s in document.own_scores.values()]

        def ties() -> list[int]:
            keys = as_read.keys if as_read is not None else None
            if keys is None:
                return list(range(len(ranking)))
            changes = [place > 0 and key != keys[place - 1] for place, key in enumerate(keys)]
            return list(itertools.accumulate(map(int, changes)))

        return Material(
            scores,
            recall_base,
            ties,
            lambda depth: [] if as_read is None else list(overlapping_results(as_read.top(depth))),
            lambda: self._grades(run),
            lambda: self._text(run),
            lambda: _decreasing(as_read.keys) if as_read is not None else [],
        )

    def _text(self, run: str) -> HighlightedRanking:
        if run not in self._texts:
            self._texts[run] = self._campaign.text(self.view, run)
        return self._texts[run]

    def _grades(self, run: str) -> tuple[list[Graded], float]:
        """Return the results of a run as inex-eval-ng sees them, and the recall-base's exhaustivity."""
        assessed = self.view.assessed
        total = math.fsum(
            _mapped(assessment)[0] for rows in assessed.values() for assessment in rows.values()
        )
        if run not in self._spans:
            self._spans[run] = self._campaign.spans(self.view, run)
        spans = self._spans[run]
        new = HighlightedRanking(spans, {}).new_sizes.tolist()
        graded = []
        ranking = self.view.rankings.get(run, ())
        for (file, row), (_, start, end), unseen in zip(ranking, spans, new, strict=True):
            assessment = assessed.get(file, {}).get(row) if row is not None else None
            e, s = _mapped(assessment) if assessment is not None else (0.0, 0.0)
            graded.append(Graded(e, s, end - start, unseen))
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
    scores_of: dict[Assessment, float] = {}
    documents = {}
    gains = []
    for file, assessments in view.assessed.items():
        tree = view.trees[file]
        try:
            scores: dict[int, float] = {}
            for row, assessment in assessments.items():
                key = assessment._replace(characters=None)
                if key not in scores_of:
                    scores_of[key] = _quantised(model, assessment, tree.paths[row])
                if assessment.relevant or scores_of[key] > 0:
                    scores[row] = scores_of[key]
            if not scores:
                continue
            by_path = {tree.paths[row]: score for row, score in sorted(scores.items())}
            ideal = [tree.row(path) for path in select(model.ideal, tree, by_path)]
            ideals = {tree.paths[row]: scores[row] for row in ideal}
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


def _quantised(model: UserModel, assessment: Assessment, path: str) -> float:
    try:
        return quantise(model.quantisation, assessment)
    except XcgError as error:
        raise XcgError(f"{path}: {error}") from None


def ranking_gains(
    ranking: Sequence[tuple[str, int | None]],
    ideal: IdealTopic,
    model: UserModel,
    material: Material | None = None,
    watch: Callable[[int, int, Reader], None] | None = None,
) -> TopicGains:
    """Return what each result of a ranking gains, and how many ideal elements it leaves out.

    watch: called with place, row and the document's reader before each result is read.
    """
    readers: dict[str, Reader] = {}
    documents = ideal.documents
    gains = np.zeros(len(ranking))
    for place, (file, row) in enumerate(ranking):
        if row is None or file not in documents:
            continue
        reader = readers.get(file)
        if reader is None:
            reader = readers[file] = Reader(documents[file], model.relevance_value, model.size)
        if watch is not None:
            watch(place, row, reader)
        gains[place] = reader.read(row)
    retrieved = sum(len(reader.retrieved) for reader in readers.values())
    return TopicGains(gains, ideal.vector, len(ideal.gains) - retrieved, material)
