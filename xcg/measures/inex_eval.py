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
    TopicGains,
)

_TOLERANCE = 1e-9
RECALL_POINTS = tuple(point / 100 for point in range(1, 101))


def precall(ranks: Sequence[Sequence[float]], total: float, recall: float) -> float:
    """Return P(rel|retr) at a recall point (Kazai & Lalmas 2006, equation 17; Raghavan et al. 1989).

    x·n / (x·n + j + s·i / (r + 1)): n is ``total``, the sum of quantised scores over the full
    recall-base; on the rank where their cumulated sum reaches x·n lie r of score and i of 1 − score; j
    is the 1 − score before it, s what of x·n is wanted from it.

    ranks: for each rank the scores of its results, several where they are tied. recall: above 0, at
    most 1. Range 0 … 1; 0 where x·n is never reached.

    >>> precall([[1], [0], [1]], total=2, recall=0.5), round(precall([[1], [0], [1]], 2, 1.0), 4)
    (1.0, 0.6667)
    """
    if not 0 < recall <= 1:
        raise ValueError(f"recall point {recall}: expected one above 0 and at most 1")
    wanted = recall * total
    found = useless = 0.0
    for scores in ranks:
        here = math.fsum(scores)
        if wanted > 0 and found + here >= wanted - _TOLERANCE * total:
            other = len(scores) - here
            missing = wanted - found
            return wanted / (wanted + useless + missing * other / (here + 1))
        found += here
        useless += len(scores) - here
    return 0.0


def _grouped(topic: TopicGains) -> list[list[float]]:
    details = topic.required_details("inexEval")
    ranks: dict[int, list[float]] = {}
    for tie, score in zip(details.tie_groups(), details.scores(), strict=True):
        ranks.setdefault(tie, []).append(score)
    return list(ranks.values())


def _precall(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    total = math.fsum(topic.required_details("inexEval").recall_base_scores())
    if total <= 0:
        return None
    ranks = _grouped(topic)
    if not math.isnan(cutoff):
        return precall(ranks, total, cutoff)
    return math.fsum(precall(ranks, total, point) for point in RECALL_POINTS) / len(RECALL_POINTS)


def _precall_curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
    total = math.fsum(topic.required_details("inexEval").recall_base_scores())
    ranks = _grouped(topic)
    return RECALL_POINTS, [precall(ranks, total, point) if total else 0.0 for point in RECALL_POINTS]


def _ng(
    recall: bool,
) -> Callable[[TopicGains, float, Parameters], float | None]:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
        results, total = topic.required_details("inex-eval-ng").grades()
        if total <= 0:
            return None
        considered = parameters["overlap"] == "considered"
        depth = len(results) if math.isnan(cutoff) else int(cutoff)
        over = under = 0.0
        for result in results[:depth]:
            size = result.new if considered else result.size
            if recall:
                share = 1.0 if not considered else size / result.size if result.size else 0.0
                over += result.exhaustivity * share
            else:
                over += result.specificity * size
                under += size
        if recall:
            return over / total
        return over / under if under else 0.0

    return compute


def _overlap(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    top = topic.required_details("overlap").overlaps(None if math.isnan(cutoff) else int(cutoff))
    return sum(top) / len(top) if top else None


_NG = "Gövert, Fuhr, Lalmas & Kazai 2006"
DEFINITIONS = (
    Definition(
        name="inexEval",
        title="inex-eval: precision at recall points, and its mean",
        formula="P(rel|retr)(x) = x·n / (x·n + j + s·i / (r + 1)); without a point the mean over "
        "x = 0.01, 0.02, …, 1.00",
        range="0 to 1",
        source="Kazai & Lalmas 2006, equation 17; Raghavan, Bollmann & Jung 1989",
        example="relevant at ranks 1 and 3 of 2: inexEval@0.5 = 1, inexEval@1 = 2 / 3",
        caveat="Ignores overlap: every result counts with the quantised score of its assessment, "
        "against the full recall-base.",
        cutoff=RECALL_OR_MEAN,
        needs="scores",
        compute=_precall,
        curve=_precall_curve,
    ),
    Definition(
        name="ngRecall",
        title="inex-eval-ng: recall by exhaustivity",
        formula="Σ e(c)·|c'| / |c| over the first results / Σ e of the recall-base; |c'| is what no "
        "earlier result covers",
        range="0 to 1 in rankings that repeat nothing",
        source=_NG,
        example="e = 1 and 2/3, half of the second seen before, Σ e = 2: ngRecall@2 = (1 + 1/3) / 2",
        caveat="overlap=ignored puts 1 in place of |c'| / |c|. e and s are mapped to 0 … 1.",
        cutoff=RANK_OR_ALL,
        parameters={"overlap": ("considered", "ignored")},
        needs="grades",
        compute=_ng(recall=True),
    ),
    Definition(
        name="ngPrecision",
        title="inex-eval-ng: precision by specificity",
        formula="Σ s(c)·|c'| / Σ |c'| over the first results",
        range="0 to 1",
        source=_NG,
        example="s = 1 and 1/3, 30 and 60 new characters: ngPrecision@2 = 50 / 90",
        caveat="overlap=ignored counts all characters of every result. e and s are mapped to 0 … 1.",
        cutoff=RANK_OR_ALL,
        parameters={"overlap": ("considered", "ignored")},
        needs="grades",
        compute=_ng(recall=False),
    ),
    Definition(
        name="overlap",
        title="overlap of a ranking",
        formula="share of the results that contain, lie inside or repeat another result",
        range="0 to 1",
        source="Kazai & Lalmas 2006, section 6.3",
        example="a section, a paragraph of it, another section: overlap = 2 / 3",
        caveat="A topic without results is left out of the mean.",
        cutoff=RANK_OR_ALL,
        needs="scores",
        compute=_overlap,
    ),
)
