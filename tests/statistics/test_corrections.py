"""Corrections of p values, and tests with a margin, against scipy, statsmodels and enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.statistics.corrections import (
    P_VALUE_CORRECTIONS,
    adjust,
    adjusted,
    equivalence_p,
    evidence,
    not_worse_p,
    parse_margins,
    possibly_true,
)
from xcg.statistics.significance import compare

DIFFERENCES = np.array([0.0125, -0.004, 0.003, -0.017, 0.008, 0.021, -0.009, 0.0005])


@pytest.mark.parametrize("margin", [0.001, 0.01, 0.02])
@pytest.mark.parametrize("sign", [1, -1])
def test_other_packages_compute_the_same_p_values(margin: float, sign: int) -> None:
    found = sign * DIFFERENCES
    rows = found[None]
    t = scipy.stats.ttest_1samp(found, -margin, alternative="greater").pvalue
    assert not_worse_p("t", rows, margin) == pytest.approx(t, abs=1e-12)
    tost = ttost_paired(found, np.zeros(len(found)), -margin, margin)[0]
    assert equivalence_p("t", rows, margin) == pytest.approx(tost, abs=1e-12)
    exact = scipy.stats.wilcoxon(found + margin, alternative="greater", method="exact").pvalue
    (p,) = not_worse_p("wilcoxon", rows, margin)
    if evidence("wilcoxon", rows + margin) > 0:
        assert p == pytest.approx(exact, abs=1e-12)
    else:
        assert min(p, exact) >= 0.5


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=9), st.integers(1, 15))
def test_randomisation_with_a_margin_counts_sign_vectors(values: list[int], margin: int) -> None:
    shifted = [value + margin for value in values]
    sums = [
        sum(sign * x for sign, x in zip(signs, shifted, strict=True))
        for signs in product((1, -1), repeat=len(shifted))
    ]
    expected = sum(total >= sum(shifted) for total in sums) / len(sums)
    (p,) = not_worse_p("randomisation", np.array([values]) / 100, margin / 100)
    if sum(shifted) > 0:
        assert p == pytest.approx(expected)
    else:
        assert min(p, expected) >= 0.5


def test_equal_runs_are_equivalent() -> None:
    """1 / 2ⁿ is the smallest one-sided p value of a permutation test."""
    for test in ("t", "wilcoxon", "randomisation"):
        assert equivalence_p(test, np.zeros((1, 6)), 0.01) == pytest.approx(1 / 64)


def test_margins_are_parsed_from_numbers_texts_and_mappings() -> None:
    assert parse_margins(0.01, ["MAep", "Q"]) == {"MAep": 0.01, "Q": 0.01}
    assert parse_margins({"MAP": 1}, ["AP"]) == {"AP": 1.0}
    assert parse_margins(["Q=2", "0.5"], ["MAep", "Q"]) == {"MAep": 0.5, "Q": 2.0}
    for wrong, message in (
        (-1, "illegal margin '-1': expected a number above 0"),
        ({"MAep": "x"}, "illegal margin 'MAep=x'"),
        (["MAep=inf"], "illegal margin 'MAep=inf'"),
        (["MAep=1"], "no margin of Q: expected a number for all measures"),
        (["1", "AP=1"], "no measure 'AP'"),
        (["MAep=1", "MAep=2"], "several values of margin for MAep"),
    ):
        with pytest.raises(XcgError, match=message):
            parse_margins(wrong, ["MAep", "Q"])  # type: ignore[arg-type]


def test_compare_corrects_the_p_values_of_margins() -> None:
    rng = np.random.default_rng(2)
    base = rng.uniform(0.2, 0.8, 25)
    scores = {"base": base}
    for number, loss in enumerate((0.0, 0.006, 0.02)):
        scores[f"r{number}"] = base - loss + rng.normal(0, 0.015, 25)
    rows = [
        Result(run, str(topic), "MAep", float(value), "m")
        for run, values in scores.items()
        for topic, value in enumerate(values)
    ]
    results = Results(rows)
    for correction in ("holm", "none"):
        lines = compare(results, baseline="base", correction=correction, margin=0.01)
        pairs = [(scores[line.run] - base, np.zeros(25)) for line in lines]
        one_sided = [
            scipy.stats.ttest_1samp(found, -0.01, alternative="greater").pvalue for found, _ in pairs
        ]
        two_one_sided = [ttost_paired(found, zeros, -0.01, 0.01)[0] for found, zeros in pairs]
        if correction == "holm":
            one_sided = multipletests(one_sided, method="holm")[1]
            two_one_sided = multipletests(two_one_sided, method="holm")[1]
        assert [line.p_not_worse for line in lines] == pytest.approx(list(one_sided))
        assert [line.p_equivalent for line in lines] == pytest.approx(list(two_one_sided))
        assert {line.margin for line in lines} == {0.01}
    assert compare(results, baseline="base")[0].p_not_worse is None
    for baseline in (None, "all", "best"):
        with pytest.raises(XcgError, match="a margin needs a baseline: expected the name of a run"):
            compare(results, baseline=baseline, margin=0.01)


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
