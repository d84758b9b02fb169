"""Declare the columns of the tables that commands print.

A declaration says how a field of records is written for people; records for programs do not use it. On
a narrow terminal, columns with a priority number are hidden, the highest number first.
"""

from __future__ import annotations

from collections.abc import Sequence

from xcg.tables import Column

NAMES = (
    Column("measure", kind="text", is_key=True),
    Column("user_model", kind="text", is_key=True),
    Column("user model", kind="text", is_key=True),
    Column("run", kind="text", is_key=True),
    Column("topic", is_key=True),
)
"""Columns that name what a row is about, in every table."""

IDEAL_ELEMENTS = (
    Column("file", kind="text"),
    Column("path", kind="text"),
    Column("assessment", kind="text", meaning="exhaustivity and specificity"),
    Column("score", decimals=None, meaning="quantised assessment, the gain of the element"),
    Column("relevant", kind="count", meaning="number of relevant elements"),
    Column("ideal", meaning="number of ideal elements"),
    Column("gain", meaning="sum of the gains of the ideal elements"),
    Column("depth", kind="score", decimals=1, priority=2, meaning="mean depth of the ideal elements"),
    Column(
        "characters", kind="score", decimals=1, priority=1, meaning="mean length of the ideal elements"
    ),
    Column(
        "covered",
        priority=1,
        meaning="share of the text of the smallest relevant elements that is ideal",
    ),
    Column(
        "relevant_text",
        priority=1,
        meaning="share of the ideal text that is in the smallest relevant elements",
    ),
)
"""The columns of ``xcg explain``."""

RANKS_OF_VALUE = (
    Column("reference", kind="text", priority=1, meaning="run or ideal ranking that sets the value"),
    Column("at", kind="count", priority=1, meaning="rank at which the reference has the value"),
    Column("rank", kind="count", meaning="first rank at which the run has at least this value"),
    Column(
        "more_than_ideal", kind="count", meaning="additional results, compared with the ideal ranking"
    ),
    Column("more_than_best", kind="count", meaning="additional results, compared with the best run"),
    Column("times_best", priority=1, meaning="rank divided by that of the best run"),
)
"""The columns of ``xcg curves --at``."""

CURVES = (Column("x", kind="count"), Column("y"))
"""The columns of points of curves."""

PERTURBATION = (
    Column("position", kind="text", meaning="where non-relevant results are inserted"),
    Column("inserted", kind="count", meaning="number of non-relevant results"),
    Column("change", meaning="relative change of the score"),
)
"""The columns of ``xcg study perturb``."""

PLANS = (
    Column("test", kind="text", priority=1),
    Column("correction", kind="text"),
    Column("runs", kind="count", priority=3),
    Column("comparisons", kind="count", priority=3),
    Column("topics", kind="count", priority=2),
    Column("deviation", priority=1, meaning="standard deviation of the differences of two runs"),
    Column("detectable", meaning="smallest difference that is found"),
    Column("difference", priority=1),
    Column("power", meaning="probability that the difference is found"),
    Column("topics_needed", kind="count", meaning="number of topics needed to find the difference"),
)
"""The columns of ``xcg study plan``."""

FALSE_ALARMS = (
    Column("procedure", kind="text"),
    Column("baseline", kind="text", priority=2),
    Column("test", kind="text"),
    Column("correction", kind="text", priority=1),
    Column("comparisons", kind="count", priority=3),
    Column("campaigns", kind="count", priority=3),
    Column("found", kind="count", priority=2, meaning="campaigns with a false alarm"),
    Column("rate", meaning="share of campaigns with a false alarm"),
    Column("low", priority=1, meaning="lower limit of the 95 % interval of the rate"),
    Column("high", priority=1, meaning="upper limit of the 95 % interval of the rate"),
    Column("verdict", kind="text", priority=1),
)
"""The columns of ``xcg study calibrate``."""

DISTRIBUTION = (
    Column("level", kind="text", is_key=True),
    Column("number", kind="count", meaning="assessed documents and elements"),
    Column("share", meaning="share of all assessments"),
    Column("relevant_share", meaning="share of the relevant assessments"),
)
"""The columns of ``xcg check --levels``."""

OVERALL_TESTS = (
    Column("test", kind="text", is_key=True),
    Column("runs", kind="text", is_key=True),
    Column("statistic", kind="score", meaning="F, chi-squared, or the share of pairs found"),
    Column("df", kind="text", priority=1, meaning="degrees of freedom"),
    Column("p", kind="p", meaning="p value"),
    Column("difference", kind="score", meaning="difference between the better and the worse mean"),
    Column("relative", kind="score", priority=2, meaning="difference divided by the worse mean"),
    Column(
        "criterion", kind="text", priority=3, meaning="size of the relative difference (Spärck Jones)"
    ),
)
"""The columns of ``xcg compare --table overall``."""

