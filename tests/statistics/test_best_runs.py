"""Whether the best run differs from the second: the same p value as compare, and what is said of it."""

from __future__ import annotations

import pytest
from score_tables import noise, results_by_run, results_of

from xcg.report.orders import best_run_sentences
from xcg.statistics.best_runs import best_runs
from xcg.statistics.significance import compare

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
