"""Compare the page on overlap strategies with the scores of the handbook."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT, Command, load_script
from page_session import add_samples, code_blocks, commands

import xcg

PAGE = (ROOT / "docs" / "studies" / "overlap-strategies.md").read_text(encoding="utf-8")
TEXT_MEASURES = "nxCG(budget=characters)@2000 MAep(effort=characters) iMAep(effort=characters)"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script(ROOT / "benchmarks" / "overlap_strategies.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in which the commands of the page can write files."""
    add_samples(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_commands_print_what_the_page_shows(folder: Path, xcg_command: Command) -> None:
    shown = [
        example
        for block in code_blocks(PAGE)
        if block.language == "console"
        for example in commands(block.content)
    ]
    assert len(shown) == 2
    for line, expected in shown:
        program, *arguments = shlex.split(line)
        assert program == "xcg"
        done = xcg_command(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout == expected, line
    rewritten = xcg.read_run(folder / "focused.xml").rankings
    committed = xcg.read_run(ROOT / "corpora_samples" / "handbook-runs" / "focused.xml").rankings
    assert {topic: ranking.top(60) for topic, ranking in rewritten.items()} == committed


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        (),
        (
            *("--assessments", "assessments/handbook-passages", "--user-model", "spans"),
            *("--measures", TEXT_MEASURES),
        ),
    ],
    ids=["elements", "text"],
)
def test_the_tables_of_the_handbook(
    options: tuple[str, ...],
    folder: Path,
    script: ModuleType,
    xcg_command: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ("evaluate", "configs/strategies.yaml", *options, "--per-topic", "--format", "jsonl")
    assert " ".join(command[:2]) in PAGE
    done = xcg_command(*command, "--output", "scores.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    script.main([str(folder / "scores.jsonl")])
    tables = capsys.readouterr().out.strip().split("\n\n")
    assert len(tables) == 4
    assert tables[0] in PAGE


def test_the_table_of_chunks_of_the_handbook(xcg_command: Command) -> None:
    text = PAGE.partition("## Chunks")[2].replace("\\\n", "")
    line = next(line for line in text.splitlines() if line.startswith("xcg evaluate configs"))
    done = xcg_command(*shlex.split(line)[1:], "--format", "csv")
    assert done.returncode == 0, done.stderr
    scores: dict[str, list[str]] = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        score = f"{float(row['value']):.4f}".removeprefix("0")
        scores.setdefault(row["run"].partition("+")[2], []).append(score)
    assert len(scores) == 5
    for strategy, values in scores.items():
        assert f"| `{strategy}` | {' | '.join(values)} |" in text.partition("| Evidence")[0]
