"""Rows of the store as its users see them."""

from __future__ import annotations

from typing import NamedTuple

from xcg.documents.text_search import Span
from xcg.judge.judgement import Judgement
from xcg.judge.reanchoring import Outcome, Part


class PoolDocument(NamedTuple):
    """A document that an assessor is asked to judge for a topic.

    Attributes:
        name: The document.
        results: Start and end of the results of the runs in it, in characters.
    """

    name: str
    results: tuple[Span, ...] = ()


class JudgedDocument(NamedTuple):
    """A judgement with its assessor, topic and document."""

    assessor: str
    topic: str
    document: str
    judgement: Judgement


class Move(NamedTuple):
    """What a change of a document's text did to a judgement.

    Attributes:
        assessor: The assessor.
        topic: The topic.
        document: The document.
        part: What has moved: a highlight, the best entry point, or the text of a document in which the
            assessor found nothing relevant.
        outcome: ``moved`` to the new position of its text; ``doubtful`` if it moved, but its words may
            be those of another passage; ``lost`` if its text was not found; ``changed`` for a document.
        id: The highlight; None for other parts.
        old: Start and end before the change; None for documents and parts that were lost before.
        new: Start and end after the change; None for documents and lost parts.
        text: The text before the change.
        time: When the change was found, in UTC.
        is_open: Whether the assessor has not checked it yet: a highlight until it is confirmed, changed
            or deleted, other parts until the next change of the judgement.
    """

    assessor: str
    topic: str
    document: str
    part: Part
    outcome: Outcome
    id: int | None
    old: Span | None
    new: Span | None
    text: str
    time: str
    is_open: bool
