"""The measures of INEX before XCG: inex-eval, inex-eval-ng and overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from xcg.measures.definition import RANK_OR_ALL, RECALL_OR_MEAN, Curve, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import TOLERANCE, RankingGains


def precall(ties: Sequence[Sequence[float]], total: float, recall: float) -> float:
    """Compute P(rel|retr) at a recall point.

    P(rel|retr)(x) = x·n / (x·n + j + s·i / (r + 1)). The cumulated scores reach x·n in a group of tied
    results whose scores sum to r, and whose differences from 1 sum to i; j is the sum of the
    differences from 1 before this group, and s the score that is still wanted from it (Kazai and Lalmas
    2006, equation 17; Raghavan, Bollmann and Jung 1989).

    Args:
        ties: For each group of tied results, in rank order, their quantised scores from 0 to 1.
        total: n, the sum of the quantised scores of all assessed elements.
        recall: The recall point x, above 0 and at most 1.

    Returns:
        The value, from 0 to 1; 0 if x·n is never reached.

    Raises:
        ValueError: If ``recall`` is illegal.

    >>> precall([[1], [0], [1]], total=2, recall=0.5), round(precall([[1], [0], [1]], 2, 1.0), 4)
    (1.0, 0.6667)
    """
    if not 0 < recall <= 1:
        raise ValueError(f"recall point {recall}: expected one above 0 and at most 1")
    wanted = recall * total
    relevant = other = 0.0
    for scores in ties:
        here = math.fsum(scores)
        if wanted > 0 and relevant + here >= wanted - TOLERANCE * total:
            missing = wanted - relevant
            return wanted / (wanted + other + missing * (len(scores) - here) / (here + 1))
        relevant += here
        other += len(scores) - here
    return 0.0


# Declarations

_RECALL_POINTS = tuple(point / 100 for point in range(1, 101))


def _precalls(topic: RankingGains, points: Sequence[float]) -> list[float]:
    """Return P(rel|retr) at recall points; an empty list if no assessed element scores above 0."""
    total = math.fsum(topic.recall_base_scores)
    if total <= 0:
        return []
    ties: dict[int, list[float]] = {}
    for group, score in zip(topic.tie_groups, topic.scores, strict=True):
        ties.setdefault(group, []).append(score)
    return [precall(list(ties.values()), total, point) for point in points]


def _curve(topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
    return _RECALL_POINTS, _precalls(topic, _RECALL_POINTS) or [0.0] * len(_RECALL_POINTS)


@MEASURES.register("inexEval", cutoff=RECALL_OR_MEAN, needs="scores", curve=_curve, curve_over="recall")
def _inex_eval(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute inex-eval: precision at recall points, and its mean.

    P(rel|retr)(x) = x·n / (x·n + j + s·i / (r + 1)); without a recall point the mean over x = 0.01,
    0.02, …, 1.00

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 17; Raghavan, Bollmann & Jung 1989
    [@raghavan-bollmann-jung-1989]

    Example: relevant at ranks 1 and 3 of 2: inexEval@0.5 = 1, inexEval@1 = 2 / 3

    Caveat: It ignores overlap: each result counts with the quantised score of its assessment, and
    all assessed elements are to be retrieved.
    """
    values = _precalls(topic, _RECALL_POINTS if math.isinf(cutoff) else [cutoff])
    return math.fsum(values) / len(values) if values else None


_ng = partial(
    MEASURES.register,
    source="Gövert, Fuhr, Lalmas & Kazai 2006 [@govert-et-al-2006]",
    cutoff=RANK_OR_ALL,
    parameters={"overlap": ("considered", "ignored")},
    needs="grades",
)
_GRADES = "Exhaustivity and specificity are mapped to 0 to 1."


@_ng("ngRecall", caveat=f"overlap=ignored replaces |c'| / |c| by 1. {_GRADES}")
def _ng_recall(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute inex-eval-ng: recall by exhaustivity.

    ngRecall[k] = Σ e(c)·|c'| / |c| over the first k results c / Σ e over all assessed elements,
    where |c'| is the number of characters of c that no earlier result contains

    Range: 0 to 1 if no element is repeated

    Example: e = 1 and 2/3, half of the second seen before, Σ e = 2: ngRecall@2 = (1 + 1/3) / 2
    """
    exhaustive, _, _, total = _ng_sums(topic, cutoff, parameters)
    return exhaustive / total if total > 0 else None


@_ng("ngPrecision", caveat=f"overlap=ignored counts all characters of each result. {_GRADES}")
def _ng_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute inex-eval-ng: precision by specificity.

    ngPrecision[k] = Σ s(c)·|c'| / Σ |c'| over the first k results c, with |c'| as for ngRecall

    Example: s = 1 and 1/3, 30 and 60 new characters: ngPrecision@2 = 50 / 90
    """
    _, specific, read, total = _ng_sums(topic, cutoff, parameters)
    if total <= 0:
        return None
    return specific / read if read else 0.0


def _ng_sums(
    topic: RankingGains, cutoff: float, parameters: Parameters
) -> tuple[float, float, float, float]:
    """Return Σ e·|c'| / |c|, Σ s·|c'| and Σ |c'| of the results, and Σ e of all assessed elements."""
    results, total = topic.grades
    considered = parameters["overlap"] == "considered"
    exhaustive = specific = read = 0.0
    for e, s, length, unseen in results[: len(results) if math.isinf(cutoff) else int(cutoff)]:
        size = unseen if considered else length
        new = 1.0 if not considered else size / length if length else 0.0
        exhaustive += e * new
        specific += s * size
        read += size
    return exhaustive, specific, read, total


@MEASURES.register("overlap", cutoff=RANK_OR_ALL, needs="scores")
def _overlap(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute the overlap of a ranking.

    overlap = share of the results that contain, lie inside or repeat another result

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], section 6.3

    Example: a section, a paragraph of it, another section: overlap = 2 / 3

    Caveat: It describes a run and does not rate it. A topic without results is left out of the
    mean.
    """
    top = topic.overlaps(None if math.isinf(cutoff) else int(cutoff))
    return sum(top) / len(top) if top else None
