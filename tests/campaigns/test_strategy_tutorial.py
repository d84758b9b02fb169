"""Do what the tutorial on overlap strategies says, and compare the output."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT, SYSTEM, Command
from page_session import add_samples, code_blocks, commands

PAGE = (ROOT / "docs" / "howto" / "add-a-strategy.md").read_text(encoding="utf-8")
BLOCKS = list(code_blocks(PAGE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of the tutorial, whose strategy is also installed as a package."""
    folder = tmp_path_factory.mktemp("tutorial")
    add_samples(folder, "assessments", "corpora_samples")
    packages = folder / "packages" / "mine-1.0.dist-info"
    packages.mkdir(parents=True)
    (packages / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    for block in BLOCKS:
        if block.file:
            (folder / block.file).write_text(block.content, encoding="utf-8")
        if block.language == "toml":
            groups = tomllib.loads(block.content)["project"]["entry-points"]
            lines = [
                line
                for group, entries in groups.items()
                for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
            ]
            (packages / "entry_points.txt").write_text("\n".join(lines))
    return folder


def run(folder: Path, *arguments: str) -> str:
    """Run Python in the folder, with the installed package, and return its output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**SYSTEM, "PYTHONPATH": os.pathsep.join([str(ROOT), "packages", "."]), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_command_prints_what_the_page_shows(folder: Path) -> None:
    shown = [
        example
        for block in BLOCKS
        if block.language == "console"
        for example in commands(block.content)
    ]
    assert len(shown) == 5
    for line, expected in shown:
        program, *arguments = shlex.split(line)
        assert program == "xcg"
        assert run(folder, "-m", "xcg", *arguments) == expected, line
    assert (folder / "rewritten.txt").stat().st_size > 10_000


def test_an_installed_strategy_is_listed_and_explained(folder: Path) -> None:
    assert "one_per_section(tags=sec, count=1)" in run(folder, "-m", "xcg", "strategies")
    explained = run(folder, "-m", "xcg", "strategies", "one_per_section")
    assert "Keep the best results of each section." in explained


@pytest.mark.slow
def test_the_program_prints_what_the_page_shows(folder: Path) -> None:
    (expected,) = (block.content for block in BLOCKS if block.language == "text")
    assert run(folder, "study.py") == expected


@pytest.mark.slow
def test_the_test_passes_and_detects_another_strategy(folder: Path, tmp_path: Path) -> None:
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py")
    assert "1 passed" in run(folder, *arguments)
    source = (folder / "mine.py").read_text()
    (tmp_path / "mine.py").write_text(source.replace("<= count", "<= count + 1"))
    (tmp_path / "test_mine.py").write_text((folder / "test_mine.py").read_text())
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tmp_path,
        env={**SYSTEM, "PYTHONPATH": f"{ROOT}{os.pathsep}.", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed" in done.stdout


def test_the_strategy_has_at_most_twenty_lines(folder: Path) -> None:
    functions = (folder / "mine.py").read_text().partition("\ndef ")[2]
    assert sum(bool(line.strip()) for line in functions.splitlines()) <= 20


def test_the_strategy_asks_for_a_corpus(folder: Path, xcg_command: Command) -> None:
    files = ("--assessments", "assessments/handbook", "--run", "corpora_samples/handbook-thorough")
    done = xcg_command("evaluate", *files, "--strategy", "mine:one_per_section", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "mine:one_per_section: effort-precision: the strategy needs the document" in done.stderr
