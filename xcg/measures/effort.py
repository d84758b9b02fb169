"""Effort-precision over gain-recall: ep, MAep and iMAep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xcg.lazy_modules import np, npt
from xcg.measures.cumulated_gain import BOUND
from xcg.measures.definition import RECALL, UNITS, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.text_effort import (
    CHARGE,
    CHARGE_CAVEAT,
    effort_precisions_in_text,
    effort_ratios,
    efforts,
    mean_effort_precision_in_text,
)
from xcg.measures.topic_gains import (
    RECALL_POINTS,
    Gains,
    GainVector,
    RankingGains,
    Reading,
    check_gains,
    check_ideal,
)
from xcg.user_model.effort import Interpolation, Unretrieved


def effort_precision(
    gains: npt.ArrayLike, ideal: npt.ArrayLike, recall: float, interpolation: Interpolation = "segment"
) -> float:
    """Compute effort-precision at a gain-recall point.

    ep[r] = i_ideal(g) / i_run(g), where g = r · xCI[n] and i(g) is the rank at which a cumulated gain
    curve C reaches g (Kazai and Lalmas 2006, equation 13). With k the first rank at which C[k] ≥ g,
    i(g) = (k - 1) + g / C[k] for ``segment``, which reproduces the paper's Table II, and
    i(g) = (k - 1) + (g - C[k-1]) / (C[k] - C[k-1]) for ``linear``, which follows its text.

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        recall: The gain-recall point r, above 0 and at most 1.
        interpolation: How ranks are interpolated.

    Returns:
        The value, from 0, and at most 1 if the ranking cannot gain more than the ideal; 0 if it never
        reaches g.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> round(effort_precision([0.5, 1.0], [1.0, 0.5], 0.4), 4)
    0.4286
    """
    if not 0 < recall <= 1:
        raise ValueError(f"recall point {recall}: expected one above 0 and at most 1")
    return _effort_precisions(gains, ideal, [recall], interpolation)[0]


def interpolated_mean_effort_precision(
    gains: npt.ArrayLike, ideal: npt.ArrayLike, interpolation: Interpolation = "segment"
) -> float:
    """Compute iMAep, the mean of effort-precision at the gain-recall points 0.1, 0.2, …, 1.0.

    Kazai and Lalmas 2006, section 5.4.

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        interpolation: How ranks are interpolated, see :func:`effort_precision`.

    Returns:
        The value, with the range of :func:`effort_precision`.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> round(interpolated_mean_effort_precision([0.5, 1.0], [1.0, 0.5]), 4)
    0.6991
    """
    values = _effort_precisions(gains, ideal, RECALL_POINTS, interpolation)
    return sum(values) / len(values)


def mean_effort_precision(
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    not_retrieved: int = 0,
    interpolation: Interpolation = "segment",
    unretrieved: Unretrieved = "uncredited",
) -> float:
    """Compute MAep, the mean average effort-precision.

    MAep = Σ i_ideal(xCG[i]) / i over the ranks i with gain, divided by N. i_ideal(g) is found as for
    :func:`effort_precision`, for at most the ideal's total gain (Kazai and Lalmas 2006, section 5.4).
    An ideal element is retrieved if a result with a gain is this element or, with a normalisation,
    lies inside it.

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        not_retrieved: Number of ideal elements that the ranking does not retrieve.
        interpolation: How ranks are interpolated, see :func:`effort_precision`.
        unretrieved: With ``uncredited``, N is the number of ranks with gain plus ``not_retrieved``;
            with ``max``, it is the larger of the number of ranks with gain and of ideal gains above 0.

    Returns:
        The value, with the range of :func:`effort_precision`.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> mean_effort_precision([0.5, 1.0], [1.0, 0.5])
    0.75
    """
    best, run = check_ideal(ideal), check_gains(gains)
    total: float = sum((ideal_ranks(run, best, interpolation) / (run.hits + 1)).tolist())
    return total / divisor(run, best, not_retrieved, unretrieved)


def ideal_ranks(run: GainVector, ideal: GainVector, interpolation: Interpolation) -> Gains:
    """Return for each rank with gain the rank at which the ideal ranking has gained as much."""
    levels = np.minimum(run.sums[run.hits], ideal.sums[-1])
    return efforts(ideal.curve, levels, ideal.sums[-1], interpolation)


def mean_effort_precision_over_gain(
    gains: npt.ArrayLike, ideal: npt.ArrayLike, interpolation: Interpolation = "segment"
) -> float:
    """Compute the mean of effort-precision over all gain-recall levels: ∫ ep[r] dr from 0 to 1.

    The integral is exact. Levels that the run does not reach count 0. This is ``MAep(average=gain)``.

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        interpolation: How ranks are interpolated, see :func:`effort_precision`.

    Returns:
        The value, with the range of :func:`effort_precision`.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> round(mean_effort_precision_over_gain([0.75], [1.0] * 10), 5)
    0.05625
    """
    best, run = check_ideal(ideal), check_gains(gains)
    read, read_ideally = (Reading(np.ones(len(curve)), curve.values) for curve in (run, best))
    return mean_effort_precision_in_text(read, read_ideally, interpolation)


def divisor(run: GainVector, ideal: GainVector, not_retrieved: int, unretrieved: Unretrieved) -> int:
    """Return N, the divisor of MAep and Q; see :func:`mean_effort_precision`."""
    if unretrieved == "max":
        return max(len(run.hits), len(ideal.hits))
    return len(run.hits) + not_retrieved


def _effort_precisions(
    gains: npt.ArrayLike, ideal: npt.ArrayLike, recall: Sequence[float], interpolation: Interpolation
) -> list[float]:
    """Return effort-precision at each gain-recall point."""
    run, best = check_gains(gains), check_ideal(ideal)
    levels = np.array(recall) * best.sums[-1]
    return effort_ratios(run.curve, best.curve, levels, best.sums[-1], interpolation)


# Declarations

_CURVE_RECALL = tuple(point / 100 for point in range(1, 101))
_INTERPOLATION = {"interpolation": ("segment", "linear")}
UNRETRIEVED = {"unretrieved": ("uncredited", "max")}
_EFFORT = {"effort": UNITS, **CHARGE}
_TEXT_CAVEAT = (
    "effort=tokens (words, characters) counts the text read instead of the results visited; "
    f"{CHARGE_CAVEAT}"
)

_register = partial(MEASURES.register, range=BOUND, references=("kazai-lalmas-2006",))


def _readings(topic: RankingGains, parameters: Parameters) -> tuple[Reading, Reading]:
    return topic.readings(parameters["effort"], parameters["charge"])


def _precisions(topic: RankingGains, recall: Sequence[float], parameters: Parameters) -> list[float]:
    """Return effort-precision at gain-recall points."""
    if parameters["effort"] != "ranks":
        return effort_precisions_in_text(*_readings(topic, parameters), recall)
    run, best = topic.checked_gains, topic.checked_ideal
    return _effort_precisions(run, best, recall, parameters["interpolation"])


@_register(
    "ep",
    title="effort-precision at a gain-recall point",
    formula="ep[r] = i_ideal(g) / i_run(g), the ranks at which the ideal ranking and the run "
    "reach the gain g = r·xCI[n]; 0 if the run never does",
    source="Kazai & Lalmas 2006, equation 13",
    example="gains 0.5, 1, ideal 1, 0.5: ep@0.4 = 0.6 / 1.4 = 0.43",
    caveat="interpolation=segment reproduces the paper's Table II, linear follows its text. "
    f"{_TEXT_CAVEAT}",
    cutoff=RECALL,
    parameters={**_INTERPOLATION, **_EFFORT},
    curve=lambda topic, _, parameters: (_CURVE_RECALL, _precisions(topic, _CURVE_RECALL, parameters)),
    curve_over="gain-recall",
)
def _ep(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return _precisions(topic, [cutoff], parameters)[0]


@_register(
    "iMAep",
    title="interpolated mean average effort-precision",
    formula="iMAep = mean of ep at the gain-recall points 0.1, 0.2, …, 1.0",
    source="Kazai & Lalmas 2006, section 5.4",
    example="gains 0.5, 1, ideal 1, 0.5: iMAep = 0.6991",
    caveat=f"With few ideal elements, the interpolation dominates the value. {_TEXT_CAVEAT}",
    parameters={**_INTERPOLATION, **_EFFORT},
)
def _imaep(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    return sum(_precisions(topic, RECALL_POINTS, parameters)) / len(RECALL_POINTS)


@_register(
    "MAep",
    title="mean average effort-precision",
    formula="MAep = Σ over the ranks with gain of ep at the gain reached there / N, where N is the "
    "number of these ranks plus the number of ideal elements that are not retrieved. An ideal element "
    "is retrieved if a result with a gain is this element or, with a normalisation, lies inside it",
    source="Kazai & Lalmas 2006, section 5.4",
    example="gains 0.5, 1, ideal 1, 0.5: MAep = (0.5 / 1 + 2 / 2) / 2 = 0.75",
    caveat="A result with a tiny gain adds a whole term, so it can change MAep by more than its gain. "
    "average=gain is the mean of ep over all gain-recall levels, which needs no N. unretrieved=max "
    f"divides by the larger of the number of ranks with gain and of ideal elements. {_TEXT_CAVEAT} In "
    "text, MAep is the mean of ep over all gain-recall levels.",
    parameters={**_INTERPOLATION, **UNRETRIEVED, "average": ("ranks", "gain"), **_EFFORT},
)
def _maep(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    if parameters["effort"] != "ranks":
        return mean_effort_precision_in_text(*_readings(topic, parameters))
    run, best, interpolation = topic.checked_gains, topic.checked_ideal, parameters["interpolation"]
    if parameters["average"] == "gain":
        return mean_effort_precision_over_gain(run, best, interpolation)
    unretrieved = parameters["unretrieved"]
    return mean_effort_precision(run, best, topic.not_retrieved, interpolation, unretrieved)
