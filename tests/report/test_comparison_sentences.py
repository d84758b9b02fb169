"""The sentences above and below a table of comparisons."""

from __future__ import annotations

import re
import statistics
from itertools import combinations

import pytest

from xcg.evaluation.results import Result, Results
from xcg.report.comparison_sentences import comparison_statement, zero_notes
from xcg.statistics.significance import compare_runs

SCORES = {"a": (0.1, 0.4, 0.2, 0.5), "b": (0.2, 0.3, 0.3, 0.4), "c": (0.9, 0.1, 0.8, 0.0)}


def results_of(scores: dict[str, tuple[float, ...]]) -> Results:
    return Results(
        Result(run, str(topic), "MAep", value, "m")
        for run, values in scores.items()
        for topic, value in enumerate(values)
    )


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["tukey", "shaffer"])
def test_sentences_state_how_much_the_spreads_of_pairs_differ(correction: str) -> None:
    deviations = [
        statistics.stdev(x - y for x, y in zip(SCORES[a], SCORES[b], strict=True))
        for a, b in combinations(SCORES, 2)
    ]
    low, high = min(deviations), max(deviations)
    assert high > 3 * low
    comparisons = compare_runs(results_of(SCORES), "MAep", "m", correction=correction)
    facts = comparison_statement(comparisons, None, correction).facts
    (spread,) = (line for line in facts if line.startswith("spread: "))
    assert spread.endswith(f"from {low:.4f} to {high:.4f}")
    warned = [line for line in facts if line.startswith("warning: ")]
    assert [f"{high / low:.1f}-fold" in line for line in warned] == [True] * (correction == "tukey")


def test_spreads_within_threefold_are_no_reason_for_a_warning() -> None:
    scores = {**SCORES, "c": (0.4, 0.1, 0.3, 0.2)}
    comparisons = compare_runs(results_of(scores), "MAep", "m", correction="tukey")
    facts = comparison_statement(comparisons, None, "tukey").facts
    assert not [line for line in facts if line.startswith("warning: ")]


def test_equal_means_and_equal_runs_have_a_spread_too() -> None:
    """The spread of a - b is the largest, and its mean 0; that of a copy is 0."""
    scores = {"a": (0.1, 0.9, 0.1, 0.9), "b": (0.9, 0.1, 0.9, 0.1), "c": (0.5, 0.6, 0.4, 0.4)}
    comparisons = compare_runs(results_of(scores), "MAep", "m")
    (spread,) = (f for f in comparison_statement(comparisons, None).facts if f.startswith("spread: "))
    assert spread.endswith(f" to {statistics.stdev((0.8, -0.8, 0.8, -0.8)):.4f}")
    copied = {**SCORES, "copy": SCORES["a"]}
    comparisons = compare_runs(results_of(copied), "MAep", "m", correction="tukey")
    _, spread, warning = comparison_statement(comparisons, None, "tukey").facts
    assert " is from 0.0000 to " in spread
    assert "one of these is 0, so more than 5 % of such comparisons may be false alarms" in warning


def test_the_spread_of_counts_is_that_of_topics() -> None:
    results = Results(
        Result(run, str(topic), "NumRelRet", float(value), "m")
        for run, values in {"a": (1, 5, 2), "b": (3, 1, 1), "c": (9, 9, 9)}.items()
        for topic, value in enumerate(values)
    )
    facts = comparison_statement(compare_runs(results, "NumRelRet", "m"), None).facts
    (spread,) = (fact for fact in facts if fact.startswith("spread: "))
    low, high = statistics.stdev((6, 8, 8)), statistics.stdev((-2, 4, 1))
    assert spread.endswith(f"from {low:.4f} to {high:.4f}")


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
@pytest.mark.parametrize(("zeros", "noted"), [(3, False), (4, True)])
def test_different_shares_of_zeros_are_noted(zeros: int, noted: bool, test: str) -> None:
    """More than .3 apart: 4 of 10 topics with 0 against none, not 3."""
    smooth = tuple(0.3 + topic / 100 for topic in range(10))
    sparse = (0.0,) * zeros + tuple(0.5 + topic / 70 for topic in range(10 - zeros))
    results = results_of({"smooth": smooth, "sparse": sparse})
    notes = zero_notes(results, compare_runs(results, "MAep", "m", test=test))
    assert bool(notes) == noted
    for note in notes:
        assert re.findall(r"(\d+) %", note)[:2] == [f"{10 * zeros}", "0"]
        assert note.index("sparse") < note.index("smooth")
