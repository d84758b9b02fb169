"""Choose what a crowded plot shows: the most different panels, the main runs, short names."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from xcg.errors import printable
from xcg.report.figures import GREY, label_text, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VARIANT = re.compile(r"([^\[\]]*)\[([^\[\]]+)\]")
"""The name of a user model with chosen values, such as ``sweep[ideal=leaves,alpha=0.5]``."""

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MAX_STYLES = 8
"""The largest number of lines that all have a style and a label of their own."""
_BEST_RUNS = 5
_NAME_CHARACTERS = 32
LABEL_CHARACTERS = 48
"""Characters of the label of a user model."""
_SIZES = (8.0, 7.0, 6.0)
_LINE_HEIGHT = 1.2
_CHARACTER_WIDTH = 0.62
"""The width of a character as a share of the size of the font."""


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Group items by a key; the groups are in the order of their first items."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def short_names(names: Sequence[str], most: int = _NAME_CHARACTERS) -> dict[str, str]:
    """Shorten long names so that all remain different.

    The middle of a long name is replaced by ``…``. If this makes names equal, the beginning that they
    share is; if this does not suffice, more characters are kept.

    Args:
        names: Different names.
        most: The number of characters above which a name is shortened.

    Returns:
        Name → short name, with unprintable characters escaped.

    >>> short_names(["bm25", "university-of-somewhere-run-1"], 15)
    {'bm25': 'bm25', 'university-of-somewhere-run-1': 'universit…run-1'}
    """
    printed = {name: printable(name) for name in names}
    tail = (most - 1) * 2 // 5
    short = {
        name: text if len(text) <= most else f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"
        for name, text in printed.items()
    }
    for group in grouped(names, short.__getitem__).values():
        if len(group) > 1:
            texts = sorted(printed[name] for name in group)
            letters = enumerate(zip(texts[0], texts[-1], strict=False))
            start = next((index for index, (one, other) in letters if one != other), 0)
            while start > 0 and texts[0][start - 1].isalnum():
                start -= 1  # whole words and numbers are easier to recognise
            short |= {name: f"…{printed[name][start:][: most - 1]}" for name in group}
    if len(set(short.values())) < len(short) and most < max(map(len, printed.values())):
        return short_names(names, 2 * most)
    return short


def model_parameters(names: Sequence[str]) -> list[dict[str, str]]:
    """Return the parameters in the names of user models; nothing if the names have other forms.

    >>> model_parameters(["m[ideal=leaves,alpha=0.5]", "m[ideal=roots,alpha=0.5]"])
    [{'ideal': 'leaves', 'alpha': '0.5'}, {'ideal': 'roots', 'alpha': '0.5'}]
    """
    found = [match.groups() for match in map(_VARIANT.fullmatch, names) if match]
    if len(found) < len(names) or len({name for name, _ in found}) > 1:
        return []
    pairs = [[part.partition("=")[::2] for part in values.split(",")] for _, values in found]
    keys = {tuple(key for key, _ in own) for own in pairs}
    if len(keys) > 1 or any(len(set(own)) < len(own) for own in keys):
        return []
    return [dict(own) for own in pairs]


def model_labels(names: Sequence[str]) -> tuple[list[str], str]:
    """Return a label for each user model, and a heading of all labels.

    The models of a sweep are labelled with the values of its parameters, which are the heading:
    ``sweep[ideal=roots,alpha=0]`` has the label ``roots, 0`` and the heading ``ideal, alpha``.
    """
    parameters = model_parameters(names) if len(names) > 1 else []
    labels = [", ".join(values.values()) for values in parameters] or list(names)
    heading = ", ".join(parameters[0]) if parameters else ""
    short = short_names(list(dict.fromkeys(labels)), LABEL_CHARACTERS)
    return [short[label] for label in labels], heading


class LineStyles(NamedTuple):
    """The styles of lines. Only the main lines have labels.

    Attributes:
        styles: Name → arguments of ``Axes.plot`` for the main lines.
        labels: Name → label of the main lines.
        others: The number of lines that are grey.
    """

    styles: dict[str, dict[str, Any]]
    labels: dict[str, str]
    others: int

    @property
    def caption(self) -> str:
        """A sentence on the grey lines; empty without any."""
        return f"Grey: the {self.others} other runs." if self.others else ""

    def draw(self, axis: Axes, name: str, x: Sequence[float], y: Sequence[float]) -> None:
        """Draw a line with about ten markers, or in grey."""
        if name in self.styles:
            style = self.styles[name]
            axis.plot(x, y, label=self.labels[name], markevery=max(1, len(x) // 10), **style)
        else:
            axis.plot(x, y, color=GREY, linewidth=0.8, zorder=1, label=f"_{name}")


def line_styles(names: Sequence[str], best_first: Sequence[str] = ()) -> LineStyles:
    """Give each line its own style, the same in all plots; of more than eight, only the best ones.

    Args:
        names: The names of all lines, whose position determines the style.
        best_first: The names in descending order of quality; needed for more than eight.
    """
    main = best_first[:_BEST_RUNS] if len(names) > MAX_STYLES else names
    short = short_names(names)
    return LineStyles(
        {name: line_style(index) for index, name in enumerate(names) if name in main},
        {name: label_text(short[name]) for name in main},
        len(names) - len(main),
    )


def name_positions(
    axis: Axes,
    direction: Literal["x", "y"],
    names: Sequence[str],
    inches: float,
    *,
    characters: int = 30,
) -> bool:
    """Name positions on an axis, if the names fit there without overlap.

    Names on the x axis are vertical unless all of them fit horizontally.

    Args:
        axis: The axis.
        direction: The axis with the names.
        names: One name per position.
        inches: The length of the axis.
        characters: The number of characters above which a name is shortened.

    Returns:
        Whether names are drawn. If not, the axis has no ticks.
    """
    short = short_names(list(dict.fromkeys(names)), characters)
    room = 72 * max(inches, 0.1) / max(len(names), 1)
    set_ticks = axis.set_xticks if direction == "x" else axis.set_yticks
    labels = [label_text(short[name]) for name in names]
    size = next((size for size in _SIZES if size * _LINE_HEIGHT <= room), None)
    if size is None:
        set_ticks([])
        return False
    longest = max(map(len, labels), default=0)
    is_vertical = direction == "x" and (longest + 1) * size * _CHARACTER_WIDTH > room
    set_ticks(range(len(names)), labels, fontsize=size, rotation=90 if is_vertical else 0)
    return True
