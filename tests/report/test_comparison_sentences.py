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


@pytest.mark.parametrize(("zeros", "noted"), [(3, False), (4, True)])
def test_different_shares_of_zeros_are_noted(zeros: int, noted: bool) -> None:
    """More than .3 apart: 4 of 10 topics with 0 against none, not 3."""
    smooth = tuple(0.3 + topic / 100 for topic in range(10))
    sparse = (0.0,) * zeros + tuple(0.5 + topic / 70 for topic in range(10 - zeros))
    results = results_of({"smooth": smooth, "sparse": sparse})
    notes = zero_notes(results, compare_runs(results, "MAep", "m"))
    assert bool(notes) == noted
    for note in notes:
        assert re.findall(r"(\d+) %", note)[:2] == [f"{10 * zeros}", "0"]
        assert note.index("sparse") < note.index("smooth")
    assert not zero_notes(results, compare_runs(results, "MAep", "m", test="wilcoxon"))
