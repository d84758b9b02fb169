"""Graded relevance in ranked lists: (n)(D)CG with its averages, average precision over levels.

Järvelin & Kekäläinen 2002 (JK) and Scheel, Lommatzsch & Albayrak 2011 (SL). Gains and ideal gains are
those of the user model: levels of relevance in flat lists, and what results earn in element retrieval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures.cumulated_gain import Gains, check_gains, check_ideal
from xcg.measures.definition import (
    RANK,
    RANK_OR_ALL,
    Definition,
    Number,
    Parameters,
    TopicGains,
    vector,
)

if TYPE_CHECKING:
    import numpy.typing as npt

Gain = Literal["linear", "exp"]
Discount = Literal["from_base", "plus_one"]


def discounted(
    gains: npt.ArrayLike,
    base: float = 2.0,
    discount: Discount = "from_base",
    gain: Gain = "linear",
) -> Gains:
    """Return what each rank adds to DCG.

    discount ``from_base`` (JK equation 2): G[i] below rank b, G[i] / log_b i from there on.
    ``plus_one`` (SL equation 3): G[i] / log_b(i + 1). gain ``exp`` puts 2^G − 1 in place of G.
    base: above 1.

    >>> discounted([3, 2, 3, 0, 0, 1]).cumsum().round(2).tolist()
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28]
    """
    column = check_gains(gains)
    if gain == "exp":
        with np.errstate(over="ignore"):
            column = np.exp2(column) - 1.0
        if not np.all(np.isfinite(column)):
            raise XcgError("2 to the power of these gains is too large; use smaller gains")
    ranks = np.arange(1, len(column) + 1, dtype=np.float64)
    if discount == "plus_one":
        return np.asarray(column * math.log(base) / np.log(ranks + 1))
    weights = np.ones(len(column))
    late = ranks >= base
    weights[late] = math.log(base) / np.log(ranks[late])
    # log_b b is 1, whatever rounding makes of it, and a rank of 1 is never divided by log 1 = 0.
    weights[ranks == base] = 1.0
    return np.asarray(column * weights)


def average_precision_at(gains: npt.ArrayLike, ideal: npt.ArrayLike, threshold: float) -> float:
    """Return AP where gains from the threshold on are relevant, SL equation 2: 0 … 1.

    0 where no ideal gain reaches the threshold.

    >>> round(average_precision_at([1, 0, 3, 3, 2, 0, 1, 4], [4, 3, 3, 2, 1, 1], 3), 3)
    0.403
    """
    relevant = vector(gains) >= threshold
    total = int(np.count_nonzero(vector(ideal) >= threshold))
    hits = np.flatnonzero(relevant)
    if not total:
        return 0.0
    precisions = np.arange(1, len(hits) + 1) / (hits + 1)
    return math.fsum(precisions.tolist()) / total


def mu_average_precision(gains: npt.ArrayLike, ideal: npt.ArrayLike) -> float:
    """Return μAP, SL equation 4: AP at every level of the ideal list, weighted by distances of levels.

    The distance of the lowest level above 0 is that to 0; level 0 itself has none. Range 0 … 1.

    >>> round(mu_average_precision([1, 0, 3, 3, 2, 0, 1, 4], [4, 3, 3, 2, 1, 1]), 5)
    0.44782
    >>> round(mu_average_precision([0.3, 1, 0], [1, 0.3]), 2)
    0.65
    """
    levels = np.unique(check_ideal(ideal))
    levels = levels[levels > 0]
    distances = np.diff(levels, prepend=0.0)
    figures = [average_precision_at(gains, ideal, float(level)) for level in levels]
    return float(np.dot(figures, distances) / distances.sum())


def normalised_gains(gains: npt.ArrayLike, ideal: npt.ArrayLike) -> tuple[Gains, Gains]:
    """Return gains and ideal gains divided by the highest ideal one, SL equation 5."""
    best = check_ideal(ideal)
    return check_gains(gains) / best[0], best / best[0]


def _padded(column: Gains, depth: int) -> Gains:
    return np.pad(column[:depth], (0, max(0, depth - len(column))))


def _depth(cutoff: float, gains: npt.ArrayLike, ideal: npt.ArrayLike) -> int:
    """Return the rank to go to: the cutoff, or the end of the longer list."""
    longest = max(len(vector(gains)), len(vector(ideal)), 1)
    return longest if math.isnan(cutoff) else int(cutoff)


def _vectors(topic: TopicGains, cutoff: float, parameters: Parameters) -> tuple[Gains, Gains]:
    """Return the cumulated vectors of run and ideal up to the cutoff."""
    depth = _depth(cutoff, topic.gains, topic.ideal)
    gains, ideal = check_gains(topic.gains), check_ideal(topic.ideal)
    if parameters.get("normalised_gain"):
        gains, ideal = normalised_gains(gains, ideal)
    pair = []
    for column in (gains, ideal):
        if "base" in parameters:
            column = discounted(  # noqa: PLW2901
                _padded(column, depth),
                parameters["base"],
                parameters.get("discount", "plus_one"),
                parameters.get("gain", "exp"),
            )
        pair.append(np.cumsum(_padded(column, depth)))
    return pair[0], pair[1]


def _figure(run: Gains, ideal: Gains, normalised: bool, averaged: bool) -> float:
    by_rank = np.divide(run, ideal, out=np.zeros_like(run), where=ideal > 0) if normalised else run
    return float(by_rank.mean() if averaged else by_rank[-1])


def _compute(
    normalised: bool, averaged: bool
) -> Callable[[TopicGains, float, Parameters], float | None]:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
        return _figure(*_vectors(topic, cutoff, parameters), normalised, averaged)

    return compute


def _fold(
    normalised: bool, averaged: bool
) -> Callable[[Sequence[tuple[Gains, Gains]], float, Parameters], float]:
    """Return the mean over topics of their vectors, normalised afterwards."""

    def fold(parts: Sequence[tuple[Gains, Gains]], cutoff: float, parameters: Parameters) -> float:
        depth = max(len(run) for run, _ in parts)
        # A list that ends keeps what it has cumulated.
        stretched = [
            [np.pad(column, (0, depth - len(column)), mode="edge") for column in pair] for pair in parts
        ]
        run = np.mean([pair[0] for pair in stretched], axis=0)
        ideal = np.mean([pair[1] for pair in stretched], axis=0)
        return _figure(run, ideal, normalised, averaged)

    return fold


def _curve(
    normalised: bool,
) -> Callable[[TopicGains, int, Parameters], tuple[list[float], list[float]]]:
    def curve(topic: TopicGains, depth: int, parameters: Parameters) -> tuple[list[float], list[float]]:
        run, ideal = _vectors(topic, float(depth), parameters)
        heights = np.divide(run, ideal, out=np.zeros_like(run), where=ideal > 0)
        ranks = [float(rank) for rank in range(1, depth + 1)]
        return ranks, (heights if normalised else run).tolist()

    return curve


_BASE = {"base": Number(2.0, 1.0, above=True)}
_KIND = {"discount": ("from_base", "plus_one"), "gain": ("linear", "exp")}
_MEAN = {"mean": ("figures", "vectors")}
_JK = "Järvelin & Kekäläinen 2002"
_NORMALISED = "0 to 1 in flat lists; more only for a ranking that gains more than the ideal, see nxCG"


def _family() -> list[Definition]:
    """Declare CG, DCG, nCG and nDCG, each at a rank and averaged over the ranks up to it."""
    found = []
    for name, title, formula, source, example, average in (
        (
            "CG",
            "cumulated gain",
            "CG[i] = G[1] + … + G[i]",
            f"{_JK}, equation 1",
            "gains 3, 2, 3, 0: CG@4 = 8",
            "gains 3, 2: avgCG@2 = (3 + 5) / 2 = 4",
        ),
        (
            "DCG",
            "discounted cumulated gain",
            "DCG[i] = Σ G[j] for ranks j < base, G[j] / log_base j from there on",
            f"{_JK}, equation 2 (with DCG where the extracted text has CG)",
            "gains 3, 2, 3: DCG(base=2)@3 = 3 + 2 + 3 / 1.585 = 6.89",
            "gains 3, 2: avgDCG(base=2)@2 = (3 + 5) / 2 = 4",
        ),
        (
            "nCG",
            "normalised cumulated gain",
            "nCG[i] = CG[i] / CGI[i], CGI that of the ideal gains",
            f"{_JK}, section 2.3",
            "gains 3, 2, 3, ideal 3, 3, 3: nCG@3 = 8 / 9 = 0.889",
            "gains 3, 2, ideal 3, 3: avgnCG@2 = (1 + 5 / 6) / 2 = 0.917",
        ),
        (
            "nDCG",
            "normalised discounted cumulated gain",
            "nDCG[i] = DCG[i] / DCGI[i], DCGI that of the ideal gains",
            f"{_JK}, section 2.3; discount=plus_one with gain=exp is SL equation 3",
            "gains 3, 2, 3, ideal 3, 3, 3: nDCG(base=2)@3 = 6.89 / 7.89 = 0.873",
            "gains 3, 2, ideal 3, 3: avgnDCG(base=2)@2 = (1 + 5 / 6) / 2 = 0.917",
        ),
    ):
        normalised = name.startswith("n")
        parameters: dict[str, tuple[str, ...] | Number] = {**_MEAN}
        if "D" in name:
            parameters = {**_BASE, **_KIND, **_MEAN}
        bound = _NORMALISED if normalised else "0 to the sum of all gains"
        caveat = (
            "mean=vectors normalises the mean vectors over topics (norm-vect of avg-vect); the "
            "default is the mean of the topics' figures."
        )
        if name == "nDCG":
            caveat += " Without parameters nDCG is the standard measure."
        found += [
            Definition(
                name=f"avg{name}" if averaged else name,
                title=f"{title}, averaged over the ranks up to one" if averaged else title,
                formula=f"mean over ranks 1 … i of {formula}" if averaged else formula,
                range=bound,
                source=f"{_JK}, section 2.3 (avg-pos)" if averaged else source,
                example=average if averaged else example,
                caveat=caveat,
                cutoff=RANK if averaged else RANK_OR_ALL,
                parameters=parameters,
                compute=_compute(normalised, averaged),
                aggregate_input=_vectors,
                aggregate=_fold(normalised, averaged),
                curve=None if averaged else _curve(normalised),
            )
            for averaged in (False, True)
        ]
    return found


def _normalised_parameters(parameters: Parameters) -> Parameters:
    return {**parameters, "normalised_gain": True, "discount": "plus_one", "gain": "exp"}


def _ndcng(averaged: bool) -> Callable[[TopicGains, float, Parameters], float | None]:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
        run, ideal = _vectors(topic, cutoff, _normalised_parameters(parameters))
        return _figure(run, ideal, normalised=True, averaged=averaged)

    return compute


def _threshold(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return average_precision_at(topic.gains, topic.ideal, parameters["threshold"])


def _mu_ap(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return mu_average_precision(topic.gains, topic.ideal)


def _generalised(recall: bool) -> Callable[[TopicGains, float, Parameters], float | None]:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
        name = "gRecall" if recall else "gPrecision"
        gains, ideal = check_gains(topic.gains), check_ideal(topic.ideal)
        if max(gains.max(initial=0.0), ideal[0]) > 1:
            raise XcgError(
                f"{name} needs gains from 0 to 1, and here is one of {ideal[0]:g}; "
                "map levels with quantisation: {gains: {1: 0.5, 2: 1}}"
            )
        depth = len(gains) if math.isnan(cutoff) else int(cutoff)
        found = float(gains[:depth].sum())
        if recall:
            return found / float(ideal.sum())
        return found / depth if depth else 0.0

    return compute


_SL = "Scheel, Lommatzsch & Albayrak 2011"
DEFINITIONS = (
    *_family(),
    Definition(
        name="NDCNG",
        title="normalised discounted cumulated normalised gain",
        formula="nDCG of 2^(G / m) − 1 with 1 / log(i + 1), m the highest ideal gain",
        range="0 to 1",
        source=f"{_SL}, equation 5",
        example="gains 0, 1, ideal 1: NDCNG@2 = (1 / log 3) / (1 / log 2) = 0.631",
        caveat="The base of the logarithm cancels out.",
        cutoff=RANK_OR_ALL,
        parameters=_BASE,
        compute=_ndcng(averaged=False),
    ),
    Definition(
        name="avgNDCNG",
        title="NDCNG, averaged over the ranks up to one",
        formula="(NDCNG[1] + … + NDCNG[i]) / i",
        range="0 to 1",
        source=f"{_SL}, Table 2",
        example="gains 1, 0, ideal 1: avgNDCNG@2 = 1",
        cutoff=RANK,
        parameters=_BASE,
        compute=_ndcng(averaged=True),
    ),
    Definition(
        name="AP",
        title="average precision, gains from a threshold on being relevant",
        formula="Σ over the relevant ranks of P@rank / R, R the number of ideal gains ≥ threshold",
        range="0 to 1; more only where more results than ideal elements reach the threshold",
        source=f"{_SL}, equation 2",
        example="gains 1, 0, 3, ideal 3, 1: AP(threshold=1) = (1 / 1 + 2 / 3) / 2 = 0.833",
        caveat="Without parameters AP is the standard measure: levels from 1 on are relevant.",
        parameters={"threshold": Number(1.0, 0.0, above=True)},
        compute=_threshold,
    ),
    Definition(
        name="muAP",
        title="μAP: average precision over all levels",
        formula="Σ AP(t)·d(t) / Σ d(t), t the levels of the ideal gains, d the distance of each to the "
        "one below",
        range="0 to 1; more only where results gain more than ideal elements",
        source=f"{_SL}, equation 4; its mean over topics is μMAP",
        example="gains 0.3, 1, ideal 1, 0.3: muAP = (0.3·1 + 0.7·0.5) / 1 = 0.65",
        compute=_mu_ap,
    ),
    Definition(
        name="gPrecision",
        title="generalised precision",
        formula="Σ r(d) / n over the first n results",
        range="0 to 1",
        source="Kekäläinen & Järvelin 2002",
        example="gains 1, 0.5, 0: gPrecision@3 = 0.5",
        caveat="For gains from 0 to 1 alone.",
        cutoff=RANK_OR_ALL,
        compute=_generalised(recall=False),
    ),
    Definition(
        name="gRecall",
        title="generalised recall",
        formula="Σ r(d) over the first n results / Σ r over all ideal ones",
        range="0 to 1",
        source="Kekäläinen & Järvelin 2002",
        example="gains 1, 0.5, ideal 1, 0.5, 0.5: gRecall@2 = 0.75",
        caveat="For gains from 0 to 1 alone.",
        cutoff=RANK_OR_ALL,
        compute=_generalised(recall=True),
    ),
)
