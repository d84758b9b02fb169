"""Kill a process that judges documents at random moments, and check that its store has what was saved.

Run as a script: python killed_sessions.py FOLDER ROUNDS SEED
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.errors import XcgError
from xcg.judge.judgement import Judgement, PoolDocument
from xcg.judge.store import Store

DOCUMENTS = {name: f"{name} has {200 * 'some words and '}an end." for name in ("bees", "ants")}
LONGEST = 0.25  # seconds


def operations(seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield random operations: document, name and fields."""
    chosen = random.Random(seed)
    length = min(map(len, DOCUMENTS.values()))
    while True:
        start = chosen.randrange(length - 60)
        span = {"start": start, "end": start + chosen.randrange(2, 60)}
        grade = chosen.choice(["1", "2", "3", None])
        number = chosen.randrange(1, 6)
        yield (
            chosen.choice(list(DOCUMENTS)),
            *chosen.choice(
                [
                    ("add", {**span, "grade": grade}),
                    ("add", {**span, "grade": grade}),
                    ("erase", span),
                    ("delete", {"id": number}),
                    ("grade", {"id": number, "grade": grade}),
                    ("unsure", {"unsure": grade is None}),
                    ("finish", {"finished": grade is None}),
                    ("skip", {"skipped": grade is None}),
                    ("note", {"note": f"note {start}"}),
                    ("undo", {}),
                    ("redo", {}),
                ]
            ),
        )


def judge(store: Store, document: str, operation: str, fields: dict[str, Any]) -> Judgement | None:
    """Apply an operation; return None if the store refuses it."""
    version = store.judgement("anna", "1", document).version
    try:
        return store.apply("anna", "1", document, version, operation, fields)
    except XcgError:
        return None


def prepare(store: Store) -> None:
    store.add_assessors(["anna"])
    store.extend_pool("1", [PoolDocument(name) for name in DOCUMENTS])


def session(path: Path, seed: int, output: int) -> None:
    """Judge documents until the process is killed; report every operation before and after it."""
    with Store(path, Corpus.of(DOCUMENTS)) as store:
        prepare(store)
        for document, operation, fields in operations(seed):
            os.write(output, json.dumps([document, operation, fields]).encode() + b"\n")
            judge(store, document, operation, fields)
            os.write(output, b"saved\n")


def killed_session(path: Path, seed: int, seconds: float) -> list[bytes]:
    """Run a session in a child process, kill it after some time, and return the lines it reported."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            session(path, seed, writable)
        finally:
            os._exit(1)
    os.close(writable)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(readable, "rb") as file:
        return [line for line in file.read().split(b"\n") if line]


def check_round(path: Path, before: Path, corpus: Corpus, lines: list[bytes]) -> tuple[int, bool]:
    """Compare the store with a replay of the reported operations on its copy from before.

    Returns:
        The number of operations that were reported as saved, and whether one more was saved.
    """
    saved = lines.count(b"saved")
    asked = [json.loads(line) for line in lines if line.startswith(b"[") and line.endswith(b"]")]
    assert saved <= len(asked) + 1
    with Store.snapshot(before, corpus) as model, Store(path, corpus) as store:
        for operation in asked[:saved]:
            judge(model, *operation)
        found = [store.judgement("anna", "1", name) for name in DOCUMENTS]
        expected = [model.judgement("anna", "1", name) for name in DOCUMENTS]
        if found == expected:
            return saved, False
        # The operation was saved, but the process was killed before it could report this.
        assert len(asked) == saved + 1, (found, expected)
        judge(model, *asked[saved])
        assert found == [model.judgement("anna", "1", name) for name in DOCUMENTS]
        return saved, True


def main(folder: Path, rounds: int, seed: int) -> None:
    chosen = random.Random(seed)
    total = unreported = 0
    path = folder / "judge.sqlite"
    before = folder / "before.sqlite"
    with Store(path, Corpus.of(DOCUMENTS)) as store:
        prepare(store)
    for number in range(rounds):
        before.write_bytes(path.read_bytes())
        lines = killed_session(path, number, chosen.uniform(0, LONGEST))
        saved, is_unreported = check_round(path, before, Corpus.of(DOCUMENTS), lines)
        total += saved
        unreported += is_unreported
    sys.stdout.write(
        f"{rounds} rounds: {total} operations reported as saved, {unreported} saved but not reported\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
