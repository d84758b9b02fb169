"""Scoring a share of the runs: what one worker does, and what lets shares be put together again.

Whatever is wrong or odd is kept by the step at which it came up, so that several workers tell of it in
the order in which one would have come to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.campaign import (
    Campaign,
    Retrieved,
    TopicView,
    retrieved_paths,
)
from xcg.evaluation.inputs import load_runs, with_unique_names
from xcg.measures import Measure, TopicGains
from xcg.measures.trec import levels_of, standard_values
from xcg.runs.run import Run

if TYPE_CHECKING:
    from xcg.documents.corpus import Corpus
    from xcg.evaluation.inputs import Unanswered
    from xcg.gains.topic import Stages
    from xcg.judgements.recall_base import RecallBase
    from xcg.runs.run import Ties
    from xcg.user_model.model import UserModel

Progress = Callable[[int, int], None]
Step = tuple[int, int | str, int]
"""Where work stands: the phase; the topic, or the document; the part of its work."""

_READING, _TOPICS, _STANDARD, _DOCUMENTS = range(4)
_ASSESSMENTS, _RANKINGS, _MODELS = range(3)


class Work(NamedTuple):
    """What all shares have in common.

    measures: those on gains, scores, grades and text. standard: those of ir_measures.
    check_corpus: look for results and assessments in the corpus also where there are no other measures.
    """

    base: RecallBase
    corpus: Corpus | None
    models: Sequence[UserModel]
    measures: Sequence[Measure]
    standard: Sequence[Measure]
    unanswered: Unanswered
    ties: Ties
    lenient: bool
    check_corpus: bool = False


@dataclass
class Column:
    """The figures of one run on one measure: topic → value, and what its mean is made of."""

    values: dict[str, float] = field(default_factory=dict)
    parts: list[object] = field(default_factory=list)


class ScoredRun(NamedTuple):
    """A run's figures: a list of columns a user model, a column a measure.

    name: as the run has it, so that another one may be called the same. answered: the topics. skipped:
    see :class:`Run`. columns: none where there are only standard measures. standard: the figures of
    these, (topic, measure) → value.
    """

    name: str
    source: str
    answered: frozenset[str]
    skipped: frozenset[str]
    columns: Sequence[Sequence[Column]]
    standard: dict[tuple[str, str], float]


@dataclass
class Share:
    """What came of a share of the runs.

    without_ideal: the topics without an ideal element, by user model. notes: by step. error: what
    stopped the work, in the last step of the notes.
    """

    runs: list[ScoredRun] = field(default_factory=list)
    without_ideal: list[list[str]] = field(default_factory=list)
    notes: list[tuple[Step, Notes]] = field(default_factory=list)
    error: XcgError | None = None


def score(
    work: Work,
    beside: Retrieved,
    sources: Sequence[Run | Path],
    progress: Progress | None = None,
) -> Share:
    """Return what comes of some of the runs.

    beside: what the others retrieve, see :class:`xcg.evaluation.campaign.Campaign`. An XcgError ends the work and
    stands in the share.
    """
    share = Share()
    try:
        _Scoring(work, share).run(beside, sources, progress)
    except XcgError as error:
        share.error = error
    return share


def retrieved(work: Work, sources: Sequence[Run | Path]) -> dict[str, dict[str, set[str]]]:
    """Return topic → file → the paths that runs retrieve from documents with assessed elements.

    Of runs that cannot be read nothing: :func:`score` tells why.
    """
    try:
        runs = load_runs(sources, Notes(work.lenient), work.ties, work.base)
    except XcgError:
        return {}
    return {topic: retrieved_paths(runs, topic, work.base.files(topic)) for topic in work.base.topics}


def depends_on_other_runs(work: Work) -> bool:
    """Say whether the figures of a run can depend on what other runs retrieve.

    Without a corpus the trees are those that the paths span, and some models look at elements that
    nobody assessed.
    """
    if not work.measures or work.corpus is not None:
        return False
    return any(model.depends_on_other_runs for model in work.models)


class _Scoring:
    def __init__(self, work: Work, share: Share) -> None:
        self._work = work
        self._share = share

    def _step(self, phase: int, place: int | str = 0, part: int = 0) -> Notes:
        notes = Notes(self._work.lenient)
        self._share.notes.append(((phase, place, part), notes))
        return notes

    def run(self, beside: Retrieved, sources: Sequence[Run | Path], progress: Progress | None) -> None:
        work, base = self._work, self._work.base
        if self._is_of_levels_alone():
            self._run_by_run(sources)
            return
        from xcg.gains.topic import Stages

        read = load_runs(sources, self._step(_READING), work.ties, base)
        runs = with_unique_names(read, Notes())  # whoever knows all runs names them
        campaign = Campaign(base, runs, work.corpus, Notes(), check_later=True, beside=beside)
        sheets = [_Sheet(model, work.measures, runs, work.unanswered) for model in work.models]
        topics = base.topics if work.measures or work.check_corpus else []
        for place, topic in enumerate(campaign.with_documents(topics)):
            if progress is not None:
                progress(place, len(base.topics))
            campaign.notes = self._step(_TOPICS, place, _ASSESSMENTS)
            campaign.notes_of_rankings = self._step(_TOPICS, place, _RANKINGS)
            stages = Stages(campaign.topic(topic), campaign)
            for number, sheet in enumerate(sheets if work.measures else []):
                campaign.notes = self._step(_TOPICS, place, _MODELS + number)
                sheet.score(stages)
        self._step(_STANDARD)
        levels = levels_of(base) if work.standard else {}
        standard = [standard_values(levels, run, work.standard) for run in runs]
        campaign.check_results(lambda file: self._step(_DOCUMENTS, file))
        if work.corpus is not None:
            work.corpus.write_cache()
        self._share.without_ideal = [sheet.without_ideal for sheet in sheets]
        self._share.runs = [
            ScoredRun(
                as_read.name,
                run.source,
                run.answered,
                run.skipped,
                [sheet.columns[run.name] for sheet in sheets],
                figures,
            )
            for as_read, run, figures in zip(read, runs, standard, strict=True)
        ]

    def _is_of_levels_alone(self) -> bool:
        """Say whether there is nothing to do but to compute standard measures on levels."""
        return (
            not self._work.measures
            and not self._work.check_corpus
            and not any(measure.is_external for measure in self._work.standard)
            and not self._work.base.states_text
        )

    def _run_by_run(self, sources: Sequence[Run | Path]) -> None:
        """Score each run when it was read, so that no more than one is held."""
        work = self._work
        notes = self._step(_READING)
        levels = levels_of(work.base)
        for source in sources:
            self._share.runs += [
                ScoredRun(
                    run.name,
                    run.source,
                    run.answered,
                    run.skipped,
                    [],
                    standard_values(levels, run, work.standard),
                )
                for run in load_runs([source], notes, work.ties, work.base)
            ]


def put_together(shares: Sequence[Share], notes: Notes) -> list[ScoredRun]:
    """Return the runs of all shares, and add to the notes what came up.

    Raises the error that one worker would have come to first.
    """
    errors = [(share.notes[-1][0], number) for number, share in enumerate(shares) if share.error]
    if errors:
        error = shares[min(errors)[1]].error
        assert error is not None
        raise error
    steps = [
        (step, number, found)
        for number, share in enumerate(shares)
        for step, found in share.notes
        # All shares look at the assessments.
        if number == 0 or step[::2] != (_TOPICS, _ASSESSMENTS)
    ]
    for _, _, found in sorted(steps, key=lambda entry: entry[:2]):
        notes.take(found)
    return [run for share in shares for run in share.runs]


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
        self.columns = {run.name: [Column() for _ in measures] for run in runs}
        self.without_ideal: list[str] = []

    def score(self, stages: Stages) -> None:
        from xcg.gains.topic import IdealTopic

        view = stages.view
        ideal = stages.ideal(self.model) if self._needs_model else IdealTopic({}, [])
        if not ideal.gains:
            self.without_ideal.append(view.topic)
            if self._gains_only:
                return
        for run in self.runs:
            ranking = view.rankings.get(run.name)
            if ranking is None and self.unanswered == "skip":
                continue
            if ideal.gains:
                self._check_passages(view, run.name)
            topic = stages.gains(run.name, ideal, self.model)
            for measure, column in zip(self.measures, self.columns[run.name], strict=True):
                self._enter(column, measure, topic, view.topic, run)

    def _enter(self, column: Column, measure: Measure, topic: TopicGains, name: str, run: Run) -> None:
        definition = measure.definition
        if definition.needs == "gains" and not len(topic.ideal):  # type: ignore[arg-type]
            return
        try:
            value = measure.compute(topic, self._effort)
            if value is None:
                return
            column.values[name] = value
            part = measure.aggregate_input(topic, self._effort)
            if part is not None:
                column.parts.append(part)
        except XcgError as error:
            message = f"{measure}: {error}"
            raise InputError(f"{run.source}, topic {name}", message) from None

    def _check_passages(self, view: TopicView, run: str) -> None:
        passages = view.passages.get(run)
        if passages and self.model.spans == "refuse" and self._any_gains:
            raise InputError(
                f"{view.sources[run]}, rank {min(passages) + 1}",
                f"a passage and no element; the user model {self.model.name} takes elements only "
                "(spans: smallest_element takes the smallest element around a passage; the user models "
                "spans and spans-levels take results as the text that they span)",
            )
