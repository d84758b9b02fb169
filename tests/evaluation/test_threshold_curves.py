"""Average precision at all thresholds: by hand, against single evaluations, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.evaluation.curves import threshold_curves
from xcg.evaluation.inputs import Inputs

# Scheel, Lommatzsch & Albayrak 2011, Table 1, and the same list with two levels only.
LEVELS = {"a": 1, "b": 0, "c": 3, "d": 3, "e": 2, "f": 0, "g": 1, "h": 4}
LIST = list(LEVELS)


def points(found: Any, topic: str = "all") -> dict[str, dict[float, float]]:
    """Return run → threshold → value of the first measure."""
    return {
        curve.run: dict(zip(curve.x, curve.y, strict=True))
        for curve in found.curves
        if curve.topic == topic
    }


def test_the_values_of_table_1() -> None:
    found = threshold_curves(Inputs({"1": LEVELS}, {"r": {"1": LIST}}), "xAP muAP")
    values = {threshold: round(value, 3) for threshold, value in points(found)["r"].items()}
    assert values == {0: 1, 1: 0.780, 2: 0.483, 3: 0.403, 4: 0.125}
    assert found.results is not None
    assert round(found.results.value("r", "muAP"), 3) == 0.448


def test_means_over_topics_with_other_levels_computed_by_hand() -> None:
    """Topic 2 has the levels 0.5 and 1.5. Its AP from 0.5 on is 1, from 1 and from 1.5 on 1/2."""
    qrels = {"1": {"a": 1, "b": 3}, "2": {"a": 0.5, "b": 1.5}, "3": {"a": 0}}
    found = threshold_curves(Inputs(qrels, {"r": {topic: ["a", "b"] for topic in "123"}}), "xAP")
    by_topic = {curve.topic: curve for curve in found.curves}
    kept = [index for index, threshold in enumerate(by_topic["1"].x) if threshold > 0]
    assert [by_topic["1"].x[index] for index in kept] == [0.5, 1, 1.5, 3]
    assert [by_topic["1"].y[index] for index in kept] == [1, 1, 0.5, 0.5]
    assert [by_topic["2"].y[index] for index in kept] == [1, 0.5, 0.5, 0]
    assert [by_topic["all"].y[index] for index in kept] == [1, 0.75, 0.5, 0.25]
    assert list(by_topic) == ["1", "2", "all"]
    assert found.results is None


RATINGS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0, 0.3, 1, 1.5, 7]), min_size=1)


@given(
    ratings=st.lists(RATINGS, min_size=1, max_size=3),
    order=st.permutations("abcdefgh"),
    length=st.integers(1, 8),
)
def test_every_point_is_the_value_of_an_evaluation(
    ratings: list[dict[str, float]], order: list[str], length: int
) -> None:
    qrels = {str(topic): {**one, "h": 2} for topic, one in enumerate(ratings)}
    runs = {"r": dict.fromkeys(qrels, order[:length])}
    for name in ("xAP", "xIPrec"):
        found = points(threshold_curves(Inputs(qrels, runs), name))["r"]
        for threshold, value in found.items():
            if threshold:
                measure = f"{name}(threshold={threshold!r})"
                scores = xcg.evaluate(qrels, runs, measures=measure)
                assert value == pytest.approx(scores.value("r", measure.replace(".0)", ")")))


@given(ratings=RATINGS, order=st.permutations("abcdef"))
def test_mu_ap_is_the_mean_weighted_by_the_distances_of_levels(
    ratings: dict[str, float], order: list[str]
) -> None:
    """Equation 4, as a sum over the points of the curve."""
    qrels = {"1": {**ratings, "a": 1}}
    found = threshold_curves(Inputs(qrels, {"r": {"1": order}}), "xAP muAP")
    before, total = 0.0, 0.0
    for threshold, value in points(found)["r"].items():
        total += value * (threshold - before)
        before = threshold
    assert found.results is not None
    assert found.results.value("r", "muAP") == pytest.approx(total / before)


def test_many_levels_are_thinned_out_with_a_note() -> None:
    qrels = {"1": {f"d{level}": level / 10 for level in range(1, 101)}}
    found = threshold_curves(Inputs(qrels, {"r": {"1": ["d1", "d100"]}}), "xAP", most=4)
    assert [threshold for threshold in found.curves[-1].x if threshold] == [0.1, 3.4, 6.7, 10]
    assert found.notes == [
        "note: 100 levels of gain under levels, 4 of which are thresholds; curves.points changes this"
    ]


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("muAP", "muAP: no measure with a threshold; expected one of xAP"),
        (
            "xAP(threshold=2)",
            r"xAP\(threshold=2\): the curve is over all thresholds; expected no value",
        ),
        ("xAQ", "unknown measure 'xAQ'"),
        ("xAP nDCG", "standard measures such as AP and nDCG need whole levels"),
    ],
)
def test_measures_without_curves_over_thresholds_are_errors(measures: str, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        threshold_curves(Inputs({"1": {"a": 1.5}}, {"r": {"1": ["a"]}}), measures)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    rows = [f"1 0 {document} {level}\n" for document, level in LEVELS.items()]
    (tmp_path / "q").write_text("".join(rows))
    for name, order in (("table-1", LIST), ("ideal", sorted(LIST, key=lambda d: -LEVELS[d]))):
        lines = [
            f"1 Q0 {document} {rank} {9 - rank} {name}\n" for rank, document in enumerate(order, 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


CURVES = ("curves", "--assessments", "q", "--run", "*.run", "--set", "curves.over=threshold")


def test_the_command_prints_and_draws_all_thresholds(xcg_command: Command, campaign: Path) -> None:
    done = xcg_command(*CURVES, "--plot", "plot.svg", "--format", "jsonl", cwd=campaign)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    found = {
        (row["run"], row["measure"], row["x"]): round(row["y"], 3) for row in rows if row["x"] != 0
    }
    assert found == {
        **{("table-1", "xAP", t): ap for t, ap in {1: 0.780, 2: 0.483, 3: 0.403, 4: 0.125}.items()},
        ("table-1", "muAP", None): 0.448,
        ("table-1", "NDCNG", None): 0.652,  # Table 2: .65
        **{("ideal", "xAP", threshold): 1 for threshold in (1, 2, 3, 4)},
        ("ideal", "muAP", None): 1,
        ("ideal", "NDCNG", None): 1,
    }
    assert {row["user_model"] for row in rows} == {"levels"}
    text = (campaign / "plot.svg").read_text()
    assert all(f">{word}</text>" in text for word in ("threshold", "xAP", "muAP", "NDCNG", "table-1"))
    table = xcg_command(*CURVES, "--per-topic", "--format", "csv", "--measures", "xAP", cwd=campaign)
    assert table.stdout.count("table-1,1,xAP,levels,") == table.stdout.count("table-1,all,xAP,levels,")


def test_a_campaign_without_relevant_documents_has_no_curves() -> None:
    with pytest.raises(XcgError, match="no curves: no topic has an ideal element"):
        threshold_curves(Inputs({"1": {"d": 0}}, {"r": {"1": ["d"]}}), "xAP")
