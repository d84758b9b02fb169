"""Precision and recall with graded relevance, and Sakai's Q and R."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import xcg.measures.standard  # noqa: F401 – R with a cutoff
from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import BOUND, RANK_OR_ALL, RECALL_FROM_0_OR_MEAN, Curve, Number, Parameters
from xcg.measures.effort import UNRETRIEVED, divisor
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import (
    TOLERANCE,
    Gains,
    RankingGains,
    check_gains,
    check_ideal,
    cumulate,
    vector,
)
from xcg.user_model.relevance_value import Unretrieved

Precisions = Callable[[RankingGains, Parameters, Sequence[float]], list[float]]


def q_measure(
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    not_retrieved: int = 0,
    unretrieved: Unretrieved = "uncredited",
) -> float:
    """Compute Sakai's Q-measure.

    Q = 1/N · Σ cbg(j) / (cig(j) + j) over the ranks j with gain. cbg cumulates the bonus gains, which
    are g + 1 if g > 0 and else 0; cig cumulates the ideal gains without bonus (Kazai and Lalmas 2006,
    equation 11 with footnotes 12 and 13; Sakai 2004).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        not_retrieved: Number of ideal elements that the ranking does not retrieve.
        unretrieved: How these count in N, see :func:`xcg.measures.mean_effort_precision`.

    Returns:
        The value, from 0, and at most 1 if the ranking cannot gain more than the ideal.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> q_measure([0.5, 1.0], [1.0, 0.5])
    0.875
    """
    run, best = check_gains(gains), check_ideal(ideal)
    best_sums = cumulate(best, len(run))[run.hits]
    total = float(np.sum(run.bonus_sums / (best_sums + (run.hits + 1))))
    return total / divisor(run, best, not_retrieved, unretrieved)


def r_measure(gains: npt.ArrayLike, ideal: npt.ArrayLike) -> float:
    """Compute Sakai's R-measure.

    R-measure = cbg(R) / (cig(R) + R), where R is the number of ideal gains above 0; cbg and cig are
    those of :func:`q_measure`. Kazai and Lalmas 2006, equation 12 has cbg(R) + R as the divisor; only
    cig(R) + R gives the values of its Table II.

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.

    Returns:
        The value, with the range of :func:`q_measure`.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> round(r_measure([0.9, 0.1, 0.0, 0.5], [1.0, 0.5]), 3)
    0.857
    """
    run, best = check_gains(gains), check_ideal(ideal)
    rank = len(best.hits)
    hits = int(np.searchsorted(run.hits, rank))
    bonus = float(run.bonus_sums[hits - 1]) if hits else 0.0
    return bonus / (best.total + rank)


# Declarations

_ELEVEN_POINTS = tuple(point / 10 for point in range(11))
_KJ = "Kekäläinen & Järvelin 2002 [@kekalainen-jarvelin-2002]"


@MEASURES.register("xAP", parameters={"threshold": Number(1.0, 0.0)})
def _average_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute average precision of gains of at least a threshold.

    xAP = Σ P@i over the ranks i with a gain ≥ threshold / number of ideal gains ≥ threshold; 0 if
    there are none

    Range: 0 to 1; above 1 only if more results than ideal elements reach the threshold

    Source: Scheel, Lommatzsch & Albayrak 2011 [@scheel-lommatzsch-albayrak-2011], equation 2

    Example: gains 1, 0, 3, ideal 3, 1: xAP(threshold=1) = (1 / 1 + 2 / 3) / 2 = 0.833

    Caveat: AP is the standard measure, whose threshold on levels of relevance is rel. With
    threshold=0 every document is relevant: xAP = results / (results + ideal elements not
    retrieved).
    """
    threshold = parameters["threshold"]
    hits = np.flatnonzero(topic.checked_gains.values >= threshold)
    total = int(np.count_nonzero(vector(topic.ideal) >= threshold))
    if threshold == 0:  # every document is relevant
        total = len(hits) + topic.not_retrieved
    return math.fsum((np.arange(1, len(hits) + 1) / (hits + 1)).tolist()) / total if total else 0.0


