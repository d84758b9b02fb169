"""From documents and questions to the first table, with the commands of the start page."""

from __future__ import annotations

import csv
import json
import random
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ROOT, Command, load_script
from page_session import code_blocks

WORDS = ["backup", "agent", "server", "passphrase", "folder", "disk", "restore", "schedule", "log"]


def commands() -> list[str]:
    """Return the commands of the start page."""
    page = (ROOT / "docs" / "start" / "chunks.md").read_text(encoding="utf-8")
    (block,) = (
        one for one in code_blocks(page) if "questions.csv" in one.content and one.language == "sh"
    )
    return [line.partition(" #")[0].strip() for line in block.content.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with 100 Markdown files and 25 questions with quotes."""
    rng = random.Random(5)
    rows = []
    for number in range(100):
        lines = [f"# Page {number}\n"]
        for part in range(6):
            words = " ".join(rng.choices(WORDS, k=40))
            lines.append(f"## Part {part}\n\nRule {number}.{part}: {words}.\n")
        path = tmp_path / "docs" / f"chapter-{number % 4}" / f"page-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines))
        if number % 4 == 1:
            quote = lines[3].splitlines()[2]
            rows.append([f"What is rule {number}.2 about {quote.split()[2]}?", quote[:90]])
    with (tmp_path / "questions.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["question", "quote"], *rows])
    assert len(rows) == 25
    return tmp_path


@pytest.mark.slow
def test_five_commands_lead_to_the_first_table(folder: Path, xcg_command: Command) -> None:
    pip, *others = commands()
    assert pip == "pip install ."
    assert len(others) <= 4
    for command in others:
        program, *words = shlex.split(command)
        if program == "xcg":
            done = xcg_command(*words, cwd=folder)
        else:
            assert program == "python"
            done = subprocess.run(
                [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False
            )
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr
        assert "warning" not in done.stderr
        if "place" in words:
            assert "25 passages: 25 exact" in done.stderr
    heading, *runs = (line.split() for line in done.stdout.splitlines() if line.strip())
    assert heading[:2] == ["run", "questions"]
    assert [run[:3] for run in runs] == [[f"words-{n:03}", "25", "0"] for n in (10, 20, 40, 80, 160)]


@pytest.mark.slow
def test_the_page_shows_what_attacks_achieve() -> None:
    page = (ROOT / "docs" / "howto" / "chunk-sizes.md").read_text(encoding="utf-8")
    assert load_script(ROOT / "benchmarks" / "chunk_attacks.py").table() in page


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_page_shows_the_scores_of_other_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    for tool in ("ragas", "rapidfuzz", "ranx", "spanchor", "llama_index"):
        if find_spec(tool) is None:  # to import ragas needs the script
            pytest.skip(f"needs {tool}")
    page = (ROOT / "docs" / "decisions" / "official-evaluators.md").read_text(encoding="utf-8")
    table, agree = load_script(ROOT / "benchmarks" / "rag_tools.py").table()
    assert agree
    assert table in page


def test_the_questions_of_the_sample_are_its_gold(tmp_path: Path, xcg_command: Command) -> None:
    sample = ROOT / "corpora_samples" / "chunks"
    placed = xcg_command("place", sample / "questions.csv", "--corpus", sample / "docs", cwd=tmp_path)
    assert "16 passages: 16 exact" in placed.stderr
    questions = json.loads((sample / "questions.json").read_text())
    gold = [json.loads(line) for line in (sample / "gold.jsonl").read_text().splitlines()]
    found = [json.loads(line) for line in placed.stdout.splitlines()]
    assert [(one["topic"], one["doc"], one["exact"]) for one in found] == [
        (questions[one["topic"]], one["doc"], one["exact"]) for one in gold
    ]
