"""Rows of the stability studies."""

from __future__ import annotations

import pytest

from xcg.evaluation.inputs import Inputs
from xcg.judgements.recall_base import RecallBase
from xcg.report.stability import assessor_rows
from xcg.statistics.assessors import scores_by_assessor

pytest.importorskip("scipy")

CORPUS = {"d": "aaaa bbbb cccc"}
RESULTS = {"a": (0, 4), "b": (5, 9), "c": (10, 14)}
RUNS = {run: {topic: [("d", *span)] for topic in ("1", "2")} for run, span in RESULTS.items()}


def rows_of(second: dict[str, dict[str, list[tuple[int, int]]]]) -> list[tuple[str, int]]:
    """Return the topics and the number of combinations of each row."""
    first = {"1": {"d": [(0, 4)]}, "2": {"d": [(0, 4)]}}
    bases = [RecallBase.of(first), RecallBase.of(second)]
    inputs = Inputs(first, RUNS, CORPUS, "spans", "MAep")
    rows = assessor_rows(scores_by_assessor(bases, inputs), None, 0)
    return [(row["topics"], row["combinations"]) for row in rows]


def test_varying_topics_have_a_row_if_they_are_not_all_topics() -> None:
    one_other = {"1": {"d": [(5, 9)]}}
    assert rows_of(one_other) == [("2 (all topics)", 2), ("1 (varying topics)", 2)]
    both_others = {"1": {"d": [(5, 9)]}, "2": {"d": [(5, 9)]}}
    assert rows_of(both_others) == [("2 (all topics)", 4)]


def test_topics_without_alternatives_have_no_row() -> None:
    assert rows_of({"3": {"d": [(0, 4)]}}) == []