AGREEMENTS = (
    Column("and measure", kind="text", is_key=True),
    Column("and user_model", kind="text", is_key=True),
    Column("tau_b", kind="score", meaning="Kendall's tau-b between the two orders of runs"),
    Column("pearson", kind="score", priority=2, meaning="Pearson's correlation of the means"),
    Column("tau_ap", kind="score", priority=1, meaning="tau_AP with the first order as reference"),
    Column("tau_b low", kind="score", priority=3, meaning="lower limit of the 95 % interval of tau_b"),
    Column("tau_b high", kind="score", priority=3, meaning="upper limit of the 95 % interval of tau_b"),
)
"""The columns of ``xcg compare --table orders``."""

SHIFTS = (
    Column("tau_b", meaning="Kendall's tau-b between the orders of runs"),
    Column("pearson", priority=1, meaning="Pearson's correlation of the means"),
    Column("moved", kind="count", meaning="number of runs whose rank differs"),
    Column("best", kind="text", meaning="run with the best mean"),
    Column("second", kind="text", priority=2, meaning="run with the second best mean"),
    Column("p", kind="p", priority=1, meaning="p value of the difference between best and second"),
    Column("tau_b low", priority=2, meaning="lower limit of the 95 % interval of tau_b"),
    Column("tau_b high", priority=2, meaning="upper limit of the 95 % interval of tau_b"),
)
"""The columns of ``xcg sweep``."""

CROSSINGS = (
    Column("alpha", meaning="value at which the best strategy changes"),
    Column("alpha low", priority=1, meaning="lower limit of the interval that contains the change"),
    Column("alpha high", priority=1, meaning="upper limit of this interval"),
    Column("before", kind="text", meaning="best strategy for lower values"),
    Column("after", kind="text", meaning="best strategy for higher values"),
)
"""The columns of ``sweep`` with ``crossings``."""

ASSESSORS = (
    Column("topics", kind="text", is_key=True),
    Column("combinations", kind="count", priority=2, meaning="combinations of assessors"),
    Column("comparisons", kind="count", priority=2, meaning="comparisons of two runs"),
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
    Column("topics", kind="count", is_key=True),
    Column("source", kind="text", priority=1),
    Column(
        "difference needed",
        meaning="smallest difference at which at most 5 % of comparisons change order",
    ),
    Column("needed low", priority=3),
    Column("needed high", priority=3),
    Column("% of best", priority=1, meaning="this difference relative to the best score"),
    Column("% of mean", priority=2, meaning="this difference relative to the mean score"),
    Column("swaps below 0.01, %", meaning="swaps divided by comparisons, for differences below 0.01"),
    Column("swaps low", priority=3),
    Column("swaps high", priority=3),
    Column("mean of 3 bins, %", priority=2, meaning="mean of the rates of three ranges below 0.01"),
    Column(
        "comparisons",
        kind="count",
        priority=2,
        meaning="number of comparisons with a difference in this range",
    ),
    Column("ties", kind="count", priority=3, meaning="comparisons with equal scores on one topic set"),
    Column("swaps", kind="count", priority=2, meaning="number of comparisons whose order changes"),
    Column("rate", meaning="swaps divided by comparisons"),
    Column("rate low", priority=1),
    Column("rate high", priority=1),
    Column("sparse", kind="text", priority=2),
    Column("cumulated comparisons %", priority=3, meaning="share of comparisons up to this range"),
)
"""The columns of ``xcg study topics``."""


def chunk_columns(unit: str, budgets: Sequence[int] = ()) -> list[Column]:
    """Declare the columns of ``xcg chunks``.

    Args:
        unit: The unit of amounts of text.
        budgets: The amounts of text after which nxCG is computed.
    """
    texts = ("text", "new", "again", "irrelevant", "seen", "after")
    return [
        Column("run", is_key=True),
        Column("questions", kind="count", priority=2),
        Column("unanswered", kind="count", priority=3, meaning="questions without a result"),
        Column("nothing found", kind="count", priority=2, meaning="questions without relevant text"),
        Column("chunks", kind="score", decimals=1, priority=1, meaning="results per question"),
        Column(
            f"{unit}/chunk", kind="score", decimals=1, priority=1, meaning="mean length of a result"
        ),
        Column(unit, kind="score", decimals=1, meaning=f"{unit} read per question"),
        Column("found", meaning="share of the gold text that was returned"),
        Column("useful", meaning="share of the text read that is relevant and new"),
        Column("twice", meaning="share of the text read that had been read before"),
        Column("MAep", meaning="mean average effort-precision"),
        *(
            Column(f"nxCG@{budget}", meaning=f"share of the ideal gain after {budget} {unit}")
            for budget in budgets
        ),
        *(Column(name, kind="score", decimals=1) for name in texts),
    ]
