"""Work divided among workers: the same scores, notes and errors for any division."""

from __future__ import annotations

import itertools
import pickle
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import InputError, MissingSizeError, Notes, UnmappedError, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.resolution import lacking_paths
from xcg.evaluation.scoring import TopicScorer
from xcg.evaluation.topics import TopicSource
from xcg.measures import MEASURES
from xcg.user_model.model import UserModel

ASSESSMENTS = {
    "1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}, "e": {"/a/s[1]": (1, 1)}},
    "2": {"d": {"/a/s[2]": (3, 3)}},
    "3": {"d": {"/a": (0, 0)}},
}
CORPUS = {"d": "<a><s>one</s><s>two</s></a>", "e": "<a><s>x</s><p>y</p></a>", "f": "<a/>"}


def write_runs(folder: Path, runs: Mapping[str, Mapping[str, Iterable[str]]], name: str = "") -> Path:
    """Write each run as a TREC file, all under one name where one is given."""
    folder.mkdir(exist_ok=True)
    for file, topics in runs.items():
        lines = [
            f"{topic} Q0 {result} {rank} {100 - rank} {name or file}\n"
            for topic, results in topics.items()
            for rank, result in enumerate(results, 1)
        ]
        (folder / f"{file}.txt").write_text("".join(lines))
    return folder


RUNS = {
    "r1": {"1": ["d#/a/s[1]", "d#/a/s[2]", "f#/a"], "2": ["d#/a"]},
    "r2": {"1": ["f#/a", "d#/a", "e#/a/s[1]"], "9": ["d#/a"]},
    "r3": {"2": ["d#/a/s[2]", "d#/a/s[1]"]},
    "r4": {"1": ["e#/a", "d#/a/s[1]", "d#/a"], "2": ["e#/a/p[1]", "d#/a/s[2]"]},
    "r5": {"9": ["d#/a"]},
}


def outcome(workers: int, runs: Any, **keywords: Any) -> tuple[list[Any], list[str]] | tuple[type, str]:
    """Return the rows and notes of an evaluation, or its error."""
    try:
        results = xcg.evaluate(ASSESSMENTS, runs, workers=workers, **keywords)
    except XcgError as error:
        return type(error), str(error)
    return list(results), results.notes


def same_for_any_number(runs: Any, **keywords: Any) -> Any:
    first = outcome(1, runs, **keywords)
    for workers in (2, 3, 9):
        assert outcome(workers, runs, **keywords) == first
    return first


@pytest.mark.slow
@pytest.mark.parametrize("unanswered", ["zero", "skip"])
@pytest.mark.parametrize("corpus", [None, CORPUS])
def test_values_and_notes_do_not_depend_on_workers(
    tmp_path: Path, unanswered: str, corpus: Any
) -> None:
    keywords = {
        "corpus": corpus,
        "user_model": ["overlap-off", "kazai-lalmas-2006-strict"],
        "measures": ["nxCG@2", "MAep", "nDCG@3", "Q", "overlap@3"],
        "topics": {"unanswered": unanswered},
    }
    of_files = same_for_any_number(write_runs(tmp_path / "runs", RUNS), **keywords)
    rows, notes = of_files
    assert len(rows) > 50
    assert "note: run r5: no assessments, so left out: topic 9" in notes
    assert len(notes) == len(set(notes))
    assert same_for_any_number(RUNS, **keywords) == of_files
    objects = [xcg.Run.of(name, topics) for name, topics in RUNS.items()]
    assert same_for_any_number(objects, **keywords) == of_files
    mixed = [tmp_path / "runs" / "r1.txt", *objects[1:4], str(tmp_path / "runs" / "r5.txt")]
    assert same_for_any_number(mixed, **keywords) == of_files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runs", "message"),
    [
        # One that cannot be read is told before what is found while scoring.
        (
            {"r1": {"1": ["d#/a/s[7]"]}, "r2": {"1": ["d#/a[0]"]}},
            r"r2\.txt:1: .*'/a\[0\]' is not an element path",
        ),
        # Of what is found while scoring, the first topic's comes first.
        ({"r1": {"2": ["d#/a/s[7]"]}, "r2": {"1": ["d#/a/s[8]"]}}, r"r2\.txt, topic 1, rank 1, d: no"),
        ({"r1": {"1": ["d#/a/s[7]"]}, "r2": {"1": ["d#/a/s[8]"]}}, r"r1\.txt, topic 1, rank 1, d: no"),
        ({"r1": {"2": ["f#/b"]}, "r2": {"1": ["d#/a/s[8]"]}}, r"r2\.txt, topic 1, rank 1, d: no elem"),
        ({"r1": {"1": ["f#/b"]}, "r2": {"2": ["e#/b"]}}, r"r1\.txt, topic 1, rank 1, f: no element"),
    ],
)
def test_the_first_error_does_not_depend_on_workers(tmp_path: Path, runs: Any, message: str) -> None:

    files = write_runs(tmp_path / "runs", runs)
    kind, text = same_for_any_number(files, corpus=CORPUS)
    assert kind is (InputError if "is not an element path" in message else UnmappedError)
    assert re.search(message, text)


