"""Compare how far the passages of a document moved with how far their neighbours moved.

An edit moves all text after it by the same distance. So the passages before and after another one show
its expected position, even if its words occur several times.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from xcg.documents.text_search import LONG, Location, Quote, Span, Status

_SLACK = 50
"""Maximum distance of a plausible position from the expected positions, in characters."""
_SLACK_SHARE = 10
"""The tolerance grows by 1 / n of the distance between the neighbours, because edits add up."""
_DRIFT = 4
"""The tolerance grows by 1 / n of the distance to the neighbour if there is only one."""
_MIN_MATCHED = 20
"""Characters of a quote and its context that must match for the neighbours to decide."""

Move = tuple[int, int]
"""The old and the new start of a passage."""


class MovedPassage(NamedTuple):
    """A passage with its old position and its location in the changed document.

    Attributes:
        quote: The quote.
        old_start: Where it was; None if unknown.
        location: Where it is.
        is_doubtful: Whether the words at the location may belong to another passage.
    """

    quote: Quote
    old_start: int | None
    location: Location
    is_doubtful: bool = False


def compare_with_neighbours(passages: Sequence[MovedPassage], text: str) -> list[MovedPassage]:
    """Decide uncertain passages of a document by the passages around them.

    A passage is certain if its whole context is next to it, or if it is long and occurs once. Its
    neighbours are the nearest certain passages before and after it. A position is expected if the
    passage moved by a distance between theirs, and plausible if it nearly did.

    - An ambiguous passage is placed if one occurrence is expected, or else plausible, and at least
      twenty characters of its words and context match there. It is doubtful unless it moved exactly as
      far as a neighbour.
    - A passage in an implausible position becomes ambiguous if another occurrence is plausible, and one
      that is not certain also if another occurrence is expected. Otherwise it is doubtful.
    - A passage that is not certain is also doubtful in a plausible position that is not expected.

    Args:
        passages: The passages of a document.
        text: The text of the changed document.

    Returns:
        The passages in the same order.

    >>> text = "New. " + "Bees dance. " * 9
    >>> ambiguous = Location("ambiguous", 5, 16, occurrences=[(5, 16), (53, 64)], matched=25)
    >>> one, two = compare_with_neighbours([
    ...     MovedPassage(Quote("Bees dance."), 48, ambiguous),
    ...     MovedPassage(Quote("dance. Bees"), 41, Location("exact", 46, 57, has_context=True)),
    ... ], text)
    >>> one.location.status, one.location.start
    ('exact', 53)
    """
    certain = sorted(
        (one.old_start, one.location.start)
        for one in passages
        if one.old_start is not None and _is_certain(one.location)
    )
    return [_decided(one, certain, text) for one in passages]


def _is_certain(location: Location) -> bool:
    if location.status not in ("exact", "normalised"):
        return False
    return location.has_context or (not location.occurrences and location.end - location.start >= LONG)


def _decided(one: MovedPassage, certain: Sequence[Move], text: str) -> MovedPassage:
    location, old = one.location, one.old_start
    is_exempt = location.status in ("approximate", "lost")
    if old is None or is_exempt or (location.is_found and location.start == old):
        return one
    neighbours = _neighbours(old, certain)
    spans = location.occurrences or [(location.start, location.end)]
    plausible = [span for span in spans if _is_plausible(old, span[0], *neighbours)]
    expected = [span for span in spans if _is_plausible(old, span[0], *neighbours, slack=0)]
    if location.status == "ambiguous":
        chosen = expected or plausible
        if len(chosen) == 1 and location.matched >= _MIN_MATCHED:
            as_stated = text[slice(*chosen[0])] == one.quote.exact
            status: Status = "exact" if as_stated else "normalised"
            shifts = {near[1] - near[0] for near in neighbours if near}
            return one._replace(
                location=Location(status, *chosen[0]), is_doubtful=chosen[0][0] - old not in shifts
            )
        return one
    own = location.start, location.end
    is_certain = _is_certain(location)
    if _overlaps(own, plausible):
        has_rival = not is_certain and expected and not _overlaps(own, expected)
    else:
        is_long = location.end - location.start >= _MIN_MATCHED
        has_rival = plausible and (is_long or not is_certain)
    if has_rival:
        return one._replace(location=Location("ambiguous", *own, occurrences=spans))
    if is_certain:
        return one._replace(is_doubtful=any(neighbours) and not _overlaps(own, plausible))
    return one._replace(is_doubtful=not _overlaps(own, expected))


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _neighbours(old: int, certain: Sequence[Move]) -> tuple[Move | None, Move | None]:
    """Return the nearest certain passages before and after an old position."""
    first = bisect_left(certain, (old, -1))
    last = bisect_left(certain, (old + 1, -1))
    before = certain[first - 1] if first else None
    return before, certain[last] if last < len(certain) else None


def _is_plausible(
    old: int, new: int, before: Move | None, after: Move | None, slack: int = _SLACK
) -> bool:
    """Return whether a passage moved like its neighbours, or by a distance between theirs."""
    if after and not before:
        before = 0, 0  # the start of the document
    if before and after and before[1] <= after[1]:
        moved = sorted([before[1] - before[0], after[1] - after[0]])
        if slack:
            slack += (after[0] - before[0]) // _SLACK_SHARE
        return moved[0] - slack <= new - old <= moved[1] + slack
    return any(
        abs((new - old) - (near[1] - near[0])) <= (slack and slack + abs(old - near[0]) // _DRIFT)
        for near in (before, after)
        if near
    )
