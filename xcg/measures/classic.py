"""Measures before XCG: those that Järvelin and Kekäläinen compare, and inex-eval with its relatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import RANK, RANK_OR_ALL, RECALL_OR_MEAN, Curve, Number, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import TOLERANCE, RankingGains, RelevantUnit, check_gains, vector

_COMPARED = "compared by Järvelin & Kekäläinen 2002, section 2.4"
_RETRIEVED_ONLY = "It compares a run with its own results, not with what it should have retrieved."


def _ties(topic: RankingGains) -> list[tuple[int, int]]:
    """Return the numbers of relevant and of other results in each group of tied results."""
    counts: dict[int, list[int]] = {}
    for group, hit in zip(topic.tie_groups, topic.checked_gains.values > 0, strict=True):
        counts.setdefault(group, [0, 0])[0 if hit else 1] += 1
    return [(relevant, other) for relevant, other in counts.values()]


@MEASURES.register(
    "ASL",
    title="average search length",
    formula="ASL = mean rank of the relevant results; tied results have their mean rank",
    range="1 to the number of results",
    source=f"Losee 1998 [@losee-1998]; {_COMPARED}",
    example="relevant at ranks 1, 2, 4, 6, 13: ASL = 5.2",
    caveat="Only retrieved documents count. A topic without relevant results is left out of the mean.",
    lower_is_better=True,
)
def _average_search_length(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    ranks: list[float] = []
    before = 0
    for relevant, other in _ties(topic):
        size = relevant + other
        ranks += [before + (size + 1) / 2] * relevant
        before += size
    return math.fsum(ranks) / len(ranks) if ranks else None


@MEASURES.register(
    "ESL",
    title="expected search length",
    formula="ESL = j + i·s / (r + 1), the non-relevant results seen before the wanted relevant "
    "ones: j before the last group of ties, which has i non-relevant and r relevant results, s of "
    "them wanted",
    range="0 to the number of results",
    source=f"Cooper 1968 [@cooper-1968]; {_COMPARED}",
    example="3 before, then a tie of 5 with 2 relevant, 1 wanted: ESL = 3 + 3·1 / 3 = 4",
    caveat="A topic with too few relevant results is left out of the mean.",
    lower_is_better=True,
    parameters={"wanted": Number(1, 1, whole=True)},
)
def _expected_search_length(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
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


@_rocchio(
    "normRecall",
    title="normalised recall",
    formula="normRecall = 1 - (Σ r_i - Σ i) / (n·(N - n)) for the ranks r_i of the n relevant "
    "documents, where N is the number of documents",
    example="ranks 1, 2, 4, 6, 13: normRecall(N=200) = 0.98872",
)
def _normalised_recall(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    ranks, documents = _ranks_among_all("normRecall", topic, parameters)
    n = len(ranks)
    if n in (0, documents):
        return float(n > 0)
    return 1 - (math.fsum(ranks) - n * (n + 1) / 2) / (n * (documents - n))


@_rocchio(
    "normPrecision",
    title="normalised precision",
    formula="normPrecision = 1 - (Σ ln r_i - Σ ln i) / ln(N! / ((N - n)!·n!)) for the ranks r_i "
    "of the n relevant documents, where N is the number of documents",
    example="ranks 1, 2, 4, 6, 13: normPrecision(N=200) = 0.92386",
)
def _normalised_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
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
    title="scaled utility of a set",
    formula="scaledUtility = (max(U, U(s)) - U(s)) / (MaxU - U(s)), U = a·relevant - "
    "b·non-relevant results, U(s) = -b·s, MaxU = a·relevant documents",
    range="0 to 1; above 1 only if more results gain than there are ideal elements",
    source="TREC-8 filtering track [@hull-robertson-2000]; compared by Scheel, Lommatzsch & "
    "Albayrak 2011",
    example="3 relevant and 2 other results, 5 relevant documents: scaledUtility = 0.846",
    caveat="It rates the results as a set: their order has no effect. All results with a gain are "
    "relevant.",
    parameters={"a": Number(3, 0, above=True), "b": Number(2, 0), "s": Number(25, 1, whole=True)},
)
def _scaled_utility(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
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


@MEASURES.register(
    "slidingRatio",
    title="sliding ratio",
    formula="slidingRatio[i] = sum of the first i gains / sum of the i highest gains of the run",
    source=f"Pollack 1968 [@pollack-1968]; {_COMPARED}",
    example="gains 3, 2, 3: slidingRatio@2 = 5 / 6 = 0.833",
    caveat=_RETRIEVED_ONLY,
    cutoff=RANK,
)
@_myaeng(
    "satisfaction",
    title="satisfaction",
    formula="satisfaction[i] = slidingRatio[i]",
    example="gains 3, 2, 3: satisfaction@2 = 5 / 6 = 0.833",
    caveat=_RETRIEVED_ONLY,
)
def _sliding_ratio(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return _ratio_at(topic.checked_gains, cutoff)


@_myaeng(
    "frustration",
    title="frustration",
    formula="frustration[i] = slidingRatio[i] with 1 for each result without gain, and 0 for others",
    example="gains 0, 1, 0: frustration@2 = 1 / 2",
    caveat="The available literature does not say how non-relevant results are weighted; here each "
    "has weight 1.",
    lower_is_better=True,
)
def _frustration(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return _ratio_at(topic.checked_gains.values == 0, cutoff)


@_myaeng(
    "total",
    title="weighted total of satisfaction and frustration",
    formula="total = weight·satisfaction + (1 - weight)·(1 - frustration)",
    example="satisfaction 1, frustration 0.5: total@2 = 0.75",
    caveat="The available literature does not give the weights; the default is xcg's own.",
    parameters={"weight": Number(0.5, 0, 1)},
)
def _total(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    weight = float(parameters["weight"])
    satisfaction = _sliding_ratio(topic, cutoff, parameters)
    return weight * satisfaction + (1 - weight) * (1 - _frustration(topic, cutoff, parameters))


@MEASURES.register(
    "halfLife",
    title="ranked half-life",
    formula="halfLife = interpolated rank at which half of the run's total gain is reached",
    range="0 to the number of results",
    source=f"Borlund & Ingwersen 1998 [@borlund-ingwersen-1998]; {_COMPARED}",
    example="gains 1, 0.5, 0, 1, 0.5: halfLife = 2.0",
    caveat=f"{_RETRIEVED_ONLY} A topic without gain is left out of the mean.",
    lower_is_better=True,
)
def _half_life(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    gains, sums = topic.checked_gains.values, topic.checked_gains.sums
    if not gains.any():
        return None
    half = float(sums[-1]) / 2
    index = int(np.searchsorted(sums, half - 1e-12 * half))
    before = float(sums[index - 1]) if index else 0.0
    return index + (half - before) / float(gains[index])


@MEASURES.register(
    "relativeRelevance",
    title="relative relevance",
    formula="relativeRelevance = cosine of the system's scores and the gains",
    range="-1 to 1",
    source=f"Borlund & Ingwersen 1998 [@borlund-ingwersen-1998]; {_COMPARED}",
    example="scores 1, 1, 1, 1, 1, gains 1, 0.5, 0, 1, 0: relativeRelevance = 0.745",
    caveat="It needs a run with scores.",
    cutoff=RANK_OR_ALL,
)
def _relative_relevance(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    if topic.system_scores is None:
        raise XcgError("relativeRelevance needs the system's scores: a run with scores or rsv")
    depth = len(topic.checked_gains) if math.isinf(cutoff) else int(cutoff)
    u, v = vector(topic.system_scores)[:depth], topic.checked_gains.values[:depth]
    lengths = math.sqrt(float((u**2).sum())) * math.sqrt(float((v**2).sum()))
    return float((u * v).sum()) / lengths if lengths else 0.0


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


def expected_ratio(units: Sequence[RelevantUnit], depth: float = math.inf) -> float | None:
    """Compute the expected ratio of relevant units.

    ERR[k] = Σ P(e)·(1 - Π (1 - p(c_j → e))) / Σ P(e). The sums are over the relevant elements e, and
    the product is over the first k results c_j. P(e) is the probability that e is relevant, and
    p(c → e) the probability that a user who reads c goes on to e (Piwowarski and Gallinari 2004).

    Args:
        units: The relevant elements.
        depth: The rank k; all ranks by default.

    Returns:
        The value, from 0 to 1; None if no element is relevant.

    >>> units = [RelevantUnit(1.0, [(1, 1.0)]), RelevantUnit(0.5, [(1, 0.5), (2, 0.5)])]
    >>> expected_ratio(units, 1), expected_ratio(units, 2)  # (1 + 0.5·0.5) / 1.5, (1 + 0.5·0.75) / 1.5
    (0.8333333333333334, 0.9166666666666666)
    """
    total = math.fsum(unit.score for unit in units)
    if total <= 0:
        return None
    seen = (
        unit.score * (1 - math.prod(1 - p for rank, p in unit.reached_from if rank <= depth))
        for unit in units
    )
    return math.fsum(seen) / total


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


@MEASURES.register(
    "inexEval",
    title="inex-eval: precision at recall points, and its mean",
    formula="P(rel|retr)(x) = x·n / (x·n + j + s·i / (r + 1)); without a recall point the mean "
    "over x = 0.01, 0.02, …, 1.00",
    source="Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 17; Raghavan, Bollmann "
    "& Jung 1989 [@raghavan-bollmann-jung-1989]",
    example="relevant at ranks 1 and 3 of 2: inexEval@0.5 = 1, inexEval@1 = 2 / 3",
    caveat="It ignores overlap: each result counts with the quantised score of its assessment, and "
    "all assessed elements are to be retrieved.",
    cutoff=RECALL_OR_MEAN,
    needs="scores",
    curve=_curve,
    curve_over="recall",
)
def _inex_eval(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
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


@_ng(
    "ngRecall",
    title="inex-eval-ng: recall by exhaustivity",
    formula="ngRecall[k] = Σ e(c)·|c'| / |c| over the first k results c / Σ e over all assessed "
    "elements, where |c'| is the number of characters of c that no earlier result contains",
    range="0 to 1 if no element is repeated",
    example="e = 1 and 2/3, half of the second seen before, Σ e = 2: ngRecall@2 = (1 + 1/3) / 2",
    caveat=f"overlap=ignored replaces |c'| / |c| by 1. {_GRADES}",
)
def _ng_recall(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    exhaustive, _, _, total = _ng_sums(topic, cutoff, parameters)
    return exhaustive / total if total > 0 else None


@_ng(
    "ngPrecision",
    title="inex-eval-ng: precision by specificity",
    formula="ngPrecision[k] = Σ s(c)·|c'| / Σ |c'| over the first k results c, with |c'| as for "
    "ngRecall",
    example="s = 1 and 1/3, 30 and 60 new characters: ngPrecision@2 = 50 / 90",
    caveat=f"overlap=ignored counts all characters of each result. {_GRADES}",
)
def _ng_precision(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
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
    for result in results[: len(results) if math.isinf(cutoff) else int(cutoff)]:
        size = result.new if considered else result.size
        new = 1.0 if not considered else size / result.size if result.size else 0.0
        exhaustive += result.exhaustivity * new
        specific += result.specificity * size
        read += size
    return exhaustive, specific, read, total


@MEASURES.register(
    "overlap",
    title="overlap of a ranking",
    formula="overlap = share of the results that contain, lie inside or repeat another result",
    source="Kazai & Lalmas 2006 [@kazai-lalmas-2006], section 6.3",
    example="a section, a paragraph of it, another section: overlap = 2 / 3",
    caveat="It describes a run and does not rate it. A topic without results is left out of the mean.",
    cutoff=RANK_OR_ALL,
    needs="scores",
)
def _overlap(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    top = topic.overlaps(None if math.isinf(cutoff) else int(cutoff))
    return sum(top) / len(top) if top else None


def _ratio_curve(topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
    units = topic.relevant_units
    ranks = range(1, depth + 1)
    return ranks, [expected_ratio(units, rank) or 0.0 for rank in ranks]


@MEASURES.register(
    "expectedRatio",
    title="expected ratio of relevant units",
    formula="expectedRatio[k] = Σ P(e)·(1 - Π (1 - p(c_j → e))) / Σ P(e) over the relevant elements e, "
    "where the product is over the first k results c_j, P(e) is the score of e, and p(c → e) the "
    "closeness of c to e under the near-miss model of the user model, 1 for c = e",
    source="Piwowarski & Gallinari 2004 [@piwowarski-gallinari-2004], with probabilities of xcg",
    example="scores 1 and 0.5, the first is returned, with probability 0.5 the user goes on to the "
    "second: expectedRatio@1 = (1 + 0.5·0.5) / 1.5",
    caveat="The paper's probabilities are not available to us, so values are not comparable with "
    "published ones. Use a near-miss model such as browsing; under judged, the user sees only the "
    "results themselves. Not the expected reciprocal rank, ERR.",
    cutoff=RANK_OR_ALL,
    needs="scores",
    curve=_ratio_curve,
)
def _expected_ratio(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    return expected_ratio(topic.relevant_units, cutoff)
