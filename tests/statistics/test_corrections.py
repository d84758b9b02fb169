"""Corrections of p values against statsmodels and enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from xcg.statistics.significance_tests import P_VALUE_CORRECTIONS, adjust, adjusted, possibly_true


def test_corrections_by_hand() -> None:
    assert adjust([0.25, 0.125, 0.5], "bonferroni") == [0.75, 0.375, 1]
    assert adjust([0.25, 0.125, 0.5], "holm") == [0.5, 0.375, 0.5]  # 2 · 1/4, 3 · 1/8, 1 · 1/2
    assert adjust([0.5, 0.125], "fdr_bh") == [0.5, 0.25]  # 1/2 / (2/2), 1/8 / (1/2)
    assert adjust([0.25, 0.125], "none") == [0.25, 0.125]
    assert adjust([], "holm") == []


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_are_those_of_statsmodels(p_values: list[float], correction: str) -> None:
    assert adjust(p_values, correction) == multipletests(p_values, method=correction)[1].tolist()


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """Yield all divisions of items into groups."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for number, group in enumerate(rest):
            yield [*rest[:number], [items[0], *group], *rest[number + 1 :]]


@pytest.mark.parametrize("runs", [2, 3, 4, 5, 6])
def test_the_numbers_of_equal_pairs_are_those_of_all_divisions_of_the_runs(runs: int) -> None:
    equal = {sum(math.comb(len(g), 2) for g in groups) for groups in partitions([*range(runs)])}
    most = math.comb(runs, 2)
    expected = [max(s for s in equal if s <= most - rejected) for rejected in range(most)]
    assert possibly_true(most) == tuple(expected)


@given(p_values=st.lists(st.floats(0, 0.2), min_size=6, max_size=6))
def test_shaffer_rejects_at_least_what_holm_rejects(p_values: list[float]) -> None:
    shaffer, holm = adjust(p_values, "shaffer"), adjust(p_values, "holm")
    assert all(a <= b for a, b in zip(shaffer, holm, strict=True))
    assert min(shaffer) == min(holm)


@pytest.mark.parametrize("correction", ["shaffer", *P_VALUE_CORRECTIONS])
def test_each_campaign_is_corrected_by_itself(correction: str) -> None:
    rows = np.random.default_rng(0).random((5, 10)) ** 3
    assert adjusted(rows, correction).tolist() == [adjust(row, correction) for row in rows.tolist()]
