"""Records that a store returns: documents of pools, progress, judgements and moves."""

from __future__ import annotations

from collections.abc import Iterable
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


class Progress(NamedTuple):
    """The progress of an assessor in a topic, or in all.

    Attributes:
        finished: Number of finished documents.
        size: Number of documents to judge.
    """

    finished: int
    size: int

    @property
    def is_complete(self) -> bool:
        """Whether all documents are finished."""
        return self.finished >= self.size

    @classmethod
    def sum(cls, parts: Iterable[Progress]) -> Progress:
        """Return the progress in several topics together."""
        sums = cls(0, 0)
        for one in parts:
            sums = cls(sums.finished + one.finished, sums.size + one.size)
        return sums


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
