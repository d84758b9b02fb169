"""The plot of overlap strategies over α: panels, lines, crossings and the greedy reference."""

from __future__ import annotations

import math

import pytest

from xcg.report.comparison_plots import panel_notes, strategies_plot
from xcg.statistics.strategy_scores import Leaders, StrategyScore, StrategyStudy

pytest.importorskip("matplotlib")


def study_of(runs: int, measure: str = "xCG@2") -> StrategyStudy:
    """Return a study in which b takes over from a at α = 0.495."""
    lines = {"a": (1.0, 0.5), "b": (0.75, 0.75), "oracle": (1.0, 0.9)}
    scores = [
        StrategyScore(measure, "m", f"_run $ {run}", name, alpha, score, 0.0, is_best=False)
        for run in range(runs)
        for name, values in lines.items()
        for alpha, score in zip((0.0, 1.0), values, strict=True)
    ]
    found = [Leaders(("a",), 0.0, 0.49), Leaders(("b",), 0.5, 1.0)]
    refined = [
        StrategyScore(measure, "m", f"_run $ {run}", "a", 0.5, 0.8, None, is_best=False)
        for run in range(runs)
    ]
    return StrategyStudy(
        scores,
        refined,
        {(measure, "m", f"_run $ {r}"): found for r in range(runs)},
        {"m": (0.0, 1.0)},
        (),
        (),
    )


def test_there_is_one_panel_per_run_and_one_line_per_strategy() -> None:
    figure = strategies_plot(study_of(2))
    first, second = figure.axes
    assert first.get_title() == r" _run \$ 0"
    assert first.get_ylabel() == "xCG@2"
    assert second.get_xlabel() == "α, intolerance of repeated text"
    *lines, change = first.get_lines()
    gap = math.nan  # nothing was tried near α = 0 and 1, where scores can jump
    expected = {
        "a": [1.0, gap, 0.8, gap, 0.5],
        "b": [0.75, gap, 0.75],
        "oracle (greedy reference)": [1.0, gap, 0.9],
    }
    shown = {line.get_label(): line.get_ydata() for line in lines}
    assert list(shown) == list(expected)
    for name, values in expected.items():
        assert list(shown[name]) == pytest.approx(values, nan_ok=True)
    assert [line.get_markevery() for line in lines] == [[0, 4], [0, 2], [0, 2]]
    assert [line.get_linestyle() for line in lines] == ["-", "-", "--"]
    assert list(change.get_xdata()) == [0.495, 0.495]
    assert change.get_linestyle() == ":"
    assert [text.get_text() for text in first.texts] == ["0.49"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "oracle (greedy reference)"]


def test_the_number_of_panels_is_limited_with_a_note() -> None:
    assert panel_notes(study_of(12)) == []
    many = study_of(25)
    assert panel_notes(many) == [
        "note: the plot has 12 of 25 runs and measures, the most different ones; --run and --measures "
        "select others"
    ]
    assert len([axis for axis in strategies_plot(many).axes if axis.get_visible()]) == 12
