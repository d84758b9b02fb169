"""A campaign of passages in two short documents, and the gate on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from xcg.cli.main import main

DOCUMENTS = {"bees": "Bees dance on the comb. Drones do no work.", "ants": "Ants walk in a line."}
GOLD = {str(topic): {"bees": [(0, 23)]} for topic in range(1, 7)}
RIGHT, WRONG = ("bees", 0, 23), ("bees", 24, 42)
GOOD = {topic: [RIGHT] for topic in GOLD}
POOR = {topic: [WRONG, RIGHT] for topic in GOLD}

Chunks = Mapping[str, Sequence[tuple[str, int, int]]]


def write_campaign(folder: Path, gold: Any = GOLD, **runs: Chunks) -> list[str]:
    """Write a campaign, and return the options of ``xcg gate`` for it."""
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for name, text in DOCUMENTS.items():
        (corpus / f"{name}.txt").write_text(text)
    options = ["--corpus", str(corpus), "--user-model", "spans", "--assessments"]
    for name, topics in {"gold": gold, **runs}.items():
        found = [
            {"topic": topic, "doc": doc, "start": start, "end": end}
            for topic, given in topics.items()
            for doc, start, end in (
                given
                if not isinstance(given, Mapping)
                else [(doc, *span) for doc, spans in given.items() for span in spans]
            )
        ]
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in found))
        options += [str(path), "--run"]
    return options[:-1]


def run_gate(*options: str) -> tuple[int, str]:
    """Return the exit status and the standard error of ``xcg gate``."""
    done = CliRunner().invoke(main, ["gate", *options])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stderr
