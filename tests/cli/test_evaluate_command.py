"""The commands evaluate, ideal, measures and user-models, and the errors of all commands."""

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


def test_evaluate_prints_means_of_every_run(xcg_command: Command) -> None:
    done = xcg_command("evaluate", CONFIG)
    assert (done.returncode, done.stderr) == (0, "")
    heading, *lines = (line.split() for line in done.stdout.splitlines())
    means = {line[0]: line[heading.index("MAep")] for line in lines}
    expected = {"ideal": "1.0000", "frb": "1.0000", "reverse_ideal": "0.7500", "rel_leaves": "0.6333"}
    assert means == expected
    assert "\x1b" not in done.stdout


def test_inputs_can_be_options_without_a_configuration(xcg_command: Command) -> None:
    done = xcg_command(
        "evaluate",
        "--assessments",
        "assessments/kazai-lalmas-2006",
        "--run",
        f"{RUNS}/3-reverse_ideal.xml",
        "--run",
        f"{RUNS}/4*.xml",
        "--corpus",
        "corpora_samples/kazai-lalmas-2006",
        "--user-model",
        "overlap-off",
        "--measures",
        "nxCG@2 ep(interpolation=linear)@0.4",
    )
    assert (done.returncode, done.stderr) == (0, "")
    # overlap-off: xI = 1, .9 × 5, .5, .25 × 3, 6.75 in all. nxCG@2: 1.5 and 1.8 of 1.9.
    # ep at g = 2.7: reverse_ideal never gets there; rel_leaves at rank 3, the ideal at 2 + .8/.9.
    assert [line.split() for line in done.stdout.splitlines()][1:] == [
        ["reverse_ideal", "0.7895", "0.0000"],
        ["rel_leaves", "0.9474", "0.9630"],
    ]


def test_options_override_the_configuration(xcg_command: Command) -> None:
    done = xcg_command(
        "evaluate", CONFIG, "--run", f"{RUNS}/1-ideal.xml", "--measures", "xCG@1", "--format", "csv"
    )
    assert list(csv.DictReader(io.StringIO(done.stdout))) == [
        {
            "run": "ideal",
            "topic": "all",
            "measure": "xCG@1",
            "value": "1.0",
            "user_model": "kazai-lalmas-2006",
        }
    ]


def test_json_lines_at_full_precision(xcg_command: Command) -> None:
    done = xcg_command(
        "evaluate", CONFIG, "--format", "jsonl", "--per-topic", "--measures", "nxCG@2", "--run", RUNS
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert list(rows[0]) == ["run", "topic", "measure", "value", "user_model"]
    assert [row["topic"] for row in rows[:2]] == ["163", "all"]
    values = {row["run"]: row["value"] for row in rows if row["topic"] == "all"}
    assert values["rel_leaves"] == pytest.approx(2 / 3, abs=1e-15)
    as_json = xcg_command("evaluate", CONFIG, "--format", "json", "--per-topic", "--measures", "nxCG@2")
    assert json.loads(as_json.stdout) == rows


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        (
            "markdown",
            "| run           | nxCG@2 |\n| :-------------|------: |\n| ideal         | 1.0000 |",
        ),
        ("latex", "reverse\\_ideal & 1.0000 \\\\"),
    ],
)
def test_tables_can_be_markdown_or_latex(xcg_command: Command, format_: str, expected: str) -> None:
    done = xcg_command("evaluate", CONFIG, "--measures", "nxCG@2", "--format", format_)
    assert done.returncode == 0
    assert expected in done.stdout


def test_a_table_can_have_user_models_and_topics(xcg_command: Command) -> None:
    done = xcg_command(
        "evaluate",
        CONFIG,
        "--user-model",
        "kazai-lalmas-2006",
        "--user-model",
        "overlap-off",
        "--measures",
        "MAep",
        "--per-topic",
    )
    heading, first, *_ = done.stdout.splitlines()
    assert heading.split() == ["user", "model", "run", "topic", "MAep"]
    assert first.split() == ["kazai-lalmas-2006", "ideal", "163", "1.0000"]