@pytest.mark.slow
def test_errors_survive_pickling() -> None:
    runs = {"r1": {"2": ["d#/a"]}, "r2": {"1": ["d#/a/s[1]", "d#/a"]}}
    kind, text = same_for_any_number(runs)
    assert kind is MissingSizeError
    assert text.startswith("topic 1, d, /a[1]/s[2]: its size in characters is not known")


RESULTS = st.lists(
    st.sampled_from(
        [
            *("d#/a", "d#/a/s[1]", "d#/a/s[9]", "e#/a/s[1]", "e#/a/s[8]"),
            *("f#/a", "f#/b", "f#/c", "g#/b", "h#/a", "no#/a"),
        ]
    ),
    max_size=5,
)
TOPICS = st.dictionaries(st.sampled_from(["1", "2", "3", "9"]), RESULTS)


@given(st.lists(TOPICS, min_size=1, max_size=4), st.booleans(), st.booleans(), st.data())
def test_any_division_of_the_topics_equals_one_part(
    runs: list[Any], lenient: bool, has_corpus: bool, data: st.DataObject
) -> None:
    """Values, notes and errors of all divisions of random campaigns are those of one process."""
    corpus = xcg.Corpus.of({**CORPUS, "g": "<a/>", "h": "<a>"}) if has_corpus else None
    assessments = {**ASSESSMENTS, "2": {**ASSESSMENTS["2"], "missing": {"/a": (3, 3)}}}
    base = Inputs(assessments if lenient and has_corpus else ASSESSMENTS).recall_base
    models = [UserModel.shipped(name) for name in ("overlap-off", "kazai-lalmas-2006-strict")]
    found = [xcg.Run.of(f"r{number}", run) for number, run in enumerate(runs)]
    source = TopicSource(base, found, corpus)
    scorer = TopicScorer(
        models, MEASURES.parse_all("xCG@3 MAep Q"), [], frozenset(), {r.name: r for r in found}, "zero"
    )

    def outcome(count: int) -> object:
        cuts = data.draw(st.sets(st.integers(1, 2), max_size=count))
        bounds = itertools.pairwise([0, *sorted(cuts), len(base.topics)])
        scores, notes = [], Notes(lenient)
        try:
            lacking = lacking_paths(source.runs, base, corpus, base.topics)
            for start, end in bounds:
                names = base.topics[start:end]
                part = pickle.loads(
                    pickle.dumps(source.with_runs(source.runs.of_topics(names), corpus))
                )
                part.resolver.lacking = lacking
                of_part = Notes(lenient)
                scores += [scorer(topic) for topic in part.topics(of_part, names)]
                notes.take(of_part)
        except XcgError as error:
            return type(error), str(error)
        return scores, notes.lines()

    assert outcome(2) == outcome(0)


@pytest.mark.slow
def test_a_run_that_cannot_be_read_comes_before_a_strategy_that_fails(tmp_path: Path) -> None:
    """All runs are read before the first is rewritten."""
    runs = write_runs(tmp_path / "runs", {"r1": RUNS["r1"], "r2": {"1": ["d#/a[0]"]}})
    _, message = same_for_any_number(
        runs, corpus=CORPUS, strategies=[fails], user_model="overlap-off", measures="MAep"
    )
    assert message.startswith(f"{runs}/r2.txt:1: ")


def fails(ranking: object, corpus: object) -> object:
    raise ValueError("no result")


def test_work_that_cannot_be_divided_needs_no_joblib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    topic = {"1": ASSESSMENTS["1"]}
    assert xcg.evaluate(topic, {"r1": RUNS["r1"]}, workers=2, user_model="overlap-off").runs


def test_progress_with_workers() -> None:
    seen: list[tuple[int, int]] = []
    inputs = Inputs(ASSESSMENTS, RUNS, user_model="overlap-off")
    for workers in (1, 3):
        seen.clear()
        evaluate(replace(inputs, workers=workers), lambda _: nullcontext(lambda *at: seen.append(at)))
        assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.slow
def test_a_corpus_can_be_sent_to_workers(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        for name, text in CORPUS.items():
            archive.writestr(f"{name}.xml", text)
    trees = {name: xcg.Corpus.of(CORPUS).tree(name) for name in CORPUS}
    corpora = [xcg.Corpus(tmp_path / "corpus.zip"), tmp_path / "corpus.zip", xcg.Corpus.of(trees)]
    first = outcome(1, RUNS, corpus=CORPUS)
    for corpus in corpora:
        assert outcome(2, RUNS, corpus=corpus) == first
