"""A Dask cluster on this machine, started with the commands of the manual."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def dask_process(program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Dask scheduler or worker until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", program, "--no-dashboard", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def dask_scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a Dask scheduler, and yield its address and process."""
    file = folder / "scheduler.json"
    with dask_process("scheduler", "--port", "0", "--scheduler-file", str(file)) as scheduler:
        end = time.monotonic() + 60
        while not file.exists() or not file.read_text().endswith("}"):
            assert time.monotonic() < end
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"], scheduler


@contextmanager
def dask_cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Run a scheduler and two workers, and yield the address and the workers."""
    options = ("--nthreads", "1", "--no-nanny")
    with (
        dask_scheduler(folder) as (address, _),
        dask_process("worker", address, *options) as first,
        dask_process("worker", address, *options) as second,
    ):
        yield address, [first, second]
