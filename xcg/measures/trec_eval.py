"""Measures of trec_eval that few people use: of sets, of samples, of gains; and geometric means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from xcg.measures.definition import RANK, Number, Parameters
from xcg.measures.judged_rankings import JudgedRanking
from xcg.measures.standard import (
    COUNT,
    REL,
    average_precision,
    binary_preference,
    discounted_gain,
    ratio,
    standard,
)
from xcg.measures.stopping import rank_biased_precision
from xcg.measures.topic_gains import sum_in_order

_EPSILON = 0.00001


def _counts(ranking: JudgedRanking, rel: float) -> tuple[int, int, int]:
    """Return the numbers of results, relevant results and relevant documents."""
    return ranking.retrieved, len(ranking.relevant_ranks(rel)), ranking.relevant(rel)


@standard("SetP", parameters={**REL, "relative": ("False", "True")}, aliases=("SetRelP",))
def _set_precision(ranking: JudgedRanking, rel: float, relative: str) -> float:
    """Compute precision of the results as a set.

    SetP = relevant results / results; with relative=True / min(results, relevant documents)

    Example: levels 1, 0, three relevant documents: SetP = 0.5
    """
    retrieved, hits, relevant = _counts(ranking, rel)
    return ratio(hits, min(retrieved, relevant) if relative == "True" else retrieved)


@standard("SetR")
def _set_recall(ranking: JudgedRanking, rel: float) -> float:
    """Compute recall of the results as a set.

    SetR = relevant results / relevant documents

    Example: levels 1, 0, three relevant documents: SetR = 0.333
    """
    _, hits, relevant = _counts(ranking, rel)
    return ratio(hits, relevant)


@standard("SetAP")
def _set_average_precision(ranking: JudgedRanking, rel: float) -> float:
    """Compute average precision of the results as a set.

    SetAP = SetP · SetR

    Example: levels 1, 0, three relevant documents: SetAP = 0.167
    """
    retrieved, hits, relevant = _counts(ranking, rel)
    return ratio(hits * hits, retrieved * relevant)


@standard("SetF", parameters={**REL, "beta": Number(1, 0)})
def _set_f(ranking: JudgedRanking, rel: float, beta: float) -> float:
    """Compute F-measure of the results as a set.

    SetF = (beta + 1)·SetP·SetR / (beta·SetP + SetR)

    Example: levels 1, 0, three relevant documents: SetF = 2·0.5·0.333 / 0.833 = 0.4

    Caveat: beta is not squared, as in trec_eval. A document is relevant if its level is at least
    rel.
    """
    retrieved, hits, relevant = _counts(ranking, rel)
    return ratio((beta + 1) * hits, beta * relevant + retrieved)


@standard("infAP")
def _inferred_average_precision(ranking: JudgedRanking, rel: float) -> float:
    """Compute average precision inferred from assessments of a sample of the pool.

    infAP = 1/R · Σ over relevant results at rank k of 1/k + (k-1)/k · p/(k-1) · (r + ε) / (r + n +
    2ε), where r and n are the relevant and other assessed results before it, p these and those with
    a level below 0, and ε = 0.00001

    Source: Yilmaz & Aslam 2006 [@yilmaz-aslam-2006]; trec_eval [@trec-eval]

    Example: levels not assessed, 1, one relevant document: infAP = 1/2

    Caveat: A level below 0 means that a document is in the pool and not assessed.
    """
    hits = others = unjudged = 0
    terms = []
    for rank, level in zip(ranking.ranks, ranking.levels, strict=True):
        if level >= rel:
            share = (hits + _EPSILON) / (hits + others + 2 * _EPSILON)
            terms.append(1 / rank + (hits + others + unjudged) / rank * share if rank > 1 else 1.0)
            hits += 1
        others += 0 <= level < rel
        unjudged += level < 0
    return ratio(sum_in_order(terms), ranking.relevant(rel))


@standard("Judged", parameters={}, cutoff=RANK)
def _judged(ranking: JudgedRanking, depth: float) -> float:
    """Compute the share of the first results that are assessed.

    Judged[k] = assessed results among the first k / min(k, results)

    Source: ir_measures, MacAvaney, Macdonald & Ounis 2022 [@macavaney-macdonald-ounis-2022]

    Example: levels 1, not assessed: Judged@2 = Judged@1 / 2 = 0.5

    Caveat: Results that are not assessed count as not relevant in most measures.
    """
    return ratio(sum(rank <= depth for rank in ranking.ranks), min(depth, ranking.retrieved))


_OF_TREC_EVAL = "A measure of trec_eval 10, under its name there."
_trec = partial(standard, caveat=_OF_TREC_EVAL)


@_trec("unj", parameters={}, cutoff=RANK, lower_is_better=True)
def _unjudged(ranking: JudgedRanking, depth: float) -> float:
    """Compute the share of the first ranks with a result that is not assessed.

    unj[k] = results without an assessment among the first k / k

    Example: levels 1, not assessed: unj@4 = 1 / 4 = 0.25
    """
    ranked = zip(ranking.ranks, ranking.levels, strict=True)
    judged = sum(rank <= depth and level >= 0 for rank, level in ranked)
    return (min(depth, ranking.retrieved) - judged) / depth


@_trec("num_nonrel_judged_ret", **COUNT)
def _other_results(ranking: JudgedRanking, rel: float) -> float:
    """Compute the number of assessed results that are not relevant.

    num_nonrel_judged_ret = results with a level from 0 to below rel

    Example: levels 1, not assessed, 0: num_nonrel_judged_ret = 1
    """
    return float(sum(0 <= level < rel for level in ranking.levels))


@_trec("utility")
def _utility(ranking: JudgedRanking, rel: float) -> float:
    """Compute relevant results minus other results.

    utility = relevant results - other results

    Range: any number

    Example: levels 1, 0, 0: utility = 1 - 2 = -1
    """
    retrieved, hits, _ = _counts(ranking, rel)
    return float(2 * hits - retrieved)


@_trec("relative_P", cutoff=RANK)
def _relative_precision(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute precision at a rank, compared with the highest possible.

    relative_P[k] = relevant results among the first k / min(k, relevant documents)

    Example: levels 1, 0, one relevant document: relative_P@2 = 1 / 1 = 1
    """
    return ratio(len(ranking.relevant_ranks(rel, depth)), min(depth, ranking.relevant(rel)))


