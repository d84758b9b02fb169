"""Tukey's honestly significant differences over all pairs of runs, and their randomised form."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from xcg.lazy_modules import np
from xcg.statistics.intervals import Inference
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Floats, TopicScores, differences

RANDOM_PERMUTATIONS = 20_000
_MAX_SCORES_IN_MEMORY = 2_000_000
_MAX_DIRECT_P_VALUES = 6
"""More p values of the studentised range are interpolated, because scipy needs about 15 ms for each."""

Pair = tuple[str, str]


def tukey_inferences(
    scores: TopicScores, pairs: Sequence[Pair], test: str, level: float
) -> list[Inference]:
    """Test pairs of runs with a procedure that controls the error over all pairs.

    - ``"t"``: Tukey's honestly significant differences after the two-way ANOVA of runs by topics.
      q = |d| / √(MS_error / n) has the distribution of the studentised range (Tukey 1953).
    - ``"randomisation"``: the randomised form. The scores of each topic are permuted among the runs,
      and p is the fraction (1 + count) / (1 + B) of B = 20,000 permutations whose range of means is at
      least |d| (Carterette 2012, Multiple testing in statistical analysis of systems-based information
      retrieval experiments, ACM TOIS 30(1)). Without error variance, Tukey's test is computed like
      this.

    The unadjusted p of a pair uses the same variance or permutations, but the difference of the two
    runs instead of the range.

    Args:
        scores: Scores of at least three runs.
        pairs: The pairs of runs to report. The correction is always for all pairs.
        test: ``"t"`` or ``"randomisation"``.
        level: Significance level.

    Returns:
        The conclusions in the order of the pairs. All intervals hold together at the confidence level.

    Raises:
        XcgError: If a score is not finite.
    """
    found = [float(differences(scores.values[a], scores.values[b]).mean()) for a, b in pairs]
    distances = np.abs(np.array(found, np.float64))
    (error,), df = tukey_errors(scores.matrix[None])
    if test == "t" and error:
        runs = len(scores.values)
        p, adjusted = _tukey_p_values(distances / error, runs, df)
        half_width = error * studentised_range_limit(level, runs, df)
    else:
        p, adjusted, half_width = _randomised_tukey(scores, distances, level)
    return [
        Inference(p, p_adjusted, mean - half_width, mean + half_width, 1 - level)
        for mean, p, p_adjusted in zip(found, p.tolist(), adjusted.tolist(), strict=True)
    ]


def tukey_errors(scores: Floats) -> tuple[Floats, int]:
    """Return the standard errors of a run's mean by the two-way ANOVA of runs and topics.

    Args:
        scores: Complete scores; array of shape (campaigns, topics, runs).

    Returns:
        √(MS_error / n) of each campaign, 0 if all variation is rounding; and the degrees of freedom.
    """
    _, topics, runs = scores.shape
    centred = scores - scores.mean(axis=2, keepdims=True)
    residuals = centred - centred.mean(axis=1, keepdims=True)
    df = (runs - 1) * (topics - 1)
    errors = np.sqrt((residuals**2).sum(axis=(1, 2)) / df / topics)
    rounding = ROUNDING * np.maximum(1, np.abs(scores).max(axis=(1, 2)))
    return np.where(np.abs(residuals).max(axis=(1, 2)) > rounding, errors, 0), df


def _tukey_p_values(q: Floats, runs: int, df: int) -> tuple[Floats, Floats]:
    """Return the unadjusted and adjusted p values of studentised differences."""
    from scipy.stats import studentized_range, t

    p = 2 * t.sf(q / math.sqrt(2), df)
    direct = len(q) <= _MAX_DIRECT_P_VALUES
    adjusted = studentized_range.sf(q, runs, df) if direct else _interpolated(runs, df)(q / (q + 5))
    # Rounding errors of the integral distort small values. Boole's inequality gives these limits.
    return p, np.clip(adjusted, p, np.minimum(1, p * math.comb(runs, 2)))


@lru_cache(maxsize=32)
def _interpolated(runs: int, df: int) -> Any:
    """Return the upper tail of the studentised range by q / (q + 5), with errors below 1e-8."""
    from scipy.stats import studentized_range

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of slow convergence for q of several thousands
        return np.polynomial.Chebyshev.interpolate(
            lambda x: studentized_range.sf(5 * x / (1 - x), runs, df),
            64 if runs <= 20 else 128,
            domain=[0, 1],
        )


@lru_cache(maxsize=256)
def studentised_range_limit(level: float, runs: int, df: int) -> float:
    """Return the critical value of the studentised range."""
    from scipy.stats import studentized_range

    return float(studentized_range.isf(level, runs, df))


def _randomised_tukey(
    scores: TopicScores, distances: Floats, level: float
) -> tuple[Floats, Floats, float]:
    """Return unadjusted and adjusted p values, and half the width of the intervals."""
    # Sorted scores make the result independent of the order of runs and topics.
    matrix = np.array(sorted(np.sort(np.round(scores.matrix, DIGITS), axis=1).tolist()))
    rng = np.random.default_rng(0)
    rows = max(1, _MAX_SCORES_IN_MEMORY // matrix.size)
    ranges, single = [], []
    for start in range(0, RANDOM_PERMUTATIONS, rows):
        size = min(rows, RANDOM_PERMUTATIONS - start)
        means = rng.permuted(np.broadcast_to(matrix, (size, *matrix.shape)), axis=2).mean(axis=1)
        ranges.append(np.ptp(means, axis=1))
        single.append(np.abs(means[:, 0] - means[:, 1]))
    rounding = ROUNDING * max(1, float(np.abs(matrix).max()))
    sorted_ranges = np.sort(np.concatenate(ranges))
    p, adjusted = (
        (1 + len(values) - np.searchsorted(values, distances - rounding)) / (1 + len(values))
        for values in (np.sort(np.concatenate(single)), sorted_ranges)
    )
    extreme = math.ceil(level * (1 + RANDOM_PERMUTATIONS) - 1e-9) - 1  # permutations for p ≥ level
    limit = sorted_ranges[-extreme] if extreme else math.inf
    return p, adjusted, float(limit) + rounding
