"""The measures as users write them, and the pure functions on what is no gain vector."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import XcgError
from xcg.measures import MEASURES, Measure, TopicGains, cumulate, effort_precision, nxcg


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("nxCG@10", "nxCG@10"),
        (" nxCG @ 010 ", "nxCG@10"),
        ("ep@.1", "ep@0.1"),
        ("ep@1.0", "ep@1"),
        ("ep(interpolation=linear)@0.1", "ep(interpolation=linear)@0.1"),
        ("MAep(unretrieved='max')", "MAep(unretrieved=max)"),
        ("MAep(unretrieved=max, interpolation=linear)", "MAep(interpolation=linear,unretrieved=max)"),
        ("MAep()", "MAep"),
        ("MAnxCG@1000000", "MAnxCG@1000000"),
    ],
)
def test_printed_names_are_what_users_type(written: str, printed: str) -> None:
    measure = MEASURES.parse(written)
    assert str(measure) == printed
    assert MEASURES.parse(printed) == measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nxGC@10", "unknown measure 'nxGC': did you mean 'nxCG'?"),
        ("MAeep", "unknown measure 'MAeep': did you mean 'MAep'?"),
        ("nxCG", "nxCG lacks its cutoff: expected a rank from 1, like nxCG@10"),
        ("nxCG@0", "nxCG@0: expected a rank from 1"),
        ("nxCG@1.5", "nxCG@1.5: expected a rank"),
        ("nxCG@-3", "expected a rank"),
        ("nxCG@1e3", "expected a rank"),
        ("nxCG@99999999999", "expected a rank"),
        ("ep@0", "ep@0: expected a recall point above 0 and at most 1"),
        ("ep@10", "ep@10: expected a recall point"),
        ("ep@nan", "ep@nan: expected a recall point"),
        ("MAep@10", "MAep takes no cutoff"),
        ("MAep(unretreived=max)", "no parameter 'unretreived': did you mean 'unretrieved'?"),
        ("MAep(unretrieved=maximum)", "illegal unretrieved 'maximum'"),
        ("MAep(unretrieved)", "illegal unretrieved ''"),
        ("MAep(unretrieved=max,unretrieved=max)", "is given twice"),
        ("R(x=1)", "R has no parameter 'x': it takes none"),
        ("nxCG@@10", "is not a measure"),
        ("", "is not a measure"),
        ("nxCG(@10", "is not a measure"),
    ],
)
def test_what_is_no_measure(text: str, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        MEASURES.parse(text)
    assert message in str(raised.value)


@given(st.text(max_size=30))
def test_the_parser_answers_with_a_measure_or_its_own_error(text: str) -> None:
    try:
        assert isinstance(MEASURES.parse(text), Measure)
        assert all(isinstance(measure, Measure) for measure in MEASURES.parse_all(text))
    except XcgError:
        pass


def test_a_list_of_measures_keeps_order_and_drops_repeats() -> None:
    names = map(str, MEASURES.parse_all("MAep, nxCG@10\n MAep ep(interpolation=linear)@0.1"))
    assert list(names) == ["MAep", "nxCG@10", "ep(interpolation=linear)@0.1"]
    with pytest.raises(XcgError, match="no measures"):
        MEASURES.parse_all(" ")


def test_the_user_models_effort_is_the_default_and_the_name_comes_first() -> None:
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


def test_gains_above_the_ideal_count_as_the_ideal() -> None:
    # xCG reaches 2 and 4; the ideal's total is 2: at both ranks its rank 1 is compared.
    topic = TopicGains([2.0, 2.0], [2.0], 0)
    assert MEASURES.parse("MAep").compute(topic) == pytest.approx((1 / 1 + 1 / 2) / 2)


def test_a_level_is_reached_within_a_billionth_of_the_total() -> None:
    assert effort_precision([0.1] * 10, [1.0], 1.0) == pytest.approx(0.1)  # sums to 0.9999999999999999
    assert effort_precision([0.999999], [1.0], 1.0) == 0.0


@pytest.mark.parametrize("gains", [[-1.0], [float("nan")], [float("inf")], [[1.0]]])
def test_what_is_no_gain_vector(gains: list[float]) -> None:
    with pytest.raises(ValueError, match="gains must be"):
        cumulate(gains)


def test_what_is_no_ideal() -> None:
    with pytest.raises(ValueError, match="sum to more than 0"):
        nxcg([1.0], [])
    with pytest.raises(ValueError, match="decreasing"):
        nxcg([1.0], [0.5, 1.0])
    with pytest.raises(ValueError, match="recall point 0"):
        effort_precision([1.0], [1.0], 0)


def test_every_definition_says_all_about_itself_and_its_usage_parses() -> None:
    for definition in MEASURES.values():
        assert all([definition.title, definition.formula, definition.range, definition.example])
        assert re.search(r"(19|20)[0-9]{2}|TREC|trec_eval", definition.source)
        written = definition.usage
        if definition.compute is None:
            written = definition.example.partition("--measures ")[2].strip("'")
        assert MEASURES.parse(written).definition is definition