@_trec("Rprec_mult", parameters={"x": Number(1, 0, 1000, above=True), **REL})
def _precision_at_multiple(ranking: JudgedRanking, x: float, rel: float) -> float:
    """Compute precision at a multiple of the number of relevant documents.

    Rprec_mult(x) = P[k], where k is the whole part of x·R + 0.9

    Example: levels 1, 0, 0, 0, two relevant documents: Rprec_mult(x=2) = P@4 = 0.25
    """
    depth = int(x * ranking.relevant(rel) + 0.9)
    return ratio(len(ranking.relevant_ranks(rel, depth)), depth)


@_trec("binG")
def _binary_gain(ranking: JudgedRanking, rel: float) -> float:
    """Compute binary normalised gain.

    binG = Σ over relevant results of 1 / log2(2 + other results before it) / R

    Example: levels 0, 1, one relevant document: binG = 1 / log2(3) = 0.631
    """
    ranks = enumerate(ranking.relevant_ranks(rel), 1)
    gain = sum_in_order(1 / math.log2(2 + rank - number) for number, rank in ranks)
    return ratio(gain, ranking.relevant(rel))


def _ideal(ranking: JudgedRanking) -> list[int]:
    """Return the levels above 0 of the assessed documents, in decreasing order."""
    return sorted((level for level in ranking.judged if level > 0), reverse=True)


def _relevant(ranking: JudgedRanking) -> list[tuple[int, int]]:
    """Return (rank, level) of the results with a level above 0."""
    return [pair for pair in zip(ranking.ranks, ranking.levels, strict=True) if pair[1] > 0]


_graded = partial(_trec, parameters={})


@_graded("G")
def _gain(ranking: JudgedRanking) -> float:
    """Compute normalised gain.

    G = Σ over relevant results at rank i of level / log2(2 + cost[i] - gain[i]) / sum of the levels
    of all documents; gain[i] sums the levels of results, cost[i] those of the ideal ranking, at
    least 1 each, up to i

    Example: levels 0, 1, one relevant document: G = 1 / log2(2 + 2 - 1) = 0.631
    """
    ideal = _ideal(ranking)
    costs = [0, *accumulate(ideal)]
    value, gain = 0.0, 0
    for rank, level in _relevant(ranking):
        gain += level
        cost = costs[min(rank, len(ideal))] + max(rank - len(ideal), 0)
        value += level / math.log2(2 + cost - gain)
    return ratio(value, costs[-1])


