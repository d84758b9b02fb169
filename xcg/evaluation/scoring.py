"""Score all runs for one topic: the second half of an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import is_unspaced
from xcg.errors import InputError, Notes, XcgError, first_names
from xcg.evaluation.inputs import Unanswered
from xcg.evaluation.results import Result
from xcg.gains.judged_topic import IdealRecallBase
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import MEAN, RecallBase, topic_key
from xcg.measures import Measure, RankingGains
from xcg.measures.definition import BOUND
from xcg.measures.effort import divisor
from xcg.measures.trec import span_values
from xcg.runs.run import Run
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


Values = Mapping[str, TopicValue]
"""Topic → value of one measure for one run."""


def defined(values: Values) -> dict[str, float]:
    """Return topic → value, without undefined ones."""
    return {topic: one.value for topic, one in values.items() if one.value is not None}


class ScoredRun(NamedTuple):
    """The values of one run.

    Attributes:
        run: The run; its rankings may be cut.
        values: One list per user model, with one entry per measure; empty without measures.
        standard: (topic, measure) → value of the standard measures.
    """

    run: Run
    values: Sequence[Sequence[Values]]
    standard: Mapping[tuple[str, str], float]


class TopicScores(NamedTuple):
    """The values of all runs for one topic.

    Attributes:
        topic: The topic's id.
        has_ideal: For each user model, whether the topic has an ideal gain above 0.
        values: For each user model: run that counts → the value of each measure; None for measures of
            gains if there are no ideal gains.
        standard: Run → measure → value of the standard measures on gold spans.
    """

    topic: str
    has_ideal: Sequence[bool]
    values: Sequence[Mapping[str, Sequence[TopicValue | None]]]
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
        """Return the values of all runs for a topic; user models that give the same share them.

        Raises:
            XcgError: If a measure or a part of a user model fails.
        """
        # How many user models differ only in how they treat overlapping results.
        several = self.models if len(self.models) > 1 else ()
        alike = Counter(model.key_without_overlap for model in several)
        shared: dict[object, Sequence[TopicValue | None]] = {}
        needs = {measure.definition.needs for measure in self.measures}
        has_ideal, values = [], []
        for model in self.models if self.measures else ():
            ideal = topic.ideal(model) if needs & {"gains", "scores"} else IdealRecallBase({}, [])
            is_alike = bool(several) and alike[model.key_without_overlap] > 1
            of_model: dict[str, Sequence[TopicValue | None]] = {}
            for run in self.runs:
                if run not in topic.rankings and self.unanswered == "skip":
                    continue
                if ideal.gains and "gains" in needs and model.spans == "refuse":
                    ranking = topic.as_read(run)
                    if ranking.passages:
                        raise InputError(
                            f"{ranking.source}, rank {min(ranking.passages) + 1}",
                            f"the result is a passage, and the user model {model.name} accepts "
                            "elements only (spans: smallest_element takes the smallest element around "
                            "a passage; the user models spans and spans-levels score results as text)",
                        )
                is_shared = is_alike and not topic.depends_on_overlap(run, model)
                key = run, model.key_without_overlap if is_shared else model.name
                if key not in shared:
                    shared[key] = self._run_values(topic, run, model, ideal)
                of_model[run] = shared[key]
            has_ideal.append(bool(ideal.gains))
            values.append(of_model)
        standard = {}
        for run in self.runs if topic.name in self.span_topics else ():
            try:
                is_reference = self.runs[run].is_reference
                standard[run] = span_values(topic.span_ranking(run), self.standard, is_reference)
            except XcgError as error:
                message = f"standard measures: {error}"
                raise InputError(self.runs[run].where(topic.name), message) from None
        return TopicScores(topic.name, has_ideal, values, standard)

    def _run_values(
        self, topic: Topic, run: str, model: UserModel, ideal: IdealRecallBase
    ) -> list[TopicValue | None]:
        gains, effort = topic.gains(run, ideal, model), model.effort.parameters()
        found: list[TopicValue | None] = []
        for measure in self.measures:
            needs = measure.definition.needs
            if not ideal.gains and needs == "gains":
                found.append(None)
                continue
            try:
                value = measure.compute(gains, effort)
                if value is None:
                    text = gains.highlights if needs == "text" else None
                    is_unknown = text is not None and bool(text.relevant and text.unknown)
                    found.append(TopicValue(None, is_unknown_text=is_unknown))
                    continue
                with_max = _with_max(value, measure, gains, effort)
                needed = measure.curve_input(gains, measure.cutoff, effort)
                found.append(TopicValue(value, needed, False, with_max))
            except XcgError as error:
                raise InputError(self.runs[run].where(topic.name), f"{measure}: {error}") from None
        return found


def _with_max(
    value: float, measure: Measure, gains: RankingGains, effort: Mapping[str, str]
) -> float | None:
    """Return what a value would be with ``unretrieved=max``; None if it cannot be another."""
    settings = measure.settings(effort)
    if settings.get("effort", "ranks") != "ranks" or settings.get("average") == "gain":
        return None
    if settings.get("unretrieved") != "uncredited":
        return None
    vectors = gains.checked_gains, gains.checked_ideal, gains.not_retrieved
    return value * divisor(*vectors, "uncredited") / divisor(*vectors, "max")


_LISTED_TOPICS = 50
_LISTED_MODELS = 3
_SAMPLED = 20
_EQUAL = 1e-9  # the difference of scores
_ABOVE_1 = 1 + 1e-9  # not a rounding error


def note_topics(base: RecallBase, runs: Sequence[Run], unanswered: Unanswered, notes: Notes) -> None:
    """Note which topics of runs have no assessments, and which assessed topics have no results.

    Warn if a run answers no assessed topic; XcgError if this holds for all runs.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    useless: dict[str, list[tuple[str, str]]] = {}
    for run in runs:
        texts = found[run.name] = []
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
            useless[run.name] = [("", warning)]
        elif missing:
            texts.append(("", f": not answered, so {counted}: topic {list_topics(missing)}"))
    others = sorted({t for run in runs for t in run.answered | run.skipped}, key=topic_key)
    if len(useless) == len(runs) and others and base.topics and not notes.lenient:
        stated, assessed = (first_names([repr(t) for t in names], 3) for names in (others, base.topics))
        raise XcgError(f"no topic of the runs is assessed: runs have {stated}, assessments {assessed}")
    _note_runs(runs, useless, notes.warning)
    _note_runs(runs, found, notes.note)


