"""Cumulated gain, discounted or not, normalised or not, at a rank or as the mean up to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures.definition import BOUND, RANK, RANK_OR_ALL, UNITS, Curve, Number, Parameters
from xcg.measures.effort import CHARGE, CHARGE_CAVEAT
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import Gains, RankingGains, check_gains, cumulate, means

Vectors: TypeAlias = "tuple[Gains, Gains]"
"""Cumulated gains of a run and of the ideal ranking."""

MAX_RANKS = 100_000
"""The highest rank for which vectors are stored, unless there are more results or ideal gains."""

_POINTS = 100
"""The number of amounts of text for which vectors over text are stored."""


def discounted(gains: Gains, base: float, discount: str, gain: str) -> Gains:
    """Compute what each rank adds to discounted cumulated gain.

    With ``from_base``, rank i adds G[i] below rank b and G[i] / log_b(i) from rank b on (Järvelin and
    Kekäläinen 2002, equation 2). With ``rank`` it adds G[i] / i (section 4 of the same paper, df = i).
    With ``plus_one`` it adds G[i] / log_b(i + 1) (Scheel, Lommatzsch and Albayrak 2011, equation 3).

    Args:
        gains: Gain of each result in rank order.
        base: The base b of the logarithm, above 1. ``rank`` does not use it.
        discount: What gains are divided by.
        gain: ``exp`` replaces each gain G by 2^G - 1.

    Raises:
        XcgError: If 2^G is too large for a number.

    >>> discounted(np.array([3, 2, 3, 0, 0, 1]), 2, "from_base", "linear").cumsum().round(2).tolist()
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28]
    """
    if gain == "exp":
        with np.errstate(over="ignore"):
            gains = np.exp2(gains) - 1.0
        if not np.all(np.isfinite(gains)):
            raise XcgError("2 to the power of these gains is too large; use smaller gains")
    ranks = np.arange(1, len(gains) + 1, dtype=np.float64)
    if discount == "rank":
        return gains / ranks
    if discount == "plus_one":
        return gains * math.log(base) / np.log(ranks + 1)
    weights = np.ones(len(gains))
    late = ranks >= base
    weights[late] = math.log(base) / np.log(ranks[late])
    weights[ranks == base] = 1.0  # log_b(b) is exactly 1, which rounding can miss
    return gains * weights


@dataclass(frozen=True)
class CumulatedGain:
    """A measure of the cumulated gains of a run and of the ideal ranking.

    Attributes:
        cumulated: ``(topic, depth, parameters) →`` both vectors of cumulated gains, discounted or not,
            at each rank up to a depth or at equidistant amounts of text.
        normalised: Whether gains are divided by those of the ideal ranking.
        averaged: Whether the value is the mean over all ranks, instead of the value at the last.
        in_order: Whether a topic's mean adds ranks in order, as MAnxCG does; numpy's mean adds
            them in pairs, and the last digit can differ.
    """

    cumulated: Callable[[RankingGains, float, Parameters], Vectors]
    normalised: bool = False
    averaged: bool = False
    in_order: bool = False

    def compute(self, topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
        """Return the value for one topic."""
        return self._value(self.vectors(topic, cutoff, parameters), cutoff, parameters, self.in_order)

    def vectors(self, topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
        """Return both vectors up to the cutoff, or up to a rank from which they are constant."""
        if MAX_RANKS < cutoff < math.inf and not _unit(parameters):
            cutoff = min(cutoff, max(len(topic.checked_gains), np.size(topic.ideal), MAX_RANKS))
        return self.cumulated(topic, cutoff, parameters)

    def aggregate(self, topics: Sequence[Vectors], cutoff: float, parameters: Parameters) -> float:
        """Return the value of the mean vectors over topics (Järvelin and Kekäläinen 2002, 2.3)."""
        if _unit(parameters):  # of vectors over text, only the gain at the cutoff counts
            topics = [(run[-1:], ideal[-1:]) for run, ideal in topics]
        return self._value(_mean_vectors(topics), cutoff, parameters)

    def curve(self, topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
        """Return the values at all ranks up to a depth, or at amounts of text."""
        if parameters.get("first", 1) > 1:
            raise XcgError("a curve begins at rank 1: expected a measure without first")
        points = _budgets(depth) if _unit(parameters) else range(1, depth + 1)
        return points, self.aggregate_curve([self.vectors(topic, depth, parameters)])

    def aggregate_curve(self, topics: Sequence[Vectors]) -> list[float]:
        """Return the values of the curve of the mean vectors over topics."""
        by_rank = self._by_rank(*_mean_vectors(topics))
        values: list[float] = (means(by_rank) if self.averaged else by_rank).tolist()
        return values

    def _value(
        self, vectors: Vectors, cutoff: float, parameters: Parameters, in_order: bool = False
    ) -> float:
        if not self.averaged:
            run, ideal = vectors
            return float(self._by_rank(run[-1:], ideal[-1:])[0])
        first = parameters["first"]
        if first > cutoff:
            raise XcgError(f"first={first:g} is after the last rank, {cutoff:g}")
        stored = self._by_rank(*vectors)
        by_rank, count = stored[min(int(first), len(stored)) - 1 :], cutoff - first + 1
        mean = means(by_rank)[-1] if in_order else by_rank.mean()
        beyond = (count - len(by_rank)) / count  # values are constant after the stored ranks
        return float(mean + (by_rank[-1] - mean) * beyond)

    def _by_rank(self, run: Gains, ideal: Gains) -> Gains:
        """Return the cumulated or normalised gain at each rank; 0 if the ideal gain is 0."""
        if not self.normalised:
            return run
        return np.divide(run, ideal, out=np.zeros_like(run), where=ideal > 0)


def _mean_vectors(topics: Sequence[Vectors]) -> Vectors:
    """Return the means over topics of the vectors of the run and of the ideal ranking."""
    if len(topics) == 1:
        return topics[0]
    depth = max(len(run) for run, _ in topics)
    run, ideal = (
        np.mean([np.pad(vectors[i], (0, depth - len(vectors[i])), "edge") for vectors in topics], 0)
        for i in (0, 1)
    )
    return run, ideal


def _budgets(most: float) -> list[float]:
    """Return equidistant amounts of text."""
    return [most * point / _POINTS for point in range(1, _POINTS + 1)]


def _unit(parameters: Parameters) -> str:
    """Return the unit of text of the cutoff; empty if it is a rank."""
    unit = parameters.get("budget", "ranks")
    return "" if unit == "ranks" else unit


# Vectors of cumulated gains


def _plain(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    unit: Any = _unit(parameters)
    if not unit:
        depth = int(cutoff)
        return cumulate(topic.checked_gains, depth), cumulate(topic.checked_ideal, depth)
    run, ideal = topic.readings(unit, parameters["charge"])
    return run.gain_at(_budgets(cutoff)), ideal.gain_at(_budgets(cutoff))


def _discounted(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    return _sums(topic.checked_gains.values, topic.checked_ideal.values, cutoff, parameters)


def _of_normalised_gains(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    gains, ideal = topic.checked_gains.values, check_gains(topic.ideal).values
    highest = topic.checked_ideal.values[0] if ideal.any() else np.inf  # without ideal gains all are 0
    return _sums(gains / highest, ideal / highest, cutoff, {**parameters, **_EQUATION_3})


def _sums(gains: Gains, ideal: Gains, cutoff: float, parameters: Parameters) -> Vectors:
    """Return the sums of discounted gains up to the cutoff, or to the end of the longer vector."""
    depth = max(len(gains), len(ideal), 1) if math.isinf(cutoff) else int(cutoff)
    options = {name: parameters[name] for name in ("base", "discount", "gain")}
    run, best = (
        np.cumsum(discounted(np.pad(part[:depth], (0, max(0, depth - len(part)))), **options))
        for part in (gains, ideal)
    )
    return run, best


# Declarations

_EQUATION_3 = {"discount": "plus_one", "gain": "exp"}
_MEAN = {"mean": ("values", "vectors")}
_MEAN_CAVEAT = (
    "mean=vectors first averages the cumulated vectors over topics and then computes the value; by "
    "default the values of the topics are averaged."
)
_BUDGET = {"budget": UNITS, **CHARGE}
_BUDGET_CAVEAT = (
    "budget=tokens (words, characters) takes the value after that amount of text instead of after "
    f"that number of results; {CHARGE_CAVEAT}"
)
_WEIGHT_CAVEAT = "Topics with more relevant elements have more weight in the mean"
_BASE = {"base": Number(2.0, 1.0, above=True)}
_DISCOUNT = {"discount": ("from_base", "plus_one", "rank"), "gain": ("linear", "exp"), **_MEAN}


def _of_vectors(cumulated: Callable[..., Vectors], fields: dict[str, Any]) -> Callable[..., float]:
    """Return what computes a measure of vectors of cumulated gains; see :class:`CumulatedGain`.

    If ``mean`` is a parameter, the mean over topics can be that of the vectors.
    """
    switches = {name: fields.pop(name, False) for name in ("normalised", "averaged", "in_order")}
    measure = CumulatedGain(cumulated, **switches)
    fields["curve"] = measure.curve
    if measure.normalised:
        fields["range"] = BOUND
    if "mean" in fields["parameters"]:
        fields |= {"vectors": measure.vectors, "aggregate": measure.aggregate}
        fields["aggregate_curve"] = measure.aggregate_curve
    if measure.averaged:
        fields["parameters"] = {**fields["parameters"], "first": Number(1, 1, whole=True)}
    return measure.compute


_declare = partial(MEASURES.register, adapt=_of_vectors, cutoff=RANK, range="0 to the sum of all gains")


@_declare(
    "xCG",
    parameters={**_BUDGET, **_MEAN},
    caveat=f"{_WEIGHT_CAVEAT}; nxCG avoids this. "
    f"Under the user model levels it is Järvelin and Kekäläinen's CG. {_BUDGET_CAVEAT}",
)
def _xcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute cumulated gain at a rank.

    xCG[i] = xG[1] + … + xG[i]

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 4; Järvelin & Kekäläinen 2002
    [@jarvelin-kekalainen-2002], equation 1 (CG)

    Example: gains 0.9, 0.1, 0, 0.5: xCG@2 = 1.0
    """
    return _plain(topic, cutoff, parameters)


