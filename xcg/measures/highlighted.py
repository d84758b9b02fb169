"""Measures of highlighted text in characters: HiXEval, charP to charF, iP and AiP."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xcg.documents.intervals import IntervalSet
from xcg.lazy_modules import np
from xcg.measures.definition import (
    RANK_OR_ALL,
    RECALL_FROM_0,
    Curve,
    Number,
    Parameters,
)
from xcg.measures.highlighted_ranking import HighlightedRanking
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import TopicGains

RECALL_POINTS = tuple(point / 100 for point in range(101))
"""The recall points 0, 0.01, …, 1 of AiP."""


def f_measure(precision: float, recall: float, beta: float) -> float:
    """Compute the F-measure F_β = (1 + β²)·P·R / (β²·P + R).

    Args:
        precision: P, from 0 to 1.
        recall: R, from 0 to 1.
        beta: β, from 0: how much more recall counts than precision.

    Returns:
        The value, from 0 to 1; 0 if precision and recall are 0.

    >>> round(f_measure(0.8, 0.4, 1), 5), round(f_measure(0.8, 0.4, 0.25), 5)
    (0.53333, 0.75556)
    """
    divisor = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / divisor if divisor else 0.0


def hixeval(
    ranking: HighlightedRanking, rank: int, alpha: float, beta: float = 1.0
) -> tuple[float, float, float]:
    """Compute HiXEval's precision, recall and F-measure at a rank.

    P = Σ rval / Σ size and R = Σ rval / Trel, where rval is the highlighted text of a result minus α
    times the part of it that was retrieved before (Pehcevski and Thom 2006).

    Args:
        ranking: The ranking as text; the topic must have highlighted text.
        rank: The number of results that count.
        alpha: α, how much repeated text is penalised, from 0 to 1.
        beta: β of the F-measure.

    Returns:
        Precision, recall and F_β, each from 0 to 1.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> [round(value, 3) for value in hixeval(ranking, 2, alpha=1, beta=1)]
    [0.533, 0.4, 0.457]
    """
    relevant = ranking.relevant_sizes[:rank]
    repeated = relevant - ranking.new_relevant_sizes[:rank]
    value = float(relevant.sum() - alpha * repeated.sum())
    size = float(ranking.sizes[:rank].sum())
    precision = value / size if size else 0.0
    recall = value / ranking.relevant
    return precision, recall, f_measure(precision, recall, beta)


def precision_and_recall(
    ranking: HighlightedRanking, rank: int, limit: float = math.inf
) -> tuple[float, float]:
    """Compute precision and recall in characters at a rank.

    P[r] is the highlighted part of the text read, R[r] the part of the highlighted text that was read.
    Text in several results is read once (Kamps and others 2008).

    Args:
        ranking: The ranking as text; the topic must have highlighted text.
        rank: The number of results that are read.
        limit: Number of characters after which reading stops.

    Returns:
        Precision and recall, each from 0 to 1.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> precision_and_recall(ranking, 1), precision_and_recall(ranking, 2, limit=40)
    ((0.8, 0.4), (1.0, 0.2))
    """
    size = float(ranking.new_sizes[:rank].sum())
    relevant = float(ranking.new_relevant_sizes[:rank].sum())
    if size > limit:
        size = relevant = 0.0
        covered: dict[str, IntervalSet[int]] = {}
        for document, start, end in ranking.results[:rank]:
            pieces = covered.setdefault(document, IntervalSet[int]()).add(start, end)
            read, relevant_read = ranking.read(document, pieces, limit - size, math.inf)
            size, relevant = size + read, relevant + relevant_read
            if size >= limit:
                break
    return (relevant / size if size else 0.0), relevant / ranking.relevant


def interpolated_precision(ranking: HighlightedRanking, points: Sequence[float]) -> list[float]:
    """Compute interpolated precision at recall points.

    iP[x] = the highest P[r] at a rank r with R[r] ≥ x (Kamps and others 2008).

    Args:
        ranking: The ranking as text; the topic must have highlighted text.
        points: Recall points x, from 0 to 1.

    Returns:
        One value for each point, from 0 to 1; 0 if no rank reaches x.

    >>> sizes = [("d", 0, 100), ("e", 0, 50), ("f", 0, 100)]
    >>> ranking = HighlightedRanking(sizes, {"d": [(0, 80)], "f": [(0, 60)], "g": [(0, 60)]})
    >>> interpolated_precision(ranking, [0.01, 0.41, 0.8])
    [0.8, 0.56, 0.0]
    """
    relevant = np.cumsum(ranking.new_relevant_sizes)
    size = np.cumsum(ranking.new_sizes)
    precision = np.divide(relevant, size, out=np.zeros(len(size)), where=size > 0)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    # Whole numbers of characters, so that a recall of exactly x reaches x.
    first = np.searchsorted(relevant, [math.ceil(x * ranking.relevant - 1e-9) for x in points])
    return [float(best[index]) if index < len(best) else 0.0 for index in first]


# Declarations

OfHighlights = Callable[[HighlightedRanking, float, Parameters], float]

LIMIT = {"limit": Number(0, 0, whole=True)}
_INEX = "INEX 2007–2010, Kamps, Pehcevski, Kazai, Lalmas & Robertson 2008"


def register_highlighted(
    name: str, source: str = _INEX, **declaration: Any
) -> Callable[[OfHighlights], OfHighlights]:
    """Return a decorator that registers a measure of highlighted text.

    The measure is undefined for a topic without highlighted text.
    """

    def add(function: OfHighlights) -> OfHighlights:
        def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
            ranking = topic.required_details(name).highlights()
            return function(ranking, cutoff, parameters) if ranking.relevant else None

        declared = {"source": source, "needs": "text", "needs_characters": True, **declaration}
        MEASURES.register(name, **declared)(compute)
        return function

    return add


def _depth(ranking: HighlightedRanking, cutoff: float) -> int:
    return len(ranking.results) if math.isinf(cutoff) else int(cutoff)


_ALPHA = {"alpha": Number(1.0, 0, 1)}
_BETA = {"beta": Number(1.0, 0)}
_hixeval = partial(
    register_highlighted,
    source="HiXEval, Pehcevski & Thom 2006",
    caveat="alpha=0 does not penalise repeated text.",
    cutoff=RANK_OR_ALL,
)


@_hixeval(
    "hixP",
    title="HiXEval's precision",
    formula="hixP[k] = Σ rval / Σ size over the first k results, where rval is the highlighted text "
    "of a result minus alpha times the part of it that was retrieved before",
    example="sizes 100, 50, highlighted 80, 0: hixP@2 = 80 / 150",
    parameters=_ALPHA,
)
def _hix_p(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return hixeval(ranking, _depth(ranking, cutoff), **parameters)[0]


@_hixeval(
    "hixR",
    title="HiXEval's recall",
    formula="hixR[k] = Σ rval over the first k results / highlighted text of the topic",
    example="highlighted 80 and 0 of 200: hixR@2 = 0.4",
    parameters=_ALPHA,
)
def _hix_r(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return hixeval(ranking, _depth(ranking, cutoff), **parameters)[1]


@_hixeval(
    "hixF",
    title="HiXEval's F-measure",
    formula="hixF = (1 + β²)·P·R / (β²·P + R) of P = hixP and R = hixR",
    example="P = 0.8, R = 0.4: hixF = 0.533",
    parameters={**_ALPHA, **_BETA},
)
def _hix_f(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return hixeval(ranking, _depth(ranking, cutoff), **parameters)[2]


_in_characters = partial(
    register_highlighted,
    caveat="limit=1000 reads the first 1000 characters of the ranking (Restricted Focused task, INEX "
    "2010); 0 reads all.",
    cutoff=RANK_OR_ALL,
)


@_in_characters(
    "charP",
    title="precision in characters",
    formula="charP[k] = highlighted text / text of the first k results, each character once",
    example="sizes 100, 50, highlighted 80, 0: charP@2 = 0.533",
    parameters=LIMIT,
)
def _char_p(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return _precision_and_recall(ranking, cutoff, parameters)[0]


@_in_characters(
    "charR",
    title="recall in characters",
    formula="charR[k] = highlighted text of the first k results, each character once / highlighted "
    "text of the topic",
    example="highlighted 80 and 0 of 200: charR@2 = 0.4",
    parameters=LIMIT,
)
def _char_r(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return _precision_and_recall(ranking, cutoff, parameters)[1]


@_in_characters(
    "charF",
    title="F-measure in characters",
    formula="charF = (1 + β²)·P·R / (β²·P + R) of P = charP and R = charR",
    example="P = 0.8, R = 0.4: charF = 0.533",
    parameters={**_BETA, **LIMIT},
)
def _char_f(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return f_measure(*_precision_and_recall(ranking, cutoff, parameters), parameters["beta"])


def _precision_and_recall(
    ranking: HighlightedRanking, cutoff: float, parameters: Parameters
) -> tuple[float, float]:
    limit = parameters["limit"] or math.inf
    return precision_and_recall(ranking, _depth(ranking, cutoff), limit)


@register_highlighted(
    "iP",
    title="interpolated precision at a recall point",
    formula="iP[x] = highest charP[k] at a rank k with charR[k] ≥ x; 0 if there is none",
    example="P .8, .53, .56 at R .4, .4, .7: iP@0.41 = 0.56",
    cutoff=RECALL_FROM_0,
)
def _ip(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return interpolated_precision(ranking, [cutoff])[0]


def _aip_curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
    ranking = topic.required_details("AiP").highlights()
    if not ranking.relevant:
        return RECALL_POINTS, [0.0] * len(RECALL_POINTS)
    return RECALL_POINTS, interpolated_precision(ranking, RECALL_POINTS)


@register_highlighted(
    "AiP",
    title="average interpolated precision",
    formula="AiP = mean of iP at the recall points 0, 0.01, …, 1",
    example="sizes 100, 50, 100, highlighted 80, 0, 60 of 200: AiP = 0.49109",
    caveat="The mean over topics is called MAiP.",
    curve=_aip_curve,
    curve_over="recall",
)
def _aip(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return math.fsum(interpolated_precision(ranking, RECALL_POINTS)) / len(RECALL_POINTS)
