"""The protocol of readers: users who read results from one document and remember what they saw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol, TypeVar

Seen = Literal["no", "partly", "fully"]
R = TypeVar("R")

RELATIVE_THRESHOLD = 1e-9
"""A gain below this share of the document's highest score is 0: a rounding error is not a hit."""


class EarlierView(NamedTuple):
    """What a reader saw of a result before it is read.

    Attributes:
        seen: How much of the result earlier results had shown.
        earlier: The numbers of these earlier results, from 0 in reading order.
    """

    seen: Seen
    earlier: list[int]


class Reader(Protocol[R]):
    """A user who reads results from one document in rank order.

    Results and ideal parts are identified by what the document has: rows of elements, or positions
    in its text and numbers of gold spans.
    """

    @property
    def steps(self) -> int:
        """Number of elements or pieces of text that gains were computed of so far.

        It grows with the time that the reader took.
        """

    def read(self, result: R) -> float:
        """Read the next result and return its gain, xG[i]."""

    def gain_of(self, result: R) -> float:
        """Return what a result would gain if it were read next, without reading it."""

    def raised_by(self, result: R) -> Iterable[R]:
        """Return the results that may gain more since a result was read, the last one that was read.

        All other results gain at most what they would have gained before.
        """

    def score(self, result: R) -> float:
        """Return what a result would gain if the user had seen nothing."""

    def value(self, result: R) -> float | None:
        """Return the relevance value of a result now; None if it plays no role or needs a size."""

    def related(self, result: R) -> list[int]:
        """Return the ideal elements or gold spans that a result can gain from."""

    def remaining(self, ideal: int) -> float:
        """Return what can still be gained from an ideal element or gold span."""

    def seen(self, result: R) -> EarlierView:
        """Return how much of a result earlier results had shown, and which."""
