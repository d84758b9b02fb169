"""Tables of results: layouts, marks and ranks."""

from __future__ import annotations

import math
import random
import re
from itertools import combinations
from typing import Any

import pytest

import xcg
from xcg.answers import marks_of
from xcg.evaluation.results import Result, Results

BASE = {str(t): {"d": {"/a": (1, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}} for t in range(1, 7)}
GOOD, POOR = ["d#/a/s[1]", "d#/a/s[2]"], ["d#/a/s[2]"]
RUNS = {
    "good": dict.fromkeys(BASE, GOOD),
    "same_&": dict.fromkeys(BASE, GOOD),
    "poor": {t: POOR if t != "6" else GOOD for t in BASE},
}


def shown(results: Results, **display: Any) -> Results:
    for name, value in display.items():
        setattr(results, name, value)
    return results


def marked(results: Results, format: str, against: str | None = None) -> str:
    results.marks = lambda: marks_of(results, against)
    return results.to_text(format)


def rows_of(table: str) -> list[list[str]]:
    return [line.split() for line in table.splitlines()]


def test_best_means_are_bold_and_significant_differences_have_daggers() -> None:
    results = xcg.evaluate(BASE, RUNS, measures="MAep ASL")
    markdown = marked(results, "markdown", "good")
    assert markdown.count("**1.0000**") == 2  # both runs with the best MAep
    poor = next(line for line in markdown.splitlines() if line.startswith("| poor"))
    assert poor.count("<sup>†</sup>") == 2
    latex = marked(results, "latex", "good")
    assert latex.count(r"\textbf{1.0000}") == 2
    assert r"\textsuperscript{†}" in latex
    assert r"same\_\&" in latex
    assert "2 runs are compared with the baseline good over 6 topics by the paired t" in latex


def adjusted(p_values: dict[frozenset[str], float], runs: int) -> dict[frozenset[str], float]:
    """Adjust p values of all pairs as Shaffer (1986), from the partitions of the runs."""

    def true_hypotheses(number: int) -> set[int]:
        found = {0} if number < 2 else set()
        for size in range(1, number + 1):
            found |= {math.comb(size, 2) + rest for rest in true_hypotheses(number - size)}
        return found

    possible, ordered, largest = true_hypotheses(runs), sorted(p_values, key=p_values.__getitem__), 0.0
    result = {}
    for index, pair in enumerate(ordered):
        factor = max(one for one in possible if one <= len(ordered) - index)
        largest = max(largest, factor * p_values[pair])
        result[pair] = min(1.0, largest)
    return result


def test_runs_share_a_letter_if_and_only_if_they_do_not_differ_significantly() -> None:
    """The pairs are computed independently, by scipy and the definition of Shaffer's steps."""
    stats = pytest.importorskip("scipy.stats")
    generator = random.Random(3)
    quality = {f"r{number}": number / 12 for number in range(7)}
    scores = {
        run: [0.3 + mean / 2 + generator.gauss(0, 0.09) for _ in range(12)]
        for run, mean in quality.items()
    }
    rows = [Result(r, str(t), "MAep", x, "m") for r, own in scores.items() for t, x in enumerate(own)]
    rows += [Result(r, "all", "MAep", sum(own) / 12, "m") for r, own in scores.items()]
    pairs = {
        frozenset(pair): stats.ttest_rel(*map(scores.get, pair)).pvalue
        for pair in combinations(scores, 2)
    }
    different = {pair for pair, p in adjusted(pairs, 7).items() if p < 0.05}
    assert 5 < len(different) < 16
    text = marked(Results(rows), "markdown", "all")
    found = dict(re.findall(r"^\| (r\d) .*<sup>(.*)</sup>", text, re.M))
    letters = {run: set(expanded(written)) for run, written in found.items()}
    assert {
        pair for pair in pairs if not set.intersection(*(letters[run] for run in pair))
    } == different
    for phrase in (
        "Runs that share a letter do not differ significantly",
        "All 21 pairs of 7 runs",
        "12 topics",
    ):
        assert phrase in text
    assert "(Holm with Shaffer's steps); significance level 5 %" in text


def expanded(letters: str) -> str:
    """Return the letters of a text with ranges such as a-c."""
    return re.sub(
        r"(.)-(.)", lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))), letters
    )


