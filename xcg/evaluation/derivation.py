"""Derive nxCG and MAep step by step from the gains of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.lazy_modules import np
from xcg.measures.effort import divisor, ideal_ranks
from xcg.measures.topic_gains import check_gains, check_ideal
from xcg.user_model.effort import Effort


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


@dataclass(frozen=True)
class Derivation:
    """The steps of nxCG and MAep.

    Attributes:
        steps: The ranks with gain.
        not_retrieved: The number of ideal elements that no result with a gain is or lies in.
        ideal: The number of ideal elements.
        divisor: N of MAep.
        unretrieved: The setting that decides N.

    >>> derivation = derive([0.5, 0.0, 1.0], [1.0, 0.5], 0, Effort())
    >>> [(step.rank, step.nxcg, step.ep) for step in derivation.steps]
    [(1, 0.5, 0.5), (3, 1.0, 0.6666666666666666)]
    >>> derivation.sentence
    'MAep = (0.5000 + 0.6667) / 2 = 0.5833; N = 2 ranks with gain + 0 ideal elements not retrieved'
    """

    steps: Sequence[Step]
    not_retrieved: int
    ideal: int
    divisor: int
    unretrieved: str

    @property
    def maep(self) -> float:
        """The value of MAep."""
        return sum(step.ep for step in self.steps) / self.divisor

    @property
    def sentence(self) -> str:
        """The last step of MAep, with at most three terms of the sum."""
        terms = [f"{step.ep:.4f}" for step in self.steps]
        shown = [*terms[:2], "…", terms[-1]] if len(terms) > 4 else terms
        ranks = f"{len(terms)} rank{'' if len(terms) == 1 else 's'} with gain"
        elements = f"ideal element{'' if self.not_retrieved == 1 else 's'} not retrieved"
        n = f"{ranks} + {self.not_retrieved} {elements}"
        if self.unretrieved == "max":
            n = f"the larger of {ranks} and {self.ideal} ideal elements"
        return f"MAep = ({' + '.join(shown) or '0'}) / {self.divisor} = {self.maep:.4f}; N = {n}"


def derive(
    gains: Sequence[float], ideal: Sequence[float], not_retrieved: int, effort: Effort
) -> Derivation:
    """Return the steps of nxCG and of MAep with effort in ranks.

    Args:
        gains: Gain of each result in rank order.
        ideal: Gains of the ideal ranking in decreasing order.
        not_retrieved: The number of ideal elements that the ranking does not retrieve.
        effort: The settings of the user model.
    """
    run, best = check_gains(gains), check_ideal(ideal)
    ranks = run.hits + 1
    xci = best.sums[np.minimum(ranks, len(best)) - 1]
    xcg = run.sums[run.hits]
    reached = ideal_ranks(run, best, effort.interpolation)
    columns = (ranks, run.values[run.hits], xcg, xci, xcg / xci, reached, reached / ranks)
    steps = [Step(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    count = divisor(run, best, not_retrieved, effort.unretrieved)
    return Derivation(steps, not_retrieved, len(best.hits), count, effort.unretrieved)
