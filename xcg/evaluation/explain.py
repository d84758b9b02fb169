"""Why a result got its gain: what was seen, what was left, and what was missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from xcg.documents.tree import ElementTree
from xcg.errors import MissingSizeError, Notes, XcgError, nearest
from xcg.evaluation.campaign import Campaign, TopicView
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Runs, UserModels
from xcg.evaluation.results import NotedList
from xcg.gains.element_reader import NEGLIGIBLE, JudgedDocument, Reader
from xcg.gains.topic import IdealTopic, Stages, ranking_gains
from xcg.measures.gain_vectors import vector
from xcg.runs.run import Ties
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import RelevanceValue

Seen = Literal["no", "partly", "fully"]


class Related(NamedTuple):
    """An ideal element that a result is, contains, lies in or is near to; and what was left of it."""

    path: str
    score: float
    left: float
    span: tuple[int, int] | None = None
    """The characters of a gold span, where results count as text."""


class ExplainedResult(NamedTuple):
    """One result of a ranking, and why it gained what it gained.

    assessment: as the papers write it, empty where nobody assessed the element. score: quantised. seen:
    how much of it earlier results had shown, ``through`` these ranks. value: its relevance value before
    the normalisation, None where nothing depends on it. related: the ideal elements around it.
    """

    rank: int
    file: str
    path: str
    assessment: str
    score: float
    seen: Seen
    through: list[int]
    value: float | None
    related: list[Related]
    gain: float
    why: str
    span: tuple[int, int] | None = None
    """Its characters, where results count as text."""


class MissedElement(NamedTuple):
    """An ideal element, or gold span, that no result earned anything from."""

    file: str
    path: str
    assessment: str
    score: float
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Explanation:
    """A ranking for one topic under one user model, result by result."""

    run: str
    topic: str
    user_model: str
    results: Sequence[ExplainedResult]
    missed: Sequence[MissedElement]
    ideal_gain: float
    documents: Mapping[str, ElementTree]
    judged: Mapping[str, JudgedDocument]
    labels: Mapping[str, Mapping[int, str]]

    def _repr_html_(self) -> str:
        """Return the results as a table for a notebook."""
        from xcg.report.notebooks import explanation_html

        return explanation_html(self)

    def to_records(self) -> list[dict[str, object]]:
        """Return plain objects, one a result and then one a missed element."""
        records: list[dict[str, object]] = []
        for result in self.results:
            related = [_spans_only_where(ideal._asdict()) for ideal in result.related]
            records.append({**result._asdict(), "related": related})
        for missed in self.missed:
            records.append({"rank": None, **missed._asdict(), "why": "missed"})  # noqa: PERF401
        return [_spans_only_where(record) for record in records]


def _spans_only_where(record: dict[str, object]) -> dict[str, object]:
    """Return a record without an empty span."""
    return {key: value for key, value in record.items() if key != "span" or value}


def explain(
    assessments: Assessments,
    runs: Runs,
    topic: str,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    *,
    ties: Ties = "document",
    lenient: bool = False,
) -> NotedList[Explanation]:
    """Explain every run's ranking for a topic, under every user model.

    The gains are those of :func:`xcg.evaluate`, by the same steps. Raises XcgError for an unknown
    topic, one without an ideal element, and as :func:`xcg.evaluate`.

    >>> base = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    >>> (found,) = explain(base, {"r": {"1": ["d#/a/s[1]", "d#/a/s[1]"]}}, "1")
    >>> [(result.gain, result.why) for result in found.results]
    [(1.0, 'ideal, and new to the reader'), (0.0, 'it was returned at rank 1')]
    >>> [missed.path for missed in found.missed]
    ['/a[1]/s[2]']
    """
    inputs = Inputs(assessments, runs, corpus, user_model, ties=ties, lenient=lenient, topics=[topic])
    return explain_inputs(inputs, topic)


def explain_inputs(inputs: Inputs, topic: str) -> NotedList[Explanation]:
    """Explain every run's ranking for a topic, as :func:`explain` does."""
    base = inputs.recall_base
    if topic not in base:
        raise XcgError(f"no assessments for topic {topic!r}: {nearest(topic, base.topics)}")
    documents, loaded, models = inputs.documents, inputs.loaded_runs, inputs.user_models
    notes = Notes(inputs.lenient)
    notes.take(inputs.notes)
    campaign = Campaign(base, loaded, documents, notes)
    stages = Stages(campaign.topic(topic), campaign)
    found = []
    for model in models:
        ideal = stages.ideal(model)
        if not ideal.gains:
            raise XcgError(f"topic {topic} has no ideal element under {model.name}")
        for run in loaded:
            if ideal.gold is not None:
                from xcg.evaluation.explain_spans import explain_spans

                found.append(explain_spans(stages, run.name, ideal, model))
                continue
            ranking = run.rankings.get(topic)
            paths = list(ranking.paths) if ranking is not None else []
            found.append(_explained(run.name, paths, stages.view, ideal, model))
    return NotedList(found, notes.lines())


class _Watch:
    """Notes how things stand before each result is read."""

    def __init__(self) -> None:
        self.seen: dict[int, tuple[Seen, list[int]]] = {}
        self.value: dict[int, float | None] = {}
        self.related: dict[int, list[tuple[int, float]]] = {}

    def __call__(self, place: int, row: int, reader: Reader) -> None:
        self.seen[place] = reader.seen_through(row)
        _, related = reader.document.related(row)
        self.related[place] = [(ideal, reader.left(ideal)) for ideal in related]
        try:
            self.value[place] = reader.value(row)
        except MissingSizeError:
            # The evaluation asks for a size only where it can change a gain, and will do so itself.
            self.value[place] = None


