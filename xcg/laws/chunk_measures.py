"""The arguments of users' own measures, and two common chunk measures that break the laws.

A user's measure is called as ``function(gold, ranking)`` with a list of :class:`Gold` and a list of
:class:`Retrieved` in rank order, and returns a number. Neither list is empty. Gold spans do not
overlap. Results may overlap and repeat each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Gold(NamedTuple):
    """A relevant passage.

    Attributes:
        document: Name of the document.
        start: First character, from 0.
        end: Character after the last.
        grade: Grade of relevance, 1 to 3.
    """

    document: str
    start: int
    end: int
    grade: int


class Retrieved(NamedTuple):
    """A result.

    Attributes:
        document: Name of the document.
        start: First character, from 0.
        end: Character after the last.
    """

    document: str
    start: int
    end: int


ChunkMeasure = Callable[[list[Gold], list[Retrieved]], float]


def overlap(one: Gold | Retrieved, other: Gold | Retrieved) -> bool:
    """Return whether two spans share text.

    >>> gold = Gold("d", 3, 9, 1)
    >>> overlap(Retrieved("d", 0, 4), gold), overlap(Retrieved("d", 0, 3), gold)
    (True, False)
    """
    return one.document == other.document and one.start < other.end and other.start < one.end


def ndcg_over_chunks(gold: Sequence[Gold], ranking: Sequence[Retrieved]) -> float:
    """Compute nDCG with the highest grade of the gold spans that a chunk overlaps as its gain.

    Σ grade[i] / log2(i + 1) over the ranking, divided by the same sum over the gold spans by decreasing
    grade. This is a common but flawed measure: repeated text gains again, so values can exceed 1.

    Args:
        gold: The relevant passages, at least one.
        ranking: The chunks in rank order.

    Returns:
        A number of at least 0, with no upper limit.

    >>> chunk = Retrieved("d", 0, 9)
    >>> ndcg_over_chunks([Gold("d", 2, 5, 1)], [chunk])
    1.0
    >>> round(ndcg_over_chunks([Gold("d", 2, 5, 1)], [chunk, chunk]), 4)
    1.6309
    """
    gains = [max((g.grade for g in gold if overlap(g, chunk)), default=0) for chunk in ranking]
    return _dcg(gains) / _dcg(sorted((g.grade for g in gold), reverse=True))


def _dcg(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def recall_over_chunks(gold: Sequence[Gold], ranking: Sequence[Retrieved]) -> float:
    """Compute the number of chunks that overlap a gold span, divided by the number of gold spans.

    This is as flawed as :func:`ndcg_over_chunks`.

    Args:
        gold: The relevant passages, at least one.
        ranking: The chunks in any order.

    Returns:
        A number of at least 0, with no upper limit.

    >>> recall_over_chunks([Gold("d", 2, 5, 1)], [Retrieved("d", 0, 3), Retrieved("d", 3, 6)])
    2.0
    """
    return sum(any(overlap(g, chunk) for g in gold) for chunk in ranking) / len(gold)
