"""What plots of sweeps show: correlations, ranks and labels of user models."""

from __future__ import annotations

import pytest
from figure_contents import caption_of, cells_of, lines_of
from score_tables import results_by_model

from xcg.evaluation.results import Results
from xcg.report.comparison_plots import sweep_plot
from xcg.statistics.bootstrap import Interval
from xcg.statistics.rank_correlation import OrderShift

pytest.importorskip("matplotlib")


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
        OrderShift(measure, models[0], 1.0, 1.0, 0, "a"),
        OrderShift(measure, models[1], None, None, 3, "c"),
    ]
    tau_axis, rank_axis = sweep_plot(means_of(measure, SWEEP), shifts, models[0]).axes
    assert tau_axis.get_title(loc="left") == measure
    assert rank_axis.get_title(loc="left") == "ranks of runs"
    values, rows = lines_of(tau_axis)["τ-b"]
    assert values == pytest.approx([1.0, float("nan")], nan_ok=True)
    assert rows == [0, 1]
    assert tau_axis.get_ylim() == (1.5, -0.5)  # the first user model is at the top
    assert cells_of(rank_axis) == ranks
    assert list(cells_of(rank_axis).values()) == sorted(ranks.values())  # best first by the baseline
    assert sorted(text.get_text() for text in rank_axis.texts) == sorted(
        str(rank) for line in ranks.values() for rank in line
    )
    assert [label.get_text() for label in tau_axis.get_yticklabels()] == ["0", "1"]
    assert tau_axis.get_ylabel() == "alpha"


def test_a_sweep_has_a_gap_for_a_missing_mean() -> None:
    scores = {"one": {"a": 1.0, "b": 2.0}, "two": {"a": 1.0}}
    shifts = [OrderShift("MAep", model, 1.0, 1.0, 0, "a") for model in scores]
    tau_axis, axis = sweep_plot(means_of("MAep", scores), shifts, "one").axes
    assert cells_of(axis) == {"b": [1, None], "a": [2, 1]}
    assert [label.get_text() for label in tau_axis.get_yticklabels()] == ["one", "two"]


def test_intervals_of_correlations_are_lines() -> None:
    models = list(SWEEP)
    shifts = [OrderShift("MAep", m, 0.5, 1.0, 0, "a", Interval(-0.6, 0.75)) for m in models]
    figure = sweep_plot(means_of("MAep", SWEEP), shifts, models[0])
    lines = [list(line.get_xdata()) for line in figure.axes[0].get_lines()]
    assert lines == [[-0.6, 0.75], [-0.6, 0.75], [0.5, 0.5]]
    assert "with 95 % intervals" in caption_of(figure)


def test_of_many_user_models_the_most_different_are_drawn() -> None:
    """The baseline and the only model with another order are among the 45 of 60 that are drawn."""
    models = [f"m[decay={number}]" for number in range(60)]
    scores = {model: {"a": 2.0, "b": 1.0} for model in models} | {models[57]: {"a": 1.0, "b": 2.0}}
    shifts = [OrderShift("MAep", model, 1.0, 1.0, 0, "a") for model in models]
    figure = sweep_plot(means_of("MAep", scores), shifts, models[59])
    drawn = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(drawn) == 45
    assert {"57", "59"} < set(drawn)
    assert "Drawn are 45 of 60 user models, those with the most different ranks." in caption_of(figure)
