"""xcg sweep: user models of a sweep, and overlap strategies over α; records, tables and plots."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from conftest import Command

import xcg


@pytest.mark.slow
def test_the_command(xcg_command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "plot.png"
    call = ("sweep", "configs/sweep.yaml", "--format", "jsonl")
    done = xcg_command(*call, "--plot", plot)
    assert done.returncode == 0, done.stderr
    assert plot.read_bytes().startswith(b"\x89PNG")
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
    top, after = sorted(one.means(), key=lambda row: -row.value)[:2]
    assert (best["best"], best["second"]) == (top.run, after.run)
    (test,) = [line for line in xcg.compare(one, baseline="best") if line.run == after.run]
    assert best["p"] == pytest.approx(test.p_adjusted)
    count = sum(line["p"] < 0.05 for line in lines)
    assert (
        f"MAep: the best run differs significantly from the second under {count} of 45" in done.stderr
    )
    wrong = xcg_command(*call, "--plot", tmp_path / "plot.gif")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "unknown kind of plot" in wrong.stderr


def test_models_with_other_names_are_one_column(xcg_command: Command) -> None:
    models = ("--user-model", "kazai-lalmas-2006", "--user-model", "overlap-off")
    call = ("sweep", "configs/quickstart.yaml", *models, "--reference-model", "overlap-off")
    lines = xcg_command(*call).stdout.splitlines()
    assert lines[0].endswith("with the order under overlap-off, named by the user.")
    assert lines[3].split()[:3] == ["measure", "user_model", "tau_b"]


@pytest.mark.parametrize(("ending", "head"), [("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_ending_decides_the_kind_of_plot(
    xcg_command: Command, tmp_path: Path, ending: str, head: bytes
) -> None:
    plot = tmp_path / f"plot.{ending}"
    options = ("--user-model", "kazai-lalmas-2006", "--user-model", "overlap-off", "--measures", "MAep")
    done = xcg_command("sweep", "configs/kazai-lalmas-2006.yaml", *options, "--plot", plot)
    assert done.returncode == 0, done.stderr
    assert plot.read_bytes().startswith(head)


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


def test_strategies_are_compared_over_alpha(
    xcg_command: Command, campaign: list[object], tmp_path: Path
) -> None:
    plot = tmp_path / "plot.png"
    done = xcg_command("sweep", *campaign, *STRATEGIES, "--plot", plot)
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
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert done.stderr == (
        "xcg: note: bm25+oracle is a greedy reference: its results are ordered with the assessments\n"
    )


@pytest.mark.parametrize("format", ["jsonl", "csv", "json"])
def test_machine_formats_hold_scores_and_crossings(
    xcg_command: Command, campaign: list[object], format: str
) -> None:
    def records(*options: str) -> list[dict[str, object]]:
        done = xcg_command("sweep", *campaign, *STRATEGIES, "--format", format, *options)
        assert done.returncode == 0, done.stderr
        assert re.search(r"thorough is best up to α = 0\.44[0-9] .*, then top_ranked", done.stderr)
        if format == "csv":
            return list(csv.DictReader(io.StringIO(done.stdout)))
        if format == "json":
            return json.loads(done.stdout)
        return [json.loads(line) for line in done.stdout.splitlines()]

    scores = records("--step", "0.25")
    alphas = [0, 0.001, 0.25, 0.5, 0.75, 0.999, 1]
    assert [float(str(row["alpha"])) for row in scores] == alphas * 3
    assert [float(str(row["score"])) for row in scores[:14]] == pytest.approx(
        [1 + 0.9 * (1 - alpha) for alpha in alphas] + [1.5] * 7
    )
    assert [row["best"] for row in scores[:14]] == ["yes"] * 3 + ["no"] * 7 + ["yes"] * 4
    assert {row["best"] for row in scores[14:]} == {"greedy reference"}
    (crossing,) = records("--crossings")
    assert float(str(crossing["alpha"])) == pytest.approx(4 / 9, abs=0.005)
    assert (crossing["before"], crossing["after"]) == ("thorough", "top_ranked")


@pytest.mark.parametrize("alpha", [0, 0.3, 1])
def test_the_scores_are_those_of_evaluate(
    xcg_command: Command, campaign: list[object], tmp_path: Path, alpha: float
) -> None:
    done = xcg_command("sweep", *campaign, *STRATEGIES, "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    model = tmp_path / "one.yaml"
    model.write_text(f"name: m\nrelevance_value: {{normalisation: none, alpha: {alpha}}}\n")
    options = [*campaign, "--user-model", model]
    options.remove("--user-model")
    options.remove(tmp_path / "m.yaml")
    single = xcg_command("evaluate", *options, *STRATEGIES, "--format", "jsonl")
    assert single.returncode == 0, single.stderr
    values = {row["run"]: row["value"] for row in map(json.loads, single.stdout.splitlines())}
    found = {
        f"{row['run']}+{row['strategy']}": row["score"]
        for row in rows
        if row["alpha"] == alpha and row["strategy"] != "oracle"
    }
    assert found == values


def test_a_study_without_a_change_has_no_crossings(
    xcg_command: Command, campaign: list[object]
) -> None:
    call = ("sweep", *campaign, "--strategy", "thorough", "--strategy", "unique", "--crossings")
    done = xcg_command(*call)
    assert done.stdout.splitlines()[0] == (
        "bm25, xCG@2: all strategies are equal at every α tried (0 to 1 in steps of 0.05, and 0.001 "
        "and 0.999)"
    )
    done = xcg_command(*call, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            [*STRATEGIES, "--reference-model", "m"],
            "--reference-model has no effect with overlap strategies: remove it",
        ),
        (
            [*STRATEGIES, "--resamples", "0", "--seed", "1"],
            "--resamples and --seed have no effect with overlap strategies: remove them",
        ),
        (
            ["--step", "0.5"],
            "--step has no effect without overlap strategies (--strategy NAME): remove it",
        ),
        (
            ["--crossings"],
            "--crossings has no effect without overlap strategies (--strategy NAME): remove it",
        ),
        ([*STRATEGIES, "--step", "2"], "2.0 is not in the range 0.001<=x<=1"),
        (["--strategy", "top_rankd"], "did you mean 'top_ranked'?"),
        ([*STRATEGIES, "--measures", "P@10"], "α has no effect on P@10: expected a measure of gains"),
    ],
)
def test_misuse_has_one_message(
    xcg_command: Command, campaign: list[object], options: list[str], message: str
) -> None:
    files = campaign[: campaign.index("--measures")] if "--measures" in options else campaign
    done = xcg_command("sweep", *files, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
