"""xcg convert --as assessments: the scores of a run as levels of relevance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.errors import Notes, XcgError
from xcg.evaluation.conversion import assessments_of_run
from xcg.runs.run import Run

RUN = "1 Q0 a 1 2.5 r\n1 Q0 b 2 1 r\n1 Q0 b 3 0.5 r\n1 Q0 c#/s[1] 4 -1 r\n2 Q0 a 1 12 r\n"
JSON = (
    '{"topic": 1, "doc": "a", "start": 3, "end": 9, "score": 0.25}\n'
    '{"topic": 1, "doc": "b", "start": 0, "end": 2, "score": 0}\n'
)


def convert(command: Command, folder: Path, text: str, *options: object) -> tuple[int, str, str]:
    (folder / "r").write_text(text)
    done = command("convert", "--run", "r", "--as", "assessments", *options, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def test_scores_become_levels(xcg_command: Command, tmp_path: Path) -> None:
    """The higher score of the repeated document counts."""
    assert convert(xcg_command, tmp_path, RUN, "--to", "trec") == (
        0,
        "1 0 a 2.5\n1 0 b 1\n1 0 c#/s[1] -1\n2 0 a 12\n",
        "xcg: note: runs with whole documents among elements or passages: 1 time; the first: "
        "r: 4 of 5 results have no path and no start, so each is its whole document\n"
        "xcg: note: repeated results; their highest score is the level: 1 time; the first: "
        "r, topic 1, rank 3: b\n",
    )


def test_the_irrelevant_score_becomes_level_0(xcg_command: Command, tmp_path: Path) -> None:
    options = ("--to", "trec", "--irrelevant", -2, "--depth", 2)
    assert convert(xcg_command, tmp_path, RUN, *options)[1] == "1 0 a 4.5\n1 0 b 3\n2 0 a 14\n"


def test_passages_keep_their_scores(xcg_command: Command, tmp_path: Path) -> None:
    status, text, _ = convert(xcg_command, tmp_path, JSON, "--to", "jsonl")
    assert status == 0
    assert text == '{"topic": "1", "doc": "a", "start": 3, "end": 9, "level": 0.25}\n'


INEX = (
    '<inex-submission run-id="r"><topic topic-id="1">'
    "<result><file>f</file><path>/a</path>{}</result></topic></inex-submission>"
)


def test_submissions_with_scores_become_levels(xcg_command: Command, tmp_path: Path) -> None:
    text = INEX.format("<rsv>0.5</rsv>")
    assert convert(xcg_command, tmp_path, text, "--to", "trec")[1] == "1 0 f#/a[1] 0.5\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (INEX.format("<rank>1</rank><rsv>2</rsv>"), (), "r, topic 1: the results have no scores"),
        (INEX.format(""), (), "the results have no scores that order them; expected a run with scores"),
        ('{"topic": 1, "doc": "a", "rank": 1}\n', (), "the results have no scores that order them"),
        ("1 Q0 a 1 1001 r\n", (), "r, topic 1, rank 1: the score 1001 becomes an illegal level 1001"),
        (RUN, ("--feature", "1"), "r: not a LETOR file"),
        (RUN, ("--to", "inex"), "unknown assessment format 'inex': did you mean 'inex2005'?"),
        (JSON, ("--to", "trec"), "the format trec holds elements, but the assessments are passages"),
    ],
)
def test_runs_without_usable_scores_are_errors(
    xcg_command: Command, tmp_path: Path, text: str, options: Sequence[str], message: str
) -> None:
    given = options if "--to" in options else (*options, "--to", "trec")
    status, printed, errors = convert(xcg_command, tmp_path, text, *given)
    assert (status, printed) == (2, "")
    assert message in errors


@pytest.mark.parametrize(
    "options",
    [
        "--run {} --irrelevant 1",
        "--assessments {} --feature 1",
        "--assessments {} --depth 1",
        "--assessments {} --as frb --strategy unique",
    ],
)
def test_options_without_effect_are_errors(xcg_command: Command, options: str) -> None:
    done = xcg_command("convert", "--to", "trec", *options.format("file").split())
    message = "xcg: error: --[a-z]+ has no effect on this conversion: remove it\n"
    assert re.fullmatch(message, done.stderr)


def test_a_run_of_plain_scores_becomes_a_recall_base() -> None:
    notes = Notes()
    base = assessments_of_run(Run.of("r", {"1": {"a": 0.5, "b": 2}}), notes=notes)
    assert base.to_text("trec")[0] == "1 0 a 0.5\n1 0 b 2\n"
    assert notes.lines() == []
    found = xcg.evaluate(base, {"r": {"1": ["a", "b"]}}, measures="muAP")
    # AP is 1 from 0.5 on and 1/2 from 2 on, with the distances 0.5 and 1.5.
    assert found.value("r", "muAP") == pytest.approx((0.5 * 1 + 1.5 * 0.5) / 2)
    with pytest.raises(XcgError, match="the results have no scores"):
        assessments_of_run(Run.of("r", {"1": ["a", "b"]}))
