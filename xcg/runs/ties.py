"""Order tied results by document, and find scores that hardly order the results of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, islice, pairwise
from operator import ge, lt, ne

from xcg.errors import Notes
from xcg.runs.run import Ranking


def in_document_order(ranking: Ranking) -> Ranking:
    """Return a ranking whose tied results are ordered by document, then by path or start, descending.

    >>> ranking = Ranking.of([("ants", "/a[1]", None), ("bees", "/a[1]", None)], [1.0, 1.0], True)
    >>> list(in_document_order(ranking))
    [('bees', '/a[1]'), ('ants', '/a[1]')]
    """
    keys = ranking.keys
    if keys is None or all(map(ne, keys, islice(keys, 1, None))):
        return ranking
    group = list(accumulate((a != b for a, b in pairwise(keys)), initial=0))

    def element(position: int) -> tuple[object, ...]:
        span = ranking.spans.get(position, (0, 0))
        start = span[0] if isinstance(span[0], int) else 0
        return ranking.files[position], ranking.paths[position], start, str(span)

    rows = sorted(range(len(keys)), key=element, reverse=True)
    rows.sort(key=group.__getitem__)
    return ranking.select(rows)


def note_equal_scores(ranking: Ranking, where: str, notes: Notes) -> None:
    """Count a topic in which more than half of the scores are equal."""
    keys = ranking.keys
    if not ranking.has_scores or keys is None or len(keys) < 2:
        return
    middle = keys[len(keys) // 2]  # they are in order, so the most frequent one is there
    equal = sum(key == middle for key in keys)
    if 2 * equal > len(keys):
        notes.oddity(
            "topics in which more than half of the scores are equal",
            where,
            f"{equal} of {len(keys)} results have the score {middle:g}; the order of ties decides",
        )


def note_missing_keys(keys: Sequence[object], name: str, where: str, notes: Notes) -> int:
    """Count a topic in which only some results have a rank or score; return how many lack it."""
    missing = sum(key is None for key in keys)
    if 0 < missing < len(keys):
        message = f"{missing} of {len(keys)} results have no {name}, so it does not order them"
        notes.oddity(f"topics with a {name} of some results only", where, message)
    return missing


def note_contradiction(
    ranks: Sequence[float], scores: Sequence[float], where: str, notes: Notes, used: str
) -> None:
    """Count a topic in which a result has a better rank and a lower score than another one.

    Args:
        ranks: The rank of each result.
        scores: Its score.
        where: The file and the topic.
        notes: Where it is counted.
        used: What orders the results: ranks or scores.
    """
    if contradict(ranks, scores):
        notes.oddity(
            "topics in which ranks and scores contradict each other",
            where,
            f"a result has a better rank and a lower score than another one; the {used} are used",
        )


def contradict(ranks: Sequence[float], scores: Sequence[float]) -> bool:
    """Return whether a result has a better rank and a lower score than another one.

    >>> contradict([1, 2, 2], [0.5, 0.1, 0.5]), contradict([1, 2], [0.1, 0.5])
    (False, True)
    """
    if all(map(lt, ranks, islice(ranks, 1, None))) and all(map(ge, scores, islice(scores, 1, None))):
        return False
    by_rank = sorted(zip(ranks, (-score for score in scores), strict=True))
    return any(before > after for (_, before), (_, after) in pairwise(by_rank))
