"""Every question about runs is answered about the runs under an overlap strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import xcg

TOPICS = [str(number) for number in range(1, 7)]
CORPUS = {f"d{topic}.xml": "<a><p>some words</p><p>more text</p></a>" for topic in TOPICS}
GOLD = {topic: {f"d{topic}": [(0, 5 + int(topic))]} for topic in TOPICS}
RUNS = {
    name: {topic: [f"d{topic}#/a[1]{path}" for path in paths] for topic in TOPICS}
    for name, paths in (("r", ("", "/p[1]", "/p[2]")), ("s", ("/p[2]", "", "/p[1]")))
}
QUESTIONS: dict[str, dict[str, Any]] = {
    "chunks": {},
    "compare": {},
    "curves": {},
    "evaluate": {},
    "explain": {"run": "r", "topic": "1"},
    "study.calibrate": {"campaigns": 2},
    "study.perturb": {"counts": [1]},
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_about_the_runs_under_the_strategy(question: str) -> None:
    campaign: Any = xcg.load(
        assessments=GOLD,
        runs=RUNS,
        corpus=CORPUS,
        user_model="spans",
        measures="nxCG@2",
        strategies="top_ranked",
    )
    for name in question.split("."):
        campaign = getattr(campaign, name)
    answer = campaign(**QUESTIONS[question])
    assert "r+top_ranked" in answer.to_text("jsonl") + answer.to_text() + "".join(answer.notes)


def test_inex_eval_scores_the_runs_under_the_strategy(tmp_path: Path, xcg_command: Command) -> None:
    (tmp_path / "qrels").write_text("1 Q0 d1 6 19 0 0:6\n")
    (tmp_path / "offsets").write_text("1 Q0 d1 1 2 r 0 6\n1 Q0 d1 2 1 r 3 9\n")
    done = xcg_command("inex-eval", "-t", "qrels", "offsets", "--strategy", "top_ranked", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "r+top_ranked" in done.stdout
