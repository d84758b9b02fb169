"""``--plot`` of commands that tests/cli/test_hostile_names.py does not draw."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from conftest import Command

FILES = "configs/quickstart.yaml --run focused --run random --user-model overlap-off --measures MAep"
CURVES = FILES.replace("MAep", "nxCG")
STUDY = "configs/quickstart.yaml --set user_model=overlap-off --set measures=MAep"


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        f"sweep {FILES} --strategy thorough --strategy unique --set sweep.step=0.5",
        f"curves {CURVES} --per-topic",
        f"curves {CURVES} --at 3",
        f"study topics {STUDY} --set study.topics.trials=5",
        "study levels --set study.levels.repetitions=1",
    ],
)
def test_a_command_draws_its_plot(xcg_command: Command, tmp_path: Path, call: str) -> None:
    plot = tmp_path / "plot.svg"
    done = xcg_command(*shlex.split(call), "--plot", plot, "--format", "csv")
    assert (done.returncode, plot.read_bytes()[:5]) == (0, b"<?xml"), done.stderr
