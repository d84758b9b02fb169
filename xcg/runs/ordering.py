"""Order results by rank or score, and ties by document; note orders that are likely wrong."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise
from operator import ge, le, lt, ne
from sys import intern
from typing import cast

from xcg.documents.paths import WHOLE
from xcg.errors import Notes
from xcg.runs.run import AnySpan, Ranking, Ties


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
    equal = keys.count(middle)
    if 2 * equal > len(keys):
        notes.oddity(
            "topics in which more than half of the scores are equal",
            where,
            f"{equal} of {len(keys)} results have the score {middle:g}; the order of ties decides",
        )


def note_whole_documents(rankings: Collection[Ranking], where: str, notes: Notes) -> None:
    """Count a run in which only some results are whole documents: others may have lost their path."""
    whole, all_results = sum(one.paths.count(WHOLE) for one in rankings), sum(map(len, rankings))
    if 0 < whole < all_results:
        kind = "runs with whole documents among elements or passages"
        message = f"{whole} of {all_results} results have no path and no start"
        notes.oddity(kind, where, f"{message}, so each is its whole document")


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

    >>> notes = Notes()
    >>> note_contradiction([1, 2, 2], [0.5, 0.1, 0.5], "", notes, "ranks")
    >>> notes.oddities()
    []
    """
    if all(map(lt, ranks, islice(ranks, 1, None))) and all(map(ge, scores, islice(scores, 1, None))):
        return
    by_rank = sorted(zip(ranks, (-score for score in scores), strict=True))
    if any(before > after for (_, before), (_, after) in pairwise(by_rank)):
        kind = "topics in which ranks and scores contradict each other"
        message = "a result has a better rank and a lower score than another one"
        notes.oddity(kind, where, f"{message}; the {used} are used")


@dataclass(slots=True)
class Results:
    """The results of a topic as columns in the order of the file.

    Attributes:
        files: The document of each result.
        paths: Its path; empty for a passage, or a result that names no element.
        spans: Index → span, of the passages.
        parents: Index → span of the parent, of the passages that have one.
        other_text: Index → what the stated text of a result has besides its span.
        ranks: The rank of each result, None without one; empty if the file states none.
        scores: The scores likewise.
    """

    files: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    spans: dict[int, AnySpan] = field(default_factory=dict)
    parents: dict[int, tuple[int, int]] = field(default_factory=dict)
    other_text: dict[int, str] = field(default_factory=dict)
    ranks: list[float | None] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)

    def add(self, file: str, path: str, span: AnySpan | None = None) -> None:
        """Add a result; equal names are one object."""
        if span is not None:
            self.spans[len(self.files)] = span
        self.files.append(intern(file))
        self.paths.append(intern(path))

    def ranking(
        self,
        where: str,
        notes: Notes,
        ties: Ties | None,
        score_name: str = "score",
        states_parents: bool = False,
    ) -> Ranking:
        """Return the results by rank if all have one, else by descending score if all have one.

        Args:
            where: The file and the topic.
            notes: Counts topics with ranks or scores of some results only, or in which they contradict
                each other.
            ties: The order of results with equal keys; by default that of the file.
            score_name: The name of a score in the file.
            states_parents: Whether the file states the parents of passages.
        """
        keys: array[float] | None = None
        for stated, name in ((self.ranks, "rank"), (self.scores, score_name)):
            if stated and None not in stated:
                keys = array("d", cast("list[float]", stated))
                break
            if (missing := stated.count(None)) < len(stated):
                message = (
                    f"{missing} of {len(stated)} results have no {name}, so it does not order them"
                )
                notes.oddity(f"topics with a {name} of some results only", where, message)
        is_score = keys is not None and stated is self.scores
        if keys is not None and not is_score and self.scores and None not in self.scores:
            note_contradiction(keys, cast("list[float]", self.scores), where, notes, "ranks")
        parents = self.parents if states_parents else None
        ranking = Ranking(self.files, self.paths, self.spans, keys, is_score, parents, self.other_text)
        if keys is not None and not all(map(ge if is_score else le, keys, islice(keys, 1, None))):
            order = sorted(range(len(keys)), key=keys.__getitem__, reverse=is_score)  # stable
            ranking = ranking.select(order)
        return in_document_order(ranking) if ties == "document" else ranking


def are_distances(topics: Mapping[str, Sequence[float | None]], name: str, notes: Notes) -> bool:
    """Return whether the numbers of a run's (chunk, number) pairs are distances.

    Numbers that increase in every topic are distances. Otherwise they are scores.

    Args:
        topics: Topic → the numbers of its pairs.
        name: The run's name, for the note.
        notes: A note is added if the numbers are not in decreasing order.
    """
    orders: dict[str, int] = {}  # 1: the numbers increase, -1: they decrease, 0: neither
    for topic, numbers in topics.items():
        stated = [number for number in numbers if number is not None]
        steps = [after - before for before, after in pairwise(stated)]
        if len(stated) == len(numbers) and any(steps):
            orders[topic] = (min(steps) >= 0) - (max(steps) <= 0)
    not_decreasing = [topic for topic, order in orders.items() if order >= 0]
    is_distance = set(orders.values()) == {1}
    if is_distance:
        notes.note(
            f"run {name}: the numbers of its (chunk, number) pairs increase with the rank, so they are "
            "read as distances; if they are scores, give the chunks by decreasing score"
        )
    elif not_decreasing:
        topic = min(not_decreasing, key=orders.__getitem__)
        notes.note(
            f"run {name}: the numbers of its (chunk, number) pairs are read as scores, but those of "
            f"topic {topic} do not decrease, so its chunks are sorted; give chunks without numbers to "
            "keep their order"
        )
    return is_distance
