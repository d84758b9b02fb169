"""The key and the option ``gold`` mean assessments in every command."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from conftest import ROOT, Command

from xcg.cli.main import COMMANDS, main

NEEDED = {
    "gate": ["--baseline", "pages"],
    "report": ["--output", "-"],
    "explain": ["--topic", "lost-passphrase"],
    "sweep": ["--user-model", "spans", "--user-model", "spans-levels"],
}
FILES = {
    "assessments": "corpus: docs\nassessments: gold.jsonl\nruns: runs/*.jsonl\n",
    "gold": "corpus: docs\ngold: gold.jsonl\nruns: runs/*.jsonl\n",
    "none": "corpus: docs\nruns: runs/*.jsonl\n",
    "other": "corpus: docs\nassessments: other.jsonl\nruns: runs/*.jsonl\n",
}
SET = ["--set", "gold=gold.jsonl"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "corpora_samples" / "chunks", tmp_path / "chunks")
    for name, text in FILES.items():
        (tmp_path / "chunks" / f"{name}.yaml").write_text(text)
    return tmp_path / "chunks"


def options_of(name: str) -> set[str]:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize(
    "name", [name for name in COMMANDS if "config" in options_of(name)] + ["study plan"]
)
def test_gold_means_assessments_in_every_command(xcg_command: Command, folder: Path, name: str) -> None:
    if name == "judge":  # it reads no assessments
        return
    measures = [] if name in ("curves", "chunks", "study plan") else ["--measures", "MAep"]
    common = [*measures, *NEEDED.get(name, [])]
    calls = [["assessments"], ["gold"], ["none", *SET], ["other", *SET]]
    calls += [] if name.startswith("study") else [["other", "--gold", "gold.jsonl"]]
    found = []
    for file, *options in calls:
        done = xcg_command(*name.split(), f"{file}.yaml", *options, *common, cwd=folder)
        found.append((done.returncode, done.stdout.replace(f"{file}.yaml", "FILE")))
    assert found[0][0] in (0, 1)
    assert found[0][1]
    assert found == found[:1] * len(calls)


def test_convert_reads_gold(xcg_command: Command, folder: Path) -> None:
    given = ["gold.jsonl", "--corpus", "docs", "--to", "jsonl"]
    found = [
        xcg_command("convert", option, *given, cwd=folder) for option in ("--assessments", "--gold")
    ]
    assert found[0].returncode == 0
    assert found[0].stdout == found[1].stdout


def test_both_in_one_place_are_refused(xcg_command: Command, folder: Path) -> None:
    done = xcg_command("evaluate", "none.yaml", *SET, "--assessments", "gold.jsonl", cwd=folder)
    assert done.returncode == 2
    assert "--set gold: means assessments: expected one of them" in done.stderr
