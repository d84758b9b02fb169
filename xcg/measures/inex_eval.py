"""The measures of INEX before XCG: inex-eval, inex-eval-ng, and the overlap of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xcg.measures.definition import (
    RANK_OR_ALL,
    RECALL_OR_MEAN,
    Curve,
    Definition,
    Parameters,
)
from xcg.measures.gain_vectors import TOLERANCE
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import TopicGains


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


def _ties(topic: TopicGains) -> list[list[float]]:
    """Return the scores of each group of tied results."""
    details = topic.required_details("inexEval")
    ties: dict[int, list[float]] = {}
    for group, score in zip(details.tie_groups(), details.scores(), strict=True):
        ties.setdefault(group, []).append(score)
    return list(ties.values())


def _total(topic: TopicGains) -> float:
    return math.fsum(topic.required_details("inexEval").recall_base_scores())


def _precall(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    total = _total(topic)
    if total <= 0:
        return None
    ties = _ties(topic)
    if not math.isinf(cutoff):
        return precall(ties, total, cutoff)
    return math.fsum(precall(ties, total, point) for point in _RECALL_POINTS) / len(_RECALL_POINTS)


def _precall_curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
    total, ties = _total(topic), _ties(topic)
    return _RECALL_POINTS, [precall(ties, total, x) if total else 0.0 for x in _RECALL_POINTS]


def _ng(recall: bool) -> Callable[[TopicGains, float, Parameters], float | None]:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
        results, total = topic.required_details("inex-eval-ng").grades()
        if total <= 0:
            return None
        considered = parameters["overlap"] == "considered"
        depth = len(results) if math.isinf(cutoff) else int(cutoff)
        exhaustive = specific = read = 0.0
        for result in results[:depth]:
            size = result.new if considered else result.size
            new = 1.0 if not considered else size / result.size if result.size else 0.0
            exhaustive += result.exhaustivity * new
            specific += result.specificity * size
            read += size
        if recall:
            return exhaustive / total
        return specific / read if read else 0.0

    return compute


def _overlap(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    top = topic.required_details("overlap").overlaps(None if math.isinf(cutoff) else int(cutoff))
    return sum(top) / len(top) if top else None


_NG = "Gövert, Fuhr, Lalmas & Kazai 2006"
_OVERLAP = {"overlap": ("considered", "ignored")}
_GRADES = "Exhaustivity and specificity are mapped to 0 to 1."

MEASURES.register(
    Definition(
        name="inexEval",
        title="inex-eval: precision at recall points, and its mean",
        formula="P(rel|retr)(x) = x·n / (x·n + j + s·i / (r + 1)); without a recall point the mean "
        "over x = 0.01, 0.02, …, 1.00",
        range="0 to 1",
        source="Kazai & Lalmas 2006, equation 17; Raghavan, Bollmann & Jung 1989",
        example="relevant at ranks 1 and 3 of 2: inexEval@0.5 = 1, inexEval@1 = 2 / 3",
        caveat="It ignores overlap: each result counts with the quantised score of its assessment, and "
        "all assessed elements are to be retrieved.",
        cutoff=RECALL_OR_MEAN,
        needs="scores",
        compute=_precall,
        curve=_precall_curve,
        curve_over="recall",
    )
)
MEASURES.register(
    Definition(
        name="ngRecall",
        title="inex-eval-ng: recall by exhaustivity",
        formula="ngRecall[k] = Σ e(c)·|c'| / |c| over the first k results c / Σ e over all assessed "
        "elements, where |c'| is the number of characters of c that no earlier result contains",
        range="0 to 1 if no element is repeated",
        source=_NG,
        example="e = 1 and 2/3, half of the second seen before, Σ e = 2: ngRecall@2 = (1 + 1/3) / 2",
        caveat=f"overlap=ignored replaces |c'| / |c| by 1. {_GRADES}",
        cutoff=RANK_OR_ALL,
        parameters=_OVERLAP,
        needs="grades",
        needs_characters=True,
        compute=_ng(recall=True),
    )
)
MEASURES.register(
    Definition(
        name="ngPrecision",
        title="inex-eval-ng: precision by specificity",
        formula="ngPrecision[k] = Σ s(c)·|c'| / Σ |c'| over the first k results c, with |c'| as for "
        "ngRecall",
        range="0 to 1",
        source=_NG,
        example="s = 1 and 1/3, 30 and 60 new characters: ngPrecision@2 = 50 / 90",
        caveat=f"overlap=ignored counts all characters of each result. {_GRADES}",
        cutoff=RANK_OR_ALL,
        parameters=_OVERLAP,
        needs="grades",
        needs_characters=True,
        compute=_ng(recall=False),
    )
)
MEASURES.register(
    Definition(
        name="overlap",
        title="overlap of a ranking",
        formula="overlap = share of the results that contain, lie inside or repeat another result",
        range="0 to 1",
        source="Kazai & Lalmas 2006, section 6.3",
        example="a section, a paragraph of it, another section: overlap = 2 / 3",
        caveat="It describes a run and does not rate it. A topic without results is left out of the "
        "mean.",
        cutoff=RANK_OR_ALL,
        needs="scores",
        compute=_overlap,
    )
)
