"""Place the highlights of a changed document again by their quotes.

All judgements of a document are placed together, because passages that have certainly moved show how
far the passages around them moved.

A highlight whose quote is lost or ambiguous keeps its quote without a position, and its document is
unfinished again, because an export would otherwise count it as not relevant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xcg.documents.text_search import Location, Quote, Span, TextIndex
from xcg.errors import XcgError
from xcg.formats.placing import MovedPassage, compare_with_neighbours
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
        if moved.location.is_found and is_free:
            new = one._replace(start=start, end=end, quote=quote_at(text, start, end))
        else:
            new = one._replace(start=0, end=0, status="lost")
        before, after = (None if other.end == 0 else (other.start, other.end) for other in (one, new))
        if before != after or one.quote.exact != new.quote.exact:
            new = new if after is None else new._replace(status="moved")
            outcome = _outcome(after, moved)
            changes.append(Change("highlight", outcome, one.id, before, after, one.quote.exact))
        highlights.append(new)
    point, new_point = judgement.entry_point, None
    if entry is not None and entry.location.is_found:
        new_point = entry.location.start
    if entry is not None and point is not None and point != new_point:
        new_span = None if new_point is None else (new_point, new_point)
        outcome, span = _outcome(new_span, entry), (point, point)
        changes.append(Change("entry point", outcome, None, span, new_span, entry.quote.exact))
    is_lost = any(change.outcome == "lost" and change.part == "highlight" for change in changes)
    if judgement.finished and not judgement.highlights:
        changes.append(Change("document", "changed"))
    placed = replace(
        judgement,
        highlights=in_order(highlights),
        entry_point=new_point,
        finished=judgement.finished and not is_lost,
        can_undo=False,
        can_redo=False,
    )
    quote = None if new_point is None else entry_quote(text, new_point)
    return AnchoredJudgement(placed, quote, tuple(changes))


def _outcome(span: Span | None, passage: MovedPassage) -> Outcome:
    return "lost" if span is None else "doubtful" if passage.is_doubtful else "moved"
