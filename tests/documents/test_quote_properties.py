"""Properties of the search for quotes, and quotes that are hostile."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.approximate_search import similarity
from xcg.documents.text_normalisation import normalise, same_words
from xcg.documents.text_search import Quote, TextIndex
from xcg.errors import XcgError

PIECES = [
    "bees",
    "Bees",
    "dance",
    "art",
    "start",
    " ",
    " ",
    "\n",
    "-",
    "“",
    "'",
    "é",
    "ﬁ",
    "\u00ad",
    ".",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.sampled_from([None, 0.5, 0.9]))
def test_a_found_quote_has_the_stated_words(
    text: str, exact: str, prefix: str, suffix: str, min_similarity: float | None
) -> None:
    found = TextIndex(text).locate(Quote(exact, prefix, suffix), min_similarity)
    placed = text[found.start : found.end]
    if found.status == "exact":
        assert placed == exact
    elif found.status == "normalised":
        # A dash or a quotation mark may belong to the context, as in "Bees-" before "-dance".
        assert same_words(placed, exact) or _letters(placed) == _letters(exact)
    elif found.status == "approximate":
        parts = normalise(prefix + exact + suffix).text
        assert normalise(exact).text in parts or "-" in parts or "'" in parts
        assert min_similarity is not None
        assert found.similarity >= min_similarity
        if "-" not in prefix + exact + suffix and "'" not in parts:
            wanted = normalise(exact).text
            assert found.similarity == similarity(wanted, normalise(placed).text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalise(text).text))


@pytest.mark.parametrize("text", ["beesbees é", "bees e"])
def test_a_short_quote_inside_a_word_stays_there_in_an_unchanged_document(text: str) -> None:
    found = TextIndex(text).locate(Quote("e"), None, text.index("e"))
    assert (found.status, found.start, found.end) == ("exact", 1, 2)


def test_a_quote_that_ends_in_a_dash_is_found_to_the_letter() -> None:
    index = TextIndex("beesart -bees, beesart -dance")  # the dash joins "-bees", but not a quote's end
    assert index.locate(Quote("beesart -"), None, 0)[:3] == ("exact", 0, 9)
    assert index.locate(Quote("beesart -", suffix="dance"))[:3] == ("exact", 15, 24)
    assert index.locate(Quote("beesart -")).occurrences == [(0, 9), (15, 24)]


@pytest.mark.parametrize("min_similarity", [None, 0.9])
@pytest.mark.parametrize("quote", ["", " \n\t", "\u00ad\u200b", " " * 1_000_000])
def test_a_quote_without_characters_is_lost(quote: str, min_similarity: float | None) -> None:
    begun = time.process_time()
    index = TextIndex("Bees dance well. " * 1000)
    assert index.locate(Quote(quote, "Bees", "well"), min_similarity).status == "lost"
    assert time.process_time() - begun < 5


REPEATED = {"letters": "a", "accents": "\u0301", "words": "a ", "expanding": "\ufdfa"}


@pytest.mark.parametrize("min_similarity", [None, 0.5])
@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
@pytest.mark.parametrize("length", [pytest.param(15_000, marks=pytest.mark.slow), 300_000])
def test_repeated_text_takes_bounded_time(
    piece: str, length: int, min_similarity: float | None
) -> None:
    size = 300_000 // len(normalise(piece).text)
    index, quote = TextIndex(piece * size), (piece * length)[:size]
    begun = time.process_time()
    for exact in (quote, f"{quote}b"):
        assert _outcome(index, Quote(exact, quote, quote), min_similarity) in OUTCOMES
    assert time.process_time() - begun < 15


OUTCOMES = ("refused", "exact", "approximate", "ambiguous", "lost")


def _outcome(index: TextIndex, quote: Quote, min_similarity: float | None) -> str:
    try:
        return index.locate(quote, min_similarity, 5).status
    except XcgError as error:
        assert "the text occurs more than" in str(error)
        return "refused"
