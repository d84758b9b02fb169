"""A base class for users' own readers, and a wrapper that checks what they return."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, get_args

from xcg.errors import InputError, XcgError
from xcg.gains.reader import EarlierView, JudgedDocument, Reader, Seen
from xcg.registry import Part
from xcg.user_model.relevance_value import ReaderClass, check_methods

T = TypeVar("T")


class DocumentReader:
    """A user who reads elements of one document; a subclass defines :meth:`gain_of`.

    It implements :class:`xcg.gains.reader.Reader`. Elements are identified by their rows in the tree.
    A subclass can override each method; xcg calls them for the following purposes. ``read`` and
    ``gain_of`` decide scores. ``raised_by`` and ``steps`` serve the greedy reference ``oracle``.
    The other methods serve explanations.

    Args:
        document: The document: its tree, the scores of elements, and the ideal elements.

    Attributes:
        document: The document.
        results: The rows of the results so far.
        gains: The gain of each result so far.
        steps: Number of elements that were visited to compute gains.

    >>> class Impatient(DocumentReader):
    ...     def gain_of(self, result):
    ...         return self.score(result) / (1 + len(self.results))
    >>> from xcg.documents.tree import ElementTree
    >>> tree = ElementTree.from_paths(["/s[1]/p[1]", "/s[1]/p[2]"])
    >>> reader = Impatient(JudgedDocument(tree, {0: 0.5, 1: 1.0}, ideal=[1]))
    >>> reader.read(0), reader.read(1)
    (0.5, 0.5)
    """

    def __init__(self, document: JudgedDocument) -> None:
        self.document = document
        self.results: list[int] = []
        self.gains: list[float] = []
        self.steps = 0

    def gain_of(self, result: int) -> float:
        """Return what an element would gain if it were read next, from 0."""
        raise NotImplementedError(f"{type(self).__name__} defines no gain_of")

    def read(self, result: int) -> float:
        """Read the next result and return its gain."""
        gain = self.gain_of(result)
        self.results.append(result)
        self.gains.append(gain)
        return gain

    def raised_by(self, result: int) -> Iterable[int]:
        """Return the elements that may gain more since the last result: by default, all."""
        return range(len(self.document.tree))

    def score(self, result: int) -> float:
        """Return the score of an element, whatever the user has seen."""
        return self.document.scores.get(result, 0.0)

    def value(self, result: int) -> float | None:
        """Return None: the gain has no other limit."""
        return None

    def related(self, result: int) -> list[int]:
        """Return the ideal elements at, above and below an element."""
        around, inside = self.document.related_ideals[result]
        return around + inside

    def remaining(self, ideal: int) -> float:
        """Return the score of an ideal element less the gains in it, from 0."""
        end = self.document.rows.end[ideal]
        inside = (
            gain for result, gain in zip(self.results, self.gains, strict=True) if ideal <= result < end
        )
        return max(0.0, self.document.ideal_scores[ideal] - math.fsum(inside))

    def seen(self, result: int) -> EarlierView:
        """Return how much of an element earlier results had shown, and which."""
        end = self.document.rows.end
        inside = []
        for number, earlier in enumerate(self.results):
            if earlier <= result < end[earlier]:
                return EarlierView("fully", [number])
            if result < earlier < end[result]:
                inside.append(number)
        return EarlierView("partly" if inside else "no", inside)


class CheckedReader:
    """A wrapper of a user's own reader that turns failures and illegal values into messages.

    It implements :class:`xcg.gains.reader.Reader`.

    Args:
        part: The class of the reader with its parameters.
        document: The document.

    Attributes:
        document: The document.
        results: The results so far.
        retrieved: The rows of the ideal elements that a result with a gain is or lies in.

    Raises:
        InputError: If the reader cannot be made or lacks a method.
    """

    def __init__(self, part: Part[ReaderClass], document: JudgedDocument) -> None:
        self.document = document
        self.results: list[int] = []
        self.retrieved: set[int] = set()
        self._part = part
        self._calls = 0
        self._reader: Reader[int] = self._checked(document.name, part.function, document)
        self._checked(document.name, check_methods, part, self._reader)

    @property
    def steps(self) -> int:
        """Number of calls plus the steps that the reader counts."""
        counted = getattr(self._reader, "steps", 0)
        return self._calls + (counted if isinstance(counted, int) else 0)

    def read(self, result: int) -> float:
        """Read the next result and return its gain."""
        gain = self._gain(result, self._reader.read)
        self.results.append(result)
        if gain > 0:
            self.retrieved.update(self.document.ideals_around(result))
        return gain

    def read_all(self, results: Sequence[int], seen: Sequence[Seen]) -> list[float]:
        """Read several results and return the gain of each."""
        return [self.read(result) for result in results]

    def gain_of(self, result: int) -> float:
        """Return what an element would gain if it were read next."""
        return self._gain(result, self._reader.gain_of)

    def raised_by(self, result: int) -> Iterable[int]:
        """Return the elements that may gain more since the last result."""
        return self._asked("raised_by", result, list)

    def score(self, result: int) -> float:
        """Return the score of an element, whatever the user has seen."""
        return self._asked("score", result, float)

    def value(self, result: int) -> float | None:
        """Return the relevance value before a limit, if the reader has one."""
        return self._asked("value", result, lambda found: None if found is None else float(found))

    def remaining(self, ideal: int) -> float:
        """Return what can still be gained from an ideal element."""
        return self._asked("remaining", ideal, float)

    def related(self, result: int) -> list[int]:
        """Return the ideal elements that an element can gain from."""
        found: list[int] = self._asked("related", result, list)
        for ideal in found:
            if ideal not in self.document.ideal_scores:
                message = f"related returned {ideal!r}: expected rows of ideal elements"
                raise self._error(self._where(result), message)
        return found

    def seen(self, result: int) -> EarlierView:
        """Return how much of an element earlier results had shown, and which."""
        where = self._where(result)
        view = self._checked(where, lambda: EarlierView(*self._reader.seen(result)))
        numbers = self._checked(where, lambda: sorted(view.earlier))
        if view.seen not in get_args(Seen) or set(numbers) - set(range(len(self.results))):
            raise self._error(
                where,
                f"seen returned {view.seen!r} and {numbers!r}: expected no, partly or fully, and the "
                "numbers of earlier results from 0",
            )
        return EarlierView(view.seen, numbers)

    def _gain(self, result: int, method: Callable[[int], float]) -> float:
        self._calls += 1
        where = self._where(result)
        gain = self._checked(where, lambda: float(method(result)))
        if not 0 <= gain < math.inf:
            raise self._error(where, f"returned the gain {gain}: expected a finite number from 0")
        return gain if gain >= self.document.threshold else 0.0

    def _asked(self, method: str, row: int, convert: Callable[[Any], T]) -> T:
        """Return what a method of the reader returns for a row, as a type."""
        return self._checked(self._where(row), lambda: convert(getattr(self._reader, method)(row)))

    def _where(self, row: int) -> str:
        return f"{self.document.name}, {self.document.tree.path(row)}"

    def _error(self, where: str, message: str) -> InputError:
        return InputError(where, f"reader {self._part}: {message}")

    def _checked(self, where: str, call: Callable[..., T], *arguments: Any) -> T:
        try:
            return call(*arguments)
        except InputError:
            raise
        except XcgError as error:
            raise InputError(where, str(error)) from None
        except Exception as error:  # a user's class may raise anything
            message = f"reader {self._part} failed: {type(error).__name__}: {error}"
            raise InputError(where, message) from None
