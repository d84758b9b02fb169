"""Check the quick-start notebook, and chunks and relevant passages given as plain data."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from conftest import ROOT

import xcg
from xcg.errors import InputError, UnmappedError
from xcg.judgements.recall_base import RecallBase, Span

TEXT = "Bees dance on the comb. Drones do no work."
CORPUS = {"bees": TEXT}
GOLD = {"1": {"bees": [(0, 23)]}}


def test_the_notebook_runs_and_shows_its_stored_output() -> None:
    path = ROOT / "docs" / "start" / "quickstart-chunks.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    code = ["".join(cell["source"]) for cell in cells]
    assert sum(bool(line.strip()) for cell in code for line in cell.splitlines()) <= 10

    space: dict[str, Any] = {}
    exec(code[0], space)
    results, explanations = eval(code[1], space), eval(code[2], space)
    for cell, value in zip(cells[-2:], (results, explanations), strict=True):
        (output,) = cell["outputs"]
        assert "".join(output["data"]["text/html"]) == value._repr_html_()

    # The gold spans 0–23 and 43–83 have a score of 1 each. The chunks show all of the first span,
    # nothing, and 26 of the 40 characters of the second.
    (explanation,) = explanations
    assert [result.gain for result in explanation.results] == pytest.approx([1, 0, 26 / 40], abs=1e-12)
    assert [result.span for result in explanation.results] == [(0, 42), (24, 42), (43, 69)]
    assert [result.why for result in explanation.results] == [
        "shows all of 0–23, new to the reader",
        "it shows no relevant text",
        "shows 65% of 43–83, new to the reader",
    ]
    assert explanation.missed == []
    assert results.user_models == ["spans"]
    assert results.value("bm25", "nxCG@10") == pytest.approx(1.65 / 2, abs=1e-12)
    # MAep = ∫ t_ideal / t_run over the gain, in tokens (each with the space after it). The gold spans
    # have 5.5 and 9 tokens. The run pays 5 useless tokens before the first, 4.5 before 4.75 of the 9.
    # So the ratio is 5.5g / (5 + 5.5g) up to a gain of 1, and (5.5 + 9g) / (15 + 9g) after it.
    shown = 4.75 / 9
    first = 1 - 5 / 5.5 * math.log(10.5 / 5)
    expected = (first + shown - 9.5 / 9 * math.log((15 + 9 * shown) / 15)) / 2
    assert results.value("bm25", "MAep") == pytest.approx(expected, abs=1e-12)


def test_records_of_an_explanation_have_the_spans() -> None:
    gold = {"1": {"d": [(2, 5), (300, 310)]}}
    corpus = {"d": "<d>" + "x" * 400 + "</d>"}
    campaign = xcg.load(assessments=gold, runs={"r": {"1": [("d", 0, 250)]}}, corpus=corpus)
    records = campaign.explain(run="r", topic="1").records()
    assert [record.get("span") for record in records] == [(0, 250), (300, 310)]


def test_passages_as_plain_data() -> None:
    base = RecallBase.of({"1": {"a": [(0, 9), (12, 20, 1)], "b": [(3, 5, 0)], "c.xml": []}})
    assert base.spans["1"] == {"a": [Span(0, 9), Span(12, 20, 1.0)], "b": [], "c": []}
    # A pair is a pair of grades, for an element and for a document.
    pair = RecallBase.of({"1": {"d": (3, 2), "e": {"/a": [2, 1]}}})  # type: ignore[dict-item]
    assert [found.label for found in pair.files["1"]["d"].values()] == ["(3,2)"]
    assert not pair.spans


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(5, 5)], "start 5 and end 5: expected 0 <= start < end"),
        ([(-1, 5)], "start -1 and end 5"),
        ([(1, 2, 3, 4)], "illegal passage (1, 2, 3, 4): expected (start, end) or (start, end, level)"),
        ([(1, 2.5)], "illegal passage (1, 2.5)"),
        ([(0, True)], "illegal passage (0, True)"),
        ([(0, 5, 5000)], "illegal level 5000"),
        ((0, 9), "or a level, or a list of (start, end) passages"),
    ],
)
def test_illegal_passages_are_reported(spans: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        RecallBase.of({"1": {"bees": spans}})
    assert "assessments, topic 1, bees" in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        ({"doc": "wasps", "start": 0, "end": 5}, "there is no text of the document 'wasps'"),
        ({"doc": "bees", "start": 3, "end": 99}, "the chunk ends at 99, but bees has 42 characters"),
    ],
)
def test_a_chunk_that_is_not_in_the_corpus_is_reported(chunk: Any, message: str) -> None:
    runs = {"r": {"1": [("bees", 0, 23), chunk]}}
    with pytest.raises(UnmappedError) as error:
        xcg.evaluate(GOLD, runs, CORPUS)
    assert str(error.value).startswith("run r, topic 1, rank 2: ")
    assert message in str(error.value)
    # With lenient, the chunk keeps its rank, gains nothing, and does not change later gains.
    runs["first"] = {"1": [chunk, ("bees", 0, 23)]}
    results = xcg.evaluate(GOLD, runs, CORPUS, measures="xCG@1 xCG@2", lenient=True)
    values = [results.value(run, measure) for run in runs for measure in ("xCG@1", "xCG@2")]
    assert values == [1.0, 1.0, 0.0, 1.0]
    assert results.scope.tolerated == 2


def test_the_default_user_model_depends_on_the_input() -> None:
    """``spans`` is used only if gold and results are passages, and a measure needs gains."""
    chunks = {"r": {"1": [("bees", 0, 23)]}}
    assert xcg.evaluate(GOLD, chunks, CORPUS).user_models == ["spans"]
    graded = {"1": {"bees": [(0, 23, 3)]}}
    assert xcg.evaluate(graded, chunks, CORPUS).user_models == ["spans-levels"]
    elements = {"r": {"1": ["bees#/article/p"]}}
    assert xcg.evaluate(GOLD, elements, CORPUS).user_models == ["inex-2005"]
    assert xcg.evaluate(GOLD, chunks, CORPUS, measures="charP@1").user_models == ["inex-2005"]
    elsewhere = {"1": {"bees": [(0, 23)]}, "2": {"bees": []}}
    other = {"r": {"1": ["bees#/article/p"]}, "s": {"2": [("bees", 0, 5)]}}
    assert xcg.evaluate(elsewhere, other, CORPUS).user_models == ["inex-2005"]
    with pytest.raises(
        InputError, match="the user models spans and spans-levels score results as text"
    ):
        xcg.evaluate({"1": {"bees": {"/article": (3, 3)}}}, chunks, CORPUS)
