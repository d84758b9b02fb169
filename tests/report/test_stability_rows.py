"""Rows of the stability studies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.judgements.recall_base import RecallBase
from xcg.report.stability import (
    assessor_rows,
    cell_facts,
    needed_rows,
    range_rows,
    swap_rows,
    topic_notes,
)
from xcg.statistics.assessors import AssessorScores, scores_by_assessor
from xcg.statistics.topic_sets import BIN_STARTS, RunSummary, SwapRates

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


def rows_of(second: Passages) -> list[tuple[str, int]]:
    """Return the topics and the number of combinations of each row."""
    return [(row["topics"], row["combinations"]) for row in assessor_rows(scores_of(second), 0)]


def test_double_judged_topics_have_a_row_if_they_are_not_all_topics() -> None:
    one_other = {"1": {"d": [(5, 9)]}}
    assert rows_of(one_other) == [("2 (all topics)", 2), ("1 (double-judged topics)", 2)]
    both_others = {"1": {"d": [(5, 9)]}, "2": {"d": [(5, 9)]}}
    assert rows_of(both_others) == [("2 (all topics)", 4)]


def test_a_study_without_double_judged_topics_is_an_error() -> None:
    with pytest.raises(XcgError, match="no topic is judged by several assessors"):
        rows_of({"3": {"d": [(0, 4)]}})


def test_ranges_end_with_the_mean_of_the_runs() -> None:
    # Run a is right for the first assessor, b for the second, c for none. Topic 2 has one assessor.
    rows = range_rows(scores_of({"1": {"d": [(5, 9)]}}), 0)
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
    message = "MAep, double-judged topics: a run has no score under a combination of assessors"
    with pytest.raises(XcgError, match=message):
        range_rows(scores, 0)


PAPER = {"MAep": RunSummary(51, 0.05, 0.02, 0.107)}  # KL 6.2.2


def rates_of(swaps: list[list[int]], counts: list[list[int]]) -> dict[str, SwapRates]:
    """Return swap rates without ties for the sizes 1, 2, …; the other bins have no comparisons."""
    empty = [0] * len(BIN_STARTS)
    arrays = [
        np.array([(row + empty)[: len(BIN_STARTS)] for row in rows], np.int64)
        for rows in (counts, swaps)
    ]
    sizes = tuple(range(1, len(swaps) + 1))
    return {"MAep": SwapRates(sizes, arrays[0], arrays[1], 0 * arrays[0])}


def test_the_differences_of_the_paper_are_relative_to_its_scores() -> None:
    # The seventh bin begins at .05: 46.7 % of the best score (KL) and 100 % of the mean score. With 50
    # topics, .005 is 4.67 % of the best score.
    half = rates_of([[24, 18, 15, 12, 10, 8, 6, 4]], [[100] * 8])
    (row,) = needed_rows(half, PAPER, [])
    assert row == {
        "measure": "MAep",
        "topics": 1,
        "source": "measured",
        "difference needed": 0.05,
        "% of best": pytest.approx(46.7, abs=0.05),
        "% of mean": pytest.approx(100),
    }
    (row,) = needed_rows(rates_of([[7, 6, 5, 4]], [[100] * 4]), PAPER, [])
    assert row["difference needed"] == 0.005
    assert row["% of best"] == pytest.approx(4.67, abs=0.005)


def test_needed_differences_of_measured_and_extrapolated_sizes() -> None:
    # The rates of the first bin halve: 1/2, 1/4, 1/8; with 4 topics 1/16, with 5 1/32. The second is 0.
    rates = rates_of([[32, 0], [16, 0], [8, 0]], [[64, 64]] * 3)
    rows = needed_rows(rates, PAPER, [5, 4, 1, 3])
    assert [tuple(row.values())[1:4] for row in rows] == [
        (1, "measured", 0.0025),
        (3, "measured", 0.0025),
        (4, "extrapolated", 0.0025),
        (5, "extrapolated", 0.0),
    ]


def test_differences_that_increase_with_the_topics_have_a_note() -> None:
    # 1 topic: 4 % from 0 on. 2 topics: 6 %, 4 %; the third bin has 1 swap among 3 comparisons.
    rates = rates_of([[4], [6, 4, 1]], [[100], [100, 100, 3]])
    rows = needed_rows(rates, PAPER, [1])
    assert topic_notes(rows, {}) == [
        "MAep: the difference needed is larger with 2 topics than with 1; neither is reliable, because "
        "more topics cannot require a larger difference",
    ]
    (note,) = topic_notes([rows[0], {**rows[1], "difference needed": None}], {})
    assert note.startswith("MAep: no difference was found to suffice with 2 topics, but one with 1; ")
    assert topic_notes([*rows[:1], {**rows[1], "measure": "Q"}], {}) == []  # of another measure
    assert topic_notes(needed_rows(rates_of([[50, 4]], [[100, 100]]), PAPER, []), {}) == []


def test_a_difference_of_a_best_score_of_0_has_no_share() -> None:
    summaries = {"MAep": RunSummary(2, 0.0, 0.0, 0.0)}
    (row,) = needed_rows(rates_of([[0]], [[90]]), summaries, [])
    assert (row["difference needed"], row["% of best"], row["% of mean"]) == (0.0, None, None)


def test_swap_rows_have_measured_and_extrapolated_rates() -> None:
    rates = rates_of([[32, 0, 0], [16, 8, 0]], [[64, 0, 192], [64, 64, 0]])
    rates["MAep"].ties[1, 0] = 5
    rows = swap_rows(rates, [2, 3])
    assert len(rows) == 3 * len(BIN_STARTS)
    first: list[list[Any]] = [
        list(row.values())[1:] for size in range(3) for row in rows[size * 23 :][:4]
    ]
    assert first == [
        [1, "measured", 0.0, 64, 0, 32, 0.5, "no", 25.0],
        [1, "measured", 0.0025, 0, 0, 0, None, "yes", 25.0],
        [1, "measured", 0.005, 192, 0, 0, 0.0, "no", 100.0],
        [1, "measured", 0.01, 0, 0, 0, None, "yes", 100.0],
        [2, "measured", 0.0, 64, 5, 16, 0.25, "no", 50.0],
        [2, "measured", 0.0025, 64, 0, 8, 0.125, "no", 100.0],
        [2, "measured", 0.005, 0, 0, 0, None, "yes", 100.0],
        [2, "measured", 0.01, 0, 0, 0, None, "yes", 100.0],
        [3, "extrapolated", 0.0, None, None, None, pytest.approx(0.125), None, None],
        [3, "extrapolated", 0.0025, None, None, None, pytest.approx(0.125), None, None],
        [3, "extrapolated", 0.005, None, None, None, None, None, None],
        [3, "extrapolated", 0.01, None, None, None, None, None, None],
    ]


def test_notes_have_the_scores_of_runs_and_the_reason_for_empty_cells() -> None:
    scores = (
        "MAep: the best 51 runs have a mean score of 0.0500, a standard deviation of 0.0200 and a best "
        "score of 0.1070"
    )
    full = rates_of([[0] * 23], [[90] * 23])
    high = rates_of([[90] * 23], [[90] * 23])
    assert topic_notes([], PAPER) == [scores]
    assert cell_facts(swap_rows(full, [])) == []
    unused = "difference needed: ranges of differences with fewer than 59 comparisons are not used"
    assert cell_facts(needed_rows(full, PAPER, [])) == [unused]
    (fact,) = cell_facts(swap_rows(rates_of([[0], [0]], [[90], [90]]), [3]))
    assert fact == "sparse: fewer than 59 comparisons; such ranges are not extrapolated"
    facts = cell_facts(needed_rows(high, PAPER, []))
    assert [fact.partition(":")[0] for fact in facts] == [
        "difference needed",
        "empty difference needed",
    ]
