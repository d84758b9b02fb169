"""Draw tables of values as coloured cells, and name positions on an axis if there is room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from xcg.lazy_modules import np
from xcg.report.figures import label_text
from xcg.report.plot_selection import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Colormap

_SIZES = (8.0, 7.0, 6.0)
_LINE_HEIGHT = 1.2
_CHARACTER_WIDTH = 0.62
"""The width of a character as a share of the size of the font."""
_MAX_CELLS_WITH_NUMBERS = 600


def name_positions(
    axis: Axes,
    direction: Literal["x", "y"],
    names: Sequence[str],
    inches: float,
    *,
    characters: int = 30,
    skip: bool = False,
) -> bool:
    """Name positions on an axis, if the names fit there without overlap.

    Names on the x axis are vertical unless all of them fit horizontally.

    Args:
        axis: The axis.
        direction: The axis with the names.
        names: One name per position.
        inches: The length of the axis.
        characters: The number of characters above which a name is shortened.
        skip: Whether to name every second, third, … position if not all names fit.

    Returns:
        Whether names are drawn. If not, the axis has no ticks.
    """
    short = short_names(list(dict.fromkeys(names)), characters)
    ticks = list(range(len(names)))
    room = 72 * max(inches, 0.1) / max(len(names), 1)
    if skip and room < _SIZES[-1] * _LINE_HEIGHT:
        step = math.ceil(_SIZES[-1] * _LINE_HEIGHT / room)
        ticks, room = ticks[::step], step * room
    set_ticks = axis.set_xticks if direction == "x" else axis.set_yticks
    labels = [label_text(short[names[tick]]) for tick in ticks]
    size = next((size for size in _SIZES if size * _LINE_HEIGHT <= room), None)
    if size is None:
        set_ticks([])
        return False
    longest = max(map(len, labels), default=0)
    is_vertical = direction == "x" and (longest + 1) * size * _CHARACTER_WIDTH > room
    set_ticks(ticks, labels, fontsize=size, rotation=90 if is_vertical else 0)
    return True


def draw_cells(
    axis: Axes,
    values: Sequence[Sequence[float]],
    colours: str | Colormap,
    low: float,
    high: float,
    numbers: bool = False,
) -> QuadMesh:
    """Draw a table as coloured cells, first row at the top; unknown values (NaN) are grey.

    Args:
        axis: The axis; cells are at x = 0, 1, … and y = 0, 1, ….
        values: Rows of the table.
        colours: The name of a colour map, or a colour map.
        low: The value of the first colour.
        high: The value of the last colour.
        numbers: Whether to write the values, as whole numbers, into the cells of small tables.
    """
    from matplotlib import colormaps

    table = np.ma.masked_invalid(np.array(values, dtype=float))
    rows, columns = table.shape
    axis.set_facecolor("0.85")
    colour_map = colormaps[colours] if isinstance(colours, str) else colours
    mesh = axis.pcolormesh(
        np.arange(columns + 1) - 0.5,
        np.arange(rows + 1) - 0.5,
        table,
        cmap=colour_map,
        vmin=low,
        vmax=high,
        edgecolors="white",
        linewidth=0.4,
    )
    axis.set_ylim(rows - 0.5, -0.5)
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    if numbers and table.size <= _MAX_CELLS_WITH_NUMBERS:
        for row in range(rows):
            for column in range(columns):
                if table[row, column] is not np.ma.masked:
                    value = float(table[row, column])
                    red, green, blue, _ = colour_map((value - low) / ((high - low) or 1))
                    is_dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.55
                    axis.text(
                        column,
                        row,
                        f"{value:.0f}",
                        color="white" if is_dark else "black",
                        fontsize=7,
                        horizontalalignment="center",
                        verticalalignment="center_baseline",
                    )
    return mesh
