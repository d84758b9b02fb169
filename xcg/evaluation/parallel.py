"""Run independent tasks in several processes or on a cluster."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from xcg.errors import XcgError, missing_extra
from xcg.lazy_modules import pickle, socket

Progress = Callable[[int, int], None]
"""Shows the number of finished steps and of all steps."""
ProgressBar = Callable[[str], AbstractContextManager[Progress | None]]
"""What is counted → a context in which progress is shown."""
_RETRIES = 3
_PATIENCE = 15
"""Seconds without a Dask scheduler or worker before the work stops."""


def no_progress(label: str) -> AbstractContextManager[None]:
    """Show nothing."""
    return nullcontext()


@dataclass(frozen=True)
class Executor:
    """Where tasks run: in this process, in processes on this machine, or on a Dask cluster.

    Args:
        workers: Number of processes; 1 is this process, -1 is one process per core.
        scheduler: The address of a Dask scheduler, whose cluster has its own workers.

    >>> Executor().run(pow, [(2, 3), (3, 2)])
    [8, 9]
    """

    workers: int = 1
    scheduler: str | None = None

    @property
    def is_this_process(self) -> bool:
        """Whether tasks run in this process."""
        return self.scheduler is None and (self.workers == 1 or self.count_workers() == 1)

    def count_workers(self) -> int:
        """Return how many tasks can run at the same time, at least 1.

        Raises:
            XcgError: If dask is missing or the scheduler does not answer.
        """
        if self.scheduler is not None:
            with _dask_client(self.scheduler) as client:
                threads: dict[str, int] = client.nthreads()
                return max(1, sum(threads.values()))
        return (os.cpu_count() or 1) if self.workers == -1 else self.workers

    def run(
        self,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        *,
        common: Sequence[Any] = (),
        files: Sequence[Path] = (),
        progress: Progress | None = None,
    ) -> list[Any]:
        """Return ``function(*common, *task)`` for each task, in the order of the tasks.

        The results do not depend on the number of workers. The tasks of a worker that dies are
        repeated.

        Args:
            function: A pure function that can be pickled.
            tasks: The arguments of each call.
            common: Arguments that all calls have before their own.
            files: The files and folders that the tasks read. Workers need them under the same paths.
            progress: Called with the number of finished tasks and of all tasks.

        Raises:
            XcgError: If dask is missing, the scheduler does not answer or stops, workers die repeatedly
                or are missing, or a worker does not find a file.
        """
        done: list[Any] = []
        attempts, failure = 0, None
        while len(done) < len(tasks):
            try:
                rest = tasks[len(done) :]
                call = partial(function, *common)
                with closing(self._results(call, rest, files)) as results:
                    for result in results:
                        done.append(result)
                        # It is raised when all tasks are done: joblib warns of those that it cancels.
                        failure = failure or (result if isinstance(result, XcgError) else None)
                        if progress is not None:
                            progress(len(done), len(tasks))
            except _dead_worker_error() as error:
                attempts += 1
                if attempts > _RETRIES:
                    reason = str(error).partition("\n")[0]
                    raise XcgError(
                        f"workers die again and again: {reason}; expected enough memory for each, or "
                        "one worker"
                    ) from None
        if failure is not None:
            raise failure
        return done

    def _results(
        self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], files: Sequence[Path]
    ) -> Generator[Any, None, None]:
        """Yield the results of tasks in their order."""
        if self.scheduler is None and (self.workers == 1 or len(tasks) == 1):
            for task in tasks:
                yield function(*task)
            return
        joblib = importlib.import_module("joblib")
        call = partial(_call, _working_directory(), list(map(os.fspath, files)), _pickled(function))
        calls = map(_pickled, tasks)
        if self.scheduler is not None:
            yield from _dask_results(call, list(calls), self.scheduler)
            return
        delayed = (joblib.delayed(call)(task) for task in calls)
        parallel = joblib.Parallel(n_jobs=self.workers, return_as="generator")
        yield from parallel(delayed)


ONE_PROCESS = Executor()
"""All tasks run in this process."""


def _working_directory() -> str:
    with suppress(FileNotFoundError):  # it was deleted, so relative paths are impossible
        return os.getcwd()
    return os.sep


def _pickled(value: object) -> bytes:
    """Pickle a value as joblib does, which includes functions of the main module."""
    reduction = importlib.import_module("joblib.externals.loky.backend.reduction")
    return bytes(reduction.dumps(value))


def _call(folder: str, files: Sequence[str], function: bytes, task: bytes) -> Any:
    """Return what a pickled function returns for a task, or its error, in the main process's folder.

    Workers are kept for later tasks, but relative paths refer to the folder of the main process. So the
    worker changes to it before it unpickles objects that open files.
    """
    with suppress(OSError):
        os.chdir(folder)
    for file in files:
        if not os.path.exists(file):
            raise XcgError(
                f"{file}: the worker on {socket.gethostname()} does not find it: expected all files "
                "under the same paths on all machines"
            )
    # Both come from the main process, as everything that joblib and Dask unpickle.
    try:
        return pickle.loads(function)(*pickle.loads(task))
    except XcgError as error:
        return error


@contextmanager
def _dask_client(scheduler: str) -> Iterator[Any]:
    """Connect to a Dask scheduler.

    Raises:
        XcgError: If dask is missing, or the scheduler does not answer or stops in the block.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise missing_extra("scheduler", "dask", "dask") from None
    name = f"the Dask scheduler at {scheduler}"
    # The client logs lost connections, which are reported as errors here.
    log = distributed.client.logger
    with ExitStack() as opened:
        for logger in (log, log.parent):
            opened.callback(logger.setLevel, logger.level)
            logger.setLevel("CRITICAL")
        try:
            client = opened.enter_context(distributed.Client(scheduler, timeout=_PATIENCE))
        except (OSError, ValueError) as error:
            raise XcgError(f"{name} does not answer: {error}; check its address") from None
        try:
            yield client
        except (distributed.CancelledError, distributed.comm.CommClosedError):
            raise XcgError(f"{name} has stopped: start it again") from None


def _dask_results(
    call: Callable[[bytes], Any], tasks: Sequence[bytes], scheduler: str
) -> Iterator[Any]:
    """Yield the results of tasks on a Dask cluster in their order.

    The client is used directly: joblib runs all tasks in this process if the cluster has one thread.
    """
    with _dask_client(scheduler) as client:
        distributed = importlib.import_module("distributed")
        last_seen = time.monotonic()
        try:
            for future in client.map(call, tasks, pure=False, batch_size=100):
                while not future.done():
                    with suppress(distributed.TimeoutError):
                        distributed.wait(future, timeout=1)
                    if client.scheduler_info()["workers"]:
                        last_seen = time.monotonic()
                    elif time.monotonic() - last_seen > _PATIENCE:
                        raise XcgError(
                            f"the Dask scheduler at {scheduler} has had no workers for {_PATIENCE} "
                            "seconds: start workers with 'dask worker ADDRESS'"
                        )
                last_seen = time.monotonic()
                yield future.result()
                future.release()
        except distributed.scheduler.KilledWorker as error:
            raise XcgError(f"workers die again and again: {error}") from None


def _dead_worker_error() -> Any:
    return importlib.import_module("joblib.externals.loky.process_executor").TerminatedWorkerError
