"""Explanations: the evaluation's own numbers, and the paper's prose about them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from hypothesis import given
from random_cases import RandomCampaign, campaigns

from xcg import load
from xcg.errors import Notes, XcgError
from xcg.evaluation.explain import explain as explain_inputs
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.topics import TopicSource
from xcg.gains.topic import element_gains
from xcg.user_model.model import UserModel


def explain(base: Any, runs: Any, topic: str, corpus: Any = None, user_model: Any = None) -> Any:
    return explain_inputs(Inputs(base, runs, corpus, user_model), topic)


def explained(root: Path, run: str) -> list[tuple[str, str, float, str]]:
    """The lines of a run of Table I: last step, seen, gain, why."""
    samples = root / "corpora_samples"
    (run_file,) = (samples / "kazai-lalmas-2006-runs").glob(f"*-{run}.xml")
    base = root / "assessments/kazai-lalmas-2006"
    (found,) = explain(base, run_file, "163", samples / "kazai-lalmas-2006")
    return [
        (r.path.replace("/article[1]/bdy[1]/", ""), r.seen, round(r.gain, 9), r.why)
        for r in found.results
    ]


def test_rel_leaves_is_explained_as_in_section_6_1_1_1(root: Path) -> None:
    """Rank 1: .9 for the child of sec[6]; rank 2: 1 − .9; rank 3: 0; rank 4: reduced to .5."""
    assert explained(root, "rel_leaves") == [
        ("sec[6]/ip1[2]", "no", 0.9, "a near-miss: lies in the ideal sec[6]"),
        ("sec[6]/p[1]", "no", 0.1, "worth 0.9, but only 0.1 is left of sec[6]"),
        ("sec[6]/p[2]", "no", 0.0, "nothing is left of sec[6]"),
        ("sec[4]/ip1[2]", "no", 0.5, "worth 0.9, but only 0.5 is left of sec[4]"),
        ("sec[4]/p[1]", "no", 0.0, "nothing is left of sec[4]"),
        ("sec[4]/p[2]", "no", 0.0, "nothing is left of sec[4]"),
    ]


def test_frb_is_explained_as_in_section_6_1_1_1(root: Path) -> None:
    """All results after rank 3 overlap with earlier ones and are rewarded no additional score."""
    lines = explained(root, "frb")
    assert [gain for _, _, gain, _ in lines] == [1, 0.5, *[0] * 8]
    assert lines[0] == ("sec[6]", "no", 1, "ideal, and new to the reader")
    assert lines[3] == ("sec[6]/ip1[2]", "fully", 0, "its parent sec[6] was returned at rank 1")
    assert lines[6][:3] == ("sec[4]", "partly", 0)
    assert lines[8] == (
        "/article[1]/bdy[1]",
        "fully",
        0,
        "its parent article[1] was returned at rank 8",
    )
    assert all(seen != "no" for _, seen, _, _ in lines[3:])


@given(campaigns())
def test_explained_gains_of_random_campaigns_are_those_of_the_evaluation(c: RandomCampaign) -> None:
    models = [
        UserModel.of({"name": "default"}),
        UserModel.of({"name": "none", "relevance_value": {"normalisation": "none", "alpha": 0.5}}),
        UserModel.of({"name": "near", "relevance_value": {"near_misses": "distance"}}),
        UserModel.of({"name": "exact", "ideal": "leaves", "relevance_value": {"near_misses": "exact"}}),
    ]
    inputs = Inputs({"1": c.assessments}, {"r": {"1": c.ranking}}, dict(c.sources))
    base, corpus, runs = inputs.recall_base, inputs.documents, inputs.loaded_runs
    topic = TopicSource(base, runs, corpus).topic("1", Notes())
    for model in models:
        ideal = topic.ideal(model)
        if not ideal.gains:
            continue
        gains, _ = element_gains(topic.as_read("r"), ideal, model, {})
        (found,) = explain(base, runs, "1", corpus, model)
        assert [result.gain for result in found.results] == list(gains)  # type: ignore[arg-type]
        assert found.ideal_gain == pytest.approx(sum(ideal.gains))
        for result in found.results:
            assert result.why
            assert (result.seen == "no") == (not result.through)
            assert all(rank < result.rank for rank in result.through)


@pytest.mark.parametrize(
    ("rule", "results", "why"),
    [
        ({}, ["d#/a/s[3]"], "not relevant"),
        ({}, ["e#/a"], "nothing in this document is relevant"),
        ({}, ["d#/a/s[1]", "d#/a/s[1]"], "it was returned at rank 1"),
        ({"alpha": 0.5}, ["d#/a/s[1]", "d#/a/s[1]"], "nothing is left of s[1]"),
        (
            {"alpha": 0.5, "normalisation": "none"},
            ["d#/a/s[1]", "d#/a/s[1]"],
            "seen at rank 1: (1 − α) of its score",
        ),
        ({"near_misses": "exact"}, ["d#/a"], "not ideal, and only ideal elements gain anything"),
        ({}, ["d#/a"], "a near-miss: contains the ideal s[1], s[2]"),
        ({"normalisation": "none"}, ["d#/a"], "a near-miss: contains the ideal s[1], s[2]"),
        ({"near_misses": "distance"}, ["d#/a/s[3]"], "a near-miss: is near the ideal s[1]"),
        ({"normalisation": "none"}, ["d#/a/s[2]", "d#/a"], "parts of it were returned at rank 1; the"),
    ],
)
def test_the_reason_is_a_plain_sentence(rule: dict[str, object], results: list[str], why: str) -> None:
    corpus = {"d": "<a><s>one</s><s>two</s><s>six</s></a>", "e": "<a>else</a>"}
    base = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    (found,) = explain(base, {"r": {"1": results}}, "1", corpus, {"name": "m", "relevance_value": rule})
    assert found.results[-1].why.startswith(why)


def test_missed_elements_are_listed_best_first() -> None:
    base = {"1": {"d": {"/a/s[1]": (2, 2), "/a/s[2]": (3, 3)}, "e": {"/a": (3, 3)}}}
    (found,) = explain(base, {"r": {"1": ["e#/a"]}}, "1")
    assert [(m.file, m.path, m.score) for m in found.missed] == [
        ("d", "/a[1]/s[2]", 1.0),
        ("d", "/a[1]/s[1]", 0.5),
    ]
    assert found.to_records()[-1]["why"] == "missed"
    (nothing,) = explain(base, {"r": {"2": ["e#/a"]}}, "1")
    assert (list(nothing.results), len(nothing.missed)) == ([], 3)
    with pytest.raises(XcgError, match="no assessments for topic '3'"):
        explain(base, {"r": {}}, "3")


def test_results_under_user_models_of_elements_and_of_text_are_written_in_one_table() -> None:
    campaign = load(
        assessments={"1": {"d": {"/a/s[1]": 1}}},
        runs={"r": {"1": ["d#/a/s[1]"]}},
        corpus={"d": "<a><s>one</s><s>two</s></a>"},
        user_model=["levels", "spans-levels"],
    )
    rows = list(csv.DictReader(campaign.explain(run="r", topic="1").to_text("csv").splitlines()))
    assert [(row["user_model"], row["span"]) for row in rows] == [
        ("levels", ""),
        ("spans-levels", "(0, 3)"),
    ]


def test_reasons_name_elements_by_paths_that_are_unambiguous_in_the_document() -> None:
    base = {"1": {"d": {"/a/s[1]": (3, 1), "/a/s[1]/p[1]": (3, 3), "/a/s[2]/p[1]": (3, 3)}}}
    run = {"r": {"1": ["d#/a/s[1]"]}, "q": {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]/p[1]/i[1]"]}}
    near, inside = (found.results[-1].why for found in explain(base, run, "1"))
    assert near.endswith("the ideal s[1]/p[1]")
    assert inside == "its parent s[1]/p[1] was returned at rank 1"


def test_the_relations_of_an_explanation_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    base = {"1": {"d": {"/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    runs = {"r": {"1": ["d#/a", "d#/a", "d#/a", "d#/a"]}}
    # The first result contains two ideal elements; the others also repeat the first.
    monkeypatch.setattr("xcg.evaluation.explain.MAX_RELATIONS", 2 + 3 + 3 + 3)
    assert len(explain(base, runs, "1")[0].results) == 4
    monkeypatch.setattr("xcg.evaluation.explain.MAX_RELATIONS", 7)
    message = "run r, topic 1: the first 3 results have more than 7 relations to earlier results and"
    with pytest.raises(XcgError, match=message):
        explain(base, runs, "1")


def test_the_command_states_the_title_of_the_topic(xcg_command: Command) -> None:
    call = ("explain", "configs/quickstart.yaml", "--topic", "5", "--run", "focused")
    table = xcg_command(*call, "--user-model", "overlap-off").stdout.splitlines()
    assert table[0] == "topic 5: near-misses dependency normalisation limit"
    assert table[2].startswith("focused, topic 5, overlap-off")
