"""Quantisations: functions (exhaustivity, specificity) → score.

Scores are from 0 to 1. For levels of relevance (TREC), the quantisation is called with the level and
returns a gain, which can exceed 1. The quantisations of papers are tables.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xcg.errors import XcgError
from xcg.judgements.assessment import Assessment, Grade, Scale, number_text
from xcg.registry import FunctionRegistry, Part
from xcg.settings.schema import is_number

Quantisation = Callable[[float, Grade], float]
QUANTISATIONS: FunctionRegistry[Quantisation] = FunctionRegistry("quantisation", "xcg.quantisation")

MAX_GAIN = 1e100
"""The highest gain of a level. Sums and squares of gains must not overflow."""


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

    def __init__(self, table: Mapping[Any, object], summary: str = "a table") -> None:
        self.__doc__, self.content = summary, dict(table)
        self._scores: dict[tuple[float, Grade], float] = {}
        for key, score in table.items():
            text = ",".join(map(str, key)) if isinstance(key, tuple) else str(key)
            found = _PAIR.fullmatch(text.upper())
            if found is None:
                raise XcgError(f"illegal pair {key!r}: expected 'e,s' like '3,3', both from 0 to 3")
            e, s = filter(None, found.groups())
            pair = float(e), s if s in "ELSN" else float(s)
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

    def __init__(self, gains: Mapping[Any, object], summary: str = "gains of levels") -> None:
        self.__doc__, self.content = summary, dict(gains)
        self._gains: dict[float, float] = {}
        for key, gain in gains.items():
            # The keys of JSON, such as those of a record, are texts.
            is_text = isinstance(key, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", key)
            level: Any = float(key) if is_text else key
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
    of_level = assessment.scale == "level"
    try:
        takes_level = of_level and _takes_one_argument(part.function)
        grades = (exhaustivity,) if takes_level else (exhaustivity, specificity)
        score = float(part.function(*grades))
    except XcgError as error:
        raise XcgError(f"quantisation {part}: {error}") from None
    except Exception as error:  # a user's function may raise anything
        raise XcgError(
            f"quantisation {part} failed on {assessment.label}: {type(error).__name__}: {error}"
        ) from None
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


_GRADE = r"([0-2](?:\.[0-9]+)?|3(?:\.0+)?)"
_PAIR = re.compile(rf"\s*{_GRADE}\s*,\s*(?:{_GRADE}|([ELSN]))\s*|([0-3])([0-3ELSN])")


# Published quantisations

_KL, _2002, _2004 = "kazai-lalmas-2006", "govert-kazai-2003", "malik-lalmas-fuhr-2005"
_2005, _2006, _JK = "kazai-lalmas-inex-2005", "lalmas-et-al-2007", "jarvelin-kekalainen-2002"
_GEN = {1: "33", 0.75: "23 32 31", 0.5: "13 22 21", 0.25: "12 11"}
_SOG = {1: "33", 0.9: "23", 0.75: "13 32", 0.5: "22", 0.25: "12 31", 0.1: "21 11"}
_GEN_2002 = {1: "3E", 0.75: "2E 3L", 0.5: "1E 2L 2S", 0.25: "1S 1L"}

_TABLES: Sequence[tuple[str, str, str, Mapping[float, str]]] = (
    ("strict", _KL, "1 for (3,3), else 0 (Kazai & Lalmas 2006, equation 1)", {1: "33"}),
    ("gen", _KL, "generalised, prefers exhaustivity (Kazai & Lalmas 2006, equation 2)", _GEN),
    ("sog", _KL, "specificity-oriented generalised (Kazai & Lalmas 2006, equation 3)", _SOG),
    ("e3_s321", _2004, "1 for e = 3 with any s above 0, else 0 (INEX 2004)", {1: "33 32 31"}),
    ("e3_s32", _2004, "1 for e = 3 with s = 2 or 3, else 0 (INEX 2004)", {1: "33 32"}),
    ("s3_e321", _2004, "1 for s = 3 with any e above 0, else 0 (INEX 2004)", {1: "33 23 13"}),
    ("s3_e32", _2004, "1 for s = 3 with e = 2 or 3, else 0 (INEX 2004)", {1: "33 23"}),
    ("inex2002_strict", _2002, "1 for relevance 3 with exact coverage, else 0 (INEX 2002)", {1: "3E"}),
    ("inex2002_gen", _2002, "generalised for relevance and coverage (INEX 2002)", _GEN_2002),
)
"""Name, source in ``xcg/report/references.bib``, summary, and score → pairs that have this score."""
for _name, _source, _summary, _pairs in _TABLES:
    _table = {pair: score for score, pairs in _pairs.items() for pair in pairs.split()}
    QUANTISATIONS.add(_name, Table(_table, _summary), references=(_source,))

for _name, _summary, _gains in (
    ("jk_0_1_1_1", "levels 1 to 3 gain 1 (Järvelin & Kekäläinen 2002, section 3.3)", (1, 1, 1)),
    ("jk_0_0_0_1", "level 3 gains 1 (Järvelin & Kekäläinen 2002, section 3.3)", (0, 0, 1)),
    ("jk_0_1_2_3", "levels 1 to 3 gain 1, 2, 3 (Järvelin & Kekäläinen 2002)", (1, 2, 3)),
    (
        "jk_0_1_10_100",
        "levels 1 to 3 gain 1, 10, 100 (Järvelin & Kekäläinen 2002, section 3.3)",
        (1, 10, 100),
    ),
):
    QUANTISATIONS.add(_name, Gains(dict(enumerate(_gains, 1)), _summary), references=(_JK,))


@QUANTISATIONS.register("inex2005_strict", scale="share", references=(_2005,))
def inex2005_strict(e: float, s: float) -> float:
    """1 for e = 2 and s = 1, else 0 (INEX 2005)."""
    return float(e == 2 and s == 1)


@QUANTISATIONS.register("inex2005_gen", scale="share", references=(_2005,))
def inex2005_gen(e: float, s: float) -> float:
    """e·s, halved to lie between 0 and 1 (INEX 2005)."""
    return e * s / 2


@QUANTISATIONS.register("inex2005_genlifted", scale="share", references=(_2005,))
def inex2005_genlifted(e: float, s: float) -> float:
    """(e + 1)·s, divided by 3 to lie between 0 and 1; rewards too small elements (INEX 2005)."""
    return (e + 1) * s / 3


@QUANTISATIONS.register("inex2006_strict", scale="share", references=(_2006,))
def inex2006_strict(e: float, s: float) -> float:
    """1 for s = 1, else 0 (INEX 2006)."""
    return float(s == 1)


@QUANTISATIONS.register("inex2006_gen", scale="share", references=(_2006,))
def inex2006_gen(e: float, s: float) -> float:
    """s, the share of highlighted text (INEX 2006)."""
    return s


@QUANTISATIONS.register("levels", scale="level")
def levels(level: float, _: Grade) -> float:
    """The gain is the level of relevance (TREC)."""
    return max(level, 0.0)
