"""The measures that Järvelin & Kekäläinen 2002 (section 2.4) compare theirs with, and scaled utility.

A result is relevant here where it gains more than 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures.cumulated_gain import Gains, check_gains, check_ideal
from xcg.measures.definition import (
    RANK,
    RANK_OR_ALL,
    Definition,
    Number,
    Parameters,
    TopicGains,
    vector,
)

if TYPE_CHECKING:
    import numpy.typing as npt


def average_search_length(ranks: Sequence[float]) -> float | None:
    """Return ASL, the mean rank of the relevant results; None without any.

    Tied results share their mean rank, which the caller puts in.

    >>> average_search_length([1, 2, 4, 6, 13])
    5.2
    """
    return math.fsum(ranks) / len(ranks) if ranks else None


def expected_search_length(levels: Sequence[tuple[int, int]], wanted: int) -> float | None:
    """Return ESL (Cooper 1968): non-relevant results seen before the wanted number of relevant ones.

    levels: for each rank the numbers of its relevant and non-relevant results, in unknown order. ESL is
    j + i·s / (r + 1): j non-relevant ones before the last rank needed, which holds r relevant and i
    non-relevant ones, of which s relevant ones are wanted. None where there are not enough.

    >>> expected_search_length([(0, 3), (2, 3)], wanted=1)
    4.0
    """
    before = found = 0
    for relevant, other in levels:
        if found + relevant >= wanted:
            return before + other * (wanted - found) / (relevant + 1)
        found += relevant
        before += other
    return None


def normalised_recall(ranks: Sequence[float], documents: int) -> float:
    """Return Rocchio's normalised recall: 1 − (Σ r_i − Σ i) / (n·(N − n)), 0 … 1.

    >>> round(normalised_recall([1, 2, 4, 6, 13], 200), 5)
    0.98872
    """
    n = len(ranks)
    if n in (0, documents):
        return float(n > 0)
    return 1 - (math.fsum(ranks) - n * (n + 1) / 2) / (n * (documents - n))


def normalised_precision(ranks: Sequence[float], documents: int) -> float:
    """Return Rocchio's normalised precision: 1 − (Σ ln r_i − Σ ln i) / ln(N! / ((N − n)!·n!)), 0 … 1.

    >>> round(normalised_precision([1, 2, 4, 6, 13], 200), 5)
    0.92386
    """
    n = len(ranks)
    if n in (0, documents):
        return float(n > 0)
    spread = math.lgamma(documents + 1) - math.lgamma(documents - n + 1) - math.lgamma(n + 1)
    return 1 - (math.fsum(map(math.log, ranks)) - math.lgamma(n + 1)) / spread


def sliding_ratio(gains: npt.ArrayLike) -> Gains:
    """Return the sliding ratio by rank: cumulated gains over those of the same gains sorted, 0 … 1.

    >>> sliding_ratio([3, 2, 3, 0]).round(3).tolist()
    [1.0, 0.833, 1.0, 1.0]
    """
    column = check_gains(gains)
    run, best = np.cumsum(column), np.cumsum(np.sort(column)[::-1])
    return np.divide(run, best, out=np.zeros_like(run), where=best > 0)


def half_life(gains: npt.ArrayLike) -> float | None:
    """Return the ranked half-life: the interpolated rank where half of the total gain is reached.

    On the rank k that reaches it: (k − 1) + (half − what came before) / gain of k. None without gain.

    >>> half_life([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]), half_life([1, 0.5, 0, 1, 0.5])
    (3.0, 2.0)
    """
    column = check_gains(gains)
    run = np.cumsum(column)
    if not len(run) or run[-1] <= 0:
        return None
    half = float(run[-1]) / 2
    place = int(np.searchsorted(run, half - 1e-12 * half))
    before = float(run[place - 1]) if place else 0.0
    return place + (half - before) / float(column[place])


def relative_relevance(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the relative relevance (Borlund & Ingwersen 1998): the cosine of two vectors, 0 … 1.

    >>> round(relative_relevance([1, 1, 1, 1, 1], [1, 0.5, 0, 1, 0]), 6)
    0.745356
    """
    u, v = vector(first), vector(second)
    if len(u) != len(v):
        raise ValueError(f"vectors of {len(u)} and {len(v)} numbers: expected as many in both")
    lengths = float(np.linalg.norm(u) * np.linalg.norm(v))
    return float(np.dot(u, v)) / lengths if lengths else 0.0


