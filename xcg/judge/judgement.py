"""The judgement of a document by an assessor, and the other records of a store.

Positions are characters (Unicode code points) of the document's text, ``tree.text`` of
``Corpus.tree(name)``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

from xcg.documents.text_search import Location, Quote, Span, TextIndex
from xcg.errors import XcgError
from xcg.formats.placing import MovedPassage, compare_with_neighbours

Status = Literal["placed", "moved", "lost"]

Highlights = tuple["StoredHighlight", ...]

CONTEXT = 60
"""Characters of the prefix and the suffix of a quote."""


class DamagedError(ValueError):
    """A store contains values that xcg does not write."""


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
        nugget: The fact of the topic that it states; None if the assessor names none.
    """

    id: int
    start: int
    end: int
    grade: str | None
    quote: Quote
    status: Status = "placed"
    nugget: str | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the highlight has no position."""
        return self.status == "lost"


@dataclass(frozen=True)
class Judgement:
    """The highlights of a document, and whether the assessor has finished it.

    Attributes:
        version: 0 before the first change; each change increases it by 1.
        highlights: Lost highlights first, then the others by position. They do not overlap.
        finished: Whether the assessor is done. A finished document without highlights is not relevant.
        note: What the assessor remarks.
        unsure: Whether the assessor doubts the judgement.
        skipped: Whether the assessor has passed the document over.
        seconds: How long the assessor has worked on the document.
        words_marked: Whether the page marked the words of the topic when a change was made.
        text_changed: Whether the last change was one of the document's text.
        can_undo: Whether there is a change that can be undone.
        can_redo: Whether there is an undone change that can be repeated.
    """

    version: int = 0
    highlights: Highlights = ()
    finished: bool = False
    note: str = ""
    unsure: bool = False
    skipped: bool = False
    seconds: int = 0
    words_marked: bool = False
    text_changed: bool = False
    can_undo: bool = False
    can_redo: bool = False

    @property
    def is_started(self) -> bool:
        """Whether the assessor has stated anything except that the document is finished."""
        has_remarks = bool(self.note) or self.unsure or self.skipped
        return bool(self.highlights) or has_remarks

    @property
    def to_check(self) -> bool:
        """Whether the assessor should check the judgement, because the text has changed."""
        is_moved = any(one.status != "placed" for one in self.highlights)
        return is_moved or (self.text_changed and self.finished and not self.highlights)

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

    @classmethod
    def sum(cls, parts: Iterable[Progress]) -> Progress:
        """Return the progress in several topics together."""
        return cls(*map(sum, zip((0, 0), *parts, strict=True)))


class JudgedDocument(NamedTuple):
    """A judgement with its assessor, topic and document."""

    assessor: str
    topic: str
    document: str
    judgement: Judgement


class Decision(NamedTuple):
    """What a disagreement of assessors was decided to be.

    Attributes:
        label: The label, as the assessors give one: see :mod:`xcg.judge.agreement`.
        author: Who decided.
        time: When, in UTC.
    """

    label: str | None
    author: str
    time: str


def quote_at(text: str, start: int, end: int) -> Quote:
    """Return the quote of a passage, with the text before and after it.

    >>> quote_at("Bees dance.", 5, 10)
    Quote(exact='dance', prefix='Bees ', suffix='.')
    """
    return Quote(text[start:end], text[max(start - CONTEXT, 0) : start], text[end : end + CONTEXT])


def in_order(highlights: Iterable[StoredHighlight]) -> Highlights:
    """Return the highlights as in a judgement: lost ones first, then by position."""
    return tuple(sorted(highlights, key=lambda one: (not one.is_lost, one.start, one.id)))


def to_json(judgement: Judgement, *, quotes: bool = False) -> str:
    """Return the content of a judgement as JSON.

    Args:
        judgement: The judgement.
        quotes: Whether all highlights have the quotes by which they are placed in a changed text;
            lost highlights always have them.
    """
    highlights = [
        [*one[:4], one.status, one.nugget, *(one.quote if quotes or one.is_lost else ())]
        for one in judgement.highlights
    ]
    remarks = [judgement.note, judgement.unsure, judgement.skipped]
    content = [highlights, remarks, judgement.finished]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def from_json(content: str, text: str | None = None) -> Judgement:
    """Return the judgement that :func:`to_json` wrote.

    Args:
        content: The JSON.
        text: The text of the document if it was written without quotes.

    Raises:
        DamagedError: If the content is not legal.
    """
    try:
        highlights, (note, *flags), finished = json.loads(content)
        placed = tuple(_highlight(text, one) for one in highlights)
        found = Judgement(0, placed, finished, note, *flags)
        types = [type(value) for value in (note, finished, *flags)]
        if types != [str, bool, bool, bool] or not _is_legal(found):
            raise DamagedError
        return found
    except (ValueError, TypeError, RecursionError):
        raise DamagedError from None


def _highlight(text: str | None, values: Sequence[Any]) -> StoredHighlight:
    number, start, end, grade, status, nugget, *quote = values
    if text is not None and end > len(text):
        raise DamagedError
    known = Quote(*quote) if quote or text is None else quote_at(text, start, end)
    return StoredHighlight(number, start, end, grade, known, status, nugget)


def _is_legal(judgement: Judgement) -> bool:
    """Return whether highlights from a file have legal values, are in order and do not overlap."""
    return (
        all(
            {type(one.id), type(one.start), type(one.end)} == {int}
            and {type(one.grade), type(one.nugget)} <= {str, type(None)}
            and {type(part) for part in one.quote} == {str}
            and one.status in get_args(Status)
            and (one.start == one.end == 0 if one.is_lost else 0 <= one.start < one.end)
            for one in judgement.highlights
        )
        and judgement.highlights == in_order(judgement.highlights)
        and all(one.end <= other.start for one, other in pairwise(judgement.placed))
    )


def place_again(text: str, judgements: Sequence[Judgement]) -> list[Judgement]:
    """Place the judgements of a document in its changed text by their quotes.

    All judgements of a document are placed together, because passages that have certainly moved show
    how far the passages around them moved. A highlight whose quote is lost or ambiguous keeps its quote
    without a position. Then its document is unfinished again, because an export would otherwise count
    it as not relevant.

    Args:
        text: The text of the document.
        judgements: Its judgements, with positions in another text.

    Returns:
        The judgements with positions in this text, in the same order. Highlights that moved, or whose
        typography changed, have the status ``moved``.

    >>> old = Judgement(1, (StoredHighlight(1, 0, 11, "2", Quote("Bees dance.")),))
    >>> (new,) = place_again("News: Bees dance.", [old])
    >>> [(one.start, one.end, one.status) for one in new.highlights]
    [(6, 17, 'moved')]
    """
    index = TextIndex(text)
    marks = [mark for one in judgements for mark in one.highlights]
    places = [(mark.quote, None if mark.is_lost else mark.start) for mark in marks]
    moved = [MovedPassage(quote, old, _located(index, quote, old)) for quote, old in places]
    found = iter(compare_with_neighbours(moved, text))
    return [_placed(text, one, [next(found) for _ in one.highlights]) for one in judgements]


def _located(index: TextIndex, quote: Quote, old_start: int | None) -> Location:
    try:
        return index.locate(quote, old_start=old_start)
    except XcgError:  # the quote occurs too often
        return Location("lost", similarity=0.0)


def _placed(text: str, judgement: Judgement, found: Sequence[MovedPassage]) -> Judgement:
    pairs = list(zip(judgement.highlights, found, strict=True))
    # If two highlights are found in overlapping passages, the clearer one is placed.
    pairs.sort(key=lambda pair: (pair[1].is_doubtful, pair[0].is_lost, pair[1].location.start))
    highlights: list[StoredHighlight] = []
    for one, moved in pairs:
        start, end = moved.location.start, moved.location.end
        is_free = not any(start < other.end and other.start < end for other in highlights)
        if moved.location.is_found and is_free:
            new = one._replace(start=start, end=end, quote=quote_at(text, start, end))
            is_same = (one.start, one.end, one.quote.exact) == (start, end, new.quote.exact)
            highlights.append(new if is_same else new._replace(status="moved"))
        else:
            highlights.append(one._replace(start=0, end=0, status="lost"))
    is_lost = any(one.is_lost for one in highlights)
    return replace(
        judgement,
        highlights=in_order(highlights),
        finished=judgement.finished and not is_lost,
        text_changed=True,
    )
