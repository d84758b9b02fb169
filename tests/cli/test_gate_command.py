"""``xcg gate``: exit status, Markdown and JUnit XML."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from bee_campaign import GOLD, GOOD, POOR, RIGHT, WRONG, run_gate, write_campaign
from conftest import Command
from lxml import etree

MIXED = {**GOOD, "4": [WRONG, RIGHT]}  # nxCG@1 is 5/6 = 0.8333: 16.67 % lower than 1
LIMITED = ("--measures", "nxCG@1", "--baseline", "good")
HANDBOOK = ("configs/quickstart.yaml", "--user-model", "kazai-lalmas-2006", "--measures", "MAep")


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    return partial(write_campaign, tmp_path)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--max-drop", "0.17"), 0),
        (("--max-drop", "0.16"), 1),
        (("--max-drop", "17%"), 0),
        (("--max-drop", "nxCG@1=16%"), 1),
        (("--set", "gate.max_drop={nxCG@1: 16%}"), 1),
        (("--max-regressed", "1"), 0),
        (("--max-regressed", "0"), 1),
        (("--max-drop", "17%", "--max-regressed", "nxCG@1=0"), 1),
        (("--max-drop", "17%", "--fail-under", "nxCG@1=0.9"), 1),
        (("--max-drop", "5"), 3),  # it can never fail
        (("--max-regressed", "6"), 3),
        (("--max-drop", "five"), 2),
        (("--max-drop", "nxCG@1=1%", "--max-drop", "nxCG@1=2%"), 2),
    ],
)
def test_limits_set_the_exit_status(
    files: Callable[..., list[str]], options: tuple[str, ...], status: int
) -> None:
    found, stderr = run_gate(*files(good=GOOD, mixed=MIXED), *LIMITED, *options)
    assert found == status, stderr
    assert ("failed: mixed, spans: nxCG@1 is " in stderr) == (status == 1)
    assert stderr.count("xcg: error: ") == (status >= 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--baseline", "all"), "baseline is 'all': expected the name or the path of a run"),
        (
            ("--baseline", "focused", "--max-drop", "1%", "--set", "gate.regressed_by=0.2"),
            "regressed_by has no effect without max_regressed",
        ),
    ],
)
def test_a_gate_that_checks_nothing_is_an_error(
    xcg_command: Command, options: tuple[str, ...], message: str
) -> None:
    done = xcg_command("gate", *HANDBOOK, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")


def test_a_minimum_with_a_baseline_has_both_numbers(xcg_command: Command, tmp_path: Path) -> None:
    junit = tmp_path / "gate.xml"
    call = ("gate", *HANDBOOK, "--baseline", "focused", "--fail-under", "MAep=0.3")
    runs = ("--run", "paragraphs", "--run", "focused")
    done = xcg_command(*call, *runs, "--junit", junit, "--set", "gate.per_topic=true")
    assert "there is no baseline" not in done.stderr
    assert "gate: paragraphs: an unchanged run fails in " in done.stderr
    assert " by MAep would be found with 80 % power" in done.stderr
    assert len(etree.parse(junit).findall(".//testcase")) == 2 + 15
    # The run under test is the baseline itself.
    done = xcg_command(*call, "--run", "focused")
    assert (done.returncode, "there is no baseline" in done.stderr) == (0, True)


def test_a_minimum_counts_topics_that_the_baseline_lacks(
    files: Callable[..., list[str]], xcg_command: Command
) -> None:
    """Topic 4 has the lowest score, 0; the baseline answers topic 1 only, on which both are equal."""
    campaign = files(good={"1": GOOD["1"]}, mixed=MIXED)
    options = ("--set", "topics.unanswered=skip", "--fail-under", "nxCG@1=0.9")
    done = xcg_command("gate", *campaign, *LIMITED, *options, "--format", "markdown")
    assert (done.returncode, "mixed, spans: nxCG@1 is 0.8333, below 0.9" in done.stdout) == (1, True)
    assert "**mixed, spans, nxCG@1, topic 4: 0.0000**" in done.stdout
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("| failed"))
    assert " 0.8333 " in row


def test_minimums_need_no_baseline_and_name_their_measures(xcg_command: Command) -> None:
    call = ("gate", *HANDBOOK, "--run", "focused", "--format", "jsonl")
    done = xcg_command(*call, "--fail-under", "MAep=0.99", "--fail-under", "Q=0.01")
    assert done.returncode == 1
    assert done.stderr.count("failed: focused, kazai-lalmas-2006: MAep is 0.3294") == 1
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["run"], row["topic"], row["measure"]) for row in rows] == [
        *[("focused", "all", "MAep"), ("focused", "all", "Q")]
    ]
    # A limit on a measure whose name is a part of another's.
    other = ("configs/kazai-lalmas-2006.yaml", "--run", "rel_leaves", "--measures", "iMAep")
    done = xcg_command("gate", *other, "--fail-under", "MAep=0.9")
    assert (done.returncode, done.stderr.count("MAep is 0.6333, below 0.9")) == (1, 1)


def test_status_3_means_that_the_gate_cannot_decide(
    files: Callable[..., list[str]], xcg_command: Command
) -> None:
    one_topic = xcg_command(
        *("gate", "configs/kazai-lalmas-2006.yaml", "--measures", "MAep", "--baseline", "frb")
    )
    assert (one_topic.returncode, one_topic.stdout) == (3, "")
    assert "share 1 topics with scores of MAep" in one_topic.stderr
    one_topic = xcg_command(
        *("gate", "configs/kazai-lalmas-2006.yaml", "--measures", "MAep", "--baseline", "frb"),
        *("--max-drop", "5%"),
    )
    assert (one_topic.returncode, "expected at least two" in one_topic.stderr) == (3, True)
    gate = (*LIMITED, "--max-drop", "5%")
    campaign = files(good=GOOD, new={**GOOD, "3": [("wasps", 0, 5)]})
    status, stderr = run_gate(*campaign, *gate)
    assert (status, "topic 3, rank 1" in stderr) == (3, True)
    status, stderr = run_gate(*files(good=GOOD, new={**GOOD, "3": []}), *gate)
    assert (status, "lost most on topic 3 (-1.0000)" in stderr) == (1, True)
    other = {f"q{topic}": results for topic, results in GOOD.items()}
    status, stderr = run_gate(*files(good=GOOD, other=other), *gate)
    assert (status, "run other answers no assessed topic: expected its results" in stderr) == (2, True)


def test_markdown_and_junit_of_a_gate(
    files: Callable[..., list[str]], xcg_command: Command, tmp_path: Path
) -> None:
    junit = tmp_path / "gate.xml"
    call = ("gate", *files(good=GOOD, mixed=MIXED, poor=POOR), *LIMITED, "--max-drop", "20%")
    done = xcg_command(*call, "--junit", junit, "--format", "markdown")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1:4] == ["## Retrieval gate: failed", "", "1 of 2 checks failed, compared with good."]
    cases = etree.parse(junit).findall(".//testcase")
    assert [(case.get("classname"), case.get("name"), len(case)) for case in cases] == [
        ("spans.mixed", "nxCG@1", 0),
        ("spans.poor", "nxCG@1", 1),
    ]
    xcg_command(*call, "--junit", junit, "--set", "gate.per_topic=true")
    assert len(etree.parse(junit).findall(".//testcase")) == 2 + 2 * 6
    assert xcg_command(*call, "--format", "csv").stdout.startswith("measure,run,baseline")


def test_a_junit_file_stays_if_the_gate_cannot_be_decided(
    files: Callable[..., list[str]], tmp_path: Path
) -> None:
    junit = tmp_path / "gate.xml"
    junit.write_text("before")
    gate = (*files(good=GOOD, mixed=MIXED), *LIMITED, "--junit", str(junit))
    assert run_gate(*gate, "--max-drop", "5")[0] == 3
    assert junit.read_text() == "before"
    unwritable = (*gate[:-1], str(tmp_path / "none" / "gate.xml"), "--max-drop", "20%")
    status, stderr = run_gate(*unwritable)
    assert (status, "none/gate.xml: cannot write: No such file or directory" in stderr) == (2, True)


def test_expected_topics_do_not_pass_silently_without_gold(
    files: Callable[..., list[str]], tmp_path: Path
) -> None:
    gold = {topic: spans for topic, spans in GOLD.items() if topic != "4"}
    gate = (*files(gold=gold, good=GOOD, mixed=MIXED), *LIMITED, "--max-drop", "5%")
    warning = "good answers topics without scores: topic 4; --expected-topics (expected_topics) states"
    status, stderr = run_gate(*gate)
    assert (status, f"xcg: warning: {warning}" in stderr) == (0, True)
    junit = tmp_path / "gate.xml"
    reason = "expected topics have scores of all runs"
    for expected, failure in {
        "6": f"5 of 6 {reason}",
        "5": "",
        "1 2,3,4": f"3 of 4 {reason}: not topic 4",
        "[1, 2]": "",
    }.items():
        status, stderr = run_gate(*gate, "--expected-topics", expected, "--junit", str(junit))
        failed = [line for line in stderr.splitlines() if line.startswith("xcg: failed: ")]
        assert failed == ([f"xcg: failed: {failure}"] if failure else [])
        assert (status, warning in stderr) == (bool(failure), False)
        (case, *_) = etree.parse(junit).iter("testcase")
        assert (case.get("name"), len(case)) == ("expected topics", int(bool(failure)))
    # A topic that a run leaves out has no score of all runs.
    campaign = files(good=GOOD, mixed={topic: GOOD[topic] for topic in "12356"})
    skipping = (*campaign, *LIMITED, "--max-drop", "5%", "--set", "topics.unanswered=skip")
    assert run_gate(*skipping, "--expected-topics", "6")[0] == 1


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
    for inputs in ([*campaign, "--set", "topics.unanswered=skip"], [str(config)]):
        done = xcg_command("gate", *inputs, *LIMITED, "--max-drop", "5%", "--format", "markdown")
        lines = done.stdout.split("### Worst topics\n\n")[1].replace("- Who dances?\n", "").splitlines()
        assert ("- Who dances?" in done.stdout) == (inputs[0] == str(config))
        assert [lines[0][:34], lines[2]] == ["**mixed, spans, nxCG@1, topic 4: 1", f"{gold}rank 2"]
        assert [lines[5][:33], lines[7]] == ["**lost, spans, nxCG@1, topic 5: 1", f"{gold}not found"]
        for line, run in ((lines[3], "mixed"), (lines[8], "lost")):
            words = shlex.split(line.removeprefix("- ").replace("\\", ""))
            assert words[:2] == ["xcg", "explain"]
            explained = xcg_command(*words[1:])
            assert f"{run}, topic {words[-1]}, spans: gained " in explained.stdout


def test_every_regressed_question_of_junit_is_described(
    files: Callable[..., list[str]], xcg_command: Command, tmp_path: Path
) -> None:
    topics = [str(topic) for topic in range(1, 16)]
    good, poor = (dict.fromkeys(topics, results) for results in ([RIGHT], [WRONG, RIGHT]))
    campaign = files(gold=dict.fromkeys(topics, GOLD["1"]), good=good, poor=poor)
    junit = tmp_path / "gate.xml"
    gate = ("gate", *campaign, *LIMITED, "--max-drop", "5%", "--junit", junit)
    xcg_command(*gate, "--set", "gate.per_topic=true")
    _, *cases = etree.parse(junit).iter("testcase")
    assert [case.get("name") for case in cases] == topics
    for case in cases:
        _, gold, command = (case[0].text or "").splitlines()
        assert gold == "bees 0–23 “Bees dance on the comb.”: rank 1 → rank 2"
        assert command.endswith(f"poor.jsonl --topic {case.get('name')}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--fail-under", "nxCG@1=0.5", "--junit", "gate.xml"), "per_topic needs a run to compare"),
        ((*LIMITED, "--max-drop", "5%"), "--set gate.per_topic has no effect without a JUnit file"),
    ],
)
def test_cases_of_questions_need_a_baseline_and_a_file(
    files: Callable[..., list[str]], options: tuple[str, ...], message: str
) -> None:
    call = (*files(good=GOOD, mixed=MIXED), *options, "--set", "gate.per_topic=true")
    status, stderr = run_gate(*call)
    assert (status, message in stderr) == (2, True)


def test_a_run_from_standard_input_is_not_read_again(
    files: Callable[..., list[str]], xcg_command: Command, tmp_path: Path
) -> None:
    gate = (*files(good=GOOD), "--run", "-", *LIMITED, "--max-drop", "5%", "--format", "markdown")
    files(mixed=MIXED)
    done = xcg_command("gate", *gate, stdin=(tmp_path / "mixed.jsonl").read_text())
    assert (done.returncode, "“Bees dance on the comb.”: rank 1 → rank 2" in done.stdout) == (1, True)
