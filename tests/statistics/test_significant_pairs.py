"""Pairs of runs after Friedman's test: by hand, and by Conover's critical values."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import assume, given
from scipy.stats import chi2, rankdata, t
from score_tables import Column, noise, scores_of, tables

from xcg.errors import XcgError
from xcg.statistics.overall_tests import (
    SignificantPair,
    compact_form,
    friedman_posthoc,
    mean_ranks,
    significant_pairs,
)
from xcg.statistics.topic_scores import TopicScores

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
    assert mean_ranks(scores) == {"A": 12 / 8, "B": 22 / 8, "C": 22 / 8, "D": 32 / 8, "E": 32 / 8}
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


def test_a_pair_is_no_more_significant_than_friedmans_test() -> None:
    # Friedman: 12 / 48 · (16 + 81 + 121) − 48 = 6.5, p = exp(−3.25) = 0.0388.
    # Conover: a and c differ by 7 / √2, p = 0.0026.
    scores = TopicScores(
        ["1", "2", "3", "4"], {"a": [1, 1, 1, 1], "b": [2, 2, 3, 2], "c": [3, 3, 2, 3]}
    )
    assert friedman_posthoc(scores, correction="none")["a", "c"] < 0.01
    found = significant_pairs(scores, correction="none")
    assert [pair.p for pair in found] == pytest.approx([math.exp(-3.25)] * 2)
    assert compact_form(found) == "b, c > a*"


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


def test_many_significant_pairs_by_the_critical_values_of_conover() -> None:
    marks = []
    for seed in range(20):
        table = [[v + 0.04 * i for v in c] for i, c in enumerate(noise((5, 12), seed))]
        expected = pairs_by_critical_values(table)
        assert marked_pairs(table) == expected
        marks += expected.values()
    assert marks.count("**") > 20
    assert marks.count("*") > 20


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
