"""Standard measures on levels of relevance, as trec_eval computes and ir_measures names them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from xcg.measures.definition import RANK, RANK_OR_ALL, RECALL_FROM_0_OR_MEAN, Number, Parameters
from xcg.measures.judged_rankings import JudgedRanking
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import sum_in_order

MEANS = "The mean is over all assessed topics, as with trec_eval -c."
TREC_EVAL = "trec_eval [@trec-eval]"
REL = {"rel": Number(1, 1, whole=True)}
_JUDGED_ONLY = {**REL, "judged_only": ("False", "True")}
_OVERLAP = {"overlap": Number(0.5, 0, 1, above=True)}
_ON_SPANS = (
    "For topics with gold spans alone, a result is relevant if it contains at least the share overlap "
    "of the characters of a gold span that no result before it found; its level is the best grade of "
    "these. A result that finds several counts once, and each of them counts in R and AP. Long results "
    "contain more of a gold span, so whole documents raise the value."
)
RELEVANT = "A document is relevant if its level is at least rel."
_ELEVEN_POINTS = [x / 10 for x in range(11)]
COUNT: dict[str, Any] = {"is_count": True, "range": "0 or more"}
_SUM = "The value over all topics is the sum, not the mean."


def _of_ranking(function: Callable[..., float], fields: dict[str, Any]) -> Callable[..., float | None]:
    """Return what computes a measure by a function of a ranking and of keyword arguments.

    With a cutoff, the function has an argument ``depth``, which is infinite without a cutoff; its other
    arguments are the parameters but ``overlap`` and ``judged_only``. The declared caveat is what users
    should know besides how the mean is computed.
    """
    has_cutoff, needs_nuggets = "cutoff" in fields, "needs_nuggets" in fields
    if "is_count" not in fields:
        fields["caveat"] += f" {MEANS}"
    if "on_spans" in fields:
        fields["parameters"] = {**fields["parameters"], **_OVERLAP}
        fields["caveat"] += f" {_ON_SPANS}"

    def compute(ranking: JudgedRanking, depth: float, parameters: Parameters) -> float | None:
        own = dict(parameters)
        own.pop("overlap", None)
        if own.pop("judged_only", None) == "True":
            ranking = ranking.of_judged()
        if needs_nuggets and ranking.nuggets is None:
            return None
        return function(ranking, *([depth] if has_cutoff else []), **own)

    return compute


standard = partial(
    MEASURES.register,
    adapt=_of_ranking,
    source=TREC_EVAL,
    caveat=RELEVANT,
    parameters=REL,
    needs="levels",
)
"""The decorator of a function of a ranking and of keyword arguments; see :func:`_of_ranking`."""


def discounted_gain(gains: Iterable[tuple[int, float]], depth: float = math.inf) -> float:
    """Compute discounted cumulated gain, Σ gain / log2(rank + 1), of (rank, gain) pairs."""
    return sum_in_order(
        gain / math.log2(rank + 1) for rank, gain in gains if gain > 0 and rank <= depth
    )


def ratio(part: float, whole: float) -> float:
    """Return a ratio, or 0 if the denominator is 0."""
    return part / whole if whole else 0.0


@standard("P", cutoff=RANK, aliases=("Precision",), on_spans=True, parameters=_JUDGED_ONLY)
def _precision(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute precision at a rank.

    P[k] = relevant results among the first k / k

    Source: van Rijsbergen 1979 [@van-rijsbergen-1979]; trec_eval [@trec-eval]

    Example: levels 1, 0, 2, 0: P@4 = 2 / 4 = 0.5
    """
    return len(ranking.relevant_ranks(rel, depth)) / depth


