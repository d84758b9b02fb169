"""The search is reproducible, and returns the smallest case."""

from __future__ import annotations

from xcg.laws.chunk_measures import Gold, Retrieved
from xcg.laws.laws import search
from xcg.laws.subjects import FunctionSubject


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
