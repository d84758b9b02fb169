"""Every plot fits on one screen with 3, 8, 30 and 69 runs, and its labels do not overlap."""

from __future__ import annotations

import pytest
from figure_contents import overlapping_labels, texts_outside

pytest.importorskip("matplotlib")

from plot_examples import FIGURES

from xcg.answer import FIGURE_WIDTH

WIDTHS = [pytest.param(8.4 / 2.54, id="column"), pytest.param(17.8 / 2.54, id="page")]


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("runs", [8, 69])
@pytest.mark.parametrize("name", FIGURES)
def test_a_plot_for_a_paper_has_the_width_of_a_column_or_page(
    name: str, runs: int, width: float
) -> None:
    token = FIGURE_WIDTH.set(width)
    try:
        figure = FIGURES[name](runs)
    finally:
        FIGURE_WIDTH.reset(token)
    assert figure.get_figwidth() == width
    assert figure.get_figheight() <= 11
    assert overlapping_labels(figure) == []


@pytest.mark.parametrize(
    "runs", [pytest.param(number, marks=pytest.mark.slow) for number in (3, 8, 30)] + [69]
)
@pytest.mark.parametrize("name", FIGURES)
def test_a_plot_fits_on_one_screen_without_overlapping_labels(name: str, runs: int) -> None:
    figure = FIGURES[name](runs)
    width, height = figure.get_size_inches() * figure.dpi
    assert width <= 1400
    assert height <= 900
    panels = [axis for axis in figure.axes if axis.get_visible()]
    assert len(panels) <= 12
    assert overlapping_labels(figure) == []
    assert texts_outside(figure) == []
