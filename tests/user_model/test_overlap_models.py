"""Overlap models: hand-computed examples, limits, and users' own functions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns

import xcg
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.user_model.relevance_value import PARTIALLY_SEEN, RelevanceValue

# a section of 20 characters with paragraphs of 10, 5 and 5
DOCUMENT = "<a><s><p>1234567890</p><p>12345</p><p>12345</p></s></a>"
SECTION = "/a[1]/s[1]"
P1, P2, P3 = (f"{SECTION}/p[{n}]" for n in (1, 2, 3))
# sog: the section .75, p[1] .5, p[2] 1
BASE = {"1": {"d": {SECTION: (3, 2), P1: (2, 2), P2: (3, 3)}}}


def last_gain(results: list[str], **rule: object) -> float:
    """Return the gain of the last result, without the limits of ideal elements."""
    model = {"name": "m", "relevance_value": {"normalisation": "none", **rule}}
    run = {"r": {"1": [("d", path) for path in results]}}
    n = len(results)
    measures = [f"xCG@{n - 1}", f"xCG@{n}"] if n > 1 else ["xCG@1"]
    found = xcg.evaluate(BASE, run, {"d": DOCUMENT}, model, measures)
    earlier = found.value("r", f"xCG@{n - 1}") if n > 1 else 0.0
    return found.value("r", f"xCG@{n}") - earlier


@pytest.mark.parametrize(
    ("overlap", "alpha", "expected"),
    [
        # the section after p[2]: left are p[1] with .5 · 10/20 and p[3] with 0
        ("recursive", 1.0, 0.25),
        ("recursive", 0.5, 0.5 * (0.5 * 10 / 20 + 0.5 * 1.0 * 5 / 20) + 0.5 * 0.75),
        ("capped", 1.0, 0.25),
        ("new_characters", 1.0, 0.75 * 15 / 20),
        ("new_characters", 0.5, 0.75 * (1 - 0.5 * 5 / 20)),
        ("first_seen_only", 1.0, 0.0),
        ("first_seen_only", 0.25, 0.75 * 0.75),
        # alpha 1 · .25: .25 · .25 + .75 · .75
        ("growing_alpha", 1.0, 0.25 * 0.25 + 0.75 * 0.75),
    ],
)
def test_a_section_after_one_of_its_paragraphs(overlap: object, alpha: float, expected: float) -> None:
    assert last_gain([P2, SECTION], partially_seen=overlap, alpha=alpha) == pytest.approx(expected)


@pytest.mark.parametrize(
    "overlap", ["recursive", "capped", "new_characters", "first_seen_only", "growing_alpha"]
)
def test_unseen_and_fully_seen_results_have_the_same_value_in_all_models(overlap: str) -> None:
    for alpha in (0.0, 0.25, 1.0):
        rule = {"partially_seen": overlap, "alpha": alpha}
        assert last_gain([P2], **rule) == 1
        assert last_gain([SECTION, P1], **rule) == pytest.approx((1 - alpha) * 0.5)
        assert last_gain([P1, P1], **rule) == pytest.approx((1 - alpha) * 0.5)


@given(campaigns(), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_gains_never_increase_with_alpha(
    c: RandomCampaign, one: float, other: float, by_characters: bool
) -> None:
    """Without normalisation, these models give at most the score of the result."""
    overlap = "new_characters" if by_characters else "first_seen_only"
    low, high = sorted([one, other])
    tolerant, strict = (
        _gains(c, {"alpha": alpha, "normalisation": "none", "partially_seen": overlap})
        for alpha in (low, high)
    )
    assert all(s <= t + 1e-9 for s, t in zip(strict, tolerant, strict=True))
    ignoring = _gains(c, {"alpha": 0.0, "normalisation": "none"})
    assert all(t <= i + 1e-9 for t, i in zip(tolerant, ignoring, strict=True))


def _gains(c: RandomCampaign, rule: dict[str, object]) -> list[float]:
    model = {"name": "m", "relevance_value": rule}
    try:
        found = xcg.evaluate(
            {"1": c.assessments}, {"r": {"1": c.ranking}}, dict(c.sources), model, "xCG@1 xCG@12"
        )
    except XcgError as error:
        assert "nothing to average" in str(error)
        return []
    return [row.value for row in found.means()]


def deepest_unseen(
    tree: ElementTree, result: str, earlier: list[str], scores: dict[str, float], alpha: float
) -> float:
    """Return the highest unseen score in the result, with networkx."""
    import networkx as nx

    rows = [tree.row(path) for path in earlier]
    seen = {below for row in rows for below in (row, *nx.descendants(tree, row))}
    unseen = nx.descendants(tree, tree.row(result)) - seen
    left = [scores.get(tree.path(row), 0.0) for row in unseen]
    return alpha * max(left, default=0.0) + (1 - alpha) * scores.get(result, 0.0)


def test_a_users_own_model_can_use_the_graph() -> None:
    assert last_gain([P2, SECTION], partially_seen=deepest_unseen) == 0.5
    assert last_gain([P2, P1, SECTION], partially_seen=deepest_unseen) == 0.0
    assert (
        last_gain([P2, SECTION], partially_seen="test_overlap_models:deepest_unseen", alpha=0.5)
        == 0.625
    )
    assert last_gain([P2, SECTION], partially_seen=deepest_unseen, alpha=0) == 0.75


def nan_overlap(score: float) -> float:
    return math.nan


def negative_overlap(score: float) -> float:
    return -score


def failing_overlap(seen: float) -> float:
    return 1 / (seen - seen)


def curious_overlap(scores: float, weather: str) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            nan_overlap,
            f"topic 1, d, {SECTION}: overlap model nan_overlap returned nan: "
            "expected a finite number from 0",
        ),
        (negative_overlap, "negative_overlap returned -0.75: expected a finite number from 0"),
        (failing_overlap, f"{SECTION}: overlap model failing_overlap failed: ZeroDivisionError"),
        (curious_overlap, "overlap model curious_overlap: unknown argument 'weather': expected one of"),
    ],
)
def test_an_error_names_model_topic_and_result(model: object, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        last_gain([P2, SECTION], partially_seen=model)
    assert message in str(raised.value)


def test_all_shipped_overlap_models_ignore_overlap_at_alpha_0() -> None:
    for name in PARTIALLY_SEEN:
        assert RelevanceValue(0.0, partially_seen=PARTIALLY_SEEN.part(name)).ignores_overlap
        assert not RelevanceValue(0.1, partially_seen=PARTIALLY_SEEN.part(name)).ignores_overlap
    own = PARTIALLY_SEEN.part(lambda score: score)
    assert not RelevanceValue(0.0, partially_seen=own).ignores_overlap
