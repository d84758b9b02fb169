"""The rules and a short run of hostile commands; for longer runs see benchmarks/fuzz.py."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

BENCHMARKS = ROOT / "benchmarks"
MESSAGE = b"xcg: error: run.xml: expected a run\n"


@pytest.mark.slow
def test_a_campaign_has_the_same_scores_in_all_formats_and_no_lost_field_is_silent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    findings = importlib.import_module("second_forms").findings
    assert [found for number in range(20) for found in findings(tmp_path, number, 2)] == []


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("hostile_commands")


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr", "broken"),
    [
        ("evaluate c.yaml", 0, b"run MAep\n", b"xcg: note: a\n", []),
        ("evaluate c.yaml", 2, b"", MESSAGE, []),
        ("gate c.yaml", 3, b"", MESSAGE, []),
        ("place p --update", 2, b"{}\n", b"xcg: warning: lost\n", []),
        ("evaluate c.yaml", 2, b"", b"Usage: xcg\n\nError: No such option: --x\n", []),
        ("evaluate c.yaml", 0, b"", MESSAGE, ["1 messages with status 0"]),
        ("evaluate c.yaml", 1, b"", b"", ["status 1 without a gate"]),
        ("evaluate c.yaml", 2, b"", b"", ["0 messages with status 2"]),
        ("evaluate c.yaml", 2, b"run\n", MESSAGE, ["output of a failed command"]),
        ("evaluate c.yaml", -11, b"", b"", ["ended by signal 11"]),
        ("gate c.yaml", 1, b"", b"Traceback (most recent call last):\n", ["traceback"]),
        ("evaluate c.yaml", 0, b"a\x1b[31mb\x1b[0m\n", b"", []),
        ("evaluate c.yaml", 0, b"a\x1b[2J\n", b"", ["a control character on standard output"]),
        (
            "evaluate c.yaml",
            0,
            b"a\n",
            "xcg: a\u202eb\n".encode(),
            ["a control character on standard error"],
        ),
    ],
)
def test_the_rules_for_the_end_of_a_command(
    hostile: ModuleType, command: str, status: int, stdout: bytes, stderr: bytes, broken: list[str]
) -> None:
    call = hostile.Call(command.split())
    assert hostile.problems(call, hostile.Ended(status, stdout, stderr), {}, {}) == broken


@pytest.mark.slow
def test_the_calls_succeed_on_undamaged_samples() -> None:
    program = "import hostile_commands; print(*hostile_commands.failing_templates(), sep='')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=BENCHMARKS, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_a_short_run_of_hostile_commands(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "fuzz.py", "--inputs", "0", "--calls", "60", "--keep", tmp_path],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_the_benchmark_of_growth_runs() -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "growth.py", "0.05", "1"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split(" | ") for line in done.stdout.splitlines()[2:]]
    assert len(rows) == 12
    # Quadratic time would give ratios of 4 and 16. Fixed costs make the ratios lower.
    assert all(float(ratio) < 3 for row in rows for ratio in row[3].split(", "))
