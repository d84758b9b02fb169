"""Overlap models, normalisations, and the sections of a user model: effort and relevance value.

A relevance value function decides how a result's gain depends on what was seen before.

Overlap models: the value of a result that the user has partly seen. Under any model, the value of an
unseen result is its score, and that of a fully seen result is (1 - α)·score. For a result that contains
earlier results, the overlap model computes the value. It is a function whose positional arguments are
named after what it uses:

    score     q, the quantised score of the result
    alpha     α, the user's intolerance to text that was seen before, from 0 to 1
    rest      Σ rv(c_j)·|c_j| / |c| over the result's child elements c_j: their values, weighted by size
    seen      the share of the result's text that was seen before, from 0 to 1
    tree      the document, an :class:`~xcg.ElementTree`; a networkx graph of rows
    result    the canonical path of the result
    earlier   the paths of the earlier results from this document, in rank order
    scores    path → quantised score of all elements of the document that score above 0

Keyword-only arguments are the model's parameters. The function returns the value, from 0.

Normalisations: how much of its relevance value a result gains, given what ideal elements have left.
Near-misses share the value of the ideal elements that they are related to (Kazai and Lalmas 2006,
section 5.2.2). At first, an ideal element has its score left. A normalisation is a function

    (value, around, inside) → (gain, around afterwards, inside afterwards)

for one result. ``value`` is its relevance value, ``around`` what is left of the ideal elements that the
result is or lies in (or, for a near-miss beside an ideal element, what is left of this one), and
``inside`` what is left of the ideal elements inside the result. No left-over may grow. Keyword-only
arguments are parameters.

A reader, which can replace all this, is a class, or a function that returns an object, which is called
with one document, :class:`xcg.gains.reader.JudgedDocument`, and implements
:class:`xcg.gains.reader.Reader`. A subclass of :class:`xcg.gains.document_reader.DocumentReader` has to
define only ``gain_of``.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from xcg.documents.text_units import TOKENIZERS, Tokenizer, approximate
from xcg.errors import XcgError, nearest
from xcg.registry import Between, FunctionRegistry, Part, PartType
from xcg.settings.schema import Choice, Number, key
from xcg.user_model.near_misses import NEAR_MISSES, NearMisses

PartiallySeen = Callable[..., float]
PARTIALLY_SEEN: FunctionRegistry[PartiallySeen] = FunctionRegistry("overlap model", "xcg.overlap_model")

ARGUMENTS = ("score", "alpha", "rest", "seen", "tree", "result", "earlier", "scores")


@PARTIALLY_SEEN.register("recursive", references=("kazai-lalmas-2006",))
def recursive(alpha: float, rest: float, score: float) -> float:
    """Add up the values of the child elements: α·rest + (1 - α)·q.

    Kazai and Lalmas 2006, equation 9.

    >>> recursive(alpha=1.0, rest=0.25, score=0.5)
    0.25
    """
    return alpha * rest + (1 - alpha) * score


@PARTIALLY_SEEN.register("capped")
def capped(alpha: float, rest: float, score: float) -> float:
    """Limit the value of ``recursive`` to the result's score: min(α·rest + (1 - α)·q, q).

    xcg's own.

    >>> capped(alpha=1.0, rest=0.75, score=0.5)
    0.5
    """
    return min(recursive(alpha, rest, score), score)


@PARTIALLY_SEEN.register("new_characters")
def new_characters(alpha: float, seen: float, score: float) -> float:
    """Reward the share of new text: (1 - α·seen)·q, as if relevant text were spread evenly.

    xcg's own, for comparison: Kazai and Lalmas 2006 (section 5.2.3) argue against it.

    >>> new_characters(alpha=1.0, seen=0.25, score=0.5)
    0.375
    """
    return (1 - alpha * seen) * score


@PARTIALLY_SEEN.register("first_seen_only")
def first_seen_only(alpha: float, score: float) -> float:
    """Treat a result as fully seen if any part of it was seen: (1 - α)·q.

    xcg's own.

    >>> first_seen_only(alpha=1.0, score=0.5)
    0.0
    """
    return (1 - alpha) * score


@PARTIALLY_SEEN.register("growing_alpha")
def growing_alpha(alpha: float, rest: float, seen: float, score: float) -> float:
    """Penalise overlap more if more was seen: ``recursive`` with α·seen instead of α.

    xcg's own.

    >>> growing_alpha(alpha=1.0, rest=0.25, seen=0.5, score=0.75)
    0.5
    """
    return recursive(alpha * seen, rest, score)


AT_MOST_SCORE = (capped, new_characters, first_seen_only)
"""The models whose value never exceeds the result's own score."""


