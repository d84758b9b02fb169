"""Shapes check their values, and give each thing its own random generator."""

from __future__ import annotations

from typing import Any

import pytest

import xcg
from xcg.simulation.shape import RUN, Shape


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"articles": 0}, "articles is 0: expected an integer of at least 1"),
        ({"elements": 20}, "elements is 20: expected an integer of at least 30"),
        ({"seed": -1}, "seed is -1: expected an integer of at least 0"),
        ({"agreement": 1.5}, "agreement is 1.5: expected a number from -1 to 1"),
        ({"agreement": float("nan")}, "agreement is nan: expected a number from -1 to 1"),
        ({"hardness": -0.1}, "hardness is -0.1: expected a number from 0 to 1"),
    ],
)
def test_values_out_of_range_are_errors(values: dict[str, Any], message: str) -> None:
    with pytest.raises(xcg.XcgError, match=f"^{message}$"):
        Shape(**values)


def test_a_generator_depends_on_seed_and_key_only() -> None:
    def drawn(shape: Shape, *key: int) -> float:
        return float(shape.generator(*key).random())

    key = (RUN, 3, 1)
    assert drawn(Shape(), *key) == drawn(Shape(runs=5, topics=2), *key)
    assert drawn(Shape(), *key) != drawn(Shape(seed=1), *key)
    assert len({drawn(Shape(), stream) for stream in range(7)}) == 7
