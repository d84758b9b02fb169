"""``xcg break`` prints the smallest case for each broken law."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Command
from xcg.installation import install_command


def test_ndcg_over_chunks_exceeds_1_for_a_repeated_chunk(xcg_command: Command) -> None:
    done = xcg_command(
        "break", "xcg.laws.chunk_measures:ndcg_over_chunks", "--law", "boundedness", "--format", "json"
    )
    assert (done.returncode, done.stderr) == (1, "")
    (record,) = json.loads(done.stdout)
    # The smallest case: one character with grade 1, retrieved twice; 1 + 1 / log2(3).
    assert record["documents"] == {"a": "a"}
    assert record["gold"] == [["a", 0, 1, 1]]
    assert record["ranking"] == [["a", 0, 1], ["a", 0, 1]]
    assert record["score"] == pytest.approx(1 + 1 / math.log2(3), abs=1e-12)


def test_the_smallest_case_as_text(xcg_command: Command) -> None:
    done = xcg_command("break", "xcg.laws.chunk_measures:ndcg_over_chunks", "--law", "no-pay-twice")
    assert done.returncode == 1
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


def test_a_user_who_ignores_overlap_rewards_text_twice(xcg_command: Command) -> None:
    done = xcg_command(
        "break", "nxCG@10", "--user-model", "overlap-off", "--law", "boundedness", "--format", "jsonl"
    )
    assert done.returncode == 1
    record = json.loads(done.stdout)
    assert record["subject"] == "nxCG@10 under overlap-off (alpha 0)"
    # One gold element, retrieved twice, gains 2; the ideal gains 1.
    assert record["documents"] == {"a": "<article>a</article>"}
    assert (record["ranking"], record["score"]) == ([["a", 0, 1]] * 2, 2.0)


@pytest.mark.slow
def test_the_status_is_0_if_all_laws_held(xcg_command: Command) -> None:
    laws = ("--law", "boundedness", "--law", "no-pay-twice", "--law", "ideal")
    done = xcg_command("break", "nxCG@3", *laws, "--examples", "40")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "nxCG@3 under kazai-lalmas-2006 (alpha 1), seed 0"
    assert [line.partition(": held in ")[0] for line in lines[1:]] == [
        "boundedness",
        "no-pay-twice",
        "ideal",
    ]


@pytest.mark.slow
def test_nothing_is_written_to_the_working_directory(xcg_process: Command, tmp_path: Path) -> None:
    command = ("break", "xcg.laws.chunk_measures:recall_over_chunks", "--examples", "20", "--seed", "5")
    done = xcg_process(*command, cwd=tmp_path)
    assert done.returncode == 1
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


@pytest.mark.slow
@pytest.mark.usefixtures("module")
def test_a_users_own_function_is_tested(xcg_command: Command, tmp_path: Path) -> None:
    options = ("--examples", "20", "--effort", "ranks")
    done = xcg_command("break", "mine:covered", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(": held in ") == 6


@pytest.mark.slow
@pytest.mark.usefixtures("module")
def test_the_user_of_a_function_pays_for_padding(xcg_command: Command, tmp_path: Path) -> None:
    done = xcg_command("break", "mine:covered", "--law", "padding", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[1].startswith("padding: broken, in case ")
    assert lines[2:] == [
        "  Adding text without relevant text to a result never increases the score; if",
        "  the user pays for whole results, adding it to the first of the best results",
        "  decreases the score.",
        '  document a: "[a] "',
        '  gold: a 0–1 "a", grade 1',
        "  before: score 1",
        '     1. a 0–1 "a"',
        "  after: score 1",
        '     1. a 0–2 "a "',
        "  The score stayed at 1. Padding costs nothing: a system that returns the answer",
        "  with pages of other text is at least as good as one that returns the answer",
        "  alone.",
    ]
    options = ("--law", "padding", "--effort", "ranks", "--examples", "100")
    assert xcg_command("break", "mine:covered", *options, cwd=tmp_path).returncode == 0


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine:raises"], "mine:raises raised ZeroDivisionError: division by zero"),
        (["mine:nan"], "mine:nan returned nan: expected a finite number"),
        (["mine:text"], "mine:text returned 'high': expected a number"),
        (
            ["mine:impure"],
            "mine:impure returned two scores for the same case: expected a pure function",
        ),
        (["mine:number"], "'mine:number' is not a function"),
        (["mine:absent"], "cannot import the function 'mine:absent': AttributeError"),
        (["absent:mine"], "cannot import the function 'absent:mine': ModuleNotFoundError"),
        (["MAepp"], "unknown measure 'MAepp': did you mean 'MAep'?"),
        (["nxCG"], "nxCG lacks its cutoff"),
        (["ESL"], "ESL is lower-is-better: the laws are for higher-is-better measures"),
        (["MAep", "--user-model", "nobody"], "unknown user model 'nobody'"),
        (["MAep", "--effort", "text"], "--effort has no effect on a measure of xcg"),
        (["mine:covered", "--user-model", "levels"], "--user-model has no effect on a function"),
        (["mine:covered", "--law", "ordr"], "unknown law 'ordr': did you mean 'order'?"),
        (["mine:covered", "--examples", "0"], "0 is not in the range"),
    ],
)
def test_errors_are_one_message(
    xcg_command: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = xcg_command("break", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    if "--law" in arguments:
        assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("module")
def test_the_smallest_case_that_makes_a_function_fail(xcg_command: Command, tmp_path: Path) -> None:
    done = xcg_command("break", "mine:raises", "--law", "ideal", "--format", "json", cwd=tmp_path)
    assert done.returncode == 2
    (record,) = json.loads(done.stdout)
    assert record["verdict"] == "failed"
    assert record["failure"] == "raised ZeroDivisionError: division by zero"
    assert len(record["ranking"]) == 2
    assert record["score"] is None
    shown = xcg_command("break", "mine:raises", "--law", "ideal", cwd=tmp_path).stdout
    assert "  ranking: raised ZeroDivisionError: division by zero\n     1. a 0–1" in shown


def test_without_hypothesis_the_extra_is_named(
    xcg_process: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the command is relative to the folder in which xcg runs
    (tmp_path / "hypothesis.py").write_text("raise ModuleNotFoundError(name='hypothesis')\n")
    done = xcg_process("break", "MAep", cwd=tmp_path)
    assert done.returncode == 2
    command = install_command("break")
    assert done.stderr == f"xcg: error: xcg break needs hypothesis: {command}\n"


def test_the_page_on_installation_names_the_extra() -> None:
    page = ROOT / "docs" / "start" / "install.md"
    assert "| `break` | `xcg break`" in page.read_text(encoding="utf-8")
