"""Gold is reviewed: gold that no run finds, and duplicates of gold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import InputError, XcgError
from xcg.evaluation import gold_review
from xcg.evaluation.gold_review import GoldReview
from xcg.evaluation.inputs import Inputs
from xcg.measures.rankings import SpanRanking

ANSWER = "Foragers dance on the comb to point their sisters to food."  # 58 characters
OTHER = "Drones do no work, and are driven out before the winter comes."  # 62 characters
CORPUS = {
    "a": f"{ANSWER} {OTHER}",
    "b": f"It is known that {ANSWER.lower()}",  # at 17–75
    "c": f"{OTHER} {OTHER}",
    "d": "Nothing of interest.",
}
GOLD = {"1": {"a": [(0, 58)]}, "2": {"a": [(59, 121)], "c": [(63, 125)]}}


def review_gold(gold: Any, runs: Any, corpus: Any, overlap: float = 0.5, **keys: Any) -> GoldReview:
    return gold_review.review_gold(Inputs(gold, runs, corpus, **keys), overlap)


def test_both_lists_by_hand() -> None:
    runs = {
        "bm25": {"1": [("a", 0, 29), ("b", 0, 75)], "2": [("a", 59, 121)]},
        "dense": {"1": [("a", 0, 28), ("d", 0, 5), ("b", 17, 46)], "2": [("d", 0, 9), ("c", 0, 40)]},
    }
    found = review_gold(GOLD, runs, CORPUS)
    assert (found.spans, found.runs) == (3, ["bm25", "dense"])
    # The first result of bm25 contains half of the first span, and bm25 the span of a of question 2.
    assert [one[1:9] for one in found.missed] == [("2", "c", 63, 125, OTHER, 0.0, None, None)]
    assert [(*one[1:6], *one[9:]) for one in found.duplicates] == [
        ("1", "b", 17, 75, ANSWER.lower(), "normalised", "a", 0, 58),
        ("2", "c", 0, 62, OTHER, "exact", "a", 59, 121),
    ]
    assert found.notes == []


def test_the_overlap_decides_what_is_found() -> None:
    runs = {"r": {"1": [("a", 10, 58), ("a", 0, 20)]}}
    (missed,) = review_gold({"1": GOLD["1"]}, runs, CORPUS, overlap=0.9).missed
    assert (missed.share, missed.run, missed.rank) == (pytest.approx(48 / 58), "r", 1)
    assert review_gold({"1": GOLD["1"]}, runs, CORPUS, overlap=0.8).missed == []


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(1, 20)), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 100), st.integers(1, 21)), max_size=6),
    st.sampled_from([0.1, 0.5, 1]),
)
def test_a_span_is_missed_if_its_recall_is_0(
    gold: list[tuple[int, int]], results: list[tuple[int, int]], overlap: float
) -> None:
    """R with one gold span is 1 if a result finds the span."""
    corpus = {"a": "x y z " * 21}
    spans = sorted({(start, start + length) for start, length in gold})
    run = [("a", start, start + length) for start, length in results] or [("a", 120, 126)]
    found = review_gold({"1": {"a": spans}}, {"r": {"1": run}}, corpus, overlap=overlap)
    missed = [(one.start, one.end) for one in found.missed]
    for span in spans:
        ranking = SpanRanking(run, {"a": [(*span, 1.0)]})
        assert (span in missed) == (ranking.judged(overlap).ranks == [])


def test_gold_of_the_question_is_no_duplicate() -> None:
    """A passage of which a half is gold is left out; of other questions it is a duplicate."""
    gold = {"1": {"a": [(0, 58)], "b": [(46, 75)]}, "2": {"b": [(17, 75)]}}
    found = review_gold(gold, (), CORPUS)
    assert [(one.topic, one.doc, one.start) for one in found.duplicates] == [("2", "a", 0)]
    gold["1"]["b"] = [(47, 75)]
    found = review_gold(gold, (), CORPUS)
    assert [one.topic for one in found.duplicates] == ["1", "2"]


def test_only_the_outermost_duplicate_of_nested_gold_is_listed() -> None:
    corpus = {"a": f"{ANSWER} {OTHER}", "b": f"{ANSWER} {OTHER}"}
    gold = {"1": {"a": [(0, 58), (0, 121), (59, 121)]}}
    assert [(one.start, one.end) for one in review_gold(gold, (), corpus).duplicates] == [(0, 121)]


def test_a_text_that_occurs_too_often_is_noted() -> None:
    found = review_gold({"1": {"a": [(0, 50)]}}, (), {"a": "a" * 20_000})
    assert found.notes == ["note: gold texts that are too frequent to be searched everywhere: 1"]


def test_short_gold_is_not_searched() -> None:
    shortest = "x" * 39
    corpus = {"a": f"{shortest} {shortest}y", "b": f"{shortest} {shortest}y"}
    found = review_gold({"1": {"a": [(0, 39), (40, 80)]}}, (), corpus)
    assert [one.start for one in found.duplicates] == [40]
    assert found.notes[0].endswith("of which no duplicates were searched: 1")


def test_an_unreadable_document_without_gold_is_noted() -> None:
    found = review_gold({"1": {"a": [(0, 58)]}}, (), {**CORPUS, "broken": "<a><b></a>"})
    assert [one.doc for one in found.duplicates] == ["b"]
    (note,) = found.notes
    assert note.startswith("note: documents that cannot be read, so not searched: 1 time; the first:")


def test_gold_in_a_missing_document_is_counted_if_lenient() -> None:
    gold = {"1": {"a": [(0, 58)], "missing": [(0, 5)]}}
    with pytest.raises(InputError, match="the corpus has no document 'missing'"):
        review_gold(gold, (), CORPUS)
    found = review_gold(gold, {"r": {"1": [("a", 0, 58)]}}, CORPUS, lenient=True)
    assert (found.spans, found.missed, len(found.duplicates)) == (1, [], 1)
    (note,) = found.notes
    assert note.startswith("warning: assessed documents that the corpus lacks: 1 time")


def test_a_run_without_answers_is_a_warning() -> None:
    runs = {"r": {"9": [("a", 0, 58)]}}
    found = review_gold({"1": GOLD["1"]}, runs | {"s": {"1": [("a", 0, 58)]}}, CORPUS)
    assert found.notes[0].startswith("warning: run r answers no assessed topic")
    with pytest.raises(XcgError, match="no topic of the runs is assessed"):
        review_gold({"1": GOLD["1"]}, runs, CORPUS)


def test_oracle_is_no_run() -> None:
    runs = {"r": {"1": [("d", 0, 20), ("a", 0, 58)]}}
    found = review_gold(GOLD, runs, CORPUS, strategies=["thorough", "oracle"])
    assert found.runs == ["r+thorough"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"corpus": None}, "gold is compared with the documents: expected a corpus"),
        ({"gold": {}}, "nothing to review: the assessments have no gold spans"),
    ],
)
def test_misuse_is_one_message(arguments: dict[str, object], message: str) -> None:
    runs = {"r": {"1": [("a", 0, 58)]}, "s": {"1": [("b", 0, 58)]}}
    given: dict[str, object] = {"gold": GOLD, "runs": runs, "corpus": CORPUS, **arguments}
    if "gold" in arguments:
        given["runs"] = ()
    with pytest.raises(XcgError) as raised:
        review_gold(**given)  # type: ignore[arg-type]
    assert str(raised.value) == message


def test_elements_are_no_gold_spans() -> None:
    gold = {"1": {"x": {"/a": (3, 3)}}}
    with pytest.raises(InputError, match="topic 1: needs gold spans"):
        review_gold(gold, (), {"x": "<a>text</a>"})
