"""Scores of several runs over the same topics, and what all statistics on them share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results
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
    scores: dict[str, dict[str, float]] = {run: {} for run in results.runs}
    for row in results:
        if (row.measure, row.user_model) == (measure, user_model) and row.topic != MEAN:
            scores[row.run][row.topic] = row.value
    return {run: values for run, values in scores.items() if values}


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


def deciding_topics(
    scores: TopicScores, run: str, baseline: str, count: int = 5
) -> list[tuple[str, float]]:
    """Return the topics with the largest differences between two runs.

    Args:
        scores: Scores that include both runs.
        run: Name of a run.
        baseline: Name of the run to compare with.
        count: Maximum number of topics, at least 0.

    Returns:
        Topics with run − baseline, by decreasing magnitude; equal magnitudes are in the order of the
        topics. Topics without a difference are left out.

    >>> scores = TopicScores(["1", "2", "3"], {"a": [0.5, 0.25, 1], "b": [0.25, 0.75, 1]})
    >>> deciding_topics(scores, "a", "b")
    [('2', -0.5), ('1', 0.25)]
    """
    found = differences(scores.values[run], scores.values[baseline]).tolist()
    changed = [pair for pair in zip(scores.topics, found, strict=True) if pair[1]]
    return sorted(changed, key=lambda pair: -abs(pair[1]))[:count]
