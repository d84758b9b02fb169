"""Alternative assessments of the same topics: agreement, scores by assessor, and stability of orders.

The experiment of Kazai and Lalmas 2006 (KL), section 6.2.1: :func:`combinations` of the scores by each
assessor give means, from which score ranges, order correlations and error rates follow.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from xcg.errors import Notes, NothingToAverageError, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Assessments, Inputs, resolve_user_models
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase, topic_key
from xcg.lazy_modules import np, npt
from xcg.measures.definition import HIGHER_IS_BETTER, Order
from xcg.runs.run import Run
from xcg.statistics.intervals import random_generator
from xcg.statistics.rank_correlation import pair_signs, tau_b
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Floats
from xcg.user_model.model import default_model

SECTIONS = frozenset({"sec", "ss1", "ss2", "ss3", "section"})
PARAGRAPHS = frozenset({"p", "ip1", "p1", "para"})

_Element = tuple[str, str, str]  # topic, file, path


def agreement(first: RecallBase, second: RecallBase) -> dict[str, float]:
    """Compute the agreement of two assessors over all topics that both have.

    The agreement is |relevant to both| / |relevant to either| (Kazai and Lalmas 2006, section 6.2.1,
    where 5 topics of INEX 2004 have 0.237, 0.185, 0.103 and about 0.02). The order of the assessors
    does not matter.

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
    files = base.files[topic]
    for passages_by_file in (base.spans[topic], base.passages[topic]):
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
    return {one for one in elements if one[2].rpartition("/")[2].partition("[")[0] in tags}


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
    models = list({model.name: model for model in map(default_model, bases)}.values())
    if inputs.user_model is not None:
        models = resolve_user_models(inputs.user_model)
    if len(models) != 1:
        listed = ", ".join(one.name for one in models)
        raise XcgError(f"{len(models)} user models: {listed}; expected one")
    (model,) = models
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


MAX_COMBINATIONS = 4096
EQUAL_FRACTION = 0.05


def combinations(scores: AssessorScores, seed: int = 0, maximum: int = MAX_COMBINATIONS) -> Floats:
    """Compute the runs' means over topics for combinations of assessors.

    A combination takes each topic from one of its assessors, so k topics with two assessors have 2ᵏ
    combinations. The means are those of :func:`xcg.evaluate` on the combined assessments: topics
    without an ideal element under their assessor are not averaged (KL 6.2.1.1; Voorhees 2000).

    Args:
        scores: Scores by each assessor, for at least one topic.
        seed: Seed of the drawn combinations, at least 0.
        maximum: Maximum number of combinations. If there are more, different ones are drawn.

    Returns:
        Array of shape (combinations, runs). The first combination is the official one: all topics by
        their first assessor. If all combinations are used, the assessor of the last topic changes
        fastest. NaN means that a combination has no topic to average.

    >>> values = np.array([[[1.0], [0.5]], [[0.0], [np.nan]]])  # the second assessed one topic
    >>> combinations(AssessorScores(("r",), ("1", "2"), values, ~np.isnan(values[:, :, 0]))).tolist()
    [[0.75], [0.25]]
    """
    choices = _choices([len(numbers) for numbers in scores.assessors], maximum, seed)
    total = np.zeros((len(choices), len(scores.runs)))
    count = np.zeros_like(total)
    for index, numbers in enumerate(scores.assessors):
        values = scores.scores[numbers, index]
        known = ~np.isnan(values)
        total += np.where(known, values, 0)[choices[:, index]]
        count += known[choices[:, index]]
    means: Floats = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return means


def _choices(counts: Sequence[int], maximum: int, seed: int) -> npt.NDArray[np.int64]:
    """Return which of the topic's assessors is used, with shape (combinations, topics)."""
    if math.prod(counts) <= maximum:
        return np.array(list(product(*map(range, counts))), np.int64)
    rng = random_generator(seed)
    found = {(0,) * len(counts): None}  # a dict keeps the order in which combinations are drawn
    while len(found) < maximum:
        for row in rng.integers(0, counts, (maximum, len(counts))).tolist():
            found[tuple(row)] = None
    return np.array(list(itertools.islice(found, maximum)), np.int64)


class ScoreRange(NamedTuple):
    """The lowest, mean and highest of a run's means over combinations; without run, of several runs."""

    run: int | None
    low: float
    mean: float
    high: float

    @property
    def percent(self) -> float | None:
        """Highest − lowest mean in percent of the mean's magnitude; None if the mean is 0."""
        return 100 * (self.high - self.low) / abs(self.mean) if abs(self.mean) > ROUNDING else None


