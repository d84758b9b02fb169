"""Sweeps: lists and ranges of user-model parameters."""

from __future__ import annotations

import pytest

import xcg
from xcg.errors import InputError
from xcg.user_model.model import UserModel
from xcg.user_model.sweep import expand


def test_lists_and_ranges_give_all_combinations() -> None:
    content = {
        "name": "m",
        "quantisation": ["sog", {"table": {"3,3": 1}}],
        "relevance_value": {
            "alpha": {"from": 0, "to": 0.3, "step": 0.1},
            "near_misses": {"name": "distance", "reach": [1, 2]},
        },
    }
    models = expand(content, str)
    assert len(models) == 16
    assert models[0]["name"] == "m[quantisation=sog,alpha=0.0,reach=1]"
    assert [m["relevance_value"]["alpha"] for m in models[:8:2]] == [0, 0.1, 0.2, 0.3]  # type: ignore[index]
    assert all(UserModel.of(model).name == model["name"] for model in models)
    assert content["relevance_value"]["near_misses"]["reach"] == [1, 2]  # type: ignore[index]
    twins = expand({"name": "m", "ideal": {"name": "a", "tie": [1, 2]}, "x": {"tie": [3]}}, str)
    assert twins[0]["name"] == "m[ideal.tie=1,x.tie=3]"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"alpha": []}, "relevance_value.alpha: an empty list"),
        ({"alpha": {"from": 0, "to": 1}}, "expected a range {from: 0, to: 1, step: 0.25}"),
        ({"alpha": {"from": 1, "to": 0, "step": 0.5}}, "illegal range from 1 to 0 by 0.5"),
        ({"alpha": {"from": 0, "to": 1, "step": 0}}, "illegal range from 0 to 1 by 0"),
        ({"alpha": {"from": 0, "to": 1, "step": 1e-9}}, "illegal range from 0 to 1"),
        ({"alpha": [0, 2]}, "relevance_value.alpha: illegal value 2"),
    ],
)
def test_wrong_ranges(rule: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as raised:
        xcg.evaluate({}, [], None, {"name": "m", "relevance_value": rule})
    assert message in str(raised.value)
