"""What plots of differences show: bars or cells, colours, and names of topics."""

from __future__ import annotations

import pytest
from figure_contents import caption_of, cells_of, tick_labels
from score_tables import results_by_model

from xcg.errors import XcgError
from xcg.report.comparison_plots import differences_plot
from xcg.statistics.significance import compare

pytest.importorskip("matplotlib")


DIFFERENCES = {
    "m": {
        "a": {"1": 3.0, "2": 1.0, "all": 2.0},
        "b": {"1": 1.0, "2": 2.0, "all": 1.5},
    }
}
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


def test_many_runs_are_cells_with_dots_where_a_run_is_better() -> None:
    """Run 1 has the best mean; run 0 is better on topic t only."""
    runs = {f"r{number}": {"s": 0.5 - number / 100, "t": 0.2} for number in range(1, 15)}
    runs["r0"] = {"s": 0.125, "t": 0.25}
    scores = {run: {**topics, "all": sum(topics.values()) / 2} for run, topics in runs.items()}
    results = results_by_model("MAep", {"m": scores})
    figure = differences_plot(results, "r1")
    axis = figure.axes[0]
    assert figure.axes[1].get_ylabel() == "difference in MAep"
    cells = cells_of(axis)
    assert list(cells) == [*(f"r{number}" for number in range(2, 15)), "r0"]  # best first
    assert cells["r0"] == pytest.approx([0.125 - 0.49, 0.05])
    assert cells["r2"] == pytest.approx([-0.01, 0])
    assert [label.get_text() for label in axis.get_yticklabels()] == ["s", "t"]
    (dots,) = axis.get_lines()
    assert (list(dots.get_xdata()), list(dots.get_ydata())) == ([13], [1])
    assert caption_of(figure).startswith("Differences from r1 on each topic (rows)")


def test_topics_that_do_not_fit_are_named_at_both_ends() -> None:
    topics = {str(number): number / 100 for number in range(200)}
    scores = {"a": {**topics, "all": 1.0}, "b": {**dict.fromkeys(topics, 0.0), "all": 0.0}}
    (axis,) = differences_plot(results_by_model("MAep", {"m": scores}), "b").axes
    assert tick_labels(axis) == []
    assert axis.get_xlabel() == "200 topics; highest: 199, 198, 197\nlowest: 0, 1, 2"
