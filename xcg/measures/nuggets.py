"""Measures of novelty and diversity: which nuggets (facts, subtopics) the first results state."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from xcg.measures.definition import RANK, Number
from xcg.measures.judged_rankings import JudgedRanking, NuggetRanking, Nuggets
from xcg.measures.standard import REL, discounted_gain, ratio, standard

_ALPHA = {"alpha": Number(0.5, 0, 1), **REL}
_nuggets = partial(
    standard,
    caveat="A result states a nugget if its level there is at least rel. Values are those of ndeval. "
    "Topics without nuggets are left out.",
    needs_nuggets=True,
    on_spans=True,
)
Stated = Sequence[list[str]]
"""The nuggets that each document states."""


def greedy(count: int, gain_of: Callable[[int], float]) -> Iterator[tuple[int, float]]:
    """Yield items, each time the one with the greatest gain, then the first; and its gain.

    Args:
        count: The number of items, 0 to count - 1.
        gain_of: Item → its gain now. It must not grow when another item is yielded.
    """
    queue = [(-gain_of(item), item) for item in range(count)]
    heapq.heapify(queue)
    while queue:
        _, item = heapq.heappop(queue)
        gain = gain_of(item)
        if queue and (-gain, item) > queue[0]:
            heapq.heappush(queue, (-gain, item))
        else:
            yield item, gain


def _stated(documents: Sequence[Nuggets], rel: float) -> list[list[str]]:
    return [[nugget for nugget, level in one.items() if level >= rel] for one in documents]


def _gains(found: Stated, alpha: float) -> Iterator[float]:
    """Yield the gain of each result: (1 - α)^(results before it that state the nugget), summed."""
    seen: Counter[str] = Counter()
    for nuggets in found:
        yield math.fsum((1 - alpha) ** seen[nugget] for nugget in nuggets)
        seen.update(nuggets)


def _ideal_gains(ranking: NuggetRanking, alpha: float, rel: float, depth: int) -> list[float]:
    """Return the first gains of the greedy ideal ranking, which all runs share."""
    known = ranking.ideals.get((alpha, rel), [])
    if len(known) < min(depth, len(ranking.pool)):
        pool, seen = _stated(ranking.pool, rel), Counter[str]()
        known = []
        order = greedy(len(pool), lambda i: math.fsum((1 - alpha) ** seen[n] for n in pool[i]))
        for item, gain in islice(order, depth):
            known.append(gain)
            seen.update(pool[item])
        ranking.ideals[alpha, rel] = known
    return known[:depth]


def _parts(ranking: JudgedRanking, rel: float) -> tuple[NuggetRanking, list[list[str]], Counter[str]]:
    """Return the nuggets of results, and how many documents state each nugget."""
    assert ranking.nuggets is not None
    pool = _stated(ranking.nuggets.pool, rel)
    return ranking.nuggets, _stated(ranking.nuggets.found, rel), Counter(n for one in pool for n in one)


@_nuggets("alpha_nDCG", parameters=_ALPHA, cutoff=RANK)
def _alpha_ndcg(ranking: JudgedRanking, depth: float, alpha: float, rel: float) -> float:
    """Compute nDCG with novelty and diversity of nuggets.

    alpha_nDCG[k] = DCG[k] / IDCG[k] of the gains Σ (1 - alpha)^(earlier results with the nugget)
    over the nuggets of a result; the ideal ranking is greedy

    Source: Clarke et al. 2008 [@clarke-et-al-2008]; ndeval of TREC

    Example: nuggets ab, a, ideal ab, a: alpha_nDCG@2 = (2 + 0.5/log2(3)) / (2 + 0.5/log2(3)) = 1
    """
    nuggets, found, _ = _parts(ranking, rel)
    ideal = discounted_gain(enumerate(_ideal_gains(nuggets, alpha, rel, int(depth)), 1))
    return ratio(discounted_gain(enumerate(_gains(found, alpha), 1), depth), ideal)


@_nuggets("ERR_IA", parameters=_ALPHA, cutoff=RANK)
def _err_ia(ranking: JudgedRanking, depth: float, alpha: float, rel: float) -> float:
    """Compute intent-aware expected reciprocal rank.

    ERR_IA[k] = Σ gain[i] / i / Σ n·(1 - alpha)^(i-1) / i over the ranks i = 1 to k, with the gains
    of alpha_nDCG and the number of nuggets n

    Range: 0 to 1; ERR_IA@1 is the number of nuggets of the first result, as in ndeval

    Source: Chapelle, Metlzer, Zhang & Grinspan 2009 [@chapelle-et-al-2009]; ndeval of TREC

    Example: nuggets a, b, two nuggets: ERR_IA@2 = (1 + 1/2) / (2 + 1/2) = 0.6
    """
    _, found, documents = _parts(ranking, rel)
    gains = islice(_gains(found, alpha), int(depth))
    value = math.fsum(gain / rank for rank, gain in enumerate(gains, 1))
    if depth == 1:
        return value
    best = math.fsum((1 - alpha) ** i / (i + 1) for i in range(min(int(depth), 10_000)))
    return ratio(value, len(documents) * best)


@_nuggets("NRBP", parameters={**_ALPHA, "beta": Number(0.5, 0, 1)})
def _nrbp(ranking: JudgedRanking, alpha: float, rel: float, beta: float) -> float:
    """Compute novelty- and rank-biased precision.

    NRBP = (1 - (1 - alpha)·beta) / n · Σ gain[i]·beta^(i-1), with the gains of alpha_nDCG and the
    number of nuggets n

    Source: Clarke, Kolla & Vechtomova 2009 [@clarke-kolla-vechtomova-2009]; ndeval of TREC

    Example: nuggets a, b, two nuggets: NRBP = 0.75 / 2·(1 + 0.5) = 0.5625
    """
    _, found, documents = _parts(ranking, rel)
    value = math.fsum(gain * beta**index for index, gain in enumerate(_gains(found, alpha)))
    return ratio((1 - (1 - alpha) * beta) * value, len(documents))


@_nuggets("StRecall", cutoff=RANK)
def _subtopic_recall(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute the share of the nuggets that the first results state.

    StRecall[k] = nuggets in the first k results / nuggets

    Source: Zhai, Cohen & Lafferty 2003 [@zhai-cohen-lafferty-2003]; ndeval of TREC

    Example: nuggets a, a, two nuggets: StRecall@2 = 0.5
    """
    _, found, documents = _parts(ranking, rel)
    return ratio(len({nugget for one in found[: int(depth)] for nugget in one}), len(documents))


