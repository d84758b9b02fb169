"""Alternative assessments of the same topics: agreement of assessors, and scores by each of them.

The experiment of Kazai and Lalmas 2006, section 6.2.1. :mod:`xcg.statistics.assessor_combinations`
continues it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import product

from xcg.errors import Notes, NothingToAverageError, XcgError
from xcg.evaluation.default_models import default_model
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Assessments, Inputs, UserModels, resolve_user_models
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase, topic_key
from xcg.lazy_modules import np, npt
from xcg.runs.run import Run
from xcg.statistics.topic_scores import Floats
from xcg.user_model.model import UserModel

SECTIONS = frozenset({"sec", "ss1", "ss2", "ss3", "section"})
PARAGRAPHS = frozenset({"p", "ip1", "p1", "para"})

_Element = tuple[str, str, str]  # topic, file, path


def agreement(first: RecallBase, second: RecallBase) -> dict[str, float]:
    """Compute the agreement of two assessors over all topics that both have.

    The agreement is |relevant to both| / |relevant to either| (Kazai and Lalmas 2006, section 6.2.1,
    where 5 topics of INEX 2004 have 0.237, 0.185, 0.103 and about 0.02). For the variation over topics,
    call this function with recall-bases of one topic.

    Args:
        first: Assessments by one assessor.
        second: Assessments by another; the order does not matter.

    Returns:
        ``article``: agreement on files with a relevant element; ``section`` and ``paragraph``: on
        relevant elements with the tags :data:`SECTIONS` and :data:`PARAGRAPHS`; ``exact``: on relevant
        elements, counting only equal assessments on the same scale as agreement. Each is from 0 to 1,
        or NaN if nothing of the kind is relevant.

    Raises:
        XcgError: If the assessors share no topic, or there are relevant passages without assessed
            elements.

    >>> one = RecallBase.of({"1": {"d": {"/article/sec[1]": (3, 3), "/article/sec[2]": (1, 1)}}})
    >>> two = RecallBase.of({"1": {"d": {"/article/sec[1]": (2, 3)}}})
    >>> agreement(one, two)
    {'article': 1.0, 'section': 0.5, 'paragraph': nan, 'exact': 0.0}
    """
    topics = [topic for topic in first.topics if topic in second]
    if not topics:
        raise XcgError("the two assessors share no topic: expected at least one")
    one: dict[_Element, Assessment] = {}
    two: dict[_Element, Assessment] = {}
    for topic in topics:
        one |= _relevant(first, topic)
        two |= _relevant(second, topic)
    by_kind: dict[str, tuple[AbstractSet[object], AbstractSet[object]]] = {
        "article": ({element[:2] for element in one}, {element[:2] for element in two}),
        "section": (_with_tags(one, SECTIONS), _with_tags(two, SECTIONS)),
        "paragraph": (_with_tags(one, PARAGRAPHS), _with_tags(two, PARAGRAPHS)),
    }
    compared = {kind: (a & b, a | b) for kind, (a, b) in by_kind.items()}
    compared["exact"] = one.items() & two.items(), one.keys() | two.keys()
    return {kind: len(a) / len(b) if b else math.nan for kind, (a, b) in compared.items()}


def _relevant(base: RecallBase, topic: str) -> dict[_Element, Assessment]:
    """Return the assessments of relevant elements, without sizes."""
    files = base.files(topic)
    for passages_by_file in (base.spans(topic), base.passages(topic)):
        for file, passages in passages_by_file.items():
            if passages and file not in files:
                raise XcgError(
                    f"topic {topic}, {file}: relevant passages without assessed elements; agreement "
                    "needs assessed elements"
                )
    return {
        (topic, file, path): assessment._replace(characters=None)
        for file, elements in files.items()
        for path, assessment in elements.items()
        if assessment.relevant
    }


def _with_tags(elements: Collection[_Element], tags: Collection[str]) -> set[_Element]:
    def tag(path: str) -> str:
        return path.rpartition("/")[2].partition("[")[0]

    return {element for element in elements if tag(element[2]) in tags}


@dataclass(frozen=True, eq=False)
class AssessorScores:
    """Scores of runs by each of several assessors.

    Args:
        runs: Names of the runs.
        topics: Names of the topics.
        scores: Array of shape (assessors, topics, runs). NaN means that the assessor did not assess the
            topic, that the topic has no ideal element, or that the run has no score for it.
        assessed: Array of shape (assessors, topics): whether the assessor assessed the topic.
        notes: Notes and warnings of the evaluations.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Floats
    assessed: npt.NDArray[np.bool_]
    notes: tuple[str, ...] = ()

    @property
    def assessors(self) -> list[list[int]]:
        """The indices of the assessors of each topic."""
        return [np.flatnonzero(column).tolist() for column in self.assessed.T]

    @property
    def double_judged(self) -> AssessorScores:
        """The scores for topics with several assessors.

        All topics give an upper bound of stability, the double-judged topics a lower bound (Kazai and
        Lalmas 2006, section 6.2.1.1).
        """
        kept = [i for i, assessors in enumerate(self.assessors) if len(assessors) > 1]
        return replace(
            self,
            topics=tuple(self.topics[i] for i in kept),
            scores=self.scores[:, kept],
            assessed=self.assessed[:, kept],
        )


