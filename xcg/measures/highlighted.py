"""Measures of highlighted text in characters: HiXEval, charP to charF, iP and AiP."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from xcg.lazy_modules import fractions
from xcg.measures.definition import RANK_OR_ALL, RECALL_FROM_0, Curve, Number, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.rankings import HighlightedRanking
from xcg.measures.topic_gains import RankingGains, sum_in_order

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
    size, relevant = _sums(ranking.amounts("always")[:rank])
    value = relevant - alpha * (relevant - _sums(ranking.amounts("once")[:rank])[1])
    precision = value / size if size else 0.0
    recall = value / ranking.relevant
    return precision, recall, f_measure(precision, recall, beta)


def precision_and_recall(
    ranking: HighlightedRanking, rank: int, limit: float = 0
) -> tuple[float, float]:
    """Compute precision and recall in characters at a rank.

    P[r] is the relevant part of the text read, R[r] the part of the relevant text that was read (Kamps
    and others 2008).

    Args:
        ranking: The ranking as text; the topic must have relevant text.
        rank: The number of results that are read.
        limit: Number of characters after which reading stops; 0 for none.

    Returns:
        Precision and recall, each from 0 to 1.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> precision_and_recall(ranking, 1), precision_and_recall(ranking, 2, limit=40)
    ((0.8, 0.4), (1.0, 0.2))
    """
    size, relevant = _sums(ranking.amounts("official")[:rank])
    if 0 < limit < size:
        size = relevant = 0
        for (document, _, _), pieces in zip(
            ranking.results[:rank], ranking.pieces("official"), strict=False
        ):
            more = ranking.read(document, pieces, limit - size)
            size, relevant = size + more[0], relevant + more[1]
    return (relevant / size if size else 0.0), relevant / ranking.relevant


def interpolated_precision(ranking: HighlightedRanking, points: Sequence[float]) -> list[float]:
    """Compute interpolated precision at recall points.

    iP[x] = the highest P[r] at a rank r with R[r] ≥ x (Kamps and others 2008). Recall is exact. A rank
    with a recall of 1.01 or more does not count; this happens only if the passages exceed the stated
    relevant size.

    Args:
        ranking: The ranking as text; the topic must have relevant text.
        points: Recall points x, from 0 to 1.

    Returns:
        One value for each point, from 0 to 1; 0 if no rank reaches x.

    >>> sizes = [("d", 0, 100), ("e", 0, 50), ("f", 0, 100)]
    >>> ranking = HighlightedRanking(sizes, {"d": [(0, 80)], "f": [(0, 60)], "g": [(0, 60)]})
    >>> interpolated_precision(ranking, [0.01, 0.41, 0.8])
    [0.8, 0.56, 0.0]
    """
    amounts = ranking.amounts("official")
    relevant = list(accumulate(part for _, part in amounts))
    del relevant[bisect_left(relevant, _characters(1.01, ranking.relevant)) :]
    precisions = [
        part / size if size else 0.0
        for part, size in zip(relevant, accumulate(size for size, _ in amounts), strict=False)
    ]
    best = list(accumulate(reversed(precisions), max))[::-1]
    values = []
    for point in points:
        first = bisect_left(relevant, _characters(point, ranking.relevant))
        values.append(best[first] if first < len(best) else 0.0)
    return values


def _sums(amounts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum([size for size, _ in amounts]), sum([relevant for _, relevant in amounts])


def _characters(recall: float, relevant: int) -> int:
    """Return the least number of characters that reaches a recall."""
    return math.ceil(fractions.Fraction(repr(float(recall))) * relevant)  # 0.29 means 29 / 100


# Declarations

LIMIT = {"limit": Number(0, 0, whole=True)}
_INEX = "INEX 2007–2010, Kamps, Pehcevski, Kazai, Lalmas & Robertson 2008 [@kamps-et-al-2008]"


def _reads_unknown(ranking: HighlightedRanking, cutoff: float) -> bool:
    return any(index < cutoff for index in ranking.unknown)


def _of_highlights(
    function: Callable[..., float], fields: dict[str, Any]
) -> Callable[..., float | None]:
    """Return what computes a measure by a function of the highlighted text of a ranking.

    The measure is undefined for a topic without relevant text, and if it reads a result whose text is
    unknown: one up to the cutoff, or as the field ``reads_unknown`` decides. A cutoff at a rank, or
    none, becomes a rank up to the last result.
    """
    reads_unknown = fields.pop("reads_unknown", _reads_unknown)
    cutoff = fields.get("cutoff")
    is_rank = cutoff is None or cutoff.whole

    def compute(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
        ranking = topic.highlights
        if not ranking.relevant or reads_unknown(ranking, cutoff):
            return None
        depth = int(min(cutoff, len(ranking.results))) if is_rank else cutoff
        return function(ranking, depth, **parameters)

    return compute


register_highlighted = partial(MEASURES.register, adapt=_of_highlights, needs="text", source=_INEX)
"""The decorator of a function of the highlighted text of a ranking; see :func:`_of_highlights`."""


_ALPHA = {"alpha": Number(1.0, 0, 1)}
_BETA = {"beta": Number(1.0, 0)}
_hixeval = partial(
    register_highlighted,
    source="HiXEval, Pehcevski & Thom 2006 [@pehcevski-thom-2006]",
    caveat="alpha=0 does not penalise repeated text.",
    cutoff=RANK_OR_ALL,
)


@_hixeval("hixP", parameters=_ALPHA)
def _hix_precision(ranking: HighlightedRanking, rank: int, **parameters: float) -> float:
    """Compute HiXEval's precision.

    hixP[k] = Σ rval / Σ size over the first k results, where rval is the highlighted text of a
    result minus alpha times the part of it that was retrieved before

    Example: sizes 100, 50, highlighted 80, 0: hixP@2 = 80 / 150
    """
    return hixeval(ranking, rank, **parameters)[0]


@_hixeval("hixR", parameters=_ALPHA)
def _hix_recall(ranking: HighlightedRanking, rank: int, **parameters: float) -> float:
    """Compute HiXEval's recall.

    hixR[k] = Σ rval over the first k results / highlighted text of the topic

    Example: highlighted 80 and 0 of 200: hixR@2 = 0.4
    """
    return hixeval(ranking, rank, **parameters)[1]


@_hixeval("hixF", parameters={**_ALPHA, **_BETA})
def _hix_f(ranking: HighlightedRanking, rank: int, **parameters: float) -> float:
    """Compute HiXEval's F-measure.

    hixF = (1 + β²)·P·R / (β²·P + R) of P = hixP and R = hixR

    Example: P = 0.8, R = 0.4: hixF = 0.533
    """
    return hixeval(ranking, rank, **parameters)[2]


_REPEATED_TEXT = (
    "Text that is returned again does not count. Exception, as in inex_eval: in a document without "
    "relevant text it counts each time."
)
_in_characters = partial(
    register_highlighted,
    caveat=f"{_REPEATED_TEXT} limit=1000 reads the first 1000 characters of the ranking (Restricted "
    "Focused task, INEX 2010); 0 reads all.",
    cutoff=RANK_OR_ALL,
)


@_in_characters("charP", parameters=LIMIT)
def _char_precision(ranking: HighlightedRanking, rank: int, limit: float) -> float:
    """Compute precision in characters.

    charP[k] = relevant / all characters of the first k results

    Example: sizes 100, 50, relevant 80, 0: charP@2 = 0.533
    """
    return precision_and_recall(ranking, rank, limit)[0]


@_in_characters("charR", parameters=LIMIT)
def _char_recall(ranking: HighlightedRanking, rank: int, limit: float) -> float:
    """Compute recall in characters.

    charR[k] = relevant characters of the first k results / relevant size of the topic

    Example: relevant 80 and 0 of 200: charR@2 = 0.4
    """
    return precision_and_recall(ranking, rank, limit)[1]


@_in_characters("charF", parameters={**_BETA, **LIMIT})
def _char_f(ranking: HighlightedRanking, rank: int, beta: float, limit: float) -> float:
    """Compute F-measure in characters.

    charF = (1 + β²)·P·R / (β²·P + R) of P = charP and R = charR

    Example: P = 0.8, R = 0.4: charF = 0.533
    """
    return f_measure(*precision_and_recall(ranking, rank, limit), beta)


_POINTS = (
    "Recall points are exact. inex_eval computes them in floating point, so that a recall of .29 "
    "reaches only the point .28; xcg inex-eval does the same."
)


@register_highlighted(
    "iP",
    caveat=f"{_REPEATED_TEXT} {_POINTS}",
    cutoff=RECALL_FROM_0,
    reads_unknown=lambda ranking, _: bool(ranking.unknown),
)
def _ip(ranking: HighlightedRanking, recall: float) -> float:
    """Compute interpolated precision at a recall point.

    iP[x] = highest charP[k] at a rank k with charR[k] ≥ x; 0 if there is none

    Example: P .8, .53, .56 at R .4, .4, .7: iP@0.41 = 0.56
    """
    return interpolated_precision(ranking, [recall])[0]


def _aip_curve(topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
    return RECALL_POINTS, interpolated_precision(topic.highlights, RECALL_POINTS)


@register_highlighted(
    "AiP",
    caveat=f"The mean over topics is called MAiP. {_REPEATED_TEXT} {_POINTS}",
    curve=_aip_curve,
    curve_over="recall",
)
def _aip(ranking: HighlightedRanking, rank: int) -> float:
    """Compute average interpolated precision.

    AiP = mean of iP at the recall points 0, 0.01, …, 1

    Example: sizes 100, 50, 100, relevant 80, 0, 60 of 200: AiP = 0.49109
    """
    # inex_eval adds from left to right; an exact sum would differ in the last digit.
    return sum_in_order(interpolated_precision(ranking, RECALL_POINTS)) / 101
