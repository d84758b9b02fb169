"""Styles, panels and files of figures."""

from __future__ import annotations

from pathlib import Path

import lxml.etree
import pytest

from xcg.answer import Answer, open_plot
from xcg.errors import InputError
from xcg.report import figures

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure


def test_32_lines_have_different_styles() -> None:
    styles = {tuple(sorted(figures.line_style(index).items())) for index in range(32)}
    assert len(styles) == 32
    greyscale = {
        (figures.line_style(i)["marker"], figures.line_style(i)["linestyle"]) for i in range(32)
    }
    assert len(greyscale) == 32  # the colour is not needed


@pytest.mark.parametrize(
    ("other", "is_wider"), [([0.1, 0.2, 0.5, 0.7], True), ([0.1, 0.2, 0.6, 0.7], False)]
)
def test_a_line_below_one_with_the_same_values_is_wider(other: list[float], is_wider: bool) -> None:
    figure, (axis,) = figures.new_panels(1, 1, 3.0, 2.0)
    for number, y in enumerate(([0.1, 0.2, 0.5, 0.8], other)):
        axis.plot(range(4), y, label=str(number), **figures.line_style(number))
    first, second = figures.finish(figure, [axis]).axes[0].get_lines()
    assert (first.get_linewidth() > second.get_linewidth() + 1) == is_wider
    assert (first.get_markersize() > second.get_markersize() + 1) == is_wider


def test_panels_without_content_are_hidden() -> None:
    figure, axes = figures.new_panels(4, 3, 9.0, 2.0)
    assert [axis.get_visible() for axis in figure.axes] == [True] * 4 + [False] * 2
    assert axes == figure.axes[:4]
    assert tuple(figure.get_size_inches()) == (9.0, 4.0)


@pytest.mark.parametrize(
    ("ending", "head"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")]
)
def test_a_figure_is_saved_in_the_format_of_the_name(tmp_path: Path, ending: str, head: bytes) -> None:
    files = [tmp_path / f"{name}{ending}" for name in ("one", "two")]
    for file in files:
        figure, (axis,) = figures.new_panels(1, 1, 3.0, 2.0)
        axis.plot([0, 1], [0.5, 1], label=figures.label_text("a"), **figures.line_style(0))
        Answer([], figure=lambda figure=figure: figure).plot(file)
    assert files[0].read_bytes().startswith(head)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_other_formats_are_refused(tmp_path: Path) -> None:
    message = r"plot.gif: unknown kind of plot: expected one of .pdf, .png"
    with pytest.raises(InputError, match=message), open_plot(tmp_path / "plot.gif"):
        pass


def test_a_figure_for_a_paper_has_the_width_and_its_text_as_text(tmp_path: Path) -> None:
    def draw() -> Figure:
        figure, axes = figures.new_panels(3, 3, 12.0, 3.0)
        axes[0].plot([0, 1], [0, 1], label="a", **figures.line_style(0))
        figures.add_legend(figure, axes[0])
        figures.add_caption(figure, "Grey: others.")
        return figure

    answer = Answer([], figure=draw)
    wide, narrow = answer.figure(), answer.figure("column")
    assert wide.get_figwidth() == 12.0
    assert narrow.get_figwidth() == pytest.approx(8.4 / 2.54)
    assert [axis.get_subplotspec().is_first_col() for axis in narrow.axes] == [True] * 3
    assert (wide.get_supxlabel(), narrow.get_supxlabel()) == ("Grey: others.", "")
    assert narrow.get_label() == "Grey: others."  # for the caption in the text
    answer.plot(tmp_path / "f.pdf", 9)
    content = (tmp_path / "f.pdf").read_bytes()
    assert b"/FontFile2" in content  # TrueType, not outlines or Type 3
    assert b"/Type3" not in content


def test_labels_are_drawn_as_they_are(tmp_path: Path) -> None:
    # $\frac$ is an illegal formula. Matplotlib omits labels that begin with _ from legends.
    names = [r"$\frac$", "_a", r"\$b$", "c\n\x1b", "$1 and $2"]
    figure, (axis,) = figures.new_panels(1, 1, 3.0, 2.0)
    for index, name in enumerate(names):
        axis.plot([0, 1], [0.5, 1], label=figures.label_text(name), **figures.line_style(index))
    figures.add_legend(figure, axis)
    Answer([], figure=lambda: figure).plot(tmp_path / "plot.svg")
    texts = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert texts == [r"\$\frac\$", " _a", r"\\$b\$", r"c\n\x1b", r"\$1 and \$2"]
    drawing = lxml.etree.parse(tmp_path / "plot.svg")  # text is text, not outlines
    shown = [text.text for text in drawing.iter("{*}text")]
    assert shown[-5:] == [r"$\frac$", " _a", r"\$b$", r"c\n\x1b", "$1 and $2"]
