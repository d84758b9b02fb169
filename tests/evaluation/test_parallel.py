"""Tasks run on any number of workers, and continue after an interruption."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from dask_cluster import dask_process, dask_scheduler

from xcg.documents.corpus import Corpus
from xcg.errors import XcgError
from xcg.evaluation import parallel
from xcg.evaluation.parallel import Executor


def slow_square(number: int) -> int:
    time.sleep(0.01)
    return number * number


def slower_square(number: int) -> int:
    time.sleep(0.5)
    return number * number


def process_id(number: int) -> int:
    return os.getpid()


TASKS = tuple((n,) for n in range(12))


SQUARES = [n * n for n in range(12)]


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    seen: list[tuple[int, int]] = []
    alone = Executor().run(slow_square, TASKS, progress=lambda *p: seen.append(p))
    assert alone == SQUARES
    assert seen[-1] == (12, 12)
    assert Executor(2).run(slow_square, TASKS) == SQUARES


def test_workers_that_are_kept_follow_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative paths, such as that of a corpus, are resolved as in the process that sends the tasks."""
    for name in ("first", "second"):
        (tmp_path / name / "corpus").mkdir(parents=True)
        (tmp_path / name / "corpus" / f"{name}.xml").write_text("<a/>")
        monkeypatch.chdir(tmp_path / name)
        corpora = [(Corpus("corpus", cache=False),) for _ in range(4)]
        assert Executor(2).run(list, corpora) == [[name]] * 4


def test_the_extra_of_dask_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(XcgError) as error:
        Executor(scheduler="tcp://127.0.0.1:1").run(slow_square, TASKS)
    assert "scheduler needs dask: " in str(error.value)


@pytest.mark.slow
def test_one_single_threaded_worker_runs_all_tasks(tmp_path: Path) -> None:
    with (
        dask_scheduler(tmp_path) as (address, _),
        dask_process("worker", address, "--nthreads", "1", "--no-nanny") as worker,
    ):
        assert Executor(scheduler=address).run(process_id, TASKS) == [worker.pid] * 12


@pytest.mark.slow
def test_a_cluster_without_workers_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_PATIENCE", 3)
    with dask_scheduler(tmp_path) as (address, _):
        start = time.monotonic()
        with pytest.raises(
            XcgError, match=f"{address} has had no workers for 3 seconds: start workers"
        ):
            Executor(scheduler=address).run(process_id, TASKS)
        assert time.monotonic() - start < 20


@pytest.mark.slow
def test_a_scheduler_that_stops_is_an_error(tmp_path: Path) -> None:
    with (
        dask_scheduler(tmp_path) as (address, scheduler),
        dask_process("worker", address, "--nthreads", "1", "--no-nanny"),
    ):

        def stop(done: int, of: int) -> None:
            scheduler.kill()

        message = f"the Dask scheduler at {address} has stopped: start it again"
        with pytest.raises(XcgError, match=message):
            Executor(scheduler=address).run(slower_square, TASKS, progress=stop)


@pytest.mark.slow
def test_an_unknown_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_PATIENCE", 1)
    with pytest.raises(XcgError, match=r"the Dask scheduler at tcp://127\.0\.0\.1:1 does not answer"):
        Executor(scheduler="tcp://127.0.0.1:1").run(slow_square, TASKS)