def _explained(
    run: str, paths: Sequence[str], view: TopicView, ideal: IdealTopic, model: UserModel
) -> Explanation:
    ranking = view.ranking(run)
    watch = _Watch()
    gains: list[float] = vector(ranking_gains(ranking, ideal, model, watch=watch).gains).tolist()
    ranks: dict[tuple[str, int], int] = {}
    results = []
    earned: set[tuple[str, int]] = set()
    for place, ((file, row), gain) in enumerate(zip(ranking, gains, strict=True)):
        document = ideal.documents.get(file)
        if document is None or row is None or place not in watch.seen:
            label = _label(view, file, row)
            why = "nothing in this document is relevant" if document is None else "no such element"
            path = paths[place] or "passage"
            results.append(
                ExplainedResult(place + 1, file, path, label, 0.0, "no", [], None, [], gain, why)
            )
            continue
        tree = document.tree
        seen, through = watch.seen[place]
        rows = sorted(ranks[file, earlier] for earlier in through)
        related = [
            Related(tree.path(i), document.ideal_scores[i], left) for i, left in watch.related[place]
        ]
        if gain > 0:
            earned |= {(file, i) for i, _ in watch.related[place]}
        value = watch.value[place]
        score = document.scores.get(row, 0.0)
        rule = model.relevance_value
        case = _Case(document, row, score, seen, through, rows, related, value, gain, rule)
        results.append(
            ExplainedResult(
                place + 1,
                file,
                tree.path(row),
                _label(view, file, row),
                score,
                seen,
                rows,
                value,
                related,
                gain,
                _why(case),
            )
        )
        ranks.setdefault((file, row), place + 1)
    missed = [
        MissedElement(
            file, document.tree.path(row), _label(view, file, row), document.ideal_scores[row]
        )
        for file, document in sorted(ideal.documents.items())
        for row in document.ideal
        if (file, row) not in earned
    ]
    labels = {
        file: {row: assessment.label for row, assessment in rows.items()}
        for file, rows in view.assessed.items()
    }
    return Explanation(
        run,
        view.topic,
        model.name,
        results,
        sorted(missed, key=lambda element: -element.score),
        sum(ideal.gains),
        view.trees,
        ideal.documents,
        labels,
    )


def _label(view: TopicView, file: str, row: int | None) -> str:
    assessment = view.assessed.get(file, {}).get(row) if row is not None else None
    return assessment.label if assessment is not None else ""


class _Case(NamedTuple):
    """What a sentence depends on."""

    document: JudgedDocument
    row: int
    score: float
    seen: Seen
    showing: Sequence[int]
    ranks: Sequence[int]
    related: Sequence[Related]
    value: float | None
    gain: float
    rule: RelevanceValue

    @property
    def at(self) -> str:
        """The ranks that showed the result."""
        several = len(self.ranks) > 1
        return ("ranks " if several else "rank ") + ", ".join(map(str, self.ranks))


def _why(case: _Case) -> str:
    """Say in plain words why a result gained what it gained."""
    return _why_nothing(case) or _why_less(case) or _why_all(case)


def _why_nothing(case: _Case) -> str:
    """Say why a result gained nothing; empty where it did, or could have."""
    if case.gain > 0:
        return ""
    if case.seen == "fully" and case.rule.alpha == 1:
        return f"{_shown(case.document, case.row, case.showing)} was returned at {case.at}"
    if case.rule.near_misses.name == "exact" and case.row not in case.document.ideal_scores:
        return "not ideal, and only ideal elements gain anything"
    if case.score <= 0:
        return "not relevant"
    if case.rule.normalisation == "subtree" and sum(i.left for i in case.related) < NEGLIGIBLE:
        return (
            f"nothing is left of {_names(case.related)}"
            if case.related
            else "relevant, but near to no ideal element"
        )
    return f"what is new behind {case.at} is worth nothing"


def _why_less(case: _Case) -> str:
    """Say why a result gained less than its score; empty where it did not."""
    value, left = case.value, sum(ideal.left for ideal in case.related)
    normalised = case.rule.normalisation == "subtree"
    if normalised and value is not None and case.gain < value - NEGLIGIBLE:
        return f"worth {value:.4g}, but only {left:.4g} is left of {_names(case.related)}"
    if case.seen == "fully":
        return f"seen at {case.at}: (1 − α) of its score"
    if case.seen == "partly":
        return f"parts of it were returned at {case.at}; the rest is worth {case.gain:.4g}"
    return ""


def _why_all(case: _Case) -> str:
    """Say what a result is that gained its score."""
    path = case.document.tree.path(case.row)
    if case.row in case.document.ideal_scores:
        return "ideal, and new to the reader"
    if not case.related:
        return "relevant, and new to the reader"
    how = "stands near"
    if any(path.startswith(f"{ideal.path}/") for ideal in case.related):
        how = "lies in"
    elif any(ideal.path.startswith(f"{path}/") for ideal in case.related):
        how = "contains"
    return f"a near-miss: {how} the ideal {_names(case.related)}"


def _shown(document: JudgedDocument, row: int, showing: Sequence[int]) -> str:
    """Name the earlier result that showed an element: itself, or what contains it."""
    (above,) = showing
    if above == row:
        return "it"
    name = document.tree.path(above).rpartition("/")[2]
    return f"its {'parent' if above == document.parent[row] else 'ancestor'} {name}"


def _names(related: Sequence[Related]) -> str:
    return ", ".join(ideal.path.rpartition("/")[2] for ideal in related)
