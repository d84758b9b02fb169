"""Comparisons of runs: by hand, their laws, and the public function."""

from __future__ import annotations

import math
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import Column, noise, paired_p_value, results_by_run, results_of, tables

import xcg
from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.report.comparison_sentences import best_run_sentences
from xcg.statistics.significance import CORRECTIONS, Comparison, best_runs, compare, compare_runs
from xcg.statistics.significance_tests import PAIRED_TESTS


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_equal_runs_have_a_p_value_of_1(test: str) -> None:
    column = [0.25, 0.5, 0.1]
    assert paired_p_value(test, column, column) == 1
    assert paired_p_value(test, column, [value + 1e-13 for value in column]) == 1
    (line,) = compare_runs(results_of([column, column]), "MAep", "m", test=test)
    assert (line.run, line.baseline) == ("r0", "r1")
    assert (line.p, line.p_adjusted, line.effect) == (1, 1, None)
    # Three equal topics do not show that the runs are equal: 2 / 2³ is not below 0.05.
    assert (line.difference, line.low, line.high) == (0, None, None)
    assert (line.wins, line.losses, line.ties) == (0, 0, 3)


def test_a_constant_difference_has_no_effect_size() -> None:
    first, second = [0.3, 0.4, 0.5], [0.1, 0.2, 0.3]
    assert all(paired_p_value(test, first, second) == 2 / 8 for test in PAIRED_TESTS)
    (line,) = compare_runs(results_of([first, second]), "MAep", "m")
    assert line.effect is None
    assert line.low is line.high is None  # 2 / 2³ is not below 0.05
    (line,) = compare_runs(results_of([[0.3] * 6, [0.1] * 6]), "MAep", "m")
    assert line.low == line.high == line.difference == pytest.approx(0.2)
    assert line.p == 2 / 2**6


def test_a_comparison_computed_by_hand() -> None:
    # d = 0.2 0.4 −0.1 0 0.5: mean 0.2, squares around it 0 + 0.04 + 0.09 + 0.04 + 0.09 = 0.26
    low = [0.1, 0.2, 0.3, 0.4, 0.5]
    high = [0.3, 0.6, 0.2, 0.4, 1.0]
    results = results_of([low, high])
    (line,) = compare_runs(results, "MAep", "m", baseline="r0")
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
        deviation=deviation,
        wins=3,
        losses=1,
        p=paired_p_value("t", high, low),
        p_adjusted=paired_p_value("t", high, low),
        level=0.95,
        test="t",
        correction="holm",
        comparisons=1,
    )
    assert asdict(line) == pytest.approx(asdict(expected))
    assert (line.relative, line.criterion, line.ties) == (pytest.approx(0.2 / 0.3), "material", 1)
    (other,) = compare_runs(results, "MAep", "m", "r1")
    assert (other.run, other.baseline, other.wins, other.losses) == ("r0", "r1", 1, 3)
    assert (other.low, other.high) == (-line.high, -line.low)


def test_all_pairs_are_compared_without_a_baseline() -> None:
    results = results_of([[0.2, 0.4, 0.1], [0.5, 0.9, 0.6], [0.3, 0.1, 0.2]])
    found = compare_runs(results, "MAep", "m", baseline="all")
    assert [(c.run, c.baseline) for c in found] == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    assert found == compare_runs(results, "MAep", "m")
    # A run without scores of the measure is not compared.
    more = Results([*results, Result("r3", "0", "nxCG@1", 0.5, "m")])
    assert compare_runs(more, "MAep", "m") == found


