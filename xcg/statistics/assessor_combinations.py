"""Stability of scores and orders of runs over combinations of assessors.

Section 6.2.1 of Kazai and Lalmas 2006 (KL): :func:`combinations` of the scores by each assessor give
means, from which :func:`score_ranges`, :func:`order_correlations` and :func:`error_rate` follow.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import HIGHER_IS_BETTER, Order
from xcg.statistics.assessors import AssessorScores
from xcg.statistics.intervals import (
    RESAMPLES,
    Interval,
    centre,
    percentile_interval,
    random_generator,
    resampled_topics,
)
from xcg.statistics.rank_correlation import pair_signs, tau_b
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Floats

MAX_COMBINATIONS = 4096
MAX_PAIRS = 2000
MAX_RESAMPLED_COMBINATIONS = 256
EQUAL_FRACTION = 0.05


def combinations(scores: AssessorScores, sample: int | None = None, seed: int = 0) -> Floats:
    """Compute the runs' means over topics for combinations of assessors.

    A combination takes each topic from one of its assessors, so k topics with two assessors have 2ᵏ
    combinations. The means are those of :func:`xcg.evaluate` on the combined assessments: topics
    without an ideal element under their assessor are not averaged (KL 6.2.1.1; Voorhees 2000).

    Args:
        scores: Scores by each assessor, for at least one topic.
        sample: Maximum number of combinations, at least 1; 4096 by default. If there are more,
            different combinations are drawn.
        seed: Seed of the drawn combinations, at least 0.

    Returns:
        Array of shape (combinations, runs). The first combination is the official one: all topics by
        their first assessor. If all combinations are used, the assessor of the last topic changes
        fastest. NaN means that a combination has no topic to average.

    >>> values = np.array([[[1.0], [0.5]], [[0.0], [np.nan]]])  # the second assessed one topic
    >>> combinations(AssessorScores(("r",), ("1", "2"), values, ~np.isnan(values[:, :, 0]))).tolist()
    [[0.75], [0.25]]
    """
    maximum = MAX_COMBINATIONS if sample is None else sample
    choices = _choices([len(numbers) for numbers in scores.assessors], maximum, seed)
    return _means_of(scores, choices, np.ones(len(scores.topics), np.int64))


def _means_of(
    scores: AssessorScores, choices: npt.NDArray[np.int64], weights: npt.NDArray[np.int64]
) -> Floats:
    """Return the runs' means for each combination, if topics occur several times or not at all."""
    total = np.zeros((len(choices), len(scores.runs)))
    count = np.zeros_like(total)
    assessors = scores.assessors
    for index in np.flatnonzero(weights):
        values = scores.scores[assessors[index], index]
        known = ~np.isnan(values)
        total += weights[index] * np.where(known, values, 0)[choices[:, index]]
        count += weights[index] * known[choices[:, index]]
    means: Floats = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return means


def _choices(counts: Sequence[int], maximum: int, seed: int) -> npt.NDArray[np.int64]:
    """Return which of the topic's assessors is used, with shape (combinations, topics)."""
    if math.prod(counts) <= maximum:
        return np.array(list(itertools.product(*map(range, counts))), np.int64)
    rng = random_generator(seed)
    found = {(0,) * len(counts): None}  # a dict keeps the order in which combinations are drawn
    while len(found) < maximum:
        for row in rng.integers(0, counts, (maximum, len(counts))).tolist():
            found[tuple(row)] = None
    return np.array(list(itertools.islice(found, maximum)), np.int64)


class ScoreRange(NamedTuple):
    """The range of a run's means over combinations of assessors.

    Attributes:
        run: Index of the run; None for the mean of several runs.
        low: Lowest mean.
        mean: Mean of the means.
        high: Highest mean.
    """

    run: int | None
    low: float
    mean: float
    high: float

    @property
    def range(self) -> float:
        """Highest − lowest mean, at least 0."""
        return self.high - self.low

    @property
    def percent(self) -> float | None:
        """The range in percent of the mean's magnitude; None if the mean is 0."""
        return 100 * self.range / abs(self.mean) if abs(self.mean) > ROUNDING else None


def score_ranges(means: npt.ArrayLike, order: Order = HIGHER_IS_BETTER) -> list[ScoreRange]:
    """Compute each run's lowest, mean and highest score, the best run first (KL Figure 7).

    Args:
        means: Array of shape (combinations, runs); see :func:`combinations`.
        order: The order of the measure's values.

    Raises:
        XcgError: If the array has another shape, is empty, or has a value that is not finite.

    >>> for run, low, mean, high in score_ranges([[0.25, 0.5], [0.25, 1.0]]):
    ...     print(run, low, mean, high)
    1 0.5 0.75 1.0
    0 0.25 0.25 0.25
    """
    array = _means(means, 1, 1)
    low, high = array.min(axis=0), array.max(axis=0)
    mean = np.clip(array.mean(axis=0), low, high)  # rounding may exceed the range
    ranges = map(ScoreRange, itertools.count(), low.tolist(), mean.tolist(), high.tolist())
    return sorted(ranges, key=lambda found: order.sort_key(found.mean))


