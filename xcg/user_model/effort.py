"""How a user model counts effort: the parameters that effort-precision takes from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from xcg.documents.text_units import TOKENIZERS, Tokenizer
from xcg.registry import Part
from xcg.settings.schema import choice, key
from xcg.user_model.schema import part_type

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
        "Effort between two results.", choice(get_args(Interpolation)), "segment"
    )
    unretrieved: Unretrieved = key(
        "Effort of gain that a run does not reach.", choice(get_args(Unretrieved)), "uncredited"
    )
    unit: EffortUnit = key("What effort is counted in.", choice(get_args(EffortUnit)), "ranks")
    charge: Charge = key("When text is paid for.", choice(get_args(Charge)), "as_read")
    tokenizer: Part[Tokenizer] = key(
        "Splits text into tokens.",
        part_type(TOKENIZERS),
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
