"""Run the commands and examples in docs/decisions/papers/, and compare their results with the pages.

The text before the first section of a page prepares each of its sections. In tables, the second column
holds what the paper prints, the third a command or a Python expression (``as above`` is that of the row
before), and code in the last column is its result. Without a remark there, it equals what the paper
prints. A block ``console`` shows commands with their whole output, and a block ``pycon`` is a Python
session. ``…`` stands for any text in a line, or for any lines.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from conftest import ROOT, Command
from page_output import line_pattern
from page_session import Block, Session

PAGES = sorted((ROOT / "docs" / "decisions" / "papers").glob("*.md"))
NOT_REPRODUCED = "–"
SLOW = ("xcg simulate inex", "xcg study levels", "xcg curves trec7")  # take more than three seconds

# The numbered parts of each paper. The parts of its pages are checked against these lists.
NUMBERED = {
    "kazai-lalmas-2006": [
        *(f"Equation {number}" for number in range(1, 18)),
        *(f"Table {number}" for number in ("I", "II", "III", "IV", "V")),
        *("Figure 1", "Figure 2", "Figure 3", "Figure 4a", "Figure 4b", "Figure 5", "Figure 6a"),
        *("Figure 6b", "Figure 7", "Figure 8", "Figure 9a", "Figure 9b", "Figure 9c", "Figure 9d"),
        *(f"Footnote {number}" for number in (5, 8, 12, 13, 14, 18)),
    ],
    "jarvelin-kekalainen-2002": [
        *(f"Equation {number}" for number in range(1, 7)),
        *("Table 1", "Table 2"),
        *(f"Figure {number}({part})" for number in range(1, 5) for part in "ab"),
    ],
    "scheel-lommatzsch-albayrak-2011": [
        *(f"Equation {number}" for number in range(1, 6)),
        *("Table 1", "Table 2"),
        *(f"Figure {number}" for number in range(1, 9)),
    ],
}

_TABLE_II = """
1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0.5 1 1 1 1 1 1 1 1 1 0.9 0.66 0.66 1 1 1 1 1 1 1
1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0.5 0.5 0.5 0.43 0.5 0.56 1 1 1 1
0.9 0.9 0.9 0.9 0.9 0.9 0.46 0.47 0.49 0.5
1 1 1 1 1 1 1 1 1 1 0.6991 0.75 0.875 1 1 0.732 0.633 0.8751 0.857 0.9995
"""

# The values of tables with results of experiments, as the papers print them.
PRINTED = {
    "kazai-lalmas-2006": {
        "Table III": "0.93702 0.98038 0.91642 0.73278 0.933385 0.62385 "
        "0.95868 0.98465 0.942 0.77436 0.92872 0.66396",
        "Table IV": "0.40 7.61 7.64 4.31 0.12 5.96 5.69 4.81 0.12 7.36 6.50 5.82 0.04 8.71 4.02 8.04 "
        "0.42 5.49 13.45 2.79 0.44 7.99 7.18 4.79 0.07 7.29 6.37 6.36 0.01 8.09 3.32 8.21",
        "Table V": "0.995 0.985 0.963 0.956 0.808 0.851 0.879 0.877 "
        "0.377 0.391 0.412 0.469 0.238 0.294 0.343 0.388 0.825",
    },
    "jarvelin-kekalainen-2002": {
        "Table 2": "0.242 0.271 0.293 0.318 0.343 0.292 0.294 0.287 0.335 0.331 "
        "0.254 0.305 0.313 0.316 0.342 0.211 0.238 0.236 0.279 0.247 "
        "0.244 0.301 0.309 0.309 0.329 0.192 0.220 0.223 0.259 0.224"
    },
    "scheel-lommatzsch-albayrak-2011": {
        "Table 1": "0 0.125 0.403 0.483 0.780 1 0.448 0.465",
        "Table 2": "3.32 3.32 14.95 24.96 28.82 28.82 29.93 45.65 "
        "49.83 64.50 76.13 80.42 81.70 82.89 82.89 82.89 0.07 0.05 0.20 0.31 0.35 0.35 0.36 0.55 0.28 "
        "9.97 9.97 114 204 224 224 227 494 847 979 1083 1105 1109 1112 1112 1112 "
        "0.01 0.01 0.11 0.19 0.20 0.20 0.20 0.44 0.17 "
        "0.63 0.63 1.76 2.74 3.27 3.27 3.48 4.53 3.32 4.75 5.88 6.48 6.72 6.94 6.94 6.94 "
        "0.19 0.13 0.30 0.42 0.49 0.47 0.50 0.65 0.39",
    },
}

_PART = re.compile(r"^```(\w+)\n((?s:.*?))^```|^\|(.*)\|$|^## (.*)$", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"(?<![\w.@-])\d+(?:\.\d+)?(?![\w])")
_ABOVE = "as above"


class Example(NamedTuple):
    """A code block or a table row: description, published value, command or expression, and result."""

    line: int
    kind: Literal["console", "pycon", "row"]
    source: str
    what: str = ""
    result: str = ""
    published: str = ""

    @property
    def is_equal(self) -> bool:
        """Whether the result has each published number."""
        ours = [float(number) for number in _NUMBER.findall(" ".join(_CODE.findall(self.result)))]
        return all(any(prints(text, one) for one in ours) for text in _NUMBER.findall(self.published))


def prints(text: str, value: float) -> bool:
    """Return whether a text is a number rounded or cut to its decimals."""
    scale = 10 ** len(text.partition(".")[2])
    return round(float(text) * scale) in (round(value * scale), int(value * scale))


def sections(page: Path) -> dict[str, list[Example]]:
    """Return the examples by section of a page. Before the first section, the key is empty."""
    text = page.read_text(encoding="utf-8")
    section = ""
    found: dict[str, list[Example]] = {section: []}
    for match in _PART.finditer(text):
        language, block, row, heading = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        if heading is not None:
            section = heading
            found[section] = []
        elif language == "console":
            found[section].append(Example(line, "console", block))
        elif language == "pycon":
            found[section].append(Example(line, "pycon", block))
        elif row is not None and not set(row) <= set("|- "):
            cells = [cell.strip() for cell in row.split(" | ")]
            assert len(cells) == 4, f"{page.name}:{line}: expected four columns"
            what, published, command, result = cells
            if command == _ABOVE:
                command = found[section][-1].source
            if what != "what":
                found[section].append(Example(line, "row", command, what, result, published))
    return found


EXAMPLES = {page.stem: sections(page) for page in PAGES}


class PaperSession(Session):
    """Runs the examples and the rows of tables of a page."""

    shows_notes = False

    def __init__(self, folder: Path, xcg_command: Command) -> None:
        super().__init__(folder, xcg_command)
        self._done: dict[str, subprocess.CompletedProcess[str]] = {}

    def differences(self, example: Example) -> Iterator[str]:
        """Run an example and yield what differs from the page."""
        if example.kind == "row":
            yield from self._row(example)
        else:
            yield from self.problems(Block(example.line, example.kind, example.source))

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command that must succeed. Each command is run only once."""
        if command not in self._done:
            self._done[command] = super().run(command)
            assert self._done[command].returncode == 0, f"{command}\n{self._done[command].stderr}"
        return self._done[command]

    def _row(self, row: Example) -> Iterator[str]:
        shown = _CODE.findall(row.result)
        commands = _CODE.findall(row.source)
        if not commands:  # a reference to an example, or a reason
            assert row.source == NOT_REPRODUCED or row.source.startswith("["), row.source
            assert row.result or row.source != NOT_REPRODUCED, "expected a reason"
            return
        (command,) = commands
        if not command.startswith("xcg "):
            with contextlib.chdir(self.folder):
                found = repr(eval(command, self.names))
            if [found] != shown:
                yield f"{command}\n{found}"
            return
        done = self.run(command)
        lines = [" ".join(line.split()) for line in (done.stdout + done.stderr).splitlines()]
        assert shown or "--plot" in command, "expected a result as code"
        for text in shown:
            pattern = re.compile(rf"(?<![\w.-]){line_pattern(text)}(?![\w.])")
            if not any(map(pattern.search, lines)):
                similar = difflib.get_close_matches(text, lines, 5, 0)
                yield "\n".join([command, f"no line with {text!r}; similar:", *similar])


