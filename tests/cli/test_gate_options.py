"""``xcg compare`` as a gate with limits: exit status, Markdown and JUnit XML."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from bee_campaign import GOLD, GOOD, POOR, RIGHT, WRONG, run_compare, write_campaign
from conftest import Command
from lxml import etree

MIXED = {**GOOD, "4": [WRONG, RIGHT]}  # nxCG@1 is 5/6 = 0.8333: 16.67 % lower than 1
LIMITED = ("--measures", "nxCG@1", "--baseline", "good")


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    return partial(write_campaign, tmp_path)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--max-drop", "0.17"), 0),
        (("--max-drop", "0.16"), 1),
        (("--max-drop", "17%"), 0),
        (("--max-drop", "16%"), 1),
        (("--max-drop", "nxCG@1=16%"), 1),
        (("--max-regressed", "1"), 0),
        (("--max-regressed", "0"), 1),
        (("--max-drop", "17%", "--max-regressed", "nxCG@1=0"), 1),
        (("--max-drop", "17%", "--fail-under", "nxCG@1=0.9"), 1),
        (("--max-drop", "5"), 2),
        (("--max-drop", "5", "--allow-underpowered"), 0),
        (("--max-regressed", "6"), 2),
        (("--max-drop", "five"), 2),
        (("--max-drop", "nxCG@1=1%", "--max-drop", "nxCG@1=2%"), 2),
    ],
)
def test_limits_set_the_exit_status(
    files: Callable[..., list[str]], options: tuple[str, ...], status: int
) -> None:
    found, stderr = run_compare(*files(good=GOOD, mixed=MIXED), *LIMITED, *options)
    assert found == status, stderr
    assert ("failed: mixed, spans: nxCG@1 is " in stderr) == (status == 1)
    assert stderr.count("xcg: error: ") == (status == 2)


def test_a_limit_names_its_measure_and_the_test_is_optional(files: Callable[..., list[str]]) -> None:
    campaign = files(good=GOOD, mixed=MIXED)
    # Without --measures, the measures of the limits are evaluated.
    status, stderr = run_compare(*campaign, "--baseline", "good", "--max-drop", "nxCG@1=1%")
    assert status == 1
    assert (
        "mixed, spans: nxCG@1 is 0.8333, 16.67 % lower than 1.0000 of good: at most 1 % is allowed; "
        "lost most on topic 4 (-1.0000)"
    ) in stderr
    assert "gate: limits without a test, baseline good" in stderr
    assert "gate: t test" not in stderr
    worse = ("--fail-if-worse-than", "good", "--measures", "nxCG@1")
    assert run_compare(*campaign, *worse)[0] == 0  # one of six topics is not significant
    status, stderr = run_compare(*campaign, *worse, "--max-drop", "1%")
    assert (status, "gate: t test" in stderr, "gate: limits" in stderr) == (1, True, True)
    # A margin that is not shown fails, whatever the limit allows.
    assert run_compare(*campaign, *worse, "--max-drop", "50%", "--margin", "0.01")[0] == 1


def test_a_single_run_has_no_baseline(files: Callable[..., list[str]]) -> None:
    for more in ((), ("--fail-under", "nxCG@1=0.1")):
        status, stderr = run_compare(*files(good=GOOD), *LIMITED, "--max-drop", "5%", *more)
        assert (status, stderr.count("xcg: error: "), "expected" in stderr) == (2, 1, True), stderr


def test_unanswered_topics_and_unmapped_data_do_not_pass(files: Callable[..., list[str]]) -> None:
    gate = (*LIMITED, "--max-drop", "5%")
    other = {f"q{topic}": results for topic, results in GOOD.items()}
    status, stderr = run_compare(*files(good=GOOD, other=other), *gate)
    assert (status, "run other answers no assessed topic: expected its results" in stderr) == (2, True)
    status, stderr = run_compare(*files(good=GOOD, new={**GOOD, "3": [("wasps", 0, 5)]}), *gate)
    assert (status, "topic 3, rank 1" in stderr) == (3, True)
    status, stderr = run_compare(*files(good=GOOD, new={**GOOD, "3": []}), *gate)
    assert (status, "lost most on topic 3 (-1.0000)" in stderr) == (1, True)


def test_markdown_and_junit_of_a_gate(
    files: Callable[..., list[str]], xcg_command: Command, tmp_path: Path
) -> None:
    campaign = files(good=GOOD, mixed=MIXED, poor=POOR)
    junit = tmp_path / "gate.xml"
    call = ("compare", *campaign, *LIMITED, "--max-drop", "20%", "--junit", junit)
    done = xcg_command(*call, "--format", "markdown")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1:4] == [
        "## Retrieval gate: failed",
        "",
        "1 of 2 checks failed, compared with good.",
    ]
    assert lines[5].startswith("- poor, spans: nxCG@1 is 0.0000, 100 % lower than 1.0000 of good")
    assert lines[7].startswith("- mixed: an unchanged run fails in less than 0.1 % of cases; a loss of")
    assert lines[10] == "### Worst topics"
    assert "<summary>All comparisons (2)</summary>" in lines
    assert "| good  | 1.0000 |   baseline |" in done.stdout
    assert "compared with the baseline good, named by the user, over 6 topics by the" in done.stderr
    cases = etree.parse(junit).findall(".//testcase")
    assert [(case.get("classname"), case.get("name"), len(case)) for case in cases] == [
        ("spans.mixed", "nxCG@1", 0),
        ("spans.poor", "nxCG@1", 1),
    ]
    # Other formats print the table, and without a gate Markdown does too.
    assert xcg_command(*call, "--format", "csv").stdout.startswith("measure,run,baseline")
    assert xcg_command("compare", *campaign, *LIMITED, "--format", "markdown").stdout[0] == "|"
    single = xcg_command(
        *("compare", *files(good=GOOD), "--fail-under", "MAep=0.5", "--format", "markdown")
    )
    assert single.stdout.splitlines()[1:4] == ["## Retrieval gate: passed", "", "1 check passed."]


def test_a_junit_file_stays_if_the_gate_cannot_be_decided(
    files: Callable[..., list[str]], tmp_path: Path
) -> None:
    junit = tmp_path / "gate.xml"
    junit.write_text("before")
    gate = (*files(good=GOOD, mixed=MIXED), *LIMITED, "--junit", str(junit))
    assert run_compare(*gate, "--max-drop", "5")[0] == 2
    assert junit.read_text() == "before"
    unwritable = (*gate[:-1], str(tmp_path / "none" / "gate.xml"), "--max-drop", "20%")
    status, stderr = run_compare(*unwritable)
    assert (status, "none/gate.xml: cannot write: No such file or directory" in stderr) == (2, True)


def test_questions_that_the_gold_lacks_do_not_pass_silently(
    files: Callable[..., list[str]], xcg_command: Command, tmp_path: Path
) -> None:
    """The only topic that became worse is removed from the gold."""
    gold = {topic: spans for topic, spans in GOLD.items() if topic != "4"}
    campaign = files(gold=gold, good=GOOD, mixed=MIXED)
    gate = ("compare", *campaign, *LIMITED, "--max-drop", "5%")
    done = xcg_command(*gate, "--format", "markdown")
    assert done.returncode == 0
    warning = "good answers topics without scores: topic 4; --expected-topics (expected_topics) states"
    assert f"xcg: warning: {warning}" in done.stderr
    assert "- warning: good answers topics without scores: topic 4" in done.stdout
    junit = tmp_path / "gate.xml"
    reason = "expected topics have scores of all runs"
    for expected, failure in {
        "6": f"5 of 6 {reason}",
        "5": "",
        "1 2,3,4": f"3 of 4 {reason}: not topic 4",
        "1 2": "",
    }.items():
        status, stderr = run_compare(*gate[1:], "--expected-topics", expected, "--junit", str(junit))
        failed = [line for line in stderr.splitlines() if line.startswith("xcg: failed: ")]
        assert failed == ([f"xcg: failed: {failure}"] if failure else [])
        assert status == bool(failure)
        assert warning not in stderr
        (case, *_) = etree.parse(junit).iter("testcase")
        assert (case.get("name"), len(case)) == ("expected topics", int(bool(failure)))
    for none in ("0", ""):
        status, stderr = run_compare(*gate[1:], "--expected-topics", none)
        assert (status, "error: 0 expected topics: expected at least one" in stderr) == (2, True)
    # A topic that a run leaves out has no score of all runs.
    campaign = files(good=GOOD, mixed={topic: GOOD[topic] for topic in "12356"})
    skipping = (*campaign, *LIMITED, "--max-drop", "5%", "--unanswered", "skip")
    assert run_compare(*skipping, "--expected-topics", "6")[0] == 1
    status, stderr = run_compare(*skipping)
    assert (status, warning in stderr) == (0, True)


def test_regressed_questions_have_gold_ranks_and_a_command(
    files: Callable[..., list[str]], xcg_command: Command, tmp_path: Path
) -> None:
    runs = {"good": GOOD, "mixed": MIXED, "lost": {**GOOD, "5": [WRONG]}}
    (tmp_path / "topics.csv").write_text("id,title\n4,Who dances?\n")
    campaign = files(**runs)
    config = tmp_path / "campaign.yaml"
    config.write_text(
        "assessments: gold.jsonl\ncorpus: corpus\nuser_model: spans\ntopics: {files: [topics.csv]}\n"
        "runs: [good.jsonl, mixed.jsonl, lost.jsonl]\n"
    )
    gold = "- bees 0–23 “Bees dance on the comb.”: rank 1 → "
    for inputs in (campaign, [str(config)]):
        done = xcg_command(*("compare", *inputs, *LIMITED, "--max-drop", "5%", "--format", "markdown"))
        lines = done.stdout.split("### Gold of these topics, and its ranks\n")[1].splitlines()
        title = ": Who dances?" if inputs[0] == str(config) else ""
        assert [lines[1], lines[3]] == [f"**topic 4{title} (mixed, spans)**", f"{gold}rank 2"]
        assert [lines[6], lines[8]] == ["**topic 5 (lost, spans)**", f"{gold}not found"]
        for line, run in ((lines[4], "mixed"), (lines[9], "lost")):
            words = shlex.split(line.removeprefix("- ").replace("\\", ""))
            assert words[:2] == ["xcg", "explain"]
            explained = xcg_command(*words[1:])
            assert f"{run}, topic {words[-1]}, spans: gained " in explained.stdout


def test_a_run_from_standard_input_is_not_read_again(
    files: Callable[..., list[str]], xcg_command: Command, tmp_path: Path
) -> None:
    gate = (*files(good=GOOD), "--run", "-", *LIMITED, "--max-drop", "5%", "--format", "markdown")
    files(mixed=MIXED)
    done = xcg_command("compare", *gate, stdin=(tmp_path / "mixed.jsonl").read_text())
    assert (done.returncode, "“Bees dance on the comb.”: rank 1 → rank 2" in done.stdout) == (1, True)


def test_topics_of_other_names_are_an_error(
    files: Callable[..., list[str]], xcg_command: Command
) -> None:
    campaign = files(other={f"q{topic}": results for topic, results in GOOD.items()})
    done = xcg_command("evaluate", *campaign, "--measures", "MAep")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "xcg: error: no topic of the runs is assessed: runs have 'q1', 'q2', 'q3' and 3 more, "
        "assessments '1', '2', '3' and 3 more\n"
    )
