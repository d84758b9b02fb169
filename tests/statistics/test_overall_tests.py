"""Tests over all runs and the pairs after them: by hand, by critical values and by plain loops."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2, rankdata, t
from score_tables import Column, noise, paired_p_value, scores_of, tables

from xcg.errors import XcgError
from xcg.statistics.overall_tests import (
    SignificantPair,
    anova,
    compact_form,
    discriminative_power,
    friedman,
    friedman_posthoc,
    letter_groups,
    significant_pairs,
)
from xcg.statistics.topic_scores import TopicScores


def test_anova_computed_by_hand() -> None:
    # runs a = 1 2 3, b = 2 3 7, c = 3 4 5: means 2 4 4, of topics 2 3 5, of all 10 / 3.
    # SS runs = 3·(16 + 4 + 4) / 9 = 8, SS topics = 3·(16 + 1 + 25) / 9 = 14,
    # SS total = 126 − 9·100 / 9 = 26, so 4 are left for 4 degrees of freedom
    found = anova(scores_of([[1, 2, 3], [2, 3, 7], [3, 4, 5]]))
    assert found[0][:2] == pytest.approx((2, 4))
    assert found[1][:2] == pytest.approx((2, 7))
    assert found[2] == 4
    # P(F > f) with 2 and 4 degrees of freedom is (1 + f / 2)⁻²
    assert found[0].p == pytest.approx(1 / 9)
    assert found[1].p == pytest.approx(4 / 81)


def test_anova_without_an_effect_and_without_an_error() -> None:
    same = anova(scores_of([[0.1, 0.2, 0.3]] * 3))
    assert (same[0].f, same[0].p, same[1].f) == (0, 1, math.inf)
    assert same[1].p == pytest.approx(6 / 6**3)
    shifted = anova(scores_of([[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]]))
    # 3 topics have one of 2 orders of runs: 2 / 2³. 2 runs have one of 6 orders of topics: 6 / 6².
    assert (shifted[0].f, shifted[1].f) == (math.inf, math.inf)
    assert (shifted[0].p, shifted[1].p) == pytest.approx((1 / 4, 1 / 6))
    # Two of three runs have the same effect: 3 orders.
    tied = anova(scores_of([[0.1, 0.2], [0.3, 0.4], [0.3, 0.4]]))
    assert (tied[0].p, tied[1].p) == pytest.approx((1 / 3, 1 / 4))
    # The number of orders of 200 topics is too large for a number.
    many = [i / 200 for i in range(200)]
    found = anova(scores_of([many, [score + 0.1 for score in many]]))
    assert (found[0].p, found[1].p) == (2.0**-199, 0)


@given(tables(runs=2))
def test_anova_of_two_runs_is_the_t_test(table: list[Column]) -> None:
    first, second = table
    assume(np.subtract(first, second).std() > 1e-6)
    found = anova(scores_of(table))
    assert found[0].p == pytest.approx(paired_p_value("t", first, second), abs=1e-4)


def test_friedman_agrees_with_scipy() -> None:
    from scipy.stats import friedmanchisquare

    table = noise((4, 12))
    assert friedman(scores_of(table)) == tuple(friedmanchisquare(*table))
    assert friedman(scores_of([[0.1, 0.7]] * 3)) == (0, 1)
    # 0.1 + 0.2 ties with 0.3: both runs have the rank 1.5 for both topics.
    nearly = friedman(scores_of([[0.1 + 0.2, 0.5], [0.3, 0.5], [0.6, 0.8]]))
    assert nearly == friedman(scores_of([[0.3, 0.5], [0.3, 0.5], [0.6, 0.8]]))


def test_posthoc_tests_of_constant_ranks() -> None:
    same = scores_of([[0.1, 0.7]] * 3)
    assert set(friedman_posthoc(same).values()) == {1}
    ordered = scores_of([[0.1, 0.2], [0.3, 0.4], [0.3, 0.4]])
    assert list(friedman_posthoc(ordered).values()) == [1, 1, 1]  # 3 pairs · 2 / 2²
    ordered = scores_of([[0.1] * 9, [0.3] * 9, [0.3] * 9])
    assert list(friedman_posthoc(ordered).values()) == [3 * 2 / 2**9, 3 * 2 / 2**9, 1]


@pytest.mark.parametrize(
    ("function", "table"),
    [
        (anova, [[0.1, 0.2]]),
        (anova, [[0.1], [0.2]]),
        (anova, [[0.1, math.nan], [0.2, 0.3]]),
        (friedman, [[0.1, 0.2], [0.2, 0.3]]),
        (friedman_posthoc, [[0.1, 0.2], [0.2, 0.3]]),
        (discriminative_power, [[0.1, 0.2]]),
    ],
)
def test_too_few_runs_or_topics_are_errors(function: object, table: list[Column]) -> None:
    with pytest.raises(XcgError):
        function(scores_of(table))  # type: ignore[operator]


def test_discriminative_power_computed_by_hand() -> None:
    # z = 0.1 0.3, w = −0.1 0.1: half of the resamples draw one topic twice, whose |t*| is infinite
    # and whose mean is ±0.1; the other half has t* = 0. So the level is near 0.5 and 0.1 is required
    scores = scores_of([[0.2, 0.4], [0.1, 0.1]])
    assert discriminative_power(scores) == pytest.approx((0, 0.1))
    assert discriminative_power(scores_of([[0.2, 0.4]] * 2)) == (0, 0)
    # Two pairs have a constant difference, and one pair has none: 2 / 2⁵ > 0.05 > 2 / 2⁶.
    for topics, power in ((5, 0), (6, 2 / 3)):
        constant = scores_of([[0.2] * topics, [0.1] * topics, [0.1] * topics])
        assert discriminative_power(constant) == pytest.approx((power, 0))


def test_discriminative_power_equals_plain_loops() -> None:
    table = [[v + 0.06 * i for v in column] for i, column in enumerate(noise((4, 10), seed=8))]
    drawn = np.random.default_rng(0).integers(0, 10, (1000, 10)).tolist()

    def t(values: Sequence[float]) -> float:
        return abs(statistics.fmean(values)) / (statistics.stdev(values) / math.sqrt(len(values)))

    apart, required = 0, []
    for first, second in combinations(table, 2):
        z = [a - b for a, b in zip(first, second, strict=True)]
        w = [value - statistics.fmean(z) for value in z]
        samples = sorted(([w[i] for i in rows] for rows in drawn), key=t, reverse=True)
        apart += sum(t(sample) >= t(z) for sample in samples) / 1000 < 0.05
        required.append(abs(statistics.fmean(samples[49])))  # the fiftieth of 1000
    found = discriminative_power(scores_of(table))
    assert 0 < apart < 6
    assert found == pytest.approx((apart / 6, max(required)))
    assert found == pytest.approx(discriminative_power(scores_of(table[::-1])))


# The runs of eight topics from the best to the worst; run A has the rank sum 12 (rank 1 is the worst),
# B and C have 22, D and E have 32.
ORDERS = ("EDBCA", "CDBEA", "DBCEA", "EDACB", "EDACB", "EDCBA", "EBCDA", "DBECA")


def scores_of_orders(orders: tuple[str, ...] = ORDERS, better: int = 1) -> TopicScores:
    topics = [str(number) for number in range(len(orders))]
    values = {run: [-better * float(order.index(run)) for order in orders] for run in "ABCDE"}
    return TopicScores(topics, values)


def test_the_form_of_table_2_computed_by_hand() -> None:
    # Friedman: 12 / (8·5·6) · (12² + 2·22² + 2·32²) − 3·8·6 = 158 − 144 = 14 with 4 degrees of
    # freedom, so p = (1 + 7)·exp(−7). Conover: the sum of squared ranks is 8·55 = 440, that of squared
    # rank sums is 3160, so t of a pair is its difference over √(2·8·(440 − 3160 / 8) / 28) = 5.0709.
    # It is 3.944 for A with D and E, and 1.972 for every other difference of 10. With 28 degrees of
    # freedom, 2.0484 is significant at 5 %, and 2.7633 at 1 %.
    scores = scores_of_orders()
    found = significant_pairs(scores, correction="none")
    p = 8 * math.exp(-7)
    assert [pair[:2] for pair in found] == [("D", "A"), ("E", "A")]
    assert [pair.p for pair in found] == pytest.approx([p, p])
    assert compact_form(found) == "D, E > A**"
    assert friedman_posthoc(scores, correction="none")["A", "D"] == pytest.approx(
        2 * t.sf(20 / math.sqrt(720 / 28), 28)
    )


def test_lower_scores_are_better_if_the_measure_says_so() -> None:
    mirrored = scores_of_orders(better=-1)
    assert compact_form(significant_pairs(mirrored, True, "none")) == "D, E > A**"
    assert compact_form(significant_pairs(mirrored, False, "none")) == "A > D, E**"


def pairs_by_critical_values(table: list[Column]) -> dict[tuple[str, str], str]:
    """Map pairs (better, worse) to marks, by the rule of Conover (1980) at 5 % and 1 %."""
    topics, runs = len(table[0]), len(table)
    ranks = rankdata([[round(column[i], 12) for column in table] for i in range(topics)], axis=1)
    sums = ranks.sum(axis=0).tolist()
    squares = float((ranks**2).sum())
    between = math.fsum(value**2 for value in sums) / topics
    variance = squares - topics * runs * (runs + 1) ** 2 / 4
    df = (topics - 1) * (runs - 1)
    # With tied ranks, the statistic is divided by their variance instead of k·(k + 1) / 12.
    friedman = (runs - 1) * (topics * between - (topics * (runs + 1) / 2) ** 2 * runs) / variance
    expected = {}
    for level, mark in ((0.05, "*"), (0.01, "**")):
        overall = friedman > chi2.isf(level, runs - 1)
        critical = t.isf(level / 2, df) * math.sqrt(2 * topics * (squares - between) / df)
        for (i, first), (j, second) in combinations(enumerate(sums), 2):
            if overall and abs(first - second) > critical:
                pair = (f"r{i}", f"r{j}") if first > second else (f"r{j}", f"r{i}")
                expected[pair] = mark
    return expected


def marked_pairs(table: list[Column]) -> dict[tuple[str, str], str]:
    found = significant_pairs(scores_of(table), correction="none")
    return {(one.better, one.worse): "**" if one.p < 0.01 else "*" for one in found}


@given(tables(least_runs=3))
def test_pairs_by_the_critical_values_of_conover(table: list[Column]) -> None:
    ranks = rankdata([[round(column[i], 12) for column in table] for i in range(len(table[0]))], axis=1)
    assume(not (ranks == ranks[0]).all())
    assert marked_pairs(table) == pairs_by_critical_values(table)


@pytest.mark.parametrize(
    ("pairs", "form"),
    [
        ([], ""),
        ([("D", "A", 0.001), ("E", "A", 0.001)], "D, E > A**"),
        ([("D", "A", 0.001), ("E", "A", 0.02)], "D > A**; E > A*"),
        ([("D", "A", 0.02), ("D", "B", 0.03), ("E", "B", 0.004)], "D > A, B*; E > B**"),
        ([("D", "A", 0.01)], "D > A*"),
    ],
)
def test_the_compact_form(pairs: list[tuple[str, str, float]], form: str) -> None:
    assert compact_form(SignificantPair(*pair) for pair in pairs) == form


def test_misuses() -> None:
    with pytest.raises(XcgError, match="expected at least 3 runs"):
        significant_pairs(scores_of([[0.1, 0.2], [0.2, 0.3]]))
    with pytest.raises(XcgError, match="no correction 'hohm': did you mean 'holm'"):
        significant_pairs(scores_of_orders(), correction="hohm")


RUNS = [f"r{number}" for number in range(7)]
PAIRS = list(combinations(RUNS, 2))
SETS_OF_PAIRS = st.lists(st.sampled_from(PAIRS), unique=True)
Pairs = list[tuple[str, str]]


def test_there_are_no_letters_for_more_than_52_groups() -> None:
    runs = [str(number) for number in range(53)]
    assert letter_groups(runs, combinations(runs, 2)) is None
    assert letter_groups(runs[1:], combinations(runs[1:], 2)) is not None


def test_the_search_ends_if_there_are_very_many_groups() -> None:
    """Of 20 pairs, each group has one run: 2 to the power of 20 groups."""
    runs = [str(number) for number in range(40)]
    assert letter_groups(runs, zip(runs[::2], runs[1::2], strict=True)) is None


@given(SETS_OF_PAIRS)
def test_runs_share_a_letter_unless_they_differ_and_no_letter_is_superfluous(different: Pairs) -> None:
    groups = letter_groups(RUNS, different)
    assert groups is not None
    for pair in PAIRS:
        assert bool({*groups[pair[0]]} & {*groups[pair[1]]}) == (pair not in different)
    names = sorted(set().union(*groups.values()))
    members = [{run for run in RUNS if name in groups[run]} for name in names]
    assert not any(one <= other for one, other in permutations(members, 2))
    assert names[0] == groups[RUNS[0]][0] == "a"
