"""Shapes check their values."""

from __future__ import annotations

from typing import Any

import pytest

import xcg
from xcg.simulation.shape import Shape


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"articles": 0}, "articles is 0: expected an integer of at least 1"),
        ({"elements": 20}, "elements is 20: expected an integer of at least 30"),
        ({"topics": 999_999_999}, "topics is 999999999: expected an integer of at most 10,000,000"),
        ({"seed": -1}, "seed is -1: expected an integer of at least 0"),
        ({"agreement": 1.5}, "agreement is 1.5: expected a number from -1 to 1"),
        ({"agreement": float("nan")}, "agreement is nan: expected a number from -1 to 1"),
        ({"hardness": -0.1}, "hardness is -0.1: expected a number from 0 to 1"),
    ],
)
def test_values_out_of_range_are_errors(values: dict[str, Any], message: str) -> None:
    with pytest.raises(xcg.XcgError, match=f"^{message}$"):
        Shape(**values)
