"""``xcg sweep``: user models of a sweep, and overlap strategies over α; records, tables and plots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

import xcg


@pytest.mark.slow
def test_user_models_are_compared(xcg_command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "plot.png"
    done = xcg_command("sweep", "configs/sweep.yaml", "--format", "jsonl", "--plot", plot)
    assert done.returncode == 0, done.stderr
    assert plot.read_bytes().startswith(b"\x89PNG")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 45
    assert lines[0]["user_model"] == "sweep[quantisation=sog,ideal=kazai_lalmas,alpha=0.0]"
    assert (lines[0]["tau_b low"], lines[0]["tau_b high"]) == (1, 1)
    assert all(line["tau_b low"] <= line["tau_b"] + 1e-9 for line in lines)
    assert min(line["tau_b low"] for line in lines) < min(line["tau_b"] for line in lines)
    model = {"quantisation": "gen", "ideal": "leaves", "relevance_value": {"alpha": 0.75}}
    campaign = xcg.load("configs/quickstart.yaml", user_model={"name": "m", **model}, measures="MAep")
    (best,) = [line for line in lines if "gen,ideal=leaves,alpha=0.75" in line["user_model"]]
    top, after = sorted(campaign.evaluate().means(), key=lambda row: -row.value)[:2]
    assert (best["best"], best["second"]) == (top.run, after.run)
    pair = {top.run, after.run}
    (test,) = [line for line in campaign.compare() if {line.run, line.baseline} == pair]
    assert best["p"] == pytest.approx(test.p_adjusted)
    count = sum(line["p"] < 0.05 for line in lines)
    assert (
        f"MAep: the best run differs significantly from the second under {count} of 45" in done.stderr
    )


STRATEGIES = ("--strategy", "thorough", "--strategy", "top_ranked")


@pytest.fixture
def campaign(tmp_path: Path) -> list[object]:
    """The options of a campaign in which top_ranked takes over from thorough at α = 4/9.

    xCG@2: thorough 1 + 0.9 (1 − α), top_ranked 1 + 0.5; sog is 1, 0.9 and 0.5.
    """
    grades = {("d", "/a"): (3, 3), ("d", "/a/s[1]"): (2, 3), ("e", "/a"): (2, 2)}
    assessed = tmp_path / "assessments.jsonl"
    assessed.write_text(
        "".join(
            json.dumps({"topic": "1", "doc": d, "path": p, "exhaustivity": e, "specificity": s}) + "\n"
            for (d, p), (e, s) in grades.items()
        )
    )
    run = tmp_path / "bm25.run"
    results = enumerate((f"{document}#{path}" for document, path in grades), 1)
    run.write_text("".join(f"1 Q0 {result} {rank} {9 - rank} bm25\n" for rank, result in results))
    model = tmp_path / "m.yaml"
    model.write_text("name: m\nrelevance_value: {normalisation: none}\n")
    return ["--assessments", assessed, "--run", run, "--user-model", model, "--measures", "xCG@2"]


def test_strategies_are_compared_over_alpha(xcg_command: Command, campaign: list[object]) -> None:
    done = xcg_command("sweep", *campaign, *STRATEGIES)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "bm25, xCG@2: thorough is best up to α = 0.447 (largest lead +0.4000 over top_ranked at "
        "α = 0), then top_ranked (largest lead +0.5000 over thorough at α = 1); α tried: 0 to 1 in "
        "steps of 0.05, and 0.001 and 0.999"
    )
    rows = {line.split("  ")[1].strip(): line for line in lines[4:7]}
    assert list(rows) == ["thorough", "top_ranked", "oracle (greedy reference)"]
    assert rows["thorough"].split("  ", 2)[2].split()[:2] == ["1.9000", "*"]
    assert rows["top_ranked"].split()[-2:] == ["1.5000", "*"]
    assert done.stderr == (
        "xcg: note: bm25+oracle is a greedy reference: its results are ordered with the assessments\n"
    )
