"""Sweeps: lists and ranges of user-model parameters."""

from __future__ import annotations

import pytest

import xcg
from xcg.errors import InputError
from xcg.user_model.model import UserModel
from xcg.user_model.schema import expand


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


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"alpha": []}, "relevance_value.alpha: an empty list"),
        ({"alpha": {"from": 1, "to": 0, "step": 0.5}}, "illegal range from 1 to 0 by 0.5"),
        ({"alpha": [0, 2]}, "relevance_value.alpha: expected a number from 0 to 1, found int 2"),
    ],
)
def test_wrong_ranges(rule: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as raised:
        xcg.evaluate({}, [], None, {"name": "m", "relevance_value": rule})
    assert message in str(raised.value)


def test_combinations_of_a_large_model_are_refused() -> None:
    # 700 kB of gains in 100 models would need 70 MB of YAML, and gigabytes of memory.
    gains = {level / 100: 1 for level in range(70_000)}
    alpha = {"from": 0, "to": 1, "step": 0.01}
    content = {"name": "m", "quantisation": {"gains": gains}, "relevance_value": {"alpha": alpha}}
    with pytest.raises(InputError) as raised:
        expand(content, lambda _: "m.yaml:1")
    assert str(raised.value) == (
        "m.yaml:1: 101 combinations of this user model have more than 20,000,000 characters; expected "
        "fewer combinations or a shorter table"
    )


def test_numbers_that_no_float_can_hold_are_refused() -> None:
    huge = 10**400
    quantisation = {"gains": {1: huge}}
    with pytest.raises(InputError, match="quantisation: the gain of level 1 is 1000"):
        UserModel.of({"name": "m", "quantisation": quantisation})
    with pytest.raises(InputError, match=r"expected a range \{from: 0, to: 1, step: 0.25\}"):
        expand({"name": "m", "relevance_value": {"alpha": {"from": 0, "to": huge, "step": 1}}}, str)