@pytest.mark.slow
@given(
    tables(),
    st.sampled_from([None, "r0"]),
    st.sampled_from(["t", "randomisation"]),
    st.sampled_from([None, *CORRECTIONS]),
)
def test_intervals_tests_and_counts_are_consistent(
    table: list[Column], baseline: str | None, test: str, correction: str | None
) -> None:
    if (correction == "shaffer" and test != "t") or (
        correction in ("shaffer", "tukey") and baseline == "r0"
    ):
        correction = None
    found = compare_runs(results_of(table), "MAep", "m", baseline, test, correction)
    runs = len(table)
    assert len(found) == (runs * (runs - 1) // 2 if baseline is None else runs - 1)
    for line in found:
        assert 0 <= line.p <= line.p_adjusted <= 1
        low = -math.inf if line.low is None else line.low
        high = math.inf if line.high is None else line.high
        assert low - 1e-12 <= line.difference <= high + 1e-12
        assert line.wins + line.losses + line.ties == line.topics
        assert line.difference == pytest.approx(line.mean - line.baseline_mean, abs=1e-11)
        # An interval without 0 is of a significant difference. The converse holds unless the
        # correction has later steps at a higher level.
        if not math.isclose(line.p_adjusted, 0.05, rel_tol=1e-6):
            significant, excludes_0 = line.p_adjusted < 0.05, low > 0 or high < 0
            assert significant >= excludes_0
            assert significant == excludes_0 or line.correction in ("shaffer", "holm")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "MAp"}, "no measure 'MAp': did you mean 'MAep'?"),
        ({"baseline": "r7"}, "no run 'r7'"),
        (
            {"correction": "tukey", "baseline": "r0"},
            "the correction tukey is only defined if all pairs of runs are compared, not with a "
            "baseline like 'r0': use holm",
        ),
        (
            {"correction": "tukey", "test": "wilcoxon"},
            "the correction tukey is only defined if the test is t or randomisation, not wilcoxon",
        ),
    ],
)
def test_unknown_names_are_errors(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(XcgError) as raised:
        compare_runs(
            results_of([[0.1, 0.2], [0.3, 0.4]]), **{"measure": "MAep", "user_model": "m", **arguments}
        )
    assert message in str(raised.value)


def test_a_run_named_like_a_kind_of_baseline_is_not_confused_with_it() -> None:
    rows = [row._replace(run="all") if row.run == "r1" else row for row in results_of(noise((3, 4)))]
    assert len(compare_runs(Results(rows), "MAep", "m")) == 3
    with pytest.raises(XcgError, match="the baseline 'all' is not a run, but a run has this name"):
        compare_runs(Results(rows), "MAep", "m", baseline="all")


def test_a_pair_with_fewer_than_two_topics_is_an_error() -> None:
    rows = [row for row in results_of(noise((3, 4))) if row.run != "r2" or row.topic == "1"]
    for baseline in (None, "r0"):
        with pytest.raises(XcgError, match=r"1 topics have scores .* leave a run out, or score un"):
            compare_runs(Results(rows), "MAep", "m", baseline=baseline)


def test_too_few_runs_are_errors() -> None:
    with pytest.raises(XcgError, match="1 runs with scores per topic of MAep under m"):
        compare_runs(results_of([[0.1, 0.2]]), "MAep", "m")
    with pytest.raises(XcgError, match="0 runs with scores per topic"):
        compare_runs(results_of([[0.1, 0.2], [0.3, 0.4]]).means(), "MAep", "m")


# ASL is the mean rank of the relevant documents: lower is better.
LEVELS = {str(topic): {"a": 1, "b": 0, "c": 0} for topic in range(1, 7)}
SHORT, LONG = ["a", "b", "c"], ["b", "c", "a"]
SEARCHES = {
    "long": {**dict.fromkeys(LEVELS, LONG), "1": ["b", "a", "c"]},
    "short": dict.fromkeys(LEVELS, SHORT),
}


def test_a_run_is_better_for_a_topic_if_its_lower_is_better_score_is_lower() -> None:
    results = xcg.evaluate(LEVELS, SEARCHES, measures="ASL MAep")
    assert results.value("short", "ASL") < results.value("long", "ASL")
    (line,) = compare_runs(results, "ASL", "levels", baseline="short")
    assert (line.run, line.baseline, line.wins, line.losses, line.ties) == ("long", "short", 0, 6, 0)
    assert line.difference > 0
    (reverse,) = compare_runs(results, "ASL", "levels", baseline="long")
    assert (reverse.run, reverse.wins, reverse.losses) == ("short", 6, 0)


def test_the_public_function_compares_by_all_measures_and_user_models() -> None:
    runs = {"r1": {"1": ["d"], "2": ["d"], "3": ["e", "d"]}, "r2": {"1": ["e", "d"], "2": ["d"]}}
    gold = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
    results = xcg.evaluate(gold, runs, user_model=["levels"], measures="MAep nxCG@1")
    every = compare(results)
    assert every == [
        *compare_runs(results, "MAep", "levels"),
        *compare_runs(results, "nxCG@1", "levels"),
    ]


pytest.importorskip("scipy")

MEANS = {"a": 0.25, "b": 0.375, "c": 0.125}


@pytest.mark.parametrize(("measure", "best", "second"), [("MAep", "b", "a"), ("ASL", "c", "a")])
@pytest.mark.parametrize("missing", [0, 1])
def test_the_p_value_is_that_of_compare(measure: str, best: str, second: str, missing: int) -> None:
    """With a missing score, pairs are tested on their own topics, and the correction is Holm's."""
    table = noise((3, 9))
    scores = {
        (run, measure, "m"): [mean + x / 4 for x in column[: -missing if run == "b" and missing else 9]]
        for (run, mean), column in zip(MEANS.items(), table, strict=True)
    }
    results = results_by_run(scores)
    (found,) = best_runs(results)
    assert (found.best, found.second, found.comparisons) == (best, second, 3)
    (line,) = [one for one in compare(results) if {one.run, one.baseline} == {best, second}]
    assert found.p == pytest.approx(line.p_adjusted, rel=1e-12)
    assert found.correction == line.correction == ("holm" if missing else "shaffer")


def test_each_measure_has_a_sentence() -> None:
    """The differences of the two runs are 0.125 for two topics, and 0.25 and 0 for the others.

    t = 0.125 / (√(0.03125 / 3) / 2) = 2.4495 with 3 degrees of freedom: p = 0.0917.
    """
    results = results_of([[0.25, 0.5, 0.25, 0.5], [0.375, 0.625, 0.5, 0.5]])
    assert best_run_sentences(best_runs(results)) == [
        "MAep: the best run, r1, does not differ significantly from the second, r0 (p = 0.0917)",
        "best and second: the paired t test, significance level 5 %; the best run was chosen after "
        "seeing the scores",
    ]


def test_user_models_with_a_difference_are_counted() -> None:
    scores = {(run, "MAep", model): [0.25, 0.375, 0.5] for run in "ab" for model in ("m1", "m2")}
    scores["c", "MAep", "m1"] = [0.5, 0.625, 0.75]  # 1/4 more: equal signs of three topics, p = 1/4
    scores["c", "MAep", "m2"] = [0.75, 0.8751, 1.0001]
    counted, test = best_run_sentences(best_runs(results_by_run(scores)))
    assert (
        counted == "MAep: the best run differs significantly from the second under 1 of 2 user models"
    )
    assert "corrected for 3 comparisons (Holm with Shaffer's steps)" in test
    assert test.endswith("there is no correction for the number of measures and user models")


def test_one_topic_is_not_tested() -> None:
    assert best_run_sentences(best_runs(results_of([[0.5], [0.25]]))) == [
        "MAep: whether the best run differs from the second cannot be tested, because they share fewer "
        "than two topics"
    ]
    assert best_runs(results_of([[0.5, 0.25]])) == []
