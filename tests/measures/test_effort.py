"""Effort-precision: interpolation, unretrieved elements and the tolerance."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
import reference_transcription as reference
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from xcg.errors import XcgError
from xcg.measures import (
    MEASURES,
    RankingGains,
    effort_precision,
    mean_effort_precision,
    mean_effort_precision_over_gain,
)


def test_a_parameter_of_the_measure_overrides_the_user_model() -> None:
    topic = RankingGains([0.5, 1.0], [1.0, 0.5], 0)
    linear = MEASURES.parse("ep(interpolation=linear)@0.4").compute(topic)
    assert MEASURES.parse("ep@0.4").compute(topic, {"interpolation": "linear"}) == linear
    segment = MEASURES.parse("ep(interpolation=segment)@0.4")
    assert segment.compute(topic, {"interpolation": "linear"}) == pytest.approx(3 / 7)


def test_unretrieved_ideal_elements_count_once() -> None:
    # One hit at rank 1 of 0.5, ideal 1 and 0.5, so ep = 0.5; one ideal element is not retrieved.
    topic = RankingGains([0.5], [1.0, 0.5], 1)
    assert MEASURES.parse("MAep").compute(topic) == pytest.approx(0.25)
    assert MEASURES.parse("MAep(unretrieved=max)").compute(topic) == pytest.approx(0.25)
    # Two hits in one ideal element, the other missed: N is 3 or 2.
    topic = RankingGains([0.9, 0.1], [1.0, 0.5], 1)
    both = 0.9 / 1 + 1 / 2
    assert MEASURES.parse("MAep").compute(topic) == pytest.approx(both / 3)
    assert MEASURES.parse("MAep(unretrieved=max)").compute(topic) == pytest.approx(both / 2)


def test_gains_above_the_ideal_total_count_as_this_total() -> None:
    # xCG reaches 2 and 4; the ideal's total is 2: at both ranks its rank 1 is compared.
    topic = RankingGains([2.0, 2.0], [2.0], 0)
    assert MEASURES.parse("MAep").compute(topic) == pytest.approx((1 / 1 + 1 / 2) / 2)


def test_a_level_is_reached_within_a_billionth_of_the_total() -> None:
    assert effort_precision([0.1] * 10, [1.0], 1.0) == pytest.approx(0.1)  # sums to 0.9999999999999999
    assert effort_precision([0.999999], [1.0], 1.0) == 0.0


def test_a_recall_point_must_be_above_0() -> None:
    with pytest.raises(ValueError, match="recall point 0"):
        effort_precision([1.0], [1.0], 0)


def test_effort_in_text_needs_an_evaluation() -> None:
    with pytest.raises(XcgError, match="needs more than gains: compute it with"):
        MEASURES.parse("MAep(effort=tokens)").compute(RankingGains([1.0], [1.0], 0))


def numerical_mean(gains: list[float], ideal: list[float], interpolation: Any) -> float:
    """Return ∫ ep[r] dr from 0 to 1 by quadrature of ep as the definitions are transcribed."""
    total = sum(ideal)
    levels = {0.0, 1.0}
    for curve in (gains, ideal):
        levels |= {min(reference.xcg_at(curve, i) / total, 1.0) for i in range(1, len(curve) + 1)}
    return math.fsum(
        quad(lambda r: reference.ep_at(gains, ideal, r, interpolation), low, high, epsabs=1e-10)[0]
        for low, high in pairwise(sorted(levels))
        if high - low > 1e-7
    )


@given(
    st.lists(st.just(0.0) | st.floats(1e-3, 2), max_size=6),
    st.lists(st.floats(0.01, 2), min_size=1, max_size=5),
    st.sampled_from(["segment", "linear"]),
)
def test_the_mean_over_gain_is_the_integral_of_effort_precision(
    gains: list[float], ideal: list[float], interpolation: str
) -> None:
    ideal.sort(reverse=True)
    topic = RankingGains(gains, ideal, 0)
    measure = MEASURES.parse(f"MAep(average=gain,interpolation={interpolation})")
    expected = numerical_mean(gains, ideal, interpolation)
    assert measure.compute(topic) == pytest.approx(expected, abs=1e-6)
    assert measure.compute(RankingGains(ideal, ideal, 0)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "effort", "message"),
    [
        ("MAep(average=gain,unretrieved=max)", {}, "unretrieved has no effect with average=gain"),
        (
            "MAep(average=gain,unretrieved=uncredited)",
            {},
            "unretrieved has no effect with average=gain",
        ),
        ("MAep(average=gain,effort=tokens)", {}, "average applies to effort in ranks only"),
        ("MAep(average=gain)", {"effort": "words"}, "average applies to effort in ranks only"),
    ],
)
def test_options_without_effect_are_refused(measure: str, effort: dict[str, str], message: str) -> None:
    with pytest.raises(XcgError, match=message):
        MEASURES.parse(measure).compute(RankingGains([1.0], [1.0], 0), effort)


def test_a_tiny_gain_adds_a_whole_term_to_the_mean_over_ranks() -> None:
    """The page on effort-precision states these values."""
    two, one = [1.0, 0.001], [1.0]
    late = [0.999, *[0.0] * 98, 0.001]
    # The second ideal element ends the ranking; (.999 + 1/100) / 2.
    assert [mean_effort_precision([1.0], two, 1), mean_effort_precision(two, two)] == [0.5, 1]
    assert mean_effort_precision([0.999], one) == pytest.approx(0.999)
    assert mean_effort_precision(late, one) == pytest.approx(0.5045)
    over_gain = mean_effort_precision_over_gain
    assert over_gain(two, two) - over_gain([1.0], two) == pytest.approx(0.001, abs=2e-6)
    assert over_gain(late, one) - over_gain([0.999], one) == pytest.approx(0.00001, abs=1e-7)


def test_the_mean_over_gain_ignores_the_divisor_of_the_user_model() -> None:
    measure = MEASURES.parse("MAep(average=gain)")
    for unretrieved in ("uncredited", "max"):
        topic = RankingGains([0.75], [1.0] * 10, 10)
        assert measure.compute(topic, {"unretrieved": unretrieved}) == pytest.approx(0.05625)
