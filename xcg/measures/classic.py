"""Classic measures, with which Järvelin and Kekäläinen (2002, section 2.4) compare theirs.

A result is relevant if it gains more than 0.
"""

from __future__ import annotations

import math
from functools import partial

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import RANK, RANK_OR_ALL, Number, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import RankingGains, check_gains, vector

_COMPARED = "compared by Järvelin & Kekäläinen 2002, section 2.4"
_RETRIEVED_ONLY = "It compares a run with its own results, not with what it should have retrieved."


def _ties(topic: RankingGains) -> list[tuple[int, int]]:
    """Return the numbers of relevant and of other results in each group of tied results."""
    counts: dict[int, list[int]] = {}
    for group, hit in zip(topic.tie_groups, topic.checked_gains.values > 0, strict=True):
        counts.setdefault(group, [0, 0])[0 if hit else 1] += 1
    return [(relevant, other) for relevant, other in counts.values()]


@MEASURES.register("ASL", lower_is_better=True)
def _average_search_length(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute average search length.

    ASL = mean rank of the relevant results; tied results have their mean rank

    Range: 1 to the number of results

    Source: Losee 1998 [@losee-1998]; compared by Järvelin & Kekäläinen 2002, section 2.4

    Example: relevant at ranks 1, 2, 4, 6, 13: ASL = 5.2

    Caveat: Only retrieved documents count. A topic without relevant results is left out of the
    mean.
    """
    ranks: list[float] = []
    before = 0
    for relevant, other in _ties(topic):
        size = relevant + other
        ranks += [before + (size + 1) / 2] * relevant
        before += size
    return math.fsum(ranks) / len(ranks) if ranks else None


@MEASURES.register("ESL", lower_is_better=True, parameters={"wanted": Number(1, 1, whole=True)})
def _expected_search_length(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute expected search length.

    ESL = j + i·s / (r + 1), the non-relevant results seen before the wanted relevant ones: j before
    the last group of ties, which has i non-relevant and r relevant results, s of them wanted

    Range: 0 to the number of results

    Source: Cooper 1968 [@cooper-1968]; compared by Järvelin & Kekäläinen 2002, section 2.4

    Example: 3 before, then a tie of 5 with 2 relevant, 1 wanted: ESL = 3 + 3·1 / 3 = 4

    Caveat: A topic with too few relevant results is left out of the mean.
    """
    wanted, before = parameters["wanted"], 0
    for relevant, other in _ties(topic):
        if relevant >= wanted:
            return float(before + other * wanted / (relevant + 1))
        wanted -= relevant
        before += other
    return None


_rocchio = partial(
    MEASURES.register,
    source=f"Rocchio 1966 [@rocchio-1966]; {_COMPARED}",
    caveat="Relevant documents that the run does not retrieve get the last of the N ranks.",
    parameters={"N": Number(0, 0, whole=True)},
)


@_rocchio("normRecall")
def _normalised_recall(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute normalised recall.

    normRecall = 1 - (Σ r_i - Σ i) / (n·(N - n)) for the ranks r_i of the n relevant documents,
    where N is the number of documents

    Example: ranks 1, 2, 4, 6, 13: normRecall(N=200) = 0.98872
    """
    ranks, documents = _ranks_among_all("normRecall", topic, parameters)
    n = len(ranks)
    if n in (0, documents):
        return float(n > 0)
    return 1 - (math.fsum(ranks) - n * (n + 1) / 2) / (n * (documents - n))


@_rocchio("normPrecision")
def _normalised_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute normalised precision.

    normPrecision = 1 - (Σ ln r_i - Σ ln i) / ln(N! / ((N - n)!·n!)) for the ranks r_i of the n
    relevant documents, where N is the number of documents

    Example: ranks 1, 2, 4, 6, 13: normPrecision(N=200) = 0.92386
    """
    ranks, documents = _ranks_among_all("normPrecision", topic, parameters)
    n = len(ranks)
    if n in (0, documents):
        return float(n > 0)
    spread = math.lgamma(documents + 1) - math.lgamma(documents - n + 1) - math.lgamma(n + 1)
    return 1 - (math.fsum(map(math.log, ranks)) - math.lgamma(n + 1)) / spread


def _ranks_among_all(
    measure: str, topic: RankingGains, parameters: Parameters
) -> tuple[list[int], int]:
    """Return the ranks of all relevant documents, and the number of documents."""
    documents = int(parameters["N"])
    if not documents:
        raise XcgError(f"{measure} needs the number of documents: {measure}(N=12107)")
    ranks = (topic.checked_gains.hits + 1).tolist()
    missing = max(0, len(topic.checked_ideal.hits) - len(ranks))
    if documents < len(topic.checked_gains) + missing:
        raise XcgError(
            f"{measure}: N is {documents}, but there are more results and relevant documents"
        )
    return [*ranks, *range(documents - missing + 1, documents + 1)], documents


@MEASURES.register(
    "scaledUtility",
    parameters={"a": Number(3, 0, above=True), "b": Number(2, 0), "s": Number(25, 1, whole=True)},
)
def _scaled_utility(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute scaled utility of a set.

    scaledUtility = (max(U, U(s)) - U(s)) / (MaxU - U(s)), U = a·relevant - b·non-relevant results,
    U(s) = -b·s, MaxU = a·relevant documents

    Range: 0 to 1; above 1 only if more results gain than there are ideal elements

    Source: TREC-8 filtering track [@hull-robertson-2000]; compared by Scheel, Lommatzsch & Albayrak
    2011

    Example: 3 relevant and 2 other results, 5 relevant documents: scaledUtility = 0.846

    Caveat: It rates the results as a set: their order has no effect. All results with a gain are
    relevant.
    """
    a, b, worst = parameters["a"], parameters["b"], -parameters["b"] * parameters["s"]
    relevant = len(topic.checked_gains.hits)
    utility = a * relevant - b * (len(topic.checked_gains) - relevant)
    return float((max(utility, worst) - worst) / (a * len(topic.checked_ideal.hits) - worst))


_myaeng = partial(
    MEASURES.register,
    source=f"Myaeng & Korfhage 1990 [@myaeng-korfhage-1990]; {_COMPARED}",
    cutoff=RANK,
)


def _ratio_at(gains: npt.ArrayLike, cutoff: float) -> float:
    """Return cumulated gain at a rank, divided by that of the same gains in decreasing order."""
    run = check_gains(gains)
    depth = min(int(cutoff), len(run))
    best = np.sort(run.values)[::-1].cumsum()
    return float(run.sums[depth - 1] / best[depth - 1]) if depth and best[0] > 0 else 0.0


@MEASURES.register("slidingRatio", caveat=_RETRIEVED_ONLY, cutoff=RANK)
def _sliding_ratio(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute sliding ratio.

    slidingRatio[i] = sum of the first i gains / sum of the i highest gains of the run

    Source: Pollack 1968 [@pollack-1968]; compared by Järvelin & Kekäläinen 2002, section 2.4

    Example: gains 3, 2, 3: slidingRatio@2 = 5 / 6 = 0.833
    """
    return _ratio_at(topic.checked_gains, cutoff)


@_myaeng("satisfaction", caveat=_RETRIEVED_ONLY)
def _satisfaction(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute satisfaction.

    satisfaction[i] = slidingRatio[i]

    Example: gains 3, 2, 3: satisfaction@2 = 5 / 6 = 0.833
    """
    return _ratio_at(topic.checked_gains, cutoff)


@_myaeng("frustration", lower_is_better=True)
def _frustration(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute frustration.

    frustration[i] = slidingRatio[i] with 1 for each result without gain, and 0 for others

    Example: gains 0, 1, 0: frustration@2 = 1 / 2

    Caveat: The available literature does not say how non-relevant results are weighted; here each
    has weight 1.
    """
    return _ratio_at(topic.checked_gains.values == 0, cutoff)


@_myaeng("total", parameters={"weight": Number(0.5, 0, 1)})
def _total(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute the weighted total of satisfaction and frustration.

    total = weight·satisfaction + (1 - weight)·(1 - frustration)

    Example: satisfaction 1, frustration 0.5: total@2 = 0.75

    Caveat: The available literature does not give the weights; the default is xcg's own.
    """
    weight = float(parameters["weight"])
    satisfaction = _sliding_ratio(topic, cutoff, parameters)
    return weight * satisfaction + (1 - weight) * (1 - _frustration(topic, cutoff, parameters))


@MEASURES.register(
    "halfLife",
    caveat=f"{_RETRIEVED_ONLY} A topic without gain is left out of the mean.",
    lower_is_better=True,
)
def _half_life(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    """Compute ranked half-life.

    halfLife = interpolated rank at which half of the run's total gain is reached

    Range: 0 to the number of results

    Source: Borlund & Ingwersen 1998 [@borlund-ingwersen-1998]; compared by Järvelin & Kekäläinen
    2002, section 2.4

    Example: gains 1, 0.5, 0, 1, 0.5: halfLife = 2.0
    """
    gains, sums = topic.checked_gains.values, topic.checked_gains.sums
    if not gains.any():
        return None
    half = float(sums[-1]) / 2
    index = int(np.searchsorted(sums, half - 1e-12 * half))
    before = float(sums[index - 1]) if index else 0.0
    return index + (half - before) / float(gains[index])


@MEASURES.register("relativeRelevance", cutoff=RANK_OR_ALL)
def _relative_relevance(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute relative relevance.

    relativeRelevance = cosine of the system's scores and the gains

    Range: -1 to 1

    Source: Borlund & Ingwersen 1998 [@borlund-ingwersen-1998]; compared by Järvelin & Kekäläinen
    2002, section 2.4

    Example: scores 1, 1, 1, 1, 1, gains 1, 0.5, 0, 1, 0: relativeRelevance = 0.745

    Caveat: It needs a run with scores.
    """
    if topic.system_scores is None:
        raise XcgError("relativeRelevance needs the system's scores: a run with scores or rsv")
    depth = len(topic.checked_gains) if math.isinf(cutoff) else int(cutoff)
    u, v = vector(topic.system_scores)[:depth], topic.checked_gains.values[:depth]
    lengths = math.sqrt(float((u**2).sum())) * math.sqrt(float((v**2).sum()))
    return float((u * v).sum()) / lengths if lengths else 0.0
