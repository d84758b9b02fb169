"""Read what a figure of matplotlib shows: labels, lines, and bounding boxes of text."""

from __future__ import annotations

from itertools import combinations
from typing import Any


def lines_of(axis: Any) -> dict[str, tuple[list[float], list[float]]]:
    """Return label → x and y of the lines of an axis."""
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axis.get_lines()
    }


def legend_of(owner: Any) -> list[str]:
    legends = owner.legends if hasattr(owner, "legends") else [owner.get_legend()]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def tick_labels(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_xticklabels()]


def caption_of(figure: Any) -> str:
    """Return the caption on one line."""
    return " ".join(str(figure.get_supxlabel()).split())


def drawn_tick_labels(axis: Any) -> list[Any]:
    """Return the labels of ticks within the limits of an x or y axis; others are not drawn."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def overlapping_labels(figure: Any) -> list[tuple[str, str]]:
    """Return pairs of labels of ticks, or of texts of a panel, whose bounding boxes overlap."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    pairs = []
    for axis in figure.axes:
        if not axis.get_visible():
            continue
        for labels in (drawn_tick_labels(axis.xaxis), drawn_tick_labels(axis.yaxis), axis.texts):
            shown = [one for one in labels if one.get_visible() and one.get_text()]
            boxes = [(one.get_text(), one.get_window_extent(renderer)) for one in shown]
            pairs += [
                (name, other)
                for (name, box), (other, other_box) in combinations(boxes, 2)
                if box.x0 + 0.5 < other_box.x1
                and other_box.x0 + 0.5 < box.x1
                and box.y0 + 0.5 < other_box.y1
                and other_box.y0 + 0.5 < box.y1
            ]
    return pairs


def texts_outside(figure: Any) -> list[str]:
    """Return the texts of a drawn figure that are not completely within its borders."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    outside = []
    for axis in [axis for axis in figure.axes if axis.get_visible()]:
        titles = [axis.title, axis._left_title, axis.xaxis.label, axis.yaxis.label, *axis.texts]
        for text in [*titles, *drawn_tick_labels(axis.xaxis), *drawn_tick_labels(axis.yaxis)]:
            assert isinstance(text, Text)
            box = text.get_window_extent(renderer)
            is_within = (
                box.x0 >= -2
                and box.y0 >= -2
                and box.x1 <= figure.bbox.x1 + 2
                and box.y1 <= figure.bbox.y1 + 2
            )
            if text.get_visible() and text.get_text() and not is_within:
                outside.append(text.get_text())
    return outside
