"""Quotes are found in edited documents, and are ambiguous or lost rather than in a wrong position."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.approximate_search import best_alignment
from xcg.documents.text_normalisation import same_words
from xcg.documents.text_search import Quote, TextIndex
from xcg.errors import XcgError

TEXT = "Bees dance well. Drones do no work. Worker bees dance at noon, and drones sleep."


@pytest.mark.parametrize(
    ("document", "quote"),
    [
        ("a  b\n\tc", "A b c"),
        ("cafe\u0301 noir", "café noir"),
        ("“quoted” ‘words’", "\"quoted\" 'words'"),
        ("``quoted'' text", '"quoted" text'),
        ("from 10–20 — and so on", "from 10-20 -- and so on"),
        ("eﬃcient œuvre", "efficient oeuvre"),
        ("inter-\nnational", "international"),
        ("inter\u00adnational", "inter-national"),
        ("page one.\f\n\x00page two", "page one. page two"),
        ("ﬁrst\ufeff\u200bword", "first word"),
    ],
)
def test_normalised_differences(document: str, quote: str) -> None:
    index = TextIndex(f"Before it: {document} after it.")
    found = index.locate(Quote(quote))
    assert (found.status, index.text[found.start : found.end]) == ("normalised", document)
    assert same_words(document, quote)


def test_the_context_decides_between_occurrences() -> None:
    index = TextIndex(TEXT)
    assert index.locate(Quote("Drones", suffix=" do no work")).start == 17
    assert index.locate(Quote("drones", prefix="at noon, and ")).start == TEXT.index("drones")
    assert index.locate(Quote("bees dance", suffix=" well")).start == 0
    ambiguous = index.locate(Quote("Bees  dance"))
    assert (ambiguous.status, ambiguous.occurrences) == ("ambiguous", [(0, 10), (43, 53)])
    assert ambiguous.occurrence_list == "2 occurrences (at 0–10, 43–53)"


def test_an_occurrence_as_stated_is_preferred_unless_old_gold_is_moved() -> None:
    index = TextIndex(TEXT)
    assert index.locate(Quote("drones")).start == TEXT.index("drones")
    assert index.locate(Quote("drones"), old_start=90).status == "ambiguous"
    assert index.locate(Quote("Drones"), old_start=17).start == 17


def test_a_short_quote_in_another_context_is_ambiguous_and_a_long_one_has_moved() -> None:
    index = TextIndex(TEXT)
    assert index.locate(Quote("work", "they never ", " at night")).status == "ambiguous"
    found = index.locate(Quote("Worker", "cloudy days", " bees dance at noon, and drones"))
    assert found.is_found
    assert found.start == TEXT.index("Worker")
    long = "do no work. Worker bees dance at noon, and drones sleep."
    assert index.locate(Quote(long, "they never ", " at night")).is_found


def test_a_short_quote_within_a_word_is_ambiguous() -> None:
    assert TextIndex("They start early.").locate(Quote("art")).status == "ambiguous"
    assert TextIndex("They start early.").locate(Quote("art", "They st", " early")).is_found
    assert TextIndex("这是一个很好的句子。").locate(Quote("很好")).is_found
    assert TextIndex("MethodsBees dance.").locate(Quote("Methods")).is_found


@pytest.mark.parametrize("quote", ["wasps", " ", "", "\u200b"])
def test_lost_quotes(quote: str) -> None:
    assert TextIndex(TEXT).locate(Quote(quote), 0.9).status == "lost"


def test_similar_text_with_its_similarity() -> None:
    text = (
        "The queen lays eggs. Worker bees usually dance around at high noon, and sleep. They fly home."
    )
    index = TextIndex(text)
    found = index.locate(Quote("Worker bees dance around at noon, and sleep."), 0.8)
    assert (found.status, text[found.start : found.end]) == (
        "approximate",
        "Worker bees usually dance around at high noon, and sleep.",
    )
    # Without white space, the quote has 37 characters and the text 48; 37 are common.
    assert found.similarity == pytest.approx(2 * 37 / (37 + 48))
    assert index.locate(Quote("Worker bees dance around at noon, and sleep."), 0.95).status == "lost"
    assert index.locate(Quote("Worker bees dance around at noon, and sleep.")).status == "lost"


def test_two_similar_texts_are_ambiguous_unless_the_context_decides() -> None:
    text = "First: bees dance at high noon in May. Second: bees dance at late noon in May. End."
    index = TextIndex(text)
    quote = "bees dance at noon in May."
    assert index.locate(Quote(quote), 0.8).status == "ambiguous"
    found = index.locate(Quote(quote, "Second: ", " End."), 0.8)
    assert text[found.start : found.end] == "bees dance at late noon in May."


def test_missing_rapidfuzz_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rapidfuzz.distance", None)
    with pytest.raises(XcgError, match="fuzzy"):
        TextIndex(TEXT).locate(Quote("Bees dance very well"), 0.8)


def test_the_aligned_text_has_no_stray_characters() -> None:
    assert best_alignment("bcdef", "b....bcdxef....f") == (5, 11)


@given(st.lists(st.sampled_from(["bees", "dance", "well", "wasps", "at noon."]), min_size=1), st.data())
def test_a_quote_with_context_is_right_or_ambiguous(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = TextIndex(text).locate(Quote(text[start:end], text[:start], text[end:]))
    if found.is_found:
        assert text[found.start : found.end] == text[start:end]
        assert text[: found.start].replace(" ", "") == text[:start].replace(" ", "")
