"""Relevance values: what a result is worth to a user who has seen the results before it.

Kazai & Lalmas 2006, section 5.2. Everything is counted within one document: only results from the
same document can overlap or be near-misses of one another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from xcg.documents.tree import UNKNOWN, ElementTree, SizeUnit
from xcg.errors import MissingSizeError

Normalisation = Literal["subtree", "none"]
PartiallySeen = Literal["recursive", "capped"]
NearMisses = Literal["judged", "exact"]

NEGLIGIBLE = 1e-9
"""A gain below this is 0: rounding must not turn a used-up ideal element into a hit."""


@dataclass(frozen=True)
class RelevanceValue:
    """The relevance value function of a user model.

    alpha: the user's intolerance to what was seen before, 0 (ignores overlap) … 1 (rejects it).
    normalisation: ``subtree`` bounds what can be earned in and around an ideal element by its own
        score (equation 8); ``none`` lets every result stand for itself.
    partially_seen: ``recursive`` is equation 9 to the letter; ``capped`` bounds its value by the
        element's own quantised score.
    near_misses: ``judged`` rewards every relevant element; with ``exact`` only ideal elements gain
        anything. Whatever it gains, a result counts as seen.

    Raises ValueError for an alpha outside [0, 1].
    """

    alpha: float = 1.0
    normalisation: Normalisation = "subtree"
    partially_seen: PartiallySeen = "recursive"
    near_misses: NearMisses = "judged"

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha is {self.alpha}: expected a number from 0 to 1")


class JudgedDocument:
    """A document under one user model and topic: the tree, the scores, the ideal elements.

    scores: row → quantised score, for the elements that score above 0.
    ideal: the rows of the ideal elements.
    name: what messages call the document.
    """

    def __init__(
        self, tree: ElementTree, scores: Mapping[int, float], ideal: Sequence[int], name: str = ""
    ) -> None:
        self.tree = tree
        self.scores = scores
        self.ideal = sorted(ideal)
        self.name = name
        # Climbing is one Python step at a time, and lists answer those faster than arrays.
        self.parent = tree.parent.tolist()
        self.end = tree.end.tolist()

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """The child elements that are worth anything: with a score, or something below with one."""
        children: dict[int, list[int]] = {}
        reached: set[int] = set()
        for scored in self.scores:
            row = scored
            while row >= 0 and row not in reached:
                reached.add(row)
                children.setdefault(self.parent[row], []).append(row)
                row = self.parent[row]
        # Sums of floats depend on their order, which must not depend on the order of assessments.
        return {row: sorted(below) for row, below in children.items()}


class Reader:
    """A user who reads results from one document and remembers what was seen.

    Feed it the results in order of rank; :meth:`read` returns what each gains.

    >>> tree = ElementTree.from_paths(["/s[1]/p[1]", "/s[1]/p[2]"], {"/s[1]": 90, "/s[1]/p[1]": 30})
    >>> document = JudgedDocument(tree, {0: 0.5, 1: 0.25}, ideal=[0])
    >>> reader = Reader(document, RelevanceValue(alpha=1.0))
    >>> reader.read(1), reader.read(0), reader.read(1)
    (0.25, 0.0, 0.0)
    """

    def __init__(
        self,
        document: JudgedDocument,
        relevance_value: RelevanceValue,
        size: SizeUnit = "characters",
    ) -> None:
        self.document = document
        self.relevance_value = relevance_value
        self._alpha = relevance_value.alpha
        self._capped = relevance_value.partially_seen == "capped"
        self._size = size
        self._seen: set[int] = set()
        self._holds_seen: set[int] = set()
        self._used = dict.fromkeys(document.ideal, 0.0)
        self.retrieved: set[int] = set()
        """Rows of the ideal elements that count as retrieved (see effort-precision)."""

    def read(self, row: int) -> float:
        """Return the gain of the next result, xG[i] of equation 10, and remember it as seen."""
        gain = self._gain(row)
        self._remember(row)
        return gain

    def _gain(self, row: int) -> float:
        rule = self.relevance_value
        if rule.near_misses == "exact" and row not in self._used:
            return 0.0
        if rule.normalisation == "none":
            value = self._value_of_result(row)
            if value < NEGLIGIBLE:
                return 0.0
            if row in self._used:
                self.retrieved.add(row)
            return value
        around = self._ideal_at_or_above(row)
        related = around + self._ideal_below(row)
        left = sum(max(0.0, self.document.scores[i] - self._used[i]) for i in related)
        if left < NEGLIGIBLE:
            return 0.0  # whatever the value is; so it needs no sizes
        gain = min(self._value_of_result(row), left)
        if gain < NEGLIGIBLE:
            return 0.0
        for ideal in around:
            self._used[ideal] += gain
        self.retrieved.update(related)
        return gain

    def _value_of_result(self, row: int) -> float:
        """Return rv(c) of equation 9."""
        score = self.document.scores.get(row, 0.0)
        above = row
        while above >= 0:
            if above in self._seen:
                return (1 - self._alpha) * score
            above = self.document.parent[above]
        return self._value_below(row)

    def _value_below(self, row: int) -> float:
        """Return rv(c) for an element of which no ancestor was seen."""
        score = self.document.scores.get(row, 0.0)
        if row in self._seen:
            return (1 - self._alpha) * score
        if row not in self._holds_seen:
            return score
        value = self._alpha * self._unseen_share(row) + (1 - self._alpha) * score
        return min(value, score) if self._capped else value

    def _unseen_share(self, row: int) -> float:
        """Return the children's values, weighted by length: Σ rv(c_j)·|c_j| / |c|."""
        if self._alpha == 0:
            return 0.0  # needs no sizes
        worth = [(child, self._value_below(child)) for child in self.document.children.get(row, ())]
        total = sum(value * self._length(child) for child, value in worth if value > 0)
        length = self._length(row) if total > 0 else 0
        return total / length if length else 0.0

    def _length(self, row: int) -> int:
        tree = self.document.tree
        length = int(tree.sizes(self._size)[row])
        if length == UNKNOWN:
            raise MissingSizeError(
                f"{self.document.name}, {tree.paths[row]}",
                f"its size in {self._size} is not known; give the corpus, or assessments with sizes",
            )
        return length

    def _remember(self, row: int) -> None:
        self._seen.add(row)
        above = self.document.parent[row]
        while above >= 0 and above not in self._holds_seen:
            self._holds_seen.add(above)
            above = self.document.parent[above]

    def _ideal_at_or_above(self, row: int) -> list[int]:
        found = []
        while row >= 0:
            if row in self._used:
                found.append(row)
            row = self.document.parent[row]
        return found

    def _ideal_below(self, row: int) -> list[int]:
        ideal = self.document.ideal
        return ideal[bisect_left(ideal, row + 1) : bisect_left(ideal, self.document.end[row])]
