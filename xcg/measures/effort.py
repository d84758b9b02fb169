"""Effort-precision over gain-recall: ep, MAep and iMAep, with effort in ranks or in text.

C(t) is the gain after t units of text, and t(g) the least text after which the gain is g. The user
reads all text of results, even what was seen before: ten times the text is ten times the effort. The
parameter ``charge`` decides whether the text of a result that gains nothing counts in its order or
before the gains of the result. These definitions are those of xcg. With one unit of text per result
they are those of Kazai and Lalmas 2006, sections 5.1 and 5.4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, get_args

from xcg.lazy_modules import np, npt
from xcg.measures.definition import BOUND, RECALL, UNITS, Parameters
from xcg.measures.parser import MEASURES
from xcg.measures.topic_gains import (
    RECALL_POINTS,
    TOLERANCE,
    Gains,
    GainVector,
    RankingGains,
    Reading,
    check_gains,
    check_ideal,
)
from xcg.user_model.relevance_value import Charge, Interpolation, Unretrieved

CHARGE: Mapping[str, tuple[str, ...]] = {"charge": get_args(Charge)}
"""The parameter for how results are paid for, of measures with effort in text."""
CHARGE_CAVEAT = (
    "charge=whole counts the text of a result that gains nothing before its gains, charge=as_read in "
    "the order of the text. Text after the last result with a gain is free; SpanPrecision counts it. "
    "The value can rise if the same text is cut into smaller results, because gain is credited earlier."
)

EffortCurve: TypeAlias = "tuple[Gains, Gains]"


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


def effort_precisions_in_text(run: Reading, ideal: Reading, recall: Sequence[float]) -> list[float]:
    """Compute effort-precision at gain-recall points.

    ep[r] = t_ideal(g) / t_run(g), where g is r times the total gain of the ideal; 0 if the run never
    gains g.

    >>> effort_precisions_in_text(Reading([10, 10], [0.0, 1.0]), Reading([10], [1.0]), [0.5])
    [0.3333333333333333]
    """
    total = float(np.sum(ideal.gains))
    return effort_ratios(run.curve(), ideal.curve(), np.array(recall) * total, total, "linear", 1.0)


def mean_effort_precision_in_text(
    run: Reading, ideal: Reading, interpolation: Interpolation = "linear"
) -> float:
    """Compute MAep, the mean of ep over all gain-recall levels: the integral of ep[r] from 0 to 1.

    Levels that the run does not reach count 0. Between the vertices of both curves, t_ideal and t_run
    are linear in g, so the integral is exact.

    Args:
        run: What the user reads of the run.
        ideal: What an ideal reader reads.
        interpolation: The lines between vertices: ``linear``, as gain grows evenly over text, or
            ``segment``, for ranks (see :func:`xcg.measures.effort_precision`).

    Returns:
        The value, with the range of :func:`effort_precision`.

    >>> round(mean_effort_precision_in_text(Reading([10, 10], [0.0, 1.0]), Reading([10], [1.0])), 6)
    0.306853
    """
    run_effort, run_gain = run.curve()
    ideal_effort, ideal_gain = ideal.curve()
    total = float(ideal_gain[-1])
    levels = np.unique(np.concatenate([run_gain, ideal_gain]))
    reached = (levels > np.finfo(float).eps * total) & (levels <= min(total, float(run_gain[-1])))
    levels = levels[reached | (levels == 0)]  # a slope to a smaller level can overflow
    if len(levels) < 2:
        return 0.0
    low, width = levels[:-1], np.diff(levels)
    # Between two levels t(low + x) = start + slope·x, for the run and for the ideal. The integral of
    # (ideal_start + ideal_slope·x) / (start + slope·x) is a linear and a logarithmic term.
    start, slope = _lines(run_effort, run_gain, low, width, interpolation)
    ideal_start, ideal_slope = _lines(ideal_effort, ideal_gain, low, width, interpolation)
    ratio = ideal_slope / slope
    remainder = ideal_start - ratio * start
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(start > 0, remainder / slope * np.log1p(slope * width / start), 0.0)
    return float(np.sum(ratio * width + logarithms) / total)


def _lines(
    effort: Gains, gain: Gains, low: Gains, width: Gains, interpolation: Interpolation
) -> tuple[Gains, Gains]:
    """Return the value at each level and the slope of t(g) up to the next level."""
    after = np.searchsorted(gain, low + width / 2)
    # The line goes through the end of the stretch, and through its start or, as a segment, the gain 0.
    origin = gain[after - 1] if interpolation == "linear" else 0.0
    slope = (effort[after] - effort[after - 1]) / (gain[after] - origin)
    return effort[after - 1] + slope * np.maximum(low - origin, 0.0), slope


def effort_ratios(
    run: EffortCurve, ideal: EffortCurve, levels: Gains, total: float, *lines: Any
) -> list[float]:
    """Return t_ideal(g) / t_run(g) at levels g of gain; 0 if the run never gains as much."""
    best, needed = (efforts(curve, levels, total, *lines) for curve in (ideal, run))
    ratios: list[float] = (best / needed).tolist()
    return ratios


def efforts(
    curve: EffortCurve,
    levels: Gains,
    total: float,
    interpolation: Interpolation,
    most: float = math.inf,
) -> Gains:
    """Return the effort t(g) at which a curve reaches levels of gain; infinite if it never does.

    Args:
        curve: Effort and cumulated gain at each vertex; both start at 0.
        levels: Levels of gain.
        total: The total gain of the ideal, of which the tolerance is a part.
        interpolation: The lines between vertices, see :func:`mean_effort_precision_in_text`.
        most: The largest part of a stretch; text that is not there cannot be read.
    """
    effort, gain = curve
    after = np.searchsorted(gain, np.maximum(levels - TOLERANCE * total, np.finfo(float).tiny))
    reached = after < len(gain)
    after, levels = after[reached], levels[reached]
    origin = gain[after - 1] if interpolation == "linear" else 0.0
    part = np.minimum((levels - origin) / (gain[after] - origin), most)
    found = np.full(len(reached), np.inf)
    found[reached] = effort[after - 1] + part * (effort[after] - effort[after - 1])
    return found


# Declarations

_CURVE_RECALL = tuple(point / 100 for point in range(1, 101))
_INTERPOLATION = {"interpolation": ("segment", "linear")}
UNRETRIEVED = {"unretrieved": ("uncredited", "max")}
_EFFORT = {"effort": UNITS, **CHARGE}
_TEXT_CAVEAT = (
    "effort=tokens (words, characters) counts the text read instead of the results visited; "
    f"{CHARGE_CAVEAT}"
)

_register = partial(MEASURES.register, range=BOUND)


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
    caveat="interpolation=segment reproduces the paper's Table II, linear follows its text. "
    f"{_TEXT_CAVEAT}",
    cutoff=RECALL,
    parameters={**_INTERPOLATION, **_EFFORT},
    curve=lambda topic, _, parameters: (_CURVE_RECALL, _precisions(topic, _CURVE_RECALL, parameters)),
    curve_over="gain-recall",
)
def _ep(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute effort-precision at a gain-recall point.

    ep[r] = i_ideal(g) / i_run(g), the ranks at which the ideal ranking and the run reach the gain g
    = r·xCI[n]; 0 if the run never does

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], equation 13

    Example: gains 0.5, 1, ideal 1, 0.5: ep@0.4 = 0.6 / 1.4 = 0.43
    """
    return _precisions(topic, [cutoff], parameters)[0]


