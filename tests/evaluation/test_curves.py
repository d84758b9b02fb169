"""Measures as curves."""

from __future__ import annotations

from typing import Any

import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.curves import curves as curves_of
from xcg.evaluation.inputs import Inputs
from xcg.measures import MEASURES

BASE = {"1": {"d": 2, "e": 1}, "2": {"d": 1}, "3": {"d": 0}}
RUNS = {"r": {"1": ["e", "d"], "2": ["e", "d"]}, "s": {"1": ["d"]}}


def curves(
    assessments: Any,
    runs: Any,
    corpus: Any = None,
    measure: str = "nxCG",
    *,
    depth: int = 100,
    with_ideal: bool = False,
    **keys: Any,
) -> Any:
    return curves_of(Inputs(assessments, runs, corpus, **keys), measure, depth, with_ideal)


@pytest.mark.parametrize(
    "measure",
    [
        *("xCG", "nxCG", "MAxCG", "MAnxCG", "gr"),
        *("xDCG", "nxDCG(base=1.5)", "nxDCG(discount=rank)", "MAxDCG", "MAnxDCG", "NDCNG", "avgNDCNG"),
        *("nxCG(mean=vectors)", "nxDCG(mean=vectors)", "MAnxCG(mean=vectors)", "MAnxDCG(mean=vectors)"),
    ],
)
def test_a_curve_by_rank_is_the_measure_at_every_rank(measure: str) -> None:
    found = curves(BASE, RUNS, measure=measure, depth=4)
    figures = xcg.evaluate(BASE, RUNS, measures=[f"{measure}@{rank}" for rank in range(1, 5)])
    assert {(curve.run, curve.topic) for curve in found} == {
        (run, topic) for run in "rs" for topic in ("1", "2", "all")
    }
    for curve in found:
        assert list(curve.x) == [1, 2, 3, 4]
        for rank, height in enumerate(curve.y, 1):
            expected = figures.value(curve.run, f"{measure}@{rank}", curve.topic)
            assert height == pytest.approx(expected)


def test_curves_over_recall_have_the_recall_points() -> None:
    (one,) = [c for c in curves(BASE, RUNS, measure="ep") if (c.run, c.topic) == ("r", "1")]
    for x, y in zip(one.x, one.y, strict=True):
        measure = MEASURES.parse(f"ep@{x}")
        assert y == pytest.approx(
            xcg.evaluate(BASE, RUNS, measures=[measure]).value("r", str(measure), "1")
        )
    linear = curves(BASE, RUNS, measure="ep(interpolation=linear)")
    assert linear != curves(BASE, RUNS, measure="ep")
    precall = curves(BASE, RUNS, measure="inexEval")
    assert len(precall[0].x) == 100


def test_the_ideal_ranking_has_a_curve() -> None:
    found = curves(BASE, RUNS, measure="xCG", depth=3, with_ideal=True)
    ideal = {c.topic: list(c.y) for c in found if c.run == "ideal ranking"}
    assert ideal == {"1": [2, 3, 3], "2": [1, 1, 1], "all": [1.5, 2, 2]}


def test_a_measure_of_text_is_not_defined_for_the_ideal_ranking() -> None:
    base, runs = {"1": {"d": [(0, 3)]}}, {"r": {"1": [("d", 0, 3)]}}
    with pytest.raises(XcgError, match="run ideal ranking, topic 1: this measure is not defined for"):
        curves(base, runs, {"d": "<a>text</a>"}, measure="AiP", with_ideal=True)


def test_mean_vectors_are_divided_as_in_figures_3_and_4_of_jarvelin_and_kekalainen() -> None:
    qrels = {"1": {"a": 1}, "2": {f"d{i}": 1 for i in range(4)}}
    runs = {"r": {"1": ["a"], "2": ["x", "y"]}}
    found = curves(qrels, runs, measure="nxCG nxCG(mean=vectors) MAnxCG(mean=vectors)", depth=3)
    means = {c.measure: list(c.y) for c in found if c.topic == "all"}
    # Topic 1 gains 1 of 1, topic 2 gains 0 of 1, 2, 3: mean vectors (.5, .5, .5) and (1, 1.5, 2).
    assert means["nxCG"] == [0.5, 0.5, 0.5]
    assert means["nxCG(mean=vectors)"] == pytest.approx([1 / 2, 1 / 3, 1 / 4])
    assert means["MAnxCG(mean=vectors)"] == pytest.approx([1 / 2, 5 / 12, 13 / 36])


def test_mean_vectors_over_text() -> None:
    gold = {"1": {"d": [(5, 9)]}, "2": {"d": [(0, 9)]}}
    runs = {"r": {"1": [("d", 0, 9)], "2": [("e", 0, 4), ("d", 0, 4)]}}
    corpus = {"d": "aaaa bbbb cccc", "e": "xxxx"}
    measure = "nxCG(budget=words,mean=vectors)"
    found = curves(gold, runs, corpus, measure=measure, depth=4)
    (mean,) = [dict(zip(c.x, c.y, strict=True)) for c in found if c.topic == "all"]
    for words in (1, 2, 3, 4):
        at = f"{measure}@{words}"
        expected = xcg.evaluate(gold, runs, corpus, measures=at).value("r", at)
        assert mean[words] == pytest.approx(expected)


