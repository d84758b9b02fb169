"""Set up the figures of matplotlib.

All plots have one style and fit on one screen, or in a column or page of a paper. Colours, markers and
dashes together distinguish lines in greyscale and for colour-blind readers.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from xcg.answer import FIGURE_WIDTH
from xcg.errors import printable
from xcg.lazy_modules import np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MAX_WIDTH, MAX_HEIGHT, DPI = 14.0, 9.0, 100
"""The largest size of a figure in inches, and dots per inch: it fits on a screen of 1400 × 900."""
MAX_PANELS = 12
GREY = "0.72"
"""The colour of lines that have no label of their own."""

_LEAST_PANEL = 2.2
"""The least width of a panel in a paper, in inches."""
_LEGEND_LINE = 0.16
"""The height of a line of the legend in a paper, in inches."""
_CAPTION_CHARACTERS = 16
"""Characters of a caption in an inch."""
_COINCIDING, _MOST_WIDENED = 0.7, 3
"""The share of equal points of lines that coincide, and the number of lines on one that widen it."""

# The colours of Okabe and Ito, which colour-blind readers can distinguish.
COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#999999")
MARKERS = {
    "o": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
    "s": "M-3.6-3.6h7.2v7.2h-7.2Z",
    "^": "M0-4.6L4.4 3.6H-4.4Z",
    "D": "M0-5L5 0L0 5L-5 0Z",
    "v": "M0 4.6L4.4-3.6H-4.4Z",
    "*": "M0-5.6L1.4-1.8L5.3-1.7L2.2.7L3.3 4.5L0 2.3L-3.3 4.5L-2.2.7L-5.3-1.7L-1.4-1.8Z",
    "P": "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",
    "X": "M-4.5-2.5l2-2L0-2l2.5-2.5l2 2L2 0l2.5 2.5l-2 2L0 2l-2.5 2.5l-2-2L-2 0Z",
}
"""Marker of matplotlib → path of SVG."""
DASHES = {"-": "", "--": "7 3", ":": "2 3", "-.": "9 3 2 3"}
"""Line style of matplotlib → stroke-dasharray of SVG."""


def max_width() -> float:
    """Return the width that figures can have in inches."""
    return FIGURE_WIDTH.get() or MAX_WIDTH


def fitted(columns: int) -> int:
    """Return the number of columns of panels that a paper has room for, at most the given one."""
    width = FIGURE_WIDTH.get()
    return columns if width is None else max(1, min(columns, int(width / _LEAST_PANEL)))


def max_panels() -> int:
    """Return the largest number of panels of a figure."""
    return fitted(4) * 4 if FIGURE_WIDTH.get() else MAX_PANELS


def most_ticks(number: int) -> int:
    """Return the largest number of ticks of an axis, which is at most half of this one in a paper."""
    return number if FIGURE_WIDTH.get() is None else number // 2


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure without a window.

    Args:
        width: In inches; in a paper, the figure has the width of its column or page.
        height: In inches; at most :data:`MAX_HEIGHT`. Figures that become narrower become lower.
    """
    from matplotlib.figure import Figure

    own = FIGURE_WIDTH.get() or min(width, MAX_WIDTH)
    if own < min(width, MAX_WIDTH):
        height *= max(own / width, 0.6)
    return Figure(figsize=(own, min(height, MAX_HEIGHT)), dpi=DPI, layout="constrained")


