"""Measures of levels with a model of when the user stops: RBP, ERR, INST and their relatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from xcg.errors import XcgError
from xcg.measures.definition import RANK, RANK_OR_ALL, Number
from xcg.measures.judged_rankings import JudgedRanking
from xcg.measures.standard import discounted_gain, standard

_GAIN = {"rel": Number(0, 0, whole=True), "max_rel": Number(0, 0, 1000, whole=True)}
_GAINS = (
    "The gain of a level is level / max_rel, by default the highest level of the topic; levels above "
    "max_rel are an error. With rel it is 1 for levels from rel on, else 0. Documents that are not "
    "assessed gain 0."
)
_T = {"T": Number(1, 0, above=True)}
_standard = partial(standard, caveat=_GAINS)


def _gains(ranking: JudgedRanking, rel: float, max_rel: float, depth: float = math.inf) -> list[float]:
    """Return the gain of each result up to a depth."""
    highest = max(ranking.judged, default=0)
    if not rel and 0 < max_rel < highest:
        raise XcgError(f"max_rel is {max_rel:g}, but a document has the level {highest}")
    unit = max_rel or max(highest, 1)
    gains = [0.0] * int(min(ranking.retrieved, depth))
    for rank, level in zip(ranking.ranks, ranking.levels, strict=True):
        if rank <= depth:
            gains[rank - 1] = float(level >= rel) if rel else max(level, 0) / unit
    return gains


def _mean_gain(
    gains: list[float],
    continues: Callable[[int, float, float], float],
    tail: Callable[[int, float], float],
) -> float:
    """Compute Σ w[i]·g[i] / Σ w[i], where w[1] = 1 and w[i+1] = w[i]·(probability to continue after i).

    Args:
        gains: The gains of the results.
        continues: (rank, gain, gain up to this rank) → probability to look at the next rank.
        tail: (number of results, their gain) → Σ w[i] / w[n+1] over all ranks i after the results, n.
    """
    weight, weights, value, total = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gains, 1):
        weights += weight
        value += weight * gain
        total += gain
        weight *= continues(rank, gain, total)
    if weight:
        weights += weight * tail(len(gains), total)
    return value / weights


@_standard(
    "RBP",
    parameters={"p": Number(0.8, 0, 0.999999, above=True), **_GAIN, "score": ("base", "residual")},
    cutoff=RANK_OR_ALL,
)
def rank_biased_precision(
    ranking: JudgedRanking, depth: float, p: float, rel: float, max_rel: float, score: str
) -> float:
    """Compute rank-biased precision: a user who continues with probability p.

    RBP = (1 - p)·Σ gain[i]·p^(i-1); with score=residual what RBP can still rise by, p^n + (1 - p)·Σ
    p^(i-1) over the results that are not assessed

    Source: Moffat & Zobel 2008 [@moffat-zobel-2008]

    Example: levels 1, 0, 1: RBP(p=0.5) = 0.5·(1 + 0.25) = 0.625, RBP(p=0.5,score=residual) = 0.125
    """
    gains = _gains(ranking, rel, max_rel, depth)
    if score == "residual":
        ranked = zip(ranking.ranks, ranking.levels, strict=True)
        judged = {rank - 1 for rank, level in ranked if level >= 0}
        gains = [float(index not in judged) for index in range(len(gains))]
    value = (1 - p) * math.fsum(gain * p**index for index, gain in enumerate(gains) if gain)
    return value + p ** len(gains) if score == "residual" else value


@_standard("SDCG", parameters=_GAIN, cutoff=RANK)
def _sdcg(ranking: JudgedRanking, depth: float, rel: float, max_rel: float) -> float:
    """Compute discounted cumulated gain, compared with the highest gain at each rank.

    SDCG[k] = Σ gain[i] / log2(i + 1) / Σ 1 / log2(i + 1) over the ranks i = 1 to k

    Source: ir_measures, MacAvaney, Macdonald & Ounis 2022 [@macavaney-macdonald-ounis-2022]

    Example: levels 0, 2: SDCG(max_rel=2)@2 = (1 / log2(3)) / (1 + 1 / log2(3)) = 0.387
    """
    gains = enumerate(_gains(ranking, rel, max_rel, depth), 1)
    return discounted_gain(gains) / discounted_gain((i, 1.0) for i in range(1, int(depth) + 1))


@_standard("ERR", parameters={"max_rel": Number(4, 1, 1000, whole=True)}, cutoff=RANK_OR_ALL)
def _err(ranking: JudgedRanking, depth: float, max_rel: float) -> float:
    """Compute expected reciprocal rank: a user who stops when satisfied.

    ERR[k] = Σ 1/i · R[i] · Π over j < i of (1 - R[j]), R = (2^level - 1) / 2^max_rel

    Source: Chapelle, Metlzer, Zhang & Grinspan 2009 [@chapelle-et-al-2009]; gdeval of TREC

    Example: levels 1, 2: ERR(max_rel=2)@2 = 1/4 + 1/2 · 3/4 · 3/4 = 0.531

    Caveat: max_rel is the highest level of the scale, 4 as in gdeval. Levels above it are an error.
    """
    value, left = 0.0, 1.0
    for rank, gain in enumerate(_gains(ranking, 0, max_rel, depth), 1):
        stops = (2 ** (gain * max_rel) - 1) / 2**max_rel
        value += left * stops / rank
        left *= 1 - stops
    return value


def _with_target(
    gains: list[float], target: float, *, is_adaptive: bool = False, stops: bool = False
) -> float:
    """Compute the mean gain of a user with a target, who may stop earlier the more is gained.

    The weights of the ranks after the results are Σ over m ≥ 0 of (a / (a + m))², a² times Hurwitz's ζ.
    """
    from scipy.special import zeta

    def sum_at(rank: int, total: float) -> float:
        return rank + 2 * target - is_adaptive * total

    return _mean_gain(
        gains,
        lambda rank, gain, total: (1 - 1 / sum_at(rank, total)) ** 2 * (1 - stops * gain),
        lambda number, total: float(sum_at(number, total) ** 2 * zeta(2, sum_at(number, total))),
    )


@_standard("INSQ", parameters={**_T, **_GAIN})
def _insq(ranking: JudgedRanking, T: float, rel: float, max_rel: float) -> float:  # noqa: N803
    """Compute precision for a user with a target T who is likelier to continue at later ranks.

    INSQ = Σ w[i]·gain[i] / Σ w[i], w[i+1] = w[i]·((i + 2T - 1) / (i + 2T))², over all ranks

    Source: Moffat, Scholer & Thomas 2012 [@moffat-scholer-thomas-2012]

    Example: a first result that is relevant: INSQ = 1 / (4·(π²/6 - 1)) = 0.388
    """
    return _with_target(_gains(ranking, rel, max_rel), T)


@_standard("INST", parameters={**_T, **_GAIN})
def _inst(ranking: JudgedRanking, T: float, rel: float, max_rel: float) -> float:  # noqa: N803
    """Compute precision for a user who is likelier to stop the closer the target T is.

    INST = Σ w[i]·gain[i] / Σ w[i], w[i+1] = w[i]·((i + T + T[i] - 1) / (i + T + T[i]))², where T[i]
    = T - gain[1] - … - gain[i], over all ranks

    Source: Bailey, Moffat, Scholer & Thomas 2015 [@bailey-et-al-2015]

    Example: a first result that is relevant: w = 1, 1/4, 1/9, …; INST = 6 / π² … = 0.608
    """
    return _with_target(_gains(ranking, rel, max_rel), T, is_adaptive=True)


_nerr = partial(
    _standard, source="Azzopardi, Mackenzie & Moffat 2021 [@azzopardi-et-al-2021]", parameters=_GAIN
)


@_nerr("NERR8", cutoff=RANK)
def _nerr8(ranking: JudgedRanking, depth: float, rel: float, max_rel: float) -> float:
    """Compute nearly expected reciprocal rank, up to a rank.

    NERR8[k] = Σ w[i]·gain[i] / Σ w[i], w[i+1] = w[i]·(1 - gain[i]), over the ranks to k

    Example: levels 0, 1, 0: NERR8@3 = (0 + 1) / (1 + 1 + 0) = 0.5
    """
    return _mean_gain(
        _gains(ranking, rel, max_rel, depth),
        lambda rank, gain, total: 1 - gain,
        lambda number, total: depth - number,
    )


@_nerr("NERR9", cutoff=RANK)
def _nerr9(ranking: JudgedRanking, depth: float, rel: float, max_rel: float) -> float:
    """Compute nearly expected reciprocal rank with a discount of ranks, up to a rank.

    NERR9[k] = Σ w[i]·gain[i] / Σ w[i], w[i+1] = w[i]·(1 - gain[i])·i/(i+1), over the ranks to k

    Example: levels 0, 1, 0: NERR9@3 = (1/2) / (1 + 1/2 + 0) = 0.333
    """
    return _mean_gain(
        _gains(ranking, rel, max_rel, depth),
        lambda rank, gain, total: (1 - gain) * rank / (rank + 1),
        lambda n, total: math.fsum((n + 1) / rank for rank in range(n + 1, int(depth) + 1)),
    )


@_nerr("NERR10", parameters={"p": Number(0.9, 0, 0.999999, above=True), **_GAIN})
def _nerr10(ranking: JudgedRanking, p: float, rel: float, max_rel: float) -> float:
    """Compute nearly expected reciprocal rank with the persistence p.

    NERR10 = Σ w[i]·gain[i] / Σ w[i], w[i+1] = w[i]·(1 - gain[i])·p, over all ranks

    Example: levels 0, 1: NERR10(p=0.5) = 0.5 / (1 + 0.5) = 0.333
    """
    return _mean_gain(
        _gains(ranking, rel, max_rel),
        lambda rank, gain, total: p * (1 - gain),
        lambda number, total: 1 / (1 - p),
    )


@_nerr("NERR11", parameters={**_T, **_GAIN})
def _nerr11(ranking: JudgedRanking, T: float, rel: float, max_rel: float) -> float:  # noqa: N803
    """Compute nearly expected reciprocal rank with a target T.

    NERR11 = Σ w[i]·gain[i] / Σ w[i], w[i+1] = w[i]·(1 - gain[i])·((i + 2T - 1) / (i + 2T))², over
    all ranks

    Example: levels 0, 1: NERR11 = (2/3)² / (1 + (2/3)²) = 0.308
    """
    return _with_target(_gains(ranking, rel, max_rel), T, stops=True)
