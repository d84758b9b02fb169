"""A judgement that was reported as saved is in the store after the process was killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


def killed_rounds(script: str, folder: Path, rounds: int, seed: int) -> int:
    """Run a script that kills processes, and return how many changes they reported as saved."""
    command = [sys.executable, str(ROOT / "tests" / script), str(folder), str(rounds), str(seed)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    found = re.match(rf"{rounds} rounds: (\d+) operations reported as saved", done.stdout)
    assert found, done.stdout
    return int(found[1])


@pytest.mark.posix
@pytest.mark.slow
def test_nothing_is_lost_when_200_sessions_are_killed(tmp_path: Path) -> None:
    assert killed_rounds("killed_sessions.py", tmp_path, 200, 3) > 200


@pytest.mark.posix
@pytest.mark.slow
def test_nothing_is_lost_when_servers_are_killed(tmp_path: Path) -> None:
    assert killed_rounds("killed_servers.py", tmp_path, 5, 4) > 0
