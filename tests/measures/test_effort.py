"""Effort-precision: interpolation, unretrieved elements and the tolerance."""

from __future__ import annotations

import pytest

from xcg.errors import XcgError
from xcg.measures import MEASURES, TopicGains, effort_precision


def test_a_parameter_of_the_measure_overrides_the_user_model() -> None:
    topic = TopicGains([0.5, 1.0], [1.0, 0.5], 0)
    linear = MEASURES.parse("ep(interpolation=linear)@0.4").compute(topic)
    assert MEASURES.parse("ep@0.4").compute(topic, {"interpolation": "linear"}) == linear
    segment = MEASURES.parse("ep(interpolation=segment)@0.4")
    assert segment.compute(topic, {"interpolation": "linear"}) == pytest.approx(3 / 7)


def test_unretrieved_ideal_elements_count_once() -> None:
    # One hit at rank 1 of 0.5, ideal 1 and 0.5, so ep = 0.5; one ideal element is not retrieved.
    topic = TopicGains([0.5], [1.0, 0.5], 1)
    assert MEASURES.parse("MAep").compute(topic) == pytest.approx(0.25)
    assert MEASURES.parse("MAep(unretrieved=max)").compute(topic) == pytest.approx(0.25)
    # Two hits in one ideal element, the other missed: N is 3 or 2.
    topic = TopicGains([0.9, 0.1], [1.0, 0.5], 1)
    both = 0.9 / 1 + 1 / 2
    assert MEASURES.parse("MAep").compute(topic) == pytest.approx(both / 3)
    assert MEASURES.parse("MAep(unretrieved=max)").compute(topic) == pytest.approx(both / 2)


def test_gains_above_the_ideal_total_count_as_this_total() -> None:
    # xCG reaches 2 and 4; the ideal's total is 2: at both ranks its rank 1 is compared.
    topic = TopicGains([2.0, 2.0], [2.0], 0)
    assert MEASURES.parse("MAep").compute(topic) == pytest.approx((1 / 1 + 1 / 2) / 2)


def test_a_level_is_reached_within_a_billionth_of_the_total() -> None:
    assert effort_precision([0.1] * 10, [1.0], 1.0) == pytest.approx(0.1)  # sums to 0.9999999999999999
    assert effort_precision([0.999999], [1.0], 1.0) == 0.0


def test_a_recall_point_must_be_above_0() -> None:
    with pytest.raises(ValueError, match="recall point 0"):
        effort_precision([1.0], [1.0], 0)


def test_effort_in_text_needs_an_evaluation() -> None:
    with pytest.raises(XcgError, match="effort in tokens needs more than gains: compute it with"):
        MEASURES.parse("MAep(effort=tokens)").compute(TopicGains([1.0], [1.0], 0))
