"""The laws, each a function that makes what it speaks about: a case, and one ranking or two.

The first paragraph of a law's docstring is what it says, the second what it means to a user where it is
broken; both are printed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from xcg.laws.cases import Case, Ranking, Setting, beside_gold, cases, inside, pieces, rankings, results
from xcg.laws.subject_types import Retrieved

TOLERANCE = 1e-9
"""What rounding may add to a score."""

Relation = Literal["bounded", "not above", "not below", "equal", "one"]


@dataclass(frozen=True)
class Claim:
    """What a law says of one case.

    relation: how the ranking's score is to stand to that of the ranking ``before``; ``bounded`` and
    ``one`` speak of the ranking alone.
    """

    case: Case
    ranking: Ranking
    relation: Relation
    before: Ranking | None = None

    def holds(self, before: float | None, score: float) -> bool:
        """Say whether the scores are as they should be."""
        if self.relation == "bounded":
            return -TOLERANCE <= score <= 1 + TOLERANCE
        if self.relation == "one":
            return abs(score - 1) <= TOLERANCE
        assert before is not None
        rise = score - before
        return not (
            (rise > TOLERANCE and self.relation != "not below")
            or (rise < -TOLERANCE and self.relation != "not above")
        )


@dataclass(frozen=True)
class Law:
    """A law: its name, what it says, what it means where it is broken, and what makes its claims."""

    name: str
    says: str
    means: str
    claim: Callable[[DrawFn, Setting], Claim]


LAWS: dict[str, Law] = {}


_Claim = Callable[[DrawFn, Setting], Claim]


def _law(name: str) -> Callable[[_Claim], _Claim]:
    def add(claim: _Claim) -> _Claim:
        says, _, means = (inspect.getdoc(claim) or "").partition("\n\n")
        LAWS[name] = Law(name, " ".join(says.split()), " ".join(means.split()), claim)
        return claim

    return add


@_law("boundedness")
def boundedness(draw: DrawFn, setting: Setting) -> Claim:
    """The score of any ranking lies between 0 and 1.

    A score beyond that is no share of the best possible: means over topics lose their meaning, and a
    system can win by what pushed the score there.
    """
    case = draw(cases(setting))
    return Claim(case, draw(rankings(case, setting)), "bounded")


@_law("no-pay-twice")
def no_pay_twice(draw: DrawFn, setting: Setting) -> Claim:
    """A result that repeats an earlier one, or lies inside it, never raises the score.

    The measure pays twice for the same text: a system gains by returning what its user has read
    already.
    """
    case = draw(cases(setting))
    ranking = draw(rankings(case, setting))
    earlier = draw(st.integers(0, len(ranking) - 1))
    again = draw(inside(case, setting, ranking[earlier]))
    place = draw(st.integers(earlier + 1, len(ranking)))
    return Claim(case, (*ranking[:place], again, *ranking[place:]), "not above", ranking)


@_law("granularity")
def granularity(draw: DrawFn, setting: Setting) -> Claim:
    """Results cut in two never raise the score, and leave it as it is where the user pays for text.

    The score depends on how a system cuts its text, and not only on the text that is read: systems of
    different chunk sizes cannot be compared by it.
    """
    case = draw(cases(setting))
    ranking = draw(rankings(case, setting))
    cut = [piece for result in ranking for piece in draw(pieces(case, setting, result))]
    assume(len(cut) > len(ranking))
    relation: Relation = "not above" if setting.yardstick is None else "equal"
    return Claim(case, tuple(cut), relation, ranking)


@_law("order")
def order(draw: DrawFn, setting: Setting) -> Claim:
    """A result with relevant text, moved ahead of results without any, never lowers the score.

    The measure punishes a better order: a system that finds relevant text earlier can come out worse.
    """
    case = draw(cases(setting))
    stretches = beside_gold(case, setting)
    assume(stretches)
    useless = st.sampled_from(stretches)
    if setting.form == "text":
        useless = useless.flatmap(lambda stretch: inside(case, setting, stretch))
    passed = tuple(draw(st.lists(useless, min_size=1, max_size=3)))
    moved: Retrieved = draw(results(case, setting).filter(case.relevant))
    head, tail = draw(rankings(case, setting, 0)), draw(rankings(case, setting, 0))
    return Claim(case, (*head, moved, *passed, *tail), "not below", (*head, *passed, moved, *tail))


@_law("ideal")
def ideal(draw: DrawFn, setting: Setting) -> Claim:
    """The gold spans themselves, the best first, score 1.

    The best answer that there is does not reach the top of the scale, or the scale ends below it: a
    score does not tell how far a system is from the best.
    """
    case = draw(cases(setting))

    def worth(place: int) -> float:
        document, start, end, grade = case.gold[place]
        if setting.yardstick is None:
            return grade
        first, last = setting.yardstick(case.documents[document].text).at([start, end])
        return float(grade / (last - first))

    best = sorted(range(len(case.gold)), key=worth, reverse=True)
    return Claim(case, tuple(Retrieved(*case.gold[place][:3]) for place in best), "one")
