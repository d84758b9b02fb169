"""Runs × topics × user models → Results."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from xcg.campaign import (
    Assessments,
    Campaign,
    Documents,
    Runs,
    TopicView,
    UserModels,
    as_corpus,
    as_recall_base,
    as_runs,
    as_user_models,
    default_model,
)
from xcg.config import DEFAULT_MEASURES, Unanswered
from xcg.errors import InputError, Notes, XcgError, nearest
from xcg.judgements import RecallBase
from xcg.judgements.recall_base import MEAN, topic_key
from xcg.measures import MEASURES, Measure, TopicGains
from xcg.measures.measure import vector
from xcg.measures.trec import trec_figures
from xcg.results import Result, Results
from xcg.runs import Run, Ties
from xcg.stages import IdealTopic, Stages
from xcg.user_model import UserModel

Progress = Callable[[int, int], None]
_MANY = 50


def evaluate(
    assessments: Assessments,
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    unanswered: Unanswered = "zero",
    ties: Ties = "document",
    lenient: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Evaluate runs.

    assessments: a file, folder or glob, several of them, a :class:`RecallBase`, or dicts topic →
        file → path → (e, s), or topic → document → level.
    runs: the same, :class:`Run` objects, or dicts run → topic → results, each ``(file, path)``,
        ``file#/path`` or a document, in order or with scores.
    corpus: a folder, a :class:`Corpus`, or a dict as :meth:`Corpus.of` takes; without it, structure
        is read off the paths, and sizes off assessments that carry them.
    user_model: a name, a file, a mapping, a :class:`UserModel`, or several of these; by default
        ``kazai-lalmas-2006``, ``levels`` where all assessments are levels of relevance, ``inex-2005``
        where all are shares of highlighted text.
    measures: names like ``"nxCG@10"``, or measures.
    unanswered: what an assessed topic that a run does not answer counts: ``zero`` or ``skip``.
    ties: how TREC results of one score are ordered, see :data:`xcg.runs.Ties`.
    lenient: count wrong data as warnings (``results.notes``) instead of raising.
    progress: called with the number of topics done and of all.

    Means are over the assessed topics with an ideal gain above 0 under the user model.

    Raises XcgError (InputError where the data are wrong) for anything a user can cause.

    >>> results = evaluate(
    ...     assessments={"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}},
    ...     runs={"bm25": {"1": ["d#/a/s[2]", "d#/a/s[1]"]}},
    ...     measures=["nxCG@1", "MAep"],
    ... )
    >>> results.value("bm25", "nxCG@1"), results.value("bm25", "MAep")
    (0.5, 0.75)
    """
    notes = Notes(lenient)
    if unanswered not in get_args(Unanswered):
        raise XcgError(f"unanswered is {unanswered!r}: {nearest(unanswered, get_args(Unanswered))}")
    chosen = MEASURES.parse_all(measures)
    given = as_user_models(user_model) if user_model is not None else None
    base = as_recall_base(assessments, notes)
    models = given or [default_model(base)]
    loaded = as_runs(runs, notes, ties, base)
    campaign = Campaign(base, loaded, as_corpus(corpus), notes, check_later=True)
    own = [measure for measure in chosen if measure.definition.needs != "levels"]
    standard = [measure for measure in chosen if measure.definition.needs == "levels"]
    sheets = [_Sheet(model, own, loaded, unanswered) for model in models]
    for done, topic in enumerate(base.topics if own else []):
        if progress is not None:
            progress(done, len(base.topics))
        stages = Stages(campaign.topic(topic), campaign)
        for sheet in sheets:
            sheet.score(stages)
    campaign.check_results()
    if progress is not None:
        progress(len(base.topics), len(base.topics))
    note_topics(base, loaded, unanswered, notes)
    figures = {run.name: trec_figures(base, run, standard) for run in loaded} if standard else {}
    rows = [
        row
        for sheet in sheets
        for run in loaded
        for row in (
            *sheet.rows(run, notes),
            *_trec_rows(sheet.model.name, run, figures.get(run.name, {}), standard, base, unanswered),
        )
    ]
    order = {str(measure): place for place, measure in enumerate(chosen)}
    if standard and own:
        rows = _in_order(rows, order)
    if not rows:
        raise XcgError(
            "nothing to average: no topic has an ideal element under "
            + ", ".join(model.name for model in models)
        )
    return Results(rows, notes.lines())


@dataclass
class _Column:
    """The figures of one run on one measure: topic → value, and what its mean is made of."""

    values: dict[str, float] = field(default_factory=dict)
    parts: list[object] = field(default_factory=list)


