"""Significance: p values by hand and against the packages, laws, a null simulation."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.statistics import paired_tests
from xcg.statistics.overall_tests import (
    anova,
    discriminative_power,
    friedman,
    friedman_posthoc,
)
from xcg.statistics.paired_tests import PAIRED_TESTS, randomisation_test
from xcg.statistics.rank_correlation import tau_ap
from xcg.statistics.significance import CORRECTIONS, Comparison, compare_runs, deciding_topics
from xcg.statistics.topic_scores import TopicScores, topic_scores

Column = list[float]

# Few different figures make ties and equal runs likely; the others are as measures give them.
COARSE = st.integers(0, 4).map(lambda i: i / 4)
FINE = st.floats(0, 1)


@st.composite
def tables(
    draw: st.DrawFn, runs: int | None = None, least_runs: int = 2, most_topics: int = 9
) -> list[Column]:
    number = runs or draw(st.integers(least_runs, 5))
    topics = draw(st.integers(2, most_topics))
    column = st.lists(draw(st.sampled_from([COARSE, FINE])), min_size=topics, max_size=topics)
    return draw(st.lists(column, min_size=number, max_size=number))


def figures_of(table: Sequence[Sequence[float]]) -> TopicScores:
    topics = [str(i) for i in range(len(table[0]))]
    return TopicScores(topics, {f"r{i}": list(column) for i, column in enumerate(table)})


def results_of(table: Sequence[Sequence[float]], measure: str = "MAep") -> Results:
    rows = []
    for i, column in enumerate(table):
        rows += [Result(f"r{i}", str(topic), measure, v, "m") for topic, v in enumerate(column)]
        rows.append(Result(f"r{i}", "all", measure, math.fsum(column) / len(column), "m"))
    return Results(rows)


def noise(shape: tuple[int, ...], seed: int = 1) -> list[Column]:
    found: list[Column] = np.random.default_rng(seed).normal(0.5, 0.1, shape).tolist()
    return found


# TopicScores over topics


def test_align_keeps_the_topics_of_all() -> None:
    rows = [("a", "3", 0.3), ("a", "1", 0.1), ("a", "2", 0.2), ("b", "1", 0.4), ("b", "3", 0.6)]
    found = [Result(run, topic, "MAep", value, "m") for run, topic, value in rows]
    others = [Result("b", "2", "MAep", 9, "other"), Result("b", "2", "nxCG@1", 9, "m")]
    means = [Result(run, "all", "MAep", 9, "m") for run in "ab"]
    results = Results(found + others + means)
    assert topic_scores(results, "MAep", "m", ["b", "a"]) == TopicScores(
        ["3", "1"], {"b": [0.6, 0.4], "a": [0.3, 0.1]}
    )
    assert topic_scores(results, "MAep", "m", ["a"]).topics == ["3", "1", "2"]
    # the mean of a would be 0.2 over its own topics; the topics in common have 0.2, too, and b 0.5
    (line,) = compare_runs(results, "MAep", "m")
    assert (line.run, line.baseline, line.topics) == ("a", "b", 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("MAp", "m", ["r0"]), "no measure 'MAp': did you mean 'MAep'?"),
        (("MAep", "n", ["r0"]), "no user model 'n'"),
        (("MAep", "m", ["r0", "r9"]), "no run 'r9': expected one of r0, r1, single"),
        (("MAep", "m", []), "no runs: expected at least one"),
        (
            ("MAep", "m", ["r0", "single"]),
            "1 topics have scores of MAep under m for each of r0, single",
        ),
    ],
)
def test_what_cannot_be_aligned(arguments: tuple[str, str, list[str]], message: str) -> None:
    single = Result("single", "1", "MAep", 0.5, "m")
    with pytest.raises(XcgError) as raised:
        topic_scores(Results([*results_of([[0.1, 0.2], [0.3, 0.4]]), single]), *arguments)
    assert message in str(raised.value)


# The three tests


def test_t_by_the_formula() -> None:
    # d = 1 2 3: t = 2 / (1 / √3) = 2√3; with 2 degrees of freedom p = 1 − t / √(2 + t²)
    t = 2 * math.sqrt(3)
    assert PAIRED_TESTS["t"]([2, 4, 6], [1, 2, 3]) == pytest.approx(1 - t / math.sqrt(2 + t * t))
    # d = 1 3: t = 2 / (√2 / √2) = 2; with 1 degree of freedom p = 1 − 2·atan(t) / π
    assert PAIRED_TESTS["t"]([1, 3], [0, 0]) == pytest.approx(1 - 2 * math.atan(2) / math.pi)


def test_wilcoxon_by_enumeration() -> None:
    # |d| ranks 1 2 3 4, the rank 1 negative: W− = 1. Of 16 sign vectors, W− ≤ 1 for {} and {1}, and as
    # many at the other end: 4 / 16. The topic without a difference is left out.
    first, second = [0.1, 0.4, 0.6, 0.8, 0.5], [0.2, 0.2, 0.3, 0.4, 0.5]
    assert PAIRED_TESTS["wilcoxon"](first, second) == pytest.approx(4 / 16)
    # 0.3 − 0.2 and 0.2 − 0.1 differ in the last bit alone, and so share a rank: W is 1.5, of 0 1.5
    # 1.5 3, and reached by all vectors
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert PAIRED_TESTS["wilcoxon"]([0.3, 0.1], [0.2, 0.2]) == 1


def test_randomisation_by_enumeration() -> None:
    # d = 3 2 −1 → sum 4. Sums of ±3 ±2 ±1: 6 4 2 0 0 −2 −4 −6; |sum| ≥ 4 for 4 of 8
    assert PAIRED_TESTS["randomisation"]([3, 2, 0], [0, 0, 1]) == 4 / 8
    # d = 3 2 1 0: |sum| ≥ 6 for ±(3 2 1), whatever the sign of 0: 4 of 16
    assert PAIRED_TESTS["randomisation"]([3, 2, 1, 1], [0, 0, 0, 1]) == 4 / 16
    # d = 0.1 0.2 −0.3, whose sum is 0 but for the last bit
    assert PAIRED_TESTS["randomisation"]([0.1, 0.2, 0], [0, 0, 0.3]) == 1


@given(tables(runs=2))
@settings(deadline=None)
def test_randomisation_against_plain_loops(table: list[Column]) -> None:
    differences = [a - b for a, b in zip(*table, strict=True)]
    observed = abs(math.fsum(differences))
    vectors = list(product([1, -1], repeat=len(differences)))
    sums = [math.fsum(s * d for s, d in zip(v, differences, strict=True)) for v in vectors]
    margins = [abs(total) - observed for total in sums]
    assume(all(not 1e-14 < abs(margin) < 1e-10 for margin in margins))  # the tolerance decides there
    count = sum(margin >= -1e-12 for margin in margins)
    assert PAIRED_TESTS["randomisation"](*table) == count / len(vectors)


def test_sampled_randomisation_is_near_the_exact_one() -> None:
    first, second = noise((2, 16), seed=5)
    exact = randomisation_test(first, second)
    # a 17th difference that is nearly 0 changes next to nothing, and has the signs sampled
    longer = randomisation_test([*first, 1e-9], [*second, 0])
    assert longer == pytest.approx(exact, abs=0.01)
    assert longer != exact
    assert longer == randomisation_test([*first, 1e-9], [*second, 0])
    assert longer != randomisation_test([*first, 1e-9], [*second, 0], seed=1)
    # topics without a difference have no sign to draw: still exact
    assert randomisation_test([*first, 0.5, 0.5], [*second, 0.5, 0.5]) == exact
    # the least p value that B random vectors can give
    assert randomisation_test([1] * 60, [0] * 60) == 1 / 100_001


@pytest.mark.parametrize("topics", [2, 9, 12, 20, 60])
def test_agreement_with_scipy(topics: int) -> None:
    from scipy import stats

    first, second = noise((2, topics), seed=topics)
    assert PAIRED_TESTS["t"](first, second) == stats.ttest_rel(first, second).pvalue
    assert PAIRED_TESTS["wilcoxon"](first, second) == pytest.approx(
        stats.wilcoxon(first, second).pvalue
    )
    # rounded figures tie with each other and with 0
    coarse, other = np.round([first, second], 1).tolist()
    tied = stats.wilcoxon(np.round(np.subtract(coarse, other), 12)).pvalue if topics > 2 else 1
    assert PAIRED_TESTS["wilcoxon"](coarse, other) == pytest.approx(tied)
    if topics == 12:
        direct = stats.permutation_test(
            (np.subtract(first, second),), np.mean, permutation_type="samples", n_resamples=10_000
        )
        assert PAIRED_TESTS["randomisation"](first, second) == pytest.approx(direct.pvalue)


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_equal_runs(test: str) -> None:
    column = [0.25, 0.5, 0.1]
    assert PAIRED_TESTS[test](column, column) == 1
    assert PAIRED_TESTS[test](column, [value + 1e-13 for value in column]) == 1
    (line,) = compare_runs(results_of([column, column]), "MAep", test=test)
    assert (line.run, line.baseline) == ("r1", "r0")
    assert (line.p, line.p_adjusted, line.effect) == (1, 1, None)
    assert (line.difference, line.low, line.high) == (0, 0, 0)
    assert (line.wins, line.losses, line.ties) == (0, 0, 3)


def test_the_same_difference_everywhere() -> None:
    first, second = [0.3, 0.4, 0.5], [0.1, 0.2, 0.3]
    assert PAIRED_TESTS["t"](first, second) == 0
    assert (
        PAIRED_TESTS["wilcoxon"](first, second) == PAIRED_TESTS["randomisation"](first, second) == 2 / 8
    )
    (line,) = compare_runs(results_of([first, second]), "MAep")
    assert line.effect is None
    assert line.low == line.high == line.difference


@pytest.mark.parametrize("test", PAIRED_TESTS)
@pytest.mark.parametrize(
    ("first", "second"), [([1], [0]), ([1, 2], [1, 2, 3]), ([1, math.nan], [1, 2])]
)
def test_columns_that_are_no_pairs(test: str, first: Column, second: Column) -> None:
    with pytest.raises(XcgError):
        PAIRED_TESTS[test](first, second)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@given(table=tables(runs=2, most_topics=20), data=st.data())
@settings(max_examples=25, deadline=None)
def test_laws_of_the_tests(test: str, table: list[Column], data: st.DataObject) -> None:
    p_value = PAIRED_TESTS[test]
    first, second = table
    p = p_value(first, second)
    assert 0 <= p <= 1
    assert p_value(second, first) == pytest.approx(p, abs=1e-9)
    order = data.draw(st.permutations(range(len(first))))
    assert p_value([first[i] for i in order], [second[i] for i in order]) == pytest.approx(p, abs=1e-9)


def test_sampled_randomisation_keeps_the_laws() -> None:
    first, second = noise((2, 25))
    p = PAIRED_TESTS["randomisation"](first, second)
    assert PAIRED_TESTS["randomisation"](second, first) == p
    assert PAIRED_TESTS["randomisation"](first[::-1], second[::-1]) == pytest.approx(p, abs=2e-5)


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_runs_that_are_alike_are_rarely_told_apart(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        paired_tests, "RANDOM_SIGN_VECTORS", 10_000
    )  # enough here, and ten times as fast
    pairs = np.random.default_rng(2006).normal(size=(200, 2, 30))
    rejected = sum(PAIRED_TESTS[test](first, second) < 0.05 for first, second in pairs)
    assert 2 <= rejected <= 20


# Comparisons


def test_a_comparison_by_hand() -> None:
    # d = 0.2 0.4 −0.1 0 0.5: mean 0.2, squares around it 0 + 0.04 + 0.09 + 0.04 + 0.09 = 0.26
    low = [0.1, 0.2, 0.3, 0.4, 0.5]
    high = [0.3, 0.6, 0.2, 0.4, 1.0]
    results = results_of([low, high])
    (line,) = compare_runs(results, "MAep", baseline="r0")
    deviation = math.sqrt(0.26 / 4)
    half = 2.776445 * deviation / math.sqrt(5)  # Student's t for 97.5 %, 4 degrees of freedom
    expected = Comparison(
        run="r1",
        baseline="r0",
        measure="MAep",
        user_model="m",
        topics=5,
        mean=0.5,
        baseline_mean=0.3,
        difference=0.2,
        low=0.2 - half,
        high=0.2 + half,
        effect=0.2 / deviation,
        wins=3,
        losses=1,
        ties=1,
        p=PAIRED_TESTS["t"](high, low),
        p_adjusted=PAIRED_TESTS["t"](high, low),
    )
    assert asdict(line) == pytest.approx(asdict(expected))
    (other,) = compare_runs(results, "MAep", "m")  # by default against the run with the higher mean
    assert (other.run, other.baseline, other.wins, other.losses) == ("r0", "r1", 1, 3)
    assert (other.low, other.high) == (-line.high, -line.low)


def test_pairs() -> None:
    results = results_of([[0.2, 0.4, 0.1], [0.5, 0.9, 0.6], [0.3, 0.1, 0.2]])
    found = compare_runs(results, "MAep", baseline="all")
    assert [(c.run, c.baseline) for c in found] == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    found = compare_runs(results, "MAep")
    assert [(c.run, c.baseline) for c in found] == [("r0", "r1"), ("r2", "r1")]
    # a run without figures of the measure stays out
    more = Results([*results, Result("r3", "0", "nxCG@1", 0.5, "m")])
    assert compare_runs(more, "MAep") == found


def test_corrections_by_hand() -> None:
    table = noise((4, 10), seed=3)
    lines = {
        c: compare_runs(results_of(table), "MAep", baseline="r0", correction=c) for c in CORRECTIONS
    }
    raw = [line.p for line in lines["none"]]
    assert raw == [PAIRED_TESTS["t"](column, table[0]) for column in table[1:]]
    assert [line.p_adjusted for line in lines["none"]] == raw
    assert [line.p_adjusted for line in lines["bonferroni"]] == pytest.approx(
        [min(1, 3 * p) for p in raw]
    )
    a, b, c = sorted(raw)
    holm = [min(1, 3 * a), min(1, max(3 * a, 2 * b)), min(1, max(3 * a, 2 * b, c))]
    assert sorted(line.p_adjusted for line in lines["holm"]) == pytest.approx(holm)
    fdr = [min(3 * a, 3 / 2 * b, c), min(3 / 2 * b, c), c]
    assert sorted(line.p_adjusted for line in lines["fdr_bh"]) == pytest.approx(fdr)


@given(tables(), st.sampled_from([None, "all"]))
@settings(max_examples=25, deadline=None)
def test_laws_of_comparisons(table: list[Column], baseline: str | None) -> None:
    found = compare_runs(results_of(table), "MAep", baseline=baseline)
    runs = len(table)
    assert len(found) == (runs - 1 if baseline is None else runs * (runs - 1) // 2)
    for line in found:
        assert 0 <= line.p <= line.p_adjusted <= 1
        assert line.low <= line.difference <= line.high
        assert line.wins + line.losses + line.ties == line.topics
        assert line.difference == pytest.approx(line.mean - line.baseline_mean, abs=1e-11)
        if baseline is None:
            assert line.difference <= 1e-12
        # the interval and the test are the same statement
        if not math.isclose(line.p, 0.05, rel_tol=1e-6) and line.effect is not None:
            assert (line.p < 0.05) == (line.low > 0 or line.high < 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "MAp"}, "no measure 'MAp': did you mean 'MAep'?"),
        ({"user_model": "n"}, "no user model 'n'"),
        ({"baseline": "r7"}, "no run 'r7'"),
        ({"test": "wilcox"}, "no test 'wilcox': did you mean 'wilcoxon'?"),
        ({"correction": "hom"}, "no correction 'hom': did you mean 'holm'?"),
    ],
)
def test_unknown_names(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(XcgError) as raised:
        compare_runs(results_of([[0.1, 0.2], [0.3, 0.4]]), **{"measure": "MAep", **arguments})
    assert message in str(raised.value)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(XcgError, match="1 runs with scores per topic of MAep under m"):
        compare_runs(results_of([[0.1, 0.2]]), "MAep")
    with pytest.raises(XcgError, match="0 runs with scores per topic"):
        compare_runs(results_of([[0.1, 0.2], [0.3, 0.4]]).means(), "MAep")
    two = Results([Result("r", "1", "MAep", 0.5, model) for model in ("one", "two")])
    with pytest.raises(XcgError, match="name the user model: expected one of one, two"):
        compare_runs(two, "MAep")


@pytest.mark.parametrize("package", ["scipy.stats", "statsmodels.stats.multitest"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(XcgError, match=r"needs .*: pip install 'xcg\[statistics\]'"):
        compare_runs(results_of([[0.1, 0.2], [0.3, 0.5]]), "MAep")


# More than two runs


def test_anova_by_hand() -> None:
    # runs a = 1 2 3, b = 2 3 7, c = 3 4 5: means 2 4 4, of topics 2 3 5, of all 10 / 3.
    # SS runs = 3·(16 + 4 + 4) / 9 = 8, SS topics = 3·(16 + 1 + 25) / 9 = 14,
    # SS total = 126 − 9·100 / 9 = 26, so 4 are left for 4 degrees of freedom
    found = anova(figures_of([[1, 2, 3], [2, 3, 7], [3, 4, 5]]))
    assert found.runs[:3] == pytest.approx((8, 2, 4))
    assert found.topics[:3] == pytest.approx((14, 2, 7))
    assert found.error_squares == pytest.approx(4)
    assert found.error_df == 4
    # P(F > f) with 2 and 4 degrees of freedom is (1 + f / 2)⁻²
    assert found.runs.p == pytest.approx(1 / 9)
    assert found.topics.p == pytest.approx(4 / 81)


def test_anova_without_an_effect_and_without_an_error() -> None:
    same = anova(figures_of([[0.1, 0.2, 0.3]] * 3))
    assert (same.runs.f, same.runs.p, same.topics.f, same.topics.p) == (0, 1, math.inf, 0)
    shifted = anova(figures_of([[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]]))
    assert (shifted.error_squares, shifted.runs.p, shifted.topics.p) == (0, 0, 0)


def test_anova_agrees_with_statsmodels() -> None:
    from pandas import DataFrame
    from statsmodels.formula.api import ols  # type: ignore[import-untyped]
    from statsmodels.stats.anova import anova_lm  # type: ignore[import-untyped]

    table = noise((4, 12))
    rows = [(run, t, value) for run, column in enumerate(table) for t, value in enumerate(column)]
    frame = DataFrame(rows, columns=["run", "topic", "value"])
    direct = anova_lm(ols("value ~ C(run) + C(topic)", frame).fit())
    found = anova(figures_of(table))
    for effect, name in ((found.runs, "C(run)"), (found.topics, "C(topic)")):
        expected = [direct.loc[name, key] for key in ("sum_sq", "df", "F", "PR(>F)")]
        assert list(effect) == pytest.approx(expected)
    assert found.error_squares == pytest.approx(direct.loc["Residual", "sum_sq"])


@given(tables(runs=2))
@settings(deadline=None)
def test_anova_of_two_runs_is_the_t_test(table: list[Column]) -> None:
    first, second = table
    assume(np.subtract(first, second).std() > 1e-6)
    found = anova(figures_of(table))
    assert found.runs.p == pytest.approx(PAIRED_TESTS["t"](first, second), abs=1e-4)


def test_friedman_agrees_with_scipy() -> None:
    from scipy.stats import friedmanchisquare

    table = noise((4, 12))
    assert friedman(figures_of(table)) == tuple(friedmanchisquare(*table))
    assert friedman(figures_of([[0.1, 0.7]] * 3)) == (0, 1)
    # 0.1 + 0.2 ties with 0.3: both runs have ranks 1.5, twice
    nearly = friedman(figures_of([[0.1 + 0.2, 0.5], [0.3, 0.5], [0.6, 0.8]]))
    assert nearly == friedman(figures_of([[0.3, 0.5], [0.3, 0.5], [0.6, 0.8]]))


@pytest.mark.parametrize("method", ["conover", "nemenyi"])
def test_posthoc(method: str) -> None:
    import scikit_posthocs  # type: ignore[import-untyped]

    table = noise((4, 12))
    found = friedman_posthoc(figures_of(table), method)
    assert list(found) == list(combinations(["r0", "r1", "r2", "r3"], 2))
    if method == "conover":
        direct = scikit_posthocs.posthoc_conover_friedman(np.transpose(table), p_adjust="holm")
    else:
        direct = scikit_posthocs.posthoc_nemenyi_friedman(np.transpose(table))
    assert list(found.values()) == [direct.iloc[i, j] for i, j in combinations(range(4), 2)]


def test_posthoc_of_the_same_ranks_everywhere() -> None:
    same = figures_of([[0.1, 0.7]] * 3)
    assert set(friedman_posthoc(same).values()) == {1}
    assert list(friedman_posthoc(same, "nemenyi").values()) == pytest.approx([1, 1, 1])
    ordered = figures_of([[0.1, 0.2], [0.3, 0.4], [0.3, 0.4]])
    assert list(friedman_posthoc(ordered).values()) == [0, 0, 1]


@given(tables(least_runs=3))
@settings(max_examples=15, deadline=None)
def test_laws_of_more_than_two(table: list[Column]) -> None:
    figures = figures_of(table)
    statistic, p = friedman(figures)
    assert statistic >= -1e-9
    found = anova(figures)
    assert all(0 <= value <= 1 for value in (p, found.runs.p, found.topics.p))
    assert all(0 <= value <= 1 for value in friedman_posthoc(figures).values())
    backwards = figures_of([column[::-1] for column in table])
    assert friedman(backwards) == pytest.approx((statistic, p))


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
def test_too_little_for_a_table(function: object, table: list[Column]) -> None:
    with pytest.raises(XcgError):
        function(figures_of(table))  # type: ignore[operator]


def test_an_unknown_posthoc() -> None:
    with pytest.raises(XcgError, match="no method 'conver': did you mean 'conover'"):
        friedman_posthoc(figures_of([[0.1, 0.2]] * 3), "conver")


# Topics, orders, discriminative power


def test_deciding_topics() -> None:
    figures = figures_of([[0.5, 0.25, 0.75, 0.5, 0.3], [0.25, 0.75, 0.5, 0.5, 0.1 + 0.2]])
    assert deciding_topics(figures, "r0", "r1") == [("1", -0.5), ("0", 0.25), ("2", 0.25)]
    assert deciding_topics(figures, "r1", "r0", count=1) == [("1", 0.5)]
    with pytest.raises(XcgError, match="no run 'r2'"):
        deciding_topics(figures, "r0", "r2")


def test_tau_ap_of_four_runs() -> None:
    assert round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4) == 0.3333
    assert round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4) == 0.7778
    # equal figures keep their positions, in either column
    assert tau_ap([3, 2, 1], [1, 1, 1]) == tau_ap([1, 1, 1], [3, 2, 1]) == 1
    assert tau_ap([1, 2, 3], [1, 1, 1]) == -1
    for columns in (([1], [1]), ([1, 2], [1, 2, 3])):
        with pytest.raises(XcgError):
            tau_ap(*columns)


@given(st.permutations(range(6)), st.permutations(range(6)))
@settings(deadline=None)
def test_laws_of_tau_ap(reference: list[float], other: list[float]) -> None:
    assert -1 - 1e-12 <= tau_ap(reference, other) <= 1 + 1e-12
    assert tau_ap(reference, reference) == pytest.approx(1)
    assert tau_ap(reference, [-value for value in reference]) == pytest.approx(-1)
    # the order of the runs does not matter where no figures are equal
    assert tau_ap(reference[::-1], other[::-1]) == pytest.approx(tau_ap(reference, other))


def test_discriminative_power_of_two_topics() -> None:
    # z = 0.1 0.3, w = −0.1 0.1: half of the resamples draw one topic twice, whose |t*| is infinite
    # and whose mean is ±0.1; the other half has t* = 0. So the level is near 0.5 and 0.1 is required
    figures = figures_of([[0.2, 0.4], [0.1, 0.1]])
    assert discriminative_power(figures) == pytest.approx((0, 0.1))
    assert discriminative_power(figures, level=0.6) == pytest.approx((1, 0))
    assert discriminative_power(figures_of([[0.2, 0.4]] * 2)) == (0, 0)
    # two pairs differ by the same everywhere, one does not differ at all
    assert discriminative_power(figures_of([[0.2, 0.4], [0.1, 0.3], [0.1, 0.3]])) == (2 / 3, 0)


def test_discriminative_power_against_plain_loops() -> None:
    table = [[v + 0.06 * i for v in column] for i, column in enumerate(noise((4, 10), seed=8))]
    drawn = np.random.default_rng(7).integers(0, 10, (200, 10)).tolist()

    def t(values: Sequence[float]) -> float:
        return abs(statistics.fmean(values)) / (statistics.stdev(values) / math.sqrt(len(values)))

    apart, required = 0, []
    for first, second in combinations(table, 2):
        z = [a - b for a, b in zip(first, second, strict=True)]
        w = [value - statistics.fmean(z) for value in z]
        samples = sorted(([w[i] for i in rows] for rows in drawn), key=t, reverse=True)
        apart += sum(t(sample) >= t(z) for sample in samples) / 200 < 0.05
        required.append(abs(statistics.fmean(samples[9])))  # the tenth of 200
    found = discriminative_power(figures_of(table), resamples=200, seed=7)
    assert 0 < apart < 6
    assert found == pytest.approx((apart / 6, max(required)))
    assert found == pytest.approx(discriminative_power(figures_of(table[::-1]), resamples=200, seed=7))


@pytest.mark.parametrize(("level", "resamples"), [(0.05, 10), (0, 100), (1.5, 100), (-0.1, 100)])
def test_illegal_levels(level: float, resamples: int) -> None:
    with pytest.raises(XcgError, match="expected at least one resample and a level"):
        discriminative_power(figures_of([[0.2, 0.4], [0.1, 0.1]]), level, resamples)


def test_a_level_of_a_rounded_product() -> None:
    assert 100 * 0.29 < 29
    table = noise((2, 10))
    exact = discriminative_power(figures_of(table), 29.5 / 100, 100)
    assert discriminative_power(figures_of(table), 0.29, 100)[1] == exact[1]
