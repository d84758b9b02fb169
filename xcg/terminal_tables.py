"""Fit tables to the width of a terminal.

A table that is too wide for a terminal is made narrower in this order. Columns that hold the same value
in every row become a line of text. Headings and names are wrapped. Columns that are declared as less
important are hidden, and a line names them. Remaining columns are stacked below each other. No line is
wider than the terminal. Output that is not for a terminal is complete and as wide as necessary.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

from xcg.errors import printable
from xcg.lazy_modules import shutil
from xcg.tables import Column, Table
from xcg.text_wrapping import aligned, cell_length, fitted, longest_part, wrapped, wrapped_lines

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text

_ALL_ROWS = "--set all_rows=true prints them"
MAX_ROWS = 40
"""The number of rows that a terminal shows of a long table."""

_GAP = 2
_LEAST_WIDTH = 24
"""Characters; a terminal that is narrower gets lines of this width."""
_UNLIMITED_WIDTH = 1_000_000
_SHORTEST_TEXT = 12
_SHORTEST_CUT_TEXT = 8
_LONGEST_WORD = 20
_SENTENCE = 40
_SHORTEST_SENTENCE = 24


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
        terminals only; ``FORCE_COLOR`` switches them on elsewhere, and ``NO_COLOR`` off everywhere.
        """
        is_terminal = stream.isatty()
        width = None
        if is_terminal:
            width = max(_LEAST_WIDTH, shutil.get_terminal_size((80, 24)).columns)
        forced = environment.get("FORCE_COLOR", "0") not in ("", "0")
        has_styles = forced or (is_terminal and environment.get("TERM") != "dumb")
        return cls(width, has_styles and not environment.get("NO_COLOR"))


PIPE = Terminal()
"""An output that is not a terminal."""


class _Line(NamedTuple):
    """One column of cells as texts."""

    column: Column
    heading: str
    cells: Sequence[str]
    is_number: bool

    @property
    def width(self) -> int:
        """The width without wrapped lines."""
        return max(map(cell_length, (self.heading, *self.cells)))

    @property
    def least_width(self) -> int:
        """The width below which the column is not readable."""
        heading = longest_part(self.heading, keeps_words=False)
        longest = max(map(cell_length, self.cells), default=0)
        if self.is_number or longest <= _SHORTEST_TEXT:
            return max(heading, longest)
        if self.column.cut:
            return max(heading, _SHORTEST_CUT_TEXT)
        least = max(_SHORTEST_TEXT, min(max(map(longest_part, self.cells)), _LONGEST_WORD))
        if longest > _SENTENCE:
            least = max(least, _SHORTEST_SENTENCE)
        return max(heading, least)


class Prose(str):
    """Lines for people. On a terminal, long ones are wrapped, with the indentation of their texts."""


Block = Table | str | Callable[[int | None], str]
"""A table; a text of complete lines; or a function from the width of the terminal to a text."""


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
    texts = []
    has_legend = terminal.width is not None
    is_shortened = terminal.width is not None and not all_rows
    rows = tables = hidden = 0
    notes: set[str] = set()
    for block in blocks:
        if callable(block):
            texts.append(block(terminal.width))
            continue
        if isinstance(block, Prose) and terminal.width is not None:
            texts.append(wrapped_lines(block, terminal.width))
            continue
        if isinstance(block, str):
            texts.append(block)
            continue
        if block.title:
            tables += 1
            rows += len(block.rows)
            if is_shortened and block.is_limited and tables > 1 and rows > MAX_ROWS:
                hidden += 1
                continue
            above = "\n" if texts else ""
            texts.append(above + sentence(block.title, terminal))
        texts.append(_table_text(block, terminal, all_rows, has_legend, notes))
        has_legend = has_legend and not block.rows
    if hidden:
        texts.append("\n" + _dim(f"{hidden} of {tables} tables are hidden; {_ALL_ROWS}", terminal))
    return "".join(texts)


def separated(blocks: Sequence[Block]) -> list[Block]:
    """Return tables or texts with an empty line between them."""
    found: list[Block] = []
    for block in blocks:
        found += [block] if not found else ["\n", block]
    return found


