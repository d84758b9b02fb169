"""Comparisons of runs under several overlap strategies: the strategies of the same run are compared."""

from __future__ import annotations

import math
from typing import Any

import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.report.comparison_sentences import comparison_statement
from xcg.statistics.significance import compare, compare_runs
from xcg.statistics.topic_scores import TopicScores, compares_within_runs, pairs_of_runs, topic_scores

pytest.importorskip("scipy")

# sog: (3, 3) = 1, (2, 3) = 0.9, (3, 2) = 0.75, (2, 2) = 0.5, (1, 2) = 0.25, (1, 1) = 0.1
GRADES = {0.9: (2, 3), 0.75: (3, 2), 0.5: (2, 2), 0.25: (1, 2), 0.1: (1, 1)}
SCORES = {"1": (0.5, 0.1), "2": (0.25, 0.25), "3": (0.75, 0.75), "4": (0.9, 0.5)}
"""Topic → scores of the document e, which run one returns, and of f, which run two returns."""
NESTED = ["d#/a", "d#/a/s[1]"]
MODEL = {"name": "m", "relevance_value": {"alpha": 1, "normalisation": "none"}}
ASSESSMENTS: Any = {
    topic: {"d": {"/a": (3, 3), "/a/s[1]": (3, 3)}, "e": {"/a": GRADES[e]}, "f": {"/a": GRADES[f]}}
    for topic, (e, f) in SCORES.items()
}
RUNS = {
    "one": {topic: [*NESTED, "e#/a"] for topic in SCORES},
    "two": {topic: [*NESTED, "f#/a"] for topic in SCORES},
}


def under(*strategies: str, runs: Any = None) -> Results:
    """Evaluate xCG@2: thorough gains 1, top_ranked 1 and the score of e or f."""
    return xcg.evaluate(ASSESSMENTS, runs or RUNS, None, MODEL, "xCG@2", strategies=strategies)


def p_of_t(t: float) -> float:
    """Return the two-sided p value of Student's t with 3 degrees of freedom (closed form)."""
    x = abs(t) / math.sqrt(3)
    return 1 - 2 / math.pi * (math.atan(x) + x / (1 + x * x))


def test_the_strategies_of_each_run_are_compared_as_computed_by_hand() -> None:
    """Both standard deviations are √(0.245 / 3); the mean differences are −0.6 and −0.4."""
    one, two = compare(under("thorough", "top_ranked"))
    assert (one.run, one.baseline) == ("one+thorough", "one+top_ranked")
    assert (two.run, two.baseline) == ("two+thorough", "two+top_ranked")
    error = math.sqrt(0.245 / 3) / 2
    p_one, p_two = p_of_t(-0.6 / error), p_of_t(-0.4 / error)
    assert (one.difference, two.difference) == pytest.approx((-0.6, -0.4))
    assert (one.p, two.p) == pytest.approx((p_one, p_two))
    assert (one.p_adjusted, two.p_adjusted) == pytest.approx((2 * p_one, max(2 * p_one, p_two)))
    assert (one.correction, one.comparisons) == ("holm", 2)
    assert p_one == pytest.approx(0.0246, abs=5e-5)


def test_all_strategies_of_a_single_run_are_compared() -> None:
    runs = {"one": RUNS["one"]}
    results = under("thorough", "top_ranked", "innermost", runs=runs)
    lines = compare(results)
    assert [(line.run, line.baseline) for line in lines] == [
        ("one+thorough", "one+top_ranked"),
        ("one+thorough", "one+innermost"),
        ("one+top_ranked", "one+innermost"),
    ]
    assert {line.correction for line in lines} == {"shaffer"}
    assert not compares_within_runs(results)


def test_runs_under_one_strategy_are_compared_with_each_other() -> None:
    results = under("top_ranked")
    assert pairs_of_runs(results, results.runs) == [("one+top_ranked", "two+top_ranked")]
    (line,) = compare(results)
    assert line.difference == pytest.approx(0.2)


def test_a_named_baseline_is_compared_with_all_runs() -> None:
    lines = compare(under("thorough", "top_ranked"), baseline="one+thorough")
    assert [line.run for line in lines] == ["one+top_ranked", "two+thorough", "two+top_ranked"]
    assert {line.comparisons for line in lines} == {3}


def test_reference_points_are_not_compared() -> None:
    results = under("thorough", "top_ranked", "oracle")
    assert results.scope.references == ["one+oracle", "two+oracle"]
    assert compare(results) == compare(under("thorough", "top_ranked"))
    with pytest.raises(
        XcgError, match=r"the baseline 'one\+oracle' is a greedy reference: expected a r"
    ):
        compare(results, baseline="one+oracle")
    systems = results.without_references()
    assert systems.runs == [f"{run}+{s}" for run in RUNS for s in ("thorough", "top_ranked")]
    assert systems.notes[-1] == "note: greedy references are not tested"
    assert systems.without_references().runs == systems.runs
    with pytest.raises(XcgError, match="1 runs with scores per topic of xCG@2"):
        compare(under("thorough", "oracle", runs={"one": RUNS["one"]}))


def test_sentences_state_the_family() -> None:
    results = under("thorough", "top_ranked")
    statement = comparison_statement(compare(results), None, None, compares_within_runs(results))
    assert statement.lead == [
        "All 2 pairs of strategies of the same run are compared over 4 topics by the paired t test, "
        "corrected for 2 comparisons (Holm); significance level 5 %, 95 % intervals."
    ]
    note = "note: Shaffer's steps need all pairs of runs, not only the strategies of the same run"
    assert note in statement.facts


def test_topics_are_those_that_all_runs_have() -> None:
    rows = [("a", "3", 0.3), ("a", "1", 0.1), ("a", "2", 0.2), ("b", "1", 0.4), ("b", "3", 0.6)]
    found = [Result(run, topic, "MAep", value, "m") for run, topic, value in rows]
    others = [Result("b", "2", "MAep", 9, "other"), Result("b", "2", "nxCG@1", 9, "m")]
    means = [Result(run, "all", "MAep", 9, "m") for run in "ab"]
    results = Results(found + others + means)
    assert topic_scores(results, "MAep", "m", ["b", "a"]) == TopicScores(
        ["3", "1"], {"b": [0.6, 0.4], "a": [0.3, 0.1]}
    )
    assert topic_scores(results, "MAep", "m", ["a"]).topics == ["3", "1", "2"]
    # the mean of a would be 0.2 over its own topics; the topics in common have 0.2, too, and b 0.5
    (line,) = compare_runs(results, "MAep", "m", "b")
    assert (line.run, line.baseline, line.topics) == ("a", "b", 2)
