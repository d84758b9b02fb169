"""Measure xcg inex-eval against the import of numpy: python benchmarks/inex_eval.py."""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 15
TOPICS, JUDGED, RESULTS = 120, 86, 100  # as in INEX 2009 and 2010


def main() -> None:
    """Print the median difference of paired processes in CPU time for each task."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = write_files(Path(folder))
        numpy = [sys.executable, "-c", "import numpy"]
        for task in "ftrbi":
            command = [sys.executable, "-m", "xcg", "inex-eval", f"-{task}", qrels, run]
            pairs = [(seconds(numpy), seconds(command)) for _ in range(REPEATS)]
            difference = statistics.median(one - other for other, one in pairs)
            base = statistics.median(other for other, _ in pairs)
            print(f"-{task}: {difference:.3f} s more than import numpy ({base:.3f} s)")


def write_files(folder: Path) -> tuple[str, str]:
    """Write qrels and a run, and return their paths. The run is legal in all tasks."""
    draw = random.Random(1)
    qrels, run = [], []
    for topic in range(TOPICS):
        documents = [str(number) for number in draw.sample(range(2_000_000), JUDGED)]
        for document in documents:
            first = sorted(draw.sample(range(9000), 4))
            passages = [(first[0], first[1] - first[0]), (first[2], first[3] - first[2])]
            size = sum(length for _, length in passages)
            spans = " ".join(f"{offset}:{length}" for offset, length in passages)
            qrels.append(f"{topic} Q0 {document} {size} 9000 {first[0]} {spans}\n")
        others = [f"u{number}" for number in range(RESULTS)]
        for rank, document in enumerate(draw.sample(documents + others, RESULTS), 1):
            offset, length = draw.randrange(8000), draw.randrange(1000)
            run.append(f"{topic} Q0 {document} {rank} {RESULTS - rank} tag {offset} {length}\n")
    (folder / "qrels").write_text("".join(qrels))
    (folder / "run").write_text("".join(run))
    return str(folder / "qrels"), str(folder / "run")


def seconds(command: list[str]) -> float:
    """Return the CPU time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
