"""Options that have no effect together are refused with one message."""

from __future__ import annotations

import re

import pytest
from conftest import Command

CONFIG = "configs/quickstart.yaml"
FILES = f"{CONFIG} --measures MAep --user-model kazai-lalmas-2006"
RUN = "corpora_samples/handbook-runs/focused.xml"
GOLD = "--gold assessments/handbook-passages --corpus corpora_samples/handbook"
AGREEMENT = f"stability assessors {CONFIG} --assessor assessments/handbook-second --agreement"
JUDGE = "configs/judge-handbook.yaml"
CONVERT_RUN = f"convert --run {RUN} --to trec"
CONVERT_ASSESSMENTS = "convert --assessments assessments/handbook --to jsonl"
BASELINE_GATES = "--fail-if-worse-than, --max-drop or --max-regressed"

WITHOUT_EFFECT = [
    (f"evaluate {FILES} --order file", "--ties rank", "with --order file"),
    (f"evaluate {FILES}", "--mark", "without --format markdown or latex"),
    (f"evaluate {FILES} --format csv", "--against focused", "without --format markdown or latex"),
    (f"evaluate {FILES} --format trec_eval", "--mark", "without --format markdown or latex"),
    (f"evaluate {CONFIG} --format trec_eval", "--user-model levels", "with --format trec_eval"),
    (f"evaluate {FILES}", "--escape-formulas", "without --format csv"),
    (f"evaluate {FILES} --format jsonl", "--escape-formulas", "without --format csv"),
    (f"compare {FILES} --format markdown", "--escape-formulas", "without --format csv"),
    (f"curves {FILES}", "--escape-formulas", "without --format csv"),
    (f"chunks {CONFIG} --format json", "--escape-formulas", "without --format csv"),
    (f"evaluate {FILES}", "--document source", "on runs without JSON Lines"),
    (f"validate --run {RUN}", "--document source", "on runs without JSON Lines"),
    (CONVERT_RUN, "--document source", "on runs without JSON Lines"),
    (f"rewrite --run {RUN} --strategy unique", "--document source", "on runs without JSON Lines"),
    (CONVERT_ASSESSMENTS, "--document source", "on assessments"),
    (f"{CONVERT_RUN} --feature 1", "--document source", "with --feature"),
    (f"chunks {CONFIG} --questions", "--budget 100", "with --questions"),
    (f"gold {GOLD} --run {RUN}", "--measure RR", "on a single run"),
    (f"gold {GOLD} --run {RUN}", "--unanswered skip", "on a single run"),
    *(
        (f"gold {GOLD}", option, "without runs")
        for option in (
            *("--measure RR", "--unanswered skip", "--order score", "--ties rank"),
            *("--strategy unique", "--document source"),
        )
    ),
    (f"gold {GOLD} --format jsonl", "--all", "without --format table"),
    (f"gold {GOLD}", "--escape-formulas", "without --format csv"),
    (f"compare {FILES} --means", "--baseline focused", "with --means"),
    (f"compare {FILES} --means", "--topics 5", "with --means"),
    (f"compare {FILES} --means", "--plot f.png", "with --means"),
    (f"compare {FILES} --means", "--test wilcoxon", "with --means"),
    (f"compare {FILES}", "--letters", "without --overall or --means"),
    (f"compare {FILES} --orders", "--baseline focused", "with --orders"),
    (f"compare {FILES} --orders", "--topics 5", "with --orders"),
    (f"compare {FILES} --orders", "--plot f.png", "with --orders"),
    (f"compare {FILES} --orders", "--test wilcoxon", "with --orders"),
    (f"compare {FILES} --orders", "--correction none", "with --orders"),
    (f"compare {FILES} --overall", "--baseline focused", "with --overall"),
    (f"compare {FILES} --overall", "--topics 5", "with --overall"),
    (f"compare {FILES} --overall", "--plot f.png", "with --overall"),
    (f"compare {FILES} --overall", "--test wilcoxon", "with --overall"),
    (f"compare {FILES} --overall --fail-under MAep=0", "--test wilcoxon", "with --overall"),
    (f"compare {FILES} --fail-if-worse-than random", "--baseline all", "with --fail-if-worse-than"),
    (
        f"compare {FILES} --orders --fail-if-worse-than random --margin 0.1",
        "--correction none",
        "with --margin",
    ),
    *(
        (f"compare {FILES} --run {RUN} --fail-under MAep=0", option, "on a single run")
        for option in ("--baseline focused", "--test t", "--correction holm", "--topics 1")
    ),
    (f"compare {FILES} --baseline best", "--margin 0.1", "without --fail-if-worse-than or a named"),
    (f"compare {FILES} --fail-under MAep=0", "--margin 0.1", "without --fail-if-worse-than"),
    (f"compare {FILES} --orders", "--margin 0.1", "with --orders, without --fail"),
    (f"compare {FILES} --baseline best", "--margin 0.1", "without --fail-if-worse-than or a named"),
    *(
        (f"compare {FILES}", option, f"without --fail-under, {BASELINE_GATES}")
        for option in ("--allow-unmapped 1", "--allow-underpowered", "--junit gate.xml")
    ),
    *(
        (f"compare {FILES} {pairs}", option, "without --fail-if-worse-than or a named --baseline")
        for pairs in ("", "--baseline best", "--baseline all")
        for option in ("--max-drop 5%", "--max-regressed 3")
    ),
    (f"compare {FILES} --means --max-drop 5%", "--topics 5", "with --means"),
    (f"compare {FILES} --fail-if-worse-than random --max-drop 5%", "--baseline random", "with --fail"),
    (f"curves {FILES} --over threshold", "--depth 9", "with --over threshold"),
    (f"curves {FILES} --over threshold", "--ideal", "with --over threshold"),
    (f"curves {FILES} --over threshold", "--at 3", "with --over threshold"),
    (f"curves {FILES} --over threshold", "--reference best", "with --over threshold"),
    (f"curves {CONFIG} --measures ep", "--depth 9", "on ep, which has no curve over ranks or text"),
    (f"curves {FILES} --over threshold", "--topic 1", "with --over threshold"),
    (f"curves {FILES} --topic 1", "--per-topic", "with --topic"),
    (f"curves {FILES} --topic 1", "--plot f.png", "with --topic"),
    (f"evaluate {CONFIG} --format trec_eval", "--topic 1", "with --format trec_eval"),
    (f"evaluate {FILES} --topic 1", "--per-topic", "with --topic"),
    (f"evaluate {FILES} --topic 1 --format latex", "--mark", "with --topic"),
    (f"evaluate {FILES} --topic 1 --format latex", "--against focused", "with --topic"),
    (f"curves {FILES}", "--points 9", "without --over threshold"),
    (f"curves {FILES}", "--reference best", "without --at RANK"),
    (f"curves {CONFIG} --at 3", "--ideal", "with --at"),
    (f"ideal {CONFIG} --statistics", "--tree", "with --statistics"),
    (f"ideal {CONFIG} --statistics", "--to trec", "with --statistics"),
    (f"ideal {CONFIG} --statistics", "--topic 1", "with --statistics"),
    (f"ideal {CONFIG} --tree", "--to trec", "with --tree"),
    (f"ideal {CONFIG}", "--size words", "without --tree"),
    (f"ideal {CONFIG}", "--ranking frb", "without --to"),
    (f"ideal {CONFIG} --to trec", "--format csv", "with --to"),
    (f"explain {CONFIG} --run {RUN} --topic 1", "--size words", "without --tree-of NAME"),
    (
        f"explain {CONFIG} --run {RUN} --topic 1 --format json",
        "--tree-of sampling",
        "without --format table",
    ),
    (CONVERT_ASSESSMENTS, "--order score", "on assessments"),
    (CONVERT_ASSESSMENTS, "--ties rank", "on assessments"),
    (CONVERT_ASSESSMENTS, "--as assessments", "on assessments"),
    (CONVERT_ASSESSMENTS, "--depth 3", "on assessments"),
    (CONVERT_ASSESSMENTS, "--feature 3", "on assessments"),
    (CONVERT_ASSESSMENTS, "--irrelevant 3", "on assessments"),
    (f"{CONVERT_RUN} --feature 1", "--order rank", "with --feature"),
    (f"{CONVERT_RUN} --feature 1", "--ties rank", "with --feature"),
    (CONVERT_RUN, "--irrelevant 1", "on a run without --as"),
    (f"rewrite --run {RUN} --strategy unique --order file", "--ties rank", "with --order file"),
    (CONVERT_RUN, "--corpus corpora_samples/handbook", "on a run without --as"),
    (f"plan {FILES} --runs-to-compare 2", "--correction none", "with --runs-to-compare 2"),
    ("distribution --assessments assessments/handbook", "--unassessed", "without --other-assessments"),
    ("break MAep", "--effort text", "on a measure of xcg"),
    ("break m:f", "--user-model levels", "on a function"),
    ("simulate new-folder", "--agreement 0.5", "without --assessors 2 or more"),
    ("simulate new-folder --assessors 1", "--agreement 0.5", "without --assessors 2 or more"),
    *(
        (AGREEMENT, option, "with --agreement")
        for option in (
            *(
                f"--run {RUN}",
                "--strategy unique",
                "--document source",
                "--order score",
                "--ties rank",
                "--measures MAep",
                "--user-model levels",
            ),
            *("--ranges", "--topics all", "--sample 9", "--resamples 9", "--seed 1", "--plot f.png"),
        )
    ),
    *(
        (f"judge {JUDGE} {action}", option, f"with {action.split()[0]}")
        for action in ("--import gold.jsonl", "--export new-folder")
        for option in ("--port 1", "--host ::1", "--open")
    ),
    (f"stability topics {FILES} --scheduler tcp://h:1", "--workers 2", "with --scheduler"),
    (f"evaluate {FILES} --scheduler tcp://h:1", "--workers 2", "with --scheduler"),
    ("levels --scheduler tcp://h:1", "--workers 2", "with --scheduler"),
]


