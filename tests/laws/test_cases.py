"""Drawn cases are legal: spans lie in their documents, and elements are those of the markup."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from law_abiding_measures import characters

from xcg.laws.cases import (
    Case,
    Document,
    Gold,
    Retrieved,
    Setting,
    cases,
    irrelevant_spans,
    overlap,
    rankings,
    results_inside,
    splits,
)

SETTINGS = [Setting("text"), Setting("elements")]


@given(st.data(), st.sampled_from(SETTINGS))
def test_drawn_spans_are_legal(data: DataObject, setting: Setting) -> None:
    case = data.draw(cases(setting))
    ranking = data.draw(rankings(case, setting))
    assert case.gold
    spans: list[Gold | Retrieved] = [*case.gold, *ranking]
    for span in spans:
        assert 0 <= span.start < span.end <= case.documents[span.document].size
        if setting.form == "elements":
            assert (span.start, span.end) in case.documents[span.document].elements
    assert not any(overlap(a, b) for a in case.gold for b in case.gold if a != b)
    assert len({gold[:3] for gold in case.gold}) == len(case.gold)
    outer = ranking[0]
    assert characters(data.draw(results_inside(case, setting, outer))) <= characters(outer)
    split = data.draw(splits(case, setting, outer))
    assert [c for part in split for c in sorted(characters(part))] == sorted(characters(outer))
    assert not any(case.relevant(span) for span in irrelevant_spans(case, setting))


def test_spans_overlap_if_they_share_a_character() -> None:
    gold = Gold("a", 3, 6, 1)
    spans = {span: overlap(gold, Retrieved("a", *span)) for span in [(0, 3), (0, 4), (5, 6), (6, 9)]}
    assert spans == {(0, 3): False, (0, 4): True, (5, 6): True, (6, 9): False}
    assert not overlap(gold, Retrieved("b", 3, 6))


def test_irrelevant_spans_are_the_gaps_between_gold_spans() -> None:
    case = Case({"a": Document(9), "b": Document(2)}, (Gold("a", 0, 3, 1), Gold("a", 5, 7, 1)))
    expected = [Retrieved("a", 3, 5), Retrieved("a", 7, 9), Retrieved("b", 0, 2)]
    assert irrelevant_spans(case, Setting("text")) == expected