def test_precision_over_recall_at_levels_and_its_mean_over_topics() -> None:
    qrels = {"1": {"a": 3, "b": 1, "c": 3}, "2": {"a": 1, "b": 1}}
    runs = {"r": {"1": ["a", "b", "c"], "2": ["x", "b"]}}
    found = curves(qrels, runs, measure="xIPrec(level=1) xIPrec(level=3)")
    y = {(c.measure, c.topic): list(c.y) for c in found}
    # Level 1: rank 2 of 1 in topic 1; rank 2 of 2 in topic 2, so recall 1/2.
    assert y["xIPrec(level=1)", "1"] == [0.5] * 11
    assert y["xIPrec(level=1)", "2"] == [0.5] * 6 + [0] * 5
    assert y["xIPrec(level=1)", "all"] == [0.5] * 6 + [0.25] * 5
    # Level 3: ranks 1 and 3 of 2; topic 2 has no such document and is not in the mean.
    assert ("xIPrec(level=3)", "2") not in y
    assert (
        y["xIPrec(level=3)", "all"] == y["xIPrec(level=3)", "1"] == pytest.approx([1] * 6 + [2 / 3] * 5)
    )
    results = xcg.evaluate(qrels, runs, measures="xIPrec(level=1) xIPrec(level=3)")
    assert results.value("r", "xIPrec(level=1)") == pytest.approx((0.5 + 3 / 11) / 2)
    assert results.value("r", "xIPrec(level=3)") == pytest.approx((6 + 10 / 3) / 11)
    undefined = curves(qrels, runs, measure="xCG xIPrec(level=2)", depth=1)
    assert {c.measure for c in undefined} == {"xCG"}
    note = "note: xIPrec(level=2): no curve under levels, because it is undefined for every topic"
    assert note in undefined.notes
    with pytest.raises(XcgError, match=r"no curves: xIPrec\(level=2\) is undefined for every topic"):
        curves(qrels, runs, measure="xIPrec(level=2)")


def test_interpolated_precision_is_that_of_levels() -> None:
    """Topic 1: 2 of 3 relevant, at ranks 1 and 3, so x·R is at most 2 until .8; topic 2: rank 2."""
    qrels = {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1}, "3": {"a": 1}}
    runs = {"r": {"1": ["a", "x", "b"], "2": ["x", "a"]}}
    found = curves(qrels, runs, measure="nxCG IPrec(rel=1)", depth=2)
    assert [c.measure for c in found] == ["nxCG"] * 4 + ["IPrec"] * 4
    y = {c.topic: list(c.y) for c in found if c.measure == "IPrec"}
    assert y["1"] == pytest.approx([1] * 5 + [2 / 3] * 4 + [0] * 2)
    assert (y["2"], y["3"]) == ([0.5] * 11, [0] * 11)
    assert y["all"] == pytest.approx([0.5] * 5 + [7 / 18] * 4 + [1 / 6] * 2)
    with pytest.raises(XcgError, match="IPrec: this measure is not defined for the ideal ranking"):
        curves(qrels, runs, measure="IPrec", with_ideal=True)


def test_several_measures_in_one_pass() -> None:
    both = curves(BASE, RUNS, measure="nxCG ep", depth=3)
    assert [*both] == [*curves(BASE, RUNS, measure="nxCG", depth=3), *curves(BASE, RUNS, measure="ep")]


def test_measures_without_a_curve_are_refused() -> None:
    with pytest.raises(XcgError, match="MAep has no curve: expected one of AiP, IPrec, MAnxCG, "):
        curves(BASE, RUNS, measure="MAep")
    with pytest.raises(XcgError, match="no curves: no topic has an ideal element"):
        curves({"1": {"d": 0}}, RUNS)


def test_curves_of_one_measure_keep_their_parameters() -> None:
    gold, corpus = {"1": {"d": [(5, 9)]}}, {"d": "aaaa bbbb cccc"}
    both = "nxCG nxCG(budget=words)"
    found = curves(gold, {"r": {"1": [("d", 0, 9)]}}, corpus, measure=both, depth=2)
    at = {(c.measure, x): y for c in found if c.topic == "1" for x, y in zip(c.x, c.y, strict=True)}
    # The second word of the only result is all the gold: by rank all is gained, after a word nothing.
    assert [at["nxCG", 1], at["nxCG(budget=words)", 1], at["nxCG(budget=words)", 2]] == [1.0, 0.0, 1.0]


def test_curves_with_too_many_points_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    judged, runs = {"1": {"d": 2, "e": 1}}, {"r": {"1": ["e", "d"]}, "s": {"1": ["d"]}}
    with pytest.raises(XcgError, match=r"^a curve over 100,001 ranks: the highest rank is 100,000$"):
        curves(judged, runs, measure="nxCG", depth=100_001)
    monkeypatch.setattr("xcg.evaluation.curves.MAX_POINTS", 9)
    assert len(curves(judged, runs, measure="nxCG", depth=4)) == 4
    with pytest.raises(XcgError, match=r"^the curves have more than 9 points: expected a lower depth"):
        curves(judged, runs, measure="nxCG", depth=5)
