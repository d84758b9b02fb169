"""Classic measures of ranks and sets: search lengths, Rocchio's measures, and scaled utility.

Järvelin and Kekäläinen 2002 (section 2.4) compare their measures with these. A result is relevant if
it gains more than 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from xcg.errors import XcgError
from xcg.measures.definition import Number, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import RankingGains


def average_search_length(ranks: Sequence[float]) -> float | None:
    """Compute the average search length ASL, the mean rank of the relevant results.

    Args:
        ranks: The rank of each relevant result; tied results have their mean rank.

    Returns:
        The value, from 1; None if there is no relevant result. Lower is better.

    >>> average_search_length([1, 2, 4, 6, 13])
    5.2
    """
    return math.fsum(ranks) / len(ranks) if ranks else None


def expected_search_length(ties: Sequence[tuple[int, int]], wanted: int) -> float | None:
    """Compute the expected search length ESL.

    ESL is the number of non-relevant results that the user sees before the wanted relevant ones:
    ESL = j + i·s / (r + 1). The last group of tied results that is needed has r relevant and i
    non-relevant results; j non-relevant results precede it, and s relevant ones are wanted from it
    (Cooper 1968).

    Args:
        ties: For each group of tied results, in rank order, the numbers of relevant and of non-relevant
            results.
        wanted: The number of relevant results that the user wants.

    Returns:
        The value, from 0; None if there are not enough relevant results. Lower is better.

    >>> expected_search_length([(0, 3), (2, 3)], wanted=1)
    4.0
    """
    before = found = 0
    for relevant, other in ties:
        if found + relevant >= wanted:
            return before + other * (wanted - found) / (relevant + 1)
        found += relevant
        before += other
    return None


def normalised_recall(ranks: Sequence[float], documents: int) -> float:
    """Compute Rocchio's normalised recall.

    1 - (Σ r_i - Σ i) / (n·(N - n)) for the ranks r_i of the n relevant documents (Rocchio 1966).

    Args:
        ranks: The rank of each relevant document.
        documents: N, the number of documents in the collection.

    Returns:
        The value, from 0 to 1.

    >>> round(normalised_recall([1, 2, 4, 6, 13], 200), 5)
    0.98872
    """
    n = len(ranks)
    if n in (0, documents):
        return float(n > 0)
    return 1 - (math.fsum(ranks) - n * (n + 1) / 2) / (n * (documents - n))


def normalised_precision(ranks: Sequence[float], documents: int) -> float:
    """Compute Rocchio's normalised precision.

    1 - (Σ ln r_i - Σ ln i) / ln(N! / ((N - n)!·n!)) for the ranks r_i of the n relevant documents
    (Rocchio 1966).

    Args:
        ranks: The rank of each relevant document.
        documents: N, the number of documents in the collection.

    Returns:
        The value, from 0 to 1.

    >>> round(normalised_precision([1, 2, 4, 6, 13], 200), 5)
    0.92386
    """
    n = len(ranks)
    if n in (0, documents):
        return float(n > 0)
    spread = math.lgamma(documents + 1) - math.lgamma(documents - n + 1) - math.lgamma(n + 1)
    return 1 - (math.fsum(map(math.log, ranks)) - math.lgamma(n + 1)) / spread


def scaled_utility(
    relevant: int, other: int, total: int, a: float = 3.0, b: float = 2.0, s: int = 25
) -> float:
    """Compute the scaled utility of a set of results.

    (max(U, U(s)) - U(s)) / (MaxU - U(s)) with U = a·relevant - b·other. U(s) is the utility of s
    non-relevant results, MaxU that of all relevant documents (TREC-8 filtering track).

    Args:
        relevant: Number of relevant results.
        other: Number of non-relevant results.
        total: Number of relevant documents.
        a: Reward of a relevant result.
        b: Cost of a non-relevant result.
        s: Number of non-relevant results from which on the utility stays constant.

    Returns:
        The value, from 0 to 1 if ``relevant`` is at most ``total``.

    >>> round(scaled_utility(3, 2, 5), 5)
    0.84615
    """
    worst, best = -b * s, a * total
    return (max(a * relevant - b * other, worst) - worst) / (best - worst)


# Declarations

COMPARED = "compared by Järvelin & Kekäläinen 2002, section 2.4"


def _relevant_ranks(topic: RankingGains) -> list[float]:
    return [float(index) + 1 for index in topic.checked_gains.hits]


def _relevant_documents(topic: RankingGains) -> int:
    return len(topic.checked_ideal.hits)


def _ties(topic: RankingGains) -> list[tuple[int, int]]:
    """Return the numbers of relevant and of non-relevant results in each group of tied results."""
    counts: dict[int, list[int]] = {}
    for group, hit in zip(topic.tie_groups, topic.checked_gains.values > 0, strict=True):
        counts.setdefault(group, [0, 0])[0 if hit else 1] += 1
    return [(relevant, other) for relevant, other in counts.values()]


@MEASURES.register(
    "ASL",
    title="average search length",
    formula="ASL = mean rank of the relevant results; tied results have their mean rank",
    range="1 to the number of results",
    source=f"Losee 1998; {COMPARED}",
    references=("losee-1998",),
    example="relevant at ranks 1, 2, 4, 6, 13: ASL = 5.2",
    caveat="Only retrieved documents count. A topic without relevant results is left out of the mean.",
    lower_is_better=True,
)
def _asl(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    ranks: list[float] = []
    before = 0
    for relevant, other in _ties(topic):
        size = relevant + other
        ranks += [before + (size + 1) / 2] * relevant
        before += size
    return average_search_length(ranks)


@MEASURES.register(
    "ESL",
    title="expected search length",
    formula="ESL = j + i·s / (r + 1), the non-relevant results seen before the wanted relevant "
    "ones: j before the last group of ties, which has i non-relevant and r relevant results, s of "
    "them wanted",
    range="0 to the number of results",
    source=f"Cooper 1968; {COMPARED}",
    references=("cooper-1968",),
    example="3 before, then a tie of 5 with 2 relevant, 1 wanted: ESL = 3 + 3·1 / 3 = 4",
    caveat="A topic with too few relevant results is left out of the mean.",
    lower_is_better=True,
    parameters={"wanted": Number(1, 1, whole=True)},
)
def _esl(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    return expected_search_length(_ties(topic), int(parameters["wanted"]))


_rocchio = partial(
    MEASURES.register,
    source=f"Rocchio 1966; {COMPARED}",
    references=("rocchio-1966",),
    caveat="Relevant documents that the run does not retrieve get the last of the N ranks.",
    parameters={"N": Number(0, 0, whole=True)},
)


@_rocchio(
    "normRecall",
    title="normalised recall",
    formula="normRecall = 1 - (Σ r_i - Σ i) / (n·(N - n)) for the ranks r_i of the n relevant "
    "documents, where N is the number of documents",
    example="ranks 1, 2, 4, 6, 13: normRecall(N=200) = 0.98872",
)
def _norm_recall(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return normalised_recall(*_ranks_among_all("normRecall", topic, parameters))


@_rocchio(
    "normPrecision",
    title="normalised precision",
    formula="normPrecision = 1 - (Σ ln r_i - Σ ln i) / ln(N! / ((N - n)!·n!)) for the ranks r_i "
    "of the n relevant documents, where N is the number of documents",
    example="ranks 1, 2, 4, 6, 13: normPrecision(N=200) = 0.92386",
)
def _norm_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return normalised_precision(*_ranks_among_all("normPrecision", topic, parameters))


def _ranks_among_all(
    measure: str, topic: RankingGains, parameters: Parameters
) -> tuple[list[float], int]:
    """Return the ranks of all relevant documents, and the number of documents."""
    documents = int(parameters["N"])
    if not documents:
        raise XcgError(f"{measure} needs the number of documents: {measure}(N=12107)")
    ranks = _relevant_ranks(topic)
    missing = max(0, _relevant_documents(topic) - len(ranks))
    if documents < len(topic.checked_gains) + missing:
        raise XcgError(
            f"{measure}: N is {documents}, but there are more results and relevant documents"
        )
    return [*ranks, *range(documents - missing + 1, documents + 1)], documents


@MEASURES.register(
    "scaledUtility",
    title="scaled utility of a set",
    formula="scaledUtility = (max(U, U(s)) - U(s)) / (MaxU - U(s)), U = a·relevant - "
    "b·non-relevant results, U(s) = -b·s, MaxU = a·relevant documents",
    range="0 to 1; above 1 only if more results gain than there are ideal elements",
    source="TREC-8 filtering track; compared by Scheel, Lommatzsch & Albayrak 2011",
    references=("hull-robertson-2000",),
    example="3 relevant and 2 other results, 5 relevant documents: scaledUtility = 0.846",
    caveat="It rates the results as a set: their order has no effect. All results with a gain are "
    "relevant.",
    parameters={"a": Number(3, 0, above=True), "b": Number(2, 0), "s": Number(25, 1, whole=True)},
)
def _utility(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    relevant = len(_relevant_ranks(topic))
    other = len(topic.checked_gains) - relevant
    s = int(parameters["s"])
    return scaled_utility(
        relevant, other, _relevant_documents(topic), parameters["a"], parameters["b"], s
    )
