"""Sliding ratio, satisfaction and frustration, half-life and relative relevance."""

from __future__ import annotations

import pytest
import reference_lineage as oracle
from hypothesis import given
from measure_values import GAINS, G, value

from xcg.measures.sliding_ratio import half_life, relative_relevance, sliding_ratio


def test_sliding_ratio_by_hand() -> None:
    expected = [1, 0.833, 0.889, 0.727, 0.615, 0.6, 0.6875, 0.8125, 1, 1]
    assert sliding_ratio(G).tolist() == pytest.approx(expected, abs=5e-4)
    assert value("slidingRatio@4") == value("satisfaction@4") == pytest.approx(8 / 11)


def test_satisfaction_frustration_and_total_by_hand() -> None:
    # without gain: ranks 4, 5 and 10, so 1 of the 3 possible by rank 4
    assert value("frustration@4") == pytest.approx(1 / 3)
    assert value("total@4") == pytest.approx((8 / 11 + 2 / 3) / 2)
    assert value("total(weight=1)@4") == pytest.approx(8 / 11)


def test_half_life_and_relative_relevance_by_hand() -> None:
    assert half_life(G) == 3.0
    assert half_life([1, 0.5, 0, 1, 0.5]) == 2.0
    assert half_life([0, 0]) is None
    assert relative_relevance([1] * 5, [1, 0.5, 0, 1, 0]) == pytest.approx(0.745356, abs=5e-7)


@given(GAINS)
def test_sliding_ratio_and_half_life_agree_with_the_transcription(gains: list[int]) -> None:
    for k in range(1, len(gains) + 1):
        assert sliding_ratio(gains)[k - 1] == pytest.approx(oracle.sliding_ratio(gains, k))
    if any(gains):
        assert half_life(gains) == pytest.approx(oracle.half_life(gains))
