"""Store texts as columns of numbers, which refer to names that are stored once."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Names(dict[str, int]):
    """Different texts, numbered in the order of their first use.

    >>> names = Names()
    >>> names["bees"], names["ants"], names["bees"], names.texts
    (0, 1, 0, ['bees', 'ants'])
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = list(dict.fromkeys(texts))
        super().__init__(zip(self.texts, range(len(self.texts)), strict=True))

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self.texts)
        self.texts.append(text)
        return number

    def __reduce__(self) -> tuple[type[Names], tuple[list[str]]]:
        """Support pickling."""
        return Names, (self.texts,)

    def column(self, texts: Iterable[str]) -> NameColumn:
        """Return texts as a column of their numbers; a column with these names as it is."""
        if isinstance(texts, NameColumn) and texts.names is self:
            return texts
        return NameColumn(self, array("i", [*map(self.__getitem__, texts)]))  # faster than an iterator


@dataclass(slots=True, eq=False, repr=False)
class NameColumn(Sequence[str]):
    """A sequence of texts, stored as numbers.

    >>> column = Names().column(["bees", "ants", "bees"])
    >>> list(column), column[2], column.count("bees"), column.numbers.tolist()
    (['bees', 'ants', 'bees'], 'bees', 2, [0, 1, 0])
    """

    names: Names
    numbers: array[int]

    def __getitem__(self, index: Any) -> Any:
        found, texts = self.numbers[index], self.names.texts
        return [texts[number] for number in found] if isinstance(index, slice) else texts[found]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return map(self.names.texts.__getitem__, self.numbers)

    def count(self, text: str) -> int:
        """Return how often a text occurs."""
        return self.numbers.count(self.names[text]) if text in self.names else 0

    def select(self, positions: Iterable[int]) -> NameColumn:
        """Return the texts at some positions."""
        return NameColumn(self.names, array("i", map(self.numbers.__getitem__, positions)))


class FunctionCache(dict[Key, Value]):
    """The results of a function of one argument, each computed once.

    Looking up a known argument costs less than a call of ``functools.cache``.

    >>> names = FunctionCache(str.upper)
    >>> names["bees"], dict(names)
    ('BEES', {'bees': 'BEES'})
    """

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[Key], Value]) -> None:
        self._function = function

    def __missing__(self, argument: Key) -> Value:
        self[argument] = result = self._function(argument)
        return result


def finite_number(value: Any) -> float | None:
    """Return a finite number as float, and None for anything else, including texts and booleans."""
    if isinstance(value, (str, bytes)) or "bool" in type(value).__name__:  # numpy has its own
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
