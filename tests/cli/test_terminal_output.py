"""Tables on a terminal fit its width; a pipe gets everything."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from terminals import on_terminal

from xcg.table_formats import cell_length
from xcg.terminal_tables import Terminal

CONFIG = "configs/quickstart.yaml"
CHUNKS = "corpora_samples/chunks"
PAPER = "configs/kazai-lalmas-2006.yaml"
GOLD = f"--gold {CHUNKS}/gold.jsonl --corpus {CHUNKS}/docs --run {CHUNKS}/runs"
ONE_MODEL = "--user-model kazai-lalmas-2006 --measures MAep"
SET_MODEL = "--set user_model=kazai-lalmas-2006 --set measures=MAep"
COMMANDS = [
    f"evaluate {CONFIG}",
    f"compare {CONFIG} --baseline articles",
    f"compare {CONFIG} --table orders --set compare.resamples=0",
    f"gate {CONFIG} {ONE_MODEL} --fail-under MAep=0.001",
    "sweep configs/sweep.yaml --set sweep.resamples=0",
    f"sweep {CONFIG} --strategy thorough --strategy top_ranked --set sweep.step=0.5 {ONE_MODEL}",
    f"chunks {GOLD}",
    f"chunks {GOLD} --questions",
    f"check {GOLD} --review",
    f"check {CONFIG} --levels",
    f"check {CONFIG}",
    f"curves {CONFIG} --at 5 --format table",
    f"explain {PAPER} --run rel_leaves --topic 163",
    f"study perturb {PAPER} --set runs=ideal --set study.perturb.counts=1",
    f"study plan {CONFIG} --set study.plan.difference=0.1 {SET_MODEL}",
    f"study calibrate {CONFIG} --set study.calibrate.test=t --set study.calibrate.campaigns=10",
    "study levels --set study.levels.repetitions=1",
    f"study topics {CONFIG} {SET_MODEL} --set study.topics.trials=5",
    "list",
    "list user-models distance",
]
HOSTILE = "漢字の実行名" * 6 + "\x1b[31mred" + "-a-long-name" * 8 + "x" * 90


def widest(text: str) -> int:
    """Return the number of columns of the widest line."""
    return max(map(cell_length, text.splitlines()))


@pytest.fixture
def at_80_columns(monkeypatch: pytest.MonkeyPatch, xcg_command: Command) -> Command:
    """Run ``xcg`` in this process as if standard output were a terminal."""
    monkeypatch.setattr(Terminal, "of", lambda _: Terminal(80))
    return xcg_command


@pytest.mark.parametrize("line", COMMANDS)
def test_no_line_is_wider_than_80_columns(line: str, at_80_columns: Command) -> None:
    done = at_80_columns(*line.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert widest(done.stdout) <= 80
    assert "\x1b" not in done.stdout


@pytest.fixture
def campaign(tmp_path: Path) -> list[str]:
    """Return the options of a campaign with 50 topics and a run with a hostile name."""
    wide = HOSTILE.replace("\x1b", "")
    topics = [f"{number}-{wide}" for number in range(50)]
    (tmp_path / "gold.qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in topics))
    runs = []
    for name in (HOSTILE, "b"):
        path = tmp_path / f"{len(name)}.trec"
        path.write_text("".join(f"{topic} Q0 d 1 1 {name}\n" for topic in topics))
        runs += ["--run", str(path)]
    return ["--assessments", str(tmp_path / "gold.qrels"), *runs, "--measures", "P@1 RR"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "width"), [("evaluate", 60), ("evaluate --per-topic", 80), ("compare", 200)]
)
def test_hostile_and_wide_names(campaign: list[str], command: str, width: int) -> None:
    done = on_terminal(*command.split(), *campaign, width=width)
    assert done.returncode == 0, done.stderr
    assert widest(done.stdout) <= width
    assert "\x1b" not in done.stdout
    assert r"\x1b[" in "".join(line.strip() for line in done.stdout.splitlines())


def test_an_unknown_width_is_80_columns() -> None:
    assert 60 < widest(on_terminal("evaluate", CONFIG, width=0).stdout) <= 80


def test_columns_overrides_the_width() -> None:
    done = on_terminal("evaluate", CONFIG, COLUMNS="60", NO_COLOR="1")
    assert 50 < widest(done.stdout) <= 60


def test_a_terminal_shows_a_legend_and_a_pipe_does_not(xcg_command: Command) -> None:
    call = ["evaluate", CONFIG, *ONE_MODEL.split()]
    table, legend = on_terminal(*call).stdout.split("\n\n")
    assert f"{table}\n" == xcg_command(*call).stdout
    assert legend == (
        "MAep  mean average effort-precision\nMeans over 15 topics.\nUser model: kazai-lalmas-2006.\n"
    )


@pytest.mark.slow
def test_a_file_is_wide_and_complete(tmp_path: Path, xcg_command: Command) -> None:
    call = ["evaluate", CONFIG, "--per-topic"]
    done = on_terminal(*call, "--output", str(tmp_path / "table.txt"))
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "table.txt").read_text() == xcg_command(*call).stdout
