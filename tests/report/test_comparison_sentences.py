"""The sentences above and below a table of comparisons."""

from __future__ import annotations

import statistics
from itertools import combinations

import pytest

from xcg.evaluation.results import Result, Results
from xcg.report.comparison_sentences import comparison_statement
from xcg.statistics.significance import compare_runs

SCORES = {"a": (0.1, 0.4, 0.2, 0.5), "b": (0.2, 0.3, 0.3, 0.4), "c": (0.9, 0.1, 0.8, 0.0)}


def test_the_assumption_of_tukey_states_how_much_the_variances_differ() -> None:
    results = Results(
        Result(run, str(topic), "MAep", value, "m")
        for run, values in SCORES.items()
        for topic, value in enumerate(values)
    )
    deviations = [
        statistics.stdev(x - y for x, y in zip(SCORES[a], SCORES[b], strict=True))
        for a, b in combinations(SCORES, 2)
    ]
    mean_variance = statistics.fmean(value**2 for value in deviations)
    (sentence,) = (
        line
        for line in comparison_statement(compare_runs(results, "MAep"), None).facts
        if line.startswith("assumption: ")
    )
    expected = max(deviations) / mean_variance**0.5
    assert float(sentence.split()[-4]) == pytest.approx(expected, abs=0.05)
    assert expected == pytest.approx(1.4, abs=0.1)  # unequal variances
    holm = compare_runs(results, "MAep", correction="holm")
    assert not any("assumption" in line for line in comparison_statement(holm, None, "holm").facts)
