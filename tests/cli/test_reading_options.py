"""The key ties, and standard input, in all commands that read runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 0\n1 0 d 0\n"
RUN = "1 Q0 c 2 1 t\n1 Q0 a 2 1 t\n1 Q0 b 1 0.5 t\n1 Q0 d 3 2 t\n"


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    (tmp_path / "c.yaml").write_text("assessments: q\nruns: r\nmeasures: RR\n")
    return tmp_path


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        ((), "d c a b"),
        (("ties=document",), "d c a b"),
        (("ties=rank",), "d c a b"),
        (("ties=file",), "d c a b"),
    ],
)
def test_the_order_decides_about_scores_and_converted_runs(
    campaign: Path, xcg_command: Command, keys: tuple[str, ...], order: str
) -> None:
    options = [word for key in keys for word in ("--set", key)]
    expected = order.split()
    done = xcg_command("evaluate", campaign / "c.yaml", *options)
    assert done.stdout.split() == ["run", "RR", "t", f"{1 / (expected.index('a') + 1):.4f}"]
    converted = xcg_command("convert", "--run", campaign / "r", "--to", "jsonl", *options)
    assert [json.loads(line)["doc"] for line in converted.stdout.splitlines()] == expected
    call = ("explain", campaign / "c.yaml", "--run", "t", "--topic", "1", "--format", "jsonl")
    explained = xcg_command(*call, *options).stdout.splitlines()
    assert [json.loads(line)["file"] for line in explained] == expected


COMMANDS = [
    "evaluate --assessments q --run - --set ties=file --measures RR",
    "explain --run - --assessments q --topic 1",
    "check --assessments q --run -",
    "convert --run - --to jsonl",
    "report --assessments q --run - --output h.html",
    "study perturb c.yaml --set runs=- --set measures=nxCG@2 --set study.perturb.counts=1",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_read_a_run_from_standard_input(
    campaign: Path, xcg_command: Command, command: str
) -> None:
    """The output is that for a file with the same content."""
    (campaign / "f").write_text(RUN)
    file = command.replace("--run -", "--run f").replace("runs=-", "runs=f")
    expected = xcg_command(*file.split(), cwd=campaign)
    done = xcg_command(*command.split(), cwd=campaign, stdin=RUN)
    assert (done.returncode, done.stdout) == (
        0,
        expected.stdout.replace("[f]", "[-]").replace("f, t", "-, t"),
    )


def test_assessments_from_standard_input(campaign: Path, xcg_command: Command) -> None:
    done = xcg_command(
        "evaluate", "--assessments", "-", "--run", "r", "--measures", "RR", cwd=campaign, stdin=QRELS
    )
    assert (done.returncode, done.stdout.split()) == (0, ["run", "RR", "t", "0.3333"]), done.stderr
    empty = xcg_command("evaluate", "--assessments", "q", "--run", "-", cwd=campaign, stdin="")
    assert (empty.returncode, empty.stderr) == (2, "xcg: error: -: an empty file; expected a run\n")
    config = campaign / "c.yaml"
    config.write_text("assessments: q\nruns: '-'\nmeasures: RR\n")
    done = xcg_command("evaluate", config, stdin=RUN)
    assert (done.returncode, done.stdout.split()) == (0, ["run", "RR", "t", "0.3333"]), done.stderr
