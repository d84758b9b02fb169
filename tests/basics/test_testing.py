"""assert_retrieval has the verdicts of xcg gate."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bee_campaign import DOCUMENTS, GOLD, GOOD, POOR, RIGHT, WRONG, run_gate, write_campaign
from conftest import SYSTEM
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import InputError, UndecidedError, UnmappedError, XcgError
from xcg.runs.run import Run
from xcg.testing import assert_retrieval


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    return partial(write_campaign, tmp_path)


def test_the_results_are_returned() -> None:
    results = assert_retrieval(
        GOLD, {"good": GOOD}, DOCUMENTS, fail_under={"MAep": 1, "nxCG@1": 1}, expected_topics=list(GOLD)
    )
    assert "cannot be estimated: there is no baseline" in results.notes[-1]
    assert results.measures == ["MAep", "nxCG@1"]
    assert results.user_models == ["spans"]


def test_a_missing_question_fails() -> None:
    gold = {topic: spans for topic, spans in GOLD.items() if topic != "4"}
    for expected in (list(GOLD), 6):
        with pytest.raises(AssertionError, match="5 of 6 expected topics have scores of all runs"):
            assert_retrieval(
                gold, {"good": GOOD}, DOCUMENTS, fail_under={"MAep": 1}, expected_topics=expected
            )


def test_a_mean_below_its_minimum_fails() -> None:
    mixed = {**GOOD, "4": [WRONG], "6": [WRONG, RIGHT]}
    with pytest.raises(AssertionError) as error:
        assert_retrieval(GOLD, {"new": mixed}, DOCUMENTS, fail_under={"nxCG@1": 0.7, "MAep": 0.5})
    assert str(error.value) == (
        "new, spans: nxCG@1 is 0.6667, below 0.7; lowest on topic 4 (0.0000), topic 6 (0.0000), "
        "topic 1 (1.0000)\nhow often an unchanged run fails, and which loss would be found with 80 % "
        "power, cannot be estimated: there is no baseline"
    )


def test_a_baseline_is_a_name_a_run_or_a_file(files: Any, tmp_path: Path) -> None:
    files(poor=POOR, good=GOOD)
    both = {"good": GOOD, "poor": POOR}
    assert_retrieval(GOLD, both, DOCUMENTS, measures="nxCG@1", baseline="poor")
    good = xcg.read_run(tmp_path / "good.jsonl")
    assert isinstance(good, Run)
    for runs, baseline, name in (
        (both, "good", "good"),
        ({"poor": POOR}, good, "good"),
        ({"poor": POOR}, tmp_path / "good.jsonl", "good"),
        (tmp_path / "poor.jsonl", tmp_path / "good.jsonl", "good"),
    ):
        with pytest.raises(AssertionError) as error:
            assert_retrieval(GOLD, runs, DOCUMENTS, measures="nxCG@1", baseline=baseline)
        message_text = str(error.value)
        assert message_text.startswith(
            f"poor, spans: nxCG@1 is 0.0000, worse than 1.0000 of {name} (p = 0."
        )
        assert "lost most on topic 1 (-1.0000)" in message_text
    # The minimum applies to a baseline among the runs, but not to an added baseline.
    poor = Run("old", xcg.read_run(tmp_path / "poor.jsonl").rankings)
    fail_under = {"nxCG@1": 0.9}
    assert_retrieval(GOLD, {"good": GOOD}, DOCUMENTS, fail_under=fail_under, baseline=poor)
    with pytest.raises(AssertionError, match=r"poor, spans: nxCG@1 is 0\.0000, below 0\.9"):
        assert_retrieval(GOLD, both, DOCUMENTS, fail_under=fail_under, baseline="poor")


def test_a_baseline_may_have_the_name_of_a_run(tmp_path: Path, files: Any) -> None:
    files(run=GOOD)
    with pytest.raises(AssertionError, match=r"run \[run run\], spans: .* of run \[.*run.jsonl\]"):
        assert_retrieval(
            GOLD, {"run": POOR}, DOCUMENTS, measures="nxCG@1", baseline=tmp_path / "run.jsonl"
        )


def test_limits_compare_with_a_baseline_without_a_test(files: Any, tmp_path: Path) -> None:
    """nxCG@1 of the mixed run is 5/6: 16.67 % lower, and worse for one topic of six."""
    mixed = {**GOOD, "4": [WRONG, RIGHT]}
    files(good=GOOD)
    call: dict[str, Any] = {"measures": "nxCG@1"}
    both = {"good": GOOD, "mixed": mixed}
    for runs, baseline in (
        (both, "good"),
        ({"mixed": mixed}, tmp_path / "good.jsonl"),
        ({"mixed": mixed}, xcg.read_run(tmp_path / "good.jsonl")),
    ):
        assert_retrieval(GOLD, runs, DOCUMENTS, baseline=baseline, max_drop="17%", **call)
        assert_retrieval(GOLD, runs, DOCUMENTS, baseline=baseline, max_regressed=1, **call)
        with pytest.raises(AssertionError) as error:
            assert_retrieval(GOLD, runs, DOCUMENTS, baseline=baseline, max_drop=0.16, **call)
        assert str(error.value) == (
            "mixed, spans: nxCG@1 is 0.8333, 0.1667 lower than 1.0000 of good: at most 0.16 is "
            "allowed; lost most on topic 4 (-1.0000)\nmixed: an unchanged run fails in 51 % of cases; "
            "a loss of 0.3267 by nxCG@1 would be found with 80 % power"  # 0.16 + 1/6
        )
        with pytest.raises(AssertionError, match=r"by more than 0\.1 for 1 topic of 6: at most 0"):
            assert_retrieval(GOLD, runs, DOCUMENTS, baseline=baseline, max_regressed=0, **call)


BOTH = {"good": GOOD, "poor": POOR}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "nothing to check: expected a baseline"),
        ({"fail_under": {"MAep": float("nan")}}, "illegal threshold"),
        ({"fail_under": {"MAep": "0.1_0"}}, "illegal threshold"),
        ({"baseline": "gone"}, "no run 'gone': "),
        ({"fail_under": {"MAep": 0}, "runs": {"new": {}}}, "run new answers no assessed topic"),
        ({"max_drop": 0.1}, "max_drop needs a run to compare with"),
        ({"baseline": "good"}, "no run to compare with good"),
        (
            {"baseline": "good", "max_drop": {"MAep": 9}, "runs": BOTH},
            "poor, spans: by MAep the gate can never fail: a drop of 9 is allowed",
        ),
        ({"baseline": "good", "max_drop": "٠.1"}, "illegal max-drop '٠.1'"),
        (
            {
                "baseline": "good",
                "runs": {**BOTH, "also": POOR},
                "test": "wilcoxon",
                "measures": "MAep",
            },
            "poor, spans: by MAep the gate can never fail: the wilcoxon test over 6 topics",
        ),
    ],
)
def test_illegal_input_is_not_a_failed_assertion(wrong: dict[str, Any], message: str) -> None:
    call = {"assessments": GOLD, "runs": {"good": GOOD}, "corpus": DOCUMENTS, **wrong}
    with pytest.raises(XcgError) as error:
        assert_retrieval(**call)
    assert message in str(error.value)
    assert not isinstance(error.value, UnmappedError)


def test_unmapped_chunks_raise() -> None:
    gone = {**GOOD, "3": [RIGHT, {"doc": "flies", "text": "Wasps sting."}]}
    with pytest.raises(UnmappedError, match="run new, topic 3, rank 2: "):
        assert_retrieval(GOLD, {"new": gone}, DOCUMENTS, fail_under={"MAep": 0.9})
    gone["4"] = [("wasps", 0, 5), RIGHT]
    with pytest.raises(UnmappedError, match="2 results or assessments could not be used"):
        assert_retrieval(GOLD, {"new": gone}, DOCUMENTS, fail_under={"MAep": 0.1}, lenient=True)
    assert issubclass(UnmappedError, InputError)


CHUNKS = st.lists(st.sampled_from([RIGHT, WRONG, ("ants", 0, 4), ("wasps", 0, 5), ("bees", 30, 99)]))


@pytest.mark.slow
@given(
    st.fixed_dictionaries(dict.fromkeys(GOLD, CHUNKS)),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.booleans(),
    st.booleans(),
)
def test_the_command_and_the_assertion_have_the_same_verdict(
    tmp_path_factory: pytest.TempPathFactory,
    chunks: dict[str, list[tuple[str, int, int]]],
    limit: float,
    with_baseline: bool,
    lenient: bool,
) -> None:
    folder = tmp_path_factory.mktemp("campaign")
    options = write_campaign(folder, new=chunks, good=GOOD)
    keys: dict[str, Any] = {"lenient": lenient}
    options += ["--set", f"lenient={str(lenient).lower()}"]
    options += ["--baseline", "good"] if with_baseline else ["--fail-under", f"MAep={limit}"]
    keys |= {"baseline": "good"} if with_baseline else {"fail_under": {"MAep": limit}}
    status, stderr = run_gate(*options)
    message_text, kind = "", 0
    try:
        assert_retrieval(
            folder / "gold.jsonl",
            [folder / "new.jsonl", folder / "good.jsonl"],
            folder / "corpus",
            "spans",
            **keys,
        )
    except AssertionError as error:
        message_text, kind = str(error).splitlines()[0], 1
    except (UnmappedError, UndecidedError) as error:
        message_text, kind = str(error), 3
    except XcgError as error:
        message_text, kind = str(error), 2
    assert (status, message_text in stderr) == (kind, True)


PYTEST_FILE = """
import pytest
from xcg.testing import assert_retrieval