@_register(
    "iMAep",
    caveat=f"With few ideal elements, the interpolation dominates the value. {_TEXT_CAVEAT}",
    parameters={**_INTERPOLATION, **_EFFORT},
)
def _imaep(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute interpolated mean average effort-precision.

    iMAep = mean of ep at the gain-recall points 0.1, 0.2, …, 1.0

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], section 5.4

    Example: gains 0.5, 1, ideal 1, 0.5: iMAep = 0.6991
    """
    return sum(_precisions(topic, RECALL_POINTS, parameters)) / len(RECALL_POINTS)


@_register(
    "MAep",
    caveat="A result with a tiny gain adds a whole term, so it can change MAep by more than its gain. "
    "average=gain is the mean of ep over all gain-recall levels, which needs no N. unretrieved=max "
    f"divides by the larger of the number of ranks with gain and of ideal elements. {_TEXT_CAVEAT} In "
    "text, MAep is the mean of ep over all gain-recall levels.",
    parameters={**_INTERPOLATION, **UNRETRIEVED, "average": ("ranks", "gain"), **_EFFORT},
)
def _maep(topic: RankingGains, cutoff: float, parameters: Parameters) -> float:
    """Compute mean average effort-precision.

    MAep = Σ over the ranks with gain of ep at the gain reached there / N, where N is the number of
    these ranks plus the number of ideal elements that are not retrieved. An ideal element is
    retrieved if a result with a gain is this element or, with a normalisation, lies inside it

    Source: Kazai & Lalmas 2006 [@kazai-lalmas-2006], section 5.4

    Example: gains 0.5, 1, ideal 1, 0.5: MAep = (0.5 / 1 + 2 / 2) / 2 = 0.75
    """
    if parameters["effort"] != "ranks":
        return mean_effort_precision_in_text(*_readings(topic, parameters))
    run, best, interpolation = topic.checked_gains, topic.checked_ideal, parameters["interpolation"]
    if parameters["average"] == "gain":
        return mean_effort_precision_over_gain(run, best, interpolation)
    unretrieved = parameters["unretrieved"]
    return mean_effort_precision(run, best, topic.not_retrieved, interpolation, unretrieved)
