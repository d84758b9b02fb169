"""The gate: a regression, bad input and what has no place in the corpus are told apart."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import Command
from hypothesis import given, settings
from hypothesis import strategies as st

import xcg
from xcg.cli.main import main
from xcg.errors import InputError, UnmappedError, XcgError
from xcg.evaluation.results import Result, Results, Scope
from xcg.runs.run import Run
from xcg.statistics.gate import gate_failures, parse_thresholds
from xcg.testing import assert_retrieval

DOCUMENTS = {"bees": "Bees dance on the comb. Drones do no work.", "ants": "Ants walk in a line."}
GOLD = {str(topic): {"bees": [(0, 23)]} for topic in range(1, 7)}
RIGHT, WRONG = ("bees", 0, 23), ("bees", 24, 42)
GOOD = {topic: [RIGHT] for topic in GOLD}
POOR = {topic: [WRONG, RIGHT] for topic in GOLD}

Chunks = Mapping[str, Sequence[tuple[str, int, int]]]


def campaign(folder: Path, gold: Any = GOLD, **runs: Chunks) -> list[str]:
    """Write a campaign, and return the options that name it."""
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for name, text in DOCUMENTS.items():
        (corpus / f"{name}.txt").write_text(text)
    options = ["--corpus", str(corpus), "--user-model", "spans", "--assessments"]
    for name, topics in {"gold": gold, **runs}.items():
        found = [
            {"topic": topic, "doc": doc, "start": start, "end": end}
            for topic, given in topics.items()
            for doc, start, end in (
                given
                if not isinstance(given, Mapping)
                else [(doc, *span) for doc, spans in given.items() for span in spans]
            )
        ]
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in found))
        options += [str(path), "--run"]
    return options[:-1]


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    return partial(campaign, tmp_path)


def compared(*options: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["compare", *options])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stderr


def test_statuses(files: Callable[..., list[str]]) -> None:
    gate = ("--fail-under", "MAep=0.9")
    assert compared(*files(good=GOOD), *gate)[0] == 0
    status, told = compared(*files(poor=POOR), *gate)
    assert status == 1
    # Of the tokens 5.5 are relevant, with 5 others before them: ∫ 5.5g / (5 + 5.5g) dg is .3255.
    assert (
        "xcg: failed: poor, spans: MAep is 0.3255, below 0.9; lowest on topic 1 (0.3255), topic 2"
        in told
    )
    unmapped: dict[str, Chunks] = {
        "no such document": {**GOOD, "3": [("wasps", 0, 5)]},
        "beyond the text": {**GOOD, "3": [("bees", 30, 99)]},
        "beyond an unassessed text": {**GOOD, "3": [("ants", 5, 21)]},
    }
    for case, run in unmapped.items():
        status, told = compared(*files(new=run), *gate)
        assert (status, "topic 3, rank 1" in told) == (3, True), case
        assert compared(*files(new=run, good=GOOD))[0] == 2, f"{case}: without a gate"
    for gold in ({**GOLD, "3": {"wasps": [(0, 5)]}}, {**GOLD, "3": {"bees": [(30, 99)]}}):
        status, told = compared(*files(gold, new=GOOD), *gate)
        assert (status, "topic 3" in told) == (3, True)


def test_the_status_of_a_process(files: Callable[..., list[str]], xcg_command: Command) -> None:
    done = xcg_command(
        "compare", *files(new={**GOOD, "3": [("wasps", 0, 5)]}), "--fail-under", "MAep=0"
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("xcg: error: ") == 1
    assert "the corpus has no document 'wasps'" in done.stderr


def test_paths_and_levels(tmp_path: Path) -> None:
    """Elements that do not exist; also where the measure looks at no document."""
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
            assert compared(*options, *gate)[0] == status, (document, measure)


def test_what_was_tolerated_does_not_pass(files: Callable[..., list[str]]) -> None:
    gone = {**GOOD, "3": [RIGHT, ("wasps", 0, 5)], "4": [RIGHT, ("bees", 30, 99)]}
    options = [*files(new=gone), "--fail-under", "MAep=0.9"]
    status, told = compared(*options, "--lenient")
    assert status == 3
    assert "2 results or assessments could not be used, and 0 are allowed" in told
    assert "topic 3, rank 2" in told
    assert compared(*options, "--allow-unmapped", "1")[0] == 3
    assert compared(*options, "--allow-unmapped", "2")[0] == 0  # tolerated without --lenient
    status, told = compared(*files(new=gone), "--allow-unmapped", "2")
    assert (status, "--allow-unmapped is for" in told) == (2, True)


def test_what_is_absent_does_not_pass(files: Callable[..., list[str]], tmp_path: Path) -> None:
    gate = ("--fail-under", "MAep=0", "--measures", "MAep")
    partly = {"1": [RIGHT]}
    assert compared(*files(new=partly), *gate)[0] == 0  # unanswered topics count 0, and a note says so
    assert compared(*files(new=partly), "--fail-under", "MAep=0.2")[0] == 1
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
        status, told = compared(*options, *gate)
        assert (status, message in told) == (2, True), (message, told)
    # a run without a figure of a measure that others have
    rows = [Result("a", topic, "MAep", 1.0, "m") for topic in ("1", "2", "all")]
    results = Results(rows, (), Scope(["a", "b"], ["MAep"], ["m"]))
    with pytest.raises(XcgError, match="run b has no score of MAep under m"):
        gate_failures(results, {"MAep": 0.5})
    results = Results(rows, (), Scope(["a"], ["MAep"], ["m", "n"]))
    with pytest.raises(XcgError, match="run a has no score of MAep under n"):
        gate_failures(results, {"MAep": 0.5})


def test_limits_of_a_mapping() -> None:
    assert parse_thresholds({"nxCG@10": 0.5, "MAep": 1}) == {"nxCG@10": 0.5, "MAep": 1.0}
    assert parse_thresholds(["MAep=0.5", "MAep=0.3"]) == {"MAep": 0.5}
    for wrong in ({"MAep": float("nan")}, {"MAep": "high"}, {"": 1.0}):
        with pytest.raises(XcgError, match="illegal threshold"):
            parse_thresholds(wrong)  # type: ignore[arg-type]


def test_a_limit_that_is_met_but_for_rounding() -> None:
    results = Results([Result("r", "all", "MAep", 0.3 - 1e-15, "m")])
    assert gate_failures(results, {"MAep": 0.3}) == []
    assert len(gate_failures(results, {"MAep": 0.3 + 1e-9})) == 1


def test_less_may_be_better() -> None:
    """ASL is the rank at which one searches: the run that searches longer is worse."""
    gold = {str(topic): {"a": 1, "b": 0, "c": 0} for topic in range(1, 7)}
    short, long = ["a", "b", "c"], ["b", "c", "a"]
    runs = {"short": dict.fromkeys(gold, short), "long": dict.fromkeys(gold, long)}
    runs["long"]["1"] = ["b", "a", "c"]
    results = xcg.evaluate(gold, runs, measures="ASL")
    assert gate_failures(results, {}, "long") == []
    (failure,) = gate_failures(results, {}, "short")
    assert failure.startswith("long, levels: ASL is ")
    assert "lost most on topic 2 (+2.0000), topic 3 (+2.0000), topic 4 (+2.0000)" in failure


class TestTheAssertion:
    def test_figures(self) -> None:
        results = assert_retrieval(GOLD, {"good": GOOD}, DOCUMENTS, at_least={"MAep": 1, "nxCG@1": 1})
        assert results.measures == ["MAep", "nxCG@1"]
        assert results.user_models == ["spans"]

    def test_a_regression(self) -> None:
        mixed = {**GOOD, "4": [WRONG], "6": [WRONG, RIGHT]}
        with pytest.raises(AssertionError) as error:
            assert_retrieval(GOLD, {"new": mixed}, DOCUMENTS, at_least={"nxCG@1": 0.7, "MAep": 0.5})
        assert str(error.value) == (
            "new, spans: nxCG@1 is 0.6667, below 0.7; lowest on topic 4 (0.0000), topic 6 (0.0000), "
            "topic 1 (1.0000)"
        )

    def test_a_baseline_by_name_as_a_run_and_as_a_file(self, files: Any, tmp_path: Path) -> None:
        files(poor=POOR, good=GOOD)
        both = {"good": GOOD, "poor": POOR}
        assert_retrieval(GOLD, both, DOCUMENTS, measures="nxCG@1", not_worse_than="poor")
        good = xcg.read_run(tmp_path / "good.jsonl")
        assert isinstance(good, Run)
        for runs, baseline, name in (
            (both, "good", "good"),
            ({"poor": POOR}, good, "good"),
            ({"poor": POOR}, tmp_path / "good.jsonl", "good"),
            (tmp_path / "poor.jsonl", tmp_path / "good.jsonl", "good"),
        ):
            with pytest.raises(AssertionError) as error:
                assert_retrieval(GOLD, runs, DOCUMENTS, measures="nxCG@1", not_worse_than=baseline)
            said = str(error.value)
            assert said.startswith(
                f"poor, spans: nxCG@1 is 0.0000, worse than 1.0000 of {name} (p = 0."
            )
            assert "lost most on topic 1 (-1.0000)" in said
        # a baseline that is added need not meet the limit; one among the runs must
        poor = Run("old", xcg.read_run(tmp_path / "poor.jsonl").rankings)
        at_least = {"nxCG@1": 0.9}
        assert_retrieval(GOLD, {"good": GOOD}, DOCUMENTS, at_least=at_least, not_worse_than=poor)
        with pytest.raises(AssertionError, match=r"poor, spans: nxCG@1 is 0\.0000, below 0\.9"):
            assert_retrieval(GOLD, both, DOCUMENTS, at_least=at_least, not_worse_than="poor")

    def test_a_baseline_of_the_same_name(self, tmp_path: Path, files: Any) -> None:
        files(run=GOOD)
        with pytest.raises(AssertionError, match=r"run \[run run\], spans: .* of run \[.*run.jsonl\]"):
            assert_retrieval(
                GOLD, {"run": POOR}, DOCUMENTS, measures="nxCG@1", not_worse_than=tmp_path / "run.jsonl"
            )

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({}, "nothing to check: expected at_least or not_worse_than"),
            ({"at_least": {"MAepp": 0.1}}, "unknown measure 'MAepp'"),
            ({"at_least": {"MAep": float("nan")}}, "illegal threshold"),
            ({"not_worse_than": "gone"}, "no run 'gone': "),
            ({"not_worse_than": 3}, "not_worse_than is of type int: expected"),
            ({"not_worse_than": Path("no-such-file")}, "no-such-file"),
            ({"at_least": {"MAep": 0}, "allow_unmapped": -1}, "allow_unmapped is -1"),
            ({"at_least": {"MAep": 0}, "runs": {"new": {}}}, "run new answers no assessed topic"),
            ({"at_least": {"MAep": 0}, "runs": {}}, "no runs: expected at least one"),
            ({"at_least": {"MAep": 0}, "corpus": None}, "expected a corpus"),
        ],
    )
    def test_bad_input_is_no_regression(self, wrong: dict[str, Any], message: str) -> None:
        call = {"assessments": GOLD, "runs": {"good": GOOD}, "corpus": DOCUMENTS, **wrong}
        with pytest.raises(XcgError) as error:
            assert_retrieval(**call)
        assert message in str(error.value)
        assert not isinstance(error.value, UnmappedError)

    def test_what_has_no_place(self) -> None:
        gone = {**GOOD, "3": [RIGHT, {"doc": "bees", "text": "Wasps sting."}]}
        with pytest.raises(UnmappedError, match="run new, topic 3, rank 2: "):
            assert_retrieval(GOLD, {"new": gone}, DOCUMENTS, at_least={"MAep": 0.9})
        results = assert_retrieval(
            GOLD, {"new": gone}, DOCUMENTS, at_least={"MAep": 0.9}, allow_unmapped=1
        )
        assert results.notes[0].startswith("warning: chunks without a place in a document: 1 time")
        gone["4"] = [("wasps", 0, 5), RIGHT]
        with pytest.raises(UnmappedError, match="2 results or assessments could not be used, and 1"):
            assert_retrieval(GOLD, {"new": gone}, DOCUMENTS, at_least={"MAep": 0}, allow_unmapped=1)
        assert issubclass(UnmappedError, InputError)


CHUNKS = st.lists(st.sampled_from([RIGHT, WRONG, ("ants", 0, 4), ("wasps", 0, 5), ("bees", 30, 99)]))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries(dict.fromkeys(GOLD, CHUNKS)),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.booleans(),
    st.sampled_from([None, 0, 1, 3]),
)
def test_the_command_and_the_assertion_agree(
    tmp_path_factory: pytest.TempPathFactory,
    chunks: dict[str, list[tuple[str, int, int]]],
    limit: float,
    with_baseline: bool,
    allowed: int | None,
) -> None:
    folder = tmp_path_factory.mktemp("campaign")
    options = campaign(folder, new=chunks, good=GOOD)
    options += ["--fail-under", f"MAep={limit}"]
    if with_baseline:
        options += ["--fail-if-worse-than", "good"]
    if allowed is not None:
        options += ["--allow-unmapped", str(allowed)]
    status, told = compared(*options)
    said, kind = "", 0
    try:
        assert_retrieval(
            folder / "gold.jsonl",
            [folder / "new.jsonl", folder / "good.jsonl"],
            folder / "corpus",
            "spans",
            at_least={"MAep": limit},
            not_worse_than="good" if with_baseline else None,
            allow_unmapped=allowed or 0,
        )
    except AssertionError as error:
        said, kind = str(error).splitlines()[0], 1
    except UnmappedError as error:
        kind = 3
        if allowed is None:
            said = str(error)
    except XcgError as error:
        said, kind = str(error), 2
    assert (status, said in told) == (kind, True)


PYTEST_FILE = """
import pytest
from xcg.testing import assert_retrieval

