"""A profile states where time goes and how files are read, and changes no result."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path

import pytest
from conftest import ROOT, Command

from xcg import profiling
from xcg.documents.corpus import Corpus
from xcg.errors import Notes, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.recall_base import RecallBase
from xcg.profiling import Profile, Stage, collect_profile, in_stage, stage, staged

ASSESSMENTS = ROOT / "assessments" / "kazai-lalmas-2006"
RUNS = ROOT / "corpora_samples" / "kazai-lalmas-2006-runs"
CORPUS = ROOT / "corpora_samples" / "kazai-lalmas-2006"
CONFIG = "configs/kazai-lalmas-2006.yaml"
SUBMISSION = """<inex-submission run-id="r">
<topic topic-id="163"><result><file>d</file><path>/a[1]</path><rank>1</rank></result></topic>
</inex-submission>"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Yield a list whose only number is the present time in seconds."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return iter([now])


def test_an_inner_stage_counts_for_itself_only(clock: Iterator[list[float]]) -> None:
    (now,) = clock
    with collect_profile() as profile:
        now[0] += 1
        with stage(Stage.RESOLVE):
            now[0] += 2
            with stage(Stage.READ_CACHE):
                now[0] += 4
            now[0] += 8
        now[0] += 16
    assert profile.seconds == {Stage.OTHER: 17, Stage.RESOLVE: 10, Stage.READ_CACHE: 4}
    assert profile.wall_time == 31
    assert set(profile.processor_seconds) == set(profile.seconds)


def test_the_use_of_items_does_not_belong_to_their_stage(clock: Iterator[list[float]]) -> None:
    (now,) = clock

    def items() -> Iterator[int]:
        for item in range(3):
            now[0] += 1
            yield item

    with collect_profile() as profile:
        for _ in staged(Stage.PARSE, items()):
            now[0] += 10
    assert profile.seconds == {Stage.OTHER: 30, Stage.PARSE: 3}


def test_a_stage_ends_with_an_error(clock: Iterator[list[float]]) -> None:
    (now,) = clock

    @in_stage(Stage.GAINS)
    def fail() -> None:
        now[0] += 1
        raise XcgError("wrong")

    with collect_profile() as profile:
        with pytest.raises(XcgError):
            fail()
        now[0] += 2
    assert profile.seconds == {Stage.GAINS: 1, Stage.OTHER: 2}


def test_helper_threads_count_documents_but_no_time() -> None:
    def work() -> None:
        with stage(Stage.PARSE):
            profiling.count_parsed("d")

    with collect_profile() as profile:
        thread = threading.Thread(target=copy_context().run, args=[work])
        thread.start()
        thread.join()
    assert set(profile.seconds) == {Stage.OTHER}
    assert profile.parsed == {"d": 1}


def test_documents_parsed_in_threads_are_counted() -> None:
    corpus = Corpus.of({f"d{number}": "<a><b/></a>" for number in range(100)})
    with collect_profile() as profile:
        corpus.prepare(corpus)
    assert len(profile.parsed) == 100
    assert set(profile.parsed.values()) == {1}


def test_a_profile_ends_with_its_block() -> None:
    with collect_profile() as profile:
        pass
    with stage(Stage.PARSE):
        profiling.count_cached(1)
    assert profiling.active_profile() is None
    assert (profile.cached, set(profile.seconds)) == (0, {Stage.OTHER})


