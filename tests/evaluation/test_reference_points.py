"""Runs ordered by ``oracle`` in every part of an evaluation, and as commands print them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from span_examples import DOCUMENTS, GOLD, chunk_run, recall_base

import xcg
from xcg import Run
from xcg.answers.comparison import marks_of
from xcg.errors import InputError, XcgError
from xcg.evaluation.chunks import compare_chunks
from xcg.evaluation.curves import curves
from xcg.evaluation.explain import explain
from xcg.evaluation.inputs import Inputs
from xcg.report.inex_eval import inex_eval_scores
from xcg.statistics.assessors import scores_by_assessor
from xcg.statistics.perturbation import perturb
from xcg.strategies.registry import rewrite
from xcg.testing import assert_retrieval

NOTE = "note: r+oracle is a greedy reference: its results are ordered with the assessments"
SECTIONS = {"d": "<a><s>12345</s><s>67890</s></a>", "x": "<a>x</a>"}
ASSESSED = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
RANKING = {"r": {"1": ["d#/a", "x#/a", "d#/a/s[1]", "d#/a/s[1]"]}}
"""The oracle's order: the first section gains 1, and then the article 0.25 for the second one."""


def inputs(**arguments: Any) -> Inputs:
    return Inputs(ASSESSED, RANKING, SECTIONS, **{"strategies": "oracle", **arguments})


def test_evaluation_by_hand() -> None:
    found = xcg.evaluate(
        ASSESSED,
        RANKING,
        SECTIONS,
        "kazai-lalmas-2006",
        "xCG@1 xCG@2 gr@1 R",
        strategies=["thorough", "oracle"],
    )
    assert found.runs == ["r+thorough", "r+oracle"]
    assert found.scope.references == ["r+oracle"]
    assert NOTE in found.notes
    assert found.value("r+oracle", "xCG@1") == 1
    assert found.value("r+oracle", "xCG@2") == 1.25
    assert found.value("r+oracle", "gr@1") == pytest.approx(1 / 1.5)


def test_each_user_model_has_its_own_order() -> None:
    """One user wants exhaustive results, the other one specific results."""
    models = [
        {"name": "exhaustive", "quantisation": "e3_s321"},
        {"name": "specific", "quantisation": "s3_e321"},
    ]
    base = {"1": {"d": {"/a": (3, 1), "/a/s[1]": (1, 3)}}}
    run = {"r": {"1": ["x#/a", "d#/a", "d#/a/s[1]"]}}
    found = xcg.evaluate(base, run, SECTIONS, models, "xCG@1", strategies="oracle")
    assert [found.value("r+oracle", "xCG@1", user_model=name["name"]) for name in models] == [1, 1]
    explained = explain(Inputs(base, run, SECTIONS, models, strategies="oracle"), "1")
    assert [one.results[0].path for one in explained] == ["/a[1]", "/a[1]/s[1]"]


def test_explanations_and_curves_have_the_gains_of_the_evaluation() -> None:
    (explained,) = explain(inputs(), "1")
    assert [(result.rank, result.path, result.gain) for result in explained.results] == [
        (1, "/a[1]/s[1]", 1.0),
        (2, "/a[1]", 0.25),
        (3, "/a[1]", 0.0),
        (4, "/a[1]/s[1]", 0.0),
    ]
    found = curves(inputs(), "xCG", depth=3)
    assert [(curve.run, curve.y) for curve in found if curve.topic == "1"] == [
        ("r+oracle", [1.0, 1.25, 1.25])
    ]
    assert NOTE in found.notes


def test_perturbation_inserts_results_into_the_oracles_order() -> None:
    base, runs = {"1": {"d": 2, "e": 1}}, {"r": {"1": ["x", "e", "d"]}}
    found = perturb(Inputs(base, runs, measures="MAep Q", strategies="oracle"), counts=[0, 1])
    assert NOTE in found.notes
    values = {(line.measure, line.position, line.inserted): line.value for line in found}
    for measure in ("MAep", "Q"):
        assert values[measure, "before first", 0] == 1
        assert values[measure, "before first", 1] < values[measure, "after first", 1] < 1


def test_measures_of_text_follow_each_user_model() -> None:
    """One user wants the document, the other one its sections."""
    models = [
        {
            "name": ideal,
            "quantisation": "inex2005_gen",
            "ideal": ideal,
            "relevance_value": {"near_misses": "exact"},
        }
        for ideal in ("roots", "leaves")
    ]
    gold = {"1": {"d": [(0, 4), (5, 10)]}}
    run = {"r": {"1": ["d#/a/s[1]", "d#/a", "d#/a/s[2]"]}}
    found = xcg.evaluate(gold, run, SECTIONS, models, "iP@0 xCG@1", strategies="oracle")
    # The document has nine relevant characters of ten; in the second section, all are relevant.
    assert found.value("r+oracle", "iP@0", user_model="roots") == 0.9
    assert found.value("r+oracle", "iP@0", user_model="leaves") == 1
    assert found.value("r+oracle", "xCG@1", user_model="roots") == pytest.approx(0.9)
    assert found.value("r+oracle", "xCG@1", user_model="leaves") == 1


