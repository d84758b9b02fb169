"""``xcg evaluate``, and the errors and output files of all commands."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT, Command

CONFIG = "configs/kazai-lalmas-2006.yaml"
RUNS = "corpora_samples/kazai-lalmas-2006-runs"


def test_inputs_can_be_options_without_a_configuration(xcg_command: Command) -> None:
    done = xcg_command(
        *("evaluate", "--assessments", "assessments/kazai-lalmas-2006"),
        *("--run", f"{RUNS}/3-reverse_ideal.xml", "--run", f"{RUNS}/4*.xml"),
        *("--corpus", "corpora_samples/kazai-lalmas-2006", "--user-model", "overlap-off"),
        *("--measures", "nxCG@2 ep(interpolation=linear)@0.4", "--measures", "xCG@1"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    # overlap-off: xI = 1, .9 × 5, .5, .25 × 3, 6.75 in all. nxCG@2: 1.5 and 1.8 of 1.9.
    # ep at g = 2.7: reverse_ideal never gets there; rel_leaves at rank 3, the ideal at 2 + .8/.9.
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["run", "nxCG@2", "ep(interpolation=linear)@0.4", "xCG@1"],
        ["reverse_ideal", "0.7895", "0.0000", "0.5000"],
        ["rel_leaves", "0.9474", "0.9630", "0.9000"],
    ]


def test_options_override_the_configuration(xcg_command: Command) -> None:
    call = ("evaluate", CONFIG, "--measures", "xCG@1", "--format", "csv", "--run")
    done = xcg_command(*call, f"{RUNS}/1-ideal.xml")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    model = {"user_model": "kazai-lalmas-2006"}
    assert row == {"run": "ideal", "topic": "all", "measure": "xCG@1", "value": "1.0", **model}
    assert xcg_command(*call, "ideal").stdout == done.stdout  # the name of a run in the file


def test_json_lines_and_json_at_full_precision(xcg_command: Command) -> None:
    call = ("evaluate", CONFIG, "--per-topic", "--measures", "nxCG@2", "--format")
    rows = [json.loads(line) for line in xcg_command(*call, "jsonl").stdout.splitlines()]
    assert list(rows[0]) == ["run", "topic", "measure", "value", "user_model"]
    assert [row["topic"] for row in rows[:2]] == ["163", "all"]
    values = {row["run"]: row["value"] for row in rows if row["topic"] == "all"}
    assert values["rel_leaves"] == pytest.approx(2 / 3, abs=1e-15)
    content = json.loads(xcg_command(*call, "json").stdout)
    assert (list(content), content["records"]) == (["records", "settings", "notes"], rows)
    method = content["settings"]
    assert method["settings"]["measures"] == ["nxCG@2"]
    assert method["settings"]["evaluate"]["per_topic"] is True
    assert method["settings"]["user_model"][0]["relevance_value"]["alpha"] == 1
    assert {Path(name).name for name in method["files"]} >= {"163.xml", "1-ideal.xml", "r7022.xml"}


def test_a_topic_is_printed_without_means(xcg_command: Command) -> None:
    done = xcg_command("evaluate", CONFIG, "--measures", "MAep", "--topic", "163", "--format", "csv")
    assert [row["topic"] for row in csv.DictReader(io.StringIO(done.stdout))] == ["163"] * 4


def test_intervals_of_means(xcg_command: Command, tmp_path: Path) -> None:
    """The scores are 1, 1/2 and 1/4: s = .3819, and the half width is 4.3027 · s / √3."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in (1, 2, 4)))
    lines = [
        f"{t} Q0 {'d' if rank == t else f'x{rank}'} {rank} {9 - rank} r\n"
        for t in (1, 2, 4)
        for rank in (1, 2, 3, 4)
    ]
    (tmp_path / "run").write_text("".join(lines))
    config = tmp_path / "c.yaml"
    config.write_text("assessments: qrels\nruns: run\nmeasures: RR\nevaluate: {intervals: 95}\n")
    done = xcg_command("evaluate", config)
    assert done.stdout.splitlines()[1].split() == ["r", "0.5833", "±0.9486"]
    assert "xcg: intervals: Student's t over the topics, 95 %; each holds alone" in done.stderr
    latex = xcg_command("evaluate", config, "--format", "latex").stdout
    assert r"r & \textbf{0.5833} $\pm$0.9486 \\" in latex
    rows = xcg_command("evaluate", config, "--format", "jsonl", "--per-topic").stdout.splitlines()
    *topics, mean = map(json.loads, rows)
    assert [(row["low"], row["high"]) for row in topics] == [(None, None)] * 3
    assert (mean["low"], mean["high"]) == pytest.approx((0.5833 - 0.9486, 0.5833 + 0.9486), abs=1e-4)


