"""Explain why each result of a ranking gained what it gained, and what was missed.

The explanation drives the readers of the evaluation result by result, so its gains are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from xcg.errors import XcgError, nearest
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.explanation import (
    ExplainedResult,
    Explanation,
    Explanations,
    MissedElement,
    RelatedIdeal,
)
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Runs, UserModels
from xcg.gains.element_reader import ElementReader, JudgedDocument
from xcg.gains.reader import RELATIVE_THRESHOLD, Reader, Seen
from xcg.gains.span_reader import GoldSpan, SpanReader, UnitSpan
from xcg.gains.topic import ElementReaders, GainCalculator, IdealRecallBase
from xcg.runs.run import Ties
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import RelevanceValue


def explain(
    assessments: Assessments,
    runs: Runs,
    topic: str,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    *,
    ties: Ties = "document",
    lenient: bool = False,
) -> Explanations:
    """Explain every run's ranking for a topic, under every user model.

    Args:
        assessments: As :func:`xcg.evaluate` takes them, like all arguments not named here.
        runs: The runs.
        topic: The topic's id.
        corpus: The documents.
        user_model: The user models.
        ties: The order of TREC results with equal scores.
        lenient: Count wrong data as warnings instead of raising.

    Returns:
        One explanation per user model and run, with ``notes``. Print it to read it.

    Raises:
        XcgError: If the topic is unknown or has no ideal element, and as :func:`xcg.evaluate`.

    >>> base = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    >>> (found,) = explain(base, {"r": {"1": ["d#/a/s[1]", "d#/a/s[1]"]}}, "1")
    >>> [(result.gain, result.why) for result in found.results]
    [(1.0, 'ideal, and new to the reader'), (0.0, 'it was returned at rank 1')]
    >>> [missed.path for missed in found.missed]
    ['/a[1]/s[2]']
    """
    inputs = Inputs(assessments, runs, corpus, user_model, ties=ties, lenient=lenient, topics=[topic])
    return explain_inputs(inputs, topic)


def explain_inputs(inputs: Inputs, topic: str) -> Explanations:
    """Explain every run's ranking for a topic, as :func:`explain` does."""
    base = inputs.recall_base
    if topic not in base:
        raise XcgError(f"no assessments for topic {topic!r}: {nearest(topic, base.topics)}")
    inputs.check()
    campaign, models = Campaign.of(inputs), inputs.user_models
    notes = inputs.new_notes()
    calculator = GainCalculator(campaign.topic(topic, notes), campaign)

    def explanations() -> Iterator[Explanation]:
        for model in models:
            ideal = calculator.ideal(model)
            if not ideal.gains:
                raise XcgError(f"topic {topic} has no ideal element under {model.name}")
            for run in campaign.runs:
                ranking: _Ranking = (
                    _ElementRanking(calculator, run, ideal, model)
                    if ideal.gold is None
                    else _TextRanking(calculator, run, ideal, model)
                )
                yield _explanation(ranking, calculator, run, ideal, model)

    return Explanations(explanations(), notes.lines())


class _Reading(NamedTuple):
    """A result with what its reader knew before and after reading it.

    ``earlier`` has the numbers of earlier results as the reader counts them, ``through`` their ranks.
    """

    file: str
    result: Any
    reader: Any
    score: float
    seen: Seen
    earlier: list[int]
    through: list[int]
    value: float | None
    ideals: list[int]
    related: list[RelatedIdeal]
    gain: float

    @property
    def left(self) -> float:
        """What could still be gained from the related ideal elements or gold spans."""
        return sum(ideal.left for ideal in self.related)

    @property
    def names(self) -> str:
        """The related ideal elements by their last steps, or the gold spans."""
        return ", ".join(ideal.path.rpartition("/")[2] for ideal in self.related)

    @property
    def at(self) -> str:
        """The ranks of the earlier results that showed it."""
        return ("ranks " if len(self.through) > 1 else "rank ") + ", ".join(map(str, self.through))


class _Ranking(Protocol):
    """A ranking of elements or of text: how its results are read, named and explained."""

    @property
    def judged(self) -> Mapping[str, JudgedDocument]:
        """Document → its scored elements."""

    @property
    def labels(self) -> Mapping[str, Mapping[int, str]]:
        """Document → row → assessment as the papers write it."""

    def results(self) -> Iterator[tuple[str, Any, Reader[Any] | None]]:
        """Yield document, result and reader; the reader is None for a result that is not read."""

    def path(self, position: int) -> str:
        """Return the name of a result."""

    def span(self, position: int) -> tuple[int, int] | None:
        """Return the characters of a result, if results are scored as text."""

    def label(self, position: int) -> str:
        """Return the assessment of a result as the papers write it."""

    def related(self, file: str, ideal: int, left: float) -> RelatedIdeal:
        """Describe an ideal element or gold span."""

    def gained_from(self, reading: _Reading) -> Sequence[int]:
        """Return the ideal elements or gold spans from which a result gained."""

    def why(self, reading: _Reading) -> str:
        """Explain the gain of a result that was read."""

    def why_not_read(self, file: str) -> str:
        """Explain why a result was not read."""

    def ideals(self) -> Iterator[tuple[int, MissedElement]]:
        """Yield all ideal elements or gold spans, each with its number in its document."""