def test_measures_of_text_use_the_order_under_the_user_model() -> None:
    run = chunk_run("r", [("bees", 70, 80), ("bees", 0, 20), ("bees", 12, 30)])
    found = xcg.evaluate(
        recall_base(GOLD), run, DOCUMENTS, "spans", "iP@0.01 MAep AiP", strategies="oracle"
    )
    # 12–30 is read first: 18 characters, all relevant.
    assert found.value("r+oracle", "iP@0.01") == 1
    chunks = compare_chunks(
        Inputs(recall_base(GOLD), run, DOCUMENTS, strategies="oracle"), [5], questions=True
    )
    results = [row for row in chunks.questions if row["kind"] == "result"]
    assert [(row["rank"], row["start"]) for row in results] == [(1, 12), (2, 0), (3, 70)]


def test_without_documents_the_order_needs_those_of_relevant_passages() -> None:
    """Measures of text need no documents, but the gains under a user model of elements do."""
    run = chunk_run("r", [("bees", 70, 80), ("bees", 0, 20)])
    plain = Inputs(recall_base(GOLD), run, None, "inex-2005", "AiP")
    assert curves(plain, "AiP")
    with pytest.raises(InputError, match="expected a corpus"):
        curves(replace(plain, strategies="oracle"), "AiP")


def test_wrong_and_unjudged_results_follow_in_their_order() -> None:
    runs = {"r": {"1": ["x#/a", "none#/a", "d#/a/s[7]", "d#/a/s[1]", "x#/a"]}}
    given = Inputs(ASSESSED, runs, SECTIONS, strategies="oracle", lenient=True)
    (explained,) = explain(given, "1")
    found = [(result.file, result.path) for result in explained.results]
    assert found[0] == ("d", "/a[1]/s[1]")
    assert [file for file, _ in found[1:]] == ["x", "none", "d", "x"]
    assert any("unknown paths: 2 times" in note for note in explained_notes(given))
    with pytest.raises(InputError, match=r"run r, topic 1, strategy oracle, rank 2, none: "):
        explain(replace(given, lenient=False), "1")


def explained_notes(given: Inputs) -> list[str]:
    return explain(given, "1").notes


def test_topics_without_results_or_ideal_elements() -> None:
    base = {**ASSESSED, "2": {"d": {"/a": (0, 0)}}, "3": {"d": {"/a/s[1]": (3, 3)}}}
    runs = {"r": {"1": [], "2": ["d#/a", "d#/a/s[1]"]}}
    found = xcg.evaluate(base, runs, SECTIONS, measures="xCG@1", strategies=["thorough", "oracle"])
    assert [row.value for row in found.means()] == [0, 0]


def test_sizes_that_are_unknown_are_named_with_run_and_topic() -> None:
    runs = {"r": {"1": ["d#/a", "d#/a/s[1]"]}}
    with pytest.raises(InputError) as caught:
        xcg.evaluate(ASSESSED, runs, measures="xCG@1", strategies="oracle")
    message = str(caught.value)
    assert message.startswith("run r, topic 1, strategy oracle, user model kazai-lalmas-2006: ")
    assert "d, /a[1]" in message
    assert "give the corpus" in message


def test_alternative_assessments_have_their_own_order() -> None:
    other = {"1": {"d": {"/a/s[2]": (3, 3)}}}
    given = Inputs(runs={"r": {"1": ["x#/a", "d#/a/s[1]", "d#/a/s[2]"]}}, corpus=SECTIONS)
    given = replace(given, measures="xCG@1", strategies="oracle")
    found = scores_by_assessor([ASSESSED, other], given)["xCG@1"]
    assert found.scores[:, 0, 0].tolist() == [1.0, 1.0]


# Where no order exists


def test_no_order_without_assessments() -> None:
    run = Run.of("r", RANKING["r"])
    with pytest.raises(InputError, match=r"run r, topic 1, strategy oracle: .*needs assessments"):
        rewrite(run, "oracle")
    (of_oracle,) = inputs().loaded_runs
    assert of_oracle.is_reference
    assert not run.is_reference
    with pytest.raises(XcgError, match=r"cannot write r\+oracle: only an evaluation can order"):
        of_oracle.to_text("trec")
    with pytest.raises(XcgError, match=r"expected top_ranked before oracle"):
        rewrite(of_oracle, "top_ranked")


def test_oracle_after_another_strategy() -> None:
    focused = rewrite(Run.of("r", RANKING["r"]), "top_ranked")
    found = xcg.evaluate(ASSESSED, focused, SECTIONS, measures="xCG@2", strategies="oracle")
    assert found.runs == found.scope.references == ["r+top_ranked+oracle"]


def test_inex_eval_has_no_user_model() -> None:
    given = Inputs(recall_base(GOLD), chunk_run("r", [("bees", 0, 20)]), None, strategies="oracle")
    with pytest.raises(XcgError, match=r"r\+oracle is ordered by gain under a user model"):
        inex_eval_scores(given)


def test_gates_refuse_reference_points() -> None:
    message = r"r\+oracle is ordered with the assessments, so a gate cannot test it"
    with pytest.raises(XcgError, match=message):
        assert_retrieval(ASSESSED, inputs().loaded_runs, SECTIONS, fail_under={"xCG@1": 0.1})


def test_the_reference_point_is_never_the_best_run() -> None:
    models = ["kazai-lalmas-2006", "overlap-off"]
    found = xcg.evaluate(
        ASSESSED, RANKING, SECTIONS, models, "xCG@1", strategies=["thorough", "oracle"]
    )
    assert [line.split()[2:4] for line in found.to_text().splitlines()[1:]] == [
        ["0.1000", "1."],
        ["1.0000", "–"],
    ]
    found.marks = lambda: marks_of(found)
    alone = found.to_text("markdown")
    assert "**0.1000**" in alone
    assert "**1.0000**" not in alone
