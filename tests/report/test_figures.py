"""Styles, panels and files of figures."""

from __future__ import annotations

from pathlib import Path

import lxml.etree
import pytest

from xcg.answer import check_plot_format, save
from xcg.errors import InputError
from xcg.report import figures

pytest.importorskip("matplotlib")


def test_32_lines_have_different_styles() -> None:
    styles = {tuple(sorted(figures.line_style(index).items())) for index in range(32)}
    assert len(styles) == 32
    greyscale = {
        (figures.line_style(i)["marker"], figures.line_style(i)["linestyle"]) for i in range(32)
    }
    assert len(greyscale) == 32  # the colour is not needed


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
        save(figure, file)
    assert files[0].read_bytes().startswith(head)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plot.gif: unknown kind of plot: expected one of .pdf, .png"):
        check_plot_format(tmp_path / "plot.gif")


def test_labels_are_drawn_as_they_are(tmp_path: Path) -> None:
    # $\frac$ is an illegal formula. Matplotlib omits labels that begin with _ from legends.
    names = [r"$\frac$", "_a", r"\$b$", "c\n\x1b", "$1 and $2"]
    figure, (axis,) = figures.new_panels(1, 1, 3.0, 2.0)
    for index, name in enumerate(names):
        axis.plot([0, 1], [0.5, 1], label=figures.label_text(name), **figures.line_style(index))
    figures.add_legend(figure, axis)
    save(figure, tmp_path / "plot.svg")
    texts = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert texts == [r"\$\frac\$", " _a", r"\\$b\$", r"c\n\x1b", r"\$1 and \$2"]
    drawing = lxml.etree.parse(tmp_path / "plot.svg")  # text is text, not outlines
    shown = [text.text for text in drawing.iter("{*}text")]
    assert shown[-5:] == [r"$\frac$", " _a", r"\$b$", r"c\n\x1b", "$1 and $2"]
