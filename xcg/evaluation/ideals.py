"""Show the ideal recall-base of a user model, and make the runs of KL's Table I of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, get_args

from xcg.answer import Answer
from xcg.documents.paths import WHOLE, split_step
from xcg.documents.tree import ElementTree
from xcg.errors import Notes, XcgError, nearest
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import RecallBase
from xcg.runs.run import Ranking, Run
from xcg.user_model.ideal import innermost
from xcg.user_model.model import UserModel


class IdealElement(NamedTuple):
    """An element of an ideal recall-base, or a gold span."""

    user_model: str
    topic: str
    file: str
    path: str
    assessment: str
    score: float


def ideal_elements(inputs: Inputs, topics: Iterable[str] | None = None) -> Answer[IdealElement]:
    """Return the ideal elements and gold spans of topics, by default of all, the best first."""
    base, notes = inputs.recall_base, inputs.new_notes()
    names = base.topics if topics is None else list(topics)
    for name in names:
        if name not in base:
            raise XcgError(f"no assessments for topic {name!r}: {nearest(name, base.topics)}")
    source = TopicSource.of(inputs, with_runs=False)
    found_topics = map_topics(source, lambda topic: topic, notes, names)
    elements: list[IdealElement] = []
    for model in inputs.user_models:
        for topic in found_topics:
            found = _ideal_elements(topic, model, base)
            if not found:
                notes.note(f"{model.name}: topic {topic.name} has no ideal element")
            elements += sorted(found, key=lambda element: -element.score)
    return Answer(elements, notes.lines())


def assessed_path(base: RecallBase, topic: str, file: str, tree: ElementTree, row: int) -> str:
    """Return the path of an assessed element; ``"/"`` if a document was assessed as a whole."""
    is_whole = row == 0 and WHOLE in base.files[topic].get(file, ())
    return WHOLE if is_whole else tree.path(row)


def _ideal_elements(topic: Topic, model: UserModel, base: RecallBase) -> list[IdealElement]:
    ideal = topic.ideal(model)
    spans = [
        IdealElement(model.name, topic.name, file, topic.name_of(start, end), "", score)
        for file, gold in topic.gold_in_characters(ideal, model).items()
        for start, end, score in gold
    ]
    spans += [
        IdealElement(model.name, topic.name, file, topic.name_of(*span), one.label, one.score)
        for one in ideal.nuggets
        for file, *span in one.alternatives
    ]
    return spans or [
        IdealElement(
            model.name,
            topic.name,
            file,
            assessed_path(base, topic.name, file, document.tree, row),
            topic.assessed[file][row].label,
            document.scores[row],
        )
        for file, document in sorted(ideal.documents.items())
        for row in document.ideal
    ]


RankingKind = Literal["ideal", "reverse_ideal", "frb", "rel_leaves"]
"""The runs of Table I of Kazai and Lalmas 2006: the elements of the ideal recall-base; these in reverse
order; all relevant elements, the full recall-base; and the relevant elements without relevant
descendants."""
RANKING_KINDS: tuple[RankingKind, ...] = get_args(RankingKind)
_IDEAL_KINDS = ("ideal", "reverse_ideal")


class _Candidate(NamedTuple):
    """An element or passage that can become a result.

    Attributes:
        score: Its quantised score; with nuggets, minus its rank in the greedy ideal ranking.
        container_score: The highest score of the ideal elements at or above it if this matters, else 0.
    """

    file: str
    path: str
    span: tuple[int, int] | None
    score: float
    container_score: float = 0.0


def ideal_run(inputs: Inputs, kind: RankingKind = "ideal") -> tuple[Run, Notes]:
    """Return a run that a recall-base defines (Kazai and Lalmas 2006, Table I).

    Results are in decreasing order of quantised score. Results with equal scores are in the order of
    their documents and paths; in ``rel_leaves``, first come those in ideal elements with higher scores.
    A topic without such results is left out, with a note.

    Args:
        inputs: Assessments, one user model and optionally documents.
        kind: ``ideal``, ``reverse_ideal``, ``frb`` or ``rel_leaves``, which is also the run's name.

    Returns:
        The run and the notes.

    Raises:
        XcgError: If there are several user models, the full recall-base or the leaves of passages are
            wanted, and as :func:`xcg.evaluate`.

    >>> base = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (2, 2), "/a/s[2]": (3, 3)}}}
    >>> for kind in RANKING_KINDS:
    ...     run, _ = ideal_run(Inputs(base), kind)
    ...     print(kind, [path for _, path in run.rankings["1"]])
    ideal ['/a[1]/s[2]', '/a[1]/s[1]']
    reverse_ideal ['/a[1]/s[1]', '/a[1]/s[2]']
    frb ['/a[1]/s[2]', '/a[1]/s[1]', '/a[1]']
    rel_leaves ['/a[1]/s[2]', '/a[1]/s[1]']
    """
    models = inputs.user_models
    if len(models) > 1:
        names = ", ".join(model.name for model in models)
        raise XcgError(f"several user models ({names}): expected one, --user-model NAME")
    base, model = inputs.recall_base, models[0]
    source, notes = TopicSource.of(inputs, with_runs=False), inputs.new_notes()
    rankings = {}
    found = map_topics(
        source,
        lambda topic: (topic.name, sorted(_candidates(topic, model, kind, base), key=_sort_key)),
        notes,
    )
    for topic, candidates in found:
        if kind == "reverse_ideal":
            candidates.reverse()
        if candidates:
            rankings[topic] = Ranking.of([(one.file, one.path, one.span) for one in candidates])
        else:
            what = "ideal" if kind in _IDEAL_KINDS else "relevant"
            notes.note(f"{model.name}: topic {topic} has no {what} element")
    return Run(kind, rankings), notes


def _candidates(
    topic: Topic, model: UserModel, kind: RankingKind, base: RecallBase
) -> Iterator[_Candidate]:
    ideal = topic.ideal(model)
    if ideal.gold is not None:
        if kind not in _IDEAL_KINDS:
            raise XcgError(
                f"{kind} consists of elements, but the user model {model.name} scores results as text: "
                "expected ideal, reverse_ideal, or another user model"
            )
        if ideal.nuggets:
            for rank, (file, span) in enumerate(topic.ideal_nuggets(ideal, model)):
                is_text = not topic.names_documents
                yield _Candidate(file, "" if is_text else WHOLE, span if is_text else None, -rank)
            return
        for file, gold in topic.gold_in_characters(ideal, model).items():
            for start, end, score in gold:
                yield _Candidate(file, "", (start, end), score)
        return
    for file, document in ideal.documents.items():
        rows: Iterable[int] = document.ideal
        if kind not in _IDEAL_KINDS:
            assessed = topic.assessed[file]
            rows = [r for r in assessed if assessed[r].relevant or document.own_scores.get(r, 0.0) > 0]
        if kind == "rel_leaves":
            rows = innermost(document.tree, sorted(rows))
        for row in rows:
            path = assessed_path(base, topic.name, file, document.tree, row)
            above = [document.ideal_scores.get(up, 0.0) for up in (row, *document.rows.ancestors[row])]
            container_score = max(above) if kind == "rel_leaves" else 0.0
            yield _Candidate(file, path, None, document.own_scores.get(row, 0.0), container_score)


def _sort_key(one: _Candidate) -> tuple[object, ...]:
    """Sort by score; then by names and numbers, because without documents their order is unknown."""
    steps = [split_step(step) for step in one.path.split("/")[1:]]
    return -one.score, -one.container_score, one.file, steps, one.span or (0, 0)
