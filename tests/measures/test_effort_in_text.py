"""Measures with effort in text: padding never pays, nor do whole documents as chunks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from span_examples import Chunk, chunk_run, recall_base, span_cases

import xcg
from xcg.measures import MEASURES

UNITS = ("tokens", "words", "characters")
BY_EFFORT = ["MAep", "iMAep", "ep@0.1", "ep@0.5", "ep@1"]
BY_BUDGET = ["xCG@2", "nxCG@3", "nxCG@9", "gr@3", "gr@99", "SpanRecall@3", "SpanRecall@9"]
# These compare characters, so a budget in other units lets a run return more characters than another.
IN_CHARACTERS = ["SpanPrecision@9", "SpanF@9", "SpanIoU@9"]
MODELS = ["spans", "spans-levels"]


def with_parameter(measure: str, parameter: str) -> str:
    """Return a measure with a parameter: ``nxCG@3`` becomes ``nxCG(budget=words)@3``."""
    name, at, cutoff = measure.partition("@")
    return f"{name}({parameter}){at}{cutoff}"


MEASURES_IN_TEXT = [
    *(with_parameter(measure, f"effort={unit}") for measure in BY_EFFORT for unit in UNITS),
    *(with_parameter(measure, f"budget={unit}") for measure in BY_BUDGET for unit in UNITS),
    *(with_parameter(measure, "budget=characters") for measure in IN_CHARACTERS),
]


def scores(case: Any, ranking: Sequence[Chunk], model: str) -> dict[str, float]:
    """Return the score of a ranking under every measure with effort in text."""
    documents, gold, _ = case
    measures = " ".join(MEASURES_IN_TEXT)
    found = xcg.evaluate(recall_base(gold), chunk_run("r", ranking), documents, model, measures)
    return {row.measure: row.value for row in found.means()}


def plain_text(case: Any, document: str) -> str:
    """Return the text of a document."""
    return str(case[0][document]).removeprefix("<t>").removesuffix("</t>")


def relevant_offsets(case: Any, document: str) -> set[int]:
    """Return the offsets of the relevant characters of a document."""
    return {offset for gold in case[1] if gold[0] == document for offset in range(gold[1], gold[2])}


def test_no_measure_with_effort_in_text_is_forgotten() -> None:
    declared = {d.name for d in MEASURES.values() if {"effort", "budget"} & d.parameters.keys()}
    tested = [*BY_EFFORT, *BY_BUDGET, *IN_CHARACTERS]
    needs_nuggets = {"NuggetRecall"}
    assert {measure.partition("@")[0] for measure in tested} == declared - needs_nuggets


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@given(span_cases(), st.data())
def test_text_without_gold_that_is_added_to_a_result_never_pays(
    model: str, case: Any, data: st.DataObject
) -> None:
    ranking: list[Chunk] = case[2]
    assume(ranking)
    position = data.draw(st.integers(0, len(ranking) - 1))
    document, start, end = ranking[position]
    relevant = relevant_offsets(case, document)
    low, high = start, end
    while low > 0 and low - 1 not in relevant:
        low -= 1
    while high < len(plain_text(case, document)) and high not in relevant:
        high += 1
    longer = document, data.draw(st.integers(low, start)), data.draw(st.integers(end, high))
    assume(longer != ranking[position])
    padded = [*ranking[:position], longer, *ranking[position + 1 :]]
    before, after = scores(case, ranking, model), scores(case, padded, model)
    for measure, value in after.items():
        assert value <= before[measure] + 1e-9, measure
    # If the result gains something, the levels that it reaches cost more.
    everything = "gr(budget=characters)@99"
    reached = [scores(case, ranking[:n], model)[everything] for n in (position, position + 1) if n]
    if reached[-1] > (reached[0] if position else 0) + 1e-6:
        assert after["MAep(effort=characters)"] < before["MAep(effort=characters)"]


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@given(span_cases(), st.data())
def test_whole_documents_never_beat_passages_with_the_same_gold(
    model: str, case: Any, data: st.DataObject
) -> None:
    """The passages of a document are in the order of its text, and do not overlap."""
    documents: list[Chunk] = []
    passages: list[Chunk] = []
    for document in data.draw(st.permutations(["d", "e"])):
        length = len(plain_text(case, document))
        relevant = relevant_offsets(case, document)
        documents.append((document, 0, length))
        cuts = sorted({0, *data.draw(st.sets(st.integers(1, length - 1), max_size=6)), length})
        for start, end in pairwise(cuts):
            if relevant & set(range(start, end)) or data.draw(st.booleans()):
                passages.append((document, start, end))
    of_documents, of_passages = scores(case, documents, model), scores(case, passages, model)
    for measure, value in of_documents.items():
        assert value <= of_passages[measure] + 1e-9, measure