def _explanation(
    ranking: _Ranking, calculator: GainCalculator, run: str, ideal: IdealRecallBase, model: UserModel
) -> Explanation:
    ranks: dict[str, list[int]] = {}  # of the results that each reader has read
    gained_from: set[tuple[str, int]] = set()
    results = []
    for position, (file, result, reader) in enumerate(ranking.results()):
        rank, path = position + 1, ranking.path(position)
        label, span = ranking.label(position), ranking.span(position)
        if reader is None:
            why = ranking.why_not_read(file)
            results.append(
                ExplainedResult(rank, file, path, label, 0.0, "no", [], None, [], 0.0, why, span)
            )
            continue
        reading = _read(ranking, file, result, reader, ranks.setdefault(file, []))
        ranks[file].append(rank)
        gained_from.update((file, number) for number in ranking.gained_from(reading))
        results.append(
            ExplainedResult(
                rank,
                file,
                path,
                label,
                reading.score,
                reading.seen,
                reading.through,
                reading.value,
                reading.related,
                reading.gain,
                ranking.why(reading),
                span,
            )
        )
    missed = [one for number, one in ranking.ideals() if (one.file, number) not in gained_from]
    return Explanation(
        run,
        calculator.topic.topic,
        model.name,
        results,
        sorted(missed, key=lambda element: -element.score),
        sum(ideal.gains),
        calculator.topic.trees,
        ranking.judged,
        ranking.labels,
    )


def _read(
    ranking: _Ranking, file: str, result: Any, reader: Reader[Any], ranks: Sequence[int]
) -> _Reading:
    """Look at what a reader knows of a result, and let it read the result."""
    seen, earlier = reader.seen(result)
    ideals = reader.related(result)
    related = [ranking.related(file, ideal, reader.remaining(ideal)) for ideal in ideals]
    score, value = reader.score(result), reader.value(result)
    through = [ranks[number] for number in earlier]
    gain = reader.read(result)
    return _Reading(file, result, reader, score, seen, earlier, through, value, ideals, related, gain)


class _ElementRanking:
    """A ranking of elements."""

    def __init__(
        self, calculator: GainCalculator, run: str, ideal: IdealRecallBase, model: UserModel
    ) -> None:
        self._topic = calculator.topic
        self._ranking = calculator.topic.ranking(run)
        self._readers = ElementReaders(ideal, model)
        self._rule = model.relevance_value
        self.judged = ideal.documents
        self.labels = {
            file: {row: assessment.label for row, assessment in rows.items()}
            for file, rows in self._topic.assessed.items()
        }

    def results(self) -> Iterator[tuple[str, int | None, ElementReader | None]]:
        for file, row in self._ranking:
            yield file, row, self._readers[file] if row is not None else None

    def path(self, position: int) -> str:
        file, row = self._ranking.files[position], self._ranking.rows.get(position)
        if row is not None and file in self.judged:
            return self.judged[file].tree.path(row)
        return self._ranking.ranking.paths[position] or "passage"

    def span(self, position: int) -> tuple[int, int] | None:
        return None

    def label(self, position: int) -> str:
        row = self._ranking.rows.get(position)
        return self._label(self._ranking.files[position], row) if row is not None else ""

    def _label(self, file: str, row: int) -> str:
        return self.labels.get(file, {}).get(row, "")

    def related(self, file: str, ideal: int, left: float) -> RelatedIdeal:
        document = self.judged[file]
        return RelatedIdeal(document.tree.path(ideal), document.ideal_scores[ideal], left)

    def gained_from(self, reading: _Reading) -> Sequence[int]:
        return reading.ideals if reading.gain > 0 else []

    def ideals(self) -> Iterator[tuple[int, MissedElement]]:
        for file, document in sorted(self.judged.items()):
            for row in document.ideal:
                path, label = document.tree.path(row), self._label(file, row)
                yield row, MissedElement(file, path, label, document.ideal_scores[row])

    def why_not_read(self, file: str) -> str:
        return "no such element" if file in self.judged else "nothing in this document is relevant"

    def why(self, reading: _Reading) -> str:
        return (
            _why_no_gain(reading, self._rule)
            or _why_less_than_score(reading, self._rule)
            or _why_full_score(reading)
        )


def _why_no_gain(reading: _Reading, rule: RelevanceValue) -> str:
    if reading.gain > 0:
        return ""
    reader: ElementReader = reading.reader
    document = reader.document
    if reading.seen == "fully" and rule.alpha == 1:
        return f"{_container(reading)} was returned at {reading.at}"
    if rule.near_misses.name == "exact" and reading.result not in document.ideal_scores:
        return "not ideal, and only ideal elements gain anything"
    if reading.score <= 0:
        return "not relevant"
    if rule.normalisation == "subtree" and reading.left <= document.threshold:
        used_up = f"nothing is left of {reading.names}"
        return used_up if reading.related else "relevant, but near to no ideal element"
    return f"what is new after {reading.at} is worth nothing"


