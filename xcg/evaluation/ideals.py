"""What a user model makes of the judgements: the ideal elements, and what they keep and lose."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import NamedTuple

from xcg.documents.tree import UNKNOWN
from xcg.errors import Notes, XcgError, nearest
from xcg.evaluation.campaign import Campaign, TopicView
from xcg.evaluation.inputs import Assessments, Documents, Inputs, UserModels
from xcg.evaluation.results import NotedList
from xcg.gains.element_reader import JudgedDocument
from xcg.gains.topic import Stages
from xcg.lazy_modules import np
from xcg.user_model.model import UserModel


class IdealElement(NamedTuple):
    """An element of an ideal recall-base."""

    user_model: str
    topic: str
    file: str
    path: str
    assessment: str
    score: float


def ideal_elements(
    assessments: Assessments,
    topic: str,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    *,
    lenient: bool = False,
) -> NotedList[IdealElement]:
    """Return the ideal recall-base of a topic, best first, in document order where scores are equal.

    Under a user model for which results count as text, gold spans by their characters: ``120–180``.

    Raises XcgError for an unknown topic, and as :func:`evaluate`.

    >>> base = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    >>> [(element.path, element.score) for element in ideal_elements(base, "1")]
    [('/a[1]/s[1]', 1.0), ('/a[1]/s[2]', 0.5)]
    """
    inputs = Inputs(assessments, (), corpus, user_model, lenient=lenient)
    return ideal_elements_of_inputs(inputs, topic)


def ideal_elements_of_inputs(inputs: Inputs, topic: str) -> NotedList[IdealElement]:
    """Return the ideal recall-base of a topic, as :func:`ideal_elements` does."""
    base, documents = inputs.recall_base, inputs.documents
    if topic not in base:
        raise XcgError(f"no assessments for topic {topic!r}: {nearest(topic, base.topics)}")
    notes = Notes(inputs.lenient)
    notes.take(inputs.notes)
    campaign = Campaign(base, [], documents, notes)
    stages = Stages(campaign.topic(topic), campaign)
    view = stages.view
    elements: list[IdealElement] = []
    for model in inputs.user_models:
        ideal = stages.ideal(model)
        found = [
            IdealElement(model.name, topic, file, f"{start}–{end}", "", score)
            for file, start, end, score in stages.gold_in_characters(ideal, model)
        ] or [
            IdealElement(
                model.name,
                topic,
                file,
                document.tree.path(row),
                view.assessed[file][row].label,
                document.scores[row],
            )
            for file, document in sorted(ideal.documents.items())
            for row in document.ideal
        ]
        if not found:
            notes.note(f"{model.name}: topic {topic} has no ideal element")
        elements += sorted(found, key=lambda element: -element.score)
    return NotedList(elements, notes.lines())


class Selected(NamedTuple):
    """What an ideal selection keeps and loses of one topic.

    relevant: elements of the full recall-base that score above 0. ideal: those that are kept. gain: the
    sum of their scores. depth: their mean depth, 1 for a root. characters: their mean size. covered:
    the share of the text of the smallest relevant elements that lies in ideal ones. relevant_text: the
    share of the text of the ideal elements that lies in the smallest relevant ones. What needs sizes
    that are not known is None, as is a share of no text.
    """

    user_model: str
    topic: str
    relevant: int
    ideal: int
    gain: float
    depth: float | None
    characters: float | None
    covered: float | None
    relevant_text: float | None


def ideal_statistics(
    assessments: Assessments,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    *,
    lenient: bool = False,
) -> NotedList[Selected]:
    """Return a line for each user model and topic: what its ideal selection keeps and loses.

    Of gold spans, where results count as text, there are just number, gain and mean size to tell.

    Raises XcgError as :func:`xcg.evaluate`.

    >>> base = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    >>> (found,) = ideal_statistics(base)
    >>> found.relevant, found.ideal, found.gain, found.depth
    (3, 2, 1.5, 2.0)
    """
    return ideal_statistics_of_inputs(Inputs(assessments, (), corpus, user_model, lenient=lenient))


def ideal_statistics_of_inputs(inputs: Inputs) -> NotedList[Selected]:
    """Return a line for each user model and topic, as :func:`ideal_statistics` does."""
    base, models = inputs.recall_base, inputs.user_models
    notes = Notes(inputs.lenient)
    notes.take(inputs.notes)
    campaign = Campaign(base, [], inputs.documents, notes)
    topics = [Stages(campaign.topic(topic), campaign) for topic in base.topics]
    lines = (_of_topic(model, stages) for model in models for stages in topics)
    return NotedList(lines, notes.lines())


def _of_topic(model: UserModel, stages: Stages) -> Selected:
    ideal, topic = stages.ideal(model), stages.view.topic
    if ideal.gold is None:
        return _selected(model.name, stages.view, ideal.documents)
    sizes = [end - start for _, start, end, _ in stages.gold_in_characters(ideal, model)]
    stated = sum(map(len, ideal.gold.values()))
    mean = fmean(sizes) if sizes else None
    return Selected(model.name, topic, stated, len(sizes), sum(ideal.gains), None, mean, None, None)


def _selected(model: str, view: TopicView, documents: Mapping[str, JudgedDocument]) -> Selected:
    depths: list[int] = []
    sizes: list[int] = []
    leaf_text = ideal_text = both = relevant = 0
    gain = 0.0
    for file, document in documents.items():
        tree = document.tree
        scored = sorted(row for row in view.assessed[file] if document.own_scores.get(row, 0.0) > 0)
        relevant += len(scored)
        gain += sum(document.ideal_scores.values())
        depths += [int(tree.depth[row]) for row in document.ideal]
        sizes += [int(tree.characters[row]) for row in document.ideal]
        if len(tree) and int(tree.start[0]) != UNKNOWN:
            following = [*scored, len(tree)][1:]
            leaves = [r for r, after in zip(scored, following, strict=True) if after >= tree.end[r]]
            marks = np.zeros((2, int(tree.characters[0])), dtype=np.bool_)
            for kind, rows in enumerate((leaves, document.ideal)):
                for row in rows:
                    marks[kind, tree.start[row] : tree.stop[row]] = True
            leaf_text += int(marks[0].sum())
            ideal_text += int(marks[1].sum())
            both += int((marks[0] & marks[1]).sum())
    return Selected(
        model,
        view.topic,
        relevant,
        len(depths),
        gain,
        fmean(depths) if depths else None,
        fmean(sizes) if sizes and UNKNOWN not in sizes else None,
        both / leaf_text if leaf_text else None,
        both / ideal_text if ideal_text else None,
    )
