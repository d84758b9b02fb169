"""The runs and topics that are compared: strategies, greedy references, topics in common."""

from __future__ import annotations

from typing import Any

import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.statistics.significance import compare, compare_runs
from xcg.statistics.topic_scores import TopicScores, topic_scores

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
