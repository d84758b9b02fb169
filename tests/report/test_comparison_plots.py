"""What plots of comparisons show: differences on topics, orders of runs, strategies over α."""

from __future__ import annotations

import math

import pytest
from figure_contents import caption_of, lines_of, tick_labels
from score_tables import results_by_model

from xcg.evaluation.results import Results
from xcg.report.comparison_plots import differences_plot, strategies_plot, sweep_plot
from xcg.report.figures import line_style
from xcg.statistics.intervals import Interval
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.significance import compare
from xcg.statistics.strategy_study import Leaders, StrategyScore, StrategyStudy

pytest.importorskip("matplotlib")

DIFFERENCES = {"m": {"a": {"1": 3.0, "2": 1.0, "all": 2.0}, "b": {"1": 1.0, "2": 2.0, "all": 1.5}}}
BLUE, VERMILION = (0.0, 0x72 / 255, 0xB2 / 255), (0xD5 / 255, 0x5E / 255, 0.0)


THREE = {"m": {**DIFFERENCES["m"], "c": {"1": 0.0, "2": 0.0, "all": 0.0}}}


@pytest.mark.parametrize(
    ("measure", "baseline", "titles", "bars", "colours"),
    [
        ("MAep", None, ["b − a", "c − a"], [1, -2], [BLUE, VERMILION]),
        ("MAep", "b", ["a − b", "c − b"], [2, -1], [BLUE, VERMILION]),
        ("ASL", None, ["a − c", "b − c"], [3, 1], [VERMILION, VERMILION]),  # lower is better
    ],
)
def test_differences_from_the_baseline_or_the_best_run(
    measure: str,
    baseline: str | None,
    titles: list[str],
    bars: list[float],
    colours: list[tuple[float, float, float]],
) -> None:
    results = results_by_model(measure, THREE)
    comparisons = compare(results, baseline=baseline, test="wilcoxon")
    figure = differences_plot(results, comparisons)
    assert [axis.get_title() for axis in figure.axes] == titles
    axis = figure.axes[0]
    assert axis.get_ylabel() == f"difference in {measure}"
    assert caption_of(figure).endswith("Blue: the run is better; orange: worse. User model: m.")
    assert tick_labels(axis) == (["2", "1"] if titles[0] == "b − a" else ["1", "2"])
    assert [patch.get_height() for patch in axis.patches] == bars
    assert [patch.get_facecolor()[:3] for patch in axis.patches] == colours


def test_bars_have_the_interval_of_the_mean_difference_of_the_panel() -> None:
    """The differences b − a are -2 and 1: mean -0.5, standard error 1.5, t(0.975; 1) = 12.706."""
    results = results_by_model("MAep", DIFFERENCES)
    figure = differences_plot(results, compare(results, baseline="a"))
    (axis,) = figure.axes
    band = axis.patches[-1]
    zero, mean = axis.get_lines()
    assert (list(mean.get_ydata()), list(zero.get_ydata())) == ([-0.5, -0.5], [0, 0])
    assert band.get_y() == pytest.approx(-0.5 - 1.5 * 12.7062, abs=1e-4)
    assert band.get_height() == pytest.approx(3 * 12.7062, abs=1e-4)
    assert "Dashed: the mean difference; grey: its interval" in caption_of(figure)
    figure = differences_plot(results, compare(results, test="wilcoxon"))
    assert "interval" not in caption_of(figure)


def test_intervals_of_counts_are_per_topic_as_the_bars() -> None:
    topics = {"a": {"1": 3.0, "2": 1.0, "all": 4.0}, "b": {"1": 1.0, "2": 2.0, "all": 3.0}}
    results = results_by_model("NumRet", {"m": topics})
    (axis,) = differences_plot(results, compare(results)).axes
    assert axis.get_lines()[1].get_ydata()[0] == pytest.approx(0.5)  # the sum is 1


def test_the_user_model_is_below_the_measure() -> None:
    results = results_by_model("MAep", {"m1": DIFFERENCES["m"], "m2": DIFFERENCES["m"]})
    labels = [axis.get_ylabel() for axis in differences_plot(results, compare(results)).axes]
    assert labels == ["difference in MAep\nm1", "difference in MAep\nm2"]


def test_topics_that_do_not_fit_are_named_at_both_ends() -> None:
    topics = {str(number): number / 100 for number in range(200)}
    scores = {"a": {**topics, "all": 1.0}, "b": {**dict.fromkeys(topics, 0.0), "all": 0.0}}
    results = results_by_model("MAep", {"m": scores})
    (axis,) = differences_plot(results, compare(results)).axes
    assert tick_labels(axis) == []
    assert axis.get_xlabel() == "200 topics; highest: 199, 198, 197\nlowest: 0, 1, 2"


def means_of(measure: str, scores: dict[str, dict[str, float]]) -> Results:
    """Return means from user model → run → score."""
    return results_by_model(
        measure, {m: {run: {"all": score} for run, score in runs.items()} for m, runs in scores.items()}
    )


SWEEP = {
    "sweep[alpha=0]": {"a": 3.0, "b": 1.0, "c": 2.0},
    "sweep[alpha=1]": {"a": 1.0, "b": 1.0, "c": 2.0},
}


