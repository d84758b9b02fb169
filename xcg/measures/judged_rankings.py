"""Rankings as measures of levels and of nuggets see them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Nuggets = Mapping[str, float]
"""Nugget → its level in a document or passage."""


@dataclass(frozen=True)
class NuggetRanking:
    """The nuggets that the results of a ranking state.

    Attributes:
        found: The nuggets of each result in rank order.
        pool: The nuggets of each assessed document, or gold span, of the topic; of documents with equal
            gains the first is the ideal one.
        ideals: A cache of ideal gains, which the rankings of a topic share.
    """

    found: Sequence[Nuggets]
    pool: Sequence[Nuggets]
    ideals: dict[tuple[float, float], list[float]]


class JudgedRanking(NamedTuple):
    """A ranking for one topic with the levels of relevance of its assessed results.

    Attributes:
        ranks: The ranks of the assessed results, from 1 and increasing.
        levels: Their levels, in the same order. A level below 0 counts as not assessed.
        judged: The levels of all assessed documents of the topic.
        retrieved: The number of results, assessed or not.
        keys: The scores or ranks that ordered the assessed results, in the same order; tied results
            have equal keys. None if there are no ties.
        others: (rank, level) of what results find besides their level: further gold spans in the text
            of a result. A document finds nothing besides itself.
        nuggets: The nuggets of the results; None if the topic has none.
    """

    ranks: Sequence[int]
    levels: Sequence[int]
    judged: Sequence[int]
    retrieved: int = 0
    keys: Sequence[float] | None = None
    others: Sequence[tuple[int, int]] = ()
    nuggets: NuggetRanking | None = None

    def relevant_ranks(self, rel: float, depth: float = math.inf) -> list[int]:
        """Return the ranks, up to a depth, of results with at least the level ``rel``.

        >>> JudgedRanking([1, 3, 4], [2, 0, 1], [2, 1, 1, 0]).relevant_ranks(1)
        [1, 4]
        """
        return [
            rank
            for rank, level in zip(self.ranks, self.levels, strict=True)
            if level >= rel and rank <= depth
        ]

    def found_ranks(self, rel: float, depth: float = math.inf) -> list[int]:
        """Return the rank at which each document or gold span with at least a level is found.

        >>> JudgedRanking([1, 3], [2, 1], [2, 1, 1], others=[(1, 1)]).found_ranks(1)
        [1, 1, 3]
        """
        ranks = self.relevant_ranks(rel, depth)
        others = [rank for rank, level in self.others if level >= rel and rank <= depth]
        return sorted([*ranks, *others]) if others else ranks

    def of_judged(self) -> JudgedRanking:
        """Return the ranking without the results that are not assessed, or have a level below 0."""
        levels = [level for level in self.levels if level >= 0]
        return self._replace(ranks=range(1, len(levels) + 1), levels=levels, retrieved=len(levels))

    def relevant(self, rel: float) -> int:
        """Return the number of assessed documents with at least the level ``rel``."""
        return len([level for level in self.judged if level >= rel])
