"""Precision and recall with graded relevance: xAP, μAP, generalised precision and recall."""

from __future__ import annotations

import math
from collections.abc import Callable

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import RANK_OR_ALL, Definition, Number, Parameters
from xcg.measures.gain_vectors import check_gains, check_ideal, vector
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import TopicGains


def average_precision_at(gains: npt.ArrayLike, ideal: npt.ArrayLike, threshold: float) -> float:
    """Compute average precision if gains from a threshold on are relevant.

    AP^t = Σ P@i over the ranks i with G[i] ≥ t, divided by the number of ideal gains ≥ t (Scheel,
    Lommatzsch and Albayrak 2011, equation 2).

    Args:
        gains: Gain of each result in rank order; one dimension.
        ideal: Gains of the ideal ranking.
        threshold: The least gain t of a relevant result.

    Returns:
        The value, from 0; at most 1 if no more results than ideal elements reach the threshold. 0 if no
        ideal gain reaches it.

    >>> round(average_precision_at([1, 0, 3, 3, 2, 0, 1, 4], [4, 3, 3, 2, 1, 1], 3), 3)
    0.403
    """
    total = int(np.count_nonzero(vector(ideal) >= threshold))
    hits = np.flatnonzero(vector(gains) >= threshold)
    if not total:
        return 0.0
    precisions = np.arange(1, len(hits) + 1) / (hits + 1)
    return math.fsum(precisions.tolist()) / total


def mu_average_precision(gains: npt.ArrayLike, ideal: npt.ArrayLike) -> float:
    """Compute μAP, average precision over all levels of relevance.

    μAP = Σ AP^t · d^t / Σ d^t over the levels t > 0 of the ideal gains, where d^t is the distance of t
    to the next lower level, and of the lowest to 0 (Scheel, Lommatzsch and Albayrak 2011, equation 4).

    Args:
        gains: Gain of each result in rank order; one dimension.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.

    Returns:
        The value, with the range of :func:`average_precision_at`.

    Raises:
        ValueError: If the ideal gains have another shape or illegal values.

    >>> round(mu_average_precision([0.3, 1, 0], [1, 0.3]), 2)
    0.65
    """
    levels = np.unique(check_ideal(ideal))
    levels = levels[levels > 0]
    distances = np.diff(levels, prepend=0.0)
    values = [average_precision_at(gains, ideal, float(level)) for level in levels]
    return float(np.dot(values, distances) / distances.sum())


# Declarations


def _xap(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return average_precision_at(topic.gains, topic.ideal, parameters["threshold"])


def _mu_ap(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return mu_average_precision(topic.gains, topic.ideal)


def _generalised(recall: bool) -> Callable[[TopicGains, float, Parameters], float]:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
        name = "gRecall" if recall else "gPrecision"
        gains, ideal = check_gains(topic.gains), check_ideal(topic.ideal)
        highest = max(gains.max(initial=0.0), ideal[0])
        if highest > 1:
            raise XcgError(
                f"{name} needs gains from 0 to 1, and the highest is {highest:g}; "
                "map levels to gains with quantisation: {gains: {1: 0.5, 2: 1}}"
            )
        depth = len(gains) if math.isinf(cutoff) else int(cutoff)
        gained = float(gains[:depth].sum())
        if recall:
            return gained / float(ideal.sum())
        return gained / depth if depth else 0.0

    return compute


_SL = "Scheel, Lommatzsch & Albayrak 2011"
MEASURES.register(
    Definition(
        name="xAP",
        title="average precision of gains from a threshold on",
        formula="xAP = Σ P@i over the ranks i with a gain ≥ threshold / number of ideal gains ≥ "
        "threshold",
        range="0 to 1; above 1 only if more results than ideal elements reach the threshold",
        source=f"{_SL}, equation 2",
        example="gains 1, 0, 3, ideal 3, 1: xAP(threshold=1) = (1 / 1 + 2 / 3) / 2 = 0.833",
        caveat="AP is the standard measure, whose threshold on levels of relevance is rel.",
        parameters={"threshold": Number(1.0, 0.0, above=True)},
        compute=_xap,
    )
)
MEASURES.register(
    Definition(
        name="muAP",
        title="μAP, average precision over all levels of gain",
        formula="μAP = Σ xAP(t)·d(t) / Σ d(t) over the levels t of the ideal gains, where d(t) is the "
        "distance of t to the next lower level, or to 0",
        range="0 to 1; above 1 only if results gain more than ideal elements",
        source=f"{_SL}, equation 4",
        example="gains 0.3, 1, ideal 1, 0.3: muAP = (0.3·1 + 0.7·0.5) / 1 = 0.65",
        caveat="The mean over topics is called μMAP in the paper.",
        compute=_mu_ap,
    )
)
MEASURES.register(
    Definition(
        name="gPrecision",
        title="generalised precision",
        formula="gPrecision[n] = (G[1] + … + G[n]) / n",
        range="0 to 1",
        source="Kekäläinen & Järvelin 2002",
        example="gains 1, 0.5, 0: gPrecision@3 = 0.5",
        caveat="Gains must be from 0 to 1.",
        cutoff=RANK_OR_ALL,
        compute=_generalised(recall=False),
    )
)
MEASURES.register(
    Definition(
        name="gRecall",
        title="generalised recall",
        formula="gRecall[n] = (G[1] + … + G[n]) / sum of all ideal gains",
        range="0 to 1",
        source="Kekäläinen & Järvelin 2002",
        example="gains 1, 0.5, ideal 1, 0.5, 0.5: gRecall@2 = 0.75",
        caveat="Gains must be from 0 to 1.",
        cutoff=RANK_OR_ALL,
        compute=_generalised(recall=True),
    )
)
