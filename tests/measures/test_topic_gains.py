"""Gain vectors: what is refused, and normalisation."""

from __future__ import annotations

import pytest

from xcg.measures import cumulate, gain_recall, manxcg, nxcg


@pytest.mark.parametrize("gains", [[-1.0], [float("nan")], [float("inf")], [[1.0]]])
def test_gains_must_be_a_vector_of_finite_numbers_from_0(gains: list[float]) -> None:
    with pytest.raises(ValueError, match="gains must be"):
        cumulate(gains)


def test_ideal_gains_must_decrease_and_sum_to_more_than_0() -> None:
    for function in (nxcg, manxcg, gain_recall):
        with pytest.raises(ValueError, match="sum to more than 0"):
            function([1.0], [])
        with pytest.raises(ValueError, match="decreasing"):
            function([1.0], [0.5, 1.0])


def test_the_example_of_kazai_and_lalmas_section_5_1() -> None:
    gains, ideal = [3, 1, 0, 0, 1, 3, 2, 2, 0, 0], [3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    assert cumulate(gains).tolist() == [3, 4, 4, 4, 5, 8, 10, 12, 12, 12]
    assert nxcg(gains, ideal).round(2).tolist() == [
        1.0, 0.67, 0.44, 0.33, 0.36, 0.5, 0.56, 0.63, 0.6, 0.6,
    ]  # fmt: skip
    assert manxcg(gains, ideal)[5].round(2) == 0.55
