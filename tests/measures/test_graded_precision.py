"""Precision and recall with graded relevance: the numbers printed in the papers."""

from __future__ import annotations

import pytest
import reference_lineage as oracle
from hypothesis import given
from measure_values import GAINS, IDEAL, REL, REL_IDEAL, G, value

import xcg
from xcg.errors import XcgError
from xcg.measures import MEASURES, RankingGains, q_measure, r_measure


@pytest.mark.parametrize(("threshold", "ap"), [(5, 0), (4, 0.125), (3, 0.403), (2, 0.483), (1, 0.780)])
def test_table_1_of_scheel_et_al(threshold: int, ap: float) -> None:
    assert value(f"xAP(threshold={threshold})", REL, REL_IDEAL) == pytest.approx(ap, abs=5e-4)


TABLE_1 = {5: 0.0, 4: 1 / 8, 3: (1 / 3 + 2 / 4 + 3 / 8) / 3, 0: 1.0}
"""Threshold → AP, by hand."""


def test_thresholds_at_both_ends_of_table_1() -> None:
    """No document has the level 5, so AP is 0; all documents have the level 0, so AP is 1."""
    for ideal in (REL_IDEAL, REL_IDEAL[:-2]):
        for threshold, ap in TABLE_1.items():
            assert value(f"xAP(threshold={threshold})", REL, ideal) == pytest.approx(ap)
    with pytest.raises(XcgError, match="xAP: illegal threshold '-1': expected a number from 0"):
        value("xAP(threshold=-1)")


def test_threshold_0_counts_ideal_elements_that_are_not_retrieved() -> None:
    """Two results, and one of two relevant documents is missing: 2 / 3."""
    found = xcg.evaluate({"1": {"a": 1, "b": 2, "c": 0}}, {"r": {"1": ["a", "x"]}}, measures=_EDGES)
    assert found.value("r", "xAP(threshold=0)") == pytest.approx(2 / 3)
    missed = RankingGains([], [1.0], 1)
    assert MEASURES.parse("xAP(threshold=0)").compute(missed) == value("xAP(threshold=0)", [], []) == 0


_EDGES = "xAP(threshold=0) xAP(threshold=3) AP(rel=3) muAP"


def test_even_the_ideal_ranking_has_ap_0_at_a_level_without_documents() -> None:
    """As in Table 1, and as trec_eval does; the level is not in the mean of μAP, which is 1."""
    found = xcg.evaluate({"1": {"a": 1, "b": 2}}, {"r": {"1": ["b", "a"]}}, measures=_EDGES)
    assert [found.value("r", measure) for measure in found.measures] == [1, 0, 0, 1]


def test_mu_ap_weights_levels_by_their_distances() -> None:
    assert value("muAP", REL, REL_IDEAL) == pytest.approx(0.44782, abs=5e-6)
    assert value("μAP", [0.3, 1, 0], [1, 0.3]) == pytest.approx(0.65)


@given(GAINS, GAINS.filter(any))
def test_average_precision_agrees_with_the_transcription_of_the_formulas(
    gains: list[int], judged: list[int]
) -> None:
    ideal = sorted((g for g in judged if g), reverse=True)
    totals = {t: sum(g >= t for g in ideal) for t in set(ideal)}
    assert value("muAP", gains, ideal) == pytest.approx(oracle.mu_ap(gains, list(totals), totals))
    for t in (1, 2, 3):
        expected = oracle.ap_at(gains, t, sum(g >= t for g in ideal))
        assert value(f"xAP(threshold={t})", gains, ideal) == pytest.approx(expected)


def test_generalised_precision_and_recall_take_gains_from_0_to_1() -> None:
    assert value("gPrecision@3", [1, 0.5, 0], [1, 0.5, 0.5]) == 0.5
    assert value("gRecall@2", [1, 0.5, 0], [1, 0.5, 0.5]) == 0.75
    # Järvelin and Kekäläinen's weights 0, 1, 10 and 100, of which 100 is the unit.
    assert value("gPrecision(max=100)@2", [10, 100], [100, 10, 1]) == pytest.approx(1.1 / 2)
    assert value("gRecall(max=100)@1", [10, 100], [100, 10, 1]) == pytest.approx(10 / 111)
    assert value("gIPrec(max=100)@0.5", [10, 100], [100, 10, 1]) == pytest.approx(1.1 / 2)


TENTHS = [tenth / 10 for tenth in range(11)]


