"""The results of a study of overlap strategies: scores over α, and where the best one changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

PRECISION = 0.005
"""The maximum error of the values of α at which the best strategy changes."""


class StrategyScore(NamedTuple):
    """The score of a run under one strategy at one value of α.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model, without α.
        run: Name of the run as read.
        strategy: The strategy as users type it; ``oracle`` is the greedy reference.
        alpha: α of the user model.
        score: Mean over topics; None without one.
        to_oracle: How much better oracle is: oracle − score, or score − oracle for a lower-is-better
            measure. None if one of them has no score.
        is_best: Whether no other strategy of the run is better at this α. Never true of oracle.
    """

    measure: str
    user_model: str
    run: str
    strategy: str
    alpha: float
    score: float | None
    to_oracle: float | None
    is_best: bool


class Crossing(NamedTuple):
    """A value of α at which the best strategy of a run changes.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model, without α.
        run: Name of the run as read.
        low: The greatest α known to be below the change. ``before`` is best here.
        high: The smallest α known to be above it. ``after`` is best here.
        before: The best strategy before the change, or several with equal scores.
        after: The best strategy after the change, or several with equal scores.
    """

    measure: str
    user_model: str
    run: str
    low: float
    high: float
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def alpha(self) -> float:
        """The centre of the interval, which differs by at most :data:`PRECISION` from the change."""
        return round((self.low + self.high) / 2, 12)


class Lead(NamedTuple):
    """How much better the best strategy is than the second, at one value of α.

    Attributes:
        alpha: α of the user model.
        second: The second best strategy.
        difference: Mean of the best − mean of the second, with the sign reversed for a
            lower-is-better measure.
        low: Lower limit of the 95 % interval by Student's paired t over topics; None without one.
        high: Upper limit.
        topics: The number of topics of the interval.
    """

    alpha: float
    second: str
    difference: float
    low: float | None = None
    high: float | None = None
    topics: int = 0

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


class Leaders(NamedTuple):
    """The strategies of a run that are best from one change to the next.

    Attributes:
        strategies: The strategies that are best at all these values of α; several have equal scores.
        first: The first evaluated α.
        last: The last evaluated α.
        lead: The largest lead over the second best strategy at one of these values; None without a
            second.
    """

    strategies: tuple[str, ...]
    first: float
    last: float
    lead: Lead | None = None


Case = tuple[str, str, str]
"""Measure, user model and run."""


@dataclass(frozen=True)
class StrategyStudy:
    """The result of :func:`xcg.statistics.strategy_study.study_strategies`.

    Attributes:
        scores: The scores in the order of measures, user models, runs, strategies and α. Oracle is the
            last strategy of each run.
        refined: Scores of strategies at further values of α, near changes of the best strategy.
        leaders: (Measure, user model, run) → the strategies that are best, from α = 0 to 1.
        alphas: User model → the values of α that were tried for all strategies.
        constant: The measures and user models for which no score depends on α.
        notes: The notes of the evaluation.
    """

    scores: Sequence[StrategyScore]
    refined: Sequence[StrategyScore]
    leaders: Mapping[Case, Sequence[Leaders]]
    alphas: Mapping[str, Sequence[float]]
    constant: Sequence[tuple[str, str]]
    notes: Sequence[str]

    @property
    def crossings(self) -> list[Crossing]:
        """The changes of the best strategy in the order of the scores."""
        return [
            Crossing(*case, before.last, after.first, before.strategies, after.strategies)
            for case, found in self.leaders.items()
            for before, after in pairwise(found)
        ]
