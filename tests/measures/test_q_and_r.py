"""Sakai's Q-measure and R-measure on element gains."""

from __future__ import annotations

import pytest

from xcg.measures import q_measure, r_measure


def test_the_ideal_ranking_has_the_value_1() -> None:
    for ideal in ([1.0], [0.9, 0.5, 0.1]):
        assert q_measure(ideal, ideal) == pytest.approx(1)
        assert r_measure(ideal, ideal) == pytest.approx(1)


def test_unretrieved_ideal_elements_count_in_q() -> None:
    # one hit at rank 2 of gain 0.5, ideal 1 and 0.5: bonus 1.5 over 1.5 + 2
    assert q_measure([0, 0.5], [1, 0.5], not_retrieved=1) == pytest.approx(1.5 / 3.5 / 2)
    assert q_measure([0, 0.5], [1, 0.5], 2) == pytest.approx(1.5 / 3.5 / 3)
    assert q_measure([0, 0.5], [1, 0.5], 2, "max") == pytest.approx(1.5 / 3.5 / 2)


def test_r_ends_at_the_number_of_ideal_elements() -> None:
    # two ideal elements: the gain at rank 3 does not count
    assert r_measure([0.9, 0, 1], [1, 0.5]) == pytest.approx(1.9 / 3.5)
    assert r_measure([], [1, 0.5]) == 0
