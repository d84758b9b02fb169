"""Distributions of levels, counted by hand; tests/cli/test_levels_option.py has Table 1 of a paper."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import XcgError
from xcg.judgements.assessment import Assessment
from xcg.judgements.distribution import cross_tabulate, level_distribution
from xcg.judgements.recall_base import RecallBase


def test_coverage_is_sorted_from_none_to_exact() -> None:
    letters = {f"/a/{letter}": Assessment(2, letter, None, "coverage") for letter in "ELSN"}
    found = level_distribution(RecallBase.of({"1": {"d": letters}}))  # type: ignore[dict-item]
    assert [one.level for one in found] == ["(2,N)", "(2,S)", "(2,L)", "(2,E)"]
    assert [one.relevant_share is None for one in found] == [True, False, False, False]


def test_shares_of_highlighted_text_are_grouped_into_quarters() -> None:
    shares = [0, 0.1, 0.25, 0.4999, 0.5, 0.99, 1]
    elements = {f"/a/s[{i}]": Assessment(2, s, None, "share") for i, s in enumerate(shares, 1)}
    elements["/a/p"] = Assessment(1, 1.0, None, "share")
    found = level_distribution(RecallBase.of({"1": {"d": elements}}))  # type: ignore[dict-item]
    assert {one.level: one.number for one in found} == {
        "(1,1)": 1,
        "(2,0)": 1,
        "(2,<0.25)": 1,
        "(2,<0.5)": 2,
        "(2,<0.75)": 1,
        "(2,<1)": 1,
        "(2,1)": 1,
    }
    assert [one.level for one in found][-3:] == ["(2,<0.75)", "(2,<1)", "(2,1)"]


def test_up_to_20_ratings_are_levels_and_more_are_intervals() -> None:
    few = level_distribution(RecallBase.of({"1": {f"d{i}": i / 4 for i in range(20)}}))
    assert [one.level for one in few][:3] == ["level 0", "level 0.25", "level 0.5"]
    assert len(few) == 20
    # 0.3 · 10 / 3 is slightly more than 1 in floating point, but belongs to the first interval.
    ratings = [-1.0, 0.0, 0.1, 0.3, 0.31, *(2.9 + i / 1000 for i in range(101))]
    many = level_distribution(RecallBase.of({"1": {f"d{i}": v for i, v in enumerate(ratings)}}))
    assert [(one.level, one.number) for one in many] == [
        ("level 0 or below", 2),
        ("level 0 to 0.3", 2),
        ("level 0.3 to 0.6", 1),
        ("level 2.7 to 3", 101),
    ]
    assert [one.relevant_share is None for one in many] == [True, False, False, False]


def test_documents_with_passages_count_once() -> None:
    base = RecallBase.of({"1": {"a": [(0, 5), (7, 9)], "b": [], "c": [(1, 2)]}})
    assert [one[:2] for one in level_distribution(base)] == [
        ("documents without relevant passages", 1),
        ("documents with relevant passages", 2),
    ]
    table = cross_tabulate(base, RecallBase.of({"1": {"a": 1, "b": 1, "c": 0}}))
    assert table.rows == ["documents without relevant passages", "documents with relevant passages"]
    assert table.counts == [[0, 1], [1, 1]]


def test_only_shared_units_are_counted() -> None:
    first = RecallBase.of({"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"a": 1}})
    second = RecallBase.of({"1": {"a": 2, "b": 2, "d": 1}, "2": {"a": 0, "e": 0}, "4": {"a": 1}})
    table = cross_tabulate(first, second)
    assert (table.only_first, table.only_second) == (2, 3)
    assert (table.rows, table.columns) == (["level 0", "level 1"], ["level 0", "level 2"])
    assert table.counts == [[0, 1], [1, 1]]


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1),
)
def test_a_cross_tabulation_by_plain_loops(first: dict[str, int], second: dict[str, int]) -> None:
    bases = [RecallBase.of({"1": judged}) for judged in (first, second)]
    if not first.keys() & second.keys():
        with pytest.raises(XcgError, match="share no assessed document or element"):
            cross_tabulate(*bases)
        return
    table = cross_tabulate(*bases)
    expected = Counter(
        (f"level {first[name]}", f"level {second[name]}") for name in first.keys() & second.keys()
    )
    found = {
        (row, column): count
        for row, counts in zip(table.rows, table.counts, strict=True)
        for column, count in zip(table.columns, counts, strict=True)
        if count
    }
    assert found == expected


def test_sets_without_anything_in_common_are_errors() -> None:
    one, two = RecallBase.of({"101": {"a": 1}}), RecallBase.of({"102": {"a": 1}})
    with pytest.raises(XcgError, match="share no assessed document or element"):
        cross_tabulate(one, two)
    with pytest.raises(XcgError, match="share no assessed document or element"):
        cross_tabulate(one, RecallBase.of({"101": {"a": {"/x": 1}}}))