def test_documents_are_parsed_once_and_then_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XCG_CACHE", str(tmp_path / "cache"))
    profiles = []
    for _ in range(2):
        with collect_profile() as profile:
            evaluate(ASSESSMENTS, RUNS, Corpus(CORPUS), measures="MAep")
        profiles.append((dict(profile.parsed), profile.cached))
    documents = len(list(CORPUS.rglob("*.xml")))
    assert sum(profiles[0][0].values()) == len(profiles[0][0]) <= documents
    assert profiles[1] == ({}, len(profiles[0][0]))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_profiles_of_workers_are_added(workers: int) -> None:
    without = evaluate(ASSESSMENTS, RUNS, CORPUS, measures="MAep nxCG@10", workers=workers)
    with collect_profile() as profile:
        results = evaluate(ASSESSMENTS, RUNS, CORPUS, measures="MAep nxCG@10", workers=workers)
    assert list(results) == list(without)
    assert results.notes == without.notes
    runs = [path for kind, path in profile.files if kind == "runs"]
    assert sorted(runs) == sorted(map(str, RUNS.glob("*.xml")))
    assert profile.seconds[Stage.GAINS] > 0
    assert (profile.tasks > 0) == (Stage.WAIT in profile.seconds) == (workers > 1)
    if workers == 1:
        assert math.isclose(math.fsum(profile.seconds.values()), profile.wall_time)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("regular.xml", SUBMISSION, ""),
        ("entity.xml", SUBMISSION.replace("<file>d", "<file>d&amp;"), "entities or CDATA sections"),
        ("rank.xml", SUBMISSION.replace("<rank>1", "<rank>+1"), "results with different fields"),
        ("empty.xml", '<inex-submission run-id="r"/>', "no topics or documents"),
        ("plain.txt", "163 Q0 d 1 2.5 r\n", ""),
        (
            "comment.txt",
            "# a comment\n163 Q0 d 1 2.5 r\n",
            "lines with comments, different columns or several tags",
        ),
        (
            "run.jsonl",
            '{"topic": "163", "doc": "d", "rank": 1}\n',
            "the format jsonl has no column-wise reader",
        ),
    ],
)
def test_a_profile_states_why_a_run_is_not_read_column_wise(
    tmp_path: Path, name: str, content: str, problem: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with collect_profile() as profile:
        read_run(path)
    assert profile.files == {("runs", str(path)): problem}
    assert profile.seconds[Stage.READ_RUNS] > 0


def test_a_profile_states_why_assessments_are_not_read_column_wise(tmp_path: Path) -> None:
    regular, elements = tmp_path / "regular", tmp_path / "elements"
    regular.write_text("163 0 d 1\n")
    elements.write_text("163 0 d#/a[1] 1\n")
    with collect_profile() as profile:
        base = read_assessments([regular, elements], Notes())
    assert isinstance(base, RecallBase)
    problem = "lines with comments, different columns, elements or repeated documents"
    assert list(profile.files.values()) == ["", problem]


def test_the_lines_of_a_profile() -> None:
    profile = Profile()
    profile.seconds.update(
        {Stage.READ_RUNS: 6.0, Stage.GAINS: 1.0, Stage.WAIT: 9.0, Stage.MEANS: 0.001}
    )
    profile.processor_seconds.update({Stage.READ_RUNS: 3.0, Stage.GAINS: 1.0, Stage.MEANS: 0.001})
    profile.wall_time, profile.tasks, profile.cached = 12.25, 2, 1000
    profile.parsed.update({"ants": 2, "bees": 1})
    profile.files = {("runs", f"r{n}"): "entities" if n else "" for n in range(6)}
    profile.files["assessments", "a\nb"] = "a pipe"
    assert profile.lines() == [
        "profile: 12.25 s of wall time; sums over this process and 2 tasks of workers",
        f"  {'seconds':33}      wall  processor",
        f"  {'reading runs':33}      6.00       3.00   75 %",
        f"  {'gains':33}      1.00       1.00   25 %",
        f"  {'waiting for workers':33}      9.00       0.00    0 %",
        "assessments: 0 of 1 files read column-wise",
        r"  1 not, a pipe: a\nb",
        "runs: 1 of 6 files read column-wise",
        "  5 not, entities: r1, r2, r3 and 2 more",
        "documents: 2 parsed (3 times in total), 1,000 from the cache",
    ]
    assert str(profile).splitlines() == profile.lines()


def test_the_command_prints_the_profile_after_the_notes(xcg_command: Command) -> None:
    plain = xcg_command("evaluate", CONFIG, "--format", "jsonl")
    profiled = xcg_command("evaluate", CONFIG, "--format", "jsonl", "--profile")
    assert profiled.returncode == 0
    assert profiled.stdout == plain.stdout
    assert profiled.stderr.startswith(plain.stderr)
    first, *_, last = profiled.stderr.removeprefix(plain.stderr).splitlines()
    assert first.startswith("xcg: profile: ")
    assert last.startswith("xcg: documents: ")
    assert "xcg: runs: 4 of 4 files read column-wise" in profiled.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "configs/quickstart.yaml", "--measures", "MAep", "--user-model", "overlap-off"),
        ("sweep", "configs/quickstart.yaml", "--measures", "MAep"),
        ("curves", CONFIG, "--measures", "nxCG"),
        ("report", CONFIG, "--output", "{tmp}/page.html"),
        ("explain", CONFIG, "--run", "frb", "--topic", "163"),
    ],
    ids=lambda words: words[0],
)
def test_every_evaluating_command_prints_a_profile(
    words: tuple[str, ...], xcg_command: Command, tmp_path: Path
) -> None:
    done = xcg_command(*(word.replace("{tmp}", str(tmp_path)) for word in words), "--profile")
    assert done.returncode == 0
    counted = re.search("xcg: runs: ([48]) of ([48]) files read column-wise", done.stderr)
    assert counted is not None
    assert counted[1] == counted[2]


def test_inex_eval_prints_a_profile(xcg_command: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 Q0 d 10 20 0 0:10\n")
    run.write_text("1 Q0 d 1 1 r 0 10\n")
    done = xcg_command("inex-eval", "-f", qrels, run, "--profile")
    assert done.returncode == 0
    assert "xcg: assessments: 1 of 1 files read column-wise" in done.stderr
    assert "xcg: runs: 1 of 1 files read column-wise" in done.stderr
    qrels.write_text("# a comment\n1 Q0 d 10 20 0 0:10\n")
    run.write_text("1 Q0 d 1 1 r X 10\n")
    done = xcg_command("inex-eval", "-f", qrels, run, "--profile")
    assert done.returncode == 0
    assert "lines with comments, other sixth columns or illegal numbers" in done.stderr
    assert "unknown offsets or illegal lines" in done.stderr


def test_a_gate_that_fails_prints_a_profile(xcg_command: Command) -> None:
    gate = ("--measures", "MAep", "--user-model", "overlap-off", "--fail-under", "MAep=0.99")
    done = xcg_command("compare", "configs/quickstart.yaml", *gate, "--profile")
    assert done.returncode == 1
    assert "xcg: runs: 8 of 8 files read column-wise" in done.stderr


def test_an_error_leaves_no_profile(xcg_command: Command) -> None:
    done = xcg_command("evaluate", CONFIG, "--measures", "nxGC@10", "--profile")
    assert done.returncode == 2
    assert "profile" not in done.stderr
    assert profiling.active_profile() is None


def test_the_option_takes_no_value(xcg_command: Command) -> None:
    done = xcg_command("evaluate", CONFIG, "--profile=json")
    assert done.returncode == 2
    assert "Option '--profile' does not take a value" in done.stderr
