"""Breaking a measure: small cases in which its score does what no user would want.

A measure of xcg, or a function of the user's own, is held to a few laws (:mod:`xcg.laws.laws`) on
small documents, gold spans and rankings that hypothesis makes; of the cases that break a law the
smallest is shown (:func:`xcg.laws.search.search`, ``xcg break``).

A function of the user's own is called as ``function(gold, ranking)``: two lists, of :class:`Gold` and
:class:`Retrieved`, the latter in order of rank. It returns a number. Neither list is empty; gold spans
do not overlap, results may, and may come twice.

Beside what such functions need, two are here as people write them today:
:func:`ndcg_over_chunks` and :func:`recall_over_chunks`. Both break.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Gold(NamedTuple):
    """A relevant passage: the characters start … end - 1 of a document's text, and its grade, 1 … 3."""

    document: str
    start: int
    end: int
    grade: int


class Retrieved(NamedTuple):
    """A result: the characters start … end - 1 of a document's text."""

    document: str
    start: int
    end: int


Function = Callable[[list[Gold], list[Retrieved]], float]
"""A measure of the user's own."""


def overlap(a: Gold | Retrieved, b: Gold | Retrieved) -> bool:
    """Say whether two spans share text.

    >>> gold = Gold("d", 3, 9, 1)
    >>> overlap(Retrieved("d", 0, 4), gold), overlap(Retrieved("d", 0, 3), gold)
    (True, False)
    """
    return a.document == b.document and a.start < b.end and b.start < a.end


def ndcg_over_chunks(gold: Sequence[Gold], ranking: Sequence[Retrieved]) -> float:
    """Return nDCG where a chunk has the highest grade of the gold spans that it overlaps.

    Σ grade[i] / log2(i + 1) over the ranking, divided by the same over the gold spans, the highest
    grade first. A bad example: it knows no chunk that was seen before, so that it is not bounded by 1.

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
    """Return how many chunks overlap a gold span, divided by the number of gold spans.

    A bad example, as :func:`ndcg_over_chunks`.

    >>> recall_over_chunks([Gold("d", 2, 5, 1)], [Retrieved("d", 0, 3), Retrieved("d", 3, 6)])
    2.0
    """
    return sum(any(overlap(g, chunk) for g in gold) for chunk in ranking) / len(gold)
