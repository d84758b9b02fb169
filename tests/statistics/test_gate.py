"""The gate distinguishes missed thresholds, illegal input and unmapped data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from bee_campaign import GOLD, GOOD, POOR, RIGHT, Chunks, run_compare, write_campaign
from conftest import Command

import xcg
from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results, Scope
from xcg.statistics.gate import gate_failures, parse_thresholds


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    return partial(write_campaign, tmp_path)


def test_the_exit_status_distinguishes_failures_from_unmapped_data(
    files: Callable[..., list[str]],
) -> None:
    gate = ("--fail-under", "MAep=0.9")
    assert run_compare(*files(good=GOOD), *gate)[0] == 0
    status, stderr = run_compare(*files(poor=POOR), *gate)
    assert status == 1
    # 5.5 tokens are relevant, with 5 others before them: ∫ 5.5g / (5 + 5.5g) dg = 0.3255.
    assert (
        "xcg: failed: poor, spans: MAep is 0.3255, below 0.9; lowest on topic 1 (0.3255), topic 2"
        in stderr
    )
    unmapped: dict[str, Chunks] = {
        "no such document": {**GOOD, "3": [("wasps", 0, 5)]},
        "beyond the text": {**GOOD, "3": [("bees", 30, 99)]},
        "beyond an unassessed text": {**GOOD, "3": [("ants", 5, 21)]},
    }
    for case, run in unmapped.items():
        status, stderr = run_compare(*files(new=run), *gate)
        assert (status, "topic 3, rank 1" in stderr) == (3, True), case
        assert run_compare(*files(new=run, good=GOOD))[0] == 2, f"{case}: without a gate"
    for gold in ({**GOLD, "3": {"wasps": [(0, 5)]}}, {**GOLD, "3": {"bees": [(30, 99)]}}):
        status, stderr = run_compare(*files(gold, new=GOOD), *gate)
        assert (status, "topic 3" in stderr) == (3, True)


def test_a_process_exits_with_the_same_status(
    files: Callable[..., list[str]], xcg_process: Command
) -> None:
    done = xcg_process(
        "compare", *files(new={**GOOD, "3": [("wasps", 0, 5)]}), "--fail-under", "MAep=0"
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("xcg: error: ") == 1
    assert "the corpus has no document 'wasps'" in done.stderr


def test_elements_that_do_not_exist_are_unmapped_for_all_measures(tmp_path: Path) -> None:
    """Paths are checked even if the measure does not use documents."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "d.xml").write_text("<a><b/></a>")
    (corpus / "e.xml").write_text("<a><b/></a>")
    (tmp_path / "qrels").write_text("1 0 d 1\n2 0 d 1\n")
    for document, status in (("d#/a/b", 0), ("d#/a/c", 3), ("e#/a/c", 3), ("f", 3), ("e", 0)):
        lines = f"1 Q0 d 1 9 r\n1 Q0 {document} 2 8 r\n2 Q0 d 1 1 r\n"
        (tmp_path / "run").write_text(lines)
        options = ("--assessments", str(tmp_path / "qrels"), "--run", str(tmp_path / "run"))
        for measure in ("nDCG@2", "MAep"):
            gate = ("--corpus", str(corpus), "--fail-under", f"{measure}=0")
            assert run_compare(*options, *gate)[0] == status, (document, measure)


def test_tolerated_problems_do_not_pass_unless_allowed(files: Callable[..., list[str]]) -> None:
    gone = {**GOOD, "3": [RIGHT, ("wasps", 0, 5)], "4": [RIGHT, ("bees", 30, 99)]}
    options = [*files(new=gone), "--fail-under", "MAep=0.9"]
    status, stderr = run_compare(*options, "--lenient")
    assert status == 3
    assert "2 results or assessments could not be used, and 0 are allowed" in stderr
    assert "topic 3, rank 2" in stderr
    assert run_compare(*options, "--allow-unmapped", "1")[0] == 3
    assert run_compare(*options, "--allow-unmapped", "2")[0] == 0  # --allow-unmapped implies --lenient
    status, stderr = run_compare(*files(new=gone), "--allow-unmapped", "2")
    assert (status, "--allow-unmapped is for" in stderr) == (2, True)


