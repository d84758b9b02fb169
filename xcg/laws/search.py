"""Search for the smallest case in which a measure breaks a law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

import hypothesis
import hypothesis.errors
from hypothesis.configuration import set_hypothesis_home_dir

from xcg.errors import XcgError, nearest
from xcg.laws.laws import LAWS, Claim, Law
from xcg.laws.subjects import FailedScoreError, MeasureSubject, Subject, UndefinedScoreError

Verdict = Literal["held", "broken", "failed"]


@dataclass(frozen=True)
class Outcome:
    """The result of testing a law.

    Attributes:
        law: The law.
        verdict: ``failed`` if the measure raised an error or returned no number.
        cases: Number of cases until the first that did not hold, or of all cases.
        claim: The smallest case that did not hold; None if all held.
        before: Score of the claim's first ranking, if the claim has two.
        score: Score of the claim's ranking.
        gained: Share of all gain that the claim's ranking adds, if the law is about gain.
        failure: What the measure did instead of returning a score.
    """

    law: Law
    verdict: Verdict
    cases: int
    claim: Claim | None = None
    before: float | None = None
    score: float | None = None
    gained: float | None = None
    failure: str = ""


def check_laws(names: Sequence[str]) -> None:
    """Raise XcgError if a law is unknown."""
    for name in names:
        if name not in LAWS:
            raise XcgError(f"unknown law {name!r}: {nearest(name, LAWS)}")


def search(
    subject: Subject, laws: Sequence[str] = (), examples: int = 200, seed: int = 0
) -> Iterator[Outcome]:
    """Test laws one after the other, and stop after the first at which the measure fails.

    Args:
        subject: The measure.
        laws: Names of laws; empty for all.
        examples: Number of cases for each law, at least 1.
        seed: The same seed tests the same cases with the same versions of xcg, hypothesis and Python.

    Yields:
        An outcome for each law.

    Laws about gain are tested only if they apply to the measure.

    Raises:
        XcgError: If a law is unknown or does not apply, or the measure returns different scores for the
            same case.

    >>> from xcg.laws.subjects import FunctionSubject
    >>> subject = FunctionSubject.named("xcg.laws.chunk_measures:recall_over_chunks")
    >>> outcome, = search(subject, ["boundedness"])
    >>> outcome.verdict, outcome.score, outcome.claim.ranking[0]
    ('broken', 2.0, Retrieved(document='a', start=0, end=1))
    """
    check_laws(laws)
    for name, law in LAWS.items():
        applies = subject.setting.total_gain or not law.about_gain
        if name in laws and not applies:
            raise XcgError(
                f"the law {name} does not apply to {subject.name}: expected a measure without a "
                "cutoff, such as MAep(average=gain), with effort in ranks, under a user model with "
                "which no ranking gains more than the ideal"
            )
        if name in laws or (applies and not laws):
            outcome = _search(subject, law, examples, seed)
            yield outcome
            if outcome.verdict == "failed":
                return


def _search(subject: Subject, law: Law, examples: int, seed: int) -> Outcome:
    from tempfile import TemporaryDirectory

    tested = 0
    sought: Verdict = "held"  # the verdict of the first case that did not hold
    smallest: Outcome | None = None

    def is_violation(claim: Claim) -> bool:
        nonlocal tested, sought, smallest
        try:
            outcome = _test(subject, law, claim)
        except UndefinedScoreError:
            hypothesis.reject()
        if sought == "held":
            tested += 1
            sought = outcome.verdict
        # While hypothesis shrinks a case, its verdict must stay the same.
        if outcome.verdict == sought != "held":
            smallest = outcome
            return True
        return False

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
            return Outcome(law, "held", tested)
        except hypothesis.errors.Unsatisfiable:
            raise XcgError(f"{subject.name}: no case was found to which {law.name} applies") from None
        except hypothesis.errors.Flaky:
            smallest = None
        finally:
            set_hypothesis_home_dir(None)
    if smallest is None or smallest.claim is None or _test(subject, law, smallest.claim) != smallest:
        raise XcgError(
            f"{subject.name} returned two scores for the same case: expected a pure function"
        )
    return replace(smallest, cases=tested)


def _test(subject: Subject, law: Law, claim: Claim) -> Outcome:
    """Return the outcome for one claim.

    Raises:
        UndefinedScoreError: If the measure has no score for a ranking.
    """
    before = score = gained = None
    try:
        if claim.before is not None:
            before = subject.score(claim.case, claim.before)
        score = subject.score(claim.case, claim.ranking)
        if law.about_gain and isinstance(subject, MeasureSubject):
            gained = subject.gained(claim)
    except FailedScoreError as error:
        return Outcome(law, "failed", 1, claim, before, failure=str(error))
    verdict: Verdict = "held" if claim.holds(before, score, gained or 0.0) else "broken"
    return Outcome(law, verdict, 1, claim, before, score, gained)
