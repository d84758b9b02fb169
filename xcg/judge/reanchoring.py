"""Place the highlights of a changed document again by their quotes.

All judgements of a document are placed together, because passages that have certainly moved show how
far the passages around them moved.

A highlight whose quote is lost or ambiguous keeps its quote without a position, and its document is
unfinished again, because an export would otherwise count it as not relevant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xcg.documents.text_search import Location, Quote, TextIndex
from xcg.errors import XcgError
from xcg.formats.moved_passages import MovedPassage, compare_with_neighbours
from xcg.judge.judgement import (
    AnchoredJudgement,
    Change,
    Outcome,
    StoredHighlight,
    entry_quote,
    in_order,
    quote_at,
)


def place_again(text: str, judgements: Sequence[AnchoredJudgement]) -> list[AnchoredJudgement]:
    """Place the judgements of a document in its changed text.

    Args:
        text: The text of the document.
        judgements: Its judgements, with positions in another text.

    Returns:
        The judgements with positions in this text, in the same order. Highlights that moved, or whose
        typography changed, have the status ``moved``.

    >>> from xcg.judge.editing import edit
    >>> from xcg.judge.judgement import Judgement
    >>> old = edit(Judgement(), "Bees dance.", "add", {"start": 0, "end": 11})
    >>> (new,) = place_again("News: Bees dance.", [AnchoredJudgement(old)])
    >>> [(one.start, one.end, one.status) for one in new.judgement.highlights]
    [(6, 17, 'moved')]
    """
    index = TextIndex(text)
    passages = [passage for one in judgements for passage in _passages(one)]
    moved = [MovedPassage(quote, old, _located(index, quote, old)) for quote, old in passages]
    found = iter(compare_with_neighbours(moved, text))
    placed = []
    for one in judgements:
        highlights = [next(found) for _ in one.judgement.highlights]
        entry = next(found) if one.entry_quote is not None else None
        placed.append(_placed(text, one, highlights, entry))
    return placed


def _passages(anchored: AnchoredJudgement) -> list[tuple[Quote, int | None]]:
    """Return the quote and the old start of each highlight, and of the best entry point."""
    judgement, quote, _ = anchored
    passages: list[tuple[Quote, int | None]] = [
        (one.quote, None if one.is_lost else one.start) for one in judgement.highlights
    ]
    return passages if quote is None else [*passages, (quote, judgement.entry_point)]


def _located(index: TextIndex, quote: Quote, old_start: int | None) -> Location:
    try:
        return index.locate(quote, old_start=old_start)
    except XcgError:  # the quote occurs too often
        return Location("lost", similarity=0.0)


def _placed(
    text: str, old: AnchoredJudgement, found: Sequence[MovedPassage], entry: MovedPassage | None
) -> AnchoredJudgement:
    judgement = old.judgement
    pairs = list(zip(judgement.highlights, found, strict=True))
    # If two highlights are found in overlapping passages, the clearer one is placed.
    pairs.sort(key=lambda pair: (pair[1].is_doubtful, pair[0].is_lost, pair[1].location.start))
    highlights: list[StoredHighlight] = []
    changes: list[Change] = []
    for one, moved in pairs:
        start, end = moved.location.start, moved.location.end
        is_free = not any(start < other.end and other.start < end for other in highlights)
        new = _lost(one)
        if moved.location.is_found and is_free:
            new = _moved(text, one, start, end)
        highlights.append(new)
        changes += _changes(one, new, moved.is_doubtful)
    new_entry = entry.location.start if entry is not None and entry.location.is_found else None
    changes += _entry_changes(old, new_entry, entry is not None and entry.is_doubtful)
    is_lost = any(change.outcome == "lost" and change.part == "highlight" for change in changes)
    if judgement.finished and not judgement.highlights:
        changes.append(Change("document", "changed"))
    placed = replace(
        judgement,
        highlights=in_order(highlights),
        entry_point=new_entry,
        finished=judgement.finished and not is_lost,
        can_undo=False,
        can_redo=False,
    )
    quote = None if new_entry is None else entry_quote(text, new_entry)
    return AnchoredJudgement(placed, quote, tuple(changes))


def _lost(one: StoredHighlight) -> StoredHighlight:
    return one._replace(start=0, end=0, status="lost")


def _moved(text: str, one: StoredHighlight, start: int, end: int) -> StoredHighlight:
    """Return a highlight at its new position, with the quote of the new text."""
    is_same = not one.is_lost and one.start == start and one.quote.exact == text[start:end]
    return one._replace(
        start=start,
        end=end,
        quote=quote_at(text, start, end),
        status=one.status if is_same else "moved",
    )


def _changes(old: StoredHighlight, new: StoredHighlight, is_doubtful: bool) -> list[Change]:
    """Return what happened to a highlight; nothing if its position and its text are the same."""
    before = None if old.is_lost else (old.start, old.end)
    if new.is_lost:
        lost = Change("highlight", "lost", old.id, before, None, old.quote.exact)
        return [] if old.is_lost else [lost]
    if before == (new.start, new.end) and old.quote.exact == new.quote.exact:
        return []
    outcome: Outcome = "doubtful" if is_doubtful else "moved"
    return [Change("highlight", outcome, old.id, before, (new.start, new.end), old.quote.exact)]


def _entry_changes(old: AnchoredJudgement, new: int | None, is_doubtful: bool) -> list[Change]:
    before, quote = old.judgement.entry_point, old.entry_quote
    if before is None or quote is None or before == new:
        return []
    if new is None:
        return [Change("entry point", "lost", None, (before, before), None, quote.exact)]
    outcome: Outcome = "doubtful" if is_doubtful else "moved"
    return [Change("entry point", outcome, None, (before, before), (new, new), quote.exact)]
