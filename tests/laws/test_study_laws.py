"""``xcg study laws`` prints the smallest case for each broken law."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Command


def laws(measure: str, **keys: Any) -> list[str]:
    """Return the arguments that search a measure with keys of the study."""
    sets = [f"study.laws.{key}={value}" for key, value in keys.items()]
    return ["study", "laws", "--measure", measure, *(w for one in sets for w in ("--set", one))]


def test_the_smallest_case_as_text_and_as_record(xcg_command: Command) -> None:
    call = [*laws("nxCG@1", law="boundedness"), "--set", "user_model=spans"]
    done = xcg_command(*call)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "nxCG@1 under spans (alpha 1), seed 0"
    assert lines[1].startswith("boundedness: broken, in case ")
    assert lines[2:] == [
        "  The score of any ranking lies between 0 and 1.",
        '  document a: "[a][ ]"',
        '  gold: a 0–1 "a", grade 1',
        '  gold: a 1–2 " ", grade 1',
        "  ranking: score 2",
        '     1. a 0–2 "a "',
        "  The score 2 is above 1. Scores are not fractions of the best possible score:",
        "  means over topics lose their meaning, and a system can win by what increases",
        "  the score beyond 1.",
    ]
    (record,) = json.loads(xcg_command(*call, "--format", "json").stdout)["records"]
    assert record["documents"] == {"a": "a "}
    assert record["gold"] == [["a", 0, 1, 1], ["a", 1, 2, 1]]
    assert (record["ranking"], record["score"]) == ([["a", 0, 2]], 2)


@pytest.mark.slow
def test_nothing_is_written_to_the_working_directory(xcg_process: Command, tmp_path: Path) -> None:
    command = laws("nxCG@2", examples=5, seed=5)
    done = xcg_process(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    # Hypothesis takes constants from imported modules, so only processes of their own are comparable.
    again = xcg_process(*command, cwd=tmp_path)
    assert again.stdout == done.stdout


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide a module ``mine`` with measures, as in the user's working directory."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    (tmp_path / "mine.py").write_text(
        "calls = 0\n"
        "def raises(topic):\n"
        "    return 1 / (len(topic.gains) != 2)\n"
        "def nan(topic):\n"
        "    return float('nan')\n"
        "def impure(topic):\n"
        "    global calls\n"
        "    calls += 1\n"
        "    return calls * 0.37 % 3\n"
    )


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine:raises"], "the function failed: ZeroDivisionError: division by zero"),
        (["mine:nan"], "the function returned nan: expected a finite number"),
        (
            ["mine:impure"],
            " returned two scores for the same case: expected a pure function",
        ),
        (["mine:absent"], "cannot import the measure 'mine:absent': AttributeError"),
        (["ESL"], "ESL is lower-is-better: the laws are for higher-is-better measures"),
        (["MAep", "--set", "user_model=nobody"], "unknown user model 'nobody'"),
        (["MAep", "--set", "study.laws.examples=0"], "study.laws.examples: expected "),
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