def _note_runs(
    runs: Sequence[Run], found: Mapping[str, Sequence[tuple[str, str]]], add: Callable[[str], None]
) -> None:
    """Note texts about runs; a text that holds under all strategies once, under the run's own name.

    Args:
        runs: The runs.
        found: Name of a run → the parts of its notes before and after the name.
        add: Adds a note.
    """
    originals = {run.name: run.name_as_read for run in runs}
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
    model: str, measures: Sequence[Measure], scored: Sequence[ScoredRun], number: int, notes: Notes
) -> None:
    """Note for which topics the runs have no values under a user model."""
    found: dict[str, list[tuple[str, str]]] = {}
    for run, of_models, _ in scored:
        undefined: dict[tuple[str, ...], list[str]] = {}
        texts: list[tuple[str, str]] = []
        for measure, values in zip(measures, of_models[number], strict=True):
            if unknown := tuple(topic for topic, one in values.items() if one.is_unknown_text):
                undefined.setdefault(unknown, []).append(str(measure))
        if undefined:
            means = [
                f"of {', '.join(names)}: topic {list_topics(topics)}"
                for topics, names in undefined.items()
            ]
            reason = "the corpus lacks the text of results, so not in the means"
            texts.append(("", f": {reason} {'; '.join(means)}"))
        if not all(map(defined, of_models[number])):
            texts.append((f"{model}: ", " has no topic to average over"))
        found[run.name] = texts
    _note_runs([one.run for one in scored], found, notes.note)


def note_unspaced(model: UserModel, corpus: Corpus, notes: Notes) -> None:
    """Note if a user model counts words in text that is written without spaces."""
    names = list(islice(corpus, _SAMPLED))
    unspaced = [name for name in names if is_unspaced(corpus.tree(name).text)]
    if 2 * len(unspaced) > len(names):
        notes.note(
            f"{model.name}: words are counted in text without spaces, such as {unspaced[0]}: "
            "expected the unit tokens or characters"
        )


def note_above_1(
    rows: Sequence[Result],
    models: Sequence[UserModel],
    measures: Sequence[Measure],
    has_nuggets: bool,
    notes: Notes,
) -> None:
    """Note the scores above 1 of measures that compare with the ideal ranking, and their reason."""
    bounded = {str(measure) for measure in measures if measure.definition.range == BOUND}
    by_name = {model.name: model for model in models}
    above: dict[str, list[Result]] = {}
    for row in rows:
        if row.measure in bounded and row.value > _ABOVE_1:
            model = by_name[row.user_model]
            reason = _reason_with_nuggets(model) if has_nuggets else model.reason_above_1
            above.setdefault(reason, []).append(row)
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


def _reason_with_nuggets(model: UserModel) -> str:
    if model.relevance_value.alpha < 1:
        return "a nugget that was seen gains again"
    return "the ideal ranking takes texts of nuggets one by one, and a result can state several"


def note_other_order(
    models: Sequence[str], measures: Sequence[Measure], scored: Sequence[ScoredRun], notes: Notes
) -> None:
    """Note how many pairs of runs ``unretrieved=max`` would order differently, if any.

    Args:
        models: The names of the user models.
        measures: The measures of the runs' values.
        scored: The runs, without greedy references.
        notes: The notes.
    """
    compared = changed = total = 0
    largest, example = 0.0, ""
    for position, measure in enumerate(measures):
        for number, model in enumerate(models):
            means = {}
            for run, of_models, _ in scored:
                values = of_models[number][position]
                with_max = [v.with_max for v in values.values() if v.with_max is not None]
                if with_max:
                    default = measure.aggregate([*defined(values).values()])
                    means[run.name] = default, measure.aggregate(with_max)
            compared += bool(means)
            for one, two in combinations(sorted(means, key=lambda name: -means[name][0]), 2):
                difference, other = (a - b for a, b in zip(means[one], means[two], strict=True))
                total += 1
                sign, sign_with_max = ((d > _EQUAL) - (d < -_EQUAL) for d in (difference, other))
                if sign != sign_with_max:
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