@_declare(
    "nxCG",
    parameters={**_BUDGET, **_MEAN},
    normalised=True,
    caveat="Beyond the last ideal element it does not distinguish early from late results. Under "
    "the user model levels it is Järvelin and Kekäläinen's nCG. "
    f"{_BUDGET_CAVEAT} {_MEAN_CAVEAT}",
)
def _nxcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute normalised cumulated gain at a rank.

    nxCG[i] = xCG[i] / xCI[i], where xCI is the cumulated gain of the ideal ranking

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 5; Järvelin & Kekäläinen 2002
    [@jarvelin-kekalainen-2002], section 2.3 (nCG)

    Example: gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: nxCG@2 = 1.0 / 1.5 = 0.667
    """
    return _plain(topic, cutoff, parameters)


@_declare("MAxCG", parameters=_MEAN, averaged=True, caveat=f"{_WEIGHT_CAVEAT}.")
def _mean_xcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute the mean of xCG up to a rank.

    MAxCG[i] = (xCG[1] + … + xCG[i]) / i; with first=a, the mean over the ranks a to i

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002], section 2.3 (avg-pos of CG)

    Example: gains 3, 2: MAxCG@2 = (3 + 5) / 2 = 4
    """
    return _plain(topic, cutoff, parameters)


@_declare("gr", parameters=_BUDGET, normalised=True, caveat=_BUDGET_CAVEAT)
def _gain_recall(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute gain-recall at a rank.

    gr[i] = xCG[i] / xCI[n], where n is the number of ideal elements

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 14

    Example: gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: gr@1 = 0.9 / 1.5 = 0.6
    """
    run, _ = _plain(topic, cutoff, parameters)
    unit: Any = _unit(parameters)
    ideal = topic.readings(unit, parameters["charge"])[1].gains if unit else topic.checked_ideal
    return run, np.full(len(run), np.sum(ideal))


@_declare(
    "MAnxCG",
    parameters=_MEAN,
    normalised=True,
    averaged=True,
    in_order=True,
    caveat=f"A rank far beyond the last ideal element hides differences between runs. {_MEAN_CAVEAT}",
)
def _mean_nxcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute the mean of nxCG up to a rank.

    MAnxCG[i] = (nxCG[1] + … + nxCG[i]) / i; with first=a, the mean over the ranks a to i

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 6; Järvelin & Kekäläinen 2002
    [@jarvelin-kekalainen-2002], section 2.3 (avg-pos)

    Example: gains 0.5, 1, ideal 1, 0.5: MAnxCG@2 = (0.5 + 1) / 2 = 0.75
    """
    return _plain(topic, cutoff, parameters)


@_declare("xDCG", parameters={**_BASE, **_DISCOUNT}, cutoff=RANK_OR_ALL)
def _xdcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute discounted cumulated gain.

    xDCG[i] = Σ of G[j] for ranks j < base, and of G[j] / log_base(j) from rank base on

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002], equation 2 (DCG); for
    discount=rank section 4 (df = i)

    Example: gains 3, 2, 3: xDCG@3 = 3 + 2 + 3 / 1.585 = 6.89

    Caveat: discount=plus_one divides by log_base(j + 1) at every rank, discount=rank by the rank j
    (then base has no effect); gain=exp replaces G with 2^G - 1. A base near 1 leaves little more than
    the first result, a base above the last rank no discount. Under the user model levels it is
    Järvelin and Kekäläinen's DCG.
    """
    return _discounted(topic, cutoff, parameters)


@_declare(
    "nxDCG",
    parameters={**_BASE, **_DISCOUNT},
    normalised=True,
    cutoff=RANK_OR_ALL,
    caveat="Under the user model levels it is Järvelin and Kekäläinen's nDCG; nDCG is the standard "
    f"measure of trec_eval, which discounts by log2(j + 1). {_MEAN_CAVEAT}",
)
def _nxdcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute normalised discounted cumulated gain.

    nxDCG[i] = xDCG[i] / xDCI[i], where xDCI is xDCG of the ideal ranking

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002], section 2.3 (nDCG); with
    discount=plus_one and gain=exp Scheel, Lommatzsch & Albayrak 2011
    [@scheel-lommatzsch-albayrak-2011], equation 3

    Example: gains 3, 2, 3, ideal 3, 3, 3: nxDCG@3 = 6.89 / 7.89 = 0.873
    """
    return _discounted(topic, cutoff, parameters)


