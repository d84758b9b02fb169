"""Assessments of elements, a pair of grades or a level, and passages as tuples or dicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeGuard

from xcg.documents.text_search import Quote
from xcg.errors import InputError, nearest
from xcg.settings.schema import decimal

Grade = float | str

Scale = Literal["four-point", "coverage", "share", "level"]
"""Scales of assessments (exhaustivity, specificity). INEX 2003 and 2004: ``four-point``, both 0 to 3.
INEX 2002: ``coverage``, 0 to 3 and a letter. INEX since 2005: ``share``, 0 to 2 and the proportion of
highlighted text. TREC: ``level``, one number from -1000 to 1000."""


class Assessment(NamedTuple):
    """The assessment of one element for one topic.

    Attributes:
        exhaustivity: 0 to 3 (in 2002, the relevance); since 2005 0 to 2, where 0 means "too small"; on
            the scale of TREC the level, -1000 to 1000, which is relevant above 0.
        specificity: 0 to 3; in 2002 the coverage, one of the letters E, L, S, N; since 2005 the
            proportion of highlighted characters, 0 to 1; 1 for every level.
        characters: The element's size if the assessments state it.
        scale: The scale of the assessment.

    >>> Assessment(3, 1).relevant, Assessment(0, 0).relevant, Assessment(2, "N").relevant
    (True, False, False)
    """

    exhaustivity: float
    specificity: Grade
    characters: int | None = None
    scale: Scale = "four-point"

    @property
    def relevant(self) -> bool:
        """Whether e > 0 and s > 0, so that the element belongs to the full recall-base."""
        if isinstance(self.specificity, str):
            return self.exhaustivity > 0 and self.specificity != "N"
        return self.exhaustivity > 0 and self.specificity > 0

    @property
    def label(self) -> str:
        """The pair in the notation of the papers, ``(3,1)``; ``level 2`` on the scale of TREC."""
        if self.scale == "level":
            return f"level {number_text(self.exhaustivity)}"
        return f"({_short(self.exhaustivity)},{_short(self.specificity)})"


def _short(grade: Grade) -> str:
    return grade if isinstance(grade, str) else f"{grade:g}"


def number_text(value: float) -> str:
    """Return the shortest text of a number that is read as the same number.

    >>> number_text(2.0), number_text(1.5), number_text(0.1 + 0.2)
    ('2', '1.5', '0.30000000000000004')
    """
    return f"{value:.0f}" if float(value).is_integer() else repr(float(value))


def read_level(text: str) -> Assessment:
    """Return the assessment for a level in a text file, such as ``2``, ``1.5`` or ``1e-3``.

    Raises:
        ValueError: If the text is not a number from -1000 to 1000.
    """
    if math.isnan(level := decimal(text)):
        raise ValueError(f"illegal level {text[:40]!r}: expected a number from -1000 to 1000")
    return level_assessment(level)


def level_assessment(level: float) -> Assessment:
    """Return the assessment for a level of relevance or a rating.

    Args:
        level: A whole or real number.

    Raises:
        ValueError: If the level is not from -1000 to 1000.
    """
    if not -1000 <= level <= 1000:  # also refuses NaN
        stated = str(level).removesuffix(".0")[:40]
        raise ValueError(f"illegal level {stated}: expected a number from -1000 to 1000")
    return Assessment(float(level) + 0.0, 1.0, None, "level")  # -0.0 becomes 0.0


class DocumentSizes(NamedTuple):
    """The sizes that offset qrels state for a document, in characters.

    Attributes:
        relevant: Size of the relevant text. It can differ from the size of the passages.
        length: Length of the document's text.
    """

    relevant: int
    length: int


LEGAL_PAIRS = frozenset({(0, 0), *product((1, 2, 3), repeat=2)})
"""The ten legal pairs on the four-point scales, the set ES of Kazai and Lalmas (2006, section 3.3)."""


def check_pair(pair: object, legal: str = "a level") -> Assessment:
    """Return the assessment for an (e, s) pair on the four-point scales, or for a level.

    Args:
        pair: The pair, level or :class:`Assessment`.
        legal: What else is legal, for messages.

    Raises:
        ValueError: If the pair or level is illegal.
    """
    if isinstance(pair, Assessment):
        return pair
    if _is_level(pair):
        return level_assessment(pair)
    if isinstance(pair, Sequence) and not isinstance(pair, str) and tuple(pair) in LEGAL_PAIRS:
        return Assessment(float(pair[0]), float(pair[1]))
    expected = "expected a pair (e, s) with both 0 or both from 1 to 3"
    raise ValueError(f"illegal assessment {pair!r}: {expected}, or {legal}")


PlainPassage = Sequence[float] | Mapping[str, object]
"""A plain relevant passage: (start, end) or (start, end, level); or a dict with ``start`` and ``end``,
``exact`` or ``text`` (with optional ``prefix`` and ``suffix``), or both, and optionally ``level`` and
``nugget``."""

_KEYS = ("start", "end", "exact", "text", "prefix", "suffix", "level", "nugget")
_DEFAULT_LEVEL = 2.0


class ParsedPassage(NamedTuple):
    """The text, position, grade and nugget of a plain passage; the text or the position may be None."""

    quote: Quote | None
    span: tuple[int, int] | None
    exhaustivity: float
    nugget: str | None = None


def quote_of(record: Mapping[str, Any], where: str) -> Quote | None:
    """Return the quote of a record; None without one.

    Raises:
        InputError: If it has ``exact`` and ``text``, or context alone.
    """
    if "exact" in record and "text" in record:
        raise InputError(where, "the fields 'exact' and 'text': expected one of them")
    exact = record.get("exact", record.get("text"))
    if exact is None:
        for name in ("prefix", "suffix"):
            if name in record:
                raise InputError(where, f"the field {name!r} has no effect without 'exact'")
        return None
    return Quote(exact, record.get("prefix", ""), record.get("suffix", ""))


def are_passages(judged: object) -> TypeGuard[Sequence[PlainPassage]]:
    """Distinguish a list of passages from a pair of grades."""
    return isinstance(judged, (list, tuple)) and all(
        isinstance(passage, (list, tuple, Mapping)) for passage in judged
    )


def parse_passage(given: PlainPassage, where: str = "") -> ParsedPassage:
    """Return the parts of a plain passage.

    Args:
        given: The passage.
        where: Where it is stated, for messages.

    Raises:
        ValueError: If it is illegal.

    >>> parse_passage((0, 15)), parse_passage({"exact": "Bees dance.", "level": 1}).quote.exact
    (ParsedPassage(quote=None, span=(0, 15), exhaustivity=2.0, nugget=None), 'Bees dance.')
    """
    if isinstance(given, Mapping):
        return _parse_dict(given, where)
    start, end, level = (*given, _DEFAULT_LEVEL)[:3] if len(given) in (2, 3) else (None, None, None)
    if type(start) is not int or type(end) is not int or not _is_level(level):
        raise ValueError(f"illegal passage {given!r}: expected (start, end) or (start, end, level)")
    return ParsedPassage(None, (start, end), level_assessment(level).exhaustivity)


def _parse_dict(given: Mapping[str, Any], where: str) -> ParsedPassage:
    for key in given:
        if key not in _KEYS:
            raise ValueError(f"unknown key {key!r} of a passage: {nearest(str(key), _KEYS)}")
    illegal, quote = f"illegal passage {str(dict(given))[:200]}", quote_of(given, where)
    if ("start" in given) != ("end" in given) or (quote is None and "start" not in given):
        raise ValueError(f"{illegal}: expected 'start' and 'end', 'exact', or both")
    span = (given["start"], given["end"]) if "start" in given else None
    if span is not None and not all(type(offset) is int for offset in span):
        raise ValueError(f"{illegal}: expected integers in 'start' and 'end'")
    level = given.get("level", _DEFAULT_LEVEL)
    if not _is_level(level):
        raise ValueError(f"{illegal}: expected a number in 'level'")
    grade = level_assessment(level).exhaustivity
    if quote is not None and not all(isinstance(text, str) for text in quote):
        raise ValueError(f"{illegal}: expected text in 'exact', 'prefix' and 'suffix'")
    nugget = str(given["nugget"]) if "nugget" in given else None
    return ParsedPassage(quote, span, grade, nugget)


def _is_level(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)