def sentence(text: str, terminal: Terminal) -> str:
    """Write a sentence as lines that fit the terminal."""
    from rich.text import Text

    if terminal.width is None:
        return printable(text) + "\n"
    return _rendered(Text(printable(text)), terminal, terminal.width)


def _table_text(
    table: Table, terminal: Terminal, all_rows: bool, has_legend: bool, known_notes: set[str]
) -> str:
    if terminal.width is None:
        heading, line_end, rows = table.write("table").partition("\n")
        return (
            f"\x1b[1m{heading}\x1b[0m{line_end}{rows}"
            if terminal.has_styles
            else heading + line_end + rows
        )
    every_row = _lines(table)
    if table.transposed is not None and _full_width(every_row) > terminal.width:
        other = _lines(table.transposed)
        if _full_width(other) < _full_width(every_row):
            return _table_text(table.transposed, terminal, all_rows, has_legend, known_notes)
    notes = []
    number = len(table.rows)
    lines = every_row
    if table.is_limited and not all_rows and number > MAX_ROWS:
        notes.append(f"{number - MAX_ROWS} of {number} rows are hidden; {_ALL_ROWS}")
        lines = [line._replace(cells=line.cells[:MAX_ROWS]) for line in every_row]
    if _full_width(lines) > terminal.width:
        same = _same_in_all_rows(every_row)
        lines = [line for index, line in enumerate(lines) if index not in same]
        values = [
            f"{every_row[i].heading} {every_row[i].cells[0]}" for i in same if every_row[i].cells[0]
        ]
        if values:
            notes.append(f"the same in all rows: {', '.join(values)}")
    lines, hidden_lines = _without_hidden(lines, terminal.width)
    if hidden_lines:
        names = ", ".join(printable(line.heading) for line in hidden_lines)
        note = f"hidden columns: {names}; a wider terminal or a pipe prints them"
        notes += [] if note in known_notes else [note]
        known_notes.add(note)
    blocks = [
        _block(part, _widths(part, terminal.width), terminal)
        for part in _stacked(lines, terminal.width)
    ]
    text = "\n".join(blocks)
    text += "".join(_dim(note, terminal) for note in notes)
    legend = _legend(lines, table.legend, terminal) if has_legend and number else ""
    return text + ("\n" + legend if legend else "")


def _lines(table: Table) -> list[_Line]:
    numeric = table.numeric()
    shown = [[printable(cell) for cell in row] for row in table.cells()]
    columns = zip(*shown, strict=True) if shown else ((),) * len(table.columns)
    return [
        _Line(column, printable(heading), cells, is_number)
        for column, heading, cells, is_number in zip(
            table.columns, table.heading, columns, numeric, strict=True
        )
    ]


def _keys(lines: Sequence[_Line]) -> list[_Line]:
    return [line for line in lines if line.column.is_key] or list(lines[:1])


def _same_in_all_rows(lines: Sequence[_Line]) -> list[int]:
    """Return the positions of columns whose cells are equal.

    Scores, and at least one key, are never among them.
    """
    same = [
        index
        for index, line in enumerate(lines)
        if len(line.cells) > 1 and len(set(line.cells)) == 1 and not _has_scores(line)
    ]
    keys = [lines.index(key) for key in _keys(lines)]
    return [index for index in same if index != keys[0]] if set(keys) <= set(same) else same


def _has_scores(line: _Line) -> bool:
    kind = line.column.kind
    return kind in ("score", "p") if kind else line.is_number and "." in line.cells[0]


def _without_hidden(lines: Sequence[_Line], width: int) -> tuple[list[_Line], list[_Line]]:
    """Return the columns that fit, and those that are hidden."""
    keys = _keys(lines)
    by_priority = sorted(
        (line for line in reversed(lines) if line.column.priority > 0 and line not in keys),
        key=lambda line: -line.column.priority,
    )
    hidden: list[_Line] = []
    while by_priority and _least_total([line for line in lines if line not in hidden]) > width:
        hidden.append(by_priority.pop(0))
    return [line for line in lines if line not in hidden], [line for line in lines if line in hidden]


