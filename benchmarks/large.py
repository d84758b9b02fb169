"""Measure how time and memory grow with a run and its corpus: python benchmarks/large.py [FOLDER].

One run is written as a TREC run, as JSON Lines and as a submission, at three sizes that differ by a
factor of four: 312,500, 1.25 million and 5 million results, with 6,250, 25,000 and 100,000 documents.
Each is evaluated in a process of its own, with a full document cache and at most 1 GB of address space.
The numbers of topics and documents grow; the number of results of a topic does not. The scores of the
three formats must be equal.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SIZES = (1, 4, 16)
TOPICS, RESULTS, DOCUMENTS, JUDGED = 8, 39_063, 6_250, 60  # at size 1; results and judged of a topic
SECTIONS, PARAGRAPHS = 6, 5
MEASURES = ["nxCG@10", "nxCG@100", "MAep", "iMAep", "Q", "R"]
LIMITED = """
import resource, runpy
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
runpy.run_module("xcg", run_name="__main__", alter_sys=True)
"""
PATHS = ["", *(f"/sec[{s}]" for s in range(1, SECTIONS + 1))]
PATHS += [f"/sec[{s}]/p[{p}]" for s in range(1, SECTIONS + 1) for p in range(1, PARAGRAPHS + 1)]


def document(number: int) -> str:
    """Return the name of a document."""
    return f"f{number % 100:02}/d{number:07}"


def results(size: int) -> Iterator[tuple[int, int, str, str]]:
    """Yield topic, rank, document and path."""
    chance = random.Random(size)
    for topic in range(TOPICS * size):
        used: set[int] = set()
        for rank in range(1, RESULTS + 1):
            found = 0
            while found in used or not found:
                found = chance.randrange(DOCUMENTS * size * len(PATHS))
            used.add(found)
            number, path = divmod(found, len(PATHS))
            yield topic, rank, document(number), f"/article[1]{PATHS[path]}"


def write(folder: Path, size: int) -> None:
    """Write documents, assessments and the run in three formats."""
    chance = random.Random(size)
    corpus = folder / "corpus"
    for number in range(100):
        (corpus / f"f{number:02}").mkdir(parents=True)
    words = " bees dance in the dark" * 3
    sections = "".join(f"<p>{words}</p>" for _ in range(PARAGRAPHS))
    for number in range(DOCUMENTS * size):
        text = "".join(f"<sec>{sections}</sec>" for _ in range(SECTIONS))
        text = f"<article>{text}<end>{number}</end></article>"
        (corpus / f"{document(number)}.xml").write_text(text)
    with (folder / "assessments.jsonl").open("w") as file:
        for topic in range(TOPICS * size):
            for number in chance.sample(range(DOCUMENTS * size), JUDGED):
                for path in chance.sample(PATHS[1:], 5):
                    pair = f'"exhaustivity": {chance.randint(1, 3)}, "specificity": 2'
                    file.write(
                        f'{{"topic": "{topic}", "doc": "{document(number)}", '
                        f'"path": "/article[1]{path}", {pair}}}\n'
                    )
    with (
        (folder / "run.xml").open("w") as xml,
        (folder / "run.trec").open("w") as trec,
        (folder / "run.jsonl").open("w") as json,
    ):
        xml.write('<inex-submission run-id="run">\n')
        for topic, rank, name, path in results(size):
            if rank == 1:
                xml.write(("</topic>\n" if topic else "") + f'<topic topic-id="{topic}">\n')
            xml.write(f"<result><file>{name}</file><path>{path}</path><rank>{rank}</rank></result>\n")
            trec.write(f"{topic} Q0 {name}#{path} {rank} {RESULTS - rank + 1} run\n")
            json.write(f'{{"topic": "{topic}", "doc": "{name}", "path": "{path}", "rank": {rank}}}\n')
        xml.write("</topic>\n</inex-submission>\n")


def measure(arguments: list[str], cache: Path) -> tuple[float, float, bytes]:
    """Return processor seconds, peak memory in MB and output of a command of xcg."""
    environment = {**os.environ, "XCG_CACHE": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile at every start
    command = [sys.executable, "-c", LIMITED, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


def main(root: Path) -> None:
    """Print seconds and memory, and their growth per unit of size."""
    first: dict[str, float] = {}
    for size in SIZES:
        folder = root / str(size)
        if not folder.exists():
            write(folder, size)
            time.sleep(3)  # the cache stores no file that has just changed
        options = [
            *("--assessments", str(folder / "assessments.jsonl")),
            *("--corpus", str(folder / "corpus")),
            *("--measures", " ".join(MEASURES)),
            *("--format", "jsonl"),
        ]
        cases = {
            kind: ["evaluate", "--run", str(folder / f"run.{kind}"), *options]
            for kind in ("trec", "jsonl", "xml")
        }
        seconds, memory, expected = measure(cases["trec"], folder / "cache")
        print(f"{size} × empty cache: {seconds:.1f} s, {memory:.0f} MB", flush=True)
        for name, arguments in cases.items():
            seconds, memory, scores = measure(arguments, folder / "cache")
            growth = f"{seconds / size / first.setdefault(name, seconds):.2f} × per result"
            same = "equal" if scores == expected else "DIFFERENT"
            print(
                f"{size} × {name}: {seconds:.1f} s, {growth}, {memory:.0f} MB, {same} scores",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
