"""Order the results of a topic by rank or score, for the readers of submissions and JSON Lines."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import islice
from operator import ge, le
from typing import cast

from xcg.errors import Notes
from xcg.runs.run import Ranking, Ties, sorted_order
from xcg.runs.ties import (
    in_document_order,
    note_contradiction,
    note_equal_scores,
    note_missing_keys,
)

Keys = Sequence[float | None]
"""The rank or the score of each result, None without one; empty if the file states none."""


def order_of(
    ranks: Keys, scores: Keys, where: str, notes: Notes, score_name: str = "score"
) -> tuple[list[int] | None, array[float] | None, bool]:
    """Return the order of results by rank if all have one, else by descending score if all have one.

    Args:
        ranks: The ranks.
        scores: The scores.
        where: The file and the topic.
        notes: Counts topics with ranks or scores of some results only, or in which they contradict each
            other.
        score_name: The name of a score in the file.

    Returns:
        The order, None for that of the file; the keys in this order, if any; whether these are scores.
    """
    for keys, name in ((ranks, "rank"), (scores, score_name)):
        if keys and None not in keys:
            break
        note_missing_keys(keys, name, where, notes)
    else:
        return None, None, False
    numbers, is_score = cast("Sequence[float]", keys), keys is scores
    if not is_score and scores and None not in scores:
        note_contradiction(numbers, cast("Sequence[float]", scores), where, notes, "ranks")
    if all(map(ge if is_score else le, numbers, islice(numbers, 1, None))):
        return None, array("d", numbers), is_score
    order = sorted_order(numbers, descending=is_score)
    return order, array("d", [numbers[index] for index in order]), is_score


def noted(ranking: Ranking, where: str, notes: Notes, ties: Ties | None) -> Ranking:
    """Count a topic with many equal scores, and return its ranking with ties in the given order."""
    note_equal_scores(ranking, where, notes)
    return in_document_order(ranking) if ties == "document" else ranking