class _Sheet:
    """The figures of all runs under one user model, filled topic by topic."""

    def __init__(
        self,
        model: UserModel,
        measures: Sequence[Measure],
        runs: Sequence[Run],
        unanswered: Unanswered,
    ) -> None:
        self.model = model
        self.measures = measures
        self.runs = runs
        self.unanswered = unanswered
        self._effort = model.effort.parameters()
        self._any_gains = any(measure.definition.needs == "gains" for measure in measures)
        self._needs_model = any(m.definition.needs in ("gains", "scores") for m in measures)
        self._gains_only = all(measure.definition.needs == "gains" for measure in measures)
        self._values = {run.name: [_Column() for _ in measures] for run in runs}
        self._without_ideal: list[str] = []

    def score(self, stages: Stages) -> None:
        view = stages.view
        ideal = stages.ideal(self.model) if self._needs_model else IdealTopic({}, [])
        if not ideal.gains:
            self._without_ideal.append(view.topic)
            if self._gains_only:
                return
        for run in self.runs:
            ranking = view.rankings.get(run.name)
            if ranking is None and self.unanswered == "skip":
                continue
            if ideal.gains:
                self._check_passages(view, run.name)
            topic = stages.gains(run.name, ideal, self.model)
            for measure, column in zip(self.measures, self._values[run.name], strict=True):
                self._enter(column, measure, topic, view.topic, run.name)

    def _enter(self, column: _Column, measure: Measure, topic: TopicGains, name: str, run: str) -> None:
        definition = measure.definition
        if definition.needs == "gains" and not len(vector(topic.ideal)):
            return
        try:
            value = measure(topic, self._effort)
            if value is None:
                return
            column.values[name] = value
            if definition.parts is not None and not measure.is_mean_of_figures(self._effort):
                parts = definition.parts(topic, measure.cutoff, measure.settings(self._effort))
                column.parts.append(parts)
        except XcgError as error:
            message = f"{measure}: {error}"
            raise InputError(f"run {run}, topic {name}", message) from None

    def _check_passages(self, view: TopicView, run: str) -> None:
        passages = view.passages.get(run)
        if passages and self.model.spans == "refuse" and self._any_gains:
            raise InputError(
                f"{view.sources[run]}, rank {min(passages) + 1}",
                f"a passage and no element; the user model {self.model.name} takes elements only "
                "(spans: smallest_element takes the smallest element around a passage)",
            )

    def rows(self, run: Run, notes: Notes) -> list[Result]:
        """Return a line a figure of a run, its means behind its topics."""
        model = self.model.name
        if self._without_ideal and self._any_gains:
            names = some_topics(self._without_ideal)
            notes.note(f"{model}: no ideal element, so not in the means: topic {names}")
        rows = []
        for measure, column in zip(self.measures, self._values[run.name], strict=True):
            if not column.values:
                notes.note(f"{model}: run {run.name} has no topic to average over")
                continue
            name = str(measure)
            rows += [
                Result(run.name, topic, name, value, model) for topic, value in column.values.items()
            ]
            mean = measure.mean(list(column.values.values()), column.parts, self._effort)
            rows.append(Result(run.name, MEAN, name, mean, model))
        return rows


def _trec_rows(
    model: str,
    run: Run,
    figures: Mapping[tuple[str, str], float],
    measures: Sequence[Measure],
    base: RecallBase,
    unanswered: Unanswered,
) -> list[Result]:
    """Return a line a figure of ir_measures, the means over all assessed topics behind them."""
    rows = []
    answered = [topic for topic in base.topics if len(run.rankings.get(topic, ()))]
    topics = base.topics if unanswered == "zero" else answered
    for measure in map(str, measures):
        values = [figures.get((topic, measure), 0.0) for topic in topics]
        rows += [
            Result(run.name, topic, measure, value, model)
            for topic, value in zip(topics, values, strict=True)
        ]
        if values:
            rows.append(Result(run.name, MEAN, measure, math.fsum(values) / len(values), model))
    return rows


def _in_order(rows: list[Result], order: Mapping[str, int]) -> list[Result]:
    """Put the measures of each run in the order in which they were asked for."""
    grouped = itertools.groupby(rows, key=lambda row: (row.user_model, row.run))
    return [row for _, group in grouped for row in sorted(group, key=lambda r: order[r.measure])]


def note_topics(base: RecallBase, runs: Sequence[Run], unanswered: Unanswered, notes: Notes) -> None:
    """Note which topics of runs are not assessed, and which assessed ones they do not answer."""
    for run in runs:
        answered = {topic for topic, ranking in run.rankings.items() if len(ranking)} | run.skipped
        unknown = sorted(answered - set(base.topics), key=topic_key)
        if unknown:
            notes.note(f"run {run.name}: no assessments, so left out: topic {some_topics(unknown)}")
        missing = [topic for topic in base.topics if topic not in answered]
        if missing:
            counted = "counted 0" if unanswered == "zero" else "left out of its means"
            notes.note(f"run {run.name}: not answered, so {counted}: topic {some_topics(missing)}")


def some_topics(topics: Sequence[str]) -> str:
    """Name topics, of very many the first ones."""
    if len(topics) <= _MANY:
        return ", ".join(topics)
    return f"{', '.join(topics[:_MANY])} and {len(topics) - _MANY} more"
