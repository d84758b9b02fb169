"""The standard measures of ranked documents, as trec_eval computes them and ir_measures names them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xcg.measures.definition import RANK, RANK_OR_ALL, Cutoff, Definition, Number, Parameters, not_alone


class JudgedRanking(NamedTuple):
    """What the standard measures see of a ranking for one topic.

    ranks: those of the judged results, from 1 and increasing. levels: theirs, in the same order.
    judged: the levels of all judged documents of the topic. Levels below 0 are as good as unjudged.
    """

    ranks: Sequence[int]
    levels: Sequence[int]
    judged: Sequence[int]

    def relevant_ranks(self, rel: float, depth: float = math.inf) -> list[int]:
        """Return the ranks, up to a depth, of the results with at least the level ``rel``.

        >>> JudgedRanking([1, 3, 4], [2, 0, 1], [2, 1, 1, 0]).relevant_ranks(1)
        [1, 4]
        """
        return [
            rank
            for rank, level in zip(self.ranks, self.levels, strict=True)
            if level >= rel and rank <= depth
        ]

    def relevant(self, rel: float) -> int:
        """Return how many documents are judged to have at least the level ``rel``."""
        return len([level for level in self.judged if level >= rel])


def precision(ranking: JudgedRanking, depth: float, rel: float = 1) -> float:
    """Return the relevant results among the first ``depth`` / depth, also where fewer came.

    >>> precision(JudgedRanking([1, 3], [1, 1], [1, 1, 1]), depth=4)
    0.5
    """
    return len(ranking.relevant_ranks(rel, depth)) / depth


def recall(ranking: JudgedRanking, depth: float, rel: float = 1) -> float:
    """Return the relevant results among the first ``depth`` / all relevant documents.

    >>> recall(JudgedRanking([1, 3], [1, 1], [1, 1, 1, 1]), depth=2)
    0.25
    """
    return _ratio(len(ranking.relevant_ranks(rel, depth)), ranking.relevant(rel))


def average_precision(ranking: JudgedRanking, depth: float = math.inf, rel: float = 1) -> float:
    """Return the sum of the precision at each relevant result / all relevant documents.

    >>> average_precision(JudgedRanking([1, 4], [1, 1], [1, 1, 0]))
    0.75
    """
    ranks = ranking.relevant_ranks(rel, depth)
    return _ratio(math.fsum(n / rank for n, rank in enumerate(ranks, 1)), ranking.relevant(rel))


def ndcg(ranking: JudgedRanking, depth: float = math.inf) -> float:
    """Return DCG / that of all judged documents by level; the gain is the level, negative ones are 0.

    DCG = Σ over the ranks i of level[i] / log2(i + 1).

    >>> ndcg(JudgedRanking([3], [1], [1]))  # 1 / log2(4)
    0.5
    """
    dcg = _dcg(zip(ranking.ranks, ranking.levels, strict=True), depth)
    ideal = sorted(ranking.judged, reverse=True)
    if depth < len(ideal):
        del ideal[int(depth) :]
    return _ratio(dcg, _dcg(enumerate(ideal, 1), depth))


def reciprocal_rank(ranking: JudgedRanking, depth: float = math.inf, rel: float = 1) -> float:
    """Return 1 / the rank of the first relevant result, 0 where there is none.

    >>> reciprocal_rank(JudgedRanking([2, 4], [0, 1], [1, 0]))
    0.25
    """
    ranks = ranking.relevant_ranks(rel, depth)
    return 1 / ranks[0] if ranks else 0.0


def r_precision(ranking: JudgedRanking, rel: float = 1) -> float:
    """Return the precision at R, R the number of relevant documents.

    >>> r_precision(JudgedRanking([1, 3], [1, 1], [1, 1]))
    0.5
    """
    return recall(ranking, ranking.relevant(rel), rel)


def success(ranking: JudgedRanking, depth: float, rel: float = 1) -> float:
    """Return 1 where one of the first ``depth`` results is relevant, else 0.

    >>> success(JudgedRanking([3], [1], [1]), depth=2)
    0.0
    """
    return 1.0 if ranking.relevant_ranks(rel, depth) else 0.0


def bpref(ranking: JudgedRanking, rel: float = 1) -> float:
    """Return how far relevant results come before those that are judged not relevant.

    1/R · Σ over the relevant results of 1 - min(n, R) / min(N, R), n the results before it with a level
    from 0 and below ``rel``, N all such documents, R the relevant ones.

    >>> bpref(JudgedRanking([1, 2, 3], [1, 0, 1], [1, 1, 0, 0]))  # (1 + 1 - 1/2) / 2
    0.75
    """
    relevant = ranking.relevant(rel)
    bound = min(relevant, ranking.relevant(0) - relevant)
    before = 0
    kept = []
    for level in ranking.levels:
        if level >= rel:
            kept.append(1 - min(before, relevant) / bound if before else 1.0)
        elif level >= 0:
            before += 1
    return _ratio(math.fsum(kept), relevant)


def _dcg(gains: zip[tuple[int, int]] | enumerate[int], depth: float) -> float:
    return math.fsum(
        level / math.log2(rank + 1) for rank, level in gains if level > 0 and rank <= depth
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


_REL = {"rel": Number(1, 1, whole=True)}
_GRADED = "Levels are gains: one document of level 3 counts as much as three of level 1."
_MEANS = "Means are over all assessed topics, as trec_eval -c has them."


def _to_a_rank(
    function: Callable[[JudgedRanking, float, float], float],
) -> Callable[[JudgedRanking, float, Parameters], float]:
    return lambda ranking, cutoff, parameters: function(
        ranking, math.inf if math.isnan(cutoff) else cutoff, parameters["rel"]
    )


def _definition(
    name: str,
    title: str,
    formula: str,
    source: str,
    example: str,
    of_levels: Callable[[JudgedRanking, float, Parameters], float],
    cutoff: Cutoff | None = None,
    *,
    graded: bool = False,
) -> Definition:
    return Definition(
        name=name,
        title=title,
        formula=formula,
        range="0 to 1",
        source=source,
        example=example,
        caveat=f"{_GRADED} {_MEANS}" if graded else _MEANS,
        cutoff=cutoff,
        parameters={} if graded else _REL,
        needs="levels",
        compute=not_alone,
        of_levels=of_levels,
    )


STANDARD = {
    definition.name: definition
    for definition in (
        _definition(
            "P",
            "precision at a rank",
            "P[k] = relevant results among the first k / k; relevant is a level from rel on",
            "van Rijsbergen 1979; trec_eval",
            "levels 1, 0, 2, 0: P@4 = 2 / 4 = 0.5",
            _to_a_rank(precision),
            RANK,
        ),
        _definition(
            "R",
            "recall at a rank",
            "R[k] = relevant results among the first k / R, R all relevant documents; R without a rank "
            "is Sakai's R-measure",
            "van Rijsbergen 1979; trec_eval",
            "levels 1, 0, 2, four relevant documents: R@2 = 1 / 4 = 0.25",
            _to_a_rank(recall),
            RANK,
        ),
        _definition(
            "AP",
            "average precision",
            "Σ over the ranks k of relevant results, with a cutoff those up to it, of P[k] / R, "
            "R all relevant documents",
            "Harman 1992; trec_eval",
            "levels 1, 0, 0, 1, two relevant documents: AP = (1 / 1 + 2 / 4) / 2 = 0.75",
            _to_a_rank(average_precision),
            RANK_OR_ALL,
        ),
        _definition(
            "nDCG",
            "normalised discounted cumulated gain",
            "DCG[k] / that of all judged documents by level, DCG[k] = Σ level[i] / log2(i + 1); levels "
            "below 0 gain 0",
            "Järvelin & Kekäläinen 2002; trec_eval",
            "levels 0, 0, 1, one relevant document: nDCG = (1 / 2) / 1 = 0.5",
            lambda ranking, cutoff, _: ndcg(ranking, math.inf if math.isnan(cutoff) else cutoff),
            RANK_OR_ALL,
            graded=True,
        ),
        _definition(
            "RR",
            "reciprocal rank",
            "1 / the rank of the first relevant result, with a cutoff among those up to it; else 0",
            "Kantor & Voorhees 2000; trec_eval",
            "levels 0, 0, 0, 1: RR = 1 / 4 = 0.25",
            _to_a_rank(reciprocal_rank),
            RANK_OR_ALL,
        ),
        _definition(
            "Rprec",
            "precision at the number of relevant documents",
            "P[R], R all relevant documents",
            "Buckley & Voorhees 2005; trec_eval",
            "levels 1, 0, 1, two relevant documents: Rprec = 1 / 2 = 0.5",
            lambda ranking, _, parameters: r_precision(ranking, parameters["rel"]),
        ),
        _definition(
            "Success",
            "whether a relevant result comes by a rank",
            "1 where one of the first k results is relevant, else 0",
            "trec_eval",
            "levels 0, 0, 1: Success@2 = 0, Success@3 = 1",
            _to_a_rank(success),
            RANK,
        ),
        _definition(
            "Bpref",
            "binary preference",
            "1/R · Σ over relevant results of 1 - min(n, R) / min(N, R), n the results before it that "
            "are judged not relevant, N all such documents, R the relevant ones",
            "Buckley & Voorhees 2004; trec_eval",
            "levels 1, 0, 1, two relevant and two other documents: Bpref = (1 + 1 - 1 / 2) / 2 = 0.75",
            lambda ranking, _, parameters: bpref(ranking, parameters["rel"]),
        ),
    )
}
"""The standard measures by name."""

ALIASES = {
    "BPref": "Bpref",
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "RPrec": "Rprec",
    "Recall": "R",
}
"""Other names that ir_measures takes for them."""
