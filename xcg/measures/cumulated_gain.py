"""Cumulated gain, discounted or not, normalised or not, at a rank or as the mean up to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.definition import BOUND, RANK, RANK_OR_ALL, UNITS, Curve, Number, Parameters
from xcg.measures.effort import CHARGE, CHARGE_CAVEAT
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import Gains, RankingGains, check_gains, check_ideal, cumulate

Vectors: TypeAlias = "tuple[Gains, Gains]"
"""Cumulated gains of a run and of the ideal ranking."""

MAX_RANKS = 100_000
"""The highest rank for which vectors are stored, unless there are more results or ideal gains."""

_POINTS = 100
"""The number of amounts of text for which vectors over text are stored."""


def nxcg(gains: npt.ArrayLike, ideal: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Compute normalised cumulated gain at ranks 1 to ``depth``.

    nxCG[i] = xCG[i] / xCI[i], where xCG and xCI are the cumulated gains of the ranking and of the ideal
    ranking (Kazai and Lalmas 2006, equation 5).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        depth: Last rank; the number of results by default. Beyond the last result, sums stay constant.

    Returns:
        Array of shape (depth,). Values are at least 0, and at most 1 if the ranking cannot gain more
        than the ideal.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> nxcg([0.5, 1.0], [1.0, 0.5]).tolist()
    [0.5, 1.0]
    """
    sums = cumulate(gains, depth)
    return sums / cumulate(check_ideal(ideal), len(sums))


