"""Fit tables and texts to the width of a terminal.

rich wraps texts. If a table does not fit, the columns that are declared as less important are hidden,
then those on the right, and a line names them. Output that is not for a terminal is complete and as
wide as necessary.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from xcg.errors import printable
from xcg.lazy_modules import shutil
from xcg.table_formats import cell_length
from xcg.tables import Column, Table

if TYPE_CHECKING:
    from rich.console import RenderableType

MAX_ROWS = 40
"""The number of rows that a terminal shows of a long table."""

_GAP = 2
_LEAST_WIDTH = 24
"""Characters; a terminal that is narrower gets lines of this width."""
_LEAST_TEXT, _LEAST_SENTENCE, _SENTENCE = 12, 24, 40
"""The narrowest column of texts, that of sentences, and the length of a sentence."""
_INDENTATION = re.compile(r"[\w ]+: {2,}| *\w+\. | +|")
"""The start of a line (label, number or spaces) that becomes indentation in wrapped lines."""


class Terminal(NamedTuple):
    """The properties of an output that decide how tables are written.

    Attributes:
        width: Characters in a line; None if the output is not a terminal.
        has_styles: Whether headings are bold and legends dim.
    """

    width: int | None = None
    has_styles: bool = False

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str] = os.environ) -> Terminal:
        """Return the properties of a stream.

        ``COLUMNS`` overrides the width of a terminal, which is 80 if it is unknown. Styles are for
        terminals only, unless ``NO_COLOR`` switches them off.
        """
        if not stream.isatty():
            return cls()
        width = max(_LEAST_WIDTH, shutil.get_terminal_size((80, 24)).columns)
        return cls(width, environment.get("TERM") != "dumb" and not environment.get("NO_COLOR"))


PIPE = Terminal()
"""An output that is not a terminal."""


class Prose(str):
    """Lines for people. On a terminal, long ones are wrapped, with the indentation of their texts."""


Block = Table | str
"""A table, or a text of complete lines."""


def terminal_text(blocks: Sequence[Block], terminal: Terminal = PIPE, all_rows: bool = False) -> str:
    """Write tables and texts for a terminal.

    Args:
        blocks: Tables and texts; :class:`Prose` is wrapped. The legend of the first table is below it.
        terminal: The properties of the output; by default it is not a terminal.
        all_rows: Whether a terminal shows more than the first 40 rows of long tables.

    >>> table = Table([Column("run"), Column("MAep", meaning="a mean")], [["bm25", 0.5]])
    >>> print(terminal_text([table], Terminal(80)), end="")
    run     MAep
    bm25  0.5000
    <BLANKLINE>
    MAep  a mean
    """
    texts: list[str] = []
    has_legend = terminal.width is not None
    known: set[str] = set()  # tables below each other often hide the same columns
    for block in blocks:
        if isinstance(block, str):
            wraps = isinstance(block, Prose) and terminal.width is not None
            texts.append(_wrapped_lines(block, terminal) if wraps else block)
        else:
            if block.title:
                texts.append("\n" * bool(texts) + sentence(block.title, terminal))
            texts.append(_table_text(block, terminal, all_rows, has_legend, known))
            has_legend = has_legend and not block.rows
    return "".join(texts)


def separated(blocks: Sequence[Block]) -> list[Block]:
    """Return tables or texts with an empty line between them."""
    found: list[Block] = []
    for block in blocks:
        found += [block] if not found else ["\n", block]
    return found


def sentence(text: str, terminal: Terminal, style: str = "", label: str = "") -> str:
    """Write a sentence as lines that fit the terminal, all of them behind the label."""
    from rich.padding import Padding
    from rich.text import Text

    text = printable(text)
    if terminal.width is None:
        return f"{label}{text}\n"
    indentation = cell_length(label)
    if indentation > terminal.width // 2:
        label, text, indentation = "", label + text, 0
    lines = rendered(Padding(Text(text, style), (0, 0, 0, indentation)), terminal)
    return label + lines[indentation:]


def _wrapped_lines(text: str, terminal: Terminal) -> str:
    """Wrap the long lines of a text; the rest of a line has the indentation of its beginning."""
    assert terminal.width is not None
    lines = []
    for line in text.splitlines():
        start = _INDENTATION.match(line)
        label = start[0] if start else ""
        fits = cell_length(line) <= terminal.width
        lines.append(f"{line}\n" if fits else sentence(line[len(label) :], terminal, label=label))
    return "".join(lines)


class _Column(NamedTuple):
    """A column of cells as texts."""

    declared: Column
    heading: str
    cells: Sequence[str]
    is_number: bool

    @property
    def width(self) -> int:
        """The width without wrapped lines."""
        return max(map(cell_length, (self.heading, *self.cells)))

    @property
    def least_width(self) -> int:
        """The width below which the column is not readable; numbers are never broken."""
        longest = max(map(cell_length, self.cells), default=0)
        if not self.is_number:
            longest = min(longest, _LEAST_SENTENCE if longest > _SENTENCE else _LEAST_TEXT)
        return max(longest, *(min(cell_length(word), _LEAST_TEXT) for word in self.heading.split()), 1)


def _table_text(
    table: Table, terminal: Terminal, all_rows: bool, has_legend: bool, known: set[str]
) -> str:
    if terminal.width is None:
        return table.write("table")
    number = len(table.rows)
    shown = number if all_rows or not table.is_limited else MAX_ROWS
    cells = [list(map(printable, row)) for row in table.cells()[:shown]]
    columns = [
        _Column(column, printable(heading), [row[index] for row in cells], is_number)
        for index, (column, heading, is_number) in enumerate(
            zip(table.columns, table.heading, table.numeric(), strict=True)
        )
    ]
    text, hidden = _fitted(columns, terminal)
    if shown < number:
        note = f"{number - shown} of {number} rows are hidden; --set all_rows=true prints them"
        text += sentence(note, terminal, "dim")
    if hidden:
        names = ", ".join(column.heading for column in hidden)
        note = f"hidden columns: {names}; a wider terminal or a pipe prints them"
        text += "" if note in known else sentence(note, terminal, "dim")
        known.add(note)
    if not has_legend or not number:
        return text
    explained = [column for column in columns if column.declared.meaning and column not in hidden]
    room = 2 + max((cell_length(column.heading) for column in explained), default=0)
    legend = "".join(
        sentence(
            column.declared.meaning,
            terminal,
            "dim",
            column.heading + " " * (room - cell_length(column.heading)),
        )
        for column in explained
    )
    legend += "".join(sentence(one, terminal, "dim") for one in table.legend)
    return f"{text}\n{legend}" if legend else text


def _fitted(columns: Sequence[_Column], terminal: Terminal) -> tuple[str, Sequence[_Column]]:
    """Return a table that fits the terminal, and the columns that are hidden."""
    from rich.table import Table as Grid
    from rich.text import Text

    assert terminal.width is not None
    keys = [column for column in columns if column.declared.is_key] or list(columns[:1])
    others = [column for column in columns if column not in keys]
    shown = [*keys, *sorted(others, key=lambda column: column.declared.priority)]
    room = terminal.width + _GAP  # a gap is behind each column, also the last
    while len(shown) > len(keys) and sum(one.least_width + _GAP for one in shown) > room:
        shown.pop()
    visible = [column for column in columns if column in shown]
    is_narrow = sum(column.width + _GAP for column in visible) > room
    grid = Grid(box=None, padding=(0, _GAP, 0, 0), header_style="bold")
    cells = []
    for column in visible:
        width = None
        if column.is_number:
            width = column.least_width if is_narrow else column.width
        justify: Any = "right" if column.is_number else "left"
        grid.add_column(Text(column.heading, overflow="fold"), width=width, justify=justify)
        is_cut = column.declared.is_cut
        overflow: Any = "ellipsis" if is_cut else "fold"
        cells.append([Text(cell, no_wrap=is_cut, overflow=overflow) for cell in column.cells])
    for row in zip(*cells, strict=True):
        grid.add_row(*row)
    text = rendered(grid, terminal._replace(width=room))
    return text, [column for column in columns if column not in shown]


def rendered(content: RenderableType, terminal: Terminal) -> str:
    """Return what rich shows on a terminal; texts are never read as markup."""
    from rich.console import Console

    output = io.StringIO()
    Console(
        file=output,
        width=terminal.width,
        height=1,  # without it, rich reads the environment variables COLUMNS and LINES
        color_system="standard" if terminal.has_styles else None,
        force_terminal=terminal.has_styles,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    ).print(content)
    return "".join(line.rstrip() + "\n" for line in output.getvalue().splitlines())
