"""Relevance values: what a result is worth to a user who has seen the results before it.

Kazai & Lalmas 2006, section 5.2. Everything is counted within one document: only results from the
same document can overlap or be near-misses of one another.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from xcg.documents.tree import UNKNOWN, ElementTree, SizeUnit
from xcg.errors import InputError, MissingSizeError
from xcg.user_model.near_misses import exact
from xcg.user_model.parts import ignores_overlap_at_alpha_0
from xcg.user_model.relevance_value import RelevanceValue

NEGLIGIBLE = 1e-9
"""A gain below this is 0: rounding must not turn a used-up ideal element into a hit."""


class _Above(dict[int, tuple[int, ...]]):
    """Row → the rows above it, the parent first; kept, as many runs return the same elements."""

    def __init__(self, parent: list[int]) -> None:
        self._parent = parent

    def __missing__(self, row: int) -> tuple[int, ...]:
        climbed, up = [], self._parent[row]
        while up >= 0:
            climbed.append(up)
            up = self._parent[up]
        self[row] = rows = tuple(climbed)
        return rows


class JudgedDocument:
    """A document under one user model and topic: the tree, the scores, the ideal elements.

    scores: row → quantised score, for the elements that score above 0.
    ideal: the rows of the ideal elements.
    name: what messages call the document.
    near: row → (score as a near-miss, row of the ideal element that it is near to), see
        :func:`xcg.user_model.near_misses.near_scores`. ``scores`` then holds the larger of both.
    """

    def __init__(
        self,
        tree: ElementTree,
        scores: Mapping[int, float],
        ideal: Sequence[int],
        name: str = "",
        near: Mapping[int, tuple[float, int]] | None = None,
    ) -> None:
        self.tree = tree
        self.own_scores = scores
        """Row → score before anything was added for being near to an ideal element."""
        self.scores = dict(scores)
        self.near = near or {}
        self.ideal_scores = {row: self.scores[row] for row in ideal}
        """Row → score of the ideal elements: what can be earned in and around each."""
        for row, (score, _) in self.near.items():
            if row not in self.ideal_scores and score > self.scores.get(row, 0.0):
                self.scores[row] = score
        self.ideal = sorted(ideal)
        self.name = name
        self._related: dict[int, tuple[list[int], list[int]]] = {}
        self._sizes: dict[SizeUnit, list[int]] = {}

    # Climbing is one Python step at a time, and lists answer those faster than arrays.

    @cached_property
    def parent(self) -> list[int]:
        """The row of each element's parent, -1 for the root."""
        parent: list[int] = self.tree.parent.tolist()
        return parent

    @cached_property
    def end(self) -> list[int]:
        """The first row after each element's subtree."""
        end: list[int] = self.tree.end.tolist()
        return end

    @cached_property
    def above(self) -> Mapping[int, tuple[int, ...]]:
        """The rows above each row, the parent first."""
        return _Above(self.parent)

    def sizes(self, unit: SizeUnit) -> list[int]:
        """Return the sizes of all rows, -1 where one is not known."""
        if unit not in self._sizes:
            self._sizes[unit] = self.tree.sizes(unit).tolist()
        return self._sizes[unit]

    def span(self, row: int) -> tuple[int, int]:
        """Return the characters of an element; XcgError where only its path is known."""
        if self.tree.start[row] == UNKNOWN:
            raise MissingSizeError(
                f"{self.name}, {self.tree.path(row)}", "its text is not known; give the corpus"
            )
        return int(self.tree.start[row]), int(self.tree.stop[row])

    def related(self, row: int) -> tuple[list[int], list[int]]:
        """Return the ideal elements at or above a row, and all that are related to it.

        Kept as :attr:`above` is.
        """
        answer = self._related.get(row)
        if answer is None:
            around = [up for up in (row, *self.above[row]) if up in self.ideal_scores]
            first = bisect_left(self.ideal, row + 1)
            below = self.ideal[first : bisect_left(self.ideal, self.end[row], first)]
            if not around and not below and row in self.near:
                # A neighbour earns from the ideal element it is near to, as if it lay inside.
                around = [self.near[row][1]]
            answer = self._related[row] = around, around + below
        return answer

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
        self._exact = relevance_value.near_misses.function is exact
        self._arguments = [f"_{name}_of" for name in relevance_value.arguments]
        self._sizes: list[int] | None = None
        self._size = size
        self._ignores_overlap = self._alpha == 0 and ignores_overlap_at_alpha_0(
            relevance_value.partially_seen
        )
        self._earlier: list[int] = []
        self._taken_in = 0
        self._seen: set[int] = set()
        self._holds_seen: set[int] = set()
        self._worth = document.ideal_scores
        self._used = dict.fromkeys(document.ideal, 0.0)
        self.retrieved: set[int] = set()
        """Rows of the ideal elements that count as retrieved (see effort-precision)."""

    def left(self, ideal: int) -> float:
        """Return what is left to be earned in and around an ideal element."""
        return max(0.0, self._worth[ideal] - self._used[ideal])

    def seen_through(self, row: int) -> tuple[Literal["no", "partly", "fully"], list[int]]:
        """Return how much of an element was seen, and the earlier results that showed it."""
        self._look_back()
        for up in (row, *self.document.above[row]):
            if up in self._seen:
                return "fully", [up]
        inside = self._seen_inside(row)
        return ("partly", inside) if inside else ("no", [])

    def read(self, row: int) -> float:
        """Return the gain of the next result, xG[i] of equation 10, and remember it as seen."""
        gain = self._gain(row)
        self._earlier.append(row)
        return gain

    def _gain(self, row: int) -> float:
        rule = self.relevance_value
        if self._exact and row not in self._used:
            return 0.0
        if rule.normalisation == "none":
            value = self.value(row)
            if value < NEGLIGIBLE:
                return 0.0
            if row in self._used:
                self.retrieved.add(row)
            return value
        around, related = self.document.related(row)
        worth, used, left = self._worth, self._used, 0.0
        for ideal in related:
            rest = worth[ideal] - used[ideal]
            if rest > 0:
                left += rest
        if left < NEGLIGIBLE:
            return 0.0  # whatever the value is; so it needs no sizes
        gain = self.value(row)
        if gain < NEGLIGIBLE:
            return 0.0
        gain = min(gain, left)
        for ideal in around:
            used[ideal] += gain
        self.retrieved.update(related)
        return gain

    def value(self, row: int) -> float:
        """Return what an element is worth now, before any normalisation: rv(c) of equation 9."""
        if not self._earlier or self._ignores_overlap:
            return self.document.scores.get(row, 0.0)
        if self._taken_in < len(self._earlier):
            self._look_back()
        if not self._seen.isdisjoint(self.document.above[row]):
            return (1 - self._alpha) * self.document.scores.get(row, 0.0)
        return self._value_below(row)

    def _seen_inside(self, row: int) -> list[int]:
        """Return the earlier results that lie in an element, in document order."""
        return sorted(r for r in self._seen if row < r < self.document.end[row])

    def _value_below(self, row: int) -> float:
        """Return rv(c) for an element of which no ancestor was seen."""
        score = self.document.scores.get(row, 0.0)
        if row in self._seen:
            return (1 - self._alpha) * score
        if row not in self._holds_seen:
            return score
        arguments = [getattr(self, name)(row) for name in self._arguments]
        part = self.relevance_value.partially_seen
        try:
            value = float(part.function(*arguments))
        except Exception as error:
            message = f"overlap model {part} failed: {type(error).__name__}: {error}"
            raise InputError(self._where(row), message) from None
        if not 0 <= value < math.inf:
            message = f"overlap model {part} gives {value}: expected a number from 0"
            raise InputError(self._where(row), message)
        return value

    def _where(self, row: int) -> str:
        return f"{self.document.name}, {self.document.tree.path(row)}"

    # What an overlap model may ask for, each named as its argument.

    def _score_of(self, row: int) -> float:
        return self.document.scores.get(row, 0.0)

    def _alpha_of(self, row: int) -> float:
        return self._alpha

    def _tree_of(self, row: int) -> ElementTree:
        return self.document.tree

    def _result_of(self, row: int) -> str:
        return self.document.tree.path(row)

    def _earlier_of(self, row: int) -> list[str]:
        return [self.document.tree.path(earlier) for earlier in self._earlier]

    def _scores_of(self, row: int) -> dict[str, float]:
        return {self.document.tree.path(r): score for r, score in self.document.scores.items()}

    def _seen_of(self, row: int) -> float:
        """Return the share of an element's text that lies in earlier results."""
        seen, reached = 0, row
        # In document order what contains comes first, so each piece of text counts once.
        for inside in self._seen_inside(row):
            if inside >= reached:
                seen += self._length(inside)
                reached = self.document.end[inside]
        length = self._length(row) if seen else 0
        return seen / length if length else 0.0

    def _rest_of(self, row: int) -> float:
        """Return the children's values, weighted by length: Σ rv(c_j)·|c_j| / |c|."""
        total = 0.0
        for child in self.document.children.get(row, ()):
            value = self._value_below(child)
            if value > 0:
                total += value * self._length(child)
        length = self._length(row) if total > 0 else 0
        return total / length if length else 0.0

    def _length(self, row: int) -> int:
        if self._sizes is None:
            self._sizes = self.document.sizes(self._size)
        length = self._sizes[row]
        if length == UNKNOWN:
            raise MissingSizeError(
                self._where(row),
                f"its size in {self._size} is not known; give the corpus, or assessments with sizes",
            )
        return length

    def _look_back(self) -> None:
        """Take in the earlier results: not before a value is asked for, as many results need none."""
        for row in self._earlier[self._taken_in :]:
            self._seen.add(row)
            self._holds_seen.update(self.document.above[row])
        self._taken_in = len(self._earlier)
