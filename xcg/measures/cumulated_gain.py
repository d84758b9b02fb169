"""Cumulated gain and its normalised forms: xCG, nxCG, MAxCG, MAnxCG and gain-recall gr."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xcg.documents.text_units import TextUnit
from xcg.lazy_modules import np, npt
from xcg.measures.definition import RANK, UNITS, Curve, Definition, Parameters
from xcg.measures.gain_vectors import Gains, check_ideal, cumulate
from xcg.measures.parser import MEASURES
from xcg.measures.text_effort import gain_at_budgets, gain_recall_at_budgets
from xcg.measures.topic_gains import TopicGains


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
    return cumulate(gains, depth) / float(np.sum(check_ideal(ideal)))


@dataclass(frozen=True)
class Form:
    """How a value is computed from the cumulated gains of a run and of the ideal ranking.

    Attributes:
        normalised: Whether gains are divided by those of the ideal ranking.
        averaged: Whether the value is the mean over all ranks, instead of the value at the last.
    """

    normalised: bool
    averaged: bool

    def by_rank(self, run: Gains, ideal: Gains) -> Gains:
        """Return the cumulated or normalised gain at each rank; 0 if the ideal gain is 0."""
        if not self.normalised:
            return run
        return np.divide(run, ideal, out=np.zeros_like(run), where=ideal > 0)

    def value(self, run: Gains, ideal: Gains) -> float:
        """Return the value of two vectors of cumulated gain."""
        by_rank = self.by_rank(run, ideal)
        return float(by_rank.mean() if self.averaged else by_rank[-1])

    def value_of_mean_vectors(
        self, topics: Sequence[tuple[Gains, Gains]], cutoff: float, parameters: Parameters
    ) -> float:
        """Return the value of the mean vectors over topics (Järvelin and Kekäläinen 2002, 2.3)."""
        depth = max(len(run) for run, _ in topics)
        run, ideal = (
            np.mean([np.pad(vectors[i], (0, depth - len(vectors[i])), "edge") for vectors in topics], 0)
            for i in (0, 1)
        )
        return self.value(run, ideal)


# Declarations

MEAN = {"mean": ("values", "vectors")}
VECTORS_CAVEAT = (
    "mean=vectors first averages the cumulated vectors over topics and then computes the value; by "
    "default the values of the topics are averaged."
)
BOUND = (
    "0 to 1; above 1 only if a run gains more than the ideal ranking, which is possible without "
    "normalisation, with alpha below 1, or with several results above one ideal element"
)
_BUDGET = {"budget": UNITS}
_BUDGET_CAVEAT = (
    "budget=tokens (words, characters) takes the value after that amount of text instead of after "
    "that number of results."
)
_CURVE_POINTS = 100


def _vectors(topic: TopicGains, cutoff: float, parameters: Parameters) -> tuple[Gains, Gains]:
    """Return the cumulated gains of run and ideal at all ranks, or after an amount of text."""
    unit = parameters.get("budget", "ranks")
    if unit != "ranks":
        return _vectors_in_text(topic, unit, [cutoff])
    depth = int(cutoff)
    return cumulate(topic.gains, depth), cumulate(check_ideal(topic.ideal), depth)


def _vectors_in_text(topic: TopicGains, unit: TextUnit, budgets: list[float]) -> tuple[Gains, Gains]:
    run, ideal = topic.required_details(f"a budget in {unit}").readings(unit)
    return gain_at_budgets(run, budgets), gain_at_budgets(ideal, budgets)


def _compute(form: Form) -> Callable[[TopicGains, float, Parameters], float]:
    return lambda topic, cutoff, parameters: form.value(*_vectors(topic, cutoff, parameters))


def _curve(form: Form) -> Callable[[TopicGains, int, Parameters], Curve]:
    def curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
        unit = parameters["budget"]
        if unit == "ranks":
            return range(1, depth + 1), form.by_rank(*_vectors(topic, depth, parameters)).tolist()
        budgets = text_budgets(depth)
        return budgets, form.by_rank(*_vectors_in_text(topic, unit, budgets)).tolist()

    return curve


def text_budgets(most: int) -> list[float]:
    """Return the amounts of text at which a curve is drawn."""
    return [most * point / _CURVE_POINTS for point in range(1, _CURVE_POINTS + 1)]


def _manxcg_value(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return float(manxcg(topic.gains, topic.ideal, int(cutoff))[-1])


def _manxcg_curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
    return range(1, depth + 1), manxcg(topic.gains, topic.ideal, depth).tolist()


def _gr(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    unit = parameters["budget"]
    if unit == "ranks":
        return float(gain_recall(topic.gains, topic.ideal, int(cutoff))[-1])
    readings = topic.required_details(f"a budget in {unit}").readings(unit)
    return float(gain_recall_at_budgets(*readings, [cutoff])[0])


def _gr_curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
    unit = parameters["budget"]
    if unit == "ranks":
        return range(1, depth + 1), gain_recall(topic.gains, topic.ideal, depth).tolist()
    readings = topic.required_details(f"a budget in {unit}").readings(unit)
    budgets = text_budgets(depth)
    return budgets, gain_recall_at_budgets(*readings, budgets).tolist()


_XCG, _NXCG = Form(normalised=False, averaged=False), Form(normalised=True, averaged=False)
_MAXCG, _MANXCG = Form(normalised=False, averaged=True), Form(normalised=True, averaged=True)

MEASURES.register(
    Definition(
        name="xCG",
        title="cumulated gain at a rank",
        formula="xCG[i] = xG[1] + … + xG[i]",
        range="0 to the sum of all gains",
        source="Kazai & Lalmas 2006, equation 4; Järvelin & Kekäläinen 2002, equation 1 (CG)",
        example="gains 0.9, 0.1, 0, 0.5: xCG@2 = 1.0",
        caveat="Topics with more relevant elements have more weight in the mean; nxCG avoids this. "
        f" Under the user model levels it is Järvelin and Kekäläinen's CG. {_BUDGET_CAVEAT}",
        cutoff=RANK,
        parameters={**_BUDGET, **MEAN},
        compute=_compute(_XCG),
        curve=_curve(_XCG),
        aggregate_input=_vectors,
        aggregate=_XCG.value_of_mean_vectors,
    )
)
MEASURES.register(
    Definition(
        name="nxCG",
        title="normalised cumulated gain at a rank",
        formula="nxCG[i] = xCG[i] / xCI[i], where xCI is the cumulated gain of the ideal ranking",
        range=BOUND,
        source="Kazai & Lalmas 2006, equation 5; Järvelin & Kekäläinen 2002, section 2.3 (nCG)",
        example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: nxCG@2 = 1.0 / 1.5 = 0.667",
        caveat="Beyond the last ideal element it does not distinguish early from late results. Under "
        "the user model levels it is Järvelin and Kekäläinen's nCG. "
        f"{_BUDGET_CAVEAT} {VECTORS_CAVEAT}",
        cutoff=RANK,
        parameters={**_BUDGET, **MEAN},
        compute=_compute(_NXCG),
        curve=_curve(_NXCG),
        aggregate_input=_vectors,
        aggregate=_NXCG.value_of_mean_vectors,
    )
)
MEASURES.register(
    Definition(
        name="MAxCG",
        title="mean of xCG up to a rank",
        formula="MAxCG[i] = (xCG[1] + … + xCG[i]) / i",
        range="0 to the sum of all gains",
        source="Järvelin & Kekäläinen 2002, section 2.3 (avg-pos of CG)",
        example="gains 3, 2: MAxCG@2 = (3 + 5) / 2 = 4",
        caveat="Topics with more relevant elements have more weight in the mean.",
        cutoff=RANK,
        parameters=MEAN,
        compute=_compute(_MAXCG),
        aggregate_input=_vectors,
        aggregate=_MAXCG.value_of_mean_vectors,
    )
)
MEASURES.register(
    Definition(
        name="MAnxCG",
        title="mean of nxCG up to a rank",
        formula="MAnxCG[i] = (nxCG[1] + … + nxCG[i]) / i",
        range=BOUND,
        source="Kazai & Lalmas 2006, equation 6; Järvelin & Kekäläinen 2002, section 2.3 (avg-pos)",
        example="gains 0.5, 1, ideal 1, 0.5: MAnxCG@2 = (0.5 + 1) / 2 = 0.75",
        caveat="A rank far beyond the last ideal element hides differences between runs. "
        f"{VECTORS_CAVEAT}",
        cutoff=RANK,
        parameters=MEAN,
        compute=_manxcg_value,
        curve=_manxcg_curve,
        aggregate_input=_vectors,
        aggregate=_MANXCG.value_of_mean_vectors,
    )
)
MEASURES.register(
    Definition(
        name="gr",
        title="gain-recall at a rank",
        formula="gr[i] = xCG[i] / xCI[n], where n is the number of ideal elements",
        range=BOUND,
        source="Kazai & Lalmas 2006, equation 14",
        example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: gr@1 = 0.9 / 1.5 = 0.6",
        caveat=_BUDGET_CAVEAT,
        cutoff=RANK,
        parameters=_BUDGET,
        compute=_gr,
        curve=_gr_curve,
    )
)
