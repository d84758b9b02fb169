"""Runs under several strategies: names, notes, messages, and files that are read once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import xcg
from xcg.errors import XcgError
from xcg.formats.base import read_run
from xcg.runs.run import Run

CORPUS = {"d": "<a><s><p>one</p></s><s>two</s></a>"}
BASE = {"1": {"d": {"/a": (3, 3)}}, "2": {"d": {"/a": (3, 3)}}, "3": {"d": {"/a": (3, 3)}}}
STRATEGIES = ["thorough", "unique"]


def test_ranks_in_messages_are_those_of_the_rewritten_run() -> None:
    run = Run.of("r", {"1": ["d#/a", "d#/a", "d#/x"]})
    with pytest.raises(XcgError, match="run r, topic 1, rank 3, d: "):
        xcg.evaluate(BASE, run, {"d": CORPUS["d"]}, measures="MAep")
    with pytest.raises(XcgError, match="run r, topic 1, strategy unique, rank 2, d: "):
        xcg.evaluate(BASE, run, {"d": CORPUS["d"]}, measures="MAep", strategies="unique")


def test_files_are_read_once_for_all_strategies_and_user_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.write_text("1 Q0 d 1 1 run\n")
    read: list[Path] = []

    def counted(path: Path, *others: Any) -> Run:
        read.append(path)
        return read_run(path, *others)

    monkeypatch.setattr("xcg.evaluation.reading.read_run", counted)
    models = {"name": "m", "quantisation": "sog", "relevance_value": {"alpha": [0, 0.5, 1]}}
    results = xcg.evaluate(BASE, paths, user_model=models, measures="MAep", strategies=STRATEGIES)
    assert (len(results.runs), len(results.user_models)) == (4, 3)
    assert read == paths