def manxcg(gains: npt.ArrayLike, ideal: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Compute the mean of normalised cumulated gain up to each of the ranks 1 to ``depth``.

    MAnxCG[i] = (nxCG[1] + … + nxCG[i]) / i (Kazai and Lalmas 2006, equation 6).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        depth: Last rank; the number of results by default.

    Returns:
        Array of shape (depth,), with the range of :func:`nxcg`.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> manxcg([0.5, 1.0], [1.0, 0.5]).tolist()
    [0.5, 0.75]
    """
    return _means(nxcg(gains, ideal, depth))


def gain_recall(gains: npt.ArrayLike, ideal: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Compute gain-recall at ranks 1 to ``depth``.

    gr[i] = xCG[i] / xCI[n], where n is the number of ideal elements (Kazai and Lalmas 2006,
    equation 14).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        depth: Last rank; the number of results by default.

    Returns:
        Array of shape (depth,), with the range of :func:`nxcg`.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> gain_recall([0.9, 0.1, 0, 0.5], [1, 0.5]).round(4).tolist()
    [0.6, 0.6667, 0.6667, 1.0]
    """
    return cumulate(gains, depth) / check_ideal(ideal).total


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
        in_order: Whether a topic's mean adds ranks in order, as :func:`manxcg` does; numpy's mean adds
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
        values: list[float] = (_means(by_rank) if self.averaged else by_rank).tolist()
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
        mean = _means(by_rank)[-1] if in_order else by_rank.mean()
        beyond = (count - len(by_rank)) / count  # values are constant after the stored ranks
        return float(mean + (by_rank[-1] - mean) * beyond)

    def _by_rank(self, run: Gains, ideal: Gains) -> Gains:
        """Return the cumulated or normalised gain at each rank; 0 if the ideal gain is 0."""
        if not self.normalised:
            return run
        return np.divide(run, ideal, out=np.zeros_like(run), where=ideal > 0)


def _means(values: Gains) -> Gains:
    """Return the mean up to each rank."""
    return np.cumsum(values) / np.arange(1, len(values) + 1)


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


def _over_total(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    run, _ = _plain(topic, cutoff, parameters)
    unit: Any = _unit(parameters)
    ideal = topic.readings(unit, parameters["charge"])[1].gains if unit else topic.checked_ideal
    return run, np.full(len(run), np.sum(ideal))


def _discounted(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    return _sums(topic.checked_gains.values, topic.checked_ideal.values, cutoff, parameters)


def _exponential(topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
    return _discounted(topic, cutoff, {**parameters, **_EQUATION_3})


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
_KL = "Kazai & Lalmas 2006 [@kazai-lalmas-2006]"
_JK = "Järvelin & Kekäläinen 2002 [@jarvelin-kekalainen-2002]"
_SL = "Scheel, Lommatzsch & Albayrak 2011 [@scheel-lommatzsch-albayrak-2011]"


def _declare(measure: CumulatedGain, name: str, **fields: Any) -> None:
    """Register a measure, with the vectors of the mean over topics if ``mean`` is a parameter."""
    if measure.averaged:
        plain = name.removeprefix("MA").removeprefix("avg")
        mean = f"({plain}[1] + … + {plain}[i]) / i; with first=a, the mean over the ranks a to i"
        fields = {"title": f"mean of {plain} up to a rank", "formula": f"{name}[i] = {mean}", **fields}
        fields["parameters"] = {**fields["parameters"], "first": Number(1, 1, whole=True)}
    if "mean" in fields["parameters"]:
        fields["vectors"], fields["aggregate"] = measure.vectors, measure.aggregate
        fields["aggregate_curve"] = measure.aggregate_curve
    limits = BOUND if measure.normalised else "0 to the sum of all gains"
    fields = {"cutoff": RANK, "curve": measure.curve, "range": limits, **fields}
    MEASURES.register(name, **fields)(measure.compute)


_declare(
    CumulatedGain(_plain),
    "xCG",
    title="cumulated gain at a rank",
    formula="xCG[i] = xG[1] + … + xG[i]",
    source=f"{_KL}, equation 4; {_JK}, equation 1 (CG)",
    example="gains 0.9, 0.1, 0, 0.5: xCG@2 = 1.0",
    caveat=f"{_WEIGHT_CAVEAT}; nxCG avoids this. "
    f" Under the user model levels it is Järvelin and Kekäläinen's CG. {_BUDGET_CAVEAT}",
    parameters={**_BUDGET, **_MEAN},
)
_declare(
    CumulatedGain(_plain, normalised=True),
    "nxCG",
    title="normalised cumulated gain at a rank",
    formula="nxCG[i] = xCG[i] / xCI[i], where xCI is the cumulated gain of the ideal ranking",
    source=f"{_KL}, equation 5; {_JK}, section 2.3 (nCG)",
    example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: nxCG@2 = 1.0 / 1.5 = 0.667",
    caveat="Beyond the last ideal element it does not distinguish early from late results. Under "
    "the user model levels it is Järvelin and Kekäläinen's nCG. "
    f"{_BUDGET_CAVEAT} {_MEAN_CAVEAT}",
    parameters={**_BUDGET, **_MEAN},
)
_declare(
    CumulatedGain(_plain, averaged=True),
    "MAxCG",
    source=f"{_JK}, section 2.3 (avg-pos of CG)",
    example="gains 3, 2: MAxCG@2 = (3 + 5) / 2 = 4",
    caveat=f"{_WEIGHT_CAVEAT}.",
    parameters=_MEAN,
)
_declare(
    CumulatedGain(_over_total, normalised=True),
    "gr",
    title="gain-recall at a rank",
    formula="gr[i] = xCG[i] / xCI[n], where n is the number of ideal elements",
    source=f"{_KL}, equation 14",
    example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: gr@1 = 0.9 / 1.5 = 0.6",
    caveat=_BUDGET_CAVEAT,
    parameters=_BUDGET,
)
_declare(
    CumulatedGain(_plain, normalised=True, averaged=True, in_order=True),
    "MAnxCG",
    source=f"{_KL}, equation 6; {_JK}, section 2.3 (avg-pos)",
    example="gains 0.5, 1, ideal 1, 0.5: MAnxCG@2 = (0.5 + 1) / 2 = 0.75",
    caveat=f"A rank far beyond the last ideal element hides differences between runs. {_MEAN_CAVEAT}",
    parameters=_MEAN,
)
_dcg = partial(_declare, parameters={**_BASE, **_DISCOUNT})
_dcg(
    CumulatedGain(_discounted),
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
_dcg(
    CumulatedGain(_discounted, normalised=True),
    "nxDCG",
    title="normalised discounted cumulated gain",
    formula="nxDCG[i] = xDCG[i] / xDCI[i], where xDCI is xDCG of the ideal ranking",
    source=f"{_JK}, section 2.3 (nDCG); with discount=plus_one and gain=exp {_SL}, equation 3",
    example="gains 3, 2, 3, ideal 3, 3, 3: nxDCG@3 = 6.89 / 7.89 = 0.873",
    caveat="Under the user model levels it is Järvelin and Kekäläinen's nDCG; nDCG is the standard "
    f"measure of trec_eval, which discounts by log2(j + 1). {_MEAN_CAVEAT}",
    cutoff=RANK_OR_ALL,
)
_dcg(
    CumulatedGain(_discounted, averaged=True),
    "MAxDCG",
    source=f"{_JK}, section 2.3 (avg-pos of DCG)",
    example="gains 3, 2: MAxDCG@2 = (3 + 5) / 2 = 4",
    caveat=f"{_WEIGHT_CAVEAT}.",
)
_dcg(
    CumulatedGain(_discounted, normalised=True, averaged=True),
    "MAnxDCG",
    source=f"{_JK}, section 2.3 (avg-pos of nDCG)",
    example="gains 3, 2, ideal 3, 3: MAnxDCG@2 = (1 + 5 / 6) / 2 = 0.917",
    caveat=_MEAN_CAVEAT,
)
_ndcng = partial(_declare, parameters=_BASE)
_ndcng(
    CumulatedGain(_of_normalised_gains, normalised=True),
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
_ndcng(
    CumulatedGain(_of_normalised_gains, normalised=True, averaged=True),
    "avgNDCNG",
    source=f"{_SL}, Table 2 (mean) and Figures 4 and 5 (mean NDCNG)",
    example="gains 1, 0, ideal 1: avgNDCNG@2 = 1",
    caveat="The base of the logarithm cancels out.",
    aliases=("meanNDCNG",),
)
_ndcng(
    CumulatedGain(_exponential, normalised=True, averaged=True),
    "avgNDCG",
    title="mean of NDCG with exponential gains up to a rank",
    formula="avgNDCG[i] = (N[1] + … + N[i]) / i, where N is nxDCG(discount=plus_one,gain=exp)",
    source=f"{_SL}, equation 3, Table 2 (mean) and Figures 4 and 5 (mean NDCG)",
    example="gains 1, 2, ideal 2, 1: avgNDCG@2 = (1 / 3 + 2.893 / 3.631) / 2 = 0.565",
    caveat="It is short for MAnxDCG(discount=plus_one,gain=exp). nDCG, also written NDCG, is the "
    "standard measure, whose gains are linear.",
    aliases=("meanNDCG",),
)
