"""Run the commands and examples in docs/decisions/papers/, and compare their results with the pages.

The text before the first section of a page prepares each of its sections. In tables, the second column
holds a command or a Python expression, and code in the third column is its result. A block ``console``
shows commands with their whole output, and a block ``pycon`` is a Python session. ``…`` stands for any
text in a line, or for any lines.
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

_PART = re.compile(r"^```(\w+)\n((?s:.*?))^```|^\|(.*)\|$|^## (.*)$", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")


class Example(NamedTuple):
    """A code block or a table row, which has a description, a command or expression, and a result."""

    line: int
    kind: Literal["console", "pycon", "row"]
    source: str
    what: str = ""
    result: str = ""


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
            assert len(cells) == 3, f"{page.name}:{line}: expected three columns"
            if cells[0] != "what":
                found[section].append(Example(line, "row", cells[1], cells[0], cells[2]))
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_references_to_sections_work(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert not set(re.findall(r"\]\(#([^)]+)\)", text)) - anchors


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
