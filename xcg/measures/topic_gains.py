"""What measures are computed from: gain vectors, and further facts on one ranking for one topic."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple, TypeAlias

from xcg.documents.text_units import TextUnit
from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.rankings import HighlightedRanking, SpanRanking
from xcg.user_model.relevance_value import Charge, EffortUnit

Gains: TypeAlias = "npt.NDArray[np.float64]"

TOLERANCE = 1e-9
"""A curve reaches a level of gain if it misses it by at most this part of the ideal's total gain."""

RECALL_POINTS = tuple(point / 10 for point in range(1, 11))
"""The gain-recall points 0.1, 0.2, …, 1.0 of iMAep."""


def vector(values: npt.ArrayLike) -> Gains:
    """Return numbers as a float array."""
    return np.asarray(values, dtype=np.float64)


def sum_in_order(values: Iterable[float]) -> float:
    """Add values from left to right, rounding after each, as inex_eval and trec_eval do.

    An exact sum can differ in the last digit, and then 0.61875 is printed as 0.6188 instead of 0.6187.
    ``sum`` also compensates rounding errors, since Python 3.12.

    >>> import math
    >>> sum_in_order([0.1] * 10), math.fsum([0.1] * 10)
    (0.9999999999999999, 1.0)
    """
    return reduce(operator.add, values, 0.0)


