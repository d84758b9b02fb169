"""Bootstrap intervals over topics: random numbers, resampled topics and percentile intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.statistics.topic_scores import Floats

RESAMPLES = 200
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


def centre(
    estimate: Floats | float, samples: Floats, maximum: float = 1.0, widening: float = 1.0
) -> Floats:
    """Shift bootstrap samples so that their mean is the estimate.

    A resample contains fewer different topics than the collection, so samples of swap rates, error
    rates and correlations are biased, while the estimates are not. The shift removes this bias.

    Args:
        estimate: Estimated values.
        samples: Array of shape (resamples, …): the values of each resample; NaN is ignored.
        maximum: Greatest legal value; the lowest is 0 for rates and −1 for correlations, so values
            are clipped from −1.
        widening: Factor of the deviations from the mean.

    >>> centre(0.5, np.array([0.1, 0.2, 0.3])).round(3).tolist()
    [0.4, 0.5, 0.6]
    """
    known = ~np.isnan(samples)
    count = known.sum(axis=0)
    total = np.where(known, samples, 0).sum(axis=0)
    means = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    shifted: Floats = np.clip(widening * (samples - means) + estimate, -1, maximum)
    return shifted


def interval_columns(name: str, interval: Interval | None, factor: float = 1) -> dict[str, object]:
    """Return the limits of an interval as columns of a table; unknown and infinite limits are None.

    >>> interval_columns("rate", Interval(0.25, float("inf")), 100)
    {'rate low': 25.0, 'rate high': None}
    """
    limits = (math.inf, math.inf) if interval is None else interval
    return {
        f"{name} {word}": round(factor * limit, 9) if math.isfinite(limit) else None
        for word, limit in zip(("low", "high"), limits, strict=True)
    }


def percentile_interval(samples: npt.ArrayLike, level: float = LEVEL) -> Interval | None:
    """Return the interval that contains the middle share of bootstrap samples.

    Its limits are samples, so that infinite samples are possible.

    Args:
        samples: Values of the resamples; NaN is ignored.
        level: Share of the samples, 0 to 1.

    Returns:
        The interval; None without samples.

    >>> percentile_interval(range(101))
    Interval(low=2.0, high=98.0)
    """
    array = np.asarray(samples, np.float64)
    array = array[~np.isnan(array)]
    if not array.size:
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(array, [tail, 1 - tail], method="inverted_cdf").tolist()
    return Interval(low, high)
