"""Order the chunks of a topic by their ranks, scores or distances."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from xcg.errors import InputError, Notes, XcgError
from xcg.runs.run import sorted_order

Order = Literal["score", "distance", "given"]
"""How to order chunks: by decreasing score, by increasing distance, or as given."""

ORDERS: tuple[Order, ...] = ("score", "distance", "given")


class ChunkKeys(NamedTuple):
    """The values by which the chunks of one topic can be ordered.

    Attributes:
        ranks: The rank that each chunk states, or None.
        scores: The score of each chunk, or None.
        are_pairs: Whether the scores are numbers in (chunk, number) pairs, which can be distances.
    """

    ranks: Sequence[int | None]
    scores: Sequence[float | None]
    are_pairs: bool

    @property
    def has_ranks(self) -> bool:
        """Whether every chunk has a rank."""
        return bool(self.ranks) and None not in self.ranks


def check_order(order: object) -> None:
    """Raise XcgError for an unknown order."""
    if order is not None and order not in ORDERS:
        raise XcgError(f"unknown order {order!r}: expected one of {', '.join(ORDERS)}")


def check_ranks(keys: ChunkKeys, where: str) -> None:
    """Raise InputError if only some of the chunks have a rank."""
    ranked = len(keys.ranks) - keys.ranks.count(None)
    if 0 < ranked < len(keys.ranks):
        raise InputError(
            where, f"{ranked} of {len(keys.ranks)} chunks have a rank: expected all of them or none"
        )


def order_of_pairs(topics: Iterable[tuple[str, ChunkKeys]], name: str, notes: Notes) -> Order:
    """Return the order of a run whose (chunk, number) pairs may hold scores or distances.

    Numbers that increase in every topic are distances. Otherwise they are scores.

    Args:
        topics: Topic and keys of its chunks.
        name: The run's name, for the note.
        notes: A note is added if the numbers are not in decreasing order.
    """
    increasing: list[str] = []
    others: list[str] = []
    decreasing = 0
    for topic, keys in topics:
        scores = [score for score in keys.scores if score is not None]
        if keys.has_ranks or not keys.are_pairs or len(scores) < len(keys.scores):
            continue
        steps = [b - a for a, b in itertools.pairwise(scores)]
        if not any(steps):
            continue
        if min(steps) >= 0:
            increasing.append(topic)
        elif max(steps) <= 0:
            decreasing += 1
        else:
            others.append(topic)
    state = "state order='score', 'distance' or 'given'"
    if increasing and not decreasing and not others:
        notes.note(
            f"run {name}: the numbers of its (chunk, number) pairs increase with the rank, so they are "
            f"read as distances; if they are not, {state}"
        )
        return "distance"
    if increasing or others:
        notes.note(
            f"run {name}: the numbers of its (chunk, number) pairs are read as scores, but those of "
            f"topic {(*others, *increasing)[0]} do not decrease, so its chunks are sorted; {state}"
        )
    return "score"


def ordered(keys: ChunkKeys, order: Order | None) -> tuple[list[int], array[float] | None, bool]:
    """Return the order of chunks.

    Args:
        keys: The ranks and scores of the chunks.
        order: The order that the caller states. By default ranks decide, then scores.

    Returns:
        The index of the chunk at each rank, the keys in this order (None if the order was given), and
        whether they are scores.
    """
    column: list[float] = []
    if order is None and keys.has_ranks:
        column = [rank for rank in keys.ranks if rank is not None]
        descending = False
    elif order != "given":
        column = [score for score in keys.scores if score is not None]
        descending = order != "distance"
    if not column or len(column) < len(keys.scores):
        return list(range(len(keys.scores))), None, False
    found = sorted_order(column, descending=descending)
    return found, array("d", (column[index] for index in found)), descending