def test_intervals_of_means_by_key_and_option(xcg_command: Command, tmp_path: Path) -> None:
    """The scores are 1, 1/2 and 1/4: s = .3819, and the half width is 4.3027 · s / √3."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in (1, 2, 4)))
    lines = [
        f"{t} Q0 {'d' if rank == t else f'x{rank}'} {rank} {9 - rank} r\n"
        for t in (1, 2, 4)
        for rank in (1, 2, 3, 4)
    ]
    (tmp_path / "run").write_text("".join(lines))
    content = "assessments: qrels\nruns: run\nmeasures: RR\n"
    (tmp_path / "with.yaml").write_text(f"{content}intervals: 95\n")
    (tmp_path / "without.yaml").write_text(content)
    call = ("evaluate", tmp_path / "without.yaml")
    assert "±" not in xcg_command(*call).stdout
    with_key = xcg_command("evaluate", tmp_path / "with.yaml")
    with_option = xcg_command(*call, "--intervals", 95)
    assert with_key.stdout == with_option.stdout
    assert with_key.stdout.splitlines()[1].split() == ["r", "0.5833", "±0.9486"]
    assert "xcg: intervals: Student's t over the topics, 95 %; each holds alone" in with_key.stderr
    latex = xcg_command(*call, "--intervals", 95, "--mark", "--format", "latex").stdout
    assert r"r & \textbf{0.5833} $\pm$0.9486 \\" in latex
    rows = xcg_command(*call, "--intervals", 95, "--format", "jsonl", "--per-topic").stdout.splitlines()
    *topics, mean = map(json.loads, rows)
    assert [(row["low"], row["high"]) for row in topics] == [(None, None)] * 3
    assert (mean["low"], mean["high"]) == pytest.approx((0.5833 - 0.9486, 0.5833 + 0.9486), abs=1e-4)
    unused = xcg_command(*call, "--intervals", 95, "--topic", 1)
    assert "--intervals has no effect with --topic" in unused.stderr


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
        (["evaluate"], "no assessments: expected a CONFIG.yaml or --assessments PATH"),
        (["evaluate", "--assessments", "assessments"], "no runs: expected a CONFIG.yaml or --run PATH"),
        (["evaluate", "confgs.yaml"], "confgs.yaml: no such file (did you mean 'configs'?); expected"),
        (["evaluate", "README.md"], "README.md"),
        (["evaluate", CONFIG, "--run", "LICENSE"], "LICENSE:2: 2 columns; expected six"),
        (["evaluate", CONFIG, "--run", "assessments"], "no <inex-submission> element"),
        (["evaluate", CONFIG, "--assessments", RUNS], "no <assessments> element"),
        (["evaluate", CONFIG, "--corpus", "corpora"], "corpora: no such folder"),
        (["evaluate", CONFIG, "--measures", "nxCG"], "nxCG lacks its cutoff"),
        (["evaluate", CONFIG, "--user-model", "nobody"], "unknown user model 'nobody'"),
        (["evaluate", CONFIG, "--user-model", "no/body.yaml"], "no/body.yaml: no such file; expected"),
        (["evaluate", CONFIG, "--format", "xml"], "'xml' is not one of"),
        (["evaluate", CONFIG, "--per-topics"], "--per-topic"),
        (["evalute"], "No such command 'evalute': did you mean 'evaluate'?"),
        (["ideal", CONFIG, "--topic", "164"], "no assessments for topic '164': did you mean '163'?"),
        (["measures", "MAPP"], "unknown measure 'MAPP'"),
        (["user-models", "overlap"], "unknown user model 'overlap'"),
    ],
)
def test_every_wrong_call_has_one_message_and_status_2(
    xcg_command: Command, arguments: list[str], message: str
) -> None:
    done = xcg_command(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_lenient_counts_wrong_results_as_warnings(xcg_command: Command, tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text(
        "163 Q0 co/2001/r7022#/article/bdy/sec[9] 1 2 r\n163 Q0 co/2001/r7022#/article 2 1 r\n"
    )
    strict = xcg_command("evaluate", CONFIG, "--run", run)
    assert strict.returncode == 2
    assert f"{run}, topic 163, rank 1, co/2001/r7022: no element" in strict.stderr
    done = xcg_command("evaluate", CONFIG, "--run", run, "--lenient", "--measures", "xCG@1 xCG@2")
    assert done.returncode == 0
    assert "xcg: warning: results with unknown paths: 1 time; the first:" in done.stderr
    assert done.stdout.splitlines()[1].split() == ["r", "0.0000", "0.2500"]


def test_ideal_prints_elements_best_first(xcg_command: Command) -> None:
    done = xcg_command("ideal", CONFIG, "--topic", "163", "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["path"], row["assessment"], row["score"]) for row in rows] == [
        ("/article[1]/bdy[1]/sec[6]", "(3,3)", 1.0),
        ("/article[1]/bdy[1]/sec[4]", "(2,2)", 0.5),
    ]


def test_measures_and_user_models_are_listed(xcg_command: Command) -> None:
    measures = xcg_command("measures").stdout
    assert all(
        name in measures for name in ("nxCG@10", "MAep", "ep@0.1", "interpolation=segment|linear")
    )
    assert "equation 13" in xcg_command("measures", "ep").stdout
    models = xcg_command("user-models").stdout
    assert all(name in models for name in ("overlap-off", "sog", "kazai_lalmas"))


def test_a_configuration_without_runs_is_named(xcg_command: Command, tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text(f"assessments: {ROOT}/assessments/kazai-lalmas-2006\n")
    done = xcg_command("evaluate", config)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xcg: error: {config}: no runs: expected the key 'runs' or --run PATH\n"


def test_the_lists_of_repeated_options_are_joined(xcg_command: Command) -> None:
    def columns(*options: str) -> list[str]:
        done = xcg_command("evaluate", "configs/kazai-lalmas-2006.yaml", *options)
        return done.stdout.splitlines()[0].split()

    assert columns("--measures", "nxCG@1", "--measures", "MAep nxCG@2") == [
        *("run", "nxCG@1", "MAep", "nxCG@2")
    ]
