"""Small gains: the limit below which a gain is none is relative to the scores of the document."""

from __future__ import annotations

from typing import Any

import pytest

import xcg
from xcg.evaluation.explain import explain
from xcg.evaluation.ideals import ideal_elements
from xcg.evaluation.inputs import Inputs

CORPUS = {"d": "<a><s><p>one two</p><p>three</p></s><s>four five</s></a>", "e": "<a>six</a>"}
ELEMENTS: dict[str, Any] = {
    "1": {
        "d": {"/a": (1, 1), "/a/s[1]": (2, 2), "/a/s[1]/p[1]": (3, 3), "/a/s[2]": (3, 3)},
        "e": {"/a": (1, 1)},
    }
}
TABLE = {"3,3": 1.0, "2,2": 0.5, "1,1": 0.25}
MEASURES = ["nxCG@1", "nxCG@2", "nxCG@10", "MAep", "iMAep", "MAep(effort=characters)"]


def scaled(factor: float, **parts: object) -> xcg.UserModel:
    table = {pair: score * factor for pair, score in TABLE.items()}
    return xcg.UserModel.of({"name": f"times {factor:g}", "quantisation": {"table": table}, **parts})


@pytest.mark.parametrize("parts", [{}, {"spans": "text"}])
@pytest.mark.parametrize("factor", [1.0, 1e-10])
def test_a_perfect_run_scores_one_however_small_the_scores_are(
    factor: float, parts: dict[str, object]
) -> None:
    model = scaled(factor, **parts)
    ideal = [(e.file, e.path) for e in ideal_elements(Inputs(ELEMENTS, (), CORPUS, scaled(factor)))]
    results = xcg.evaluate(ELEMENTS, {"r": {"1": ideal}}, CORPUS, model, MEASURES)
    for measure in MEASURES:
        assert results.value("r", measure) == pytest.approx(1, abs=1e-9), measure


@pytest.mark.parametrize("parts", [{}, {"spans": "text"}])
def test_scores_that_are_all_scaled_give_the_same_values(parts: dict[str, object]) -> None:
    run = {"r": {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a", "d#/a/s[2]", "e#/a"]}}
    models = [scaled(1.0, **parts), scaled(1e-10, **parts)]
    results = xcg.evaluate(ELEMENTS, run, CORPUS, models, MEASURES)
    for measure in MEASURES:
        values = [results.value("r", measure, user_model=model.name) for model in models]
        assert values[0] == pytest.approx(values[1], rel=1e-9), measure


def test_a_used_up_ideal_element_gains_nothing_whatever_is_left_by_rounding() -> None:
    run = {"r": {"1": [*["d#/a/s[1]/p[1]"] * 3, "d#/a/s[2]"]}}
    for factor in (1.0, 1e-10):
        model = scaled(factor, relevance_value={"alpha": 0.9})
        (explanation,) = explain(Inputs(ELEMENTS, run, CORPUS, model), "1")
        assert [result.gain > 0 for result in explanation.results] == [True, False, False, True]