def mean_range(ranges: Sequence[ScoreRange]) -> ScoreRange:
    """Average the ranges of several runs.

    The mean range in percent is mean(high − low) / mean(mean), and not the mean of the percentages (KL
    6.2.1.1, where MAep has a mean range of 0.0046 or 12 % with 34 topics, and of 0.03 or 82 % with 5).

    Args:
        ranges: The result of :func:`score_ranges`, at least one run.

    >>> found = mean_range(score_ranges([[0.25, 0.5], [0.25, 1.0]]))
    >>> found.mean, found.range, found.percent
    (0.5, 0.25, 50.0)
    """
    columns = zip(*((line.low, line.mean, line.high) for line in ranges), strict=True)
    low, mean, high = (math.fsum(column) / len(ranges) for column in columns)
    return ScoreRange(None, low, mean, high)


def _means(means: npt.ArrayLike, min_combinations: int, min_runs: int) -> Floats:
    array = np.asarray(means, np.float64)
    if array.ndim != 2 or array.shape[0] < min_combinations or array.shape[1] < min_runs:
        raise XcgError(
            f"means of shape {array.shape}: expected combinations × runs, "
            f"at least {min_combinations} × {min_runs}"
        )
    if not np.isfinite(array).all():
        raise XcgError("a mean is not finite: a combination has no topic for a run")
    return array


class Correlations(NamedTuple):
    """Kendall's τ-b between orders of runs: its lowest, mean and highest value, -1 to 1."""

    low: float
    mean: float
    high: float


def order_correlations(means: npt.ArrayLike) -> Correlations:
    """Compute Kendall's τ-b between the orders of runs by the official and all other combinations.

    KL (6.2.1.2, Table III) call the coefficient τ. Their values are τ-b, because their tables contain
    values that τ cannot have.

    Args:
        means: Array of shape (combinations, runs), at least 2 × 2; see :func:`combinations`. Means that
            differ by rounding are equal. Combinations in which all runs are equal are left out. Of
            more than 2,001 combinations, 2,000 are drawn.

    Raises:
        XcgError: If a value is not finite, or no pair has a τ-b.

    >>> found = order_correlations([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.1, 0.2, 0.3]])
    >>> [round(tau, 4) for tau in found]  # 1/3 and 1
    [0.3333, 0.6667, 1.0]
    """
    taus = _tau_b(_means(means, 2, 2))
    if not taus:
        raise XcgError("no order to correlate: all runs have the same mean")
    return Correlations(min(taus), math.fsum(taus) / len(taus), max(taus))


def _tau_b(means: Floats) -> list[float]:
    """Return Kendall's τ-b of the first row and all others, but not if all runs are equal."""
    others = np.arange(1, len(means))
    if len(others) > MAX_PAIRS:
        others = random_generator(0).choice(others, MAX_PAIRS, replace=False)
    signs = pair_signs(np.round(means, DIGITS))
    found = tau_b(np.broadcast_to(signs[0], (len(others), signs.shape[1])), signs[others])
    return list(map(float, np.round(found[~np.isnan(found)], DIGITS)))


class ErrorRate(NamedTuple):
    """The result of :func:`error_rate`.

    Attributes:
        error: Fraction of contradicting decisions, 0 to 0.5.
        ties: Fraction of comparisons without a decision, 0 to 1.
    """

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

    Args:
        means: Array of shape (combinations, runs), at least 1 × 2; see :func:`combinations`.

    Raises:
        XcgError: If the array has another shape or a value that is not finite.

    >>> error_rate([[0.5, 0.4], [0.5, 0.4], [0.4, 0.5], [0.5, 0.49]])
    ErrorRate(error=0.25, ties=0.25)
    """
    array = _means(means, 1, 2)
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


def stability_intervals(
    scores: AssessorScores, sample: int | None = None, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[Interval | None, Interval | None]:
    """Compute how far mean τ-b and error rate depend on the choice of the topics.

    A resample draws topics with replacement, keeps the assessor that each combination selects for a
    topic, and repeats the study. The values are centred on those of the topics; see
    :func:`xcg.statistics.intervals.centre`.

    Args:
        scores: Scores by each assessor.
        sample: As for :func:`combinations`; resamples use at most 256 combinations.
        seed: Seed of the combinations and resamples, at least 0.
        resamples: Number of resamples, at least 1. Those in which a run has no score, or all runs are
            equal, are left out.

    Returns:
        The intervals of the mean τ-b, from :func:`order_correlations`, and of the error rate; None with
        fewer than two topics.

    Raises:
        XcgError: As :func:`combinations`, :func:`order_correlations` and :func:`error_rate`.
    """
    topics = len(scores.topics)
    means = combinations(scores, sample, seed)
    estimates = order_correlations(means).mean, error_rate(means).error
    if topics < 2:
        return None, None
    maximum = min(sample or MAX_COMBINATIONS, MAX_RESAMPLED_COMBINATIONS)
    choices = _choices([len(numbers) for numbers in scores.assessors], maximum, seed)
    samples = []
    for resample in range(resamples):
        drawn = resampled_topics(topics, seed, resample)
        found = _means_of(scores, choices, np.bincount(drawn, minlength=topics))
        if np.isnan(found).any():
            continue
        taus = _tau_b(found)
        tau = math.fsum(taus) / len(taus) if taus else math.nan
        samples.append((tau, error_rate(found).error))
    array = np.array(samples).reshape(-1, 2)
    return (
        percentile_interval(centre(estimates[0], array[:, 0])),
        percentile_interval(np.maximum(centre(estimates[1], array[:, 1], 0.5), 0)),
    )
