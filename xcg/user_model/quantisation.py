"""Quantisations: functions (exhaustivity, specificity) → score.

Scores are from 0 to 1. For levels of relevance (TREC), the quantisation is called with the level and
returns a gain, which can exceed 1. The quantisations of papers are tables.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from xcg.errors import XcgError
from xcg.judgements.assessment import Assessment, Grade, Scale, number_text
from xcg.registry import FunctionRegistry, Part

Quantisation = Callable[[float, Grade], float]
QUANTISATIONS: FunctionRegistry[Quantisation] = FunctionRegistry("quantisation", "xcg.quantisation")

MAX_GAIN = 1e100
"""The highest gain of a level. Sums and squares of gains must not overflow."""


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a float can hold. Booleans are not numbers."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, float)


class Table:
    """A quantisation given as a table; a pair that is not in the table scores 0.

    Args:
        table: Pair → score from 0 to 1. A pair is ``"e,s"``, ``(e, s)``, or ``"eC"`` with one of the
            coverages E, L, S, N of INEX 2002.
        summary: A description of the table.

    Raises:
        XcgError: If a pair or a score is illegal.

    >>> strict = Table({"3,3": 1})
    >>> strict(3, 3), strict(2, 3)
    (1.0, 0.0)
    """

    def __init__(self, table: Mapping[object, object], summary: str = "a table") -> None:
        self.__doc__, self.content = summary, dict(table)
        self._scores: dict[tuple[float, Grade], float] = {}
        for key, score in table.items():
            pair = _pair(key)
            if not (is_number(score) and 0 <= score <= 1):
                raise XcgError(f"the score of {key!r} is {score!r}: expected a number from 0 to 1")
            if pair in self._scores:
                raise XcgError(f"the pair {key!r} occurs twice")
            self._scores[pair] = float(score)
        by_coverage = any(isinstance(s, str) for _, s in self._scores)
        self.scale: Scale = "coverage" if by_coverage else "four-point"

    def __call__(self, exhaustivity: float, specificity: Grade) -> float:
        """Return the score of a pair."""
        return self._scores.get((exhaustivity, specificity), 0.0)

    def __str__(self) -> str:
        pairs = (
            f"{number_text(e)},{s if isinstance(s, str) else number_text(s)}" for e, s in self._scores
        )
        scores = map(number_text, self._scores.values())
        return "table(" + ", ".join(map("{}: {}".format, pairs, scores)) + ")"


class Gains:
    """A quantisation of levels of relevance: level → gain, from 0 to :data:`MAX_GAIN`.

    Levels must be equal to those of the mapping; nothing is interpolated. A level of 0 or below gains
    nothing if it is not in the mapping.

    Args:
        gains: Level → gain.
        summary: A description of the mapping.

    Raises:
        XcgError: If a level or gain is illegal; when called, if a level above 0 is not in the mapping.

    >>> gains = Gains({1: 1, 2: 10, 3: 100})
    >>> gains(2, 1), gains(0, 1)
    (10.0, 0.0)
    """

    scale: Scale = "level"

    def __init__(self, gains: Mapping[object, object], summary: str = "gains of levels") -> None:
        self.__doc__, self.content = summary, dict(gains)
        self._gains: dict[float, float] = {}
        for key, gain in gains.items():
            # The keys of JSON, such as those of a record, are texts.
            is_text = isinstance(key, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", key)
            level: Any = float(key) if is_text else key  # type: ignore[arg-type]
            if not (is_number(level) and -1000 <= level <= 1000):
                raise XcgError(f"illegal level {level!r}: expected a number from -1000 to 1000")
            if not (is_number(gain) and 0 <= gain <= MAX_GAIN):
                raise XcgError(
                    f"the gain of level {level} is {gain!r}: expected a number from 0 to {MAX_GAIN:g}"
                )
            self._gains[float(level)] = float(gain)

    def __call__(self, exhaustivity: float, specificity: Grade) -> float:
        """Return the gain of a level."""
        if exhaustivity in self._gains:
            return self._gains[exhaustivity]
        if exhaustivity > 0:
            known = ", ".join(map(number_text, sorted(self._gains)))
            raise XcgError(
                f"no gain for the level {number_text(exhaustivity)}: the mapping has {known}; expected "
                "all levels of the assessments, or the quantisation levels, whose gain is the level"
            )
        return 0.0

    def __str__(self) -> str:
        pairs = map(number_text, self._gains), map(number_text, self._gains.values())
        return "gains(" + ", ".join(map("{}: {}".format, *pairs)) + ")"


class Formula:
    """A quantisation given as a function.

    Args:
        scale: The scale of the assessments that it is for.
        function: (exhaustivity, specificity) → score.
        summary: A description of the function.

    >>> product = Formula("share", lambda e, s: e * s / 2, "e·s / 2")
    >>> product(2, 0.5)
    0.5
    """

    def __init__(self, scale: Scale, function: Callable[[float, float], float], summary: str) -> None:
        self.__doc__ = summary
        self.scale = scale
        self._function = function

    def __call__(self, exhaustivity: float, specificity: Grade) -> float:
        """Return the score of a pair."""
        return self._function(exhaustivity, float(specificity))


def quantise(part: Part[Quantisation], assessment: Assessment) -> float:
    """Return the score of an assessment.

    A function can declare the scale that it is for in an attribute ``scale``.

    Args:
        part: The quantisation.
        assessment: The assessment.

    Returns:
        The score from 0 to 1; for a level of relevance a gain from 0 to :data:`MAX_GAIN`.

    Raises:
        XcgError: If the quantisation is for another scale, fails, or returns an illegal score.
    """
    exhaustivity, specificity = assessment.exhaustivity, assessment.specificity
    scale = getattr(part.function, "scale", assessment.scale)
    if scale != assessment.scale:
        raise XcgError(
            f"quantisation {part} is for the {scale} scale, and {assessment.label} is on the "
            f"{assessment.scale} scale; choose one for the scale of these assessments"
        )
    if assessment.scale == "share" and exhaustivity not in (0, 1, 2):
        raise XcgError(
            f"{assessment.label}: exhaustivity is 0, 1 or 2 on the scale of INEX 2005; for passages "
            "with other levels, choose a quantisation of levels and spans: text"
        )
    try:
        is_of_level = assessment.scale == "level" and _takes_one_argument(part.function)
        grades = (exhaustivity,) if is_of_level else (exhaustivity, specificity)
        score = float(part.function(*grades))
    except XcgError as error:
        raise XcgError(f"quantisation {part}: {error}") from None
    except Exception as error:  # a user's function may raise anything
        raise XcgError(
            f"quantisation {part} failed on {assessment.label}: {type(error).__name__}: {error}"
        ) from None
    of_level = assessment.scale == "level"
    if not 0 <= score <= (MAX_GAIN if of_level else 1):
        expected = f"a gain from 0 to {MAX_GAIN:g}" if of_level else "a score from 0 to 1"
        raise XcgError(f"quantisation {part} gives {score} for {assessment.label}: expected {expected}")
    return score


def _takes_one_argument(function: Quantisation) -> bool:
    """Return whether a function can be called with a level alone."""
    try:
        inspect.signature(function).bind(1)
    except (TypeError, ValueError):  # it needs more arguments, or has no signature
        return False
    return True


def _pair(key: object) -> tuple[float, Grade]:
    if isinstance(key, tuple) and len(key) == 2:
        first, second = key
    elif isinstance(key, str) and "," in key:
        first, _, second = (part.strip() for part in key.partition(","))
    elif isinstance(key, str) and len(key.strip()) == 2:
        first, second = key.strip()[0], key.strip()[1]
    else:
        first = second = None
    if isinstance(second, str) and second.upper() in ("E", "L", "S", "N"):
        return _grade(first, key), second.upper()
    return _grade(first, key), _grade(second, key)


def _grade(value: object, key: object) -> float:
    try:
        grade = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        grade = math.nan
    if not 0 <= grade <= 3:
        raise XcgError(f"illegal pair {key!r}: expected 'e,s' like '3,3', both from 0 to 3")
    return grade


# Published quantisations


def _table(pairs_of: Mapping[float, str], summary: str) -> Table:
    """Return a table from score → pairs that have this score."""
    return Table({pair: score for score, pairs in pairs_of.items() for pair in pairs.split()}, summary)


_PUBLISHED: dict[str, dict[str, Quantisation]] = {
    "kazai-lalmas-2006": {
        "strict": _table({1: "33"}, "1 for (3,3), else 0 (Kazai & Lalmas 2006, equation 1)"),
        "gen": _table(
            {1: "33", 0.75: "23 32 31", 0.5: "13 22 21", 0.25: "12 11"},
            "generalised, prefers exhaustivity (Kazai & Lalmas 2006, equation 2)",
        ),
        "sog": _table(
            {1: "33", 0.9: "23", 0.75: "13 32", 0.5: "22", 0.25: "12 31", 0.1: "21 11"},
            "specificity-oriented generalised (Kazai & Lalmas 2006, equation 3)",
        ),
    },
    "malik-lalmas-fuhr-2005": {
        "e3_s321": _table({1: "33 32 31"}, "1 for e = 3 with any s above 0, else 0 (INEX 2004)"),
        "e3_s32": _table({1: "33 32"}, "1 for e = 3 with s = 2 or 3, else 0 (INEX 2004)"),
        "s3_e321": _table({1: "33 23 13"}, "1 for s = 3 with any e above 0, else 0 (INEX 2004)"),
        "s3_e32": _table({1: "33 23"}, "1 for s = 3 with e = 2 or 3, else 0 (INEX 2004)"),
    },
    "govert-kazai-2003": {
        "inex2002_strict": _table(
            {1: "3E"}, "1 for relevance 3 with exact coverage, else 0 (INEX 2002)"
        ),
        "inex2002_gen": _table(
            {1: "3E", 0.75: "2E 3L", 0.5: "1E 2L 2S", 0.25: "1S 1L"},
            "generalised for relevance and coverage (INEX 2002)",
        ),
    },
    "kazai-lalmas-inex-2005": {
        "inex2005_strict": Formula(
            "share", lambda e, s: float(e == 2 and s == 1), "1 for e = 2 and s = 1, else 0 (INEX 2005)"
        ),
        "inex2005_gen": Formula(
            "share", lambda e, s: e * s / 2, "e·s, halved to lie between 0 and 1 (INEX 2005)"
        ),
        "inex2005_genlifted": Formula(
            "share",
            lambda e, s: (e + 1) * s / 3,
            "(e + 1)·s, divided by 3 to lie between 0 and 1; rewards too small elements (INEX 2005)",
        ),
    },
    "lalmas-et-al-2007": {
        "inex2006_strict": Formula(
            "share", lambda e, s: float(s == 1), "1 for s = 1, else 0 (INEX 2006)"
        ),
        "inex2006_gen": Formula(
            "share", lambda e, s: s, "s, the share of highlighted text (INEX 2006)"
        ),
    },
    "": {
        "levels": Formula(
            "level",
            lambda level, _: max(float(level), 0.0),
            "the gain is the level of relevance (TREC)",
        )
    },
    "jarvelin-kekalainen-2002": {
        "jk_0_1_1_1": Gains(
            {1: 1, 2: 1, 3: 1}, "levels 1 to 3 gain 1 (Järvelin & Kekäläinen 2002, section 3.3)"
        ),
        "jk_0_0_0_1": Gains(
            {1: 0, 2: 0, 3: 1}, "level 3 gains 1 (Järvelin & Kekäläinen 2002, section 3.3)"
        ),
        "jk_0_1_2_3": Gains(
            {1: 1, 2: 2, 3: 3}, "levels 1 to 3 gain 1, 2, 3 (Järvelin & Kekäläinen 2002)"
        ),
        "jk_0_1_10_100": Gains(
            {1: 1, 2: 10, 3: 100},
            "levels 1 to 3 gain 1, 10, 100 (Järvelin & Kekäläinen 2002, section 3.3)",
        ),
    },
}
"""Source in ``xcg/report/references.bib`` → name → quantisation."""
for _reference, _quantisations in _PUBLISHED.items():
    for _name, _quantisation in _quantisations.items():
        QUANTISATIONS.register(_name, references=[_reference] if _reference else [])(_quantisation)
