"""xcg sweep: records and plots of all user models of a sweep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

import xcg


def test_the_command(xcg_command: Command, tmp_path: Path) -> None:
    plots = [tmp_path / f"plot{ending}" for ending in (".png", ".svg", ".pdf")]
    heads = [b"\x89PNG", b"<?xml", b"%PDF"]
    call = ("sweep", "configs/sweep.yaml", "--format", "jsonl")
    for plot, head in zip(plots, heads, strict=True):
        done = xcg_command(*call, "--plot", plot)
        assert done.returncode == 0, done.stderr
        assert plot.read_bytes().startswith(head)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 45
    assert lines[0]["user_model"] == "sweep[quantisation=sog,ideal=kazai_lalmas,alpha=0.0]"
    assert lines[0]["tau_b"] == pytest.approx(1)
    assert (lines[0]["tau_b low"], lines[0]["tau_b high"]) == (1, 1)
    assert all(line["tau_b low"] <= line["tau_b"] + 1e-9 for line in lines)
    assert min(line["tau_b low"] for line in lines) < min(line["tau_b"] for line in lines)
    unused = xcg_command(*call, "--resamples", "0", "--seed", "1")
    assert (unused.returncode, unused.stdout) == (2, "")
    assert "--seed has no effect with --resamples 0" in unused.stderr
    one = xcg.evaluate(
        "assessments/handbook",
        "corpora_samples/handbook-runs",
        "corpora_samples/handbook",
        {"name": "m", "quantisation": "gen", "ideal": "leaves", "relevance_value": {"alpha": 0.75}},
        "MAep",
    )
    (best,) = [line for line in lines if "gen,ideal=leaves,alpha=0.75" in line["user_model"]]
    top = max(one.means(), key=lambda row: row.value)
    assert best["best"] == top.run
    wrong = xcg_command(*call, "--plot", tmp_path / "plot.gif")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "unknown kind of plot" in wrong.stderr
