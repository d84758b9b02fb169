"""Read elements: the gain of each result by what the user saw before (Kazai and Lalmas 2006, 5.2).

Everything is computed within one document: only results from the same document can overlap or be
near-misses of each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from xcg.documents.tree import UNKNOWN, ElementTree, SizeUnit
from xcg.errors import InputError, MissingSizeError, XcgError
from xcg.gains.document_reader import CheckedReader
from xcg.gains.reader import EarlierView, JudgedDocument, Seen
from xcg.runs.columns import FunctionCache
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import exact
from xcg.user_model.relevance_value import LeftOvers, RelevanceValue, checked, none

_NOTHING: tuple[float, LeftOvers, LeftOvers] = (0.0, (), ())
_INSIDE = frozenset({"score", "alpha", "rest", "seen"})
"""The arguments of overlap models that depend only on what was seen inside the result."""


class ElementReader:
    """A user who reads elements of one document in rank order.

    It implements :class:`xcg.gains.reader.Reader`. Results and ideal elements are rows of the tree.

    Args:
        document: The document.
        relevance_value: The relevance value function of the user model.
        size: The unit of element sizes.

    Attributes:
        results: The results so far.
        retrieved: The rows of the ideal elements that a result with a gain is or lies in. Without
            normalisation, where results stand for themselves, only those that are such a result.
        steps: Number of elements that were visited to compute gains.

    >>> tree = ElementTree.from_paths(["/s[1]/p[1]", "/s[1]/p[2]"], {"/s[1]": 90, "/s[1]/p[1]": 30})
    >>> document = JudgedDocument(tree, {0: 0.5, 1: 0.25}, ideal=[0])
    >>> reader = ElementReader(document, RelevanceValue(alpha=1.0))
    >>> reader.read(1), reader.read(0), reader.read(1)
    (0.25, 0.0, 0.0)
    """

    def __init__(
        self, document: JudgedDocument, relevance_value: RelevanceValue, size: SizeUnit = "characters"
    ) -> None:
        self.document = document
        self._ancestors = document.rows.ancestors
        self.relevance_value = relevance_value
        self.results: list[int] = []
        self.retrieved: set[int] = set()
        self.steps = 0
        self._alpha = relevance_value.alpha
        self._exact = relevance_value.near_misses.function is exact
        self._normalise = checked(relevance_value.normalisation)
        self._is_normalised = relevance_value.normalisation.plain is not none
        self._at_most_left = relevance_value.gains_at_most_left
        self._ignores_overlap = relevance_value.ignores_overlap
        self._size = size
        self._indexed = 0  # number of earlier results in the two dicts
        self._seen: dict[int, int] = {}  # row → number of the first result at this row
        self._seen_below: dict[int, list[int]] = {}  # row → children that were seen, at least in part
        self._left = dict(document.ideal_scores)
        self._left_of = self._left.__getitem__

    def read(self, result: int, seen: Seen | None = None) -> float:
        """Read the next result and return its gain, xG[i] of equation 10.

        Args:
            result: The element.
            seen: How much of it was seen before, if that is known.
        """
        gain, left_around, left_inside = self._gain(result, seen)
        if gain > 0:
            if self._is_normalised:
                around, inside = self.document.related_ideals[result]
                self._left.update(zip(around, left_around, strict=True))
                self._left.update(zip(inside, left_inside, strict=True))
                end = self.document.rows.end
                self.retrieved.update([one for one in around if one <= result < end[one]])
            elif result in self._left:
                self.retrieved.add(result)
        self.results.append(result)
        return gain

    def read_all(self, results: Sequence[int], seen: Sequence[Seen]) -> list[float]:
        """Read several results and return the gain of each.

        Args:
            results: The next results.
            seen: How much of each was seen before, see :class:`xcg.gains.reader.ElementRows`.
        """
        gains = [0.0] * len(results)
        scores, worthless = self.document.scores, self._alpha == 1 and self._at_most_left and "fully"
        for number, (result, seen_before) in enumerate(zip(results, seen, strict=True)):
            if seen_before != worthless and (result in scores or seen_before == "partly"):
                gains[number] = self.read(result, seen_before)
            else:  # it gains nothing
                self.results.append(result)
        return gains

    def gain_of(self, result: int) -> float:
        """Return what an element would gain if it were read next."""
        return self._gain(result)[0]

    def _gain(self, result: int, seen: Seen | None = None) -> tuple[float, LeftOvers, LeftOvers]:
        """Return a result's gain, and what is left afterwards of ideals around and inside it."""
        threshold = self.document.threshold
        self.steps += 1
        if self._exact and result not in self._left:
            return _NOTHING
        if not self._is_normalised:
            value = self._value(result, seen)
            return (value, (), ()) if value >= threshold else _NOTHING
        can_stop = self._alpha == 1 and self._at_most_left
        if can_stop and (seen == "fully" or (seen is None and self._is_fully_seen(result))):
            return _NOTHING  # a repeated root need not look at all ideal elements again
        related = self.document.related_ideals[result]
        around, inside = list(map(self._left_of, related[0])), list(map(self._left_of, related[1]))
        self.steps += len(around) + len(inside)
        if self._at_most_left and sum(around) + sum(inside) <= threshold:
            return _NOTHING  # whatever the value is, so it needs no sizes
        is_first = seen == "no"  # most results
        value = self.document.scores.get(result, 0.0) if is_first else self._value(result, seen)
        try:
            found = self._normalise(value, around, inside)
        except XcgError as error:
            raise InputError(self._where(result), str(error)) from None
        return found if found[0] >= threshold else _NOTHING

    def raised_by(self, result: int) -> Iterable[int]:
        """Return the elements that may gain more since the last result was read.

        Above it, values change from the score to that of the overlap model, which can be higher. Inside
        it, they change from that of the overlap model to (1 - α)·score.
        """
        if self._is_normalised and not self._at_most_left:
            return range(len(self.document.tree))  # a user's normalisation can raise any gain
        if self._ignores_overlap:
            return ()
        self._index_earlier()
        if not _INSIDE.issuperset(self.relevance_value.arguments):
            return list(self._seen_below)
        ancestors = self._ancestors[result]
        if self._seen[result] < len(self.results) - 1 or not self._seen.keys().isdisjoint(ancestors):
            return ()  # it was seen before
        return ancestors if self._alpha == 1 else [*ancestors, *self._partly_seen_inside(result)]

    def score(self, result: int) -> float:
        """Return the score of an element, whatever the user has seen."""
        return self.document.scores.get(result, 0.0)

    _score_of = score

    def value(self, result: int) -> float | None:
        """Return the relevance value before normalisation; None if it needs an unknown size.

        The evaluation computes a value only if it can change a gain, and fails there.
        """
        try:
            return self._value(result)
        except MissingSizeError:
            return None

    def related(self, result: int) -> list[int]:
        """Return the ideal elements that limit the gain of an element."""
        around, inside = self.document.related_ideals[result]
        return around + inside

    def remaining(self, ideal: int) -> float:
        """Return what can still be gained in and around an ideal element."""
        return self._left[ideal]

    def seen(self, result: int) -> EarlierView:
        """Return how much of an element earlier results had shown, and which."""
        self._index_earlier()
        for row in (result, *self._ancestors[result]):
            if row in self._seen:
                return EarlierView("fully", [self._seen[row]])
        inside = [self._seen[row] for row in self._seen_inside(result)]
        return EarlierView("partly" if inside else "no", sorted(inside))

    def _is_fully_seen(self, row: int) -> bool:
        if self._indexed < len(self.results):
            self._index_earlier()
        return row in self._seen or not self._seen.keys().isdisjoint(self._ancestors[row])

    def _value(self, row: int, seen: Seen | None = None) -> float:
        """Return rv(c) of equation 9."""
        score = self.document.scores.get(row, 0.0)
        if seen == "no" or self._ignores_overlap or not self.results:
            return score
        if seen == "fully" or (seen is None and self._is_fully_seen(row)):
            return (1 - self._alpha) * score
        if self._indexed < len(self.results):
            self._index_earlier()
        return self._value_without_seen_ancestor(row)

    def _value_without_seen_ancestor(self, row: int) -> float:
        score = self.document.scores.get(row, 0.0)
        if row in self._seen:
            return (1 - self._alpha) * score
        if row not in self._seen_below:
            return score
        arguments = [getattr(self, f"_{name}_of")(row) for name in self.relevance_value.arguments]
        part = self.relevance_value.partially_seen
        try:
            value = float(part.function(*arguments))
        except Exception as error:
            message = f"overlap model {part} failed: {type(error).__name__}: {error}"
            raise InputError(self._where(row), message) from None
        if not 0 <= value < math.inf:
            message = f"overlap model {part} returned {value}: expected a finite number from 0"
            raise InputError(self._where(row), message)
        return value

    def _where(self, row: int) -> str:
        return f"{self.document.name}, {self.document.tree.path(row)}"

    # The arguments of overlap models, each named after its argument.

    def _alpha_of(self, row: int) -> float:
        return self._alpha

    def _tree_of(self, row: int) -> ElementTree:
        return self.document.tree

    def _result_of(self, row: int) -> str:
        return self.document.tree.path(row)

    def _earlier_of(self, row: int) -> list[str]:
        return [self.document.tree.path(earlier) for earlier in self.results]

    def _scores_of(self, row: int) -> dict[str, float]:
        return {self.document.tree.path(r): score for r, score in self.document.scores.items()}

    def _seen_of(self, row: int) -> float:
        """Return the share of an element's text that earlier results had shown."""
        seen, end = 0, row
        for inside in self._seen_inside(row):
            if inside >= end:  # not inside the one before
                seen += self._length(inside)
                end = self.document.rows.end[inside]
        length = self._length(row) if seen else 0
        return seen / length if length else 0.0

    def _rest_of(self, row: int) -> float:
        """Return the values of the children weighted by length: Σ rv(c_j)·|c_j| / |c|."""
        total = 0.0
        children = self.document.scored_children.get(row, ())
        self.steps += len(children)
        for child in children:
            value = self._value_without_seen_ancestor(child)
            if value > 0:
                total += value * self._length(child)
        length = self._length(row) if total > 0 else 0
        return total / length if length else 0.0

    def _length(self, row: int) -> int:
        length = self.document.rows.sizes(self._size)[row]
        if length == UNKNOWN:
            raise MissingSizeError(
                self._where(row),
                f"its size in {self._size} is not known; give the corpus, or assessments with sizes",
            )
        return length

    def _seen_inside(self, row: int) -> list[int]:
        """Return the earlier results inside an element, in document order."""
        found = []
        rows = list(self._seen_below.get(row, ()))
        while rows:
            inside = rows.pop()
            if inside in self._seen:
                found.append(inside)
            rows += self._seen_below.get(inside, ())
            self.steps += 1
        return sorted(found)

    def _partly_seen_inside(self, row: int) -> list[int]:
        """Return the elements inside an element that were partly seen, but not as a whole."""
        found: list[int] = []
        rows = [row]
        while rows:
            inside = self._seen_below.get(rows.pop(), ())
            self.steps += len(inside)
            partly = [row for row in inside if row in self._seen_below and row not in self._seen]
            found += partly
            rows += partly
        return found

    def _index_earlier(self) -> None:
        """Index the results since the last call.

        Only values need the index, and many results need no value.
        """
        seen, seen_below = self._seen, self._seen_below
        for number, row in enumerate(self.results[self._indexed :], self._indexed):
            if row in seen:
                continue
            seen[row] = number
            child = row
            for above in () if row in seen_below else self._ancestors[row]:
                children = seen_below.setdefault(above, [])
                children.append(child)
                if len(children) > 1 or above in seen:
                    break  # its ancestors are already indexed
                child = above
        self._indexed = len(self.results)


def element_readers(
    documents: Mapping[str, JudgedDocument], model: UserModel
) -> FunctionCache[str, ElementReader | CheckedReader | None]:
    """Return document → its new reader; None for a document without scored elements."""
    return FunctionCache(lambda file: new_reader(documents[file], model) if file in documents else None)


def new_reader(document: JudgedDocument, model: UserModel) -> ElementReader | CheckedReader:
    """Return a reader of a document under a user model."""
    rule = model.relevance_value
    if rule.reader is not None:
        return CheckedReader(rule.reader, document)
    return ElementReader(document, rule, model.size)