def test_an_error_leaves_the_output_file_unchanged(xcg_command: Command, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert xcg_command("evaluate", CONFIG, "--output", target, "--format", "csv").stdout == ""
    written = target.read_text()
    assert len(written.splitlines()) == 121
    assert target.stat().st_mode & 0o077 == 0o044
    failed = xcg_command("evaluate", CONFIG, "--output", target, "--assessments", "none.xml")
    assert failed.returncode == 2
    assert target.read_text() == written
    assert list(tmp_path.iterdir()) == [target]
    nowhere = xcg_command("evaluate", CONFIG, "--output", tmp_path / "no" / "out.csv")
    assert nowhere.returncode == 2
    assert "cannot write: No such file or directory" in nowhere.stderr


@pytest.mark.posix
def test_a_terminated_process_leaves_the_output_file_unchanged(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    os.mkfifo(tmp_path / "run.xml")  # reading it never ends
    command = [sys.executable, "-m", "xcg", "evaluate", CONFIG, "--run", str(tmp_path / "run.xml")]
    process = subprocess.Popen([*command, "--output", str(target)], cwd=ROOT)
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    assert target.read_text() == "old"


@pytest.mark.slow
def test_a_killed_process_leaves_the_old_or_the_new_output(
    xcg_command: Command, tmp_path: Path
) -> None:
    target = tmp_path / "out.csv"
    arguments = ["evaluate", CONFIG, "--format", "csv", "--output", str(target)]
    assert xcg_command(*arguments).returncode == 0
    new = target.read_text()
    for moment in range(1, 13):
        target.write_text("old")
        process = subprocess.Popen([sys.executable, "-m", "xcg", *arguments], cwd=ROOT)
        time.sleep(moment / 40)
        process.kill()
        process.wait(20)
        assert target.read_text() in ("old", new)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "--assessments", "assessments"], "no runs: expected a CONFIG.yaml or --run PATH"),
        (["evaluate", CONFIG, "--topic", "164"], "no results for topic '164': did you mean '163'?"),
        (["evaluate", CONFIG, "--per-topics"], "--per-topic"),
        (["evalute"], "No such command 'evalute': did you mean 'evaluate'?"),
        (["report", CONFIG, "--format", "csv"], "--format has no effect on the page, which is HTML"),
        (["study"], "Missing command"),
        (["study", "plam"], "No such command 'plam': did you mean 'plan'?"),
    ],
)
def test_every_wrong_call_has_one_message_and_status_2(
    xcg_command: Command, arguments: list[str], message: str
) -> None:
    done = xcg_command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "--format", "xml"], "--format: illegal value 'xml': expected one of"),
        (["curves", "--format", "trec_eval"], "--format: this command does not print 'trec_eval': "),
        (["explain", "--set", "format=bibtex"], "--set format: this command does not print 'bibtex'"),
        (
            ["evaluate", "--set", "plot.path=a.png"],
            "--set plot.path: this command draws no plot: remove it",
        ),
        (["sweep", "--plot", "none/a.svg"], "none/a.svg: cannot write: No such file or directory"),
    ],
)
def test_a_format_or_plot_that_a_command_lacks_is_refused_before_the_work(
    xcg_command: Command, arguments: list[str], message: str
) -> None:
    command, *options = arguments
    done = xcg_command(command, CONFIG, *options, "--set", "runs=missing.xml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")


@pytest.mark.parametrize("format", ["table", "latex"])
def test_an_unknown_run_to_mark_against_is_an_error(format: str, xcg_command: Command) -> None:
    done = xcg_command("evaluate", CONFIG, "--set", "evaluate.against=ideall", "--format", format)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no run 'ideall': did you mean 'ideal'" in done.stderr
