"""Arrange plans of comparisons as rows and sentences, and draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xcg.answer import in_style
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.report import figures
from xcg.report.figures import label_axis
from xcg.report.plot_selection import short_names
from xcg.statistics.planning import CAMPAIGNS, MAX_SEARCHED_TOPICS, MAX_SIMULATED_TOPICS, Plan
from xcg.statistics.significance_tests import SIGNIFICANCE_LEVEL
from xcg.statistics.topic_scores import ALL_PAIRS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FIELDS = ("test", "correction", "runs", "comparisons", "topics", "deviation", "detectable")
_DIFFERENCE_FIELDS = ("difference", "power", "topics_needed")
_LEAST_TOPICS, _SIZES, _MAX_DRAWN_TOPICS = 5, 12, 1000


def plan_rows(plans: Sequence[Plan]) -> list[dict[str, Any]]:
    """Return one row per plan, with columns about the difference only if one was given."""
    several = len({line.user_model for line in plans}) > 1
    return [
        {
            "measure": line.measure,
            **({"user_model": line.user_model} if several else {}),
            **{name: getattr(line, name) for name in _FIELDS},
            **{name: getattr(line, name) for name in _DIFFERENCE_FIELDS if line.difference is not None},
        }
        for line in plans
    ]


def plan_lead(plans: Sequence[Plan], baseline: str | None = None) -> str:
    """Return a sentence on the comparisons that are planned, and the pilot.

    Args:
        plans: The result of :func:`xcg.statistics.planning.plan`.
        baseline: The baseline with which it was called.
    """
    first = plans[0]
    named = baseline not in (None, ALL_PAIRS)
    family = f"{first.comparisons} comparison{'s' * (first.comparisons > 1)}"
    family += f" with {baseline}" if named else f" of all pairs of {first.runs} runs"
    pilots = sorted({line.pilot_topics for line in plans})
    counts = " to ".join(str(count) for count in dict.fromkeys((pilots[0], pilots[-1])))
    return (
        f"The plan is for {family} over {first.topics} topics, at the significance level "
        f"{100 * SIGNIFICANCE_LEVEL:g} %; the pilot has {counts} topics."
    )


def plan_facts(plans: Sequence[Plan], power: float) -> list[str]:
    """Return lines on the family of comparisons, the simulation, and the precision of the values.

    Args:
        plans: The result of :func:`xcg.statistics.planning.plan`.
        power: The power with which it was called.
    """
    sentences = []
    if len({(line.measure, line.user_model) for line in plans}) > 1:
        sentences.append(
            "family: the comparisons by one measure under one user model, corrected together"
        )
    # Half the width of a 95 % interval of a simulated power, in percentage points.
    error = 196 * math.sqrt(power * (1 - power) / CAMPAIGNS)
    sentences += [
        f"detectable: the smallest true difference of two runs that is found with {100 * power:g} % "
        "power with the topics at hand, if no other comparison finds one",
        f"basis: {CAMPAIGNS:,} simulated campaigns, with topics drawn from the pilot's differences of "
        f"two runs, centred, plus the difference; error of the power: ±{error:.1f} points",
    ]
    pilot_topics = sorted({line.pilot_topics for line in plans})
    low, high = _deviation_interval(pilot_topics[0])
    sentences.append(
        f"pilot: {pilot_topics[0]} topics; for normal scores the true standard deviation is between "
        f"{low:.2f} and {high:.2f} times deviation (95 %), detectable changes in proportion, and the "
        "number of topics with its square"
    )
    if any(MEASURES.is_count(line.measure) for line in plans):
        sentences.append("note: differences of counts are per topic, not sums over the topics")
    for line in plans:
        what = f"note: {line.measure} under {line.user_model}"
        procedure = f"{line.test} with {line.correction}"
        if line.deviation is None:
            sentences.append(
                f"{what}: nothing can be planned, because no two runs of the pilot have differences "
                "that vary over the topics; the cells are empty"
            )
        elif line.detectable is None:
            sentences.append(
                f"{what}: {line.topics} topics are too few for {procedure}: no difference is found "
                f"with {100 * power:g} % power"
            )
        elif line.difference is not None and line.topics_needed is None:
            sentences.append(f"{what}: {procedure} needs more than {MAX_SEARCHED_TOPICS:,} topics")
    if any((line.topics_needed or line.topics) > MAX_SIMULATED_TOPICS for line in plans):
        sentences.append(f"note: values for more than {MAX_SIMULATED_TOPICS} topics are extrapolated")
    return list(dict.fromkeys(sentences))


def _deviation_interval(topics: int) -> tuple[float, float]:
    """Return 95 % limits of the ratio of a standard deviation to its estimate, for normal values."""
    from scipy.stats import chi2

    low, high = (math.sqrt((topics - 1) / float(chi2.ppf(p, topics - 1))) for p in (0.975, 0.025))
    return low, high


@in_style
def plan_plot(plans: Sequence[Plan], power: float) -> Figure:
    """Draw the power for a difference against the number of topics.

    Without a difference, draw the detectable difference. There is one panel per measure and user model.
    A vertical dotted line marks the number of topics at hand. Values that are extrapolated from
    simulations with fewer topics have hollow markers, dashed lines and a grey background.

    Args:
        plans: The result of :func:`xcg.statistics.planning.plan`.
        power: The power with which it was called, drawn as a horizontal dotted line if there is a
            difference.
    """
    panels, choice = figures.first_panels({(line.measure, line.user_model): line for line in plans})
    columns = figures.table_columns(panels)
    figure, axes = figures.new_panels(len(panels), columns, 4.6 * columns + 1.8, 3.6)
    difference = plans[0].difference
    unit = f"difference found with {100 * power:g} % power"
    if difference is not None:
        unit = f"power for a difference of {difference:g}, %"
    for axis, line in zip(axes, panels.values(), strict=True):
        sizes = _drawn_topics(line)
        simulated = sum(size <= MAX_SIMULATED_TOPICS for size in sizes)
        if simulation := line.simulation:
            if difference is None:
                values = [simulation.detectable(size, power) for size in sizes]
                y = [math.nan if value is None else value for value in values]
            else:
                y = [100 * simulation.power(size, difference) for size in sizes]
            style = figures.line_style(0)
            label = f"{line.test}, {line.correction}"
            axis.plot(sizes[:simulated], y[:simulated], label=label, **style)
            style |= {"linestyle": "--", "markerfacecolor": "white"}
            marked = list(range(1, len(sizes) - simulated + 1))
            axis.plot(sizes[simulated - 1 :], y[simulated - 1 :], markevery=marked, **style)
        if simulated < len(sizes):
            figures.mark_extrapolated(axis, sizes[simulated - 1], sizes[-1])
        axis.axvline(line.topics, color="black", linewidth=0.8, linestyle=":")
        model = short_names([line.user_model], 30)[line.user_model]
        label_axis(axis, f"{line.measure}, {model}", "topics")
        axis.set_ylim(0, None if difference is None else 102)
        if difference is not None:
            axis.axhline(100 * power, color="black", linewidth=0.8, linestyle=":")
    caption = "Vertical dotted line: the topics of the plan."
    return figures.finish(figure, axes, caption, choice, left=unit)


def _drawn_topics(line: Plan) -> list[int]:
    """Return the numbers of topics at which a line is drawn.

    They extend beyond the topics at hand and, up to a limit, beyond the topics needed.
    """
    last = max(2 * line.topics, round(1.2 * (line.topics_needed or 0)), 2 * _LEAST_TOPICS)
    last = max(min(last, _MAX_DRAWN_TOPICS), 2 * line.topics)
    sizes = np.geomspace(_LEAST_TOPICS, last, _SIZES).round().astype(int)
    return sorted({*sizes.tolist(), line.topics, min(MAX_SIMULATED_TOPICS, last)})