@MEASURES.register("muAP")
def _mu_average_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute μAP, average precision over all levels of gain.

    μAP = Σ xAP(t)·d(t) / Σ d(t) over the levels t of the ideal gains, where d(t) is the distance of
    t to the next lower level, or to 0

    Range: 0 to 1; above 1 only if results gain more than ideal elements

    Source: Scheel, Lommatzsch & Albayrak 2011 [@scheel-lommatzsch-albayrak-2011], equation 4

    Example: gains 0.3, 1, ideal 1, 0.3: muAP = (0.3·1 + 0.7·0.5) / 1 = 0.65

    Caveat: The mean over topics is called μMAP in the paper.
    """
    levels = np.unique(topic.checked_ideal.values)
    levels = levels[levels > 0]
    distances = np.diff(levels, prepend=0.0)
    values = [_average_precision(topic, cutoff, {"threshold": level}) for level in levels.tolist()]
    return float((np.array(values) * distances).sum() / distances.sum())


_MAX = {"max": Number(1, 0, above=True)}
_generalised = partial(
    MEASURES.register,
    source=_KJ,
    caveat="Gains must be from 0 to max, which divides them: 100 for the weights 0, 1, 10 and 100.",
    cutoff=RANK_OR_ALL,
    parameters=_MAX,
)


@_generalised("gPrecision")
def _generalised_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute generalised precision.

    gPrecision[n] = (G[1] + … + G[n]) / n

    Example: gains 1, 0.5, 0: gPrecision@3 = 0.5
    """
    gains, _ = _gains_up_to_1(topic, "gPrecision", parameters["max"])
    depth = len(gains) if math.isinf(cutoff) else int(cutoff)
    return float(gains[:depth].sum()) / depth if depth else 0.0


