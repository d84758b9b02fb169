"""The keys of studies and of ``xcg judge``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xcg.settings.schema import (
    FLAG,
    MAX_COUNT,
    MAX_NUMBER,
    MAX_SEED,
    NAME,
    PATH,
    PATHS,
    choice,
    key,
    list_of,
    number,
    section,
    stated,
    whole,
)

TESTS = ("t", "wilcoxon", "wilcoxon-pratt", "randomisation")
CORRECTIONS = ("shaffer", "tukey", "holm", "bonferroni", "fdr_bh", "none")
RESAMPLES = 200

_COUNT = whole(1, MAX_COUNT)
_SHARE = number(0, 1)


@dataclass(frozen=True)
class Random:
    """Random numbers."""

    seed: int = key("Start the random numbers from this seed.", whole(0, MAX_SEED), 0)


@dataclass(frozen=True)
class Bootstrap(Random):
    """Intervals over random topics."""

    resamples: int = key(
        "Compute intervals from this number of bootstrap resamples of the topics; 0 for none.",
        whole(0, MAX_COUNT),
        RESAMPLES,
    )


@dataclass(frozen=True)
class Plan(Random):
    """``study plan``: which differences a comparison finds."""

    power: float = key("Find differences with this probability.", number(), 0.8)
    difference: float | None = key(
        "Print the power for this difference, and the number of topics that it needs.", number()
    )
    runs: int | None = key(
        "Plan a comparison of this number of runs.", whole(2, 1000), default_text="those of the pilot"
    )
    topics: int | None = key(
        "Plan for this number of topics at hand.", _COUNT, default_text="those of the pilot"
    )
    baseline: str | None = key(
        "Compare with this run, or all or best, as in compare.", NAME, default_text="all"
    )
    correction: str | None = key(
        "Plan for this correction.", choice(CORRECTIONS), default_text="as in compare"
    )


@dataclass(frozen=True)
class Calibrate(Random):
    """``study calibrate``: the false alarms of tests and gates."""

    baseline: str | None = key(
        "Study comparisons and the gate with this run, or the comparisons of all pairs of runs (all).",
        NAME,
        default_text="both, with the first run",
    )
    test: list[str] = key("Study these tests.", list_of(choice(TESTS)), [], default_text="every test")
    correction: list[str] = key(
        "Study these corrections of p values.",
        list_of(choice(CORRECTIONS)),
        [],
        default_text="as in compare",
    )
    campaigns: int = key("Exchange the runs this number of times.", _COUNT, 1000)


@dataclass(frozen=True)
class Assessors(Bootstrap):
    """``study assessors``: alternative assessments (Kazai & Lalmas 2006, section 6.2.1)."""

    others: list[Any] = key("The assessments of each further assessor.", PATHS, [])
    ranges: bool = key("Print and draw the range of scores of each run.", FLAG, False)
    topics: str = key(
        "Study all topics, only those that several assessors judged, or both.",
        choice(("all", "double-judged", "both")),
        "both",
    )
    agreement: bool = key("Print the agreement of the assessors.", FLAG, False)
    sample: int | None = key("Use at most this number of random combinations.", whole(2, MAX_NUMBER))


@dataclass(frozen=True)
class TopicSets(Bootstrap):
    """``study topics``: disjoint topic sets (Kazai & Lalmas 2006, section 6.2.2)."""

    trials: int = key("Draw this number of pairs of topic sets for each size.", _COUNT, 100)
    rates: bool = key("Print the swap rate of each size and difference.", FLAG, False)
    sizes: list[int] = key(
        "Also print these numbers of topics; above half of the topics, rates are extrapolated.",
        list_of(whole(1, 99_999), "[25, 50]"),
        [25, 50],
    )
    smoothing: str = key(
        "Smooth the rates over the numbers of topics before they are extrapolated.",
        choice(("none", "isotonic")),
        "none",
    )
    checkpoint: Any = key(
        "Store progress in this file, and continue an interrupted study from it.", PATH
    )


@dataclass(frozen=True)
class Perturb:
    """``study perturb``: inserted results (Kazai & Lalmas 2006, section 6.1.2)."""

    counts: list[int] = key(
        "Insert these numbers of results.",
        list_of(whole(0, 999_999), "[0, 1, 10]"),
        [0, 1, 2, 3, 4, 5, 10, 50, 100, 500, 1000],
    )


@dataclass(frozen=True)
class Levels(Random):
    """``study levels``: numbers of levels (Scheel, Lommatzsch & Albayrak 2011, Figures 4 and 5)."""

    uniform: bool = key(
        "All levels are equally frequent, as in Figure 4; false for random frequencies, as in Figure "
        "5.",
        FLAG,
        True,
    )
    swaps: int = key("Use this number of rankings, with 0, 1, 2, … swapped pairs.", _COUNT, 100)
    repetitions: int = key("Average over this number of lists.", _COUNT, 100)
    full_depth: bool = key(
        "Print NDCG and NDCNG at rank 100 instead of their means over all ranks.", FLAG, False
    )


@dataclass(frozen=True)
class Laws(Random):
    """``study laws``: small cases in which a measure breaks a law."""

    measure: str | None = key(
        "The measure, such as nxCG@10, or package.module:function.", NAME, option=True
    )
    effort: str = key(
        "Measure the effort of the user of a function in ranks, or in text as the user model spans "
        "does.",
        choice(("ranks", "text")),
        "text",
    )
    law: list[str] = key("Test these laws.", list_of(NAME), [], default_text="all")
    examples: int = key("Try this number of cases for each law.", _COUNT, 200)


@dataclass(frozen=True)
class Study:
    """Studies of measures and designs."""

    plan: Plan = section(Plan)
    calibrate: Calibrate = section(Calibrate)
    assessors: Assessors = section(Assessors)
    topics: TopicSets = section(TopicSets)
    perturb: Perturb = section(Perturb)
    levels: Levels = section(Levels)
    laws: Laws = section(Laws)


@dataclass(frozen=True)
class Judge(Random):
    """Relevance assessment in the browser."""

    depth: int = key(
        "Judge this number of results per run and topic, or of documents per topic without runs.",
        _COUNT,
        20,
    )
    grades: Any = key(
        "The grades of highlights: inex-2004, inex-2005, none, or {levels: [1, 2, 3]}.",
        stated("grades"),
        "inex-2004",
    )
    assessors: list[str] = key("The names of the assessors.", list_of(NAME), ["assessor"])
    second_share: float = key("A second assessor judges this proportion of the topics too.", _SHARE, 0)
    store: Any = key(
        "Keep the judgements in this file.", PATH, default_text="the file of CONFIG with .sqlite"
    )
