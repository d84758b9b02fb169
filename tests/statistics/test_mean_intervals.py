"""Confidence intervals of means: values of scipy, counts, and means without an interval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import Column, results_by_model, results_of, tables

from xcg.statistics.intervals import mean_intervals

scipy_stats = pytest.importorskip("scipy.stats")


@given(tables(), st.sampled_from([80, 95, 99.5]))
def test_intervals_are_those_of_scipy(table: list[Column], confidence: float) -> None:
    """scipy inverts the test of one sample."""
    found, notes = mean_intervals(results_of(table), confidence)
    for number, column in enumerate(table):
        if ("MAep", "m", f"r{number}") in found:
            low, high = found["MAep", "m", f"r{number}"]
            expected = scipy_stats.ttest_1samp(column, 0).confidence_interval(confidence / 100)
            assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-6, abs=1e-9)
        else:
            assert max(column) - min(column) < 1e-9
            assert "note: no interval, because all topics have the same score" in notes[0]


def test_the_interval_of_a_count_is_that_of_the_sum() -> None:
    scores = {"m": {"r": {"1": 1.0, "2": 2.0, "3": 6.0, "all": 9.0}}}
    found, notes = mean_intervals(results_by_model("NumRet", scores))
    (limits,) = found.values()
    half_width = (
        4.302653 * math.sqrt(7) / math.sqrt(3)
    )  # of the mean 3; the variance is (4 + 1 + 9) / 2
    assert limits == pytest.approx((9 - 3 * half_width, 9 + 3 * half_width), rel=1e-6)
    assert notes == []


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ({"1": 0.5, "all": 0.5}, "there are fewer than two topics"),
        ({"1": 0.5, "2": 0.5, "all": 0.5}, "all topics have the same score"),
        ({"1": 0.25, "2": 1.0, "all": 0.5}, "the value is not the mean over topics"),  # geometric
    ],
)
def test_a_note_says_why_there_is_no_interval(scores: dict[str, float], reason: str) -> None:
    results = results_by_model("MAep", {"m": {f"r{number}": scores for number in range(4)}})
    means = "r0 by MAep under m, r1 by MAep under m, r2 by MAep under m and 1 more"
    assert mean_intervals(results) == ({}, [f"note: no interval, because {reason}: {means}"])
