"""The values of one run over all topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class TopicValue(NamedTuple):
    """The value of one measure for one run and topic.

    Attributes:
        value: The value; None if it is undefined.
        aggregate_input: What the mean needs if it is not the mean of the values.
        is_unknown_text: Whether it is undefined because the text of a result is unknown.
        with_max: The value with ``unretrieved=max``, if it can be another.
    """

    value: float | None
    aggregate_input: object = None
    is_unknown_text: bool = False
    with_max: float | None = None


@dataclass
class MeasureValues:
    """The values of one measure for one run.

    Attributes:
        values: Topic → value.
        inputs: What the mean needs of each topic if it is not the mean of the values.
        unknown_text: The topics without a value because the text of a result is unknown.
        with_max: The values with ``unretrieved=max``, if they can be others.
    """

    values: dict[str, float] = field(default_factory=dict)
    inputs: list[object] = field(default_factory=list)
    unknown_text: list[str] = field(default_factory=list)
    with_max: list[float] = field(default_factory=list)

    def add(self, topic: str, found: TopicValue) -> None:
        """Add the value of one topic."""
        if found.value is not None:
            self.values[topic] = found.value
        if found.aggregate_input is not None:
            self.inputs.append(found.aggregate_input)
        if found.is_unknown_text:
            self.unknown_text.append(topic)
        if found.with_max is not None:
            self.with_max.append(found.with_max)


class ScoredRun(NamedTuple):
    """The values of one run.

    Attributes:
        name: The name in the file, which other runs may have too, with the strategy.
        source: Where the run was read.
        strategy: The overlap strategy that rewrote the run; empty without one.
        answered: The topics with results.
        skipped: See :class:`Run`.
        values: One list per user model, with one entry per measure; empty without measures.
        standard: (topic, measure) → value of the standard measures.
        repeated: Number of results that repeat an earlier one of their topic; 0 for a greedy reference.
    """

    name: str
    source: str
    strategy: str
    answered: frozenset[str]
    skipped: frozenset[str]
    values: Sequence[Sequence[MeasureValues]]
    standard: Mapping[tuple[str, str], float]
    repeated: int = 0
