"""The assessment of an element: a pair of grades, or a level of relevance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from numbers import Real
from typing import Literal, NamedTuple

from xcg.errors import InputError

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


_LEVEL = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")


def read_level(text: str) -> Assessment:
    """Return the assessment for a level in a text file, such as ``2``, ``1.5`` or ``1e-3``.

    Raises:
        ValueError: If the text is not a number from -1000 to 1000.
    """
    if not _LEVEL.fullmatch(text):
        raise ValueError(f"illegal level {text[:40]!r}: expected a number from -1000 to 1000")
    return level_assessment(float(text))


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


LEGAL_PAIRS = frozenset({(0, 0), *product((1, 2, 3), repeat=2)})
"""The ten legal pairs on the four-point scales, the set ES of Kazai and Lalmas (2006, section 3.3)."""


def check_pair(pair: object, where: object, legal: str = "a level") -> Assessment:
    """Return the assessment for an (e, s) pair on the four-point scales, or for a level.

    Args:
        pair: The pair, level or :class:`Assessment`.
        where: File and line, for messages.
        legal: What else is legal, for messages.

    Raises:
        InputError: If the pair or level is illegal.
    """
    if isinstance(pair, Assessment):
        return pair
    if isinstance(pair, Real) and not isinstance(pair, bool):
        try:
            return level_assessment(pair)  # type: ignore[arg-type]
        except ValueError as error:
            raise InputError(where, str(error)) from None
    if isinstance(pair, Sequence) and not isinstance(pair, str) and tuple(pair) in LEGAL_PAIRS:
        return Assessment(float(pair[0]), float(pair[1]))
    raise InputError(
        where,
        f"illegal assessment {pair!r}: expected a pair (e, s) with both 0 or both from 1 to 3, "
        f"or {legal}",
    )