@pytest.mark.parametrize(
    ("measure", "ranks"),
    [
        ("MAep", {"a": [1, 2], "b": [3, 2], "c": [2, 1]}),
        ("ASL", {"a": [3, 1], "b": [1, 1], "c": [2, 3]}),  # lower is better
    ],
)
def test_a_sweep_shows_correlations_and_ranks(measure: str, ranks: dict[str, list[int]]) -> None:
    models = list(SWEEP)
    shifts = [
        OrderShift(measure, models[0], 1.0, 0, "a"),
        OrderShift(measure, models[1], None, 3, "c"),
    ]
    tau_axis, rank_axis = sweep_plot(means_of(measure, SWEEP), shifts).axes
    assert tau_axis.get_title(loc="left") == measure
    assert rank_axis.get_xlabel() == "rank of the run"
    values, rows = lines_of(tau_axis)["τ-b"]
    assert values == pytest.approx([1.0, float("nan")], nan_ok=True)
    assert rows == [0, 1]
    assert tau_axis.get_ylim() == (1.5, -0.5)  # the first user model is at the top
    assert lines_of(rank_axis) == {run: (line, [0, 1]) for run, line in ranks.items()}
    assert [label.get_text() for label in tau_axis.get_yticklabels()] == ["0", "1"]
    assert tau_axis.get_ylabel() == "alpha"


def test_a_sweep_has_a_gap_for_a_missing_mean() -> None:
    scores = {"one": {"a": 1.0, "b": 2.0}, "two": {"a": 1.0}}
    shifts = [OrderShift("MAep", model, 1.0, 0, "a") for model in scores]
    tau_axis, axis = sweep_plot(means_of("MAep", scores), shifts).axes
    gap = pytest.approx([1, float("nan")], nan_ok=True)
    assert lines_of(axis) == {"a": ([2, 1], [0, 1]), "b": (gap, [0, 1])}
    assert [label.get_text() for label in tau_axis.get_yticklabels()] == ["one", "two"]


def test_of_many_runs_the_best_keep_the_colours_that_they_have_in_other_plots() -> None:
    runs = {f"r{number}": float(number) for number in range(10)}  # r9 is the best
    scores = {"one": runs, "two": {run: -value for run, value in runs.items()}}
    shifts = [OrderShift("MAep", model, 1.0, 0, "r9") for model in scores]
    figure = sweep_plot(means_of("MAep", scores), shifts)
    lines = {line.get_label(): line for line in figure.axes[1].get_lines()}
    named = [name for name in lines if not name.startswith("_")]
    assert named == ["r5", "r6", "r7", "r8", "r9"]
    for name in named:
        style = line_style(int(name[1:]))
        assert lines[name].get_color() == style["color"]
        assert lines[name].get_marker() == style["marker"]
    assert "Grey: the 5 other runs than the five best" in caption_of(figure)


def test_intervals_of_correlations_are_lines() -> None:
    models = list(SWEEP)
    shifts = [OrderShift("MAep", m, 0.5, 0, "a", Interval(-0.6, 0.75)) for m in models]
    figure = sweep_plot(means_of("MAep", SWEEP), shifts)
    lines = [list(line.get_xdata()) for line in figure.axes[0].get_lines()]
    assert lines == [[-0.6, 0.75], [-0.6, 0.75], [0.5, 0.5]]
    assert "with 95 % intervals" in caption_of(figure)


def test_the_first_of_many_user_models_are_drawn() -> None:
    models = [f"m[decay={number}]" for number in range(60)]
    scores = {model: {"a": 2.0, "b": 1.0} for model in models}
    shifts = [OrderShift("MAep", model, 1.0, 0, "a") for model in models]
    figure = sweep_plot(means_of("MAep", scores), shifts)
    drawn = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert drawn == [str(number) for number in range(45)]
    assert "Drawn are the first 45 of 60 user models." in caption_of(figure)


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
    return StrategyStudy(
        scores,
        {(measure, "m", f"_run $ {r}"): found for r in range(runs)},
        {"m": (0.0, 1.0)},
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
        "a": [1.0, gap, 0.5],
        "b": [0.75, gap, 0.75],
        "oracle (greedy reference)": [1.0, gap, 0.9],
    }
    shown = {line.get_label(): line.get_ydata() for line in lines}
    assert list(shown) == list(expected)
    for name, values in expected.items():
        assert list(shown[name]) == pytest.approx(values, nan_ok=True)
    assert [line.get_markevery() for line in lines] == [[0, 2]] * 3
    assert [line.get_linestyle() for line in lines] == ["-", "-", "--"]
    assert lines[2].get_marker() == "x"  # single values have no line
    assert list(change.get_xdata()) == [0.495, 0.495]
    assert change.get_linestyle() == ":"
    assert [text.get_text() for text in first.texts] == ["0.49"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "oracle (greedy reference)"]


def test_the_number_of_panels_is_limited() -> None:
    figure = strategies_plot(study_of(25))
    assert len([axis for axis in figure.axes if axis.get_visible()]) == 12
    assert "Drawn are the first 12 of 25 panels." in caption_of(figure)
