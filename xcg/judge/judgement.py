"""The judgement of a document by an assessor, and the other records of a store.

Positions are characters (Unicode code points) of the document's text, ``tree.text`` of
``Corpus.tree(name)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from xcg.documents.text_search import Quote, Span

Status = Literal["placed", "moved", "lost"]

Highlights = tuple["StoredHighlight", ...]


class StoredHighlight(NamedTuple):
    """A passage that an assessor marked: characters start to end - 1 of a document's text.

    Attributes:
        id: A number that is unique in its judgement, at least 1.
        start: First character; 0 if the highlight is lost.
        end: First character after the passage, more than ``start``; 0 if the highlight is lost.
        grade: Its grade; None without one.
        quote: Its text, and the text before and after it.
        status: ``placed`` by the assessor; ``moved`` if the text of the document changed since, and the
            highlight was placed again by its quote, which the assessor should check; ``lost`` if its
            quote has no position in the changed text.
    """

    id: int
    start: int
    end: int
    grade: str | None
    quote: Quote
    status: Status = "placed"

    @property
    def is_lost(self) -> bool:
        """Whether the highlight has no position."""
        return self.status == "lost"


@dataclass(frozen=True)
class Judgement:
    """The highlights of a document, its best entry point, and whether the assessor has finished it.

    Attributes:
        version: 0 before the first change; each change increases it by 1.
        highlights: Lost highlights first, then the others by position. They do not overlap.
        entry_point: The character at which a reader should start; None without one.
        finished: Whether the assessor is done. A finished document without highlights is not relevant.
        can_undo: Whether there is a change that can be undone.
        can_redo: Whether there is an undone change that can be repeated.
    """

    version: int = 0
    highlights: Highlights = ()
    entry_point: int | None = None
    finished: bool = False
    can_undo: bool = False
    can_redo: bool = False

    @property
    def is_started(self) -> bool:
        """Whether there is a highlight or a best entry point."""
        return bool(self.highlights) or self.entry_point is not None

    @property
    def to_check(self) -> bool:
        """Whether a highlight has moved or is lost since the document changed."""
        return any(one.status != "placed" for one in self.highlights)

    @property
    def placed(self) -> Highlights:
        """The highlights that have a position, by position."""
        return tuple(one for one in self.highlights if not one.is_lost)

    @property
    def lost(self) -> Highlights:
        """The highlights that have no position in the changed text of the document."""
        return tuple(one for one in self.highlights if one.is_lost)


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


Part = Literal["highlight", "entry point", "document"]
Outcome = Literal["moved", "doubtful", "lost", "changed"]


class Change(NamedTuple):
    """What a change of the text did to a part of a judgement.

    Attributes:
        part: A highlight, the best entry point, or the text of a document without highlights.
        outcome: ``moved`` to the new position of its text; ``doubtful`` if it moved, but its words may
            be those of another passage; ``lost`` if its text was not found; ``changed`` for a document.
        id: The highlight; None for other parts.
        old: Start and end before the change; None for documents and parts that were lost before.
        new: Start and end after the change; None for documents and lost parts.
        text: The text before the change.
    """

    part: Part
    outcome: Outcome
    id: int | None = None
    old: Span | None = None
    new: Span | None = None
    text: str = ""


class Move(NamedTuple):
    """A change of a judgement by a change of the document's text.

    Attributes:
        assessor: The assessor.
        topic: The topic.
        document: The document.
        change: What has moved.
        time: When the change was found, in UTC.
        is_open: Whether the assessor has not checked it yet: a highlight until it is confirmed, changed
            or deleted, other parts until the next change of the judgement.
    """

    assessor: str
    topic: str
    document: str
    change: Change
    time: str
    is_open: bool
