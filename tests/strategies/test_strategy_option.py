"""Every command and every function that takes runs accepts overlap strategies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

from xcg.cli.main import COMMANDS, main

WITHOUT_STRATEGIES = {
    "assess": "takes no runs",
    "break": "takes no runs",
    "cite": "takes no runs",
    "convert": "xcg rewrite is this command with a strategy",
    "distribution": "takes no runs",
    "ideal": "takes no runs",
    "judge": "pools contain the results of the runs as they are",
    "levels": "takes no runs",
    "measures": "takes no runs",
    "place": "takes no runs",
    "samples": "takes no runs",
    "simulate": "takes no runs",
    "strategies": "takes no runs",
    "user-models": "takes no runs",
    "validate": "checks files as they are",
}
"""Command → why it has no option --strategy."""

CALLS = {
    "calibrate": "c.yaml --campaigns 2 --test t",
    "chunks": "c.yaml",
    "compare": "c.yaml",
    "curves": "c.yaml --depth 2",
    "evaluate": "c.yaml",
    "explain": "c.yaml --run r --topic 1",
    "gold": "c.yaml --format jsonl",
    "inex-eval": "-t qrels offsets",
    "perturb": "c.yaml --counts 1 --measures nxCG@2",
    "plan": "c.yaml",
    "report": "c.yaml --output report.html",
    "rewrite": "--run r",
    "stability assessors": "c.yaml --assessor gold.jsonl --ranges",
    "stability topics": "c.yaml --trials 2 --sizes 2",
    "sweep": "c.yaml",
}
NAMELESS = ("plan", "stability topics", "sweep")
"""Commands whose output does not have the names of runs and strategies together."""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    topics = [str(number) for number in range(1, 7)]
    for topic in topics:
        (tmp_path / "corpus" / f"d{topic}.xml").write_text("<a><p>some words</p><p>more text</p></a>")
    gold = [
        {"topic": topic, "doc": f"d{topic}", "start": 0, "end": 5 + int(topic), "exhaustivity": 2}
        for topic in topics
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in gold))
    for name, paths in (
        ("r", ("", "/p[1]", "/p[2]")),
        ("s", ("/p[2]", "", "/p[1]")),
        ("t", ("/p[1]", "", "")),
    ):
        (tmp_path / name).write_text(
            "".join(
                f"{topic} Q0 d{1 + (int(topic) * rank) % 6 if rank == 3 else topic}#/a[1]{path} {rank} "
                f"{9 - rank} {name}\n"
                for topic in topics
                for rank, path in enumerate(paths, 1)
            )
        )
    (tmp_path / "c.yaml").write_text(
        "corpus: corpus\nassessments: gold.jsonl\nruns: [r, s, t]\nuser_model: spans\nmeasures: MAep\n"
    )
    (tmp_path / "qrels").write_text("1 Q0 d1 6 19 0 0:6\n")
    (tmp_path / "offsets").write_text("1 Q0 d1 1 2 r 0 6\n1 Q0 d1 2 1 r 3 9\n")
    return tmp_path


def test_every_command_has_the_option_or_a_reason() -> None:
    assert {call.split()[0] for call in CALLS} | WITHOUT_STRATEGIES.keys() == COMMANDS.keys()
    for name in WITHOUT_STRATEGIES:
        command = main.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        assert "--strategy" not in {option for one in command.params for option in one.opts}


@pytest.mark.parametrize("call", CALLS)
def test_a_command_rewrites_the_runs(campaign: Path, call: str, xcg_command: Command) -> None:
    words = [*call.split(), *CALLS[call].split(), "--strategy", "top_ranked"]
    done = xcg_command(*words, cwd=campaign)
    assert done.returncode == 0, done.stderr
    output = done.stdout
    if call == "report":
        output = (campaign / "report.html").read_text()
    assert ("r+top_ranked" in output) == (call not in NAMELESS)
    plain = xcg_command(*words[:-2], cwd=campaign)
    assert plain.returncode == (2 if call in ("rewrite", "sweep") else 0), plain.stderr
    assert "+top_ranked" not in plain.stdout
