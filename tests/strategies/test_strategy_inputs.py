"""Runs under several strategies: names, notes, messages, and files that are read once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.formats.base import read_run
from xcg.runs.run import Ranking, Run

RESULTS = ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]
CORPUS = {"d": "<a><s><p>one</p></s><s>two</s></a>"}
BASE = {"1": {"d": {"/a": (3, 3)}}, "2": {"d": {"/a": (3, 3)}}, "3": {"d": {"/a": (3, 3)}}}
STRATEGIES = ["thorough", "unique"]


def test_runs_of_the_same_name_get_their_file_before_the_strategy(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text("".join(f"{topic} Q0 d 1 1 bm25\n" for topic in BASE))
    lm = Run.of("lm", {topic: ["d"] for topic in BASE})
    runs: list[Path | Run] = [tmp_path / "a", tmp_path / "b", lm]
    a, b = (f"bm25 [{tmp_path / name}]" for name in "ab")
    expected = [f"{name}+{one}" for name in (a, b, "lm") for one in STRATEGIES]
    inputs = Inputs(BASE, runs, strategies=STRATEGIES)
    assert [run.name for run in inputs.loaded_runs] == expected
    for workers in (1, 2):
        results = xcg.evaluate(BASE, runs, measures="MAep", strategies=STRATEGIES, workers=workers)
        assert results.runs == expected
        assert results.notes == ["note: 2 runs are named 'bm25'; the name of each now ends in its file"]
    same = xcg.evaluate(BASE, [runs[0], runs[0]], measures="MAep", strategies="unique")
    assert same.runs == [f"{a}+unique", f"{a} #2+unique"]


def only_topic_1(ranking: Ranking, corpus: object) -> Ranking:
    """Return only the results of topic 1, which are three."""
    return ranking if len(ranking) == 3 else ranking.top(0)


def test_notes_are_printed_once_for_all_strategies() -> None:
    runs = {"r": {"1": RESULTS, "2": ["d"], "9": ["d"]}}
    results = xcg.evaluate(BASE, runs, measures="MAep", strategies=STRATEGIES)
    assert results.notes == [
        "note: run r: no assessments, so left out: topic 9",
        "note: run r: not answered, so counted 0: topic 3",
    ]
    results = xcg.evaluate(BASE, runs, measures="MAep", strategies=["thorough", only_topic_1])
    assert results.notes == [
        "note: run r+thorough: no assessments, so left out: topic 9",
        "note: run r+thorough: not answered, so counted 0: topic 3",
        "note: run r+only_topic_1: not answered, so counted 0: topic 2, 3",
    ]


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
