"""Large runs are read like small ones, but most of their results are in a temporary file."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from xcg.errors import Notes, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.formats.base import read_run
from xcg.runs.run import Ranking, Run
from xcg.runs.stored_rankings import StoredRankings

TOPICS = ["7", "1", "x", "3"]


@contextmanager
def little_memory() -> Iterator[None]:
    """Let readers keep only a few lines and results in memory."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("trec_run", "json_lines", "stored_topics"):
            patch.setattr(f"xcg.formats.{module}.LINES_IN_MEMORY", 5)
        patch.setattr("xcg.runs.stored_rankings.RESULTS_IN_MEMORY", 3)
        patch.setattr("xcg.runs.stored_rankings.RESULTS_OF_ALL_RUNS", 8)
        patch.setattr("xcg.strategies.rewriting.RESULTS_IN_MEMORY", 3)
        patch.setattr("xcg.strategies.rewriting.RESULTS_OF_ALL_RUNS", 8)
        patch.setattr("xcg.documents.files.CHUNK_BYTES", 200)
        patch.setattr("xcg.evaluation.different_results.MOST_RESULTS", 4)
        patch.setattr("xcg.documents.corpus._READ_AHEAD", 2)
        yield


def content(run: Run) -> object:
    """Return everything that a run holds."""
    rankings = [
        (
            topic,
            list(one),
            dict(one.spans),
            None if one.keys is None else list(one.keys),
            one.has_scores,
            one.parents,
        )
        for topic, one in run.rankings.items()
    ]
    return run.name, rankings, run.skipped, run.source, run.answered


def trec(chance: random.Random, elements: list[str]) -> str:
    """Return lines of all topics in random order, with ties."""
    lines = [
        f"{chance.choice(TOPICS)} Q0 d{chance.randrange(9)}{chance.choice(elements)} {rank} "
        f"{chance.randrange(5)} bm25\n"
        for rank in range(60)
    ]
    return "".join(lines)


KINDS = ({"path": "/a/b[2]"}, {}, {"start": 3, "end": 9}, {"path": "b"})


def json_lines(chance: random.Random, kinds: Sequence[dict[str, object]] = KINDS) -> str:
    """Return results of all topics in random order; some passages have parents."""
    results = []
    for rank in range(60):
        kind = chance.choice(kinds)
        if "start" in kind and chance.random() < 0.5:
            kind |= {"parent": {"start": 0, "end": 10}}
        key = {"rank": rank} if chance.random() < 0.9 else {"score": 2}
        topic, document = chance.choice(TOPICS), f"d{chance.randrange(9)}"
        results.append({"topic": topic, "doc": document, **kind, **key})
    return "".join(json.dumps(result) + "\n" for result in results)


def submission(chance: random.Random, other: str = "") -> str:
    """Return a submission; another field makes its layout irregular."""
    topics = ""
    for topic in TOPICS:
        results = "".join(
            f"<result><file>d{chance.randrange(9)}</file><path>/a/b[{chance.randrange(1, 4)}]</path>"
            f"<rank>{chance.randrange(9)}</rank>{other}</result>\n"
            for _ in range(chance.randrange(4, 20))
        )
        topics += f'<topic topic-id="{topic}">\n{results}</topic>\n'
    return f'<inex-submission run-id="r">\n{topics}</inex-submission>\n'


