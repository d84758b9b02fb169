"""The sections of a user model: its effort, and its relevance value function, or a user's reader.

A relevance value function decides how a result's gain depends on what was seen before. A reader is a
class, or a function that returns an object, which is called with one document,
:class:`xcg.gains.reader.JudgedDocument`, and implements :class:`xcg.gains.reader.Reader`.
Keyword-only arguments are parameters. A subclass of :class:`xcg.gains.document_reader.DocumentReader`
has to define only ``gain_of``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from xcg.documents.text_units import TOKENIZERS, Tokenizer
from xcg.errors import XcgError
from xcg.registry import Between, FunctionRegistry, Part
from xcg.settings.schema import Choice, Number, key
from xcg.user_model.near_misses import NEAR_MISSES, NearMisses
from xcg.user_model.overlap_models import (
    AT_MOST_SCORE,
    NORMALISATIONS,
    PARTIALLY_SEEN,
    Normalisation,
    PartiallySeen,
    argument_names,
    growing_alpha,
    recursive,
    related,
    subtree,
)
from xcg.user_model.schema import PartType

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
        "Splits text into tokens.",
        PartType(TOKENIZERS),
        factory=lambda: TOKENIZERS.part("approximate"),
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
        normalisation: The normalisation; see :mod:`xcg.user_model.overlap_models`.
        partially_seen: The overlap model; see :mod:`xcg.user_model.overlap_models`.
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

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha is {self.alpha}: expected a number {ALPHA}")
        object.__setattr__(self, "arguments", argument_names(self.partially_seen))
        replaced = (self.alpha, self.normalisation, self.partially_seen, self.near_misses)
        if self.reader is not None and replaced != _REPLACED:
            raise ValueError(
                f"the reader {self.reader} replaces the whole relevance value: remove the other keys, "
                "or make them parameters of the reader"
            )

    @cached_property
    def gains_at_most_left(self) -> bool:
        """Whether no result gains more than what ideal elements have left."""
        return self.normalisation.plain in (subtree, related)

    @cached_property
    def ignores_overlap(self) -> bool:
        """Whether every result has its own score, so that the overlap model need not be called."""
        shipped = (recursive, growing_alpha, *AT_MOST_SCORE)
        return self.alpha == 0 and self.partially_seen.plain in shipped


_DEFAULT = RelevanceValue()
_REPLACED = (1.0, _DEFAULT.normalisation, _DEFAULT.partially_seen, _DEFAULT.near_misses)
"""The values of the keys that a reader replaces, if they are not stated."""
