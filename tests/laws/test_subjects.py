"""Measures under user models are tested on cases that suit them; functions must return numbers."""

from __future__ import annotations

import pytest

from xcg.errors import XcgError
from xcg.laws.cases import Case, Document
from xcg.laws.chunk_measures import Gold, Retrieved
from xcg.laws.search import search
from xcg.laws.subjects import FunctionSubject, MeasureSubject
from xcg.user_model.model import UserModel


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nxCG@2", "MAep", "iMAep", "ep@0.5"])
def test_measures_of_gains_are_bounded_and_do_not_pay_twice(measure: str) -> None:
    subject = MeasureSubject.named(measure)
    outcomes = list(search(subject, ["boundedness", "no-pay-twice"], examples=150))
    assert [outcome.verdict for outcome in outcomes] == ["held", "held"]
    assert all(outcome.cases > 100 for outcome in outcomes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure", ["MAep(effort=characters)", "iMAep(effort=words)", "ep@0.5", "nxCG(budget=tokens)@2"]
)
def test_all_laws_hold_for_spans_if_effort_is_text(measure: str) -> None:
    subject = MeasureSubject.named(measure, UserModel.shipped("spans"))
    assert subject.setting.form == "text"
    assert {outcome.verdict for outcome in search(subject, examples=60)} == {"held"}


def test_a_result_with_two_gold_spans_exceeds_the_ideal_if_effort_is_ranks() -> None:
    # The ideal ranking has one gold span at rank 1; the whole document contains two.
    subject = MeasureSubject.named("nxCG@1", UserModel.shipped("spans"))
    (outcome,) = search(subject, ["boundedness"])
    assert (outcome.verdict, outcome.score) == ("broken", 2.0)
    assert outcome.claim is not None
    assert len(outcome.claim.case.gold) == 2
    assert len(outcome.claim.ranking) == 1


@pytest.mark.parametrize(
    ("model", "label"), [("inex-2005", "(1,0.5)"), ("levels", None), ("kazai-lalmas-2006", "(1,2)")]
)
def test_ancestors_of_gold_are_assessed_on_the_scale_of_the_user_model(
    model: str, label: str | None
) -> None:
    subject = MeasureSubject.named("nxCG@1", UserModel.shipped(model))
    case = Case({"a": Document((2, 2))}, (Gold("a", 0, 2, 1),))
    assessed = {span[1:]: text for span, text in subject.assessed(case)}
    assert assessed.get((0, 4)) == label
    assert subject.score(case, (Retrieved("a", 0, 2),)) == 1.0


def test_grades_without_gain_under_the_user_model_are_not_drawn() -> None:
    strict = UserModel.shipped("kazai-lalmas-2006-strict")
    assert MeasureSubject.named("MAep", strict).setting.grades == (3,)
    assert MeasureSubject.named("MAep").setting.grades == (1, 2, 3)


@pytest.mark.slow
def test_a_failing_part_of_a_user_model_is_reported_as_failure() -> None:
    def partially_seen(alpha: float, score: float, rest: float) -> float:
        raise RuntimeError("no idea")

    model = UserModel.of({"name": "mine", "relevance_value": {"partially_seen": partially_seen}})
    subject = MeasureSubject.named("nxCG@5", model)
    outcome = list(search(subject, ["no-pay-twice"]))[-1]
    assert outcome.verdict == "failed"
    assert "no idea" in outcome.failure


def test_a_user_model_without_gains_on_any_scale_is_an_error() -> None:
    def nothing(exhaustivity: float, specificity: float) -> float:
        return 0.0

    model = UserModel.of({"name": "mine", "quantisation": nothing})
    with pytest.raises(XcgError, match="has no score for the simplest case"):
        MeasureSubject.named("MAep", model)


def test_a_long_return_value_is_shortened_in_the_message() -> None:
    subject = FunctionSubject("f", lambda gold, ranking: "x" * 100)  # type: ignore[arg-type, return-value]
    (outcome,) = search(subject, ["boundedness"])
    assert outcome.failure == f"returned '{'x' * 57} …: expected a number"
