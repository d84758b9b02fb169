"""Effort that is paid in text: measures over the text that was read, in place of the ranks visited.

A reading is two columns: how much text each stretch holds that the user reads, one behind the other,
and what is gained over it, evenly. C(t) is the gain after t units of text; t(g) is the least text after
which the gain is g. Results are read as a whole, also what was seen before: ten times the text is ten
times the effort. The definitions are xcg's own: with a rank for every unit of text they are those of
Kazai & Lalmas 2006, sections 5.1 and 5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from xcg.lazy_modules import np
from xcg.measures.effort import RECALL_POINTS, TOLERANCE

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


class Reading(NamedTuple):
    """What is read, stretch by stretch: units of text above 0, and gains from 0."""

    text: Sequence[float]
    gains: Sequence[float]

    def curve(self) -> tuple[Floats, Floats]:
        """Return the corners of C: text read, and gain; both begin with 0."""
        return _from_zero(self.text), _from_zero(self.gains)


def by_density(stretches: Sequence[tuple[float, float]]) -> Reading:
    """Return (text, gain) pairs in the order of the ideal reader: gain per unit of text, descending.

    No other order gains as much after any amount of text.

    >>> by_density([(10, 1.0), (2, 0.5)])
    Reading(text=[2, 10], gains=[0.5, 1.0])
    """
    ordered = sorted(stretches, key=lambda stretch: -stretch[1] / stretch[0])
    return Reading([text for text, _ in ordered], [gain for _, gain in ordered])


def gain_at_budgets(run: Reading, budgets: npt.ArrayLike) -> Floats:
    """Return the gain after some amounts of text, xCG(t); past the end of the reading it stays.

    >>> gain_at_budgets(Reading([10, 10], [0.0, 1.0]), [10, 15, 99]).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.asarray(np.interp(np.asarray(budgets, dtype=np.float64), *run.curve()))


def nxcg_at_budgets(run: Reading, ideal: Reading, budgets: npt.ArrayLike) -> Floats:
    """Return nxCG(t) = xCG(t) / xCI(t) after some amounts of text above 0.

    From 0; 1 for the ideal reading, and at most 1 where the run cannot gain more than the ideal.

    >>> nxcg_at_budgets(Reading([10, 10], [0.0, 1.0]), Reading([10], [1.0]), [5, 15, 99]).tolist()
    [0.0, 0.5, 1.0]
    """
    return gain_at_budgets(run, budgets) / gain_at_budgets(ideal, budgets)


def gain_recall_at_budgets(run: Reading, ideal: Reading, budgets: npt.ArrayLike) -> Floats:
    """Return gain-recall gr(t) = xCG(t) / xCI(∞) after some amounts of text.

    >>> gain_recall_at_budgets(Reading([10], [0.5]), Reading([5, 5], [1.0, 1.0]), [5, 99]).tolist()
    [0.125, 0.25]
    """
    return gain_at_budgets(run, budgets) / float(np.sum(ideal.gains))


def effort_precision_in_text(run: Reading, ideal: Reading, recall: float) -> float:
    """Return ep at a gain-recall point: ep[r] = t_ideal(g) / t_run(g), g = r times the ideal's gain.

    0 where the run never gains g. recall: in (0, 1], else ValueError. Range as for nxCG(t).

    >>> effort_precision_in_text(Reading([10, 10], [0.0, 1.0]), Reading([10], [1.0]), 0.5)
    0.3333333333333333
    """
    if not 0 < recall <= 1:
        raise ValueError(f"recall point {recall}: expected one above 0 and at most 1")
    total = float(np.sum(ideal.gains))
    needed = _text_for(run, recall * total, total)
    best = _text_for(ideal, recall * total, total)
    return 0.0 if needed is None or best is None else best / needed


def interpolated_mean_effort_precision_in_text(run: Reading, ideal: Reading) -> float:
    """Return iMAep, the mean of ep at the gain-recall points 0.1, 0.2, …, 1.0.

    >>> interpolated_mean_effort_precision_in_text(Reading([20], [1.0]), Reading([10], [1.0]))
    0.5
    """
    points = [effort_precision_in_text(run, ideal, recall) for recall in RECALL_POINTS]
    return sum(points) / len(points)


def mean_effort_precision_in_text(run: Reading, ideal: Reading) -> float:
    """Return MAep, the mean of ep over all gain-recall levels: ∫ ep[r] dr from 0 to 1.

    Levels that the run does not reach count 0. Between corners of both curves t_ideal and t_run are
    linear in g, so that the integral is exact. Range as for nxCG(t).

    >>> round(mean_effort_precision_in_text(Reading([10, 10], [0.0, 1.0]), Reading([10], [1.0])), 6)
    0.306853
    """
    run_text, run_gain = run.curve()
    best_text, best_gain = ideal.curve()
    total = float(best_gain[-1])
    corners = np.unique(np.concatenate([run_gain, best_gain]))
    corners = corners[corners <= min(total, float(run_gain[-1]))]
    if len(corners) < 2:
        return 0.0
    low, width = corners[:-1], np.diff(corners)
    # t(low + x) = start + slope·x, for the run and for the ideal, within each interval.
    start, slope = _lines(run_text, run_gain, low, width)
    best_start, best_slope = _lines(best_text, best_gain, low, width)
    share = best_slope / slope
    behind = best_start - share * start
    with np.errstate(divide="ignore", invalid="ignore"):
        bent = np.where(start > 0, behind / slope * np.log1p(slope * width / start), 0.0)
    return float(np.sum(share * width + bent) / total)


def _lines(text: Floats, gain: Floats, low: Floats, width: Floats) -> tuple[Floats, Floats]:
    after = np.searchsorted(gain, low + width / 2)
    rise = gain[after] - gain[after - 1]
    slope = (text[after] - text[after - 1]) / rise
    return text[after - 1] + slope * np.maximum(low - gain[after - 1], 0.0), slope


def _text_for(reading: Reading, level: float, total: float) -> float | None:
    """Return t(level), None where the reading never gains so much."""
    text, gain = reading.curve()
    after = int(np.searchsorted(gain, max(level - TOLERANCE * total, np.finfo(float).tiny)))
    if after == len(gain):
        return None
    share = min((level - gain[after - 1]) / (gain[after] - gain[after - 1]), 1.0)
    return float(text[after - 1] + share * (text[after] - text[after - 1]))


def _from_zero(amounts: Sequence[float]) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.asarray(amounts, dtype=np.float64))])
