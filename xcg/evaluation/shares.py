"""What was found for pieces of an evaluation, and how the pieces are merged.

Problems are kept with the step at which they occurred. So several workers report them in the order in
which one worker would have met them, see :func:`merge_shares`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import NamedTuple

from xcg.errors import Notes, XcgError
from xcg.evaluation.division import Piece


class Phase(IntEnum):
    """The phases of scoring, in order."""

    READ_RUNS = 0
    REWRITE_RUNS = 1
    TOPICS = 2
    STANDARD_MEASURES = 3
    UNJUDGED_DOCUMENTS = 4


class Part(IntEnum):
    """The parts of the work on a topic, in order; the scores have one part for each user model."""

    ASSESSMENTS = 0
    RESULTS = 1
    SCORES = 2
    STANDARD_MEASURES = 3


class Step(NamedTuple):
    """A step of the work.

    Attributes:
        phase: The phase.
        item: The position of the topic, or the document without assessments.
        part: The part of the work on the topic; or the position of the topic, the position of the run
            and the rank of the first result with a problem in the document.
    """

    phase: Phase
    item: int | str = 0
    part: tuple[int, ...] = ()


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

    def add_topic(
        self,
        topic: str,
        value: float | None,
        aggregate_input: object,
        is_unknown_text: bool,
        with_max: float | None,
    ) -> None:
        """Add the value of one topic."""
        if value is not None:
            self.values[topic] = value
        if aggregate_input is not None:
            self.inputs.append(aggregate_input)
        if is_unknown_text:
            self.unknown_text.append(topic)
        if with_max is not None:
            self.with_max.append(with_max)

    def add(self, other: MeasureValues) -> None:
        """Add the values of later topics."""
        self.values.update(other.values)
        self.inputs += other.inputs
        self.unknown_text += other.unknown_text
        self.with_max += other.with_max


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
    standard: dict[tuple[str, str], float]
    repeated: int = 0


@dataclass
class Share:
    """What was found for a piece of the work.

    Attributes:
        piece: The piece.
        runs: The scored runs.
        without_ideal: For each user model, the topics without an ideal element.
        notes: The notes of each step.
        error: What stopped the work, if anything.
        error_step: The step at which it happened.
    """

    piece: Piece
    runs: list[ScoredRun] = field(default_factory=list)
    without_ideal: list[list[str]] = field(default_factory=list)
    notes: list[tuple[Step, Notes]] = field(default_factory=list)
    error: XcgError | None = None
    error_step: Step = field(default_factory=lambda: Step(Phase.READ_RUNS))


def merge_shares(shares: Sequence[Share], notes: Notes) -> list[Share]:
    """Return one share with all topics for each part of the runs, in the order of the runs.

    The notes are added in the order of one worker.

    Raises:
        XcgError: The error that one worker would have met first.
    """
    shares = sorted(shares, key=lambda share: (share.piece.runs.start, share.piece.topics.start))
    errors = [(share.error_step, share.error) for share in shares if share.error is not None]
    if errors:
        raise min(errors, key=itemgetter(0))[1]
    steps = [
        (step, number, found)
        for number, share in enumerate(shares)
        for step, found in share.notes
        if _is_first(step, share.piece)
    ]
    for _, _, found in sorted(steps, key=itemgetter(0, 1)):
        notes.take(found)
    return [
        _merge_topics(list(of_runs)) for _, of_runs in groupby(shares, key=attrgetter("piece.runs"))
    ]


def _is_first(step: Step, piece: Piece) -> bool:
    """Return whether no earlier piece finds the same in a step.

    All pieces with a topic find the same in its assessments, and all pieces with a run when they read
    it.
    """
    if step.phase == Phase.TOPICS:
        return step.part != (Part.ASSESSMENTS,) or piece.runs.start == 0
    return step.phase != Phase.READ_RUNS or piece.topics.start == 0


def _merge_topics(shares: Sequence[Share]) -> Share:
    """Merge shares with the same runs and consecutive topics."""
    first, *others = shares
    for share in others:
        first.without_ideal = [
            [*earlier, *later]
            for earlier, later in zip(first.without_ideal, share.without_ideal, strict=True)
        ]
        for run, other in zip(first.runs, share.runs, strict=True):
            run.standard.update(other.standard)
            for of_model, of_other in zip(run.values, other.values, strict=True):
                for values, found_values in zip(of_model, of_other, strict=True):
                    values.add(found_values)
    return first
