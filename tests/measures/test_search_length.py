"""Classic measures of ranks and sets: worked numbers, ties and missing documents."""

from __future__ import annotations

import pytest

import xcg
from xcg.errors import XcgError
from xcg.measures.search_length import (
    average_search_length,
    expected_search_length,
    normalised_precision,
    normalised_recall,
    scaled_utility,
)

RANKS = (1, 2, 4, 6, 13)


def test_search_lengths_by_hand() -> None:
    assert average_search_length(RANKS) == 5.2
    assert average_search_length([]) is None
    # three before, then a tie of five with two relevant, one wanted
    assert expected_search_length([(0, 1), (0, 2), (2, 3)], 1) == 3 + 3 * 1 / 3
    assert expected_search_length([(1, 0)], 2) is None


def test_rocchios_measures_by_hand() -> None:
    assert normalised_recall(RANKS, 200) == pytest.approx(0.98872, abs=5e-6)
    assert normalised_precision(RANKS, 200) == pytest.approx(0.92386, abs=5e-6)
    assert normalised_recall([1, 2, 3], 9) == normalised_precision([1, 2, 3], 9) == 1
    assert normalised_recall([7, 8, 9], 9) == pytest.approx(0)
    assert normalised_precision([7, 8, 9], 9) == pytest.approx(0)


def test_scaled_utility_by_hand() -> None:
    assert scaled_utility(3, 2, 5) == pytest.approx(0.84615, abs=5e-6)
    assert scaled_utility(0, 100, 5) == 0
    assert scaled_utility(5, 0, 5) == 1


def test_an_evaluation_counts_ties_and_missing_documents() -> None:
    """Relevant at ranks 1 and 4 of 4, the last two tied; one relevant document is missed."""
    qrels = {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1}}
    runs = {"r": {"1": {"a": 4.0, "x": 3.0, "z": 2.0, "b": 2.0}, "2": {"x": 1.0}}}
    names = "ASL ESL ESL(wanted=2) normRecall(N=10) scaledUtility halfLife relativeRelevance@2"
    results = xcg.evaluate(qrels, runs, None, None, names)
    values = {row.measure: row.value for row in results if row.topic == "1"}
    assert values["ASL"] == (1 + 3.5) / 2
    assert values["ESL"] == 0
    # x, and half a chance of z: 1 + 1 · 1 / 2
    assert values["ESL(wanted=2)"] == 1.5
    # ranks 1, 3 or 4 as z ties after b by name; z, b: descending id puts z first, so b is fourth
    assert values["normRecall(N=10)"] == pytest.approx(1 - (1 + 4 + 10 - 6) / (3 * 7))
    assert values["scaledUtility"] == pytest.approx((3 * 2 - 2 * 2 + 50) / (9 + 50))
    assert values["halfLife"] == 1
    assert values["relativeRelevance@2"] == pytest.approx(4 / 5)
    # topic 2 has no relevant result: no ASL, ESL or half-life, so their means are those of topic 1
    assert results.value("r", "ASL") == values["ASL"]
    assert results.value("r", "scaledUtility") == pytest.approx(
        (values["scaledUtility"] + (-2 + 50) / (3 + 50)) / 2
    )


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("normRecall", "needs the number of documents: normRecall(N=12107)"),
        ("normRecall(N=2)", "N is 2, but there are more results and relevant documents"),
        ("relativeRelevance", "needs the system's scores"),
        ("ESL(wanted=0)", "illegal wanted '0': expected a whole number from 1"),
        ("ESL(wanted=1.5)", "expected a whole number from 1"),
        ("total(weight=2)@3", "expected a number from 0 to 1"),
    ],
)
def test_illegal_parameters_and_missing_data(measure: str, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        xcg.evaluate({"1": {"a": 1}}, {"r": {"1": ["x", "a", "b"]}}, measures=measure)
    assert message in str(raised.value)