@_nuggets("P_IA", cutoff=RANK)
def _precision_ia(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute intent-aware precision: the mean over the nuggets.

    P_IA[k] = Σ nuggets of the first k results / (k·n), with the number of nuggets n

    Source: Agrawal et al. 2009 [@agrawal-et-al-2009]; ndeval of TREC

    Example: nuggets ab, a, two nuggets: P_IA@2 = 3 / 4
    """
    _, found, documents = _parts(ranking, rel)
    return ratio(sum(map(len, found[: int(depth)])), depth * len(documents))


@_nuggets("AP_IA", aliases=("MAP_IA",))
def _average_precision_ia(ranking: JudgedRanking, rel: float) -> float:
    """Compute intent-aware average precision: the mean over the nuggets.

    AP_IA = mean over the nuggets of the average precision of the results that state it

    Source: Agrawal et al. 2009 [@agrawal-et-al-2009]; ndeval of TREC

    Example: nuggets a, b, one document each: AP_IA = (1 + 1/2) / 2 = 0.75
    """
    _, found, documents = _parts(ranking, rel)
    hits: Counter[str] = Counter()
    precisions = []
    for rank, nuggets in enumerate(found, 1):
        hits.update(nuggets)
        precisions += [hits[nugget] / rank / documents[nugget] for nugget in nuggets]
    return ratio(math.fsum(precisions), len(documents))
