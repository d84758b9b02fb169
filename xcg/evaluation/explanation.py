"""The explanation of a ranking: its results, what it missed, and the steps of nxCG and MAep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.tree import ElementTree
from xcg.gains.reader import Seen
from xcg.lazy_modules import np
from xcg.measures.effort import divisor, ideal_ranks
from xcg.measures.topic_gains import check_gains, check_ideal
from xcg.user_model.relevance_value import Effort


class Step(NamedTuple):
    """What a rank with gain adds.

    Attributes:
        rank: The rank.
        gain: xG.
        xcg: xCG, the sum of the gains up to this rank.
        xci: xCI, the sum of the ideal gains up to this rank.
        nxcg: xCG / xCI.
        ideal_rank: The rank at which the ideal ranking reaches xCG, at most its total gain.
        ep: Effort-precision at this gain: ideal_rank / rank.
    """

    rank: int
    gain: float
    xcg: float
    xci: float
    nxcg: float
    ideal_rank: float
    ep: float


class Derivation(NamedTuple):
    """The steps of nxCG and MAep.

    Attributes:
        steps: The ranks with gain.
        maep: The value of MAep; None if effort is counted in text.
        sentence: The last step of MAep, with at most three terms of the sum; or why there are no steps.
    """

    steps: Sequence[Step]
    maep: float | None
    sentence: str


def derive(
    gains: Sequence[float], ideal: Sequence[float], not_retrieved: int, effort: Effort
) -> Derivation:
    """Return the steps of nxCG and of MAep; there are none if effort is counted in text.

    Args:
        gains: Gain of each result in rank order.
        ideal: Gains of the ideal ranking in decreasing order.
        not_retrieved: The number of ideal elements that no result with a gain is or lies in.
        effort: The settings of the user model, which decide N.

    >>> derivation = derive([0.5, 0.0, 1.0], [1.0, 0.5], 0, Effort())
    >>> [(step.rank, step.nxcg, step.ep) for step in derivation.steps]
    [(1, 0.5, 0.5), (3, 1.0, 0.6666666666666666)]
    >>> derivation.sentence
    'MAep = (0.5000 + 0.6667) / 2 = 0.5833; N = 2 ranks with gain + 0 ideal elements not retrieved'
    """
    if effort.unit != "ranks":
        read = "over the text that is read, not over ranks"
        return Derivation((), None, f"effort is counted in text, so MAep is computed {read}")
    run, best = check_gains(gains), check_ideal(ideal)
    ranks = run.hits + 1
    xci = best.sums[np.minimum(ranks, len(best)) - 1]
    xcg = run.sums[run.hits]
    reached = ideal_ranks(run, best, effort.interpolation)
    columns = (ranks, run.values[run.hits], xcg, xci, xcg / xci, reached, reached / ranks)
    steps = [Step(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    n = divisor(run, best, not_retrieved, effort.unretrieved)
    maep = sum(step.ep for step in steps) / n
    terms = [f"{step.ep:.4f}" for step in steps]
    shown = [*terms[:2], "…", terms[-1]] if len(terms) > 4 else terms
    counted = f"{len(terms)} rank{'s' * (len(terms) != 1)} with gain"
    if effort.unretrieved == "max":
        counted = f"the larger of {counted} and {len(best.hits)} ideal elements"
    else:
        counted += f" + {not_retrieved} ideal element{'s' * (not_retrieved != 1)} not retrieved"
    value = f"({' + '.join(shown) or '0'}) / {n} = {maep:.4f}"
    return Derivation(steps, maep, f"MAep = {value}; N = {counted}")


class RelatedIdeal(NamedTuple):
    """An ideal element or gold span that a result can gain from.

    Attributes:
        path: The path; for a gold span, its characters: ``120–180``.
        score: Its score.
        left: What could still be gained from it before the result was read.
        span: Start and end of a gold span in characters.
    """

    path: str
    score: float
    left: float
    span: tuple[int, int] | None = None


class ExplainedResult(NamedTuple):
    """One result, and why it gained what it gained.

    Attributes:
        rank: The rank, from 1.
        file: The document.
        path: The path; for a result that is no element, its characters.
        assessment: The assessment as the papers write it, empty without one.
        score: The gain if nothing had been seen before.
        seen: How much of it earlier results had shown.
        through: The ranks of these results.
        value: The relevance value before normalisation; None if it plays no role or needs a size.
        related: The ideal elements or gold spans that limit the gain.
        gain: The gain.
        why: The reason, as a sentence.
        span: Start and end in characters, if results are scored as text.
    """

    rank: int
    file: str
    path: str
    assessment: str = ""
    score: float = 0.0
    seen: Seen = "no"
    through: Sequence[int] = ()
    value: float | None = None
    related: Sequence[RelatedIdeal] = ()
    gain: float = 0.0
    why: str = ""
    span: tuple[int, int] | None = None


class MissedElement(NamedTuple):
    """An ideal element that no result retrieves, or a gold span from which none gained anything."""

    file: str
    path: str
    assessment: str
    score: float
    span: tuple[int, int] | None = None


@dataclass(frozen=True, repr=False)
class Explanation:
    """A ranking for one topic under one user model, explained result by result.

    Attributes:
        results: The results in rank order.
        missed: The ideal elements that are not retrieved, or gold spans without a gain, best first.
        ideal_gain: The sum of the ideal gains.
        trees: Document with ideal elements or gold spans → its elements.
        scores: Document → row → the score of the element, and whether it is ideal.
        labels: Document → row → assessment as the papers write it.
        marks: Document → start and end in characters of relevant text, and the nugget that it states.
        derivation: The steps of nxCG and MAep.
        settings: The settings of the user model.
    """

    run: str
    topic: str
    user_model: str
    results: Sequence[ExplainedResult]
    missed: Sequence[MissedElement]
    ideal_gain: float
    trees: Mapping[str, ElementTree]
    scores: Mapping[str, Mapping[int, tuple[float, bool]]]
    labels: Mapping[str, Mapping[int, str]]
    marks: Mapping[str, Sequence[tuple[int, int, str]]]
    derivation: Derivation
    settings: Mapping[str, str]

    def to_records(self) -> list[dict[str, object]]:
        """Return plain dicts: one per result, then one per missed element."""
        records: list[dict[str, object]] = []
        for result in self.results:
            related = [ideal._asdict() for ideal in result.related]
            through = list(result.through)
            records.append({**result._asdict(), "through": through, "related": related})
        records += [{"rank": None, **missed._asdict(), "why": "missed"} for missed in self.missed]
        return records
