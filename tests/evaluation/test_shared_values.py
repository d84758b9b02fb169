"""Values that user models share: results that do not overlap gain the same for every alpha."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.user_model.model import UserModel

DOCUMENT = "<a><s><p>one</p><p>two</p></s><s>three<p>four</p></s></a>"
PATHS = ["/a", "/a/s[1]", "/a/s[1]/p[1]", "/a/s[1]/p[2]", "/a/s[2]", "/a/s[2]/p[1]"]
MEASURES = "nxCG@2 nxCG(mean=vectors)@3 MAep iMAep Q R xIPrec ep(effort=words)@0.5 total@2"
RELEVANCE_VALUES: list[dict[str, object]] = [
    {"alpha": 0},
    {"alpha": 0.5},
    {"alpha": 1, "partially_seen": "capped"},
    {"alpha": 0.5, "normalisation": "none"},
    {"alpha": 1, "normalisation": "none"},
    {"alpha": 0.5, "near_misses": "exact"},
    {"alpha": 1, "near_misses": "exact"},
    {"alpha": 0, "near_misses": "distance"},
    {"alpha": 1, "near_misses": "distance"},
]
MODELS = [
    UserModel.of({"name": f"m{number}", "relevance_value": dict(rule), **more})
    for number, (rule, more) in enumerate(
        [(rule, more) for rule in RELEVANCE_VALUES for more in ({}, {"effort": {"unretrieved": "max"}})]
    )
]

assessed = st.dictionaries(st.sampled_from(PATHS), st.just((3, 3)) | st.just((2, 1)), min_size=1)
rankings = st.lists(st.tuples(st.sampled_from("de"), st.sampled_from(PATHS)), max_size=6).map(
    lambda results: [f"{file}#{path}" for file, path in results]
)


def rows(assessments: dict[str, Any], runs: dict[str, Any], models: list[UserModel]) -> list[str]:
    """Return the printed scores of all topics and means, sorted."""
    found = xcg.evaluate(
        assessments,
        {run: {"1": results} for run, results in runs.items()},
        corpus={"d": DOCUMENT, "e": DOCUMENT},
        user_model=models,
        measures=MEASURES,
        lenient=True,
        evaluate={"per_topic": True},
    )
    return sorted(found.to_text("jsonl").splitlines())


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from("de"), assessed, min_size=1), st.lists(rankings, min_size=1))
def test_models_have_the_same_scores_together_as_alone(
    of_topic: dict[str, Any], results: list[list[str]]
) -> None:
    runs = {f"r{number}": ranking for number, ranking in enumerate(results)}
    alone = [row for model in MODELS for row in rows({"1": of_topic}, runs, [model])]
    assert rows({"1": of_topic}, runs, MODELS) == sorted(alone)
