"""The search is reproducible, and returns the smallest case."""

from __future__ import annotations

import pytest
from law_abiding_measures import subject_of

from xcg.errors import XcgError
from xcg.laws.cases import Gold, Retrieved
from xcg.laws.laws import search


def test_seeds_test_different_cases() -> None:
    def cases(seed: int) -> list[tuple[list[Gold], list[Retrieved]]]:
        seen = []

        def function(gold: list[Gold], ranking: list[Retrieved]) -> float:
            seen.append((gold, ranking))
            return 0.5

        (outcome,) = search(subject_of(function), ["boundedness"], examples=30, seed=seed)
        assert outcome.verdict == "held"
        return seen

    assert cases(3) == cases(3) != cases(4)


def test_the_search_stops_where_the_measure_fails() -> None:
    def fails_on_three_results(gold: list[Gold], ranking: list[Retrieved]) -> float:
        if len(ranking) == 3:
            raise XcgError("three results")
        return 0.5

    with pytest.raises(XcgError, match=r"^f: three results$"):
        list(search(subject_of(fails_on_three_results)))
