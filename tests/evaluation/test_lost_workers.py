"""A lost worker, a missing file or an interruption: on this machine and on a Dask cluster."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from dask_cluster import dask_cluster

import xcg
from xcg.errors import XcgError
from xcg.evaluation.parallel import Executor

ASSESSMENTS = {topic: {"d": {"/a/s[1]": (2, 2), "/a/s[2]": (3, 3)}} for topic in ("1", "2", "3", "4")}
RUNS = {f"r{n}": {topic: [f"d#/a/s[{n % 3 + 1}]"] for topic in ASSESSMENTS} for n in range(4)}
CORPUS = {"d": "<a><s>one</s><s>two</s><s>three</s></a>"}
DIED = Path("died")


def dies_once(ranking: object, corpus: object) -> object:
    """Kill the first worker that calls this strategy."""
    if not DIED.exists():
        DIED.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return ranking


def evaluate(**options: object) -> tuple[list[object], list[str]]:
    found = xcg.evaluate(
        ASSESSMENTS, RUNS, CORPUS, "overlap-off", "MAep", strategies=[dies_once], **options
    )
    return list(found), found.notes


@pytest.fixture
def expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[object], list[str]]:
    """Return the results of one process; the next worker dies."""
    monkeypatch.chdir(tmp_path)
    DIED.touch()
    found = evaluate()
    DIED.unlink()
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_evaluation_survives_a_killed_process(expected: object) -> None:
    assert evaluate(workers=2) == expected
    assert DIED.exists()


@pytest.mark.slow
def test_an_evaluation_survives_a_killed_worker_of_a_cluster(expected: object, tmp_path: Path) -> None:
    with dask_cluster(tmp_path) as (address, workers):
        assert evaluate(scheduler=address) == expected
        assert DIED.exists()
        assert sorted(worker.poll() is None for worker in workers) == [False, True]


def test_a_worker_that_lacks_a_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(XcgError) as error:
        Executor(2).run(abs, [(1,), (2,)], files=[tmp_path / "run.txt"])
    assert str(error.value) == (
        f"{tmp_path}/run.txt: the worker on {socket.gethostname()} does not find it: expected all "
        "files under the same paths on all machines"
    )


@pytest.mark.slow
@pytest.mark.posix
def test_an_interruption_prints_one_line(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import os, pathlib, time\n\ndef slow(ranking, corpus):\n"
        "    pathlib.Path(f'started-{os.getpid()}').touch()\n    time.sleep(60)\n    return ranking\n"
    )
    (tmp_path / "gold").write_text("1 0 d 1\n2 0 d 1\n")
    for name in ("r1", "r2"):
        (tmp_path / name).write_text(f"1 Q0 d 1 2 {name}\n2 Q0 d 1 2 {name}\n")
    (tmp_path / "c.yaml").write_text(
        "assessments: gold\nruns: [r1, r2]\nmeasures: AP\nstrategies: ['slow:slow']\nworkers: 2\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "xcg", "evaluate", "c.yaml"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while len(list(tmp_path.glob("started-*"))) < 2:  # Python itself reports an interrupted start
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, b"xcg: interrupted\n")
