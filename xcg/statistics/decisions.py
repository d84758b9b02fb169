"""Decisions of tests, corrections and gates in many campaigns at once, for simulations.

The scores of many campaigns are an array of shape (campaigns, topics, runs). The decisions are those of
:func:`xcg.compare` and of the gate in each campaign. Intervals, means, and exact p values of
comparisons that are not significant are not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xcg.lazy_modules import np, npt
from xcg.measures import MEASURES
from xcg.statistics.corrections import adjusted
from xcg.statistics.families import studentised_range_limit, tukey_inferences
from xcg.statistics.margins import evidence
from xcg.statistics.significance import SIGNIFICANCE_LEVEL
from xcg.statistics.significance_tests import paired_p_values
from xcg.statistics.topic_scores import ROUNDING, Floats, TopicScores

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


def paired_significant(
    scores: Sequence[Floats],
    pairs: Sequence[IndexPair],
    test: str,
    corrections: Sequence[str],
    level: float = SIGNIFICANCE_LEVEL,
) -> dict[str, Booleans]:
    """Return which pairs of runs differ by a paired test, in each campaign.

    Each pair is tested on the topics that both runs have. All pairs by all measures and user models are
    one family.

    Args:
        scores: For each measure and user model of the family, an array of shape (campaigns, topics,
            runs); NaN for the same topics and runs in each campaign.
        pairs: Indices of runs.
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        corrections: As for :func:`xcg.statistics.corrections.adjusted`.
        level: Significance level.

    Returns:
        For each correction, an array of shape (campaigns, comparisons); the comparisons are in the
        order of the scores and pairs.
    """
    limit = level
    if test == "randomisation" and not {"none", "fdr_bh"} & set(corrections):
        limit = level / (len(scores) * len(pairs)) * (1 + ROUNDING)
    p_values = np.hstack([_p_values(values, pairs, test, limit) for values in scores])
    # Without a p value below the first limit, Holm and Shaffer find nothing; otherwise they need all.
    found = np.flatnonzero((p_values <= limit).any(axis=1))
    if limit < level and len(found):
        p_values[found] = np.hstack([_p_values(v[found], pairs, test, level) for v in scores])
    return {correction: adjusted(p_values, correction) < level for correction in corrections}


def pair_differences(scores: Floats, pair: IndexPair) -> Floats:
    """Return the differences of two runs on the topics that both have: shape (campaigns, topics)."""
    first, second = pair
    topics = ~np.isnan(scores[0, :, first]) & ~np.isnan(scores[0, :, second])
    found: Floats = scores[:, topics, first] - scores[:, topics, second]
    found[np.abs(found) <= ROUNDING] = 0
    return found


def _p_values(scores: Floats, pairs: Sequence[IndexPair], test: str, limit: float) -> Floats:
    """Return p values of shape (campaigns, pairs), exact up to the limit."""
    found = [pair_differences(scores, pair) for pair in pairs]
    p_values = np.ones((len(scores), len(pairs)))
    sizes = np.array([values.shape[1] for values in found])
    for size in np.unique(sizes):
        columns = np.flatnonzero(sizes == size)
        rows = np.concatenate([found[column] for column in columns])
        p_values[:, columns] = paired_p_values(test, rows, limit).reshape(len(columns), -1).T
    return p_values


def tukey_significant(
    scores: Floats, pairs: Sequence[IndexPair], test: str, level: float = SIGNIFICANCE_LEVEL
) -> Booleans:
    """Return which pairs differ by Tukey's HSD or its randomised form, in each campaign.

    Args:
        scores: Complete scores of at least three runs; array of shape (campaigns, topics, runs).
        pairs: Indices of runs.
        test: ``"t"`` or ``"randomisation"``.
        level: Significance level.

    Returns:
        Array of shape (campaigns, pairs): whether :func:`xcg.statistics.families.tukey_inferences`
        returns a corrected p value below the level.
    """
    campaigns, topics, runs = scores.shape
    first, second = (list(indices) for indices in zip(*pairs, strict=True))
    means = scores.mean(axis=1)
    distances = np.abs(means[:, first] - means[:, second])
    significant = np.zeros(distances.shape, bool)
    remaining = np.arange(campaigns)
    if test == "t":
        centred = scores - scores.mean(axis=2, keepdims=True)
        residuals = centred - centred.mean(axis=1, keepdims=True)
        df = (runs - 1) * (topics - 1)
        error = np.sqrt((residuals**2).sum(axis=(1, 2)) / df / topics)
        rounding = ROUNDING * np.maximum(1, np.abs(scores).max(axis=(1, 2)))
        varied = np.abs(residuals).max(axis=(1, 2)) > rounding
        limit = studentised_range_limit(level, runs, df)
        significant[varied] = distances[varied] > limit * error[varied, None]
        remaining = np.flatnonzero(~varied)
    names = [(str(a), str(b)) for a, b in pairs]
    for campaign in remaining:
        columns = {str(run): scores[campaign, :, run].tolist() for run in range(runs)}
        table = TopicScores([str(topic) for topic in range(topics)], columns)
        lines = tukey_inferences(table, names, test, level)
        significant[campaign] = [line.p_adjusted < level for line in lines]
    return significant


def gate_fails(
    scores: Sequence[Floats],
    measures: Sequence[str],
    baseline: int,
    test: str,
    corrections: Sequence[str],
    level: float = SIGNIFICANCE_LEVEL,
) -> dict[str, Booleans]:
    """Return which comparisons make a gate fail, in each campaign.

    Args:
        scores: For each measure and user model, an array of shape (campaigns, topics, runs), as for
            :func:`paired_significant`. All runs have scores.
        measures: The measure of each array.
        baseline: Index of the run that no other run may be worse than.
        test: As for :func:`paired_significant`.
        corrections: As for :func:`paired_significant`.
        level: Significance level.

    Returns:
        For each correction, an array of shape (campaigns, comparisons); the comparisons are in the
        order of the measures and runs. :func:`xcg.statistics.gate.gate_comparisons` makes the same
        decisions.
    """
    pairs = [(run, baseline) for run in range(scores[0].shape[2]) if run != baseline]
    significant = paired_significant(scores, pairs, test, corrections, level)
    for fails in significant.values():
        for campaign, column in np.argwhere(fails):
            family, pair = divmod(int(column), len(pairs))
            sign = -1 if MEASURES.order(measures[family]).lower_is_better else 1
            (advantage,) = sign * pair_differences(scores[family][[campaign]], pairs[pair])
            fails[campaign, column] = advantage.mean() < 0 and evidence(test, advantage) < 0
    return significant