def scores_by_assessor(assessments: Sequence[Assessments], inputs: Inputs) -> dict[str, AssessorScores]:
    """Evaluate runs by each of several assessors.

    The scores for a topic do not depend on the assessors of other topics, so these scores are enough
    for all combinations of assessors (Kazai and Lalmas 2006, section 6.2.1.1). Topics that a run does
    not answer score 0.

    Args:
        assessments: Assessments of each assessor, as for :func:`xcg.evaluate`; the first assessor is
            the official one.
        inputs: Everything else: runs, corpus, one user model (by default that of the assessments'
            scale), and measures whose mean is the arithmetic mean over topics.

    Returns:
        The scores by canonical name of the measure.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if there are several user models, assessors on different
            scales without a user model, a measure with another mean, or no topic with an ideal element.

    >>> one = {"1": {"d": {"/a/s[1]": (3, 3), "/a/s[2]": (3, 3)}}, "2": {"d": {"/a/s[1]": (3, 3)}}}
    >>> two = {"1": {"d": {"/a/s[2]": (3, 3)}}}
    >>> runs = {"r": {"1": ["d#/a/s[1]"], "2": ["d#/a/s[1]"]}}
    >>> found = scores_by_assessor([one, two], Inputs(runs=runs, measures="nxCG@1"))["nxCG@1"]
    >>> found.topics, found.scores[:, :, 0].tolist()
    (('1', '2'), [[1.0, 1.0], [0.0, nan]])
    """
    notes = Notes(inputs.lenient)
    bases = []
    for given in assessments:
        assessor = replace(inputs, assessments=given)
        bases.append(assessor.recall_base)
        notes.take(assessor.notes)
    measures = inputs.measure_list
    model = _single_model(bases, inputs.user_model)
    for measure in measures:
        if not measure.averages_values(model.effort.parameters()):
            raise XcgError(f"{measure}: its mean is not the arithmetic mean over topics")
    topics = tuple(sorted({topic for base in bases for topic in base.topics}, key=topic_key))
    inputs = replace(inputs, assessments=bases[0], topics=frozenset(topics))
    documents, runs = inputs.documents, inputs.loaded_runs
    notes.take(inputs.notes)
    names = tuple(run.name for run in runs)
    lines = notes.lines()
    values: dict[tuple[str, int, str, str], float] = {}
    for number, base in enumerate(bases):
        # Topics that an assessor did not assess are no reason for a note.
        assessed_runs = [
            Run(
                run.name,
                {topic: found for topic, found in run.rankings.items() if topic in base},
                run.source,
                strategy=run.strategy,
            )
            for run in runs
        ]
        try:
            results = evaluate(
                Inputs(
                    *(base, assessed_runs, documents, model, measures),
                    lenient=inputs.lenient,
                    workers=inputs.workers,
                    scheduler=inputs.scheduler,
                )
            )
        except NothingToAverageError as error:
            lines.append(f"assessor {number + 1}: {error}")
            continue
        for row in results:
            values[row.measure, number, row.topic, row.run] = row.value
        lines += [f"assessor {number + 1}: {line}" for line in results.notes]
    if not values:
        raise NothingToAverageError(
            f"nothing to average: no topic of any assessor has an ideal element under {model.name}"
        )
    assessed = np.array([[topic in base for topic in topics] for base in bases], np.bool_)
    found = {}
    for name in map(str, measures):
        cells = product([name], range(len(bases)), topics, names)
        scores = np.array([values.get(cell, math.nan) for cell in cells]).reshape(*assessed.shape, -1)
        found[name] = AssessorScores(names, topics, scores, assessed, tuple(lines))
    return found


def _single_model(bases: Sequence[RecallBase], user_model: UserModels | None) -> UserModel:
    if user_model is None:
        models = list({model.name: model for model in map(default_model, bases)}.values())
    else:
        models = resolve_user_models(user_model)
    if len(models) != 1:
        names = ", ".join(model.name for model in models)
        raise XcgError(f"{len(models)} user models: {names}; expected one")
    return models[0]
