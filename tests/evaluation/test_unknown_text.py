"""Measures of highlighted text without documents, with missing documents, and at unknown offsets."""

from __future__ import annotations

from pathlib import Path

import pytest

import xcg
from xcg.errors import InputError, NothingToAverageError
from xcg.evaluation.curves import curves
from xcg.evaluation.inputs import Inputs
from xcg.formats.base import read_assessments
from xcg.judgements.recall_base import RecallBase
from xcg.runs.run import Ranking, Run

DOCUMENTS = {
    # characters 0-9, 10-19, 20-29
    "d": "<a><p>0123456789</p><p>0123456789</p><p>0123456789</p></a>",
    "e": "<a><p>0123456789</p></a>",
}
QRELS = "1 Q0 d 15 30 12 10:15\n1 Q0 e 0 10\n2 Q0 e 4 10 3 3:4\n"
OFFSETS = "1 Q0 d 1 2 r 10 10\n1 Q0 gone 2 1 r 0 5\n2 Q0 e 1 1 r 3 4\n"
ELEMENTS = "1 Q0 d 1 2 r /a[1]/p[2]\n1 Q0 gone 2 1 r /a[1]\n2 Q0 e 1 1 r /a[1]/p[1]\n"
MEASURES = "AiP AgP BiC gP@5 gR@1 charP charP@1 charF hixP AgP(t2i=300)"


def qrels(folder: Path, text: str = QRELS) -> RecallBase:
    path = folder / "qrels"
    path.write_text(text)
    return read_assessments(path)


def run(folder: Path, text: str) -> Path:
    path = folder / "r"
    path.write_text(text)
    return path


def run_of(*spans: tuple[str, int, int]) -> Run:
    results = [(document, "", (start, end)) for document, start, end in spans]
    return Run("r", {"1": Ranking.of(results)})


def test_offsets_need_no_corpus(tmp_path: Path) -> None:
    """The length of the documents is stated."""
    found = xcg.evaluate(qrels(tmp_path), run(tmp_path, OFFSETS), measures=MEASURES)
    assert found.value("r", "charP", "1") == 10 / 15
    # 10 relevant; then the rest of the document: 10 irrelevant, 5 relevant, 5 irrelevant
    assert found.value("r", "AgP(t2i=300)", "1") == 15 / 30
    assert found.value("r", "BiC", "1") == (500 - 2) / 500
    (topic, mean) = list(curves(Inputs(qrels(tmp_path), run(tmp_path, OFFSETS)), "AiP"))[::2]
    assert topic.y == [1.0] * 67 + [0.0] * 34
    assert mean.topic == "all"


def test_the_tolerance_reader_takes_lengths_from_the_corpus_if_none_are_stated() -> None:
    gold = {"1": {"d": [(10, 25)]}}
    found = xcg.evaluate(gold, run_of(("d", 10, 20)), DOCUMENTS, measures="AgP(t2i=300)")
    assert found.value("r", "AgP(t2i=300)") == 15 / 30
    with pytest.raises(InputError, match=r"AgP\(t2i=300\): the tolerance reader needs the length"):
        xcg.evaluate(gold, run_of(("d", 10, 20)), measures="AgP(t2i=300)")
    with pytest.raises(InputError, match=r"AgP\(limit=9,t2i=300\): limit and t2i cannot be combined"):
        xcg.evaluate(gold, run_of(("d", 10, 20)), DOCUMENTS, measures="AgP(limit=9,t2i=300)")


def test_passages_in_missing_documents_keep_their_stated_length(tmp_path: Path) -> None:
    base, results = qrels(tmp_path), run(tmp_path, OFFSETS)
    with pytest.raises(InputError, match="topic 1, rank 2, gone: the corpus has no document 'gone'"):
        xcg.evaluate(base, results, DOCUMENTS, measures=MEASURES)
    without = xcg.evaluate(base, results, measures=MEASURES)
    lenient = xcg.evaluate(base, results, DOCUMENTS, measures=MEASURES, lenient=True)
    assert [(row.measure, row.topic, row.value) for row in lenient] == [
        (row.measure, row.topic, row.value) for row in without
    ]
    assert [note for note in lenient.notes if "not in the means" in note] == []


