"""The area under the ROC curve: worked numbers, and agreement with Mann and Whitney's U."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

import xcg
from xcg.errors import NothingToAverageError

LEVELS = {"a": 0, "b": 2, "c": 0, "d": 1, "e": 0}
"""Two relevant and three non-relevant documents."""


def auc(run: object, measure: str = "AUC", levels: dict[str, int] = LEVELS) -> float:
    """Return the area for one topic."""
    return xcg.evaluate({"1": levels}, {"r": {"1": run}}, measures=measure).value("r", measure)  # type: ignore[dict-item]


def test_documents_that_are_not_retrieved_are_tied_after_the_last_result() -> None:
    # b precedes all three; d is tied with c and e, and a precedes it
    assert auc(["b", "a"]) == (3 + 2 / 2) / 6
    assert auc(["x"]) == 1 / 2


def test_unassessed_results_and_repeated_results_do_not_count() -> None:
    assert auc(["x", "b", "y", "a", "d", "b", "c", "z", "e", "a"]) == 5 / 6
    levels = {**LEVELS, "x": -1}
    assert auc(["x", "b", "a", "d", "c", "e"], levels=levels) == 5 / 6
    base = {"1": {"d#/a[1]": 1, "d#/a[1]/b[1]": 0}}
    run = {"1": {"d#/a[1]/b[1]": 2.0, "d#/a[1]": 2.0}}
    assert xcg.evaluate(_elements(base), {"r": run}, measures="AUC").value("r", "AUC") == 1 / 2


def _elements(base: dict[str, dict[str, int]]) -> dict[str, dict[str, dict[str, int]]]:
    """Return levels by topic, document and path."""
    nested: dict[str, dict[str, dict[str, int]]] = {}
    for topic, levels in base.items():
        for element, level in levels.items():
            document, _, path = element.partition("#")
            nested.setdefault(topic, {}).setdefault(document, {})[path] = level
    return nested


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0.5, 1.0, 1.25, 7.0])), min_size=2, max_size=20
    ),
    st.integers(1, 3),
)
def test_area_agrees_with_the_statistic_of_mann_and_whitney(
    items: list[tuple[int, float]], rel: int
) -> None:
    """AUC = U / (relevant · non-relevant), with scores and ties."""
    levels = {f"d{number}": level for number, (level, _) in enumerate(items)}
    scores = {f"d{number}": score for number, (_, score) in enumerate(items)}
    relevant = [scores[name] for name, level in levels.items() if level >= rel]
    other = [scores[name] for name, level in levels.items() if level < rel]
    measure = "AUC" if rel == 1 else f"AUC(rel={rel})"
    if not relevant or not other:
        with pytest.raises(NothingToAverageError):
            auc(scores, measure, levels)
        return
    u = mannwhitneyu(relevant, other).statistic
    assert auc(scores, measure, levels) == pytest.approx(u / (len(relevant) * len(other)), abs=1e-15)


def test_topics_without_both_kinds_of_documents_are_left_out_of_the_mean() -> None:
    qrels = {"1": LEVELS, "2": {"a": 1}, "3": {"a": 0, "b": -1}, "4": LEVELS}
    ranking = ["b", "a", "d", "c", "e"]
    runs = {"r": dict.fromkeys("1234", ranking), "s": {"1": ranking}}
    found = xcg.evaluate(qrels, runs, measures="AUC AP")
    assert [row.topic for row in found if row.run == "r" and row.measure == "AUC"] == ["1", "4", "all"]
    assert found.value("r", "AUC") == 5 / 6
    assert found.value("s", "AUC") == 5 / 12  # topic 4 is not answered and counts 0
    assert found.notes.count("note: AUC: undefined, so not in the mean: topic 2, 3") == 1
    with_gains = xcg.evaluate(qrels, runs, measures="AUC nxCG@1")
    assert with_gains.value("r", "AUC") == 5 / 6
    answered = xcg.evaluate(qrels, runs, measures="AUC", topics={"unanswered": "skip"})
    assert answered.value("s", "AUC") == 5 / 6
