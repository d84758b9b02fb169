"""The expected ratio of relevant units, by hand and by following every browsing user."""

from __future__ import annotations

import math
import re

import pytest

import xcg
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.evaluation.curves import curves
from xcg.evaluation.inputs import Inputs
from xcg.measures.inex_eval import expected_ratio
from xcg.measures.topic_gains import RelevantUnit

DOCUMENT = "<a><s><p>one</p><p>two</p></s><s>three</s></a>"
BASE = {"1": {"d": {"/a/s[1]": (2, 2), "/a/s[1]/p[1]": (3, 3)}, "e": {"/a": (2, 2)}}}
RUNS = {"r": {"1": ["d#/a/s[1]/p[1]", "x", "d#/a/s[1]/p[2]"]}}


def value(near_misses: object, measure: str = "expectedRatio") -> float:
    model = {"name": "m", "relevance_value": {"near_misses": near_misses}}
    return xcg.evaluate(BASE, RUNS, {"d": DOCUMENT, "e": "<a/>", "x": "<a/>"}, model, measure).value(
        "r", measure
    )


def test_a_user_who_does_not_browse_sees_the_results() -> None:
    # scores 1 for p[1], 0.5 for s[1] and for document e
    assert value("judged") == 1 / 2
    assert value("exact") == 1 / 2


def test_chances_of_several_results_add_up() -> None:
    # closeness 0.5^d: from p[1] to s[1] 0.5; then from p[2] to s[1] 0.5 again
    assert value("distance", "expectedRatio@1") == pytest.approx((1 + 0.5 * 0.5) / 2)
    assert value("distance", "expectedRatio@2") == pytest.approx((1 + 0.5 * 0.5) / 2)
    assert value("distance", "expectedRatio@3") == pytest.approx((1 + 0.5 * 0.75) / 2)
    assert value("distance") == value("distance", "expectedRatio@3")


def chance(tree: ElementTree, start: int, target: int, moves: int) -> float:
    """Follow a browsing user forwards: the probability of reaching the target within the moves."""
    if start == target:
        return 1.0
    if moves == 0:
        return 0.0
    parent, children = int(tree.parent[start]), list(tree.children(start))
    steps = [(child, 0.2 / len(children)) for child in children]
    if parent >= 0:
        siblings = list(tree.children(parent))
        index = siblings.index(start)
        neighbours = siblings[max(index - 1, 0) : index] + siblings[index + 1 : index + 2]
        steps += [(parent, 0.3), *((near, 0.2 / len(neighbours)) for near in neighbours)]
    return math.fsum(p * chance(tree, row, target, moves - 1) for row, p in steps)


def test_a_browsing_user() -> None:
    tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]", "/a[1]/s[2]"])
    rows = [tree.row("/a[1]/s[1]/p[1]"), tree.row("/a[1]/s[1]/p[2]")]
    seen = 0.0
    for path, score in {"/a[1]/s[1]": 0.5, "/a[1]/s[1]/p[1]": 1.0}.items():
        missed = math.prod(1 - chance(tree, row, tree.row(path), 5) for row in rows)
        seen += score * (1 - missed)
    assert value("browsing") == pytest.approx(seen / 2, abs=1e-9)
    assert 0.5 < value("browsing") < 0.75


def test_the_value_never_decreases_along_a_ranking_and_ends_at_1() -> None:
    model = {"name": "m", "relevance_value": {"near_misses": "browsing"}}
    run = {"r": {"1": ["d#/a/s[2]", "d#/a/s[1]", "e#/a", "d#/a/s[1]/p[1]"]}}
    corpus = {"d": DOCUMENT, "e": "<a/>"}
    found = curves(Inputs(BASE, run, corpus, model), "expectedRatio", depth=5)
    (curve,) = (one for one in found if one.topic == "1")
    assert list(curve.x) == [1, 2, 3, 4, 5]
    assert list(curve.y) == sorted(curve.y)
    assert curve.y[-1] == 1


def test_undefined_without_relevant_elements() -> None:
    assert expected_ratio([]) is None
    assert expected_ratio([RelevantUnit(0.5, [])]) == 0
    base = {"1": BASE["1"], "2": {"d": {"/a": (0, 0)}}}
    assert xcg.evaluate(base, {"r": {"1": ["d#/a/s[1]/p[1]"]}}, None, None, "expectedRatio").value(
        "r", "expectedRatio"
    ) == pytest.approx(1 / 2)


def test_results_that_count_as_text_are_refused() -> None:
    message = "expectedRatio: needs elements, but the user model spans scores results as text"
    base, runs = {"1": {"d": [(0, 3)]}}, {"r": {"1": [("d", 0, 3)]}}
    with pytest.raises(XcgError, match=re.escape(message)):
        xcg.evaluate(base, runs, {"d": DOCUMENT}, "spans", "expectedRatio")
