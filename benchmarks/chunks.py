"""Measure the evaluation of chunks: python benchmarks/chunks.py [QUESTIONS [DOCUMENTS [REPETITIONS]]].

Two runs of 50 chunks for each question are evaluated by xcg chunks, and by xcg evaluate with the user
model spans. Times are processor times of whole commands, relative to a program that parses every line
of the same runs with json.loads.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_CHUNKS = 50  # for each question
_CHARACTERS = 400  # of a chunk
_PARSE = """
import json, sys
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for line in file:
            json.loads(line)
"""


def write_campaign(folder: Path, questions: int, documents: int) -> None:
    """Write documents of 600 words, two gold spans for each question, and two runs."""
    chance = random.Random(1)
    words = [f"w{number:03}" for number in range(500)]
    lengths = []
    (folder / "docs").mkdir()
    for number in range(documents):
        text = "\n\n".join(" ".join(chance.choices(words, k=60)) for _ in range(10))
        (folder / "docs" / f"d{number}.txt").write_text(text)
        lengths.append(len(text))
    relevant: list[list[int]] = []
    with (folder / "gold.jsonl").open("w") as file:
        for question in range(questions):
            relevant.append([chance.randrange(documents) for _ in range(2)])
            for document in relevant[-1]:
                start = chance.randrange(lengths[document] - 200)
                passage = {"start": start, "end": start + chance.randint(50, 200)}
                file.write(
                    json.dumps({"topic": f"q{question}", "doc": f"d{document}", **passage}) + "\n"
                )
    for run in ("a", "b"):
        with (folder / f"{run}.jsonl").open("w") as file:
            for question in range(questions):
                for rank in range(1, _CHUNKS + 1):
                    document = chance.randrange(documents)
                    if chance.random() < 0.2:
                        document = chance.choice(relevant[question])
                    start = chance.randrange(lengths[document] // _CHARACTERS) * _CHARACTERS
                    chunk = {"start": start, "end": start + _CHARACTERS, "rank": rank}
                    result = {"topic": f"q{question}", "doc": f"d{document}", **chunk}
                    file.write(json.dumps(result) + "\n")


def processor_time(repetitions: int, command: Sequence[object]) -> float:
    """Return the median processor time of a command in seconds."""
    times = []
    for _ in range(repetitions):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def main() -> None:
    """Print all ratios, and the peak memory."""
    questions, documents, repetitions = (
        int(sys.argv[n]) if len(sys.argv) > n else given for n, given in ((1, 5000), (2, 2000), (3, 3))
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_campaign(folder, questions, documents)
        os.environ["XCG_CACHE"] = str(folder / "cache")
        runs = [folder / "a.jsonl", folder / "b.jsonl"]
        floor = processor_time(repetitions, [sys.executable, "-c", _PARSE, *runs])
        print(f"{questions} questions, 2 runs of {_CHUNKS} chunks, {documents} documents")
        print(f"floor: json.loads over the runs {floor:.2f} s")
        files = ["--run", runs[0], "--run", runs[1], "--corpus", folder / "docs"]
        gold = folder / "gold.jsonl"
        on_spans = ["--user-model", "spans", "--measures", "MAep nxCG@10"]
        for command in (["chunks", "--gold", gold], ["evaluate", *on_spans, "--assessments", gold]):
            xcg = [sys.executable, "-m", "xcg", *command, *files]
            processor_time(1, xcg)  # fills the cache
            seconds = processor_time(repetitions, xcg)
            per_result = 1e6 * seconds / (2 * _CHUNKS * questions)
            print(f"xcg {command[0]}: {seconds / floor:.1f} × json.loads, {per_result:.0f} µs a chunk")
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    print(f"peak memory: {megabytes:.0f} MB")


if __name__ == "__main__":
    main()
