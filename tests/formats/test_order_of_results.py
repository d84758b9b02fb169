"""The order of results, above all of those with equal scores, in every kind of run; and notes on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas
import pytest

import xcg
from xcg.errors import Notes
from xcg.evaluation.inputs import Inputs
from xcg.integrations.pandas import run_from_frame
from xcg.runs.chunks import run_of_chunks

Row = tuple[str, str, int, float]
"""Document, path, rank and score."""
ROWS: list[Row] = [
    ("b", "/a[1]", 1, 2.0),
    ("c", "/a[1]/s[2]", 2, 2.0),
    ("c", "/a[1]/s[9]", 3, 2.0),
    ("a", "/a[1]", 4, 3.0),
    ("d", "/a[1]", 5, 2.0),
]
AS_GIVEN = ["a /a[1]", "b /a[1]", "c /a[1]/s[2]", "c /a[1]/s[9]", "d /a[1]"]
BY_DOCUMENT = ["a /a[1]", "d /a[1]", "c /a[1]/s[9]", "c /a[1]/s[2]", "b /a[1]"]


def scores_in_python(rows: Iterable[Row], folder: Path) -> Any:
    return {"r": {"1": {f"{doc}#{path}": score for doc, path, _, score in rows}}}


def run_in_memory(rows: Iterable[Row], folder: Path) -> Any:
    return xcg.Run.of("r", scores_in_python(rows, folder)["r"])


def frame(rows: Iterable[Row], folder: Path) -> Any:
    columns = pandas.DataFrame(list(rows), columns=["doc", "path", "rank", "score"])
    return {"r": run_from_frame(columns.drop(columns="rank").assign(topic="1"))}


def json_lines(rows: Iterable[Row], folder: Path) -> Any:
    file = folder / "r.jsonl"
    records = [{"topic": "1", "doc": d, "path": p, "score": s} for d, p, _, s in rows]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return file


def trec(rows: Iterable[Row], folder: Path) -> Any:
    file = folder / "r.trec"
    file.write_text("".join(f"1 Q0 {d}#{p} {rank} {s!r} r\n" for d, p, rank, s in rows))
    return file


def submission(rows: Iterable[Row], folder: Path, entity: str = "") -> Any:
    """Write an INEX submission with scores; an entity makes its layout irregular."""
    file = folder / f"r{bool(entity)}.xml"
    results = "".join(
        f"<result><file>{d}{entity}</file><path>{p}</path><rsv>{s!r}</rsv></result>"
        for d, p, _, s in rows
    )
    file.write_text(
        f'<inex-submission run-id="r"><topic topic-id="1">{results}</topic></inex-submission>'
    )
    return file


def irregular_submission(rows: Iterable[Row], folder: Path) -> Any:
    return submission(rows, folder, entity="<![CDATA[]]>")


Writer = Callable[[Iterable[Row], Path], Any]
KINDS: list[Writer] = [
    *(scores_in_python, run_in_memory, frame, json_lines, trec),
    *(submission, irregular_submission),
]


def order(run: Any, ties: Any = None) -> list[str]:
    (read,) = Inputs(runs=run, ties=ties, topics={"1"}).loaded_runs
    return [f"{file} {path}" for file, path in read.rankings["1"]]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_scores_have_the_order_of_the_format_or_the_stated_one(
    kind: Writer, tmp_path: Path
) -> None:
    run = kind(ROWS, tmp_path)
    assert order(run) == (BY_DOCUMENT if kind is trec else AS_GIVEN)
    assert order(run, "document") == BY_DOCUMENT
    assert order(run, "file") == AS_GIVEN
    assert order(run, "rank") == AS_GIVEN


def notes(run: Any) -> list[str]:
    assessments = {"1": {"a": {"/a[1]": 1}}}
    results = xcg.evaluate(assessments, run, None, "levels", "nxCG@1")
    return [note for note in results.notes if "equal" in note or "contradict" in note]


@pytest.mark.parametrize("kind", KINDS)
def test_a_note_says_that_more_than_half_of_the_scores_are_equal(kind: Writer, tmp_path: Path) -> None:
    (note,) = [one for one in notes(kind(ROWS, tmp_path)) if "equal" in one]
    assert "more than half of the scores are equal: 1 time;" in note
    assert "4 of 5 results have the score 2" in note
    half = [(doc, path, rank, max(score, rank)) for doc, path, rank, score in ROWS]
    assert not any("equal" in one for one in notes(kind(half, tmp_path)))


def test_a_note_says_that_ranks_and_scores_contradict_each_other(tmp_path: Path) -> None:
    negated = [(doc, "/a[1]", rank, -1.0 / rank) for rank, doc in enumerate("abcd", 1)]
    (note,) = notes(trec(negated, tmp_path))
    assert "ranks and scores contradict each other: 1 time;" in note
    assert note.endswith("the scores are used")
    text = submission(negated, tmp_path).read_text()
    for rank in range(1, 5):
        text = text.replace("</path><rsv>", f"</path><rank>{rank}</rank><rsv>", 1)
    for content in (text, text.replace("<file>a<", "<file><![CDATA[a]]><")):
        (tmp_path / "both.xml").write_text(content)
        (note,) = notes(tmp_path / "both.xml")
        assert note.endswith("the ranks are used")
    lines = [{"topic": "1", "doc": d, "rank": r, "score": s} for d, _, r, s in negated]
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (note,) = notes(tmp_path / "both.jsonl")
    assert note.endswith("the ranks are used")
    chunks = [{"doc": d, "start": 0, "end": 1, "rank": r, "score": s} for d, _, r, s in negated]
    found = Notes()
    run_of_chunks("r", {"1": chunks}, notes=found)
    assert [(kind, count) for kind, count, _ in found.oddities()] == [
        ("topics in which ranks and scores contradict each other", 1)
    ]
    agreeing = [(doc, "/a[1]", rank, 1.0 / rank) for rank, doc in enumerate("abcd", 1)]
    assert notes(trec(agreeing, tmp_path)) == []
    unused = [(doc, path, 0, score) for doc, path, _, score in agreeing]
    assert notes(trec(unused, tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [("rsv>", "score>", "<score>"), ("<result>", '<result rank="1">', "the attribute rank")],
)
def test_what_is_not_read_in_a_result_is_noted(tmp_path: Path, old: str, new: str, name: str) -> None:
    file = submission(ROWS, tmp_path)
    file.write_text(file.read_text().replace(old, new))
    found = xcg.evaluate({"1": {"a": {"/a[1]": 1}}}, file, None, "levels", "nxCG@1").notes
    kind = "elements and attributes of results that are not read"
    assert any(f"{kind}: 5 times; the first: {file}:1: {name}" in note for note in found)


def test_chunks_with_some_scores_only_are_noted() -> None:
    found = Notes()
    scores: list[dict[str, float]] = [{"score": 0.1}, {}, {"score": 0.5}]
    run_of_chunks(
        "r", {"1": [{"doc": "a", "start": 0, "end": 1, **one} for one in scores]}, notes=found
    )
    ((kind, count, _),) = found.oddities()
    assert (kind, count) == ("topics with a score of some results only", 1)


def test_a_whole_document_among_elements_is_noted_in_every_kind_of_run(tmp_path: Path) -> None:
    rows = [("1", "a", "/a[1]", 2.0), ("1", "b", None, 1.0)]
    (tmp_path / "r.trec").write_text("1 Q0 a#/a[1] 1 2 r\n1 Q0 b 2 1 r\n")
    records = [{"topic": t, "doc": d, "score": s} | ({"path": p} if p else {}) for t, d, p, s in rows]
    (tmp_path / "r.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    columns = pandas.DataFrame(rows, columns=["topic", "doc", "path", "score"])
    runs: list[Any] = [tmp_path / "r.trec", tmp_path / "r.jsonl", {"r": {"1": ["a#/a[1]", "b"]}}]
    for run in (*runs, {"r": run_from_frame(columns)}):
        (note,) = xcg.evaluate({"1": {"a": {"/a[1]": 1}}}, run, None, "levels", "nxCG@1").notes
        assert "whole documents among elements or passages: 1 time" in note
        assert "1 of 2 results have no path and no start, so each is its whole document" in note
