"""Measures over the text that a user reads, instead of over the ranks that the user visits.

C(t) is the gain after t units of text, and t(g) the least text after which the gain is g. The user
reads all text of results, even what was seen before: ten times the text is ten times the effort. The
parameter ``charge`` decides whether the text of a result that gains nothing counts in its order or
before the gains of the result. These definitions are xcg's own. With one unit of text per result they
are those of Kazai and Lalmas 2006, sections 5.1 and 5.4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, get_args

from xcg.lazy_modules import np, npt
from xcg.measures.topic_gains import TOLERANCE, Gains, Reading, vector
from xcg.user_model.effort import Charge, Interpolation

EffortCurve: TypeAlias = "tuple[Gains, Gains]"

CHARGE: Mapping[str, tuple[str, ...]] = {"charge": get_args(Charge)}
"""The parameter for how results are paid for, of measures with effort in text."""
CHARGE_CAVEAT = (
    "charge=whole counts the text of a result that gains nothing before its gains, charge=as_read in "
    "the order of the text. Text after the last result with a gain is free; SpanPrecision counts it."
)


def by_density(stretches: Sequence[tuple[float, float]]) -> Reading:
    """Return what an ideal reader reads: stretches in decreasing order of gain per unit of text.

    No other order gains more after any amount of text.

    Args:
        stretches: (amount of text, gain) of each stretch; amounts are above 0.

    >>> by_density([(10, 1.0), (2, 0.5)])
    Reading(text=[2, 10], gains=[0.5, 1.0])
    """
    ordered = sorted(stretches, key=lambda stretch: -stretch[1] / stretch[0])
    return Reading([text for text, _ in ordered], [gain for _, gain in ordered])


def gain_at_budgets(run: Reading, budgets: npt.ArrayLike) -> Gains:
    """Compute the gain after some amounts of text, xCG(t).

    Args:
        run: What the user reads. After its end, the gain stays constant.
        budgets: Amounts of text t, from 0.

    Returns:
        One gain for each amount.

    >>> gain_at_budgets(Reading([10, 10], [0.0, 1.0]), [10, 15, 99]).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.asarray(np.interp(vector(budgets), *run.curve()))


def nxcg_at_budgets(run: Reading, ideal: Reading, budgets: npt.ArrayLike) -> Gains:
    """Compute normalised gain after some amounts of text: nxCG(t) = xCG(t) / xCI(t).

    Args:
        run: What the user reads of the run.
        ideal: What an ideal reader reads.
        budgets: Amounts of text t, above 0.

    Returns:
        One value for each amount: from 0, and at most 1 if the run cannot gain more than the ideal.

    >>> nxcg_at_budgets(Reading([10, 10], [0.0, 1.0]), Reading([10], [1.0]), [5, 15, 99]).tolist()
    [0.0, 0.5, 1.0]
    """
    return gain_at_budgets(run, budgets) / gain_at_budgets(ideal, budgets)


def gain_recall_at_budgets(run: Reading, ideal: Reading, budgets: npt.ArrayLike) -> Gains:
    """Compute gain-recall after some amounts of text: gr(t) = xCG(t) / xCI(∞).

    Args:
        run: What the user reads of the run.
        ideal: What an ideal reader reads.
        budgets: Amounts of text t, from 0.

    Returns:
        One value for each amount, with the range of :func:`nxcg_at_budgets`.

    >>> gain_recall_at_budgets(Reading([10], [0.5]), Reading([5, 5], [1.0, 1.0]), [5, 99]).tolist()
    [0.125, 0.25]
    """
    return gain_at_budgets(run, budgets) / float(np.sum(ideal.gains))


def effort_precisions_in_text(run: Reading, ideal: Reading, recall: Sequence[float]) -> list[float]:
    """Compute effort-precision at gain-recall points.

    ep[r] = t_ideal(g) / t_run(g), where g is r times the total gain of the ideal.

    Args:
        run: What the user reads of the run.
        ideal: What an ideal reader reads.
        recall: Gain-recall points r, above 0 and at most 1.

    Returns:
        One value for each point, with the range of :func:`nxcg_at_budgets`; 0 if the run never gains g.

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
        The value, with the range of :func:`nxcg_at_budgets`.

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