def _cases() -> Iterator[Any]:
    for page, found in EXAMPLES.items():
        for section, examples in found.items():
            if section:
                slow = any(command in example.source for example in examples for command in SLOW)
                marks = [pytest.mark.slow] if slow else []
                yield pytest.param(page, section, id=f"{page}:{section}", marks=marks)


@pytest.mark.parametrize(("page", "section"), list(_cases()))
def test_commands_print_the_results_on_the_page(
    page: str, section: str, tmp_path: Path, xcg_command: Command
) -> None:
    session = PaperSession(tmp_path, xcg_command)
    wrong = [
        f"docs/decisions/papers/{page}.md:{example.line}\n{problem}"
        for example in (*EXAMPLES[page][""], *EXAMPLES[page][section])
        for problem in session.differences(example)
    ]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("page", NUMBERED)
def test_pages_list_every_equation_table_and_figure(page: str) -> None:
    whats = " ".join(row.what for rows in EXAMPLES[page].values() for row in rows)
    numbered = re.findall(r"(?:Equation|Table|Figure|Footnote) [\w()]+", whats)
    assert not [name for name in NUMBERED[page] if name not in numbered]


@pytest.mark.slow
def test_conclusions_with_another_seed(tmp_path: Path, xcg_command: Command) -> None:
    """A conclusion that depends on the seed is named on the page."""
    (section,) = (name for name in EXAMPLES["kazai-lalmas-2006"] if "Reliability" in name)
    examples = EXAMPLES["kazai-lalmas-2006"][section]
    session = PaperSession(tmp_path, xcg_command)
    session.run(examples[0].source.removeprefix("$ ").strip() + " --seed 1")
    for example in (*EXAMPLES["kazai-lalmas-2006"][""], examples[1]):
        assert not list(session.differences(example))
    conclusions = [example for example in examples if example.published == "yes"]
    changed = [one.what for one in conclusions if list(session.differences(one))]
    assert len(conclusions) == 14
    assert changed == ["Q makes fewer errors than MAep."]