@_graded("ndcg_rel")
def _ndcg_of_relevant(ranking: JudgedRanking) -> float:
    """Compute nDCG averaged over the relevant documents.

    ndcg_rel = Σ over relevant documents of nDCG at their rank / their number; of those that are not
    retrieved, nDCG of the whole ranking

    Example: levels 0, 1, one relevant document: ndcg_rel = 1 / log2(3) = 0.631
    """
    ideal, found = list(enumerate(_ideal(ranking), 1)), _relevant(ranking)
    if not ideal:
        return 0.0
    ranks = [rank for rank, _ in found] + [math.inf] * (len(ideal) - len(found))
    return _mean_ndcg(found, ideal, ranks)


@_graded("Rndcg")
def _ndcg_at_levels(ranking: JudgedRanking) -> float:
    """Compute nDCG averaged over the ranks where the ideal ranking changes its level.

    Rndcg = mean of nDCG[k] over the ranks k at which the ideal ranking ends a level above 0; and of
    the whole ranking if it is longer than the ideal ranking by two or more

    Example: levels 0, 1, one relevant document: Rndcg = 0 / 1 = 0
    """
    levels = _ideal(ranking)
    if not levels:
        return 0.0
    following = [*levels[1:], 0]
    ranks: list[float] = [i for i, level in enumerate(levels, 1) if level != following[i - 1]]
    if ranking.retrieved > len(levels) + 1:
        ranks.append(math.inf)
    return _mean_ndcg(_relevant(ranking), list(enumerate(levels, 1)), ranks)


def _mean_ndcg(
    found: list[tuple[int, int]], ideal: list[tuple[int, int]], ranks: Sequence[float]
) -> float:
    values = {rank: discounted_gain(found, rank) / discounted_gain(ideal, rank) for rank in set(ranks)}
    return sum_in_order(values[rank] for rank in ranks) / len(ranks)


@_trec("rbp_resid", parameters={}, lower_is_better=True)
def _residual(ranking: JudgedRanking) -> float:
    """Compute the residual of rank-biased precision with p = 0.9.

    rbp_resid = RBP(p=0.9,score=residual) if a result is not assessed, else 0

    Example: levels 1, not assessed: rbp_resid = 0.81 + 0.1·0.9 = 0.9
    """
    if sum(level >= 0 for level in ranking.levels) == ranking.retrieved:
        return 0.0
    return rank_biased_precision(ranking, math.inf, p=0.9, rel=0, max_rel=0, score="residual")


_CHARACTERS = "0123456789>-."
"""The characters of trec_eval for levels, results outside the pool, and levels below 0."""


@_graded("relstring")
def _relevance_string(ranking: JudgedRanking) -> float:
    """Compute the levels of the first ten results, as a code.

    relstring = hexadecimal digits: 1, then for each result its level up to 9, a above 9, b outside
    the pool, c below 0

    Range: a code

    Example: levels 1, not assessed: relstring = 0x11b = 283

    Caveat: --format trec_eval prints the string as trec_eval does. A mean is meaningless.
    """
    codes = ["b"] * min(ranking.retrieved, 10)
    for rank, level in zip(ranking.ranks, ranking.levels, strict=True):
        if rank <= len(codes):
            codes[rank - 1] = f"{min(level, 10):x}" if level >= 0 else "c"
    return float(int("1" + "".join(codes), 16))


def relevance_string(code: float) -> str:
    """Return the levels of the first results as trec_eval prints them.

    >>> relevance_string(0x11B)
    "'1-'"
    """
    return f"'{''.join(_CHARACTERS[int(digit, 16)] for digit in f'{int(code):x}'[1:])}'"


def _geometric_mean(values: Sequence[float], cutoff: float, parameters: Parameters) -> float:
    logarithms = [math.log(max(value, _EPSILON)) for value in values]
    return math.exp(sum_in_order(logarithms) / len(values))


_geometric = partial(_trec, aggregate=_geometric_mean)


@_geometric("gm_map")
def _geometric_mean_of_ap(ranking: JudgedRanking, rel: float) -> float:
    """Compute the geometric mean of AP.

    gm_map = (Π of AP over the topics)^(1 / topics); values below 0.00001 count 0.00001

    Example: AP of two topics 0.4 and 0.1: gm_map = √0.04 = 0.2
    """
    return average_precision(ranking, math.inf, rel)


@_geometric("gm_bpref")
def _geometric_mean_of_bpref(ranking: JudgedRanking, rel: float) -> float:
    """Compute the geometric mean of Bpref.

    gm_bpref = (Π of Bpref over the topics)^(1 / topics); values below 0.00001 count 0.00001

    Example: Bpref of two topics 0.4 and 0.1: gm_bpref = √0.04 = 0.2
    """
    return binary_preference(ranking, rel)
