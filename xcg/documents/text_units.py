"""Measure text in characters, words or tokens, and keep sets of intervals of it."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from xcg.documents.files import read_input
from xcg.errors import InputError, XcgError, missing_extra
from xcg.lazy_modules import np, npt
from xcg.registry import FunctionRegistry, Part

LARGEST_TOKENIZER = 1 << 28
"""Maximum size of a tokenizer file: 256 MB."""

Position = TypeVar("Position", int, float)
"""Positions are integers in characters, and can be fractions in words or tokens."""


class IntervalSet(Generic[Position]):
    """A growing set of positions, stored as disjoint intervals in increasing order.

    >>> read: IntervalSet[int] = IntervalSet()
    >>> read.add(10, 20), read.add(15, 30)
    ([(10, 20)], [(20, 30)])
    >>> read.split(5, 15)
    [(5, 10, False), (10, 15, True)]
    """

    def __init__(self) -> None:
        self._starts: list[Position] = []
        self._ends: list[Position] = []

    def split(self, start: Position, end: Position) -> list[tuple[Position, Position, bool]]:
        """Split an interval where the set's intervals start and end.

        Returns:
            The pieces in order: start, end, and whether the piece is in the set.
        """
        if not self._ends or start >= self._ends[-1]:  # after all intervals
            return [(start, end, False)] if start < end else []
        pieces = []
        position = start
        index = bisect_right(self._ends, start)
        while position < end and index < len(self._starts) and self._starts[index] < end:
            low, high = max(self._starts[index], start), min(self._ends[index], end)
            if position < low:
                pieces.append((position, low, False))
            pieces.append((low, high, True))
            position = high
            index += 1
        if position < end:
            pieces.append((position, end, False))
        return pieces

    def amount(self, start: Position, end: Position) -> Position | int:
        """Return how much of an interval is in the set."""
        return sum(high - low for low, high, known in self.split(start, end) if known)

    def add(self, start: Position, end: Position) -> list[tuple[Position, Position]]:
        """Add an interval and return the pieces of it that are new."""
        new = [(low, high) for low, high, known in self.split(start, end) if not known]
        if new:
            # Intervals that touch are joined, which keeps their number minimal.
            first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
            if first < last:
                start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
            self._starts[first:last] = [start]
            self._ends[first:last] = [end]
        return new


TextUnit = Literal["characters", "words", "tokens"]
Tokenizer = Callable[[str], Sequence[float]]
"""A function that returns the offsets at which the tokens of a text start, in increasing order."""

_SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af"
)
"""Thai, Lao, Myanmar, Khmer, Hiragana, Katakana and Han, as a part of a character class."""
_HANGUL = "\u1100-\u115f\u3131-\u318e\ua960-\ua97f\uac00-\ud7a3\uffa0-\uffdc"
_JAMO = "\u1160-\u11ff\ud7b0-\ud7ff"
"""Vowels and final consonants of a decomposed syllable of Hangul."""


class Tokenizers(FunctionRegistry[Tokenizer]):
    """Tokenizers by name; a name that ends in ``.json`` is a file of the library tokenizers."""

    def part(
        self,
        name: str | Callable[..., Any],
        parameters: Mapping[str, object] | None = None,
        folder: Path | None = None,
    ) -> Part[Tokenizer]:
        """Return a tokenizer; the path of a file is relative to a folder.

        Raises:
            XcgError: If the name is unknown, or a file cannot be read or needs a missing library.
        """
        if isinstance(name, str) and name.endswith(".json"):
            return Part(name, FileTokenizer((folder or Path()) / name))
        return super().part(name, parameters, folder)


TOKENIZERS = Tokenizers("tokenizer", "xcg.tokenizer")


@TOKENIZERS.register("approximate")
def approximate(text: str) -> list[int]:
    """Estimate where the tokens of a language model start.

    Runs of letters and digits are split into tokens of up to 6 characters, Hangul of up to 2. Every
    other character that is not white space is a token, as is each character of Han, Hiragana, Katakana,
    Thai, Lao, Khmer and Myanmar. Combining marks are not counted.

    >>> approximate("It's 3.5 km.")
    [0, 2, 3, 5, 6, 7, 9, 11]
    >>> len(approximate("characteristic")), len(approximate("蜜蜂跳舞。"))
    (3, 5)
    """
    return [match.start() for match in _approximate_tokens().finditer(text)]


@cache
def _approximate_tokens() -> re.Pattern[str]:
    codes = chain(range(0x20000), range(0xE0100, 0xE01F0))
    marks = "".join(chr(code) for code in codes if unicodedata.category(chr(code))[0] == "M") + _JAMO
    letter, syllable = rf"[^\W_{_SINGLE}{_HANGUL}{marks}]", f"[{_HANGUL}]"
    return re.compile(
        rf"(?:{letter}[{marks}]*){{1,6}}|(?:{syllable}[{marks}]*){{1,2}}|[^\s{marks}][{marks}]*"
    )


def is_unspaced(text: str) -> bool:
    """Return whether most letters of a text are of scripts that are written without spaces."""
    single = len(re.findall(f"[{_SINGLE}]", text))
    return 2 * single > len(re.findall(r"\w", text))


class FileTokenizer:
    """Finds the tokens of a tokenizer file of the library tokenizers.

    Several tokens of one character share it equally.

    Args:
        path: The file.

    Raises:
        XcgError: If the file cannot be read, or the library is missing.
    """

    def __init__(self, path: Path) -> None:
        try:
            from tokenizers import Tokenizer as Library
        except ImportError:
            raise missing_extra("a tokenizer file", "tokenizers", "tokens") from None
        try:
            content = read_input(path, LARGEST_TOKENIZER, "a tokenizer file")
            self._tokenizer: Any = Library.from_str(content.decode())
        except Exception as error:  # the library raises Exception
            problem = f"{path}: not a file of the library tokenizers: {error}"
            raise XcgError(str(error) if isinstance(error, InputError) else problem) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def __call__(self, text: str) -> list[float]:
        """Return where the tokens of a text start."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        starts: list[float] = []
        for (start, end), group in groupby(offset for offset in offsets if offset[0] < offset[1]):
            count = len(list(group))
            starts += [start + (end - start) * number / count for number in range(count)]
        return sorted(set(starts))


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
            tokenizer: The tokenizer for tokens; ``approximate`` by default.

        Raises:
            XcgError: If the tokenizer fails or returns illegal offsets.
        """
        if unit == "words":
            return cls([match.start() for match in re.finditer(r"\S+", text)], len(text))
        part = tokenizer or Part("approximate", approximate)
        try:
            starts = np.asarray(part.function(text))
        except Exception as error:
            raise XcgError(f"tokenizer {part} failed: {type(error).__name__}: {error}") from None
        are_numbers = starts.ndim == 1 and (not len(starts) or starts.dtype.kind in "iuf")
        if not are_numbers or (
            len(starts) and (starts[0] < 0 or starts[-1] >= len(text) or (np.diff(starts) <= 0).any())
        ):
            expected = f"increasing numbers from 0 to {len(text) - 1}"
            raise XcgError(f"tokenizer {part}: expected the offsets at which tokens start, {expected}")
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
