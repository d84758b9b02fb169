"""Studies of overlap strategies: scores over α, changes of the best strategy, distances to oracle."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import xcg
from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.report.strategy_studies import study_sentences
from xcg.runs.run import Ranking
from xcg.statistics.strategy_study import PRECISION, StrategyStudy, grid, study_strategies

MODEL: dict[str, Any] = {"name": "m", "relevance_value": {"normalisation": "none"}}

# sog: (3, 3) = 1, (2, 3) = 0.9, (3, 2) = 0.75, (2, 2) = 0.5, (1, 2) = 0.25
ASSESSMENTS = {
    "1": {"d": {"/a": (3, 3), "/a/s[1]": (2, 3)}, "e": {"/a": (2, 2)}, "f": {"/a": (1, 2)}},
    "2": {"d": {"/a": (3, 3), "/a/s[1]": (3, 2)}, "e": {"/a": (2, 2)}, "f": {"/a": (1, 2)}},
}
RUNS = {
    "one": {"1": ["d#/a", "d#/a/s[1]", "e#/a"]},
    "both": {topic: ["d#/a", "d#/a/s[1]", "f#/a"] for topic in "12"},
}
# xCG@2 of topic 1: thorough 1 + 0.9 (1 − α), top_ranked 1 + 0.5 (one) or 1 + 0.25 (both)
# xCG@2 of topic 2: thorough 1 + 0.75 (1 − α), top_ranked 1 + 0.25 (both); one has no results
CHANGE_OF_ONE = 1 - 0.5 / 0.9
CHANGE_OF_BOTH = 1 - 0.25 / ((0.9 + 0.75) / 2)


def inputs_of(**options: Any) -> Inputs:
    given: dict[str, Any] = {
        "assessments": ASSESSMENTS,
        "runs": RUNS,
        "user_model": MODEL,
        "measures": "xCG@2",
        "strategies": ["thorough", "top_ranked"],
    }
    return Inputs(**{**given, **options})


@pytest.fixture(scope="module")
def study() -> StrategyStudy:
    return study_strategies(inputs_of())


def test_scores_are_those_computed_by_hand(study: StrategyStudy) -> None:
    scores = {(s.run, s.strategy, s.alpha): s.score for s in study.scores}
    for tenths in range(11):
        alpha = round(tenths / 10, 12)
        expected = {
            ("one", "thorough"): (1 + 0.9 * (1 - alpha)) / 2,
            ("one", "top_ranked"): 1.5 / 2,
            ("both", "thorough"): 1 + (0.9 + 0.75) / 2 * (1 - alpha),
            ("both", "top_ranked"): 1.25,
        }
        for (run, strategy), score in expected.items():
            assert scores[run, strategy, alpha] == pytest.approx(score, abs=1e-12)
    assert len(scores) == 2 * 3 * 23


def crossings_of(study: StrategyStudy) -> list[float]:
    return [alpha for case in study.leaders for alpha in study.crossings(case)]


def test_crossings_are_found_within_the_stated_precision(study: StrategyStudy) -> None:
    for run, change in (("one", CHANGE_OF_ONE), ("both", CHANGE_OF_BOTH)):
        (alpha,) = study.crossings(("xCG@2", "m", run))
        assert abs(alpha - change) <= PRECISION == 0.005
        below, above = study.leaders["xCG@2", "m", run]
        assert (below.strategies, above.strategies) == (("thorough",), ("top_ranked",))
        assert below.last <= change <= above.first <= below.last + 2 * PRECISION


def test_a_change_at_a_value_of_the_grid_is_found() -> None:
    """The scores are equal at α = 0.5, a value of the grid: 0.5 · 2 (1 − α) = 0.5."""
    assessments = {"1": {"d": {"/a": (3, 3), "/a/s[1]": (3, 3)}, "e": {"/a": (2, 2)}}}
    runs = {"r": {"1": ["d#/a", "d#/a/s[1]", "e#/a"]}}
    for step in (0.1, 0.5, 1):
        study = study_strategies(inputs_of(assessments=assessments, runs=runs), step)
        (alpha,) = crossings_of(study)
        assert abs(alpha - 0.5) <= PRECISION
        assert sum(s.strategy == "thorough" for s in study.scores) == len(grid(step))


def test_equal_scores_are_no_crossing() -> None:
    """Strategies that are equal at first are both named; equality over an interval changes nothing."""
    study = study_strategies(inputs_of(strategies=["unique", "thorough", "top_ranked"]))
    assert [found[0].strategies for found in study.leaders.values()] == [("unique", "thorough")] * 2
    flat = study_strategies(inputs_of(measures="xCG@1"))
    assert crossings_of(flat) == []
    assert [found[0].strategies for found in flat.leaders.values()] == [("thorough", "top_ranked")] * 2
    assert study_sentences(flat)[0] == (
        "one, xCG@1: all strategies are equal at every α tried (0 to 1 in steps of 0.05, and 0.001 and "
        "0.999)"
    )


def test_several_changes_between_two_values_are_found() -> None:
    study = study_strategies(middle_inputs([0, 1]))
    name = str(inputs_of(strategies=half).strategy_list[0])
    (leaders,) = study.leaders.values()
    assert [one.strategies for one in leaders] == [("thorough",), (name,), ("top_ranked",)]
    assert crossings_of(study) == pytest.approx([0.1, 0.9], abs=PRECISION)
    assert {s.alpha for s in study.scores} == {0, 1}
    sentence = study_sentences(study)[0]
    assert re.sub(r" \(largest lead.*?\)", "", sentence.replace(name, "half")) == (
        f"r, xCG@3: thorough is best up to α = {crossings_of(study)[0]:.3f}, then half up to "
        f"α = {crossings_of(study)[1]:.3f}, then top_ranked; α tried: 0 and 1"
    )


def test_distances_are_those_to_the_oracle_of_the_same_alpha(study: StrategyStudy) -> None:
    """Oracle of "one" takes d#/a (1), then the better of 0.9 (1 − α) and 0.5; topic 2 counts 0."""
    for score in study.scores:
        if score.run != "one":
            continue
        oracle = (1 + max(0.9 * (1 - score.alpha), 0.5)) / 2
        assert score.to_oracle == pytest.approx(oracle - (score.score or 0), abs=1e-12)
        if score.strategy == "oracle":
            assert score.to_oracle == 0
            assert not score.is_best


