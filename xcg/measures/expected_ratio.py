"""The expected ratio of relevant units: recall of a user who browses from the results."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xcg.measures.definition import RANK_OR_ALL, Curve, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import RankingGains, RelevantUnit


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


def _curve(topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
    units = topic.relevant_units
    ranks = range(1, depth + 1)
    return ranks, [expected_ratio(units, rank) or 0.0 for rank in ranks]


@MEASURES.register(
    "expectedRatio",
    title="expected ratio of relevant units",
    formula="expectedRatio[k] = Σ P(e)·(1 - Π (1 - p(c_j → e))) / Σ P(e) over the relevant elements e, "
    "where the product is over the first k results c_j, P(e) is the score of e, and p(c → e) the "
    "closeness of c to e under the near-miss model of the user model, 1 for c = e",
    source="Piwowarski & Gallinari 2004, with probabilities of xcg",
    references=("piwowarski-gallinari-2004",),
    example="scores 1 and 0.5, the first is returned, with probability 0.5 the user goes on to the "
    "second: expectedRatio@1 = (1 + 0.5·0.5) / 1.5",
    caveat="The paper's probabilities are not available to us, so values are not comparable with "
    "published ones. Use a near-miss model such as browsing; under judged, the user sees only the "
    "results themselves. Not the expected reciprocal rank, ERR.",
    cutoff=RANK_OR_ALL,
    needs="scores",
    curve=_curve,
)
def _expected_ratio(topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
    return expected_ratio(topic.relevant_units, cutoff)