def test_missing_scores_do_not_pass(files: Callable[..., list[str]], tmp_path: Path) -> None:
    gate = ("--fail-under", "MAep=0", "--measures", "MAep")
    partly = {"1": [RIGHT]}
    assert (
        run_compare(*files(new=partly), *gate)[0] == 0
    )  # unanswered topics count 0, and a note says so
    assert run_compare(*files(new=partly), "--fail-under", "MAep=0.2")[0] == 1
    cases = [
        (files(good=GOOD, new={"99": [RIGHT]}), "run new answers no assessed topic"),
        ([*files(good=GOOD), "--run", str(tmp_path / "none.jsonl")], "none.jsonl"),
        ([*files(good=GOOD), "--run", str(tmp_path / "*.none")], "*.none"),
        ([*files(new={"99": [RIGHT]}, good=GOOD), "--unanswered", "skip"], "run new answers no"),
        ([*files(good=GOOD, poor=POOR), "--fail-if-worse-than", "gone"], "no run 'gone'"),
        ([*files(good=GOOD, poor=POOR), "--fail-if-worse-than", "all"], "no run 'all'"),
        ([*files(good=GOOD), "--fail-if-worse-than", "good"], "expected at least two"),
        (
            [*files(good=GOOD), "--fail-under", "ASL=1"],
            "ASL is lower-is-better: it cannot have a minimum threshold",
        ),
        ([*files(good=GOOD), "--fail-under", "MAep=nan"], "illegal threshold 'MAep=nan'"),
    ]
    (tmp_path / "empty.jsonl").touch()
    cases.append(([*files(good=GOOD), "--run", str(tmp_path / "empty.jsonl")], "an empty file"))
    for options, message in cases:
        status, stderr = run_compare(*options, *gate)
        assert (status, message in stderr) == (2, True), (message, stderr)
    # A run lacks a score of a measure that other runs have.
    rows = [Result("a", topic, "MAep", 1.0, "m") for topic in ("1", "2", "all")]
    results = Results(rows, (), Scope(["a", "b"], ["MAep"], ["m"]))
    with pytest.raises(XcgError, match="run b has no score of MAep under m"):
        gate_failures(results, {"MAep": 0.5})
    results = Results(rows, (), Scope(["a"], ["MAep"], ["m", "n"]))
    with pytest.raises(XcgError, match="run a has no score of MAep under n"):
        gate_failures(results, {"MAep": 0.5})


def test_thresholds_are_parsed_from_texts_and_mappings() -> None:
    assert parse_thresholds({"nxCG@10": 0.5, "MAep": 1}) == {"nxCG@10": 0.5, "MAep": 1.0}
    assert parse_thresholds(["MAep=0.5", "MAep=0.3"]) == {"MAep": 0.5}
    for wrong in ({"MAep": float("nan")}, {"MAep": "high"}, {"": 1.0}):
        with pytest.raises(XcgError, match="illegal threshold"):
            parse_thresholds(wrong)  # type: ignore[arg-type]


def test_a_rounding_error_below_a_threshold_passes() -> None:
    results = Results([Result("r", "all", "MAep", 0.3 - 1e-15, "m")])
    assert gate_failures(results, {"MAep": 0.3}) == []
    assert len(gate_failures(results, {"MAep": 0.3 + 1e-9})) == 1


def test_the_gate_respects_lower_is_better() -> None:
    """ASL is the mean rank of the relevant documents: the run that needs longer searches is worse."""
    gold = {str(topic): {"a": 1, "b": 0, "c": 0} for topic in range(1, 7)}
    short, long = ["a", "b", "c"], ["b", "c", "a"]
    runs = {"short": dict.fromkeys(gold, short), "long": dict.fromkeys(gold, long)}
    runs["long"]["1"] = ["b", "a", "c"]
    results = xcg.evaluate(gold, runs, measures="ASL")
    assert gate_failures(results, {}, "long") == []
    (failure,) = gate_failures(results, {}, "short")
    assert failure.startswith("long, levels: ASL is ")
    assert "lost most on topic 2 (+2.0000), topic 3 (+2.0000), topic 4 (+2.0000)" in failure


def test_a_measure_that_was_not_evaluated_does_not_pass() -> None:
    results = xcg.evaluate({"1": {"d": 1}}, {"r": {"1": ["d"]}}, measures="MAep")
    assert gate_failures(results, parse_thresholds(["MAep=1"])) == []
    with pytest.raises(XcgError, match="no scores of Q: expected it among the measures"):
        gate_failures(results, parse_thresholds(["Q=0.1"]))
