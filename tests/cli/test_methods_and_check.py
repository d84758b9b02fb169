"""``xcg report --methods``, and ``xcg check`` of all inputs; the answers in Python."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from conftest import Command

import xcg

CONFIG = "configs/kazai-lalmas-2006.yaml"
GOLD = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
RUNS = {
    "a": {"1": ["d"], "2": ["d"], "3": ["e", "d"]},
    "b": {"1": ["e", "d"], "2": ["e", "f", "d"], "3": ["e", "f", "g", "d"]},
}


def test_the_methods_paragraph_and_its_bibtex(xcg_command: Command) -> None:
    compared = ("--set", "compare.baseline=focused+unique", "--set", "compare.test=wilcoxon")
    call = ("report", "configs/quickstart.yaml", "--methods", *compared, "--strategy", "unique")
    call = (*call, "--measures", "MAep nxCG@10")
    done = xcg_command(*call)
    assert done.returncode == 0, done.stderr
    paragraph, entries = done.stdout.split("\n\n", 1)
    for sentence in (
        f"Scores were computed by xcg {xcg.__version__} [@xcg]. ",
        "Each run was rewritten by the overlap strategy unique (",
        "were compared with the baseline focused+unique over 15 topics by Wilcoxon's signed-rank test",
    ):
        assert sentence in paragraph
    assert entries == xcg_command(*call, "--format", "bibtex").stdout
    assert entries.count("@article{kazai-lalmas-2006,") == 1
    rows = list(csv.DictReader(xcg_command(*call, "--format", "csv").stdout.splitlines()))
    assert rows[0] == {"subject": "the measure MAep", "keys": "kazai-lalmas-2006"}
    assert len({row["subject"] for row in rows}) == len(rows)
    content = json.loads(xcg_command(*call, "--format", "json").stdout)
    assert content["settings"]["settings"]["strategies"] == ["unique"]


def test_check_lists_errors_and_oddities(xcg_command: Command, tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text(
        "163 Q0 co/2001/r7022#/article/bdy/sec[9] 1 2 r\n163 Q0 co/2001/r7022#/article 2 1 r\n"
    )
    good = xcg_command("check", CONFIG)
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.splitlines()[1].split() == ["documents", "1"]
    assert xcg_command("check", CONFIG, "--format", "csv").stdout == ""
    bad = xcg_command("check", CONFIG, "--run", run, "--format", "csv")
    (row,) = csv.DictReader(bad.stdout.splitlines())
    assert bad.returncode == 2
    assert (row["level"], row["kind"], row["count"]) == ("error", "results with unknown paths", "1")
    content = json.loads(xcg_command("check", CONFIG, "--run", run, "--format", "json").stdout)
    assert [finding["count"] for finding in content["records"]] == [1]
    nothing = xcg_command("check")
    assert nothing.returncode == 2
    assert "nothing to check: expected a CONFIG.yaml, --assessments, --run or" in nothing.stderr
    oddity = tmp_path / "odd.txt"
    oddity.write_text("163 Q0 co/2001/r7022 1 1 r\n163 Q0 co/2001/r7022 2 9 r\n")
    warned = xcg_command("check", CONFIG, "--run", oddity)
    assert warned.returncode == 0
    assert "warning" in warned.stdout


def test_check_accepts_inputs_in_memory() -> None:
    answer = xcg.load(assessments=GOLD, runs=RUNS).check()
    assert (list(answer), answer.status) == ([], 0)


def test_the_json_of_a_gate_has_its_settings_and_notes(xcg_command: Command) -> None:
    call = ("gate", CONFIG, "--measures", "MAep", "--fail-under", "MAep=0.7", "--format", "json")
    done = xcg_command(*call)
    content = json.loads(done.stdout)
    assert done.returncode == 1
    assert [round(row["value"], 4) for row in content["records"]] == [1, 1, 0.75, 0.6333]
    assert content["settings"]["settings"]["gate"]["fail_under"] == ["MAep=0.7"]
    assert content["notes"][-1].startswith(
        "failed: rel_leaves, kazai-lalmas-2006: MAep is 0.6333, below"
    )


def test_answers_in_python() -> None:
    campaign = xcg.load(assessments=GOLD, runs=RUNS, measures="MAep")
    answer = campaign.compare()
    (row,) = answer.records()
    assert (row["run"], row["baseline"], answer[0].run, len(answer)) == ("a", "b", "a", 1)
    assert [len(table.rows) for table in answer.tables()] == [2]
    assert "a is compared with b over 3 topics" in str(answer)
    assert "<table" in answer._repr_html_()
    for call, message in (
        (lambda: campaign.evaluate().plot("a.svg"), "there is no plot of this answer: print a table"),
        (
            lambda: answer.to_text("xml"),
            "unknown format 'xml': expected one of csv, json, jsonl, latex,",
        ),
        (
            lambda: xcg.load(assessments=GOLD).evaluate(),
            "no runs: expected a CONFIG.yaml or --run PATH",
        ),
    ):
        with pytest.raises(xcg.XcgError) as caught:
            call()
        assert str(caught.value).startswith(message)
    assert campaign.gate(fail_under={"MAep": 0.3}).passed
    assert campaign.compare(baseline=None)[0].p == answer[0].p  # None states nothing