def test_relevant_passages_in_missing_documents_count(tmp_path: Path) -> None:
    base = qrels(tmp_path, QRELS + "1 Q0 gone 20 60 0 0:20\n")
    results = run(tmp_path, OFFSETS)
    found = xcg.evaluate(base, results, DOCUMENTS, measures="charR charP", lenient=True)
    assert found.value("r", "charR", "1") == 15 / 35
    assert found.value("r", "charP", "1") == 1
    # A user model of spans counts in words, for which it would need the text.
    gains = xcg.evaluate(
        base,
        results,
        DOCUMENTS,
        "spans",
        "nxCG(budget=words)@1",
        lenient=True,
        topics={"unanswered": "skip"},
    )
    assert gains.value("r", "nxCG(budget=words)@1", "1") > 0


def test_elements_of_missing_documents_leave_scores_undefined(tmp_path: Path) -> None:
    base, results = qrels(tmp_path), run(tmp_path, ELEMENTS)
    found = xcg.evaluate(base, results, DOCUMENTS, measures=MEASURES, lenient=True)
    by = {(row.measure, row.topic): row.value for row in found}
    for measure in ("AiP", "charP", "charF", "hixP"):
        assert (measure, "1") not in by
        assert (
            by[measure, "all"]
            == by[measure, "2"]
            == pytest.approx(0.4 if measure != "charF" else 4 / 7)
        )
    # The first result is known, and the missing document has no relevant text.
    assert by["charP@1", "1"] == 1
    assert by["gR@1", "1"] == 1
    assert by["BiC", "1"] == (500 - 2) / 500
    assert by["AgP", "1"] == by["gP@5", "1"] * 2
    assert [note for note in found.notes if "means" in note] == [
        "note: run r: the corpus lacks the text of results, so not in the means of "
        "AiP, charP, charF, hixP: topic 1"
    ]


def test_an_unknown_element_in_a_relevant_document_leaves_articles_undefined(tmp_path: Path) -> None:
    results = run(tmp_path, "1 Q0 d 1 2 r /a[1]/p[9]\n2 Q0 e 1 1 r /a[1]/p[1]\n")
    found = xcg.evaluate(qrels(tmp_path), results, DOCUMENTS, measures="AiP AgP BiC gR@1", lenient=True)
    assert {row.measure for row in found if row.topic == "1"} == {"gR@1"}
    assert "AiP, AgP, BiC: topic 1" in found.notes[-1]
    names = {
        curve.topic
        for curve in curves(Inputs(qrels(tmp_path), results, DOCUMENTS, lenient=True), "AiP")
    }
    assert names == {"2", "all"}
    only = RecallBase.of({"1": {"d": [(10, 25)]}})
    with pytest.raises(
        NothingToAverageError, match="the corpus lacks the text of results for all topics"
    ):
        xcg.evaluate(only, results, DOCUMENTS, measures="AiP", lenient=True)


def test_unknown_offsets_and_empty_results_with_a_corpus(tmp_path: Path) -> None:
    ranking = run_of(("d", -18, 0), ("d", 10, 10), ("d", 10, 20), ("e", -18, 0))
    for corpus in (None, DOCUMENTS):
        found = xcg.evaluate(qrels(tmp_path), ranking, corpus, measures="charP charR BiC")
        assert found.value("r", "charP", "1") == 10 / 46
        assert found.value("r", "charR", "1") == 10 / 15
        assert found.value("r", "BiC", "1") == 0
    # They gain nothing under a user model.
    gains = xcg.evaluate(qrels(tmp_path), ranking, DOCUMENTS, "spans", "xCG@1 xCG@2 nxCG@3")
    assert [gains.value("r", name, "1") for name in ("xCG@1", "xCG@2")] == [0, 0]
    assert gains.value("r", "nxCG@3", "1") > 0
    with pytest.raises(InputError, match="no characters 99–99: the document's text has 30"):
        xcg.evaluate(qrels(tmp_path), run_of(("d", 99, 99)), DOCUMENTS, measures="charP")


def test_topics_without_entry_points_score_0_if_other_topics_have_them(tmp_path: Path) -> None:
    base = qrels(tmp_path, "1 Q0 d 15 30 12 10:15\n2 Q0 e 4 10 -1 3:4\n")
    found = xcg.evaluate(base, run(tmp_path, OFFSETS), measures="BiC BEPD(L=100)")
    assert found.value("r", "BiC", "1") == (500 - 2) / 500
    assert found.value("r", "BiC", "2") == found.value("r", "BEPD(L=100)", "2") == 0
    without = qrels(tmp_path, "1 Q0 d 15 30 -1 10:15\n2 Q0 e 4 10 -1 3:4\n")
    with pytest.raises(InputError, match="BiC: needs best entry points"):
        xcg.evaluate(without, run(tmp_path, OFFSETS), measures="BiC")