def test_the_lowest_mean_of_a_lower_is_better_measure_is_bold() -> None:
    # ASL is the mean rank of the relevant results: 1.5 for good; 1 for poor, but 1.5 in topic 6.
    results = xcg.evaluate(BASE, RUNS, measures="ASL")
    assert marked(results, "markdown").count("**") == 2
    assert "**1.0833**" in marked(results, "markdown")
    assert results.value("good", "ASL") == 1.5


def results_of(measure: str, scores: dict[str, dict[str, float]]) -> Results:
    return Results(
        Result(run, "all", measure, score, model)
        for model, by_run in scores.items()
        for run, score in by_run.items()
    )


def test_ranks_follow_the_order_of_the_measure() -> None:
    scores = {"m1": {"a": 3.0, "b": 1.0, "c": 3.0}, "m2": {"a": 1.0, "b": 2.0}}
    assert rows_of(results_of("MAep", scores).to_text())[1:] == [
        ["MAep", "a", "3.0000", "1.", "1.0000", "2."],
        ["MAep", "b", "1.0000", "3.", "2.0000", "1."],
        ["MAep", "c", "3.0000", "1."],
    ]
    assert rows_of(results_of("ASL", scores).to_text())[1:] == [
        ["ASL", "a", "3.0000", "2.", "1.0000", "1."],
        ["ASL", "b", "1.0000", "1.", "2.0000", "2."],
        ["ASL", "c", "3.0000", "2."],
    ]


def test_user_models_are_columns_with_bold_scores() -> None:
    results = xcg.evaluate(BASE, RUNS, None, ["kazai-lalmas-2006", "overlap-off"], "MAep")
    latex = marked(results, "latex")
    assert latex.count(r"\textbf{") == 4
    assert " 1." not in latex  # ranks are printed on request
    ranked = shown(results, marks=lambda: marks_of(results), ranks=True).to_text("latex")
    assert r"same\_\& & \textbf{1.0000}   1. & " in ranked
    assert "3." not in shown(results, ranks=False).to_text()


def test_topics_and_user_models_have_columns_of_their_own() -> None:
    results = xcg.evaluate(BASE, RUNS, None, ["kazai-lalmas-2006", "overlap-off"], "MAep")
    heading, first, *_ = rows_of(shown(results, per_topic=True).to_text())
    assert heading == ["user", "model", "run", "topic", "MAep"]
    assert first == ["kazai-lalmas-2006", "good", "1", "1.0000"]


def test_the_values_of_chosen_topics_are_shown() -> None:
    results = xcg.evaluate(BASE, RUNS, measures="MAep")
    (row,) = [row for row in results.of_topics(["6"]).records() if row["run"] == "poor"]
    assert (row["topic"], row["value"]) == ("6", 1)


def test_intervals_follow_the_means_and_are_in_the_records() -> None:
    results = results_of("MAep", {"m": {"a": 0.5}})
    results.intervals = {("MAep", "m", "a"): (0.25, 0.75)}
    assert rows_of(results.to_text())[1] == ["a", "0.5000", "±0.2500"]
    assert r"0.5000 $\pm$0.2500" in results.to_text("latex")
    assert [(row["low"], row["high"]) for row in results.records()] == [(0.25, 0.75)]


def test_the_mean_comes_after_topics_for_which_the_first_measure_is_undefined() -> None:
    base = {"1": {"d": 1}, "2": {"d": 0}, "3": {"d": 1}}  # topic 2 has no relevant document
    results = xcg.evaluate(base, {"r": {topic: ["d"] for topic in base}}, measures="nxCG@1 P@1")
    rows = [line.split()[1:] for line in shown(results, per_topic=True).to_text().splitlines()[1:]]
    assert rows == [
        ["1", "1.0000", "1.0000"],
        ["3", "1.0000", "1.0000"],
        ["2", "0.0000"],
        ["all", "1.0000", "0.6667"],
    ]