FILES = {
    "documents": lambda chance: trec(chance, [""]),
    "elements": lambda chance: trec(chance, ["#/a/b[2]", "#/a", "#/a/c"]),
    "mixed": lambda chance: trec(chance, ["#/a", "#3:9", "", "#/a//b"]),
    "json": json_lines,
    "regular": submission,
    "irregular": lambda chance: submission(chance, "<note>n</note>"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("topics", [None, {"1", "x"}])
@pytest.mark.parametrize("ties", ["document", "rank", "file"])
def test_a_run_in_a_temporary_file_is_the_same_run(tmp_path, name, topics, ties):
    path = tmp_path / "run"
    for seed in range(5):
        path.write_text(FILES[name](random.Random(seed)))
        notes, limited = Notes(lenient=True), Notes(lenient=True)
        expected = read_run(path, notes, ties=ties, topics=topics)
        assert isinstance(expected.rankings, dict)
        with little_memory():
            run = read_run(path, limited, ties=ties, topics=topics)
        assert isinstance(run.rankings, StoredRankings)
        assert content(run) == content(expected)
        assert limited.lines() == notes.lines()
        assert run.rankings == expected.rankings
        assert pickle.loads(pickle.dumps(run.rankings)) == expected.rankings


FAULTS = {
    "": "",
    "path": "1 Q0 d8#/a/c 99 9 bm25\n",
    "paths": "".join(
        f"{topic} Q0 d{number}#/a/{tag} 9 {number} bm25\n"
        for topic in "71"
        for number in (8, 5, 7)
        for tag in "cdc"
    ),
    "document": "7 Q0 d99#/a 99 9 bm25\n",
    "line": "x Q0 d1#/a 1\n",
}


STRATEGIES = ["--strategy", "unique", "--strategy", "oracle", "--strategy", "outermost"]


@pytest.mark.parametrize(
    "options", [[], ["--lenient"], ["--lenient", *STRATEGIES]], ids=["strict", "lenient", "strategies"]
)
@pytest.mark.parametrize("with_corpus", [False, True], ids=["no documents", "documents"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("cache", [[], ["--no-cache"]], ids=["cache", "no cache"])
def test_scores_notes_and_errors_do_not_depend_on_memory(
    tmp_path, xcg_command, options, with_corpus, fault, cache
):
    chance = random.Random(fault)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(9):
        (corpus / f"d{number}.xml").write_text("<a><b>one</b><b>two</b><b>three</b></a>")
    assessed = [
        {"topic": topic, "doc": f"d{number}", "path": "/a/b[2]", "level": 2}
        for topic in TOPICS[:3]
        for number in range(3)
    ]
    (tmp_path / "assessments.jsonl").write_text("".join(json.dumps(one) + "\n" for one in assessed))
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("one", "two"):
        text = trec(chance, ["#/a/b[2]", "#/a/b", "#/a/b[3]"]) + FAULTS[fault]
        (runs / name).write_text(text.replace("bm25", name))
    (runs / "three.xml").write_text(submission(chance))
    if options:  # some of these results are illegal
        (runs / "four.jsonl").write_text(json_lines(chance, [KINDS[0], KINDS[3]]))
    command = ["evaluate", "--assessments", tmp_path / "assessments.jsonl", "--run", runs]
    command += ["--measures", "nxCG@5 MAep iMAep", "--format", "jsonl", *cache, *options]
    command += ["--corpus", corpus] if with_corpus else []
    expected = xcg_command(*command)
    with little_memory():
        found = xcg_command(*command)
    assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr)
    is_wrong = fault == "line" or (fault and with_corpus)
    assert found.returncode == expected.returncode == (2 if is_wrong and not options else 0)


def test_all_runs_share_the_memory(tmp_path):
    for name in ("a", "b", "c"):
        lines = [f"{topic} Q0 d{n} {n} {-n} {name}\n" for topic in "12" for n in range(1, 4)]
        (tmp_path / name).write_text("".join(lines))
    with little_memory():
        runs = Inputs({"1": {"d1": 1}, "2": {"d2": 1}}, tmp_path).runs_as_read
    assert [run.rankings.in_memory for run in runs] == [3, 3, 0]
    assert all(next(iter(run.rankings["2"])) == ("d1", "/") for run in runs)


def test_a_full_disk_is_one_message(monkeypatch):
    class Full:
        def seek(self, position: int) -> None:
            """Do nothing."""

        def close(self) -> None:
            """Do nothing."""

        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", lambda **options: Full())
    rankings = StoredRankings(most_results=0)
    with pytest.raises(XcgError, match=r"file: No space left on device; .*TMPDIR"):
        rankings.add("1", Ranking(["d"], ["/"]))