GOLD = {str(topic): {"bees": [(0, 23)]} for topic in range(6)}
CORPUS = {"bees": "Bees dance on the comb. Drones do no work."}


def retrieved(*chunks):
    return {"mine": {topic: list(chunks) for topic in GOLD}}


def test_right():
    assert_retrieval(GOLD, retrieved(("bees", 0, 23)), CORPUS, fail_under={"MAep": 0.9})


def test_wrong():
    assert_retrieval(GOLD, retrieved(("bees", 24, 42)), CORPUS, fail_under={"MAep": 0.9})


@pytest.fixture
def results():
    return assert_retrieval(GOLD, retrieved(), CORPUS, fail_under={"MAep": 0.9})


def test_of_a_fixture(results):
    pass
"""


@pytest.mark.slow
def test_pytest_reports_failures_and_errors(tmp_path: Path, root: Path) -> None:
    (tmp_path / "test_retrieval.py").write_text(PYTEST_FILE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", "test_retrieval.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**SYSTEM, "PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    assert done.returncode == 1, done.stdout
    summary = done.stdout[done.stdout.index("short test summary") :]
    assert (
        "FAILED test_retrieval.py::test_wrong - AssertionError: mine, spans: MAep is 0.0000" in summary
    )
    assert (
        "ERROR test_retrieval.py::test_of_a_fixture - xcg.errors.XcgError: run mine answers" in summary
    )
    assert "1 failed, 1 passed, 1 error" in summary
    failure = done.stdout.partition("_ test_wrong _")[2].partition("short test summary")[0]
    assert "assert_retrieval(GOLD" in failure  # the caller's line is shown
    assert "raise AssertionError" not in failure
