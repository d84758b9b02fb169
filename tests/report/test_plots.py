"""What each plot draws: axes, labels, lines, markers and values."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from figure_contents import caption_of, legend_of, lines_of

from xcg.evaluation.curves import CurveOf
from xcg.report import plots
from xcg.statistics.perturbation import LevelCurve, PerturbedMean

pytest.importorskip("matplotlib")


def test_levels_have_one_panel_per_measure() -> None:
    curves = [
        LevelCurve(measure, levels, [1.0, 0.5 / levels])
        for measure in ("muMAP", "NDCG")
        for levels in (2, 10)
    ]
    figure = plots.levels_plot(curves)
    assert [axis.get_title() for axis in figure.axes] == ["muMAP", "NDCG"]
    assert [axis.get_xlabel() for axis in figure.axes] == ["random swaps"] * 2
    assert figure.axes[0].get_ylabel() == "mean over the repetitions"
    assert lines_of(figure.axes[1]) == {
        "2 levels": ([0, 1], [1.0, 0.25]),
        "10 levels": ([0, 1], [1.0, 0.05]),
    }
    assert legend_of(figure.axes[0]) == ["2 levels", "10 levels"]


def curve(run: str, measure: str, model: str, y: Sequence[float] = (0.5, 1.0)) -> CurveOf:
    return CurveOf(run, "all", measure, model, [1, 2], list(y))


def test_curves_have_one_panel_per_measure_and_user_model() -> None:
    curves = [
        curve(run, measure, model)
        for measure in ("nxCG", "ep")
        for model in ("m1", "m2")
        for run in ("a", "b")
    ]
    figure = plots.curves_plot([*curves, curve("a", "nxCG(budget=words)", "m1", (0.25, 0.75))])
    panels = [axis for axis in figure.axes if axis.get_visible()]
    assert len(figure.axes) == 6  # two rows of three, the last panel is empty
    assert [(axis.get_ylabel(), axis.get_title(), axis.get_xlabel()) for axis in panels] == [
        ("nxCG", "m1", "rank"),
        ("nxCG", "m2", "rank"),
        ("ep", "m1", "gain-recall"),
        ("ep", "m2", "gain-recall"),
        ("nxCG(budget=words)", "m1", "words read"),
    ]
    assert lines_of(panels[0]) == {"a": ([1, 2], [0.5, 1.0]), "b": ([1, 2], [0.5, 1.0])}
    assert lines_of(panels[4]) == {"a": ([1, 2], [0.25, 0.75])}
    assert legend_of(figure) == ["a", "b"]
    assert [panel.get_xticks()[0] for panel in (panels[0], panels[2])] == [1, 0]
    assert (panels[0].get_xlim(), panels[0].get_ylim()[0]) == ((1, 2), 0)
    # A run has the same style in all panels.
    assert {panel.get_lines()[0].get_color() for panel in panels} == {"#000000"}


def test_curves_of_one_measure_have_one_scale() -> None:
    heights = {
        "nxCG": {"m1": (0.5, 1.0), "m2": (0.1, 0.2)},
        "xCG": {"m1": (3.0, 9.0), "m2": (4.0, 5.0)},
    }
    curves = [curve("a", name, model, y) for name, ys in heights.items() for model, y in ys.items()]
    tops = [axis.get_ylim()[1] for axis in plots.curves_plot(curves).axes]
    assert tops == pytest.approx([1.025, 1.025, 9.3, 9.3])


def test_curves_show_the_ideal_ranking_as_a_dotted_line() -> None:
    lines = [curve(run, "xCG", "m", y) for run, y in (("a", (0, 1)), ("ideal ranking", (1, 2)))]
    (axis,) = plots.curves_plot(lines).axes
    assert [line.get_linestyle() for line in axis.get_lines()] == ["-", ":"]


def test_curves_over_recall_end_at_1() -> None:
    (axis,) = plots.curves_plot([CurveOf("a", "all", "gIPrec", "m", [0, 0.5, 1], [1, 0.5, 0])]).axes
    assert (axis.get_xlim(), axis.get_xlabel()) == ((0, 1), "generalised recall")


def test_perturbation_has_one_panel_per_run_and_position() -> None:
    lines = [
        PerturbedMean("r", measure, "m", place, inserted, value - inserted / 100, None)  # type: ignore[arg-type]
        for place in ("before the first", "after the first")
        for measure, value in (("MAep", 0.5), ("Q", 0.75))
        for inserted in (0, 10)
    ]
    figure = plots.perturbation_plot(lines)
    assert [axis.get_title() for axis in figure.axes] == [
        "r: before the first result",
        "r: after the first result",
    ]
    for axis in figure.axes:
        assert lines_of(axis) == {"MAep": ([0, 10], [0.5, 0.4]), "Q": ([0, 10], [0.75, 0.65])}
        assert axis.get_xscale() == "symlog"
        assert axis.get_xlabel() == "non-relevant results inserted"
    assert legend_of(figure) == ["MAep", "Q"]


def test_curves_of_few_runs_have_the_intervals_of_their_means() -> None:
    """Scores .2, .4 and .6: s = .2, and the half width is 4.3027 · .2 / √3 = .4968."""
    topics = {"1": 0.2, "2": 0.4, "3": 0.6, "all": 0.4}
    lines = [
        CurveOf(run, topic, "nxCG", "m", [1, 2], [y, 0.5])
        for run in ("a", "b")
        for topic, y in topics.items()
    ]
    lines += [CurveOf("c", topic, "nxCG", "m", [1, 2], [y, 0.9]) for topic, y in topics.items()]
    lines[-1] = lines[-1]._replace(y=[0.3, 0.9])  # not the mean over topics
    figure = plots.curves_plot(lines)
    bands = figure.axes[0].collections
    assert len(bands) == 2
    ends = bands[0].get_paths()[0].vertices[:, 1]
    assert (ends.min(), ends.max()) == pytest.approx((0.4 - 0.4968, 0.4 + 0.4968), abs=1e-4)
    assert "Bands: 95 % intervals of the means" in caption_of(figure)
    many = [line._replace(run=f"{line.run}{number}") for line in lines[:4] for number in range(4)]
    assert not plots.curves_plot(many).axes[0].collections
