"""Cumulated gain and its normalised forms: xCG, nxCG, MAxCG, MAnxCG and gain-recall gr."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xcg.lazy_modules import np, npt
from xcg.measures.definition import RANK, UNITS, Curve, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.text_effort import CHARGE, CHARGE_CAVEAT, gain_at_budgets
from xcg.measures.topic_gains import Gains, RankingGains, check_ideal, cumulate


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
    normalised = nxcg(gains, ideal, depth)
    return np.cumsum(normalised) / np.arange(1, len(normalised) + 1)


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
        vectors: ``(topic, cutoff, parameters) →`` both vectors up to the cutoff.
        normalised: Whether gains are divided by those of the ideal ranking.
        averaged: Whether the value is the mean over all ranks, instead of the value at the last.
    """

    vectors: Callable[..., tuple[Gains, Gains]]
    normalised: bool = False
    averaged: bool = False

    def register(self, name: str, **declaration: Any) -> None:
        """Register the measure; its curve, and its mean over vectors if ``mean`` is a parameter."""
        if "mean" in declaration["parameters"]:
            declaration.update(self.mean_of_vectors())
        MEASURES.register(name, **{"curve": self.curve, **declaration})(self.compute)

    def mean_of_vectors(self) -> dict[str, Callable[..., Any]]:
        """Return the fields of a :class:`Definition` for means over topics by ``mean=vectors``."""
        return {
            "aggregate_input": self._vectors_to,
            "aggregate": self.aggregate,
            "curve_input": self._curve_vectors,
            "aggregate_curve": self.aggregate_curve,
        }

    def compute(self, topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
        """Return the value for one topic."""
        stored = MAX_RANKS if self.averaged else 1  # values at one rank are constant after the results
        return self._value(*self._vectors_to(topic, cutoff, parameters, stored), cutoff)

    def aggregate(
        self, topics: Sequence[tuple[Gains, Gains]], cutoff: float, parameters: Parameters
    ) -> float:
        """Return the value of the mean vectors over topics (Järvelin and Kekäläinen 2002, 2.3)."""
        return self._value(*_mean_vectors(topics), cutoff)

    def curve(self, topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
        """Return the values at all ranks up to a depth, or at amounts of text."""
        by_rank = parameters.get("budget", "ranks") == "ranks"
        points = range(1, depth + 1) if by_rank else _budgets(depth, _CURVE_POINTS)
        return points, self._curve_values(*self._curve_vectors(topic, depth, parameters))

    def aggregate_curve(self, topics: Sequence[tuple[Gains, Gains]]) -> list[float]:
        """Return the values of the curve of the mean vectors over topics."""
        return self._curve_values(*_mean_vectors(topics))

    def _vectors_to(
        self, topic: RankingGains, cutoff: float, parameters: Parameters, stored: int | None = None
    ) -> tuple[Gains, Gains]:
        """Return both vectors up to the cutoff, or up to a rank from which they are constant."""
        if parameters.get("budget", "ranks") == "ranks":
            cutoff = _stored_ranks(topic, cutoff, MAX_RANKS if stored is None else stored)
        return self.vectors(topic, cutoff, parameters)

    def _curve_vectors(
        self, topic: RankingGains, depth: int, parameters: Parameters
    ) -> tuple[Gains, Gains]:
        if parameters.get("budget", "ranks") == "ranks":
            return self.vectors(topic, depth, parameters)
        return self.vectors(topic, depth, parameters, _CURVE_POINTS)

    def _curve_values(self, run: Gains, ideal: Gains) -> list[float]:
        values = self._by_rank(run, ideal)
        if self.averaged:
            values = np.cumsum(values) / np.arange(1, len(values) + 1)
        as_list: list[float] = values.tolist()
        return as_list

    def _value(self, run: Gains, ideal: Gains, cutoff: float) -> float:
        if not self.averaged:
            return float(self._by_rank(run[-1:], ideal[-1:])[0])
        by_rank = self._by_rank(run, ideal)
        return _mean_up_to(cutoff, by_rank.mean(), len(by_rank), float(by_rank[-1]))

    def _by_rank(self, run: Gains, ideal: Gains) -> Gains:
        """Return the cumulated or normalised gain at each rank; 0 if the ideal gain is 0."""
        if not self.normalised:
            return run
        return np.divide(run, ideal, out=np.zeros_like(run), where=ideal > 0)


MAX_RANKS = 100_000
"""The highest rank for which vectors are stored, unless there are more results or ideal gains."""


def _stored_ranks(topic: RankingGains, cutoff: float, stored: int) -> float:
    """Return the cutoff, or a lower rank of at least ``stored`` after which all gains are 0."""
    if cutoff <= stored or math.isinf(cutoff):  # without a cutoff, vectors end with the results
        return cutoff
    return min(cutoff, max(len(topic.checked_gains), np.size(topic.ideal), stored))


def _mean_up_to(cutoff: float, mean: float, stored: int, last: float) -> float:
    """Return the mean, up to a cutoff, of values that are constant after the stored ranks."""
    return float(mean + (last - mean) * ((cutoff - stored) / cutoff))


def _mean_vectors(topics: Sequence[tuple[Gains, Gains]]) -> tuple[Gains, Gains]:
    """Return the means over topics of the vectors of the run and of the ideal ranking."""
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


def _vectors_and_total(
    topic: RankingGains, cutoff: float, parameters: Parameters, points: int = 1
) -> tuple[Gains, Gains, float]:
    """Return the cumulated gains of run and ideal, and the total gain of the ideal.

    Vectors over ranks have all ranks up to the cutoff, vectors over text a number of points.
    """
    unit = parameters.get("budget", "ranks")
    if unit == "ranks":
        depth, ideal_gains = int(cutoff), topic.checked_ideal
        return cumulate(topic.checked_gains, depth), cumulate(ideal_gains, depth), ideal_gains.total
    run, ideal = topic.readings(unit, parameters["charge"])
    budgets = _budgets(cutoff, points)
    total = float(np.sum(ideal.gains))
    return gain_at_budgets(run, budgets), gain_at_budgets(ideal, budgets), total


def _vectors(*arguments: Any) -> tuple[Gains, Gains]:
    run, ideal, _ = _vectors_and_total(*arguments)
    return run, ideal


def _recall_vectors(*arguments: Any) -> tuple[Gains, Gains]:
    run, _, total = _vectors_and_total(*arguments)
    return run, np.full(len(run), total)


VectorMeasure(_vectors).register(
    "xCG",
    title="cumulated gain at a rank",
    formula="xCG[i] = xG[1] + … + xG[i]",
    range="0 to the sum of all gains",
    source="Kazai & Lalmas 2006, equation 4; Järvelin & Kekäläinen 2002, equation 1 (CG)",
    references=("kazai-lalmas-2006", "jarvelin-kekalainen-2002"),
    example="gains 0.9, 0.1, 0, 0.5: xCG@2 = 1.0",
    caveat="Topics with more relevant elements have more weight in the mean; nxCG avoids this. "
    f" Under the user model levels it is Järvelin and Kekäläinen's CG. {_BUDGET_CAVEAT}",
    cutoff=RANK,
    parameters={**_BUDGET, **MEAN},
)
VectorMeasure(_vectors, normalised=True).register(
    "nxCG",
    title="normalised cumulated gain at a rank",
    formula="nxCG[i] = xCG[i] / xCI[i], where xCI is the cumulated gain of the ideal ranking",
    range=BOUND,
    source="Kazai & Lalmas 2006, equation 5; Järvelin & Kekäläinen 2002, section 2.3 (nCG)",
    references=("kazai-lalmas-2006", "jarvelin-kekalainen-2002"),
    example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: nxCG@2 = 1.0 / 1.5 = 0.667",
    caveat="Beyond the last ideal element it does not distinguish early from late results. Under "
    "the user model levels it is Järvelin and Kekäläinen's nCG. "
    f"{_BUDGET_CAVEAT} {VECTORS_CAVEAT}",
    cutoff=RANK,
    parameters={**_BUDGET, **MEAN},
)
VectorMeasure(_vectors, averaged=True).register(
    "MAxCG",
    title="mean of xCG up to a rank",
    formula="MAxCG[i] = (xCG[1] + … + xCG[i]) / i",
    range="0 to the sum of all gains",
    source="Järvelin & Kekäläinen 2002, section 2.3 (avg-pos of CG)",
    references=("jarvelin-kekalainen-2002",),
    example="gains 3, 2: MAxCG@2 = (3 + 5) / 2 = 4",
    caveat="Topics with more relevant elements have more weight in the mean.",
    cutoff=RANK,
    parameters=MEAN,
)
VectorMeasure(_recall_vectors, normalised=True).register(
    "gr",
    title="gain-recall at a rank",
    formula="gr[i] = xCG[i] / xCI[n], where n is the number of ideal elements",
    range=BOUND,
    source="Kazai & Lalmas 2006, equation 14",
    references=("kazai-lalmas-2006",),
    example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: gr@1 = 0.9 / 1.5 = 0.6",
    caveat=_BUDGET_CAVEAT,
    cutoff=RANK,
    parameters=_BUDGET,
)


def _manxcg_curve(topic: RankingGains, depth: int, parameters: Parameters) -> Curve:
    return range(1, depth + 1), manxcg(topic.checked_gains, topic.checked_ideal, depth).tolist()


@MEASURES.register(
    "MAnxCG",
    title="mean of nxCG up to a rank",
    formula="MAnxCG[i] = (nxCG[1] + … + nxCG[i]) / i",
    range=BOUND,
    source="Kazai & Lalmas 2006, equation 6; Järvelin & Kekäläinen 2002, section 2.3 (avg-pos)",
    references=("kazai-lalmas-2006", "jarvelin-kekalainen-2002"),
    example="gains 0.5, 1, ideal 1, 0.5: MAnxCG@2 = (0.5 + 1) / 2 = 0.75",
    caveat=f"A rank far beyond the last ideal element hides differences between runs. {VECTORS_CAVEAT}",
    cutoff=RANK,
    parameters=MEAN,
    curve=_manxcg_curve,
    **VectorMeasure(_vectors, normalised=True, averaged=True).mean_of_vectors(),
)
def _manxcg(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    depth = int(_stored_ranks(topic, cutoff, MAX_RANKS))
    gains = topic.checked_gains
    last = float(nxcg(gains, topic.checked_ideal, depth)[-1]) if depth < cutoff else 0.0
    return _mean_up_to(cutoff, manxcg(gains, topic.checked_ideal, depth)[-1], depth, last)