def score_ranges(means: npt.ArrayLike, order: Order = HIGHER_IS_BETTER) -> list[ScoreRange]:
    """Compute each run's lowest, mean and highest score, the best run first (KL Figure 7).

    >>> for run, low, mean, high in score_ranges([[0.25, 0.5], [0.25, 1.0]]):
    ...     print(run, low, mean, high)
    1 0.5 0.75 1.0
    0 0.25 0.25 0.25
    """
    array = np.asarray(means, np.float64)
    low, high = array.min(axis=0), array.max(axis=0)
    mean = np.clip(array.mean(axis=0), low, high)  # rounding may exceed the range
    ranges = map(ScoreRange, itertools.count(), low.tolist(), mean.tolist(), high.tolist())
    return sorted(ranges, key=lambda found: order.sort_key(found.mean))


def mean_range(ranges: Sequence[ScoreRange]) -> ScoreRange:
    """Average the ranges of several runs, at least one.

    The mean range in percent is mean(high − low) / mean(mean), and not the mean of the percentages (KL
    6.2.1.1, where MAep has a mean range of 0.0046 or 12 % with 34 topics, and of 0.03 or 82 % with 5).

    >>> found = mean_range(score_ranges([[0.25, 0.5], [0.25, 1.0]]))
    >>> found.mean, found.percent
    (0.5, 50.0)
    """
    columns = zip(*((line.low, line.mean, line.high) for line in ranges), strict=True)
    low, mean, high = (math.fsum(column) / len(ranges) for column in columns)
    return ScoreRange(None, low, mean, high)


def order_correlations(means: npt.ArrayLike) -> tuple[float, float, float]:
    """Compute Kendall's τ-b between the orders of runs by the official and all other combinations.

    KL (6.2.1.2, Table III) call the coefficient τ. Their values are τ-b, because their tables contain
    values that τ cannot have.

    Means that differ by rounding are equal. Combinations in which all runs are equal are left out.

    Returns:
        The lowest, mean and highest τ-b.

    Raises:
        XcgError: If no pair has a τ-b.

    >>> found = order_correlations([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.1, 0.2, 0.3]])
    >>> [round(tau, 4) for tau in found]  # 1/3 and 1
    [0.3333, 0.6667, 1.0]
    """
    signs = pair_signs(np.round(np.asarray(means, np.float64), DIGITS))
    found = tau_b(np.broadcast_to(signs[0], signs[1:].shape), signs[1:])
    taus: list[float] = np.round(found[~np.isnan(found)], DIGITS).tolist()
    if not taus:
        raise XcgError("no order to correlate: expected at least two runs with different means")
    return min(taus), math.fsum(taus) / len(taus), max(taus)


class ErrorRate(NamedTuple):
    """The fractions of contradicting decisions, 0 to 0.5, and of comparisons without a decision."""

    error: float
    ties: float


def error_rate(means: npt.ArrayLike) -> ErrorRate:
    """Compute how often the better of two runs depends on the assessors.

    For a pair of runs, #(A > B) is the number of combinations in which A is better, and #(A = B) the
    number in which the difference is less than 5 % of the larger magnitude, or 0. Over all pairs::

        error = Σ min(#(A > B), #(B > A)) / Σ (#(A > B) + #(B > A) + #(A = B))
        ties  = Σ #(A = B)                / Σ (#(A > B) + #(B > A) + #(A = B))

    These are KL's equations 15 and 16. The left side of 16 must be ties, and the minimum must be taken
    for each pair, and not of two totals. Both values are the same for lower-is-better measures.

    >>> error_rate([[0.5, 0.4], [0.5, 0.4], [0.4, 0.5], [0.5, 0.49]])
    ErrorRate(error=0.25, ties=0.25)
    """
    array = np.asarray(means, np.float64)
    rows, runs = array.shape
    magnitudes = np.abs(array)
    errors = ties = 0
    for run in range(runs - 1):  # compare one run with all later runs
        difference = array[:, run, None] - array[:, run + 1 :]
        minimum = EQUAL_FRACTION * np.maximum(magnitudes[:, run, None], magnitudes[:, run + 1 :])
        decided = (np.abs(difference) > ROUNDING) & (np.abs(difference) >= minimum - ROUNDING)
        higher = np.count_nonzero(decided & (difference > 0), axis=0)
        lower = np.count_nonzero(decided & (difference < 0), axis=0)
        errors += int(np.minimum(higher, lower).sum())
        ties += int((rows - higher - lower).sum())
    comparisons = rows * runs * (runs - 1) // 2
    return ErrorRate(errors / comparisons, ties / comparisons)