def test_a_sweep_of_alpha_keeps_its_values() -> None:
    model = {
        "name": "m",
        "quantisation": ["sog", "gen"],
        "relevance_value": {"normalisation": "none", "alpha": [0, 0.25, 1]},
    }
    study = study_strategies(inputs_of(user_model=model))
    assert {s.user_model for s in study.scores} == {"m[quantisation=sog]", "m[quantisation=gen]"}
    assert {s.alpha for s in study.scores} == {0, 0.25, 1}
    sog = [c for run in RUNS for c in study.crossings(("xCG@2", "m[quantisation=sog]", run))]
    assert sog == pytest.approx([CHANGE_OF_ONE, CHANGE_OF_BOTH], abs=PRECISION)
    with pytest.raises(XcgError, match="has several values of alpha, so a step has no effect"):
        study_strategies(inputs_of(user_model=model), step=0.25)


def test_results_that_count_as_text_depend_on_alpha() -> None:
    """xCG@2: thorough 1 + 0.8 (1 − α), top_ranked 1 + 0.3, so the change is at α = 0.625."""
    study = study_strategies(
        Inputs(
            {"1": {"d": [(0, 20)], "e": [(0, 10)]}},
            {"chunks": {"1": ["d#0:20", "d#0:16", "e#0:3"]}},
            {"d": "x" * 100, "e": "x" * 100},
            {
                "name": "text",
                "quantisation": "inex2005_gen",
                "spans": "text",
                "relevance_value": {"normalisation": "none"},
            },
            "xCG@2",
            strategies=["thorough", "top_ranked"],
        )
    )
    (alpha,) = crossings_of(study)
    assert abs(alpha - 0.625) <= PRECISION
    scores = {(s.strategy, s.alpha): s.score for s in study.scores}
    assert scores["thorough", 0.5] == pytest.approx(1.4)
    assert scores["top_ranked", 0.5] == pytest.approx(1.3)
    assert scores["oracle", 0.5] == pytest.approx(1.4)
    assert scores["oracle", 1.0] == pytest.approx(1.3)


def test_notes_name_the_user_model_once() -> None:
    assessments = {**ASSESSMENTS, "3": {"d": {"/a": (0, 0)}}}
    study = study_strategies(inputs_of(assessments=assessments))
    (note,) = (note for note in study.notes if "no ideal element" in note)
    assert note == "note: m: no ideal element, so not in the means: topic 3"


def test_measures_that_do_not_depend_on_alpha_are_left_out() -> None:
    study = study_strategies(inputs_of(measures="xCG@2 P@10"))
    assert {s.measure for s in study.scores} == {"xCG@2"}
    assert study.notes[0] == "note: α has no effect on P@10, so left out"
    with pytest.raises(XcgError, match=r"α has no effect on P@10: expected a measure of gains"):
        study_strategies(inputs_of(measures="P@10"))


