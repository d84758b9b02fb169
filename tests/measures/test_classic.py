"""Classic measures: worked numbers, ties and missing documents."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import reference_lineage as oracle
from hypothesis import given
from measure_values import GAINS, value

import xcg
from xcg.errors import XcgError
from xcg.measures import MEASURES, RankingGains

RELEVANT = [int(rank in (1, 2, 4, 6, 13)) for rank in range(1, 14)]


class Ties(RankingGains):
    """A ranking with groups of tied results and scores of the system."""

    tie_groups: Sequence[int] = ()
    system_scores: Sequence[float] | None = None

    def value(self, measure: str, groups: Sequence[int] = ()) -> float | None:
        self.tie_groups = groups or range(len(self.checked_gains))
        return MEASURES.parse(measure).compute(self)


def test_search_lengths_by_hand() -> None:
    assert Ties(RELEVANT, [1], 0).value("ASL") == 5.2
    assert Ties([0, 0], [1], 0).value("ASL") is None
    # three before, then a tie of five with two relevant, one wanted
    assert (
        Ties([0, 0, 0, 1, 0, 1, 0, 0], [1], 0).value("ESL", [0, 1, 1, 2, 2, 2, 2, 2]) == 3 + 3 * 1 / 3
    )
    assert Ties([1], [1], 0).value("ESL(wanted=2)") is None


def test_rocchios_measures_by_hand() -> None:
    ideal = [1] * 5
    assert value("normRecall(N=200)", RELEVANT, ideal) == pytest.approx(0.98872, abs=5e-6)
    assert value("normPrecision(N=200)", RELEVANT, ideal) == pytest.approx(0.92386, abs=5e-6)
    for measure in ("normRecall(N=9)", "normPrecision(N=9)"):
        assert value(measure, [1, 1, 1], [1, 1, 1]) == 1
        assert value(measure, [], [1, 1, 1]) == pytest.approx(0)  # the last three of nine ranks


def test_scaled_utility_by_hand() -> None:
    ideal = [1] * 5
    assert value("scaledUtility", [1, 0, 1, 1, 0], ideal) == pytest.approx(0.84615, abs=5e-6)
    assert value("scaledUtility", [0] * 100, ideal) == 0
    assert value("scaledUtility", [1] * 5, ideal) == 1


def test_satisfaction_frustration_and_total_by_hand() -> None:
    expected = [1, 0.833, 0.889, 0.727, 0.615, 0.6, 0.6875, 0.8125, 1, 1]
    assert [value(f"slidingRatio@{rank}") for rank in range(1, 11)] == pytest.approx(expected, abs=5e-4)
    assert value("satisfaction@4") == pytest.approx(8 / 11)
    # without gain: ranks 4, 5 and 10, so 1 of the 3 possible by rank 4
    assert value("frustration@4") == pytest.approx(1 / 3)
    assert value("total@4") == pytest.approx((8 / 11 + 2 / 3) / 2)
    assert value("total(weight=1)@4") == pytest.approx(8 / 11)


def test_half_life_and_relative_relevance_by_hand() -> None:
    assert value("halfLife") == 3.0
    assert value("halfLife", [1, 0.5, 0, 1, 0.5]) == 2.0
    assert value("halfLife", [0, 0]) is None
    ranking = Ties([1, 0.5, 0, 1, 0], [1], 0)
    ranking.system_scores = [1] * 5
    assert ranking.value("relativeRelevance") == pytest.approx(0.745356, abs=5e-7)


@given(GAINS)
def test_sliding_ratio_and_half_life_agree_with_the_transcription(gains: list[int]) -> None:
    for k in range(1, len(gains) + 1):
        assert value(f"slidingRatio@{k}", gains) == pytest.approx(oracle.sliding_ratio(gains, k))
    if any(gains):
        assert value("halfLife", gains) == pytest.approx(oracle.half_life(gains))


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