def _stacked(lines: Sequence[_Line], width: int) -> Iterator[list[_Line]]:
    """Yield groups of columns that fit next to each other, each with the keys."""
    keys = _keys(lines)
    others = [line for line in lines if line not in keys]
    group: list[_Line] = list(keys)
    for line in others:
        if len(group) > len(keys) and _least_total([*group, line]) > width:
            yield group
            group = list(keys)
        group.append(line)
    yield group


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _full_width(lines: Sequence[_Line]) -> int:
    return _total([line.width for line in lines])


def _least_total(lines: Sequence[_Line]) -> int:
    return _total([line.least_width for line in lines])


def _widths(lines: Sequence[_Line], width: int) -> list[int]:
    """Distribute the width of the terminal over columns."""
    widths = [line.least_width for line in lines]
    while _total(widths) > width and max(widths) > 1:
        widest = max(range(len(widths)), key=lambda i: (not lines[i].is_number, widths[i]))
        if widths[widest] == 1:
            widest = widths.index(max(widths))
        widths[widest] -= 1
    left = width - _total(widths)
    growing = {i for i, line in enumerate(lines) if widths[i] < line.width}
    while left > 0 and growing:
        narrowest = min(growing, key=lambda i: lines[i].width - widths[i])
        missing = lines[narrowest].width - widths[narrowest]
        if missing * len(growing) <= left or len(growing) == 1:
            step = min(missing, left)
            widths[narrowest] += step
            left -= step
            growing.remove(narrowest)
            continue
        share, rest = divmod(left, len(growing))
        for position, i in enumerate(sorted(growing)):
            widths[i] += share + (position < rest)
        break
    return widths


def _block(lines: Sequence[_Line], widths: Sequence[int], terminal: Terminal) -> str:
    if not lines:
        return ""
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style=_style(terminal, "bold")
    )
    headings = [wrapped(line.heading, width) for line, width in zip(lines, widths, strict=True)]
    height = max(heading.count("\n") for heading in headings)
    columns = []
    for line, heading, width in zip(lines, headings, widths, strict=True):
        below = "\n" * (height - heading.count("\n")) + heading
        grid.add_column(Text(aligned(below, width, line.is_number)), width=width, overflow="fold")
        columns.append(
            [
                aligned(fitted(cell, width, line.column.cut), width, line.is_number)
                for cell in line.cells
            ]
        )
    for row in zip(*columns, strict=True):
        grid.add_row(*map(Text, row))
    return _rendered(grid, terminal, _UNLIMITED_WIDTH)


def _legend(lines: Sequence[_Line], sentences: Sequence[str], terminal: Terminal) -> str:
    """Return the meaning of the columns, and sentences on the whole table."""
    from rich.table import Table as Grid
    from rich.text import Text

    assert terminal.width is not None
    meanings = [(line.heading, line.column.meaning) for line in lines if line.column.meaning]
    text = ""
    if meanings:
        longest = max(cell_length(heading) for heading, _ in meanings)
        name_width = min(longest, terminal.width // 3)
        grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=False)
        style = _style(terminal, "dim")
        grid.add_column(width=name_width, overflow="fold", style=style)
        grid.add_column(width=terminal.width - name_width - _GAP, overflow="fold", style=style)
        for heading, meaning in meanings:
            grid.add_row(Text(heading), Text(printable(meaning)))
        text = _rendered(grid, terminal, _UNLIMITED_WIDTH)
    return text + "".join(_dim(one, terminal) for one in sentences)


def _dim(text: str, terminal: Terminal) -> str:
    from rich.text import Text

    assert terminal.width is not None
    return _rendered(Text(printable(text), style=_style(terminal, "dim")), terminal, terminal.width)


def _style(terminal: Terminal, style: str) -> str:
    return style if terminal.has_styles else ""


def _rendered(content: RichTable | Text, terminal: Terminal, width: int) -> str:
    from rich.console import Console

    output = io.StringIO()
    Console(
        file=output,
        width=width,
        height=1,  # without it, rich reads the environment variables COLUMNS and LINES
        color_system="standard" if terminal.has_styles else None,
        force_terminal=terminal.has_styles,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    ).print(content, soft_wrap=False)
    return "".join(line.rstrip() + "\n" for line in output.getvalue().splitlines())
