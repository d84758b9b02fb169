"""``xcg compare`` on the sample campaign."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from conftest import Command

OPTIONS = ("configs/quickstart.yaml", "--user-model", "kazai-lalmas-2006", "--measures", "MAep")


def test_a_partial_run_does_not_hide_the_difference_of_the_others(
    xcg_command: Command, tmp_path: Path
) -> None:
    run = tmp_path / "partial.txt"
    run.write_text("".join(f"{topic} Q0 quantisation#/article[1] 1 1 partial\n" for topic in (1, 2)))
    call = ("compare", *OPTIONS, "--set", "topics.unanswered=skip", "--format", "jsonl")
    runs = [f"corpora_samples/handbook-runs/{name}.xml" for name in ("focused", "random")]
    selected = [text for path in runs for text in ("--run", path)]
    (alone,) = map(json.loads, xcg_command(*call, *selected).stdout.splitlines())
    done = xcg_command(*call, *selected, "--run", run)
    assert done.returncode == 0, done.stderr
    rows = {(row["run"], row["baseline"]): row for row in map(json.loads, done.stdout.splitlines())}
    pair = rows["focused", "random"]
    assert (pair["topics"], pair["p"]) == (alone["topics"], alone["p"])
    assert pair["p_adjusted"] < 0.05
    assert rows["focused", "partial"]["topics"] == rows["random", "partial"]["topics"] == 2
    assert "All 3 pairs of 3 runs are compared over 2 to 15 topics by the paired t" in done.stderr
    assert "note: Shaffer's steps need scores of all runs for the same topics" in done.stderr
    refused = xcg_command(*call, *selected, "--run", run, "--set", "compare.correction=tukey")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "tukey is only defined if all runs have scores for the same topics" in refused.stderr


@pytest.mark.slow
def test_orders_with_overlap_off_agree_with_inex_eval(xcg_command: Command) -> None:
    """The setting of Table V: with overlap=off MAep orders runs as inex-eval does, else not."""
    models = ("--user-model", "overlap-off", "--user-model", "kazai-lalmas-2006")
    call = ("configs/quickstart.yaml", *models, "--measures", "MAep inexEval", "--table", "orders")
    done = xcg_command("compare", *call, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 6
    tau = {
        row["user_model"]: row["tau_b"] for row in rows if row["user_model"] == row["and user_model"]
    }
    assert tau["overlap-off"] > 0.8 > tau["kazai-lalmas-2006"]
    for row in rows:  # inexEval has one value per topic, as MAep
        assert row["tau_b low"] - 1e-9 <= row["tau_b"] <= row["tau_b high"] + 1e-9
    assert any(row["tau_b low"] < row["tau_b high"] for row in rows)
    without = xcg_command("compare", *call, "--format", "jsonl", "--set", "compare.resamples=0")
    assert "tau_b low" not in without.stdout
    other = xcg_command("compare", *call, "--format", "jsonl", "--set", "compare.seed=1")
    assert other.stdout != done.stdout


# The ranks of the only relevant document of eight topics.
RANKS = {"A": "55533555", "B": "33255422", "C": "41344334", "D": "22122241", "E": "14411113"}
TABLE_2 = ("--measures", "RR", "--set", "compare.correction=none")


@pytest.fixture
def five_runs(tmp_path: Path) -> tuple[object, ...]:
    """Runs A to E; the sums of their reciprocal ranks are 28/15, 169/60, 3, 19/4 and 35/6 by hand."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in range(1, 9)))
    for run, ranks in RANKS.items():
        lines = [
            f"{topic} Q0 {'d' if rank == int(found) else f'n{rank}'} {rank} {9 - rank} {run}\n"
            for topic, found in enumerate(ranks, 1)
            for rank in range(1, 6)
        ]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    return "--assessments", tmp_path / "qrels", "--run", tmp_path / "*.run"


def test_overall_tests_name_the_significant_pairs_and_their_practical_significance(
    five_runs: tuple[object, ...], xcg_command: Command
) -> None:
    call = ("compare", *five_runs, *TABLE_2, "--table", "overall", "--format", "jsonl")
    rows = [json.loads(line) for line in xcg_command(*call).stdout.splitlines()]
    (friedman,) = (row for row in rows if row["test"] == "Friedman")
    assert (friedman["runs"], friedman["df"]) == ("D, E > A**", "4")
    assert (friedman["statistic"], friedman["p"]) == pytest.approx((14, 8 * math.exp(-7)))
    pairs = {row["runs"]: row for row in rows if row["test"] == "Conover"}
    assert list(pairs)[:4] == ["B - A", "C - A", "D - A", "E - A"]
    # C is better than B by 3 − 169/60 = 11/60, which is 11/169 = 6.5 % of B.
    assert pairs["C - B"]["relative"] == pytest.approx(11 / 169)
    assert pairs["C - B"]["difference"] == pytest.approx(11 / 480)
    assert pairs["C - B"]["criterion"] == "noticeable"
    assert {row["criterion"] for name, row in pairs.items() if name != "C - B"} == {"material"}
    call = ("compare", *five_runs, "--measures", "RR", "--table", "overall", "--format", "csv")
    holm = xcg_command(*call)
    assert holm.stdout.count("Conover, Holm") == 10


def test_two_runs_have_no_friedman_test(
    xcg_command: Command, five_runs: tuple[object, ...], tmp_path: Path
) -> None:
    two = ("--assessments", tmp_path / "qrels", "--run", tmp_path / "[DE].run")
    done = xcg_command("compare", *two, *TABLE_2, "--table", "overall", "--format", "jsonl")
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr == "xcg: note: Friedman's test needs at least three runs; there are two\n"


@pytest.mark.parametrize("command", ["compare", "study plan", "study calibrate", "study topics"])
def test_greedy_references_alone_are_not_tested(xcg_command: Command, command: str) -> None:
    done = xcg_command(
        *command.split(), OPTIONS[0], "--set", "strategies=oracle", "--set", "measures=RR"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "all runs are greedy references, which are not tested: expected others" in done.stderr
