"""Paired tests: p values computed by hand, by scipy and by plain loops."""

from __future__ import annotations

import math
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from score_tables import Column, noise, paired_p_value, tables

from xcg.errors import XcgError
from xcg.statistics.significance_tests import EXACT_WILCOXON_TOPICS, PAIRED_TESTS, smallest_p


@pytest.mark.parametrize(("topics", "p"), [(2, 1 / 2), (3, 1 / 4), (34, 2.0**-33)])
def test_t_of_equal_differences_is_the_p_value_of_all_sign_vectors(topics: int, p: float) -> None:
    scores = [i / 100 for i in range(topics)]
    assert paired_p_value("t", scores, [score + 0.1 for score in scores]) == p


@given(signed=st.lists(st.integers(-4, 4), min_size=2, max_size=12))
def test_wilcoxons_test_equals_full_enumeration(signed: list[int]) -> None:
    from scipy.stats import rankdata

    changed = [d for d in signed if d]
    sizes = [abs(d) for d in changed]
    ranks = dict(zip(sizes, rankdata(sizes), strict=True))
    observed = abs(sum(math.copysign(ranks[abs(d)], d) for d in changed))
    vectors = list(product([1, -1], repeat=len(changed)))
    sums = [sum(s * ranks[abs(d)] for s, d in zip(v, changed, strict=True)) for v in vectors]
    count = sum(abs(total) >= observed for total in sums)
    scores = [d / 7 for d in signed]
    assert paired_p_value("wilcoxon", scores, [0] * len(signed)) == count / len(vectors)


def test_wilcoxons_test_is_a_binomial_test_if_all_differences_have_one_size() -> None:
    from scipy.stats import binomtest

    # Precision at 1, for example: 40 wins, 60 losses, 20 ties; and as many topics as in a web search.
    for wins, losses, ties in [(40, 60, 20), (1800, 1900, 1000)]:
        scores = [1] * wins + [-1] * losses + [0] * ties
        p = binomtest(wins, wins + losses).pvalue
        found = paired_p_value("wilcoxon", scores, [0] * len(scores))
        assert found == pytest.approx(p, rel=1e-9)


def test_wilcoxons_normal_approximation_continues_the_exact_value() -> None:
    from scipy import stats

    for topics in (EXACT_WILCOXON_TOPICS, 2 * EXACT_WILCOXON_TOPICS):
        scores = (np.round(np.random.default_rng(3).normal(0.5, 10, topics)) / 10).tolist()
        approximation = stats.wilcoxon(scores, method="approx").pvalue
        p = paired_p_value("wilcoxon", scores, [0] * topics)
        assert p == pytest.approx(approximation, abs=5e-4)
        assert (p == approximation) == (topics > EXACT_WILCOXON_TOPICS)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@given(table=tables(runs=2))
def test_no_p_value_is_lower_than_the_smallest_p_value(test: str, table: list[Column]) -> None:
    first, second = table
    changed = sum(abs(a - b) > 1e-12 for a, b in zip(first, second, strict=True))
    p = paired_p_value(test, first, second)
    assert p >= smallest_p(test, len(first), changed) * (1 - 1e-9)
    assert p >= smallest_p(test, len(first)) * (1 - 1e-9)


def test_the_smallest_p_values_are_those_of_the_largest_differences() -> None:
    for test in PAIRED_TESTS:
        assert smallest_p(test, 8, 0) == 1
        for changed in (1, 3, 7):  # equal differences have the largest |t| if one topic has none
            scores = [1] * changed + [0] * (8 - changed)
            p = paired_p_value(test, scores, [0] * 8)
            assert smallest_p(test, 8, changed) == pytest.approx(p)
    assert smallest_p("t", 2) == 0
    assert smallest_p("wilcoxon", 6) == smallest_p("randomisation", 6) == 1 / 32
    assert smallest_p("wilcoxon", 34) == 2.0**-33
    assert smallest_p("randomisation", 34) == 1 / 100_001


@given(tables(runs=2))
def test_the_randomisation_test_equals_plain_loops(table: list[Column]) -> None:
    differences = [a - b for a, b in zip(*table, strict=True)]
    observed = abs(math.fsum(differences))
    vectors = list(product([1, -1], repeat=len(differences)))
    sums = [math.fsum(s * d for s, d in zip(v, differences, strict=True)) for v in vectors]
    margins = [abs(total) - observed for total in sums]
    assume(all(not 1e-14 < abs(margin) < 1e-10 for margin in margins))  # where the tolerance decides
    count = sum(margin >= -1e-12 for margin in margins)
    assert paired_p_value("randomisation", *table) == count / len(vectors)


def test_sampled_randomisation_is_close_to_the_exact_test() -> None:
    first, second = noise((2, 16), seed=5)
    exact = paired_p_value("randomisation", first, second)
    # A 17th difference of nearly 0 hardly changes the value, but signs are sampled.
    longer = paired_p_value("randomisation", [*first, 1e-9], [*second, 0])
    assert longer == pytest.approx(exact, abs=0.01)
    assert longer != exact
    assert longer == paired_p_value("randomisation", [*first, 1e-9], [*second, 0])
    # Topics without a difference need no sign, so the test is still exact.
    assert paired_p_value("randomisation", [*first, 0.5, 0.5], [*second, 0.5, 0.5]) == exact
    # This is the smallest p value that B random vectors can give.
    assert paired_p_value("randomisation", [1] * 60, [0] * 60) == 1 / 100_001


@pytest.mark.parametrize("topics", [2, 9, 12, 20, 60])
def test_p_values_are_those_of_scipy(topics: int) -> None:
    from scipy import stats

    first, second = noise((2, topics), seed=topics)
    assert paired_p_value("t", first, second) == stats.ttest_rel(first, second).pvalue
    exact = stats.wilcoxon(first, second, method="exact").pvalue
    assert paired_p_value("wilcoxon", first, second) == pytest.approx(exact)
    if topics == 12:
        direct = stats.permutation_test(
            (np.subtract(first, second),), np.mean, permutation_type="samples", n_resamples=10_000
        )
        assert paired_p_value("randomisation", first, second) == pytest.approx(direct.pvalue)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@pytest.mark.parametrize(
    ("first", "second"), [([1], [0]), ([1, 2], [1, 2, 3]), ([1, math.nan], [1, 2])]
)
def test_scores_that_are_not_pairs_are_errors(test: str, first: Column, second: Column) -> None:
    with pytest.raises(XcgError):
        paired_p_value(test, first, second)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@given(table=tables(runs=2, most_topics=20), data=st.data())
def test_p_values_do_not_depend_on_the_order_of_runs_and_topics(
    test: str, table: list[Column], data: st.DataObject
) -> None:
    p_value = partial(paired_p_value, test)
    first, second = table
    p = p_value(first, second)
    assert 0 <= p <= 1
    assert p_value(second, first) == pytest.approx(p, abs=1e-9)
    order = data.draw(st.permutations(range(len(first))))
    assert p_value([first[i] for i in order], [second[i] for i in order]) == pytest.approx(p, abs=1e-9)
