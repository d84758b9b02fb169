"""Run independent tasks in several processes or on a cluster."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

from xcg.errors import XcgError
from xcg.evaluation.checkpoint import Checkpoint, IsValid
from xcg.installation import missing_extra
from xcg.profiling import Stage, active_profile, call_in_worker, staged, take_profile

Backend = Literal["loky", "dask"]
Progress = Callable[[int, int], None]
MAX_WORKERS = 1000
"""The highest number of processes on this machine."""
_RETRIES = 3
_PATIENCE = 15
"""Seconds without a Dask scheduler or worker before a study stops."""


def run_tasks(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    common: Sequence[Any] = (),
    workers: int = 1,
    backend: Backend | None = None,
    scheduler: str | None = None,
    checkpoint: Path | None = None,
    study: object = None,
    is_valid: IsValid = lambda task, result: True,
    progress: Progress | None = None,
) -> list[Any]:
    """Return ``function(*common, *task)`` for each task, in the order of the tasks.

    The results do not depend on the number of workers. The tasks of a worker that dies are repeated.

    Args:
        function: A pure function that can be pickled. With a checkpoint, its results must be
            representable in JSON.
        tasks: The arguments of each call.
        common: Arguments that all calls have before their own.
        workers: Number of processes; 1 runs in this process, -1 starts one per core. A cluster at
            ``scheduler`` has its own workers.
        backend: ``loky`` for processes on this machine, ``dask`` for a Dask cluster. The default is
            ``dask`` with a scheduler, and else ``loky``.
        scheduler: The address of the Dask scheduler; a local cluster by default.
        checkpoint: A file to which each result is appended. An interrupted study continues after them.
        study: The parameters of the study; a checkpoint of other parameters is refused.
        is_valid: Returns whether a result from the checkpoint is valid for a task.
        progress: Called with the number of finished tasks and of all tasks.

    Raises:
        InputError: If the checkpoint belongs to another study, is damaged or cannot be written.
        XcgError: If joblib or dask is missing, the number of workers is illegal, the scheduler is for
            another backend, does not answer or stops, or workers die repeatedly or are missing.

    >>> run_tasks(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    check_workers(workers)
    if scheduler is not None and backend == "loky":
        raise XcgError("a scheduler is for Dask: expected the backend 'dask', or no scheduler")
    if scheduler is not None:
        backend = "dask"
    with ExitStack() as opened:
        saved = None
        if checkpoint is not None:
            saved = Checkpoint(checkpoint, study, tasks, is_valid)
            opened.callback(saved.close)
        done = list(saved.results) if saved is not None else []
        attempts = 0
        while len(done) < len(tasks):
            try:
                rest = tasks[len(done) :]
                call = partial(call_in_worker, active_profile() is not None, partial(function, *common))
                for result, profile in _results(call, rest, workers, backend, scheduler):
                    take_profile(profile)
                    done.append(result)
                    if saved is not None:
                        saved.append(result)
                    if progress is not None:
                        progress(len(done), len(tasks))
            except _dead_worker_errors() as error:
                attempts += 1
                if attempts > _RETRIES:
                    raise XcgError(f"workers die again and again: {error}") from None
    return done


def check_workers(workers: int) -> None:
    """Raise XcgError if a number of workers is illegal."""
    if workers != -1 and not 1 <= workers <= MAX_WORKERS:
        raise XcgError(f"{workers} workers: expected 1 to {MAX_WORKERS:,}, or -1 for one per core")


def _results(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    workers: int,
    backend: Backend | None,
    scheduler: str | None,
) -> Iterator[Any]:
    if backend == "dask":
        yield from staged(Stage.WAIT, _dask_results(function, tasks, workers, scheduler))
    elif workers == 1:
        for task in tasks:
            yield function(*task)
    else:
        joblib = importlib.import_module("joblib")
        folder = _WorkingDirectory()
        calls = (joblib.delayed(_call)(folder, function, *task) for task in tasks)
        yield from staged(Stage.WAIT, joblib.Parallel(n_jobs=workers, return_as="generator")(calls))


class _WorkingDirectory:
    """The working directory of this process. A worker changes to it when it unpickles this object.

    Workers are reused for later tasks, but relative paths refer to the directory of the main process.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            return _enter, (os.getcwd(),)
        except FileNotFoundError:  # it was deleted, so relative paths are impossible
            return _enter, (os.sep,)


def _enter(folder: str) -> None:
    with suppress(OSError):
        os.chdir(folder)


def _call(folder: object, function: Callable[..., Any], *task: Any) -> Any:
    """Call a function in a folder.

    Arguments are unpickled in order, so the worker changes to the folder before it reads the task.
    """
    return function(*task)


def _dask_results(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], workers: int, scheduler: str | None
) -> Iterator[Any]:
    """Yield the results of tasks on a Dask cluster in their order.

    The client is used directly: joblib runs all tasks in this process if the cluster has one thread.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise missing_extra("--backend dask", "dask", "dask") from None
    name = f"the Dask scheduler at {scheduler}" if scheduler else "the local Dask scheduler"
    # The client logs lost connections, which are reported as errors here.
    log = distributed.client.logger
    with _silent(log), _silent(log.parent), ExitStack() as opened:
        try:
            address = scheduler or opened.enter_context(
                distributed.LocalCluster(
                    n_workers=workers if workers > 0 else None,
                    threads_per_worker=1,
                    dashboard_address=None,
                )
            )
            client = opened.enter_context(distributed.Client(address, timeout=_PATIENCE))
        except (OSError, ValueError) as error:
            raise XcgError(f"{name} does not answer: {error}; check its address") from None
        try:
            futures = client.map(function, *zip(*tasks, strict=True), pure=False, batch_size=100)
            for future in futures:
                _wait(client, future, name)
                yield future.result()
                future.release()
        except (distributed.CancelledError, distributed.comm.CommClosedError):
            raise XcgError(
                f"{name} has stopped: start it again; with --checkpoint, a study continues after its "
                "last result"
            ) from None
        except distributed.scheduler.KilledWorker as error:
            raise XcgError(f"workers die again and again: {error}") from None


def _wait(client: Any, future: Any, name: str) -> None:
    """Wait until a task has finished; XcgError if the cluster has no workers for some seconds."""
    distributed = importlib.import_module("distributed")
    last_seen = time.monotonic()
    while not future.done():
        try:
            distributed.wait(future, timeout=1)
        except distributed.TimeoutError:
            if client.scheduler_info()["workers"]:
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > _PATIENCE:
                raise XcgError(
                    f"{name} has had no workers for {_PATIENCE} seconds: start workers with "
                    "'dask worker ADDRESS'"
                ) from None


@contextmanager
def _silent(logger: Any) -> Iterator[None]:
    """Suppress the log messages of a library."""
    level = logger.level
    logger.setLevel("CRITICAL")
    try:
        yield
    finally:
        logger.setLevel(level)


def _dead_worker_errors() -> tuple[type[BaseException], ...]:
    try:
        loky = importlib.import_module("joblib.externals.loky.process_executor")
    except ImportError:
        return ()
    return (loky.TerminatedWorkerError,)