def argument_names(part: Part[PartiallySeen]) -> tuple[str, ...]:
    """Return the names of an overlap model's positional arguments.

    Raises:
        XcgError: If the function cannot be inspected, or an argument is not in the list above.
    """
    try:
        parameters = inspect.signature(part.plain).parameters.values()
    except (TypeError, ValueError):
        raise XcgError(f"overlap model {part}: the names of its arguments are unknown") from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = tuple(parameter.name for parameter in parameters if parameter.kind in kinds)
    for name in names:
        if name not in ARGUMENTS:
            raise XcgError(
                f"overlap model {part}: unknown argument {name!r}: {nearest(name, ARGUMENTS)}"
            )
    return names


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
    """Gain the relevance value: results do not limit each other.

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


Interpolation = Literal["segment", "linear"]
"""How the rank is interpolated at which a cumulated gain curve reaches a level."""
Unretrieved = Literal["uncredited", "max"]
"""How ideal elements that a run does not retrieve count in the divisor of MAep and Q."""
EffortUnit = Literal["ranks", "characters", "words", "tokens"]
"""What effort is counted in: visited results, or units of read text."""
Charge = Literal["as_read", "whole"]
"""The order in which the text of a result is paid for: as it is read from the start, or text without a
gain first. With ``whole``, a result has been paid in full when it gains for the last time."""


@dataclass(frozen=True)
class Effort:
    """The effort of a user; a measure's own parameters override these.

    Attributes:
        interpolation: See :func:`xcg.measures.effort_precision`.
        unretrieved: See :func:`xcg.measures.mean_effort_precision`.
        unit: What effort is counted in: visited results, or units of read text.
        charge: How results that are scored as text are paid for: ``as_read``, or ``whole``. See
            :meth:`xcg.gains.span_reader.ReadResult.stretches`.
        tokenizer: Splits text into tokens, for the unit ``tokens``.
    """

    interpolation: Interpolation = key(
        "Effort between two results.", Choice(get_args(Interpolation)), "segment"
    )
    unretrieved: Unretrieved = key(
        "Effort of gain that a run does not reach.", Choice(get_args(Unretrieved)), "uncredited"
    )
    unit: EffortUnit = key("What effort is counted in.", Choice(get_args(EffortUnit)), "ranks")
    charge: Charge = key("When text is paid for.", Choice(get_args(Charge)), "as_read")
    tokenizer: Part[Tokenizer] = key(
        "Splits text into tokens.", PartType(TOKENIZERS), Part("approximate", approximate)
    )

    def parameters(self) -> dict[str, str]:
        """Return the parameters that measures take from the user model."""
        return {
            "interpolation": self.interpolation,
            "unretrieved": self.unretrieved,
            "effort": self.unit,
            "charge": self.charge,
        }


ReaderClass = Callable[..., Any]
READERS: FunctionRegistry[ReaderClass] = FunctionRegistry("reader", "xcg.reader")

READER_METHODS = ("read", "gain_of", "raised_by", "score", "value", "related", "remaining", "seen")
"""The methods of the protocol of readers."""
_HINT = "expected the methods of xcg.gains.reader.Reader, or a subclass of DocumentReader"


def check_methods(part: Part[ReaderClass], reader: object) -> None:
    """Raise XcgError if a reader, or its class, lacks a method of the protocol."""
    missing = [name for name in READER_METHODS if not callable(getattr(reader, name, None))]
    if missing:
        raise XcgError(f"reader {part} lacks {', '.join(missing)}: {_HINT}")


ALPHA = Between(0, 1)
"""The legal values of α."""


@dataclass(frozen=True)
class RelevanceValue:
    """The relevance value function of a user model (Kazai and Lalmas 2006, section 5.2).

    Args:
        alpha: Intolerance of the user to text that was seen before, from 0 (ignores overlap) to 1
            (rejects it).
        normalisation: The normalisation; see the module.
        partially_seen: The overlap model; see the module.
        near_misses: The near-miss model; see :mod:`xcg.user_model.near_misses`. Under
            ``exact`` only ideal elements gain. A result counts as seen whether it gains or not.
        reader: A class of the user that replaces all of the above.

    Raises:
        ValueError: If alpha is outside [0, 1], or another value is given with a reader.
        XcgError: If the overlap model has an argument that does not exist.
    """

    alpha: float = key("Intolerance of text that was seen before.", Number(0, 1), 1.0)
    normalisation: Part[Normalisation] = key(
        "How much related results can gain together.",
        PartType(NORMALISATIONS),
        factory=lambda: NORMALISATIONS.part("subtree"),
    )
    partially_seen: Part[PartiallySeen] = key(
        "The gain of a result of which a part was seen.",
        PartType(PARTIALLY_SEEN),
        factory=lambda: PARTIALLY_SEEN.part("recursive"),
    )
    near_misses: Part[NearMisses] = key(
        "The gain of results that are not ideal.",
        PartType(NEAR_MISSES),
        factory=lambda: NEAR_MISSES.part("judged"),
    )
    reader: Part[ReaderClass] | None = key(
        "A class of the user that replaces all of these keys.", PartType(READERS)
    )
    arguments: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The names of the overlap model's arguments."""
    gains_at_most_left: bool = field(init=False, repr=False, compare=False)
    """Whether no result gains more than what ideal elements have left."""
    ignores_overlap: bool = field(init=False, repr=False, compare=False)
    """Whether every result has its own score, so that the overlap model need not be called."""

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha is {self.alpha}: expected a number {ALPHA}")
        shipped = (recursive, growing_alpha, *AT_MOST_SCORE)
        ignores_overlap = self.alpha == 0 and self.partially_seen.plain in shipped
        at_most_left = self.normalisation.plain in (subtree, related)
        object.__setattr__(self, "arguments", argument_names(self.partially_seen))
        object.__setattr__(self, "ignores_overlap", ignores_overlap)
        object.__setattr__(self, "gains_at_most_left", at_most_left)
        replaced = (self.alpha, self.normalisation, self.partially_seen, self.near_misses)
        if self.reader is not None and replaced != _REPLACED:
            raise ValueError(
                f"the reader {self.reader} replaces the whole relevance value: remove the other keys, "
                "or make them parameters of the reader"
            )


_DEFAULT = RelevanceValue()
_REPLACED = (1.0, _DEFAULT.normalisation, _DEFAULT.partially_seen, _DEFAULT.near_misses)
"""Defaults of the keys that a reader replaces."""
