"""Normalisations: how much of its relevance value a result gains, given what ideal elements have left.

Near-misses share the value of the ideal elements that they are related to (Kazai and Lalmas 2006,
section 5.2.2). At first, an ideal element has its score left. A normalisation is a function

    (value, around, inside) → (gain, around afterwards, inside afterwards)

for one result. ``value`` is its relevance value, ``around`` what is left of the ideal elements that the
result is or lies in (or, for a near-miss beside an ideal element, what is left of this one), and
``inside`` what is left of the ideal elements inside the result. No left-over may grow. Keyword-only
arguments are parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xcg.errors import XcgError
from xcg.registry import FunctionRegistry, Part

LeftOvers = Sequence[float]
Normalisation = Callable[..., tuple[float, LeftOvers, LeftOvers]]
NORMALISATIONS: FunctionRegistry[Normalisation] = FunctionRegistry("normalisation", "xcg.normalisation")


@NORMALISATIONS.register("subtree", references=("kazai-lalmas-2006",))
def subtree(value: float, around: LeftOvers, inside: LeftOvers) -> tuple[float, LeftOvers, LeftOvers]:
    """Gain at most what is left; a result above ideal elements uses nothing up.

    gain = min(value, Σ around + Σ inside); the gain is taken from each of ``around`` (Kazai and Lalmas
    2006, equation 8).

    >>> subtree(0.75, [0.5], []), subtree(0.75, [], [0.5, 1.0])
    ((0.5, [0.0], []), (0.75, [], [0.5, 1.0]))
    """
    gain = min(value, sum(around) + sum(inside))
    return gain, [max(0.0, left - gain) for left in around], inside


@NORMALISATIONS.register("related", references=("kazai-lalmas-2006",))
def related(value: float, around: LeftOvers, inside: LeftOvers) -> tuple[float, LeftOvers, LeftOvers]:
    """Gain at most what is left; every result uses up the ideal elements that it is related to.

    gain = min(value, Σ around + Σ inside), taken from all of them in proportion to their left-overs
    (after Kazai and Lalmas 2006, footnote 10).

    >>> related(0.5, [], [0.25, 0.75])
    (0.5, [], [0.125, 0.375])
    """
    total = sum(around) + sum(inside)
    gain = min(value, total)
    kept = 1 - gain / total if total else 0.0
    return gain, [left * kept for left in around], [left * kept for left in inside]


@NORMALISATIONS.register("none")
def none(value: float, around: LeftOvers, inside: LeftOvers) -> tuple[float, LeftOvers, LeftOvers]:
    """Gain the relevance value: results stand for themselves.

    >>> none(0.75, [0.5], [])
    (0.75, [0.5], [])
    """
    return value, around, inside


def checked(part: Part[Normalisation]) -> Normalisation:
    """Return the function of a normalisation, which raises XcgError if a user's function is wrong."""
    if part.plain in (subtree, related, none):
        return part.function

    def check(value: float, around: LeftOvers, inside: LeftOvers) -> tuple[float, LeftOvers, LeftOvers]:
        before = [*around, *inside]
        try:
            found, *after = part.function(value, tuple(around), tuple(inside))
            gain, (left_around, left_inside) = float(found), [list(map(float, left)) for left in after]
            pairs = zip([*left_around, *left_inside], before, strict=True)
            is_legal = all(0 <= left <= earlier for left, earlier in pairs)
        except Exception as error:  # a user's function may raise anything
            raise XcgError(f"normalisation {part} failed: {type(error).__name__}: {error}") from None
        if not is_legal or not 0 <= gain < math.inf or len(left_around) != len(around):
            raise XcgError(
                f"normalisation {part} returned {(gain, left_around, left_inside)} for "
                f"{(value, list(around), list(inside))}: expected a finite gain from 0, and left-overs "
                "from 0 that did not grow"
            )
        return gain, left_around, left_inside

    return check