@_declare("MAxDCG", parameters={**_BASE, **_DISCOUNT}, averaged=True, caveat=f"{_WEIGHT_CAVEAT}.")
def _mean_xdcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute the mean of xDCG up to a rank.

    MAxDCG[i] = (xDCG[1] + … + xDCG[i]) / i; with first=a, the mean over the ranks a to i

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002], section 2.3 (avg-pos of DCG)

    Example: gains 3, 2: MAxDCG@2 = (3 + 5) / 2 = 4
    """
    return _discounted(topic, cutoff, parameters)


@_declare(
    "MAnxDCG", parameters={**_BASE, **_DISCOUNT}, normalised=True, averaged=True, caveat=_MEAN_CAVEAT
)
def _mean_nxdcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute the mean of nxDCG up to a rank.

    MAnxDCG[i] = (nxDCG[1] + … + nxDCG[i]) / i; with first=a, the mean over the ranks a to i

    Source: Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002], section 2.3 (avg-pos of nDCG)

    Example: gains 3, 2, ideal 3, 3: MAnxDCG@2 = (1 + 5 / 6) / 2 = 0.917
    """
    return _discounted(topic, cutoff, parameters)


@_declare("NDCNG", parameters=_BASE, normalised=True, cutoff=RANK_OR_ALL)
def _ndcng(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute normalised discounted cumulated normalised gain.

    nxDCG of the gains 2^(G / m) - 1 with the discount 1 / log(i + 1), where m is the highest ideal
    gain; 0 if m is 0

    Source: Scheel, Lommatzsch & Albayrak 2011 [@scheel-lommatzsch-albayrak-2011], equation 5

    Example: gains 0, 1, ideal 1: NDCNG@2 = (1 / log 3) / (1 / log 2) = 0.631

    Caveat: The base of the logarithm cancels out. A topic without ideal elements is left out of the
    mean.
    """
    return _of_normalised_gains(topic, cutoff, parameters)


@_declare("avgNDCNG", parameters=_BASE, normalised=True, averaged=True, aliases=("meanNDCNG",))
def _mean_ndcng(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute the mean of NDCNG up to a rank.

    avgNDCNG[i] = (NDCNG[1] + … + NDCNG[i]) / i; with first=a, the mean over the ranks a to i

    Source: Scheel, Lommatzsch & Albayrak 2011 [@scheel-lommatzsch-albayrak-2011], Table 2 (mean)
    and Figures 4 and 5 (mean NDCNG)

    Example: gains 1, 0, ideal 1: avgNDCNG@2 = 1

    Caveat: The base of the logarithm cancels out.
    """
    return _of_normalised_gains(topic, cutoff, parameters)


@_declare("avgNDCG", parameters=_BASE, normalised=True, averaged=True, aliases=("meanNDCG",))
def _mean_ndcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    """Compute the mean of NDCG with exponential gains up to a rank.

    avgNDCG[i] = (N[1] + … + N[i]) / i, where N is nxDCG(discount=plus_one,gain=exp)

    Source: Scheel, Lommatzsch & Albayrak 2011 [@scheel-lommatzsch-albayrak-2011], equation 3, Table
    2 (mean) and Figures 4 and 5 (mean NDCG)

    Example: gains 1, 2, ideal 2, 1: avgNDCG@2 = (1 / 3 + 2.893 / 3.631) / 2 = 0.565

    Caveat: It is short for MAnxDCG(discount=plus_one,gain=exp). nDCG, also written NDCG, is the
    standard measure, whose gains are linear.
    """
    return _discounted(topic, cutoff, {**parameters, **_EQUATION_3})
