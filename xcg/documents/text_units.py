"""How much text lies between two places of a document: in characters, words or tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.registry import FunctionRegistry, Part

if TYPE_CHECKING:
    import numpy.typing as npt

TextUnit = Literal["characters", "words", "tokens"]
Tokenizer = Callable[[str], Sequence[int]]
"""From a text to the characters at which its tokens begin, in order."""

TOKENIZERS: FunctionRegistry[Tokenizer] = FunctionRegistry("tokenizer", "xcg.tokenizer")


@TOKENIZERS.register("words_and_marks")
def words_and_marks(text: str) -> list[int]:
    """Take every run of letters, digits and underscores for a token, and every other mark.

    >>> words_and_marks("It's 3.5 km.")
    [0, 2, 3, 5, 6, 7, 9, 11]
    """
    return [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]


class Yardstick:
    """Measures text in a unit, so that a text cut in two measures what it did as a whole.

    A word or token reaches up to where the next begins, and the first one back to the beginning of the
    text; a place inside counts the share that lies before it. Text without any counts as one.

    >>> Yardstick.of("one two  three", "words").at([0, 4, 9, 14]).tolist()
    [0.0, 1.0, 2.0, 3.0]
    >>> Yardstick.of("one two", "words").at([2, 5]).tolist()
    [0.5, 1.3333333333333333]
    """

    def __init__(self, starts: npt.ArrayLike, length: int) -> None:
        later = np.asarray(starts, dtype=np.float64)[1:]
        self._places = np.concatenate([[0.0], later, [float(length)]])
        self._counts = np.arange(len(self._places), dtype=np.float64)

    @classmethod
    def of(cls, text: str, unit: TextUnit, tokenizer: Part[Tokenizer] | None = None) -> Yardstick:
        """Return the measure of a text; XcgError where the tokenizer fails or gives no places."""
        if unit == "words":
            return cls([match.start() for match in re.finditer(r"\S+", text)], len(text))
        part = tokenizer if tokenizer is not None else TOKENIZERS.part("words_and_marks")
        try:
            starts = np.asarray(part.function(text))
        except Exception as error:
            message = f"tokenizer {part} failed: {type(error).__name__}: {error}"
            raise XcgError(message) from None
        whole = starts.ndim == 1 and (not len(starts) or starts.dtype.kind in "iu")
        if not whole or (
            len(starts) and (starts[0] < 0 or starts[-1] >= len(text) or (np.diff(starts) <= 0).any())
        ):
            raise XcgError(
                f"tokenizer {part}: expected the places at which tokens begin, growing whole numbers "
                f"from 0 and below {len(text)}"
            )
        return cls(starts, len(text))

    def at(self, places: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return how much text lies before each of some characters."""
        return np.asarray(np.interp(np.asarray(places, dtype=np.float64), self._places, self._counts))

    def places(self, amounts: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the characters before which there are some amounts of text: the inverse of ``at``."""
        return np.asarray(np.interp(np.asarray(amounts, dtype=np.float64), self._counts, self._places))


class Characters(Yardstick):
    """Measures text in characters."""

    def __init__(self) -> None:
        super().__init__([], 1)

    def at(self, places: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the places themselves."""
        return np.asarray(places, dtype=np.float64)

    def places(self, amounts: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the amounts themselves."""
        return np.asarray(amounts, dtype=np.float64)