def _why_less_than_score(reading: _Reading, rule: RelevanceValue) -> str:
    value, threshold = reading.value, reading.reader.document.threshold
    normalised = rule.normalisation == "subtree"
    if normalised and value is not None and reading.gain < value - threshold:
        return f"worth {value:.4g}, but only {reading.left:.4g} is left of {reading.names}"
    if reading.seen == "fully":
        return f"seen at {reading.at}: (1 − α) of its score"
    if reading.seen == "partly":
        return f"parts of it were returned at {reading.at}; the rest is worth {reading.gain:.4g}"
    return ""


def _why_full_score(reading: _Reading) -> str:
    document = reading.reader.document
    path = document.tree.path(reading.result)
    if reading.result in document.ideal_scores:
        return "ideal, and new to the reader"
    if not reading.related:
        return "relevant, and new to the reader"
    relation = "is near"
    if any(path.startswith(f"{ideal.path}/") for ideal in reading.related):
        relation = "lies in"
    elif any(ideal.path.startswith(f"{path}/") for ideal in reading.related):
        relation = "contains"
    return f"a near-miss: {relation} the ideal {reading.names}"


def _container(reading: _Reading) -> str:
    """Name the earlier result that showed an element: the element itself, or an ancestor."""
    document, row = reading.reader.document, reading.result
    container = reading.reader.results[reading.earlier[0]]
    if container == row:
        return "it"
    name = document.tree.path(container).rpartition("/")[2]
    return f"its {'parent' if container == document.parent[row] else 'ancestor'} {name}"


class _TextRanking:
    """A ranking that is scored as text. Gold spans are named by their characters."""

    def __init__(
        self, calculator: GainCalculator, run: str, ideal: IdealRecallBase, model: UserModel
    ) -> None:
        self._alpha = model.relevance_value.alpha
        self._paths = calculator.topic.ranking(run).ranking.paths
        self._spans = calculator.text_spans(run)
        topic = calculator.span_topic(ideal, model)
        self._unit_spans = topic.in_units(self._spans)
        self._readers = topic.readers(model.relevance_value)
        self._gold: Mapping[str, Sequence[GoldSpan]] = topic.gold
        self._characters: dict[str, list[tuple[int, int]]] = {file: [] for file in topic.gold}
        for file, start, end, _ in calculator.gold_in_characters(ideal, model):
            self._characters[file].append((start, end))
        self.judged = {file: self._judged(calculator, file) for file in self._characters}
        self.labels: Mapping[str, Mapping[int, str]] = {}

    def _judged(self, calculator: GainCalculator, file: str) -> JudgedDocument:
        """Return the smallest elements around the gold spans of a document."""
        tree = calculator.topic.trees[file]
        scores: dict[int, float] = {}
        for span, gold in zip(self._characters[file], self._gold[file], strict=True):
            row = tree.smallest_element(*span)
            scores[row] = scores.get(row, 0.0) + gold.score
        return JudgedDocument(tree, scores, list(scores), file)

    def results(self) -> Iterator[tuple[str, UnitSpan | None, SpanReader | None]]:
        for (file, _, _), span in zip(self._spans, self._unit_spans, strict=True):
            yield file, span, self._readers[file] if span is not None else None

    def path(self, position: int) -> str:
        return self._paths[position] or _name(self._spans[position][1:])

    def span(self, position: int) -> tuple[int, int] | None:
        return self._spans[position][1:]

    def label(self, position: int) -> str:
        return ""

    def related(self, file: str, ideal: int, left: float) -> RelatedIdeal:
        span = self._characters[file][ideal]
        return RelatedIdeal(_name(span), self._gold[file][ideal].score, left, span)

    def gained_from(self, reading: _Reading) -> Sequence[int]:
        return [number for number in reading.ideals if reading.reader.earned[number] > 0]

    def ideals(self) -> Iterator[tuple[int, MissedElement]]:
        for file, spans in sorted(self._characters.items()):
            for number, span in enumerate(spans):
                score = self._gold[file][number].score
                yield number, MissedElement(file, _name(span), "", score, span)

    def why_not_read(self, file: str) -> str:
        return "it has no text"

    def why(self, reading: _Reading) -> str:
        if not reading.related:
            start, end = reading.result
            return "it has no text" if start == end else "it shows no relevant text"
        if reading.gain <= 0:
            if self._alpha == 1:
                return f"its relevant text was shown at {reading.at}"
            return f"nothing is left of {', '.join(gold.path for gold in reading.related)}"
        shares = [reading.reader.overlap(number, reading.result) for number in reading.ideals]
        shown = " and ".join(
            f"{'all' if share > 1 - RELATIVE_THRESHOLD else f'{share:.0%}'} of {gold.path}"
            for share, gold in zip(shares, reading.related, strict=True)
        )
        if reading.gain < reading.score * (1 - RELATIVE_THRESHOLD):
            if reading.through:
                return f"shows {shown}, of which {reading.at} showed some before"
            # Repeats of other text of a gold span use it up too.
            return f"shows {shown}, of which less than that is left"
        return f"shows {shown}, new to the reader"


def _name(span: tuple[int, int]) -> str:
    return f"{span[0]}–{span[1]}"