@standard(
    "R",
    cutoff=RANK,
    aliases=("Recall",),
    caveat=f"R without a rank is Sakai's R-measure. {RELEVANT}",
    key="Recall",
    on_spans=True,
    parameters=_JUDGED_ONLY,
)
def recall_at_rank(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute recall at a rank.

    R[k] = relevant results among the first k / all relevant documents

    Source: van Rijsbergen 1979 [@van-rijsbergen-1979]; trec_eval [@trec-eval]

    Example: levels 1, 0, 2, four relevant documents: R@2 = 1 / 4 = 0.25
    """
    return ratio(len(ranking.found_ranks(rel, depth)), ranking.relevant(rel))


@standard(
    "AP",
    cutoff=RANK_OR_ALL,
    aliases=("MAP",),
    caveat=f"xAP is average precision of gains under a user model. {RELEVANT}",
    on_spans=True,
    parameters=_JUDGED_ONLY,
)
def average_precision(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute average precision.

    AP = Σ of P[k] over the ranks k of relevant results, with a cutoff those up to it / all relevant
    documents

    Source: Harman 1992 [@harman-1992]; trec_eval [@trec-eval]

    Example: levels 1, 0, 0, 1, two relevant documents: AP = (1 / 1 + 2 / 4) / 2 = 0.75
    """
    ranks = ranking.relevant_ranks(rel, depth)
    precisions = [n / rank for n, rank in enumerate(ranks, 1)]
    if ranking.others:
        at_rank = dict(zip(ranks, precisions, strict=True))
        precisions = [at_rank[rank] for rank in ranking.found_ranks(rel, depth)]
    return ratio(sum_in_order(precisions), ranking.relevant(rel))


@standard(
    "nDCG",
    cutoff=RANK_OR_ALL,
    aliases=("NDCG",),
    parameters={"dcg": ("log2", "exp-log2"), "judged_only": ("False", "True")},
    on_spans=True,
)
def _ndcg(ranking: JudgedRanking, depth: float, dcg: str) -> float:
    """Compute normalised discounted cumulated gain of levels.

    nDCG[k] = DCG[k] / IDCG[k], DCG[k] = Σ level[i] / log2(i + 1); IDCG is that of all assessed
    documents by level, and levels below 0 gain 0

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002]; trec_eval [@trec-eval]

    Example: levels 0, 0, 1, one relevant document: nDCG = (1 / 2) / 1 = 0.5

    Caveat: One document of level 3 gains as much as three documents of level 1. nxDCG is that of
    gains under a user model. With dcg=exp-log2 a level counts 2^level - 1.
    """
    found, judged = ranking.levels, ranking.judged
    if dcg == "exp-log2":
        found, judged = ([2 ** max(level, 0) - 1 for level in levels] for levels in (found, judged))
    ideal = sorted(judged, reverse=True)[: int(min(depth, len(judged)))]
    gain = discounted_gain(zip(ranking.ranks, found, strict=True), depth)
    return ratio(gain, discounted_gain(enumerate(ideal, 1), depth))


@standard("RR", cutoff=RANK_OR_ALL, aliases=("MRR",), on_spans=True, parameters=_JUDGED_ONLY)
def _reciprocal_rank(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute reciprocal rank.

    RR = 1 / rank of the first relevant result, with a cutoff among those up to it; 0 if there is
    none

    Source: Kantor & Voorhees 2000 [@kantor-voorhees-2000]; trec_eval [@trec-eval]

    Example: levels 0, 0, 0, 1: RR = 1 / 4 = 0.25
    """
    ranks = ranking.relevant_ranks(rel, depth)
    return 1 / ranks[0] if ranks else 0.0


@standard("Rprec", aliases=("RPrec",), parameters=_JUDGED_ONLY)
def _r_precision(ranking: JudgedRanking, rel: float) -> float:
    """Compute precision at the number of relevant documents.

    Rprec = P[R], where R is the number of relevant documents

    Source: Buckley & Voorhees 2005 [@buckley-voorhees-2005]; trec_eval [@trec-eval]

    Example: levels 1, 0, 1, two relevant documents: Rprec = 1 / 2 = 0.5
    """
    relevant = ranking.relevant(rel)
    return ratio(len(ranking.found_ranks(rel, relevant)), relevant)


@standard("Success", cutoff=RANK, on_spans=True, parameters=_JUDGED_ONLY)
def _success(ranking: JudgedRanking, depth: float, rel: float) -> float:
    """Compute whether there is a relevant result up to a rank.

    Success[k] = 1 if one of the first k results is relevant, else 0

    Example: levels 0, 0, 1: Success@2 = 0, Success@3 = 1
    """
    return 1.0 if ranking.relevant_ranks(rel, depth) else 0.0


@standard("Bpref", aliases=("BPref",))
def binary_preference(ranking: JudgedRanking, rel: float) -> float:
    """Compute binary preference.

    Bpref = 1/R · Σ over the relevant results of 1 - min(n, R) / min(N, R), where n is the number of
    results before it that are assessed as not relevant, N that of all such documents, and R the
    number of relevant documents

    Source: Buckley & Voorhees 2004 [@buckley-voorhees-2004]; trec_eval [@trec-eval]

    Example: levels 1, 0, 1, two relevant and two other documents: Bpref = (1 + 1 - 1 / 2) / 2 =
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
    return ratio(sum_in_order(preferences), relevant)


@standard(
    "IPrec",
    cutoff=RECALL_FROM_0_OR_MEAN,
    caveat=f"ir_measures and trec_eval 9 take the whole part of x · R + 0.9 instead. {RELEVANT}",
    parameters=_JUDGED_ONLY,
    curve_points=_ELEVEN_POINTS,
    curve_over="recall",
)
def _interpolated_precision(ranking: JudgedRanking, recall: float, rel: float) -> float:
    """Compute the highest precision at or after a recall point.

    IPrec[x] = max over n ≥ m of n / rank of relevant result n, where m is x · R, rounded to a whole
    number (halves up) and R the number of relevant documents; without a recall point the mean over
    x = 0, 0.1, …, 1

    Source: trec_eval [@trec-eval] 10

    Example: levels 1, 0, 1, 1, four relevant documents: IPrec@0.5 = 3 / 4 = 0.75
    """
    if math.isinf(recall):
        return sum_in_order(_interpolated_precision_at(ranking, x, rel) for x in _ELEVEN_POINTS) / 11
    return _interpolated_precision_at(ranking, recall, rel)


def _interpolated_precision_at(ranking: JudgedRanking, recall: float, rel: float) -> float:
    needed = math.floor(recall * ranking.relevant(rel) + 0.5)
    found = enumerate(ranking.relevant_ranks(rel), 1)
    return max((number / rank for number, rank in found if number >= needed), default=0.0)


@standard(
    "NumRet",
    parameters={"rel": Number(0, 1, whole=True)},
    aliases=("NumRelRet",),
    caveat=f"NumRelRet is NumRet(rel=1); without rel all results count. {_SUM}",
    **COUNT,
)
def _number_retrieved(ranking: JudgedRanking, rel: float) -> float:
    """Compute the number of results.

    NumRet = results, assessed or not; NumRet(rel=1) = relevant results

    Example: levels 1, not assessed, 0, 2: NumRet = 4, NumRelRet = 2
    """
    return float(len(ranking.relevant_ranks(rel)) if rel else ranking.retrieved)


@standard("NumRel", caveat=_SUM, **COUNT)
def _number_relevant(ranking: JudgedRanking, rel: float) -> float:
    """Compute the number of relevant documents.

    NumRel = assessed documents with at least the level rel

    Example: levels 1, 0, 2, one relevant document is not retrieved: NumRel = 3
    """
    return float(ranking.relevant(rel))


@standard("NumQ", parameters={}, caveat=_SUM, **COUNT)
def _number_of_topics(ranking: JudgedRanking) -> float:
    """Compute the number of topics.

    NumQ = 1 for every topic that counts

    Example: 50 assessed topics: NumQ = 50
    """
    return 1.0


@MEASURES.register(
    "AUC", parameters={"rel": Number(1, 1, whole=True)}, aliases=("ROCAUC", "AUROC"), needs="levels"
)
def _auc(ranking: JudgedRanking, cutoff: float, parameters: Parameters) -> float | None:
    """Compute the area under the ROC curve.

    AUC = pairs of a relevant and a non-relevant document with the relevant one first, and half of
    the tied pairs / all pairs

    Source: Hanley & McNeil 1982 [@hanley-mcneil-1982]; named by Scheel, Lommatzsch & Albayrak 2011,
    section 2.3

    Example: levels 1, 0, 1, 0: AUC = (2 + 1) / (2·2) = 0.75

    Caveat: Only assessed documents count, and those that are not retrieved are tied after the last
    result. Results with equal scores are tied. A document is relevant if its level is at least rel.
    A topic without relevant or without non-relevant documents is left out of the mean. Accuracy of
    ir_measures looks only at retrieved documents.
    """
    rel = parameters["rel"]
    relevant = relevant_left = ranking.relevant(rel)
    other = other_left = ranking.relevant(0) - relevant
    if not relevant or not other:
        return None
    if not ranking.ranks and not ranking.retrieved:
        return 0.0
    twice = 0  # the number of pairs in the right order, times two because ties count half
    keyed = zip(ranking.ranks if ranking.keys is None else ranking.keys, ranking.levels, strict=True)
    for _, group in itertools.groupby(keyed, lambda pair: pair[0]):
        levels = [level for _, level in group if level >= 0]
        hits = sum(level >= rel for level in levels)
        misses = len(levels) - hits
        relevant_left -= hits
        other_left -= misses
        twice += hits * (2 * other_left + misses)
    twice += relevant_left * other_left
    return twice / (2 * relevant * other)
