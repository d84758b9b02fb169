"""Paired tests: p values computed by hand, by scipy and by plain loops."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from score_tables import Column, noise, tables

from xcg.errors import XcgError
from xcg.statistics import significance_tests
from xcg.statistics.significance_tests import PAIRED_TESTS, randomisation_test


def test_the_t_test_by_its_formula() -> None:
    # d = 1 2 3: t = 2 / (1 / √3) = 2√3; with 2 degrees of freedom p = 1 − t / √(2 + t²)
    t = 2 * math.sqrt(3)
    assert PAIRED_TESTS["t"]([2, 4, 6], [1, 2, 3]) == pytest.approx(1 - t / math.sqrt(2 + t * t))
    # d = 1 3: t = 2 / (√2 / √2) = 2; with 1 degree of freedom p = 1 − 2·atan(t) / π
    assert PAIRED_TESTS["t"]([1, 3], [0, 0]) == pytest.approx(1 - 2 * math.atan(2) / math.pi)


def test_wilcoxons_test_by_enumeration() -> None:
    # |d| ranks 1 2 3 4, the rank 1 negative: W− = 1. Of 16 sign vectors, W− ≤ 1 for {} and {1}, and as
    # many at the other end: 4 / 16. The topic without a difference is left out.
    first, second = [0.1, 0.4, 0.6, 0.8, 0.5], [0.2, 0.2, 0.3, 0.4, 0.5]
    assert PAIRED_TESTS["wilcoxon"](first, second) == pytest.approx(4 / 16)
    # 0.3 − 0.2 and 0.2 − 0.1 differ in the last bit alone, and so share a rank: W is 1.5, of 0 1.5
    # 1.5 3, and reached by all vectors
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert PAIRED_TESTS["wilcoxon"]([0.3, 0.1], [0.2, 0.2]) == 1


def test_the_randomisation_test_by_enumeration() -> None:
    # d = 3 2 −1 → sum 4. Sums of ±3 ±2 ±1: 6 4 2 0 0 −2 −4 −6; |sum| ≥ 4 for 4 of 8
    assert PAIRED_TESTS["randomisation"]([3, 2, 0], [0, 0, 1]) == 4 / 8
    # d = 3 2 1 0: |sum| ≥ 6 for ±(3 2 1), whatever the sign of 0: 4 of 16
    assert PAIRED_TESTS["randomisation"]([3, 2, 1, 1], [0, 0, 0, 1]) == 4 / 16
    # d = 0.1 0.2 −0.3, whose sum is 0 but for the last bit
    assert PAIRED_TESTS["randomisation"]([0.1, 0.2, 0], [0, 0, 0.3]) == 1


@given(tables(runs=2))
@settings(deadline=None)
def test_the_randomisation_test_equals_plain_loops(table: list[Column]) -> None:
    differences = [a - b for a, b in zip(*table, strict=True)]
    observed = abs(math.fsum(differences))
    vectors = list(product([1, -1], repeat=len(differences)))
    sums = [math.fsum(s * d for s, d in zip(v, differences, strict=True)) for v in vectors]
    margins = [abs(total) - observed for total in sums]
    assume(all(not 1e-14 < abs(margin) < 1e-10 for margin in margins))  # where the tolerance decides
    count = sum(margin >= -1e-12 for margin in margins)
    assert PAIRED_TESTS["randomisation"](*table) == count / len(vectors)


def test_sampled_randomisation_is_close_to_the_exact_test() -> None:
    first, second = noise((2, 16), seed=5)
    exact = randomisation_test(first, second)
    # A 17th difference of nearly 0 hardly changes the value, but signs are sampled.
    longer = randomisation_test([*first, 1e-9], [*second, 0])
    assert longer == pytest.approx(exact, abs=0.01)
    assert longer != exact
    assert longer == randomisation_test([*first, 1e-9], [*second, 0])
    assert longer != randomisation_test([*first, 1e-9], [*second, 0], seed=1)
    # Topics without a difference need no sign, so the test is still exact.
    assert randomisation_test([*first, 0.5, 0.5], [*second, 0.5, 0.5]) == exact
    # This is the smallest p value that B random vectors can give.
    assert randomisation_test([1] * 60, [0] * 60) == 1 / 100_001


@pytest.mark.parametrize("topics", [2, 9, 12, 20, 60])
def test_p_values_are_those_of_scipy(topics: int) -> None:
    from scipy import stats

    first, second = noise((2, topics), seed=topics)
    assert PAIRED_TESTS["t"](first, second) == stats.ttest_rel(first, second).pvalue
    assert PAIRED_TESTS["wilcoxon"](first, second) == pytest.approx(
        stats.wilcoxon(first, second).pvalue
    )
    # Rounded scores tie with each other and with 0.
    coarse, other = np.round([first, second], 1).tolist()
    tied = stats.wilcoxon(np.round(np.subtract(coarse, other), 12)).pvalue if topics > 2 else 1
    assert PAIRED_TESTS["wilcoxon"](coarse, other) == pytest.approx(tied)
    if topics == 12:
        direct = stats.permutation_test(
            (np.subtract(first, second),), np.mean, permutation_type="samples", n_resamples=10_000
        )
        assert PAIRED_TESTS["randomisation"](first, second) == pytest.approx(direct.pvalue)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@pytest.mark.parametrize(
    ("first", "second"), [([1], [0]), ([1, 2], [1, 2, 3]), ([1, math.nan], [1, 2])]
)
def test_scores_that_are_not_pairs_are_errors(test: str, first: Column, second: Column) -> None:
    with pytest.raises(XcgError):
        PAIRED_TESTS[test](first, second)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@given(table=tables(runs=2, most_topics=20), data=st.data())
@settings(max_examples=25, deadline=None)
def test_p_values_do_not_depend_on_the_order_of_runs_and_topics(
    test: str, table: list[Column], data: st.DataObject
) -> None:
    p_value = PAIRED_TESTS[test]
    first, second = table
    p = p_value(first, second)
    assert 0 <= p <= 1
    assert p_value(second, first) == pytest.approx(p, abs=1e-9)
    order = data.draw(st.permutations(range(len(first))))
    assert p_value([first[i] for i in order], [second[i] for i in order]) == pytest.approx(p, abs=1e-9)


def test_sampled_p_values_do_not_depend_on_the_order() -> None:
    first, second = noise((2, 25))
    p = PAIRED_TESTS["randomisation"](first, second)
    assert PAIRED_TESTS["randomisation"](second, first) == p
    assert PAIRED_TESTS["randomisation"](first[::-1], second[::-1]) == pytest.approx(p, abs=2e-5)


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_equally_good_runs_are_rarely_significantly_different(
    test: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        significance_tests, "RANDOM_SIGN_VECTORS", 10_000
    )  # enough for this test, and ten times as fast
    pairs = np.random.default_rng(2006).normal(size=(200, 2, 30))
    rejected = sum(PAIRED_TESTS[test](first, second) < 0.05 for first, second in pairs)
    assert 2 <= rejected <= 20
