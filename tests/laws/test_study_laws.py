"""``xcg study laws`` prints the smallest case for each broken law."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Command


def laws(measure: str, **keys: Any) -> list[str]:
    """Return the arguments that search a measure with keys of the study."""
    sets = [f"study.laws.{key}={value}" for key, value in keys.items()]
    return ["study", "laws", "--measure", measure, *(w for one in sets for w in ("--set", one))]


def test_ndcg_over_chunks_exceeds_1_for_a_repeated_chunk(xcg_command: Command) -> None:
    call = laws("xcg.laws.chunk_measures:ndcg_over_chunks", law="boundedness")
    done = xcg_command(*call, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    (record,) = json.loads(done.stdout)["records"]
    # The smallest case: one character with grade 1, retrieved twice; 1 + 1 / log2(3).
    assert record["documents"] == {"a": "a"}
    assert record["gold"] == [["a", 0, 1, 1]]
    assert record["ranking"] == [["a", 0, 1], ["a", 0, 1]]
    assert record["score"] == pytest.approx(1 + 1 / math.log2(3), abs=1e-12)


def test_the_smallest_case_as_text(xcg_command: Command) -> None:
    done = xcg_command(*laws("xcg.laws.chunk_measures:ndcg_over_chunks", law="no-pay-twice"))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "xcg.laws.chunk_measures:ndcg_over_chunks, seed 0"
    assert lines[1].startswith("no-pay-twice: broken, in case ")
    assert lines[2:] == [
        "  A result that repeats an earlier result, or lies inside one, never increases",
        "  the score.",
        '  document a: "[a]"',
        '  gold: a 0–1 "a", grade 1',
        "  before: score 1",
        '     1. a 0–1 "a"',
        "  after: score 1.6309",
        '     1. a 0–1 "a"',
        '     2. a 0–1 "a"',
        "  The score rose from 1 to 1.6309. The measure rewards the same text twice: a",
        "  system gains by returning what its user has already read.",
    ]


@pytest.mark.slow
def test_nothing_is_written_to_the_working_directory(xcg_process: Command, tmp_path: Path) -> None:
    command = laws("xcg.laws.chunk_measures:recall_over_chunks", examples=20, seed=5)
    done = xcg_process(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    # Hypothesis takes constants from imported modules, so only processes of their own are comparable.
    again = xcg_process(*command, cwd=tmp_path)
    assert again.stdout == done.stdout


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide a module ``mine`` with functions, as in the user's working directory."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    (tmp_path / "mine.py").write_text(
        "calls = 0\n"
        "def covered(gold, ranking):\n"
        "    of = {(g.document, i) for g in gold for i in range(g.start, g.end)}\n"
        "    seen = {(d, i) for d, start, end in ranking for i in range(start, end)}\n"
        "    return len(of & seen) / len(of)\n"
        "def raises(gold, ranking):\n"
        "    return 1 / (len(ranking) != 2)\n"
        "def nan(gold, ranking):\n"
        "    return float('nan')\n"
        "def text(gold, ranking):\n"
        "    return 'high'\n"
        "def impure(gold, ranking):\n"
        "    global calls\n"
        "    calls += 1\n"
        "    return calls * 0.37 % 3\n"
        "number = 1\n"
    )


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine:raises"], "mine:raises raised ZeroDivisionError: division by zero"),
        (["mine:nan"], "mine:nan returned nan: expected a finite number"),
        (
            ["mine:impure"],
            "mine:impure returned two scores for the same case: expected a pure function",
        ),
        (["mine:absent"], "cannot import the function 'mine:absent': AttributeError"),
        (["ESL"], "ESL is lower-is-better: the laws are for higher-is-better measures"),
        (["MAep", "--set", "user_model=nobody"], "unknown user model 'nobody'"),
        (["mine:covered", "--set", "user_model=levels"], "user_model has no effect on a function"),
        (["mine:covered", "--set", "study.laws.examples=0"], "study.laws.examples: expected "),
    ],
)
def test_errors_are_one_message(
    xcg_command: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = xcg_command("study", "laws", "--measure", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_without_hypothesis_the_extra_is_named(
    xcg_process: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the command is relative to the folder in which xcg runs
    (tmp_path / "hypothesis.py").write_text("raise ModuleNotFoundError(name='hypothesis')\n")
    done = xcg_process(*laws("MAep"), cwd=tmp_path)
    assert done.returncode == 2
    assert "study laws needs hypothesis: " in done.stderr
    assert done.stderr.endswith("-m pip install 'xcg[break]'\n")


def test_the_page_on_installation_names_the_extra() -> None:
    page = ROOT / "docs" / "start" / "install.md"
    assert "| `break` | `xcg study laws`" in page.read_text(encoding="utf-8")
