"""The measures: declarations in one registry, each computed by a pure function of gain vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from xcg.lazy_modules import np
from xcg.measures import classic, highlighted, inex_eval
from xcg.measures import discounted as graded
from xcg.measures.cumulated_gain import cumulate, gain_recall, manxcg, nxcg
from xcg.measures.definition import (
    RANK,
    RECALL,
    Curve,
    Definition,
    Measure,
    MeasureRegistry,
    Number,
    Order,
    Parameters,
    RankingDetails,
    TopicGains,
    split_measures,
)
from xcg.measures.effort import (
    effort_precision,
    interpolated_mean_effort_precision,
    mean_effort_precision,
)
from xcg.measures.sakai import q_measure, r_measure
from xcg.measures.text_effort import (
    Reading,
    effort_precision_in_text,
    gain_at_budgets,
    gain_recall_at_budgets,
    interpolated_mean_effort_precision_in_text,
    mean_effort_precision_in_text,
    nxcg_at_budgets,
)
from xcg.user_model.effort import Interpolation, Unretrieved

if TYPE_CHECKING:
    import numpy.typing as npt

    from xcg.documents.text_units import TextUnit

__all__ = [
    "MEASURES",
    "Definition",
    "Measure",
    "MeasureRegistry",
    "Number",
    "Order",
    "RankingDetails",
    "TopicGains",
    "cumulate",
    "effort_precision",
    "gain_recall",
    "interpolated_mean_effort_precision",
    "manxcg",
    "mean_effort_precision",
    "nxcg",
    "q_measure",
    "r_measure",
    "split_measures",
]

_INTERPOLATION = {"interpolation": ("segment", "linear")}
_UNRETRIEVED = {"unretrieved": ("uncredited", "max")}
_UNITS = ("ranks", "characters", "words", "tokens")
_EFFORT = {"effort": _UNITS}
_BUDGET = {"budget": _UNITS}
_BOUND = (
    "from 0; 1 for the ideal ranking, and more only for a ranking that gains more than the ideal: "
    "without normalisation, with alpha below 1, or by several results above one ideal element"
)

_STEPS = 100
"""How many points a curve over text has."""

MEASURES = MeasureRegistry()
_FAMILIES = (graded, inex_eval, highlighted, classic)


def _readings(topic: TopicGains, unit: str) -> tuple[Reading, Reading]:
    return topic.required_details(f"effort in {unit}").readings(cast("TextUnit", unit))


InText = Callable[[Reading, Reading, Sequence[float]], "npt.NDArray[np.float64]"]
"""A vector over amounts of text, of the readings of a run and of the ideal."""


def _at_rank(
    vector: Callable[..., npt.NDArray[np.float64]],
    in_text: InText | None = None,
) -> Callable[[TopicGains, float, Parameters], float | None]:
    """Make a measure at a rank, or at an amount of text, from functions that give a vector."""

    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
        unit = parameters.get("budget", "ranks")
        if in_text is not None and unit != "ranks":
            return float(in_text(*_readings(topic, unit), [cutoff])[0])
        return float(vector(topic.gains, topic.ideal, depth=int(cutoff))[-1])

    return compute


def _by_rank(
    vector: Callable[..., npt.NDArray[np.float64]],
    in_text: InText | None = None,
) -> Callable[[TopicGains, int, Parameters], Curve]:
    def curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
        unit = parameters.get("budget", "ranks")
        if in_text is not None and unit != "ranks":
            points = [depth * step / _STEPS for step in range(1, _STEPS + 1)]
            return points, in_text(*_readings(topic, unit), points).tolist()
        return range(1, depth + 1), vector(topic.gains, topic.ideal, depth=depth).tolist()

    return curve


def _xcg(gains: npt.ArrayLike, ideal: npt.ArrayLike, depth: int) -> npt.NDArray[np.float64]:
    return cumulate(gains, depth=depth)


def _xcg_in_text(run: Reading, ideal: Reading, budgets: Sequence[float]) -> npt.NDArray[np.float64]:
    return gain_at_budgets(run, budgets)


MEASURES.add(
    Definition(
        name="xCG",
        title="cumulated gain at a rank",
        formula="xCG[i] = xG[1] + … + xG[i]",
        range="0 to the sum of all gains",
        source="Kazai & Lalmas 2006, equation 4",
        example="gains 0.9, 0.1, 0, 0.5: xCG@2 = 1.0",
        caveat="Topics with more relevant elements weigh more in its mean; nxCG compares better.",
        cutoff=RANK,
        parameters=_BUDGET,
        compute=_at_rank(_xcg, _xcg_in_text),
        curve=_by_rank(_xcg, _xcg_in_text),
    )
)
MEASURES.add(
    Definition(
        name="nxCG",
        title="normalised cumulated gain at a rank",
        formula="nxCG[i] = xCG[i] / xCI[i], xCI the cumulated ideal gains",
        range=_BOUND,
        source="Kazai & Lalmas 2006, equation 5",
        example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: nxCG@2 = 1.0 / 1.5 = 0.667",
        caveat="Behind the last ideal element it no longer tells early from late results. "
        "budget=tokens (words, characters) reads the curve after so much text in place of ranks.",
        cutoff=RANK,
        parameters=_BUDGET,
        compute=_at_rank(nxcg, nxcg_at_budgets),
        curve=_by_rank(nxcg, nxcg_at_budgets),
    )
)
MEASURES.add(
    Definition(
        name="MAnxCG",
        title="mean of nxCG up to a rank",
        formula="MAnxCG[i] = (nxCG[1] + … + nxCG[i]) / i",
        range=_BOUND,
        source="Kazai & Lalmas 2006, equation 6",
        example="gains 0.5, 1, ideal 1, 0.5: MAnxCG@2 = (0.5 + 1) / 2 = 0.75",
        caveat="A rank far behind the last ideal element covers up differences.",
        cutoff=RANK,
        compute=_at_rank(manxcg),
        curve=_by_rank(manxcg),
    )
)
MEASURES.add(
    Definition(
        name="gr",
        title="gain-recall at a rank",
        formula="gr[i] = xCG[i] / xCI[n], n the number of ideal elements",
        range=_BOUND,
        source="Kazai & Lalmas 2006, equation 14",
        example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: gr@1 = 0.9 / 1.5 = 0.6",
        cutoff=RANK,
        parameters=_BUDGET,
        compute=_at_rank(gain_recall, gain_recall_at_budgets),
        curve=_by_rank(gain_recall, gain_recall_at_budgets),
    )
)


def _ep(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    if parameters["effort"] != "ranks":
        return effort_precision_in_text(*_readings(topic, parameters["effort"]), cutoff)
    interpolation = cast(Interpolation, parameters["interpolation"])
    return effort_precision(topic.gains, topic.ideal, cutoff, interpolation)


def _ep_curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
    return inex_eval.RECALL_POINTS, [_ep(topic, x, parameters) for x in inex_eval.RECALL_POINTS]


def _imaep(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    if parameters["effort"] != "ranks":
        return interpolated_mean_effort_precision_in_text(*_readings(topic, parameters["effort"]))
    interpolation = cast(Interpolation, parameters["interpolation"])
    return interpolated_mean_effort_precision(topic.gains, topic.ideal, interpolation)


def _maep(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    if parameters["effort"] != "ranks":
        return mean_effort_precision_in_text(*_readings(topic, parameters["effort"]))
    return mean_effort_precision(
        topic.gains,
        topic.ideal,
        topic.not_retrieved,
        cast(Interpolation, parameters["interpolation"]),
        cast(Unretrieved, parameters["unretrieved"]),
    )


def _q(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    unretrieved = cast(Unretrieved, parameters["unretrieved"])
    return q_measure(topic.gains, topic.ideal, topic.not_retrieved, unretrieved)


def _r(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return r_measure(topic.gains, topic.ideal)


MEASURES.add(
    Definition(
        name="ep",
        title="effort-precision at a gain-recall point",
        formula="ep[r] = i_ideal(g) / i_run(g), the ranks at which ideal and run reach g = r·xCI[n]; "
        "0 where the run never does",
        range=_BOUND,
        source="Kazai & Lalmas 2006, equation 13",
        example="gains 0.5, 1, ideal 1, 0.5: ep@0.4 = 0.6 / 1.4 = 0.43",
        caveat="interpolation=segment reproduces the paper's Table II, linear is its text. "
        "effort=tokens (words, characters) counts text read in place of ranks.",
        cutoff=RECALL,
        parameters={**_INTERPOLATION, **_EFFORT},
        compute=_ep,
        curve=_ep_curve,
    )
)
MEASURES.add(
    Definition(
        name="MAep",
        title="mean average effort-precision",
        formula="Σ over the ranks with gain of ep at that rank's own level / N, N the number of these "
        "ranks plus the ideal elements that are not retrieved",
        range=_BOUND,
        source="Kazai & Lalmas 2006, section 5.4",
        example="gains 0.5, 1, ideal 1, 0.5: MAep = (0.5 / 1 + 2 / 2) / 2 = 0.75",
        caveat="unretrieved=max divides by the larger of ranks with gain and ideal elements. "
        "effort=tokens (words, characters) counts text read: the mean of ep over all gain-recall.",
        parameters={**_INTERPOLATION, **_UNRETRIEVED, **_EFFORT},
        compute=_maep,
    )
)
MEASURES.add(
    Definition(
        name="iMAep",
        title="interpolated mean average effort-precision",
        formula="mean of ep at gain-recall 0.1, 0.2, …, 1.0",
        range=_BOUND,
        source="Kazai & Lalmas 2006, section 5.4",
        example="gains 0.5, 1, ideal 1, 0.5: iMAep = 0.6991",
        caveat="With few ideal elements the interpolation dominates it. "
        "effort=tokens (words, characters) counts text read in place of ranks.",
        parameters={**_INTERPOLATION, **_EFFORT},
        compute=_imaep,
    )
)
MEASURES.add(
    Definition(
        name="Q",
        title="Sakai's Q-measure on element gains",
        formula="1/N · Σ over the ranks j with gain of cbg(j) / (cig(j) + j), N as for MAep",
        range=_BOUND,
        source="Kazai & Lalmas 2006, equation 11 with footnotes 12 and 13; Sakai 2004",
        example="gains 0.5, 1, ideal 1, 0.5: Q = (1.5 / 2 + 3.5 / 3.5) / 2 = 0.875",
        parameters=_UNRETRIEVED,
        compute=_q,
    )
)
MEASURES.add(
    Definition(
        name="R",
        title="Sakai's R-measure on element gains",
        formula="cbg(R) / (cig(R) + R), R the number of ideal elements",
        range=_BOUND,
        source="Kazai & Lalmas 2006, equation 12 as its Table II has it; Sakai 2004",
        example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: R = 3 / (1.5 + 2) = 0.857",
        compute=_r,
    )
)

for _family in _FAMILIES:
    for _definition in _family.DEFINITIONS:
        MEASURES.add(_definition)
