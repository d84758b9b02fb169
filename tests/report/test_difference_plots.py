"""What plots of differences show: bars, colours, and names of topics."""

from __future__ import annotations

import pytest
from figure_contents import caption_of, tick_labels
from score_tables import results_by_model

from xcg.errors import XcgError
from xcg.report.comparison_plots import differences_plot
from xcg.statistics.significance import compare

pytest.importorskip("matplotlib")


DIFFERENCES = {"m": {"a": {"1": 3.0, "2": 1.0, "all": 2.0}, "b": {"1": 1.0, "2": 2.0, "all": 1.5}}}
BLUE, VERMILION = (0.0, 0x72 / 255, 0xB2 / 255), (0xD5 / 255, 0x5E / 255, 0.0)


@pytest.mark.parametrize(
    ("measure", "baseline", "title", "bars", "colours"),
    [
        ("MAep", None, "b − a", [1, -2], [BLUE, VERMILION]),
        ("MAep", "all", "b − a", [1, -2], [BLUE, VERMILION]),
        ("MAep", "b", "a − b", [2, -1], [BLUE, VERMILION]),
        ("ASL", None, "a − b", [2, -1], [VERMILION, BLUE]),  # lower is better
    ],
)
def test_differences_from_the_best_run(
    measure: str,
    baseline: str | None,
    title: str,
    bars: list[float],
    colours: list[tuple[float, float, float]],
) -> None:
    figure = differences_plot(results_by_model(measure, DIFFERENCES), baseline)
    (axis,) = figure.axes
    assert axis.get_title() == title
    assert axis.get_ylabel() == f"difference in {measure}"
    assert caption_of(figure).endswith("Blue: the run is better; orange: worse. User model: m.")
    assert tick_labels(axis) == (["2", "1"] if title == "b − a" else ["1", "2"])
    assert [patch.get_height() for patch in axis.patches] == bars
    assert [patch.get_facecolor()[:3] for patch in axis.patches] == colours


def test_bars_have_the_interval_of_the_mean_difference_of_the_panel() -> None:
    """The differences b − a are -2 and 1: mean -0.5, standard error 1.5, t(0.975; 1) = 12.706."""
    results = results_by_model("MAep", DIFFERENCES)
    figure = differences_plot(results, "a", compare(results))  # compare returns a − b
    (axis,) = figure.axes
    band = axis.patches[-1]
    zero, mean = axis.get_lines()
    assert (list(mean.get_ydata()), list(zero.get_ydata())) == ([-0.5, -0.5], [0, 0])
    assert band.get_y() == pytest.approx(-0.5 - 1.5 * 12.7062, abs=1e-4)
    assert band.get_height() == pytest.approx(3 * 12.7062, abs=1e-4)
    assert "Dashed: the mean difference; grey: its interval" in caption_of(figure)
    figure = differences_plot(results, "a", compare(results, test="wilcoxon"))
    assert "interval" not in caption_of(figure)


def test_intervals_of_counts_are_per_topic_as_the_bars() -> None:
    topics = {"a": {"1": 3.0, "2": 1.0, "all": 4.0}, "b": {"1": 1.0, "2": 2.0, "all": 3.0}}
    results = results_by_model("NumRet", {"m": topics})
    (axis,) = differences_plot(results, "b", compare(results)).axes
    assert axis.get_lines()[1].get_ydata()[0] == pytest.approx(0.5)  # the sum is 1


def test_the_user_model_is_below_the_measure() -> None:
    results = results_by_model("MAep", {"m1": DIFFERENCES["m"], "m2": DIFFERENCES["m"]})
    labels = [axis.get_ylabel() for axis in differences_plot(results).axes]
    assert labels == ["difference in MAep\nm1", "difference in MAep\nm2"]


def test_an_unknown_baseline_is_named() -> None:
    with pytest.raises(XcgError, match="no run 'c' among the results: expected one of a, b"):
        differences_plot(results_by_model("MAep", DIFFERENCES), "c")


def test_of_many_runs_the_most_different_are_drawn() -> None:
    runs = {f"r{number}": {"s": 0.5 - number / 100} for number in range(1, 15)} | {"r0": {"s": 0.125}}
    scores = {run: {**topics, "all": topics["s"]} for run, topics in runs.items()}
    figure = differences_plot(results_by_model("MAep", {"m": scores}), "r1")
    panels = [axis for axis in figure.axes if axis.get_visible()]
    assert len(panels) == 12
    assert "r0 − r1" in [axis.get_title() for axis in panels]
    assert "Drawn are the 12 of 14 panels that differ most." in caption_of(figure)


def test_topics_that_do_not_fit_are_named_at_both_ends() -> None:
    topics = {str(number): number / 100 for number in range(200)}
    scores = {"a": {**topics, "all": 1.0}, "b": {**dict.fromkeys(topics, 0.0), "all": 0.0}}
    (axis,) = differences_plot(results_by_model("MAep", {"m": scores}), "b").axes
    assert tick_labels(axis) == []
    assert axis.get_xlabel() == "200 topics; highest: 199, 198, 197\nlowest: 0, 1, 2"
