"""Confidence intervals over topics, and families of comparisons that are corrected together.

Each interval of a family is the inversion of the test, at the level at which the first step of the
correction tests all differences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.results import Cell, Intervals, Results
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np, npt
from xcg.measures import MEASURES
from xcg.statistics.significance_tests import (
    EXACT_RANDOMISATION_TOPICS,
    SIGNIFICANCE_LEVEL,
    adjusted,
    equal_signs_probability,
    family_p_values,
    sign_vectors,
    single_level,
    t_half_widths,
)
from xcg.statistics.topic_scores import ROUNDING, Booleans, Floats, scores_by_cell, standard_deviation

if TYPE_CHECKING:
    from xcg.evaluation.curves import CurveOf

LEVEL = 0.95


class Interval(NamedTuple):
    """The lower and the upper limit of an interval; an upper limit may be infinite."""

    low: float
    high: float


def random_generator(*key: int) -> np.random.Generator:
    """Return a generator for a seed and further numbers; XcgError if one is negative."""
    if min(key) < 0:
        raise XcgError(f"a seed of {min(key)}: expected an integer of at least 0")
    return np.random.default_rng(key)


def resampled_topics(topics: int, seed: int, resample: int) -> npt.NDArray[np.int64]:
    """Draw as many topics as there are, with replacement.

    Args:
        topics: Number of topics, at least 1.
        seed: At least 0.
        resample: Number of the resample, at least 0. Seed and number determine the topics.

    Returns:
        Indices of topics.

    >>> resampled_topics(5, seed=0, resample=0).shape
    (5,)
    """
    return random_generator(seed, resample).integers(0, topics, topics)


def centred_interval(estimate: float, samples: Floats) -> Interval | None:
    """Return the middle 95 % of bootstrap samples of a correlation, shifted to the estimate.

    A resample contains fewer different topics than the collection, so samples of correlations are
    biased, while the estimates are not. The shift removes this bias.

    Args:
        estimate: The estimated correlation.
        samples: Values of the resamples; NaN is ignored.

    Returns:
        The interval; None without samples.

    >>> [round(limit, 3) for limit in centred_interval(0.5, np.linspace(0.1, 0.3, 101))]
    [0.404, 0.596]
    """
    known = samples[~np.isnan(samples)]
    if not known.size:
        return None
    shifted = np.clip(known - known.mean() + estimate, -1, 1)
    tail = (1 - LEVEL) / 2
    return Interval(*np.quantile(shifted, [tail, 1 - tail], method="inverted_cdf").tolist())


_Limits = tuple[float | None, float | None]


def curve_limits(curves: Iterable[CurveOf]) -> dict[Cell, Floats]:
    """Compute Student's 95 % interval of each point of mean curves, as :func:`mean_intervals` does.

    Args:
        curves: Curves of topics, and their means.

    Returns:
        Measure, user model and run → the lower and the upper limits at the points, without limits (NaN)
        where fewer than two topics have values. A curve that is not the mean over topics has none.
    """
    from scipy.stats import t

    values: dict[Cell, list[Sequence[float]]] = {}
    means: dict[Cell, Sequence[float]] = {}
    for curve in curves:
        cell = curve.measure, curve.user_model, curve.run
        if curve.topic == MEAN:
            means[cell] = curve.y
        else:
            values.setdefault(cell, []).append(curve.y)
    found = {}
    for cell, lines in values.items():
        if cell in means and {len(line) for line in lines} == {len(means[cell])}:
            table = np.array(lines, np.float64)
            known = np.maximum((~np.isnan(table)).sum(axis=0), 1)
            mean = np.nansum(table, axis=0) / known
            if not np.allclose(mean, np.nan_to_num(means[cell]), rtol=1e-9):
                continue
            deviation = np.sqrt(np.nansum((table - mean) ** 2, axis=0) / np.maximum(known - 1, 1))
            quantile = np.where(known > 1, t.isf((1 - LEVEL) / 2, np.maximum(known - 1, 1)), np.nan)
            half = quantile * deviation / np.sqrt(known)
            found[cell] = np.array([mean - half, mean + half])
    return found


def t_interval(found: Floats, level: float) -> _Limits:
    """Return Student's interval of the mean difference, the inversion of the paired t test.

    Equal differences have no standard error. As in the test, only their signs count: the interval is
    the difference if 2 / 2ⁿ is below the level, and has no limits otherwise.

    Args:
        found: Differences by topic, at least two.
        level: Significance level: 1 − confidence level.
    """
    mean = float(found.mean())
    if not standard_deviation(found):
        return (mean, mean) if equal_signs_probability(len(found)) < level else (None, None)
    half_width = float(t_half_widths(found, level))
    return mean - half_width, mean + half_width


def randomisation_interval(found: Floats, level: float) -> _Limits:
    """Return the differences that the paired randomisation test does not reject.

    A sign vector is as extreme as the observed signs of d − δ exactly if δ is between the mean of the
    topics whose signs it keeps and the mean of the others. So the limits are order statistics of these
    means.

    Args:
        found: Differences by topic, at least two.
        level: Significance level: 1 − confidence level.

    Returns:
        The limits; both are None if no sign vectors are rare enough for the level.
    """
    topics = len(found)
    found = found[np.lexsort((found, np.abs(found)))]  # the result must not depend on their order
    changed = int(np.count_nonzero(found))
    exact = topics <= EXACT_RANDOMISATION_TOPICS
    enumerated = changed <= EXACT_RANDOMISATION_TOPICS
    zero_signs = np.random.default_rng(0)
    rounding = ROUNDING * max(1, float(np.abs(found[-1]))) * topics / 2
    total = float(found.sum())
    lows, highs = ([], []) if enumerated else ([np.array([-np.inf])], [np.array([np.inf])])
    for drawn in sign_vectors(topics if exact else changed):
        unchanged = 0 if exact else topics - changed
        signs = np.hstack([zero_signs.integers(0, 2, (len(drawn), unchanged)), drawn])
        kept = signs == (found > 0)
        number, kept_sum = kept.sum(axis=1), (kept * found).sum(axis=1)
        sums = np.stack([kept_sum, total - kept_sum])
        sums[np.abs(sums) <= rounding] = 0
        numbers = np.stack([number, topics - number])
        undefined = (numbers == 0).any(axis=0)
        means = sums / np.maximum(numbers, 1)
        lows.append(np.where(undefined, -np.inf, means.min(axis=0)))
        highs.append(np.where(undefined, np.inf, means.max(axis=0)))
    low, high = np.sort(np.concatenate(lows)), np.sort(np.concatenate(highs))
    count = max(1, math.ceil(level * len(low) - 1e-9))  # of extreme vectors, for p ≥ level
    return _limit(low[count - 1]), _limit(high[-count])


def _limit(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def mean_intervals(results: Results, confidence: float = 95) -> tuple[Intervals, list[str]]:
    """Compute Student's t interval of each mean over topics.

    mean ± t · s / √n, with the quantile t of n − 1 degrees of freedom and the standard deviation s of
    the n scores. Limits can be outside the range of a measure. For a count, the interval is that of the
    sum. Each interval holds alone; intervals of two runs do not show whether the runs differ, because
    scores of the same topic are correlated.

    Args:
        results: Results with means and scores per topic.
        confidence: Confidence level in percent, above 0 and below 100.

    Returns:
        The intervals, and a note if means have none.

    >>> from xcg.evaluation.results import Result
    >>> scores = {"1": 0.2, "2": 0.4, "3": 0.6, "all": 0.4}
    >>> results = Results(Result("r", topic, "MAep", value, "m") for topic, value in scores.items())
    >>> found, _ = mean_intervals(results)
    >>> [round(limit, 4) for limit in found["MAep", "m", "r"]]  # 0.4 ± 4.303 · 0.2 / √3
    [-0.0968, 0.8968]
    """
    scores = scores_by_cell(results)
    found: dict[Cell, tuple[float, float]] = {}
    without = []
    for row in results.means():
        cell = row.measure, row.user_model, row.run
        values = np.array([*scores.get(cell, {}).values()], np.float64)
        factor = len(values) if MEASURES.is_count(row.measure) else 1
        is_mean = len(values) > 1 and math.isclose(factor * values.mean(), row.value, rel_tol=1e-9)
        if is_mean and standard_deviation(values):
            low, high = t_interval(values, 1 - confidence / 100)
            assert low is not None
            assert high is not None
            found[cell] = factor * low, factor * high
        else:
            without.append(f"{row.run} by {row.measure} under {row.user_model}")
    notes = []
    if without:
        notes = [
            f"note: no interval of {len(without)} means, such as that of {without[0]}: there are fewer "
            "than two topics, all have the same score, or the value is not the mean over topics"
        ]
    return found, notes


POWER = 0.8
"""The default power: the probability of detecting a difference."""


class Inference(NamedTuple):
    """The conclusion about the mean difference of two runs.

    Attributes:
        p: Two-sided p value of this comparison alone.
        p_adjusted: p value after the correction for all comparisons of the family.
        low: Lower limit of the confidence interval; None without a limit.
        high: Upper limit; None without a limit.
        level: Confidence level of the interval, see :class:`xcg.Comparison`; None without an interval.
    """

    p: float
    p_adjusted: float
    low: float | None
    high: float | None
    level: float | None


def paired_inferences(
    samples: Sequence[Floats], test: str, correction: str, level: float
) -> list[Inference]:
    """Test each pair on its own topics, and correct the p values.

    Args:
        samples: The differences by topic of each comparison of the family.
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        correction: As for :func:`xcg.statistics.significance_tests.adjust`.
        level: Significance level.

    Returns:
        The conclusions in the order of the pairs. Wilcoxon's test has no interval, because it is
        about ranks, not about the mean difference.

    Raises:
        XcgError: As the tests.
    """
    p_values = family_p_values([found[None] for found in samples], test)
    corrected = adjusted(p_values, correction)[0].tolist()
    rejected = sum(p < level for p in corrected) if correction == "fdr_bh" else 1
    single = single_level(level, correction, len(samples), rejected)
    intervals = {"t": t_interval, "randomisation": randomisation_interval}
    inferences = []
    for found, p, p_adjusted in zip(samples, p_values[0].tolist(), corrected, strict=True):
        limits = intervals[test](found, single) if test in intervals else (None, None)
        confidence = 1 - single if test in intervals else None
        inferences.append(Inference(p, p_adjusted, *limits, confidence))
    return inferences


def t_detectable(deviation: float, topics: int, level: float, power: float) -> float:
    """Return the smallest mean difference that the paired t test detects with a given power.

    >>> round(t_detectable(1, 34, 0.05, 0.8), 4)  # Cohen's d_z
    0.495
    """
    from scipy.special import nctdtrinc
    from scipy.stats import t

    critical = float(t.isf(level / 2, topics - 1))
    noncentrality = float(nctdtrinc(topics - 1, 1 - power, critical))
    return noncentrality * deviation / math.sqrt(topics)


def paired_significant(
    found: Sequence[Floats], test: str, corrections: Sequence[str]
) -> dict[str, Booleans]:
    """Return which comparisons of a family are significant by a paired test, in each campaign.

    Args:
        found: As for :func:`family_p_values`.
        test: As for :func:`family_p_values`.
        corrections: As for :func:`xcg.statistics.significance_tests.adjusted`.

    Returns:
        For each correction, an array of shape (campaigns, comparisons).
    """
    level = limit = SIGNIFICANCE_LEVEL
    if test == "randomisation" and not {"none", "fdr_bh"} & set(corrections):
        limit = level / len(found) * (1 + ROUNDING)
    p_values = family_p_values(found, test, limit)
    # Without a p value below the first limit, Holm and Shaffer find nothing; otherwise they need all.
    rows = np.flatnonzero((p_values <= limit).any(axis=1))
    if limit < level and len(rows):
        p_values[rows] = family_p_values([values[rows] for values in found], test, level)
    return {correction: adjusted(p_values, correction) < level for correction in corrections}
