"""What measures are computed from: gain vectors, and further details of one ranking for one topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from xcg.documents.text_units import TextUnit
from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.measures.highlighted_ranking import HighlightedRanking
from xcg.measures.span_ranking import SpanRanking
from xcg.user_model.effort import Charge

Gains: TypeAlias = "npt.NDArray[np.float64]"

TOLERANCE = 1e-9
"""A curve reaches a level of gain if it misses it by at most this part of the ideal's total gain."""

RECALL_POINTS = tuple(point / 10 for point in range(1, 11))
"""The gain-recall points 0.1, 0.2, …, 1.0 of iMAep."""


def vector(values: npt.ArrayLike) -> Gains:
    """Return numbers as a float array."""
    return np.asarray(values, dtype=np.float64)


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
        self.values = values = vector(gains)
        if values.ndim != 1 or not (
            not len(values) or (values.min() >= 0 and values.max() < np.inf)  # false for NaN
        ):
            raise ValueError("gains must be a vector of finite numbers, none below 0")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype) if copy else np.asarray(self.values, dtype)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def sums(self) -> Gains:
        """The cumulated gain at each rank."""
        return np.cumsum(self.values)

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

    @cached_property
    def is_decreasing(self) -> bool:
        """Whether no gain is higher than the one before."""
        return not (self.values[1:] > self.values[:-1]).any()


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
    if not checked.is_decreasing:
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


class GradedResult(NamedTuple):
    """A result as inex-eval-ng uses it.

    Attributes:
        exhaustivity: From 0 to 1.
        specificity: From 0 to 1.
        size: Number of characters.
        new: Number of characters that no earlier result contains.
    """

    exhaustivity: float
    specificity: float
    size: int
    new: int


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
        return _cumulated_from_0(self.text), _cumulated_from_0(self.gains)


def _cumulated_from_0(amounts: Sequence[float] | Gains) -> Gains:
    return np.concatenate([[0.0], np.cumsum(vector(amounts))])


class RelevantUnit(NamedTuple):
    """A relevant element, and the results from which the user reaches it.

    Attributes:
        score: Its quantised score.
        reached_from: (rank, probability above 0) of these results. The probability is 1 for the
            element itself, and else the closeness under the near-miss model.
    """

    score: float
    reached_from: Sequence[tuple[int, float]]


class RankingDetails(NamedTuple):
    """What a measure can use besides the gains; functions, so that only what is used is computed.

    Attributes:
        scores: The quantised score of each result in rank order, whatever the user has seen before.
        recall_base_scores: The quantised scores of all assessed elements.
        tie_groups: A group number for each result; tied results have the same number.
        overlaps: For the first n results (None: all), whether each contains, lies inside or repeats
            another one of them.
        grades: The results as inex-eval-ng uses them, and the sum of exhaustivity over all assessed
            elements.
        highlights: The ranking as text, with the highlighted text of the topic.
        spans: The ranking as text, with the gold spans of the topic.
        system_scores: The scores by which the system ordered its results; None if it gave none.
        readings: The text and gain that the user reads in the run and in the ideal ranking, in a unit
            of text.
        relevant_units: The relevant elements, for the expected ratio of relevant units.
    """

    scores: Callable[[], Sequence[float]]
    recall_base_scores: Callable[[], Sequence[float]]
    tie_groups: Callable[[], Sequence[int]]
    overlaps: Callable[[int | None], Sequence[bool]]
    grades: Callable[[], tuple[Sequence[GradedResult], float]]
    highlights: Callable[[], HighlightedRanking]
    spans: Callable[[], SpanRanking]
    system_scores: Callable[[], Sequence[float] | None]
    readings: Callable[[TextUnit, Charge], tuple[Reading, Reading]]
    relevant_units: Callable[[], Sequence[RelevantUnit]]


@dataclass(frozen=True)
class TopicGains:
    """The gains of one ranking for one topic: the input of all measures on gains.

    Attributes:
        gains: xG, the gain of each result in rank order.
        ideal: xI, the gains of the ideal ranking in decreasing order.
        not_retrieved: The number of ideal elements that the ranking does not retrieve.
        details: What some measures need besides the gains; None outside an evaluation.
        shared_ideal: The ideal gains, checked and cumulated once for all rankings; None if not shared.
    """

    gains: npt.ArrayLike
    ideal: npt.ArrayLike
    not_retrieved: int
    details: RankingDetails | None = None
    shared_ideal: GainVector | None = None

    @cached_property
    def checked_gains(self) -> GainVector:
        """The gains, checked once for all measures; ValueError if they are illegal."""
        return check_gains(self.gains)

    @cached_property
    def checked_ideal(self) -> GainVector:
        """The ideal gains, checked in the same way."""
        return check_ideal(self.ideal if self.shared_ideal is None else self.shared_ideal)

    def required_details(self, name: str) -> RankingDetails:
        """Return the details of the ranking.

        Args:
            name: The measure that needs them, for the error message.

        Raises:
            XcgError: If there are only gains.
        """
        if self.details is None:
            raise XcgError(f"{name} needs more than gains: compute it with xcg.evaluate")
        return self.details
