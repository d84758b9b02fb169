"""Flat rankings of whole documents with levels of relevance, as in TREC."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import xcg
from xcg.errors import InputError, XcgError
from xcg.evaluation import reading
from xcg.formats.base import read_run
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase
from xcg.runs.run import Run

QRELS = "1 0 d1 3\n1 0 d2 0\n1 0 d3 1\n1 0 d4 -1\n2 0 d1 0\n"
RUN = "1 Q0 d2 1 4.0 t\n1 Q0 d3 2 3.0 t\n1 Q0 d1 3 2.0 t\n1 Q0 other 4 1.0 t\n2 Q0 d1 1 1 t\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_levels_are_gains_by_default(tmp_path: Path) -> None:
    results = xcg.evaluate(
        write(tmp_path, "qrels", QRELS), write(tmp_path, "run", RUN), measures="xCG@3 nxCG@2 MAep"
    )
    # gains 0, 1, 3 against the ideal 3, 1
    assert results.value("t", "xCG@3") == 4
    assert results.value("t", "nxCG@2") == 1 / 4
    assert results.user_models == ["levels"]
    assert any("no ideal element" in note and "topic 2" in note for note in results.notes)


def test_dicts_in_the_form_of_other_tools(tmp_path: Path) -> None:
    qrels = {"1": {"d1": 3, "d2": 0, "d3": 1, "d4": -1}}
    scored = {"t": {"1": {"d2": 4.0, "d3": 3, "d1": 2.0, "other": 1}}}
    listed = {"t": {"1": ["d2", "d3", "d1", "other"]}}
    by_file = xcg.evaluate(write(tmp_path, "q", QRELS), write(tmp_path, "r", RUN))
    assert list(xcg.evaluate(qrels, scored)) == list(xcg.evaluate(qrels, listed))
    assert xcg.evaluate(qrels, scored).value("t", "MAep") == by_file.value("t", "MAep")


@pytest.mark.parametrize("score", [float("nan"), float("-inf"), 10**400, "high", True])
def test_a_score_must_be_a_finite_number(score: object) -> None:
    with pytest.raises(InputError, match=r"the score of 'd' is .*: expected a finite number"):
        xcg.evaluate({"1": {"d": 1}}, {"r": {"1": {"d": score}}})


@pytest.mark.parametrize(
    ("quantisation", "gain"),
    [
        ("jk_0_1_10_100", 101),
        ("jk_0_0_0_1", 1),
        ("jk_0_1_1_1", 2),
        ("jk_0_1_2_3", 4),
        ({"gains": {1: 1, 3: 7.5}}, 8.5),
    ],
)
def test_a_quantisation_maps_levels_to_gains(quantisation: object, gain: float) -> None:
    model = {"name": "mine", "quantisation": quantisation}
    run = {"r": {"1": ["d1", "d3", "d2"]}}
    qrels = {"1": {"d1": 3, "d2": 0, "d3": 1}}
    assert xcg.evaluate(qrels, run, user_model=model, measures="xCG@10").value("r", "xCG@10") == gain


@pytest.mark.parametrize(
    ("quantisation", "message"),
    [
        ({"gains": {1: 1}}, "no gain for the level 3: the mapping has 1"),
        ({"gains": {1: 1, 2.5: 1}}, "no gain for the level 3: the mapping has 1, 2.5; expected all"),
        ({"gains": {1000.5: 1}}, "illegal level 1000.5: expected a number from -1000 to 1000"),
        ({"gains": {True: 1}}, "illegal level True: expected a number"),
        ({"gains": {1: -1}}, "the gain of level 1 is -1: expected a number from 0"),
        ({"gains": {"x": 1}}, "illegal level 'x': expected a number from -1000"),
        ({"gains": {1: 1}, "table": {"3,3": 1}}, "without other keys"),
        ("sog", "quantisation sog is for the four-point scale, and level 3"),
    ],
)
def test_illegal_gains_are_errors(quantisation: object, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        xcg.evaluate(
            {"1": {"d1": 3}},
            {"r": {"1": ["d1"]}},
            user_model={"name": "m", "quantisation": quantisation},
        )
    assert message in str(raised.value)


def test_elements_with_levels_overlap(tmp_path: Path) -> None:
    """A paragraph is seen if its section was returned before, on any scale."""
    qrels = write(tmp_path, "q", "1 0 d#/a/s[1] 2\n1 0 d#/a/s[1]/p[1] 1\n1 0 d#/a/s[2] 1\n")
    run = write(
        tmp_path, "r", "1 Q0 d#/a/s[1] 1 3 t\n1 Q0 d#/a/s[1]/p[1] 2 2 t\n1 Q0 d#/a/s[2] 3 1 t\n"
    )
    results = xcg.evaluate(qrels, run, measures="xCG@1 xCG@2 xCG@3")
    assert [row.value for row in results.means()] == [2, 2, 3]


def test_a_whole_document_is_its_root_element(tmp_path: Path) -> None:
    corpus = {"d": "<a><s>one</s><s>two</s></a>"}
    run = {"r": {"1": ["d"]}}
    base = {"1": {"d": {"/a": (3, 3), "/a/s[1]": (3, 3)}}}
    model = {"name": "m", "ideal": {"name": "kazai_lalmas", "tie": "shallower"}}
    for documents in (corpus, None):
        results = xcg.evaluate(base, run, documents, user_model=model, measures="nxCG@1")
        assert results.value("r", "nxCG@1") == 1
    both = write(tmp_path, "q", "1 0 d 1\n1 0 d#/a 2\n")
    with pytest.raises(InputError, match="one element with two assessments"):
        xcg.evaluate(both, run, corpus)
    with pytest.raises(InputError, match="the corpus has no document 'e'"):
        xcg.evaluate(base, {"r": {"1": ["e"]}}, corpus)


def test_the_size_of_a_whole_document_is_that_of_its_root() -> None:
    """After a child of half its size, the root has half of its score under new_characters."""
    base = RecallBase()
    base.add_topic("1", "here")
    base.add("1", "d", "/", Assessment(2.0, 1.0, 40, "level"), "here")
    base.add("1", "d", "/a[1]/s[1]", Assessment(0.0, 1.0, 20, "level"), "here")
    rule = {"partially_seen": "new_characters", "normalisation": "none"}
    model = {"name": "m", "quantisation": "levels", "relevance_value": rule}
    found = xcg.evaluate(base, {"r": {"1": ["d#/a/s[1]", "d"]}}, None, model, "xCG@2")
    assert found.value("r", "xCG@2") == 1


def test_topics_without_assessments_are_skipped(tmp_path: Path) -> None:
    lines = "".join(f"{topic} Q0 d{i} {i} {-i} t\n" for topic in range(5) for i in range(9))
    broken = "77 Q0 d 1 NaN t\n"  # of a topic without assessments
    run = read_run(write(tmp_path, "run", lines + broken), topics={"2"})
    assert set(run.rankings) == {"2"}
    assert run.skipped == {"0", "1", "3", "4", "77"}
    results = xcg.evaluate({"2": {"d1": 1}}, tmp_path / "run")
    assert any("no assessments, so left out: topic 0, 1, 3, 4, 77" in note for note in results.notes)
    xml = "".join(
        f'<topic topic-id="{topic}"><result><file>d</file><path>{path}</path></result></topic>'
        for topic, path in enumerate(["/a", "/a[x]", "/a"])
    )
    submission = write(tmp_path, "s.xml", f'<inex-submission run-id="s">{xml}</inex-submission>')
    assert set(read_run(submission, topics={"2"}).rankings) == {"2"}
    with pytest.raises(InputError, match="is not an element path"):
        read_run(submission)
    jsonl = write(tmp_path, "j.jsonl", '{"topic": 1, "doc": "d"}\n{"topic": 2, "doc": "d"}\n')
    assert read_run(jsonl, topics={"2"}).skipped == {"1"}


def test_only_one_flat_run_is_in_memory(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", QRELS)
    runs = [write(tmp_path, name, RUN) for name in ("a", "b", "c")]
    held: list[weakref.ref[Run]] = []

    def read(*arguments: Any) -> Run:
        assert not any(reference() for reference in held)
        found = read_run(*arguments)
        held.append(weakref.ref(found))
        return found

    with patch.object(reading, "read_run", read):
        results = xcg.evaluate(qrels, runs, measures="AP P@2")
    assert len(held) == 3
    assert results.runs == [f"t [{run}]" for run in runs]
    # the two relevant documents at ranks 2 and 3 for topic 1, none for topic 2
    assert [results.value(run, "AP") for run in results.runs] == [
        pytest.approx((1 / 2 + 2 / 3) / 4)
    ] * 3
