"""Declared properties of user-model parts."""

from __future__ import annotations

import pytest

from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.overlap_models import PARTIALLY_SEEN
from xcg.user_model.parts import depends_on_other_runs, ignores_overlap_at_alpha_0


def largest(tree: object, scores: object) -> list[str]:
    return []


def test_only_near_misses_beyond_the_assessments_depend_on_other_runs() -> None:
    dependent = {
        name
        for registry in (SELECTIONS, PARTIALLY_SEEN, NEAR_MISSES)
        for name in registry
        if depends_on_other_runs(registry.part(name))
    }
    assert dependent == set(NEAR_MISSES) - {"judged", "exact"}


@pytest.mark.parametrize(
    ("changes", "dependent"),
    [
        ({}, False),
        ({"ideal": {"name": "kazai_lalmas", "tie": "shallower"}}, False),
        ({"relevance_value": {"partially_seen": "growing_alpha"}}, False),
        ({"relevance_value": {"near_misses": {"name": "distance", "reach": 1}}}, True),
        ({"ideal": "test_parts:largest"}, True),
        ({"relevance_value": {"partially_seen": lambda score: score}}, True),
    ],
)
def test_a_user_model_depends_on_other_runs_if_a_part_does(
    changes: dict[str, object], dependent: bool
) -> None:
    assert UserModel.of({"name": "m", **changes}).depends_on_other_runs == dependent


def test_all_shipped_overlap_models_ignore_overlap_at_alpha_0() -> None:
    assert all(ignores_overlap_at_alpha_0(PARTIALLY_SEEN.part(name)) for name in PARTIALLY_SEEN)
    assert not ignores_overlap_at_alpha_0(PARTIALLY_SEEN.part(lambda score: score))
