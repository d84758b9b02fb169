"""Convert offsets in a text to amounts of text in characters, words or tokens, and back."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Literal

from xcg.errors import XcgError
from xcg.lazy_modules import np, npt
from xcg.registry import FunctionRegistry, Part

TextUnit = Literal["characters", "words", "tokens"]
Tokenizer = Callable[[str], Sequence[int]]
"""A function that returns the offsets at which the tokens of a text start, in increasing order."""

TOKENIZERS: FunctionRegistry[Tokenizer] = FunctionRegistry("tokenizer", "xcg.tokenizer")


@TOKENIZERS.register("words_and_marks")
def words_and_marks(text: str) -> list[int]:
    """Return the start of every run of letters, digits and underscores, and of every other mark.

    >>> words_and_marks("It's 3.5 km.")
    [0, 2, 3, 5, 6, 7, 9, 11]
    """
    return [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]


class UnitConverter:
    """Converts offsets in a text to amounts of text in a unit, and back.

    The amount at an offset is the number of words or tokens before it. A word extends to the start of
    the next one, and the first extends back to the start of the text. An offset inside a word counts
    the fraction of the word before it, so the amounts of the parts of a text add up to that of the
    whole. A text without words counts as one word.

    Args:
        starts: Offsets at which words or tokens start, in increasing order.
        length: Number of characters of the text.

    >>> UnitConverter.of("one two  three", "words").amounts([0, 4, 9, 14]).tolist()
    [0.0, 1.0, 2.0, 3.0]
    >>> UnitConverter.of("one two", "words").amounts([2, 5]).tolist()
    [0.5, 1.3333333333333333]
    """

    def __init__(self, starts: npt.ArrayLike, length: int) -> None:
        after_first = np.asarray(starts, dtype=np.float64)[1:]
        offsets = np.concatenate([[0.0], after_first, [float(length)]])
        self._sorted_offsets = array("d", offsets.tobytes())  # faster to search for one offset
        self._offsets = np.frombuffer(self._sorted_offsets)
        self._amounts = np.arange(len(self._offsets), dtype=np.float64)

    @classmethod
    def of(cls, text: str, unit: TextUnit, tokenizer: Part[Tokenizer] | None = None) -> UnitConverter:
        """Return the converter for a text in words or tokens.

        Args:
            text: The text.
            unit: ``words`` or ``tokens``.
            tokenizer: The tokenizer for tokens; ``words_and_marks`` by default.

        Raises:
            XcgError: If the tokenizer fails or returns illegal offsets.
        """
        if unit == "words":
            return cls([match.start() for match in re.finditer(r"\S+", text)], len(text))
        part = tokenizer if tokenizer is not None else TOKENIZERS.part("words_and_marks")
        try:
            starts = np.asarray(part.function(text))
        except Exception as error:
            raise XcgError(f"tokenizer {part} failed: {type(error).__name__}: {error}") from None
        are_integers = starts.ndim == 1 and (not len(starts) or starts.dtype.kind in "iu")
        if not are_integers or (
            len(starts) and (starts[0] < 0 or starts[-1] >= len(text) or (np.diff(starts) <= 0).any())
        ):
            raise XcgError(
                f"tokenizer {part}: expected the offsets at which tokens start, increasing whole "
                f"numbers from 0 to {len(text) - 1}"
            )
        return cls(starts, len(text))

    def amounts(self, offsets: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the amounts of text before character offsets."""
        positions = np.asarray(offsets, dtype=np.float64)
        return np.asarray(np.interp(positions, self._offsets, self._amounts))

    def amount(self, offset: float) -> float:
        """Return the amount of text before one character offset, as :meth:`amounts` does."""
        offsets = self._sorted_offsets
        index = bisect_right(offsets, offset) - 1
        if index < 0:
            return 0.0
        if index >= len(offsets) - 1:
            return float(len(offsets) - 1)
        low = offsets[index]
        return 1.0 / (offsets[index + 1] - low) * (offset - low) + index

    def offsets(self, amounts: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the offsets before which there are given amounts of text."""
        positions = np.asarray(amounts, dtype=np.float64)
        return np.asarray(np.interp(positions, self._amounts, self._offsets))


class CharacterConverter(UnitConverter):
    """Converts offsets to characters, which changes nothing."""

    def __init__(self) -> None:
        """Do nothing: a table of offsets, as in the base class, would need the import of numpy."""

    def amounts(self, offsets: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the offsets."""
        return np.asarray(offsets, dtype=np.float64)

    def amount(self, offset: float) -> float:
        """Return the offset."""
        return float(offset)

    def offsets(self, amounts: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the amounts."""
        return np.asarray(amounts, dtype=np.float64)
