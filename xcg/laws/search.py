"""Searching the smallest case in which a measure breaks a law."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

import hypothesis
import hypothesis.errors
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies import DrawFn

from xcg.errors import XcgError, nearest
from xcg.laws.laws import LAWS, Claim, Law
from xcg.laws.subjects import FailedScoreError, Subject, UndefinedScoreError

Verdict = Literal["held", "broken", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What a law said about a subject.

    cases: how many were tried until the first that was not held, or of all. verdict: ``failed`` where
    the subject failed. claim: the smallest case that was not held. before, score: the scores of its
    rankings. failure: what the subject did in place of a score.
    """

    law: Law
    verdict: Verdict
    cases: int
    claim: Claim | None = None
    before: float | None = None
    score: float | None = None
    failure: str = ""


def search(
    subject: Subject, laws: Sequence[str] = (), examples: int = 200, seed: int = 0
) -> Iterator[Outcome]:
    """Yield how a subject stands to each law, and end with the first where it failed.

    laws: their names; all without any. examples: how many cases are tried for each. seed: the same seed
    tries the same cases, with the same versions of xcg, hypothesis and Python.

    Raises XcgError for an unknown law, and for a subject that scores one case in two ways.

    >>> from xcg.laws.subjects import FunctionSubject
    >>> subject = FunctionSubject.named("xcg.laws.subject_types:recall_over_chunks")
    >>> outcome, = search(subject, ["boundedness"])
    >>> outcome.verdict, outcome.score, outcome.claim.ranking[0]
    ('broken', 2.0, Retrieved(document='a', start=0, end=1))
    """
    for name in laws:
        if name not in LAWS:
            raise XcgError(f"unknown law {name!r}: {nearest(name, LAWS)}")
    for name, law in LAWS.items():
        if not laws or name in laws:
            outcome = _search(subject, law, examples, seed)
            yield outcome
            if outcome.verdict == "failed":
                return


@contextmanager
def _nothing_written() -> Iterator[None]:
    """Keep hypothesis from leaving its folder where the user works."""
    with tempfile.TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


def _search(subject: Subject, law: Law, examples: int, seed: int) -> Outcome:
    tried, wanted = 0, ""
    last: tuple[Claim, Outcome] | None = None

    @st.composite
    def claims(draw: DrawFn) -> Claim:
        return law.claim(draw, subject.setting)

    def breaks(claim: Claim) -> bool:
        nonlocal tried, wanted, last
        try:
            outcome = _judged(subject, law, claim)
        except UndefinedScoreError:
            hypothesis.reject()
        tried += not wanted
        if outcome.verdict != "held" and not wanted:
            # From now on only its kind counts, so that the case stays one as it shrinks.
            wanted = outcome.verdict
        if outcome.verdict == wanted:
            last = claim, outcome
        return outcome.verdict == wanted

    settings = hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )
    try:
        with _nothing_written():
            random = Random(seed)  # noqa: S311
            hypothesis.find(claims(), breaks, settings=settings, random=random)
    except hypothesis.errors.NoSuchExample:
        return Outcome(law, "held", tried)
    except hypothesis.errors.Unsatisfiable:
        raise XcgError(f"{subject.name}: found no case that {law.name} speaks about") from None
    except hypothesis.errors.Flaky:
        last = None
    if last is None or _judged(subject, law, last[0]) != last[1]:
        raise XcgError(f"{subject.name} gave two scores for one case: expected the same")
    return replace(last[1], cases=tried)


def _judged(subject: Subject, law: Law, claim: Claim) -> Outcome:
    """Return how a claim stands; UndefinedScoreError where a ranking has no score."""
    before = score = None
    try:
        if claim.before is not None:
            before = subject.score(claim.case, claim.before)
        score = subject.score(claim.case, claim.ranking)
    except FailedScoreError as error:
        return Outcome(law, "failed", 1, claim, before, failure=str(error))
    verdict: Verdict = "held" if claim.holds(before, score) else "broken"
    return Outcome(law, verdict, 1, claim, before, score)
