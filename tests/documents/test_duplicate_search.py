"""Passages that repeat or resemble quotes are found in one pass over the documents."""

from __future__ import annotations

import pytest

from xcg.documents import duplicate_search
from xcg.documents.duplicate_search import MIN_CHARACTERS, Occurrence, QuoteIndex
from xcg.documents.text_search import TextIndex

QUOTE = "Foragers dance on the comb to point their sisters to food, and repeat the dance."
OTHER = "Drones do no work in the hive, and are driven out of it before the winter comes."


def occurrences(document: str, *quotes: str, similarity: float | None = None) -> list[Occurrence]:
    return QuoteIndex(quotes, similarity).occurrences(TextIndex(document))


def test_exact_and_normalised_passages() -> None:
    document = f"{QUOTE} Then: {QUOTE.upper().replace(' ', '  ')} {OTHER}"
    second = document.index("FORAGERS")
    third = document.index("Drones")
    assert occurrences(document, QUOTE, OTHER) == [
        Occurrence(0, 0, 80, "exact"),
        Occurrence(0, second, document.index(" Drones"), "normalised"),
        Occurrence(1, third, third + len(OTHER), "exact"),
    ]


def test_similar_passages_only_if_allowed() -> None:
    edited = QUOTE.replace("the comb", "a comb").replace("point", "show")
    document = f"It is known. {edited} {OTHER}"
    assert occurrences(document, QUOTE) == []
    (found,) = occurrences(document, QUOTE, similarity=0.8)
    assert (found.quote, found.status) == (0, "approximate")
    assert document[found.start : found.end] == edited[:-1] + "."
    # Without white space 66 and 62 characters; 58 of them are common, in order: 2 · 58 / 128.
    assert found.similarity == pytest.approx(2 * 58 / 128, abs=0.01)
    assert occurrences(document, QUOTE, similarity=0.95) == []


def test_the_same_words_are_not_reported_as_similar_too() -> None:
    found = occurrences(f"{QUOTE} {QUOTE.replace('food', 'nectar')}", QUOTE, similarity=0.8)
    assert [(one.status, one.start) for one in found] == [("exact", 0), ("approximate", 81)]


def test_short_quotes_are_not_searched() -> None:
    shortest = "x" * (MIN_CHARACTERS - 1)
    index = QuoteIndex([shortest, shortest + "y", "a b " * 19], 0.8)
    assert index.short == [0, 2]
    assert [one.quote for one in index.occurrences(TextIndex(f"{shortest}y"))] == [1]


def test_a_text_that_occurs_too_often_is_incomplete() -> None:
    index = QuoteIndex(["a" * 50])
    assert index.occurrences(TextIndex("a" * 20_000)) == []
    assert index.incomplete == {0}


def test_approximate_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicate_search, "MAX_SEARCHES", 2)
    index = QuoteIndex([QUOTE], 0.8)
    similar = TextIndex(QUOTE.replace("food", "nectar"))
    assert [len(index.occurrences(similar)) for _ in range(3)] == [1, 1, 0]
    assert index.incomplete == {0}
