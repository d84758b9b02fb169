"""The order of a measure's values from best to worst."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Order(NamedTuple):
    """The order of a measure's values from best to worst.

    >>> Order(lower_is_better=True).best([5.2, 3.0]), HIGHER_IS_BETTER.best([5.2, 3.0])
    (3.0, 5.2)
    """

    lower_is_better: bool

    def sort_key(self, value: float) -> float:
        """Return a key that sorts better values first: ``sorted(values, key=order.sort_key)``."""
        return value if self.lower_is_better else -value

    def better(self, first: float, second: float) -> bool:
        """Return whether the first value is better than the second."""
        return self.sort_key(first) < self.sort_key(second)

    def best(self, values: Iterable[float]) -> float:
        """Return the best value; ValueError if there is none."""
        return min(values, key=self.sort_key)

    def rank(self, value: float, values: Iterable[float]) -> int:
        """Return the rank of a value among values, from 1; equal values share a rank.

        >>> [HIGHER_IS_BETTER.rank(value, [0.5, 0.7, 0.5]) for value in (0.7, 0.5)]
        [1, 2]
        """
        return 1 + sum(self.better(other, value) for other in values)


HIGHER_IS_BETTER = Order(lower_is_better=False)