def scaled_utility(
    relevant: int, other: int, total: int, a: float = 3.0, b: float = 2.0, s: int = 25
) -> float:
    """Return the scaled utility of a set (TREC-8 filtering), 0 … 1.

    U = a·R⁺ − b·N⁺; (max(U, U(s)) − U(s)) / (MaxU − U(s)), U(s) the utility of s non-relevant results
    and MaxU that of all relevant ones.

    >>> round(scaled_utility(3, 2, 5), 5)
    0.84615
    """
    worst, best = -b * s, a * total
    return (max(a * relevant - b * other, worst) - worst) / (best - worst)


def _hits(topic: TopicGains) -> npt.NDArray[np.intp]:
    return np.flatnonzero(check_gains(topic.gains) > 0)


def _ranks_of_all(topic: TopicGains, documents: int, name: str) -> list[float]:
    """Return the ranks of all relevant documents; those not retrieved take the last of N ranks."""
    hits = [float(hit) + 1 for hit in _hits(topic)]
    relevant = int(np.count_nonzero(check_ideal(topic.ideal) > 0))
    missing = max(0, relevant - len(hits))
    if documents < len(vector(topic.gains)) + missing:
        raise XcgError(f"{name}: N is {documents}, and the ranking and what it lacks are more")
    return hits + [float(documents - place) for place in reversed(range(missing))]


def _levels(topic: TopicGains, name: str) -> list[tuple[int, int]]:
    relevant = check_gains(topic.gains) > 0
    ties = topic.required_details(name).tie_groups()
    counted: dict[int, list[int]] = {}
    for tie, hit in zip(ties, relevant, strict=True):
        counted.setdefault(tie, [0, 0])[0 if hit else 1] += 1
    return [(hit, other) for hit, other in counted.values()]