class GainVector:
    """The gains of a ranking, which all measures share: they are checked and cumulated once.

    It can be used as an array.

    Args:
        gains: Gain of each result in rank order.

    Attributes:
        values: The gains as a float array.

    Raises:
        ValueError: If gains have more than one dimension, or one is negative or not finite.

    >>> gains = GainVector([0.0, 0.5, 1.0])
    >>> gains.sums.tolist(), gains.hits.tolist()
    ([0.0, 0.5, 1.5], [1, 2])
    """

    def __init__(self, gains: npt.ArrayLike) -> None:
        self.values = values = np.asarray(gains, dtype=np.float64)
        if values.ndim != 1 or not (
            not len(values) or (values.min() >= 0 and values.max() < np.inf)  # false for NaN
        ):
            raise ValueError("gains must be a vector of finite numbers, none below 0")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype) if copy else np.asarray(self.values, dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[float]:
        return iter(self.values.tolist())

    @cached_property
    def sums(self) -> Gains:
        """The cumulated gain at each rank."""
        return np.cumsum(self.values)

    @cached_property
    def curve(self) -> tuple[Gains, Gains]:
        """The vertices of cumulated gain over ranks: ranks, and gain; both start at 0."""
        return np.arange(len(self) + 1.0), np.concatenate([[0.0], self.sums])

    @cached_property
    def total(self) -> float:
        """The sum of the gains."""
        return float(np.sum(self.values))

    @cached_property
    def hits(self) -> npt.NDArray[np.intp]:
        """The positions of the gains above 0, from 0."""
        return np.flatnonzero(self.values > 0)

    @cached_property
    def bonus_sums(self) -> Gains:
        """The cumulated bonus gain at each hit; the bonus gain is the gain + 1."""
        return np.cumsum(self.values[self.hits] + 1)


def check_gains(gains: npt.ArrayLike) -> GainVector:
    """Return gains as a GainVector.

    Raises:
        ValueError: If they have another shape, or one is negative or not finite.
    """
    return gains if isinstance(gains, GainVector) else GainVector(gains)


def check_ideal(ideal: npt.ArrayLike) -> GainVector:
    """Return the gains of an ideal ranking as a GainVector.

    Raises:
        ValueError: If they are not gains in decreasing order, or sum to 0.
    """
    checked = check_gains(ideal)
    if not len(checked) or checked.values[0] <= 0:
        raise ValueError("the ideal gains must sum to more than 0")
    if (checked.values[1:] > checked.values[:-1]).any():
        raise ValueError("the ideal gains must be in decreasing order")
    return checked


def cumulate(gains: npt.ArrayLike, depth: int | None = None) -> Gains:
    """Compute cumulated gain at ranks 1 to ``depth``.

    xCG[i] = xG[1] + … + xG[i] (Kazai and Lalmas 2006, equation 4).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        depth: Last rank; the number of results by default. Beyond the last result, sums stay constant.

    Returns:
        Array of shape (depth,); values are at least 0 and never decrease.

    Raises:
        ValueError: If the gains have another shape or illegal values.

    >>> cumulate([3, 1, 0, 2]).tolist(), cumulate([0.5], depth=3).tolist()
    ([3.0, 4.0, 4.0, 6.0], [0.5, 0.5, 0.5])
    """
    sums = check_gains(gains).sums
    if depth is None or depth == len(sums):
        return sums
    if depth < len(sums):
        return sums[:depth]
    last = sums[-1] if len(sums) else 0.0
    return np.concatenate([sums, np.full(depth - len(sums), last)])


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
    return means(nxcg(gains, ideal, depth))


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


def means(values: Gains) -> Gains:
    """Return the mean up to each rank."""
    return np.cumsum(values) / np.arange(1, len(values) + 1)


GradedResult = tuple[float, float, int, int]
"""A result as inex-eval-ng uses it: exhaustivity and specificity, from 0 to 1, its number of
characters, and how many of them no earlier result contains."""


class Reading(NamedTuple):
    """The text that a user reads, stretch by stretch, and the gain of each stretch.

    The gain of a stretch is spread evenly over its text.

    Attributes:
        text: Amount of text of each stretch in some unit, above 0.
        gains: Gain of each stretch, from 0.
    """

    text: Sequence[float] | Gains
    gains: Sequence[float] | Gains

    def curve(self) -> tuple[Gains, Gains]:
        """Return the vertices of cumulated gain over text read: text, and gain; both start at 0."""
        text, gain = (np.concatenate([[0.0], np.cumsum(vector(part))]) for part in self)
        return text, gain

    @classmethod
    def by_density(cls, stretches: Sequence[tuple[float, float]]) -> Reading:
        """Return what an ideal reader reads: stretches in decreasing order of gain per unit of text.

        No other order gains more after any amount of text.

        Args:
            stretches: (amount of text, gain) of each stretch; amounts are above 0.

        >>> Reading.by_density([(10, 1.0), (2, 0.5)])
        Reading(text=[2, 10], gains=[0.5, 1.0])
        """
        ordered = sorted(stretches, key=lambda stretch: -stretch[1] / stretch[0])
        return cls([text for text, _ in ordered], [gain for _, gain in ordered])

    def gain_at(self, budgets: npt.ArrayLike) -> Gains:
        """Return the gain after some amounts of text; after the last stretch, it stays constant.

        >>> Reading([10, 10], [0.0, 1.0]).gain_at([10, 15, 99]).tolist()
        [0.0, 0.5, 1.0]
        """
        return np.interp(vector(budgets), *self.curve())


@dataclass(eq=False, repr=False)
class RankingGains:
    """The gains of one ranking for one topic, and what else a measure can use.

    The gains are enough for most measures. An evaluation provides the rest, and computes it when a
    measure first uses it (:class:`xcg.gains.topic.EvaluatedRanking`).

    Args:
        gains: xG, the gain of each result in rank order.
        ideal: xI, the gains of the ideal ranking in decreasing order.
        not_retrieved: The number of ideal elements that the ranking does not retrieve.

    >>> topic = RankingGains([0.5, 1.0], [1.0, 0.5], not_retrieved=0)
    >>> topic.checked_gains.sums.tolist()
    [0.5, 1.5]
    """

    gains: npt.ArrayLike
    ideal: npt.ArrayLike
    not_retrieved: int

    lacking = "this measure needs more than gains: compute it with xcg.evaluate"

    @cached_property
    def checked_gains(self) -> GainVector:
        """The gains, checked once for all measures; ValueError if they are illegal."""
        return check_gains(self.gains)

    @cached_property
    def checked_ideal(self) -> GainVector:
        """The ideal gains, checked in the same way."""
        return check_ideal(self.ideal)

    @property
    def scores(self) -> Sequence[float]:
        """The quantised score of each result in rank order, whatever the user has seen before."""
        raise XcgError(self.lacking)

    @property
    def recall_base_scores(self) -> Sequence[float]:
        """The quantised scores of all assessed elements."""
        raise XcgError(self.lacking)

    @property
    def tie_groups(self) -> Sequence[int]:
        """A group number for each result; tied results have the same number."""
        raise XcgError(self.lacking)

    def overlaps(self, depth: int | None) -> Sequence[bool]:
        """Return for the first results (None: all) whether each contains or repeats another one."""
        raise XcgError(self.lacking)

    @property
    def grades(self) -> tuple[Sequence[GradedResult], float]:
        """The results as inex-eval-ng uses them, and Σ exhaustivity over all assessed elements."""
        raise XcgError(self.lacking)

    def seen_nuggets(self, limit: float, unit: EffortUnit) -> Sequence[tuple[float, float]]:
        """Return (level, share that is seen) of each nugget after an amount of effort."""
        raise XcgError(self.lacking)

    @property
    def highlights(self) -> HighlightedRanking:
        """The ranking as text, with the highlighted text of the topic."""
        raise XcgError(self.lacking)

    @property
    def spans(self) -> SpanRanking:
        """The ranking as text, with the gold spans of the topic."""
        raise XcgError(self.lacking)

    @property
    def system_scores(self) -> Sequence[float] | None:
        """The scores by which the system ordered its results; None if it gave none."""
        raise XcgError(self.lacking)

    def readings(self, unit: TextUnit, charge: Charge) -> tuple[Reading, Reading]:
        """Return the text and gain that the user reads in the run and in the ideal ranking."""
        raise XcgError(self.lacking)
