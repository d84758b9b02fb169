"""Decisions of tests and corrections in many campaigns at once, for gates and simulations.

Differences between two runs are an array of shape (campaigns, topics). The decisions are those of
:func:`xcg.compare` in each campaign. Intervals and exact p values of comparisons that are not
significant are not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xcg.lazy_modules import np, npt
from xcg.statistics.corrections import adjusted
from xcg.statistics.margins import evidence
from xcg.statistics.significance import SIGNIFICANCE_LEVEL
from xcg.statistics.significance_tests import paired_p_values
from xcg.statistics.topic_scores import ROUNDING, Floats

Booleans: TypeAlias = "npt.NDArray[np.bool_]"
IndexPair = tuple[int, int]


def exchange(scores: Floats, keys: Floats) -> Floats:
    """Exchange the scores of each topic among the runs that have one.

    The first run gets the score of the run with the lowest key, and so on. The same keys exchange the
    scores of all measures and user models alike. If a topic has scores of different runs by different
    measures, the scores of each measure are exchanged separately, by the same keys.

    Args:
        scores: Array of shape (topics, runs); NaN if a run has no score.
        keys: Random numbers below 1, independent and with the same distribution; array of shape
            (campaigns, topics, runs).

    Returns:
        Array of shape (campaigns, topics, runs). Runs without a score still have none.

    >>> scores = np.array([[0.1, 0.2, np.nan]])
    >>> exchange(scores, np.array([[[0.7, 0.4, 0.1]], [[0.3, 0.4, 0.5]]])).tolist()
    [[[0.2, 0.1, nan]], [[0.1, 0.2, nan]]]
    """
    present = ~np.isnan(scores)
    order = np.argsort(np.where(present, keys, np.inf), axis=2)  # the runs with a score are first
    positions = np.maximum(np.cumsum(present, axis=1) - 1, 0)
    sources = np.take_along_axis(order, np.broadcast_to(positions, keys.shape), axis=2)
    exchanged = np.take_along_axis(np.broadcast_to(scores, keys.shape), sources, axis=2)
    return np.where(present, exchanged, np.nan)


def pair_differences(scores: Floats, pair: IndexPair) -> Floats:
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


def family_p_values(found: Sequence[Floats], test: str, limit: float = 1.0) -> Floats:
    """Compute the p values of each comparison by itself.

    Args:
        found: Differences for each comparison; arrays of shape (campaigns, topics).
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        limit: As for :func:`xcg.statistics.significance_tests.paired_p_values`.

    Returns:
        Array of shape (campaigns, comparisons).
    """
    p_values = np.ones((len(found[0]), len(found)))
    sizes = np.array([values.shape[1] for values in found])
    for size in np.unique(sizes):
        columns = np.flatnonzero(sizes == size).tolist()
        rows = np.concatenate([found[column] for column in columns])
        p_values[:, columns] = paired_p_values(test, rows, limit).reshape(len(columns), -1).T
    return p_values


def paired_significant(
    found: Sequence[Floats],
    test: str,
    corrections: Sequence[str],
    level: float = SIGNIFICANCE_LEVEL,
) -> dict[str, Booleans]:
    """Return which comparisons of a family are significant by a paired test, in each campaign.

    Args:
        found: As for :func:`family_p_values`.
        test: As for :func:`family_p_values`.
        corrections: As for :func:`xcg.statistics.corrections.adjusted`.
        level: Significance level.

    Returns:
        For each correction, an array of shape (campaigns, comparisons).
    """
    limit = level
    if test == "randomisation" and not {"none", "fdr_bh"} & set(corrections):
        limit = level / len(found) * (1 + ROUNDING)
    p_values = family_p_values(found, test, limit)
    # Without a p value below the first limit, Holm and Shaffer find nothing; otherwise they need all.
    rows = np.flatnonzero((p_values <= limit).any(axis=1))
    if limit < level and len(rows):
        p_values[rows] = family_p_values([values[rows] for values in found], test, level)
    return {correction: adjusted(p_values, correction) < level for correction in corrections}


def are_losses(found: Sequence[Floats], test: str) -> Booleans:
    """Return whether the mean is below 0 and the test rejects in this direction, if it rejects.

    Args:
        found: As for :func:`family_p_values`; negative if the first run is worse.
        test: As for :func:`family_p_values`.

    Returns:
        Array of shape (campaigns, comparisons).
    """
    columns = [(values.mean(axis=1) < 0) & (evidence(test, values) < 0) for values in found]
    return np.stack(columns, axis=1)