@pytest.mark.parametrize("page", PRINTED)
def test_published_values_are_equal_or_the_page_says_why_not(page: str) -> None:
    rows = [row for found in EXAMPLES[page].values() for row in found if row.kind == "row"]
    silent = [row for row in rows if not row.is_equal and len(_CODE.sub("", row.result)) < 5]
    assert not silent, "\n".join(f"line {row.line}: {row.published}: {row.result}" for row in silent)
    assert all(row.published for row in rows)


@pytest.mark.parametrize("page", PRINTED)
def test_every_printed_value_of_a_table_has_a_row(page: str) -> None:
    rows = [row for found in EXAMPLES[page].values() for row in found if row.kind == "row"]
    for table, values in PRINTED[page].items():
        found = [
            float(number)
            for row in rows
            if row.what.startswith(f"{table}:")
            for number in _NUMBER.findall(row.published)
        ]
        assert found == [float(value) for value in values.split()], table


def test_table_ii_has_each_printed_digit() -> None:
    blocks = [
        e for found in EXAMPLES["kazai-lalmas-2006"].values() for e in found if e.kind == "console"
    ]
    lines = [line for block in blocks for line in block.source.splitlines() if "  " in line]
    ours = [
        float(one) for line in lines if "@" not in line and "Q" not in line for one in line.split()[1:]
    ]
    printed = _TABLE_II.split()
    assert len(printed) == 100
    assert all(prints(text, value) for text, value in zip(printed, ours, strict=True))


def test_a_wrong_result_is_found(tmp_path: Path, xcg_command: Command) -> None:
    session = PaperSession(tmp_path, xcg_command)

    def correct(kind: Literal["console", "pycon", "row"], source: str, result: str = "") -> bool:
        return not list(session.differences(Example(1, kind, source, "what", result)))

    command = "xcg evaluate configs/kazai-lalmas-2006.yaml --measures MAep"
    assert correct("row", "`1 + 1`", "`2`")
    assert not correct("row", "`1 + 1`", "`3`")
    assert correct("row", f"`{command}`", "`reverse_… 0.7500` and `rel_leaves 0.6333`")
    assert not correct("row", f"`{command}`", "`rel_leaves 0.633`")
    assert not correct("row", f"`{command}`", "`ideal 1.0000` and `rel_leaves 0.6334`")
    assert correct("pycon", ">>> 1 + 1\n2\n")
    assert not correct("pycon", ">>> 1 + 1\n3\n")
    assert correct("console", f"$ {command}\n…\nreverse_ideal  0.7500\nrel_leaves     0.6333\n")
    assert not correct("console", f"$ {command}\n…\nreverse_ideal  0.7500\n")
