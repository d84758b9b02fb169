"""Score a piece of an evaluation, some runs for some topics: what one worker does."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.campaign import Campaign, RetrievedPaths
from xcg.evaluation.division import Piece
from xcg.evaluation.inputs import Unanswered, load_runs
from xcg.evaluation.other_divisor import divides_by_uncredited, with_max
from xcg.evaluation.repeated_results import count_repeated
from xcg.evaluation.resolution import retrieved_paths
from xcg.evaluation.shares import MeasureValues, Part, Phase, ScoredRun, Share, Step
from xcg.evaluation.unique_names import with_unique_names
from xcg.gains.ideal import IdealRecallBase
from xcg.gains.judged_topic import JudgedTopic
from xcg.gains.topic import GainCalculator
from xcg.judgements.recall_base import RecallBase
from xcg.measures import Measure, TopicGains
from xcg.measures.trec import levels_of, span_topics, span_values, standard_values
from xcg.runs.chunk_documents import ChunkSource, DocumentKey
from xcg.runs.run import FunctionCache, Order, Run, Ties
from xcg.strategies.registry import BoundStrategy
from xcg.strategies.rewriting import rewrite_all
from xcg.user_model.model import UserModel

Progress = Callable[[int, int], None]
"""Called with the number of finished topics and of all topics."""


_OBJECTS_PER_COLLECTION = 20_000
"""Number of new objects after which Python looks for reference cycles; its default is 700."""


@dataclass(frozen=True)
class Work:
    """What all workers have in common.

    Attributes:
        measures: The measures of gains, scores, grades and text.
        standard: The measures of levels of relevance.
        check_corpus: Whether results and assessments are checked even without other measures.
        document: How chunks in run files name their document.
    """

    base: RecallBase
    corpus: Corpus | None
    models: Sequence[UserModel]
    measures: Sequence[Measure]
    standard: Sequence[Measure]
    unanswered: Unanswered = "zero"
    order: Order = "score"
    ties: Ties | None = None
    lenient: bool = False
    check_corpus: bool = False
    strategies: Sequence[BoundStrategy] = ()
    document: DocumentKey = None

    @property
    def topics(self) -> list[str]:
        """The topics to score; if only standard measures are computed, the topics with gold spans."""
        return self.base.topics if self.measures or self.check_corpus else self.span_topics

    @cached_property
    def span_topics(self) -> list[str]:
        """The topics for which standard measures are computed on spans."""
        return span_topics(self.base) if self.standard else []

    @property
    def levels_only(self) -> bool:
        """Whether only standard measures of levels are computed, which need no campaign."""
        return (
            not self.measures
            and not self.check_corpus
            and not any(measure.is_external for measure in self.standard)
            and not self.base.states_text
        )

    @property
    def depends_on_other_runs(self) -> bool:
        """Whether a run's values can depend on other runs: on the trees that their paths form."""
        if not self.measures or self.corpus is not None:
            return False
        return any(model.depends_on_other_runs for model in self.models)

    def needs(self, *kinds: str) -> bool:
        """Return whether a measure needs data of one of the given kinds."""
        return any(measure.definition.needs in kinds for measure in self.measures)


def score(
    work: Work,
    other_paths: RetrievedPaths,
    piece: Piece,
    sources: Sequence[Run | Path],
    progress: Progress | None = None,
) -> Share:
    """Score a piece of the work.

    Args:
        work: What all workers have in common.
        other_paths: The paths that the other runs retrieve, see :class:`Campaign`.
        piece: The piece: positions of runs, and of topics in ``work.topics``.
        sources: The runs of the piece.
        progress: Called after each topic.

    Returns:
        The values and problems. An XcgError is in ``error`` and is not raised.
    """
    scorer = _Scorer(work, piece)
    try:
        with _rare_garbage_collection():
            if work.levels_only:
                scorer.score_levels(sources)
            else:
                scorer.score_campaign(other_paths, sources, progress)
    except XcgError as error:
        scorer.share.error = error
        scorer.share.error_step = scorer.step
    return scorer.share