@pytest.mark.parametrize(
    ("measure", "precisions"),
    [
        # Level 3 at ranks 1, 3 and 9 of 3: precision 1, 2/3, 1/3 at recall 1/3, 2/3, 1.
        ("xIPrec(level=3)", [1] * 4 + [2 / 3] * 3 + [1 / 3] * 4),
        # Level 2 at ranks 2, 7 and 8 of 3: 1/2, 2/7, 3/8; the last is higher than the second.
        ("xIPrec(level=2)", [1 / 2] * 4 + [3 / 8] * 7),
        # Level 1 at rank 6, of 4: recall 1/4.
        ("xIPrec(level=1)", [1 / 6] * 3 + [0] * 8),
        # From level 2: ranks 1, 2, 3, 7, 8, 9 of 6.
        ("xIPrec(threshold=2)", [1] * 6 + [6 / 9] * 5),
        # All: ranks 1, 2, 3, 6, 7, 8, 9 of 10.
        ("xIPrec", [1] * 4 + [7 / 9] * 4 + [0] * 3),
    ],
)
def test_precision_over_recall_at_each_level(measure: str, precisions: list[float]) -> None:
    assert [value(f"{measure}@{x}") for x in TENTHS] == pytest.approx(precisions)
    assert value(measure) == pytest.approx(sum(precisions) / 11)  # the 11-point average
    curve = MEASURES.parse(measure).curve(RankingGains(G, IDEAL, 0), 100)
    assert curve is not None
    assert (list(curve[0]), list(curve[1])) == (TENTHS, pytest.approx(precisions))


def test_generalised_precision_over_generalised_recall() -> None:
    gains, ideal = [g / 3 for g in G], [g / 3 for g in IDEAL]
    # CG' is 3, 5, 8, 8, 8, 9, 11, 13, 16, 16 of 19 thirds: precision 3/3, 5/6, 8/9, …, 16/27.
    # Recall .1 is 1.9, reached at rank 1; .2 to .4 is at most 7.6 (rank 3), .5 to .8 15.2 (rank 9).
    precisions = [1, 1, *[8 / 9] * 3, *[16 / 27] * 4, 0, 0]
    assert [value(f"gIPrec@{x}", gains, ideal) for x in TENTHS] == pytest.approx(precisions)
    assert value("gIPrec", gains, ideal) == pytest.approx(sum(precisions) / 11)
    # The ideal ranking: 17.1 of recall .9 is first reached at rank 9, with 18 thirds.
    assert value("gIPrec@0.9", ideal, ideal) == pytest.approx(18 / 27)


def test_a_level_without_documents_has_no_precision() -> None:
    assert value("xIPrec(level=9)") is None
    assert MEASURES.parse("xIPrec(level=9)").curve(RankingGains(G, IDEAL, 0), 10) is None
    assert value("xIPrec(level=3)", []) == 0


@given(GAINS, GAINS.filter(any))
def test_precision_over_recall_agrees_with_its_definition(gains: list[int], judged: list[int]) -> None:
    ideal = sorted((g for g in judged if g), reverse=True)
    relevant, total = [float(g == ideal[0]) for g in gains], ideal.count(ideal[0])
    for x in TENTHS:
        ranks = range(1, len(gains) + 1)
        reaching = [n for n in ranks if sum(relevant[:n]) >= round(x * total, 9)]
        expected = max((sum(relevant[:n]) / n for n in reaching), default=0.0)
        assert value(f"xIPrec(level={ideal[0]})@{x}", gains, ideal) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("xIPrec(level=1,threshold=2)", "level and threshold contradict each other"),
        ("xIPrec(level=-1)", "illegal level '-1': expected a number from 0"),
        ("xIPrec@1.5", "xIPrec@1.5: expected a recall point from 0 to 1"),
        ("gIPrec", "highest is 3; map levels to gains with quantisation: {gains: {1: 0.5, 2: 1}}, or "),
        ("gRecall@2", "scale them with gRecall(max=3)"),
    ],
)
def test_misused_precision_over_recall(measure: str, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        value(measure)
    assert message in str(raised.value)


def test_the_ideal_ranking_has_q_and_r_of_1() -> None:
    for ideal in ([1.0], [0.9, 0.5, 0.1]):
        assert q_measure(ideal, ideal) == pytest.approx(1)
        assert r_measure(ideal, ideal) == pytest.approx(1)


def test_unretrieved_ideal_elements_count_in_q() -> None:
    # one hit at rank 2 of gain 0.5, ideal 1 and 0.5: bonus 1.5 over 1.5 + 2
    assert q_measure([0, 0.5], [1, 0.5], not_retrieved=1) == pytest.approx(1.5 / 3.5 / 2)
    assert q_measure([0, 0.5], [1, 0.5], 2) == pytest.approx(1.5 / 3.5 / 3)
    assert q_measure([0, 0.5], [1, 0.5], 2, "max") == pytest.approx(1.5 / 3.5 / 2)


def test_r_ends_at_the_number_of_ideal_elements() -> None:
    # two ideal elements: the gain at rank 3 does not count
    assert r_measure([0.9, 0, 1], [1, 0.5]) == pytest.approx(1.9 / 3.5)
    assert r_measure([], [1, 0.5]) == 0
