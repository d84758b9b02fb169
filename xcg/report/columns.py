"""Declare the columns of the tables that commands print.

A declaration says how a field of records is written for people; records for programs do not use it. On
a narrow terminal, columns with a priority number are hidden, the highest number first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xcg.tables import Column

_text, _count = partial(Column, kind="text"), partial(Column, kind="count")
_score = partial(Column, kind="score")


def _limits(name: str, priority: int, of: str = "") -> list[Column]:
    """Declare the limits of the interval of a column, with their meanings if ``of`` says what it is."""
    return [
        Column(
            f"{name} {word}".lstrip(),
            priority=priority,
            meaning=f"{limit} limit of the 95 % interval of {of}" if of else "",
        )
        for word, limit in (("low", "lower"), ("high", "upper"))
    ]


IDEAL_ELEMENTS = (
    _text("file"),
    _text("path"),
    _text("assessment", meaning="exhaustivity and specificity"),
    Column("score", decimals=None, meaning="quantised assessment, the gain of the element"),
)
"""The columns of ``xcg explain``."""

RANKS_OF_VALUE = (
    _text("reference", priority=1, meaning="run or ideal ranking that sets the value"),
    _count("at", priority=1, meaning="rank at which the reference has the value"),
    _count("rank", meaning="first rank at which the run has at least this value"),
    _count("more_than_ideal", meaning="additional results, compared with the ideal ranking"),
    _count("more_than_best", meaning="additional results, compared with the best run"),
    Column("times_best", priority=1, meaning="rank divided by that of the best run"),
)
"""The columns of ``xcg curves --at``."""

CURVES = (_count("x"), Column("y"))
"""The columns of points of curves."""

PERTURBATION = (
    _text("position", meaning="where non-relevant results are inserted"),
    _count("inserted", meaning="number of non-relevant results"),
    Column("change", meaning="relative change of the score"),
)
"""The columns of ``xcg study perturb``."""

PLANS = (
    _text("test", priority=1),
    _text("correction"),
    _count("runs", priority=3),
    _count("comparisons", priority=3),
    _count("topics", priority=2),
    Column("deviation", priority=1, meaning="standard deviation of the differences of two runs"),
    Column("detectable", meaning="smallest difference that is found"),
    Column("difference", priority=1),
    Column("power", meaning="probability that the difference is found"),
    _count("topics_needed", meaning="number of topics needed to find the difference"),
)
"""The columns of ``xcg study plan``."""

FALSE_ALARMS = (
    _text("procedure"),
    _text("baseline", priority=2),
    _text("test"),
    _text("correction", priority=1),
    _count("comparisons", priority=3),
    _count("campaigns", priority=3),
    _count("found", priority=2, meaning="campaigns with a false alarm"),
    Column("rate", meaning="share of campaigns with a false alarm"),
    *_limits("", 1, "the rate"),
    _text("verdict", priority=1),
)
"""The columns of ``xcg study calibrate``."""

DISTRIBUTION = (
    _text("level", is_key=True),
    _count("number", meaning="assessed documents and elements"),
    Column("share", meaning="share of all assessments"),
    Column("relevant_share", meaning="share of the relevant assessments"),
)
"""The columns of ``xcg check --levels``."""

OVERALL_TESTS = (
    _text("test", is_key=True),
    _text("runs", is_key=True),
    _score("statistic", meaning="F, chi-squared, or the share of pairs found"),
    _text("df", priority=1, meaning="degrees of freedom"),
    Column("p", kind="p", meaning="p value"),
    _score("difference", meaning="difference between the better and the worse mean"),
    _score("relative", priority=2, meaning="difference divided by the worse mean"),
    _text("criterion", priority=3, meaning="size of the relative difference (Spärck Jones)"),
)
"""The columns of ``xcg compare --table overall``."""

AGREEMENTS = (
    _text("and measure", is_key=True),
    _text("and user_model", is_key=True),
    _score("tau_b", meaning="Kendall's tau-b between the two orders of runs"),
    _score("tau_ap", priority=1, meaning="tau_AP with the first order as reference"),
    *_limits("tau_b", 3, "tau_b"),
)
"""The columns of ``xcg compare --table orders``."""

SHIFTS = (
    Column("tau_b", meaning="Kendall's tau-b between the orders of runs"),
    _count("moved", meaning="number of runs whose rank differs"),
    _text("best", meaning="run with the best mean"),
    _text("second", priority=2, meaning="run with the second best mean"),
    Column("p", kind="p", priority=1, meaning="p value of the difference between best and second"),
    *_limits("tau_b", 2, "tau_b"),
)
"""The columns of ``xcg sweep``."""

ASSESSORS = (
    _text("topics", is_key=True),
    _count("combinations", priority=2, meaning="combinations of assessors"),
    _count("comparisons", priority=2, meaning="comparisons of two runs"),
    Column("tau_b min", priority=1, meaning="lowest tau-b with the order by the first assessor"),
    Column("tau_b mean"),
    Column("tau_b max", priority=1),
    Column("error rate %", meaning="share of comparisons that contradict the first assessor"),
    Column("ties %", meaning="share of comparisons with equal scores"),
    Column("range", meaning="highest minus lowest score"),
    Column("% of mean", meaning="range as a share of the mean score"),
)
"""The columns of ``xcg study assessors``."""

TOPIC_SETS = (
    _count("topics", is_key=True),
    _text("source", priority=1),
    Column(
        "difference needed",
        meaning="smallest difference at which at most 5 % of comparisons change order",
    ),
    Column("% of best", priority=1, meaning="this difference relative to the best score"),
    Column("% of mean", priority=2, meaning="this difference relative to the mean score"),
    _count("comparisons", priority=2, meaning="number of comparisons with a difference in this range"),
    _count("ties", priority=3, meaning="comparisons with equal scores on one topic set"),
    _count("swaps", priority=2, meaning="number of comparisons whose order changes"),
    Column("rate", meaning="swaps divided by comparisons"),
    _text("sparse", priority=2),
    Column("cumulated comparisons %", priority=3, meaning="share of comparisons up to this range"),
)
"""The columns of ``xcg study topics``."""


def chunk_columns(budgets: Sequence[int] = ()) -> list[Column]:
    """Declare the columns of ``xcg chunks``.

    Args:
        budgets: The amounts of text after which nxCG is computed.
    """
    texts = ("new", "again", "irrelevant", "seen", "after")
    return [
        Column("run", is_key=True),
        _count("questions", priority=2),
        _count("unanswered", priority=3, meaning="questions without a result"),
        _count("nothing found", priority=2, meaning="questions without relevant text"),
        _score("chunks", decimals=1, priority=1, meaning="results per question"),
        _score("tokens/chunk", decimals=1, priority=1, meaning="mean length of a result"),
        _score("tokens", decimals=1, meaning="tokens read per question"),
        Column("found", meaning="share of the gold text that was returned"),
        Column("useful", meaning="share of the text read that is relevant and new"),
        Column("twice", meaning="share of the text read that had been read before"),
        Column("MAep", meaning="mean average effort-precision"),
        *(
            Column(f"nxCG@{budget}", meaning=f"share of the ideal gain after {budget} tokens")
            for budget in budgets
        ),
        *(_score(name, decimals=1) for name in texts),
    ]