GOLD = {str(topic): {"bees": [(0, 23)]} for topic in range(6)}
CORPUS = {"bees": "Bees dance on the comb. Drones do no work."}


def retrieved(*chunks):
    return {"mine": {topic: list(chunks) for topic in GOLD}}


def test_right():
    assert_retrieval(GOLD, retrieved(("bees", 0, 23)), CORPUS, at_least={"MAep": 0.9})


def test_wrong():
    assert_retrieval(GOLD, retrieved(("bees", 24, 42)), CORPUS, at_least={"MAep": 0.9})


def test_nowhere():
    assert_retrieval(GOLD, retrieved(("wasps", 0, 5)), CORPUS, at_least={"MAep": 0.9})


@pytest.fixture
def figures():
    return assert_retrieval(GOLD, retrieved(), CORPUS, at_least={"MAep": 0.9})


def test_of_a_fixture(figures):
    pass
"""


@pytest.mark.slow
def test_in_a_real_pytest(tmp_path: Path, root: Path) -> None:
    (tmp_path / "test_retrieval.py").write_text(PYTEST_FILE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", "test_retrieval.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    assert done.returncode == 1, done.stdout
    summary = done.stdout[done.stdout.index("short test summary") :]
    assert (
        "FAILED test_retrieval.py::test_wrong - AssertionError: mine, spans: MAep is 0.0000" in summary
    )
    assert "FAILED test_retrieval.py::test_nowhere - xcg.errors.UnmappedError: run mine" in summary
    assert (
        "ERROR test_retrieval.py::test_of_a_fixture - xcg.errors.XcgError: run mine answers" in summary
    )
    assert "2 failed, 1 passed, 1 error" in summary
    assert "gate_failures(" not in done.stdout.split("test_nowhere")[0]  # the caller's line is shown