def _asl(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    ranks: list[float] = []
    before = 0
    for relevant, other in _levels(topic, "ASL"):
        together = relevant + other
        ranks += [before + (together + 1) / 2] * relevant
        before += together
    return average_search_length(ranks)


def _esl(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    return expected_search_length(_levels(topic, "ESL"), int(parameters["wanted"]))


def _rocchio(
    function: Callable[[Sequence[float], int], float], name: str
) -> Callable[[TopicGains, float, Parameters], float | None]:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
        documents = int(parameters["N"])
        if not documents:
            raise XcgError(f"{name} needs the number of documents: {name}(N=12107)")
        return function(_ranks_of_all(topic, documents, name), documents)

    return compute


def _sliding(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    ratios = sliding_ratio(topic.gains)
    return float(ratios[min(int(cutoff), len(ratios)) - 1]) if len(ratios) else 0.0


def _frustration(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    misses = (check_gains(topic.gains) == 0).astype(np.float64)
    ratios = sliding_ratio(misses)
    return float(ratios[min(int(cutoff), len(ratios)) - 1]) if len(ratios) else 0.0


def _total(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    weight = float(parameters["weight"])
    satisfied = _sliding(topic, cutoff, parameters)
    return weight * satisfied + (1 - weight) * (1 - _frustration(topic, cutoff, parameters))


def _half_life(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    return half_life(topic.gains)


def _relative(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    keys = topic.required_details("relativeRelevance").system_scores()
    if keys is None:
        raise XcgError("relativeRelevance needs the system's scores: a run with scores or rsv")
    depth = len(keys) if math.isnan(cutoff) else int(cutoff)
    return relative_relevance(keys[:depth], vector(topic.gains)[:depth])


def _utility(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    hits, results = len(_hits(topic)), len(vector(topic.gains))
    relevant = int(np.count_nonzero(check_ideal(topic.ideal) > 0))
    return scaled_utility(
        hits, results - hits, relevant, parameters["a"], parameters["b"], int(parameters["s"])
    )


_COMPARED = "compared with by Järvelin & Kekäläinen 2002, section 2.4"
DEFINITIONS = (
    Definition(
        name="ASL",
        title="average search length",
        formula="mean rank of the relevant results; tied results share their mean rank",
        range="1 to the number of results",
        lower_is_better=True,
        source=f"Losee 1998; {_COMPARED}",
        example="relevant at ranks 1, 2, 4, 6, 13: ASL = 5.2",
        caveat="Only retrieved relevant results count; without any the topic is left out of the mean.",
        compute=_asl,
    ),
    Definition(
        name="ESL",
        title="expected search length",
        formula="j + i·s / (r + 1), the non-relevant results seen before the wanted relevant ones",
        range="0 to the number of results",
        lower_is_better=True,
        source=f"Cooper 1968; {_COMPARED}",
        example="3 before, then a tie of 5 with 2 relevant, 1 wanted: ESL = 3 + 3·1 / 3 = 4",
        caveat="A topic with too few relevant results is left out of the mean.",
        parameters={"wanted": Number(1, 1, whole=True)},
        compute=_esl,
    ),
    Definition(
        name="normRecall",
        title="normalised recall",
        formula="1 − (Σ r_i − Σ i) / (n·(N − n)), N the number of documents",
        range="0 to 1",
        source=f"Rocchio 1966; {_COMPARED}",
        example="ranks 1, 2, 4, 6, 13: normRecall(N=200) = 0.98872",
        caveat="Relevant documents that are not retrieved take the last ranks.",
        parameters={"N": Number(0, 0, whole=True)},
        compute=_rocchio(normalised_recall, "normRecall"),
    ),
    Definition(
        name="normPrecision",
        title="normalised precision",
        formula="1 − (Σ ln r_i − Σ ln i) / ln(N! / ((N − n)!·n!)), N the number of documents",
        range="0 to 1",
        source=f"Rocchio 1966; {_COMPARED}",
        example="ranks 1, 2, 4, 6, 13: normPrecision(N=200) = 0.92386",
        caveat="Relevant documents that are not retrieved take the last ranks.",
        parameters={"N": Number(0, 0, whole=True)},
        compute=_rocchio(normalised_precision, "normPrecision"),
    ),
    Definition(
        name="slidingRatio",
        title="sliding ratio",
        formula="Σ of the first gains / Σ of as many of the same gains sorted",
        range="0 to 1",
        source=f"Pollack 1968; {_COMPARED}",
        example="gains 3, 2, 3: slidingRatio@2 = 5 / 6 = 0.833",
        caveat="Compares with what was retrieved alone, not with what should have been.",
        cutoff=RANK,
        compute=_sliding,
    ),
    Definition(
        name="satisfaction",
        title="satisfaction",
        formula="sliding ratio over the relevant results",
        range="0 to 1",
        source=f"Myaeng & Korfhage 1990; {_COMPARED}",
        example="gains 3, 2, 3: satisfaction@2 = 5 / 6 = 0.833",
        cutoff=RANK,
        compute=_sliding,
    ),
    Definition(
        name="frustration",
        title="frustration",
        formula="sliding ratio over the results without gain",
        range="0 to 1",
        lower_is_better=True,
        source=f"Myaeng & Korfhage 1990; {_COMPARED}",
        example="gains 0, 1, 0: frustration@2 = 1 / 2",
        caveat="The literature at hand does not settle how non-relevant results weigh; here each 1.",
        cutoff=RANK,
        compute=_frustration,
    ),
    Definition(
        name="total",
        title="weighted total of satisfaction and frustration",
        formula="weight·satisfaction + (1 − weight)·(1 − frustration)",
        range="0 to 1",
        source=f"Myaeng & Korfhage 1990; {_COMPARED}",
        example="satisfaction 1, frustration 0.5: total@2 = 0.75",
        caveat="The literature at hand does not settle the weights: the default is ours.",
        cutoff=RANK,
        parameters={"weight": Number(0.5, 0, 1)},
        compute=_total,
    ),
    Definition(
        name="halfLife",
        title="ranked half-life",
        formula="the interpolated rank at which half of the run's total gain is reached",
        range="0 to the number of results",
        lower_is_better=True,
        source=f"Borlund & Ingwersen 1998; {_COMPARED}",
        example="gains 1, 0.5, 0, 1, 0.5: halfLife = 2.0",
        caveat="Compares with what was retrieved alone. A topic without gain is left out of the mean.",
        compute=_half_life,
    ),
    Definition(
        name="relativeRelevance",
        title="relative relevance",
        formula="cosine of the system's scores and the gains",
        range="-1 to 1",
        source=f"Borlund & Ingwersen 1998; {_COMPARED}",
        example="scores 1, 1, 1, 1, 1, gains 1, 0.5, 0, 1, 0: 0.745",
        cutoff=RANK_OR_ALL,
        compute=_relative,
    ),
    Definition(
        name="scaledUtility",
        title="scaled utility of a set",
        formula="(max(U, U(s)) − U(s)) / (MaxU − U(s)), U = a·R⁺ − b·N⁺",
        range="0 to 1",
        source="TREC-8 filtering track; compared with by Scheel, Lommatzsch & Albayrak 2011",
        example="3 relevant and 2 other results of 5 relevant ones: scaledUtility = 0.846",
        parameters={"a": Number(3, 0, above=True), "b": Number(2, 0), "s": Number(25, 1, whole=True)},
        compute=_utility,
    ),
)
