"""Score all runs for one topic: the second half of an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import is_unspaced
from xcg.errors import InputError, Notes, XcgError, first_names
from xcg.evaluation.inputs import Unanswered
from xcg.evaluation.results import Result
from xcg.gains.ideal import IdealRecallBase
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import MEAN, RecallBase, topic_key
from xcg.measures import Measure, RankingGains
from xcg.measures.definition import BOUND
from xcg.measures.effort import divisor
from xcg.measures.trec import span_values
from xcg.runs.run import Run, name_without_strategy
from xcg.user_model.model import UserModel


class TopicValue(NamedTuple):
    """The value of one measure for one run and topic.

    Attributes:
        value: The value; None if it is undefined.
        aggregate_input: What the mean needs if it is not the mean of the values.
        is_unknown_text: Whether it is undefined because the text of a result is unknown.
        with_max: The value with ``unretrieved=max``, if it can be another.
    """

    value: float | None
    aggregate_input: object = None
    is_unknown_text: bool = False
    with_max: float | None = None


@dataclass
class MeasureValues:
    """The values of one measure for one run.

    Attributes:
        values: Topic → value.
        inputs: What the mean needs of each topic if it is not the mean of the values.
        unknown_text: The topics without a value because the text of a result is unknown.
        with_max: The values with ``unretrieved=max``, if they can be others.
    """

    values: dict[str, float] = field(default_factory=dict)
    inputs: list[object] = field(default_factory=list)
    unknown_text: list[str] = field(default_factory=list)
    with_max: list[float] = field(default_factory=list)

    def add(self, topic: str, found: TopicValue) -> None:
        """Add the value of one topic."""
        if found.value is not None:
            self.values[topic] = found.value
        if found.aggregate_input is not None:
            self.inputs.append(found.aggregate_input)
        if found.is_unknown_text:
            self.unknown_text.append(topic)
        if found.with_max is not None:
            self.with_max.append(found.with_max)


class ScoredRun(NamedTuple):
    """The values of one run.

    Attributes:
        name: The name in the file, which other runs may have too, with the strategy.
        source: Where the run was read.
        strategy: The overlap strategy that rewrote the run; empty without one.
        answered: The topics with results.
        skipped: See :class:`Run`.
        values: One list per user model, with one entry per measure; empty without measures.
        standard: (topic, measure) → value of the standard measures.
        repeated: Number of results that repeat an earlier one of their topic; 0 for a greedy reference.
    """

    name: str
    source: str
    strategy: str
    answered: frozenset[str]
    skipped: frozenset[str]
    values: Sequence[Sequence[MeasureValues]]
    standard: Mapping[tuple[str, str], float]
    repeated: int = 0


ModelValues = Mapping[str, Sequence[TopicValue | None]]
"""Run → the value of each measure; None for measures of gains if there are no ideal gains."""


class TopicScores(NamedTuple):
    """The values of all runs for one topic.

    Attributes:
        topic: The topic's id.
        has_ideal: For each user model, whether the topic has an ideal gain above 0.
        values: For each user model, the values of the runs that count.
        standard: Run → measure → value of the standard measures on gold spans.
    """

    topic: str
    has_ideal: Sequence[bool]
    values: Sequence[ModelValues]
    standard: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class TopicScorer:
    """Scores topics; a function that can be pickled.

    Attributes:
        models: The user models.
        measures: The measures of gains, scores, grades and text.
        standard: The measures of levels of relevance.
        span_topics: The topics for which these are computed on gold spans.
        runs: Name → run, whose rankings are not used.
        unanswered: How an assessed topic without results counts.
    """

    models: Sequence[UserModel]
    measures: Sequence[Measure]
    standard: Sequence[Measure]
    span_topics: frozenset[str]
    runs: Mapping[str, Run]
    unanswered: Unanswered

    def __call__(self, topic: Topic) -> TopicScores:
        """Return the values of all runs for a topic.

        Raises:
            XcgError: If a measure or a part of a user model fails.
        """
        shared: dict[object, Sequence[TopicValue | None]] = {}
        has_ideal, values = [], []
        for model in self.models if self.measures else ():
            ideal = IdealRecallBase({}, [])
            if self._needs("gains", "scores"):
                ideal = topic.ideal(model)
            has_ideal.append(bool(ideal.gains))
            values.append(self._model_values(topic, model, ideal, shared))
        standard = {}
        if topic.name in self.span_topics:
            standard = {run: self._values_on_spans(topic, run) for run in self.runs}
        return TopicScores(topic.name, has_ideal, values, standard)

    def _needs(self, *kinds: str) -> bool:
        return any(measure.definition.needs in kinds for measure in self.measures)

    @cached_property
    def _models_without_overlap(self) -> Counter[tuple[object, ...]]:
        """How many user models differ only in how they treat overlapping results."""
        return Counter(model.key_without_overlap for model in self.models)

    def _model_values(
        self,
        topic: Topic,
        model: UserModel,
        ideal: IdealRecallBase,
        shared: dict[object, Sequence[TopicValue | None]],
    ) -> ModelValues:
        """Return the values under one user model; those that later models share are added."""
        shares_values = self._models_without_overlap[model.key_without_overlap] > 1
        values: dict[str, Sequence[TopicValue | None]] = {}
        for run in self.runs:
            if run not in topic.rankings and self.unanswered == "skip":
                continue
            if ideal.gains:
                self._check_passages(topic, run, model)
            key = run, model.key_without_overlap
            if not shares_values or topic.depends_on_overlap(run, model):
                values[run] = self._run_values(topic, run, model, ideal)
                continue
            if key not in shared:
                shared[key] = self._run_values(topic, run, model, ideal)
            values[run] = shared[key]
        return values

    def _run_values(
        self, topic: Topic, run: str, model: UserModel, ideal: IdealRecallBase
    ) -> list[TopicValue | None]:
        gains, effort = topic.gains(run, ideal, model), model.effort.parameters()
        found: list[TopicValue | None] = []
        for measure in self.measures:
            if not ideal.gains and measure.definition.needs == "gains":
                found.append(None)
                continue
            try:
                found.append(_value(measure, gains, effort))
            except XcgError as error:
                raise InputError(self.runs[run].where(topic.name), f"{measure}: {error}") from None
        return found

    def _values_on_spans(self, topic: Topic, run: str) -> dict[str, float]:
        """Return measure → value of the standard measures for a topic with gold spans alone."""
        try:
            return span_values(topic.span_ranking(run), self.standard, self.runs[run].is_reference)
        except XcgError as error:
            raise InputError(self.runs[run].where(topic.name), f"standard measures: {error}") from None

    def _check_passages(self, topic: Topic, run: str, model: UserModel) -> None:
        ranking = topic.as_read(run)
        if ranking.passages and model.spans == "refuse" and self._needs("gains"):
            raise InputError(
                f"{ranking.source}, rank {min(ranking.passages) + 1}",
                f"the result is a passage, and the user model {model.name} accepts elements only "
                "(spans: smallest_element takes the smallest element around a passage; the user models "
                "spans and spans-levels score results as text)",
            )


def _value(measure: Measure, gains: RankingGains, effort: Mapping[str, str]) -> TopicValue:
    value = measure.compute(gains, effort)
    if value is not None:
        other = _with_max(value, gains) if _divides_by_uncredited(measure, effort) else None
        return TopicValue(value, measure.aggregate_input(gains, effort), with_max=other)
    if measure.definition.needs != "text":
        return TopicValue(None)
    ranking = gains.highlights
    return TopicValue(None, None, bool(ranking.relevant and ranking.unknown))


def _divides_by_uncredited(measure: Measure, effort: Mapping[str, str]) -> bool:
    """Return whether a measure has the divisor of ``unretrieved=uncredited``.

    Args:
        measure: The measure.
        effort: The parameters of the user model.
    """
    settings = measure.settings(effort)
    is_used = settings.get("effort", "ranks") == "ranks" and settings.get("average") != "gain"
    return is_used and settings.get("unretrieved") == "uncredited"


def _with_max(value: float, gains: RankingGains) -> float:
    """Return what a value computed from gains would be with ``unretrieved=max``."""
    vectors = gains.checked_gains, gains.checked_ideal, gains.not_retrieved
    return value * divisor(*vectors, "uncredited") / divisor(*vectors, "max")


_LISTED_TOPICS = 50
_LISTED_MODELS = 3
_SAMPLED = 20
_EQUAL = 1e-9  # the difference of scores
_ABOVE_1 = 1 + 1e-9  # not a rounding error


def note_topics(
    base: RecallBase, runs: Mapping[str, Run | ScoredRun], unanswered: Unanswered, notes: Notes
) -> None:
    """Note which topics of runs have no assessments, and which assessed topics have no results.

    Warn if a run answers no assessed topic; XcgError if this holds for all runs.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    useless: dict[str, list[tuple[str, str]]] = {}
    for name, run in runs.items():
        texts = found[name] = []
        answered = run.answered | run.skipped
        unknown = sorted(answered - set(base.topics), key=topic_key)
        if unknown:
            texts.append(("", f": no assessments, so left out: topic {list_topics(unknown)}"))
        missing = [topic for topic in base.topics if topic not in answered]
        counted = "counted 0" if unanswered == "zero" else "left out of its means"
        if missing and len(missing) == len(base.topics):
            warning = f" answers no assessed topic, so each is {counted}: topic {list_topics(missing)}"
            if unknown:
                warning += f"; its topics have other names, such as {unknown[0]!r}"
            useless[name] = [("", warning)]
        elif missing:
            texts.append(("", f": not answered, so {counted}: topic {list_topics(missing)}"))
    others = sorted({t for run in runs.values() for t in run.answered | run.skipped}, key=topic_key)
    if len(useless) == len(runs) and others and base.topics and not notes.lenient:
        stated, assessed = (first_names([repr(t) for t in names], 3) for names in (others, base.topics))
        raise XcgError(f"no topic of the runs is assessed: runs have {stated}, assessments {assessed}")
    _note_runs(runs, useless, notes.warning)
    _note_runs(runs, found, notes.note)