def panel_columns(groups: int, size: int, most: int = 4) -> int:
    """Return the number of columns in which panels of one group are next to each other.

    Args:
        groups: The number of groups, such as measures.
        size: The number of panels in each group.
        most: The number of columns that panels of a legible width have.

    >>> panel_columns(2, 3), panel_columns(5, 2), panel_columns(1, 5), panel_columns(3, 1)
    (3, 4, 3, 3)
    """
    if size == 1:
        groups, size = 1, groups
    if groups == 1:
        return fitted(size if size <= 3 else min(most, -(-size // 2)) if size <= 8 else most)
    return fitted(size * max(1, most // size) if groups > 3 else size)


def table_columns(panels: Collection[tuple[str, ...]]) -> int:
    """Return the number of columns of panels; if they form a table, each measure has its own rows.

    Args:
        panels: The keys of the panels, which begin with the measure.
    """
    measures, others = len({key[0] for key in panels}), len({key[1:] for key in panels})
    is_table = len(panels) == measures * others
    return panel_columns(measures, others) if is_table else panel_columns(1, len(panels))


def new_panels(
    count: int,
    columns: int,
    width: float,
    row_height: float,
    *,
    sharey: bool = False,
    grid: Literal["both", "y"] = "both",
) -> tuple[Figure, list[Axes]]:
    """Return a figure, and its panels row by row, with faint grids.

    Args:
        count: The number of panels.
        columns: The number of panels in a row; the last row may have fewer.
        width: Of the figure, in inches.
        row_height: Of each row, in inches. Rows of high figures are lower.
        sharey: Whether all panels have the same y axis.
        grid: The directions in which grid lines are drawn.
    """
    width, columns = width / columns * fitted(columns), fitted(columns)
    rows = -(-count // columns)
    figure = new_figure(width, row_height * rows)
    axes = figure.subplots(rows, columns, squeeze=False, sharey=sharey).flatten().tolist()
    for axis in axes[count:]:
        axis.set_visible(False)
    for axis in axes[:count]:
        axis.grid(visible=True, axis=grid)
    return figure, axes[:count]


def style_names(index: int) -> tuple[int, str, str]:
    """Return the colour, marker and dashes of one of several lines; 256 lines have different ones."""
    row, count = index // len(COLOURS), len(COLOURS)
    return (
        index % count,
        list(MARKERS)[(index + row) % len(MARKERS)],
        list(DASHES)[(row + row // count) % len(DASHES)],
    )


def line_style(index: int) -> dict[str, Any]:
    """Return the style of one of several lines, as arguments of ``Axes.plot``."""
    colour, marker, dashes = style_names(index)
    shape = {"color": COLOURS[colour], "marker": marker, "linestyle": dashes}
    return {**shape, "markersize": 5, "linewidth": 1.4}


def svg_style(index: int) -> dict[str, str]:
    """Return the style of :func:`line_style` for the HTML report."""
    colour, marker, dashes = style_names(index)
    return {"color": f"var(--curve-{colour})", "marker": MARKERS[marker], "dash": DASHES[dashes]}


def mark_extrapolated(axis: Axes, start: float, end: float) -> None:
    """Draw a grey background behind extrapolated values."""
    axis.axvspan(start, end, color="0.94", zorder=0)
    axis.set_title("extrapolated", loc="right", fontsize=8, color="0.4")


def label_text(name: str) -> str:
    r"""Escape a name so that matplotlib draws it unchanged.

    matplotlib reads text between two $ as a formula, and omits labels that begin with an underscore
    from legends.

    >>> print(label_text("_$x$"))
     _\$x\$
    """
    text = printable(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def add_caption(figure: Figure, *sentences: str) -> None:
    """Write sentences below the panels of a figure, such as what is not drawn.

    In a paper, they are the label of the figure, for the caption of the text.
    """
    text = " ".join(sentence for sentence in sentences if sentence)
    figure.set_label(text)
    if text and FIGURE_WIDTH.get() is None:
        width = int(_CAPTION_CHARACTERS * figure.get_figwidth())
        wrapped = "\n".join(textwrap.wrap(label_text(text), width))
        figure.supxlabel(wrapped, x=0.01, horizontalalignment="left", fontsize=8, color="0.3")


def drawn_first(count: int, total: int, items: str) -> str:
    """Return a sentence for the caption if only the first items are drawn; otherwise nothing."""
    return f"Drawn are the first {count} of {total} {items}." if count < total else ""


def first_panels(panels: Mapping[K, T]) -> tuple[dict[K, T], str]:
    """Return the panels that a figure has room for, and a sentence for the caption if it lacks some."""
    chosen = dict(list(panels.items())[: max_panels()])
    return chosen, drawn_first(len(chosen), len(panels), "panels")


def equalise_y_limits(axes: Sequence[Axes]) -> None:
    """Give panels the smallest range of y values that contains the ranges of all of them."""
    limits = [axis.get_ylim() for axis in axes]
    for axis in axes:
        axis.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def label_axis(axis: Axes, title: str = "", x: str = "", y: str = "") -> None:
    """Write the title and the names of the axes of a panel as they are, see :func:`label_text`."""
    axis.set_title(label_text(title))
    axis.set_xlabel(label_text(x))
    axis.set_ylabel(label_text(y))


def _widen_hidden_lines(axis: Axes) -> None:
    """Widen lines with a label on which later ones lie, so that they are visible below these."""
    lines = [line for line in axis.get_lines() if not str(line.get_label()).startswith("_")]
    points = [{(x, round(y, 9)) for x, y in np.asarray(line.get_xydata()).tolist()} for line in lines]
    for number, (line, own) in enumerate(zip(lines, points, strict=True)):
        hiding = sum(len(own & other) > _COINCIDING * len(own) for other in points[number + 1 :])
        line.set_linewidth(line.get_linewidth() + 1.6 * min(hiding, _MOST_WIDENED))
        line.set_markersize(line.get_markersize() + 2.5 * min(hiding, _MOST_WIDENED))


def finish(
    figure: Figure, axes: Sequence[Axes], *caption: str, left: str = "", title: str | None = None
) -> Figure:
    """Label the first column, and add the legend and the caption; return the figure.

    Lines that coincide are all visible, up to four.

    Args:
        figure: The figure.
        axes: Its panels; the legend is of the first one.
        caption: Sentences; empty ones are left out.
        left: The name of the y axis of the panels in the first column.
        title: The title of the legend.
    """
    label_left(axes, left)
    add_legend(figure, axes[0], title)
    for axis in axes:
        _widen_hidden_lines(axis)
    add_caption(figure, *caption)
    return figure


def label_left(axes: Sequence[Axes], label: str) -> None:
    """Label the y axes of the panels in the first column, if there is a label."""
    for axis in axes:
        place = axis.get_subplotspec()
        if label and place is not None and place.is_first_col():
            axis.set_ylabel(label)


def add_legend(figure: Figure, axis: Axes, title: str | None = None) -> None:
    """Add a legend of the lines of an axis: on the right, or above the figure at widths for papers."""
    lines, width = axis.get_legend_handles_labels(), FIGURE_WIDTH.get()
    if width is None:
        figure.legend(*lines, loc="outside right center", title=title)
    else:
        longest = max(map(len, lines[1]), default=1)
        columns = max(1, int(width / (0.5 + 0.06 * longest)))
        rows = -(-len(lines[1]) // columns) + (title is not None)
        figure.set_figheight(figure.get_figheight() + _LEGEND_LINE * rows)
        figure.legend(*lines, loc="outside upper left", title=title, ncols=columns)
