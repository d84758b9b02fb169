"""Standard measures on levels of relevance, as trec_eval computes and ir_measures names them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xcg.measures.definition import RANK, RANK_OR_ALL, RECALL_FROM_0, Definition, Number, Parameters
from xcg.measures.ir_measures_names import MEANS
from xcg.measures.judged_ranking import JudgedRanking
from xcg.measures.parser import MEASURES
from xcg.measures.sums import sum_in_order


def precision(ranking: JudgedRanking, depth: float, rel: float = 1) -> float:
    """Compute precision at a rank.

    P[k] = relevant results among the first k / k, even if there are fewer than k results.

    Args:
        ranking: The ranking with its levels.
        depth: The rank k.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1.

    >>> precision(JudgedRanking([1, 3], [1, 1], [1, 1, 1]), depth=4)
    0.5
    """
    return len(ranking.relevant_ranks(rel, depth)) / depth


def recall(ranking: JudgedRanking, depth: float, rel: float = 1) -> float:
    """Compute recall at a rank.

    R[k] = relevant results among the first k / all relevant documents.

    Args:
        ranking: The ranking with its levels.
        depth: The rank k.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1; 0 if no document is relevant.

    >>> recall(JudgedRanking([1, 3], [1, 1], [1, 1, 1, 1]), depth=2)
    0.25
    """
    return _ratio(len(ranking.found_ranks(rel, depth)), ranking.relevant(rel))


def average_precision(ranking: JudgedRanking, depth: float = math.inf, rel: float = 1) -> float:
    """Compute average precision.

    AP = sum of the precision at the rank of each relevant result / all relevant documents. Of several
    gold spans that one result finds, each counts with the precision at its rank.

    Args:
        ranking: The ranking with its levels.
        depth: The last rank that counts; all by default.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1; 0 if no document is relevant.

    >>> average_precision(JudgedRanking([1, 4], [1, 1], [1, 1, 0]))
    0.75
    """
    ranks = ranking.relevant_ranks(rel, depth)
    precisions = [n / rank for n, rank in enumerate(ranks, 1)]
    if ranking.others:
        at_rank = dict(zip(ranks, precisions, strict=True))
        precisions = [at_rank[rank] for rank in ranking.found_ranks(rel, depth)]
    return _ratio(sum_in_order(precisions), ranking.relevant(rel))


def ndcg(ranking: JudgedRanking, depth: float = math.inf) -> float:
    """Compute normalised discounted cumulated gain.

    nDCG[k] = DCG[k] / IDCG[k] with DCG[k] = Σ level[i] / log2(i + 1) over the ranks i up to k. IDCG is
    DCG of all assessed documents in decreasing order of level. Levels below 0 gain 0.

    Args:
        ranking: The ranking with its levels.
        depth: The rank k; all ranks by default.

    Returns:
        The value, from 0 to 1; 0 if no level is above 0.

    >>> ndcg(JudgedRanking([3], [1], [1]))  # 1 / log2(4)
    0.5
    """
    dcg = _dcg(zip(ranking.ranks, ranking.levels, strict=True), depth)
    ideal = sorted(ranking.judged, reverse=True)
    if depth < len(ideal):
        del ideal[int(depth) :]
    return _ratio(dcg, _dcg(enumerate(ideal, 1), depth))


def reciprocal_rank(ranking: JudgedRanking, depth: float = math.inf, rel: float = 1) -> float:
    """Compute the reciprocal of the rank of the first relevant result.

    Args:
        ranking: The ranking with its levels.
        depth: The last rank that counts; all by default.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1; 0 if there is no relevant result.

    >>> reciprocal_rank(JudgedRanking([2, 4], [0, 1], [1, 0]))
    0.25
    """
    ranks = ranking.relevant_ranks(rel, depth)
    return 1 / ranks[0] if ranks else 0.0


def r_precision(ranking: JudgedRanking, rel: float = 1) -> float:
    """Compute precision at rank R, where R is the number of relevant documents.

    Args:
        ranking: The ranking with its levels.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1; 0 if no document is relevant.

    >>> r_precision(JudgedRanking([1, 3], [1, 1], [1, 1]))
    0.5
    """
    return recall(ranking, ranking.relevant(rel), rel)


def success(ranking: JudgedRanking, depth: float, rel: float = 1) -> float:
    """Compute whether there is a relevant result up to a rank.

    Args:
        ranking: The ranking with its levels.
        depth: The last rank that counts.
        rel: The least level of a relevant document.

    Returns:
        1 or 0.

    >>> success(JudgedRanking([3], [1], [1]), depth=2)
    0.0
    """
    return 1.0 if ranking.relevant_ranks(rel, depth) else 0.0


def bpref(ranking: JudgedRanking, rel: float = 1) -> float:
    """Compute binary preference: how many relevant results precede assessed non-relevant ones.

    Bpref = 1/R · Σ over the relevant results of 1 - min(n, R) / min(N, R), where n is the number of
    results before it with a level from 0 and below ``rel``, N the number of all such documents, and R
    the number of relevant documents (Buckley and Voorhees 2004).

    Args:
        ranking: The ranking with its levels.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1; 0 if no document is relevant.

    >>> bpref(JudgedRanking([1, 2, 3], [1, 0, 1], [1, 1, 0, 0]))  # (1 + 1 - 1/2) / 2
    0.75
    """
    relevant = ranking.relevant(rel)
    bound = min(relevant, ranking.relevant(0) - relevant)
    before = 0
    preferences = []
    for level in ranking.levels:
        if level >= rel:
            preferences.append(1 - min(before, relevant) / bound if before else 1.0)
        elif level >= 0:
            before += 1
    return _ratio(sum_in_order(preferences), relevant)


def interpolated_precision(ranking: JudgedRanking, recall_point: float, rel: float = 1) -> float:
    """Compute the highest precision at or after a recall point.

    IPrec[x] = max over n ≥ m of n / rank of the n-th relevant result, where R is the number of relevant
    documents, and m is x · R rounded to a whole number, halves up (trec_eval 10). trec_eval 9 and
    ir_measures round otherwise: m is the whole part of x · R + 0.9.

    Args:
        ranking: The ranking with its levels.
        recall_point: The recall point x, from 0 to 1.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1; 0 if the ranking does not reach the recall point.

    >>> interpolated_precision(JudgedRanking([1, 3, 4], [1, 1, 1], [1, 1, 1, 1]), 0.5)  # 3 / 4 > 2 / 3
    0.75
    """
    needed = math.floor(recall_point * ranking.relevant(rel) + 0.5)
    found = enumerate(ranking.relevant_ranks(rel), 1)
    return max((number / rank for number, rank in found if number >= needed), default=0.0)


def number_retrieved(ranking: JudgedRanking, rel: float = 0) -> float:
    """Count the results; with ``rel`` those with at least this level.

    >>> ranking = JudgedRanking([1, 3], [1, 2], [1, 2, 2], retrieved=5)
    >>> number_retrieved(ranking), number_retrieved(ranking, rel=2)
    (5.0, 1.0)
    """
    return float(len(ranking.relevant_ranks(rel)) if rel else ranking.retrieved)


def number_relevant(ranking: JudgedRanking, rel: float = 1) -> float:
    """Count the assessed documents with at least the level ``rel``, retrieved or not.

    >>> number_relevant(JudgedRanking([1, 3], [1, 2], [1, 2, 2, 0]))
    3.0
    """
    return float(ranking.relevant(rel))


def number_of_topics(ranking: JudgedRanking) -> float:
    """Return 1 for every topic, so that the sum is the number of topics.

    >>> number_of_topics(JudgedRanking([], [], [1]))
    1.0
    """
    return 1.0


def _dcg(levels: zip[tuple[int, int]] | enumerate[int], depth: float) -> float:
    return sum_in_order(
        level / math.log2(rank + 1) for rank, level in levels if level > 0 and rank <= depth
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# Declarations

_TREC_EVAL = {"source": "trec_eval", "references": ("trec-eval",)}
_REL = {"rel": Number(1, 1, whole=True)}
_OVERLAP = {"overlap": Number(0.5, 0, 1, above=True)}
_ON_SPANS = (
    "For topics with gold spans alone, a result is relevant if it contains at least the share overlap "
    "of the characters of a gold span that no result before it found; its level is the best grade of "
    "these. A result that finds several counts once, and each of them counts in R and AP."
)
_RELEVANT = "A document is relevant if its level is at least rel."
_COUNT: dict[str, Any] = {"is_count": True, "range": "0 or more"}
_SUM = "The value over all topics is the sum, not the mean."


def _declare(
    function: Callable[..., float], name: str, *, caveat: str = _RELEVANT, key: str = "", **fields: Any
) -> Definition:
    """Register a function of a ranking, of the depth if there is a cutoff, and of the parameters.

    Args:
        function: The function, which has its parameters as keyword arguments.
        name: The name of the measure.
        caveat: What users should know besides how the mean is computed.
        key: The key in the registry, if it is not the name.
        **fields: Other fields of the definition.
    """

    def compute(ranking: JudgedRanking, depth: float, parameters: Parameters) -> float:
        own = {key: value for key, value in parameters.items() if key != "overlap"}
        return function(ranking, *([depth] if definition.cutoff else []), **own)

    if not fields.get("is_count"):
        caveat = f"{caveat} {MEANS}"
    fields = {**_TREC_EVAL, "parameters": _REL, "needs": "levels", **fields}
    if fields.get("on_spans"):
        fields["parameters"] = {**fields["parameters"], **_OVERLAP}
        caveat = f"{caveat} {_ON_SPANS}"
    fields["caveat"] = caveat
    definition = Definition(name, compute=compute, **fields)
    return MEASURES.add(key or name, definition)


_declare(
    precision,
    "P",
    title="precision at a rank",
    formula="P[k] = relevant results among the first k / k",
    source="van Rijsbergen 1979; trec_eval",
    references=("van-rijsbergen-1979", "trec-eval"),
    example="levels 1, 0, 2, 0: P@4 = 2 / 4 = 0.5",
    cutoff=RANK,
    aliases=("Precision",),
    on_spans=True,
)
RECALL_AT_RANK = _declare(
    recall,
    "R",
    title="recall at a rank",
    formula="R[k] = relevant results among the first k / all relevant documents",
    source="van Rijsbergen 1979; trec_eval",
    references=("van-rijsbergen-1979", "trec-eval"),
    example="levels 1, 0, 2, four relevant documents: R@2 = 1 / 4 = 0.25",
    cutoff=RANK,
    aliases=("Recall",),
    caveat=f"R without a rank is Sakai's R-measure. {_RELEVANT}",
    key="Recall",
    on_spans=True,
)
_declare(
    average_precision,
    "AP",
    title="average precision",
    formula="AP = Σ of P[k] over the ranks k of relevant results, with a cutoff those up to it / all "
    "relevant documents",
    source="Harman 1992; trec_eval",
    references=("harman-1992", "trec-eval"),
    example="levels 1, 0, 0, 1, two relevant documents: AP = (1 / 1 + 2 / 4) / 2 = 0.75",
    cutoff=RANK_OR_ALL,
    aliases=("MAP",),
    caveat=f"xAP is average precision of gains under a user model. {_RELEVANT}",
    on_spans=True,
)
_declare(
    ndcg,
    "nDCG",
    title="normalised discounted cumulated gain of levels",
    formula="nDCG[k] = DCG[k] / IDCG[k], DCG[k] = Σ level[i] / log2(i + 1); IDCG is that of all "
    "assessed documents by level, and levels below 0 gain 0",
    source="Järvelin & Kekäläinen 2002; trec_eval",
    references=("jarvelin-kekalainen-2002", "trec-eval"),
    example="levels 0, 0, 1, one relevant document: nDCG = (1 / 2) / 1 = 0.5",
    cutoff=RANK_OR_ALL,
    aliases=("NDCG",),
    caveat="One document of level 3 gains as much as three documents of level 1. nxDCG is that of "
    "gains under a user model.",
    parameters={},
    on_spans=True,
)
_declare(
    reciprocal_rank,
    "RR",
    title="reciprocal rank",
    formula="RR = 1 / rank of the first relevant result, with a cutoff among those up to it; 0 if "
    "there is none",
    source="Kantor & Voorhees 2000; trec_eval",
    references=("kantor-voorhees-2000", "trec-eval"),
    example="levels 0, 0, 0, 1: RR = 1 / 4 = 0.25",
    cutoff=RANK_OR_ALL,
    aliases=("MRR",),
    on_spans=True,
)
_declare(
    r_precision,
    "Rprec",
    title="precision at the number of relevant documents",
    formula="Rprec = P[R], where R is the number of relevant documents",
    source="Buckley & Voorhees 2005; trec_eval",
    references=("buckley-voorhees-2005", "trec-eval"),
    example="levels 1, 0, 1, two relevant documents: Rprec = 1 / 2 = 0.5",
    aliases=("RPrec",),
)
_declare(
    success,
    "Success",
    title="whether there is a relevant result up to a rank",
    formula="Success[k] = 1 if one of the first k results is relevant, else 0",
    example="levels 0, 0, 1: Success@2 = 0, Success@3 = 1",
    cutoff=RANK,
    on_spans=True,
)
_declare(
    bpref,
    "Bpref",
    title="binary preference",
    formula="Bpref = 1/R · Σ over the relevant results of 1 - min(n, R) / min(N, R), where n is the "
    "number of results before it that are assessed as not relevant, N that of all such documents, "
    "and R the number of relevant documents",
    source="Buckley & Voorhees 2004; trec_eval",
    references=("buckley-voorhees-2004", "trec-eval"),
    example="levels 1, 0, 1, two relevant and two other documents: Bpref = (1 + 1 - 1 / 2) / 2 = 0.75",
    aliases=("BPref",),
)
_declare(
    interpolated_precision,
    "IPrec",
    title="highest precision at or after a recall point",
    formula="IPrec[x] = max over n ≥ m of n / rank of relevant result n, where m is x · R, rounded "
    "to a whole number (halves up) and R the number of relevant documents",
    source="trec_eval 10",
    example="levels 1, 0, 1, 1, four relevant documents: IPrec@0.5 = 3 / 4 = 0.75",
    cutoff=RECALL_FROM_0,
    caveat=f"ir_measures and trec_eval 9 take the whole part of x · R + 0.9 instead. {_RELEVANT}",
)
_declare(
    number_retrieved,
    "NumRet",
    title="number of results",
    formula="NumRet = results, assessed or not; NumRet(rel=1) = relevant results",
    example="levels 1, not assessed, 0, 2: NumRet = 4, NumRelRet = 2",
    parameters={"rel": Number(0, 1, whole=True)},
    aliases=("NumRelRet",),
    caveat=f"NumRelRet is NumRet(rel=1); without rel all results count. {_SUM}",
    **_COUNT,
)
_declare(
    number_relevant,
    "NumRel",
    title="number of relevant documents",
    formula="NumRel = assessed documents with at least the level rel",
    example="levels 1, 0, 2, one relevant document is not retrieved: NumRel = 3",
    caveat=_SUM,
    **_COUNT,
)
_declare(
    number_of_topics,
    "NumQ",
    title="number of topics",
    formula="NumQ = 1 for every topic that counts",
    example="50 assessed topics: NumQ = 50",
    parameters={},
    caveat=_SUM,
    **_COUNT,
)
