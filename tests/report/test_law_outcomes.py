"""The outcome of a test of a law as text and as a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("hypothesis")

from law_abiding_measures import subject_of

from xcg.laws.laws import search
from xcg.laws.subjects import Subject
from xcg.report.laws import outcome_record, outcome_text
from xcg.user_model.model import UserModel


def outcome_of(function: Callable[[Sequence[Any], Sequence[Any]], float], law: str) -> tuple[str, Any]:
    subject = subject_of(function)
    (outcome,) = search(subject, [law], 50, 0)
    return outcome_text(subject, outcome), outcome_record(subject, outcome)


@pytest.mark.parametrize(
    ("score", "law", "sentence"),
    [
        (1.00001, "boundedness", "The score 1.00001 is above 1."),  # not rounded to 1
        (-1.0, "boundedness", "The score -1 is below 0."),
        (0.5, "ideal", "The score is 0.5 and not 1."),
    ],
)
def test_a_violation_of_one_ranking(score: float, law: str, sentence: str) -> None:
    text, record = outcome_of(lambda gold, found: score, law)
    assert text.startswith(f"{law}: broken, in case ")
    assert f"\n  {sentence} " in text
    assert (record["verdict"], record["score"], record["before"]) == ("broken", score, None)


def test_a_law_that_held() -> None:
    text, record = outcome_of(lambda gold, found: 1.0, "ideal")
    assert text == f"ideal: held in {record['cases']} cases\n"
    assert [record[name] for name in ("documents", "gold", "before", "ranking", "score")] == [None] * 5


@pytest.mark.slow
def test_a_result_that_counts_for_more_than_it_gains() -> None:
    rule = {"near_misses": "exact"}
    model = UserModel.of({"name": "exact", "quantisation": "gen", "relevance_value": rule})
    subject = Subject.named("MAep", model)
    (outcome,) = search(subject, ["appending"], 100, 0)
    assert outcome.gained is not None
    assert (
        f"rose from {outcome.before:g} to {outcome.score:g}, and the result adds "
        f"{round(outcome.gained, 4):g} of all gain."
    ) in " ".join(outcome_text(subject, outcome).split())
    assert outcome_record(subject, outcome)["gained"] == outcome.gained