@_generalised("gRecall", range=BOUND)
def _generalised_recall(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute generalised recall.

    gRecall[n] = (G[1] + … + G[n]) / sum of all ideal gains

    Example: gains 1, 0.5, ideal 1, 0.5, 0.5: gRecall@2 = 0.75
    """
    gains, ideal = _gains_up_to_1(topic, "gRecall", parameters["max"])
    return float(gains[: int(min(cutoff, len(gains)))].sum()) / float(np.sum(ideal))


def _gains_up_to_1(topic: RankingGains, measure: str, unit: float) -> tuple[Gains, Gains]:
    """Return the gains of the ranking and of the ideal in a unit; XcgError if one is above 1."""
    gains, ideal = topic.checked_gains.values / unit, topic.checked_ideal.values / unit
    highest = max(gains.max(initial=0.0), ideal[0])
    if highest > 1:
        raise XcgError(
            f"{measure} needs gains from 0 to 1, and the highest is {highest:g}; map levels to gains "
            "with quantisation: {gains: {1: 0.5, 2: 1}}, or scale them with "
            f"{measure}(max={highest * unit:g})"
        )
    return gains, ideal


def _precision_over_recall(
    relevance: npt.ArrayLike, total: float, points: Sequence[float]
) -> list[float]:
    """Return the highest precision at a rank whose recall reaches a point, for each recall point.

    Precision at rank n is (r[1] + … + r[n]) / n and recall is (r[1] + … + r[n]) / total, where r is 1
    or 0 for binary relevance, and from 0 to 1 for generalised precision and recall.
    """
    sums = np.cumsum(relevance)
    precision = sums / np.arange(1, len(sums) + 1)
    highest = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    reached = np.searchsorted(sums, (vector(points) - TOLERANCE) * total)
    values: list[float] = highest[reached].tolist()
    return values


def _at(
    precisions: Precisions, topic: RankingGains, cutoff: float, parameters: Parameters
) -> float | None:
    """Return precision at a recall point, or the mean over eleven without one."""
    values = precisions(topic, parameters, _ELEVEN_POINTS if math.isinf(cutoff) else [cutoff])
    return math.fsum(values) / len(values) if values else None


def _curve(
    precisions: Precisions, topic: RankingGains, depth: int, parameters: Parameters
) -> Curve | None:
    values = precisions(topic, parameters, _ELEVEN_POINTS)
    return (_ELEVEN_POINTS, values) if values else None


def _precisions(topic: RankingGains, parameters: Parameters, points: Sequence[float]) -> list[float]:
    """Return precision at recall points; nothing if no document is relevant."""
    level, threshold = parameters["level"], parameters["threshold"]
    if level and threshold:
        raise XcgError("level and threshold contradict each other: expected one of them")
    run, ideal = (
        np.isclose(gains, level, rtol=0, atol=TOLERANCE)
        if level
        else (gains >= threshold) & (gains > 0)
        for gains in (topic.checked_gains.values, topic.checked_ideal.values)
    )
    total = int(np.count_nonzero(ideal))
    return _precision_over_recall(run, total, points) if total else []


@MEASURES.register(
    "xIPrec",
    cutoff=RECALL_FROM_0_OR_MEAN,
    parameters={"level": Number(0.0, 0.0), "threshold": Number(0.0, 0.0)},
    curve=partial(_curve, _precisions),
    curve_over="recall",
)
def _xiprec(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute precision at a recall point, for all or single levels of gain.

    xIPrec[x] = highest precision at a rank whose recall is at least x; 0 if there is none. Results
    are relevant if their gain is above 0; with level=t, if it is t; with threshold=t, if it is at
    least t. Without a recall point: the mean over x = 0, 0.1, …, 1

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002], section 2.4, and section 2.3
    (average over eleven recall levels); Kekäläinen & Järvelin 2002 [@kekalainen-jarvelin-2002]

    Example: gains 3, 1, 3, ideal 3, 3, 1: xIPrec(level=3)@0.5 = 1, xIPrec(level=3)@1 = 2 / 3

    Caveat: A topic without ideal gains at the level is left out of the mean. The ideal ranking
    itself has a precision below 1 for all levels but the highest, because it ranks lower levels
    later. IPrec is the standard measure: it takes levels of relevance, and rounds recall points.
    """
    return _at(_precisions, topic, cutoff, parameters)


def _generalised_precisions(
    topic: RankingGains, parameters: Parameters, points: Sequence[float]
) -> list[float]:
    """Return generalised precision at points of generalised recall."""
    gains, ideal = _gains_up_to_1(topic, "gIPrec", parameters["max"])
    return _precision_over_recall(gains, float(ideal.sum()), points)


@MEASURES.register(
    "gIPrec",
    cutoff=RECALL_FROM_0_OR_MEAN,
    parameters=_MAX,
    curve=partial(_curve, _generalised_precisions),
    curve_over="generalised recall",
)
def _giprec(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute generalised precision at a point of generalised recall.

    gIPrec[x] = highest gPrecision[n] at a rank n with gRecall[n] ≥ x; 0 if there is none. Without a
    recall point: the mean over x = 0, 0.1, …, 1

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002], section 2.4; Kekäläinen &
    Järvelin 2002 [@kekalainen-jarvelin-2002]

    Example: gains 1, 0, 0.5, ideal 1, 0.5: gIPrec@0.6 = 1, gIPrec@1 = 1.5 / 3 = 0.5

    Caveat: Gains must be from 0 to max, which divides them. The ideal ranking itself has precision
    1 only if all its gains are 1.
    """
    return _at(_generalised_precisions, topic, cutoff, parameters)


@MEASURES.register("Q", range=BOUND, parameters=UNRETRIEVED)
def _q(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute Sakai's Q-measure on element gains.

    Q = 1/N · Σ over the ranks j with gain of cbg(j) / (cig(j) + j), where cbg cumulates g + 1 for
    gains g > 0, cig cumulates ideal gains, and N is that of MAep

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 11 with footnotes 12 and 13; Sakai
    2004 [@sakai-2004]

    Example: gains 0.5, 1, ideal 1, 0.5: Q = (1.5 / 2 + 3.5 / 3.5) / 2 = 0.875

    Caveat: unretrieved=max divides by the larger of the number of ranks with gain and of ideal
    elements. Small gains have much weight: each rank with a gain adds 1 to the gain.
    """
    return q_measure(
        topic.checked_gains, topic.checked_ideal, topic.not_retrieved, parameters["unretrieved"]
    )


@MEASURES.register("R", range=BOUND, with_cutoff=MEASURES.get("Recall"))
def _r(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute Sakai's R-measure on element gains.

    R = cbg(n) / (cig(n) + n), where n is the number of ideal elements; cbg and cig as for Q

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 12, corrected by its Table II; Sakai
    2004 [@sakai-2004]

    Example: gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: R = 3 / (1.5 + 2) = 0.857

    Caveat: R with a rank, as in R@10, is the standard measure recall.
    """
    return r_measure(topic.checked_gains, topic.checked_ideal)
