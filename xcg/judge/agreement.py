"""Compute the agreement of assessors, and find their disagreements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.judge.store import JudgedDocument


class AgreementRow(NamedTuple):
    """The agreement of assessors on one kind of unit.

    Attributes:
        topic: The topic; ``"all"`` for the units of all topics together.
        assessors: Two assessors, or all assessors of the topic.
        kind: ``documents``, ``elements``, ``characters`` or ``grades`` (of characters).
        units: Number of units that at least two of them judged.
        overlap: Units that all of them find relevant divided by those that any does; NaN if none.
        kappa: Cohen's kappa of two assessors; NaN for more, and if both always give the same label.
        alpha: Krippendorff's alpha, nominal; NaN if all labels are equal.
    """

    topic: str
    assessors: tuple[str, ...]
    kind: str
    units: int
    overlap: float
    kappa: float
    alpha: float


class DifferentSpan(NamedTuple):
    """Text that assessors judged differently.

    Attributes:
        start: First character.
        end: First character after the text.
        grades: Assessor → the grade; None if it is not highlighted, and an empty grade if it is
            highlighted without one.
    """

    start: int
    end: int
    grades: dict[str, str | None]


class DifferentDocument(NamedTuple):
    """A document that assessors judged differently.

    Attributes:
        topic: The topic.
        document: The document.
        relevant: Assessor → whether they found relevant text.
        spans: The text that they judged differently, in order.
        entry_points: Assessor → best entry point.
    """

    topic: str
    document: str
    relevant: dict[str, bool]
    spans: tuple[DifferentSpan, ...]
    entry_points: dict[str, int | None]


def agreement(judged: Iterable[JudgedDocument], corpus: Corpus) -> list[AgreementRow]:
    """Return the agreement of assessors on documents that both have finished."""
    raise NotImplementedError


def disagreements(judged: Iterable[JudgedDocument], topic: str) -> list[DifferentDocument]:
    """Return the documents of a topic that assessors judged differently."""
    raise NotImplementedError
