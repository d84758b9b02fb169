"""Order the results of a topic by rank or score, for the readers of submissions and JSON Lines."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import islice
from operator import ge, le
from typing import cast

from xcg.errors import Notes
from xcg.runs.run import AnySpan, Ranking, Ties, sorted_order
from xcg.runs.ties import in_document_order, note_contradiction, note_equal_scores, note_missing_keys


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

    def __init__(self) -> None:
        self.files: list[str] = []
        self.paths: list[str] = []
        self.spans: dict[int, AnySpan] = {}
        self.parents: dict[int, tuple[int, int]] = {}
        self.other_text: dict[int, str] = {}
        self.ranks: list[float | None] = []
        self.scores: list[float | None] = []

    def add(self, file: str, path: str, span: AnySpan | None = None) -> None:
        """Add a result."""
        if span is not None:
            self.spans[len(self.files)] = span
        self.files.append(file)
        self.paths.append(path)

    def ranking(
        self,
        where: str,
        notes: Notes,
        ties: Ties | None,
        score_name: str = "score",
        states_parents: bool = False,
    ) -> tuple[Ranking, Sequence[int]]:
        """Return the results by rank if all have one, else by descending score if all have one.

        Args:
            where: The file and the topic.
            notes: Counts topics with ranks or scores of some results only, or in which they contradict
                each other, or with many equal scores.
            ties: The order of results with equal keys; by default that of the file.
            score_name: The name of a score in the file.
            states_parents: Whether the file states the parents of passages.

        Returns:
            The ranking, and the index of each of its results before ties are ordered.
        """
        order, keys, is_score = self._order(where, notes, score_name)
        parents = self.parents if states_parents else None
        ranking = Ranking(self.files, self.paths, self.spans, None, is_score, parents, self.other_text)
        if order is not None:
            ranking = ranking.select(order)
        ranking.keys = keys
        note_equal_scores(ranking, where, notes)
        found = in_document_order(ranking) if ties == "document" else ranking
        return found, order if order is not None else range(len(self.files))

    def _order(
        self, where: str, notes: Notes, score_name: str
    ) -> tuple[list[int] | None, array[float] | None, bool]:
        """Return the order, None for that of the file; the keys in it; whether these are scores."""
        for keys, name in ((self.ranks, "rank"), (self.scores, score_name)):
            if keys and None not in keys:
                break
            note_missing_keys(keys, name, where, notes)
        else:
            return None, None, False
        numbers, is_score = cast("list[float]", keys), keys is self.scores
        if not is_score and self.scores and None not in self.scores:
            note_contradiction(numbers, cast("list[float]", self.scores), where, notes, "ranks")
        if all(map(ge if is_score else le, numbers, islice(numbers, 1, None))):
            return None, array("d", numbers), is_score
        order = sorted_order(numbers, descending=is_score)
        return order, array("d", [numbers[index] for index in order]), is_score
