"""Precision and recall with graded relevance: the numbers printed in the papers."""

from __future__ import annotations

import pytest
import reference_lineage as oracle
from hypothesis import given
from measure_values import GAINS, REL, REL_IDEAL, value

from xcg.errors import XcgError
from xcg.measures import q_measure, r_measure
from xcg.measures.graded_precision import average_precision_at


@pytest.mark.parametrize(("threshold", "ap"), [(5, 0), (4, 0.125), (3, 0.403), (2, 0.483), (1, 0.780)])
def test_table_1_of_scheel_et_al(threshold: int, ap: float) -> None:
    assert value(f"xAP(threshold={threshold})", REL, REL_IDEAL) == pytest.approx(ap, abs=5e-4)
    assert average_precision_at(REL, REL_IDEAL, 0) == 1  # all documents are relevant


def test_mu_ap_weights_levels_by_their_distances() -> None:
    assert value("muAP", REL, REL_IDEAL) == pytest.approx(0.44782, abs=5e-6)
    assert value("μAP", [0.3, 1, 0], [1, 0.3]) == pytest.approx(0.65)
    assert average_precision_at([0.3, 1, 0], [1, 0.3], 0.3) == 1
    assert average_precision_at([0.3, 1, 0], [1, 0.3], 1) == 0.5


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
    with pytest.raises(XcgError, match="gRecall needs gains from 0 to 1, and the highest is 3"):
        value("gRecall@2")


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
