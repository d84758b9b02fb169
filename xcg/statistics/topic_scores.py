"""Scores of several runs over the same topics, and what all statistics on them share."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias, TypeVar

from xcg.errors import UndecidedError, XcgError, nearest
from xcg.evaluation.results import Cell, Results
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np, npt
from xcg.measures import MEASURES

Floats: TypeAlias = "npt.NDArray[np.float64]"
Booleans: TypeAlias = "npt.NDArray[np.bool_]"
_Matrix = TypeVar("_Matrix", "npt.NDArray[np.float64]", "npt.NDArray[np.float32]")

DIGITS = 12
"""Scores are compared after rounding to this number of decimal places."""

ROUNDING = 1e-12
"""Differences up to this size are rounding errors: the scores are equal."""


@dataclass(frozen=True)
class TopicScores:
    """Scores of runs by one measure under one user model.

    Args:
        topics: Names of the topics.
        values: For each run, its score for each topic, in the order of ``topics``.
    """

    topics: list[str]
    values: dict[str, list[float]]

    @property
    def matrix(self) -> Floats:
        """The scores as an array of shape (topics, runs)."""
        return np.array(list(self.values.values()), np.float64).T


def topic_scores(results: Results, measure: str, user_model: str, runs: Sequence[str]) -> TopicScores:
    """Return the scores of runs over the topics that all of them have.

    Args:
        results: Results with scores per topic.
        measure: Canonical name of a measure.
        user_model: Name of a user model.
        runs: Names of runs, at least one.

    Returns:
        The topics are in the order of the results, the runs in the given order.

    Raises:
        XcgError: If a name is unknown, or the runs share fewer than two topics.

    >>> from xcg.evaluation.results import Result
    >>> rows = [("a", "1", 0.5), ("a", "2", 0.3), ("a", "3", 0), ("b", "2", 0.1), ("b", "1", 0.2)]
    >>> results = Results(Result(run, topic, "MAep", value, "m") for run, topic, value in rows)
    >>> topic_scores(results, "MAep", "m", ["a", "b"])
    TopicScores(topics=['1', '2'], values={'a': [0.5, 0.3], 'b': [0.2, 0.1]})
    """
    scores = scores_by_run(results, measure, user_model)
    chosen = {run: scores.get(run, {}) for run in runs}
    return common_scores(chosen, results.topics, f"{measure} under {user_model}")


def scores_by_run(results: Results, measure: str, user_model: str) -> dict[str, dict[str, float]]:
    """Return the scores by topic of each run that has any.

    Args:
        results: Results with scores per topic.
        measure: Canonical name of a measure.
        user_model: Name of a user model.

    Returns:
        The runs are in the order of the results.

    Raises:
        XcgError: If a name is unknown.
    """
    check_name("measure", measure, results.measures)
    check_name("user model", user_model, results.user_models)
    cells = {run: results.by_cell.get((measure, user_model, run), {}) for run in results.runs}
    return {run: found for run, values in cells.items() if (found := _without_mean(values))}


def _without_mean(values: Mapping[str, float]) -> dict[str, float]:
    return {topic: value for topic, value in values.items() if topic != MEAN}


def common_scores(
    scores: Mapping[str, Mapping[str, float]], topics: Sequence[str], what: str
) -> TopicScores:
    """Return the scores of runs over the topics that all of them have.

    Args:
        scores: For each run, its scores by topic.
        topics: Topics in the order of the result.
        what: Measure and user model for the error message.

    Raises:
        XcgError: If the runs share fewer than two topics.
    """
    common = [topic for topic in topics if all(topic in values for values in scores.values())]
    if len(common) < 2:
        raise XcgError(
            f"{len(common)} topics have scores of {what} for each of {', '.join(scores)}: "
            "expected at least two; leave a run out, or score unanswered topics (unanswered: zero)"
        )
    return TopicScores(common, {run: [values[t] for t in common] for run, values in scores.items()})


def sign(measure: str) -> int:
    """Return -1 for a lower-is-better measure, and otherwise 1."""
    return -1 if MEASURES.order(measure).lower_is_better else 1


def divisor(measure: str, topics: int) -> int:
    """Return what the sum over topics is divided by: the value of a count is the sum itself."""
    return 1 if MEASURES.is_count(measure) else topics


def check_name(kind: str, name: str, known: Collection[str]) -> None:
    """Raise XcgError with the nearest known name if a name is unknown."""
    if name not in known:
        raise XcgError(f"no {kind} {name!r}: {nearest(name, known)}")


def matrix_product(first: _Matrix, second: _Matrix) -> _Matrix:
    """Return the matrix product in numpy's own loops.

    The rounding errors of BLAS depend on the processor, the number of threads, and the number of rows.
    """
    product: _Matrix = np.einsum("ij,jk->ik", first, second)
    return product


def differences(first: Sequence[float], second: Sequence[float]) -> Floats:
    """Return first − second for each topic, with 0 for differences that are rounding errors.

    Args:
        first: Scores of a run by topic.
        second: Scores of another run for the same topics.

    Raises:
        XcgError: If the numbers of topics differ, there are fewer than two, or a score is not finite.
    """
    if len(first) != len(second) or len(first) < 2:
        raise XcgError(
            f"{len(first)} and {len(second)} scores: expected the same number of topics, at least two"
        )
    found: Floats = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    if not np.isfinite(found).all():
        raise XcgError("a score is not finite: expected finite numbers")
    found[np.abs(found) <= ROUNDING] = 0
    return found


def score_matrix(scores: Mapping[str, Mapping[str, float]], topics: Sequence[str]) -> Floats:
    """Return the scores as an array of shape (topics, runs); NaN if a run has no score."""
    return np.array([[values.get(topic, np.nan) for values in scores.values()] for topic in topics])


def pair_differences(scores: Floats, pair: tuple[int, int]) -> Floats:
    """Return the differences of two runs on the topics that both have: shape (campaigns, topics).

    Args:
        scores: Array of shape (campaigns, topics, runs); NaN for the same topics and runs in each
            campaign.
        pair: Indices of the runs.
    """
    first, second = pair
    topics = ~np.isnan(scores[0, :, first]) & ~np.isnan(scores[0, :, second])
    found: Floats = scores[:, topics, first] - scores[:, topics, second]
    found[np.abs(found) <= ROUNDING] = 0
    return found


def standard_deviation(values: Floats) -> float:
    """Return the sample standard deviation, and 0 if all variation is rounding."""
    deviation = float(np.std(values, ddof=1))
    return deviation if deviation > ROUNDING * max(1, float(np.abs(values).max())) else 0.0


ALL_PAIRS = "all"


def scores_to_compare(
    results: Results, measure: str, user_model: str, baseline: str | None
) -> tuple[dict[str, dict[str, float]], str | None]:
    """Return the scores of the runs to compare, and the run that they are compared with.

    Returns:
        Scores by run and topic, without greedy references; and the baseline, None for all pairs.

    Raises:
        XcgError: If there are fewer than two runs, or the baseline is unknown, ambiguous or a reference
            point.
    """
    references = results.scope.references
    if baseline in references:
        raise XcgError(f"the baseline {baseline!r} is a greedy reference: expected a run of a system")
    scores = scores_by_run(results, measure, user_model)
    scores = {run: values for run, values in scores.items() if run not in references}
    if len(scores) < 2:
        found = f"{len(scores)} runs with scores per topic of {measure} under {user_model}"
        raise XcgError(f"{found}: expected at least two")
    if baseline == ALL_PAIRS and baseline in scores:
        message = "is not a run, but a run has this name: rename the run"
        raise XcgError(f"the baseline {baseline!r} {message}")
    if baseline in (None, ALL_PAIRS):
        return scores, None
    check_name("run", baseline, scores)
    return scores, baseline


def best_first(results: Results, measure: str, user_model: str) -> list[str]:
    """Return the runs in descending order of quality, with greedy references last.

    Their order is that of the means in the results, or else of the means of their scores.
    """
    order, references = MEASURES.order(measure), set(results.scope.references)
    means = {}
    for run in results.runs:
        if values := results.by_cell.get((measure, user_model, run)):
            means[run] = values.get(MEAN, math.fsum(values.values()) / len(values))
    return sorted(means, key=lambda run: (run in references, order.sort_key(means[run])))


@dataclass(frozen=True)
class BaselinePair:
    """The scores of a run and of a baseline, by one measure under one user model.

    Attributes:
        run: Name of the run.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        scores: Scores of the run for the topics that the baseline has too, by topic.
        baseline_scores: Scores of the baseline for the same topics.
    """

    run: str
    measure: str
    user_model: str
    scores: dict[str, float]
    baseline_scores: dict[str, float]

    @property
    def cell(self) -> Cell:
        """Measure, user model and run."""
        return self.measure, self.user_model, self.run

    @property
    def sign(self) -> int:
        """1 if higher scores are better, -1 if lower scores are better."""
        return sign(self.measure)

    @property
    def is_bounded(self) -> bool:
        """Whether scores cannot drop below 0, so that a loss is at most the baseline's score."""
        return self.sign > 0 and min(*self.scores.values(), *self.baseline_scores.values()) >= 0

    @property
    def means(self) -> tuple[float, float]:
        """The mean of the run and of the baseline over the common topics; the sum of a count."""
        sums = math.fsum(self.scores.values()), math.fsum(self.baseline_scores.values())
        return sums[0] / self.divisor, sums[1] / self.divisor

    @property
    def advantages(self) -> Floats:
        """The differences by topic, positive if the run is better."""
        found: Floats = self.sign * np.array([*self.differences.values()], np.float64)
        found[np.abs(found) <= ROUNDING] = 0
        return found

    @property
    def divisor(self) -> int:
        """What a sum over the topics is divided by: the value of a count is the sum itself."""
        return divisor(self.measure, len(self.scores))

    @property
    def differences(self) -> dict[str, float]:
        """The score of the run minus that of the baseline, by topic."""
        return {topic: score - self.baseline_scores[topic] for topic, score in self.scores.items()}

    @property
    def losses(self) -> dict[str, float]:
        """The differences of the topics for which the run is worse, the largest loss first."""
        lost = {t: d for t, d in self.differences.items() if self.sign * d < -ROUNDING}
        return dict(sorted(lost.items(), key=lambda item: self.sign * item[1]))


