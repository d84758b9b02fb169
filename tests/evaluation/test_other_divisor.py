"""The note on pairs of runs that ``unretrieved=max`` would order differently."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from conftest import ROOT

import xcg
from xcg.evaluation.results import Results

RUNS = sorted((ROOT / "corpora_samples" / "handbook-runs").glob("*.xml"))
MODELS = ["kazai-lalmas-2006", "kazai-lalmas-2006-gen", "overlap-off"]


def evaluate(measures: str, runs: Any = RUNS, models: Any = MODELS, **options: Any) -> Results:
    corpus = ROOT / "corpora_samples" / "handbook"
    assessments = ROOT / "assessments" / "handbook"
    return xcg.evaluate(assessments, runs, corpus, models, measures.split(), **options)


def notes(results: Results) -> list[str]:
    return [note for note in results.notes if "unretrieved" in note]


def expected_note(measures: list[str]) -> str:
    """Return the note, from the scores of a separate evaluation with ``unretrieved=max``."""
    default = evaluate(" ".join(measures))
    other = evaluate(" ".join(f"{measure}(unretrieved=max)" for measure in measures))
    changed, differences = 0, {}
    for model in MODELS:
        for measure in measures:
            before = {run: default.value(run, measure, user_model=model) for run in default.runs}
            with_max = f"{measure}(unretrieved=max)"
            after = {run: other.value(run, with_max, user_model=model) for run in default.runs}
            for one, two in combinations(default.runs, 2):
                high, low = (one, two) if before[one] > before[two] else (two, one)
                assert before[high] - before[low] > 1e-6  # no ties
                if after[high] < after[low]:
                    changed += 1
                    by, by_max = before[high] - before[low], after[high] - after[low]
                    differences[by - by_max] = (
                        f"{high} minus {low} is +{by:.2g}, and with max {by_max:.2g}, by {measure} "
                        f"under {model}"
                    )
    assert changed
    return (
        f"note: unretrieved=max would order {changed} of {28 * len(measures) * len(MODELS)} pairs of "
        "runs differently, counted for each measure and user model; the largest difference: "
        f"{differences[max(differences)]}"
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_the_note_agrees_with_a_separate_evaluation(workers: int) -> None:
    measures = ["MAep", "Q"]
    found = notes(evaluate("MAep Q nxCG@10", workers=workers))
    assert found == [expected_note(measures)]


def test_nothing_is_noted_if_no_order_changes() -> None:
    assert notes(evaluate("MAep", RUNS[:1])) == []
    assert notes(evaluate("MAep Q", models=["overlap-off"])) == []  # both N order all pairs alike
    assert notes(evaluate("nxCG@10 iMAep")) == []


def test_nothing_is_noted_where_the_divisor_does_not_count() -> None:
    assert notes(evaluate("MAep(average=gain)")) == []
    assert notes(evaluate("MAep(unretrieved=max) Q(unretrieved=max)")) == []
    assert notes(evaluate("MAep(effort=characters)")) == []
    model = {"name": "m", "effort": {"unretrieved": "max"}}
    assert notes(evaluate("MAep", models=model)) == []


def test_a_tie_that_is_broken_is_another_order_and_reference_points_do_not_count() -> None:
    """Two paragraphs are ideal, with a gain of 1 each, so ep at a gain g up to 1 is g / rank.

    The run ``whole`` gains 1 from the first paragraph: 1 / 2 with both N. The run ``parts`` gains .5
    and .5 from two parts of it: (.5 + 1/2) / 3, and with max (.5 + 1/2) / 2.
    """
    grades = {"1": {"d": {"/s[1]/p[1]": (3, 3), "/s[1]/p[2]": (3, 3), "/s[1]/p[1]/b[1]": (2, 2)}}}
    grades["1"]["d"]["/s[1]/p[1]/b[2]"] = (2, 2)
    runs = {
        "parts": {"1": ["d#/s[1]/p[1]/b[1]", "d#/s[1]/p[1]/b[2]"]},
        "whole": {"1": ["d#/s[1]/p[1]"]},
    }
    corpus = {"d": "<s><p><b>one</b><b>two</b></p><p>three</p></s>"}
    found = xcg.evaluate(grades, runs, corpus, None, ["MAep"], strategies=["thorough", "oracle"])
    assert found.value("whole+thorough", "MAep") == pytest.approx(1 / 2)
    assert found.value("parts+thorough", "MAep") == pytest.approx((0.5 + 0.5) / 3)
    assert notes(found) == [
        "note: unretrieved=max would order 1 of 1 pairs of runs differently; the largest difference: "
        "whole+thorough minus parts+thorough is +0.17, and with max +0, by MAep under kazai-lalmas-2006"
    ]
