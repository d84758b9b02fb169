"""``xcg study plan`` on the sample campaign."""

from __future__ import annotations

import json

import pytest
from conftest import Command, without_note

import xcg
from xcg.report.plans import plan_plot
from xcg.statistics.planning import plan

OPTIONS = (
    "configs/quickstart.yaml",
    *("--set", "user_model=kazai-lalmas-2006", "--set", "measures=MAep"),
)
PLAN = ("study", "plan", *OPTIONS)


def of_plan(**keys: object) -> list[str]:
    """Return the options that set keys of the section."""
    return [word for key, value in keys.items() for word in ("--set", f"study.plan.{key}={value}")]


def test_the_plan_is_for_the_runs_of_the_pilot(xcg_command: Command) -> None:
    done = xcg_command(*PLAN, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert (row["runs"], row["comparisons"], row["topics"]) == (8, 28, 15)
    assert "xcg: basis: 4,000 simulated campaigns" in done.stderr


def test_a_difference_has_power_and_topics(xcg_command: Command) -> None:
    done = xcg_command(*PLAN, *of_plan(difference=0.1, runs=10))
    assert (done.returncode, without_note(done.stderr)) == (0, "")
    lead, _, heading, row, _, *facts = done.stdout.splitlines()
    assert lead == (
        "The plan is for 45 comparisons of all pairs of 10 runs over 15 topics, at the significance "
        "level 5 %; the pilot has 15 topics."
    )
    assert [fact.partition(":")[0] for fact in facts] == ["detectable", "basis", "pilot"]
    assert facts[2].startswith("pilot: 15 topics; for normal scores the true standard deviation is")
    values = dict(zip(heading.split(), row.split(), strict=True))
    assert float(values["power"]) < 0.8
    assert int(values["topics_needed"]) > 15
    more = xcg_command(*PLAN, *of_plan(difference=0.1, runs=3))
    fewer_topics = int(more.stdout.splitlines()[3].split()[-1])
    assert fewer_topics < int(values["topics_needed"])


def test_the_plot_has_a_line_for_the_procedure() -> None:
    campaign = xcg.load("configs/quickstart.yaml", user_model="kazai-lalmas-2006", measures="MAep")
    results = campaign.evaluate()
    for difference, label in [
        (None, "difference found with 80 % power"),
        (0.05, "power for a difference of 0.05, %"),
    ]:
        plans = plan(results, difference=difference)
        figure = plan_plot(plans, 0.8)
        (axis,) = figure.axes
        assert axis.get_ylabel() == label
        assert [text.get_text() for text in figure.legends[0].get_texts()] == ["t, shaffer"]
        x, y = map(list, axis.get_lines()[0].get_data())
        at_hand = y[x.index(15)]
        expected = plans[0].detectable if difference is None else 100 * (plans[0].power or 0)
        assert at_hand == pytest.approx(expected)
        assert (y == sorted(y)) if difference else (y == sorted(y, reverse=True))
        assert axis.get_title(loc="right") == ("extrapolated" if difference else "")
        if difference:  # more than 60 topics are not simulated
            solid, dashed = axis.get_lines()[:2]
            assert max(solid.get_xdata()) == min(dashed.get_xdata()) == 60 < max(dashed.get_xdata())
            assert dashed.get_markevery()[0] == 1
            assert (solid.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
            assert dashed.get_markerfacecolor() == "white"
