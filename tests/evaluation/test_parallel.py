"""Tasks run on any number of workers, and continue after an interruption."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from xcg.errors import InputError
from xcg.evaluation.parallel import Backend, run_tasks


def slow_square(number: int) -> int:
    time.sleep(0.01)
    return number * number


def dies_once(flag: str, number: int) -> int:
    if number == 3 and not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


TASKS = tuple((n,) for n in range(12))


SQUARES = [n * n for n in range(12)]


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    seen: list[tuple[int, int]] = []
    alone = run_tasks(slow_square, TASKS, progress=lambda *p: seen.append(p))
    assert alone == SQUARES
    assert seen[-1] == (12, 12)
    assert run_tasks(slow_square, TASKS, workers=2) == SQUARES


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_local_dask_cluster_returns_the_same() -> None:
    assert run_tasks(slow_square, TASKS, workers=2, backend="dask") == SQUARES


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_tasks_of_a_killed_worker_run_again(tmp_path: Path, backend: Backend) -> None:
    flag = [str(tmp_path / "died")]
    found = run_tasks(dies_once, TASKS, common=flag, workers=2, backend=backend)
    assert found == SQUARES
    assert (tmp_path / "died").exists()


def test_an_interrupted_study_continues_from_its_checkpoint(tmp_path: Path) -> None:
    checkpoint = tmp_path / "study.jsonl"

    def interrupt(done: int, of: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tasks(slow_square, TASKS, checkpoint=checkpoint, study="squares", progress=interrupt)
    with checkpoint.open("a") as file:
        file.write("2")  # interrupted while writing 25
    calls: list[int] = []

    def counted(number: int) -> int:
        calls.append(number)
        return number * number

    found = run_tasks(counted, TASKS, checkpoint=checkpoint, study="squares")
    assert found == SQUARES
    assert calls == list(range(5, 12))
    assert run_tasks(counted, TASKS, checkpoint=checkpoint, study="squares") == found
    assert len(calls) == 7


def test_the_checkpoint_of_another_study_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "study.jsonl"
    run_tasks(slow_square, TASKS, checkpoint=checkpoint, study="squares")
    with pytest.raises(InputError, match=r"study\.jsonl:1: the checkpoint of another study"):
        run_tasks(slow_square, TASKS, checkpoint=checkpoint, study="cubes")
    checkpoint.write_text("not a checkpoint\n")
    with pytest.raises(InputError, match="the checkpoint of another study"):
        run_tasks(slow_square, TASKS, checkpoint=checkpoint, study="squares")
