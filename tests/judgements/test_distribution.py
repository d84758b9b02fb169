"""Distributions of levels: Table 1 of Järvelin and Kekäläinen (2002), and values counted by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import XcgError
from xcg.judgements.assessment import Assessment
from xcg.judgements.distribution import cross_tabulate, level_distribution
from xcg.judgements.recall_base import RecallBase
from xcg.report.validation import cross_rows

# Järvelin and Kekäläinen (2002), Table 1: level → TREC irrelevant, TREC relevant.
TABLE_1 = {0: (2780, 691), 1: (134, 1004), 2: (40, 724), 3: (11, 353)}


def table_1() -> tuple[RecallBase, RecallBase]:
    pairs = [
        (level, binary)
        for level, numbers in TABLE_1.items()
        for binary, number in enumerate(numbers)
        for _ in range(number)
    ]
    new = {f"d{number}": level for number, (level, _) in enumerate(pairs)}
    old = {f"d{number}": binary for number, (_, binary) in enumerate(pairs)}
    return RecallBase.of({"351": new}), RecallBase.of({"351": old})


def test_table_1_of_jarvelin_and_kekalainen() -> None:
    rows = cross_rows(cross_tabulate(*table_1()))
    assert [row["level"] for row in rows] == ["level 0", "level 1", "level 2", "level 3", "total"]
    assert [row["level 1"] for row in rows] == [691, 1004, 724, 353, 2772]
    assert [row["level 0"] for row in rows] == [2780, 134, 40, 11, 2965]
    assert [row["total"] for row in rows] == [3471, 1138, 764, 364, 5737]
    percents = {
        column: [f"{100 * row[f'{column} share']:.1f}" for row in rows]
        for column in ("level 1", "level 0", "total")
    }
    # The paper prints 25.0 for 691 / 2772 and 6.4 for 364 / 5737, so that its columns add up to 100.0.
    assert percents == {
        "level 1": ["24.9", "36.2", "26.1", "12.7", "100.0"],
        "level 0": ["93.8", "4.5", "1.3", "0.4", "100.0"],
        "total": ["60.5", "19.8", "13.3", "6.3", "100.0"],
    }


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
