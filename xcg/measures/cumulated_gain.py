"""Cumulated gain and its normalised forms: xCG, nxCG, MAxCG, MAnxCG and gain-recall gr."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xcg.lazy_modules import np, npt
from xcg.measures.definition import RANK, UNITS, Curve, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.text_effort import CHARGE, CHARGE_CAVEAT, gain_at_budgets
from xcg.measures.topic_gains import Gains, RankingGains, check_ideal, cumulate

Vectors: TypeAlias = "tuple[Gains, Gains]"
"""Cumulated gains of a run and of the ideal ranking."""


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


@dataclass(frozen=True)
class VectorMeasure:
    """A measure of the vectors of cumulated gain of a run and of the ideal ranking.

    Attributes:
        vectors: ``(topic, cutoff, parameters, points) →`` both vectors up to the cutoff. Vectors over
            ranks have all ranks, vectors over text a number of points.
        normalised: Whether gains are divided by those of the ideal ranking.
        averaged: Whether the value is the mean over all ranks, instead of the value at the last.
        in_order: Whether a topic's mean adds ranks in order, as :func:`manxcg` does; numpy's mean adds
            them in pairs, and the last digit can differ.
    """

    vectors: Callable[..., Vectors]
    normalised: bool = False
    averaged: bool = False
    in_order: bool = False

    def register(self, name: str, **declaration: Any) -> None:
        """Register the measure; its curve, and its mean over vectors if ``mean`` is a parameter."""
        if "mean" in declaration["parameters"]:
            declaration |= {"aggregate_input": self.vectors_to, "aggregate": self.aggregate}
            declaration |= {"curve_input": self.curve_input, "aggregate_curve": self.aggregate_curve}
        limits = BOUND if self.normalised else "0 to the sum of all gains"
        declaration = {"cutoff": RANK, "curve": self.curve, "range": limits, **declaration}
        MEASURES.register(name, **declaration)(self.compute)

    def compute(self, topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
        """Return the value for one topic."""
        return self._value(self.vectors_to(topic, cutoff, parameters), cutoff, self.in_order)

    def vectors_to(self, topic: RankingGains, cutoff: float, parameters: Parameters) -> Vectors:
        """Return both vectors up to the cutoff, or up to a rank from which they are constant."""
        if MAX_RANKS < cutoff < math.inf and not _unit(parameters):
            cutoff = min(cutoff, max(len(topic.checked_gains), np.size(topic.ideal), MAX_RANKS))
        return self.vectors(topic, cutoff, parameters, 1)

    def aggregate(self, topics: Sequence[Vectors], cutoff: float, parameters: Parameters) -> float:
        """Return the value of the mean vectors over topics (Järvelin and Kekäläinen 2002, 2.3)."""
        return self._value(_mean_vectors(topics), cutoff)

    def curve(self, topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
        """Return the values at all ranks up to a depth, or at amounts of text."""
        points = _budgets(depth, _CURVE_POINTS) if _unit(parameters) else range(1, depth + 1)
        return points, self.aggregate_curve([self.curve_input(topic, depth, parameters)])

    def curve_input(self, topic: RankingGains, depth: int, parameters: Parameters) -> Vectors:
        """Return the vectors of which curves are made."""
        return self.vectors(topic, depth, parameters, _CURVE_POINTS)

    def aggregate_curve(self, topics: Sequence[Vectors]) -> list[float]:
        """Return the values of the curve of the mean vectors over topics."""
        by_rank = self._by_rank(*_mean_vectors(topics))
        values: list[float] = (_means(by_rank) if self.averaged else by_rank).tolist()
        return values

    def _value(self, vectors: Vectors, cutoff: float, in_order: bool = False) -> float:
        if not self.averaged:
            run, ideal = vectors
            return float(self._by_rank(run[-1:], ideal[-1:])[0])
        by_rank = self._by_rank(*vectors)
        mean = _means(by_rank)[-1] if in_order else by_rank.mean()
        beyond = (cutoff - len(by_rank)) / cutoff  # values are constant after the stored ranks
        return float(mean + (by_rank[-1] - mean) * beyond)

    def _by_rank(self, run: Gains, ideal: Gains) -> Gains:
        """Return the cumulated or normalised gain at each rank; 0 if the ideal gain is 0."""
        if not self.normalised:
            return run
        return np.divide(run, ideal, out=np.zeros_like(run), where=ideal > 0)


MAX_RANKS = 100_000
"""The highest rank for which vectors are stored, unless there are more results or ideal gains."""


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


# Declarations

MEAN = {"mean": ("values", "vectors")}
VECTORS_CAVEAT = (
    "mean=vectors first averages the cumulated vectors over topics and then computes the value; by "
    "default the values of the topics are averaged."
)
BOUND = (
    "0 to 1; above 1 only if a run gains more than the ideal ranking, which is possible without "
    "normalisation, with results that contain ideal elements, with ideal elements that overlap, and "
    "with text that shows several gold spans"
)
_BUDGET = {"budget": UNITS, **CHARGE}
_BUDGET_CAVEAT = (
    "budget=tokens (words, characters) takes the value after that amount of text instead of after "
    f"that number of results; {CHARGE_CAVEAT}"
)
_CURVE_POINTS = 100


def _budgets(most: float, number: int) -> list[float]:
    """Return a number of equidistant amounts of text."""
    return [most * point / number for point in range(1, number + 1)]


def _unit(parameters: Parameters) -> str:
    """Return the unit of text of the cutoff; empty if it is a rank."""
    unit = parameters.get("budget", "ranks")
    return "" if unit == "ranks" else unit


def _vectors(topic: RankingGains, cutoff: float, parameters: Parameters, points: int) -> Vectors:
    unit: Any = _unit(parameters)
    if not unit:
        depth = int(cutoff)
        return cumulate(topic.checked_gains, depth), cumulate(topic.checked_ideal, depth)
    run, ideal = topic.readings(unit, parameters["charge"])
    budgets = _budgets(cutoff, points)
    return gain_at_budgets(run, budgets), gain_at_budgets(ideal, budgets)


def _recall_vectors(topic: RankingGains, cutoff: float, parameters: Parameters, points: int) -> Vectors:
    run, _ = _vectors(topic, cutoff, parameters, points)
    unit: Any = _unit(parameters)
    ideal = topic.readings(unit, parameters["charge"])[1].gains if unit else topic.checked_ideal
    return run, np.full(len(run), np.sum(ideal))


VectorMeasure(_vectors).register(
    "xCG",
    title="cumulated gain at a rank",
    formula="xCG[i] = xG[1] + … + xG[i]",
    source="Kazai & Lalmas 2006, equation 4; Järvelin & Kekäläinen 2002, equation 1 (CG)",
    references=("kazai-lalmas-2006", "jarvelin-kekalainen-2002"),
    example="gains 0.9, 0.1, 0, 0.5: xCG@2 = 1.0",
    caveat="Topics with more relevant elements have more weight in the mean; nxCG avoids this. "
    f" Under the user model levels it is Järvelin and Kekäläinen's CG. {_BUDGET_CAVEAT}",
    parameters={**_BUDGET, **MEAN},
)
VectorMeasure(_vectors, normalised=True).register(
    "nxCG",
    title="normalised cumulated gain at a rank",
    formula="nxCG[i] = xCG[i] / xCI[i], where xCI is the cumulated gain of the ideal ranking",
    source="Kazai & Lalmas 2006, equation 5; Järvelin & Kekäläinen 2002, section 2.3 (nCG)",
    references=("kazai-lalmas-2006", "jarvelin-kekalainen-2002"),
    example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: nxCG@2 = 1.0 / 1.5 = 0.667",
    caveat="Beyond the last ideal element it does not distinguish early from late results. Under "
    "the user model levels it is Järvelin and Kekäläinen's nCG. "
    f"{_BUDGET_CAVEAT} {VECTORS_CAVEAT}",
    parameters={**_BUDGET, **MEAN},
)
VectorMeasure(_vectors, averaged=True).register(
    "MAxCG",
    title="mean of xCG up to a rank",
    formula="MAxCG[i] = (xCG[1] + … + xCG[i]) / i",
    source="Järvelin & Kekäläinen 2002, section 2.3 (avg-pos of CG)",
    references=("jarvelin-kekalainen-2002",),
    example="gains 3, 2: MAxCG@2 = (3 + 5) / 2 = 4",
    caveat="Topics with more relevant elements have more weight in the mean.",
    parameters=MEAN,
)
VectorMeasure(_recall_vectors, normalised=True).register(
    "gr",
    title="gain-recall at a rank",
    formula="gr[i] = xCG[i] / xCI[n], where n is the number of ideal elements",
    source="Kazai & Lalmas 2006, equation 14",
    references=("kazai-lalmas-2006",),
    example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: gr@1 = 0.9 / 1.5 = 0.6",
    caveat=_BUDGET_CAVEAT,
    parameters=_BUDGET,
)
VectorMeasure(_vectors, normalised=True, averaged=True, in_order=True).register(
    "MAnxCG",
    title="mean of nxCG up to a rank",
    formula="MAnxCG[i] = (nxCG[1] + … + nxCG[i]) / i",
    source="Kazai & Lalmas 2006, equation 6; Järvelin & Kekäläinen 2002, section 2.3 (avg-pos)",
    references=("kazai-lalmas-2006", "jarvelin-kekalainen-2002"),
    example="gains 0.5, 1, ideal 1, 0.5: MAnxCG@2 = (0.5 + 1) / 2 = 0.75",
    caveat=f"A rank far beyond the last ideal element hides differences between runs. {VECTORS_CAVEAT}",
    parameters=MEAN,
)
