"""The judgement of a document for a topic by an assessor, and its highlights.

Positions are characters (Unicode code points) of the document's text, ``tree.text`` of
``Corpus.tree(name)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from xcg.documents.text_search import Quote

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
    def placed(self) -> Highlights:
        """The highlights that have a position, by position."""
        return tuple(one for one in self.highlights if not one.is_lost)

    @property
    def lost(self) -> Highlights:
        """The highlights that have no position in the changed text of the document."""
        return tuple(one for one in self.highlights if one.is_lost)