def scores_by_cell(results: Results) -> dict[Cell, dict[str, float]]:
    """Return the scores by topic of each measure, user model and run."""
    cells = results.by_cell.items()
    return {cell: found for cell, values in cells if (found := _without_mean(values))}


def baseline_pairs(results: Results, baseline: str, least: int = 2) -> list[BaselinePair]:
    """Pair each run with a baseline, by all measures under all user models.

    Args:
        results: Results with scores per topic.
        baseline: Name of a run.
        least: The smallest number of topics that a run must share with the baseline, 1 or 2.

    Returns:
        The pairs in the order of measures, user models and runs.

    Raises:
        XcgError: If the name is unknown, there is no other run, or a run shares too few topics with
            the baseline.
    """
    check_name("run", baseline, results.runs)
    if len(results.runs) < 2:
        raise XcgError(f"no run to compare with {baseline}: expected at least two runs")
    scores = scores_by_cell(results)
    pairs = []
    for measure, model, run in product(results.measures, results.user_models, results.runs):
        if run == baseline:
            continue
        first = scores.get((measure, model, run), {})
        second = scores.get((measure, model, baseline), {})
        topics = [topic for topic in first if topic in second]
        if len(topics) < least:
            raise UndecidedError(
                f"{run} and {baseline} share {len(topics)} topics with scores of {measure} under "
                f"{model}: expected at least {'two' if least > 1 else 'one'}"
            )
        common = ({topic: values[topic] for topic in topics} for values in (first, second))
        pairs.append(BaselinePair(run, measure, model, *common))
    return pairs
