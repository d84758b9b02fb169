"""Which results of a ranking overlap with another one: comparison with all pairs of results."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.corpus import Corpus
from xcg.errors import MissingSizeError
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.extents import overlapping_positions

SPANS = st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda span: (span[0], sum(span)))
PATHS = ["/", "/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]", "/a[1]/s[12]", "/a[1]/s[1]/p[2]"]


@given(st.lists(st.tuples(st.sampled_from("de"), SPANS), max_size=9))
def test_passages_overlap_if_they_share_a_character(
    passages: list[tuple[str, tuple[int, int]]],
) -> None:
    ranking = Ranking.of([(document, "", span) for document, span in passages])
    characters = [{(document, c) for c in range(*span)} for document, span in passages]
    expected = {
        one
        for one, other in product(range(len(passages)), repeat=2)
        if one != other and characters[one] & characters[other]
    }
    assert overlapping_positions(ranking, None) == expected


@given(st.lists(st.tuples(st.sampled_from("de"), st.sampled_from(PATHS)), max_size=9))
def test_elements_overlap_if_one_contains_the_other(elements: list[tuple[str, str]]) -> None:
    ranking = Ranking.of([(document, path, None) for document, path in elements])

    def contains(outer: tuple[str, str], inner: tuple[str, str]) -> bool:
        prefix = "/a[1]" if outer[1] == "/" else outer[1]
        path = "/a[1]" if inner[1] == "/" else inner[1]
        return outer[0] == inner[0] and f"{path}/".startswith(f"{prefix}/")

    expected = {
        number
        for one, other in product(range(len(elements)), repeat=2)
        if one != other and contains(elements[one], elements[other])
        for number in (one, other)
    }
    assert overlapping_positions(ranking, None) == expected


def test_elements_and_passages_of_one_document_need_it() -> None:
    ranking = Ranking.of([("d", "/a[1]/s[1]", None), ("d", "", (2, 4)), ("d", "", UNKNOWN_SPAN)])
    with pytest.raises(MissingSizeError, match="d: the strategy needs the document"):
        overlapping_positions(ranking, None)
    corpus = Corpus.of({"d": "<a><s>one</s><s>two</s></a>"})
    assert overlapping_positions(ranking, corpus) == {0, 1}
