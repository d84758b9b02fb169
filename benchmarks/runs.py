"""Measure how long it takes to read a run: python benchmarks/runs.py [REPETITIONS].

Runs of three sizes, which differ by a factor of four, are read as submissions and as TREC runs. Times
are relative to a lower bound in the same run: parsing with lxml, or splitting every line. Memory is the
additional peak per result.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from xcg.formats.base import read_run

TOPICS = 34
SIZES = (375, 1500, 6000)  # results of a topic


def results(size: int) -> Iterator[tuple[int, int, str, str]]:
    """Yield topic, rank, file and path of realistic results; some documents have several."""
    chance = random.Random(size)
    for topic in range(TOPICS):
        file = "co/2000/r0"
        for rank in range(1, size + 1):
            if chance.random() < 0.5:
                journal = chance.choice(["co", "it", "tp"])
                file = f"{journal}/{chance.randint(1995, 2002)}/r{chance.randint(0, 999)}"
            steps = [f"/{tag}[{chance.randint(1, 6)}]" for tag in ("sec", "ss1", "p")]
            path = "/article[1]/bdy[1]" + "".join(steps[: chance.randint(0, 3)])
            yield topic, rank, file, path


def write(folder: Path, size: int) -> tuple[Path, Path]:
    """Write the results in both formats."""
    submission, trec = folder / f"{size}.xml", folder / f"{size}.trec"
    with submission.open("w") as xml, trec.open("w") as text:
        xml.write('<inex-submission run-id="run">\n')
        above = -1
        for topic, rank, file, path in results(size):
            if topic != above:
                xml.write(("</topic>\n" if above >= 0 else "") + f'<topic topic-id="{topic}">\n')
                above = topic
            xml.write(f"<result><file>{file}</file><path>{path}</path><rank>{rank}</rank></result>\n")
            text.write(f"{topic} Q0 {file}#{path} {rank} {size - rank + 1} run\n")
        xml.write("</topic>\n</inex-submission>\n")
    return submission, trec


def split(path: Path) -> list[list[str]]:
    """Split every line of a file."""
    with path.open() as file:
        return [line.split() for line in file]


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a function."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Print time and memory for each format and size."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            submission, trec = write(Path(folder), size)
            for path, floor, what in (
                (submission, etree.parse, "lxml's parse"),
                (trec, split, "a split of every line"),
            ):
                ours, floors = [], []
                for _ in range(repetitions):  # in turn, so that a busy machine slows both
                    floors.append(seconds(lambda path=path, floor=floor: floor(path)))
                    ours.append(seconds(lambda path=path: read_run(path)))
                ratio = statistics.median(a / b for a, b in zip(ours, floors, strict=True))
                tracemalloc.start()
                run = read_run(path)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                count = sum(map(len, run.rankings.values()))
                time_each = 1e6 * statistics.median(ours) / count
                print(
                    f"{path.suffix[1:]}, {count} results: {ratio:.2f} × {what}, "
                    f"{time_each:.2f} µs and {peak / count:.0f} bytes a result"
                )


if __name__ == "__main__":
    main()
