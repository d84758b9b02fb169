"""The laws that measures should obey, and the search for the smallest cases that break them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

import hypothesis
import hypothesis.errors
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies import DrawFn, SearchStrategy

from xcg.errors import NothingToAverageError, XcgError, nearest
from xcg.laws.cases import (
    Case,
    Ranking,
    Retrieved,
    Setting,
    cases,
    irrelevant_spans,
    padded,
    rankings,
    results,
    results_inside,
    splits,
)
from xcg.laws.subjects import Subject

TOLERANCE = 1e-9
"""Differences between scores up to this size are rounding."""

Relation = Literal["bounded", "below", "not above", "not below", "one", "within gain"]


@dataclass(frozen=True)
class Claim:
    """What a law states about one case.

    Args:
        case: Documents and gold spans.
        ranking: The ranking that the law is about.
        relation: Required relation of the ranking's score to the score of ``before``. The relations
            ``bounded`` and ``one`` are about the ranking alone. With ``within gain``, the score is at
            most the other score plus the share of all gain that the ranking adds.
        before: The ranking to compare with.
    """

    case: Case
    ranking: Ranking
    relation: Relation
    before: Ranking | None = None

    def holds(self, before: float | None, score: float, gained: float = 0.0) -> bool:
        """Return whether the scores of ``before`` and of the ranking obey the law.

        Args:
            before: The score of ``before``.
            score: The score of the ranking.
            gained: The share of all gain that the ranking adds to ``before``.
        """
        other = math.nan if before is None else before
        lowest, highest = {
            "bounded": (0, 1),
            "one": (1, 1),
            "not above": (-math.inf, other),
            "below": (-math.inf, other - 2 * TOLERANCE),
            "not below": (other, math.inf),
            "within gain": (-math.inf, other + gained),
        }[self.relation]
        return lowest - score <= TOLERANCE and score - highest <= TOLERANCE


@dataclass(frozen=True)
class Law:
    """A law that measures should obey.

    Args:
        name: Name on the command line.
        statement: The law in one sentence.
        violation: What it means to users of a measure that breaks the law.
        claims: Returns a strategy that draws cases with what the law states about them.
        about_gain: Whether the law compares scores with gains, see :attr:`Setting.total_gain`.
    """

    name: str
    statement: str
    violation: str
    claims: Callable[[Setting], SearchStrategy[Claim]]
    about_gain: bool = False


LAWS: dict[str, Law] = {}
"""All laws by name."""


_Draw = Callable[[DrawFn, Setting], Claim]


def _law(statement: str, violation: str, about_gain: bool = False) -> Callable[[_Draw], _Draw]:
    """Register a function that draws claims as the law of its name."""

    def register(draw_claim: _Draw) -> _Draw:
        name = draw_claim.__name__.replace("_", "-")
        LAWS[name] = Law(name, statement, violation, st.composite(draw_claim), about_gain)
        return draw_claim

    return register


@_law(
    "The score of any ranking lies between 0 and 1.",
    "Scores are not fractions of the best possible score: means over topics lose their "
    "meaning, and a system can win by what increases the score beyond 1.",
)
def boundedness(draw: DrawFn, setting: Setting) -> Claim:
    """Draw any ranking."""
    case = draw(cases(setting))
    return Claim(case, draw(rankings(case, setting)), "bounded")


@_law(
    "A result that repeats an earlier result, or lies inside one, never increases the score.",
    "The measure rewards the same text twice: a system gains by returning what its user has "
    "already read.",
)
def no_pay_twice(draw: DrawFn, setting: Setting) -> Claim:
    """Draw a ranking, and insert a result that repeats an earlier one or lies inside it."""
    case = draw(cases(setting))
    ranking = draw(rankings(case, setting))
    earlier = draw(st.integers(0, len(ranking) - 1))
    repeated = draw(results_inside(case, setting, ranking[earlier]))
    position = draw(st.integers(earlier + 1, len(ranking)))
    extended = (*ranking[:position], repeated, *ranking[position:])
    return Claim(case, extended, "not above", ranking)


@_law(
    "Splitting results in two never increases the score if effort is the number of results; it never "
    "decreases the score if effort is the length of the text.",
    "The score depends on how a system splits its text in a way that rewards the wrong systems: those "
    "that split results without saving effort, or those that do not split them.",
)
def granularity(draw: DrawFn, setting: Setting) -> Claim:
    """Draw a ranking, and split its results in two."""
    case = draw(cases(setting))
    ranking = draw(rankings(case, setting))
    split = [part for result in ranking for part in draw(splits(case, setting, result))]
    assume(len(split) > len(ranking))
    relation: Relation = "not above" if setting.converter is None else "not below"
    return Claim(case, tuple(split), relation, ranking)


@_law(
    "Adding text without relevant text to a result never increases the score; if the user pays for "
    "whole results, adding it to the first of the best results decreases the score.",
    "Padding costs nothing: a system that returns the answer with pages of other text is at least as "
    "good as one that returns the answer alone.",
)
def padding(draw: DrawFn, setting: Setting) -> Claim:
    """Draw a ranking, or the gold spans best first, and add irrelevant text to one result."""
    case = draw(cases(setting))
    if setting.padding_costs and draw(st.booleans()):
        ranking, position = _best_first(case, setting), 0
        relation: Relation = "below"
    else:
        ranking, relation = draw(rankings(case, setting)), "not above"
        position = draw(st.integers(0, len(ranking) - 1))
    longer = padded(case, setting, ranking[position])
    assume(longer)
    result = draw(st.sampled_from(longer))
    return Claim(case, (*ranking[:position], result, *ranking[position + 1 :]), relation, ranking)


@_law(
    "Moving a result with relevant text before results without any never decreases the score.",
    "The measure penalises a better order: a system that returns relevant text earlier can get "
    "a lower score.",
)
def order(draw: DrawFn, setting: Setting) -> Claim:
    """Draw a ranking, and move a result with relevant text before results without any."""
    case = draw(cases(setting))
    spans = irrelevant_spans(case, setting)
    assume(spans)
    irrelevant = st.sampled_from(spans)
    if setting.form == "text":
        irrelevant = irrelevant.flatmap(lambda span: results_inside(case, setting, span))
    passed = tuple(draw(st.lists(irrelevant, min_size=1, max_size=3)))
    moved: Retrieved = draw(results(case, setting).filter(case.relevant))
    head, tail = draw(rankings(case, setting, 0)), draw(rankings(case, setting, 0))
    return Claim(case, (*head, moved, *passed, *tail), "not below", (*head, *passed, moved, *tail))


@_law(
    "The gold spans, best first, score 1.",
    "The best possible answer does not score 1, so a score does not show how far a system is "
    "from the best.",
)
def ideal(draw: DrawFn, setting: Setting) -> Claim:
    """Draw a case, and rank its gold spans by grade, or by grade per unit of effort."""
    case = draw(cases(setting))
    return Claim(case, _best_first(case, setting), "one")


@_law(
    "Appending a result never increases the score by more than the share of all gain that it adds.",
    "Results count for more than they gain: a system can raise its score by appending results that "
    "gain next to nothing.",
    about_gain=True,
)
def appending(draw: DrawFn, setting: Setting) -> Claim:
    """Draw a ranking, or the gold spans best first but the last, and append a result."""
    case = draw(cases(setting))
    ranking = draw(rankings(case, setting, 0) | st.just(_best_first(case, setting)[:-1]))
    return Claim(case, (*ranking, draw(results(case, setting))), "within gain", ranking)


def _best_first(case: Case, setting: Setting) -> Ranking:
    """Return the gold spans by grade, or by grade per unit of effort."""

    def value(index: int) -> float:
        document, start, end, grade = case.gold[index]
        if setting.converter is None:
            return grade
        first, last = setting.converter(case.documents[document].text).amounts([start, end])
        return float(grade / (last - first))

    best = sorted(range(len(case.gold)), key=value, reverse=True)
    return tuple(Retrieved(*case.gold[index][:3]) for index in best)


@dataclass(frozen=True)
class Outcome:
    """The result of testing a law.

    Attributes:
        law: The law.
        cases: Number of cases until the first that broke the law, or of all cases.
        claim: The smallest case that broke the law; None if all held.
        before: Score of the claim's first ranking, if the claim has two.
        score: Score of the claim's ranking.
        gained: Share of all gain that the claim's ranking adds, if the law is about gain.
    """

    law: Law
    cases: int
    claim: Claim | None = None
    before: float | None = None
    score: float | None = None
    gained: float | None = None

    @property
    def verdict(self) -> str:
        """Whether the law held or was broken."""
        return "held" if self.claim is None else "broken"


def search(
    subject: Subject, laws: Sequence[str] = (), examples: int = 200, seed: int = 0
) -> Iterator[Outcome]:
    """Test laws one after the other.

    Args:
        subject: The measure.
        laws: Names of laws; empty for all.
        examples: Number of cases for each law, at least 1.
        seed: The same seed tests the same cases with the same versions of xcg, hypothesis and Python.

    Yields:
        An outcome for each law. Laws about gain are tested only if they apply to the measure.

    Raises:
        XcgError: If a law is unknown or does not apply, or the measure fails or returns different
            scores for the same case.

    >>> from xcg.laws.subjects import Subject
    >>> outcome, = search(Subject.named("xCG@2"), ["boundedness"])
    >>> outcome.verdict, outcome.score > 1
    ('broken', True)
    """
    for name in laws:
        if name not in LAWS:
            raise XcgError(f"unknown law {name!r}: {nearest(name, LAWS)}")
    for name, law in LAWS.items():
        applies = subject.setting.total_gain or not law.about_gain
        if name in laws and not applies:
            raise XcgError(
                f"the law {name} does not apply to {subject.name}: expected a measure without a "
                "cutoff, such as MAep(average=gain), with effort in ranks, under a user model with "
                "which no ranking gains more than the ideal"
            )
        if name in laws or (applies and not laws):
            yield _search(subject, law, examples, seed)


def _search(subject: Subject, law: Law, examples: int, seed: int) -> Outcome:
    from tempfile import TemporaryDirectory

    tested = 0
    smallest: Outcome | None = None

    def is_violation(claim: Claim) -> bool:
        nonlocal tested, smallest
        try:
            outcome = _test(subject, law, claim)
        except NothingToAverageError:
            hypothesis.reject()
        tested += smallest is None
        smallest = outcome or smallest
        return outcome is not None

    settings = hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )
    with TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)  # and not the working directory
        try:
            random = Random(seed)  # noqa: S311
            hypothesis.find(law.claims(subject.setting), is_violation, settings=settings, random=random)
        except hypothesis.errors.NoSuchExample:
            return Outcome(law, tested)
        except hypothesis.errors.Unsatisfiable:
            raise XcgError(f"{subject.name}: no case was found to which {law.name} applies") from None
        except hypothesis.errors.Flaky:
            smallest = None
        except XcgError as error:
            raise XcgError(f"{subject.name}: {error}") from None
        finally:
            set_hypothesis_home_dir(None)
    if smallest is None or smallest.claim is None or _test(subject, law, smallest.claim) != smallest:
        raise XcgError(
            f"{subject.name} returned two scores for the same case: expected a pure function"
        )
    return replace(smallest, cases=tested)


def _test(subject: Subject, law: Law, claim: Claim) -> Outcome | None:
    """Return the outcome for a claim that does not hold; None if it holds."""
    before = None if claim.before is None else subject.score(claim.case, claim.before)
    score = subject.score(claim.case, claim.ranking)
    gained = None
    if law.about_gain:
        gained = subject.gained(claim.case, claim.ranking, claim.before or ())
    holds = claim.holds(before, score, gained or 0.0)
    return None if holds else Outcome(law, 1, claim, before, score, gained)
