"""Corrections of p values for several comparisons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from xcg.statistics.corrections import adjust


def test_corrections_by_hand() -> None:
    assert adjust([0.25, 0.125, 0.5], "bonferroni") == [0.75, 0.375, 1]
    assert adjust([0.25, 0.125, 0.5], "holm") == [0.5, 0.375, 0.5]  # 2 · 1/4, 3 · 1/8, 1 · 1/2
    assert adjust([0.5, 0.125], "fdr_bh") == [0.5, 0.25]  # 1/2 / (2/2), 1/8 / (1/2)
    assert adjust([0.25, 0.125], "none") == [0.25, 0.125]
    assert adjust([], "holm") == []


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_are_those_of_statsmodels(p_values: list[float], correction: str) -> None:
    assert adjust(p_values, correction) == multipletests(p_values, method=correction)[1].tolist()
