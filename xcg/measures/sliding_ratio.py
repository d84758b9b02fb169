"""Classic measures of gains in rank order: sliding ratio, frustration, half-life, and others.

Järvelin and Kekäläinen 2002 (section 2.4) compare their measures with these.
"""

from __future__ import annotations

import math
from functools import partial

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import RANK, RANK_OR_ALL, Number, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.search_length import COMPARED
from xcg.measures.topic_gains import Gains, RankingGains, check_gains, vector


def sliding_ratio(gains: npt.ArrayLike) -> Gains:
    """Compute the sliding ratio at each rank.

    Cumulated gain divided by the cumulated gain of the same results in decreasing order of gain
    (Pollack 1968).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.

    Returns:
        Array with one value for each result, from 0 to 1; 0 if there is no gain at all.

    Raises:
        ValueError: If the gains have another shape or illegal values.

    >>> sliding_ratio([3, 2, 3, 0]).round(3).tolist()
    [1.0, 0.833, 1.0, 1.0]
    """
    checked = check_gains(gains)
    run, best = checked.sums, np.cumsum(np.sort(checked.values)[::-1])
    return np.divide(run, best, out=np.zeros_like(run), where=best > 0)


def half_life(gains: npt.ArrayLike) -> float | None:
    """Compute the ranked half-life, the interpolated rank at which half of the total gain is reached.

    (k - 1) + (half - xCG[k-1]) / G[k], where k is the first rank with xCG[k] ≥ half (Borlund and
    Ingwersen 1998).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.

    Returns:
        The value, from 0; None if there is no gain. Lower is better.

    Raises:
        ValueError: If the gains have another shape or illegal values.

    >>> half_life([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]), half_life([1, 0.5, 0, 1, 0.5])
    (3.0, 2.0)
    """
    checked = check_gains(gains)
    run = checked.sums
    if not len(run) or run[-1] <= 0:
        return None
    half = float(run[-1]) / 2
    index = int(np.searchsorted(run, half - 1e-12 * half))
    before = float(run[index - 1]) if index else 0.0
    return index + (half - before) / float(checked.values[index])


def relative_relevance(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Compute relative relevance, the cosine of two vectors (Borlund and Ingwersen 1998).

    Args:
        first: Scores of the results, for example by the system.
        second: Other scores of the same results, for example gains.

    Returns:
        The value, from -1 to 1; 0 if a vector is zero.

    Raises:
        ValueError: If the vectors differ in length.

    >>> round(relative_relevance([1, 1, 1, 1, 1], [1, 0.5, 0, 1, 0]), 6)
    0.745356
    """
    u, v = vector(first), vector(second)
    if len(u) != len(v):
        raise ValueError(f"vectors of {len(u)} and {len(v)} numbers: expected the same length")
    lengths = math.sqrt(float((u**2).sum())) * math.sqrt(float((v**2).sum()))
    return float((u * v).sum()) / lengths if lengths else 0.0


# Declarations

_myaeng = partial(
    MEASURES.register,
    source=f"Myaeng & Korfhage 1990; {COMPARED}",
    references=("myaeng-korfhage-1990",),
    cutoff=RANK,
)
_RETRIEVED_ONLY = "It compares a run with its own results, not with what it should have retrieved."


def _ratio_at(gains: npt.ArrayLike, cutoff: float) -> float:
    ratios = sliding_ratio(gains)
    return float(ratios[min(int(cutoff), len(ratios)) - 1]) if len(ratios) else 0.0


@MEASURES.register(
    "slidingRatio",
    title="sliding ratio",
    formula="slidingRatio[i] = sum of the first i gains / sum of the i highest gains of the run",
    source=f"Pollack 1968; {COMPARED}",
    references=("pollack-1968",),
    example="gains 3, 2, 3: slidingRatio@2 = 5 / 6 = 0.833",
    caveat=_RETRIEVED_ONLY,
    cutoff=RANK,
)
@_myaeng(
    "satisfaction",
    title="satisfaction",
    formula="satisfaction[i] = slidingRatio[i]",
    example="gains 3, 2, 3: satisfaction@2 = 5 / 6 = 0.833",
    caveat=_RETRIEVED_ONLY,
)
def _sliding_ratio(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return _ratio_at(topic.checked_gains, cutoff)


@_myaeng(
    "frustration",
    title="frustration",
    formula="frustration[i] = slidingRatio[i] with 1 for each result without gain, and 0 for others",
    example="gains 0, 1, 0: frustration@2 = 1 / 2",
    caveat="The available literature does not say how non-relevant results are weighted; here each "
    "has weight 1.",
    lower_is_better=True,
)
def _frustration(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return _ratio_at(topic.checked_gains.values == 0, cutoff)


@_myaeng(
    "total",
    title="weighted total of satisfaction and frustration",
    formula="total = weight·satisfaction + (1 - weight)·(1 - frustration)",
    example="satisfaction 1, frustration 0.5: total@2 = 0.75",
    caveat="The available literature does not give the weights; the default is xcg's own.",
    parameters={"weight": Number(0.5, 0, 1)},
)
def _total(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    weight = float(parameters["weight"])
    satisfaction = _sliding_ratio(topic, cutoff, parameters)
    return weight * satisfaction + (1 - weight) * (1 - _frustration(topic, cutoff, parameters))


@MEASURES.register(
    "halfLife",
    title="ranked half-life",
    formula="halfLife = interpolated rank at which half of the run's total gain is reached",
    range="0 to the number of results",
    source=f"Borlund & Ingwersen 1998; {COMPARED}",
    references=("borlund-ingwersen-1998",),
    example="gains 1, 0.5, 0, 1, 0.5: halfLife = 2.0",
    caveat=f"{_RETRIEVED_ONLY} A topic without gain is left out of the mean.",
    lower_is_better=True,
)
def _half_life(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    return half_life(topic.checked_gains)


@MEASURES.register(
    "relativeRelevance",
    title="relative relevance",
    formula="relativeRelevance = cosine of the system's scores and the gains",
    range="-1 to 1",
    source=f"Borlund & Ingwersen 1998; {COMPARED}",
    references=("borlund-ingwersen-1998",),
    example="scores 1, 1, 1, 1, 1, gains 1, 0.5, 0, 1, 0: relativeRelevance = 0.745",
    caveat="It needs a run with scores.",
    cutoff=RANK_OR_ALL,
)
def _relative_relevance(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    scores = topic.system_scores
    if scores is None:
        raise XcgError("relativeRelevance needs the system's scores: a run with scores or rsv")
    depth = len(scores) if math.isinf(cutoff) else int(cutoff)
    return relative_relevance(scores[:depth], topic.checked_gains.values[:depth])
