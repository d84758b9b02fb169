"""Check the samples of the page on chunks, and its example by hand."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SYSTEM

import xcg

SAMPLES = ROOT / "corpora_samples" / "chunks"
RUNS = ("pages", "sections", "windows")


def test_the_script_writes_the_sample_runs(tmp_path: Path) -> None:
    script = ROOT / "corpora_samples" / "make_chunk_samples.py"
    subprocess.run(
        [sys.executable, script, tmp_path],
        check=True,
        env={**SYSTEM, "PYTHONPATH": str(ROOT), "PATH": ""},
    )
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.jsonl"))
    assert written == [Path("framework.jsonl"), *(Path("runs") / f"{run}.jsonl" for run in RUNS)]
    for path in written:
        assert (tmp_path / path).read_text() == (SAMPLES / path).read_text(), path


def test_each_question_has_gold_and_results() -> None:
    questions = set(json.loads((SAMPLES / "questions.json").read_text(encoding="utf-8")))
    assert len(questions) == 13
    for path in (SAMPLES / "gold.jsonl", *(SAMPLES / "runs").iterdir()):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["topic"] for line in lines} == questions


def test_text_and_offsets_have_the_same_scores() -> None:
    measures = ["SpanRecall@5", "Success@5", "RR"]
    runs = [SAMPLES / "framework.jsonl", SAMPLES / "runs" / "sections.jsonl"]
    found = xcg.evaluate(
        SAMPLES / "gold.jsonl", runs, SAMPLES / "docs", measures=measures, document="file name"
    )
    for measure in measures:
        for topic in found.topics:
            by_text, by_offsets = (found.value(run, measure, topic) for run in found.runs)
            assert by_text == by_offsets


def test_the_example_by_hand() -> None:
    """A span of 42.5 tokens is in the first section, of 62 tokens, and in the first page, of 290.

    The reader pays the other tokens first. For a share r of the gain the ideal reader pays 42.5 r
    tokens. So MAep = ∫ 42.5 r / (other + 42.5 r) dr = 1 − other / 42.5 · ln(all / other).
    """
    results = xcg.evaluate(
        SAMPLES / "gold.jsonl",
        [SAMPLES / "runs" / f"{run}.jsonl" for run in ("sections", "pages")],
        SAMPLES / "docs",
        measures="MAep SpanPrecision@1",
    )
    for run, other in (("sections", 19.5), ("pages", 247.5)):
        expected = 1 - other / 42.5 * math.log((42.5 + other) / other)
        found = results.value(run, "MAep", "power-failure")
        assert found == pytest.approx(expected, abs=1e-12)
    # 167 of the 247 characters of the first result are gold.
    precision = results.value("sections", "SpanPrecision@1", "power-failure")
    assert precision == pytest.approx(167 / 247, abs=1e-12)
