"""Discounted cumulated gain: xDCG, nxDCG, NDCNG, and their means up to a rank."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.cumulated_gain import MEAN, VECTORS_CAVEAT, VectorMeasure, Vectors
from xcg.measures.definition import RANK_OR_ALL, Number, Parameters
from xcg.measures.topic_gains import Gains, RankingGains, check_gains, check_ideal

GainFunction = Literal["linear", "exp"]
Discount = Literal["from_base", "plus_one", "rank"]


def discounted(
    gains: npt.ArrayLike,
    base: float = 2.0,
    discount: Discount = "from_base",
    gain: GainFunction = "linear",
) -> Gains:
    """Compute what each rank adds to discounted cumulated gain.

    With ``from_base``, rank i adds G[i] below rank b and G[i] / log_b(i) from rank b on (Järvelin and
    Kekäläinen 2002, equation 2). With ``rank`` it adds G[i] / i (section 4 of the same paper, df = i).
    With ``plus_one`` it adds G[i] / log_b(i + 1) (Scheel, Lommatzsch and Albayrak 2011, equation 3).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        base: The base b of the logarithm, above 1. Near 1, only the first result counts; with a base
            above the number of results, nothing is discounted. ``rank`` does not use it.
        discount: What gains are divided by.
        gain: ``exp`` replaces each gain G by 2^G - 1.

    Returns:
        Array with one value for each gain, at least 0.

    Raises:
        ValueError: If the gains have another shape or illegal values.
        XcgError: If 2^G is too large for a number.

    >>> discounted([3, 2, 3, 0, 0, 1]).cumsum().round(2).tolist()
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28]
    """
    values = check_gains(gains).values
    if gain == "exp":
        with np.errstate(over="ignore"):
            values = np.exp2(values) - 1.0
        if not np.all(np.isfinite(values)):
            raise XcgError("2 to the power of these gains is too large; use smaller gains")
    ranks = np.arange(1, len(values) + 1, dtype=np.float64)
    if discount == "rank":
        return np.asarray(values / ranks)
    if discount == "plus_one":
        return np.asarray(values * math.log(base) / np.log(ranks + 1))
    weights = np.ones(len(values))
    late = ranks >= base
    weights[late] = math.log(base) / np.log(ranks[late])
    weights[ranks == base] = 1.0  # log_b(b) is exactly 1, which rounding can miss
    return np.asarray(values * weights)


def normalised_gains(gains: npt.ArrayLike, ideal: npt.ArrayLike) -> tuple[Gains, Gains]:
    """Return gains and ideal gains divided by the highest ideal gain, or zeros if that is 0.

    ngain = G / m if m > 0, else 0, where m is the highest ideal gain (Scheel, Lommatzsch and Albayrak
    2011, equation 5).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; all are 0 or there are none if no
            document is relevant.

    Returns:
        Two arrays with the shapes of the arguments; ideal gains are from 0 to 1.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> [part.tolist() for part in normalised_gains([1, 2], [4, 2])]
    [[0.25, 0.5], [1.0, 0.5]]
    >>> [part.tolist() for part in normalised_gains([1, 2], [0])]
    [[0.0, 0.0], [0.0]]
    """
    run, best = check_gains(gains).values, check_gains(ideal).values
    if not best.any():
        return np.zeros_like(run), best
    best = check_ideal(best).values
    return run / best[0], best / best[0]


# Declarations


def _vectors(topic: RankingGains, cutoff: float, parameters: Parameters, _: int) -> Vectors:
    """Return the discounted cumulated gains of run and ideal, up to the cutoff or the longer list."""
    return _cumulated(topic.checked_gains.values, topic.checked_ideal.values, cutoff, parameters)


def _exponential(topic: RankingGains, cutoff: float, parameters: Parameters, points: int) -> Vectors:
    return _vectors(topic, cutoff, {**parameters, **_EQUATION_3}, points)


def _normalised(topic: RankingGains, cutoff: float, parameters: Parameters, _: int) -> Vectors:
    gains, ideal = normalised_gains(topic.gains, topic.ideal)
    return _cumulated(gains, ideal, cutoff, {**parameters, **_EQUATION_3})


def _cumulated(gains: Gains, ideal: Gains, cutoff: float, parameters: Parameters) -> Vectors:
    depth = max(len(gains), len(ideal), 1) if math.isinf(cutoff) else int(cutoff)
    options = {name: parameters[name] for name in ("base", "discount", "gain")}
    run, best = (
        np.cumsum(discounted(np.pad(part[:depth], (0, max(0, depth - len(part)))), **options))
        for part in (gains, ideal)
    )
    return run, best


_EQUATION_3 = {"discount": "plus_one", "gain": "exp"}
_BASE = {"base": Number(2.0, 1.0, above=True)}
_PARAMETERS = {
    **_BASE,
    "discount": ("from_base", "plus_one", "rank"),
    "gain": ("linear", "exp"),
    **MEAN,
}
_JK = "Järvelin & Kekäläinen 2002"
_SL = "Scheel, Lommatzsch & Albayrak 2011"
_jk = partial(VectorMeasure.register, references=("jarvelin-kekalainen-2002",), parameters=_PARAMETERS)
_scheel = partial(
    VectorMeasure.register, references=("scheel-lommatzsch-albayrak-2011",), parameters=_BASE
)

_jk(
    VectorMeasure(_vectors),
    "xDCG",
    title="discounted cumulated gain",
    formula="xDCG[i] = Σ of G[j] for ranks j < base, and of G[j] / log_base(j) from rank base on",
    source=f"{_JK}, equation 2 (DCG); for discount=rank section 4 (df = i)",
    example="gains 3, 2, 3: xDCG@3 = 3 + 2 + 3 / 1.585 = 6.89",
    caveat="discount=plus_one divides by log_base(j + 1) at every rank, discount=rank by the rank j "
    "(then base has no effect); gain=exp replaces G by 2^G - 1. A base near 1 leaves little more than "
    "the first result, a base above the last rank no discount. Under the user model levels it is "
    "Järvelin and Kekäläinen's DCG.",
    cutoff=RANK_OR_ALL,
)
_jk(
    VectorMeasure(_vectors, normalised=True),
    "nxDCG",
    title="normalised discounted cumulated gain",
    formula="nxDCG[i] = xDCG[i] / xDCI[i], where xDCI is xDCG of the ideal ranking",
    source=f"{_JK}, section 2.3 (nDCG); with discount=plus_one and gain=exp {_SL}, equation 3",
    references=("jarvelin-kekalainen-2002", "scheel-lommatzsch-albayrak-2011"),
    example="gains 3, 2, 3, ideal 3, 3, 3: nxDCG@3 = 6.89 / 7.89 = 0.873",
    caveat="Under the user model levels it is Järvelin and Kekäläinen's nDCG; nDCG is the standard "
    f"measure of trec_eval, which discounts by log2(j + 1). {VECTORS_CAVEAT}",
    cutoff=RANK_OR_ALL,
)
_jk(
    VectorMeasure(_vectors, averaged=True),
    "MAxDCG",
    title="mean of xDCG up to a rank",
    formula="MAxDCG[i] = (xDCG[1] + … + xDCG[i]) / i",
    source=f"{_JK}, section 2.3 (avg-pos of DCG)",
    example="gains 3, 2: MAxDCG@2 = (3 + 5) / 2 = 4",
    caveat="Topics with more relevant elements have more weight in the mean.",
)
_jk(
    VectorMeasure(_vectors, normalised=True, averaged=True),
    "MAnxDCG",
    title="mean of nxDCG up to a rank",
    formula="MAnxDCG[i] = (nxDCG[1] + … + nxDCG[i]) / i",
    source=f"{_JK}, section 2.3 (avg-pos of nDCG)",
    example="gains 3, 2, ideal 3, 3: MAnxDCG@2 = (1 + 5 / 6) / 2 = 0.917",
    caveat=VECTORS_CAVEAT,
)
_scheel(
    VectorMeasure(_normalised, normalised=True),
    "NDCNG",
    title="normalised discounted cumulated normalised gain",
    formula="nxDCG of the gains 2^(G / m) - 1 with the discount 1 / log(i + 1), where m is the "
    "highest ideal gain; 0 if m is 0",
    source=f"{_SL}, equation 5",
    example="gains 0, 1, ideal 1: NDCNG@2 = (1 / log 3) / (1 / log 2) = 0.631",
    caveat="The base of the logarithm cancels out. A topic without ideal elements is left out of the "
    "mean.",
    cutoff=RANK_OR_ALL,
)
_scheel(
    VectorMeasure(_normalised, normalised=True, averaged=True),
    "avgNDCNG",
    title="mean of NDCNG up to a rank",
    formula="avgNDCNG[i] = (NDCNG[1] + … + NDCNG[i]) / i",
    source=f"{_SL}, Table 2 (mean) and Figures 4 and 5 (mean NDCNG)",
    example="gains 1, 0, ideal 1: avgNDCNG@2 = 1",
    caveat="The base of the logarithm cancels out.",
    aliases=("meanNDCNG",),
)
_scheel(
    VectorMeasure(_exponential, normalised=True, averaged=True),
    "avgNDCG",
    title="mean of NDCG with exponential gains up to a rank",
    formula="avgNDCG[i] = (N[1] + … + N[i]) / i, where N is nxDCG(discount=plus_one,gain=exp)",
    source=f"{_SL}, equation 3, Table 2 (mean) and Figures 4 and 5 (mean NDCG)",
    example="gains 1, 2, ideal 2, 1: avgNDCG@2 = (1 / 3 + 2.893 / 3.631) / 2 = 0.565",
    caveat="It is short for MAnxDCG(discount=plus_one,gain=exp). nDCG, also written NDCG, is the "
    "standard measure, whose gains are linear.",
    aliases=("meanNDCG",),
)
