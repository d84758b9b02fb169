"""Set up, style and save the figures of matplotlib.

Colours, markers and dashes together distinguish lines in greyscale and for colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xcg.documents.writing import whole_file
from xcg.errors import InputError, nearest, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")

# The colours of Okabe and Ito, which colour-blind readers can distinguish.
_COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#999999")
_MARKERS = "os^Dv*PX"
_DASHES = ("-", "--", "-.", ":")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure without a window.

    Args:
        width: In inches.
        height: In inches.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def new_panels(
    count: int,
    columns: int,
    width: float,
    row_height: float,
    *,
    sharey: bool | Literal["row"] = False,
    grid: Literal["both", "y"] | None = "both",
) -> tuple[Figure, list[Axes]]:
    """Return a figure, and its panels row by row, with faint grids.

    Args:
        count: The number of panels.
        columns: The number of panels in a row; the last row may have fewer.
        width: Of the figure, in inches.
        row_height: Of each row, in inches.
        sharey: Whether all panels, or those of each row, have the same y axis.
        grid: The directions in which grid lines are drawn.
    """
    rows = -(-count // columns)
    figure = new_figure(width, row_height * rows)
    axes = figure.subplots(rows, columns, squeeze=False, sharey=sharey).flatten().tolist()
    for axis in axes[count:]:
        axis.set_visible(False)
    for axis in axes[:count]:
        style_axis(axis, grid)
    return figure, axes[:count]


def style_axis(axis: Axes, grid: Literal["both", "y"] | None = "both") -> None:
    """Draw a faint grid, and remove the frame at the top and on the right."""
    if grid is not None:
        axis.grid(visible=True, axis=grid, alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)


def line_style(index: int) -> dict[str, Any]:
    """Return the style of one of several lines, as arguments of ``Axes.plot``."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "linestyle": _DASHES[(index // len(_COLOURS)) % len(_DASHES)],
        "markersize": 5,
        "linewidth": 1.4,
    }


def label_text(name: str) -> str:
    r"""Escape a name so that matplotlib draws it unchanged.

    matplotlib reads text between two $ as a formula, and omits labels that begin with an underscore
    from legends.

    >>> print(label_text("_$x$"))
     _\$x\$
    """
    text = printable(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def draw_curve(axis: Axes, index: int, label: str, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw one of several lines, with about ten markers."""
    axis.plot(x, y, label=label_text(label), markevery=max(1, len(x) // 10), **line_style(index))


def add_legend(figure: Figure, axis: Axes | None = None, title: str | None = None) -> None:
    """Add a legend to the right of a figure, with the lines of one axis or of all."""
    lines = axis.get_legend_handles_labels() if axis is not None else ()
    figure.legend(*lines, loc="outside right center", frameon=False, fontsize=8, title=title)


def check_format(path: Path) -> None:
    """Check that a plot can be saved in the format of a file name.

    Raises:
        InputError: If the ending is not .png, .svg or .pdf.
    """
    if path.suffix.lower() not in FORMATS:
        raise InputError(path, f"unknown kind of plot: {nearest(path.suffix, FORMATS)}")


def save(figure: Figure, path: Path) -> None:
    """Save a figure as PNG, SVG or PDF, depending on the ending of the file name.

    Raises:
        InputError: If the ending is unknown or the file cannot be written.
    """
    check_format(path)
    ending = path.suffix[1:].lower()
    # Without a date, the same data give the same file.
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    with whole_file(path) as file:
        figure.savefig(file, format=ending, dpi=150, metadata=metadata)
