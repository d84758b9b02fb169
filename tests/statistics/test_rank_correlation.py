"""Agreement of orders: τ_AP by hand, and lower-is-better measures."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.judgements.recall_base import MEAN
from xcg.statistics.intervals import resampled_topics
from xcg.statistics.rank_correlation import kendall_tau_b, order_agreements, order_shifts, tau_ap
from xcg.statistics.topic_scores import topic_scores


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_tau_ap_is_1_for_equal_and_minus_1_for_reversed_orders(
    reference: list[float], other: list[float]
) -> None:
    assert -1 - 1e-12 <= tau_ap(reference, other) <= 1 + 1e-12
    assert tau_ap(reference, reference) == pytest.approx(1)
    assert tau_ap(reference, [-value for value in reference]) == pytest.approx(-1)
    # The order of the runs does not matter if no scores are equal.
    assert tau_ap(reference[::-1], other[::-1]) == pytest.approx(tau_ap(reference, other))


def results_under(models: dict[str, dict[str, float]], measure: str) -> Results:
    return Results(
        Result(run, "all", measure, mean, model)
        for model, means in models.items()
        for run, mean in means.items()
    )


MODELS = {"one": {"a": 1.0, "b": 2.0, "c": 3.0}, "two": {"a": 1.0, "b": 3.0, "c": 2.0}}


@pytest.mark.parametrize(("measure", "best"), [("MAep", ["c", "b"]), ("ASL", ["a", "a"])])
def test_order_shifts_respect_lower_is_better(measure: str, best: list[str]) -> None:
    first, second = order_shifts(results_under(MODELS, measure))
    assert [first.best, second.best] == best
    assert (first.moved, second.moved) == (0, 2)
    assert (first.tau_b, second.tau_b) == (1, pytest.approx(1 / 3))


def test_moved_runs_have_another_rank_in_the_order_of_the_measure() -> None:
    # Ties share the best of their ranks. Ascending 1 1 2: ranks 1 1 3 if lower is better, else 2 2 1.
    models = {"one": {"a": 1.0, "b": 1.0, "c": 2.0}, "two": {"a": 1.0, "b": 1.5, "c": 2.0}}
    moved = {m: order_shifts(results_under(models, m))[1].moved for m in ("MAep", "ASL")}
    assert moved == {"MAep": 1, "ASL": 1}
    best = {m: order_shifts(results_under(models, m))[0].best for m in ("MAep", "ASL")}
    assert best == {"MAep": "c", "ASL": "a, b"}


def test_orders_by_higher_and_lower_is_better_measures_agree_on_the_better_run() -> None:
    means = {"MAep": {"a": 0.9, "b": 0.5, "c": 0.1}, "ASL": {"a": 1.0, "b": 2.0, "c": 3.0}}
    results = Results(
        Result(run, "all", measure, mean, "m")
        for measure, scores in means.items()
        for run, mean in scores.items()
    )
    (found,) = order_agreements(results)
    assert (found.measure, found.other_measure) == ("MAep", "ASL")
    assert (found.tau_b, found.tau_ap) == (pytest.approx(1), pytest.approx(1))
    with pytest.raises(XcgError, match="one order: expected at least two"):
        order_agreements(results_under({"m": means["MAep"]}, "MAep"))
    with pytest.raises(XcgError, match="one run has no order"):
        order_agreements(results_under({"m": {"a": 1.0}, "n": {"a": 2.0}}, "MAep"))


BASE = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}


RETRIEVED = {
    "up": {"1": ["d#/a", "d#/a/s[2]"]},
    "down": {"1": ["d#/a/s[2]", "d#/a/s[1]"]},
    "off": {"1": ["e#/a"]},
}


SMALL_AND_LARGE = [
    {"name": "small", "quantisation": "strict"},
    {"name": "large", "quantisation": {"table": {"2,1": 1}}},
]


def test_tau_b_of_columns() -> None:
    assert kendall_tau_b([1, 2, 3], [3, 2, 1]) == -1
    # one tie in the first: 2 concordant of 3 pairs, (2 − 0) / √(2 · 3)
    assert kendall_tau_b([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(6))
    assert kendall_tau_b([1, 1], [1, 2]) is None


def test_sweeps_that_compare_nothing() -> None:
    with pytest.raises(XcgError, match="one user model: expected at least two"):
        order_shifts(xcg.evaluate(BASE, RETRIEVED))
    with pytest.raises(XcgError, match="one run has no order"):
        order_shifts(xcg.evaluate(BASE, {"up": RETRIEVED["up"]}, None, SMALL_AND_LARGE))


def random_results(measures: list[str], topics: int = 8, runs: int = 5) -> Results:
    """Return random scores per topic, and their means."""
    rng = np.random.default_rng(7)
    rows = []
    for measure in measures:
        table = rng.random((topics, runs))
        for run in range(runs):
            rows += [Result(f"r{run}", str(t), measure, table[t, run], "m") for t in range(topics)]
            rows.append(Result(f"r{run}", MEAN, measure, float(table[:, run].mean()), "m"))
    return Results(rows)


def test_intervals_of_tau_b_agree_with_resampled_means() -> None:
    results = random_results(["MAep", "ASL"])
    (found,) = order_agreements(results, resamples=60, seed=5)
    tables = {m: topic_scores(results, m, "m", results.runs).matrix for m in ("MAep", "ASL")}
    taus = []
    for resample in range(60):
        drawn = resampled_topics(8, 5, resample)
        means = [tables["MAep"][drawn].mean(axis=0), -tables["ASL"][drawn].mean(axis=0)]
        taus.append(scipy.stats.kendalltau(*means).statistic)
    shifted = np.sort(taus) - np.mean(taus) + found.tau_b
    assert found.interval == pytest.approx((max(shifted[1], -1), min(shifted[58], 1)))
    assert order_agreements(results)[0] == found._replace(interval=None)
    assert order_agreements(results, 60, 6)[0].interval != found.interval


def test_means_that_are_not_arithmetic_have_no_interval() -> None:
    rows = [
        row._replace(value=0.5) if (row.topic, row.measure) == (MEAN, "ASL") else row
        for row in random_results(["MAep", "ASL", "Q"])
    ]
    found = order_agreements(Results(rows), resamples=20)
    known = {(row.measure, row.other_measure): row.interval is not None for row in found}
    assert known == {("MAep", "ASL"): False, ("MAep", "Q"): True, ("ASL", "Q"): False}
