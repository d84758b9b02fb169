"""Measures under user models are tested on cases that suit them."""

from __future__ import annotations

import pytest

from xcg.errors import XcgError
from xcg.laws.cases import Case, Document, Gold, Retrieved
from xcg.laws.laws import search
from xcg.laws.subjects import Subject
from xcg.user_model.model import UserModel


def test_a_result_with_two_gold_spans_exceeds_the_ideal_if_effort_is_ranks() -> None:
    # The ideal ranking has one gold span at rank 1; the whole document contains two.
    subject = Subject.named("nxCG@1", UserModel.shipped("spans"))
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
    subject = Subject.named("nxCG@1", UserModel.shipped(model))
    case = Case({"a": Document((2, 2))}, (Gold("a", 0, 2, 1),))
    assessed = {span[1:]: text for span, text in subject.assessed(case)}
    assert assessed.get((0, 4)) == label
    assert subject.score(case, (Retrieved("a", 0, 2),)) == 1.0


def test_grades_without_gain_under_the_user_model_are_not_drawn() -> None:
    strict = UserModel.shipped("kazai-lalmas-2006-strict")
    assert Subject.named("MAep", strict).setting.grades == (3,)
    assert Subject.named("MAep").setting.grades == (1, 2, 3)


@pytest.mark.slow
def test_a_failing_part_of_a_user_model_is_reported_as_failure() -> None:
    def partially_seen(alpha: float, score: float, rest: float) -> float:
        raise RuntimeError("no idea")

    model = UserModel.of({"name": "mine", "relevance_value": {"partially_seen": partially_seen}})
    subject = Subject.named("nxCG@5", model)
    with pytest.raises(XcgError, match="no idea"):
        list(search(subject, ["no-pay-twice"]))


def test_a_user_model_without_gains_on_any_scale_is_an_error() -> None:
    def nothing(exhaustivity: float, specificity: float) -> float:
        return 0.0

    model = UserModel.of({"name": "mine", "quantisation": nothing})
    with pytest.raises(XcgError, match="has no score for the simplest case"):
        Subject.named("MAep", model)
