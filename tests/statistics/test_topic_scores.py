"""Scores over topics: the topics that all runs have, and errors."""

from __future__ import annotations

import pytest
from score_tables import results_of

from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.statistics.significance import (
    compare_runs,
)
from xcg.statistics.topic_scores import TopicScores, topic_scores


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
    (line,) = compare_runs(results, "MAep", "m", "best")
    assert (line.run, line.baseline, line.topics) == ("a", "b", 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("MAp", "m", ["r0"]), "no measure 'MAp': did you mean 'MAep'?"),
        (("MAep", "n", ["r0"]), "no user model 'n'"),
        (
            ("MAep", "m", ["r0", "single"]),
            "1 topics have scores of MAep under m for each of r0, single",
        ),
    ],
)
def test_unknown_names_and_too_few_topics_are_errors(
    arguments: tuple[str, str, list[str]], message: str
) -> None:
    single = Result("single", "1", "MAep", 0.5, "m")
    with pytest.raises(XcgError) as raised:
        topic_scores(Results([*results_of([[0.1, 0.2], [0.3, 0.4]]), single]), *arguments)
    assert message in str(raised.value)
