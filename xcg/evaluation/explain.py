"""Explain why each result of a ranking gained what it gained, and what was missed.

The explanation drives the readers of the evaluation result by result, so its gains are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, cast

from xcg.answer import Answer
from xcg.errors import InputError, Notes, XcgError, nearest
from xcg.evaluation.explanation import ExplainedResult, Explanation, MissedElement, RelatedIdeal, derive
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.element_reader import element_readers
from xcg.gains.judged_topic import IdealRecallBase
from xcg.gains.nugget_reader import NuggetSpanReader
from xcg.gains.reader import RELATIVE_THRESHOLD, Reader
from xcg.gains.span_reader import UnitSpan
from xcg.gains.topic import Topic
from xcg.runs.run import UNKNOWN_SPAN, Run
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import RelevanceValue

MAX_RELATIONS = 1_000_000
"""The maximum number of pairs of a result and an earlier result or ideal element in an explanation."""

_PASSAGE = "passage"  # the name of a passage in a ranking of elements


def explain(inputs: Inputs, topic: str) -> Answer[Explanation]:
    """Explain the ranking of every run for a topic under every user model."""
    base = inputs.recall_base
    if topic not in base:
        raise XcgError(f"no assessments for topic {topic!r}: {nearest(topic, base.topics)}")
    inputs.check()
    models = inputs.user_models
    runs, notes = inputs.loaded_runs, inputs.new_notes()
    (found,) = map_topics(
        TopicSource.of(inputs), lambda one: _explain_topic(one, runs, models, notes), notes, [topic]
    )
    return Answer(found, notes.lines())


def _explain_topic(
    topic: Topic, runs: Iterable[Run], models: Iterable[UserModel], notes: Notes
) -> list[Explanation]:
    """Return one explanation per user model and run."""
    explanations = []
    for model in models:
        ideal = topic.ideal(model)
        if not ideal.gains:
            raise XcgError(f"topic {topic.name} has no ideal element under {model.name}")
        kind = _ElementRanking if ideal.gold is None else _TextRanking
        for run in runs:
            if topic.name not in run.answered:
                notes.note(f"run {run.name} has no results for topic {topic.name}")
            ranking = kind(topic, run.name, ideal, model)
            results, missed = _explained(ranking, f"run {run.name}, topic {topic.name}")
            gains = [result.gain for result in results]
            steps = derive(gains, ideal.gains, len(missed), model.effort)
            names = run.name, topic.name, model.name
            found = *names, results, missed, sum(ideal.gains)
            shown = ranking.trees, ranking.scores, ranking.labels, ranking.marks
            explanations.append(Explanation(*found, *shown, steps, model.settings))
    return explanations


class _Reading(NamedTuple):
    """An explained result, still without its reason, with what the reason depends on.

    ``earlier`` has the numbers of earlier results as the reader counts them.
    """

    explained: ExplainedResult
    result: Any
    reader: Any
    earlier: list[int]
    ideals: list[int]

    @property
    def left(self) -> float:
        """What could still be gained from the related ideal elements or gold spans."""
        return sum(ideal.left for ideal in self.explained.related)

    @property
    def names(self) -> str:
        """The related ideal elements by short paths."""
        return ", ".join(map(self.reader.document.tree.short_path, self.ideals))

    @property
    def at(self) -> str:
        """The ranks of the earlier results that showed it."""
        ranks = self.explained.through
        return ("ranks " if len(ranks) > 1 else "rank ") + ", ".join(map(str, ranks))


def _explained(
    ranking: _ElementRanking | _TextRanking, where: str
) -> tuple[list[ExplainedResult], list[MissedElement]]:
    """Return the results, and the ideal elements that are not retrieved, best first."""
    ranks: dict[str, list[int]] = {}  # of the results that each reader has read
    gained_from: set[tuple[str, int]] = set()
    results = []
    relations = 0
    for rank, (unread, result, reader) in enumerate(ranking.results(), 1):
        found, file = unread._replace(rank=rank), unread.file
        if reader is None:
            results.append(found._replace(why=ranking.why_not_read(found)))
            continue
        seen, earlier = reader.seen(result)
        through = [ranks[file][number] for number in earlier]
        ideals = reader.related(result)
        relations += len(earlier) + len(ideals)
        if relations > MAX_RELATIONS:
            raise InputError(
                where,
                f"the first {rank} results have more than {MAX_RELATIONS} relations to earlier results "
                "and ideal elements, too many for an explanation: expected a shorter ranking",
            )
        related = [ranking.related(file, ideal, reader, result) for ideal in ideals]
        found = found._replace(score=reader.score(result), seen=seen, through=through)
        found = found._replace(value=reader.value(result), related=related, gain=reader.read(result))
        reading = _Reading(found, result, reader, earlier, ideals)
        results.append(found._replace(why=ranking.why(reading)))
        ranks.setdefault(file, []).append(rank)
        gained_from.update((file, number) for number in ranking.retrieved_by(reading))
    missed = [one for number, one in ranking.ideals() if (one.file, number) not in gained_from]
    return results, sorted(missed, key=lambda element: -element.score)


class _ElementRanking:
    """A ranking of elements."""

    def __init__(self, topic: Topic, run: str, ideal: IdealRecallBase, model: UserModel) -> None:
        self._topic = topic
        self._ranking = topic.ranking(run, model)
        self._readers = element_readers(ideal.documents, model)
        self._rule = model.relevance_value
        self._judged = ideal.documents
        self.trees = {file: document.tree for file, document in ideal.documents.items()}
        self.scores = {
            file: {row: (score, row in one.ideal_scores) for row, score in one.scores.items()}
            for file, one in ideal.documents.items()
        }
        self.marks: dict[str, list[tuple[int, int, str]]] = {}
        self.labels = {
            file: {row: assessment.label for row, assessment in rows.items()}
            for file, rows in self._topic.assessed.items()
        }

    def results(self) -> Iterator[tuple[ExplainedResult, Any, Reader[Any] | None]]:
        for (file, row), path in zip(self._ranking, self._ranking.ranking.paths, strict=True):
            if row is None:
                yield ExplainedResult(0, file, path or _PASSAGE), row, None
                continue
            document = self._judged.get(file)
            name = document.tree.path(row) if document is not None else path or _PASSAGE
            yield ExplainedResult(0, file, name, self._label(file, row)), row, self._readers[file]

    def _label(self, file: str, row: int) -> str:
        return self.labels.get(file, {}).get(row, "")

    def related(self, file: str, ideal: int, reader: Reader[int], _: int) -> RelatedIdeal:
        document, left = self._judged[file], reader.remaining(ideal)
        return RelatedIdeal(document.tree.path(ideal), document.ideal_scores[ideal], left)

    def retrieved_by(self, reading: _Reading) -> Iterable[int]:
        return cast("Iterable[int]", reading.reader.retrieved)

    def ideals(self) -> Iterator[tuple[int, MissedElement]]:
        for file, document in sorted(self._judged.items()):
            for row in document.ideal:
                path, label = document.tree.path(row), self._label(file, row)
                yield row, MissedElement(file, path, label, document.ideal_scores[row])

    def why_not_read(self, found: ExplainedResult) -> str:
        if found.file not in self._judged:
            return "nothing in this document is relevant"
        return "no element contains it" if found.path == _PASSAGE else "no such element"

    def why(self, reading: _Reading) -> str:
        if self._rule.reader is not None:
            return f"the reader {self._rule.reader} decides"
        return (
            _why_no_gain(reading, self._rule)
            or _why_less_than_score(reading, self._rule)
            or _why_full_score(reading)
        )


def _why_no_gain(reading: _Reading, rule: RelevanceValue) -> str:
    found, document = reading.explained, reading.reader.document
    if found.gain > 0:
        return ""
    if found.seen == "fully" and rule.alpha == 1:
        return f"{_container(reading)} was returned at {reading.at}"
    if rule.near_misses.name == "exact" and reading.result not in document.ideal_scores:
        return "not ideal, and only ideal elements gain anything"
    if found.score <= 0:
        return "not relevant"
    if rule.gains_at_most_left and reading.left <= document.threshold:
        used_up = f"nothing is left of {reading.names}"
        return used_up if found.related else "relevant, but near to no ideal element"
    return f"what is new after {reading.at} is worth nothing"


def _why_less_than_score(reading: _Reading, rule: RelevanceValue) -> str:
    found, threshold = reading.explained, reading.reader.document.threshold
    value = found.value if rule.normalisation.name != "none" else None
    if value is not None and found.gain < value - threshold:
        return f"worth {value:.4g}, but only {reading.left:.4g} is left of {reading.names}"
    if found.seen == "fully":
        return f"seen at {reading.at}: (1 − α) of its score"
    if found.seen == "partly":
        return f"parts of it were returned at {reading.at}; the rest is worth {found.gain:.4g}"
    return ""


def _why_full_score(reading: _Reading) -> str:
    path, ideals = reading.explained.path, [ideal.path for ideal in reading.explained.related]
    if reading.result in reading.reader.document.ideal_scores:
        return "ideal, and new to the reader"
    if not ideals:
        return "relevant, and new to the reader"
    relation = "is near"
    if any(path.startswith(f"{ideal}/") for ideal in ideals):
        relation = "lies in"
    elif any(ideal.startswith(f"{path}/") for ideal in ideals):
        relation = "contains"
    return f"a near-miss: {relation} the ideal {reading.names}"


def _container(reading: _Reading) -> str:
    """Name the earlier result that showed an element: the element itself, or an ancestor."""
    document, row = reading.reader.document, reading.result
    container = reading.reader.results[reading.earlier[0]]
    if container == row:
        return "it"
    relation = "parent" if container == document.tree.parent[row] else "ancestor"
    return f"its {relation} {document.tree.short_path(container)}"


class _TextRanking:
    """A ranking that is scored as text. Gold spans are named by their characters."""

    def __init__(self, topic: Topic, run: str, ideal: IdealRecallBase, model: UserModel) -> None:
        self._alpha = model.relevance_value.alpha
        self._names_documents = topic.names_documents
        self._paths = topic.ranking(run, model).ranking.paths
        self._spans = topic.text_spans(run, model)
        gold = topic.span_topic(ideal, model)
        self._unit_spans = gold.in_units(self._spans)
        self._readers = gold.readers(model.relevance_value)

        def ideal_part(file: str, a: float, b: float, score: float, label: str = "") -> MissedElement:
            span = None if topic.names_documents else (int(a), int(b))
            return MissedElement(file, topic.name_of(a, b), label, score, span)

        self._gold = {
            file: [ideal_part(file, *part) for part in gold]
            for file, gold in topic.gold_in_characters(ideal, model).items()
        }
        self._names = [one.name for one in ideal.nuggets]
        self._nuggets = [
            [ideal_part(*alternative, one.score, one.label) for alternative in one.alternatives]
            for one in ideal.nuggets
        ]
        self._shown: dict[int, tuple[int, str, float]] = {}  # rank and document that showed most
        parts = list(chain(*self._gold.values(), *self._nuggets))
        self.trees = {one.file: topic.trees[one.file] for one in parts}
        self.scores: dict[str, dict[int, tuple[float, bool]]] = {}
        self.marks: dict[str, list[tuple[int, int, str]]] = {}
        self.labels: dict[str, dict[int, str]] = {}
        for one in parts:
            label = one.assessment or "relevant"
            if one.span:
                self.marks.setdefault(one.file, []).append((*one.span, label))
            else:
                of_document = self.labels.setdefault(one.file, {})
                of_document[0] = ", ".join(filter(None, [of_document.get(0), label]))

    def results(self) -> Iterator[tuple[ExplainedResult, Any, Reader[Any] | None]]:
        for path, (file, *span), unit_span in zip(
            self._paths, self._spans, self._unit_spans, strict=True
        ):
            start, end = span
            reader = self._readers[file] if unit_span is not None else None
            name = "?" if tuple(span) == UNKNOWN_SPAN else f"{start}–{end}"
            shown = None if self._names_documents else (start, end)
            yield ExplainedResult(0, file, path or name, span=shown), unit_span, reader

    def related(
        self, file: str, ideal: int, reader: Reader[UnitSpan], result: UnitSpan
    ) -> RelatedIdeal:
        left, gold = reader.remaining(ideal), self._gold.get(file, ())
        if ideal < len(gold):
            return RelatedIdeal(gold[ideal].path, gold[ideal].score, left, gold[ideal].span)
        assert isinstance(reader, NuggetSpanReader)
        alternatives = self._nuggets[ideal - len(gold)]
        shown = alternatives[reader.shown(result)[ideal].alternative]
        return RelatedIdeal(shown.assessment, shown.score, left, shown.span)

    def retrieved_by(self, reading: _Reading) -> Sequence[int]:
        earned = reading.reader.earned
        return [number for number in reading.ideals if number < len(earned) and earned[number] > 0]

    def ideals(self) -> Iterator[tuple[int, MissedElement]]:
        for gold in self._gold.values():
            yield from enumerate(gold)
        for number, alternatives in enumerate(self._nuggets):
            if number not in self._shown:
                yield -1, alternatives[0]

    def why_not_read(self, found: ExplainedResult) -> str:
        return "its offset is unknown" if found.span == UNKNOWN_SPAN else "it has no text"

    def why(self, reading: _Reading) -> str:
        reader = reading.reader
        stated = self._what_is_stated(reading) if isinstance(reader, NuggetSpanReader) else []
        numbers = [number for number in reading.ideals if number < len(reader.gold)]
        gold = [] if stated and not numbers else [self._why_of_gold(reading, numbers, bool(stated))]
        return "; ".join([*gold, *stated])

    def _what_is_stated(self, reading: _Reading) -> list[str]:
        """Return which nuggets a result states: ``states n1 again, seen at rank 2 in document b``."""
        sentences = []
        for number, shown in reading.reader.shown(reading.result).items():
            nugget = number - len(reading.reader.gold)
            name, seen = self._names[nugget], reading.reader.nuggets.seen[nugget]
            share = _share(shown.share)
            sentence = f"states {name}" if share == "all" else f"states {share} of {name}"
            rank, file, before = self._shown.get(nugget, (0, "", 0.0))
            if seen > before + RELATIVE_THRESHOLD:
                self._shown[nugget] = reading.explained.rank, reading.explained.file, seen
                if rank:
                    sentence += f", of which rank {rank} in document {file} showed {before:.0%}"
            else:
                sentence += f" again, seen at rank {rank} in document {file}"
            sentences.append(sentence)
        return sentences

    def _why_of_gold(self, reading: _Reading, numbers: Sequence[int], states_nuggets: bool) -> str:
        found = reading.explained
        if not numbers:
            start, end = reading.result
            return "it has no text" if start == end else "it shows no relevant text"
        names = [gold.path for gold in found.related[: len(numbers)]]
        if found.gain <= 0:
            if self._alpha == 1:
                return f"its relevant text was shown at {reading.at}"
            return f"nothing is left of {', '.join(names)}"
        shares = [_share(reading.reader.overlap(number, reading.result)) for number in numbers]
        shown = " and ".join(f"{share} of {name}" for share, name in zip(shares, names, strict=True))
        if states_nuggets:
            return f"shows {shown}"
        if found.gain < found.score * (1 - RELATIVE_THRESHOLD):
            if found.through:
                return f"shows {shown}, of which {reading.at} showed some before"
            # Repeats of other text of a gold span use it up too.
            return f"shows {shown}, of which less than that is left"
        return f"shows {shown}, new to the reader"


def _share(share: float) -> str:
    return "all" if share > 1 - RELATIVE_THRESHOLD else f"{share:.0%}"
