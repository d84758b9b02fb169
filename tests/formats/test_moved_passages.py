"""Uncertain passages are decided by how far their neighbours moved."""

from __future__ import annotations

import pytest

from xcg.documents.text_search import Location, Quote
from xcg.formats.placing import MovedPassage, compare_with_neighbours

TEXT = "x" * 20_000
BEFORE = MovedPassage(Quote("one"), 1000, Location("exact", 1100, 1200, has_context=True))
AFTER = MovedPassage(Quote("two"), 5000, Location("exact", 5300, 5400, has_context=True))


def decided(location: Location, old_start: int = 3000, alone: bool = False) -> tuple[str, int, bool]:
    """Return status, start and doubt of a passage between one that moved by 100 and one by 300."""
    passages = [MovedPassage(Quote("a passage"), old_start, location)]
    found = compare_with_neighbours(passages if alone else [AFTER, *passages, BEFORE], TEXT)
    one = found[0 if alone else 1]
    return one.location.status, one.location.start, one.is_doubtful


@pytest.mark.parametrize(
    ("starts", "matched", "expected"),
    [
        ([3100, 9000], 40, ("normalised", 3100, False)),  # as far as the passage before
        ([3200, 9000], 40, ("normalised", 3200, True)),  # between the neighbours
        ([2700, 3200], 40, ("normalised", 3200, True)),  # the first is 400 characters off
        ([3100, 3200], 40, ("ambiguous", 3100, False)),  # both are expected
        ([3040, 9000], 40, ("normalised", 3040, True)),  # nearly expected
        ([2000, 9000], 40, ("ambiguous", 2000, False)),
        ([3100], 20, ("normalised", 3100, False)),
        ([3100], 19, ("ambiguous", 3100, False)),  # too few characters match
    ],
)
def test_an_ambiguous_passage(starts: list[int], matched: int, expected: tuple[str, int, bool]) -> None:
    spans = [(start, start + 25) for start in starts]
    location = Location("ambiguous", *spans[0], occurrences=spans, matched=matched)
    assert decided(location) == expected
    assert decided(location, alone=True)[0] == "ambiguous"


@pytest.mark.parametrize(
    ("start", "others", "has_context", "expected"),
    [
        (3200, [], True, ("exact", 3200, False)),
        (3200, [9000], False, ("exact", 3200, False)),
        (3010, [], True, ("exact", 3010, False)),  # 90 characters off, of 50 and a tenth of 4,000
        (3010, [9000], False, ("exact", 3010, True)),
        (3010, [3200], False, ("ambiguous", 3010, False)),  # another occurrence is expected
        (9000, [], True, ("exact", 9000, True)),  # moved, or another copy of a deleted passage
        (9000, [3200], True, ("ambiguous", 9000, False)),  # context and neighbours disagree
        (9000, [14_000], False, ("exact", 9000, True)),
        (3000, [3200], False, ("exact", 3000, False)),  # nothing moved
    ],
)
def test_a_found_passage(
    start: int, others: list[int], has_context: bool, expected: tuple[str, int, bool]
) -> None:
    spans = [(one, one + 25) for one in [start, *others]]
    occurrences = spans if others else ()
    location = Location("exact", *spans[0], occurrences=occurrences, has_context=has_context)
    assert decided(location) == expected
