"""Results without known text, empty or with an unknown offset, in every part of an evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

import xcg
from xcg.evaluation.explain import explain
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.validation import validate
from xcg.runs.result_overlap import overlapping_results
from xcg.runs.run import UNKNOWN_SPAN

RESULTS = ["d#X:40", "d#5:0", "d#5:10", "d#-1:3", "d#27:0"]
QRELS = {"1": {"d": [(0, 10)]}}
CORPUS = {"d": "0123456789abcdefghijklmnop\n"}


@pytest.mark.parametrize("corpus", [None, CORPUS])
def test_an_unknown_offset_is_18_irrelevant_characters_in_measures_of_text(
    corpus: dict[str, str] | None,
) -> None:
    """They have 18, 0, 10, 18 and 0 characters; 5 of 46 are relevant. Recall at rank 3 is 0.5."""
    measures = "charP charR AiP iP@0.5 iP@0.51"
    found = xcg.evaluate(QRELS, {"r": {"1": RESULTS}}, corpus, "spans", measures)
    values = [found.value("r", name) for name in measures.split()]
    assert values == pytest.approx([5 / 46, 0.5, 51 / 101 * 5 / 28, 5 / 28, 0.0])


def test_results_without_known_text_gain_nothing_and_hide_nothing() -> None:
    run = {"r": {"1": RESULTS}}
    (ranking,) = explain(Inputs(QRELS, run, CORPUS, "spans"), "1")
    rows = [(one.path, one.seen, one.gain, one.why) for one in ranking.results]
    assert rows == [
        ("?", "no", 0.0, "its offset is unknown"),
        ("5–5", "no", 0.0, "it has no text"),
        ("5–15", "no", 0.5, "shows 50% of 0–10, new to the reader"),
        ("?", "no", 0.0, "its offset is unknown"),
        ("27–27", "no", 0.0, "it has no text"),
    ]


def test_the_reader_of_an_unknown_passage_reads_18_characters() -> None:
    """Half of the gain comes after 18 + 1 + 10 characters; an ideal reader needs 5."""
    measure = "ep(effort=characters)@0.5"
    found = xcg.evaluate(QRELS, {"r": {"1": RESULTS}}, CORPUS, "spans", measure)
    assert found.value("r", measure) == pytest.approx(5 / 29)


def test_elements_around_passages_need_text() -> None:
    model = {"name": "m", "quantisation": "inex2005_gen", "spans": "smallest_element"}
    (ranking,) = explain(Inputs(QRELS, {"r": {"1": RESULTS}}, CORPUS, model), "1")
    assert [one.why for one in ranking.results] == [
        *["no element contains it"] * 2,
        "ideal, and new to the reader",
        *["no element contains it"] * 2,
    ]


def test_results_without_known_text_overlap_with_nothing() -> None:
    ranking = xcg.Run.of("r", {"1": ["d#X:1", "d#0:9", "d#X:1", "d#4:0", "d#4:0", "d#2:3"]})
    expected = [False, True, False, False, False, True]
    assert overlapping_results(ranking.rankings["1"]) == expected


def test_an_empty_passage_after_the_end_of_its_document_is_refused() -> None:
    run = {"r": {"1": ["d#28:0"]}}
    with pytest.raises(
        xcg.InputError, match=r"rank 1, d: no characters 28–28: the document's text has 27"
    ):
        xcg.evaluate(QRELS, run, CORPUS, "spans")


def test_the_validation_accepts_them(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "d.txt").write_text(CORPUS["d"])
    run = xcg.Run.of("r", {"1": RESULTS})
    assert list(run.rankings["1"].spans.values()).count(UNKNOWN_SPAN) == 2
    run.write(tmp_path / "r")
    assert validate(Inputs(runs=[tmp_path / "r"], corpus=tmp_path / "c")).status == 0