@pytest.mark.parametrize(("call", "option", "reason"), WITHOUT_EFFECT)
def test_an_option_without_effect_is_refused(
    xcg_command: Command, call: str, option: str, reason: str
) -> None:
    done = xcg_command(*call.split(), *option.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {option.split(maxsplit=1)[0]} has no effect {reason}")
    assert done.stderr.endswith(": remove it\n")
    assert done.stderr.count("\n") == 1


def test_a_message_names_all_options_without_effect(xcg_command: Command) -> None:
    done = xcg_command(*f"compare {FILES} --orders --topics 1 --baseline all".split())
    assert done.stderr == (
        "xcg: error: --baseline and --topics have no effect with --orders: remove them\n"
    )


@pytest.mark.parametrize(
    "call",
    [
        f"compare {FILES} --user-model overlap-off --orders --resamples 99 --fail-if-worse-than random "
        "--test t",
        f"compare {FILES} --overall --correction holm --fail-if-worse-than random",
        f"evaluate {FILES} --format latex --mark --against random",
        AGREEMENT,
    ],
)
def test_options_with_effect_are_accepted(xcg_command: Command, call: str) -> None:
    done = xcg_command(*call.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
@pytest.mark.parametrize("pairs", [(), ("--baseline", "best"), ("--baseline", "focused")])
def test_each_correction_has_an_effect_or_is_refused(
    xcg_command: Command, test: str, pairs: tuple[str, ...]
) -> None:
    """The default is one of the corrections. The others give different results."""
    call = ("compare", *FILES.split(), *pairs, "--test", test)
    default = xcg_command(*call)
    corrections = ("shaffer", "tukey", "holm", "bonferroni", "fdr_bh", "none")
    done = [xcg_command(*call, "--correction", correction) for correction in corrections]
    accepted = [one.stdout for one in done if one.returncode == 0]
    assert len(set(accepted)) == len(accepted) >= 4
    assert accepted.count(default.stdout) == 1
    for refused in (one for one in done if one.returncode != 0):
        assert (refused.returncode, refused.stdout) == (2, "")
        assert re.search("the correction (tukey|shaffer) is only defined if", refused.stderr)


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_an_error(
    xcg_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xcg.evaluation.parallel._PATIENCE", 1)
    done = xcg_command(*f"stability topics {FILES} --scheduler tcp://127.0.0.1:1".split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "xcg: error: the Dask scheduler at tcp://127.0.0.1:1 does not answer: "
    )
    assert done.stderr.count("\n") == 1


def test_agreement_needs_no_runs(xcg_command: Command) -> None:
    sets = "--assessments assessments/handbook --assessor assessments/handbook-second"
    done = xcg_command(*f"stability assessors {sets} --agreement".split())
    assert done.returncode == 0, done.stderr
    assert done.stdout == xcg_command(*AGREEMENT.split()).stdout