@contextmanager
def _rare_garbage_collection() -> Iterator[None]:
    """Look for reference cycles rarely: scoring makes many objects that live long, and few cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_OBJECTS_PER_COLLECTION, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def find_retrieved_paths(work: Work, sources: Sequence[Run | Path]) -> dict[str, dict[str, set[str]]]:
    """Return topic → document → the paths that runs retrieve from documents with assessments.

    Returns nothing if a run cannot be read; :func:`score` reports why.
    """
    try:
        runs = rewrite_all(read_runs(work, sources, Notes(work.lenient)), work.strategies, work.corpus)
    except XcgError:
        return {}
    return {topic: retrieved_paths(runs, topic, work.base.files(topic)) for topic in work.base.topics}


def read_runs(work: Work, sources: Sequence[Run | Path], notes: Notes) -> list[Run]:
    """Read runs."""
    chunks = ChunkSource(work.document, work.corpus)
    return load_runs(sources, notes, work.base, work.order, work.ties, chunks)


class _Scorer:
    """Scores runs and records at which step it is."""

    def __init__(self, work: Work, piece: Piece) -> None:
        self.work = work
        self.piece = piece
        self.share = Share(piece)
        self.step = Step(Phase.READ_RUNS)

    def score_levels(self, sources: Sequence[Run | Path]) -> None:
        """Score the runs one after the other, so that only one is in memory."""
        levels = levels_of(self.work.base)
        for source in sources:
            self.share.runs += [
                ScoredRun(
                    *(run.name, run.source, run.strategy, run.answered, run.skipped),
                    [],
                    standard_values(levels, run, self.work.standard),
                    _repeated(run),
                )
                for run in rewrite_all(
                    self._read_runs([source]), self.work.strategies, self.work.corpus
                )
            ]

    def score_campaign(
        self, other_paths: RetrievedPaths, sources: Sequence[Run | Path], progress: Progress | None
    ) -> None:
        """Score all runs topic by topic."""
        work = self.work
        as_read = self._read_runs(sources)
        self.step = Step(Phase.REWRITE_RUNS)
        read = rewrite_all(as_read, work.strategies, work.corpus)
        runs = with_unique_names(read, Notes())  # evaluate notes the names
        campaign = Campaign(
            work.base,
            runs,
            work.corpus,
            lenient=work.lenient,
            needs_elements=work.needs("gains", "scores", "grades"),
            needs_entry_points=work.needs("text"),
            other_paths=other_paths,
        )
        scores = [_ModelScores(model, work, runs) for model in work.models]
        counts = Counter(model_scores.key_without_overlap for model_scores in scores)
        for model_scores in scores:
            model_scores.shares_values = counts[model_scores.key_without_overlap] > 1
        on_spans = {run.name: dict[tuple[str, str], float]() for run in runs}
        with_spans = set(work.span_topics)
        topics = work.topics
        names = [topics[position] for position in self.piece.topics]
        for position, name in zip(self.piece.topics, campaign.with_documents(names), strict=True):
            if progress is not None:
                progress(position, len(topics))
            self.step = Step(Phase.TOPICS, position, (Part.ASSESSMENTS,))
            topic = self._keep(campaign.judged_topic(name))
            self.step = Step(Phase.TOPICS, position, (Part.RESULTS,))
            topic = self._keep(campaign.with_rankings(topic))
            calculator = GainCalculator(topic, campaign)
            shared: _SharedValues = {}
            for number, model_scores in enumerate(scores if work.measures else []):
                self.step = Step(Phase.TOPICS, position, (Part.SCORES, number))
                model_scores.add(calculator, shared)
            self.step = Step(Phase.TOPICS, position, (Part.STANDARD_MEASURES,))
            for run in runs if name in with_spans else ():
                on_spans[run.name].update(_values_on_spans(calculator, run, work.standard))
        self.step = Step(Phase.STANDARD_MEASURES)
        is_first = self.piece.topics.start == 0  # one piece computes the measures of all topics
        levels = levels_of(work.base, but_of=with_spans) if work.standard and is_first else {}
        standard = [
            {**on_spans[run.name], **(standard_values(levels, run, work.standard) if is_first else {})}
            for run in runs
        ]
        self._check_unjudged(campaign)
        if work.corpus is not None:
            work.corpus.write_cache()
        self.share.without_ideal = [model_scores.without_ideal for model_scores in scores]
        self.share.runs = [
            ScoredRun(
                *(rewritten.name, run.source, run.strategy, run.answered, run.skipped),
                [model_scores.values[run.name] for model_scores in scores],
                found,
                _repeated(run),
            )
            for rewritten, run, found in zip(read, runs, standard, strict=True)
        ]

    def _check_unjudged(self, campaign: Campaign) -> None:
        topics = {topic: position for position, topic in enumerate(self.work.topics)}
        runs = {run: position for position, run in enumerate(campaign.runs)}
        for file, ranking, rank, notes in campaign.check_unjudged():
            part: tuple[int, ...] = ()
            if ranking is not None:
                first_run = self.piece.runs.start * max(1, len(self.work.strategies))
                part = topics[ranking.topic], first_run + runs[ranking.run], rank
            self.step = Step(Phase.UNJUDGED_DOCUMENTS, file, part)
            self.share.notes.append((self.step, notes))

    def _read_runs(self, sources: Sequence[Run | Path]) -> list[Run]:
        notes = Notes(self.work.lenient)
        self.share.notes.append((self.step, notes))
        return read_runs(self.work, sources, notes)

    def _keep(self, found: tuple[JudgedTopic, Notes]) -> JudgedTopic:
        """Keep the notes of the present step and return the topic."""
        topic, notes = found
        self.share.notes.append((self.step, notes))
        return topic


def _repeated(run: Run) -> int:
    return 0 if run.is_reference else count_repeated(run)


def _values_on_spans(
    calculator: GainCalculator, run: Run, measures: Sequence[Measure]
) -> dict[tuple[str, str], float]:
    """Return (topic, measure) → value of the standard measures for a topic with gold spans alone."""
    topic = calculator.topic.topic
    try:
        values = span_values(calculator.span_ranking(run.name), measures, run.is_reference)
    except XcgError as error:
        raise InputError(run.where(topic), f"standard measures: {error}") from None
    return {(topic, name): value for name, value in values.items()}


class _TopicValue(NamedTuple):
    """What a measure returns for one run and topic; see :class:`MeasureValues`."""

    value: float | None
    aggregate_input: object = None
    is_unknown_text: bool = False
    with_max: float | None = None


_SharedValues = dict[tuple[str, tuple[object, ...]], list[_TopicValue | None]]
"""Run and ``UserModel.key_without_overlap`` → the values of the measures for one topic."""


class _ModelScores:
    """The values of all runs under one user model, which grow topic by topic.

    Attributes:
        shares_values: Whether other user models differ only in how they treat overlapping results.
    """

    def __init__(self, model: UserModel, work: Work, runs: Sequence[Run]) -> None:
        self.model = model
        self.work = work
        self.runs = runs
        self.values = {run.name: [MeasureValues() for _ in work.measures] for run in runs}
        self.without_ideal: list[str] = []
        self.key_without_overlap = model.key_without_overlap
        self.shares_values = False
        self._effort = model.effort.parameters()
        self._is_uncredited = FunctionCache[Measure, bool](
            lambda measure: divides_by_uncredited(measure, self._effort)
        )

    def add(self, calculator: GainCalculator, shared: _SharedValues) -> None:
        """Add the values of one topic.

        Args:
            calculator: The gains of the topic.
            shared: Values of earlier user models; values that later ones share are added.
        """
        topic = calculator.topic
        ideal = IdealRecallBase({}, [])
        if self.work.needs("gains", "scores"):
            ideal = calculator.ideal(self.model)
        if not ideal.gains:
            self.without_ideal.append(topic.topic)
        for run in self.runs:
            if run.name not in topic.rankings and self.work.unanswered == "skip":
                continue
            if ideal.gains:
                self._check_passages(topic, run.name)
            if not self.shares_values or calculator.depends_on_overlap(run.name, self.model):
                found = self._topic_values(calculator, run, ideal)
            else:
                key = run.name, self.key_without_overlap
                if key not in shared:
                    shared[key] = self._topic_values(calculator, run, ideal)
                found = shared[key]
            for values, of_topic in zip(self.values[run.name], found, strict=True):
                if of_topic is not None:
                    values.add_topic(topic.topic, *of_topic)

    def _topic_values(
        self, calculator: GainCalculator, run: Run, ideal: IdealRecallBase
    ) -> list[_TopicValue | None]:
        """Return the value of each measure; None for measures of gains if there are no ideal gains."""
        gains = calculator.gains(run.name, ideal, self.model)
        return [
            self._topic_value(measure, gains, calculator.topic.topic, run)
            if ideal.gains or measure.definition.needs != "gains"
            else None
            for measure in self.work.measures
        ]

    def _topic_value(self, measure: Measure, gains: TopicGains, topic: str, run: Run) -> _TopicValue:
        try:
            value = measure.compute(gains, self._effort)
            if value is not None:
                inputs = measure.aggregate_input(gains, self._effort)
                other = with_max(value, gains) if self._is_uncredited[measure] else None
                return _TopicValue(value, inputs, with_max=other)
            if measure.definition.needs != "text":
                return _TopicValue(None)
            ranking = gains.required_details(str(measure)).highlights()
            return _TopicValue(None, None, bool(ranking.relevant and ranking.unknown))
        except XcgError as error:
            message = f"{measure}: {error}"
            raise InputError(run.where(topic), message) from None

    def _check_passages(self, topic: JudgedTopic, run: str) -> None:
        ranking = topic.ranking(run)
        if ranking.passages and self.model.spans == "refuse" and self.work.needs("gains"):
            raise InputError(
                f"{ranking.source}, rank {min(ranking.passages) + 1}",
                f"the result is a passage, and the user model {self.model.name} accepts elements only "
                "(spans: smallest_element takes the smallest element around a passage; the user models "
                "spans and spans-levels score results as text)",
            )
