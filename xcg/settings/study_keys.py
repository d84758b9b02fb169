"""The keys of ``sweep``, ``curves``, ``report``, ``chunks``, ``check``, studies, judge and plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xcg.errors import nearest
from xcg.settings.schema import (
    FILE,
    FLAG,
    MAX_COUNT,
    MAX_NUMBER,
    MAX_SEED,
    NAME,
    OWN_FILE,
    PATHS,
    PLOT_WIDTHS,
    RUN,
    TEXT,
    Checked,
    Choice,
    ListOf,
    Number,
    Place,
    key,
    kind,
    whole,
)

TESTS = ("t", "wilcoxon", "randomisation")
CORRECTIONS = ("shaffer", "tukey", "holm", "bonferroni", "fdr_bh", "none")
_STUDIED_CORRECTIONS = tuple(name for name in CORRECTIONS if name != "tukey")


def _names_by_topic(value: object, place: Place) -> object:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected lists of names by topic, found {kind(value)}")
    return {str(topic): ListOf(NAME).check(names, place) for topic, names in value.items()}


_COUNT = whole(1, MAX_COUNT)
_SHARE = Number(0, 1)


@dataclass(eq=False, repr=False)
class Random:
    """Random numbers."""

    seed: int = key("Use this seed for random numbers.", whole(0, MAX_SEED), 0)


@dataclass(eq=False, repr=False)
class Bootstrap(Random):
    """Intervals over random topics."""

    resamples: int = key(
        "Use this number of resamples for intervals; 0 for none.", whole(0, MAX_COUNT), 200
    )


@dataclass(eq=False, repr=False)
class Sweep(Bootstrap):
    """How ``sweep`` compares user models, or overlap strategies over alpha."""

    step: float | None = key(
        "With strategies, try α in these steps and near 0 and 1.", Number(0.001, 1), default_text="0.05"
    )


@dataclass(eq=False, repr=False)
class Curves:
    """What ``curves`` draws."""

    depth: int = key(
        "Compute curves over ranks or text up to this rank or amount.", whole(1, MAX_NUMBER), 100
    )
    ideal: bool = key("Add the curve of the ideal ranking.", FLAG, False)
    per_topic: bool = key("Also print the curve of each topic.", FLAG, False, option=True)
    at: int | None = key(
        "Print the rank at which each run reaches the gain that the ideal ranking has at this rank.",
        whole(1, MAX_NUMBER),
        option=True,
    )
    reference: str = key(
        "With at, take the gain of the ideal ranking or best run.", Choice(("ideal", "best")), "ideal"
    )


@dataclass(eq=False, repr=False)
class Plan(Random):
    """``study plan``: which differences a comparison finds."""

    power: float = key("Find differences with this probability.", Number(0.05, 1, is_open=True), 0.8)
    difference: float | None = key(
        "Print the power for this difference, and the topics that it needs.", Number(0, is_open=True)
    )
    runs: int | None = key(
        "Plan a comparison of this number of runs.", whole(2, 1000), default_text="those of the pilot"
    )
    topics: int | None = key(
        "Plan for this number of topics.", whole(2, MAX_COUNT), default_text="those of the pilot"
    )
    baseline: str | None = key("Compare with this run, or all, as in compare.", RUN, default_text="all")


@dataclass(eq=False, repr=False)
class Calibrate(Random):
    """``study calibrate``: the false alarms of tests and gates."""

    baseline: str | None = key(
        "Study comparisons and the gate with this run, or the comparisons of all pairs of runs (all).",
        RUN,
        default_text="both, with the first run",
    )
    test: list[str] = key("Study these tests.", ListOf(Choice(TESTS)), [], default_text="every test")
    correction: list[str] = key(
        "Study these corrections of p values.",
        ListOf(Choice(_STUDIED_CORRECTIONS)),
        [],
        default_text="as in compare",
    )
    campaigns: int = key("Exchange the runs this number of times.", _COUNT, 1000)


@dataclass(eq=False, repr=False)
class Assessors(Random):
    """``study assessors``: alternative assessments (Kazai & Lalmas 2006, section 6.2.1)."""

    others: list[Any] = key("The assessments of each further assessor.", PATHS, [])
    ranges: bool = key("Print and draw the range of scores of each run.", FLAG, False)
    agreement: bool = key("Print the agreement of the assessors.", FLAG, False)


@dataclass(eq=False, repr=False)
class TopicSets(Random):
    """``study topics``: disjoint topic sets (Kazai & Lalmas 2006, section 6.2.2)."""

    trials: int = key("Draw this number of pairs of topic sets for each size.", _COUNT, 100)
    rates: bool = key("Print the swap rate of each size and difference.", FLAG, False)
    sizes: list[int] = key(
        "Also print these numbers of topics; above half of the topics, rates are extrapolated.",
        ListOf(whole(1, 99_999), "[25, 50]"),
        [25, 50],
    )


@dataclass(eq=False, repr=False)
class Perturb:
    """``study perturb``: inserted results (Kazai & Lalmas 2006, section 6.1.2)."""

    counts: list[int] = key(
        "Insert these numbers of results.",
        ListOf(whole(0, 999_999), "[0, 1, 10]"),
        [0, 1, 2, 3, 4, 5, 10, 50, 100, 500, 1000],
    )


@dataclass(eq=False, repr=False)
class Levels(Random):
    """``study levels``: numbers of levels (Scheel, Lommatzsch & Albayrak 2011, Figures 4 and 5)."""

    uniform: bool = key("Levels are equally frequent (Figure 4); false: random (Figure 5).", FLAG, True)
    repetitions: int = key("Average over this number of lists.", _COUNT, 100)


@dataclass(eq=False, repr=False)
class Laws(Random):
    """``study laws``: small cases in which a measure breaks a law."""

    measure: str | None = key(
        "The measure, such as nxCG@10, or package.module:function.", NAME, option=True
    )
    law: list[str] = key("Test these laws.", ListOf(NAME), [], default_text="all")
    examples: int = key("Try this number of cases for each law.", _COUNT, 200)


@dataclass(eq=False, repr=False)
class Study:
    """Studies of measures and designs."""

    plan: Plan = field(default_factory=Plan)
    calibrate: Calibrate = field(default_factory=Calibrate)
    assessors: Assessors = field(default_factory=Assessors)
    topics: TopicSets = field(default_factory=TopicSets)
    perturb: Perturb = field(default_factory=Perturb)
    levels: Levels = field(default_factory=Levels)
    laws: Laws = field(default_factory=Laws)


@dataclass(eq=False, repr=False)
class Judge(Random):
    """Relevance assessment in the browser."""

    depth: int = key(
        "Judge this number of results per run and topic, or of documents per topic without runs.",
        _COUNT,
        20,
    )
    grades: Any = key(
        "The grades of highlights: inex-2004, none, or {levels: [1, 2, 3]}.",
        Checked(stated="grades"),
        "inex-2004",
    )
    nuggets: dict[str, list[str]] = key(
        "The facts that a highlight can state, by topic: {q1: [cause, cure]}.",
        Checked(_names_by_topic, metavar="MAPPING"),
        factory=dict,
    )
    assessors: list[str] = key("The names of the assessors.", ListOf(NAME), ["assessor"])
    second_share: float = key("A second assessor also judges this proportion of the topics.", _SHARE, 0)
    store: Any = key(
        "Keep the judgements in this file.", OWN_FILE, default_text="the name of CONFIG with .sqlite"
    )
    time: bool = key("Record how long assessors work on each document.", FLAG, True)
    keep_addresses: bool = key("Use the same start URLs after a restart.", FLAG, False)


@dataclass(eq=False, repr=False)
class Report:
    """What ``report`` writes."""

    explained: int = key("Explain the results of this number of topics.", whole(0, MAX_NUMBER), 10)
    title: str = key("Give the page this title.", TEXT, "Evaluation report")
    methods: bool = key(
        "Print the methods paragraph of a paper, with BibTeX, instead of a page.",
        FLAG,
        False,
        option=True,
    )


@dataclass(eq=False, repr=False)
class Chunks:
    """How ``chunks`` compares chunkers."""

    budget: list[int] = key(
        "Compute nxCG after this number of tokens.",
        ListOf(whole(1, MAX_NUMBER), "500"),
        [500, 2000],
        option=True,
    )
    questions: bool = key(
        "Print every gold span and result instead of a summary.", FLAG, False, option=True
    )


@dataclass(eq=False, repr=False)
class Check:
    """What ``check`` checks."""

    levels: bool = key(
        "Count the assessments of each level or grade pair instead.", FLAG, False, option=True
    )
    other: list[Any] = key("With levels, cross-tabulate with these assessments.", PATHS, [])
    review: bool = key(
        "List what to review in gold instead: spans that no run finds, and passages elsewhere that "
        "repeat a gold span.",
        FLAG,
        False,
        option=True,
    )
    overlap: float = key(
        "With review, a result finds a passage if it contains at least this share of it.",
        Number(0.000001, 1),
        0.5,
    )


def _width(value: object, place: Place) -> object:
    """Check the width of a plot."""
    if not isinstance(value, str):
        return Number(5, 35).check(value, place)
    if value not in PLOT_WIDTHS:
        hint = nearest(value, PLOT_WIDTHS)
        raise ValueError(f"expected column, page or a number of centimetres, found {value!r}: {hint}")
    return value


@dataclass(eq=False, repr=False)
class Plot:
    """The plot of a command."""

    path: Any = key("Draw a plot into this file: .png, .svg or .pdf.", FILE, option="--plot")
    width: str | float | None = key(
        "Draw for a paper, in this width: a number of centimetres, or "
        + " or ".join(f"{name} ({width})" for name, width in PLOT_WIDTHS.items())
        + ".",
        Checked(_width, "column, page or a number of centimetres", metavar="WIDTH"),
        default_text="what the content needs",
    )
