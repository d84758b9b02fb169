"""Tables that fit the width of a terminal."""

from __future__ import annotations

import io

import pytest

from xcg.tables import Column, Table
from xcg.terminal_tables import PIPE, Prose, Terminal, sentence, separated, terminal_text

rich_cells = pytest.importorskip("rich.cells")

COLUMNS = [
    Column("measure", is_key=True),
    Column("run", is_key=True),
    Column("topics", kind="count", priority=2),
    Column("mean", meaning="the mean of the run"),
    Column("difference"),
    Column("p", kind="p", meaning="the p value"),
    Column("test", priority=3),
    Column("deciding_topics", kind="text", priority=1, meaning="the topics that decide"),
]
ROWS = [
    [
        "nxCG@10",
        "a-long-name-of-a-run/of-漢字漢字漢字-\x1b[31mred",
        29,
        0.5,
        0.2,
        0.00002,
        "t",
        "29 +0.12",
    ],
    ["MAep", "bm25", 29, 0.25, -0.05, 0.2, "t", "29 +0.12, 33 +0.10, 163 -0.05, 170 +0.05"],
]
TABLE = Table(COLUMNS, ROWS, ["means of 29 topics"])


class Stream(io.StringIO):
    """A stream that is a terminal or not."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize("width", range(24, 220, 4))
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = terminal_text([TABLE], Terminal(width))
    assert all(rich_cells.cell_len(line) <= width for line in text.splitlines())
    assert "\x1b" not in text


def test_a_wide_terminal_shows_everything() -> None:
    text = terminal_text([TABLE], Terminal(200))
    assert text.splitlines()[:3] == terminal_text([TABLE], PIPE).splitlines()
    assert text.splitlines()[3:] == [
        "",
        "mean             the mean of the run",
        "p                the p value",
        "deciding_topics  the topics that decide",
        "means of 29 topics",
    ]


def test_texts_are_cut_if_their_column_is_declared_so() -> None:
    columns = [Column("document"), Column("text", is_cut=True), Column("share", decimals=2)]
    table = Table(columns, [["guides/troubleshooting", "restart the 漢字漢字漢字漢字 again", 0.5]])
    assert terminal_text([table], Terminal(40)).splitlines()[1:] == [
        "guides/troublesh  restart the 漢…   0.50",
        "ooting",
    ]
    assert "guides/troubleshooting  restart the 漢字漢字漢字漢字 again" in terminal_text([table])


def test_prose_is_wrapped_with_its_indentation() -> None:
    prose = Prose("range:       from 0 to the highest gain\n\n  G[i] for the first rank i with G[i]\n")
    assert terminal_text([prose], Terminal(30)).splitlines() == [
        "range:       from 0 to the",
        "             highest gain",
        "",
        "  G[i] for the first rank i",
        "  with G[i]",
    ]
    assert terminal_text([prose]) == prose
    assert terminal_text([str(prose)], Terminal(30)) == prose


def test_the_least_important_columns_are_hidden_first() -> None:
    columns = [Column("run"), *(Column(f"column{n}", priority=n) for n in range(4))]
    table = Table(columns, [["a", *range(4)], ["b", *range(10, 14)]])
    text = terminal_text([table], Terminal(30))
    assert text.splitlines() == [
        "run  column0  column1  column2",
        "a          0        1        2",
        "b         10       11       12",
        "hidden columns: column3; a",
        "wider terminal or a pipe",
        "prints them",
    ]


def test_numbers_have_the_same_decimals_and_are_aligned() -> None:
    columns = [Column("run"), Column("a"), Column("b", kind="p"), Column("c", kind="score", decimals=1)]
    rows = [["x", 0.324, 0.00001, 11.8889], ["y", -1, 0.5, 0], ["z", None, None, None]]
    assert terminal_text([Table(columns, rows)]).splitlines() == [
        "run        a        b     c",
        "x     0.3240  <0.0001  11.9",
        "y    -1.0000   0.5000   0.0",
        "z",
    ]


def test_a_terminal_shows_40_rows() -> None:
    table = Table([Column("rank")], [[n] for n in range(100)])
    text = terminal_text([table], Terminal(80))
    assert len(text.splitlines()) == 1 + 40 + 1
    assert text.endswith("60 of 100 rows are hidden; --set all_rows=true prints them\n")
    everything = [terminal_text([table], Terminal(80), all_rows=True), terminal_text([table], PIPE)]
    everything.append(terminal_text([Table(table.columns, table.rows, is_limited=False)], Terminal(80)))
    assert all(len(text.splitlines()) == 101 for text in everything)


def test_the_legend_is_below_the_first_table_only() -> None:
    text = terminal_text(separated([TABLE, TABLE]), Terminal(200))
    assert text.count("means of 29 topics") == 1
    assert text.index("means of 29 topics") < text.rindex("MAep")
    assert "means of 29 topics" not in terminal_text([TABLE])


def test_sentences_are_wrapped_at_words() -> None:
    assert sentence("a sentence about the table", Terminal(24)) == "a sentence about the\ntable\n"
    assert sentence("a sentence\x1b about the table", PIPE) == "a sentence\\x1b about the table\n"


@pytest.mark.parametrize(
    ("is_terminal", "environment", "expected"),
    [
        (False, {}, Terminal(None, False)),
        (True, {}, Terminal(77, True)),
        (True, {"NO_COLOR": "1"}, Terminal(77, False)),
        (True, {"NO_COLOR": ""}, Terminal(77, True)),
        (True, {"TERM": "dumb"}, Terminal(77, False)),
    ],
)
def test_styles_follow_the_environment(
    is_terminal: bool, environment: dict[str, str], expected: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "77")
    assert Terminal.of(Stream(is_terminal), environment) == expected


def test_styles_are_escape_sequences_of_headings_and_legends() -> None:
    styled = terminal_text([TABLE], Terminal(200, True))
    assert styled.startswith("\x1b[1mmeasure")
    assert "\x1b[2m" in styled
    assert "\\x1b[31m" in styled
