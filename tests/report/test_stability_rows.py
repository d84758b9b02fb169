"""Rows of the stability studies."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.judgements.recall_base import RecallBase
from xcg.report.stability import TopicSet, assessor_rows, range_rows
from xcg.statistics.assessors import AssessorScores, scores_by_assessor

pytest.importorskip("scipy")

CORPUS = {"d": "aaaa bbbb cccc"}
RESULTS = {"a": (0, 4), "b": (5, 9), "c": (10, 14)}
RUNS = {run: {topic: [("d", *span)] for topic in ("1", "2")} for run, span in RESULTS.items()}


Passages = dict[str, dict[str, list[tuple[int, int]]]]


def scores_of(second: Passages) -> dict[str, AssessorScores]:
    """Return the scores by an assessor of the topics 1 and 2, and by a second one."""
    first = {"1": {"d": [(0, 4)]}, "2": {"d": [(0, 4)]}}
    bases = [RecallBase.of(first), RecallBase.of(second)]
    return scores_by_assessor(bases, Inputs(first, RUNS, CORPUS, "spans", "MAep"))


def rows_of(second: Passages, topic_set: TopicSet = "both") -> list[tuple[str, int]]:
    """Return the topics and the number of combinations of each row."""
    rows = assessor_rows(scores_of(second), None, 0, topic_set)
    return [(row["topics"], row["combinations"]) for row in rows]


def test_double_judged_topics_have_a_row_if_they_are_not_all_topics() -> None:
    one_other = {"1": {"d": [(5, 9)]}}
    assert rows_of(one_other) == [("2 (all topics)", 2), ("1 (double-judged topics)", 2)]
    both_others = {"1": {"d": [(5, 9)]}, "2": {"d": [(5, 9)]}}
    assert rows_of(both_others) == [("2 (all topics)", 4)]
    assert rows_of(one_other, "all") == [("2 (all topics)", 2)]
    assert rows_of(one_other, "double-judged") == [("1 (double-judged topics)", 2)]
    assert rows_of(both_others, "double-judged") == [("2 (double-judged topics)", 4)]


def test_a_study_without_double_judged_topics_is_an_error() -> None:
    for topic_set in get_args(TopicSet):
        with pytest.raises(XcgError, match="no topic is judged by several assessors"):
            rows_of({"3": {"d": [(0, 4)]}}, topic_set)


def test_ranges_end_with_the_mean_of_the_runs() -> None:
    # Run a is right for the first assessor, b for the second, c for none. Topic 2 has one assessor.
    rows = range_rows(scores_of({"1": {"d": [(5, 9)]}}), None, 0)
    values = [tuple(row.values())[1:] for row in rows]
    third = pytest.approx(1 / 3)
    two_thirds = pytest.approx(2 / 3)
    every, one = "2 (all topics)", "1 (double-judged topics)"
    assert values == [
        (every, "a", 0.5, 0.75, 1.0, 0.5, pytest.approx(200 / 3)),
        (every, "b", 0.0, 0.25, 0.5, 0.5, 200.0),
        (every, "c", 0.0, 0.0, 0.0, 0.0, None),
        (every, "mean of runs", pytest.approx(1 / 6), third, 0.5, third, pytest.approx(100)),
        (one, "a", 0.0, 0.5, 1.0, 1.0, 200.0),
        (one, "b", 0.0, 0.5, 1.0, 1.0, 200.0),
        (one, "c", 0.0, 0.0, 0.0, 0.0, None),
        (one, "mean of runs", 0.0, third, two_thirds, two_thirds, pytest.approx(200)),
    ]


def test_a_combination_without_scores_names_the_topics() -> None:
    values = np.array([[[0.5], [np.nan]], [[0.5], [0.5]]])  # assessor 1 has no ideal element in topic 2
    assessed = np.array([[False, True], [True, True]])
    scores = {"MAep": AssessorScores(("r",), ("1", "2"), values, assessed)}
    assert range_rows(scores, None, 0, "all")[0]["mean"] == 0.5
    message = "MAep, double-judged topics: a run has no score .*; use --topics all"
    with pytest.raises(XcgError, match=message):
        range_rows(scores, None, 0, "double-judged")
