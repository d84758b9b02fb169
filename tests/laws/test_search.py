"""The search is reproducible, and returns the smallest case."""

from __future__ import annotations

import pytest

from xcg.errors import XcgError
from xcg.laws.chunk_measures import Gold, Retrieved
from xcg.laws.search import search
from xcg.laws.subjects import FunctionSubject
from xcg.report.laws import outcome_text


def test_seeds_test_different_cases() -> None:
    def cases(seed: int) -> list[tuple[list[Gold], list[Retrieved]]]:
        seen = []

        def function(gold: list[Gold], ranking: list[Retrieved]) -> float:
            seen.append((gold, ranking))
            return 0.5

        (outcome,) = search(FunctionSubject("f", function), ["boundedness"], examples=30, seed=seed)
        assert outcome.verdict == "held"
        return seen

    assert cases(3) == cases(3) != cases(4)


def test_laws_are_tested_in_their_order_until_the_measure_fails() -> None:
    def fails_on_three_results(gold: list[Gold], ranking: list[Retrieved]) -> float:
        return 0.5 if len(ranking) < 3 else float("nan")

    subject = FunctionSubject("f", fails_on_three_results)
    (outcome,) = search(subject)
    assert (outcome.law.name, outcome.verdict) == ("boundedness", "failed")
    assert outcome.claim is not None
    assert len(outcome.claim.ranking) == 3


def test_an_unknown_law_is_an_error() -> None:
    subject = FunctionSubject("f", lambda gold, ranking: 0.5)
    with pytest.raises(XcgError, match="unknown law 'ordr': did you mean 'order'"):
        list(search(subject, ["ordr"]))


def test_a_failure_is_shown_at_the_ranking_that_caused_it() -> None:
    def fails_on_two(gold: list[Gold], ranking: list[Retrieved]) -> float:
        if len(ranking) == 2:
            raise KeyError("two")
        return 0.0

    subject = FunctionSubject("f", fails_on_two)
    (outcome,) = search(subject, ["no-pay-twice"])
    assert outcome.verdict == "failed"
    assert outcome.claim is not None
    assert outcome.claim.before is not None
    lines = outcome_text(subject, outcome).splitlines()
    line = next(line for line in lines if "KeyError" in line)
    assert line.startswith("  before: " if len(outcome.claim.before) == 2 else "  after: ")
