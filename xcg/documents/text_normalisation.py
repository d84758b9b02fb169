"""Normalise text for searching, and map the result back to the characters of the text.

Two texts are equal after normalisation if they differ only in white space, Unicode form, case,
quotation marks, dashes, ligatures and hyphenation.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from xcg.documents.tree import Ints
from xcg.lazy_modules import np, npt

_QUOTATION_MARKS = frozenset("\"'`´′″‘’‚‛“”„‟«»‹›〝〞＂＇")
_LETTERS = {"æ": "ae", "œ": "oe"}
_REDUNDANT = re.compile(r"(?<=[^\W\d_])-+(?=[^\W\d_])|(?<=-)-+|(?<=')'+")
"""Dashes between letters, which hyphenation adds, and repeated dashes and quotation marks."""


class NormalisedText(NamedTuple):
    """A normalised text.

    Attributes:
        text: The text after normalisation.
        offsets: For each of its characters, the offset of the original character.
    """

    text: str
    offsets: Ints


def normalise(text: str) -> NormalisedText:
    """Normalise a text; time and memory are linear.

    >>> normalise("“Co-operative\u00adly\ufb01lled”  —  n = 10–20")[0]
    "'cooperativelyfilled'-n=10-20"
    """
    pieces = {character: _normalised_character(character) for character in set(text)}
    found = text.translate({ord(character): piece for character, piece in pieces.items()})
    known, indexes = np.unique(code_points(text), return_inverse=True)
    lengths = np.array([len(pieces[chr(code)]) for code in known.tolist()], dtype=np.int64)
    offsets = np.repeat(np.arange(len(text)), lengths[indexes] if len(text) else 0)
    redundant = [match.span() for match in _REDUNDANT.finditer(found)]
    if redundant:
        kept = np.ones(len(found), dtype=bool)
        for start, end in redundant:
            kept[start:end] = False
        offsets, found = offsets[kept], _REDUNDANT.sub("", found)
    return NormalisedText(found, offsets)


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """Return the code point of each character of a text.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@cache
def _normalised_character(character: str) -> str:
    if character.isspace():
        return ""
    if character in _QUOTATION_MARKS:
        return "'"
    category = unicodedata.category(character)
    if category == "Pd" or character == "\u2212":  # the minus sign
        return "-"
    if category in ("Cf", "Cc"):  # soft hyphens, zero-width characters, form feeds
        return ""
    lower = unicodedata.normalize("NFKD", character).casefold()
    return "".join(
        _LETTERS.get(letter, letter)
        for letter in unicodedata.normalize("NFKD", lower)
        if not letter.isspace()
    )


def same_words(first: str, second: str) -> bool:
    r"""Return whether two texts are equal after normalisation and have words.

    >>> same_words("The  first", "the\nfirst"), same_words("first", "fist"), same_words(" ", "")
    (True, False, False)
    """
    if first == second:
        return bool(first.strip())
    words = normalise(first).text
    return bool(words) and words == normalise(second).text


def is_word_inside(text: str, offset: int) -> bool:
    """Return whether an offset is within a word of a script with capital letters, or within a number.

    Other scripts may write words without spaces. A capital letter after a small one starts a word,
    because titles and paragraphs of XML may follow each other without space.

    >>> is_word_inside("start", 2), is_word_inside("a start", 2), is_word_inside("cafe\u0301", 4)
    (True, False, True)
    >>> is_word_inside("ResultsBees", 7)
    False
    """
    if not 0 < offset < len(text):
        return False
    before, after = text[offset - 1], text[offset]
    if unicodedata.combining(after):
        return True
    if before.islower() and after.isupper():
        return False
    return _is_word_character(before) and _is_word_character(after)


def _is_word_character(character: str) -> bool:
    return (
        character.isdecimal()
        or character.lower() != character.upper()
        or bool(unicodedata.combining(character))
    )
