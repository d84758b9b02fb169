"""Every command once in a process of its own, as users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

from xcg.cli.main import COMMANDS

CONFIG = "configs/kazai-lalmas-2006.yaml"
MODEL = ("--user-model", "kazai-lalmas-2006")
RUN = "corpora_samples/kazai-lalmas-2006-runs/2-frb.xml"
CORPUS = "corpora_samples/kazai-lalmas-2006"
ARTICLE = "corpora_samples/handbook/choosing-a-user-model.xml"
SPANS = ("--corpus", "{tmp}/documents", "--run", "{tmp}/run.jsonl")

CALLS: dict[str, tuple[tuple[str, ...], str]] = {
    "assess": (("{tmp}/gold.jsonl", "--corpus", "{tmp}/documents", "--output", "{tmp}/out"), ""),
    "break": (("nxCG@10", "--law", "boundedness", "--examples", "5"), "boundedness: held"),
    "calibrate": (
        ("configs/quickstart.yaml", *MODEL, "--measures", "nxCG@1", "--campaigns", "5", "--test", "t"),
        "shaffer",
    ),
    "chunks": (("--gold", "{tmp}/gold.jsonl", *SPANS), "questions"),
    "cite": (("MAep",), "Cumulated Gain Measures"),
    "compare": ((CONFIG, *MODEL, "--measures", "nxCG@1 MAep", "--orders"), "tau_b"),
    "convert": (("--run", RUN, "--to", "trec"), "163 Q0 co/2001/r7022"),
    "curves": ((CONFIG, *MODEL, "--measures", "nxCG", "--depth", "2"), '"measure": "nxCG"'),
    "distribution": ((CONFIG,), "relevant_share"),
    "evaluate": ((CONFIG, "--measures", "MAep"), "MAep"),
    "explain": ((CONFIG, "--run", RUN, "--topic", "163"), "gained 1.5000 of 1.5000"),
    "gold": (("--gold", "{tmp}/gold.jsonl", *SPANS), "does not find: 0 of 1"),
    "ideal": ((CONFIG, "--topic", "163"), "/article[1]/bdy[1]/sec[6]"),
    "inex-eval": (("-f", "{tmp}/qrels", "{tmp}/offsets"), "MAiP\t\tall\t1.0"),
    "judge": (("{tmp}/judge.yaml", "--import", "{tmp}/gold.jsonl"), ""),
    "levels": (("--swaps", "2", "--repetitions", "1"), "muMAP/2"),
    "measures": (("ep",), "equation 13"),
    "perturb": ((CONFIG, *MODEL, "--run", RUN, "--measures", "MAep", "--counts", "1"), "MAep"),
    "place": (("{tmp}/texts.jsonl", "--corpus", "{tmp}/documents"), '"start": 5'),
    "plan": (
        ("configs/quickstart.yaml", "--measures", "MAep", *MODEL, "--test", "t", "--difference", "0.1"),
        "topics_needed",
    ),
    "report": ((CONFIG, *MODEL, "--output", "{tmp}/report.html"), ""),
    "rewrite": (("--run", RUN, "--strategy", "top_ranked", "--to", "trec"), "frb+top_ranked"),
    "samples": (("{tmp}/samples",), ""),
    "show": ((ARTICLE,), "Choosing a user model"),
    "simulate": (("{tmp}/campaign", "--small", "--articles", "3", "--topics", "2", "--runs", "2"), ""),
    "stability": (
        ("assessors", CONFIG, "--assessor", "assessments/kazai-lalmas-2006", "--agreement"),
        "1 and 2",
    ),
    "strategies": (("top_ranked",), "overlaps no kept result"),
    "sweep": (
        (CONFIG, *MODEL, "--user-model", "overlap-off", "--measures", "MAep"),
        "overlap-off",
    ),
    "user-models": (("overlap-off",), "a number from 0 to 1"),
    "validate": ((CONFIG,), "what was read"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "d.xml").write_text("<a><p>some words of text</p><p>and more</p></a>")
    passage = {"topic": "1", "doc": "d", "start": 0, "end": 10}
    (tmp_path / "gold.jsonl").write_text(json.dumps({**passage, "exhaustivity": 2}) + "\n")
    (tmp_path / "run.jsonl").write_text(json.dumps({**passage, "rank": 1}) + "\n")
    (tmp_path / "texts.jsonl").write_text('{"topic": "1", "doc": "d", "text": "words of"}\n')
    (tmp_path / "judge.yaml").write_text("corpus: documents\ntopics: topics.csv\n")
    (tmp_path / "topics.csv").write_text("id,title\n1,words\n")
    (tmp_path / "qrels").write_text("1 Q0 d 10 26 0 0:10\n")
    (tmp_path / "offsets").write_text("1 Q0 d 1 1 run 0 10\n")
    return tmp_path


def test_every_command_is_called() -> None:
    assert CALLS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", CALLS)
def test_a_command_runs_in_its_own_process(command: str, xcg_process: Command, folder: Path) -> None:
    arguments, expected = CALLS[command]
    done = xcg_process(command, *(argument.format(tmp=folder) for argument in arguments))
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