@pytest.mark.parametrize(
    ("options", "step", "message"),
    [
        ({"strategies": ()}, None, "no overlap strategy besides oracle"),
        (
            {
                "user_model": {
                    "name": "m",
                    "quantisation": ["sog", "gen", "strict"],
                    "ideal": ["kazai_lalmas", "leaves", "roots", "full"],
                }
            },
            0.001,
            "12,012 user models with their values of α: expected at most 10,000",
        ),
    ],
)
def test_misuse_has_one_message(options: dict[str, Any], step: float | None, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        study_strategies(inputs_of(**options), step)


@pytest.mark.slow
def test_workers_have_no_effect(study: StrategyStudy) -> None:
    pytest.importorskip("joblib")
    shared = study_strategies(inputs_of(workers=2))
    assert shared.scores == study.scores
    assert shared.leaders == study.leaders


def middle_inputs(alphas: list[float] | None = None, measures: str = "xCG@3") -> Inputs:
    """A campaign in which ``half`` is best between α = 0.1 and 0.9 only.

    xCG@3: thorough 1 + 2 (1 − α), half 1 + (1 − α) + 0.9, top_ranked 1 + 0.9 + 0.1.
    """
    sections = {"/a": (3, 3), "/a/s[1]": (3, 3), "/a/s[2]": (3, 3)}
    assessments = {"1": {"d": sections, "e": {"/a": (2, 3)}, "f": {"/a": (1, 1)}}}
    runs = {"r": {"1": ["d#/a", "d#/a/s[1]", "d#/a/s[2]", "e#/a", "f#/a"]}}
    rule: dict[str, Any] = {"normalisation": "none"}
    if alphas:
        rule["alpha"] = alphas
    strategies = ["top_ranked", half, "thorough"]
    model = {"name": "m", "relevance_value": rule}
    return Inputs(assessments, runs, None, model, measures, strategies=strategies)


def half(ranking: Ranking, corpus: object) -> Ranking:
    return ranking.select([0, 1, 3, 4])


def test_a_sentence_holds_only_for_the_values_that_it_names() -> None:
    """thorough is best at 0 and at 0.95; between, where nothing was tried, half is."""
    inputs = middle_inputs([0, 0.05])
    (sentence, *_) = study_sentences(study_strategies(inputs))
    assert sentence.startswith("r, xCG@3: thorough is best at every α tried (0 and 0.05) (largest lead")
    (sentence, *_) = study_sentences(study_strategies(middle_inputs()))
    assert "then half" in sentence.replace("<locals>.", "")


def test_what_is_said_of_a_measure_does_not_depend_on_the_others() -> None:
    alone = study_strategies(middle_inputs([0, 0.45, 1]))
    together = study_strategies(middle_inputs([0, 0.45, 1], "xCG@2 MAep xCG@3 nxCG@1"))
    case = ("xCG@3", *next(iter(alone.leaders))[1:])
    assert together.leaders[case] == alone.leaders[case]


def test_leads_are_those_of_separate_evaluations() -> None:
    """The interval is Student's: mean ± t(.975; n − 1) · sd / √n over the topics' differences."""
    from scipy.stats import t

    sample = xcg.load(ROOT / "configs/quickstart.yaml").inputs
    folder = ROOT / "corpora_samples" / "handbook-runs"
    runs = [folder / "elements.xml", folder / "parents.xml"]
    campaign = sample.assessments, runs, sample.corpus
    options = {"measures": "nxCG@10 MAep", "strategies": ["thorough", "top_ranked", "outermost"]}
    study = study_strategies(Inputs(*campaign, "kazai-lalmas-2006", **options), 0.25)
    sentences = " ".join(study_sentences(study))
    checked = 0
    for (measure, _, run), found in study.leaders.items():
        for leaders in found:
            lead = leaders.lead
            if lead is None:
                assert len(leaders.strategies) == len(options["strategies"])
                continue
            model = {"name": "one", "relevance_value": {"alpha": lead.alpha}}
            results = xcg.evaluate(*campaign, model, **options)
            names = [f"{run}+{strategy}" for strategy in (leaders.strategies[0], lead.second)]
            values = np.array([[results.value(n, measure, t) for t in results.topics] for n in names])
            scores = {s: results.value(f"{run}+{s}", measure) for s in options["strategies"]}
            others = [score for name, score in scores.items() if name not in leaders.strategies]
            assert scores[lead.second] == max(others)
            d = values[0] - values[1]
            half_width = t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / math.sqrt(len(d))
            assert lead.difference == pytest.approx(d.mean())
            assert lead.topics == len(d)
            limits = d.mean() - half_width, d.mean() + half_width
            assert (lead.low, lead.high) == pytest.approx(limits)
            not_significant = ", not significant" if abs(d.mean()) <= half_width else ""
            assert (
                f"largest lead {d.mean():+.4f} over {lead.second} at α = {lead.alpha:g}: "
                f"{limits[0]:+.4f} to {limits[1]:+.4f} over {len(d)} topics"
                f"{not_significant})"
            ) in sentences
            checked += 1
    assert checked >= 2
