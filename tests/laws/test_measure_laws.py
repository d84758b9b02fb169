"""Each law is broken by a measure made for it, and kept by measures that should keep it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from law_abiding_measures import characters, covered_gold, reciprocal_rank, subject_of

from xcg.errors import XcgError
from xcg.laws.cases import Gold, Retrieved
from xcg.laws.laws import LAWS, search
from xcg.laws.subjects import Subject
from xcg.user_model.model import UserModel

EXACT = {"name": "exact", "relevance_value": {"near_misses": "exact"}}


def verdicts(function: Callable[[list[Gold], list[Retrieved]], float], examples: int) -> set[str]:
    return {outcome.verdict for outcome in search(subject_of(function), examples=examples)}


@pytest.mark.slow
@pytest.mark.parametrize("function", [covered_gold, reciprocal_rank])
def test_covered_text_and_reciprocal_rank_keep_all_laws(
    function: Callable[[list[Gold], list[Retrieved]], float],
) -> None:
    assert verdicts(function, examples=100) == {"held"}


@pytest.mark.slow
def test_splitting_must_not_lower_the_score_if_effort_is_text() -> None:
    # A user who stops after the first result sees less of it after it is split.
    def first_result(gold: list[Gold], ranking: list[Retrieved]) -> float:
        return covered_gold(gold, ranking[:1])

    for effort_is_text, verdict in ((False, "held"), (True, "broken")):
        subject = subject_of(first_result, effort_is_text)
        (outcome,) = search(subject, ["granularity"], examples=100)
        assert outcome.verdict == verdict


@pytest.mark.slow
def test_padding_must_lower_the_score_if_effort_is_text() -> None:
    def density(gold: list[Gold], ranking: list[Retrieved]) -> float:
        """Return the share of gold in the text of the first results that contain all that is found."""
        found = set().union(*map(characters, gold)) & set().union(*map(characters, ranking))
        length = sum(r.end - r.start for r in ranking)
        return len(found) ** 2 / length / len(set().union(*map(characters, gold)))

    for function, effort_is_text, verdict in (
        (covered_gold, False, "held"),
        (covered_gold, True, "broken"),
        (density, True, "held"),
    ):
        (outcome,) = search(subject_of(function, effort_is_text), ["padding"], examples=100)
        assert outcome.verdict == verdict
        if verdict == "broken":
            assert outcome.claim is not None
            assert outcome.score == outcome.before == 1.0
            assert len(outcome.claim.ranking) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "verdict"), [("", "held"), ("(charge=as_read)", "held")])
def test_padding_of_spans(measure: str, verdict: str) -> None:
    subject = Subject.named(f"MAep{measure}", UserModel.shipped("spans"))
    assert subject.setting.padding_costs == (not measure)
    (outcome,) = search(subject, ["padding"], examples=100)
    assert outcome.verdict == verdict


BREAKERS: dict[str, Callable[[list[Gold], list[Retrieved]], float]] = {
    "boundedness": lambda gold, ranking: 1.5 if covered_gold(gold, ranking) < 1 else 1.0,
    "no-pay-twice": lambda gold, ranking: (
        1.0 if len(set(ranking)) < len(ranking) else covered_gold(gold, ranking)
    ),
    "granularity": lambda gold, ranking: (
        1.0 if min(len(characters(r)) for r in ranking) == 1 else covered_gold(gold, ranking)
    ),
    "padding": lambda gold, ranking: (
        1.0 if max(len(characters(r)) for r in ranking) > 9 else covered_gold(gold, ranking)
    ),
    "order": lambda gold, ranking: (
        covered_gold(gold, ranking) * (0.5 if reciprocal_rank(gold, ranking) == 1 else 1)
    ),
    "ideal": lambda gold, ranking: covered_gold(gold, ranking) / 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("law", list(BREAKERS))
def test_each_law_can_be_broken(law: str) -> None:
    (outcome,) = search(subject_of(BREAKERS[law]), [law])
    assert outcome.verdict == "broken"
    claim = outcome.claim
    assert claim is not None
    assert BREAKERS[law](list(claim.case.gold), list(claim.ranking)) == outcome.score
    if claim.before is not None:
        assert BREAKERS[law](list(claim.case.gold), list(claim.before)) == outcome.before
        assert outcome.before != outcome.score


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.5, 1])
@pytest.mark.parametrize(
    ("measure", "verdict"),
    [
        ("MAep(average=gain)", "held"),
        ("MAep(average=gain,interpolation=linear)", "held"),
        ("MAep", "broken"),
        ("Q", "broken"),
    ],
)
def test_appending_adds_no_more_than_its_gain(measure: str, verdict: str, alpha: float) -> None:
    rule = {"near_misses": "exact", "alpha": alpha}
    model = UserModel.of({"name": "certified", "relevance_value": rule})
    assert model.reason_above_1 == ""
    (outcome,) = search(Subject.named(measure, model), ["appending"], examples=80)
    assert outcome.verdict == verdict
    if verdict == "broken":
        assert None not in (outcome.score, outcome.before, outcome.gained)
        assert outcome.score - outcome.before > outcome.gained > 0  # type: ignore[operator]


@pytest.mark.parametrize(
    "subject",
    [
        Subject.named("MAep(average=gain)"),  # results can gain more than the ideal
        Subject.named("nxCG@10", UserModel.of(EXACT)),
        Subject.named("MAep(effort=words)", UserModel.of(EXACT)),
        subject_of(covered_gold),
    ],
    ids=lambda subject: subject.name,
)
def test_a_law_about_gain_is_refused_where_it_does_not_apply(subject: Subject) -> None:
    assert "appending" not in {outcome.law.name for outcome in search(subject, examples=1)}
    with pytest.raises(XcgError, match="the law appending does not apply to "):
        list(search(subject, ["appending"]))


def test_each_law_has_a_statement_and_an_explanation_of_violations() -> None:
    assert list(LAWS) == [
        "boundedness",
        "no-pay-twice",
        "granularity",
        "padding",
        "order",
        "ideal",
        "appending",
    ]
    for law in LAWS.values():
        assert law.statement.endswith(".")
        assert law.violation.endswith(".")
