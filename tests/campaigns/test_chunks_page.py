"""Do what the page on chunks says, and compare the output; check its samples."""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Command
from page_output import is_output

import xcg

SAMPLES = ROOT / "corpora_samples" / "chunks"
PAGE = (ROOT / "docs" / "start" / "chunks.md").read_text(encoding="utf-8")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUNS = ("pages", "sections", "windows")
COMMANDS = [
    tuple(command.partition("\n")[::2])
    for block in CONSOLE.findall(PAGE)
    for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the samples, with the test file of the page."""
    copy = tmp_path / "chunks"
    shutil.copytree(SAMPLES, copy)
    (test,) = PYTHON.findall(PAGE)
    (copy / "test_retrieval.py").write_text(test, encoding="utf-8")
    return copy


def run_in_shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that is not xcg."""
    words = ["bash", "-c", line]
    if line.startswith("pytest "):
        words = [sys.executable, "-m", *shlex.split(line), "-p", "no:cacheprovider"]
    return subprocess.run(
        words,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_commands_print_what_the_page_shows(folder: Path, xcg_command: Command) -> None:
    assert len(COMMANDS) >= 17
    status = 0
    for line, shown in COMMANDS:
        if line == "echo $?":
            assert shown.strip() == str(status)
            continue
        if line.startswith("xcg "):
            done = xcg_command(*shlex.split(line)[1:], cwd=folder)
        else:
            done = run_in_shell(line, folder)
        status = done.returncode
        assert is_output(shown, done.stdout + done.stderr), f"$ {line}\n{done.stdout}{done.stderr}"


def test_a_status_that_is_not_zero_is_shown() -> None:
    """Each failing command except pytest, which names its failure, is followed by ``echo $?``."""
    lines = [line for line, _ in COMMANDS]
    failing = [lines[number - 1] for number, line in enumerate(lines) if line == "echo $?"]
    assert [line.split()[1] for line in failing] == ["chunks", "compare"]


def test_the_script_writes_the_sample_runs(tmp_path: Path) -> None:
    script = ROOT / "corpora_samples" / "make_chunk_samples.py"
    subprocess.run(
        [sys.executable, script, tmp_path], check=True, env={"PYTHONPATH": str(ROOT), "PATH": ""}
    )
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.jsonl"))
    assert written == [Path("framework.jsonl"), *(Path("runs") / f"{run}.jsonl" for run in RUNS)]
    for path in written:
        assert (tmp_path / path).read_text() == (SAMPLES / path).read_text(), path


def test_each_question_has_gold_and_results() -> None:
    questions = set(json.loads((SAMPLES / "questions.json").read_text(encoding="utf-8")))
    assert len(questions) == 13
    for path in (SAMPLES / "gold.jsonl", *(SAMPLES / "runs").iterdir()):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["topic"] for line in lines} == questions


def test_text_and_offsets_have_the_same_scores() -> None:
    measures = ["SpanRecall@5", "Success@5", "RR"]
    runs = [SAMPLES / "framework.jsonl", SAMPLES / "runs" / "sections.jsonl"]
    found = xcg.evaluate(
        SAMPLES / "gold.jsonl", runs, SAMPLES / "docs", measures=measures, document="file name"
    )
    for measure in measures:
        for topic in found.topics:
            by_text, by_offsets = (found.value(run, measure, topic) for run in found.runs)
            assert by_text == by_offsets


def test_the_example_by_hand() -> None:
    """A span of 39.5 tokens is in the first section, of 57 tokens, and in the first page, of 258.

    The reader pays the other tokens first. For a share r of the gain the ideal reader pays 39.5 r
    tokens. So MAep = ∫ 39.5 r / (other + 39.5 r) dr = 1 − other / 39.5 · ln(all / other).
    """
    results = xcg.evaluate(
        SAMPLES / "gold.jsonl",
        [SAMPLES / "runs" / f"{run}.jsonl" for run in ("sections", "pages")],
        SAMPLES / "docs",
        measures="MAep SpanPrecision@1",
    )
    for run, other, shown in (
        ("sections", 17.5, "ln(57 / 17.5) = {:.3f}"),
        ("pages", 218.5, "218.5 other tokens, which gives {:.3f}"),
    ):
        expected = 1 - other / 39.5 * math.log((39.5 + other) / other)
        found = results.value(run, "MAep", "power-failure")
        assert found == pytest.approx(expected, abs=1e-12)
        assert shown.format(expected) in PAGE
    # 167 of the 247 characters of the first result are gold.
    precision = results.value("sections", "SpanPrecision@1", "power-failure")
    assert precision == pytest.approx(167 / 247, abs=1e-12)