def _note_runs(
    runs: Mapping[str, Run | ScoredRun],
    found: Mapping[str, Sequence[tuple[str, str]]],
    add: Callable[[str], None],
) -> None:
    """Note texts about runs; a text that holds under all strategies once, under the run's own name.

    Args:
        runs: Name → run.
        found: Name of a run → the parts of its notes before and after the name.
        add: Adds a note.
    """
    originals = {name: name_without_strategy(name, run.strategy) for name, run in runs.items()}
    counts = Counter((originals[name], text) for name, texts in found.items() for text in set(texts))
    strategies = Counter(originals.values())
    for name, texts in found.items():
        original = originals[name]
        for before, after in texts:
            is_general = counts[original, (before, after)] == strategies[original]
            add(f"{before}run {original if is_general else name}{after}")


def list_topics(topics: Sequence[str]) -> str:
    """Return the names of topics as text, at most 50 of them."""
    return first_names(topics, _LISTED_TOPICS)


def note_undefined(
    model: str, measures: Sequence[Measure], runs: Mapping[str, ScoredRun], number: int, notes: Notes
) -> None:
    """Note for which topics the runs have no values under a user model."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, run in runs.items():
        undefined: dict[tuple[str, ...], list[str]] = {}
        texts: list[tuple[str, str]] = []
        for measure, values in zip(measures, run.values[number], strict=True):
            if values.unknown_text:
                undefined.setdefault(tuple(values.unknown_text), []).append(str(measure))
        if undefined:
            means = [
                f"of {', '.join(names)}: topic {list_topics(topics)}"
                for topics, names in undefined.items()
            ]
            reason = "the corpus lacks the text of results, so not in the means"
            texts.append(("", f": {reason} {'; '.join(means)}"))
        if not all(values.values for values in run.values[number]):
            texts.append((f"{model}: ", " has no topic to average over"))
        found[name] = texts
    _note_runs(runs, found, notes.note)


def note_units(units: Iterable[str], model: UserModel, corpus: Corpus | None, notes: Notes) -> None:
    """Note that words are counted in text that is written without spaces."""
    if "words" in units and corpus is not None:
        names = list(islice(corpus, _SAMPLED))
        unspaced = [name for name in names if is_unspaced(corpus.tree(name).text)]
        if 2 * len(unspaced) > len(names):
            notes.note(
                f"{model.name}: words are counted in text without spaces, such as {unspaced[0]}: "
                "expected the unit tokens or characters"
            )


def note_above_1(
    rows: Sequence[Result], models: Sequence[UserModel], measures: Sequence[Measure], notes: Notes
) -> None:
    """Note the scores above 1 of measures that compare with the ideal ranking, and their reason."""
    bounded = {str(measure) for measure in measures if measure.definition.range == BOUND}
    reasons = {model.name: model.reason_above_1 for model in models}
    above: dict[str, list[Result]] = {}
    for row in rows:
        if row.measure in bounded and row.value > _ABOVE_1:
            above.setdefault(reasons[row.user_model], []).append(row)
    for reason, found in above.items():
        names = list(dict.fromkeys(row.user_model for row in found))
        highest = max(found, key=lambda row: row.value)
        topic = "mean" if highest.topic == MEAN else f"topic {highest.topic}"
        notes.note(
            f"{first_names(names, _LISTED_MODELS)}: "
            f"{'a score' if len(found) == 1 else f'{len(found)} scores'} above 1, up to "
            f"{highest.value:.4f} ({highest.measure} of run {highest.run}, {topic})"
            + (f", because {reason}" if reason else "")
        )


def note_other_order(
    models: Sequence[str], measures: Sequence[Measure], runs: Mapping[str, ScoredRun], notes: Notes
) -> None:
    """Note how many pairs of runs ``unretrieved=max`` would order differently, if any.

    Args:
        models: The names of the user models.
        measures: The measures of the runs' values.
        runs: Name → run, without greedy references.
        notes: The notes.
    """
    compared = changed = total = 0
    largest, example = 0.0, ""
    for position, measure in enumerate(measures):
        for number, model in enumerate(models):
            means = {}
            for name, run in runs.items():
                values = run.values[number][position]
                if values.with_max:
                    default = measure.aggregate(list(values.values.values()))
                    means[name] = default, measure.aggregate(values.with_max)
            compared += bool(means)
            for one, two in combinations(sorted(means, key=lambda name: -means[name][0]), 2):
                difference, other = (a - b for a, b in zip(means[one], means[two], strict=True))
                total += 1
                if _sign(difference) != _sign(other):
                    changed += 1
                    if abs(difference - other) > largest:
                        largest = abs(difference - other)
                        example = (
                            f"{one} minus {two} is {difference:+.2g}, and with max {other:+.2g}, by "
                            f"{measure} under {model}"
                        )
    if changed:
        counted = ", counted for each measure and user model" if compared > 1 else ""
        notes.note(
            f"unretrieved=max would order {changed} of {total} pairs of runs differently{counted}; the "
            f"largest difference: {example}"
        )


def _sign(difference: float) -> int:
    return (difference > _EQUAL) - (difference < -_EQUAL)
